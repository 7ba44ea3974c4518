/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_view.c - the live table as text: it fits any terminal, what is bad comes first,
 * it is sorted, filtered and scrolled; and keys, as bytes and as what they do to the table. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/text.h"
#include "core/cli/term.h"
#include "core/report/columns.h"
#include "tools/aloe/view_keys.h"

enum { ROWS_MAX = 120, COLS_MAX = 400 };

static char *table_text(json_t *reports, struct report_view *view, unsigned rows, unsigned cols)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	unsigned lines = report_table(reports, view, rows, cols, out);

	assert_int_equal(fclose(out), 0);
	for (const char *at = text; *at; at++)
		lines -= *at == '\n';
	assert_int_equal(lines, 0);
	return text;
}

static json_t *reports_of(const char *format, ...)
{
	char text[4096];
	json_t *reports;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	reports = json_loads(text, 0, NULL);
	assert_non_null(reports);
	return reports;
}

static void instance_add(
    json_t *report, const char *name, double share, int errors, int absent, double mean)
{
	json_array_append_new(json_object_get(report, "instances"),
	    json_pack("{s:s, s:i, s:f, s:f, s:i, s:{s:i}, s:{s:f, s:f}}", "name", name, "lane", 0,
	        "share", share, "mean_us", mean, "absent_in", absent, "variables",
	        errors < 0 ? "seen" : "block_errors", errors < 0 ? 0 : errors, "left_us", "p1",
	        mean + 7, "least", -mean));
}

/* One of each kind: errors of two sizes, messages that were absent, a high load, none of these. */
static json_t *mixed(void)
{
	json_t *reports = reports_of(
	    "[{\"schema\":1,\"waveform\":\"mix\",\"state\":\"RUN\",\"index\":9,\"slot_ns\":1000000,"
	    "\"slots\":{\"run\":9},\"lanes\":["
	    "{\"lane\":0,\"cpu\":3,\"realtime\":\"FIFO 50\",\"load_mean\":0.4,\"load_p99\":0.5,"
	    "\"left_us\":{\"count\":9,\"over\":0,\"p1\":512.5,\"least\":98.5},\"missed\":0},"
	    "{\"lane\":1,\"cpu\":5,\"realtime\":\"FIFO 50\",\"load_mean\":0.1,\"load_p99\":0.2,"
	    "\"left_us\":{\"count\":9,\"over\":1,\"p1\":700.0,\"least\":-3.5},\"missed\":2}],"
	    "\"causes\":[{\"kind\":\"component\",\"count\":2,\"slots\":2,\"us\":70.0,"
	    "\"worst_us\":60.0,\"worst_slot\":5,\"own\":true},{\"kind\":\"hw-irq\",\"count\":1,"
	    "\"slots\":1,\"us\":7.0,\"worst_us\":7.0,\"worst_slot\":4,\"own\":false}],"
	    "\"per_copy\":[{\"copy\":1,\"lane\":0,\"mean_us\":9.0,\"block_errors\":0,\"blocks\":8},"
	    "{\"copy\":2,\"lane\":1,\"mean_us\":1.0,\"block_errors\":2,\"blocks\":8}],"
	    "\"instances\":[]}]");
	json_t *report = json_array_get(reports, 0);

	instance_add(report, "quiet", 0.01, -1, 0, 4.0);
	instance_add(report, "loaded", 0.6, -1, 0, 5.0);
	instance_add(report, "absent", 0.02, -1, 3, 3.0);
	instance_add(report, "few", 0.001, 1, 0, 2.0);
	instance_add(report, "many", 0.001, 5, 0, 1.0);
	instance_add(report, "counts", 0.001, 0, 0, 6.0);
	return reports;
}

/* The texts stand in this order. */
static void in_order(const char *text, const char *const *texts)
{
	const char *at = text;

	for (size_t i = 0; texts[i]; i++) {
		const char *found = strstr(at, texts[i]);

		if (!found)
			fail_msg("`%s` is not there, or not behind the one before, in:\n%s",
			    texts[i], text);
		at = found + 1;
	}
}

static void check_order(struct report_view *view, const char *const *texts)
{
	json_t *reports = mixed();
	char *text = table_text(reports, view, 0, 0);

	in_order(text, texts);
	free(text);
	json_decref(reports);
}

/* ---- what comes first ---- */

static void test_bad_first(void **state)
{
	static const char *const instances[] = {"! many", "! few", "! absent", "! loaded",
	    "  counts", "  quiet", "\n!    1    5", "\n     0    3", NULL};
	static const char *const lanes[] = {"\n!    1    5", "700.0", "-3.5", "     2 FIFO 50",
	    "\n     0    3", "512.5", "98.5", "     0 FIFO 50", NULL};
	static const char *const copies[] = {
	    "\n!     2    1", "2   0.250000", "\n      1    0", NULL};
	static const char *const causes[] = {
	    "\n  component", "  its own doing\n", "\n  hw-irq", NULL};
	static const char *const waveforms[] = {"\n! mix", "RUN", "40.0 %", "50.0 %", "512.5",
	    "-3.5", "component 2 (0.07 ms), hw-irq 1 (0.01 ms)", NULL};
	static const char *const *const all[VIEW_PAGES] = {
	    instances, lanes, copies, causes, waveforms};

	(void)state;
	for (int p = 0; p < VIEW_PAGES; p++) {
		struct report_view view;

		view_init(&view, (enum view_page)p);
		check_order(&view, all[p]);
	}
}

/* What is worse comes first, whatever else the rows have; the numbers count among the same. */
static void test_rank(void **state)
{
	json_t *reports = reports_of(
	    "[{\"waveform\":\"errors\",\"state\":\"RUN\",\"slots\":{\"missed\":3},\"lanes\":["
	    "{\"lane\":0,\"load_mean\":0.9,\"load_p99\":0.95}],\"instances\":[]},"
	    "{\"waveform\":\"fault\",\"state\":\"ABNSTOP\"},"
	    "{\"waveform\":\"most\",\"state\":\"RUN\",\"instances\":["
	    "{\"name\":\"huge\",\"variables\":{\"block_errors\":1e300}}]}]");
	static const char *const waveforms[] = {"! fault", "! most", "! errors", NULL};
	static const char *const instances[] = {
	    "huge", "million_one", "million ", "absent_too", "absent_only", "clean", NULL};
	json_t *report = json_array_get(reports, 0);
	struct report_view view;
	char *text;

	(void)state;
	instance_add(report, "clean", 0, 0, 0, 0);
	instance_add(report, "absent_only", 1, -1, 9, 0);
	instance_add(report, "absent_too", 1, 1, 1, 0);
	instance_add(report, "million", 0, 1000000, 0, 0);
	instance_add(report, "million_one", 0, 1000001, 0, 0);
	view_init(&view, VIEW_WAVEFORMS);
	text = table_text(reports, &view, 0, 0);
	in_order(text, waveforms);
	free(text);
	view_init(&view, VIEW_INSTANCES);
	text = table_text(reports, &view, 0, 0);
	in_order(text, instances);
	free(text);
	json_decref(reports);
}

static void test_sort(void **state)
{
	static const char *const by_mean[] = {
	    "counts", "loaded", "quiet", "absent", "few", "many", NULL};
	static const char *const by_name[] = {
	    "absent", "counts", "few", "loaded", "many", "quiet", NULL};
	static const char *const by_bad_reversed[] = {
	    "quiet", "counts", "loaded", "absent", "few", "many", NULL};
	struct report_view view;

	(void)state;
	view_init(&view, VIEW_INSTANCES);
	view.sort = view_sort_find(VIEW_INSTANCES, "mean us");
	assert_int_equal(view.sort, 2);
	check_order(&view, by_mean);
	view.sort = view_sort_find(VIEW_INSTANCES, "instance");
	check_order(&view, by_name);
	view.sort = VIEW_BADNESS;
	view.reverse = true;
	check_order(&view, by_bad_reversed);
	assert_true(view_sort_find(VIEW_INSTANCES, "variables") > 0);
	assert_int_equal(view_sort_find(VIEW_INSTANCES, "mean"), -EINVAL);
	assert_int_equal(view_sort_find(VIEW_CAUSES, ""), -EINVAL);
	assert_int_equal(view_page_find("copies"), VIEW_COPIES);
	assert_int_equal(view_page_find("copy"), -EINVAL);
}

/* Rows whose key is not known are the last, whichever way the others go. */
static void test_sort_unknown(void **state)
{
	json_t *reports =
	    reports_of("[{\"instances\":[{\"name\":\"none\"},"
	               "{\"name\":\"neg\",\"mean_us\":-5},{\"name\":\"pos\",\"mean_us\":5}]}]");
	static const char *const order[] = {"pos", "neg", "none  ", "         -", NULL};
	static const char *const reversed[] = {"neg", "pos", "none  ", "         -", NULL};
	struct report_view view;
	char *text;

	(void)state;
	view_init(&view, VIEW_INSTANCES);
	view.sort = view_sort_find(VIEW_INSTANCES, "mean us");
	text = table_text(reports, &view, 0, 0);
	in_order(text, order);
	free(text);
	view.reverse = true;
	text = table_text(reports, &view, 0, 0);
	in_order(text, reversed);
	free(text);
	json_decref(reports);
}

static void test_filter(void **state)
{
	json_t *reports = mixed();
	struct report_view view;
	char *text;

	(void)state;
	view_init(&view, VIEW_INSTANCES);
	strcpy(view.filter, "QUI");
	text = table_text(reports, &view, 0, 0);
	assert_non_null(strstr(text, "\n  quiet"));
	assert_null(strstr(text, "loaded"));
	assert_non_null(strstr(text, "FIFO 50")); /* it is not for the lanes below */
	free(text);
	strcpy(view.filter, "not there");
	text = table_text(reports, &view, 0, 0);
	assert_non_null(strstr(text, "\n  there is no instance that has the filter's text\n"));
	free(text);
	strcpy(view.filter, "block_errors 5");
	text = table_text(reports, &view, 24, 50);
	assert_non_null(strstr(text, "\n! many"));
	assert_null(strstr(text, "few"));
	free(text);
	json_decref(reports);
}

/* ---- room ---- */

static json_t *hostile(void)
{
	json_t *reports = reports_of(
	    "[{\"schema\":1,\"waveform\":\"\\u001b[2J\\u0007\\u00fcber\\u0301\\u4e2d\",\"state\":"
	    "\"ABNSTOP\",\"reason\":\"a\\nb\\tc\\u009b31m\",\"damaged\":\"all\",\"slot_ns\":1e300,"
	    "\"index\":-1e300,\"instances\":[1,null,{},[],\"x\",{\"name\":7,\"mean_us\":\"x\","
	    "\"share\":1e308,\"left_us\":[],\"variables\":[1]},{\"name\":\"\\u001b]0;x\\u0007\","
	    "\"mean_us\":-1e308,\"variables\":{\"\\r\\n\":1e308}}],\"lanes\":[null,{\"load_mean\":"
	    "1e308,\"load_p99\":-1,\"left_us\":{\"p1\":1e308,\"least\":null}},{\"load_mean\":-5}],"
	    "\"causes\":{\"a\":1},\"per_copy\":[[],{\"blocks\":-1}],\"radio\":{\"channels\":[{"
	    "\"trouble\":\"\\u0001x\"}]},\"slots\":7,\"messages\":null}, {}, 5, null]");
	json_t *instances = json_object_get(json_array_get(reports, 0), "instances");
	char name[3000];

	for (int i = 0; i < 300; i++) {
		memset(name, 'a' + i % 26, sizeof(name));
		name[i % 2 ? sizeof(name) - 1 : 5] = 0;
		json_array_append_new(instances,
		    json_pack(
		        "{s:s, s:i, s:{s:i}}", "name", name, "lane", i, "variables", name, 1));
	}
	return reports;
}

/* No line longer than the terminal, not more of them than it has, nothing but what takes one
 * place. */
static void fits(json_t *reports, struct report_view *view, unsigned rows, unsigned cols)
{
	char *text = table_text(reports, view, rows, cols), *end;
	unsigned lines = 0;

	for (char *at = text; *at; at = end + 1, lines++) {
		size_t places = 0;

		end = strchr(at, '\n');
		assert_non_null(end);
		for (const char *c = at; c < end; c++) {
			assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
			places += ((unsigned char)*c & 0xc0) != 0x80;
		}
		if (places > cols)
			fail_msg("%zu characters where there are %u: %.*s", places, cols,
			    (int)(end - at), at);
	}
	if (lines > rows)
		fail_msg("%u lines where there are %u:\n%s", lines, rows, text);
	free(text);
}

static void fits_all(json_t *reports)
{
	static const unsigned heights[] = {
	    1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 23, 24, 40, 80, ROWS_MAX};
	static const unsigned widths[] = {
	    1, 2, 10, 13, 14, 15, 39, 40, 60, 72, 79, 80, 99, 100, 124, 134, 200, COLS_MAX};
	char long_line[600];
	struct report_view view;

	memset(long_line, 'x', sizeof(long_line));
	long_line[sizeof(long_line) - 1] = 0;
	for (int p = 0; p < 2 * VIEW_PAGES; p++)
		for (size_t h = 0; h < sizeof(heights) / sizeof(heights[0]); h++)
			for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
				view_init(&view, (enum view_page)(p % VIEW_PAGES));
				view.help = p >= VIEW_PAGES;
				view.scroll = (h + w) % 3 ? w : SIZE_MAX / 2;
				view.sort = (int)(w % 14) - 1;
				view.last = h % 2 ? long_line : NULL;
				fits(reports, &view, heights[h], widths[w]);
			}
}

static void test_fits(void **state)
{
	json_t *reports[] = {hostile(), mixed(), json_array(), reports_of("[{}]"), NULL};

	(void)state;
	json_array_extend(reports[0], reports[1]);
	for (size_t i = 0; reports[i]; i++) {
		fits_all(reports[i]);
		json_decref(reports[i]);
	}
}

/* From 40 characters on the titles of all columns that are shown are whole, and so the cells of
 * numbers of a usual size; with a name of the waveform from 53 on. */
static void test_titles(void **state)
{
	(void)state;
	for (int p = 0; p < VIEW_PAGES; p++)
		for (unsigned cols = 40; cols <= 200; cols++) {
			const struct view_table *table = &view_tables[p];
			size_t taken = 1;

			for (size_t c = 0; c < table->n; c++) {
				const struct view_column *column = &table->columns[c];

				assert_true(strlen(column->title) <= (size_t)abs(column->width) ||
				    column->width == 0);
				if (column->from <= cols && column->width != 0)
					taken += 1 + (size_t)abs(column->width);
			}
			if (taken > cols)
				fail_msg("%s take %zu of %u", table->name, taken, cols);
		}
}

/* A radio that cannot do anything leaves room for the table, and the last line is there. */
static void test_below(void **state)
{
	static const char *const order[] = {"! many", "! few", "  quiet", "lane  CPU",
	    "\n  slots: ", "\n  late: component",
	    "\n  radio: ", "\n  radio does not stream: silent\n",
	    "\n  ... and 18 more lines\nlast\n", NULL};
	json_t *reports = mixed(), *channels = json_array();
	struct report_view view;
	char *text;

	(void)state;
	for (int i = 0; i < 20; i++)
		json_array_append_new(channels, json_pack("{s:s}", "trouble", "silent"));
	json_object_set_new(
	    json_array_get(reports, 0), "radio", json_pack("{s:o}", "channels", channels));
	view_init(&view, VIEW_INSTANCES);
	view.last = "last";
	text = table_text(reports, &view, 23, 80);
	in_order(text, order);
	free(text);
	for (unsigned rows = 1; rows < 30; rows++) {
		text = table_text(reports, &view, rows, 80);
		assert_true(strlen(text) >= 5);
		assert_string_equal(text + strlen(text) - 5, "last\n");
		free(text);
	}
	text = table_text(NULL, &view, 23, 80);
	assert_string_equal(text, "last\n");
	free(text);
	json_decref(reports);
}

/* What is not among the causes, of all waveforms together, as `aloe why` counts it. */
static void test_causes_lost(void **state)
{
	json_t *reports = reports_of("[{\"misses_lost\":1,\"misses_unseen\":2},"
	                             "{\"misses_lost\":3,\"misses_unwritten\":5}]");
	static const char *const order[] = {"4 records of late slots came too fast",
	    "2 records of late slots were not read", "5 records of late slots are not in", NULL};
	struct report_view view;
	char *text;

	(void)state;
	view_init(&view, VIEW_CAUSES);
	text = table_text(reports, &view, 0, 0);
	in_order(text, order);
	free(text);
	view_init(&view, VIEW_LANES);
	text = table_text(reports, &view, 0, 0);
	assert_null(strstr(text, "records of late slots"));
	free(text);
	json_decref(reports);
}

/* ---- scrolling ---- */

static size_t shown_of(const char *text)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, "\n  row")); at++)
		n++;
	return n;
}

static void test_scroll(void **state)
{
	json_t *reports = reports_of("[{\"instances\":[],\"lanes\":[{}]}]");
	struct report_view view;
	char *text, name[16];

	(void)state;
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "row%02d", i);
		instance_add(json_array_get(reports, 0), name, 0, -1, 0, 0);
	}
	view_init(&view, VIEW_INSTANCES);
	text = table_text(reports, &view, 24, 80);
	assert_non_null(strstr(text, "\n  row00"));
	assert_int_equal(shown_of(text), view.shown);
	assert_int_equal(view.shown, 24 - 1 - 1 - 1 - 2 - 1);
	assert_non_null(strstr(text, "\n  ... and 32 more instances\n"));
	free(text);
	assert_true(view_key(&view, TERM_PAGE_DOWN));
	assert_true(view_key(&view, TERM_DOWN));
	text = table_text(reports, &view, 24, 80);
	assert_null(strstr(text, "row18"));
	assert_non_null(strstr(text, "\n  row19"));
	assert_non_null(strstr(text, "\n  ... and 32 more instances, 19 of them above\n"));
	free(text);
	assert_true(view_key(&view, TERM_END));
	text = table_text(reports, &view, 24, 80);
	assert_int_equal(view.scroll, 32);
	assert_non_null(strstr(text, "\n  row49"));
	free(text);
	assert_true(view_key(&view, TERM_PAGE_UP));
	assert_int_equal(view.scroll, 14);
	assert_true(view_key(&view, TERM_PAGE_UP));
	assert_int_equal(view.scroll, 0);
	assert_true(view_key(&view, 'k'));
	assert_int_equal(view.scroll, 0);
	text = table_text(reports, &view, 60, 80);
	assert_int_equal(shown_of(text), 50);
	assert_null(strstr(text, " more "));
	free(text);
	json_decref(reports);
}

/* ---- keys ---- */

static void test_view_keys(void **state)
{
	static const struct {
		int key;
		enum view_page page;
	} pages[] = {{'l', VIEW_LANES}, {'c', VIEW_COPIES}, {'w', VIEW_CAUSES},
	    {'a', VIEW_WAVEFORMS}, {'i', VIEW_INSTANCES}, {'\t', VIEW_LANES}};
	struct report_view view;
	char line[256];

	(void)state;
	view_init(&view, VIEW_INSTANCES);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		view.scroll = 7;
		assert_true(view_key(&view, pages[i].key));
		assert_int_equal(view.page, pages[i].page);
		assert_int_equal(view.scroll, 0);
	}
	assert_true(view_key(&view, 's') && view_key(&view, 's') && view_key(&view, 'r'));
	view_keys_line(&view, "quit", line, sizeof(line));
	assert_non_null(strstr(line, "lanes by CPU, reversed "));
	assert_true(view_key(&view, 'S') && view_key(&view, 'S') && view_key(&view, 'S'));
	assert_string_equal(view_column(VIEW_LANES, view.sort), "slots");
	assert_true(view_key(&view, 's'));
	assert_int_equal(view.sort, VIEW_BADNESS);
	assert_true(view_key(&view, '?') && view.help && view_key(&view, '?') && !view.help);
	assert_true(view_key(&view, TERM_OTHER) && view_key(&view, 0xff) && view_key(&view, 1));
	assert_false(view_key(&view, 'q'));
}

/* Keys are letters of the filter, q among them; it never has more than there is room for. */
static void test_filter_keys(void **state)
{
	struct report_view view;
	char line[256];

	(void)state;
	view_init(&view, VIEW_INSTANCES);
	assert_true(view_key(&view, '/'));
	for (int i = 0; i < 2 * VIEW_FILTER; i++)
		assert_true(view_key(&view, i == 1 ? TERM_UP : 'q'));
	assert_int_equal(strlen(view.filter), VIEW_FILTER - 1);
	for (int i = 0; i < 2 * VIEW_FILTER; i++)
		assert_true(view_key(&view, TERM_ERASE));
	assert_string_equal(view.filter, "");
	assert_true(view_key(&view, 'x') && view_key(&view, '\033' - 1));
	view_keys_line(&view, "quit", line, sizeof(line));
	assert_non_null(strstr(line, "rows with: x_ "));
	assert_true(view_key(&view, '\n'));
	assert_string_equal(view.filter, "x");
	assert_true(view_key(&view, TERM_ESCAPE));
	assert_string_equal(view.filter, "");
	assert_false(view_key(&view, 'q'));
}

static void test_term_keys(void **state)
{
	static const struct {
		const char *bytes;
		size_t taken;
		int key;
	} keys[] = {{"q", 1, 'q'}, {"\033[A", 3, TERM_UP}, {"\033OB", 3, TERM_DOWN},
	    {"\033[5~x", 4, TERM_PAGE_UP}, {"\033[6~", 4, TERM_PAGE_DOWN}, {"\033[H", 3, TERM_HOME},
	    {"\033[1;5C", 6, TERM_RIGHT}, {"\033[8~", 4, TERM_END},
	    {"\033[99999999999999999~", 20, TERM_OTHER}, {"\033[Z", 3, TERM_OTHER},
	    {"\033", 1, TERM_ESCAPE}, {"\033x", 1, TERM_ESCAPE}, {"\033[", 0, 0}, {"\033[1;", 0, 0},
	    {"", 0, 0}, {"\b", 1, TERM_ERASE}, {"\x7f", 1, TERM_ERASE}, {"\xff", 1, 0xff},
	    {"\032", 1, TERM_SUSPEND}};
	char full[TERM_PENDING];
	int key = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		key = 0;
		assert_int_equal(
		    term_key_take(keys[i].bytes, strlen(keys[i].bytes), &key), keys[i].taken);
		if (keys[i].taken)
			assert_int_equal(key, keys[i].key);
	}
	/* what never ends does not stop the keys behind it for ever */
	memset(full, ';', sizeof(full));
	full[0] = '\033';
	full[1] = '[';
	assert_int_equal(term_key_take(full, sizeof(full), &key), sizeof(full));
	assert_int_equal(key, TERM_OTHER);
}

static void test_text_cut(void **state)
{
	static const struct {
		const char *line;
		size_t cols, n;
		const char *cut;
	} lines[] = {{"abc", 2, 2, "ab"}, {"abc", 9, 3, "abc"}, {"", 9, 0, ""},
	    {"a\033[2J", 9, 5, "a?[2J"}, {"\xc3\xbc\xc3", 9, 2, "\xc3\xbc?"},
	    {"\xe4\xb8\xad!", 9, 2, "?!"}, {"\xc2\xad\xc2\x9b\xc2\xa0", 9, 3, "???"},
	    {"\x80\x80x", 9, 2, "?x"}, {"\xc2\xa1z", 1, 1, "\xc2\xa1"}};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);

		assert_int_equal(
		    text_cut(lines[i].line, strlen(lines[i].line), lines[i].cols, out), lines[i].n);
		fclose(out);
		assert_string_equal(text, lines[i].cut);
		free(text);
	}
}

/* Each column that the table can show has its line in the manual. */
static void test_words(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	view_words(out);
	view_keys_words(out);
	fclose(out);
	for (int p = 0; p < VIEW_PAGES; p++)
		for (size_t c = 0; c < view_tables[p].n; c++) {
			const struct view_column *column = &view_tables[p].columns[c];

			assert_int_equal(column->title[0] != 0, column->help != NULL);
			if (column->help && !strstr(text, column->help))
				fail_msg("%s has no line", column->title);
		}
	free(text);
}

/* An instance of several places is on the lanes of all of them. */
static void test_lanes_of_places(void **state)
{
	static const char *const rows[][3] = {{"{\"lane\":7}", "7", "7"},
	    {"{\"lane\":null}", "all", "all"}, {"{}", "all", "all"},
	    {"{\"lane\":1,\"places\":[1,1]}", "1", "1"},
	    {"{\"lane\":null,\"places\":[1,0,1]}", "0,1", "0,1"},
	    {"{\"lane\":null,\"places\":[12,10,11]}", "10,11,12", "all"},
	    {"{\"lane\":null,\"places\":[null,\"x\",1e300,-4]}", "0", "0"},
	    {"{\"lane\":null,\"places\":{}}", "all", "all"}};
	char text[16], narrow[8];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *row = json_loads(rows[i][0], 0, NULL);

		assert_non_null(row);
		report_lane(row, text, sizeof(text));
		assert_string_equal(text, rows[i][1]);
		report_lane(row, narrow, sizeof(narrow));
		assert_string_equal(narrow, rows[i][2]);
		json_decref(row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bad_first),
	    cmocka_unit_test(test_rank),
	    cmocka_unit_test(test_sort),
	    cmocka_unit_test(test_sort_unknown),
	    cmocka_unit_test(test_filter),
	    cmocka_unit_test(test_fits),
	    cmocka_unit_test(test_titles),
	    cmocka_unit_test(test_below),
	    cmocka_unit_test(test_causes_lost),
	    cmocka_unit_test(test_scroll),
	    cmocka_unit_test(test_view_keys),
	    cmocka_unit_test(test_filter_keys),
	    cmocka_unit_test(test_term_keys),
	    cmocka_unit_test(test_text_cut),
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_lanes_of_places),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
