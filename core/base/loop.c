/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/loop.c - poll(), descriptors, timers. */
#include "core/base/loop.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/clock.h"

void loop_init(struct loop *loop)
{
	*loop = (struct loop){0};
}

void loop_fini(struct loop *loop)
{
	free(loop->polled);
	free(loop->owners);
	loop_init(loop);
}

void loop_watch_start(struct loop *loop, struct loop_watch *watch, int fd, short events,
    void (*ready)(void *self, short revents), void *self)
{
	if (watch->on)
		return;
	*watch = (struct loop_watch){.fd = fd,
	    .events = events,
	    .ready = ready,
	    .self = self,
	    .next = loop->watches,
	    .on = true};
	loop->watches = watch;
}

void loop_watch_stop(struct loop *loop, struct loop_watch *watch)
{
	struct loop_watch **at = &loop->watches;

	if (!watch->on)
		return;
	while (*at != watch)
		at = &(*at)->next;
	*at = watch->next;
	watch->on = false;
	for (size_t i = 0; i < loop->n_polled; i++) {
		if (loop->owners[i] == watch)
			loop->owners[i] = NULL;
	}
}

void loop_timer_start(struct loop *loop, struct loop_timer *timer, uint64_t delay_ns,
    void (*fired)(void *self), void *self)
{
	struct loop_timer **at = &loop->timers;

	loop_timer_stop(loop, timer);
	timer->at_ns = clock_ns() + delay_ns;
	timer->fired = fired;
	timer->self = self;
	while (*at && (*at)->at_ns <= timer->at_ns)
		at = &(*at)->next;
	timer->next = *at;
	timer->on = true;
	*at = timer;
}

void loop_timer_stop(struct loop *loop, struct loop_timer *timer)
{
	struct loop_timer **at = &loop->timers;

	if (!timer->on)
		return;
	while (*at != timer)
		at = &(*at)->next;
	*at = timer->next;
	timer->on = false;
}

static int polled_reserve(struct loop *loop, size_t n)
{
	struct pollfd *polled;
	struct loop_watch **owners;

	if (n <= loop->size)
		return 0;
	polled = realloc(loop->polled, 2 * n * sizeof(*polled));
	if (!polled)
		return -ENOMEM;
	loop->polled = polled;
	owners = realloc(loop->owners, 2 * n * sizeof(struct loop_watch *));
	if (!owners)
		return -ENOMEM;
	loop->owners = owners;
	loop->size = 2 * n;
	return 0;
}

static int polled_fill(struct loop *loop)
{
	size_t n = 0;
	int result;

	for (struct loop_watch *watch = loop->watches; watch; watch = watch->next)
		n++;
	loop->n_polled = 0;
	result = polled_reserve(loop, n);
	if (result < 0)
		return result;
	for (struct loop_watch *watch = loop->watches; watch; watch = watch->next) {
		loop->polled[loop->n_polled] =
		    (struct pollfd){.fd = watch->fd, .events = watch->events};
		loop->owners[loop->n_polled++] = watch;
	}
	return 0;
}

/* How long to wait for the soonest timer; NULL: for ever. */
static const struct timespec *wait_limit(const struct loop *loop, int wait_ms, struct timespec *ret)
{
	const uint64_t now = clock_ns();
	uint64_t ns = wait_ms >= 0 ? (uint64_t)wait_ms * 1000000 : UINT64_MAX;

	if (loop->timers) {
		const uint64_t due = loop->timers->at_ns > now ? loop->timers->at_ns - now : 0;

		ns = due < ns ? due : ns;
	}
	*ret = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return ns == UINT64_MAX ? NULL : ret;
}

static void timers_fire(struct loop *loop)
{
	const uint64_t now = clock_ns();

	while (loop->timers && loop->timers->at_ns <= now && !loop->stopped) {
		struct loop_timer *timer = loop->timers;

		loop_timer_stop(loop, timer);
		timer->fired(timer->self);
	}
}

int loop_step(struct loop *loop, int wait_ms)
{
	int result = polled_fill(loop);
	struct timespec limit;

	if (result < 0)
		return result;
	if (ppoll(loop->polled, loop->n_polled, wait_limit(loop, wait_ms, &limit), NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	for (size_t i = 0; i < loop->n_polled && !loop->stopped; i++) {
		struct loop_watch *watch = loop->owners[i];

		if (watch && loop->polled[i].revents)
			watch->ready(watch->self, loop->polled[i].revents);
	}
	loop->n_polled = 0;
	timers_fire(loop);
	return 0;
}

int loop_run(struct loop *loop)
{
	while (!loop->stopped) {
		const int result = loop_step(loop, -1);

		if (result < 0)
			return result;
	}
	return loop->code;
}

void loop_stop(struct loop *loop, int code)
{
	loop->stopped = true;
	loop->code = code;
}
