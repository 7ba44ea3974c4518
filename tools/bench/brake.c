/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/brake.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"

enum { PRIORITY = 98, MEASURE_PRIORITY = 40, MEASURE_NS = 200000000 };

struct brake_one {
	struct brake *brake;
	int cpu;
};

static void *brake_main(void *self)
{
	const struct brake_one one = *(struct brake_one *)self;
	const uint64_t taken_ns = (uint64_t)((1 - one.brake->share) * BRAKE_PERIOD_NS);
	uint64_t at = clock_ns();

	free(self);
	while (!atomic_load(&one.brake->ends)) {
		const uint64_t until = at + taken_ns;

		while (clock_ns() < until)
			;
		at += BRAKE_PERIOD_NS;
		if (at < clock_ns()) /* the machine stood still */
			at = clock_ns();
		clock_sleep_until(at);
	}
	return NULL;
}

static int thread_start(struct brake *brake, int cpu)
{
	struct brake_one *one = malloc(sizeof(*one));
	const struct sched_param param = {.sched_priority = PRIORITY};
	pthread_attr_t attr;
	cpu_set_t set;
	int rc;

	if (!one)
		return -ENOMEM;
	*one = (struct brake_one){brake, cpu};
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &param);
	rc = -pthread_create(&brake->threads[brake->n], &attr, brake_main, one);
	pthread_attr_destroy(&attr);
	if (rc == 0)
		brake->cpus[brake->n++] = cpu;
	else
		free(one);
	return rc;
}

int brake_start(struct brake *brake, const int *cpus, size_t n, double share)
{
	int rc = 0;

	*brake = (struct brake){.share = share};
	for (size_t i = 0; i < n && i < BRAKE_CPUS_MAX && rc == 0; i++)
		rc = thread_start(brake, cpus[i]);
	if (rc < 0)
		brake_stop(brake);
	return rc;
}

void brake_stop(struct brake *brake)
{
	atomic_store(&brake->ends, true);
	while (brake->n > 0)
		pthread_join(brake->threads[--brake->n], NULL);
}

static void *share_main(void *self)
{
	const uint64_t began = clock_ns();
	uint64_t now = began, before, got = 0;

	while (now < began + MEASURE_NS) {
		before = now;
		now = clock_ns();
		if (now - before < 5000) /* nobody else ran between */
			got += now - before;
	}
	*(double *)self = (double)got / (double)(now - began);
	return NULL;
}

double brake_share(int cpu)
{
	const struct sched_param param = {.sched_priority = MEASURE_PRIORITY};
	double share = 0;
	pthread_attr_t attr;
	pthread_t thread;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &param);
	if (pthread_create(&thread, &attr, share_main, &share) == 0)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	return share;
}
