/* SPDX-License-Identifier: BSD-3-Clause
 * file_sink - the items of every VALID message, one after another, into a file: bits one per byte,
 * numbers in host order, complex ones as re, im; nothing for ABSENT and IDLE. The file is
 * rewritten, and synced to the disk at the end.
 */
#include <aloe/component.h>

#include "components/io/io.h"

struct file_sink {
	char path[IO_PATH_MAX];
	uint32_t buffer_ms;
	uint64_t messages;
	uint64_t items;
	uint64_t absent;
	uint32_t item_bytes;
	struct io_file file;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct file_sink, path, NULL, ALOE_REQUIRED, "file to write"),
    IO_PARAM_BUFFER_MS(struct file_sink),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct file_sink, messages, "", "VALID messages taken"),
    ALOE_VAR_U64(struct file_sink, items, "", "items in the VALID messages"),
    ALOE_VAR_U64(struct file_sink, absent, "", "ABSENT messages, warm-up included"),
};

static int file_sink_check(void *self, struct aloe_setup *setup)
{
	return io_check_writable(((const struct file_sink *)self)->path, setup);
}

static int file_sink_init(void *self, struct aloe_setup *setup)
{
	struct file_sink *sink = self;

	sink->item_bytes = aloe_item_bytes(setup->in[0].type);
	return io_open(&sink->file, sink->path, O_WRONLY | O_CREAT | O_TRUNC, setup);
}

static int file_sink_work(void *self, struct aloe_slot *slot)
{
	struct file_sink *sink = self;
	const struct aloe_in *in = &slot->in[0];

	sink->messages += in->state == ALOE_VALID;
	sink->items += in->len;
	sink->absent += in->state == ALOE_ABSENT;
	if (!slot->record)
		return 0;
	slot->record->state = in->state;
	slot->record->len = in->len;
	if (in->len)
		memcpy(slot->record->data, in->data, (size_t)in->len * sink->item_bytes);
	return 0;
}

static int file_sink_drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	struct file_sink *sink = self;

	if (record->state != ALOE_VALID)
		return 0;
	return io_write(
	    &sink->file, sink->path, record->data, (size_t)record->len * sink->item_bytes, setup);
}

static int file_sink_close(void *self, struct aloe_setup *setup)
{
	struct file_sink *sink = self;
	const int synced = sink->file.open ? io_sync(&sink->file, sink->path, setup) : 0;
	const int closed = io_close(&sink->file, sink->path, setup);

	return synced < 0 ? synced : closed;
}

ALOE_COMPONENT(file_sink) = {
    .summary = "messages into a file",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct file_sink),
    .check = file_sink_check,
    .init = file_sink_init,
    .work = file_sink_work,
    .close = file_sink_close,
    .drain = file_sink_drain,
};
