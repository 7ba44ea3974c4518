/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/recording/table.h - the messages of one output in a recording.
 *
 * The items of all VALID messages lie one after another in NAME.sigmf-data, numbers little
 * endian. NAME.messages says to which index they belong, one line for each run of messages that
 * are alike:
 *
 *	aloe-messages 1 cf32 1000           version, item type, most items in a message
 *	0 40 v 1000 9f86d081884c7d65        index 0 to 39: VALID, 1000 items each; XXH64
 *	40 2 a 0 0000000000000000           index 40 and 41: ABSENT (i: IDLE)
 *	42 7 v 1000 60303ae22b998861
 *	end 49 376000                       next index, bytes of NAME.sigmf-data
 *
 * Whoever writes it writes the items before their line, and a line at least once a second, so
 * that what a crash has left is whole up to its last line: it has no line `end`. The digest of a
 * line goes on from 0 over its messages (core/base/digest.h). Pure: text in, rows or a reason
 * out.
 */
#ifndef ALOE_RECORDING_TABLE_H
#define ALOE_RECORDING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TABLE_VERSION = 1,
	TABLE_LINE = 128,          /* most bytes of a line */
	TABLE_ITEMS_MAX = 1 << 26, /* in a message */
	TABLE_WHY = 200            /* WORDS_WHY of core/recording/words.h */
};
/* no waveform runs that long: nine years of slots of 1 us */
#define TABLE_INDEX_MAX ((UINT64_C(1) << 48) - 1)

struct table_row {
	uint64_t index, count; /* indices `index` to `index` + `count` - 1 */
	uint32_t state;        /* enum aloe_state */
	uint32_t len;          /* items in each message; 0 unless VALID */
	uint64_t digest;
};

struct message_table {
	char type[8]; /* item type by name */
	uint32_t item_bytes, max;
	struct table_row *rows;
	size_t n_rows;
	bool whole;     /* has the line `end` */
	uint64_t next;  /* index behind the last row */
	uint64_t bytes; /* of NAME.sigmf-data that the rows describe */
};

/* table_parse reads the text of NAME.messages. 0; -ENOMEM; -EINVAL, with the line in *ret_line
 * and what was found there, what is needed, in ret_why. Whatever it returns, table_fini frees it. A
 * last line without an end of line is no line: the writer was killed over it. */
int table_parse(const char *text, size_t len, struct message_table *ret, unsigned *ret_line,
    char ret_why[TABLE_WHY]);
void table_fini(struct message_table *table);

/* table_head, table_line and table_end write a line with its end: how many bytes. */
int table_head(char ret[TABLE_LINE], const char *type, uint32_t max);
int table_line(char ret[TABLE_LINE], const struct table_row *row);
int table_end(char ret[TABLE_LINE], uint64_t next, uint64_t bytes);

#endif
