/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events: a round each second while somebody looks. LIST, then STATUS of each waveform that is
 * looked at, one after another; each report goes to all who look at that waveform. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/report/report.h"
#include "daemons/statsman/statsman.h"
#include "daemons/statsman/web_json.h"

#define MS_NS 1000000ull

static bool is_looking(struct web *web, const struct web_stream *stream)
{
	bool open;

	pthread_mutex_lock(&web->lock);
	open = stream->state == WEB_OPEN && stream->target.kind == WEB_EVENTS;
	pthread_mutex_unlock(&web->lock);
	return open;
}

/* ---- an event ------------------------------------------------------------------------ */

/* As a Server-Sent Event, or as one JSON object through a WebSocket. */
static int event_print(
    const struct web_stream *stream, const char *name, const char *text, char **ret)
{
	if (stream->target.socket)
		return asprintf(ret, "{\"event\":\"%s\",\"data\":%s}", name, text);
	return asprintf(
	    ret, "%sevent: %s\ndata: %s\n\n", stream->greeted ? "" : "retry: 1000\n", name, text);
}

/* `text` may be NULL: there is no memory. */
static void event_put(struct web_stream *stream, const char *name, const char *text)
{
	char *event = NULL;
	const int len = text ? event_print(stream, name, text, &event) : -1;

	if (len > 0 && web_put(stream, event, (size_t)len, false))
		stream->greeted = true;
}

enum { EVENT_WORDS = 64 }; /* of an event beside its JSON, and the key of the waveform */

/* An event without its waveform. */
static json_t *second_begin(struct web *web)
{
	struct timespec now;
	size_t left_out;
	json_t *list = web_list_json(web->list, WEB_LIST_BYTES, &left_out);

	clock_gettime(CLOCK_REALTIME, &now);
	return json_pack("{s:i, s:I, s:o, s:I, s:o}", "schema", 1, "time_ms",
	    (json_int_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, "waveforms", list,
	    "waveforms_left_out", (json_int_t)left_out, "clients", web_clients_json(web));
}

static char *second_text(struct web *web, json_t *waveform)
{
	json_t *json = second_begin(web);

	json_object_set_new(json, "waveform", waveform ? json_incref(waveform) : json_null());
	return web_text(json);
}

/* What an event has left for its waveform. */
static size_t waveform_bytes(struct web *web)
{
	json_t *json = second_begin(web);
	const size_t used = web_size(json) + EVENT_WORDS;

	json_decref(json);
	return used < WEB_EVENT_BYTES ? WEB_EVENT_BYTES - used : 0;
}

static char *error_text(const char *name, const char *why)
{
	return web_text(json_pack("{s:i, s:s, s:s}", "schema", 1, "error", why, "waveform", name));
}

/* To all that look at `name`; "" is none. Without a waveform the reason is said first. */
static void second_put(struct web *web, const char *name, json_t *waveform, const char *why)
{
	char *text = NULL, *error = NULL;

	for (int i = 0; i < WEB_STREAMS; i++) {
		struct web_stream *stream = &web->streams[i];

		if (!is_looking(web, stream) || strcmp(stream->target.waveform, name) != 0)
			continue;
		if (!text) {
			text = second_text(web, waveform);
			error = why ? error_text(name, why) : NULL;
		}
		if (why)
			event_put(stream, "error", error);
		event_put(stream, "second", text);
	}
	free(text);
	free(error);
}

/* ---- a round ------------------------------------------------------------------------ */

static void round_begin(void *self);

static void round_end(struct statsman *statsman)
{
	struct web *web = &statsman->web;
	const uint64_t passed = clock_ns() - web->round_ns, whole = WEB_ROUND_MS * MS_NS;

	json_decref(web->list);
	json_decref(web->wanted);
	web->list = web->wanted = NULL;
	web->in_round = false;
	loop_timer_start(&statsman->daemon.loop, &web->round, passed < whole ? whole - passed : 1,
	    round_begin, statsman);
}

/* Which load of this name it is, of a platform; "": not known. */
static const char *load_of(const struct web *web, const char *name)
{
	return report_text(report_find(web->list, "name", name), "load_id");
}

static void report_take(struct web *web, const char *name, json_t *report)
{
	const char *load = load_of(web, name);
	const json_t *look = json_object_get(web->looks, name);
	const bool same = strcmp(report_text(look, "load"), load) == 0;
	const json_int_t now = (json_int_t)clock_ns(),
	                 then = json_integer_value(json_object_get(look, "ns"));
	json_t *waveform = web_second_json(same ? json_object_get(look, "report") : NULL, report,
	    (double)(now - then) * 1e-9, waveform_bytes(web));

	second_put(web, name, waveform, waveform ? NULL : "out of memory");
	json_decref(waveform);
	json_object_set_new(web->looks, name,
	    json_pack("{s:I, s:s, s:o}", "ns", now, "load", load, "report", report));
}

static void report_ask(struct statsman *statsman);

static void report_known(
    struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer)
{
	struct web *web = &statsman->web;
	const char *name = json_string_value(json_array_get(web->wanted, web->at));
	char *why = answer ? wire_get_text(answer, WIRE_TAG_TEXT, 0) : NULL;
	json_t *report = answer ? statsman_json(answer) : NULL;

	if (name && json_is_object(report)) {
		report_take(web, name, report);
	} else {
		json_decref(report);
		if (name) {
			json_object_del(web->looks, name);
			second_put(web, name, NULL,
			    why          ? why
			        : answer ? "the node gives no reason"
			                 : ask->lost);
		}
	}
	free(why);
	web->at++;
	report_ask(statsman);
}

static void report_ask(struct statsman *statsman)
{
	struct web *web = &statsman->web;
	const char *name = json_string_value(json_array_get(web->wanted, web->at));
	struct wire_msg msg;

	if (!name) {
		round_end(statsman);
		return;
	}
	statsman_msg(WIRE_STATUS, WIRE_SWMAN, name, NULL, &msg);
	statsman_ask(statsman, &msg, report_known, NULL, 0);
}

static void all_put(struct web *web, const char *why)
{
	const char *name;
	json_t *entry;
	size_t n;

	second_put(web, "", NULL, why);
	json_array_foreach(web->wanted, n, entry)
	{
		name = json_string_value(entry);
		second_put(web, name, NULL, why);
	}
}

static void list_known(
    struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer)
{
	struct web *web = &statsman->web;

	json_decref(web->list);
	web->list = answer ? statsman_json(answer) : NULL;
	web->at = 0;
	if (json_is_array(web->list)) {
		second_put(web, "", NULL, NULL);
		report_ask(statsman);
		return;
	}
	all_put(web, answer ? "the node does not answer" : ask->lost);
	round_end(statsman);
}

/* The waveforms that are looked at, each once. The number of clients. */
static unsigned wanted_find(struct web *web)
{
	unsigned clients = 0;
	json_t *set = json_object();
	const char *name;
	json_t *value;

	for (int i = 0; i < WEB_STREAMS; i++)
		if (is_looking(web, &web->streams[i])) {
			clients++;
			json_object_set_new(set, web->streams[i].target.waveform, json_true());
		}
	web->wanted = json_array();
	json_object_foreach(set, name, value)
	{
		if (name[0])
			json_array_append_new(web->wanted, json_string(name));
	}
	json_decref(set);
	return clients;
}

/* Reports before of waveforms at which nobody looks any more. */
static void looks_drop(struct web *web)
{
	json_t *kept = json_object(), *entry;
	size_t n;

	json_array_foreach(web->wanted, n, entry)
	{
		const char *name = json_string_value(entry);
		json_t *look = json_object_get(web->looks, name);

		if (look)
			json_object_set(kept, name, look);
	}
	json_decref(web->looks);
	web->looks = kept;
}

static void round_begin(void *self)
{
	struct statsman *statsman = self;
	struct web *web = &statsman->web;
	unsigned clients;
	struct wire_msg msg;

	json_decref(web->wanted);
	clients = wanted_find(web);
	looks_drop(web);
	if (clients == 0)
		return;
	web->in_round = true;
	web->round_ns = clock_ns();
	if (!statsman->daemon.greeted) {
		all_put(web, "aloe-frontend is being started again");
		round_end(statsman);
		return;
	}
	statsman_msg(WIRE_LIST, WIRE_SWMAN, NULL, NULL, &msg);
	statsman_ask(statsman, &msg, list_known, NULL, 0);
}

void web_round_soon(struct statsman *statsman)
{
	struct web *web = &statsman->web;
	const uint64_t passed = clock_ns() - web->round_ns, least = WEB_ROUND_MS_MIN * MS_NS;

	if (!web->in_round)
		loop_timer_start(&statsman->daemon.loop, &web->round,
		    passed < least ? least - passed : 1, round_begin, statsman);
}

void web_rounds_end(struct statsman *statsman)
{
	struct web *web = &statsman->web;

	loop_timer_stop(&statsman->daemon.loop, &web->round);
	json_decref(web->list);
	json_decref(web->wanted);
	web->list = web->wanted = NULL;
}
