/* SPDX-License-Identifier: BSD-3-Clause
 * core/recording/digests: bytes of any kind are refused with an offset and a reason, or give rows
 * that follow one another and are the same when written and read again; and a table is compared
 * with itself and with a part of itself. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/recording/digests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

/* In blocks of seven rows. */
static uint8_t *table_write(const struct digest_table *table, size_t *ret_len)
{
	uint8_t *bytes = malloc(DIGESTS_HEAD + (table->n_rows + 1) * (DIGESTS_BLOCK + DIGESTS_ROW)),
	        *at = bytes + DIGESTS_HEAD;
	size_t i = 0;

	insist(bytes != NULL);
	digests_head(bytes, table->type, table->max);
	do {
		uint8_t *block = at;
		uint32_t n = 0;

		at += DIGESTS_BLOCK;
		for (; n < 7 && i < table->n_rows; n++, at += DIGESTS_ROW)
			digests_row(at, &table->rows[i++]);
		digests_block(block, block + DIGESTS_BLOCK, n, table->whole && i == table->n_rows);
	} while (i < table->n_rows);
	*ret_len = (size_t)(at - bytes);
	return bytes;
}

static void compare_check(const struct digest_table *table)
{
	struct digest_table part = *table;
	struct digest_comparison comparison;

	digests_compare(table, table, table->next, &comparison);
	insist(comparison.differ == 0 && comparison.missed == 0 &&
	    comparison.compared == table->n_rows);
	if (part.n_rows == 0)
		return;
	part.n_rows--;
	digests_compare(&part, table, table->next, &comparison);
	insist(comparison.differ == 0 && comparison.compared == part.n_rows);
}

static void table_check(const struct digest_table *table)
{
	struct digest_table again;
	char why[DIGESTS_WHY];
	uint64_t next = 0, at;
	size_t len;
	uint8_t *bytes = table_write(table, &len);

	for (size_t i = 0; i < table->n_rows; i++) {
		const struct digest_row *row = &table->rows[i];

		insist(row->index >= next && row->len <= table->max && row->state <= 2);
		next = row->index + 1;
	}
	insist(next == table->next);
	insist(digests_parse(bytes, len, &again, &at, why) == 0 && at == len);
	insist(again.n_rows == table->n_rows && again.whole == table->whole);
	insist(again.n_rows == 0 ||
	    memcmp(again.rows, table->rows, again.n_rows * sizeof(*again.rows)) == 0);
	digests_fini(&again);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct digest_table table;
	char why[DIGESTS_WHY] = "";
	uint64_t at = 0;
	const int rc = digests_parse(data, size, &table, &at, why);

	insist(at <= size);
	if (rc == 0) {
		table_check(&table);
		compare_check(&table);
	} else {
		insist(rc == -ENOMEM || why[0]);
	}
	digests_fini(&table);
	return 0;
}
