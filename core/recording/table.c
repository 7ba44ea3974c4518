/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/recording/table.h"

#include <aloe/component.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/recording/words.h"

static const char letters[] = "aiv"; /* by enum aloe_state */
static const char *const types[] = {"bit", "byte", "i16", "llr16", "f32", "cf32", "ci16"};

int table_head(char ret[TABLE_LINE], const char *type, uint32_t max)
{
	return snprintf(ret, TABLE_LINE, "aloe-messages %d %s %u\n", TABLE_VERSION, type, max);
}

int table_line(char ret[TABLE_LINE], const struct table_row *row)
{
	return snprintf(ret, TABLE_LINE, "%" PRIu64 " %" PRIu64 " %c %u %016" PRIx64 "\n",
	    row->index, row->count, letters[row->state], row->len, row->digest);
}

int table_end(char ret[TABLE_LINE], uint64_t next, uint64_t bytes)
{
	return snprintf(ret, TABLE_LINE, "end %" PRIu64 " %" PRIu64 "\n", next, bytes);
}

/* ---- lines ---- */

static int head_read(struct word_line line, struct message_table *table, char ret_why[TABLE_WHY])
{
	const struct word_line whole = line;
	const char *word = NULL;
	size_t len = word_take(&line, true, &word);
	uint64_t version = 0, max = 0;

	if (len != 13 || memcmp(word, "aloe-messages", 13) != 0 ||
	    !number_take(&line, false, 10, UINT32_MAX, &version))
		return words_refuse(ret_why, &whole, "`aloe-messages 1 TYPE ITEMS`");
	if (version != TABLE_VERSION) {
		snprintf(ret_why, TABLE_WHY,
		    "the table has version %" PRIu64 ", and this ALOE reads version %d", version,
		    TABLE_VERSION);
		return -EINVAL;
	}
	len = word_take(&line, false, &word);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i]) == len && memcmp(types[i], word, len) == 0) {
			snprintf(table->type, sizeof(table->type), "%s", types[i]);
			table->item_bytes = aloe_item_bytes(1u << i);
		}
	if (!table->item_bytes || !number_take(&line, false, 10, TABLE_ITEMS_MAX, &max) ||
	    max == 0 || line.at != line.end)
		return words_refuse(ret_why, &whole, "`aloe-messages 1 TYPE ITEMS`");
	table->max = (uint32_t)max;
	return 0;
}

static bool row_take(struct word_line *line, struct table_row *row)
{
	const char *word = NULL, *letter;
	uint64_t len;

	if (!number_take(line, true, 10, TABLE_INDEX_MAX, &row->index) ||
	    !number_take(line, false, 10, TABLE_INDEX_MAX, &row->count) ||
	    word_take(line, false, &word) != 1 || *word == 0 ||
	    !(letter = strchr(letters, *word)) ||
	    !number_take(line, false, 10, TABLE_ITEMS_MAX, &len) ||
	    !number_take(line, false, 16, UINT64_MAX, &row->digest))
		return false;
	row->state = (uint32_t)(letter - letters);
	row->len = (uint32_t)len;
	return line->at == line->end;
}

static int row_read(
    struct word_line line, struct message_table *table, size_t room, char ret_why[TABLE_WHY])
{
	struct table_row *row = &table->rows[table->n_rows];
	const struct word_line whole = line;
	uint64_t one;

	if (table->n_rows == room || !row_take(&line, row))
		return words_refuse(ret_why, &whole, "`INDEX COUNT v|a|i ITEMS DIGEST`");
	one = (uint64_t)row->len * table->item_bytes;
	if (row->count == 0 || row->len > table->max || (row->state != ALOE_VALID && row->len > 0))
		return words_refuse(
		    ret_why, &whole, "a count above 0 and as many items as the head allows");
	if (row->index + row->count > TABLE_INDEX_MAX)
		return words_refuse(ret_why, &whole, "an index below 2^48");
	if (table->n_rows > 0 ? row->index < table->next : false)
		return words_refuse(ret_why, &whole, "an index behind those of the line before");
	if (one > 0 && row->count > (INT64_MAX - table->bytes) / one)
		return words_refuse(ret_why, &whole, "less than 2^63 bytes");
	table->bytes += row->count * one;
	table->next = row->index + row->count;
	table->n_rows++;
	return 0;
}

static int end_read(struct word_line line, struct message_table *table, char ret_why[TABLE_WHY])
{
	const struct word_line whole = line;
	const char *word = NULL;
	uint64_t next, bytes;

	word_take(&line, true, &word);
	if (!number_take(&line, false, 10, UINT64_MAX, &next) ||
	    !number_take(&line, false, 10, UINT64_MAX, &bytes) || line.at != line.end ||
	    next != table->next || bytes != table->bytes)
		return words_refuse(ret_why, &whole, "the end that the lines before it add up to");
	table->whole = true;
	return 0;
}

static int line_read(struct word_line line, struct message_table *table, size_t room,
    unsigned number, char ret_why[TABLE_WHY])
{
	if (number == 1)
		return head_read(line, table, ret_why);
	if (table->whole)
		return words_refuse(ret_why, &line, "nothing behind the line `end`");
	if (line.end - line.at > 3 && memcmp(line.at, "end", 3) == 0)
		return end_read(line, table, ret_why);
	return row_read(line, table, room, ret_why);
}

int table_parse(const char *text, size_t len, struct message_table *ret, unsigned *ret_line,
    char ret_why[TABLE_WHY])
{
	const size_t lines = lines_count(text, len);
	struct word_line rest = {text, text + len}, line;
	int rc = 0;

	*ret = (struct message_table){0};
	*ret_line = 0;
	ret->rows = calloc(lines + 1, sizeof(*ret->rows));
	if (!ret->rows)
		return -ENOMEM;
	while (rc == 0 && line_take(&rest, &line))
		rc = line_read(line, ret, lines, ++*ret_line, ret_why);
	if (rc == 0 && *ret_line == 0) {
		*ret_line = 1;
		return words_refuse(ret_why, &rest, "`aloe-messages 1 TYPE ITEMS`");
	}
	return rc;
}

void table_fini(struct message_table *table)
{
	free(table->rows);
	table->rows = NULL;
}
