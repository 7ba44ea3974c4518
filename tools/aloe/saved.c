/* SPDX-License-Identifier: BSD-3-Clause
 *
 * runs, report: the runs that are kept. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/report/runs.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"

enum { KEEP = 100, KEEP_MAX = 1000000, SHOWN = 10 };

struct saved { /* the runs of a state folder */
	const struct cli_args *args;
	char state[PATH_MAX];
	struct runs runs;
};

static int saved_open(const struct cli_args *args, struct saved *saved)
{
	const char *given = cli_get(args, "state");
	int rc = given ? path_print(saved->state, sizeof(saved->state), "%s", given)
	               : dir_state(saved->state, sizeof(saved->state));

	saved->args = args;
	saved->runs = (struct runs){.rows = NULL};
	if (rc == 0)
		rc = runs_scan(saved->state, &saved->runs);
	if (rc == 0)
		return CLI_OK;
	fprintf(stderr, "aloe: %s/runs: cannot be read: %s\n", saved->state, strerror(-rc));
	return CLI_FAILED;
}

static int json_print(const json_t *json)
{
	const int rc = json ? json_dumpf(json, stdout,
	                          JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12))
	                    : -1;

	printf("\n");
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

/* Which runs there are, for who has named one that is not there. */
static int unknown_tell(const struct saved *saved, const char *name)
{
	const struct runs *runs = &saved->runs;
	const char **names = calloc(runs->n + 1, sizeof(*names));
	const char *nearest;

	for (size_t i = 0; names && i < runs->n; i++)
		names[i] = runs->rows[i].name;
	nearest = names ? diag_nearest(name, names, runs->n) : NULL;
	fprintf(stderr, "aloe: no run \"%s\" is kept in %s/runs", name, saved->state);
	if (nearest)
		fprintf(stderr, "; did you mean \"%s\"", nearest);
	fprintf(stderr, runs->n > 0 ? "; the newest are:\n" : "; there is none\n");
	for (size_t i = 0; i < runs->n && i < SHOWN; i++)
		fprintf(stderr, "  %s\n", runs->rows[i].name);
	if (runs->n > SHOWN)
		fprintf(stderr, "  and %zu more, which `aloe runs` lists\n", runs->n - SHOWN);
	free(names);
	return CLI_USAGE;
}

/* The report of a run by its name; NULL after saying why not. */
static json_t *report_open(
    const struct saved *saved, const char *name, const char **ret_name, int *ret_status)
{
	const struct run_row *row = runs_find(&saved->runs, name);
	char dir[PATH_MAX];
	struct diag diag;
	json_t *report = NULL;

	if (!row) {
		*ret_status = unknown_tell(saved, name);
		return NULL;
	}
	*ret_name = row->name;
	diag_init(&diag);
	if (path_print(dir, sizeof(dir), "%s/runs/%s", saved->state, row->name) == 0)
		report = run_read(dir, &diag);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	*ret_status = report ? CLI_OK : CLI_FAILED;
	return report;
}

/* ---- runs ---- */

static void broken_tell(const struct runs *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		if (runs->rows[i].state == RUN_BROKEN)
			fprintf(stderr, "%s\n", runs->rows[i].reason);
	if (runs->n_broken > 0)
		fprintf(stderr,
		    "aloe: %zu of %zu run%s: left out, because the report cannot be read\n",
		    runs->n_broken, runs->n, plural(runs->n));
}

static int list_print(struct saved *saved)
{
	json_t *json;
	int status;

	if (runs_read(saved->state, &saved->runs) < 0)
		return CLI_FAILED;
	broken_tell(&saved->runs);
	if (!cli_has(saved->args, "json")) {
		if (saved->runs.n == 0)
			fprintf(stderr, "aloe: no run is kept in %s/runs\n", saved->state);
		runs_print(&saved->runs, stdout);
		return CLI_OK;
	}
	json = runs_json(&saved->runs);
	status = json_print(json);
	json_decref(json);
	return status;
}

static int runs_put_beside(const struct saved *saved)
{
	const char *const *names = saved->args->args;
	const char *first = NULL, *second = NULL;
	json_t *a, *b = NULL;
	int status;

	a = report_open(saved, names[0], &first, &status);
	if (a)
		b = report_open(saved, names[1], &second, &status);
	if (b)
		runs_compare(first, a, second, b, stdout);
	json_decref(a);
	json_decref(b);
	return status;
}

static bool node_lives(const char *dir)
{
	return client_probe(dir) != -ENOENT; /* whoever cannot be asked may live */
}

static int runs_prune(struct saved *saved, size_t keep)
{
	const struct runs *runs = &saved->runs;
	size_t removed = 0, going = 0, failed = 0;

	if (runs_read(saved->state, &saved->runs) < 0)
		return CLI_FAILED;
	for (size_t i = runs->n; i > keep; i--) {
		const struct run_row *row = &runs->rows[i - 1];
		int rc;

		if (run_is_going(saved->state, row, node_lives)) {
			going++;
			continue;
		}
		rc = run_remove(saved->state, row->name);
		removed += rc == 0;
		failed += rc != 0;
		if (rc != 0)
			fprintf(stderr, "aloe: %s/runs/%s: stays: %s\n", saved->state, row->name,
			    rc == -ENOTEMPTY ? "there is a folder in it, which no run has made"
			                     : strerror(-rc));
	}
	printf("%zu run%s removed, %zu %s kept", removed, removed == 1 ? " is" : "s are",
	    runs->n - removed, runs->n - removed == 1 ? "is" : "are");
	if (!cli_has(saved->args, "keep"))
		printf(" (the newest %d stay; --keep N keeps another number)", KEEP);
	if (going > 0)
		printf("; %zu older run%s no report yet and may go on", going,
		    going == 1 ? " has" : "s have");
	printf("\n");
	return failed > 0 ? CLI_FAILED : CLI_OK;
}

static int runs_args(const struct cli_args *args, uint64_t *ret_keep)
{
	const bool compare = cli_has(args, "compare"), prune = cli_has(args, "prune");

	if (compare && args->n_args != 2)
		return cli_fail(args, "--compare needs two runs, such as --compare RUN last");
	if (!compare && args->n_args > 0)
		return cli_fail(args,
		    "%s: a run is named with --compare; `aloe report RUN` prints one",
		    args->args[0]);
	if (compare + prune + cli_has(args, "json") > 1)
		return cli_fail(
		    args, "--compare, --prune and --json exclude one another; give one");
	if (cli_has(args, "keep") && !prune)
		return cli_fail(args, "--keep goes with --prune");
	return cli_whole(args, "keep", 0, KEEP_MAX, ret_keep) < 0 ? CLI_USAGE : CLI_OK;
}

int aloe_runs(const struct cli_args *args)
{
	struct saved saved;
	uint64_t keep = KEEP;
	int status = runs_args(args, &keep);

	if (status != CLI_OK)
		return status;
	status = saved_open(args, &saved);
	if (status == CLI_OK)
		status = cli_has(args, "compare") ? runs_put_beside(&saved)
		    : cli_has(args, "prune")      ? runs_prune(&saved, (size_t)keep)
		                                  : list_print(&saved);
	runs_free(&saved.runs);
	return status;
}

/* ---- report ---- */

static int figure_draw(const json_t *report, const char *name, const char *file)
{
	struct plot plot;
	int status;

	report_figure(report, name, &plot);
	status = plot_draw(&plot, "aloe", file);
	plot_fini(&plot);
	return status;
}

int aloe_report(const struct cli_args *args)
{
	const char *name = NULL;
	struct saved saved;
	json_t *report = NULL;
	int status = plot_possible(args, "plot");

	if (status != CLI_OK)
		return status;
	status = saved_open(args, &saved);
	if (status == CLI_OK)
		report = report_open(&saved, args->args[0], &name, &status);
	if (report && cli_has(args, "json")) {
		status = json_print(report);
	} else if (report) {
		report_print(report, stdout);
		report_losses(report, stdout);
	}
	if (report && status == CLI_OK && cli_has(args, "plot"))
		status = figure_draw(report, name, cli_get(args, "plot"));
	json_decref(report);
	runs_free(&saved.runs);
	return status;
}
