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
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

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

/* Its promise is over, and it has not been there: how long since. 0: all is well, or the lane has
 * no watchdog. */
static uint64_t late_by(const struct exec *exec, uint32_t lane, uint64_t now)
{
	const uint64_t watched = atomic_load(&exec->node->lane[lane].watched_ns);

	return watched != 0 && now > watched + SECOND_LATE_NS ? now - watched : 0;
}

/* Until the timer is due, or somebody rings. */
static void second_sleep(const struct exec *exec)
{
	struct pollfd fds[] = {{.fd = exec->second_timer, .events = POLLIN},
	    {.fd = exec->second_bell, .events = POLLIN}};
	uint64_t count;

	if (poll(fds, 2, -1) <= 0)
		return;
	for (size_t i = 0; i < 2; i++)
		if (fds[i].revents & POLLIN && read(fds[i].fd, &count, sizeof(count)) < 0)
			continue; /* put off meanwhile */
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
	if (exec->second_bell <= 0)
		exec->second_bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (exec->second_timer <= 0)
		exec->second_timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	exec->has_second = exec->second_bell > 0 && exec->second_timer > 0 &&
	    pthread_create(&exec->second, NULL, second_main, exec) == 0;
}

void second_stop(struct exec *exec)
{
	if (!exec->has_second)
		return;
	atomic_fetch_or(&exec->second_word, WATCHDOG_QUIT);
	eventfd_write(exec->second_bell, 1);
	pthread_join(exec->second, NULL);
	exec->has_second = false;
	close(exec->second_bell);
	close(exec->second_timer);
	exec->second_bell = exec->second_timer = 0;
}
