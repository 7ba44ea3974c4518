/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/predict.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/file.h"
#include "core/report/report.h"
#include "core/report/store.h"
#include "tools/bench/figures.h"
#include "tools/bench/run.h"

enum { TEXT_BYTES_MAX = 4 << 20 };

struct prediction predict_one(
    const struct class_rates *source, const struct class_rates *target, const char *mix, double ns)
{
	double parts[CALIBRATE_CLASSES];

	if (class_mix(mix, parts) < 0)
		class_mix(NULL, parts);
	return (struct prediction){{
	    [PREDICT_CLOCK] = ns,
	    [PREDICT_MAC] = ns * source->mmac_per_s / target->mmac_per_s,
	    [PREDICT_CLASS] = class_convert(source, target, parts, ns),
	}};
}

/* ---- files ------------------------------------------------------------------------ */

/* The text of DIR/KIND.what, NULL if there is none (*ret_rc -ENOENT) or it cannot be read. */
static char *text_of(const char *dir, const char *kind, const char *what, char *ret_path,
    size_t *ret_len, int *ret_rc)
{
	char *text = NULL;

	*ret_rc = path_print(ret_path, PATH_MAX, "%s/%s.%s.json", dir, kind, what);
	if (*ret_rc == 0)
		*ret_rc = file_read(ret_path, TEXT_BYTES_MAX, &text, ret_len);
	return *ret_rc == 0 ? text : NULL;
}

static int load_failed(const struct bench *bench, const char *path, int rc, struct diag *diag)
{
	diag_print(diag, stderr);
	diag_fini(diag);
	return rc == -EINVAL ? CLI_USAGE : cli_fail(bench->args, "%s: %s", path, file_reason(rc));
}

int predict_load(const struct bench *bench, const char *dir, struct predict_kind *kind)
{
	char path[PATH_MAX], *text;
	struct diag diag;
	size_t len;
	int rc;

	diag_init(&diag);
	text = text_of(dir, kind->name, "rates", path, &len, &rc);
	if (text) {
		json_t *json = json_read(path, text, len, &diag);

		rc = json ? class_rates_read(json, path, &diag, &kind->rates) : -EINVAL;
		json_decref(json);
		free(text);
	}
	kind->wanted = rc == 0;
	if (rc == 0) {
		text = text_of(dir, kind->name, "profile", path, &len, &rc);
		if (text)
			rc = plan_profile_load(path, text, len, &diag, &kind->profile);
		free(text);
	}
	if (rc < 0 && rc != -ENOENT)
		return load_failed(bench, path, rc, &diag);
	diag_fini(&diag);
	return CLI_OK;
}

static int text_keep(const char *dir, const char *kind, const char *what, char *text)
{
	char path[PATH_MAX];
	int rc = text ? path_print(path, sizeof(path), "%s/%s.%s.json", dir, kind, what) : -ENOMEM;

	if (rc == 0)
		rc = file_write(path, text, strlen(text));
	free(text);
	return rc;
}

int predict_save(const struct bench *bench, const char *dir, const struct predict_kind *kind)
{
	json_t *rates = class_rates_json(&kind->rates);
	int rc = dir_make(dir);

	if (rc == 0)
		rc = text_keep(
		    dir, kind->name, "rates", rates ? json_dumps(rates, JSON_INDENT(1)) : NULL);
	if (rc == 0)
		rc = text_keep(dir, kind->name, "profile", plan_profile_save(&kind->profile));
	json_decref(rates);
	return rc == 0 ? CLI_OK
	               : (cli_fail(bench->args, "--keep %s: %s", dir, strerror(-rc)), CLI_FAILED);
}

/* ---- measuring ------------------------------------------------------------------------ */

/* The first folder of PATH that has the emulator, as execv wants it. */
static int emulator_find(char *ret_path, size_t size)
{
	const char *at = getenv("PATH");

	while (at && *at) {
		const size_t len = strcspn(at, ":");

		if (len && path_print(ret_path, size, "%.*s/qemu-aarch64", (int)len, at) == 0 &&
		    access(ret_path, X_OK) == 0)
			return 0;
		at += len + (at[len] == ':');
	}
	return -ENOEXEC;
}

int predict_build_dir(enum predict_build build, char *ret_path, size_t size)
{
	static const char *const dirs[] = {"", "O0", "aarch64"};
	char program[PATH_MAX];

	ret_path[0] = 0;
	if (build == PREDICT_THIS)
		return 0;
	if (child_path("", program, sizeof(program)) < 0 ||
	    path_print(ret_path, size, "%s/../%s", program, dirs[build]) < 0 ||
	    access(ret_path, R_OK) < 0)
		return -ENOENT;
	return build == PREDICT_AARCH64 ? emulator_find(program, sizeof(program)) : 0;
}

/* Takes the words over: the program's JSON, NULL if it failed. */
static json_t *answer_of(struct bench *bench, struct words *words, const struct predict_kind *kind,
    const char *what, int *ret_status)
{
	json_t *report = NULL;
	char text[80];

	snprintf(text, sizeof(text), "%s: %s", kind->name, what);
	*ret_status = run_only(bench, words, kind->level, text, &report, NULL);
	if (*ret_status == CLI_OK && !report)
		*ret_status = CLI_FAILED;
	if (*ret_status == CLI_OK)
		return report;
	json_decref(report);
	return NULL;
}

static int rates_take(const json_t *report, struct class_rates *ret)
{
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = class_rates_read(report, "what a core does", &diag, ret);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return rc == 0 ? CLI_OK : CLI_FAILED;
}

static int times_take(const json_t *report, struct profile *ret)
{
	const struct class_rates of_run = {.mmac_per_s = report_number(report, "capacity_mmac")};

	return of_run.mmac_per_s > 0 && store_profile_take(report, &of_run, ret) == 0 ? CLI_OK
	                                                                              : CLI_FAILED;
}

static int rates_measure(
    struct bench *bench, const struct predict_kind *kind, const char *dir, struct class_rates *ret)
{
	struct words words = {.fifo = true};
	char program[PATH_MAX];
	json_t *report;
	int status;

	if ((dir[0] ? path_print(program, sizeof(program), "%s/bin/execinfo", dir)
	            : child_path("execinfo", program, sizeof(program))) < 0)
		return CLI_FAILED;
	words.program = program;
	words_add(&words, "--calibrate");
	words_add(&words, "--json");
	report = answer_of(bench, &words, kind, "rates", &status);
	if (report)
		status = rates_take(report, ret);
	json_decref(report);
	return status;
}

static int times_measure(struct bench *bench, const struct predict_run *run,
    const struct predict_kind *kind, const char *dir, struct profile *ret)
{
	struct words words = {.fifo = true};
	char components[PATH_MAX];
	json_t *report;
	int status;

	words_add(&words, "%s", run->path);
	words_add(&words, "--slots=%.0f", ceil(run->seconds * 1e9 / (double)run->slot_ns));
	words_add(&words, "--clock=virtual");
	words_add(&words, "--lanes=%d", run->cpu);
	if (dir[0] && path_print(components, sizeof(components), "%s/lib/aloe", dir) == 0)
		setenv("ALOE_COMPONENTS", components, 1);
	report = answer_of(bench, &words, kind, "components", &status);
	if (dir[0])
		unsetenv("ALOE_COMPONENTS");
	if (report)
		status = times_take(report, ret);
	json_decref(report);
	return status;
}

/* Both by one program, for there is no node of that architecture here. */
static int emulated_measure(struct bench *bench, const struct predict_run *run,
    const struct predict_kind *kind, const char *dir, struct predict_round *ret)
{
	struct words words = {.fifo = true};
	char emulator[PATH_MAX];
	json_t *report;
	int status;

	if (emulator_find(emulator, sizeof(emulator)) < 0)
		return CLI_FAILED;
	words.program = emulator;
	words_add(&words, "%s/tests/bench/emulated", dir);
	words_add(&words, "%.0f", ceil(run->seconds * 1e9 / (double)run->slot_ns));
	report = answer_of(bench, &words, kind, "rates and components, emulated", &status);
	if (report)
		status = rates_take(report, &ret->rates);
	if (status == CLI_OK)
		status = times_take(report, &ret->times);
	json_decref(report);
	return status;
}

int predict_measure(struct bench *bench, const struct predict_run *run, struct predict_kind *kind)
{
	struct predict_round *round = &kind->rounds[kind->n_rounds];
	char dir[PATH_MAX];
	int status;

	if (predict_build_dir(kind->build, dir, sizeof(dir)) < 0)
		return CLI_FAILED;
	if (kind->build == PREDICT_AARCH64) {
		status = emulated_measure(bench, run, kind, dir, round);
	} else {
		status = rates_measure(bench, kind, dir, &round->rates);
		if (status == CLI_OK)
			status = times_measure(bench, run, kind, dir, &round->times);
	}
	if (status == CLI_OK)
		kind->n_rounds++;
	else
		plan_profile_fini(&round->times);
	return status;
}

/* ---- of all rounds ------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The first quartile of n > 0: what else the machine does only adds, and by the clock a round may
 * err to either side. Sorts them. */
static double quartile_of(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[(n - 1) / 4];
}

static void rates_settle(struct predict_kind *kind)
{
	double values[PREDICT_ROUNDS_MAX];
	struct class_rates rates = kind->rounds[0].rates;

	for (size_t r = 0; r < kind->n_rounds; r++)
		values[r] = kind->rounds[r].rates.mmac_per_s;
	rates.mmac_per_s = median(values, kind->n_rounds);
	for (int which = 0; which < CALIBRATE_CLASSES; which++) {
		for (size_t r = 0; r < kind->n_rounds; r++) {
			const struct class_rates *one = &kind->rounds[r].rates;

			values[r] = one->ns[which] * one->mmac_per_s;
		}
		rates.ns[which] = quartile_of(values, kind->n_rounds) / rates.mmac_per_s;
	}
	kind->rates = rates;
}

/* A clock changes by less than a quarter: where a run found the core slower than that, something
 * else ran beside what it measured. */
static bool is_steady(const struct predict_kind *kind, size_t round)
{
	double best = 0;

	for (size_t r = 0; r < kind->n_rounds; r++)
		best = fmax(best, kind->rounds[r].times.platform.mmac_per_s);
	return kind->rounds[round].times.platform.mmac_per_s > 0.75 * best;
}

/* Of one instance, which the first round has: as kMAC at the rate that the runs measured, then in
 * those of the kind. */
static int entry_settle(struct predict_kind *kind, const char *instance, double scale)
{
	double p50[PREDICT_ROUNDS_MAX] = {0}, p99[PREDICT_ROUNDS_MAX] = {0};
	uint64_t bytes = 0;
	size_t n = 0;

	for (size_t r = 0; r < kind->n_rounds; r++) {
		const struct profile_entry *entry =
		    plan_profile_find(&kind->rounds[r].times, instance);

		if (entry && is_steady(kind, r)) {
			p50[n] = entry->points[0].kmac_p50;
			p99[n++] = entry->points[0].kmac_p99;
			bytes = entry->points[0].bytes;
		}
	}
	if (!n)
		return 0;
	return plan_profile_set(&kind->profile, instance,
	    &(struct length_point){.bytes = bytes,
	        .kmac_p50 = quartile_of(p50, n) * scale,
	        .kmac_p99 = quartile_of(p99, n) * scale});
}

int predict_settle(struct predict_kind *kind)
{
	double runs[PREDICT_ROUNDS_MAX] = {0};
	size_t n = 0;
	int rc = 0;

	if (!kind->n_rounds)
		return 0;
	rates_settle(kind);
	for (size_t r = 0; r < kind->n_rounds; r++)
		if (is_steady(kind, r))
			runs[n++] = kind->rounds[r].times.platform.mmac_per_s;
	kind->profile.platform = kind->rates;
	for (size_t i = 0; i < kind->rounds[0].times.len && rc == 0; i++)
		rc = entry_settle(kind, kind->rounds[0].times.entries[i].instance,
		    kind->rates.mmac_per_s / median(runs, n));
	return rc;
}

void predict_kind_fini(struct predict_kind *kind)
{
	for (size_t r = 0; r < kind->n_rounds; r++)
		plan_profile_fini(&kind->rounds[r].times);
	plan_profile_fini(&kind->profile);
}
