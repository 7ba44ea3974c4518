/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/bench/contest.h - the same work by several systems, measured in turn.
 *
 * Every system may be set up in several ways; trials at each size find which is best, and with that one it takes part. Then
 * come rounds: in each of them every system does every size once, in random order, so that what the machine does meanwhile
 * strikes all. The first system is ours. A ratio is the median of those of the rounds, theirs by ours.
 *
 *	struct contest contest = {.bench = &bench, .runs = 20, ...};
 *	status = contest_run(&contest);
 *	contest_tables(&contest);
 *	contest_fini(&contest);
 */
#ifndef TOOLS_ALOE_BENCH_CONTEST_H
#define TOOLS_ALOE_BENCH_CONTEST_H

#include "tools/aloe/bench/run.h"

enum { CONTEST_SYSTEMS_MAX = 10, CONTEST_SIZES_MAX = 32, CONTEST_RUNS_MAX = 1000 };

struct contest_setup {
	const char *name; /* "FIFO, pinned" */
	unsigned lanes;   /* of ours; 0: as many as there are CPUs */
	bool fifo;        /* of ours */
	const char *keys; /* of a peer: "fifo=1 pin=1" */
};

struct contest_system {
	char name[32];
	const char *program; /* of a peer: its file name in the folder of peers; NULL: ours */
	double slot_items;   /* of ours: items in a message */
	double reach;        /* of a peer: ours is to be better so many times; 0: nothing said */
	const struct contest_setup *setups;
	size_t n_setups;
};

struct contest_size {
	unsigned pipes, stages;
};

struct contest {
	struct bench *bench;
	struct contest_system systems[CONTEST_SYSTEMS_MAX];
	size_t n_systems;
	struct contest_size sizes[CONTEST_SIZES_MAX];
	size_t n_sizes;
	uint64_t runs, trials, seed;
	double items;       /* that a run moves */
	double trial_items; /* in a trial */
	/* One run, less is better: 0, or the exit status after saying what is wrong. */
	int (*measure)(struct contest *contest, const struct contest_system *system, const struct contest_setup *setup,
		       const struct contest_size *size, double items, const char *what, double *ret);
	void *self;       /* of whoever measures */
	const char *unit; /* of what is measured: "s" */
	const char *rate; /* title of what follows from it: "GB/s copied" */
	double (*rate_of)(const struct contest *contest, const struct contest_size *size, double value);
	bool pipes; /* tell of pipes and stages */
	/* of contest_run */
	const struct contest_setup *best[CONTEST_SYSTEMS_MAX][CONTEST_SIZES_MAX];
	double *values; /* by system, size, run */
	uint64_t done;  /* whole rounds */
};

/* contest_run measures: 0, or the exit status; after Ctrl-C 0 as well, with the rounds that are whole. */
int contest_run(struct contest *contest);
/* contest_tables: times with 95 % intervals, ratios, a plot over pipes x stages, and what the figures stand on. */
void contest_tables(struct contest *contest);
void contest_fini(struct contest *contest);

/* contest_peers adds those of --vs NAME,... that are among `known`: 0, or CLI_USAGE after saying what is wrong, or not built. */
int contest_peers(struct contest *contest, const struct contest_system *known, size_t n);
/* contest_sizes reads --sizes N,...: N pipes of N stages each. contest_runs reads --runs, --trials and --seed. */
int contest_sizes(struct contest *contest, const char *otherwise);
int contest_options(struct contest *contest);

/* peer_run runs a peer's program with KEY=NUMBER words: CLI_OK and its result, or the exit status after saying what is wrong. */
int peer_run(struct bench *bench, const struct contest_system *system, struct words *words, const char *what,
	     json_t **ret_report);

#endif
