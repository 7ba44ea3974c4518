/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/bench/predict.h"

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
#include "tools/aloe/bench/run.h"

enum { TEXT_BYTES_MAX = 4 << 20 };

struct prediction predict_one(const struct class_rates *source, const struct class_rates *target, const char *mix,
			      double ns)
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

/* ---- files -------------------------------------------------------------------------------------------------------------- */

/* The text of DIR/KIND.what, NULL if there is none (*ret_rc -ENOENT) or it cannot be read. */
static char *text_of(const char *dir, const char *kind, const char *what, char *ret_path, size_t *ret_len, int *ret_rc)
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
	return rc == -EINVAL ? CLI_USAGE : cli_fail(bench->args, "%s: %s", path, strerror(-rc));
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
		rc = text_keep(dir, kind->name, "rates", rates ? json_dumps(rates, JSON_INDENT(1)) : NULL);
	if (rc == 0)
		rc = text_keep(dir, kind->name, "profile", plan_profile_save(&kind->profile));
	json_decref(rates);
	return rc == 0 ? CLI_OK : (cli_fail(bench->args, "--keep %s: %s", dir, strerror(-rc)), CLI_FAILED);
}

/* ---- measuring ------------------------------------------------------------------------------------------------------------ */

int predict_slow_dir(char *ret_path, size_t size)
{
	char program[PATH_MAX];

	if (child_path("", program, sizeof(program)) < 0 || path_print(ret_path, size, "%s/../O0", program) < 0 ||
	    access(ret_path, R_OK) < 0)
		return -ENOENT;
	return 0;
}

/* Rates of a round, where they are better than those before. */
static int rates_keep(struct class_rates *kept, json_t *report, struct diag *diag)
{
	struct class_rates now;
	int rc = class_rates_read(report, "execinfo --calibrate", diag, &now);

	if (rc == 0 && class_rates_known(kept)) {
		now.mmac_per_s = fmax(now.mmac_per_s, kept->mmac_per_s);
		for (int which = 0; which < CALIBRATE_CLASSES; which++)
			now.ns[which] = fmin(now.ns[which], kept->ns[which]);
	}
	if (rc == 0)
		*kept = now;
	return rc;
}

static int rates_measure(struct bench *bench, struct predict_kind *kind, const char *slow)
{
	struct words words = {.fifo = true};
	char program[PATH_MAX], what[80];
	json_t *report = NULL;
	struct diag diag;
	int status;

	if ((kind->slow ? path_print(program, sizeof(program), "%s/bin/execinfo", slow)
			: child_path("execinfo", program, sizeof(program))) < 0)
		return CLI_FAILED;
	words.program = program;
	words_add(&words, "--calibrate");
	words_add(&words, "--json");
	snprintf(what, sizeof(what), "%s: rates", kind->name);
	status = run_only(bench, &words, kind->level, what, &report, NULL);
	diag_init(&diag);
	if (status == CLI_OK && (!report || rates_keep(&kind->rates, report, &diag) < 0))
		status = CLI_FAILED;
	diag_print(&diag, stderr);
	diag_fini(&diag);
	json_decref(report);
	return status;
}

/* Times of a round, where they are shorter than those before: as kMAC of no machine in particular yet. */
static int times_keep(struct profile *kept, const json_t *report)
{
	const struct class_rates unit = {.mmac_per_s = 1};
	struct profile now;
	int rc = store_profile_take(report, &unit, &now);

	for (size_t i = 0; i < now.len && rc == 0; i++) {
		const struct profile_entry *entry = &now.entries[i], *before = plan_profile_find(kept, entry->instance);

		rc = plan_profile_set(kept, entry->instance,
				      before ? fmin(before->kmac_p50, entry->kmac_p50) : entry->kmac_p50,
				      before ? fmin(before->kmac_p99, entry->kmac_p99) : entry->kmac_p99);
	}
	plan_profile_fini(&now);
	return rc;
}

static int times_measure(struct bench *bench, const struct predict_run *run, struct predict_kind *kind,
			 struct profile *times, const char *slow)
{
	struct words words = {.fifo = true};
	char what[80], components[PATH_MAX];
	json_t *report = NULL;
	int status;

	words_add(&words, "%s", run->path);
	words_add(&words, "--slots=%.0f", ceil(run->seconds * 1e9 / (double)run->slot_ns));
	words_add(&words, "--clock=virtual");
	words_add(&words, "--lanes=%d", run->cpu);
	snprintf(what, sizeof(what), "%s: components", kind->name);
	if (kind->slow && path_print(components, sizeof(components), "%s/lib/aloe", slow) == 0)
		setenv("ALOE_COMPONENTS", components, 1);
	status = run_only(bench, &words, kind->level, what, &report, NULL);
	if (kind->slow)
		unsetenv("ALOE_COMPONENTS");
	if (status == CLI_OK && (!report || times_keep(times, report) < 0))
		status = CLI_FAILED;
	json_decref(report);
	return status;
}

/* kMAC at 1 MMAC/s are ms: now of this kind. */
static void profile_scale(struct profile *profile, double from_mmac, double to_mmac)
{
	for (size_t i = 0; i < profile->len; i++) {
		profile->entries[i].kmac_p50 *= to_mmac / from_mmac;
		profile->entries[i].kmac_p99 *= to_mmac / from_mmac;
	}
}

int predict_measure(struct bench *bench, const struct predict_run *run, struct predict_kind *kind)
{
	const double before = kind->rates.mmac_per_s;
	char slow[PATH_MAX] = "";
	int status;

	if (kind->slow && predict_slow_dir(slow, sizeof(slow)) < 0)
		return CLI_FAILED;
	status = rates_measure(bench, kind, slow);
	if (status != CLI_OK)
		return status;
	if (before > 0)
		profile_scale(&kind->profile, before, 1);
	status = times_measure(bench, run, kind, &kind->profile, slow);
	profile_scale(&kind->profile, 1, kind->rates.mmac_per_s);
	kind->profile.platform = kind->rates;
	return status;
}
