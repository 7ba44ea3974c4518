/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/loop.h - a main loop: one thread, poll(), descriptors and timers.
 *
 * Watches and timers are the caller's memory and stay where they are while they are started. A
 * callback may start and stop any of them, its own included. What a descriptor still holds is
 * reported again in the next round.
 */
#ifndef ALOE_BASE_LOOP_H
#define ALOE_BASE_LOOP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop_watch {
	int fd;
	/* POLLIN, POLLOUT; may be changed at any time. POLLHUP and POLLERR are always reported */
	short events;
	void (*ready)(void *self, short revents);
	void *self;
	struct loop_watch *next; /* the loop's */
	bool on;                 /* the loop's */
};

struct loop_timer {
	void (*fired)(void *self);
	void *self;
	uint64_t at_ns;          /* clock_ns; the loop's */
	struct loop_timer *next; /* the loop's */
	bool on;                 /* the loop's */
};

struct loop {
	struct loop_watch *watches;
	struct loop_timer *timers; /* soonest first */
	struct pollfd *polled;
	struct loop_watch **owners; /* of polled[]; NULL: stopped meanwhile */
	size_t n_polled, size;
	int code;
	bool stopped;
};

void loop_init(struct loop *loop);
void loop_fini(struct loop *loop); /* the watches' descriptors stay open */

/* loop_watch_start begins to watch `fd`; nothing if it is started already. */
void loop_watch_start(struct loop *loop, struct loop_watch *watch, int fd, short events,
    void (*ready)(void *self, short revents), void *self);
void loop_watch_stop(struct loop *loop, struct loop_watch *watch);

/* loop_timer_start fires once in delay_ns (starting it again moves it); stop does nothing if it is
 * not started. */
void loop_timer_start(struct loop *loop, struct loop_timer *timer, uint64_t delay_ns,
    void (*fired)(void *self), void *self);
void loop_timer_stop(struct loop *loop, struct loop_timer *timer);

/* loop_run goes round until loop_stop, and returns its code; or -errno. loop_step is one round,
 * waiting at most wait_ms (-1: until something happens): 0 or -errno. */
int loop_run(struct loop *loop);
int loop_step(struct loop *loop, int wait_ms);
void loop_stop(struct loop *loop, int code);

#endif
