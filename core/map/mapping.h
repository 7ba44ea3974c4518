/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/mapping.h - the mapping problem: units with demands onto cores with capacities, joined
 * by links.
 *
 * A unit is what moves as one: an instance, or instances that must stay together. Its demand is
 * what it takes of a slot, by core (cores differ), in the unit of the capacities: kMAC, or ns as in
 * plans (core/map/units.h). It is INFINITY on a core where the unit may not be: a pin. A core's
 * capacity is what it offers in a slot, less what others have taken. A link between units on two
 * cores takes its bandwidth, kbit per slot, out of the pool that joins the two: full duplex has a
 * pool for each direction, half duplex one for both, a bus one for all its pairs. Links inside a
 * core take nothing.
 *
 * Placing unit j on core i, after others, costs
 *
 *         q x c_j / Crem_i + (1 - q) x sum of b / Lrem over its neighbours placed already on other
 *         cores
 *
 * where Crem and Lrem remain before this step. A step that does not fit costs INFINITY and changes
 * nothing. The cost of a mapping is that of its steps in file order, whatever order found it, so
 * mappings can be compared. (Gomez, Marojevic, Gelonch: "ALOE: an open-source SDR execution
 * environment with cognitive computing resource management capabilities", IEEE Communications
 * Magazine 49(9), 2011.)
 */
#ifndef ALOE_MAP_MAPPING_H
#define ALOE_MAP_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAPPING_NONE = 0xffffffff }; /* a pool: these cores are not joined; a core: not placed */

struct mapping_link {
	uint32_t from, to; /* units */
	double bandwidth;  /* kbit per slot */
};

struct mapping_problem {
	size_t n_units, n_cores, n_pools, n_links;
	const double *demand;    /* n_units rows of n_cores */
	const double *capacity;  /* by core */
	const uint32_t *pool;    /* n_cores rows (from) of n_cores (to); the diagonal is not read */
	const double *bandwidth; /* by pool; INFINITY: costs nothing */
	const struct mapping_link *links;
	double q; /* 0: only links count, 1: only processing */
};

/* The links of each unit, both directions: made once for a problem. */
struct mapping_graph {
	uint32_t *first; /* n_units + 1 */
	uint32_t *links;
	uint32_t *others; /* the unit at the other end of each of `links` */
};

/* 0 or -ENOMEM */
int mapping_graph_init(struct mapping_graph *graph, const struct mapping_problem *problem);
void mapping_graph_fini(struct mapping_graph *graph);

/* A partial mapping, which can be taken back step by step. */
struct mapping_undo {
	double *where, before;
};

struct mapping_state {
	const struct mapping_problem *problem;
	const struct mapping_graph *graph;
	uint32_t *cores;      /* by unit, MAPPING_NONE: not placed */
	double *left;         /* by core */
	double *pool_left;    /* by pool */
	uint64_t steps;       /* tried */
	uint64_t steps_limit; /* 0: none; see mapping_tired */
	/* what is read or copied of units that were looked at before: it tells how the time of a
	 * mapper grows that takes few steps */
	uint64_t looks;
	struct mapping_undo *undo;
	size_t n_undo;
};

int mapping_state_init(struct mapping_state *state, const struct mapping_problem *problem,
    /* nothing placed. 0 or -ENOMEM; fini in any case */
    const struct mapping_graph *graph);
void mapping_state_fini(struct mapping_state *state);
void mapping_state_clear(struct mapping_state *state);
/* mapping_state_copy copies what is left, and of the units only those named; not what could be
 * taken back. */
void mapping_state_copy(
    struct mapping_state *to, const struct mapping_state *from, const uint32_t *units, size_t n);

/* mapping_place gives the cost of a step and takes it; INFINITY when it does not fit, and takes
 * nothing. mapping_unplace takes back the last step, which placed `unit`, down to the mark (n_undo)
 * before it. */
double mapping_place(struct mapping_state *state, uint32_t unit, uint32_t core);
void mapping_unplace(struct mapping_state *state, uint32_t unit, size_t mark);

/* mapping_tired says that the limit of steps is used up. It counts steps, not time: the same input
 * gives the same plan. */
static inline bool mapping_tired(const struct mapping_state *state)
{
	return state->steps_limit && state->steps >= state->steps_limit;
}

/* mapping_cost clears the state and places all units in file order: the cost of a whole mapping,
 * INFINITY if it does not fit. */
double mapping_cost(struct mapping_state *state, const uint32_t *cores);

/* mapping_order writes the units by falling demand (on the core where it is least), ties in file
 * order. */
int mapping_order(const struct mapping_problem *problem, uint32_t *ret_units); /* 0 or -ENOMEM */
double mapping_demand_least(const struct mapping_problem *problem, uint32_t unit);

#endif
