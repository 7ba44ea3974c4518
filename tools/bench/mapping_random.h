/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/mapping_random.h - random mapping problems, the same for the same seed: 8 to 14 units
 * in a chain with 0 to 4 links more, 2 to 4 cores whose capacities are in ratio 1 to 3, demands
 * spread evenly in logarithm over 1:20 and scaled to a share of the sum of capacities, a pool for
 * each direction between two cores that holds 1 to 4 links of mean size.
 */
#ifndef TOOLS_BENCH_MAPPING_RANDOM_H
#define TOOLS_BENCH_MAPPING_RANDOM_H

#include "core/map/mapper.h"

enum {
	MAPPING_RANDOM_UNITS = 14,
	MAPPING_RANDOM_CORES = 4,
	MAPPING_RANDOM_LINKS = MAPPING_RANDOM_UNITS + 4
};

struct mapping_random {
	uint64_t state;
	double demand[MAPPING_RANDOM_UNITS * MAPPING_RANDOM_CORES];
	double capacity[MAPPING_RANDOM_CORES];
	uint32_t pool[MAPPING_RANDOM_CORES * MAPPING_RANDOM_CORES];
	double bandwidth[MAPPING_RANDOM_CORES * MAPPING_RANDOM_CORES];
	struct mapping_link links[MAPPING_RANDOM_LINKS];
	struct mapping_problem problem; /* points to the above */
};

/* mapping_random_make makes the problem of a seed in place. `load`: of the sum of capacities, 0.93;
 * q as in the problem. */
void mapping_random_make(struct mapping_random *r, uint64_t seed, double load, double q);

/* A large one: a chain of units with demands and links spread as above, on cores with capacities in
 * ratio 1 to 3, four to a node; pools between nodes only, each of 40 (a link has 1 to 20). */
struct mapping_large {
	double *demand, *capacity, *bandwidth;
	uint32_t *pool;
	struct mapping_link *links;
	struct mapping_problem problem;
};

/* 0 or -ENOMEM; fini in any case. At least 2 units and 1 core. */
int mapping_large_init(
    struct mapping_large *large, uint32_t units, uint32_t cores, double load, double q);
void mapping_large_fini(struct mapping_large *large);

#endif
