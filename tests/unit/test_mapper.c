/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mappers: a worked example figure for figure, the UTRAN chain on two slow cores, and random
 * problems held against plain enumeration. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tools/bench/mapping_random.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 5e-5)

/* Two cores of 10 and 8, 10 each way; demands 4 3 5 3; links A->B 2, B->C 4, C->D 2. Figures worked
 * out by hand. */
struct example {
	double demand[8], capacity[2], bandwidth[2];
	uint32_t pool[4];
	struct mapping_link links[3];
	struct mapping_problem problem;
};

static void example_make(struct example *e, double q)
{
	*e = (struct example){{4, 4, 3, 3, 5, 5, 3, 3}, {10, 8}, {10, 10},
	    {MAPPING_NONE, 0, 1, MAPPING_NONE}, {{0, 1, 2}, {1, 2, 4}, {2, 3, 2}}, {0}};
	e->problem = (struct mapping_problem){
	    4, 2, 2, 3, e->demand, e->capacity, e->pool, e->bandwidth, e->links, q};
}

static double run(enum mapper mapper, const struct mapping_problem *problem, uint32_t *ret_cores)
{
	struct mapper_result result;

	assert_int_equal(mapper_run(mapper, problem, 0, ret_cores, &result), 0);
	assert_false(result.tired);
	return result.cost;
}

static void check(enum mapper mapper, double q, double cost, const char *cores)
{
	struct example e;
	uint32_t got[4];

	example_make(&e, q);
	NEAR(run(mapper, &e.problem, got), cost);
	for (int i = 0; i < 4 && cores; i++)
		assert_int_equal(got[i] + 1, cores[i] - '0');
}

static void worked_example(void **state)
{
	(void)state;
	check(MAPPER_TW1, 0.5, 1.4625, "1122");
	check(MAPPER_TW2, 0.5, 1.3375, "1221");
	check(MAPPER_EXACT, 0.5, 1.3321, "2112");
	check(MAPPER_TW1, 0.9, 2.0779, NULL);
	check(MAPPER_TW2, 0.9, 2.0725, NULL);
	check(MAPPER_EXACT, 0.9, 2.0725, NULL);
	check(MAPPER_TW1, 0.1, 0.5950, NULL);
	check(MAPPER_TW2, 0.1, 0.5950, NULL);
	check(MAPPER_EXACT, 0.1, 0.5864, NULL);
	check(MAPPER_PORTFOLIO, 0.5, 1.3321, "2112");
}

/* A node (j, i) of the trellis is the problem of the first j units with the last of them on core i
 * alone. */
static void worked_example_nodes(void **state)
{
	static const double nodes[4][2] = {
	    {0.2, 0.25}, {0.45, 0.4875}, {1.1042, 0.9625}, {1.5625, 1.4625}};
	static const char *const cores[4][2] = {
	    {"1", "2"}, {"11", "12"}, {"121", "112"}, {"1121", "1122"}};

	(void)state;
	for (uint32_t j = 0; j < 4; j++) {
		for (uint32_t i = 0; i < 2; i++) {
			struct example e;
			uint32_t got[4];

			example_make(&e, 0.5);
			e.problem.n_units = j + 1;
			e.problem.n_links = j;
			e.demand[2 * j + 1 - i] = INFINITY;
			NEAR(run(MAPPER_TW1, &e.problem, got), nodes[j][i]);
			for (uint32_t k = 0; k <= j; k++)
				assert_int_equal(got[k] + 1, cores[j][i][k] - '0');
		}
	}
}

/* Published kMAC of the 14 components on an ARM of 2000 kMAC in a 10 ms slot; 10 of 100 on every
 * link. */
enum { UTRAN = 14 };

struct utran {
	double demand[2 * UTRAN], capacity[2], bandwidth[2];
	uint32_t pool[4];
	struct mapping_link links[UTRAN - 1];
	struct mapping_problem problem;
};

static void utran_make(struct utran *u, double q)
{
	static const double kmac[UTRAN] = {65.4, 205.8, 403.6, 111.6, 15.2, 78.8, 313.4, 160.2,
	    92.4, 42.6, 171.4, 344.0, 1187.8, 67.8};

	*u = (struct utran){.capacity = {2000, 2000},
	    .bandwidth = {100, 100},
	    .pool = {MAPPING_NONE, 0, 1, MAPPING_NONE}};
	for (uint32_t i = 0; i < UTRAN; i++)
		u->demand[2 * i] = u->demand[2 * i + 1] = kmac[i];
	for (uint32_t i = 0; i + 1 < UTRAN; i++)
		u->links[i] = (struct mapping_link){i, i + 1, 10};
	u->problem = (struct mapping_problem){
	    UTRAN, 2, 2, UTRAN - 1, u->demand, u->capacity, u->pool, u->bandwidth, u->links, q};
}

static void loads(
    const struct utran *u, const uint32_t *cores, double *ret_loads, unsigned *ret_crossings)
{
	ret_loads[0] = ret_loads[1] = 0;
	*ret_crossings = 0;
	for (uint32_t i = 0; i < UTRAN; i++)
		ret_loads[cores[i]] += u->demand[2 * i];
	for (uint32_t i = 0; i + 1 < UTRAN; i++)
		*ret_crossings += cores[i] != cores[i + 1];
}

static void utran_on_two_arms(void **state)
{
	static const double qs[] = {0.2, 0.5, 0.8};
	double load[2];
	unsigned crossings;
	uint32_t cores[UTRAN];
	struct utran u;

	(void)state;
	utran_make(&u, 0.8);
	for (int w = 0; w < 3; w++)
		assert_true(run((enum mapper)(MAPPER_TW1 + w), &u.problem, cores) == INFINITY);
	utran_make(&u, 0.5);
	assert_true(run(MAPPER_TW1, &u.problem, cores) == INFINITY);
	assert_true(run(MAPPER_TW2, &u.problem, cores) == INFINITY);
	assert_true(run(MAPPER_TW3, &u.problem, cores) < INFINITY);
	loads(&u, cores, load, &crossings);
	assert_int_equal(crossings, 3);
	assert_true(fabs(fmin(load[0], load[1]) / 20 - 63.5) < 0.05 &&
	    fabs(fmax(load[0], load[1]) / 20 - 99.5) < 0.05);
	for (int i = 0; i < 3; i++) {
		utran_make(&u, qs[i]);
		assert_true(run(MAPPER_TW1_FALLING, &u.problem, cores) < INFINITY);
		assert_true(run(MAPPER_PORTFOLIO, &u.problem, cores) < INFINITY);
	}
	assert_true(run(MAPPER_CHAIN, &u.problem, cores) < INFINITY);
	loads(&u, cores, load, &crossings);
	assert_int_equal(crossings, 1);
	NEAR(load[0], 1660.4);
	NEAR(load[1], 1599.6);
}

static double cheapest(const struct mapping_problem *problem)
{
	struct mapping_graph graph;
	struct mapping_state state;
	uint32_t cores[MAPPING_RANDOM_UNITS] = {0};
	double least = INFINITY;
	size_t digit = 0;

	assert_int_equal(mapping_graph_init(&graph, problem), 0);
	assert_int_equal(mapping_state_init(&state, problem, &graph), 0);
	while (digit < problem->n_units) {
		least = fmin(least, mapping_cost(&state, cores));
		for (digit = 0; digit < problem->n_units && ++cores[digit] == problem->n_cores;
		     digit++)
			cores[digit] = 0;
	}
	mapping_state_fini(&state);
	mapping_graph_fini(&graph);
	return least;
}

/* A mapping held against capacities by plain sums, not by the code that made it. */
static void check_fits(const struct mapping_problem *p, const uint32_t *cores)
{
	double load[MAPPING_RANDOM_CORES] = {0},
	       used[MAPPING_RANDOM_CORES * MAPPING_RANDOM_CORES] = {0};

	for (uint32_t i = 0; i < p->n_units; i++) {
		assert_true(cores[i] < p->n_cores);
		load[cores[i]] += p->demand[i * p->n_cores + cores[i]];
	}
	for (size_t i = 0; i < p->n_links; i++) {
		const uint32_t a = cores[p->links[i].from], b = cores[p->links[i].to];
		if (a == b)
			continue;
		assert_int_not_equal(p->pool[a * p->n_cores + b], MAPPING_NONE);
		used[p->pool[a * p->n_cores + b]] += p->links[i].bandwidth;
	}
	for (size_t i = 0; i < p->n_cores; i++)
		assert_true(load[i] <= p->capacity[i] * (1 + 1e-8));
	for (size_t i = 0; i < p->n_pools; i++)
		assert_true(used[i] <= p->bandwidth[i] * (1 + 1e-8));
}

/* Variety in what joins the cores: half duplex, one bus, a pair that is not joined, a pin, a core
 * that is left out. */
static void vary(struct mapping_random *r, unsigned kind)
{
	struct mapping_problem *p = &r->problem;
	const size_t n = p->n_cores;

	for (size_t i = 0; i < n * n; i++) {
		if (r->pool[i] == MAPPING_NONE)
			continue;
		if (kind == 1 && i / n > i % n)
			r->pool[i] = r->pool[i % n * n + i / n];
		if (kind == 2)
			r->pool[i] = 0;
		if (kind == 3)
			r->bandwidth[r->pool[i]] = 12;
	}
	for (size_t i = 0; kind == 3 && i < n; i++)
		r->capacity[i] = 2000;
	for (size_t unit = 0; kind == 3 && unit < p->n_units; unit++)
		for (size_t i = 0; i < n; i++)
			r->demand[unit * n + i] = 1800.0 * (double)n / (double)p->n_units;
	if (kind == 4)
		r->pool[1] = MAPPING_NONE;
	if (kind == 5)
		r->demand[2 * n + 1] = INFINITY;
}

static void exact_is_the_cheapest(void **state)
{
	unsigned found = 0, none = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct mapping_random r;
		uint32_t cores[MAPPING_RANDOM_UNITS];
		struct mapper_result result;
		double least;

		mapping_random_make(
		    &r, seed, 0.80 + 0.02 * (double)(seed % 10), 0.1 * (double)(seed % 11));
		if (pow((double)r.problem.n_cores, (double)r.problem.n_units) > 70000)
			continue;
		vary(&r, seed % 6);
		least = cheapest(&r.problem);
		for (int mapper = 0; mapper < MAPPERS; mapper++) {
			assert_int_equal(
			    mapper_run((enum mapper)mapper, &r.problem, 0, cores, &result), 0);
			if (result.cost < INFINITY) {
				check_fits(&r.problem, cores);
				assert_true(result.cost >= least * (1 - 1e-9));
			}
			if (mapper >= MAPPER_EXACT) {
				assert_true(result.proven);
				assert_true(result.cost == least ||
				    fabs(result.cost - least) < 1e-9 * least);
			}
		}
		found += least < INFINITY;
		none += least == INFINITY;
	}
	assert_true(found >= 30 && none >= 5);
}

static void edges(void **state)
{
	struct example e;
	uint32_t cores[4] = {7, 7, 7, 7};
	struct mapper_result result;

	(void)state;
	for (int mapper = 0; mapper < MAPPERS; mapper++) {
		example_make(&e, 0.5);
		e.problem.n_units = e.problem.n_links = 0;
		assert_int_equal(mapper_run((enum mapper)mapper, &e.problem, 0, cores, &result), 0);
		assert_true(result.cost == 0);

		example_make(&e, 0.5);
		e.demand[4] = e.demand[5] = 11; /* fits nowhere */
		assert_int_equal(mapper_run((enum mapper)mapper, &e.problem, 0, cores, &result), 0);
		assert_true(result.cost == INFINITY);
		assert_int_equal(result.proven, mapper >= MAPPER_EXACT);
		assert_int_equal(cores[0], 7);
	}
	example_make(&e, 0.5);
	assert_int_equal(mapper_run(MAPPER_EXACT, &e.problem, 3, cores, &result), 0);
	assert_true(result.tired && !result.proven);
}

static void names(void **state)
{
	enum mapper found;

	(void)state;
	for (int mapper = 0; mapper < MAPPERS; mapper++) {
		assert_int_equal(mapper_find(mapper_name((enum mapper)mapper), &found), 0);
		assert_int_equal(found, mapper);
	}
	assert_int_equal(mapper_find("best", &found), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(worked_example),
	    cmocka_unit_test(worked_example_nodes),
	    cmocka_unit_test(utran_on_two_arms),
	    cmocka_unit_test(exact_is_the_cheapest),
	    cmocka_unit_test(edges),
	    cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
