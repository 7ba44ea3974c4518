/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mappers of many units: the contiguous cut held against a plain table of all cuts, and what
 * the mappers look at counted, which may not grow with the square of the units. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/map/mapper.h"

enum { UNITS = 24, CORES = 4 };

/* ---- the contiguous cut ------------------------------------------------------------------- */

struct cut {
	double demand[UNITS * CORES], capacity[CORES];
	uint32_t pool[CORES * CORES];
	double bandwidth[1];
	struct mapping_problem problem;
};

static uint32_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* Whole numbers, so that sums are exact and many cuts are as good as each other. */
static void cut_make(struct cut *c, uint64_t seed)
{
	uint64_t state = seed;
	const uint32_t spread = 1 + next(&state) % 5;

	memset(c, 0, sizeof(*c));
	c->problem = (struct mapping_problem){.n_units = 1 + next(&state) % UNITS,
	    .n_cores = 1 + next(&state) % CORES,
	    .n_pools = 1,
	    .demand = c->demand,
	    .capacity = c->capacity,
	    .pool = c->pool,
	    .bandwidth = c->bandwidth,
	    .q = 1};
	c->bandwidth[0] = INFINITY;
	for (size_t i = 0; i < c->problem.n_cores; i++)
		c->capacity[i] = next(&state) % 8 == 0 ? 0 : 4 + next(&state) % 40;
	for (size_t i = 0; i < c->problem.n_units * c->problem.n_cores; i++)
		c->demand[i] = next(&state) % 24 == 0 ? INFINITY : next(&state) % spread;
}

struct plain {
	uint32_t runs, begin;
	double load;
};

/* Every begin of every run, the shortest run first. */
static bool plain_cut(const struct mapping_problem *p, uint32_t *ret_cores)
{
	struct plain best[CORES + 1][UNITS + 1] = {0};
	uint32_t end = (uint32_t)p->n_units;

	for (uint32_t n = 1; n <= p->n_units; n++)
		best[0][n].runs = MAPPING_NONE;
	for (size_t core = 0; core < p->n_cores; core++)
		for (uint32_t n = 0; n <= p->n_units; n++) {
			struct plain *now = &best[core + 1][n];
			double load = 0;

			*now = best[core][n];
			now->begin = n;
			for (uint32_t b = n; b-- > 0;) {
				struct plain run = best[core][b];

				load += p->demand[b * p->n_cores + core];
				if (!(load <= p->capacity[core]))
					break;
				if (run.runs == MAPPING_NONE)
					continue;
				run.runs++;
				run.begin = b;
				run.load = fmax(
				    run.load, p->capacity[core] > 0 ? load / p->capacity[core] : 0);
				if (run.runs < now->runs ||
				    (run.runs == now->runs && run.load < now->load))
					*now = run;
			}
		}
	if (best[p->n_cores][end].runs == MAPPING_NONE)
		return false;
	for (size_t core = p->n_cores; core-- > 0;)
		for (const uint32_t begin = best[core + 1][end].begin; end > begin;)
			ret_cores[--end] = (uint32_t)core;
	return true;
}

static void chain_is_the_best_cut(void **state)
{
	unsigned found = 0, none = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20000; seed++) {
		uint32_t got[UNITS] = {0}, wanted[UNITS] = {0};
		struct mapper_result result;
		struct cut c;
		bool there;

		cut_make(&c, seed);
		there = plain_cut(&c.problem, wanted);
		assert_int_equal(mapper_run(MAPPER_CHAIN, &c.problem, 0, got, &result), 0);
		assert_int_equal(result.cost < INFINITY, there);
		if (there)
			assert_memory_equal(got, wanted, c.problem.n_units * sizeof(*got));
		found += there;
		none += !there;
	}
	assert_true(found > 1000 && none > 1000);
}

/* Tenths are not binary numbers: ten of them fill a core of 1, wherever they begin, and what is cut
 * in two is cut in the middle. */
static void sums_are_rounded_once(void **state)
{
	double demand[2 * 5000], capacity[2] = {250, 250};
	uint32_t pool[4] = {0}, cores[5000];
	const double bandwidth[1] = {INFINITY};
	const struct mapping_problem problem = {
	    5000, 2, 1, 0, demand, capacity, pool, bandwidth, NULL, 1};
	struct mapper_result result;

	(void)state;
	for (size_t i = 0; i < 2 * 5000; i++)
		demand[i] = 0.1;
	assert_int_equal(mapper_run(MAPPER_CHAIN, &problem, 0, cores, &result), 0);
	assert_true(result.cost < INFINITY);
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(cores[i], i >= 2500);
}

/* ---- what is looked at ------------------------------------------------------------------- */

struct looked {
	double *demand;
	struct mapping_link *links;
	uint32_t *order, *cores;
	struct mapping_problem problem;
	struct mapping_graph graph;
	struct mapping_state state;
};

/* A chain of n units that two cores hold, or that one holds. */
static void chain_open(struct looked *c, uint32_t n, double capacity)
{
	static const uint32_t pool[4] = {MAPPING_NONE, 0, 0, MAPPING_NONE};
	static const double bandwidth[1] = {INFINITY};
	double *capacities = malloc(2 * sizeof(*capacities));

	*c = (struct looked){.demand = malloc(2 * n * sizeof(double)),
	    .links = malloc(n * sizeof(struct mapping_link)),
	    .order = malloc(n * sizeof(uint32_t)),
	    .cores = malloc(n * sizeof(uint32_t))};
	capacities[0] = capacities[1] = capacity;
	for (uint32_t i = 0; i < n; i++) {
		c->demand[2 * i] = c->demand[2 * i + 1] = 1;
		c->links[i] = (struct mapping_link){i, i + 1, 1};
		c->order[i] = i;
	}
	c->problem = (struct mapping_problem){
	    n, 2, 1, n - 1, c->demand, capacities, pool, bandwidth, c->links, 0.5};
	assert_int_equal(mapping_graph_init(&c->graph, &c->problem), 0);
	assert_int_equal(mapping_state_init(&c->state, &c->problem, &c->graph), 0);
}

static void chain_close(struct looked *c)
{
	mapping_state_fini(&c->state);
	mapping_graph_fini(&c->graph);
	free((void *)(uintptr_t)c->problem.capacity);
	free(c->demand);
	free(c->links);
	free(c->order);
	free(c->cores);
}

static void looks_grow_with_the_units(void **state)
{
	enum { N = 20000, LOG_N = 15 };

	(void)state;
	for (int parts = 1; parts <= 2; parts++) {
		struct looked c;

		chain_open(&c, N, parts == 1 ? 2.0 * N : 0.6 * N);
		assert_int_equal(mapper_chain(&c.state, c.cores), 0);
		assert_true(c.state.looks <= 2ull * N * (LOG_N + 6));
		for (unsigned window = 1; window <= 3; window++) {
			c.state.looks = 0;
			assert_int_equal(mapper_survivors(&c.state, c.order, window, c.cores), 0);
			/* each of two survivors is taken over twice, with the end of the chain */
			assert_true(c.state.looks > 0 && c.state.looks <= 4ull * N);
			assert_true(mapping_cost(&c.state, c.cores) < INFINITY);
		}
		chain_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(chain_is_the_best_cut),
	    cmocka_unit_test(sums_are_rounded_once),
	    cmocka_unit_test(looks_grow_with_the_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
