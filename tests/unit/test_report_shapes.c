/* SPDX-License-Identifier: BSD-3-Clause
 * A report that has everything, and then with each of its values taken out, or replaced by one of
 * each type that JSON has: whatever reads reports still writes text, in which nothing is "nan",
 * "inf" or "(null)", and no line is longer than the terminal. An older ALOE, another node or a
 * program of somebody else may have made it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/graph.h"
#include "core/map/profile.h"
#include "core/plot/plot.h"
#include "core/report/report.h"
#include "core/report/runs.h"
#include "core/report/store.h"
#include "core/report/view.h"
#include "daemons/statsman/metrics.h"
#include "daemons/statsman/web_json.h"
#include "daemons/swman/merge.h"
#include "tests/common/json_shapes.h"

#define HIST                                                                                       \
	"{\"count\": 9, \"mean\": 2.5, \"p50\": 2, \"p99\": 9, \"p999\": 10, \"p9999\": 11,"       \
	" \"p99999\": 12, \"max\": 13}"
#define LEFT                                                                                       \
	"{\"count\": 9, \"over\": 2, \"least\": -3.5, \"p1\": -1, \"p01\": -2, \"p50\": 40,"       \
	" \"histogram_ns\": [[-4000, 1], [-2000, 1], [1000, 7]]}"
#define RADIO                                                                                      \
	"\"lost\": 1, \"late\": 2, \"packets\": 30, \"behind\": 4, \"overruns\": 5,"               \
	" \"unsized\": 6, \"sent\": 70, \"no_room\": 8, \"underruns\": 9, \"sequence\": 10,"       \
	" \"restarts\": 11, \"failed\": 12, \"reordered\": 1, \"refused\": 1, \"repeated\": 1"

static const char everything[] =
    "{\"schema\": 1, \"waveform\": \"w\", \"state\": \"ABNSTOP\", \"reason\": \"a reason\","
    " \"damaged\": \"memory\", \"clock\": \"radio\", \"late\": \"skip\","
    " \"isolation\": \"component\", \"copies\": 3, \"slot_ns\": 1000000, \"slots_wanted\": 90,"
    " \"index\": 60, \"run_s\": 2.5, \"modes\": 2, \"mode_index\": 44, \"remaps\": 1,"
    " \"started\": true, \"ended\": true, \"drained\": false, \"capacity_mmac\": 500.5,"
    " \"slots\": {\"run\": 60, \"drain\": 3, \"skipped\": 4, \"missed\": 5, \"slipped\": 6},"
    " \"messages\": {\"absent\": 7, \"late\": 8, \"overwritten\": 9, \"lost\": 10},"
    " \"radio\": {\"caught_up\": 1, \"flywheeled\": 2, \"partial\": 3, \"left_us\": " LEFT ","
    "  \"trouble\": \"step\", " RADIO ","
    "  \"channels\": [{" RADIO ", \"trouble\": \"no stream\", \"step\": \"asked\"}, {}]},"
    " \"latency\": {\"slots\": 2, \"us\": 2000.5, \"measured_slots_min\": 2,"
    "  \"measured_slots_max\": 3, \"histogram_ns\": [[90, 1], [1000, 8]],"
    "  \"measured_us\": " HIST "},"
    " \"clocks\": [{\"node\": \"a\", \"clock_steps\": 2, \"moved_s\": -1.5, \"follows\": \"b\","
    "  \"error_us\": 3.5, \"ahead_us\": 1, \"within_us\": 2, \"others\": [{\"node\": \"b\","
    "   \"ahead_us\": -7.5, \"within_us\": 1.5}]}],"
    " \"peers\": [{\"node\": \"a\", \"peer\": \"b\", \"sent\": 21, \"sent_bytes\": 2100,"
    "  \"received\": 20, \"received_bytes\": 1900, \"refused\": 1, \"foreign\": 2,"
    "  \"unsent\": 1, \"parts\": 18, \"repeated\": 2, \"known\": 3, \"early\": 4, \"late\": 5,"
    "  \"lost\": 6}],"
    " \"lanes\": [{\"lane\": 0, \"cpu\": 3, \"node\": \"a\", \"baton_resets\": 1,"
    "   \"baton_rescues\": 2, \"realtime\": \"FIFO 50\", \"admitted_us\": 500.5,"
    "   \"planned_us\": 400.5, \"load_mean\": 0.25, \"load_p50\": 0.25, \"load_p99\": 0.75,"
    "   \"slots\": 60, \"missed\": 5, \"skipped\": 4, \"late_us\": " HIST ","
    "   \"left_us\": " LEFT ", \"overhead_us\": " HIST "},"
    "  {\"lane\": 1, \"cpu\": 5, \"node\": \"b\", \"realtime\": \"other\", \"load_mean\": 0.5}],"
    " \"instances\": [{\"name\": \"source\", \"component\": \"wav_source\", \"build\": \"12ab\","
    "   \"lane\": 0, \"places\": [0, 1], \"order\": 1, \"lag\": 0, \"calls\": 60,"
    "   \"mean_us\": 2.5, \"p50_us\": 2, \"p99_us\": 9, \"p999_us\": 10, \"p9999_us\": 11,"
    "   \"p99999_us\": 12, \"max_us\": 13, \"kmac\": 1.5, \"kmac_max\": 2.5, \"share\": 0.2,"
    "   \"overruns\": 3, \"concealed\": 1, \"budget_us\": 5.5, \"budget_given\": true,"
    "   \"absent_in\": 2, \"io_lost\": 4, \"sink\": false, \"left_us\": " LEFT ","
    "   \"histogram_ns\": [[2000, 60]], \"paths\": {\"path\": \"in.wav\"},"
    "   \"paths_last\": {\"path\": \"in3.wav\"}, \"out\": {\"out\": {\"count\": 3, \"us\": 1.5}},"
    "   \"upgraded_at\": 30, \"upgrade\": 1, \"variables\": {\"level\": 0.5}},"
    "  {\"name\": \"check\", \"component\": \"bit_compare\", \"lane\": null, \"order\": 2,"
    "   \"lag\": 1, \"calls\": 60, \"mean_us\": 4.5, \"max_us\": 20, \"share\": 0.3,"
    "   \"sink\": true, \"paths\": {\"path\": \"/nowhere/out\"},"
    "   \"in\": {\"in\": {\"count\": 3, \"us\": 1.5}},"
    "   \"worst\": {\"copy\": 2, \"blocks\": 9, \"block_errors\": 3, \"bits\": 99,"
    "     \"bit_errors\": 7},"
    "   \"variables\": {\"blocks\": 27, \"block_errors\": 4, \"bits\": 297, \"bit_errors\": 8,"
    "     \"ber\": null}}],"
    " \"links\": [{\"from\": \"source\", \"from_port\": \"out\", \"to\": \"check\","
    "   \"to_port\": \"in\", \"delay\": 1, \"distance\": 1, \"type\": \"cf32\","
    "   \"items\": 9}],"
    " \"per_copy\": [{\"copy\": 1, \"lane\": 0, \"mean_us\": 7, \"max_us\": 33, \"overruns\": 1,"
    "   \"blocks\": 9, \"block_errors\": 0, \"bits\": 99, \"bit_errors\": 0},"
    "  {\"copy\": 2, \"lane\": 1, \"mean_us\": 8, \"max_us\": 34, \"blocks\": 9,"
    "   \"block_errors\": 3, \"bits\": 99, \"bit_errors\": 7}],"
    " \"misses\": [{\"slot\": 15, \"lane\": 0, \"at_ns\": 15000000, \"what\": \"missed\","
    "   \"first\": 14, \"late_us\": 120.5, \"start_late_us\": 20.5, \"before\": \"a thread\","
    "   \"own\": true, \"heavy\": true, \"instance\": \"check\", \"cause\": \"a cause\","
    "   \"left_us\": 3.5, \"why\": \"no record\", \"evidence\": [\"calls\", \"kernel\"],"
    "   \"calls\": [{\"instance\": \"check\", \"lane\": 0, \"index\": 14, \"begin_ns\": 0,"
    "     \"end_ns\": 9}], \"calls_missing\": \"\","
    "   \"causes\": [{\"kind\": \"preempted\", \"us\": 100.5, \"took_us\": 110.5,"
    "     \"who\": \"cat\", \"tid\": 7, \"times\": 2, \"text\": \"cat had the CPU\"}]}],"
    " \"causes\": [{\"kind\": \"preempted\", \"us\": 300.5, \"worst_us\": 100.5,"
    "   \"worst_slot\": 15, \"count\": 3, \"slots\": 2, \"own\": false}],"
    " \"slot_first\": 10, \"slot_last\": 99, \"misses_counted\": 3, \"misses_lost\": 1,"
    " \"misses_unseen\": 2, \"misses_unwritten\": 4, \"evidence_lost\": 5,"
    " \"evidence_corrupt\": 6, \"sources\": [{\"source\": \"kernel\", \"here\": true,"
    "   \"why\": \"\"}, {\"source\": \"cpu-clock\", \"here\": false, \"why\": \"not here\"}],"
    " \"notes\": [\"a note\"], \"losses\": [\"no real-time priority\"]}";

/* ---- what is written ------------------------------------------------------------------- */

static void plain(const char *text, const char *of, const char *change)
{
	static const char *const bad[] = {"nan", "inf ", "(null)", "-nan"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strstr(text, bad[i]) != NULL)
			fail_msg("with %s the %s has `%s`:\n%s", change, of, bad[i], text);
}

struct printer {
	const char *name;
	void (*print)(const json_t *report, FILE *out);
};

static void misses_print(const json_t *report, FILE *out)
{
	const json_t *miss;
	size_t i;
	char line[512];

	json_array_foreach(json_object_get(report, "misses"), i, miss)
	{
		report_miss(report, miss, out);
	}
	report_causes_line(report, line, sizeof(line));
	fprintf(out, "%s\n", line);
}

static void figure_print(const json_t *report, FILE *out)
{
	struct plot plot;

	report_figure(report, "a", &plot);
	plot_script(&plot, out);
	plot_fini(&plot);
}

static void both_print(const json_t *report, FILE *out)
{
	json_t *whole = json_loads(everything, 0, NULL);
	struct run_row row = {.name = (char *)(uintptr_t) "w-20260101-000000", .state = RUN_OVER};
	const struct runs runs = {.rows = &row, .n = 1};

	assert_true(run_name_parse(row.name, &row.parsed));
	runs_compare("a", whole, "b", report, out);
	runs_compare("a", report, "b", whole, out);
	run_figures(report, &row);
	runs_print(&runs, out);
	json_decref(whole);
}

static void graph_print(const json_t *report, FILE *out)
{
	struct graph *graph = NULL;

	if (graph_of_report(report, &graph) != 0)
		return;
	graph_dot(graph, out);
	graph_text(graph, true, out);
	graph_free(graph);
}

static const struct printer printers[] = {
    {"report", report_print},
    {"losses", report_losses},
    {"progress", report_progress},
    {"profile", report_profile},
    {"profile as CSV", report_profile_csv},
    {"why", report_why},
    {"sources", report_sources},
    {"misses", misses_print},
    {"comparison", both_print},
    {"figure", figure_print},
    {"graph", graph_print},
};

static void printed(const json_t *report, const char *change)
{
	for (size_t i = 0; i < sizeof(printers) / sizeof(printers[0]); i++) {
		char *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);

		assert_non_null(out);
		printers[i].print(report, out);
		assert_int_equal(fclose(out), 0);
		plain(text, printers[i].name, change);
		free(text);
	}
}

/* Every page, as bad as it is and by a column, with and without its help. */
static void table_print(const json_t *report, const char *change, enum view_page page)
{
	enum { ROWS = 24, COLS = 100 };
	json_t *reports = json_pack("[OO]", report, report);

	for (int sort = VIEW_BADNESS; sort == VIEW_BADNESS || view_column(page, sort); sort++) {
		struct report_view view;
		char *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);

		assert_non_null(out);
		view_init(&view, page);
		view.sort = sort;
		view.reverse = sort % 2 != 0;
		view.help = sort == 0;
		snprintf(view.filter, sizeof(view.filter), "%s", sort == 1 ? "e" : "");
		view.scroll = sort == 2 ? 3 : 0;
		assert_in_range(report_table(reports, &view, ROWS, COLS, out), 1, ROWS);
		assert_int_equal(fclose(out), 0);
		plain(text, view_page_name(page), change);
		free(text);
	}
	json_decref(reports);
}

static void served(json_t *report, const char *change)
{
	static const char *const nodes[] = {"a", "b"};
	char why[WEB_WHY], *text = NULL;
	json_t *whole = json_loads(everything, 0, NULL), *reports[] = {report, whole},
	       *both = json_pack("[OO]", report, whole), *graph = web_graph_json(report, why),
	       *times = web_histograms_json(report),
	       *second = web_second_json(whole, report, 1, WEB_WHY * 20), *merged;
	size_t len;

	assert_int_equal(metrics_write(both, "here", METRICS_OPEN, &text, &len), 0);
	plain(text, "metrics", change);
	free(text);
	json_decref(graph);
	json_decref(times);
	json_decref(second);
	json_decref(both);
	merged = merge_report(reports, nodes, 2);
	if (merged != NULL)
		printed(merged, change);
	json_decref(merged);
	json_decref(whole);
}

static void read_all(json_t *report, const char *change, bool pages)
{
	struct profile profile = {0};
	struct class_rates rates = {0};
	char why[200];

	printed(report, change);
	for (enum view_page page = 0; pages && page < VIEW_PAGES; page++)
		table_print(report, change, page);
	if (report_ended(report) || report_failed(report) || report_clean(report))
		report_speaks(report, why, sizeof(why));
	report_radio_trouble(report);
	store_profile_take(report, &rates, &profile);
	plan_profile_fini(&profile);
	served(report, change);
}

/* ---- the changes ------------------------------------------------------------------------- */

static void test_everything(void **state)
{
	json_t *report = json_loads(everything, 0, NULL);

	(void)state;
	assert_non_null(report);
	read_all(report, "nothing changed", true);
	json_decref(report);
}

static void test_every_change(void **state)
{
	char change[SHAPE_CHANGE];
	json_t *report;

	(void)state;
	for (unsigned n = 0; (report = shape_changed(everything, n, change)) != NULL; n++) {
		read_all(report, change, n % 25 == 0);
		json_decref(report);
	}
}

/* Nothing is there at all. */
static void test_nothing(void **state)
{
	json_t *report = json_pack("{s:i}", "schema", 1);

	(void)state;
	read_all(report, "nothing in it", true);
	json_decref(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_everything),
	    cmocka_unit_test(test_nothing),
	    cmocka_unit_test(test_every_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
