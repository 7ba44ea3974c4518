/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/run.h - `aloe run --json` of this installation as a child, several at a time.
 *
 *	struct words words = {0};
 *	struct bench_run run;
 *	words_add(&words, "waveforms/bpsk.conf");
 *	words_add(&words, "--set=noise.ebn0_db=%g", 2.5);
 *	rc = run_start(bench, &words, SIMD_AVX2, &run);
 *	while ((rc = run_wait(bench, &run, 1, 200)) == -EAGAIN)
 *		progress_show(...);
 *	status = run_take(&run, &report, NULL);
 */
#ifndef TOOLS_BENCH_RUN_H
#define TOOLS_BENCH_RUN_H

#include <sys/types.h>

#include "tools/bench/bench.h"

enum { WORDS_MAX = 256, RUN_FIFO = 40 };

struct words { /* of a command line */
	char *items[WORDS_MAX];
	size_t n;
	bool lost; /* one did not fit */
	/* another program than `aloe run`, which prints JSON with "schema": 1 as well; or NULL */
	const char *program;
	/* all its threads under SCHED_FIFO at RUN_FIFO; where its clock has edges, those of lanes
	 * have PLATFORM_PRIORITY_LANE */
	bool fifo;
};

__attribute__((format(printf, 2, 3))) void words_add(struct words *words, const char *format, ...);
void words_fini(struct words *words);

struct bench_run {
	pid_t pid; /* 0: none */
	int pidfd, out, err;
};

/* run_start starts `aloe run --json --quiet --force WORDS...` (or another program) with the kernels
 * of one level; takes the words over. Forced: what does not hold is seen to miss, instead of being
 * refused for what was measured of it with other parameters. 0, or -errno after saying what is
 * wrong. A run ends when this process does, however that ends. */
int run_start(
    struct bench *bench, struct words *words, enum simd_level level, struct bench_run *ret);

/* run_wait waits for the first of n runs (those without a pid are none) to end: its place; -EAGAIN
 * when the time is up; -EINTR: the user wants an end, of which all runs have been told: go on
 * taking what they give. */
int run_wait(struct bench *bench, const struct bench_run *runs, size_t n, int timeout_ms);

/* run_take gives the report of a run that has ended, and its exit status. What it said of an error
 * goes to *ret_errors, the caller's to free, or is printed (NULL). The report is NULL where there
 * is none; a run that was interrupted has one, of what it has done. */
int run_take(struct bench_run *run, json_t **ret_report, char **ret_errors);
/* run_text gives what a run that has ended has printed, of any program, in place of its report:
 * both texts are the caller's to free, and may be NULL. */
int run_text(struct bench_run *run, char **ret_output, char **ret_errors);
/* run_kill ends a run that is not wanted any more. */
void run_kill(struct bench_run *run);

/* run_only starts a run, again for a minute while another node has its CPU, and waits for its end,
 * with `what` and the time as progress: the exit status; results as of run_take. */
int run_only(struct bench *bench, struct words *words, enum simd_level level, const char *what,
    json_t **ret_report, char **ret_errors);

/* run_watched is run_only for a run without an end: every 100 ms `look` is asked whether it has
 * seen enough; then the run is stopped in good order, which is CLI_OK. */
struct watcher {
	bool (*look)(void *self, pid_t pid);
	void *self;
};
int run_watched(struct bench *bench, struct words *words, enum simd_level level, const char *what,
    const struct watcher *watcher, json_t **ret_report, char **ret_errors);

/* report_instance finds an instance of a report by name, report_component the first of a component;
 * NULL if it has none. */
json_t *report_instance(const json_t *report, const char *name);
json_t *report_component(const json_t *report, const char *type);

#endif
