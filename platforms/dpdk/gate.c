/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/dpdk/gate.h"

#include <rte_alarm.h>
#include <rte_ethdev.h>
#include <rte_log.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"

enum {
	LOOK_US = 500, /* how often the held thread looks */
	/* It is at its events until the next alarm, which is due at once. A thread that slept here
	 * would wait for a CPU behind whoever polls there, and nobody could send meanwhile. */
	EVENTS_US = 1,
	EVENTS_DOWN_US = 10000, /* while every port waits for its peer: there is nothing to keep */
	INSIDE_US = 5
};
#define QUIET_NS 5000000ull      /* a port is quiet: nothing has moved for so long */
#define QUIET_DOWN_NS 1000000ull /* a port whose peer is not there */
#define OTHERS_NS 1000000000ull  /* let go once in so long while other ports are busy */
#define OTHERS_DOWN_NS 10000000ull
#define TRY_NS 500000000ull /* a server that has ended is asked again */

/* DPDK has one such thread for a process, hence this. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate *gates;
static bool runs;
static _Atomic bool leave; /* somebody wants something of the thread */
static uint64_t held_ns;   /* since when it is held */

static bool is_up(const struct gate *gate)
{
	struct rte_eth_link link = {0};

	return rte_eth_link_get_nowait(gate->port, &link) == 0 &&
	    link.link_status == RTE_ETH_LINK_UP;
}

static bool is_quiet(struct gate *gate, uint64_t now, bool up)
{
	const uint32_t moved = atomic_load_explicit(&gate->moved, memory_order_relaxed);

	if (moved != gate->seen) {
		gate->seen = moved;
		gate->quiet_ns = now;
	}
	return now - gate->quiet_ns >= (up ? QUIET_NS : QUIET_DOWN_NS);
}

/* Whether the thread is to be let go; whether all ports wait for their peers. */
static bool release_due(uint64_t now, bool *ret_down)
{
	bool all = true, any = false, any_down = false;

	*ret_down = true;
	for (struct gate *gate = gates; gate != NULL; gate = gate->next) {
		const bool up = is_up(gate), quiet = is_quiet(gate, now, up);

		any_down |= !up;
		*ret_down &= !up;
		all &= quiet;
		any |= quiet;
	}
	return atomic_load(&leave) || (all && now - held_ns >= LOOK_US * 1000) ||
	    (any && now - held_ns >= (any_down ? OTHERS_DOWN_NS : OTHERS_NS));
}

static void set_away(bool away)
{
	for (struct gate *gate = gates; gate != NULL; gate = gate->next)
		atomic_store(&gate->away, away);
	for (struct gate *gate = gates; away && gate != NULL; gate = gate->next)
		while (atomic_load(&gate->inside))
			usleep(INSIDE_US);
}

/* The driver connects a client when its port starts, and never again. */
static void connect_again(struct gate *gate, uint64_t now)
{
	const int level = rte_log_get_level(rte_log_register("pmd.net.memif"));

	if (!gate->client || is_up(gate) || now - gate->quiet_ns < TRY_NS ||
	    now - gate->tried_ns < TRY_NS)
		return;
	gate->tried_ns = now;
	rte_log_set_level_pattern("pmd.net.memif", RTE_LOG_CRIT); /* that nobody is there yet */
	atomic_store(&gate->stopped, true);
	rte_eth_dev_stop(gate->port);
	atomic_store(&gate->stopped, rte_eth_dev_start(gate->port) != 0);
	rte_log_set_level_pattern("pmd.net.memif", (uint32_t)level);
}

static void thread_hold(void *self)
{
	bool down = false;
	uint64_t now;

	(void)self;
	pthread_mutex_lock(&lock);
	set_away(false);
	for (held_ns = now = clock_ns(); gates != NULL && !release_due(now, &down);
	     now = clock_ns()) {
		pthread_mutex_unlock(&lock);
		usleep(LOOK_US);
		pthread_mutex_lock(&lock);
	}
	set_away(true);
	atomic_store(&leave, false);
	for (struct gate *gate = gates; gate != NULL; gate = gate->next)
		connect_again(gate, now);
	runs = gates != NULL &&
	    rte_eal_alarm_set(down ? EVENTS_DOWN_US : EVENTS_US, thread_hold, NULL) == 0;
	if (!runs)
		set_away(false);
	pthread_mutex_unlock(&lock);
}

/* The thread was bound to the CPUs of the thread that started the environment, where a lane may
 * leave it no time: any CPU will do. */
static void thread_begin(void *self)
{
	cpu_set_t cpus;

	(void)self;
	memset(&cpus, 0xff, sizeof(cpus));
	(void)sched_setaffinity(0, sizeof(cpus), &cpus);
	thread_hold(NULL);
}

int gate_open(struct gate *gate, uint16_t port, bool client)
{
	int rc = 0;

	*gate = (struct gate){.port = port, .client = client, .quiet_ns = clock_ns()};
	pthread_mutex_lock(&lock);
	gate->next = gates;
	gates = gate;
	atomic_store(&gate->away, runs && gate->next && atomic_load(&gate->next->away));
	if (!runs) {
		rc = rte_eal_alarm_set(1, thread_begin, NULL);
		runs = rc == 0;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

void gate_close(struct gate *gate)
{
	struct gate **at = &gates;

	pthread_mutex_lock(&lock);
	while (*at != NULL && *at != gate)
		at = &(*at)->next;
	if (*at != NULL)
		*at = gate->next;
	atomic_store(&leave, true);
	pthread_mutex_unlock(&lock);
}
