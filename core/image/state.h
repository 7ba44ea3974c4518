/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/state.h - what moves in a waveform image: messages, counts, times, values.
 */
#ifndef ALOE_IMAGE_STATE_H
#define ALOE_IMAGE_STATE_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "core/base/hist.h"
#include "core/image/program.h"
#include "core/image/radio.h"

enum {
	IMAGE_MISSES = 64,
	IMAGE_STEPS = 256, /* steps whose start is remembered */
	NODE_CHANGES = 64, /* of the control block, that may be on their way */
};

#define IMAGE_CANARY 0x5aa5c33c0ff0a55aull /* before and behind the items of every message */

struct image_message {
	_Atomic uint64_t stamp; /* index + 1 when complete; 0 while being written */
	/* under skip a reader may come upon them while they are written */
	_Atomic uint32_t len, state;
};

struct image_miss {
	uint64_t slot, step;
	uint64_t at_ns;             /* CLOCK_MONOTONIC of the slot's edge */
	uint64_t late_ns;           /* beyond the slot's end */
	uint64_t start_late_ns;     /* how late the segment began */
	uint64_t longest_ns;        /* the instance that took longest */
	uint32_t instance, follows; /* follows: the slot before was missed, too */
};

/* A live array as it is in force, for tools: written by the host's control thread when the slot has
 * taken it over. */
struct image_array {
	/* odd while it is written; 0: never, it is as loaded */
	_Alignas(64) _Atomic uint64_t edits;
	/* of the latest change that was in force and is seen to here */
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
	uint64_t index; /* that it failed at */
	/* what was found to be overwritten, see image_spoiled; 0: nothing */
	uint32_t spoiled, spare;
	char why[240];
	/* how often it has gone to other lanes; then what its segments had counted before: */
	_Atomic uint64_t remaps;
	_Atomic uint64_t slots, slipped, skipped, missed;
	struct image_radio_state radio;
};

struct image_segment_state {
	_Alignas(64) _Atomic uint64_t done; /* steps completed; its low half is a futex word */
	_Atomic uint32_t waiters;           /* who sleeps on it */
	/* has run its last step: nobody waits for it any more */
	_Atomic uint32_t ended;
	/* From here on nothing is read by the neighbours, who look at the line above from their own
	 * cores. */
	_Alignas(64) _Atomic uint32_t current; /* instance that runs now + 1; 0: none */
	_Atomic uint64_t slots;
	_Atomic uint64_t busy_ns; /* sum over steps */
	_Atomic uint64_t events;  /* written so far */
	_Atomic uint64_t changes; /* of the control block, taken so far */
	_Atomic uint64_t applied; /* those of them that were for its instances and are in force */
	_Atomic uint64_t misses;  /* written so far */
	_Atomic uint64_t slipped, skipped, missed, caught_up;
	_Atomic uint64_t start_ns[IMAGE_STEPS]; /* of step s at s % IMAGE_STEPS */
	_Atomic uint64_t slot[IMAGE_STEPS];
	struct image_miss miss[IMAGE_MISSES];
	struct image_taken taken[NODE_CHANGES];
	struct hist late; /* ns from slot edge to start */
	/* ns of the step outside of work; of sampled steps, the sampling's clock reads included */
	struct hist overhead;
};

/* What a lane's segments take of a slot, together: each adds its part, the last one in the slot's
 * order counts the sum. */
enum { IMAGE_LANE_SLOTS = 64 };
struct image_lane_state {
	_Alignas(64) _Atomic uint64_t ns[IMAGE_LANE_SLOTS]; /* of slot n at n % IMAGE_LANE_SLOTS */
	struct hist load;
};

/* Of a sink: measured from the step's start at its source, as marker, to the end of work. */
struct image_latency {
	_Alignas(64) _Atomic uint64_t slots_min, slots_max;
	struct hist ns;
};

/* What every call writes are variables and `time`, the times of each call of work, whose heads lie
 * one behind the other in the order of execution. */
struct image_instance_state {
	_Alignas(64) _Atomic uint64_t vars[IMAGE_VARS_MAX];
	struct hist_cells time_cells;
	_Atomic uint64_t idle, absent, late, overwritten, overruns, io_waits, io_lost;
	/* numbers as they are in force, bits of a double */
	_Atomic uint64_t params[IMAGE_PARAMS_MAX];
	/* inputs 0..15, outputs 16..31: sampled binding times, summed */
	_Atomic uint64_t port_ns[32], port_count;
	/* step before which it rests, see core/image/follow.h; 0: its lag */
	_Atomic uint64_t first;
};

struct image_event {
	uint64_t start_ns, step;
	uint32_t ns;
	uint32_t instance;
};

/* image_spoiled is what image_run says of memory that was overwritten: the canary of which output
 * of the instance, on which side of the items, and whether that was so before the instance was
 * called (then it is not this call that did it). Or the message at which input said that it holds
 * more items than it can. */
enum image_spoiled {
	IMAGE_SPOILED_BEHIND = 1u << 8,
	IMAGE_SPOILED_BEFORE = 1u << 9,
	IMAGE_SPOILED_EARLIER = 1u << 10,
	IMAGE_SPOILED_INPUT = 1u << 11,
	IMAGE_SPOILED_PORT = (1u << 8) - 1,
};

/* image_canaries gives 0 if both canaries of the message with these items are whole; else some of
 * their bits differ. */
static inline uint64_t image_canaries(const uint8_t *items, uint64_t canary)
{
	uint64_t before, behind;

	memcpy(&before, items - sizeof(before), sizeof(before));
	memcpy(&behind, items + canary, sizeof(behind));
	return (before ^ IMAGE_CANARY) | (behind ^ IMAGE_CANARY);
}

#endif
