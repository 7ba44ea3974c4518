/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/measure/lane_cost.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "core/slot/lane.h"
#include "core/slot/lane_count.h"

enum {
	SEATS = 2,
	TRIES = 5,
	TRY_NS = 2000000,
	TRY_NS_MAX = 1000000000, /* on a machine that others are busy on */
	STOP_NAP_NS = 100000,
	SLOTS_MIN = 100,
	SLOT_NS = 100, /* always over: the next one is due at once */
};

struct cost_seat { /* one seat, with a segment of nothing */
	struct lane_thread thread;
	struct segment segment;
	struct image_segment_state state;
	struct image_event event;
	pthread_t id;
	int cpu;
};

struct cost_trial {
	struct node_image node;
	struct lane_image image;
	struct image_lane_state load;
	struct image_run run;
	struct cost_seat hosts[SEATS];
	unsigned n;
};

/* Whoever waits for the measurement ends it: threads that never sleep must not have the priority
 * that it may have. */
static void *host_main(void *self)
{
	struct cost_seat *host = self;

	platform_demote(0);
	platform_pin(host->cpu);
	lane_run(&host->thread);
	return NULL;
}

static void host_fill(struct cost_trial *trial, unsigned seat, int cpu)
{
	struct cost_seat *host = &trial->hosts[seat];
	struct node_entry *entry = &trial->node.lane[0].entry[seat];

	host->cpu = cpu;
	host->thread.node = &trial->node;
	host->thread.image = &trial->image;
	host->thread.seat = seat;
	host->segment = (struct segment){.state = &host->state,
	    .run = &trial->run,
	    .control = &trial->node.control[0],
	    .lane = &trial->load,
	    .last_of_lane = seat + 1 == trial->n,
	    .shares_lane = trial->n > 1,
	    .events = &host->event,
	    .slot_ns = SLOT_NS,
	    .next_slot = IMAGE_FOREVER};
	segment_stride_set(&host->segment, 1);
	atomic_store(&host->thread.segments[seat], &host->segment);
	entry->seat = seat;
	atomic_store(&entry->live, 1);
}

static void trial_fill(struct cost_trial *trial, unsigned n, int cpu)
{
	trial->n = n;
	trial->node.timebase[0].pace = IMAGE_TIMER;
	trial->node.timebase[0].slot_ns = SLOT_NS;
	trial->node.timebase[0].start_ns = clock_ns();
	atomic_store(&trial->node.control[0].limit, IMAGE_FOREVER);
	atomic_store(&trial->node.control[0].last, IMAGE_FOREVER);
	atomic_store(&trial->run.last, IMAGE_FOREVER);
	atomic_store(&trial->node.lane[0].entries, n);
	/* as if a watchdog looked at it */
	atomic_store(&trial->node.lane[0].watched_ns, IMAGE_FOREVER / 2);
	atomic_store(&trial->image.baton, baton_make(0, BATON_FRESH, 0));
	for (unsigned seat = 0; seat < n; seat++)
		host_fill(trial, seat, cpu);
}

static uint64_t cpu_ns(const struct cost_trial *trial)
{
	uint64_t sum = 0;

	for (unsigned seat = 0; seat < trial->n; seat++) {
		struct timespec now = {0};
		clockid_t clock;

		if (pthread_getcpuclockid(trial->hosts[seat].id, &clock) == 0)
			clock_gettime(clock, &now);
		sum += (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
	return sum;
}

/* CPU time of a slot; 0: too few have run. */
static double slot_cost(const struct cost_trial *trial)
{
	const uint64_t began = clock_ns(), slots = atomic_load(&trial->image.slots),
	               cpu = cpu_ns(trial);
	uint64_t until = began, run;

	do {
		until += TRY_NS;
		clock_sleep_until(until);
		run = atomic_load(&trial->image.slots) - slots;
	} while (run < SLOTS_MIN && clock_ns() < began + TRY_NS_MAX);
	return run < SLOTS_MIN ? 0 : (double)(cpu_ns(trial) - cpu) / (double)run;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One may be about to fall asleep for a baton that the other will not pass on any more. */
static void trial_stop(struct cost_trial *trial, unsigned n)
{
	atomic_store(&trial->node.quit, 1);
	for (unsigned seat = 0; seat < n; seat++)
		while (pthread_tryjoin_np(trial->hosts[seat].id, NULL) == EBUSY) {
			atomic_fetch_add(&trial->image.go[seat], 1);
			futex_wake(&trial->image.go[seat], 1);
			clock_sleep_until(clock_ns() + STOP_NAP_NS);
		}
}

static int trial_run(struct cost_trial *trial, double *ret_ns)
{
	double ns[TRIES];
	unsigned started = 0;
	int rc = 0;

	for (; rc == 0 && started < trial->n; started += rc == 0)
		rc = -pthread_create(
		    &trial->hosts[started].id, NULL, host_main, &trial->hosts[started]);
	for (int i = 0; rc == 0 && i < TRIES; i++) {
		ns[i] = slot_cost(trial);
		rc = ns[i] > 0 ? 0 : -ETIMEDOUT;
	}
	trial_stop(trial, started);
	if (rc == 0) {
		qsort(ns, TRIES, sizeof(ns[0]), by_value);
		*ret_ns = ns[TRIES / 2];
	}
	return rc;
}

/* ns of a slot with n hosts. */
static int slot_measure(unsigned n, int cpu, double *ret_ns)
{
	struct cost_trial *trial = aligned_alloc(64, (sizeof(*trial) + 63) & ~(size_t)63);
	int rc = trial ? 0 : -ENOMEM;

	if (rc == 0) {
		*trial = (struct cost_trial){0};
		trial_fill(trial, n, cpu);
		rc = trial_run(trial, ret_ns);
	}
	free(trial);
	return rc;
}

int lane_cost_measure(struct lane_cost *ret)
{
	const int cpu = sched_getcpu();
	double alone = 0, shared = 0;
	int rc = slot_measure(1, cpu, &alone);

	rc = rc == 0 ? slot_measure(2, cpu, &shared) : rc;
	if (rc == 0)
		*ret = (struct lane_cost){
		    .base_ns = alone, .handover_ns = shared > alone ? (shared - alone) / 2 : 0};
	return rc;
}
