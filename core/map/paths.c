/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/paths.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { ARC_NONE = 0xffffffff };

/* One round over all arcs; returns a node whose value rose, or ARC_NONE when all is settled. */
static uint32_t relax(const struct arc *arcs, size_t n_arcs, int64_t *values, uint32_t *via)
{
	uint32_t raised = ARC_NONE;

	for (size_t i = 0; i < n_arcs; i++) {
		const int64_t value = values[arcs[i].from] + arcs[i].cost;

		if (value > values[arcs[i].to]) {
			values[arcs[i].to] = value;
			via[arcs[i].to] = (uint32_t)i;
			raised = arcs[i].to;
		}
	}
	return raised;
}

/* A node that still rises after n rounds hangs behind a cycle of `via` arcs: n steps back is
 * certainly on it. */
static int cycle_take(
    size_t n, const struct arc *arcs, const uint32_t *via, uint32_t node, struct arc_cycle *ret)
{
	struct arc_cycle cycle = {0};
	uint32_t start;

	for (size_t i = 0; i < n; i++)
		node = arcs[via[node]].from;
	start = node;
	cycle.arcs = calloc(n, sizeof(*cycle.arcs));
	if (!cycle.arcs)
		return -ENOMEM;
	do {
		cycle.arcs[cycle.len++] = via[node];
		node = arcs[via[node]].from;
	} while (node != start);
	for (size_t i = 0; i < cycle.len / 2; i++) {
		const uint32_t arc = cycle.arcs[i];

		cycle.arcs[i] = cycle.arcs[cycle.len - 1 - i];
		cycle.arcs[cycle.len - 1 - i] = arc;
	}
	*ret = cycle;
	return -ELOOP;
}

int paths_longest(
    size_t n, const struct arc *arcs, size_t n_arcs, int64_t *values, struct arc_cycle *ret_cycle)
{
	uint32_t *via, raised = 0;
	int rc = 0;

	assert(n > 0);
	if (!n)
		return 0;
	via = calloc(n, sizeof(*via));
	if (!via)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		via[i] = ARC_NONE;
	for (size_t round = 0; round <= n && raised != ARC_NONE; round++)
		raised = relax(arcs, n_arcs, values, via);
	if (raised != ARC_NONE)
		rc = ret_cycle ? cycle_take(n, arcs, via, raised, ret_cycle) : -ELOOP;
	free(via);
	return rc;
}
