/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/record_output.h"

#include <aloe/component.h>
#include <errno.h>

#include "core/base/digest.h"
#include "core/base/file.h"

static int file_create(
    const struct record_output *output, const char *dir, const char *ending, FILE **ret)
{
	char path[4400];
	int rc = path_print(path, sizeof(path), "%s/%s%s", dir, output->name, ending);

	if (rc < 0)
		return rc;
	*ret = fopen(path, "wbe");
	return *ret ? 0 : -errno;
}

static int bytes_put(FILE *file, const void *bytes, size_t size)
{
	return size == 0 || fwrite(bytes, size, 1, file) == 1 ? 0 : -EIO;
}

static int text_put(FILE *file, const char *text)
{
	return fputs(text, file) >= 0 && fflush(file) == 0 ? 0 : -EIO;
}

int record_output_open(struct record_output *output, const char *dir, uint64_t from)
{
	uint8_t head[DIGESTS_HEAD];
	char line[TABLE_LINE];
	int rc = 0;

	output->next = output->reader.cursor = from;
	output->lost_at = UINT64_MAX;
	if (output->keeps)
		rc = file_create(output, dir, ".sigmf-data", &output->data);
	if (rc == 0 && output->keeps)
		rc = file_create(output, dir, ".messages", &output->table);
	if (rc == 0 && output->keeps) {
		table_head(line, output->reader.type, output->reader.items_max);
		rc = text_put(output->table, line);
	}
	if (rc == 0 && output->digests)
		rc = file_create(output, dir, ".digests", &output->digest);
	if (rc == 0 && output->digests) {
		digests_head(head, output->reader.item_type, output->reader.items_max);
		rc = bytes_put(output->digest, head, sizeof(head));
	}
	return rc;
}

/* ---- what is gathered ---- */

/* The items are in their file before the line that describes them. */
static int row_end(struct record_output *output)
{
	char line[TABLE_LINE];

	if (output->row.count == 0)
		return 0;
	table_line(line, &output->row);
	output->row.count = 0;
	return fflush(output->data) == 0 ? text_put(output->table, line) : -EIO;
}

static int block_end(struct record_output *output, bool last)
{
	uint8_t block[DIGESTS_BLOCK];
	int rc;

	digests_block(block, output->rows, output->n_rows, last);
	rc = bytes_put(output->digest, block, sizeof(block));
	if (rc == 0)
		rc = bytes_put(output->digest, output->rows, (size_t)output->n_rows * DIGESTS_ROW);
	output->n_rows = 0;
	return rc == 0 && fflush(output->digest) != 0 ? -EIO : rc;
}

static int message_keep(
    struct record_output *output, const struct digest_row *message, const struct tap_frame *frame)
{
	struct table_row *row = &output->row;
	int rc = 0;

	if (row->count == 0 || row->state != message->state || row->len != message->len ||
	    row->index + row->count != message->index) {
		rc = row_end(output);
		*row = (struct table_row){
		    .index = message->index, .state = message->state, .len = message->len};
	}
	row->count++;
	output->row_next = message->index + 1;
	row->digest = digest64(frame->data, frame->len, row->digest);
	output->bytes += frame->len;
	return rc < 0 ? rc : bytes_put(output->data, frame->data, frame->len);
}

static int message_take(struct record_output *output, const struct tap_frame *frame)
{
	const struct digest_row message = {.index = frame->index,
	    .state = frame->flags == TAP_IDLE ? ALOE_IDLE
	        : frame->flags == TAP_ABSENT  ? ALOE_ABSENT
	                                      : ALOE_VALID,
	    .len = frame->len / output->reader.item_bytes,
	    .digest = digest64(frame->data, frame->len, 0)};
	int rc = output->keeps ? message_keep(output, &message, frame) : 0;

	output->next = frame->index + 1;
	if (!output->digests || rc < 0)
		return rc;
	digests_row(output->rows + (size_t)output->n_rows++ * DIGESTS_ROW, &message);
	return output->n_rows == DIGESTS_ROWS_MAX ? block_end(output, false) : 0;
}

int record_output_take(struct record_output *output, const struct tap_frame *frame)
{
	if (frame->flags == TAP_GAP || frame->flags == TAP_BEFORE) {
		output->lost += frame->count;
		output->lost_at = frame->index < output->lost_at ? frame->index : output->lost_at;
		return 0;
	}
	if (record_output_done(output) || frame->index < output->next)
		return 0;
	if (frame->index >= output->until) {
		output->next = output->until;
		return 0;
	}
	return message_take(output, frame);
}

bool record_output_done(const struct record_output *output)
{
	return output->ended || output->lost > 0 || output->next >= output->until;
}

int record_output_flush(struct record_output *output)
{
	int rc = output->table ? row_end(output) : 0;

	if (rc == 0 && output->digest && output->n_rows > 0)
		rc = block_end(output, false);
	return rc;
}

static int file_close(FILE *file, int rc)
{
	return file && fclose(file) != 0 && rc == 0 ? -errno : rc;
}

int record_output_close(struct record_output *output)
{
	char line[TABLE_LINE];
	int rc = output->table ? row_end(output) : 0;

	if (rc == 0 && output->table) {
		table_end(line, output->row_next, output->bytes);
		rc = text_put(output->table, line);
	}
	if (rc == 0 && output->digest)
		rc = block_end(output, true);
	rc = file_close(output->data, rc);
	rc = file_close(output->table, rc);
	rc = file_close(output->digest, rc);
	output->data = output->table = output->digest = NULL;
	return rc;
}
