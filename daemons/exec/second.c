/* SPDX-License-Identifier: BSD-3-Clause
 *
 * second.c - the second watchdog: one thread of ordinary priority for all lanes, on the CPUs that
 * have none. A lane's own watchdog sleeps on the lane's CPU; a thread with a higher priority than
 * its own can keep it from ever waking up. Hosts give up the right to such a priority (grant.c);
 * should one have got it nevertheless, the lane's watchdog does not look when it said that it
 * would. This one then takes the priority from the host that has such a thread, and the main thread
 * stops what runs in it.
 *
 * While all is well this thread sleeps: each watchdog of a lane puts off its timer. */
#include <errno.h>
#include <poll.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "daemons/exec/exec.h"
#include "daemons/exec/tasks.h"

enum { LOOK_NS = 5000000, STALL_NS = 1000000 };

/* The CPUs of lanes that are in use: how many. */
static size_t cpus_of_lanes(const struct exec *exec, int *ret)
{
	size_t n = 0;

	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		if (atomic_load(&exec->node->lane[l].timebase) != IMAGE_NONE)
			ret[n++] = exec->node->lane[l].cpu;
	return n;
}

static void find_raised(struct exec *exec, uint32_t lane, uint64_t late_ns)
{
	for (uint32_t seat = 0; seat < NODE_ENTRIES_MAX; seat++) {
		const pid_t pid = atomic_load(&exec->lanes[lane].pid[seat]);

		if (pid > 0 && tasks_priority(pid) > PLATFORM_PRIORITY_LANE)
			seat_found(exec, lane, seat, FOUND_RAISED, BATON_NOBODY, late_ns);
	}
}

/* It is put off no more, and has not been there since. */
static bool timer_is_due(struct exec_lane *lane)
{
	struct pollfd timer = {.fd = lane->bed.timer, .events = POLLIN};

	if (!atomic_load(&lane->put_off) || poll(&timer, 1, 0) <= 0)
		lane->due_ns = 0;
	else if (lane->due_ns == 0)
		lane->due_ns = clock_ns();
	return lane->due_ns != 0;
}

/* Its promise is over, and it has not been there: how long since. 0: all is well, or the lane has
 * no watchdog. */
static uint64_t late_by(struct exec *exec, uint32_t lane, uint64_t now)
{
	const uint64_t watched = atomic_load(&exec->node->lane[lane].watched_ns),
	               due = exec->lanes[lane].due_ns;

	/* seen before, and still: it had LOOK_NS to come */
	if (timer_is_due(&exec->lanes[lane]) && due != 0)
		return now - due;
	return watched != 0 && now > watched + SECOND_LATE_NS ? now - watched : 0;
}

/* Until a watchdog is late, or one that was put off may be: it has LOOK_NS to look before. */
static void second_sleep(struct exec *exec)
{
	int timers[NODE_LANES_MAX + 1] = {exec->second_bed.timer};
	size_t n = 1;
	bool due = false;

	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		if (atomic_load(&exec->lanes[l].put_off))
			timers[n++] = exec->lanes[l].bed.timer;
	bed_sleep(&exec->second_bed, timers, n, clock_ns() + NOBODY_NS);
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		due |= timer_is_due(&exec->lanes[l]);
	if (due)
		clock_sleep_until(clock_ns() + LOOK_NS);
}

static void *second_main(void *self)
{
	struct exec *exec = self;
	int cpus[NODE_LANES_MAX];
	uint32_t pinned = ~atomic_load(&exec->second_word); /* at which word */

	for (;;) {
		const uint32_t word = atomic_load(&exec->second_word);
		uint64_t soon, now;

		if (word & WATCHDOG_QUIT)
			return NULL;
		if (word != pinned)
			platform_pin_beside(cpus, cpus_of_lanes(exec, cpus));
		pinned = word;
		soon = clock_ns() + LOOK_NS;
		second_set(exec, second_due(exec) > soon ? second_due(exec) : soon);
		second_sleep(exec);
		now = clock_ns();
		for (uint32_t l = 0;
		     l < exec->node->n_lanes && now < atomic_load(&exec->second_ns) + STALL_NS;
		     l++) {
			const uint64_t late_ns = late_by(exec, l, now);

			if (late_ns > 0)
				find_raised(exec, l, late_ns);
		}
	}
}

/* Once in the node's life, whichever exec it is. */
static void no_place_say(struct exec *exec)
{
	if (exec->node->said & NODE_SAID_NO_SECOND)
		return;
	exec->node->said |= NODE_SAID_NO_SECOND;
	log_warning(&exec->daemon.log,
	    "every CPU of this node has a lane, so nobody sees a component that stops a lane with "
	    "a higher priority than the lane's watchdog; leave a CPU without a lane (--lanes)");
}

/* Called whenever a lane is taken. Where every CPU has a lane there is no place for it. */
void second_start(struct exec *exec)
{
	int cpus[NODE_LANES_MAX];

	if (cpus_of_lanes(exec, cpus) >= exec->node->n_lanes)
		no_place_say(exec);
	if (exec->has_second) {
		second_look(exec);
		return;
	}
	exec->has_second = bed_make(&exec->second_bed) == 0 &&
	    pthread_create(&exec->second, NULL, second_main, exec) == 0;
}

void second_stop(struct exec *exec)
{
	if (!exec->has_second)
		return;
	atomic_fetch_or(&exec->second_word, WATCHDOG_QUIT);
	bed_ring(&exec->second_bed);
	pthread_join(exec->second, NULL);
	exec->has_second = false;
	bed_close(&exec->second_bed);
}
