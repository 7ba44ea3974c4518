/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/mapping_random.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tools/bench/random.h"

/* A size or a demand: 1 to 20. */
static double random_size(struct mapping_random *r)
{
	return exp(random_real(&r->state, 0, log(20)));
}

static void random_links(struct mapping_random *r, size_t n)
{
	struct mapping_problem *p = &r->problem;
	double mean = 0;

	p->n_links = n - 1 + random_whole(&r->state, 0, 4);
	for (uint32_t i = 0; i < p->n_links; i++) {
		struct mapping_link *link = &r->links[i];
		const uint32_t a = random_whole(&r->state, 0, (uint32_t)n - 2);

		*link = (struct mapping_link){i, i + 1, random_size(r)};
		if (i >= n - 1) {
			link->from = a;
			link->to = random_whole(&r->state, a + 1, (uint32_t)n - 1);
		}
		mean += link->bandwidth / (double)p->n_links;
	}
	for (uint32_t a = 0; a < p->n_cores; a++)
		for (uint32_t b = 0; b < p->n_cores; b++) {
			r->pool[a * p->n_cores + b] =
			    a == b ? MAPPING_NONE : (uint32_t)p->n_pools++;
			if (a != b)
				r->bandwidth[p->n_pools - 1] = mean * random_real(&r->state, 1, 4);
		}
}

/* Demands on every core, scaled so that all of them take `load` of `capacity`. */
static void random_demands(struct mapping_random *r, double *demand, size_t units, size_t cores,
    double load, double capacity)
{
	double sum = 0;

	for (size_t i = 0; i < units; i++)
		sum += demand[i * cores] = random_size(r);
	for (size_t i = 0; i < units; i++)
		for (size_t core = cores; core-- > 0;)
			demand[i * cores + core] = demand[i * cores] * load * capacity / sum;
}

void mapping_random_make(struct mapping_random *r, uint64_t seed, double load, double q)
{
	struct mapping_problem *p = &r->problem;
	double capacity = 0;

	*r = (struct mapping_random){.state = seed};
	*p = (struct mapping_problem){.demand = r->demand,
	    .capacity = r->capacity,
	    .pool = r->pool,
	    .bandwidth = r->bandwidth,
	    .links = r->links,
	    .q = q};
	p->n_units = random_whole(&r->state, 8, MAPPING_RANDOM_UNITS);
	p->n_cores = random_whole(&r->state, 2, MAPPING_RANDOM_CORES);
	for (size_t i = 0; i < p->n_cores; i++)
		capacity += r->capacity[i] = 1000 * random_real(&r->state, 1, 3);
	random_demands(r, r->demand, p->n_units, p->n_cores, load, capacity);
	random_links(r, p->n_units);
}

/* ---- large ------------------------------------------------------------------------ */

enum { NODE_CORES = 4, NODE_LINK = 40 };

static void large_cores(
    struct mapping_large *large, struct mapping_random *r, uint32_t cores, uint32_t nodes)
{
	large->bandwidth[0] = INFINITY;
	for (uint32_t i = 1; i <= nodes * nodes; i++)
		large->bandwidth[i] = NODE_LINK;
	for (uint32_t a = 0; a < cores; a++) {
		large->capacity[a] = random_real(&r->state, 1000, 3000);
		for (uint32_t b = 0; b < cores; b++)
			large->pool[a * cores + b] = a / NODE_CORES == b / NODE_CORES
			    ? 0
			    : 1 + a / NODE_CORES * nodes + b / NODE_CORES;
	}
}

int mapping_large_init(
    struct mapping_large *large, uint32_t units, uint32_t cores, double load, double q)
{
	const uint32_t nodes = (cores + NODE_CORES - 1) / NODE_CORES;
	struct mapping_random r = {.state = 1};
	double all = 0;

	*large = (struct mapping_large){
	    .demand = calloc((size_t)units * cores, sizeof(double)),
	    .capacity = calloc(cores, sizeof(double)),
	    .bandwidth = calloc(1 + (size_t)nodes * nodes, sizeof(double)),
	    .pool = calloc((size_t)cores * cores, sizeof(uint32_t)),
	    .links = calloc(units, sizeof(struct mapping_link)),
	};
	if (!large->demand || !large->capacity || !large->bandwidth || !large->pool ||
	    !large->links)
		return -ENOMEM;
	large_cores(large, &r, cores, nodes);
	for (uint32_t i = 0; i < cores; i++)
		all += large->capacity[i];
	random_demands(&r, large->demand, units, cores, load, all);
	for (uint32_t i = 0; i + 1 < units; i++)
		large->links[i] = (struct mapping_link){i, i + 1, random_size(&r)};
	large->problem = (struct mapping_problem){
	    .n_units = units,
	    .n_cores = cores,
	    .n_pools = 1 + (size_t)nodes * nodes,
	    .n_links = units - 1,
	    .demand = large->demand,
	    .capacity = large->capacity,
	    .pool = large->pool,
	    .bandwidth = large->bandwidth,
	    .links = large->links,
	    .q = q,
	};
	return 0;
}

void mapping_large_fini(struct mapping_large *large)
{
	free(large->demand);
	free(large->capacity);
	free(large->bandwidth);
	free(large->pool);
	free(large->links);
}
