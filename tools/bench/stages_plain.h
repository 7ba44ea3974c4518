/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/stages_plain.h - the plain recurrence for the shortest period of a chain on cores of
 * two kinds, as a yardstick: for so many tasks and so many cores of each kind, the best of all last
 * stages. A last stage that alone takes longer than the best known ends the look backwards.
 */
#ifndef TOOLS_BENCH_STAGES_PLAIN_H
#define TOOLS_BENCH_STAGES_PLAIN_H

#include "core/map/stages.h"

/* The commands ask it for no more tasks, and for no more cores of a kind: it takes tasks x cores x
 * cores of memory, and more of time. */
enum { STAGES_PLAIN_MAX = 200 };

struct stages_plain {
	double period; /* in the unit of the costs */
	/* the fewest cores with that period: big ones, then little ones */
	uint32_t used[STAGES_KINDS];
};

/* 0, -EINVAL for a chain without tasks or cores, or -ENOMEM. */
int stages_plain_solve(const struct stages_problem *problem, struct stages_plain *ret);

#endif
