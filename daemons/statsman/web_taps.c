/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signals: TAP at the rate of each client, the last messages of an output, made into one frame. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/registry/registry.h"
#include "core/report/report.h"
#include "daemons/statsman/statsman.h"

#define SECOND_NS 1000000000ull
enum { WAITING_S = 2 };

static void tap_ask(void *self);

static void stream_end_with(struct web_stream *stream, const char *why, bool no_ring)
{
	json_t *json = json_pack("{s:s}", "error", why);

	if (no_ring)
		json_object_set_new(json, "ring", json_false());
	web_put_json(stream, json);
	web_stream_end(stream);
}

static void state_end(struct web_stream *stream, const char *state)
{
	web_put_json(stream, json_pack("{s:s}", "state", state));
	web_stream_end(stream);
}

/* ---- the rate ------------------------------------------------------------------------ */

static void rate_tell(struct web_stream *stream, const char *why)
{
	web_put_json(
	    stream, json_pack("{s:I, s:s}", "rate", (json_int_t)stream->signal.rate, "why", why));
}

static void rate_begin(struct web_stream *stream)
{
	struct web_look *look = &stream->signal;
	const bool pairs =
	    look->is_complex && (look->view == WEB_CONSTELLATION || look->view == WEB_TIME);

	look->values = web_look_values(look);
	look->rate =
	    web_rate_given(stream->target.rate, WEB_FRAME_HEAD + look->values * (pairs ? 2u : 1u));
	stream->rate_most = look->rate;
}

static unsigned signals_count(const struct web *web)
{
	unsigned n = 0;

	for (int i = 0; i < WEB_STREAMS; i++)
		n += web->streams[i].state == WEB_OPEN && web->streams[i].target.kind == WEB_SIGNAL;
	return n;
}

/* What the client did not read in time says that it is too much; and all clients together get
 * WEB_FRAMES_ALL. */
static void rate_watch(struct web_stream *stream)
{
	struct web *web = stream->web;
	const uint32_t before = stream->signal.rate;
	unsigned signals;
	bool slow;

	pthread_mutex_lock(&web->lock);
	slow = stream->n_dropped > stream->seen_dropped;
	stream->seen_dropped = stream->n_dropped;
	signals = signals_count(web);
	pthread_mutex_unlock(&web->lock);
	if (slow)
		stream->rate_most = web_rate_lower(before);
	stream->signal.rate = web_rate_share(stream->rate_most, signals);
	if (stream->signal.rate == before)
		return;
	rate_tell(stream,
	    slow ? "the client reads too slowly, and frames were dropped"
	        : stream->signal.rate < before ? "all clients together get 40 frames a second"
	                                       : "fewer clients look at signals");
}

/* ---- which output it is ------------------------------------------------------------------ */

static void stream_greet(struct web_stream *stream, const char *type)
{
	const struct web_look *look = &stream->signal;
	const double rate = look->rate_hz, line = rate / look->bins;
	json_t *json = json_pack("{s:i, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:f, s:I, s:I, s:i}",
	    "schema", 1, "waveform", stream->target.waveform, "port", stream->target.port, "view",
	    web_view_name(look->view), "type", type, "is_complex", look->is_complex, "items_max",
	    (json_int_t)look->items_max, "slot_ns", (json_int_t)look->slot_ns, "sample_rate_hz",
	    rate, "bins", (json_int_t)look->values, "rate", (json_int_t)look->rate, "head",
	    (int)WEB_FRAME_HEAD);

	if (json && (look->view == WEB_SPECTRUM || look->view == WEB_WATERFALL)) {
		json_object_set_new(json, "db_low", json_integer(WEB_DB_LOW));
		json_object_set_new(json, "db_high", json_integer(WEB_DB_HIGH));
		json_object_set_new(json, "f_low_hz", json_real(look->is_complex ? -rate / 2 : 0));
		json_object_set_new(json, "f_high_hz", json_real(rate / 2 - line));
		json_object_set_new(json, "window", json_string("flat top"));
		json_object_set_new(json, "rbw_hz", json_real(web_look_rbw(look)));
	}
	web_put_json(stream, json);
	stream->greeted = true;
	if (look->rate < stream->target.rate)
		rate_tell(stream, "a client is sent at most 150 kbit/s of a signal");
}

/* False: it cannot be looked at, and the client was told. */
static bool about_take(struct web_stream *stream, const struct wire_view *answer)
{
	json_t *json = statsman_json(answer);
	const json_t *about = json_array_get(json_object_get(json, "outputs"), 0);
	const char *type = report_text(about, "type");
	struct web_look *look = &stream->signal;
	const double slot_ns = fmax(report_number(json, "slot_ns"), 0);
	const char *why;

	*look = (struct web_look){.view = stream->target.view,
	    .bins = stream->target.bins,
	    .item_type = item_type_from_name(type),
	    .item_bytes = (uint32_t)fmax(fmin(report_number(about, "item_bytes"), 64), 0),
	    .items_max = (uint32_t)fmax(fmin(report_number(about, "items_max"), UINT32_MAX), 0),
	    .slot_ns = (uint64_t)fmin(slot_ns, 1e18)};
	look->is_complex = look->item_type == ALOE_CF32 || look->item_type == ALOE_CI16;
	look->rate_hz = slot_ns > 0 ? look->items_max * 1e9 / slot_ns : 0;
	why = web_look_why(look);
	if (!why[0] && report_number(about, "keep") < 1)
		stream_end_with(
		    stream, "this output keeps no messages; POST ring makes it keep some", true);
	else if (why[0])
		stream_end_with(stream, why, false);
	else {
		rate_begin(stream);
		stream_greet(stream, type);
	}
	json_decref(json);
	return stream->greeted;
}

/* ---- frames ------------------------------------------------------------------------ */

static void frame_put(struct web_stream *stream, const uint8_t *frame, long len, uint64_t newest)
{
	char *bytes = malloc((size_t)len);

	if (bytes)
		memcpy(bytes, frame, (size_t)len);
	if (stream->waiting)
		web_put_json(stream, json_pack("{s:s}", "state", "running"));
	stream->waiting = false;
	stream->newest = newest;
	stream->last_ns = clock_ns();
	web_put(stream, bytes, (size_t)len, true);
}

static void none_came(struct web_stream *stream)
{
	if (stream->waiting || clock_ns() - stream->last_ns < WAITING_S * SECOND_NS)
		return;
	stream->waiting = true;
	web_put_json(
	    stream, json_pack("{s:s, s:s}", "state", "waiting", "why", "no message came for 2 s"));
}

/* False: it has ended. */
static bool frames_take(struct web_stream *stream, const struct wire_view *answer)
{
	uint8_t frame[WEB_FRAME_MAX];
	const void *bytes = NULL;
	uint64_t newest = 0;
	char *state = wire_get_text(answer, WIRE_TAG_STATE, 0);
	const bool ended = state && strcmp(state, "ended") == 0;
	size_t len = 0;
	long got;

	free(state);
	wire_get_bytes(answer, WIRE_TAG_BYTES, 0, &bytes, &len);
	got = web_look_frame(&stream->signal, bytes, len, &newest, frame);
	/* a node that is no part of a platform numbers no loads */
	if (got > 0 && stream->newest != UINT64_MAX && newest < stream->newest) {
		state_end(stream, "reloaded");
		return false;
	}
	if (got > 0 && newest != stream->newest)
		frame_put(stream, frame, got, newest);
	else if (!ended)
		none_came(stream);
	if (ended)
		state_end(stream, "ended");
	return !ended;
}

static bool is_same_load(struct web_stream *stream, const struct wire_view *answer)
{
	uint64_t load_id = 0;

	wire_get_u64(answer, WIRE_TAG_LOAD_ID, &load_id);
	if (stream->load_id == 0)
		stream->load_id = load_id;
	return stream->load_id == load_id;
}

static void stream_refuse(struct web_stream *stream, const struct wire_view *answer)
{
	char *why = wire_get_text(answer, WIRE_TAG_TEXT, 0);

	stream_end_with(stream, why ? why : "the node gives no reason", false);
	free(why);
}

/* True: there is to be a next question. */
static bool answer_take(struct web_stream *stream, const struct wire_view *answer)
{
	uint64_t again;

	if (!answer || wire_get_u64(answer, WIRE_TAG_AGAIN, &again) == 0) {
		none_came(stream); /* a daemon is being started again */
		return true;
	}
	if (answer->type != WIRE_OK) {
		stream_refuse(stream, answer);
		return false;
	}
	if (!is_same_load(stream, answer)) {
		state_end(stream, "reloaded"); /* who looks may ask again */
		return false;
	}
	if (!stream->greeted && !about_take(stream, answer))
		return false;
	rate_watch(stream);
	return frames_take(stream, answer);
}

/* At multiples of the time between two questions, so that streams of one rate ask together: waking
 * up costs more than a frame does. */
static void tap_again(struct statsman *statsman, struct web_stream *stream)
{
	const uint64_t each = SECOND_NS / (stream->signal.rate > 0 ? stream->signal.rate : 1),
	               due = (stream->asked_ns / each + 1) * each, now = clock_ns();

	loop_timer_start(
	    &statsman->daemon.loop, &stream->timer, now < due ? due - now : 1, tap_ask, stream);
}

static void tap_known(
    struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer)
{
	struct web_stream *stream = ask->of;

	if (ask->at == stream->life && answer_take(stream, answer))
		tap_again(statsman, stream);
}

static void tap_ask(void *self)
{
	struct web_stream *stream = self;
	struct statsman *statsman = stream->statsman;
	struct wire_msg msg;

	if (!statsman->daemon.greeted) {
		loop_timer_start(
		    &statsman->daemon.loop, &stream->timer, SECOND_NS, tap_ask, stream);
		return;
	}
	stream->asked_ns = clock_ns();
	statsman_msg(WIRE_TAP, web_values(statsman), stream->target.waveform, NULL, &msg);
	wire_put_text(&msg, WIRE_TAG_NAME, stream->target.port);
	wire_put_u64(
	    &msg, WIRE_TAG_SLOTS, stream->greeted ? web_look_messages(&stream->signal) : 1);
	if (stream->greeted)
		wire_put_u64(&msg, WIRE_TAG_PART,
		    web_look_samples(&stream->signal) * stream->signal.item_bytes);
	statsman_ask(statsman, &msg, tap_known, stream, stream->life);
}

void web_tap_begin(struct statsman *statsman, struct web_stream *stream)
{
	(void)statsman;
	stream->signal =
	    (struct web_look){.bins = stream->target.bins, .view = stream->target.view};
	stream->newest = UINT64_MAX;
	stream->last_ns = clock_ns();
	tap_ask(stream);
}
