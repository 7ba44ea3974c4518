/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/table.h"

#include <math.h>
#include <string.h>

enum { CELL = 160 };

size_t table_pick(const struct table *table, const char *keys, struct column ret[TABLE_COLUMNS_MAX])
{
	size_t n = 0;

	while (*keys) {
		const size_t len = strcspn(keys, ",");

		for (size_t c = 0; c < table->n_columns && n < TABLE_COLUMNS_MAX; c++)
			if (strlen(table->columns[c].key) == len &&
			    !memcmp(table->columns[c].key, keys, len))
				ret[n++] = table->columns[c];
		keys += len + (keys[len] == ',');
	}
	return n;
}

static void cell_text(const struct column *column, const json_t *value, char *ret, size_t size)
{
	if (json_is_string(value))
		snprintf(ret, size, "%s", json_string_value(value));
	else if (!json_is_number(value))
		snprintf(ret, size, "-");
	else if (column->decimals >= 0)
		snprintf(ret, size, "%.*f", column->decimals, json_number_value(value));
	else
		snprintf(ret, size, fabs(json_number_value(value)) < 999.5 ? "%.3g" : "%.0f",
		    json_number_value(value));
}

static int width_of(const struct table *table, const struct column *column)
{
	int width = (int)strlen(column->title);
	char text[CELL];
	json_t *row;
	size_t i;

	json_array_foreach(table->rows, i, row)
	{
		cell_text(column, json_object_get(row, column->key), text, sizeof(text));
		width = (int)strlen(text) > width ? (int)strlen(text) : width;
	}
	return width;
}

/* Texts stand left, numbers right; nothing follows the last word of a line. */
static void cell_print(const struct table *table, size_t c, int width, const char *text, FILE *out)
{
	const bool last = c + 1 == table->n_columns;

	if (table->columns[c].decimals == COLUMN_TEXT)
		fprintf(out, "  %-*s", last ? 0 : width, text);
	else
		fprintf(out, "  %*s", width, text);
}

void table_print(const struct table *table, FILE *out)
{
	char text[CELL];
	json_t *row;
	size_t i;

	fprintf(out, "%s\n", table->title);
	for (size_t c = 0; c < table->n_columns; c++)
		cell_print(
		    table, c, width_of(table, &table->columns[c]), table->columns[c].title, out);
	fputc('\n', out);
	json_array_foreach(table->rows, i, row)
	{
		for (size_t c = 0; c < table->n_columns; c++) {
			const struct column *column = &table->columns[c];
			cell_text(column, json_object_get(row, column->key), text, sizeof(text));
			cell_print(table, c, width_of(table, column), text, out);
		}
		fputc('\n', out);
	}
}

static void csv_cell(const json_t *value, FILE *out)
{
	const char *text = json_string_value(value);

	if (text && strpbrk(text, ",\"\n")) {
		fputc('"', out);
		for (; *text; text++)
			fprintf(out, "%s%c", *text == '"' ? "\"" : "", *text);
		fputc('"', out);
	} else if (text) {
		fputs(text, out);
	} else if (json_is_integer(value)) {
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	} else if (json_is_number(value)) {
		fprintf(out, "%.9g", json_number_value(value));
	}
}

void table_csv(const struct table *table, FILE *out)
{
	json_t *row;
	size_t i;

	for (size_t c = 0; c < table->n_columns; c++)
		fprintf(out, "%s%s", c ? "," : "", table->columns[c].key);
	fputc('\n', out);
	json_array_foreach(table->rows, i, row)
	{
		for (size_t c = 0; c < table->n_columns; c++) {
			fputs(c ? "," : "", out);
			csv_cell(json_object_get(row, table->columns[c].key), out);
		}
		fputc('\n', out);
	}
}

/* A cell's own bars are no borders. */
static void markdown_cell(const char *text, FILE *out)
{
	fputs(" ", out);
	for (; *text; text++)
		fprintf(out, "%s%c", *text == '|' ? "\\" : "", *text);
	fputs(" |", out);
}

void table_markdown(const struct table *table, FILE *out)
{
	char text[CELL];
	json_t *row;
	size_t i;

	fprintf(out, "**%s**\n\n|", table->title);
	for (size_t c = 0; c < table->n_columns; c++)
		markdown_cell(table->columns[c].title, out);
	fputs("\n|", out);
	for (size_t c = 0; c < table->n_columns; c++)
		fputs(table->columns[c].decimals == COLUMN_TEXT ? "---|" : "---:|", out);
	fputc('\n', out);
	json_array_foreach(table->rows, i, row)
	{
		fputc('|', out);
		for (size_t c = 0; c < table->n_columns; c++) {
			cell_text(&table->columns[c], json_object_get(row, table->columns[c].key),
			    text, sizeof(text));
			markdown_cell(text, out);
		}
		fputc('\n', out);
	}
}
