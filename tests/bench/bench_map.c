/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mappers: how many of the problems that have a solution each solves, how far from the cheapest, in what time.
 * SEEDS=1000 problems for each load (tests/common/mapping_random.h). A problem counts when `exact` has found a mapping, or
 * proven within its limit that there is none; those where it ran out of steps are printed and count nowhere. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "tests/common/mapping_random.h"

enum { EXACT_STEPS = 50000000, LARGE_UNITS = 1000, LARGE_CORES = 100 };

struct tally {
	unsigned solved;
	double ratio, worst; /* cost over the cheapest */
	uint64_t ns, ns_max;
};

static void count(struct tally *tally, const struct mapper_result *result, double cheapest, uint64_t ns)
{
	tally->ns += ns;
	tally->ns_max = ns > tally->ns_max ? ns : tally->ns_max;
	if (result->cost == INFINITY)
		return;
	tally->solved++;
	tally->ratio += result->cost / cheapest;
	tally->worst = fmax(tally->worst, result->cost / cheapest);
}

static void run(const struct mapping_problem *problem, enum mapper mapper, uint64_t limit, struct mapper_result *result,
		uint64_t *ns)
{
	uint32_t cores[LARGE_UNITS];
	const uint64_t begin = clock_ns();

	if (mapper_run(mapper, problem, limit, cores, result) != 0)
		exit(1);
	*ns = clock_ns() - begin;
}

static void run_load(double load, double q, unsigned seeds)
{
	struct tally tallies[MAPPERS] = {0};
	unsigned feasible = 0, infeasible = 0, open = 0;
	struct mapping_random random;
	struct mapper_result result;
	uint64_t ns;

	for (unsigned seed = 1; seed <= seeds; seed++) {
		double cheapest;

		mapping_random_make(&random, seed, load, q);
		run(&random.problem, MAPPER_EXACT, EXACT_STEPS, &result, &ns);
		if (!result.proven) {
			open++;
			continue;
		}
		infeasible += result.cost == INFINITY;
		if (result.cost == INFINITY)
			continue;
		feasible++;
		cheapest = result.cost;
		count(&tallies[MAPPER_EXACT], &result, cheapest, ns);
		for (int mapper = 0; mapper < MAPPERS; mapper++) {
			if (mapper == MAPPER_EXACT)
				continue;
			run(&random.problem, (enum mapper)mapper, MAPPER_STEPS, &result, &ns);
			count(&tallies[mapper], &result, cheapest, ns);
		}
	}
	printf("-- load %.0f %%, q %.1f: %u problems, %u feasible, %u proven infeasible, %u left open by exact (%d "
	       "steps)\n",
	       100 * load, q, seeds, feasible, infeasible, open, EXACT_STEPS);
	printf("   %-10s %8s %18s %10s %12s %12s\n", "mapper", "solved", "mean cost/cheapest", "worst", "mean us",
	       "max us");
	for (int mapper = 0; mapper < MAPPERS && feasible; mapper++) {
		const struct tally *t = &tallies[mapper];
		printf("   %-10s %6.1f %% %18.3f %10.3f %12.1f %12.1f\n", mapper_name((enum mapper)mapper),
		       100.0 * t->solved / feasible, t->solved ? t->ratio / t->solved : 0, t->worst,
		       (double)t->ns / 1e3 / feasible, (double)t->ns_max / 1e3);
	}
}

/* 25 nodes of 4 cores: pools between nodes only, a chain of a thousand units at 80 % load. */
static void run_large(void)
{
	static double demand[LARGE_UNITS * LARGE_CORES], capacity[LARGE_CORES], bandwidth[1 + 25 * 25];
	static uint32_t pool[LARGE_CORES * LARGE_CORES];
	static struct mapping_link links[LARGE_UNITS - 1];
	struct mapping_problem problem = {LARGE_UNITS, LARGE_CORES, 1 + 25 * 25, LARGE_UNITS - 1, demand,
					  capacity,    pool,        bandwidth,   links,           0.5};
	struct mapping_random r = {.state = 1};
	double sum = 0, all = 0;
	struct mapper_result result;
	uint64_t ns;

	bandwidth[0] = INFINITY;
	for (int i = 1; i <= 25 * 25; i++)
		bandwidth[i] = 40;
	for (uint32_t a = 0; a < LARGE_CORES; a++) {
		all += capacity[a] = mapping_random_real(&r, 1000, 3000);
		for (uint32_t b = 0; b < LARGE_CORES; b++)
			pool[a * LARGE_CORES + b] = a / 4 == b / 4 ? 0 : 1 + a / 4 * 25 + b / 4;
	}
	for (size_t i = 0; i < LARGE_UNITS; i++)
		sum += demand[i * LARGE_CORES] = exp(mapping_random_real(&r, 0, log(20)));
	for (size_t i = 0; i < LARGE_UNITS; i++)
		for (size_t core = LARGE_CORES; core-- > 0;)
			demand[i * LARGE_CORES + core] = demand[i * LARGE_CORES] * 0.8 * all / sum;
	for (uint32_t i = 0; i + 1 < LARGE_UNITS; i++)
		links[i] = (struct mapping_link){i, i + 1, exp(mapping_random_real(&r, 0, log(20)))};
	printf("-- %d units on %d cores, 80 %% load\n", LARGE_UNITS, LARGE_CORES);
	for (int mapper = 0; mapper < MAPPERS; mapper++) {
		run(&problem, (enum mapper)mapper, MAPPER_STEPS, &result, &ns);
		printf("   %-10s cost %10.2f %s %8.1f ms, %llu steps\n", mapper_name((enum mapper)mapper), result.cost,
		       result.tired ? "(limit)" : "       ", (double)ns / 1e6, (unsigned long long)result.steps);
	}
}

int main(void)
{
	const char *text = getenv("SEEDS");
	const unsigned seeds = text ? (unsigned)atoi(text) : 1000;

	run_load(0.80, 0.5, seeds);
	run_load(0.88, 0.5, seeds);
	run_load(0.93, 0.5, seeds);
	run_large();
	return 0;
}
