/* SPDX-License-Identifier: BSD-3-Clause
 *
 * response_core.c - the loop that stands for work, and what a core makes of it: alone, and while
 * the other CPUs, of which one may be a thread of the same core, are full. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "tools/bench/figures.h"
#include "tools/bench/response.h"

enum { ROUNDS = 200000, TRIALS = 20, PAIRS = 41, OTHERS_MAX = 256, WORDS = 2048, CHAINS = 8 };
enum crowd_word { CROWD_RESTS, CROWD_WORKS, CROWD_ENDS };
#define BEGIN_NS 10000000ull /* until all others work */

struct other {
	pthread_t thread;
	_Atomic uint32_t *word;
	_Atomic uint64_t turns;
	uint64_t memory[WORDS];
};

/* On all CPUs that this process may use but the last one. */
struct crowd {
	_Atomic uint32_t word;
	struct other *others;
	size_t n;
};

/* Work is a number of rounds, not a time: what is taken from the process does not count as done. */
void response_work(uint64_t rounds)
{
	uint64_t x = rounds;

	for (uint64_t i = 0; i < rounds; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		__asm__ volatile("" : "+r"(x));
	}
}

static uint64_t rounds_ns(void)
{
	const uint64_t began = clock_ns();

	response_work(ROUNDS);
	return clock_ns() - began;
}

/* ---- the others ------------------------------------------------------------------------ */

/* Several chains of multiplications with loads and stores: what fills a core's units best. */
static void units_fill(uint64_t *memory)
{
	uint64_t sum[CHAINS] = {1, 2, 3, 4, 5, 6, 7, 8};

	for (size_t i = 0; i < WORDS; i += CHAINS)
		for (size_t c = 0; c < CHAINS; c++) {
			sum[c] = sum[c] * 6364136223846793005ull + memory[i + c];
			memory[i + c] = sum[c];
		}
	__asm__ volatile("" ::"r"(memory) : "memory");
}

static void *other_main(void *self)
{
	struct other *other = self;

	for (;;) {
		while (atomic_load(other->word) == CROWD_RESTS)
			futex_wait(other->word, CROWD_RESTS, 0);
		if (atomic_load(other->word) == CROWD_ENDS)
			return NULL;
		units_fill(other->memory);
		atomic_fetch_add(&other->turns, 1);
	}
}

static bool other_start(struct crowd *crowd, int cpu)
{
	struct other *other = &crowd->others[crowd->n];
	pthread_attr_t attr;
	cpu_set_t set;
	bool started;

	other->word = &crowd->word;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	started = pthread_create(&other->thread, &attr, other_main, other) == 0;
	pthread_attr_destroy(&attr);
	crowd->n += started;
	return started;
}

static void crowd_say(struct crowd *crowd, enum crowd_word word)
{
	atomic_store(&crowd->word, word);
	futex_wake(&crowd->word, (int)crowd->n);
}

static void crowd_end(struct crowd *crowd)
{
	crowd_say(crowd, CROWD_ENDS);
	for (size_t i = 0; i < crowd->n; i++)
		pthread_join(crowd->others[i].thread, NULL);
	free(crowd->others);
}

/* The calling thread is left on the last CPU. */
static bool crowd_start(struct crowd *crowd, const cpu_set_t *allowed)
{
	int last = CPU_SETSIZE - 1;
	bool whole = true;
	cpu_set_t mine;

	while (last > 0 && !CPU_ISSET((size_t)last, allowed))
		last--;
	CPU_ZERO(&mine);
	CPU_SET((size_t)last, &mine);
	crowd->others = calloc(OTHERS_MAX, sizeof(*crowd->others));
	if (crowd->others == NULL || sched_setaffinity(0, sizeof(mine), &mine) < 0)
		return false;
	for (int cpu = 0; cpu < last && whole; cpu++)
		if (CPU_ISSET((size_t)cpu, allowed))
			whole = crowd->n < OTHERS_MAX && other_start(crowd, cpu);
	return whole && crowd->n > 0;
}

/* Each has made a turn since it was called; false: not in time. */
static bool crowd_turns(const struct crowd *crowd, uint64_t until_ns)
{
	for (size_t i = 0; i < crowd->n; i++) {
		const uint64_t before = atomic_load(&crowd->others[i].turns);

		while (atomic_load(&crowd->others[i].turns) == before)
			if (clock_ns() > until_ns)
				return false;
	}
	return true;
}

/* ---- a core ------------------------------------------------------------------------ */

/* By the best times and by the times in turns, whichever says more: the best ones know nothing of
 * what others took, those in turns nothing of single stalls. */
static double slowed_of(const double *alone, const double *beside, size_t n)
{
	double ratios[PAIRS], least_alone = alone[0], least_beside = beside[0], slow;

	for (size_t i = 0; i < n; i++) {
		ratios[i] = beside[i] / alone[i];
		least_alone = alone[i] < least_alone ? alone[i] : least_alone;
		least_beside = beside[i] < least_beside ? beside[i] : least_beside;
	}
	slow = median(ratios, n);
	if (least_beside / least_alone > slow)
		slow = least_beside / least_alone;
	if (slow <= 1)
		return 0;
	return 1 - 1 / slow < RESPONSE_SLOWED_MOST ? 1 - 1 / slow : RESPONSE_SLOWED_MOST;
}

static double slowed_measure(struct crowd *crowd)
{
	double alone[PAIRS], beside[PAIRS];
	size_t n = 0;

	for (int i = 0; i < PAIRS; i++) {
		bool worked;

		alone[n] = (double)rounds_ns();
		crowd_say(crowd, CROWD_WORKS);
		worked = crowd_turns(crowd, clock_ns() + BEGIN_NS);
		beside[n] = (double)rounds_ns();
		worked = worked && crowd_turns(crowd, clock_ns() + BEGIN_NS);
		crowd_say(crowd, CROWD_RESTS);
		n += worked;
	}
	return n > PAIRS / 2 ? slowed_of(alone, beside, n) : RESPONSE_SLOWED_MOST;
}

void response_core_measure(struct response_core *ret)
{
	struct crowd crowd = {.word = CROWD_RESTS};
	uint64_t least = UINT64_MAX;
	cpu_set_t allowed;

	for (int i = 0; i < TRIALS; i++) {
		const uint64_t ns = rounds_ns();

		least = ns < least ? ns : least;
	}
	*ret = (struct response_core){ROUNDS * 1000000ull / least, RESPONSE_SLOWED_MOST};
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	if (crowd_start(&crowd, &allowed))
		ret->slowed = slowed_measure(&crowd);
	crowd_end(&crowd);
	sched_setaffinity(0, sizeof(allowed), &allowed);
}
