/* SPDX-License-Identifier: BSD-3-Clause
 * core/report: the report of a run that is kept may be any bytes. It is refused with a reason, or
 * printed, listed, drawn and put beside itself. */
#include <stdlib.h>
#include <string.h>

#include "core/plot/plot.h"
#include "core/report/runs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void report_check(const json_t *report)
{
	struct run_row row = {.name = "w-20260101-000000", .state = RUN_OVER};
	struct plot plot;
	const struct runs runs = {.rows = &row, .n = 1};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	json_t *json;

	insist(out != NULL && run_name_parse(row.name, &row.parsed));
	report_print(report, out);
	report_losses(report, out);
	run_figures(report, &row);
	runs_print(&runs, out);
	runs_compare("a", report, "b", report, out);
	report_figure(report, "a", &plot);
	plot_script(&plot, out);
	plot_fini(&plot);
	insist(fclose(out) == 0);
	json = runs_json(&runs);
	insist(json != NULL && json_array_size(json_object_get(json, "runs")) == 1);
	json_decref(json);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *report;
	struct diag diag;

	diag_init(&diag);
	report = report_read("report.json", (const char *)data, size, &diag);
	insist((report == NULL) == (diag.errors > 0));
	if (report)
		report_check(report);
	json_decref(report);
	diag_fini(&diag);
	return 0;
}
