/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/mapper.h - the ways to solve a mapping problem, and all of them together.
 *
 *   name         what it does
 *   tw1 tw2 tw3  t_w-mapping in file order: one survivor per core and stage, a window of w stages
 *   tw1d ..      the same, largest demand first
 *   greedy       file order, each unit on the core where it costs least
 *   worst-fit    largest demand first, each on the core with the most left
 * | chain        | contiguous cut of the file order: fewest cores, then the smallest largest load,
 *                by dynamic programming |
 *   local        mends and improves what worst-fit gives: moves one unit or swaps two while that is
 *                cheaper
 *   exact        branch and bound: the cheapest there is, or the proof that there is none
 *   portfolio    all of these within the limit; the cheapest wins, after a local search from it
 *
 * Survivors and windows: node (j, i) of stage j holds the cheapest mapping known of the first j
 * units with the j-th on core i. For each node every survivor of stage j - w and every choice of
 * cores for the units between is tried. Ties go to the lower core, then to the lower predecessor. A
 * larger w can be worse, and not to find a mapping proves nothing; only `exact` proves. Steps grow
 * with n_units x n_cores^(w + 1).
 */
#ifndef ALOE_MAP_MAPPER_H
#define ALOE_MAP_MAPPER_H

#include "core/map/mapping.h"

enum mapper {
	MAPPER_TW1,
	MAPPER_TW2,
	MAPPER_TW3,
	MAPPER_TW1_FALLING,
	MAPPER_TW2_FALLING,
	MAPPER_TW3_FALLING,
	MAPPER_GREEDY,
	MAPPER_WORST_FIT,
	MAPPER_CHAIN,
	MAPPER_LOCAL,
	MAPPER_EXACT,
	MAPPER_PORTFOLIO,
	MAPPERS
};

/* A limit of this many steps takes 30 to 200 ms. */
enum { MAPPER_STEPS = 2000000 };

struct mapper_result {
	double cost; /* in file order; INFINITY: none found */
	/* exact, portfolio: no mapping is cheaper; or, with none found, there is none */
	bool proven;
	bool tired;         /* the limit of steps ended it */
	uint64_t steps;     /* tried */
	enum mapper winner; /* portfolio: whose it is */
};

const char *mapper_name(enum mapper mapper);
int mapper_find(const char *name, enum mapper *ret); /* 0 or -ENOENT */

/* mapper_run writes the core of each unit if it finds a mapping. 0 when it has done its work, found
 * or not, or -ENOMEM. steps_limit: for each mapper, 0 none. */
int mapper_run(enum mapper mapper, const struct mapping_problem *problem, uint64_t steps_limit,
    uint32_t *ret_cores, struct mapper_result *ret);

/* The same for several mappers of one problem: mapper_begin makes once what all of them need (NULL:
 * no memory), mapper_go is mapper_run, as often as is wanted. */
struct mapper_run *mapper_begin(const struct mapping_problem *problem);
int mapper_go(struct mapper_run *run, enum mapper mapper, uint64_t steps_limit, uint32_t *ret_cores,
    struct mapper_result *ret);
void mapper_end(struct mapper_run *run);

/* mapper_steps tells the steps that a t_w-mapping takes, 0 of any other mapper: one that would not
 * come to its end need not be begun. */
double mapper_steps(enum mapper mapper, const struct mapping_problem *problem);

/* The parts, for core/map alone: they write ret_cores when they find a mapping, and give 0, -ENOENT
 * (nothing found) or -ENOMEM. mapper_exact also says whether it has proven its answer; `ret_cores`
 * holds a mapping to beat if *cost is less than INFINITY. mapper_improve starts from ret_cores,
 * whole or not, fitting or not; mapper_mend_near from a whole one that overloads some cores, and
 * moves or swaps units between cores whose numbers are as near to each other as will do. */
int mapper_survivors(
    struct mapping_state *state, const uint32_t *order, unsigned window, uint32_t *ret_cores);
int mapper_greedy(struct mapping_state *state, uint32_t *ret_cores);
int mapper_worst_fit(struct mapping_state *state, const uint32_t *order, uint32_t *ret_cores);
int mapper_chain(struct mapping_state *state, uint32_t *ret_cores);
int mapper_improve(struct mapping_state *state, uint32_t *ret_cores);
int mapper_mend_near(struct mapping_state *state, uint32_t *ret_cores);
int mapper_exact(struct mapping_state *state, const uint32_t *order, uint32_t *ret_cores,
    double *cost, bool *ret_proven);

#endif
