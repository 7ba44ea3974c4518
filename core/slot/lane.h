/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/lane.h - the thread that a host has on a lane: waits for the baton, runs a segment,
 * hands the baton on.
 *
 *        pace: slot n begins
 *              |
 *     baton (n, fresh, e0) --> (n, e0) --> (n, e1) --> ... --> (n + 1, fresh, e0) -- sleeps until
 *     the next slot
 *                              host A      host B
 *
 * The lane's table (node image) lists the segments in order; entries that are not live are passed
 * over. Whoever has a fresh baton waits for the pace. Every hand-on is a compare-and-swap: for a
 * thread whose swap fails the lane has gone on without it (it was passed over, or its waveform was
 * taken off the lane); it waits for its next turn. A segment whose next neighbour belongs to the
 * same thread (seat) is followed by it without a system call.
 *
 * Where the lane's watchdog has died with its process (exec), or has not looked when it said that
 * it would (node_lane.watched_ns), the threads that wait for the baton do its work by the same rule
 * (baton.h): they wait with a time limit, reset an impossible baton, and pass over a holder that is
 * dead or overdue, in this slot and in those that follow.
 *
 * Before the edge the first thread warms the core's caches (core/slot/warm.h), and in real time it
 * stirs its lane-mates: they wake up, do so as well, and sleep again, so that neither they nor the
 * kernel's way from one to the next is cold when the slot begins. A thread that wakes up without
 * the baton does no more than that.
 */
#ifndef ALOE_SLOT_LANE_H
#define ALOE_SLOT_LANE_H

#include "core/slot/baton.h"
#include "core/slot/radio_pace.h"
#include "core/slot/segment.h"
#include "core/slot/warm.h"

struct lane_thread {
	const struct node_image *node;
	struct lane_image *image;
	struct radio_pace *radio; /* whose packets are the time of the lane; NULL: none */
	uint32_t lane, seat;
	_Atomic uint32_t quit;
	struct segment *_Atomic segments[NODE_ENTRIES_MAX]; /* this host's, by entry */
	/* entry that it runs now + 1, for whoever wants to take a segment away */
	_Atomic uint64_t inside;
	struct rehearsal *rehearsal; /* NULL: none */
	_Atomic bool
	    /* real-time priority, as all threads of the lane: what one gives away of the CPU is
	     * theirs alone */
	    fifo;
	/* the watchdog's process is dead: nobody else looks after the lane */
	_Atomic bool alone;
	uint64_t slot, now_ns;    /* its own last, and the time at its end */
	struct baton_watch watch; /* of a lane without a watchdog, as are the next three */
	/* how long it waits for a baton that it has looked at before it does so again */
	uint64_t patience_ns;
	/* how long it waits for the baton on a lane that is watched; 0: until it is woken */
	uint64_t guard_ns;
	uint64_t passed; /* bits: entries that are passed over */
	/* since then, for a second; while there is no watchdog, since it last met one of them */
	uint64_t passed_ns;
	/* baton whose holder was overdue at the look before, 0: none; and how many had been taken
	 * on then (lane_image.rescued) */
	uint64_t doubted, rescues;
};

/* lane_guard gives how long before the next edge the lane wants to be awake, when it was to be so
 * `guard` ns before this one and the sleep ended late_ns late. How late is the machine's affair:
 * from one slot to the next it goes up by a quarter or down by 1/4096, so that it ends up where one
 * wake-up in a thousand comes too late, between 4 and 100 us. */
uint64_t lane_guard(uint64_t guard, uint64_t late_ns);

/* lane_polls tells whether a thread on the slot clock never sleeps: where slots are shorter than
 * what it wants to be awake before the edge to begin with. */
bool lane_polls(uint64_t slot_ns);

/* lane_run is the body of the thread: returns after *quit or the node's quit. [slot] */
void lane_run(struct lane_thread *thread);

/* lane_alone tells a thread, from another one, whether the watchdog's process is dead. */
void lane_alone(struct lane_thread *thread, bool alone);

/* lane_pass tries to move the baton from `from` to `to` and wakes who has it now: 0, or -ESTALE.
 * Also exec's and the watchdog's. `seat`: the caller's own, not woken; IMAGE_NONE. */
int lane_pass(const struct node_lane *lane, struct lane_image *image, uint64_t from, uint64_t to,
    uint32_t seat);

/* lane_take_on does the same in the place of a holder who does not: whoever has it then has it from
 * now on. */
int lane_take_on(const struct node_lane *lane, struct lane_image *image, uint64_t from, uint64_t to,
    uint32_t seat);

/* lane_wake wakes who has the baton now. Exec's and the watchdog's: a host may have died after it
 * had moved the baton and before it had woken the next one, who sleeps without a time limit. */
void lane_wake(const struct node_lane *lane, struct lane_image *image);

#endif
