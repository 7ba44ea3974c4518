/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/map_published.h - `aloe bench map --published`: stages of a chain on cores of two
 * kinds, beside the published schedulers HeRAD, 2CATAC, FERTAC and OTAC.
 */
#ifndef TOOLS_BENCH_MAP_PUBLISHED_H
#define TOOLS_BENCH_MAP_PUBLISHED_H

#include "core/map/stages.h"
#include "tools/bench/bench.h"
#include "tools/bench/figures.h"

struct map_published {
	struct bench *bench;
	struct range seeds;
	const char *cases;     /* folder with the published cases; NULL: random chains */
	uint64_t tasks, cores; /* of the large chains; 0 tasks: none */
};

/* map_published fills the tables; CLI_OK, CLI_FAILED, CLI_USAGE after saying what is wrong, or
 * BENCH_INTERRUPTED. Its parts are map_dvbs2.c, map_cases.c, map_large.c, map_pairs.c. */
int map_published(struct map_published *published);
int map_dvbs2(struct map_published *published);
int map_cases(struct map_published *published);
int map_large(struct map_published *published);
int map_pairs(struct map_published *published);

/* map_cpu_us is the time of this thread: what others do on the CPU is not the mapper's. */
double map_cpu_us(void);
/* map_judge gives "met" or "missed", which --strict counts. */
const char *map_judge(struct map_published *published, bool met);
/* map_stages solves a problem and gives the CPU time that this takes. */
int map_stages(const struct stages_problem *problem, struct stages *ret, double *ret_us);
/* map_failed says why `what` was not solved, from the error of a solver: the exit status. */
int map_failed(const struct map_published *published, const char *what, int rc);

/* ---- the DVB-S2 receiver --------------------------------------------------------------- */

enum { DVBS2_TASKS_MAX = 64, DVBS2_PLATFORMS = 4 };

struct dvbs2_platform {
	const char *name, *kinds[STAGES_KINDS];
	uint32_t cores[STAGES_KINDS];
	unsigned frames; /* in a call */
};

struct dvbs2_chain {
	struct stages_task tasks[DVBS2_TASKS_MAX];
	char names[DVBS2_TASKS_MAX][64];
	uint64_t bytes[DVBS2_TASKS_MAX]; /* of the message behind each task */
	size_t n;
};

const struct dvbs2_platform *dvbs2_platform(size_t i);
/* dvbs2_read reads waveforms/dvbs2-costs.conf for a platform: 0, or the exit status after saying
 * what is wrong. */
int dvbs2_read(const struct map_published *published, const struct dvbs2_platform *platform,
    struct dvbs2_chain *ret);

#endif
