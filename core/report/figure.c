/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run as a figure: all of its times on one axis, beside the slot. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/report.h"
#include "core/report/runs.h"

enum { QUANTILES = 3 };

/* The times of one row, in us; NAN: not known. */
struct row_times {
	char label[96];
	double us[QUANTILES]; /* p50, p99, p99.9 */
};

struct times_figure {
	struct plot *plot;
	json_t *spans, *marks[QUANTILES];
};

static void figure_begin(struct times_figure *figure, struct plot *plot)
{
	static const char *const names[QUANTILES] = {"p50", "p99", "p99.9"};

	figure->plot = plot;
	figure->spans = plot_series(plot, PLOT_SPANS, "from p50 to p99.9");
	for (int q = 0; q < QUANTILES; q++)
		figure->marks[q] = plot_series(plot, PLOT_ROWS, names[q]);
}

/* Nothing was measured: no row. */
static void row_add(struct times_figure *figure, const struct row_times *row)
{
	const double last = isnan(row->us[2]) ? row->us[1] : row->us[2];

	if (!(row->us[0] > 0))
		return;
	json_array_append_new(
	    figure->spans, json_pack("[s, f, o]", row->label, row->us[0], json_real_or_null(last)));
	for (int q = 0; q < QUANTILES; q++)
		json_array_append_new(figure->marks[q],
		    json_pack("[s, o]", row->label, json_real_or_null(row->us[q])));
}

static double number_known(const json_t *object, const char *key)
{
	return json_is_number(json_object_get(object, key)) ? report_number(object, key) : NAN;
}

static void latency_add(struct times_figure *figure, const json_t *report)
{
	const json_t *us = json_object_get(json_object_get(report, "latency"), "measured_us");
	const struct row_times row = {"latency, source to sink",
	    {number_known(us, "p50"), number_known(us, "p99"), number_known(us, "p999")}};

	if (report_number(us, "count") > 0)
		row_add(figure, &row);
}

static void lanes_add(struct times_figure *figure, const json_t *report)
{
	const double slot_us = report_number(report, "slot_ns") / 1e3;
	json_t *lane;
	size_t i;

	json_array_foreach(json_object_get(report, "lanes"), i, lane)
	{
		const char *node = report_text(lane, "node");
		struct row_times row = {.us = {number_known(lane, "load_p50") * slot_us,
		                            number_known(lane, "load_p99") * slot_us, NAN}};
		char name[41];

		snprintf(name, sizeof(name), "%s", node);
		text_whole(name);
		snprintf(row.label, sizeof(row.label), "%s%slane %.0f, all of a slot", name,
		    node[0] ? " " : "", report_number(lane, "lane"));
		row_add(figure, &row);
	}
}

static void instances_add(struct times_figure *figure, const json_t *report)
{
	json_t *instance, *budgets = NULL;
	size_t i;

	json_array_foreach(json_object_get(report, "instances"), i, instance)
	{
		const double budget_us = report_number(instance, "budget_us");
		struct row_times row = {
		    .us = {number_known(instance, "p50_us"), number_known(instance, "p99_us"),
		        number_known(instance, "p999_us")}};

		snprintf(row.label, sizeof(row.label), "%s", report_text(instance, "name"));
		text_whole(row.label);
		if (json_timed(instance) > 0)
			row_add(figure, &row);
		if (json_timed(instance) == 0 || !(budget_us > 0) || !(row.us[0] > 0))
			continue;
		budgets = budgets ? budgets : plot_series(figure->plot, PLOT_ROWS, "budget");
		json_array_append_new(budgets, json_pack("[s, f]", row.label, budget_us));
	}
}

/* How the run went, below the axes; what cannot speak for other runs says so. */
static void run_notes(struct plot *plot, const json_t *report)
{
	struct run_row row = {.name = NULL};
	char length[32], slot[32], blocks[96] = "", why[200], reason[301];

	run_figures(report, &row);
	report_duration(row.run_s, length, sizeof(length));
	report_duration(report_number(report, "slot_ns") / 1e9, slot, sizeof(slot));
	if (row.counts)
		snprintf(blocks, sizeof(blocks), "; %.0f of %.0f block%s with errors",
		    row.block_errors, row.blocks, plural(row.blocks));
	plot_note(plot, "%s: %.0f slot%s of %s on the clock %s in %s; %.0f missed%s",
	    report_text(report, "waveform"), row.slots, plural(row.slots), slot, row.clock, length,
	    row.missed, blocks);
	snprintf(reason, sizeof(reason), "%s", report_text(report, "reason"));
	text_whole(reason);
	if (report_failed(report)) {
		plot->invalid = plot_text(plot, "ENDED BY A FAULT: %s", reason);
	} else if (!report_speaks(report, why, sizeof(why))) {
		text_whole(why);
		plot->invalid = plot_text(plot, "NO MEASURE FOR OTHER RUNS: %s", why);
	}
}

static void slot_add(struct plot *plot, const json_t *report)
{
	json_t *rule;

	if (report_number(report, "slot_ns") <= 0)
		return;
	rule = plot_series(plot, PLOT_RULES, "length of a slot");
	if (rule)
		json_array_append_new(
		    rule, json_pack("[f]", report_number(report, "slot_ns") / 1e3));
}

void report_figure(const json_t *report, const char *run, struct plot *ret)
{
	struct times_figure figure;

	*ret = (struct plot){.x = "time [us]", .log_x = true};
	ret->y = run ? "part of the run" : "instance";
	ret->title = run ? plot_text(ret, "Times in the run %s", run)
	                 : plot_text(ret, "Times of a call of each instance of %s",
	                       report_text(report, "waveform"));
	figure_begin(&figure, ret);
	if (run) {
		latency_add(&figure, report);
		lanes_add(&figure, report);
	}
	instances_add(&figure, report);
	slot_add(ret, report);
	run_notes(ret, report);
}
