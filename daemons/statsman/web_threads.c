/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dashboard's server, in threads of core/http: what needs nobody is answered here, all else is
 * handed to the loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/http/guard.h"
#include "daemons/statsman/page.h"
#include "daemons/statsman/statsman.h"

/* ---- replies ------------------------------------------------------------------------ */

void web_json(json_t *json, struct http_reply *ret)
{
	char *text = web_text(json);

	ret->type = "application/json";
	ret->body = text;
	ret->len = text ? strlen(text) : 0;
	if (!text)
		ret->status = 500;
}

void web_error(int status, const char *words, json_t *names, struct http_reply *ret)
{
	json_t *json = json_pack("{s:i, s:s}", "schema", 1, "error", words);

	if (json && names)
		json_object_set(json, "names", names);
	json_decref(names);
	ret->status = status;
	web_json(json, ret);
}

/* Under the lock: how many there are of this kind. */
static unsigned streams_count(const struct web *web, enum web_kind kind)
{
	unsigned n = 0;

	for (int i = 0; i < WEB_STREAMS; i++) {
		const struct web_stream *stream = &web->streams[i];

		n += stream->state != WEB_FREE && stream->state != WEB_LEFT &&
		    stream->target.kind == kind;
	}
	return n;
}

static json_t *counts_json(const struct web *web)
{
	return json_pack("{s:i, s:i, s:i, s:I, s:I, s:I}", "events",
	    (int)streams_count(web, WEB_EVENTS), "signals", (int)streams_count(web, WEB_SIGNAL),
	    "most", WEB_CLIENTS, "refused", (json_int_t)web->counts.refused, "dropped",
	    (json_int_t)web->counts.dropped, "frames_dropped",
	    (json_int_t)web->counts.frames_dropped);
}

json_t *web_clients_json(struct web *web)
{
	json_t *json;

	pthread_mutex_lock(&web->lock);
	json = counts_json(web);
	pthread_mutex_unlock(&web->lock);
	return json;
}

static void node_reply(struct web *web, struct http_reply *ret)
{
	web_json(json_pack("{s:i, s:s, s:b, s:s, s:o}", "schema", 1, "node", web->node, "platform",
	             web->platform, "version", ALOE_VERSION, "clients", web_clients_json(web)),
	    ret);
}

/* ---- a request that the loop answers ---- */

static void loop_wake(const struct web *web)
{
	eventfd_write(web->want_fd, 1);
}

void web_ask_free(struct web_ask *ask)
{
	free(ask->reply.body);
	free(ask->reply.note);
	web_target_fini(&ask->target);
	free(ask->words);
	free(ask);
}

/* The target goes to the ask. */
static void ask_wait(struct web *web, struct web_target *target, struct http_reply *ret)
{
	const struct timespec until = clock_timespec(clock_ns() + WEB_WAIT_MS * 1000000ull);
	struct web_ask *ask = calloc(1, sizeof(*ask));
	const bool changes = target->changes;
	bool given_up;
	int result = 0;

	if (!ask) {
		web_error(500, "out of memory", NULL, ret);
		return;
	}
	ask->target = *target;
	target->sets = NULL;
	target->n_sets = 0;
	ask->reply.status = 200;
	pthread_mutex_lock(&web->lock);
	*web->asks_end = ask;
	web->asks_end = &ask->next;
	loop_wake(web);
	while (result == 0 && !ask->done && !web->ending)
		result = pthread_cond_timedwait(&web->changed, &web->lock, &until);
	given_up = ask->given_up = !ask->done;
	if (!given_up) {
		*ret = ask->reply;
		ask->reply = (struct http_reply){0};
	}
	pthread_mutex_unlock(&web->lock);
	if (!given_up)
		web_ask_free(ask);
	else /* from here on it is the loop's, or of web_close, who may have freed it already */
		web_error(503,
		    changes ? "the node does not answer; the change may still take effect"
		            : "the node does not answer",
		    NULL, ret);
}

/* ---- streams ------------------------------------------------------------------------ */

static struct web_stream *stream_take(struct web *web, const struct web_target *target)
{
	struct web_stream *stream = NULL;
	bool full;

	pthread_mutex_lock(&web->lock);
	full = web->ending || streams_count(web, target->kind) >= WEB_CLIENTS;
	for (int i = 0; i < WEB_STREAMS && !stream && !full; i++)
		if (web->streams[i].state == WEB_FREE)
			stream = &web->streams[i];
	if (stream) {
		stream->state = WEB_ASKED;
		stream->over = stream->gone = false;
		stream->n_dropped = 0;
		stream->target = *target;
	} else {
		web->counts.refused++;
	}
	pthread_mutex_unlock(&web->lock);
	return stream;
}

static void stream_state(struct web_stream *stream, enum web_state state)
{
	pthread_mutex_lock(&stream->web->lock);
	stream->state = state;
	pthread_mutex_unlock(&stream->web->lock);
	loop_wake(stream->web);
}

/* A waveform that is not there is answered, not streamed. */
static void stream_open(struct web *web, struct web_target *target, struct http_reply *ret)
{
	struct web_stream *stream = stream_take(web, target);
	char words[128];

	if (!stream) {
		snprintf(words, sizeof(words),
		    "%d clients look at %s already, and more are not served; close one",
		    WEB_CLIENTS, target->kind == WEB_EVENTS ? "events" : "signals");
		web_error(503, words, NULL, ret);
		return;
	}
	if (target->kind == WEB_EVENTS && target->waveform[0])
		ask_wait(web, target, ret);
	if (ret->status != 200) {
		stream_state(stream, WEB_LEFT);
		return;
	}
	free(ret->body);
	ret->body = NULL;
	ret->stream = stream;
	stream_state(stream, WEB_NEW);
}

static bool stream_next(void *self, void *of, struct http_message *ret)
{
	struct web_stream *stream = of;
	struct web *web = self;
	bool any;

	pthread_mutex_lock(&web->lock);
	while (stream->n == 0 && !stream->over && !stream->gone && !web->ending)
		pthread_cond_wait(&stream->changed, &web->lock);
	any = stream->n > 0 && !stream->gone && !web->ending;
	if (any) {
		*ret = stream->queue[stream->first];
		stream->first = (stream->first + 1) % WEB_QUEUE;
		stream->n--;
	}
	pthread_mutex_unlock(&web->lock);
	return any;
}

static void stream_leave(void *self, void *of)
{
	struct web_stream *stream = of;
	struct web *web = self;

	pthread_mutex_lock(&web->lock);
	stream->gone = true;
	pthread_cond_signal(&stream->changed);
	pthread_mutex_unlock(&web->lock);
}

/* A client that went away is none that was sent away. */
static void stream_end(void *self, void *of, bool failed)
{
	struct web_stream *stream = of;
	struct web *web = self;

	pthread_mutex_lock(&web->lock);
	web->counts.dropped += failed;
	pthread_mutex_unlock(&web->lock);
	stream_state(stream, WEB_LEFT);
}

/* ---- who may, and where to ---- */

/* 0, or a status. */
static int token_check(const struct web *web, const char *given, char ret_why[WEB_WHY])
{
	if (http_token_same(web->file.token, given))
		return 0;
	snprintf(ret_why, WEB_WHY, "%s",
	    given ? "the token is wrong; `aloe web` prints the token of this node"
	          : "this needs the header X-Aloe-Token; `aloe web` prints the token");
	return given ? 403 : 401;
}

static void component_answer(const char *name, struct http_reply *ret)
{
	char words[WEB_WHY];

	ret->body = web_component_text(name, &ret->len);
	ret->type = "application/json";
	if (ret->body)
		return;
	snprintf(words, sizeof(words), "there is no component \"%.64s\"", name);
	web_error(404, words, NULL, ret);
}

static void target_answer(struct web *web, const struct http_request *request,
    struct web_target *target, struct http_reply *ret)
{
	switch (target->kind) {
	case WEB_PAGE:
		page_answer(request, ret);
		if (ret->status == 404)
			web_error(404, "there is nothing at this address", NULL, ret);
		return;
	case WEB_METRICS:
		scrape_answer(web->scrape, request->accept, ret);
		return;
	case WEB_TOKEN:
		web_json(json_pack("{s:i, s:b}", "schema", 1, "ok", 1), ret);
		return;
	case WEB_NODE:
		node_reply(web, ret);
		return;
	case WEB_COMPONENT:
		component_answer(target->port, ret);
		return;
	case WEB_EVENTS:
	case WEB_SIGNAL:
		stream_open(web, target, ret);
		return;
	default:
		ask_wait(web, target, ret);
	}
}

static void request_answer(void *self, const struct http_request *request, struct http_reply *ret)
{
	struct web *web = self;
	struct web_target target;
	char why[WEB_WHY];
	int status = web_route(request, &target, why);

	*ret = (struct http_reply){.status = 200};
	if (status == 0 && (target.changes || target.kind == WEB_TOKEN))
		status = token_check(web, request->token, why);
	if (status == 0 && target.changes)
		status = web_route_body(request, &target, why);
	if (status == 0)
		target_answer(web, request, &target, ret);
	else
		web_error(status, why, NULL, ret);
	web_target_fini(&target);
}

void web_calls(struct web *web, struct http_calls *ret)
{
	static const char *const sockets[] = {"/api/events", "/api/signal", NULL};

	*ret = (struct http_calls){.answer = request_answer,
	    .next = stream_next,
	    .leave = stream_leave,
	    .end = stream_end,
	    .self = web,
	    .streams = WEB_STREAMS,
	    .sockets = sockets};
}
