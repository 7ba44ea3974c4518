/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/report/runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/file.h"

/* A run that has just begun has no file yet that says of which node it is. */
enum { YOUNG_S = 60 };

static const char report_name[] = "report.json";

/* ---- which there are ---- */

static int row_order(const void *a, const void *b)
{
	const struct run_row *x = a, *y = b;
	const int began = strcmp(y->parsed.began, x->parsed.began);

	if (began != 0)
		return began;
	if (x->changed.tv_sec != y->changed.tv_sec)
		return x->changed.tv_sec < y->changed.tv_sec ? 1 : -1;
	if (x->changed.tv_nsec != y->changed.tv_nsec)
		return x->changed.tv_nsec < y->changed.tv_nsec ? 1 : -1;
	if (x->parsed.number != y->parsed.number)
		return x->parsed.number < y->parsed.number ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Names of ALOE's are printed as they are; a folder with any other is none of its runs. */
static bool is_printable(const char *name)
{
	for (; *name; name++)
		if (*name <= ' ' || *name > '~')
			return false;
	return true;
}

static int row_add(struct runs *runs, int folder, const char *name)
{
	struct run_row row = {.name = NULL};
	struct run_row *rows;
	struct stat st;

	if (name[0] == '.' || !is_printable(name) || !run_name_parse(name, &row.parsed) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	rows = realloc(runs->rows, (runs->n + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	runs->rows = rows;
	row.changed = st.st_mtim;
	row.name = strdup(name);
	if (!row.name)
		return -ENOMEM;
	rows[runs->n++] = row;
	return 0;
}

int runs_scan(const char *state, struct runs *ret)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int rc = path_print(path, sizeof(path), "%s/runs", state);

	*ret = (struct runs){.rows = NULL};
	dir = rc == 0 ? opendir(path) : NULL;
	if (!dir)
		return rc < 0 ? rc : errno == ENOENT ? 0 : -errno;
	while (rc == 0 && (entry = readdir(dir)))
		rc = row_add(ret, dirfd(dir), entry->d_name);
	closedir(dir);
	if (ret->n > 0)
		qsort(ret->rows, ret->n, sizeof(*ret->rows), row_order);
	return rc;
}

void runs_free(struct runs *runs)
{
	for (size_t i = 0; i < runs->n; i++) {
		free(runs->rows[i].name);
		free(runs->rows[i].reason);
	}
	free(runs->rows);
	*runs = (struct runs){.rows = NULL};
}

const struct run_row *runs_find(const struct runs *runs, const char *name)
{
	if (strcmp(name, "last") == 0)
		return runs->n > 0 ? &runs->rows[0] : NULL;
	for (size_t i = 0; i < runs->n; i++)
		if (strcmp(runs->rows[i].name, name) == 0)
			return &runs->rows[i];
	return NULL;
}

/* ---- what they are ---- */

json_t *run_read(const char *dir, struct diag *diag)
{
	char path[PATH_MAX], *text = NULL;
	json_t *report = NULL;
	size_t len = 0;
	int rc = path_print(path, sizeof(path), "%s/%s", dir, report_name);

	if (rc == 0)
		rc = file_read(path, RUN_BYTES_MAX, &text, &len);
	if (rc < 0)
		diag_error(diag, path, 0, "%s",
		    rc == -ENOENT ? "the run has no report: it goes on, or its node was killed"
		                  : file_reason(rc));
	else
		report = report_read(path, text, len, diag);
	free(text);
	return report;
}

void run_figures(const json_t *report, struct run_row *row)
{
	const json_t *instance;
	size_t n;

	row->failed = report_failed(report);
	row->run_s = report_number(report, "run_s");
	row->slots = report_number(json_object_get(report, "slots"), "run");
	row->missed = report_missed(report);
	snprintf(row->clock, sizeof(row->clock), "%.15s", report_text(report, "clock"));
	json_array_foreach(json_object_get(report, "instances"), n, instance)
	{
		const json_t *variables = json_object_get(instance, "variables");
		const double errors = report_number(variables, "block_errors");

		if (!json_object_get(variables, "block_errors") ||
		    (row->counts && errors <= row->block_errors))
			continue;
		row->counts = true;
		row->block_errors = errors;
		row->blocks = report_number(variables, "blocks");
	}
}

static int row_read(const char *state, struct run_row *row)
{
	char dir[PATH_MAX], path[PATH_MAX];
	struct diag diag;
	struct stat st;
	json_t *report;
	int rc = path_print(dir, sizeof(dir), "%s/runs/%s", state, row->name);

	if (rc == 0)
		rc = path_print(path, sizeof(path), "%s/%s", dir, report_name);
	if (rc == 0 && lstat(path, &st) < 0 && errno == ENOENT) {
		row->state = RUN_OPEN;
		return 0;
	}
	diag_init(&diag);
	report = run_read(dir, &diag);
	row->state = report ? RUN_OVER : RUN_BROKEN;
	if (report)
		run_figures(report, row);
	else
		row->reason = strdup(diag.len > 0 ? diag.lines[0] : "out of memory");
	json_decref(report);
	diag_fini(&diag);
	return report || row->reason ? 0 : -ENOMEM;
}

int runs_read(const char *state, struct runs *runs)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < runs->n; i++) {
		rc = row_read(state, &runs->rows[i]);
		runs->n_open += runs->rows[i].state == RUN_OPEN;
		runs->n_broken += runs->rows[i].state == RUN_BROKEN;
	}
	return rc;
}

/* ---- as text ---- */

static void row_print(const struct run_row *row, int width, FILE *out)
{
	char length[32] = "?";

	fprintf(out, "%-*s  %s", width, row->name, row->parsed.began);
	if (row->state == RUN_OPEN) {
		fprintf(out, "  no report: the run goes on, or its node was killed\n");
		return;
	}
	if (row->run_s > 0)
		report_duration(row->run_s, length, sizeof(length));
	fprintf(out, "  %9s %9.0f %8.0f  ", length, row->slots, row->missed);
	if (row->counts)
		fprintf(out, "%7.0f of %-8.0f", row->block_errors, row->blocks);
	else
		fprintf(out, "%7s %11s", "-", "");
	fprintf(out, "  %s%s\n", row->clock, row->failed ? ", failed" : "");
}

void runs_print(const struct runs *runs, FILE *out)
{
	int width = (int)strlen("run");

	for (size_t i = 0; i < runs->n; i++)
		if (runs->rows[i].state != RUN_BROKEN && (int)strlen(runs->rows[i].name) > width)
			width = (int)strlen(runs->rows[i].name);
	if (runs->n > runs->n_broken)
		fprintf(out, "%-*s  %-19s  %9s %9s %8s  %-19s  %s\n", width, "run", "began",
		    "length", "slots", "missed", "   block errors", "clock");
	for (size_t i = 0; i < runs->n; i++)
		if (runs->rows[i].state != RUN_BROKEN)
			row_print(&runs->rows[i], width, out);
}

static json_t *count_json(double count)
{
	return count >= 0 && count <= (double)(1ll << 53) ? json_integer((json_int_t)count)
	                                                  : json_real_or_null(count);
}

static json_t *row_json(const struct run_row *row)
{
	static const char *const states[] = {"over", "open", "broken"};
	json_t *o = json_pack("{s:s, s:o, s:s, s:s}", "name", row->name, "waveform",
	    json_stringn(row->name, row->parsed.waveform), "began", row->parsed.began, "state",
	    states[row->state]);

	if (o && row->state == RUN_BROKEN)
		json_object_set_new(o, "reason", json_string(row->reason));
	if (!o || row->state != RUN_OVER)
		return o;
	json_object_set_new(o, "clock", json_string(row->clock));
	json_object_set_new(o, "failed", json_boolean(row->failed));
	json_object_set_new(o, "run_s", row->run_s > 0 ? json_real(row->run_s) : json_null());
	json_object_set_new(o, "slots", count_json(row->slots));
	json_object_set_new(o, "missed", count_json(row->missed));
	json_object_set_new(o, "blocks", row->counts ? count_json(row->blocks) : json_null());
	json_object_set_new(
	    o, "block_errors", row->counts ? count_json(row->block_errors) : json_null());
	return o;
}

json_t *runs_json(const struct runs *runs)
{
	json_t *array = json_array();

	for (size_t i = 0; i < runs->n; i++)
		json_array_append_new(array, row_json(&runs->rows[i]));
	return json_pack("{s:i, s:o}", "schema", 1, "runs", array);
}

/* ---- how they go ---- */

/* A copy of a build that an upgrade has left behind. */
static bool is_build(const char *name)
{
	return strncmp(name, "build-", 6) == 0 && name[6] != 0 &&
	    name[6 + strspn(name + 6, "0123456789")] == 0;
}

static int files_remove(int folder);

static int build_remove(int folder, const char *name)
{
	const int build = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc = build < 0 ? -errno : files_remove(build);

	if (build >= 0)
		close(build);
	return rc == 0 && unlinkat(folder, name, AT_REMOVEDIR) < 0 ? -errno : rc;
}

/* What is in a folder goes, but for the report. -ENOTEMPTY: there are folders, and no builds. */
static int files_remove(int folder)
{
	const int again = dup(folder);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;
	struct stat st;
	int rc = 0;

	if (!dir) {
		rc = -errno;
		if (again >= 0)
			close(again);
		return rc;
	}
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    strcmp(entry->d_name, report_name) == 0)
			continue;
		if (fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(st.st_mode) && !is_build(entry->d_name))
			rc = -ENOTEMPTY;
	}
	rewinddir(dir);
	while (rc == 0 && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, report_name) != 0 &&
		    unlinkat(folder, entry->d_name, 0) < 0)
			rc = errno == EISDIR ? build_remove(folder, entry->d_name) : -errno;
	closedir(dir);
	return rc;
}

int run_remove(const char *state, const char *name)
{
	char path[PATH_MAX];
	int rc = path_print(path, sizeof(path), "%s/runs/%s", state, name), folder;

	if (rc < 0)
		return rc;
	folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	rc = files_remove(folder);
	if (rc == 0 && unlinkat(folder, report_name, 0) < 0 && errno != ENOENT)
		rc = errno == EISDIR ? -ENOTEMPTY : -errno;
	close(folder);
	return rc == 0 && rmdir(path) < 0 ? -errno : rc;
}

bool run_is_going(const char *state, const struct run_row *row, bool (*lives)(const char *dir))
{
	char path[PATH_MAX], *node = NULL;
	struct stat st;
	size_t len = 0;
	bool going = true;

	if (row->state != RUN_OPEN ||
	    path_print(path, sizeof(path), "%s/runs/%s", state, row->name))
		return false;
	if (stat(path, &st) == 0 && time(NULL) - st.st_mtime < YOUNG_S)
		return true;
	if (path_print(path, sizeof(path), "%s/runs/%s/node", state, row->name) == 0 &&
	    file_read(path, PATH_MAX, &node, &len) < 0)
		return false;
	going = node && node[0] && lives(node);
	free(node);
	return going;
}
