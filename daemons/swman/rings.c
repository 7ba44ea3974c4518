/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rings.c - how deep the rings of a program are, and which share their memory.
 *
 * A message that is written and read in one step of one segment needs its place no longer than from
 * its writer to its last reader, and one place is enough. The next writer with a buffer alike takes
 * the place over, which thus stays in the core's cache: a chain of any length works in two places,
 * and so do copies that run one after another. Where instances are in r places, in r segments, each
 * segment has a place of its own at k % r in a ring of r, if r is a power of two. */
#include "daemons/swman/rings.h"

#include <stdlib.h>

enum { AHEAD = 16, AHEAD_BYTES = 256 * 1024 };

/* The buffers of an instance lie together in the plan. All places of an instance write those of
 * the first. */
uint32_t rings_buffer(const struct build *b, int row, int port)
{
	const int instance = waveform_named(b->wf, row);

	for (uint32_t i = b->index.buffer[instance];
	     i < b->plan->n_buffers && (int)b->plan->buffers[i].instance == instance; i++)
		if ((int)b->plan->buffers[i].port == port)
			return i;
	return IMAGE_NONE;
}

/* Without a clock a segment may go ahead of its neighbours, so that what holds up one does not hold
 * up the other at once: as many messages as lie in a core's cache beside others. */
uint32_t rings_depth(const struct build *b, uint32_t i)
{
	const struct plan_buffer *buffer = &b->plan->buffers[i];
	const uint64_t bytes = (uint64_t)buffer->max * aloe_item_bytes(buffer->type);
	uint32_t depth = buffer->depth;

	while (
	    b->wf->clock == WF_CLOCK_VIRTUAL && depth < AHEAD && 2 * depth * bytes <= AHEAD_BYTES)
		depth *= 2;
	return depth;
}

/* How many messages the ring of a buffer keeps for taps; 0: no tap. */
static uint32_t tap_of(const struct build *b, uint32_t i)
{
	const struct plan_buffer *buffer = &b->plan->buffers[i];
	const uint32_t tap = b->wf->instances[buffer->instance].out[buffer->port].tap;

	return tap == WF_TAP_USUAL ? image_tap_keep(b->wf->slot_ns) : tap;
}

/* In how many places the writer of a buffer is. */
static uint32_t writers_of(const struct build *b, uint32_t i)
{
	return waveform_places(&b->wf->instances[b->plan->buffers[i].instance]);
}

/* All readers run behind the writer in the same step, in its segment, and no tap reads later. */
static bool *used_at_once(const struct build *b)
{
	bool *at_once = calloc(b->plan->n_buffers + 1, sizeof(*at_once));

	for (uint32_t i = 0; at_once != NULL && i < b->plan->n_buffers; i++)
		at_once[i] = tap_of(b, i) == 0 && (writers_of(b, i) & (writers_of(b, i) - 1)) == 0;
	for (size_t l = 0; at_once != NULL && l < b->wf->n_links; l++) {
		const struct wf_link *link = &b->wf->links[l];
		const struct plan_instance *places = b->plan->instances;

		if (link->delay > 0 || b->plan->links[l].distance > 0 ||
		    places[link->from].segment != places[link->to].segment)
			at_once[rings_buffer(b, link->from, link->from_port)] = false;
	}
	return at_once;
}

struct places {
	uint32_t *last;    /* by buffer: where in their segments' order its last readers run */
	uint32_t *of;      /* by buffer: its place */
	uint32_t *holder;  /* by place: the buffer that has it now */
	uint32_t *first;   /* by place: the buffer of the lowest number that has had it */
	uint32_t n, begin; /* begin: the first place of this segment */
};

/* Where in its segment's order the instance is called first, and last: those side by side are
 * called together, so that none may write where another one reads. */
static uint32_t called_from(const struct build *b, uint32_t i)
{
	const struct plan_instance *row = &b->plan->instances[i];

	return row->side > 0 ? row->order - (row->side - 1) : row->order;
}

static uint32_t called_to(const struct build *b, uint32_t i)
{
	const struct plan_segment *segment = &b->plan->segments[b->plan->instances[i].segment];
	uint32_t order = b->plan->instances[i].order;

	for (; b->plan->instances[i].side > 0 && order + 1 < segment->n_instances; order++)
		if (b->plan->instances[segment->instances[order + 1]].side <= 1)
			break;
	return order;
}

static bool places_init(struct places *places, const struct build *b)
{
	const size_t n = b->plan->n_buffers + 1;
	uint32_t *all = calloc(4 * n, sizeof(*all));

	if (all == NULL)
		return false;
	*places = (struct places){
	    .last = all, .of = all + n, .holder = all + 2 * n, .first = all + 3 * n};
	for (size_t l = 0; l < b->wf->n_links; l++) {
		const struct wf_link *link = &b->wf->links[l];
		uint32_t *last = &places->last[rings_buffer(b, link->from, link->from_port)];
		const uint32_t order = called_to(b, (uint32_t)link->to);

		*last = order > *last ? order : *last;
	}
	return true;
}

/* Whether the writer of `mine` runs behind the last reader of `theirs`, in all their segments. */
static bool runs_behind(
    const struct build *b, const struct places *places, uint32_t theirs, uint32_t mine)
{
	const int writer = (int)b->plan->buffers[mine].instance,
	          other = (int)b->plan->buffers[theirs].instance;

	for (uint32_t j = 0; j < writers_of(b, mine); j++) {
		const uint32_t row = (uint32_t)waveform_place(b->wf->instances, writer, j),
		               with = (uint32_t)waveform_place(b->wf->instances, other, j);

		if (b->plan->instances[row].segment != b->plan->instances[with].segment ||
		    places->last[theirs] >= called_from(b, row))
			return false;
	}
	return true;
}

/* A place whose last reader runs before this writer, the same for all copies of an instance; a new
 * one where there is none. So what an instance reads and what it writes are never in one place. */
static uint32_t place_for(const struct build *b, struct places *places, uint32_t buffer)
{
	const struct plan_buffer *mine = &b->plan->buffers[buffer];
	uint32_t p;

	for (p = places->begin; p < places->n; p++) {
		const struct plan_buffer *theirs = &b->plan->buffers[places->holder[p]];

		if (theirs->type == mine->type && theirs->max == mine->max &&
		    theirs->depth == mine->depth &&
		    runs_behind(b, places, places->holder[p], buffer))
			break;
	}
	if (p == places->n)
		places->first[places->n++] = buffer;
	else if (buffer < places->first[p])
		places->first[p] = buffer;
	places->holder[p] = buffer;
	return p;
}

static void buffers_share(struct build *b)
{
	struct image_buffer *rows = (void *)b->buffers.bytes;
	bool *at_once = used_at_once(b);
	struct places places = {0};

	b->failed |= at_once == NULL || !places_init(&places, b);
	for (size_t s = 0; !b->failed && s < b->plan->n_segments; s++) {
		const struct plan_segment *segment = &b->plan->segments[s];

		places.begin = places.n;
		for (size_t i = 0; i < segment->n_instances; i++)
			for (uint32_t k = b->index.buffer[segment->instances[i]];
			     k < b->plan->n_buffers &&
			     b->plan->buffers[k].instance == segment->instances[i];
			     k++)
				if (at_once[k])
					places.of[k] = place_for(b, &places, k);
	}
	for (uint32_t i = 0; !b->failed && i < b->plan->n_buffers; i++) {
		if (!at_once[i])
			continue;
		rows[i].depth = writers_of(b, i);
		if (places.first[places.of[i]] != i)
			rows[i].shares = places.first[places.of[i]] + 1;
	}
	free(at_once);
	free(places.last);
}

void rings_add(struct build *b)
{
	for (uint32_t i = 0; i < b->plan->n_buffers; i++) {
		const struct plan_buffer *buffer = &b->plan->buffers[i];
		struct image_buffer row = {.instance = buffer->instance,
		    .port = buffer->port,
		    .type = buffer->type,
		    .max = buffer->max,
		    .depth = rings_depth(b, i),
		    .tap = tap_of(b, i)};

		if (row.tap > 0 && image_tap_depth(row.tap) > row.depth)
			row.depth = image_tap_depth(row.tap);
		rows_add(b, &b->buffers, &row, 1);
	}
	buffers_share(b);
}
