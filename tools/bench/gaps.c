/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/gaps.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"

enum { GAPS_MAX = 8192, POLL_NS = 250000, LATE_NS = 150000, IDLE_LATE_NS = 20000, PRIORITY = 60 };

struct gap {
	uint64_t from_ns, to_ns;
};

struct watch { /* of one CPU; written by its thread */
	pthread_t thread;
	int cpu;
	bool running;
	_Atomic bool able, quit;
	uint64_t from_ns, to_ns; /* watched */
	_Atomic size_t n;
	struct gap seen[GAPS_MAX];
};

struct gaps {
	size_t n;
	struct watch watches[];
};

static bool thread_prepare(const struct watch *watch, bool above)
{
	platform_no_slack();
	return platform_pin(watch->cpu) == 0 && (!above || platform_realtime(0, PRIORITY) == 0);
}

static void gap_add(struct watch *watch, uint64_t from_ns, uint64_t to_ns)
{
	const size_t n = watch->n;

	if (n == GAPS_MAX)
		return;
	watch->seen[n] = (struct gap){from_ns, to_ns};
	watch->n = n + 1;
}

static void *watch_above(void *self)
{
	struct watch *watch = self;

	watch->able = thread_prepare(watch, true);
	watch->from_ns = clock_ns();
	while (!watch->quit) {
		const uint64_t wanted = clock_ns() + POLL_NS;
		uint64_t now;

		clock_sleep_until(wanted);
		now = clock_ns();
		if (now > wanted + LATE_NS)
			gap_add(watch, wanted, now);
	}
	watch->to_ns = clock_ns();
	return NULL;
}

static void *watch_idle(void *self)
{
	struct watch *watch = self;
	uint64_t last, now;

	watch->able = thread_prepare(watch, false);
	last = watch->from_ns = clock_ns();
	for (; !watch->quit; last = now) {
		now = clock_ns();
		if (now > last + IDLE_LATE_NS)
			gap_add(watch, last, now);
	}
	watch->to_ns = last;
	return NULL;
}

static struct gaps *watches_start(const int *cpus, size_t n, void *(*watch_main)(void *))
{
	struct gaps *gaps = calloc(1, sizeof(*gaps) + n * sizeof(gaps->watches[0]));

	for (size_t i = 0; gaps && i < n; i++) {
		struct watch *watch = &gaps->watches[i];
		watch->cpu = cpus[i];
		watch->running = pthread_create(&watch->thread, NULL, watch_main, watch) == 0;
		if (!watch->running) {
			gaps_stop(gaps);
			gaps_free(gaps);
			return NULL;
		}
		gaps->n++;
	}
	return gaps;
}

struct gaps *gaps_start(const int *cpus, size_t n)
{
	return watches_start(cpus, n, watch_above);
}

struct gaps *gaps_start_idle(int cpu)
{
	return watches_start(&cpu, 1, watch_idle);
}

void gaps_stop(struct gaps *gaps)
{
	for (size_t i = 0; gaps && i < gaps->n; i++)
		gaps->watches[i].quit = true;
	for (size_t i = 0; gaps && i < gaps->n; i++) {
		if (gaps->watches[i].running)
			pthread_join(gaps->watches[i].thread, NULL);
		gaps->watches[i].running = false;
	}
}

void gaps_free(struct gaps *gaps)
{
	free(gaps);
}

bool gaps_able(const struct gaps *gaps)
{
	for (size_t i = 0; i < gaps->n; i++)
		if (!gaps->watches[i].able)
			return false;
	return true;
}

bool gaps_between(const struct gaps *gaps, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t w = 0; w < gaps->n; w++)
		for (size_t i = 0; i < gaps->watches[w].n; i++) {
			const struct gap *gap = &gaps->watches[w].seen[i];
			if (gap->from_ns < to_ns && gap->to_ns > from_ns)
				return true;
		}
	return false;
}

size_t gaps_count(const struct gaps *gaps)
{
	size_t n = 0;

	for (size_t w = 0; w < gaps->n; w++)
		n += gaps->watches[w].n;
	return n;
}

uint64_t gaps_longest_ns(const struct gaps *gaps)
{
	uint64_t longest = 0;

	for (size_t w = 0; w < gaps->n; w++)
		for (size_t i = 0; i < gaps->watches[w].n; i++) {
			const struct gap *gap = &gaps->watches[w].seen[i];
			longest = gap->to_ns - gap->from_ns > longest ? gap->to_ns - gap->from_ns
			                                              : longest;
		}
	return longest;
}

double gaps_share(const struct gaps *gaps)
{
	double sum = 0;

	for (size_t w = 0; w < gaps->n; w++) {
		const struct watch *watch = &gaps->watches[w];
		uint64_t away_ns = 0;
		for (size_t i = 0; i < watch->n; i++)
			away_ns += watch->seen[i].to_ns - watch->seen[i].from_ns;
		sum += watch->to_ns > watch->from_ns
		    ? (double)away_ns / (double)(watch->to_ns - watch->from_ns)
		    : 0;
	}
	return gaps->n ? sum / (double)gaps->n : 0;
}
