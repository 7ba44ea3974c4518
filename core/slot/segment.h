/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/segment.h - the part of a lane that one host runs: instances that run one after
 * another, one step per slot.
 *
 * A segment counts steps. In step s an instance with lag r works on index k = s - r if
 * 0 <= k <= last + run_on. The run-on of an instance (0 for a source) lets the last message pass
 * through the whole waveform (core/map/tails.h). Two segments of a waveform meet only through
 * `done`, the number of completed steps: segment v may run step s if done[u] >= s + offset for each
 * of its gates. A link u -> v of distance d in a ring of `depth` messages has two gates:
 *
 *     v waits for u:  offset = 1 - d           the message is complete
 *     u waits for v:  offset = 1 + d - depth   the buffer is free
 *
 * A segment with the stride r runs each rth step only: it holds places of instances that are in r
 * places each, which have their indices in these steps. A step done counts for r, and may take r
 * slots, so the gates above need no other rule.
 *
 * Under `virtual` and `slip` only the gates decide when a step runs. Under `skip` the step follows
 * the slot, and the stamps of the messages show which messages are missing.
 */
#ifndef ALOE_SLOT_SEGMENT_H
#define ALOE_SLOT_SEGMENT_H

#include "core/base/clock_fast.h"
#include "core/image/image.h"
#include "core/image/node.h"
#include "core/slot/instance.h"
#include "core/slot/miss.h"
#include "core/slot/tell.h"

enum segment_status {
	SEGMENT_RAN,
	/* a gate is closed or a record is missing; a step that was due has slipped */
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

/* A value of a histogram whose cell is not in the cache. The value is counted after the step, so
 * that the counting takes no time of the next instance. */
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
	struct instance **io; /* instances of I/O components, which wait for records */
	uint32_t n_io;
	struct image_segment_state *state;
	struct image_run *run;
	const struct node_control *control;
	struct image_lane_state *lane;
	bool last_of_lane, shares_lane;
	bool alone; /* nobody sleeps until this one has done a step: lanes sleep for their slots */
	struct image_event *events;
	uint32_t n_events, event; /* size of the ring, and place of the next event */
	uint32_t stride;          /* every such step is its own */
	bool has_lane, samples;   /* every slot of its lane is its own; this step is sampled */
	/* of virtual.c. skips_times: steps go untimed; may_skip_times: it may become so. starts:
	 * untimed steps have a start all the same, for sinks in other steps. untimed_ns: since when
	 * steps go untimed; 0: the next is timed */
	bool may_skip_times, skips_times, starts;
	uint64_t untimed_ns;
	uint64_t timed_until, chosen_ns; /* step; busy_ns when skips_times was chosen */
	/* span_ns: what it may take for a step, `stride` slots; lane_ns: what all of its lane may
	 * take, which is the same if it has the lane alone */
	uint64_t slot_ns, span_ns, lane_ns;
	uint64_t end; /* steps after the last index of the waveform */
	const struct image_hold *holds;
	uint64_t n_holds;
	uint64_t work_ns;                   /* of this step, if it is sampled */
	unsigned checks;                    /* of this step, of enum instance_checks */
	bool skip;                          /* late = "skip" */
	bool counts_misses;                 /* a slot has an end: not under virtual */
	uint64_t next_slot;                 /* of the next call; IMAGE_FOREVER: not known */
	uint64_t late_ns, load_ns, left_ns; /* last counted */
	uint32_t lacks;          /* instance that lacked a message in this step + 1; 0: none */
	struct witness *witness; /* of the thread that runs it; NULL: none */
	uint64_t changes_seen;
	struct teller teller;
	uint32_t n_visits, n_pending;
	struct segment_visit visits[SEGMENT_VISITS]; /* after the fields that every slot reads */
	struct node_change pending[NODE_CHANGES];    /* exec never publishes more at a time */
	/* the first of those side by side that were called last, and the step */
	struct instance *const *beside;
	uint64_t beside_step;
};

/* segment_init binds segment `number` of the view to `instances` (opened, and indexed by their
 * numbers in the image). Returns 0 or -ENOMEM. */
int segment_init(struct segment *segment, const struct image_view *view, uint32_t number,
    struct instance *instances, const struct node_control *control);
void segment_fini(struct segment *segment);

/* segment_follow moves the pending changes of migrated instances from `before`, a stopped segment,
 * to `segment`. `written` is the number of changes published so far; `segment` has seen all of them
 * afterwards. Called once for each segment of the old mapping. [control] */
void segment_follow(struct segment *segment, struct segment *before, uint64_t written);

/* segment_ready tells whether the next step may run now. If not, *ret_gate is the closed gate, or
 * NULL if a record is missing. */
enum segment_status segment_ready(
    const struct segment *segment, const struct segment_gate **ret_gate);

/* segment_step runs the next step, which began at start_ns in `slot`, and returns the time at which
 * the step ended. [slot] */
uint64_t segment_step(struct segment *segment, uint64_t slot, uint64_t start_ns);

/* segment_slot is called by the lane in each slot. It runs the step that is due in slot `slot`,
 * which began at edge_ns, or counts why no step ran. *now_ns is the time, read and advanced. [slot]
 */
enum segment_status segment_slot(
    struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t *now_ns);

/* segment_run_virtual runs steps as fast as the gates open, until the end, a fault, or *quit. It
 * sleeps while a gate is closed. */
void segment_run_virtual(struct segment *segment, const _Atomic uint32_t *quit);

#endif
