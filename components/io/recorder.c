/* SPDX-License-Identifier: BSD-3-Clause
 * recorder - keeps what passes on a link, message by message with its index: the SHA-256 of all of
 * them together, or the messages themselves. `aloe run --record` and `--verify` add recorders to a
 * waveform; the component `digester` keeps a digest of each message.
 *
 * With keep = "sha256" PATH.sha256 gets the digest of index (8 bytes), state and length (4 bytes
 * each) and items of every message, in this order, numbers little endian; IDLE messages do not
 * count. With "messages" see core/recording/table.h: PATH.sigmf-data and PATH.messages.
 *
 * What cannot be written (a full disk) is counted in `lost`, and the waveform goes on: from the
 * first message that is lost nothing more is recorded. */
#include <aloe/component.h>

#include <stdatomic.h>
#include <time.h>

#include "components/io/io.h"
#include "core/base/digest.h"
#include "core/base/sha256.h"
#include "core/recording/table.h"

enum keep { KEEP_SHA256, KEEP_MESSAGES };
enum { ROW_NS = 500000000 };

struct recorder {
	char path[IO_PATH_MAX];
	int32_t keep;
	uint32_t buffer_ms;
	uint64_t messages;
	uint64_t lost;

	_Atomic uint64_t messages_kept, messages_lost; /* by the I/O thread, which is behind work */
	uint32_t item_bytes, max;
	const char *type;
	bool broken;
	struct sha256 sha;
	FILE *data, *table;   /* KEEP_MESSAGES */
	struct table_row row; /* being gathered; count 0: none */
	uint64_t row_since_ns;
	uint64_t next, bytes;
};

static const char *const keeps[] = {"sha256", "messages", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "messages to record"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct recorder, path, NULL, ALOE_REQUIRED,
        "files to write, without their endings .sha256, .messages and .sigmf-data"),
    ALOE_PARAM_ENUM(struct recorder, keep, keeps, "messages", 0,
        "what is kept: the SHA-256 of all messages, or the messages"),
    IO_PARAM_BUFFER_MS(struct recorder),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct recorder, messages, "", "messages recorded; IDLE messages do not count"),
    ALOE_VAR_U64(struct recorder, lost, "",
        "messages that were not recorded because a file could not be written"),
};

static int recorder_check(void *self, struct aloe_setup *setup)
{
	return io_check_writable(((const struct recorder *)self)->path, setup);
}

static FILE *file_create(
    const struct recorder *recorder, const char *ending, struct aloe_setup *setup)
{
	char path[IO_PATH_MAX + 16];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", recorder->path, ending);
	file = fopen(path, "wbe");
	if (!file)
		aloe_fail(setup, "%s: %s", path, strerror(errno));
	return file;
}

static const char *type_name(uint32_t type)
{
	for (unsigned i = 0; io_types[i]; i++)
		if (type == 1u << i)
			return io_types[i];
	return io_types[1];
}

static int messages_begin(struct recorder *recorder, struct aloe_setup *setup)
{
	char line[TABLE_LINE];

	recorder->data = file_create(recorder, ".sigmf-data", setup);
	recorder->table = recorder->data ? file_create(recorder, ".messages", setup) : NULL;
	if (!recorder->table)
		return -1;
	table_head(line, recorder->type, recorder->max);
	if (fputs(line, recorder->table) < 0 || fflush(recorder->table) != 0)
		return aloe_fail(
		    setup, "%s.messages cannot be written: %s", recorder->path, strerror(errno));
	return 0;
}

static int recorder_init(void *self, struct aloe_setup *setup)
{
	struct recorder *recorder = self;

	recorder->item_bytes = aloe_item_bytes(setup->in[0].type);
	recorder->max = setup->in[0].max;
	recorder->type = type_name(setup->in[0].type);
	sha256_begin(&recorder->sha);
	if (recorder->keep == KEEP_MESSAGES)
		return messages_begin(recorder, setup);
	return 0;
}

/* After the last index of the waveform messages are no part of it: `end` says so to drain. */
static int recorder_work(void *self, struct aloe_slot *slot)
{
	struct recorder *recorder = self;
	const struct aloe_in *in = &slot->in[0];

	recorder->messages = atomic_load_explicit(&recorder->messages_kept, memory_order_relaxed);
	recorder->lost = atomic_load_explicit(&recorder->messages_lost, memory_order_relaxed);
	if (!slot->record)
		return 0;
	slot->record->state = in->state;
	slot->record->len = in->len;
	slot->record->end = aloe_after(slot) != 0;
	if (in->len)
		memcpy(slot->record->data, in->data, (size_t)in->len * recorder->item_bytes);
	return 0;
}

static void sha_take(struct recorder *recorder, const struct aloe_record *record)
{
	uint8_t head[16];

	for (unsigned i = 0; i < 8; i++)
		head[i] = (uint8_t)(record->index >> 8 * i);
	for (unsigned i = 0; i < 4; i++) {
		head[8 + i] = (uint8_t)(record->state >> 8 * i);
		head[12 + i] = (uint8_t)(record->len >> 8 * i);
	}
	sha256_add(&recorder->sha, head, sizeof(head));
	sha256_add(&recorder->sha, record->data, (size_t)record->len * recorder->item_bytes);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The items are in their file before the line that describes them. */
static bool row_end(struct recorder *recorder)
{
	char line[TABLE_LINE];

	if (recorder->row.count == 0)
		return true;
	table_line(line, &recorder->row);
	recorder->row.count = 0;
	return fflush(recorder->data) == 0 && fputs(line, recorder->table) >= 0 &&
	    fflush(recorder->table) == 0;
}

static bool row_goes_on(const struct recorder *recorder, const struct aloe_record *record)
{
	const struct table_row *row = &recorder->row;

	return row->count > 0 && row->state == record->state && row->len == record->len &&
	    row->index + row->count == record->index && now_ns() - recorder->row_since_ns < ROW_NS;
}

static bool message_take(struct recorder *recorder, const struct aloe_record *record)
{
	const size_t size = (size_t)record->len * recorder->item_bytes;
	struct table_row *row = &recorder->row;

	if (!row_goes_on(recorder, record)) {
		if (!row_end(recorder))
			return false;
		*row = (struct table_row){
		    .index = record->index, .state = record->state, .len = record->len};
		recorder->row_since_ns = now_ns();
	}
	row->count++;
	recorder->next = record->index + 1;
	if (size == 0)
		return true;
	row->digest = digest64(record->data, size, row->digest);
	recorder->bytes += size;
	return fwrite(record->data, size, 1, recorder->data) == 1;
}

static int recorder_drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	struct recorder *recorder = self;

	(void)setup;
	if (record->end || (record->state == ALOE_IDLE && recorder->keep != KEEP_MESSAGES))
		return 0;
	if (!recorder->broken && recorder->keep == KEEP_SHA256)
		sha_take(recorder, record);
	else if (!recorder->broken)
		recorder->broken = !message_take(recorder, record);
	if (record->state != ALOE_IDLE)
		atomic_fetch_add_explicit(
		    recorder->broken ? &recorder->messages_lost : &recorder->messages_kept, 1,
		    memory_order_relaxed);
	return 0;
}

static void sha_write(struct recorder *recorder, struct aloe_setup *setup)
{
	FILE *file = file_create(recorder, ".sha256", setup);
	char hex[SHA256_TEXT];

	sha256_end(&recorder->sha, hex);
	if (!file || fprintf(file, "%s\n", hex) < 0)
		recorder->broken = true;
	if (file && fclose(file) != 0)
		recorder->broken = true;
}

static void messages_end(struct recorder *recorder)
{
	char line[TABLE_LINE];

	if (recorder->broken)
		return;
	recorder->broken = !row_end(recorder);
	table_end(line, recorder->next, recorder->bytes);
	if (!recorder->broken && fputs(line, recorder->table) < 0)
		recorder->broken = true;
}

static int recorder_close(void *self, struct aloe_setup *setup)
{
	struct recorder *recorder = self;

	if (recorder->keep == KEEP_SHA256 && recorder->type)
		sha_write(recorder, setup);
	if (recorder->table)
		messages_end(recorder);
	if (recorder->data && fclose(recorder->data) != 0)
		recorder->broken = true;
	if (recorder->table && fclose(recorder->table) != 0)
		recorder->broken = true;
	recorder->data = recorder->table = NULL;
	recorder->messages = atomic_load(&recorder->messages_kept);
	recorder->lost = atomic_load(&recorder->messages_lost);
	if (recorder->broken && recorder->lost == 0)
		recorder->lost = 1; /* at least: what was still to be written */
	return 0;
}

ALOE_COMPONENT(recorder) = {
    .summary = "record the messages of a link, or their digests",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct recorder),
    .check = recorder_check,
    .init = recorder_init,
    .work = recorder_work,
    .close = recorder_close,
    .drain = recorder_drain,
    .mix = "copy 1",
};
