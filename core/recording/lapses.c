/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/recording/lapses.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/recording/table.h"
#include "core/recording/words.h"

static const char letters[] = "lacu"; /* by enum lapse_kind */
enum { PORTS = 256 };

int lapses_head(char ret[LAPSES_LINE])
{
	return snprintf(ret, LAPSES_LINE, "aloe-lapses %d\n", LAPSES_VERSION);
}

int lapses_line(char ret[LAPSES_LINE], const struct lapse *row)
{
	return snprintf(ret, LAPSES_LINE, "%" PRIu64 " %u %c %u\n", row->index, row->count,
	    letters[row->kind], row->port);
}

int lapses_upto(char ret[LAPSES_LINE], uint64_t index)
{
	return snprintf(ret, LAPSES_LINE, "upto %" PRIu64 "\n", index);
}

int lapses_end(char ret[LAPSES_LINE])
{
	return snprintf(ret, LAPSES_LINE, "end\n");
}

bool lapses_join(struct lapse *row, const struct lapse *next)
{
	if (row->kind != next->kind || row->port != next->port || row->kind == LAPSE_UNKNOWN ||
	    row->index + row->count != next->index || next->count > UINT32_MAX - row->count)
		return false;
	row->count += next->count;
	return true;
}

static uint64_t last_of(const struct lapse *row)
{
	return row->index + row->count - 1;
}

uint64_t lapses_called(const struct lapse_table *table, uint64_t index, size_t *at)
{
	while (*at < table->n_rows && last_of(&table->rows[*at]) < index)
		(*at)++;
	for (size_t i = *at; i < table->n_rows && table->rows[i].index <= index; i++)
		if (table->rows[i].kind == LAPSE_LEFT_OUT && last_of(&table->rows[i]) >= index)
			return last_of(&table->rows[i]) + 1;
	return index;
}

/* ---- lines ---- */

static int head_read(struct word_line line, char ret_why[LAPSES_WHY])
{
	const struct word_line whole = line;
	uint64_t version = 0;

	if (!word_is(&line, true, "aloe-lapses") ||
	    !number_take(&line, false, 10, UINT32_MAX, &version) || line.at != line.end)
		return words_refuse(ret_why, &whole, "`aloe-lapses 1`");
	if (version == LAPSES_VERSION)
		return 0;
	snprintf(ret_why, LAPSES_WHY,
	    "the list has version %" PRIu64 ", and this ALOE reads version %d", version,
	    LAPSES_VERSION);
	return -EINVAL;
}

static bool row_take(struct word_line *line, struct lapse *row)
{
	const char *word = NULL, *letter;
	uint64_t count = 0, port = 0;

	if (!number_take(line, true, 10, TABLE_INDEX_MAX, &row->index) ||
	    !number_take(line, false, 10, UINT32_MAX, &count) || count == 0 ||
	    word_take(line, false, &word) != 1 || *word == 0 ||
	    !(letter = strchr(letters, *word)) || !number_take(line, false, 10, PORTS - 1, &port))
		return false;
	row->count = (uint32_t)count;
	row->kind = (uint16_t)(letter - letters);
	row->port = (uint16_t)port;
	return line->at == line->end;
}

static int row_read(struct word_line line, struct lapse_table *table, char ret_why[LAPSES_WHY])
{
	struct lapse *row = &table->rows[table->n_rows];
	const struct word_line whole = line;

	if (!row_take(&line, row))
		return words_refuse(ret_why, &whole, "`INDEX COUNT l|a|c|u PORT`");
	if (table->n_rows > 0 && row->index < last_of(row - 1))
		return words_refuse(ret_why, &whole, "an index not before those above");
	if (table->n_rows > 0 && row[-1].kind == LAPSE_UNKNOWN)
		return words_refuse(ret_why, &whole, "nothing but `end` behind a line `u`");
	table->same = table->n_rows > 0 && row->index == row[-1].index ? table->same + 1 : 0;
	if (table->same > PORTS)
		return words_refuse(ret_why, &whole, "fewer lines that begin at one index");
	table->n_rows++;
	return 0;
}

static int upto_read(struct word_line line, struct lapse_table *table, char ret_why[LAPSES_WHY])
{
	const struct word_line whole = line;

	if (!word_is(&line, true, "upto") ||
	    !number_take(&line, false, 10, TABLE_INDEX_MAX, &table->upto) || line.at != line.end)
		return words_refuse(ret_why, &whole, "`upto INDEX`");
	return 0;
}

static int line_read(
    struct word_line line, struct lapse_table *table, unsigned number, char ret_why[LAPSES_WHY])
{
	const size_t len = (size_t)(line.end - line.at);

	if (number == 1)
		return head_read(line, ret_why);
	if (table->whole)
		return words_refuse(ret_why, &line, "nothing behind the line `end`");
	if (len > 0 && *line.at == 'u')
		return upto_read(line, table, ret_why);
	if (len != 3 || memcmp(line.at, "end", 3) != 0)
		return row_read(line, table, ret_why);
	table->whole = true;
	return 0;
}

/* What is known ends where a lapse of the kind `u` begins. */
static void upto_find(struct lapse_table *table)
{
	const struct lapse *last = table->n_rows > 0 ? &table->rows[table->n_rows - 1] : NULL;

	if (table->whole)
		table->upto = UINT64_MAX;
	if (last && last->kind == LAPSE_UNKNOWN && last->index < table->upto)
		table->upto = last->index;
}

int lapses_parse(const char *text, size_t len, struct lapse_table *ret, unsigned *ret_line,
    char ret_why[LAPSES_WHY])
{
	const size_t lines = lines_count(text, len);
	struct word_line rest = {text, text + len}, line;
	int rc = 0;

	*ret = (struct lapse_table){0};
	*ret_line = 0;
	ret->rows = calloc(lines + 1, sizeof(*ret->rows));
	if (!ret->rows)
		return -ENOMEM;
	while (rc == 0 && line_take(&rest, &line))
		rc = line_read(line, ret, ++*ret_line, ret_why);
	if (rc == 0 && *ret_line == 0) {
		*ret_line = 1;
		return words_refuse(ret_why, &rest, "`aloe-lapses 1`");
	}
	upto_find(ret);
	return rc;
}

void lapses_fini(struct lapse_table *table)
{
	free(table->rows);
	table->rows = NULL;
}
