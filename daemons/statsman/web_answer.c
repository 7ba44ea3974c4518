/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dashboard's server: a request becomes a question to another daemon, and its answer the reply.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/report.h"
#include "daemons/statsman/statsman.h"
#include "daemons/statsman/web_json.h"

enum wire_peer web_values(const struct statsman *statsman)
{
	return statsman->daemon.args.platform ? WIRE_STATSMAN : WIRE_STATS;
}

static void ask_done(struct statsman *statsman, struct web_ask *ask)
{
	struct web *web = &statsman->web;
	bool given_up;

	pthread_mutex_lock(&web->lock);
	given_up = ask->given_up;
	ask->done = true;
	pthread_cond_broadcast(&web->changed);
	pthread_mutex_unlock(&web->lock);
	if (given_up)
		web_ask_free(ask);
}

/* ---- what was refused: is there such a waveform? ---- */

static json_t *names_of(const json_t *list, const char *waveform, bool *ret_found)
{
	json_t *names = json_array(), *entry;
	size_t n;

	*ret_found = report_find(list, "name", waveform) != NULL;
	json_array_foreach(list, n, entry)
	{
		json_array_append(names, json_object_get(entry, "name"));
	}
	return names;
}

static void missing_reply(struct web_ask *ask, json_t *names)
{
	char words[WEB_WHY];

	snprintf(words, sizeof(words), "no waveform \"%s\" is loaded", ask->target.waveform);
	web_error(404, words, names, &ask->reply);
}

static void refusal_known(
    struct statsman *statsman, struct statsman_ask *of, const struct wire_view *answer)
{
	struct web_ask *ask = of->of;
	json_t *list = answer ? statsman_json(answer) : NULL, *names;
	bool found;

	names = names_of(list, ask->target.waveform, &found);
	if (json_is_array(list) && !found) {
		missing_reply(ask, names);
	} else {
		json_decref(names);
		web_error(
		    ask->status, ask->words ? ask->words : "out of memory", NULL, &ask->reply);
	}
	json_decref(list);
	ask_done(statsman, ask);
}

static void ask_refuse(
    struct statsman *statsman, struct web_ask *ask, int status, const char *words)
{
	struct wire_msg msg;

	if (status != 400 || !ask->target.waveform[0]) {
		web_error(status, words, NULL, &ask->reply);
		ask_done(statsman, ask);
		return;
	}
	ask->status = status;
	ask->words = strdup(words);
	statsman_msg(WIRE_LIST, WIRE_SWMAN, NULL, NULL, &msg);
	statsman_ask(statsman, &msg, refusal_known, ask, 0);
}

static void fail_take(
    struct statsman *statsman, struct web_ask *ask, const struct wire_view *answer)
{
	char *text = wire_get_text(answer, WIRE_TAG_TEXT, 0);
	uint64_t code = 1, ignored;
	int status = 500;

	wire_get_u64(answer, WIRE_TAG_CODE, &code);
	if (wire_get_u64(answer, WIRE_TAG_AGAIN, &ignored) == 0)
		status = 503;
	else if (code == 2 || wire_get_u64(answer, WIRE_TAG_NEWEST, &ignored) == 0) /* too late */
		status = 400;
	ask_refuse(statsman, ask, status, text ? text : "the node gives no reason");
	free(text);
}

/* ---- what was answered ------------------------------------------------------------------ */

/* As it came: it is JSON, which the page reads. */
static void text_reply(const struct wire_view *answer, struct http_reply *ret)
{
	char *text = wire_get_text(answer, WIRE_TAG_JSON, 0);

	if (!text) {
		web_error(500, "the answer of the node cannot be read", NULL, ret);
		return;
	}
	ret->type = "application/json";
	ret->body = text;
	ret->len = strlen(text);
}

static void whole_reply(const char *key, json_t *list, struct http_reply *ret)
{
	web_json(list ? json_pack("{s:i, s:o}", "schema", 1, key, list) : NULL, ret);
}

static void report_reply(const struct web_ask *ask, json_t *report, struct http_reply *ret)
{
	char why[WEB_WHY] = "the answer of the node cannot be read";
	json_t *json = NULL;

	if (report && ask->target.kind == WEB_GRAPH)
		json = web_graph_json(report, why);
	else if (report)
		json = web_histograms_json(report);
	json_decref(report);
	if (json)
		web_json(json, ret);
	else
		web_error(500, why, NULL, ret);
}

static void values_reply(
    const struct web_ask *ask, const struct wire_view *answer, struct http_reply *ret)
{
	json_t *values = statsman_json(answer);
	uint64_t index = 0;

	wire_get_u64(answer, WIRE_TAG_INDEX, &index);
	web_json(values ? json_pack("{s:i, s:s, s:I, s:o}", "schema", 1, "waveform",
	                      ask->target.waveform, "index", (json_int_t)index, "values", values)
	                : NULL,
	    ret);
}

/* One line of a header. */
static char *note_of(const struct wire_view *answer)
{
	char *text = wire_get_text(answer, WIRE_TAG_TEXT, 0);

	for (char *c = text; c && *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			*c = ' ';
	return text;
}

static void trace_reply(
    const struct web_ask *ask, const struct wire_view *answer, struct http_reply *ret)
{
	const void *bytes;
	size_t len;

	if (wire_get_bytes(answer, WIRE_TAG_BYTES, 0, &bytes, &len) != 0) {
		web_error(500, "the answer of the node has no trace", NULL, ret);
		return;
	}
	ret->type = ask->target.json ? "application/json" : "application/octet-stream";
	ret->body = malloc(len + 1);
	if (!ret->body) {
		ret->status = 500;
		return;
	}
	memcpy(ret->body, bytes, len);
	ret->len = len;
	ret->note = note_of(answer);
	snprintf(ret->file, sizeof(ret->file), "%s%s", ask->target.waveform,
	    ask->target.json ? ".trace.json" : ".perfetto-trace");
}

static void events_reply(struct web_ask *ask, json_t *list, struct http_reply *ret)
{
	bool found;
	json_t *names = names_of(list, ask->target.waveform, &found);

	json_decref(list);
	if (!found) {
		missing_reply(ask, names);
		return;
	}
	json_decref(names);
	web_json(json_object(), ret);
}

static void ok_take(struct web_ask *ask, const struct wire_view *answer)
{
	struct http_reply *ret = &ask->reply;
	uint64_t index = 0;

	switch (ask->target.kind) {
	case WEB_NODES:
		whole_reply("nodes", statsman_json(answer), ret);
		return;
	case WEB_WAVEFORMS:
		whole_reply("waveforms", statsman_json(answer), ret);
		return;
	case WEB_EVENTS:
		events_reply(ask, statsman_json(answer), ret);
		return;
	case WEB_GRAPH:
	case WEB_HISTOGRAMS:
		report_reply(ask, statsman_json(answer), ret);
		return;
	case WEB_VARIABLES:
		values_reply(ask, answer, ret);
		return;
	case WEB_TRACE:
		trace_reply(ask, answer, ret);
		return;
	case WEB_SET:
		wire_get_u64(answer, WIRE_TAG_INDEX, &index);
		web_json(json_pack("{s:i, s:I}", "schema", 1, "index", (json_int_t)index), ret);
		return;
	case WEB_RING:
		web_json(
		    json_pack("{s:i, s:I}", "schema", 1, "keep", (json_int_t)ask->target.number),
		    ret);
		return;
	default:
		text_reply(answer, ret);
	}
}

static void ask_answered(
    struct statsman *statsman, struct statsman_ask *of, const struct wire_view *answer)
{
	struct web_ask *ask = of->of;

	if (!answer) {
		ask_refuse(statsman, ask, 503, of->lost);
	} else if (answer->type != WIRE_OK) {
		fail_take(statsman, ask, answer);
	} else {
		ok_take(ask, answer);
		ask_done(statsman, ask);
	}
}

/* ---- questions ------------------------------------------------------------------------ */

static void sets_put(const struct web_target *target, struct wire_msg *msg)
{
	for (size_t i = 0; i < target->n_sets; i++) {
		wire_put_text(msg, WIRE_TAG_NAME, target->sets[i].name);
		wire_put_text(msg, WIRE_TAG_VALUE, target->sets[i].value);
	}
	if (target->has_index)
		wire_put_u64(msg, WIRE_TAG_INDEX, target->index);
}

static void fields_put(const struct web_target *target, struct wire_msg *msg)
{
	switch (target->kind) {
	case WEB_MISS:
		wire_put_u64(msg, WIRE_TAG_SLOT, target->number);
		return;
	case WEB_TRACE:
		wire_put_u64(msg, WIRE_TAG_COUNT, target->number * 1000000);
		wire_put_text(msg, WIRE_TAG_VALUE, target->json ? "json" : NULL);
		return;
	case WEB_RING:
		wire_put_text(msg, WIRE_TAG_NAME, target->port);
		wire_put_u64(msg, WIRE_TAG_COUNT, target->number);
		return;
	case WEB_SET:
		sets_put(target, msg);
		return;
	default:
		return;
	}
}

void web_ask_begin(struct statsman *statsman, struct web_ask *ask)
{
	const enum wire_peer values = web_values(statsman);
	const struct {
		enum wire_type type;
		enum wire_peer peer;
	} questions[WEB_KINDS] = {[WEB_NODES] = {WIRE_NODES, WIRE_FRONTEND},
	    [WEB_WAVEFORMS] = {WIRE_LIST, WIRE_SWMAN},
	    [WEB_EVENTS] = {WIRE_LIST, WIRE_SWMAN},
	    [WEB_REPORT] = {WIRE_STATUS, WIRE_SWMAN},
	    [WEB_GRAPH] = {WIRE_STATUS, WIRE_SWMAN},
	    [WEB_HISTOGRAMS] = {WIRE_STATUS, WIRE_SWMAN},
	    [WEB_MISSES] = {WIRE_MISSES, WIRE_SWMAN},
	    [WEB_MISS] = {WIRE_MISSES, WIRE_SWMAN},
	    [WEB_TRACE] = {WIRE_TRACE, WIRE_SWMAN},
	    [WEB_RING] = {WIRE_RING, WIRE_EXEC},
	    [WEB_VARIABLES] = {WIRE_GET, values},
	    [WEB_OUTPUTS] = {WIRE_TAP, values},
	    [WEB_SET] = {WIRE_SET, values}};
	const struct web_target *target = &ask->target;
	const bool list = target->kind == WEB_EVENTS;
	struct wire_msg msg;

	if (!statsman->daemon.greeted) {
		ask_refuse(statsman, ask, 503, "aloe-frontend is being started again");
		return;
	}
	statsman_msg(questions[target->kind].type, questions[target->kind].peer,
	    target->waveform[0] && !list ? target->waveform : NULL, NULL, &msg);
	fields_put(target, &msg);
	statsman_ask(statsman, &msg, ask_answered, ask, 0);
}
