/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/lane.h - the thread of a host on a lane. The thread waits for the baton, runs a segment
 * and passes the baton on.
 *
 *        pace: slot n begins
 *              |
 *     baton (n, fresh, e0) --> (n, e0) --> (n, e1) --> ... --> (n + 1, fresh, e0)
 *                              host A      host B              sleeps until the next slot
 *
 * The lane's table (in the node image) lists the segments in order. Entries that are not live are
 * passed over. The thread that has a fresh baton waits for the pace. A baton is passed on by a
 * compare-and-swap. If the swap fails, the lane has gone on without this thread (the thread was
 * passed over, or its waveform was taken off the lane), and the thread waits for its next turn. If
 * the next segment belongs to the same thread (seat), the thread runs it without a system call.
 *
 * If the lane's watchdog has died with exec, or is late (node_lane.watched_ns), the threads that
 * wait for the baton do the watchdog's work by the same rule (baton.h): they wait with a time
 * limit, reset an impossible baton, and pass over a holder that is dead or overdue, in this slot
 * and in the slots that follow.
 *
 * While a holder can harm nobody but its own waveform, its watchdog has nothing to do until the
 * holder is overdue: before it sleeps, the thread puts off the watchdog's timer, at most 20 times
 * in a second. So the watchdog wakes up when the slots stop, and once in a second: for so long
 * (watched_ns) lane-mates without real-time priority believe one that lives but stands still.
 *
 * Before the edge the first thread warms the core's caches (core/slot/warm.h), for which it is up
 * to 1/64 of a slot earlier awake. In real time it also stirs its lane-mates: they wake up, warm
 * their caches and sleep again, so that their caches and the kernel's path between the threads are
 * warm when the slot begins. A thread that wakes up without the baton does nothing else. Right
 * before the edge it wakes them once more: then they want the CPU, in their order, and get it when
 * the one before sleeps, so that nobody has to be woken in the slot. A thread that hands the baton
 * on makes a system call only if the next thread sleeps (GO_ASLEEP).
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
	struct radio_pace *radio; /* radio whose packets are the time of the lane; NULL: none */
	uint32_t lane, seat;
	_Atomic uint32_t quit;
	struct segment *_Atomic segments[NODE_ENTRIES_MAX]; /* this host's, by entry */
	/* entry that the thread runs now + 1; read by a thread that takes a segment away */
	_Atomic uint64_t inside;
	struct rehearsal *rehearsal; /* NULL: none */
	uint64_t warm_ns;            /* what the time before an edge is used for takes so long */
	/* the threads of the lane have real-time priority, so a yield gives the CPU to them only */
	_Atomic bool fifo;
	/* the watchdog's process is dead: nobody else looks after the lane */
	_Atomic bool alone;
	/* timerfd of the watchdog, which this thread puts off (0: none), and from which edge on */
	_Atomic int timer;
	uint64_t put_off_ns;
	uint64_t slot, now_ns; /* last slot of this thread, and the time at its end */
	struct witness witness;
	/* the fields from here on replace a watchdog that is dead or late */
	struct baton_watch watch;
	uint64_t patience_ns; /* time until the next look at a baton that does not move */
	/* longest wait for the baton on a lane with a watchdog; 0: until the thread is woken */
	uint64_t guard_ns;
	uint64_t passed; /* bits: entries that are passed over; cleared a second after passed_ns */
	uint64_t passed_ns; /* when an entry was passed over last */
	/* baton whose holder was overdue at the last look (0: none), and lane_image.rescued then */
	uint64_t doubted, rescues;
};

/* lane_guard returns how long before the next edge the lane should be awake. `guard` is the time by
 * which the lane should have been awake before this edge, and late_ns is how late the sleep ended.
 * The guard grows by a quarter or shrinks by 1/4096 from slot to slot, between 4 and 100 us, so
 * that on any machine about one wake-up in a thousand comes too late. */
uint64_t lane_guard(uint64_t guard, uint64_t late_ns);

/* lane_warm_time returns how long warming is reckoned to take before the next edge. `known` is what
 * it was reckoned to take before this edge, and took_ns is what it took, cut short if there was no
 * more time. It grows to a quarter more than was needed, shrinks by 1/64 from slot to slot, and is
 * never more than 1/64 of a slot. */
uint64_t lane_warm_time(uint64_t known, uint64_t took_ns, uint64_t slot_ns);

/* lane_polls tells whether a thread on the slot clock never sleeps, because slots are shorter than
 * the first guard. */
bool lane_polls(uint64_t slot_ns);

/* lane_timer_set sets a watchdog's timer (timerfd). Once it is due, what is left of its interval
 * says for how long it has been. */
void lane_timer_set(int timer, uint64_t at_ns);

/* lane_run is the body of the thread. It returns after *quit or the node's quit. [slot] */
void lane_run(struct lane_thread *thread);

/* lane_alone is called by another thread and sets whether the watchdog's process is dead. */
void lane_alone(struct lane_thread *thread, bool alone);

/* lane_pass tries to move the baton from `from` to `to` and wakes the thread that has it then.
 * Returns 0, or -ESTALE if the baton was not `from`. Exec and the watchdog call it, too. `seat` is
 * the caller's own seat, which is not woken; or IMAGE_NONE. */
int lane_pass(const struct node_lane *lane, struct lane_image *image, uint64_t from, uint64_t to,
    uint32_t seat);

/* lane_take_on does the same in the place of a holder that does not pass the baton on, and wakes
 * the new holder whatever its word says. The time of the new holder counts from now. */
int lane_take_on(
    const struct node_lane *lane, struct lane_image *image, uint64_t from, uint64_t to);

/* lane_wake wakes the thread that has the baton now. Exec and the watchdog call it, because a host
 * may die after it moved the baton and before it woke the next thread, which may sleep without a
 * time limit. True if that thread slept although its word said that it does not (GO_ASLEEP). */
bool lane_wake(const struct node_lane *lane, struct lane_image *image);

#endif
