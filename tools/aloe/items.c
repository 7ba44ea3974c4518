/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/items.h"

#include <aloe/component.h>
#include <complex.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/recording/control.h"
#include "core/recording/table.h"

/* Where the items of a message lie in NAME.sigmf-data, and how many there are; 0: it has none. */
static uint32_t items_find(const struct message_table *table, uint64_t index, uint64_t *ret_at)
{
	uint64_t at = 0;

	for (size_t i = 0; i < table->n_rows; i++) {
		const struct table_row *row = &table->rows[i];
		const uint64_t one = (uint64_t)row->len * table->item_bytes;

		if (index < row->index)
			return 0;
		if (index - row->index < row->count) {
			*ret_at = at + (index - row->index) * one;
			return row->len;
		}
		at += row->count * one;
	}
	return 0;
}

static uint8_t *bytes_read(const char *path, uint64_t at, size_t size)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO is no data */
	FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
	uint8_t *bytes = file ? malloc(size + 1) : NULL;

	if (bytes && (fseeko(file, (off_t)at, SEEK_SET) != 0 || fread(bytes, size, 1, file) != 1)) {
		free(bytes);
		bytes = NULL;
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return bytes;
}

/* The items of a message that was recorded; the caller frees them. NULL: there are none. */
static uint8_t *message_read(const struct digests *run, size_t output, uint64_t index,
    uint32_t item_bytes, uint32_t *ret_len)
{
	const char *name = json_string_value(json_array_get(run->names, output));
	char path[4400], data[4400], why[TABLE_WHY], *text = NULL;
	struct message_table table = {0};
	uint8_t *bytes = NULL;
	unsigned line;
	size_t len;
	uint64_t at = 0;

	if (path_print(path, sizeof(path), "%s/%s.messages", run->dir, name) < 0 ||
	    path_print(data, sizeof(data), "%s/%s.sigmf-data", run->dir, name) < 0 ||
	    file_read(path, CONTROL_BYTES_MAX, &text, &len) < 0)
		return NULL;
	*ret_len = 0;
	if (table_parse(text, len, &table, &line, why) == 0 && table.item_bytes == item_bytes)
		*ret_len = items_find(&table, index, &at);
	if (*ret_len > 0)
		bytes = bytes_read(data, at, (size_t)*ret_len * item_bytes);
	table_fini(&table);
	free(text);
	return bytes;
}

static void item_print(uint32_t type, const uint8_t *bytes, FILE *out)
{
	struct aloe_ci16 pair;
	int16_t number;
	float real;
	cf32 both;

	switch (type) {
	case ALOE_I16:
	case ALOE_LLR16:
		memcpy(&number, bytes, sizeof(number));
		fprintf(out, "%d", number);
		break;
	case ALOE_F32:
		memcpy(&real, bytes, sizeof(real));
		fprintf(out, "%.9g", (double)real);
		break;
	case ALOE_CF32:
		memcpy(&both, bytes, sizeof(both));
		fprintf(out, "%.9g%+.9gi", (double)crealf(both), (double)cimagf(both));
		break;
	case ALOE_CI16:
		memcpy(&pair, bytes, sizeof(pair));
		fprintf(out, "%d%+di", pair.re, pair.im);
		break;
	default:
		fprintf(out, "%u", *bytes);
	}
}

static void difference_print(
    uint32_t type, uint8_t *const bytes[2], const uint32_t len[2], FILE *out)
{
	const uint32_t size = aloe_item_bytes(type), n = len[0] < len[1] ? len[0] : len[1];
	size_t i = 0;

	while (i < n && memcmp(bytes[0] + i * size, bytes[1] + i * size, size) == 0)
		i++;
	if (i == n)
		return;
	fprintf(out, "           item %zu is the first that differs: ", i);
	item_print(type, bytes[0] + i * size, out);
	fputs(" and ", out);
	item_print(type, bytes[1] + i * size, out);
	fputc('\n', out);
}

void items_print(const struct digests run[2], size_t output, uint64_t index, FILE *out)
{
	const uint32_t type = run[0].tables[output].type;
	uint8_t *bytes[2] = {NULL, NULL};
	uint32_t len[2] = {0, 0};

	for (int k = 0; k < 2; k++)
		bytes[k] = message_read(&run[k], output, index, aloe_item_bytes(type), &len[k]);
	if (bytes[0] && bytes[1])
		difference_print(type, bytes, len, out);
	free(bytes[0]);
	free(bytes[1]);
}
