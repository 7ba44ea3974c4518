/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/report/store.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/measure/local.h"
#include "core/report/report.h"

enum { PROFILE_BYTES_MAX = 64 << 20, CALLS_MIN = 100, RUNS_A_SECOND = 1000 };

static int profile_path(const char *state, const char *waveform, const struct class_rates *rates,
    const char *clock, char *ret, size_t size)
{
	return path_print(ret, size, "%s/profiles/%s/%016llx-%s.json", state, waveform,
	    (unsigned long long)class_rates_fingerprint(rates), clock);
}

static bool ends_with(const char *text, const char *end)
{
	const size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

/* The newest profile of a waveform on a clock, of whatever machine. */
static int profile_newest(
    const char *state, const char *waveform, const char *clock, char *ret_path, size_t size)
{
	struct timespec newest = {0};
	char dir[PATH_MAX], path[PATH_MAX], tail[32];
	int rc = path_print(dir, sizeof(dir), "%s/profiles/%s", state, waveform);
	DIR *entries = rc < 0 ? NULL : opendir(dir);
	struct dirent *entry;
	struct stat stat;

	rc = rc < 0 ? rc : entries ? -ENOENT : -errno;
	snprintf(tail, sizeof(tail), "-%.16s.json", clock);
	while (entries && (entry = readdir(entries))) {
		if (!ends_with(entry->d_name, tail) ||
		    path_print(path, sizeof(path), "%s/%s", dir, entry->d_name) < 0 ||
		    lstat(path, &stat) < 0 || !S_ISREG(stat.st_mode))
			continue;
		if (rc == 0 &&
		    (stat.st_mtim.tv_sec < newest.tv_sec ||
		        (stat.st_mtim.tv_sec == newest.tv_sec &&
		            stat.st_mtim.tv_nsec <= newest.tv_nsec)))
			continue;
		newest = stat.st_mtim;
		rc = path_print(ret_path, size, "%s", path);
	}
	if (entries)
		closedir(entries);
	return rc;
}

/* As reports name it. */
static const char *clock_name(enum wf_clock clock)
{
	static const char *const names[] = {"timer", "virtual", "step", "radio"};

	return names[clock];
}

/* Marks figures of other builds than those that would run, and says of whom. */
static void other_builds_mark(const struct profile *profile, const struct waveform *waveform,
    struct diag *diag, bool *ret_marks)
{
	char names[200] = "";
	size_t len = 0, n = 0;

	for (size_t i = 0; i < waveform_originals(waveform); i++) {
		const struct wf_instance *instance = &waveform->instances[i];
		const char *name = instance->original ? instance->original : instance->name;
		const struct profile_entry *entry = plan_profile_find(profile, name);

		if (!entry || component_build_is(instance->type, entry->build))
			continue;
		ret_marks[entry - profile->entries] = true;
		if (len < sizeof(names))
			len += (size_t)snprintf(
			    names + len, sizeof(names) - len, "%s%s", n ? ", " : "", name);
		n++;
	}
	if (n)
		diag_note(diag, "costs: this build has no measurement yet of %s%s", names,
		    len < sizeof(names) ? "" : "...");
}

static int other_builds_drop(
    struct profile *profile, const struct waveform *waveform, struct diag *diag)
{
	bool *marks = calloc(profile->len + 1, sizeof(*marks));
	int rc = -ENOMEM;

	if (marks) {
		other_builds_mark(profile, waveform, diag, marks);
		rc = plan_profile_drop(profile, marks);
	}
	free(marks);
	return rc;
}

int store_profile_read(
    const char *state, const struct waveform *waveform, struct diag *diag, struct profile *ret)
{
	const char *clock = clock_name(waveform->clock);
	struct class_rates here;
	char path[PATH_MAX];
	char *text = NULL;
	size_t len = 0;
	int rc;

	*ret = (struct profile){0};
	local_rates(state, &here);
	rc = profile_path(state, waveform->name, &here, clock, path, sizeof(path));
	if (rc == 0)
		rc = file_read(path, PROFILE_BYTES_MAX, &text, &len);
	if (rc == -ENOENT) {
		rc = profile_newest(state, waveform->name, clock, path, sizeof(path));
		rc = rc < 0 ? rc : file_read(path, PROFILE_BYTES_MAX, &text, &len);
	}
	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return diag_error(diag, path, 0, "%s", file_reason(rc));
	rc = plan_profile_load(path, text, len, diag, ret);
	free(text);
	if (rc == 0)
		rc = other_builds_drop(ret, waveform, diag);
	if (rc == 0)
		plan_profile_convert(ret, waveform, &here);
	if (rc == 0 && ret->elsewhere && ret->len) {
		plan_profile_origin(ret, path, sizeof(path));
		diag_note(diag, "costs: %s", path);
	}
	return rc;
}

int store_profile_take(const json_t *report, const struct class_rates *rates, struct profile *ret)
{
	json_t *i;
	size_t n;

	*ret = (struct profile){.platform = *rates};
	snprintf(ret->clock, sizeof(ret->clock), "%.15s", report_text(report, "clock"));
	ret->missed = (uint64_t)report_missed(report);
	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		const struct length_point point = {.missed = ret->missed,
		    .bytes = (uint64_t)fmin(fmax(report_number(i, "bytes"), 0), 1e15),
		    .kmac_p50 = calibrate_kmac(report_number(i, "p50_us") * 1e3, rates->mmac_per_s),
		    .kmac_p99 =
		        calibrate_kmac(report_number(i, "p99_us") * 1e3, rates->mmac_per_s)};

		if (json_timed(i) < CALLS_MIN || !(point.kmac_p50 > 0))
			continue;
		if (plan_profile_set(ret, report_text(i, "name"), &point) < 0)
			return -ENOMEM;
		plan_profile_set_build(ret, report_text(i, "name"), report_text(i, "build"));
	}
	return 0;
}

/* What is kept: empty where there is no file, or one with wrong content. 0; -errno where a file is
 * there and cannot be read: nobody knows what would be lost with it. */
static int kept_read(const char *path, struct profile *ret)
{
	struct diag diag;
	char *text = NULL;
	size_t len = 0;
	int rc = file_read(path, PROFILE_BYTES_MAX, &text, &len);

	*ret = (struct profile){0};
	if (rc < 0)
		return rc == -ENOENT ? 0 : rc;
	diag_init(&diag);
	rc = plan_profile_load(path, text, len, &diag, ret);
	diag_fini(&diag);
	free(text);
	return rc == -EINVAL ? 0 : rc;
}

/* Beside what is kept of runs before, as far as that is good. 0, or -errno with what is wrong in
 * diag. */
static int profile_keep(const char *path, struct profile *profile, struct diag *diag)
{
	struct profile kept;
	char *text;
	int rc = kept_read(path, &kept);

	if (rc < 0) {
		diag_error(diag, path, 0,
		    "the costs of earlier runs cannot be read, so the file is left as it is: %s",
		    file_reason(rc));
		return rc;
	}
	if (plan_profile_join(profile, &kept) > 0) {
		text = plan_profile_save(profile);
		rc = text ? file_write(path, text, strlen(text)) : -ENOMEM;
		free(text);
	}
	plan_profile_fini(&kept);
	return rc;
}

/* The path of a profile that is to be written, in a folder that is there. */
static int profile_place(const char *state, const json_t *report, const struct class_rates *rates,
    const char *clock, char *ret, size_t size)
{
	const char *waveform = report_text(report, "waveform");
	int rc = path_print(ret, size, "%s/profiles/%s", state, waveform);

	rc = rc < 0 ? rc : dir_make(ret);
	return rc < 0 ? rc : profile_path(state, waveform, rates, clock, ret, size);
}

int store_profile_write(
    const char *state, const json_t *report, const struct class_rates *rates, struct diag *diag)
{
	struct profile profile;
	char path[PATH_MAX] = "";
	int rc = store_profile_take(report, rates, &profile);

	if (rc == 0 && profile.len && report_speaks(report, NULL, 0)) {
		rc = profile_place(state, report, rates, profile.clock, path, sizeof(path));
		if (rc == 0)
			rc = profile_keep(path, &profile, diag);
	}
	if (rc < 0 && !diag->errors)
		diag_error(diag, path[0] ? path : state, 0, "%s", file_reason(rc));
	plan_profile_fini(&profile);
	return rc;
}

/* ---- runs ------------------------------------------------------------------------ */

int store_run_new(const char *state, const char *waveform, time_t when, char *ret_dir, size_t size)
{
	char stamp[32];
	struct tm tm;
	int rc = path_print(ret_dir, size, "%s/runs", state);

	if (rc == 0)
		rc = dir_make(ret_dir);
	localtime_r(&when, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	for (int n = 1; rc == 0 && n < RUNS_A_SECOND; n++) {
		rc = n == 1
		    ? path_print(ret_dir, size, "%s/runs/%s-%s", state, waveform, stamp)
		    : path_print(ret_dir, size, "%s/runs/%s-%s-%d", state, waveform, stamp, n);
		if (rc == 0 && mkdir(ret_dir, 0700) == 0)
			return 0;
		if (rc == 0 && errno != EEXIST)
			rc = -errno;
	}
	return rc < 0 ? rc : -EEXIST;
}

static int write_in(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	const int rc = path_print(path, sizeof(path), "%s/%s", dir, name);

	if (!text)
		return -ENOMEM;
	return rc < 0 ? rc : file_write(path, text, strlen(text));
}

static char *text_print(const json_t *report)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return NULL;
	report_print(report, memory);
	report_losses(report, memory);
	if (fclose(memory) == 0)
		return text;
	free(text);
	return NULL;
}

int store_run_write(const char *dir, const json_t *report)
{
	char *json = json_dumps(report, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	char *text = text_print(report);
	int rc = write_in(dir, "report.txt", text);

	if (rc == 0)
		rc = write_in(dir, "report.json", json); /* last: it marks the run as complete */
	free(json);
	free(text);
	return rc;
}

/* From the end, as a waveform's name may itself end in numbers: NAME-YYYYmmdd-HHMMSS, perhaps with
 * -n, which has three digits at most. */
bool run_name_parse(const char *name, struct run_name *ret)
{
	const size_t len = strlen(name);
	size_t digits = 0, end = len;
	const char *at;

	while (digits < len && isdigit((unsigned char)name[len - 1 - digits]))
		digits++;
	if (digits >= 1 && digits <= 3 && digits < len && name[len - 1 - digits] == '-')
		end = len - 1 - digits;
	if (end < sizeof("-YYYYmmdd-HHMMSS"))
		return false;
	at = name + end - strlen("-YYYYmmdd-HHMMSS");
	if (at[0] != '-' || strspn(at + 1, "0123456789") != 8 || at[9] != '-' ||
	    strspn(at + 10, "0123456789") != 6)
		return false;
	*ret = (struct run_name){.waveform = (size_t)(at - name),
	    .number = end < len ? (unsigned)strtoul(name + end + 1, NULL, 10) : 1};
	snprintf(ret->began, sizeof(ret->began), "%.4s-%.2s-%.2s %.2s:%.2s:%.2s", at + 1, at + 5,
	    at + 7, at + 10, at + 12, at + 14);
	return true;
}

static bool run_is_of(const char *name, const char *waveform)
{
	struct run_name parsed;

	return run_name_parse(name, &parsed) && parsed.waveform == strlen(waveform) &&
	    strncmp(name, waveform, parsed.waveform) == 0;
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

int store_run_last(const char *state, const char *waveform, char *ret_dir, size_t size)
{
	struct timespec newest = {0};
	char runs[PATH_MAX], path[PATH_MAX + 300];
	struct dirent *entry;
	struct stat st;
	DIR *dir;
	int rc = path_print(runs, sizeof(runs), "%s/runs", state);

	dir = rc == 0 ? opendir(runs) : NULL;
	if (!dir)
		return rc < 0 ? rc : -errno;
	rc = -ENOENT;
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/report.json", runs, entry->d_name);
		if (entry->d_name[0] == '.' || (waveform && !run_is_of(entry->d_name, waveform)) ||
		    stat(path, &st) < 0 || !is_newer(&st.st_mtim, &newest))
			continue;
		newest = st.st_mtim;
		rc = path_print(ret_dir, size, "%s/%s", runs, entry->d_name);
	}
	closedir(dir);
	return rc;
}
