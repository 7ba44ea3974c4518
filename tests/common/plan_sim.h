/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/plan_sim.h - a plan carried out slot by slot, by the letter of the design and with
 * no engine code.
 *
 * In slot n = 0, 1, ... every lane calls its instances in the order of its segments; an instance
 * with lag r works on index n - r. Lanes are taken in another order in every slot, as if they ran
 * at different speeds. Messages lie in rings of the plan's depths. The simulator fails, and says
 * why, when
 *   - a reader does not find the very message that it needs, complete: not yet written, or
 *     overwritten already;
 *   - a message is read on a lane in the slot in which another lane writes it (it only worked by
 *     luck);
 *   - a ring place is overwritten on a lane in the slot in which another lane reads it (likewise).
 */
#ifndef TESTS_COMMON_PLAN_SIM_H
#define TESTS_COMMON_PLAN_SIM_H

#include "core/map/plan.h"
#include "tests/common/graph.h"

struct plan_sim;

/* plan_sim_new runs indices 0 .. length - 1 of every instance. Never NULL: without memory it
 * aborts. */
struct plan_sim *plan_sim_new(
    const struct test_graph *graph, const struct plan *plan, uint64_t length);
void plan_sim_free(struct plan_sim *sim);

/* plan_sim_why gives the first failure in words, or NULL when all went well. */
const char *plan_sim_why(const struct plan_sim *sim);

const struct graph_msg *plan_sim_message(
    const struct plan_sim *sim, int node, int port, uint64_t index);

/* plan_sim_slot gives the slot in which the node worked on an index. */
uint64_t plan_sim_slot(const struct plan_sim *sim, int node, uint64_t index);

#endif
