/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/plan_check.h - is a plan legal, and could a refused one have been made? Both
 * straight from the definitions.
 */
#ifndef TESTS_COMMON_PLAN_CHECK_H
#define TESTS_COMMON_PLAN_CHECK_H

#include "core/map/plan.h"
#include "tests/common/graph.h"

/* plan_check gives the first thing that is wrong with the plan, in words (in `text`, valid until
 * the next call), or NULL: pins, distances, order, least lags, segments and hosts, buffers,
 * latency. */
const char *plan_check(const struct test_graph *graph, const struct plan *plan, char text[256]);

/* cycles_possible tries every placement (brute force over all simple cycles): is there one that the
 * pins allow and that makes every cycle legal? */
bool cycles_possible(const struct test_graph *graph);

/* The longest path (the one that makes the lag) to an instance: how often it comes to a lane, and
 * on how many lanes. */
struct path_cores {
	uint32_t visits, distinct;
};
struct path_cores path_cores(const struct test_graph *graph, const struct plan *plan, int node);

#endif
