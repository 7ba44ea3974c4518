/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/cases_csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/stages_plain.h"

enum { FIELDS_MAX = 16 };

struct csv {
	const char *file, *at; /* the rest of the text */
	int line;
	struct diag *diag;
	const char *fields[FIELDS_MAX]; /* of a line; each ends at a comma or at the line's end */
	size_t n;
};

static int csv_wrong(const struct csv *csv, const char *what, const char *wanted)
{
	return diag_error(csv->diag, csv->file, csv->line, "%s; %s is needed", what, wanted);
}

/* The next line that is not empty; false: none. */
static bool csv_next(struct csv *csv)
{
	for (;;) {
		const char *end = csv->at + strcspn(csv->at, "\n");

		if (!*csv->at)
			return false;
		csv->line++;
		csv->n = 0;
		for (const char *p = csv->at; csv->n < FIELDS_MAX;) {
			csv->fields[csv->n++] = p;
			p += strcspn(p, ",\n");
			if (*p++ != ',')
				break;
		}
		csv->at = *end ? end + 1 : end;
		if (csv->fields[0] != end)
			return true;
	}
}

/* The first line names the columns. */
static int csv_begin(struct csv *csv, const char *first)
{
	if (!csv_next(csv) || strncmp(csv->fields[0], first, strlen(first)) != 0)
		return csv_wrong(
		    csv, "this is another file", "a first line that names the columns");
	return 0;
}

static int csv_take(const struct csv *csv, size_t field, bool whole, double min, double max,
    const char *what, double *ret)
{
	char *end = NULL;

	*ret = field < csv->n ? strtod(csv->fields[field], &end) : NAN;
	if (!end || end == csv->fields[field] || !strchr(",\r\n", *end) || !(*ret >= min) ||
	    *ret > max || (whole && *ret != floor(*ret))) {
		char wanted[80];

		snprintf(
		    wanted, sizeof(wanted), "a %snumber %g .. %g", whole ? "whole " : "", min, max);
		return csv_wrong(csv, what, wanted);
	}
	return 0;
}

static int csv_number(
    const struct csv *csv, size_t field, double min, double max, const char *what, double *ret)
{
	return csv_take(csv, field, false, min, max, what, ret);
}

static int csv_whole(
    const struct csv *csv, size_t field, double min, double max, const char *what, double *ret)
{
	return csv_take(csv, field, true, min, max, what, ret);
}

/* ---- scenarios ------------------------------------------------------------------------- */

/* Costs: n numbers with | between them. */
static int costs_read(
    const struct csv *csv, size_t field, enum stages_kind kind, struct cases_scenario *scenario)
{
	const char *at = csv->fields[field];

	for (size_t i = 0; i < scenario->n; i++) {
		char *end;
		const double cost = strtod(at, &end);

		if (end == at || !(cost >= 0 && cost <= 1e6) || cost != floor(cost) ||
		    (i + 1 < scenario->n ? *end != '|' : *end != ','))
			return csv_wrong(csv, "the costs of the tasks are not understood",
			    "a whole number 0 .. 1e6 for each task, with | between them,");
		scenario->tasks[i].cost[kind] = (uint64_t)cost;
		at = end + 1;
	}
	return 0;
}

/* A chain that can take no time has no period to compare with. */
static int costs_check(const struct csv *csv, const struct cases_scenario *scenario)
{
	for (size_t i = 0; i < scenario->n; i++)
		if (scenario->tasks[i].cost[STAGES_BIG] && scenario->tasks[i].cost[STAGES_LITTLE])
			return 0;
	return csv_wrong(csv, "the chain costs nothing",
	    "a task that costs more than 0 on big and on little cores");
}

static int states_read(const struct csv *csv, size_t field, struct cases_scenario *scenario)
{
	const char *at = csv->fields[field];

	for (size_t i = 0; i < scenario->n; i++, at += 3) {
		const bool less = strncmp(at, "SL", 2) == 0;

		if ((!less && strncmp(at, "SF", 2) != 0) ||
		    (i + 1 < scenario->n ? at[2] != '|' : at[2] && !strchr(",\r\n", at[2])))
			return csv_wrong(csv, "the states of the tasks are not understood",
			    "SF or SL for each task, with | between them,");
		scenario->tasks[i].spreadable = less;
	}
	return 0;
}

static int scenario_read(const struct csv *csv, struct cases_scenario *ret)
{
	double seed, n;

	if (csv->n < 10)
		return csv_wrong(csv, "the line is too short", "a line of 10 fields");
	if (csv_whole(csv, 0, 0, 1e9, "the seed is not understood", &seed) < 0 ||
	    csv_whole(csv, 1, 1, STAGES_PLAIN_MAX, "the number of tasks is not understood", &n) <
	        0 ||
	    csv_number(
	        csv, 2, 0, 1, "the share of stateless tasks is not understood", &ret->share) < 0)
		return -EINVAL;
	ret->seed = (uint64_t)seed;
	ret->n = (size_t)n;
	ret->tasks = calloc(ret->n, sizeof(*ret->tasks));
	if (!ret->tasks)
		return -ENOMEM;
	if (costs_read(csv, 7, STAGES_BIG, ret) < 0 || costs_read(csv, 8, STAGES_LITTLE, ret) < 0 ||
	    costs_check(csv, ret) < 0)
		return -EINVAL;
	return states_read(csv, 9, ret);
}

static int by_seed(const void *a, const void *b)
{
	const struct cases_scenario *x = a, *y = b;

	if (x->seed != y->seed)
		return x->seed < y->seed ? -1 : 1;
	return (x->share > y->share) - (x->share < y->share);
}

static size_t lines_count(const char *text)
{
	size_t n = 1;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

int cases_read_scenarios(struct cases *cases, const char *file, const char *text, struct diag *diag)
{
	struct csv csv = {.file = file, .at = text, .diag = diag};
	int rc = csv_begin(&csv, "RNG seed,number of tasks,stateless ratio,");

	cases->scenarios = calloc(lines_count(text), sizeof(*cases->scenarios));
	if (rc == 0 && !cases->scenarios)
		rc = -ENOMEM;
	while (rc == 0 && csv_next(&csv))
		rc = scenario_read(&csv, &cases->scenarios[cases->n_scenarios++]);
	if (rc == 0 && cases->n_scenarios == 0)
		rc = csv_wrong(&csv, "there is no scenario", "one line for each");
	if (rc == 0)
		qsort(cases->scenarios, cases->n_scenarios, sizeof(*cases->scenarios), by_seed);
	return rc;
}

/* ---- records --------------------------------------------------------------------------- */

static int record_find(const struct csv *csv, const struct cases *cases, double seed, double share,
    struct cases_record *ret)
{
	const struct cases_scenario key = {.seed = (uint64_t)seed, .share = share};
	const struct cases_scenario *found =
	    bsearch(&key, cases->scenarios, cases->n_scenarios, sizeof(*cases->scenarios), by_seed);

	if (!found)
		return csv_wrong(csv, "there is no scenario of this seed and share",
		    "a record of one of the scenarios");
	ret->scenario = (size_t)(found - cases->scenarios);
	return 0;
}

/* Big cores and little ones, in two fields. */
static int cores_read(const struct csv *csv, size_t field, const uint32_t *max,
    const char *const *what, uint32_t *ret)
{
	for (int kind = 0; kind < STAGES_KINDS; kind++) {
		double n;

		if (csv_whole(csv, field + (size_t)kind, 0, max[kind], what[kind], &n) < 0)
			return -EINVAL;
		ret[kind] = (uint32_t)n;
	}
	if (ret[STAGES_BIG] + ret[STAGES_LITTLE] == 0)
		return csv_wrong(csv, "there is no core, big or little", "at least one");
	return 0;
}

static int record_read(const struct csv *csv, const struct cases *cases, struct cases_record *ret)
{
	static const uint32_t most[STAGES_KINDS] = {STAGES_PLAIN_MAX, STAGES_PLAIN_MAX};
	static const char *const cores[STAGES_KINDS] = {
	    "the big cores are not understood", "the little cores are not understood"};
	static const char *const used[STAGES_KINDS] = {
	    "the used big cores are not understood", "the used little cores are not understood"};
	double seed, share;
	size_t name;

	if (csv->n < 10)
		return csv_wrong(csv, "the line is too short", "a line of 10 fields or more");
	if (csv_whole(csv, 0, 0, 1e9, "the seed is not understood", &seed) < 0 ||
	    cores_read(csv, 3, most, cores, ret->cores) < 0 ||
	    csv_number(csv, 6, 0, 1, "the share of stateless tasks is not understood", &share) <
	        0 ||
	    csv_number(csv, 7, 1e-6, 1e12, "the period is not understood", &ret->period) < 0 ||
	    cores_read(csv, 8, ret->cores, used, ret->used) < 0)
		return -EINVAL;
	name = strcspn(csv->fields[1], ",");
	if (name == 0 || name >= CASES_NAME)
		return csv_wrong(
		    csv, "the scheduler is not understood", "a name of 1 .. 23 letters");
	memcpy(ret->scheduler, csv->fields[1], name);
	return record_find(csv, cases, seed, share, ret);
}

static int by_scenario(const void *a, const void *b)
{
	const struct cases_record *x = a, *y = b;

	if (x->scenario != y->scenario)
		return x->scenario < y->scenario ? -1 : 1;
	for (int kind = 0; kind < STAGES_KINDS; kind++)
		if (x->cores[kind] != y->cores[kind])
			return x->cores[kind] < y->cores[kind] ? -1 : 1;
	return strcmp(x->scheduler, y->scheduler);
}

int cases_read_records(struct cases *cases, const char *file, const char *text, struct diag *diag)
{
	struct csv csv = {.file = file, .at = text, .diag = diag};
	int rc = csv_begin(&csv, "RNG seed,algorithm,number of tasks,");

	cases->records = calloc(lines_count(text), sizeof(*cases->records));
	if (rc == 0 && !cases->records)
		rc = -ENOMEM;
	while (rc == 0 && csv_next(&csv))
		rc = record_read(&csv, cases, &cases->records[cases->n_records++]);
	if (rc == 0 && cases->n_records)
		qsort(cases->records, cases->n_records, sizeof(*cases->records), by_scenario);
	return rc;
}

void cases_fini(struct cases *cases)
{
	for (size_t i = 0; i < cases->n_scenarios; i++)
		free(cases->scenarios[i].tasks);
	free(cases->scenarios);
	free(cases->records);
	*cases = (struct cases){0};
}
