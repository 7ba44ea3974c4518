/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/doctor/bench.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Student's t for a two-sided interval of 95 % with BENCH_ROUNDS - 1 degrees of freedom. */
#define STUDENT_T 2.776

static_assert(BENCH_ROUNDS == 5, "STUDENT_T is of 4 degrees of freedom");

const char *const doctor_bench_keys[BENCH_FIGURES] = {"late_p99_us", "gaps_percent"};

struct setting { /* "none", one knob, or "all" */
	const char *name;
	json_t *changes;
	const char *why_not; /* NULL: can be turned */
	double figures[BENCH_FIGURES][BENCH_ROUNDS];
};

/* ---- one measurement ------------------------------------------------------------------------ */

static bool results_good(const json_t *done)
{
	json_t *one;
	size_t n, good = 0;

	json_array_foreach(done, n, one)
	{
		good += json_is_true(json_object_get(one, "done"));
	}
	return good > 0 || json_array_size(done) == 0;
}

/* What this machine refuses whole is not here, and is not measured again. */
static int setting_measure(struct record *record, struct setting *setting, int round,
    doctor_bench_measure *measure, void *self)
{
	double figures[BENCH_FIGURES] = {0};
	json_t *done = NULL, *undone = NULL;
	int rc = record_apply(record, setting->changes, &done), back;

	if (rc == 0 && !results_good(done))
		setting->why_not = "not here: the kernel refuses the change";
	else if (rc == 0)
		rc = measure(self, figures);
	back = record_revert(record, &undone);
	json_decref(done);
	json_decref(undone);
	for (int f = 0; f < BENCH_FIGURES; f++)
		setting->figures[f][round] = figures[f];
	return rc < 0 ? rc : back;
}

/* ---- all of them ------------------------------------------------------------------------ */

static json_t *interval_json(const double values[BENCH_ROUNDS])
{
	double mean = 0, square = 0, half;

	for (int i = 0; i < BENCH_ROUNDS; i++)
		mean += values[i] / BENCH_ROUNDS;
	for (int i = 0; i < BENCH_ROUNDS; i++)
		square += (values[i] - mean) * (values[i] - mean);
	half = STUDENT_T * sqrt(square / (BENCH_ROUNDS - 1) / BENCH_ROUNDS);
	return json_pack("{s:f, s:f, s:f}", "mean", mean, "low", mean - half, "high", mean + half);
}

static json_t *setting_json(const struct setting *setting)
{
	json_t *row = json_pack("{s:s, s:s}", "knob", setting->name, "here",
	    setting->why_not != NULL ? setting->why_not : "measured");

	for (int f = 0; f < BENCH_FIGURES && setting->why_not == NULL; f++)
		json_object_set_new(row, doctor_bench_keys[f], interval_json(setting->figures[f]));
	return row;
}

static void setting_find(
    const struct machine *machine, const struct knob *knob, struct setting *setting, json_t *all)
{
	struct finding finding;

	knob_find(machine, knob, &finding);
	*setting = (struct setting){.name = knob->name, .changes = json_deep_copy(finding.changes)};
	if (json_array_size(finding.changes) > 0)
		json_array_extend(all, setting->changes);
	else
		setting->why_not = finding.verdict == GOOD ? "good already"
		    : finding.verdict == UNAVAILABLE       ? "not here"
		                                           : "not here: not while the machine runs";
	finding_fini(&finding);
}

static int rounds_run(struct record *record, struct setting *settings, size_t n,
    doctor_bench_measure *measure, void *self)
{
	int rc = 0;

	for (int round = 0; round < BENCH_ROUNDS; round++)
		for (size_t i = 0; i < n && rc == 0; i++)
			if (settings[i].why_not == NULL)
				rc = setting_measure(record, &settings[i], round, measure, self);
	if (rc < 0)
		fprintf(
		    stderr, "aloe: the knobs were not measured to the end: %s\n", strerror(-rc));
	return rc;
}

json_t *doctor_bench(struct record *record, doctor_bench_measure *measure, void *self)
{
	const size_t n = n_knobs + 2;
	struct setting *settings = calloc(n, sizeof(*settings));
	json_t *result = NULL, *all = json_array();

	if (settings == NULL || json_array_size(record->changes) > 0) {
		fprintf(stderr, "aloe: --bench: %s\n",
		    settings == NULL ? "out of memory"
		                     : "changes of --apply are in force; --revert undoes them");
		free(settings);
		json_decref(all);
		return NULL;
	}
	settings[0] = (struct setting){.name = "none", .changes = json_array()};
	for (size_t k = 0; k < n_knobs; k++)
		setting_find(record->machine, &knobs[k], &settings[k + 1], all);
	settings[n - 1] = (struct setting){.name = "all", .changes = all};
	if (rounds_run(record, settings, n, measure, self) == 0) {
		result = json_array();
		for (size_t i = 0; i < n; i++)
			json_array_append_new(result, setting_json(&settings[i]));
	}
	for (size_t i = 0; i < n; i++)
		json_decref(settings[i].changes);
	free(settings);
	return result;
}

/* ---- as text ------------------------------------------------------------------------ */

static double interval_part(const json_t *row, int figure, const char *part)
{
	return json_number_value(
	    json_object_get(json_object_get(row, doctor_bench_keys[figure]), part));
}

void doctor_bench_print(const json_t *bench, FILE *out)
{
	json_t *row;
	size_t n;

	fprintf(out,
	    "each knob alone, with 95 %% intervals of %d rounds in turns; late: after a slot's "
	    "edge, p99, on the timer; gaps: time lost by a lane that polls; on the worst CPU\n"
	    "  %-16s  %9s %9s %9s  %9s %9s %9s\n",
	    BENCH_ROUNDS, "knob", "late us", "from", "to", "gaps %", "from", "to");
	json_array_foreach(bench, n, row)
	{
		const char *name = json_string_value(json_object_get(row, "knob")),
		           *here = json_string_value(json_object_get(row, "here"));

		if (json_object_get(row, doctor_bench_keys[0]) == NULL) {
			fprintf(out, "  %-16s  %s\n", name, here);
			continue;
		}
		fprintf(out, "  %-16s", name);
		for (int f = 0; f < BENCH_FIGURES; f++)
			fprintf(out, "  %9.*f %9.*f %9.*f", f ? 3 : 1,
			    interval_part(row, f, "mean"), f ? 3 : 1, interval_part(row, f, "low"),
			    f ? 3 : 1, interval_part(row, f, "high"));
		fputc('\n', out);
	}
}
