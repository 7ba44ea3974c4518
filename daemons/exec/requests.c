/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "daemons/exec/change.h"
#include "daemons/exec/clock.h"
#include "daemons/exec/flight.h"
#include "daemons/exec/lease.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/peers.h"
#include "daemons/exec/prepare.h"
#include "daemons/exec/remap.h"
#include "daemons/exec/report.h"
#include "daemons/exec/restore.h"
#include "daemons/exec/set.h"

/* A LOAD whose answer nobody hears has not been: whoever asked asks again. Other changes take their
 * course. */
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
	wave->unloading = true; /* the next look frees it */
}

void exec_lost(void *self)
{
	struct exec *exec = self;

	lease_forget(exec);
	exec_forget(exec); /* half of what an earlier exec had is of no use */
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		wave_lost(wave);
	exec_look_within(exec, EXEC_LOOK_NS);
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

/* Events of all segments since the cursor: it counts events over all segments in turn, so it holds
 * one position for each, packed by the client as it came. Simplest honest form: the cursor is a
 * time, events that began later follow. */
static void samples_send(struct exec_wave *wave, const struct wire_view *request)
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

/* STATE "started": only the report of a run is wanted. That of a large waveform takes as long as to
 * unload the waveform. */
static bool report_wanted(const struct exec_wave *wave, const struct wire_view *request)
{
	const void *state;
	size_t len;

	return wave->started || wire_get_bytes(request, WIRE_TAG_STATE, 0, &state, &len) != 0;
}

static void status_send(struct exec_wave *wave, const struct wire_view *request)
{
	const bool over = wave->drained || wave->state == WAVE_ABNSTOP;

	if (!report_wanted(wave, request)) {
		exec_ok(wave->exec, request, WIRE_TAG_SLOT, 0);
		return;
	}
	if (over && wave->started)
		node_settle(wave->exec);
	send_json(wave->exec, request, over ? "ended" : NULL, wave_report(wave));
}

static const struct {
	enum wire_type type;
	void (*handle)(struct exec_wave *wave, const struct wire_view *request);
} requests[] = {
    {WIRE_START, wave_start},
    {WIRE_PAUSE, wave_pause},
    {WIRE_STEP, wave_step},
    {WIRE_STOP, wave_stop},
    {WIRE_UNLOAD, wave_unload},
    {WIRE_STATUS, status_send},
    {WIRE_SAMPLES, samples_send},
    {WIRE_MISSES, misses_send},
    {WIRE_TRACE, flight_trace},
    {WIRE_SET, wave_set},
    {WIRE_REMAP, wave_remap},
    {WIRE_RING, wave_ring},
    {WIRE_UPGRADE, wave_upgrade},
    {WIRE_GO_ON, wave_go_on},
};

void exec_request(void *self, const struct wire_view *request)
{
	struct exec *exec = self;
	char *name;

	if (request->type == WIRE_OK || request->type == WIRE_FAIL || request->type == WIRE_DAEMON)
		return;
	if (request->type == WIRE_LEASE) {
		lease_word(exec, request);
		return;
	}
	if (request->type == WIRE_OFFSETS) {
		if (request->source == WIRE_BRIDGE)
			clock_offsets(exec, request);
		return;
	}
	if (request->type == WIRE_COUNTS) {
		if (request->source == WIRE_BRIDGE)
			peers_take(exec, request);
		return;
	}
	if (request->type == WIRE_PREPARE) {
		exec_prepare(exec, request);
		exec_look_within(exec, EXEC_LOOK_NS);
		return;
	}
	if (request->type == WIRE_LIST) {
		name = wire_get_text(request, WIRE_TAG_LANES, 0);
		send_json(exec, request, NULL, exec_list(exec, name != NULL));
		free(name);
		return;
	}
	name = wire_get_text(request, WIRE_TAG_WAVEFORM, 0);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		struct exec_wave *wave;

		if (requests[i].type != request->type)
			continue;
		wave = name != NULL ? exec_find(exec, name, strlen(name)) : NULL;
		if (wave != NULL &&
		    (request->type == WIRE_STOP || request->type == WIRE_PAUSE ||
		        request->type == WIRE_UNLOAD))
			remap_give_up(wave, "the waveform was paused or stopped");
		if (wave != NULL)
			requests[i].handle(wave, request);
		if (wave != NULL && request->type != WIRE_STATUS && request->type != WIRE_SAMPLES &&
		    request->type != WIRE_MISSES && request->type != WIRE_TRACE)
			exec_look_within(exec, EXEC_LOOK_NS);
		if (wave == NULL)
			exec_fail(exec, request, 2, "no waveform \"%s\" is loaded",
			    name != NULL ? name : "");
		free(name);
		return;
	}
	free(name);
	exec_fail(exec, request, 2, "aloe-exec does not know the message %s",
	    wire_type_name(request->type));
}
