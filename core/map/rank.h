/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/rank.h - how good a mapping is for a waveform: what the mappers' cost does not see,
 * latency first of all.
 *
 * For core/map alone. A rank is made for whole mappings (a lane for each unit) and compares them;
 * core/map/map.h says what counts before what.
 */
#ifndef ALOE_MAP_RANK_H
#define ALOE_MAP_RANK_H

#include "core/map/map.h"

struct rank {
	bool legal;         /* declared delays cover the cycles */
	bool joined;        /* where links go between nodes, there are links */
	bool fits;          /* all budgets, where the capacity is known */
	uint32_t returns;   /* changes of lane on a path, beyond one for each lane but the first */
	uint32_t lanes;     /* used */
	uint32_t latency;   /* slots */
	uint32_t crossings; /* links of the waveform between lanes */
	uint32_t backward;  /* of these, to a lane before */
	uint32_t bucket;    /* spread: peak above the least possible, in steps of 5 % */
	double peak;        /* largest load of a lane, of its room; taken counts */
	/* of core/map/mapping.h; INFINITY if it does not fit at the scale that was asked for */
	double cost;
};

struct ranker { /* room to rank in */
	const struct units *units;
	bool spread;          /* compare as lanes that the user named */
	const double *demand; /* loads are counted by: units->typical or units->need */
	double floor;         /* no mapping has a smaller peak */
	struct arc *arcs;
	int64_t *lags;
	uint32_t *lanes;   /* by instance */
	uint32_t *changes; /* by unit */
	double *loads, *pools;
};

/* 0 or -ENOMEM; fini in any case */
int ranker_init(struct ranker *ranker, const struct units *units);
void ranker_fini(struct ranker *ranker);
void ranker_use(struct ranker *ranker, const double *demand, bool spread);

/* rank_make ranks a mapping; its cost is INFINITY until the caller sets it. 0 or -ENOMEM. */
int rank_make(struct ranker *ranker, const uint32_t *cores, struct rank *ret);
bool rank_better(const struct ranker *ranker, const struct rank *a, const struct rank *b);

#endif
