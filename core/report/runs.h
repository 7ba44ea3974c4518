/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/runs.h - the runs that are kept: what there is, two of them beside each other, and
 * how they are removed.
 *
 *      runs_scan (names) --> runs_read (figures of each) --> a table, or JSON
 *
 * A run's folder may hold anything: it is read like bytes from a peer.
 */
#ifndef ALOE_RUNS_H
#define ALOE_RUNS_H

#include <stdio.h>

#include "core/report/report.h"
#include "core/report/store.h"

enum { RUN_BYTES_MAX = 256 << 20 };

enum run_state {
	RUN_OVER,   /* has a report */
	RUN_OPEN,   /* has none: goes on, or its node was killed */
	RUN_BROKEN, /* has one that cannot be read; why is in `reason` */
};

struct run_row {
	char *name;
	struct run_name parsed;
	struct timespec changed; /* orders runs that began in one second */
	enum run_state state;
	char *reason;
	/* of a run with a report */
	bool failed; /* ended by a fault */
	double run_s, slots, missed;
	/* of the instance that counted most block errors; `counts`: there is one that counts */
	bool counts;
	double blocks, block_errors;
	char clock[16];
};

struct runs {
	struct run_row *rows; /* the newest first */
	size_t n;
	size_t n_open, n_broken; /* once they are read */
};

/* runs_scan finds the runs, by their names alone. 0 (none, if there is no folder) or -errno. End
 * with runs_free. */
int runs_scan(const char *state, struct runs *ret);
/* runs_read reads the report of each. 0 or -ENOMEM. */
int runs_read(const char *state, struct runs *runs);
void runs_free(struct runs *runs);
/* NULL: there is no such run; "last" is the newest. */
const struct run_row *runs_find(const struct runs *runs, const char *name);

/* run_read reads and checks the report in the folder of a run. NULL, and the reason in diag. */
json_t *run_read(const char *dir, struct diag *diag);
/* run_figures takes from a report what the table shows of it. */
void run_figures(const json_t *report, struct run_row *row);

/* runs_print writes the table, runs_json the same as an object with `schema` and `runs`. */
void runs_print(const struct runs *runs, FILE *out);
json_t *runs_json(const struct runs *runs);

/* runs_compare (compare.c) writes the figures of two reports beside each other, and before them in
 * what the runs differ. */
void runs_compare(
    const char *name_a, const json_t *a, const char *name_b, const json_t *b, FILE *out);

/* run_remove removes the folder of a run with the files in it, the report last. -ENOTEMPTY: it
 * holds a folder that is no copy of a build, and stays; -errno. */
int run_remove(const char *state, const char *name);
/* run_is_going tells whether a run without a report may go on: `lives` tells whether a node lives
 * in a runtime directory. */
bool run_is_going(const char *state, const struct run_row *row, bool (*lives)(const char *dir));

#endif
