/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "daemons/exec/exec.h"

const char *const wave_state_names[] = {
    "LOADED", "INIT", "RUN", "PAUSE", "STEP", "STOP", "ABNSTOP"};

struct exec_wave *exec_find(struct exec *exec, const char *name, size_t len)
{
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		if (strlen(wave->name) == len && memcmp(wave->name, name, len) == 0)
			return wave;
	return NULL;
}

struct node_control *wave_control(const struct exec_wave *wave)
{
	return &wave->exec->node->control[wave->control];
}

void exec_ok(struct exec *exec, const struct wire_view *request, enum wire_tag tag, uint64_t value)
{
	struct wire_msg msg;

	bus_reply(exec->daemon.bus, request, WIRE_OK, &msg);
	wire_put_u64(&msg, tag, value);
	bus_send(exec->daemon.bus, &msg);
}

void exec_fail(
    struct exec *exec, const struct wire_view *request, int code, const char *format, ...)
{
	struct wire_msg msg;
	char text[HOSTLINK_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	bus_reply(exec->daemon.bus, request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, (uint64_t)code);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	bus_send(exec->daemon.bus, &msg);
}

void wave_later(struct exec_pending *pending, const struct wire_view *request, uint64_t timeout_ns)
{
	free(pending->bytes);
	pending->bytes = malloc(request->len);
	pending->len = request->len;
	pending->until_ns = clock_ns() + timeout_ns;
	pending->nobodys = false;
	if (pending->bytes != NULL)
		memcpy(pending->bytes, request->bytes, request->len);
}

bool wave_busy(const struct exec_pending *pending)
{
	return pending->bytes != NULL && !pending->nobodys;
}

/* A LOAD whose answer nobody hears has not been: whoever asked asks again. Other changes take their course. */
static void wave_lost(struct exec_wave *wave)
{
	struct wire_view request;

	wave->pending.nobodys = wave->set_pending.nobodys = true;
	if (wave->pending.bytes == NULL ||
	    wire_decode(wave->pending.bytes, wave->pending.len, &request) != 0 ||
	    request.type != WIRE_PREPARE)
		return;
	free(wave->pending.bytes);
	wave->pending.bytes = NULL;
	wave->unloading = true; /* the tick frees it */
}

void exec_lost(void *self)
{
	struct exec *exec = self;

	exec_forget(exec); /* half of what an earlier exec had is of no use */
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		wave_lost(wave);
}

void wave_answer(struct exec_wave *wave, struct exec_pending *pending, enum wire_tag tag,
    uint64_t value, int code, const char *why)
{
	struct wire_view request;
	struct wire_msg msg;
	uint8_t *bytes = pending->bytes;

	pending->bytes = NULL;
	if (bytes != NULL && wire_decode(bytes, pending->len, &request) == 0) {
		if (why != NULL) {
			exec_fail(wave->exec, &request, code, "%s", why);
		} else {
			bus_reply(wave->exec->daemon.bus, &request, WIRE_OK, &msg);
			wire_put_u64(&msg, tag, value);
			if (request.type == WIRE_PREPARE)
				wire_put_text(&msg, WIRE_TAG_TEXT, wave->notes);
			bus_send(wave->exec->daemon.bus, &msg);
		}
	}
	free(bytes);
}

void wave_set_state(struct exec_wave *wave, enum wave_state state)
{
	struct wire_msg msg;

	if (wave->state == state)
		return;
	wave->state = state;
	wave_control(wave)->state = (uint32_t)state;
	wire_init(&msg, WIRE_EVENT, WIRE_EXEC, WIRE_SWMAN, bus_seq(wave->exec->daemon.bus));
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, wave->name);
	wire_put_text(&msg, WIRE_TAG_STATE, wave_state_names[state]);
	wire_put_text(&msg, WIRE_TAG_TEXT, wave->reason);
	bus_send(wave->exec->daemon.bus, &msg);
}

/* state: NULL where there is none to tell. */
static void send_json(
    struct exec *exec, const struct wire_view *request, const char *state, char *json)
{
	struct wire_msg msg;

	if (json == NULL) {
		exec_fail(exec, request, 1, "aloe-exec has no memory for its answer");
		return;
	}
	bus_reply(exec->daemon.bus, request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_JSON, json);
	if (state)
		wire_put_text(&msg, WIRE_TAG_STATE, state);
	bus_send(exec->daemon.bus, &msg);
	free(json);
}

/* Events of all segments since the cursor: it counts events over all segments in turn, so it holds one position for
 * each, packed by the client as it came. Simplest honest form: the cursor is a time, events that began later follow. */
static void samples(struct exec_wave *wave, const struct wire_view *request)
{
	struct wire_msg msg;
	uint64_t cursor = 0, newest, lost = 0;
	enum { MOST = 200000 };
	size_t n = 0;
	struct image_event *events = malloc(MOST * sizeof(*events));

	wire_get_u64(request, WIRE_TAG_CURSOR, &cursor);
	newest = cursor;
	for (uint32_t s = 0; events != NULL && s < wave->view.head->segments.count; s++) {
		const struct image_event *ring = image_events(&wave->view, s);
		const uint64_t size = wave->view.segments[s].n_events;
		const uint64_t written = atomic_load(&image_segment_state(&wave->view, s)->events);
		uint64_t from = written > size - size / 8 ? written - (size - size / 8) : 0;

		lost += cursor != 0 && from > 0 && ring[from % size].start_ns > cursor;
		for (; from < written && n < MOST; from++) {
			events[n] = ring[from % size];
			if (events[n].start_ns <= cursor ||
			    events[n].instance >= wave->view.head->instances.count)
				continue;
			newest = events[n].start_ns > newest ? events[n].start_ns : newest;
			n++;
		}
	}
	bus_reply(wave->exec->daemon.bus, request, WIRE_OK, &msg);
	wire_put_u64(&msg, WIRE_TAG_CURSOR, newest);
	wire_put_u64(&msg, WIRE_TAG_LOST, lost);
	wire_put_bytes(&msg, WIRE_TAG_BYTES, events, n * sizeof(*events));
	bus_send(wave->exec->daemon.bus, &msg);
	free(events);
}

static void status(struct exec_wave *wave, const struct wire_view *request)
{
	const bool over = wave->drained || wave->state == WAVE_ABNSTOP;

	send_json(wave->exec, request, over ? "ended" : NULL, wave_report(wave));
}

void exec_request(void *self, const struct wire_view *request)
{
	static const struct {
		enum wire_type type;
		void (*handle)(struct exec_wave *wave, const struct wire_view *request);
	} table[] = {
	    {WIRE_START, wave_start},
	    {WIRE_PAUSE, wave_pause},
	    {WIRE_STEP, wave_step},
	    {WIRE_STOP, wave_stop},
	    {WIRE_UNLOAD, wave_unload},
	    {WIRE_STATUS, status},
	    {WIRE_SAMPLES, samples},
	    {WIRE_SET, wave_set},
	    {WIRE_REMAP, wave_remap},
	};
	struct exec *exec = self;
	char *name;

	if (request->type == WIRE_OK || request->type == WIRE_FAIL || request->type == WIRE_DAEMON)
		return;
	if (request->type == WIRE_PREPARE) {
		exec_prepare(exec, request);
		return;
	}
	if (request->type == WIRE_LIST) {
		send_json(exec, request, NULL, exec_list(exec));
		return;
	}
	name = wire_get_text(request, WIRE_TAG_WAVEFORM, 0);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct exec_wave *wave;

		if (table[i].type != request->type)
			continue;
		wave = name != NULL ? exec_find(exec, name, strlen(name)) : NULL;
		if (wave != NULL)
			table[i].handle(wave, request);
		else
			exec_fail(exec, request, 2, "no waveform \"%s\" is loaded",
			    name != NULL ? name : "");
		free(name);
		return;
	}
	free(name);
	exec_fail(exec, request, 2, "aloe-exec does not know %s", wire_type_name(request->type));
}
