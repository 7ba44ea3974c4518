/* SPDX-License-Identifier: BSD-3-Clause
 * tools/bench/cases_csv: published chains and schedules of any bytes are refused with a reason, or
 * each record has its scenario and cores, and each scenario a task that costs something. The input
 * is a file of scenarios, and after a NUL one of records. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/cases_csv.h"
#include "tools/bench/stages_plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void scenarios_check(const struct cases *cases)
{
	insist(cases->n_scenarios > 0);
	for (size_t i = 0; i < cases->n_scenarios; i++) {
		const struct cases_scenario *scenario = &cases->scenarios[i];
		double cost = 0;

		insist(scenario->n >= 1 && scenario->n <= STAGES_PLAIN_MAX);
		insist(scenario->share >= 0 && scenario->share <= 1);
		for (size_t t = 0; t < scenario->n; t++)
			cost += (double)scenario->tasks[t].cost[STAGES_BIG];
		insist(cost > 0 && cost <= 1e6 * STAGES_PLAIN_MAX);
	}
}

static void records_check(const struct cases *cases)
{
	for (size_t i = 0; i < cases->n_records; i++) {
		const struct cases_record *record = &cases->records[i];

		insist(record->scenario < cases->n_scenarios && record->period > 0);
		insist(record->cores[STAGES_BIG] + record->cores[STAGES_LITTLE] > 0);
		insist(record->used[STAGES_BIG] <= record->cores[STAGES_BIG] &&
		    record->used[STAGES_LITTLE] <= record->cores[STAGES_LITTLE]);
		insist(memchr(record->scheduler, 0, CASES_NAME) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 2); /* the second text may be empty */
	struct cases cases = {0};
	struct diag diag;

	insist(text != NULL);
	memcpy(text, data, size);
	diag_init(&diag);
	if (cases_read_scenarios(&cases, "scenarios", text, &diag) != 0) {
		insist(diag.errors > 0);
	} else {
		scenarios_check(&cases);
		if (cases_read_records(&cases, "records", text + strlen(text) + 1, &diag) == 0)
			records_check(&cases);
		else
			insist(diag.errors > 0);
	}
	cases_fini(&cases);
	diag_fini(&diag);
	free(text);
	return 0;
}
