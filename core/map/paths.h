/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/paths.h - longest paths in a graph of arcs with costs: the one algorithm behind lags and
 * cycles.
 *
 * value(to) >= value(from) + cost for every arc, and no value is less than its start value;
 * paths_longest finds the least values that fulfil this (Bellman-Ford from a start in front of
 * every node). There are none
 * if a cycle's costs add up to more than 0; it then gives one such cycle.
 */
#ifndef ALOE_MAP_PATHS_H
#define ALOE_MAP_PATHS_H

#include <stddef.h>
#include <stdint.h>

struct arc {
	uint32_t from, to;
	int64_t cost;
};

/* A cycle: numbers of its arcs, each beginning where the one before it ends. */
struct arc_cycle {
	uint32_t *arcs;
	size_t len;
};

/* paths_longest turns the n start values into the values. 0; -ELOOP when there is a cycle of
 * positive cost (in *ret_cycle unless that is NULL, the caller frees ret_cycle->arcs); -ENOMEM.
 * Time grows with n x n_arcs. */
int paths_longest(
    size_t n, const struct arc *arcs, size_t n_arcs, int64_t *values, struct arc_cycle *ret_cycle);

#endif
