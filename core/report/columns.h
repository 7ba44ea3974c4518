/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/columns.h - the columns of the live table: from these tables come its head, its
 * cells, what it is sorted by, and what manual and help say of it.
 */
#ifndef ALOE_REPORT_COLUMNS_H
#define ALOE_REPORT_COLUMNS_H

#include "core/report/view.h"

enum { CELL_TEXT = 1024 };

/* A row whose rank reaches this has something that should not be. */
#define RANK_BAD 8.0

struct view_row {
	const json_t *report, *item; /* item: of one of its arrays, or the report itself */
	double rank;                 /* the more, the worse */
	size_t place;                /* before it was sorted */
	/* by what it is sorted */
	double key;
	char text[32];
};

struct view_column {
	const char *title;
	int width;     /* characters; negative: to the left; 0: the rest of the line */
	unsigned from; /* characters of a line without which it is left out */
	/* of a number: where it is in the item ("load_mean", "left_us.p1"), or what finds it; NAN:
	 * it is not known */
	const char *path;
	double (*number)(const struct view_row *row);
	double scale;
	int digits;
	const char *unit;
	void (*text)(const struct view_row *row, char ret[CELL_TEXT]); /* NULL: a number */
	const char *help;
};

struct view_table {
	const char *name;  /* of the page, and its rows: "instances" */
	const char *noun;  /* of one row: "instance" */
	const char *array; /* of the report; NULL: the report is the row */
	const char *none;  /* said where there is no row */
	const char *help;
	double (*rank)(const struct view_row *row);
	const struct view_column *columns;
	size_t n;
};

extern const struct view_table view_tables[VIEW_PAGES];
/* before the columns of all but VIEW_WAVEFORMS, where there are several waveforms */
extern const struct view_column view_waveform;

double view_number(const struct view_column *column, const struct view_row *row);

#endif
