/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/view.h - the live table: reports in, lines out, never more or longer ones than the
 * terminal has room for. Pure: no terminal, no clock.
 *
 * A page is a table of rows of one kind. What is bad comes first, or rows are sorted by a column;
 * of rows for which there is no room the table says how many there are, and where. The columns of
 * all pages, with their explanations, stand in columns.c.
 */
#ifndef ALOE_REPORT_VIEW_H
#define ALOE_REPORT_VIEW_H

#include "core/report/report.h"

enum view_page {
	VIEW_INSTANCES, /* and lanes, below */
	VIEW_LANES,
	VIEW_COPIES,
	VIEW_CAUSES,
	VIEW_WAVEFORMS,
	VIEW_PAGES
};

enum { VIEW_FILTER = 32, VIEW_BADNESS = -1 };

struct report_view {
	enum view_page page;
	int sort; /* number of a column; VIEW_BADNESS: what is bad comes first */
	bool reverse;
	bool help;                /* what the columns mean, in the place of rows */
	bool editing;             /* keys write the filter; nothing to the table */
	char filter[VIEW_FILTER]; /* only rows that have this text; "": all */
	size_t scroll;            /* rows above; report_table keeps it in range */
	size_t shown;             /* rows that there was room for */
	const char *last;         /* a line of the caller's at the end; NULL: none */
};

void view_init(struct report_view *view, enum view_page page);

/* report_table writes the live table of an array of reports (NULL: none has come yet, there is only
 * the last line): at most `rows` lines of at most `cols` characters (0: no limit). The last line is
 * there in any case. Returns the number of lines. */
unsigned report_table(
    const json_t *reports, struct report_view *view, unsigned rows, unsigned cols, FILE *out);

/* What the rows of a page are ("instances"), and the title of a column; NULL: it has no such
 * column. view_page_find and view_sort_find: -EINVAL where there is none. */
const char *view_page_name(enum view_page page);
const char *view_column(enum view_page page, int column);
int view_page_find(const char *name);
int view_sort_find(enum view_page page, const char *title);

/* view_words writes what all pages and columns mean, for the manual. */
void view_words(FILE *out);

#endif
