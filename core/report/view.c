/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The live table: rows are collected, filtered, sorted, and printed as far as there is room. */
#include "core/report/view.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/columns.h"
#include "core/report/print.h"

void view_init(struct report_view *view, enum view_page page)
{
	*view = (struct report_view){.page = page, .sort = VIEW_BADNESS};
}

const char *view_page_name(enum view_page page)
{
	return page < VIEW_PAGES ? view_tables[page].name : NULL;
}

int view_page_find(const char *name)
{
	for (int p = 0; p < VIEW_PAGES; p++)
		if (strcmp(view_tables[p].name, name) == 0)
			return p;
	return -EINVAL;
}

/* The title without what stands behind its words. */
static int title_len(const char *title)
{
	const char *behind = strstr(title, "  ");

	return (int)(behind ? (size_t)(behind - title) : strlen(title));
}

const char *view_column(enum view_page page, int column)
{
	const struct view_table *table = &view_tables[page];

	return column >= 0 && (size_t)column < table->n && table->columns[column].help
	    ? table->columns[column].title
	    : NULL;
}

int view_sort_find(enum view_page page, const char *title)
{
	for (int c = 0; view_column(page, c); c++) {
		const char *is = view_column(page, c);

		if (strlen(title) == (size_t)title_len(is) &&
		    strncmp(title, is, strlen(title)) == 0)
			return c;
	}
	return -EINVAL;
}

/* ---- cells ---- */

struct table_print { /* one table, as it is printed */
	const struct view_table *table;
	bool many;     /* waveforms */
	unsigned cols; /* that there are */
	FILE *out;
};

static void number_cell(const struct view_column *column, double value, char *ret_text, size_t size)
{
	const char *unit = column->unit ? column->unit : "";

	if (!isfinite(value))
		snprintf(ret_text, size, "%*s", column->width, "-");
	else
		snprintf(ret_text, size, "%*.*f%s", column->width - (int)strlen(unit),
		    column->digits, value, unit);
}

/* What takes the rest of a line stands a place more apart, and nothing stands for nothing. */
static void text_print(const struct view_column *column, const char *text, char lead, FILE *out)
{
	if (column->width == 0 && !text[0])
		return;
	if (lead)
		fprintf(out, "%c%s", lead, column->width == 0 ? " " : "");
	if (column->width == 0)
		fputs(text, out);
	else
		fprintf(out, "%*.*s", column->width, abs(column->width), text);
}

static void cell_print(
    const struct view_column *column, const struct view_row *row, char lead, FILE *out)
{
	char text[CELL_TEXT];

	if (column->text)
		column->text(row, text);
	else
		number_cell(column, view_number(column, row), text, sizeof(text));
	if (column->text)
		text_print(column, text, lead, out);
	else
		fprintf(out, "%.*s%s", lead ? 1 : 0, &lead, text);
}

/* All cells of a row, or (NULL) the titles. */
static void row_print(const struct table_print *print, const struct view_row *row, FILE *out)
{
	const bool named = print->many && print->table != &view_tables[VIEW_WAVEFORMS];
	const unsigned taken = named ? 1 + (unsigned)abs(view_waveform.width) : 0,
	               cols = print->cols > taken ? print->cols - taken : 0;
	char lead = 0;

	fputs(row && row->rank >= RANK_BAD ? "! " : "  ", out);
	if (named) {
		if (row)
			cell_print(&view_waveform, row, 0, out);
		else
			text_print(&view_waveform, view_waveform.title, 0, out);
		lead = ' ';
	}
	for (size_t c = 0; c < print->table->n; c++) {
		const struct view_column *column = &print->table->columns[c];

		if (column->from > cols)
			continue;
		if (row)
			cell_print(column, row, lead, out);
		else
			text_print(column, column->title, lead, out);
		lead = ' ';
	}
	fputc('\n', out);
}

/* ---- rows ---- */

struct view_rows {
	struct view_row *row;
	size_t n;
};

static bool row_has(const struct table_print *print, const struct view_row *row, const char *filter)
{
	struct table_print whole = *print;
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	bool has;

	if (!filter[0] || !(out = open_memstream(&text, &len)))
		return true;
	whole.cols = UINT_MAX;
	whole.many = true;
	row_print(&whole, row, out);
	has = fclose(out) != 0 || strcasestr(text, filter) != NULL;
	free(text);
	return has;
}

/* Larger numbers first, or earlier letters; the order of the report where both are the same. */
static int row_compare(const void *left, const void *right)
{
	const struct view_row *a = left, *b = right;
	const int text = strcmp(a->text, b->text);

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return text ? text : a->place < b->place ? -1 : a->place > b->place;
}

static void row_key(const struct table_print *print, int sort, struct view_row *row)
{
	const struct view_column *column =
	    sort >= 0 && (size_t)sort < print->table->n ? &print->table->columns[sort] : NULL;
	char text[CELL_TEXT] = "";

	row->text[0] = 0;
	if (!column) {
		row->key = row->rank;
	} else if (column->text) {
		column->text(row, text);
		row->key = 0;
		snprintf(row->text, sizeof(row->text), "%.*s", (int)sizeof(row->text) - 1, text);
	} else {
		row->key = view_number(column, row);
		if (!isfinite(row->key))
			row->key = -INFINITY;
	}
}

static void row_add(struct view_rows *rows, const struct table_print *print, const json_t *report,
    const json_t *item, const struct report_view *view)
{
	struct view_row row = {.report = report, .item = item, .place = rows->n};
	struct view_row *more;

	row.rank = print->table->rank(&row);
	if (!row_has(print, &row, view->filter))
		return;
	row_key(print, view->sort, &row);
	more = reallocarray(rows->row, rows->n + 1, sizeof(*more));
	if (!more)
		return;
	rows->row = more;
	rows->row[rows->n++] = row;
}

/* Rows whose key is not known stay the last. */
static void rows_reverse(struct view_rows *rows)
{
	size_t known = rows->n;

	while (known > 0 && rows->row[known - 1].key == -INFINITY)
		known--;
	for (size_t i = 0; i < known / 2; i++) {
		const struct view_row first = rows->row[i];

		rows->row[i] = rows->row[known - 1 - i];
		rows->row[known - 1 - i] = first;
	}
}

/* The rows of the page of `view`, in their order. The caller frees rows->row. */
static void rows_collect(struct view_rows *rows, const struct table_print *print,
    const json_t *reports, const struct report_view *view)
{
	json_t *report, *item;
	size_t r, n;

	*rows = (struct view_rows){NULL, 0};
	json_array_foreach(reports, r, report)
	{
		if (!print->table->array)
			row_add(rows, print, report, report, view);
		json_array_foreach(
		    print->table->array ? json_object_get(report, print->table->array) : NULL, n,
		    item)
		{
			row_add(rows, print, report, item, view);
		}
	}
	if (rows->n > 1)
		qsort(rows->row, rows->n, sizeof(rows->row[0]), row_compare);
	if (view->reverse)
		rows_reverse(rows);
}

static const char *noun_of(const struct view_table *table, size_t n)
{
	return n == 1 ? table->noun : table->name;
}

/* rows_print takes at most `room` lines; the last of them counts the rows that have none. */
static void rows_print(const struct table_print *print, const struct view_rows *rows,
    struct report_view *view, size_t room)
{
	const struct view_table *table = print->table;
	const size_t shown = rows->n <= room ? rows->n
	    : room > 0                       ? room - 1
	                                     : 0,
	             left = rows->n - shown;

	view->scroll = view->scroll < left ? view->scroll : left;
	view->shown = shown;
	for (size_t i = 0; i < shown; i++)
		row_print(print, &rows->row[view->scroll + i], print->out);
	if (left > 0 && room > 0) {
		fprintf(print->out, "  ... and %zu more %s", left, noun_of(table, left));
		if (view->scroll > 0)
			fprintf(print->out, ", %zu of them above", view->scroll);
		fputc('\n', print->out);
	}
	if (rows->n == 0 && room > 0)
		fprintf(print->out, "  %s%s\n", table->none,
		    view->filter[0] ? " that has the filter's text" : "");
}

/* ---- above and below ---- */

static double count_sum(const json_t *reports, const char *object, const char *key)
{
	double sum = 0;
	json_t *report;
	size_t n;

	json_array_foreach(reports, n, report)
	{
		sum += report_number(json_object_get(report, object), key);
	}
	return sum;
}

static void one_print(const json_t *report, FILE *out)
{
	const json_t *radio = json_object_get(report, "radio");
	char causes[200];

	report_causes_line(report, causes, sizeof(causes));
	if (causes[0])
		fprintf(out, "  late: %s\n", causes);
	if (radio) {
		fputs("  radio: ", out);
		radio_counts_print(radio, out);
		radio_slots_print(radio, "         ", out);
	}
	/* of these there may be many */
	report_modes_print(report, "  ", out);
	batons_print(report, "  ", out);
	if (radio)
		radio_troubles_print(radio, "  radio ", out);
}

static void below_print(const json_t *reports, enum view_page page, FILE *out)
{
	if (json_array_size(reports) > 0)
		fprintf(out,
		    "  slots: %.0f run, %.0f skipped, %.0f missed, %.0f slipped; messages: %.0f "
		    "absent, %.0f late\n",
		    count_sum(reports, "slots", "run"), count_sum(reports, "slots", "skipped"),
		    count_sum(reports, "slots", "missed"), count_sum(reports, "slots", "slipped"),
		    count_sum(reports, "messages", "absent"),
		    count_sum(reports, "messages", "late"));
	if (json_array_size(reports) == 1)
		one_print(json_array_get(reports, 0), out);
	if (page == VIEW_CAUSES)
		causes_lost_print(reports, out);
}

static void above_print(const json_t *reports, FILE *out)
{
	const size_t n = json_array_size(reports);
	size_t failed = 0, i;
	json_t *report;

	if (n == 1) {
		head_print(json_array_get(reports, 0), out);
		return;
	}
	json_array_foreach(reports, i, report)
	{
		failed += report_failed(report);
	}
	fprintf(out, "%zu waveform%s", n, plural((double)n));
	if (failed > 0)
		fprintf(out, ", %zu of them stopped by a fault (ABNSTOP)", failed);
	fputc('\n', out);
}

/* ---- pages ---- */

static void table_print(
    const struct table_print *print, const json_t *reports, struct report_view *view, size_t room)
{
	struct view_rows rows;

	rows_collect(&rows, print, reports, view);
	if (room > 0)
		row_print(print, NULL, print->out);
	rows_print(print, &rows, view, room > 0 ? room - 1 : 0);
	free(rows.row);
}

static size_t rows_count(const json_t *reports, const char *array)
{
	size_t sum = 0, n;
	json_t *report;

	json_array_foreach(reports, n, report)
	{
		sum += json_array_size(json_object_get(report, array));
	}
	return sum;
}

/* Instances and lanes: lanes have a third of the room where not all of both fits. */
static void both_print(
    struct table_print *print, const json_t *reports, struct report_view *view, size_t room)
{
	const size_t lanes = rows_count(reports, "lanes") + 1,
	             instances = rows_count(reports, "instances") + 1,
	             third = room / 3 > 2 ? room / 3
	    : room > 4                    ? 2
	                                  : 0;
	const size_t most = lanes <= third || lanes + instances <= room ? lanes : third,
	             below = most < room ? most : room;
	struct report_view other;

	view_init(&other, VIEW_LANES);
	table_print(print, reports, view, room - below);
	print->table = &view_tables[VIEW_LANES];
	table_print(print, reports, &other, below);
}

static void help_print(const struct table_print *print, struct report_view *view, size_t room)
{
	const struct view_table *table = print->table;
	size_t left = table->n > room ? table->n - room : 0;

	view->scroll = view->scroll < left ? view->scroll : left;
	view->shown = room;
	for (size_t c = view->scroll; c < table->n && c - view->scroll < room; c++)
		if (table->columns[c].help)
			fprintf(print->out, "  %-13.*s %s\n", title_len(table->columns[c].title),
			    table->columns[c].title, table->columns[c].help);
}

/* lines_cut copies lines, each at most `cols` characters, at most `rows` of them; returns how
 * many. */
static unsigned lines_cut(const char *text, size_t rows, unsigned cols, FILE *out)
{
	unsigned lines = 0;

	while (*text && lines < rows) {
		const size_t len = strcspn(text, "\n");

		text_cut(text, len, cols, out);
		fputc('\n', out);
		text += len + (text[len] == '\n');
		lines++;
	}
	return lines;
}

static size_t lines_count(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Lines of `text` in at most `room`; the last of them counts those that have none. */
static void lines_print(const char *text, size_t room, FILE *out)
{
	const size_t n = lines_count(text), shown = n <= room ? n : room > 0 ? room - 1 : 0;

	lines_cut(text, shown, INT_MAX, out);
	if (shown < n && room > 0)
		fprintf(out, "  ... and %zu more line%s\n", n - shown, plural((double)(n - shown)));
}

/* A third of all rows for the lines below the table, or those that there usually are. */
static size_t below_room(const char *below, size_t rows, size_t left)
{
	enum { USUAL = 4 };
	const size_t share = rows / 3 > USUAL ? rows / 3 : USUAL, n = lines_count(below),
	             most = n < share ? n : share;

	return most < left ? most : left;
}

/* What stands above and below, and in the rest of `rows` the page. */
static void page_print(struct table_print *print, const json_t *reports, struct report_view *view,
    size_t rows, const char *above, const char *below)
{
	const size_t head = lines_cut(above, rows, INT_MAX, print->out),
	             foot = below_room(below, rows, rows - head), room = rows - head - foot;

	if (view->help)
		help_print(print, view, room);
	else if (view->page == VIEW_INSTANCES)
		both_print(print, reports, view, room);
	else
		table_print(print, reports, view, room);
	lines_print(below, foot, print->out);
}

/* All of it, with lines of any length. */
static int view_print(
    const json_t *reports, struct report_view *view, size_t rows, unsigned cols, FILE *out)
{
	struct table_print print = {.table = &view_tables[view->page],
	    .many = json_array_size(reports) > 1,
	    .cols = cols,
	    .out = out};
	char *below = NULL, *above = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&below, &len);

	if (!memory)
		return -ENOMEM;
	below_print(reports, view->page, memory);
	fclose(memory);
	memory = open_memstream(&above, &len);
	if (memory) {
		above_print(reports, memory);
		fclose(memory);
		page_print(&print, reports, view, rows, above, below);
	}
	free(above);
	free(below);
	return memory ? 0 : -ENOMEM;
}

unsigned report_table(
    const json_t *reports, struct report_view *view, unsigned rows, unsigned cols, FILE *out)
{
	const unsigned rows_max = rows ? rows : INT_MAX, cols_max = cols ? cols : INT_MAX,
	               last = view->last ? 1 : 0;
	unsigned lines = 0;
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);
	int rc;

	if (!memory)
		return 0;
	rc = reports ? view_print(reports, view, rows_max - last, cols_max, memory) : 0;
	if (last)
		fprintf(memory, "%s\n", view->last);
	if (fclose(memory) == 0 && rc == 0)
		lines = lines_cut(text, rows_max, cols_max, out);
	free(text);
	return lines;
}

void view_causes_print(const json_t *report, FILE *out)
{
	const struct table_print print = {
	    .table = &view_tables[VIEW_CAUSES], .cols = INT_MAX, .out = out};
	json_t *reports = json_pack("[O]", report);
	struct report_view view;

	view_init(&view, VIEW_CAUSES);
	table_print(&print, reports, &view, INT_MAX);
	json_decref(reports);
}

void view_words(FILE *out)
{
	for (int p = 0; p < VIEW_PAGES; p++) {
		const struct view_table *table = &view_tables[p];

		fprintf(out, "%sThe page `%s`: %s\n", p ? "\n\n" : "", table->name, table->help);
		for (size_t c = 0; c < table->n; c++)
			if (table->columns[c].help)
				fprintf(out, "\n  %-13.*s %s", title_len(table->columns[c].title),
				    table->columns[c].title, table->columns[c].help);
	}
}
