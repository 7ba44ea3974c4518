/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/node.h - the node image: time bases, lane tables, one control block per waveform. Exec
 * writes the node image, all others only read it. And the lane image: the baton of one lane. Every
 * host on the lane can write the lane image, so nobody trusts it (core/slot/baton.h).
 */
#ifndef ALOE_IMAGE_NODE_H
#define ALOE_IMAGE_NODE_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/image/state.h"

enum {
	NODE_ENTRIES_MAX = 64, /* segments on one lane */
	NODE_WAVEFORMS_MAX = 1024,
	NODE_TIMEBASES_MAX = 16,
	NODE_MODES = NODE_CHANGES / 2, /* parameters that on_overrun names on one node */
};

struct node_timebase {
	_Atomic uint32_t used; /* number of lanes that use it */
	uint32_t pace;         /* enum image_clock: TIMER, STEP or RADIO */
	uint64_t slot_ns;
	_Atomic uint64_t start_ns; /* CLOCK_MONOTONIC of slot 0 */
	/* a baton may be ahead of the clock by so much: start_ns moves by less at a time, because
	 * the clock follows that of another node; 0: it does not */
	_Atomic uint64_t slack_ns;
	_Atomic uint64_t allowed; /* STEP: slots below this may begin */
};

/* The slot under way; IMAGE_FOREVER before slot 0. Where slots are counted from long ago, start_ns
 * is a time before CLOCK_MONOTONIC began, and wraps. */
static inline uint64_t timebase_slot_from(
    const struct node_timebase *base, uint64_t start_ns, uint64_t now)
{
	const uint64_t since = now - start_ns;

	return since > UINT64_MAX / 2 ? IMAGE_FOREVER : since / base->slot_ns;
}

static inline uint64_t timebase_slot(const struct node_timebase *base, uint64_t now)
{
	return timebase_slot_from(
	    base, atomic_load_explicit(&base->start_ns, memory_order_relaxed), now);
}

struct node_entry { /* a segment on a lane, in order */
	_Atomic uint32_t live;
	uint32_t waveform; /* control block */
	uint32_t segment;
	_Atomic uint32_t slots; /* that a call of the segment may take: its stride; 0 is 1 */
	/* thread of a host on this lane; all hosts may read it while the entry is used again */
	_Atomic uint32_t seat;
};

struct node_lane {
	int32_t cpu;
	_Atomic uint32_t timebase; /* IMAGE_NONE: the lane is free */
	/* entries of the array that were ever used; freed entries are used again */
	_Atomic uint32_t entries;
	_Atomic uint64_t resets; /* of impossible batons */
	/* latest time of the next look by exec's watchdog; after this time the watchdog is late */
	_Atomic uint64_t watched_ns;
	struct node_entry entry[NODE_ENTRIES_MAX];
};

struct node_change {
	/* index of the instance before which the change applies; IMAGE_FOREVER: the next index */
	uint64_t index;
	uint64_t sequence; /* 1, 2, 3, ... */
	uint32_t instance, param;
	double number;
};

struct node_control { /* one per waveform */
	_Atomic uint32_t used;
	uint32_t state; /* for the next exec */
	char name[64];
	/* number of remaps to another image; for the next exec */
	uint32_t remaps;
	/* steps below this may run: PAUSE, STEP, RUN; its low half is a futex word */
	_Atomic uint64_t limit;
	_Atomic uint64_t base; /* slot of step 0 */
	_Atomic uint64_t last; /* last index that was ordered (STOP, --slots) */
	/* overrun = "conceal": step + 1 of the last miss by the waveform's own doing. While it is
	 * not 0, an instance that runs beyond its budget publishes ABSENT */
	_Atomic uint64_t conceal;
	/* overrun = "mode": the same, while the parameters of on_overrun have their other values;
	 * how often that began, from which index on the last time, and what the parameters of this
	 * node had before, in the order of the tables */
	_Atomic uint64_t mode;
	uint64_t modes, mode_index;
	double before[NODE_MODES];
	_Atomic uint64_t changes; /* written so far */
	struct node_change change[NODE_CHANGES];
	/* records of late slots that exec has read, of all segments; those that were written while
	 * no exec was there, which nobody has read; that were overwritten before an exec read them;
	 * that are not in misses.jsonl */
	uint64_t misses_read, misses_unseen, misses_lost, misses_unwritten;
};

enum { NODE_SAID_NO_SECOND = 1 };

struct node_image {
	uint64_t magic;
	uint32_t version, n_lanes;
	_Atomic double mmac_per_s; /* of the first lane's core; 0: not known */
	_Atomic uint32_t quit;
	uint32_t said; /* NODE_SAID_ bits: messages that were printed, once in a node's life */
	/* of a node of a platform: what has to be added to CLOCK_MONOTONIC to get the time by which
	 * all nodes count slots; 0: not known. And how often that clock was set */
	_Atomic uint64_t epoch_ns, clock_steps;
	/* the epoch is that of another node, not that of CLOCK_TAI here */
	_Atomic uint32_t follows;
	/* exec has taken all that runs off the lanes of that clock, to give slots other numbers */
	_Atomic uint32_t aligns;
	struct node_timebase timebase[NODE_TIMEBASES_MAX];
	struct node_lane lane[NODE_LANES_MAX];
	struct node_control control[NODE_WAVEFORMS_MAX];
};

/* ---- lane image ------------------------------------------------------------------------ */

/* baton = slot << 16 | fresh << 15 | entry. fresh: the slot has not begun, and the thread of the
 * entry waits for the pace. */
#define BATON_FRESH 0x8000u
#define BATON_NOBODY 0x7fffu
#define BATON_SLOT_MAX (UINT64_MAX >> 16)
struct lane_image {
	_Alignas(64) _Atomic uint64_t baton;
	/* since when an entry has the baton, and whether the entry is at work (since_make). The
	 * word names the entry and is valid for this entry only */
	_Atomic uint64_t since;
	_Atomic uint64_t slots, skipped; /* of the lane */
	/* times that a lane-mate took the baton on, because exec was dead */
	_Atomic uint64_t rescued;
	/* time before a slot's edge at which the first thread must be awake; 0: not known yet */
	_Atomic uint64_t guard_ns;
	_Atomic uint64_t tid[NODE_ENTRIES_MAX]; /* thread of each seat */
	/* the impossible baton that a lane-mate replaced last, and when; exec judges it as if exec
	 * had found it. 0: none */
	_Atomic uint64_t bad_baton, bad_ns;
	/* futex word of each seat: a count, and whether its thread sleeps, or is about to */
	_Alignas(64) _Atomic uint32_t go[NODE_ENTRIES_MAX];
};

#define GO_ASLEEP 0x80000000u

/* since = ns; the low bits of the time are replaced by SINCE_AT_WORK and the entry. */
#define SINCE_AT_WORK 0x40u
#define SINCE_ENTRY 0x3fu
static inline uint64_t since_make(uint64_t ns, uint32_t at_work, uint32_t entry)
{
	return (ns & ~(uint64_t)(SINCE_AT_WORK | SINCE_ENTRY)) | at_work | (entry & SINCE_ENTRY);
}

static inline uint64_t baton_make(uint64_t slot, uint32_t fresh, uint32_t entry)
{
	return slot << 16 | fresh | entry;
}

static inline uint64_t baton_slot(uint64_t baton)
{
	return baton >> 16;
}

static inline uint32_t baton_entry(uint64_t baton)
{
	return baton & 0x7fff;
}

#endif
