/* SPDX-License-Identifier: BSD-3-Clause
 * core/recording/lapses: a list of any bytes is refused with a line and a reason, or gives rows
 * whose indices do not fall, and that are the same when written and read again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/recording/lapses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void table_check(const struct lapse_table *table)
{
	char *text = malloc((table->n_rows + 2) * LAPSES_LINE), why[LAPSES_WHY];
	struct lapse_table again;
	unsigned line;
	size_t len, at = 0;

	insist(text != NULL);
	len = (size_t)lapses_head(text);
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct lapse *row = &table->rows[i];

		insist(row->count > 0 && row->kind < LAPSE_KINDS);
		insist(i == 0 || row->index >= row[-1].index);
		insist(lapses_called(table, row->index, &at) >= row->index);
		len += (size_t)lapses_line(text + len, row);
	}
	insist(lapses_parse(text, len, &again, &line, why) == 0);
	insist(again.n_rows == table->n_rows);
	for (size_t i = 0; i < table->n_rows; i++)
		insist(memcmp(&again.rows[i], &table->rows[i], sizeof(struct lapse)) == 0);
	lapses_fini(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lapse_table table;
	char why[LAPSES_WHY] = "";
	unsigned line = 0;
	const int rc = lapses_parse((const char *)data, size, &table, &line, why);

	if (rc == 0)
		table_check(&table);
	else
		insist(rc == -ENOMEM || (why[0] && line > 0));
	lapses_fini(&table);
	return 0;
}
