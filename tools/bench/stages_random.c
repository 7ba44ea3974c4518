/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/stages_random.h"

#include <math.h>

#include "tools/bench/random.h"

void stages_random(uint64_t seed, double share, struct stages_task *ret_tasks, size_t n)
{
	uint64_t state = seed;
	size_t left = (size_t)lround(share * (double)n);

	for (size_t i = 0; i < n; i++) {
		const uint64_t cost = random_whole(&state, 1, 100);

		ret_tasks[i].cost[STAGES_BIG] = cost;
		ret_tasks[i].cost[STAGES_LITTLE] =
		    (uint64_t)ceil((double)cost * random_real(&state, 1, 5));
		/* exactly the share of them, every choice as likely as another */
		ret_tasks[i].spreadable = random_real(&state, 0, (double)(n - i)) < (double)left;
		left -= ret_tasks[i].spreadable;
	}
}
