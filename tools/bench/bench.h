/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/bench.h - the frame of `aloe-bench COMMAND` (`aloe bench COMMAND` starts it).
 *
 * A benchmark runs the programs of this installation (run.h), fills tables (table.h), may draw a
 * figure (core/plot/plot.h), and says in notes what its figures stand on. The frame reads the
 * options that all take, shows progress, catches Ctrl-C, and puts the result out: tables for
 * people, or --markdown or --json, and --csv, --plot.
 *
 * 	struct bench bench;
 * 	int status = bench_begin(&bench, args);
 * 	if (status == CLI_OK) {
 * 		... bench_table, bench_row, bench_note, bench.plot ...
 * 		status = bench_end(&bench, status);
 * 	}
 * 	return status;
 */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#include <sys/types.h>

#include "core/base/simd.h"
#include "core/cli/cli.h"
#include "core/plot/plot.h"
#include "tools/aloe/progress.h"
#include "tools/bench/table.h"

enum { BENCH_TABLES_MAX = 8, BENCH_CPUS_MAX = 1024, BENCH_INTERRUPTED = 130, BENCH_MISSED = 3 };

struct bench {
	const struct cli_args *args;
	struct table tables[BENCH_TABLES_MAX];
	size_t n_tables;
	struct plot plot; /* title NULL: nothing to draw */
	double load;      /* of the machine in the minute before: what else it did */
	json_t *notes;
	bool missed;         /* a reference figure was not reached: --strict */
	unsigned not_judged; /* rows without anything to be held against */
	struct progress progress;
	int signal_fd;       /* Ctrl-C and its like */
	unsigned interrupts; /* how often the user wanted an end: finish with what there is */
	int cpus[BENCH_CPUS_MAX];
	size_t n_cpus;  /* that this process may use */
	char dir[4096]; /* the runs' state directory: made for this benchmark, removed after it */
	int leash;      /* held by this process and its runs: at its end the folder is removed */
	pid_t sweeper;  /* who does that */
	double run_s;   /* of the last run of run_only, from its start to its end */
};

/* bench_begin reads the options; 0, or the exit status after saying what is wrong. */
int bench_begin(struct bench *bench, const struct cli_args *args);
/* bench_end puts out what there is, unless `status` says that the benchmark failed (not CLI_OK),
 * and ends the frame. Returns the exit status: 130 after Ctrl-C; BENCH_MISSED with --strict where a
 * reference figure was not reached. */
int bench_end(struct bench *bench, int status);

/* bench_main is a whole benchmark of parts that are given their own memory, zeroed, of which the
 * first field is a `struct bench *`. What was measured until Ctrl-C, or until a run failed, is
 * shown, too. */
struct bench_parts {
	size_t size;
	int (*options)(void *self); /* 0, or the exit status after saying what is wrong */
	int (*measure)(void *self);
	void (*result)(void *self); /* tables, plot, notes, of what there is */
	void (*fini)(void *self);   /* may be NULL */
};
int bench_main(const struct cli_args *args, const struct bench_parts *parts);

/* bench_table begins a table; the first one is what --csv writes. The columns and texts stay the
 * caller's. */
void bench_table(struct bench *bench, const char *key, const char *title,
    const struct column *columns, size_t n);
/* bench_row adds a row to the table begun last; takes the object over (NULL: out of memory, left
 * out and said). */
void bench_row(struct bench *bench, json_t *row);
/* bench_note adds a sentence below the tables: a formula, a condition, where a reference figure is
 * from. */
__attribute__((format(printf, 2, 3))) void bench_note(struct bench *bench, const char *format, ...);

/* bench_judge counts what a row says of a reference figure, and gives it as tables have it: "yes",
 * "no", which fails with --strict, or "-", which does not: how many rows were not judged is said
 * below the tables, and by --strict. */
enum bench_verdict { BENCH_REACHED, BENCH_NOT_REACHED, BENCH_NOT_JUDGED };
const char *bench_judge(struct bench *bench, enum bench_verdict verdict);

/* bench_file finds a waveform of this project: waveforms/NAME here, else as source_find does. 0, or
 * CLI_USAGE after saying where it was looked for. */
int bench_file(const struct bench *bench, const char *name, char *ret_path, size_t size);

/* bench_level gives the one level that the environment, or --simd, asks for: 0, or -EINVAL after
 * saying what is allowed. */
int bench_level(const struct bench *bench, enum simd_level *ret);
/* bench_levels reads --simd LEVEL,...; one entry, what the environment asks for, if not given: how
 * many, or -EINVAL after saying what is allowed. */
int bench_levels(const struct bench *bench, enum simd_level ret_levels[SIMD_LEVELS]);

/* bench_lanes reads --lanes N,..., numbers of lanes (1, and 2 where there are so many CPUs, if not
 * given); bench_slot_lengths reads --slot-us T,...; both at most n. How many, or -EINVAL after
 * saying what is allowed. */
enum { BENCH_LANES_MAX = 16 };
int bench_lanes(const struct bench *bench, double ret[BENCH_LANES_MAX]);
int bench_slot_lengths(const struct bench *bench, size_t n, double *ret);
/* bench_cpus_write writes the first n CPUs, separated by commas. */
void bench_cpus_write(const struct bench *bench, size_t n, char *ret, size_t size);

/* As the papers' components are a process each, a ratio to their figures is one of
 * ISOLATION_COMPONENT. */
enum isolation { ISOLATION_NONE, ISOLATION_WAVEFORM, ISOLATION_COMPONENT, ISOLATIONS };

const char *isolation_name(enum isolation isolation);
/* bench_isolations reads --isolation HOW,...: how many, in this order and all of them if not given;
 * -EINVAL after saying what is allowed. */
int bench_isolations(const struct bench *bench, enum isolation ret[ISOLATIONS]);

/* bench_cpu_name writes the name of this machine's CPUs, as the kernel knows it. */
void bench_cpu_name(char *ret_text, size_t size);

/* bench_cpu reads --cpu: the first of ours, if not given. 0, or -EINVAL after saying what is
 * wrong. */
int bench_cpu(const struct bench *bench, int *ret);

#endif
