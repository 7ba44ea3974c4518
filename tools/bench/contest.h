/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/contest.h - the same work by several systems, measured in turn.
 *
 * Ours come first, then peers. Every system may be set up in several ways; trials at each size find
 * which is best, and with that one it takes part. Then come rounds: in each of them every system
 * does every size once, in random order, so that what the machine does meanwhile strikes all. A
 * ratio is the median of those of the rounds, theirs by ours.
 *
 * 	struct contest contest = {.bench = &bench, .runs = 20, ...};
 * 	status = contest_run(&contest);
 * 	contest_tables(&contest);
 * 	contest_fini(&contest);
 */
#ifndef TOOLS_BENCH_CONTEST_H
#define TOOLS_BENCH_CONTEST_H

#include "tools/bench/run.h"

enum {
	CONTEST_SYSTEMS_MAX = 32,
	CONTEST_SIZES_MAX = 32,
	CONTEST_RUNS_MAX = 1000,
	CONTEST_FIGURES = 3,
	CONTEST_WHOLE =
	    CONTEST_FIGURES, /* s of the whole command, its start and its end included */
	CONTEST_VALUES,
	CONTEST_COLUMNS = 20
};

struct contest_setup {
	const char *name; /* "FIFO, pinned" */
	unsigned lanes;   /* of ours; 0: as many as there are CPUs */
	bool fifo;        /* of ours */
	const char *keys; /* of a peer: "fifo=1 pin=1"; of ours: what `measure` takes it for */
};

/* How GNU Radio's programs may be set up: the first of CONTEST_GNURADIO for throughput, all where
 * time is waited for. */
enum { CONTEST_GNURADIO = 6, CONTEST_GNURADIO_PACED = 8 };
extern const struct contest_setup contest_gnuradio[CONTEST_GNURADIO_PACED];

struct contest_system {
	char name[48];
	const char *program; /* of a peer: its file in the folder of peers; NULL: ours; "": bare */
	double slot_items;   /* of ours: items in a message */
	/* of a peer: our first is to be better so many times; 0: nothing said */
	double reach;
	double reach_others; /* and each other of ours */
	const struct contest_setup *setups;
	size_t n_setups;
	bool beside; /* of ours: shown with its ratios, of which none is to be reached */
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
	/* One run; of the first figure less is better: 0, or the exit status after saying what is
	 * wrong. */
	int (*measure)(struct contest *contest, const struct contest_system *system,
	    const struct contest_setup *setup, const struct contest_size *size, double items,
	    const char *what, double ret[CONTEST_FIGURES]);
	void *self; /* of whoever measures */
	/* of the table: what is measured, and the rate that follows from it, with units */
	const char *title;
	const char *unit; /* of what is measured: "s" */
	double (*rate_of)(
	    const struct contest *contest, const struct contest_size *size, double value);
	/* titles of the second and third figure, whose medians are shown, too; or NULL */
	const char *more[CONTEST_FIGURES];
	bool pipes; /* tell of pipes and stages */
	bool all;   /* every set-up takes part as a system of its own */
	/* of contest_run */
	const struct contest_setup *best[CONTEST_SYSTEMS_MAX][CONTEST_SIZES_MAX];
	double *values; /* by system, size, run, CONTEST_VALUES */
	struct column columns[CONTEST_COLUMNS];
	uint64_t done; /* whole rounds */
};

/* contest_run measures: 0, or the exit status; after Ctrl-C 0 as well, with the rounds that are
 * whole. */
int contest_run(struct contest *contest);
/* contest_tables: times with 95 % intervals, ratios, a plot over pipes x stages, and what the
 * figures stand on. */
void contest_tables(struct contest *contest);
/* contest_mean: of the rounds of a system at a size. */
double contest_mean(const struct contest *contest, size_t system, size_t size);
/* contest_median: of a figure of a system. contest_ratio: of what one system took by what another
 * took, the median of the rounds. NAN without memory. */
double contest_median(const struct contest *contest, size_t system, size_t size, size_t figure);
double contest_ratio(
    const struct contest *contest, size_t system, size_t by, size_t size, size_t figure);
void contest_fini(struct contest *contest);

/* contest_peers adds those of --vs NAME,... that are among `known`, and with --all makes a system
 * of every set-up: 0, or CLI_USAGE after saying what is wrong, or not built. */
int contest_peers(struct contest *contest, const struct contest_system *known, size_t n);
/* contest_sizes reads --sizes N,...: N pipes of N stages each. contest_options reads --runs,
 * --trials and --seed. */
int contest_sizes(struct contest *contest, const char *otherwise);
int contest_options(struct contest *contest);

/* peer_built gives what a peer's program and its libraries were built of, in one line; "": not
 * known. */
void peer_built(const char *program, char *ret, size_t size);

/* contest_words adds the words of `keys`, "KEY=NUMBER KEY=NUMBER". */
void contest_words(struct words *words, const char *keys);

/* peer_run runs a peer's program with KEY=NUMBER words: CLI_OK and its result, or the exit status
 * after saying what is wrong. */
int peer_run(struct bench *bench, const struct contest_system *system, struct words *words,
    const char *what, json_t **ret_report);

#endif
