/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/bridge/offsets.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/image/align.h"

static bool follows(const struct offsets *offsets)
{
	const struct machines *machines = offsets->machines;

	return machines->model->nodes[machines->self].network;
}

/* ---- asking and answering ---- */

static void ask(struct offsets *offsets, uint32_t node)
{
	uint8_t bytes[OFFSET_BYTES];

	offset_ask_put(bytes, clock_ns());
	links_send(offsets->links, node, bytes, sizeof(bytes));
}

static void answer(struct offsets *offsets, uint32_t node, const uint8_t *asked, uint64_t took)
{
	/* 0: the time that all nodes share is not known yet */
	const uint64_t epoch = offsets->node != NULL ? atomic_load(&offsets->node->epoch_ns) : 0;
	uint8_t bytes[OFFSET_BYTES];

	if (epoch == 0)
		return;
	offset_answer_put(bytes, asked, took + epoch, clock_ns() + epoch);
	links_send(offsets->links, node, bytes, sizeof(bytes));
	links_flush(offsets->links); /* what waits here would count as the way */
}

/* ---- telling exec ---- */

static void tell(struct offsets *offsets, uint64_t now)
{
	const struct machines *machines = offsets->machines;
	struct wire_msg msg;

	offsets->told_ns = now;
	if (!offsets->daemon->greeted)
		return;
	wire_init(&msg, WIRE_OFFSETS, WIRE_BRIDGE, WIRE_EXEC, bus_seq(offsets->daemon->bus));
	if (follows(offsets))
		wire_put_text(&msg, WIRE_TAG_STATE, machines_name(machines, machines->manager));
	for (uint32_t n = 0; n < machines->model->n_nodes; n++) {
		struct offset_is is;
		struct align_offset told;

		if (n == machines->self || !offset_best(&offsets->one[n], now, &is))
			continue;
		told = (struct align_offset){is.epoch_ns, is.within_ns, now};
		wire_put_text(&msg, WIRE_TAG_NAME, machines_name(machines, n));
		wire_put_bytes(&msg, WIRE_TAG_BYTES, &told, sizeof(told));
	}
	bus_send(offsets->daemon->bus, &msg);
}

/* What is new is told at once: a clock that was not known before, or that was set. */
static void answer_take(struct offsets *offsets, uint32_t node, const void *bytes, uint64_t now)
{
	struct offset *one = &offsets->one[node];
	const uint64_t first = one->first;
	struct offset_times times;

	offset_answer_get(bytes, &times);
	times.heard = now;
	if (times.asked <= now)
		delays_add(&offsets->delays[node], now - times.asked, now);
	if (offset_add(one, &times) == 0 && (one->n == 1 || one->first != first))
		tell(offsets, now);
}

bool offsets_take(struct offsets *offsets, uint32_t node, const void *bytes, size_t len)
{
	const uint64_t now = clock_ns();
	const int kind = offset_kind(bytes, len);

	if (kind == OFFSET_ASK)
		answer(offsets, node, bytes, now);
	if (kind == OFFSET_ANSWER)
		answer_take(offsets, node, bytes, now);
	return kind != OFFSET_NONE;
}

uint64_t offsets_one_way(const struct offsets *offsets, uint32_t node)
{
	return delays_one_way(&offsets->delays[node], clock_ns());
}

static void ask_all(void *self)
{
	struct offsets *offsets = self;
	const uint64_t now = clock_ns(),
	               tell_ms = follows(offsets) ? OFFSETS_ASK_MS : OFFSETS_TELL_MS,
	               ask_ms = offsets->rounds++ < OFFSETS_SOON ? OFFSETS_SOON_MS : OFFSETS_ASK_MS;

	if (now - offsets->told_ns >= tell_ms * 1000000ull)
		tell(offsets, now);
	for (uint32_t n = 0; n < offsets->machines->model->n_nodes; n++)
		if (n != offsets->machines->self)
			ask(offsets, n);
	links_flush(offsets->links);
	loop_timer_start(
	    &offsets->daemon->loop, &offsets->round, ask_ms * 1000000ull, ask_all, offsets);
}

/* ---- life ---- */

int offsets_open(struct offsets *offsets, const struct machines *machines, struct daemon *daemon,
    struct bridge_links *links)
{
	*offsets = (struct offsets){.machines = machines, .daemon = daemon, .links = links};
	offsets->one = calloc(machines->model->n_nodes, sizeof(*offsets->one));
	offsets->delays = calloc(machines->model->n_nodes, sizeof(*offsets->delays));
	if (offsets->one == NULL || offsets->delays == NULL)
		return -ENOMEM;
	ask_all(offsets);
	return 0;
}

void offsets_close(struct offsets *offsets)
{
	if (offsets->daemon != NULL)
		loop_timer_stop(&offsets->daemon->loop, &offsets->round);
	free(offsets->one);
	free(offsets->delays);
	offsets->one = NULL;
	offsets->delays = NULL;
}
