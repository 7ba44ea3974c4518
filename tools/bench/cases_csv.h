/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/cases_csv.h - the published random chains and their recorded schedules: the files
 * simulation_scenarios.csv and simulation_results.csv of the artefact of arXiv 2502.10000
 * (github.com/aff3ct/amp-scheduling, previous_results.zip, MIT licence). They are not part of ALOE.
 * A chain that takes no time, a record without a core and sizes beyond STAGES_PLAIN_MAX are
 * refused.
 */
#ifndef TOOLS_BENCH_CASES_CSV_H
#define TOOLS_BENCH_CASES_CSV_H

#include "core/base/diag.h"
#include "core/map/stages.h"

enum { CASES_NAME = 24 };

struct cases_scenario {
	uint64_t seed;
	double share; /* of tasks that keep nothing */
	struct stages_task *tasks;
	size_t n;
};

struct cases_record {
	size_t scenario;
	uint32_t cores[STAGES_KINDS], used[STAGES_KINDS];
	char scheduler[CASES_NAME];
	double period;
};

struct cases {
	struct cases_scenario *scenarios; /* by seed and share */
	size_t n_scenarios;
	struct cases_record *records; /* by scenario and cores */
	size_t n_records;
};

/* cases_read_scenarios and cases_read_records read the texts of files (`file` is a name only):
 * scenarios first. 0; -EINVAL with the first thing that is wrong in diag; -ENOMEM. End with
 * cases_fini in any case. */
int cases_read_scenarios(
    struct cases *cases, const char *file, const char *text, struct diag *diag);
int cases_read_records(struct cases *cases, const char *file, const char *text, struct diag *diag);
void cases_fini(struct cases *cases);

#endif
