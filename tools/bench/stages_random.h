/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/stages_random.h - random chains, the same for the same seed: costs 1 .. 100 on big
 * cores, 1 to 5 times that on little ones, and a share of tasks that keep nothing.
 */
#ifndef TOOLS_BENCH_STAGES_RANDOM_H
#define TOOLS_BENCH_STAGES_RANDOM_H

#include "core/map/stages.h"

void stages_random(uint64_t seed, double share, struct stages_task *ret_tasks, size_t n);

#endif
