/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/recording/lapses.h - the lapses of one instance in a recording (core/base/lapse.h), in the
 * file INSTANCE.lapses:
 *
 *	aloe-lapses 1           version
 *	17 3 l 0                index 17 to 19: was not called
 *	20 1 a 1                index 20: input 1 read ABSENT
 *	21 4 c 0                index 21 to 24: its outputs were made ABSENT
 *	upto 500                all lapses before index 500 stand above
 *	900 1 u 0               from index 900 on its lapses are not known
 *	end                     the run ended, and these are all lapses
 *
 * Indices do not fall; a line may begin at the last index of the line before. A file without the
 * line `end` is good up to its last line `upto`. Pure: text in, rows or a reason out.
 */
#ifndef ALOE_RECORDING_LAPSES_H
#define ALOE_RECORDING_LAPSES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/lapse.h"

enum { LAPSES_VERSION = 1, LAPSES_LINE = 64, LAPSES_WHY = 200 };

struct lapse_table {
	struct lapse *rows;
	size_t n_rows, same; /* rows that begin at the index of the last one, but for the first */
	bool whole;          /* has the line `end` */
	uint64_t upto;       /* all before this index is known; UINT64_MAX: all */
};

/* lapses_parse reads the text of INSTANCE.lapses. 0; -ENOMEM; -EINVAL, with the line in *ret_line
 * and what was found there, what is needed, in ret_why. Whatever it returns, lapses_fini frees it.
 * A last line without an end of line is no line. */
int lapses_parse(const char *text, size_t len, struct lapse_table *ret, unsigned *ret_line,
    char ret_why[LAPSES_WHY]);
void lapses_fini(struct lapse_table *table);

/* lapses_head, lapses_line, lapses_upto and lapses_end write a line with its end: how many bytes.
 */
int lapses_head(char ret[LAPSES_LINE]);
int lapses_line(char ret[LAPSES_LINE], const struct lapse *row);
int lapses_upto(char ret[LAPSES_LINE], uint64_t index);
int lapses_end(char ret[LAPSES_LINE]);

/* lapses_join adds to `row` what follows it without a gap and is alike; false if it does not. */
bool lapses_join(struct lapse *row, const struct lapse *next);

/* lapses_called returns `index` if the instance was called there, else an index up to which it was
 * not. *at is where the search begins, and follows indices that rise. */
uint64_t lapses_called(const struct lapse_table *table, uint64_t index, size_t *at);

#endif
