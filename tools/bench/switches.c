/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/switches.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/base/clock.h"
#include "core/platform/perf.h"
#include "core/platform/platform.h"
#include "tools/bench/figures.h"

enum {
	WAKES = 250, /* of a stretch */
	EVERY_NS = 1000000,
	GAP_NS = 500,
	PRIORITY = PLATFORM_PRIORITY_LANE,
	NICE = -20, /* of the reader, where real-time priority is refused */
};

struct stretch {
	int cpu, error;
	atomic_bool over;
	uint64_t woken_ns[WAKES];
	/* of each wake-up that was in one */
	double gap_us[WAKES];
	_Atomic size_t n_woken;
	size_t n;
};

static void *wake_main(void *self)
{
	struct stretch *stretch = self;
	uint64_t at;

	stretch->error = platform_pin(stretch->cpu);
	if (stretch->error == 0)
		stretch->error = platform_realtime(0, PRIORITY);
	at = clock_ns();
	for (size_t i = 0; i < WAKES && stretch->error == 0; i++) {
		at += EVERY_NS;
		clock_sleep_until(at);
		stretch->woken_ns[i] = clock_ns();
		atomic_store(&stretch->n_woken, i + 1);
	}
	atomic_store(&stretch->over, true);
	return NULL;
}

/* The wake-up has to be in the gap, so the reader was interrupted by it. */
static void gap_take(struct stretch *stretch, uint64_t from, uint64_t to, size_t *seen)
{
	const size_t woken = atomic_load(&stretch->n_woken);

	for (; *seen < woken && stretch->woken_ns[*seen] < to; (*seen)++)
		if (stretch->woken_ns[*seen] > from)
			stretch->gap_us[stretch->n++] = (double)(to - from) / 1e3;
}

static void *read_main(void *self)
{
	struct stretch *stretch = self;
	uint64_t last, now;
	size_t seen = 0;

	if (platform_pin(stretch->cpu) != 0)
		return NULL;
	if (platform_realtime(0, 1) != 0)
		setpriority(PRIO_PROCESS, 0, NICE); /* of this thread alone */
	for (last = clock_ns(); !atomic_load(&stretch->over); last = now) {
		now = clock_ns();
		if (now - last > GAP_NS)
			gap_take(stretch, last, now, &seen);
	}
	return NULL;
}

/* The median gap in microseconds. */
static double stretch_run(int cpu, size_t *ret_n, int *ret_error)
{
	struct stretch *stretch = calloc(1, sizeof(*stretch));
	pthread_t reader, waker;
	double us = 0;

	*ret_error = stretch ? 0 : -ENOMEM;
	if (!stretch)
		return 0;
	stretch->cpu = cpu;
	if (pthread_create(&waker, NULL, wake_main, stretch) != 0) {
		*ret_error = -EAGAIN;
	} else {
		const bool reads = pthread_create(&reader, NULL, read_main, stretch) == 0;

		pthread_join(waker, NULL);
		if (reads)
			pthread_join(reader, NULL);
		*ret_error = reads ? stretch->error : -EAGAIN;
		*ret_n = stretch->n;
		us = median(stretch->gap_us, stretch->n);
	}
	free(stretch);
	return us;
}

static int recorded_run(int cpu, struct switches *ret, double *ret_us)
{
	struct perf_ring ring = PERF_RING_NONE;
	size_t n = 0;
	int rc = platform_perf_open(cpu, &ring);

	if (rc < 0)
		return rc;
	ret->sources = 0;
	for (int s = 0; s < PERF_SOURCES; s++)
		ret->sources += ring.fd[s] >= 0;
	*ret_us = stretch_run(cpu, &n, &rc);
	ret->wakes += n;
	platform_perf_close(&ring);
	return rc;
}

int switches_measure(int cpu, size_t rounds, struct switches *ret)
{
	int rc = 0;

	*ret = (struct switches){0};
	for (size_t r = 0; r < rounds && r < SWITCHES_ROUNDS_MAX && rc == 0; r++) {
		size_t n;

		for (int turn = 0; turn < 2 && rc == 0; turn++)
			if ((turn + r) % 2 == 0)
				ret->off_us[r] = stretch_run(cpu, &n, &rc);
			else
				rc = recorded_run(cpu, ret, &ret->on_us[r]);
		ret->rounds += rc == 0;
	}
	return rc;
}
