/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/stages.h - a chain of tasks on cores of two kinds: the shortest period. Pure functions.
 *
 * A stage is a run of consecutive tasks. It has one core, or several cores of one kind if every
 * task of it keeps nothing from one index to the next ("spreadable"): then core j works on every
 * r-th index. The weight of a stage is (sum of its costs on that kind) / (its cores). The period is
 * the largest weight; a task that costs 0 costs nothing. Among the schedules with the shortest
 * period the answer has the fewest big cores, and of those the fewest little ones.
 *
 * Method. For a given period, reach(b, l) is the largest number of tasks, from the first on, that b
 * big and l little cores carry. More tasks carried is never worse: what carries a chain carries the
 * rest of it, too. So reach(b, l) follows from reach(b - 1, l) and reach(b, l - 1) in constant time
 * (stages_reach.c), and the first b whose row reaches the end is the fewest big cores. A period
 * that is too short tells the next one at which any decision changes; one that is long enough gives
 * a schedule, whose period may be shorter. Halving between the two ends where they meet, on exact
 * fractions. Time: (big cores needed) x (little cores) for each period that is tried.
 */
#ifndef ALOE_MAP_STAGES_H
#define ALOE_MAP_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stages_kind { STAGES_BIG, STAGES_LITTLE, STAGES_KINDS };

enum { STAGES_TASKS_MAX = 4096, STAGES_CORES_MAX = 4096 };
#define STAGES_COST_MAX ((uint64_t)1 << 36) /* all tasks together, on either kind */

struct stages_task {
	uint64_t cost[STAGES_KINDS]; /* in any unit, the same for all */
	bool spreadable;
};

struct stages_period { /* cost / cores */
	uint64_t cost;
	uint64_t cores; /* at least 1 */
};

struct stages_problem {
	const struct stages_task *tasks;
	size_t n_tasks;
	uint32_t cores[STAGES_KINDS];
	bool spread; /* false: every stage has one core */
	/* no shorter period is wanted, if that saves cores; 0 / 0: the shortest one */
	struct stages_period least;
};

struct stage {
	uint32_t first, n_tasks, cores;
	enum stages_kind kind;
};

struct stages {
	struct stages_period period;
	uint32_t used[STAGES_KINDS];
	struct stage *stages; /* in order of the chain */
	size_t n_stages;
	unsigned tried; /* periods */
};

/* stages_solve gives the best schedule: 0; -EINVAL (no task, no core, more than the limits above);
 * -ENOMEM. End with stages_fini in any case. */
int stages_solve(const struct stages_problem *problem, struct stages *ret);
void stages_fini(struct stages *stages);

/* in the unit of the costs */
static inline double stages_period_of(const struct stages_period *period)
{
	return (double)period->cost / (double)period->cores;
}

/* stages_compare: below 0, 0 or above 0, as a is shorter than, the same as or longer than b. */
static inline int stages_compare(const struct stages_period *a, const struct stages_period *b)
{
	const uint64_t left = a->cost * b->cores, right = b->cost * a->cores;

	return (left > right) - (left < right);
}

/* stages_weigh gives the weight of a stage of the problem. */
struct stages_period stages_weigh(const struct stages_problem *problem, const struct stage *stage);

/* stages_slots is how many slots of one period a message takes from the begin of the first stage to
 * the end of the last: a slot for each stage, and one for each core of a stage beyond its first,
 * for such a stage takes as many slots for an index. */
uint32_t stages_slots(const struct stages *stages);

/* ---- two nodes ---------------------------------------------------------------------- */

/* The chain on two nodes that a link joins. It crosses the link at most once, from either node. The
 * message behind task i takes wire[i] of the link, send[i] of the core of task i, and receive[i] of
 * the core of task i + 1. The link carries one message a period, so wire[i] is a bound of it. */
struct stages_pair {
	const struct stages_task *tasks;
	size_t n_tasks;
	uint32_t cores[2][STAGES_KINDS];       /* by node */
	const uint64_t *wire, *send, *receive; /* n_tasks - 1 of each */
	uint32_t delay;                        /* slots that the link takes, at least 1 */
	bool spread;
};

struct stages_split {
	struct stages_period period;
	uint32_t cut;           /* tasks before the link; all of them: one node has the chain */
	uint32_t node;          /* of the first task */
	struct stages sides[2]; /* before the link, and behind it */
	uint32_t slots;         /* as stages_slots, the link's with them */
	/* the period of all cores on one node: no number of crossings gives a shorter one */
	struct stages_period bound;
};

/* stages_pair_solve gives the shortest period with at most one crossing; of the places to cross
 * that have it, the one with the fewest slots. Errors as of stages_solve, and -EINVAL for a delay
 * of 0. End with stages_split_fini in any case. */
int stages_pair_solve(const struct stages_pair *pair, struct stages_split *ret);
void stages_split_fini(struct stages_split *split);

#endif
