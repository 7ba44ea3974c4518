/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/mapping_random.h - random mapping problems, the same for the same seed: 8 to 14 units in a chain with 0 to 4
 * links more, 2 to 4 cores whose capacities are in ratio 1 to 3, demands spread evenly in logarithm over 1:20 and scaled
 * to a share of the sum of capacities, a pool for each direction between two cores that holds 1 to 4 links of mean size.
 */
#ifndef TESTS_COMMON_MAPPING_RANDOM_H
#define TESTS_COMMON_MAPPING_RANDOM_H

#include <math.h>

#include "core/map/mapper.h"

enum { MAPPING_RANDOM_UNITS = 14, MAPPING_RANDOM_CORES = 4, MAPPING_RANDOM_LINKS = MAPPING_RANDOM_UNITS + 4 };

struct mapping_random {
	uint64_t state;
	double demand[MAPPING_RANDOM_UNITS * MAPPING_RANDOM_CORES];
	double capacity[MAPPING_RANDOM_CORES];
	uint32_t pool[MAPPING_RANDOM_CORES * MAPPING_RANDOM_CORES];
	double bandwidth[MAPPING_RANDOM_CORES * MAPPING_RANDOM_CORES];
	struct mapping_link links[MAPPING_RANDOM_LINKS];
	struct mapping_problem problem;
};

static inline double mapping_random_real(struct mapping_random *r, double from, double to)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	x ^= x >> 31;
	return from + (to - from) * (double)(x >> 11) * 0x1p-53;
}

static inline uint32_t mapping_random_whole(struct mapping_random *r, uint32_t from, uint32_t to)
{
	return from + (uint32_t)mapping_random_real(r, 0, to - from + 1);
}

static inline void mapping_random_links(struct mapping_random *r, size_t n)
{
	struct mapping_problem *p = &r->problem;
	double mean = 0;

	p->n_links = n - 1 + mapping_random_whole(r, 0, 4);
	for (uint32_t i = 0; i < p->n_links; i++) {
		struct mapping_link *link = &r->links[i];
		const uint32_t a = mapping_random_whole(r, 0, (uint32_t)n - 2);

		*link = (struct mapping_link){i, i + 1, exp(mapping_random_real(r, 0, log(20)))};
		if (i >= n - 1) {
			link->from = a;
			link->to = mapping_random_whole(r, a + 1, (uint32_t)n - 1);
		}
		mean += link->bandwidth / (double)p->n_links;
	}
	for (uint32_t a = 0; a < p->n_cores; a++)
		for (uint32_t b = 0; b < p->n_cores; b++) {
			r->pool[a * p->n_cores + b] = a == b ? MAPPING_NONE : (uint32_t)p->n_pools++;
			if (a != b)
				r->bandwidth[p->n_pools - 1] = mean * mapping_random_real(r, 1, 4);
		}
}

static inline void mapping_random_make(struct mapping_random *r, uint64_t seed, double load, double q)
{
	struct mapping_problem *p = &r->problem;
	double capacity = 0, demand = 0;

	*r = (struct mapping_random){.state = seed};
	*p = (struct mapping_problem){.demand = r->demand,
				      .capacity = r->capacity,
				      .pool = r->pool,
				      .bandwidth = r->bandwidth,
				      .links = r->links,
				      .q = q};
	p->n_units = mapping_random_whole(r, 8, MAPPING_RANDOM_UNITS);
	p->n_cores = mapping_random_whole(r, 2, MAPPING_RANDOM_CORES);
	for (size_t i = 0; i < p->n_cores; i++)
		capacity += r->capacity[i] = 1000 * mapping_random_real(r, 1, 3);
	for (size_t i = 0; i < p->n_units; i++)
		demand += r->demand[i * p->n_cores] = exp(mapping_random_real(r, 0, log(20)));
	for (size_t i = 0; i < p->n_units; i++)
		for (size_t core = p->n_cores; core-- > 0;)
			r->demand[i * p->n_cores + core] = r->demand[i * p->n_cores] * load * capacity / demand;
	mapping_random_links(r, p->n_units);
}

#endif
