/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/brake.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/kernels/mac.h"
#include "tools/bench/figures.h"

enum {
	PRIORITY = 98,
	MEASURE_PRIORITY = 40,
	MEASURE_BLOCKS = 15,
	MEASURE_NS = 20000000,
	MEASURE_MACS = 1000
};

static void stall_look(struct brake_one *one, uint64_t from_ns, uint64_t to_ns)
{
	if (to_ns > from_ns + BRAKE_STALL_NS && one->n < BRAKE_STALLS_MAX)
		one->stalls[one->n++] = (struct brake_stall){from_ns, to_ns};
}

/* Others have the CPU first, then this thread. After a stall they have their part as ever. */
static void *brake_main(void *self)
{
	struct brake_one *one = self;
	const uint64_t left_ns = (uint64_t)(one->share * BRAKE_PERIOD_NS);
	uint64_t end = clock_ns(), now = end;

	while (!atomic_load(one->ends)) {
		uint64_t before;

		if (end + left_ns / 2 < now)
			end = now;
		clock_sleep_until(end + left_ns);
		now = clock_ns();
		stall_look(one, end + left_ns, now);
		end += BRAKE_PERIOD_NS;
		while (now < end) {
			before = now;
			now = clock_ns();
			stall_look(one, before, now);
		}
	}
	return NULL;
}

static int thread_start(
    pthread_t *thread, int cpu, int priority, void *(*thread_main)(void *), void *self)
{
	const struct sched_param param = {.sched_priority = priority};
	pthread_attr_t attr;
	cpu_set_t set;
	int rc;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &param);
	rc = -pthread_create(thread, &attr, thread_main, self);
	pthread_attr_destroy(&attr);
	return rc;
}

int brake_start(struct brake *brake, const int *cpus, const double *shares, size_t n)
{
	int rc = 0;

	brake->n = 0;
	brake->from_ns = clock_ns();
	atomic_store(&brake->ends, false);
	for (size_t i = 0; i < n && i < BRAKE_CPUS_MAX && rc == 0; i++) {
		struct brake_one *one = &brake->one[i];

		one->share = shares[i];
		one->ends = &brake->ends;
		one->n = 0;
		rc = thread_start(&one->thread, cpus[i], PRIORITY, brake_main, one);
		brake->n += rc == 0;
	}
	if (rc < 0)
		brake_stop(brake);
	return rc;
}

void brake_stop(struct brake *brake)
{
	if (atomic_exchange(&brake->ends, true))
		return;
	for (size_t i = 0; i < brake->n; i++)
		pthread_join(brake->one[i].thread, NULL);
}

/* The MMAC/s that this thread gets of the core; what others take of the core counts. */
static double rate_got(const struct mac_data *data)
{
	const uint64_t start = clock_ns();
	uint64_t macs = 0, now = start;
	volatile float sum; /* someone must want the result */

	for (; now - start < MEASURE_NS; macs += MEASURE_MACS, now = clock_ns())
		sum = mac_run(data, MEASURE_MACS);
	(void)sum;
	return (double)macs * 1e3 / (double)(now - start);
}

/* The median of many: a machine that stands still meanwhile is none that is slower. */
static void *rate_main(void *self)
{
	double rates[MEASURE_BLOCKS];
	struct mac_data data;

	mac_init(&data);
	for (int i = 0; i < MEASURE_BLOCKS; i++)
		rates[i] = rate_got(&data);
	*(double *)self = median(rates, MEASURE_BLOCKS);
	return NULL;
}

double brake_rate(int cpu)
{
	double rate = 0;
	pthread_t thread;

	if (thread_start(&thread, cpu, MEASURE_PRIORITY, rate_main, &rate) == 0)
		pthread_join(thread, NULL);
	return rate;
}

static bool number_read(const char *path, double *ret)
{
	FILE *file = fopen(path, "re");
	const bool is_read = file && fscanf(file, "%lf", ret) == 1;

	if (file)
		fclose(file);
	return is_read;
}

double brake_realtime_share(void)
{
	double runtime, period;

	if (!number_read("/proc/sys/kernel/sched_rt_runtime_us", &runtime) ||
	    !number_read("/proc/sys/kernel/sched_rt_period_us", &period) || runtime < 0 ||
	    period <= 0)
		return 1;
	return runtime / period;
}

static bool one_touches(
    const struct brake_one *one, double longer, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t s = 0; s < one->n; s++) {
		const struct brake_stall *stall = &one->stalls[s];
		const double ns = (double)(stall->to_ns - stall->from_ns) * longer;

		if (stall->from_ns < to_ns && stall->from_ns + (uint64_t)ns > from_ns)
			return true;
	}
	return false;
}

size_t brake_touched(
    const struct brake *brake, const double *longer, uint64_t slot_ns, size_t slots)
{
	size_t n = 0;

	for (size_t slot = 0; slot < slots; slot++) {
		const uint64_t from_ns = brake->from_ns + slot * slot_ns;
		bool touched = false;

		for (size_t i = 0; i < brake->n && !touched; i++)
			touched =
			    one_touches(&brake->one[i], longer[i], from_ns, from_ns + slot_ns);
		n += touched;
	}
	return n;
}

uint64_t brake_stalled_ns(const struct brake *brake)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < brake->n; i++)
		for (size_t s = 0; s < brake->one[i].n; s++)
			sum += brake->one[i].stalls[s].to_ns - brake->one[i].stalls[s].from_ns;
	return sum;
}
