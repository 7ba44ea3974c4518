/* SPDX-License-Identifier: BSD-3-Clause
 * core/recording/table: a table of any bytes is refused with a line and a reason, or gives rows
 * that follow one another, add up, and are the same when written and read again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/recording/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static char *table_write(const struct message_table *table, size_t *ret_len)
{
	char *text = malloc((table->n_rows + 2) * TABLE_LINE);
	size_t len;

	insist(text != NULL);
	len = (size_t)table_head(text, table->type, table->max);
	for (size_t i = 0; i < table->n_rows; i++)
		len += (size_t)table_line(text + len, &table->rows[i]);
	if (table->whole)
		len += (size_t)table_end(text + len, table->next, table->bytes);
	*ret_len = len;
	return text;
}

static void table_check(const struct message_table *table)
{
	struct message_table again;
	uint64_t next = 0, bytes = 0;
	char why[TABLE_WHY];
	unsigned line;
	size_t len;
	char *text = table_write(table, &len);

	for (size_t i = 0; i < table->n_rows; i++) {
		const struct table_row *row = &table->rows[i];

		insist(row->index >= next && row->count > 0 && row->len <= table->max);
		next = row->index + row->count;
		bytes += row->count * row->len * table->item_bytes;
	}
	insist(next == table->next && bytes == table->bytes);
	insist(table_parse(text, len, &again, &line, why) == 0);
	insist(again.n_rows == table->n_rows && again.whole == table->whole);
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct table_row *one = &table->rows[i], *two = &again.rows[i];

		insist(one->index == two->index && one->count == two->count &&
		    one->state == two->state && one->len == two->len && one->digest == two->digest);
	}
	table_fini(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message_table table;
	char why[TABLE_WHY] = "";
	unsigned line = 0;
	const int rc = table_parse((const char *)data, size, &table, &line, why);

	if (rc == 0)
		table_check(&table);
	else
		insist(rc == -ENOMEM || (why[0] && line > 0));
	table_fini(&table);
	return 0;
}
