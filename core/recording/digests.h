/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/recording/digests.h - a digest of each message of one output, and where two runs part.
 *
 * NAME.digests begins with a head. Blocks of rows follow, one row for each message in the order of
 * their index. Numbers are little endian:
 *
 *	head   "aloe-dgs" | version u32 | item type u32 | most items u32 | 0 u32 | check u64
 *	block  rows u32 | last u32 | check u64, and the rows
 *	row    index u64 | state u32 | items u32 | XXH64 of the items u64
 *
 * `check` is the XXH64 of the bytes of the head or block before it, and of the rows behind it, so
 * that bytes that were altered are told from messages that differ. The last block has last = 1 and
 * may have no rows. While messages come, whoever writes it writes a block at least once a second,
 * so that what a crash has left is whole up to its last block. An index without a row was not run.
 * Pure: bytes in, rows or a reason out.
 */
#ifndef ALOE_RECORDING_DIGESTS_H
#define ALOE_RECORDING_DIGESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DIGESTS_VERSION = 1,
	DIGESTS_HEAD = 32,
	DIGESTS_BLOCK = 16,
	DIGESTS_ROW = 24,
	DIGESTS_ROWS_MAX = 1024, /* in a block */
	DIGESTS_WHY = 200
};
#define DIGESTS_INDEX_MAX (UINT64_MAX >> 2)

struct digest_row {
	uint64_t index;
	uint32_t state; /* enum aloe_state */
	uint32_t len;   /* items; 0 unless VALID */
	uint64_t digest;
};

struct digest_table {
	uint32_t type, max; /* item type (exactly one), most items in a message */
	struct digest_row *rows;
	size_t n_rows;
	bool whole;    /* has the last block */
	uint64_t next; /* index behind the last row */
};

/* digests_parse reads the bytes of NAME.digests. 0; -ENOMEM; -EINVAL, with the offset in *ret_at
 * and what was found there in ret_why. Whatever it returns, digests_fini frees it. A block that the
 * bytes end within is no block: the writer was killed over it. */
int digests_parse(const uint8_t *bytes, size_t len, struct digest_table *ret, uint64_t *ret_at,
    char ret_why[DIGESTS_WHY]);
void digests_fini(struct digest_table *table);

/* digests_head, digests_row and digests_block write one of them. The rows of a block stand before
 * their block is made. */
void digests_head(uint8_t ret[DIGESTS_HEAD], uint32_t type, uint32_t max);
void digests_row(uint8_t ret[DIGESTS_ROW], const struct digest_row *row);
void digests_block(uint8_t ret[DIGESTS_BLOCK], const uint8_t *rows, uint32_t n, bool last);

/* What two tables of one output have in common, before an index. */
struct digest_comparison {
	uint64_t compared; /* indices that both have */
	uint64_t missed;   /* indices that one of them alone has */
	uint64_t missed_first;
	uint64_t differ;
	struct digest_row row[2]; /* differ > 0: the first that differ */
};

/* digests_same: of two rows by state, length and digest. digests_compare compares the messages
 * before index `end` by that. */
bool digests_same(const struct digest_row *one, const struct digest_row *other);
void digests_compare(const struct digest_table *one, const struct digest_table *other, uint64_t end,
    struct digest_comparison *ret);

#endif
