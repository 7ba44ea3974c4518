/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/recording/digests.h"

#include <aloe/component.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/digest.h"

static const char magic[] = "aloe-dgs";
enum { MAGIC = 8, HEAD_CHECKED = 24, BLOCK_CHECKED = 8 };

void digests_head(uint8_t ret[DIGESTS_HEAD], uint32_t type, uint32_t max)
{
	uint8_t *at = ret + MAGIC;

	memcpy(ret, magic, MAGIC);
	at = put_le32(at, DIGESTS_VERSION);
	at = put_le32(at, type);
	at = put_le32(at, max);
	at = put_le32(at, 0);
	put_le64(at, digest64(ret, HEAD_CHECKED, 0));
}

void digests_row(uint8_t ret[DIGESTS_ROW], const struct digest_row *row)
{
	uint8_t *at = put_le64(ret, row->index);

	at = put_le32(at, row->state);
	at = put_le32(at, row->len);
	put_le64(at, row->digest);
}

static uint64_t block_check(const uint8_t *block, const uint8_t *rows, uint32_t n)
{
	return digest64(rows, (size_t)n * DIGESTS_ROW, digest64(block, BLOCK_CHECKED, 0));
}

void digests_block(uint8_t ret[DIGESTS_BLOCK], const uint8_t *rows, uint32_t n, bool last)
{
	put_le32(put_le32(ret, n), last);
	put_le64(ret + BLOCK_CHECKED, block_check(ret, rows, n));
}

/* ---- reading ---- */

struct digests_reading {
	const uint8_t *bytes;
	size_t len, at;
	struct digest_table *table;
	char *why;
};

__attribute__((format(printf, 2, 3))) static int why_print(
    const struct digests_reading *reading, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reading->why, DIGESTS_WHY, format, args);
	va_end(args);
	return -EINVAL;
}

static int head_read(struct digests_reading *reading)
{
	const uint8_t *bytes = reading->bytes;
	uint32_t version;

	if (reading->len < DIGESTS_HEAD)
		return why_print(reading,
		    "the file was cut short: its length is %zu, and that of its head alone %d",
		    reading->len, DIGESTS_HEAD);
	if (memcmp(bytes, magic, MAGIC) != 0)
		return why_print(
		    reading, "the file does not begin with `%s`; it has no digests", magic);
	version = get_le32(bytes + 8);
	if (version != DIGESTS_VERSION)
		return why_print(reading,
		    "the file has version %" PRIu32 ", and this ALOE reads version %d", version,
		    DIGESTS_VERSION);
	if (get_le64(bytes + HEAD_CHECKED) != digest64(bytes, HEAD_CHECKED, 0))
		return why_print(reading, "the head was altered: its check does not fit its bytes");
	reading->table->type = get_le32(bytes + 12);
	reading->table->max = get_le32(bytes + 16);
	if (aloe_item_bytes(reading->table->type) == 0 || get_le32(bytes + 20) != 0)
		return why_print(reading, "%" PRIu32 " is no item type", reading->table->type);
	reading->at = DIGESTS_HEAD;
	return 0;
}

static int row_read(struct digests_reading *reading, const uint8_t *bytes)
{
	struct digest_table *table = reading->table;
	struct digest_row *row = &table->rows[table->n_rows];

	*row = (struct digest_row){.index = get_le64(bytes),
	    .state = get_le32(bytes + 8),
	    .len = get_le32(bytes + 12),
	    .digest = get_le64(bytes + 16)};
	if (row->index < table->next || row->index > DIGESTS_INDEX_MAX)
		return why_print(reading,
		    "found index %" PRIu64 "; an index of at least %" PRIu64 " is needed",
		    row->index, table->next);
	if (row->state > ALOE_VALID || row->len > table->max ||
	    (row->state != ALOE_VALID && row->len > 0))
		return why_print(reading,
		    "index %" PRIu64 " has state %" PRIu32 " with a length of %" PRIu32
		    "; the output has at most %" PRIu32,
		    row->index, row->state, row->len, table->max);
	table->next = row->index + 1;
	table->n_rows++;
	return 0;
}

/* 1: there is no whole block. */
static int block_read(struct digests_reading *reading)
{
	const uint8_t *block = reading->bytes + reading->at, *rows = block + DIGESTS_BLOCK;
	const size_t left = reading->len - reading->at;
	uint32_t n;
	int rc = 0;

	if (left < DIGESTS_BLOCK)
		return 1;
	n = get_le32(block);
	if (get_le32(block + 4) > 1)
		return why_print(reading,
		    "the mark of the last block is %" PRIu32 "; 0 or 1 is allowed",
		    get_le32(block + 4));
	if (n > DIGESTS_ROWS_MAX)
		return why_print(reading,
		    "the block has the row count %" PRIu32 "; at most %d are allowed", n,
		    DIGESTS_ROWS_MAX);
	if (left - DIGESTS_BLOCK < (size_t)n * DIGESTS_ROW)
		return 1;
	if (get_le64(block + BLOCK_CHECKED) != block_check(block, rows, n))
		return why_print(reading,
		    "the rows from there on (count %" PRIu32 ", behind index %" PRIu64
		    ") were altered: their check does not fit their bytes",
		    n, reading->table->next ? reading->table->next - 1 : 0);
	reading->table->whole = get_le32(block + 4) == 1;
	reading->at += DIGESTS_BLOCK;
	for (; n > 0 && rc == 0; n--) {
		rc = row_read(reading, reading->bytes + reading->at);
		reading->at += rc == 0 ? DIGESTS_ROW : 0;
	}
	return rc;
}

int digests_parse(const uint8_t *bytes, size_t len, struct digest_table *ret, uint64_t *ret_at,
    char ret_why[DIGESTS_WHY])
{
	struct digests_reading reading = {.bytes = bytes, .len = len, .table = ret, .why = ret_why};
	int rc;

	*ret = (struct digest_table){0};
	ret_why[0] = 0;
	rc = head_read(&reading);
	if (rc == 0) {
		ret->rows = malloc((len / DIGESTS_ROW + 1) * sizeof(*ret->rows));
		rc = ret->rows ? 0 : -ENOMEM;
	}
	while (rc == 0 && !ret->whole)
		rc = block_read(&reading);
	if (rc == 0 && reading.at < len)
		rc = why_print(&reading, "the file goes on behind its last block");
	*ret_at = reading.at;
	return rc == 1 ? 0 : rc;
}

void digests_fini(struct digest_table *table)
{
	free(table->rows);
	*table = (struct digest_table){0};
}

/* ---- comparing ---- */

bool digests_same(const struct digest_row *one, const struct digest_row *other)
{
	return one->state == other->state && one->len == other->len && one->digest == other->digest;
}

static void row_missed(struct digest_comparison *ret, const struct digest_row *row)
{
	if (ret->missed++ == 0)
		ret->missed_first = row->index;
}

void digests_compare(const struct digest_table *one, const struct digest_table *other, uint64_t end,
    struct digest_comparison *ret)
{
	const struct digest_row *a = one->rows, *b = other->rows;
	const struct digest_row *a_end = a + one->n_rows, *b_end = b + other->n_rows;

	*ret = (struct digest_comparison){0};
	while (a < a_end && b < b_end && a->index < end && b->index < end) {
		if (a->index != b->index) {
			row_missed(ret, a->index < b->index ? a++ : b++);
			continue;
		}
		if (!digests_same(a, b) && ret->differ++ == 0)
			memcpy(ret->row, (struct digest_row[]){*a, *b}, sizeof(ret->row));
		ret->compared++;
		a++;
		b++;
	}
	/* one has run out: what the other has up to `end` is missed */
	for (; a < a_end && a->index < end; a++)
		row_missed(ret, a);
	for (; b < b_end && b->index < end; b++)
		row_missed(ret, b);
}
