/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/state.h - the data in a waveform image that changes: messages, counts, times, values.
 */
#ifndef ALOE_IMAGE_STATE_H
#define ALOE_IMAGE_STATE_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "core/base/hist.h"
#include "core/image/margin.h"
#include "core/image/program.h"
#include "core/image/radio.h"

enum {
	IMAGE_MISSES = 128,
	IMAGE_STEPS = 256, /* steps whose start is kept */
	NODE_CHANGES = 64, /* most changes of a control block that are pending */
};

#define IMAGE_CANARY 0x5aa5c33c0ff0a55aull /* before and behind the items of every message */

struct image_message {
	_Atomic uint64_t stamp; /* index + 1 when complete; 0 while being written */
	/* atomic, because under skip a reader may read them while they are written */
	_Atomic uint32_t len, state;
};

/* Why a slot has a record. ABSENT: a message was not there for a reader; SLIPPED: no step ran,
 * because a record or another segment was not there; SKIPPED: the lane was not there;
 * RADIO: the slot was in time, but its samples came more than a slot late. */
enum image_miss_kind {
	IMAGE_MISS_LATE,
	IMAGE_MISS_SKIPPED,
	IMAGE_MISS_SLIPPED,
	IMAGE_MISS_ABSENT,
	IMAGE_MISS_RADIO,
	IMAGE_MISS_KINDS
};

/* `count` slots from `slot` on. from_ns: since when cpu_ns, faults and switches of the lane's
 * thread count; 0: not known. */
struct image_miss {
	uint64_t slot, step;
	uint64_t at_ns;         /* CLOCK_MONOTONIC of the slot's edge */
	uint64_t late_ns;       /* beyond the slot's end; RADIO: how late the samples were */
	uint64_t start_late_ns; /* how late the segment began */
	uint64_t longest_ns;    /* the instance that took longest */
	uint64_t from_ns, cpu_ns;
	uint32_t faults, switches;
	uint32_t count;
	int32_t tid, cpu; /* the thread, and where it ran at the end */
	uint32_t kind;    /* enum image_miss_kind */
	/* follows: the slot before has a record, too. instance: that took longest; ABSENT: whose
	 * input was not there; SLIPPED: whose record, or the last of the segment, was not there */
	uint32_t instance, follows;
};

/* A copy of the live array that is in force, for tools. The host's control thread writes the copy
 * after the slot has taken over the array. */
struct image_array {
	/* odd while the copy is written; 0: never written, the array is as loaded */
	_Alignas(64) _Atomic uint64_t edits;
	/* sequence of the latest change that was in force */
	_Atomic uint64_t sequence;
	_Atomic uint32_t len;
	_Atomic uint32_t items[]; /* bits of floats, items_max of them */
};

static inline uint64_t image_array_bytes(const struct image_param *param)
{
	return sizeof(struct image_array) + 4ull * param->items_max;
}

/* Changes that were taken, by sequence % NODE_CHANGES. */
struct image_taken {
	_Atomic uint64_t sequence, index;
};

struct image_run {
	_Atomic uint64_t last;  /* last index, set by aloe_end; the smallest wins */
	_Atomic uint32_t fault; /* instance + 1 of the first fault; then what follows is valid */
	int32_t code;
	uint64_t index; /* index of the fault */
	/* memory that was overwritten, see image_spoiled; 0: none */
	uint32_t spoiled, spare;
	char why[240];
	/* number of remaps; then the counts of the segments before the last remap: */
	_Atomic uint64_t remaps;
	_Atomic uint64_t slots, slipped, skipped, missed;
	struct image_radio_state radio;
};

struct image_segment_state {
	_Alignas(64) _Atomic uint64_t done; /* steps completed; its low half is a futex word */
	_Atomic uint32_t waiters;           /* threads that sleep on `done` */
	/* the segment has run its last step, so nobody waits for it any more */
	_Atomic uint32_t ended;
	/* Neighbour segments read the line of cache above from their own cores, and nothing from
	 * here on. */
	_Alignas(64) _Atomic uint32_t current; /* instance that runs now + 1; 0: none */
	_Atomic uint64_t slots;
	_Atomic uint64_t busy_ns;  /* sum over steps */
	_Atomic uint64_t until_ns; /* end of the last untimed steps (core/slot/virtual.c) */
	_Atomic uint64_t events;   /* written so far */
	_Atomic uint64_t changes;  /* changes of the control block that were taken so far */
	_Atomic uint64_t applied;  /* taken changes of its own instances that are in force */
	_Atomic uint64_t misses;   /* written so far */
	_Atomic uint64_t slipped, skipped, missed, caught_up;
	_Atomic uint64_t start_ns[IMAGE_STEPS]; /* of step s at s % IMAGE_STEPS */
	_Atomic uint64_t slot[IMAGE_STEPS];
	struct image_miss miss[IMAGE_MISSES];
	struct image_taken taken[NODE_CHANGES];
	struct hist late; /* ns from slot edge to start */
	/* time of a step outside of work in ns; in sampled steps it includes the clock reads */
	struct hist overhead;
};

/* The time of a slot that all segments of a lane take together: each segment adds its part, and the
 * last segment in the order of the slot counts the sum. */
enum { IMAGE_LANE_SLOTS = 64 };
struct image_lane_state {
	_Alignas(64) _Atomic uint64_t ns[IMAGE_LANE_SLOTS]; /* of slot n at n % IMAGE_LANE_SLOTS */
	struct hist load;
	struct image_margin margin; /* time left at the end of each slot; not under virtual */
};

/* Latency of a sink, from the start of the step of the index at the source to the end of work. */
struct image_latency {
	_Alignas(64) _Atomic uint64_t slots_min, slots_max;
	struct hist ns;
};

/* Every call writes only the variables and the times of calls. The heads of the times are not here:
 * they lie one after another in the order of execution (image_instance.time). */
struct image_instance_state {
	_Alignas(64) _Atomic uint64_t vars[IMAGE_VARS_MAX];
	struct hist_cells time_cells;
	/* calls whose times were not taken (core/slot/virtual.c): not among time_cells */
	_Atomic uint64_t untimed;
	_Atomic uint64_t idle, absent, late, overwritten, overruns, io_waits, io_lost;
	/* calls whose outputs became ABSENT, because the call ran beyond its budget */
	_Atomic uint64_t concealed;
	/* numbers that are in force, as bits of a double */
	_Atomic uint64_t params[IMAGE_PARAMS_MAX];
	/* sum of the sampled binding times: inputs 0..15, outputs 16..31 */
	_Atomic uint64_t port_ns[32], port_count;
	/* first step of the instance, see core/image/follow.h; 0: its lag */
	_Atomic uint64_t first;
	/* index with which the build of the last upgrade took over + 1; 0: it is as loaded */
	_Atomic uint64_t upgraded;
};

struct image_event {
	uint64_t start_ns, step;
	uint32_t ns;
	uint32_t instance;
};

/* image_spoiled describes overwritten memory: the output of the instance whose canary is wrong, the
 * side of the items, and whether the canary was wrong before the call (then this call has not done
 * it). Or it names the input whose message states more items than fit. */
enum image_spoiled {
	IMAGE_SPOILED_BEHIND = 1u << 8,
	IMAGE_SPOILED_BEFORE = 1u << 9,
	IMAGE_SPOILED_EARLIER = 1u << 10,
	IMAGE_SPOILED_INPUT = 1u << 11,
	IMAGE_SPOILED_PORT = (1u << 8) - 1,
};

/* image_canaries returns 0 if both canaries of the message with these items are whole, otherwise
 * the bits that differ. */
static inline uint64_t image_canaries(const uint8_t *items, uint64_t canary)
{
	uint64_t before, behind;

	memcpy(&before, items - sizeof(before), sizeof(before));
	memcpy(&behind, items + canary, sizeof(behind));
	return (before ^ IMAGE_CANARY) | (behind ^ IMAGE_CANARY);
}

#endif
