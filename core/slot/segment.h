/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/segment.h - the part of a lane that one host runs: its instances, one after another,
 * one step per slot.
 *
 * A segment counts steps; in step s an instance with lag r works on index k = s - r, if 0 <= k <=
 * last + its run-on (0 for a source), so that the last message goes through (core/map/tails.h). Two
 * segments of a waveform meet only through `done`, the number of steps completed: segment v may run
 * step s when done[u] >= s + offset for each of its gates. For a link u -> v of distance d in a
 * ring of `depth` messages these are
 *
 *     v waits for u:  offset = 1 - d           the message is complete
 *     u waits for v:  offset = 1 + d - depth   the buffer is free
 *
 * Under `virtual` and `slip` nothing else decides; under `skip` the step follows the slot and
 * stamps tell what is missing.
 */
#ifndef ALOE_SLOT_SEGMENT_H
#define ALOE_SLOT_SEGMENT_H

#include "core/base/clock_fast.h"
#include "core/image/image.h"
#include "core/image/node.h"
#include "core/slot/instance.h"
#include "core/slot/tell.h"

enum segment_status {
	SEGMENT_RAN,
	/* a gate is closed or a record is missing: slipped, where the step was due */
	SEGMENT_WAITS,
	SEGMENT_PAUSED,  /* at its limit, or not started yet */
	SEGMENT_ENDED,   /* every instance has run its last index */
	SEGMENT_STOPPED, /* a fault somewhere in the waveform */
};

struct segment_gate {
	const _Atomic uint64_t *done;
	struct image_segment_state *state;
	int64_t offset;
};

/* A value whose cell lies in the cold; gone to when the step is over, so that the next instance's
 * time is its own. */
struct segment_visit {
	struct hist_head *head;
	struct hist_cells *cells;
	uint32_t cell;
};

enum { SEGMENT_VISITS = 32 };

struct segment {
	struct clock_fast clock;     /* of what happens within a step */
	struct instance **instances; /* in order of execution */
	uint32_t n_instances;
	struct segment_gate *gates;
	uint32_t n_gates;
	struct instance **io; /* those of them that have records to wait for */
	uint32_t n_io;
	struct image_segment_state *state;
	struct image_run *run;
	const struct node_control *control;
	struct image_lane_state *lane;
	bool last_of_lane, shares_lane;
	bool alone; /* no other waits for it */
	struct image_event *events;
	uint32_t n_events, event; /* so many; where the next comes */
	uint64_t slot_ns;
	uint64_t end; /* its last step is so many beyond the last index */
	const struct image_hold *holds;
	uint64_t n_holds;
	uint64_t work_ns;          /* of this step, if it is sampled */
	bool skip;                 /* late = "skip" */
	bool counts_misses;        /* a slot has an end: not under virtual */
	uint64_t last_slot;        /* the slot last seen; IMAGE_FOREVER */
	uint64_t late_ns, load_ns; /* last counted */
	uint64_t changes_seen;
	struct teller teller;
	uint32_t n_visits, n_pending;
	struct segment_visit visits[SEGMENT_VISITS]; /* behind what every slot looks at */
	struct node_change pending[NODE_CHANGES];    /* exec never has more on their way */
};

/* segment_init binds segment `number` of the view to `instances` (by number in the image, opened).
 * 0 or -ENOMEM. */
int segment_init(struct segment *segment, const struct image_view *view, uint32_t number,
    struct instance *instances, const struct node_control *control);
void segment_fini(struct segment *segment);

/* segment_follow gives a new segment the changes that wait, in a segment that stands, for instances
 * that are its now; `written`: so many were published, and all of these are known to it then. Once
 * for each segment of before. [control] */
void segment_follow(struct segment *segment, struct segment *before, uint64_t written);

/* segment_ready tells whether step done + 0 may run now; *ret_gate is the gate that is closed, NULL
 * if it is a record. */
enum segment_status segment_ready(
    const struct segment *segment, const struct segment_gate **ret_gate);

/* segment_step runs the next step, which began at start_ns in `slot`: the time at which it ended.
 * [slot] */
uint64_t segment_step(struct segment *segment, uint64_t slot, uint64_t start_ns);

/* segment_slot is what a lane does with it in slot `slot` that began at edge_ns: runs the step that
 * is due, or counts why not. *now_ns is read and advanced. [slot] */
enum segment_status segment_slot(
    struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t *now_ns);

/* segment_run_virtual runs steps as fast as the gates open, until the end, a fault, or *quit.
 * Sleeps between. */
void segment_run_virtual(struct segment *segment, const _Atomic uint32_t *quit);

#endif
