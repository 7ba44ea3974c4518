/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/stages_reach.h - how far cores carry a chain within a given period, for stages.c alone.
 */
#ifndef ALOE_MAP_STAGES_REACH_H
#define ALOE_MAP_STAGES_REACH_H

#include "core/map/stages.h"

struct reach_cell {   /* with so many cores of each kind */
	uint32_t end; /* tasks carried */
	/* the last stage; it is empty where the last core carries nothing more */
	uint32_t first, cores;
	enum stages_kind kind;
};

struct reach_spread {  /* the best stage of several cores that ends here and may get one more */
	uint64_t room; /* sum of costs up to its first task, and its cores x the period */
	uint32_t first, cores, end;
	bool open;
};

struct reach {
	const struct stages_problem *problem;
	uint64_t *sums[STAGES_KINDS];   /* n_tasks + 1: costs of the tasks before */
	uint64_t *scaled[STAGES_KINDS]; /* the same x the cores of the period */
	uint32_t *alone[STAGES_KINDS];  /* by task: end of the longest stage of one core from it */
	uint32_t *run;                  /* by task: end of its run of spreadable tasks */
	struct reach_cell *cells;       /* (big + 1) rows of (little + 1) */
	struct reach_spread *spreads;   /* of the last row, by little cores: on big cores */
	struct stages_period period, next;
	uint32_t used[STAGES_KINDS];
};

int reach_init(struct reach *reach, const struct stages_problem *problem); /* 0 or -ENOMEM */
void reach_fini(struct reach *reach);

/* reach_try tells whether the cores carry the chain within the period. If so, `used` has the fewest
 * big and then the fewest little cores, and reach_stages reads the stages, last first. If not,
 * `next` is the shortest period that may do. */
bool reach_try(struct reach *reach, struct stages_period period);
/* At most as many stages as tasks; how many. */
size_t reach_stages(const struct reach *reach, struct stage *ret);

#endif
