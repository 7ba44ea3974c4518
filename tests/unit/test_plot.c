/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_plot.c - figures as scripts of gnuplot: texts, axes, rows, histograms; figures as
 * JSON, and what is refused there; the figure of a run. What gnuplot makes of them is in
 * tests/sim/test_plots.sh. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/plot/plot.h"
#include "core/report/report.h"

static char *script_of(const struct plot *plot)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	plot_script(plot, out);
	fclose(out);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no `%s` in:\n%s", part, text);
}

static void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("`%s` in:\n%s", part, text);
}

static struct plot curves(void)
{
	struct plot plot = {.title = "it's", .x = "Eb/N0 [dB]", .y = "rate", .log_y = true};
	json_t *points = plot_series(&plot, PLOT_LINE, "a_b"),
	       *marks = plot_series(&plot, PLOT_MARKS, "ref");

	json_array_append_new(points, json_pack("[f, f, f, f]", 1.5, 0.25, 0.2, 0.3));
	json_array_append_new(points, json_pack("[f, f, f, f]", 2.5, 0.0, 0.0, 0.1));
	json_array_append_new(points, json_pack("[f, n, n, n]", 3.5));
	json_array_append_new(marks, json_pack("[f, f]", 2.0, 0.1));
	return plot;
}

static void test_curves(void **state)
{
	struct plot plot = curves();
	char *text;

	(void)state;
	text = script_of(&plot);
	has(text, "set title 'it''s' noenhanced\n");
	has(text, "set xlabel 'Eb/N0 [dB]' noenhanced\n");
	has(text, "set ylabel 'rate' noenhanced\n");
	has(text, "set key outside top center"); /* where no label of an axis is */
	has(text, "set rmargin 5\n");            /* room for the right half of the last label */
	has(text, "set logscale y\n");
	has(text, "'0.1' 0.1 0"); /* no exponents where digits do */
	has(text, "'0.2' 0.2 0");
	has(text, "set xrange [1.44:3.56]\n"); /* no point at an end */
	/* zero has no logarithm; what is not known ends the line */
	has(text, "\n1.5 0.25 0.2 0.3 \n2.5 NaN NaN 0.1 \n3.5 NaN NaN NaN \nEND\n");
	has(text, "plot $data0 using 1:2:3:4 with yerrorlines");
	has(text, ", $data1 using 1:2 with points");
	has_not(text, "set terminal");
	has_not(text, "set output");
	free(text);
	plot_fini(&plot);
}

/* What is not known for sure is in the title, and whose bars there are. */
static void test_texts(void **state)
{
	struct plot plot = curves();
	char *text;

	(void)state;
	plot.invalid = "VOID: why";
	plot.bars = "bars: 95 %";
	plot.x = "a\nb\x01`c`\"d";
	plot_note(&plot, "%s", "note 'one'");
	plot_note(&plot, "%0200d", 0);
	text = script_of(&plot);
	has(text, "set title 'VOID: why'.\"\\n\".'it''s'.\"\\n\".'bars: 95 %' noenhanced\n");
	has(text, "set title textcolor rgb '#b01030'\n");
	has(text, "set xlabel 'a'.\"\\n\".'b?`c`\"d' noenhanced\n");
	has(text, "notes = 'note ''one'''.\"\\n\".'000");
	has(text, "set label 1 notes at character 1, character 2.25 left noenhanced");
	has(text, "set bmargin 5.75\n");
	free(text);
	plot_fini(&plot);
}

/* Few decades have more labels, and one value has a range. */
static void test_axes(void **state)
{
	struct plot plot = {.title = "t", .x = "x [us]", .y = "y", .log_x = true};
	json_t *points = plot_series(&plot, PLOT_LINE, "s");
	char *text;

	(void)state;
	json_array_append_new(points, json_pack("[f, f, f, f]", 2.0, 5.0, 5.0, 5.0));
	text = script_of(&plot);
	has(text, "set xrange [1:4]\nset xtics ('1' 1 0, '2' 2 0, '3' 3 0, '' 4 1)\n");
	has(text, "set yrange [0:5.25]\n");      /* from zero on */
	has(text, "using 1:2 with linespoints"); /* there are no bars */
	free(text);
	json_array_append_new(points, json_pack("[f, f, f, f]", 3e7, -5.0, -5.0, -5.0));
	text = script_of(&plot);
	has(text, "'10' 10 0, '' 20 1");
	has(text, "'100000' 100000 0");
	has(text, "'1e6' 1000000 0");
	has(text, "set yrange [-5.3:5.3]\n");
	free(text);
	json_array_clear(points);
	json_array_append_new(points, json_pack("[f, f, f, f]", 3e-7, 0.0, 0.0, 0.0));
	text = script_of(&plot);
	has(text, "'2e-7' 2e-07 0");
	has(text, "set yrange [0:1]\n");
	free(text);
	plot_fini(&plot);
}

/* Rows are those of all series, whichever comes first. */
static void test_rows(void **state)
{
	struct plot plot = {.title = "t", .x = "time [us]", .y = "system", .log_x = true};
	json_t *spans = plot_series(&plot, PLOT_SPANS, "span"),
	       *marks = plot_series(&plot, PLOT_ROWS, "mark"),
	       *rules = plot_series(&plot, PLOT_RULES, "slot");
	char *text;

	(void)state;
	json_array_append_new(spans, json_pack("[s, f, f]", "it's", 1.0, 4.0));
	json_array_append_new(marks, json_pack("[s, f]", "two", 3.0));
	json_array_append_new(marks, json_pack("[s, f]", "it's", 2.0));
	json_array_append_new(rules, json_pack("[f]", 50.0));
	text = script_of(&plot);
	has(text, "set ytics noenhanced ('it''s' 0, 'two' 1)\nset yrange [1.7:-0.7]\n");
	has(text, "$data0 << END\n0 1 4 \nEND\n");
	has(text, "$data1 << END\n1 3 \n0 2 \nEND\n");
	has(text, "'50' 50 0");
	has(text, "set arrow from first 50, graph 0 to first 50, graph 1 nohead");
	has(text, "NaN with lines lw 2 dt 2 lc rgb");
	has_not(text, "set logscale y");
	free(text);
	plot_fini(&plot);
}

/* The low end of a bar that reaches 0 lies at the edge, and the bar is seen. */
static void test_low_ends(void **state)
{
	struct plot rows = {.title = "t", .x = "time [us]", .y = "system", .log_x = true},
	            line = {.title = "t", .x = "x", .y = "rate", .log_y = true};
	json_t *spans = plot_series(&rows, PLOT_SPANS, "span"),
	       *points = plot_series(&line, PLOT_LINE, "s");
	char *text;

	(void)state;
	json_array_append_new(spans, json_pack("[s, f, f]", "one", -1.0, 8.0));
	json_array_append_new(spans, json_pack("[s, f, f]", "two", 2.0, 8.0));
	json_array_append_new(spans, json_pack("[s, n, f]", "three", 8.0));
	text = script_of(&rows);
	has(text, "set xrange [1.91852824:8.33972609]\n");
	has(text, "$data0 << END\n0 1.91852824 8 \n1 2 8 \n2 NaN 8 \nEND\n");
	free(text);
	rows.log_x = false;
	text = script_of(&rows);
	has(text, "$data0 << END\n0 -1 8 \n");
	free(text);
	json_array_append_new(points, json_pack("[f, f, f, f]", 1.0, 2.0, 0.0, 4.0));
	text = script_of(&line);
	has(text, "set yrange [1.9588406:4.0840485]\n");
	has(text, "$data0 << END\n1 2 1.9588406 4 \nEND\n");
	free(text);
	plot_fini(&rows);
	plot_fini(&line);
}

/* What has no place on a logarithmic axis is no point, nor is a rule. */
static void test_empty(void **state)
{
	static const struct {
		enum plot_style style;
		const char *points;
		bool empty, linear; /* with axes that are logarithmic, and that are not */
	} cases[] = {
	    {PLOT_LINE, "[[1, 0, 0, 0.1]]", true, false},
	    {PLOT_LINE, "[[1, 1, 0, 2]]", false, false},
	    {PLOT_LINE, "[[1, null, null, null]]", true, true},
	    {PLOT_MARKS, "[[0, 1]]", true, false},
	    {PLOT_COUNTS, "[[1, 0], [2, 1]]", false, false},
	    {PLOT_TAIL, "[[1, 0], [2, 0]]", true, true},
	    {PLOT_TAIL, "[[1, 0], [2, 3]]", false, false},
	    {PLOT_ROWS, "[[\"a\", 0]]", true, false},
	    {PLOT_ROWS, "[[\"a\", 2]]", false, false},
	    {PLOT_SPANS, "[[\"a\", -1, 0]]", true, false},
	    {PLOT_SPANS, "[[\"a\", -1, 1]]", false, false},
	    {PLOT_SPANS, "[[\"a\", null, 1]]", true, true},
	    {PLOT_RULES, "[[1]]", true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct plot plot = {.title = "t", .x = "x", .y = "y", .log_x = true, .log_y = true};
		json_t *points = json_loads(cases[i].points, 0, NULL);

		assert_non_null(points);
		json_array_extend(plot_series(&plot, cases[i].style, "s"), points);
		assert_int_equal(plot_is_empty(&plot), cases[i].empty);
		plot.log_x = plot.log_y = false;
		assert_int_equal(plot_is_empty(&plot), cases[i].linear);
		json_decref(points);
		plot_fini(&plot);
	}
}

/* A text that is cut ends with a whole character, else JSON would not have it. */
static void test_cut(void **state)
{
	struct plot plot = curves(), again;
	struct diag diag;
	char longer[2000] = "x", *text;
	json_t *json, *points;

	(void)state;
	for (size_t i = 1; i + 2 < sizeof(longer); i += 2)
		memcpy(longer + i, "\xc3\xa9", 3);
	points = plot_named(&plot, PLOT_MARKS, longer);
	assert_ptr_equal(plot_named(&plot, PLOT_MARKS, longer), points);
	json_array_append_new(points, json_pack("[f, f]", 2.0, 0.1));
	plot_note(&plot, ".%s", longer);
	assert_int_equal(json_array_size(plot.notes), 1);
	json = plot_json(&plot);
	assert_non_null(json);
	assert_int_equal(json_array_size(json_object_get(json, "series")), 3);
	diag_init(&diag);
	assert_int_equal(plot_read(json, "r.json", &diag, &again), 0);
	diag_fini(&diag);
	plot_fini(&again);
	plot_fini(&plot);
	json_decref(json);

	longer[401] = 0;
	json =
	    json_pack("{s:s, s:s, s:s}", "waveform", "w", "state", "ABNSTOP", "reason", longer + 1);
	report_figure(json, "w-1", &plot);
	text = script_of(&plot);
	has(text, "ENDED BY A FAULT: ??");
	free(text);
	plot_fini(&plot);
	json_decref(json);
}

static void test_histograms(void **state)
{
	struct plot plot = {.title = "t", .x = "x", .y = "y", .log_x = true, .log_y = true};
	json_t *points = plot_series(&plot, PLOT_COUNTS, "cells");
	char *text;

	(void)state;
	json_array_append_new(points, json_pack("[i, i]", 1, 6));
	json_array_append_new(points, json_pack("[i, i]", 2, 3));
	json_array_append_new(points, json_pack("[i, i]", 4, 1));
	text = script_of(&plot);
	has(text, "using 1:2 with impulses");
	has(text, "'0.5' 0.5 0"); /* a count of one has a height */
	free(text);
	plot.series[0].style = PLOT_TAIL;
	text = script_of(&plot);
	has(text, "$data0 << END\n1 1 \n2 0.4 \n4 0.1 \n4 0.01\nEND\n");
	has(text, "with fsteps");
	has(text, "'0.1' 0.1 0");
	free(text);
	plot_fini(&plot);
}

static void test_json(void **state)
{
	struct plot plot = curves(), again, none = {.title = "t"};
	struct diag diag;
	json_t *json;
	char *text, *second;

	(void)state;
	plot.bars = plot_text(&plot, "bars of %d", 95);
	plot_note(&plot, "here");
	json = plot_json(&plot);
	assert_non_null(json);
	diag_init(&diag);
	assert_int_equal(plot_read(json, "r.json", &diag, &again), 0);
	assert_int_equal(diag.errors, 0);
	json_decref(json);
	text = script_of(&plot);
	second = script_of(&again);
	assert_string_equal(text, second);
	free(text);
	free(second);
	plot_fini(&plot);
	plot_fini(&again);
	assert_null(plot_json(&none));
	assert_true(plot_is_empty(&none));
	diag_fini(&diag);
}

static const char frame[] = "{\"title\": \"t\", \"x\": \"x\", \"y\": \"y\", \"log_x\": false, "
                            "\"log_y\": false, \"series\": [%s]}";

static void test_refused(void **state)
{
	static const char *const wrong[][2] = {
	    {"", "there is no point to draw"},
	    {"{\"title\": \"s\", \"style\": \"line\", \"points\": []}",
	        "there is no point to draw"},
	    {"1", "plot.series[0]"},
	    {"{\"style\": \"line\", \"points\": []}", "plot.series[0]: title: found nothing"},
	    {"{\"title\": \"s\", \"style\": \"pie\", \"points\": []}",
	        "plot.series[0].style: found \"pie\"; allowed: line, marks,"},
	    {"{\"title\": \"s\", \"style\": \"line\", \"points\": 3}", "plot.series[0]: points: "},
	    {"{\"title\": \"s\", \"style\": \"line\", \"points\": [[1, 2]]}",
	        "plot.series[0].points[0]: found 2 values; a point of this style has 4"},
	    {"{\"title\": \"s\", \"style\": \"marks\", \"points\": [[1, 2], [\"a\", 2]]}",
	        "plot.series[0].points[1][0]: a number or null is needed"},
	    {"{\"title\": \"s\", \"style\": \"rows\", \"points\": [[1, 2]]}",
	        "plot.series[0].points[0][0]: a text is needed"},
	};
	char text[400];
	json_t *json;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct plot plot;
		struct diag diag;

		snprintf(text, sizeof(text), frame, wrong[i][0]);
		json = json_loads(text, 0, NULL);
		assert_non_null(json);
		diag_init(&diag);
		assert_int_equal(plot_read(json, "r.json", &diag, &plot), -EINVAL);
		assert_true(diag.errors > 0);
		has(diag.lines[0], "r.json: plot");
		has(diag.lines[0], wrong[i][1]);
		assert_int_equal(plot.n, 0); /* nothing is left to free */
		diag_fini(&diag);
		json_decref(json);
	}
}

static void test_run(void **state)
{
	static const char report[] =
	    "{\"schema\": 1, \"waveform\": \"w\", \"state\": \"STOP\", \"clock\": \"timer\","
	    " \"slot_ns\": 1000000, \"run_s\": 1, \"slots\": {\"run\": 1000, \"missed\": 1},"
	    " \"latency\": {\"measured_us\": {\"count\": 9, \"p50\": 20, \"p99\": 30,"
	    "  \"p999\": 40}},"
	    " \"lanes\": [{\"lane\": 0, \"load_p50\": 0.01, \"load_p99\": 0.5}],"
	    " \"instances\": [{\"name\": \"one\", \"calls\": 5, \"p50_us\": 1, \"p99_us\": 2,"
	    "  \"p999_us\": 3, \"budget_us\": 7,"
	    "  \"variables\": {\"blocks\": 9, \"block_errors\": 2}},"
	    "  {\"name\": \"untimed\", \"calls\": 9, \"timed\": 0, \"p50_us\": 1},"
	    "  {\"name\": \"idle\", \"calls\": 0, \"p50_us\": 0, \"budget_us\": 7}]}";
	json_t *json = json_loads(report, 0, NULL);
	struct plot plot;
	char *text;

	(void)state;
	assert_non_null(json);
	report_figure(json, "w-1", &plot);
	text = script_of(&plot);
	has(text, "set title 'Times in the run w-1' noenhanced");
	has(text, "('latency, source to sink' 0, 'lane 0, all of a slot' 1, 'one' 2)");
	has(text, "$data0 << END\n0 20 40 \n1 10 500 \n2 1 3 \nEND\n");
	has(text, "$data4 << END\n2 7 \nEND\n"); /* the budget */
	has(text, "from first 1000, graph 0");
	has(text,
	    "1000 slots of 1 ms on the clock timer in 1.00 s; 1 missed; 2 of 9 blocks with errors");
	free(text);
	plot_fini(&plot);
	json_object_set_new(json, "slots", json_pack("{s:i, s:i}", "run", 100, "missed", 50));
	report_figure(json, NULL, &plot);
	text = script_of(&plot);
	has(text, "NO MEASURE FOR OTHER RUNS: ");
	has(text, "'Times of a call of each instance of w'");
	has(text, "set ytics noenhanced ('one' 0)");
	free(text);
	plot_fini(&plot);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_curves),
	    cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_axes),
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_low_ends),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_histograms),
	    cmocka_unit_test(test_json),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
