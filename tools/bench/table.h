/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/table.h - the result of a benchmark as a table: for people, as CSV, as Markdown, as
 * JSON.
 *
 * A row is a JSON object with the keys of the columns; what is null or missing is printed as "-",
 * and empty in CSV.
 */
#ifndef TOOLS_BENCH_TABLE_H
#define TOOLS_BENCH_TABLE_H

#include <stdio.h>

#include "core/json/json.h"

/* instead of decimals: a text; a number of any size, 3 digits or whole */
enum { COLUMN_TEXT = -1, COLUMN_SHORT = -2 };

struct column {
	const char *key;   /* in JSON and CSV, with its unit last: "mean_us" */
	const char *title; /* for people */
	int decimals;      /* of a number, 0 or more; or of the above */
};

struct table {
	const char *key, *title;
	const struct column *columns;
	size_t n_columns;
	json_t *rows;
};

enum { TABLE_COLUMNS_MAX = 32 };

/* table_pick gives the columns of `keys`, "KEY,KEY", in that order, as far as the table has them:
 * how many. */
size_t table_pick(
    const struct table *table, const char *keys, struct column ret[TABLE_COLUMNS_MAX]);

void table_print(const struct table *table, FILE *out);
void table_csv(const struct table *table, FILE *out);
void table_markdown(const struct table *table, FILE *out);

#endif
