/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bridge/parts.h - what the files of a bridge share: its peers, and the ways of steps to and
 * from them.
 */
#ifndef ALOE_BRIDGE_PARTS_H
#define ALOE_BRIDGE_PARTS_H

#include "core/bridge/bridge.h"
#include "core/bridge/frame.h"

/* A buffer that a segment writes and the other node reads. */
struct way_route {
	uint32_t buffer, item_bytes, lag, max, mask;
	/* the message of the step that is being sent */
	uint32_t state, items;
	uint64_t bytes;
	bool there;
};

/* A segment of this node, of which the peer is told. */
struct way_out {
	uint32_t segment, n_routes;
	struct way_route *routes;
	struct image_segment_state *state;
	uint64_t done; /* in this round */
	bool ended;
	bool known;                    /* the peer has said what it has */
	uint64_t has, whole;           /* by the peer: see frame.h */
	uint64_t has_heard;            /* the newest frame that it had heard when it said so */
	uint64_t has_boot, has_number; /* of the frame that said so */
	uint64_t sent;                 /* the first step that was never sent */
	uint64_t *number; /* [BRIDGE_WINDOW]: the last frame that had some of the step */
	uint64_t *words;  /* parts of step `has` that the peer has */
	uint32_t n_words;
};

/* A message of a step that comes in. */
struct message_in {
	uint64_t got; /* bytes */
	uint32_t items;
	uint16_t state;
	bool begun, broken;
};

/* A step that comes in. */
struct step_in {
	uint64_t tag; /* step + 1; 0: none */
	uint64_t slot, start_ns;
	uint32_t parts, n;
	uint64_t *words;             /* parts that are there */
	struct message_in *messages; /* by route */
};

/* A segment of the peer. */
struct way_in {
	uint32_t segment, n_routes;
	struct way_route *routes;
	struct image_segment_state *state;
	uint32_t n_words;
	struct step_in *steps; /* [BRIDGE_WINDOW], by step modulo that; NULL without routes */
};

/* Where a round stands. */
struct round {
	bool begun; /* a frame of it has been written */
	uint32_t stands, has, way;
	uint64_t step;          /* of the way; UINT64_MAX: its first */
	bool in_step;           /* then: */
	struct frame_step part; /* the next one */
	uint32_t route;         /* that it begins with, and at which byte */
	uint64_t byte;
	bool again; /* the step was sent before */
};

struct peer {
	uint16_t node;
	uint32_t frame_bytes;
	uint64_t boot, heard; /* of the newest frame that came */
	uint64_t number;      /* of the newest frame sent */
	bool owed;            /* a step has come: the peer waits to hear of it */
	struct way_out *out;
	struct way_in *in;
	uint32_t n_out, n_in;
	uint32_t *out_of, *in_of; /* by segment: which of them; IMAGE_NONE: none */
	struct round round;
	struct bridge_counts counts;
};

struct bridge {
	struct image_view view;
	const struct node_control *control;
	uint64_t load_id, boot, epoch_ns;
	uint16_t node;
	bool skip;
	struct peer *peers;
	uint32_t n_peers;
	uint16_t *node_of; /* by segment */
};

static inline uint64_t bridge_relaxed(const _Atomic uint64_t *number)
{
	return atomic_load_explicit(number, memory_order_relaxed);
}

/* Steps are repeated until the peer has them. */
static inline bool bridge_repeats(const struct bridge *bridge, uint32_t n_routes)
{
	return !bridge->skip && n_routes > 0;
}

/* The slot that steps are counted from; 0 where no clock is. */
static inline uint64_t bridge_base(const struct bridge *bridge)
{
	const uint64_t base = atomic_load_explicit(&bridge->control->base, memory_order_acquire);

	return base != IMAGE_FOREVER ? base : 0;
}

/* The last index: of a source that has ended, or by order (STOP), which only this node was given.
 * */
static inline uint64_t bridge_last(const struct bridge *bridge)
{
	const uint64_t run = bridge_relaxed(&image_run(&bridge->view)->last),
	               order = bridge_relaxed(&bridge->control->last);

	return run < order ? run : order;
}

static inline struct image_message *bridge_message(
    const struct bridge *bridge, const struct way_route *route, uint64_t index)
{
	return &image_messages(&bridge->view, route->buffer)[index & route->mask];
}

static inline uint8_t *bridge_items(
    const struct bridge *bridge, const struct way_route *route, uint64_t index)
{
	return image_data(&bridge->view, route->buffer) +
	    (index & route->mask) * bridge->view.buffers[route->buffer].stride;
}

#endif
