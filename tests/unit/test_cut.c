/* SPDX-License-Identifier: BSD-3-Clause
 * core/map/cut: 3 000 random cuts, each as good as the best of all that there are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/map/cut.h"

/* All ways to cut, tried one by one. */
static double cut_cost(const struct cut *cut, const uint32_t *lanes, double most)
{
	double load[4] = {0}, used = 0, crossings = 0;

	for (size_t i = 0; i < cut->n_units; i++)
		load[lanes[i]] += cut->loads[i];
	for (size_t l = 0; l < cut->n_lanes; l++) {
		used += load[l] > 0;
		if (load[l] + cut->fixed[l] > most)
			return INFINITY;
	}
	for (size_t i = 0; i < cut->n_links; i++) {
		const struct cut_link *link = &cut->links[i];

		crossings += lanes[link->a] != (link->b == CUT_FIXED ? link->lane : lanes[link->b]);
	}
	return 100 * crossings + used;
}

static double cut_load(const struct cut *cut, const uint32_t *lanes)
{
	double load[4] = {0}, most = 0;

	for (size_t i = 0; i < cut->n_units; i++)
		load[lanes[i]] += cut->loads[i];
	for (size_t l = 0; l < cut->n_lanes; l++)
		most = fmax(most, load[l] + cut->fixed[l]);
	return most;
}

/* The least of `cost` over all ascending assignments of lanes. */
static double cut_search(const struct cut *cut, uint32_t *lanes, size_t from, double most)
{
	double best = INFINITY;

	if (from == cut->n_units)
		return most < 0 ? cut_load(cut, lanes) : cut_cost(cut, lanes, most);
	for (lanes[from] = from ? lanes[from - 1] : 0; lanes[from] < cut->n_lanes; lanes[from]++)
		best = fmin(best, cut_search(cut, lanes, from + 1, most));
	return best;
}

/* 0..n-1. */
static uint32_t draw(unsigned *seed, size_t n)
{
	return (uint32_t)((size_t)rand_r(seed) % (n ? n : 1));
}

static void test_cut_is_the_best_of_all(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		double loads[7], fixed[4];
		struct cut_link links[12];
		uint32_t lanes[7] = {0}, tried[7] = {0};
		struct cut cut = {1 + draw(&seed, 7), loads, 1 + draw(&seed, 4), fixed, links, 0};

		for (size_t i = 0; i < cut.n_units; i++)
			loads[i] = 1 + draw(&seed, 9);
		for (size_t i = 0; i < cut.n_lanes; i++)
			fixed[i] = draw(&seed, 3) ? 0 : draw(&seed, 20);
		for (uint32_t i = draw(&seed, 12); i; i--) {
			const uint32_t a = draw(&seed, cut.n_units);
			const uint32_t b = draw(&seed, cut.n_units);
			const uint32_t lane = draw(&seed, cut.n_lanes);

			links[cut.n_links++] =
			    draw(&seed, 4) ? (struct cut_link){a, b, 0} : (struct cut_link){a, CUT_FIXED, lane};
		}
		const double most = cut_search(&cut, tried, 0, -1);

		assert_int_equal(cut_make(&cut, lanes), 0);
		for (size_t i = 1; i < cut.n_units; i++)
			assert_true(lanes[i] >= lanes[i - 1]);
		assert_true(cut_load(&cut, lanes) == most);
		assert_true(cut_cost(&cut, lanes, most) == cut_search(&cut, tried, 0, most));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cut_is_the_best_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
