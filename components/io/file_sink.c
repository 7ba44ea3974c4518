/* SPDX-License-Identifier: BSD-3-Clause
 * file_sink - the items of every VALID message, one after another, into a file: bits one per byte,
 * numbers in host order, complex ones as re, im; nothing for ABSENT and IDLE. The file is
 * rewritten, and synced to the disk at the end. A FIFO is waited for, for its reader and until it
 * takes more. `-` is standard output of `aloe run`, which makes a FIFO for it.
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
	size_t begun;   /* bytes of the message that a FIFO has taken so far */
	uint64_t taken; /* VALID messages that are in the file */
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct file_sink, path, NULL, ALOE_REQUIRED,
        "file or FIFO to write, or - (standard output of aloe run)"),
    IO_PARAM_BUFFER_MS(struct file_sink),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct file_sink, messages, "", "VALID messages taken"),
    ALOE_VAR_U64(struct file_sink, items, "", "items in the VALID messages"),
    ALOE_VAR_U64(struct file_sink, absent, "", "ABSENT messages, warm-up included"),
};

static int file_sink_check(void *self, struct aloe_setup *setup)
{
	const char *path = ((const struct file_sink *)self)->path;

	return io_is_standard(path) ? 0 : io_check_writable(path, setup);
}

/* A FIFO that nobody reads cannot be opened yet: ALOE_IO_LATER. */
static int sink_open(struct file_sink *sink, struct aloe_setup *setup)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK;
	int status = 0;

	if (!sink->file.open)
		status = io_open(&sink->file, sink->path, flags, setup);
	if (status != -ENXIO || !sink->file.fifo)
		return status;
	setup->error[0] = 0;
	return ALOE_IO_LATER;
}

static int file_sink_init(void *self, struct aloe_setup *setup)
{
	struct file_sink *sink = self;

	sink->item_bytes = aloe_item_bytes(setup->in[0].type);
	if (io_is_standard(sink->path))
		return aloe_fail(setup,
		    "path - is standard output of `aloe run`, and here is none; give a file or a "
		    "FIFO");
	return sink_open(sink, setup) < 0 ? -1 : 0;
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
	const size_t size = (size_t)record->len * sink->item_bytes;
	uint64_t before;
	int status = sink_open(sink, setup);

	if (status != 0 || record->state != ALOE_VALID)
		return status;
	before = sink->file.offset;
	status = io_write(&sink->file, sink->path, (const char *)record->data + sink->begun,
	    size - sink->begun, setup);
	sink->begun =
	    status == ALOE_IO_LATER ? sink->begun + (size_t)(sink->file.offset - before) : 0;
	sink->taken += status == 0;
	return status;
}

static int file_sink_close(void *self, struct aloe_setup *setup)
{
	struct file_sink *sink = self;
	const int synced = sink->file.open ? io_sync(&sink->file, sink->path, setup) : 0;
	const int closed = io_close(&sink->file, sink->path, setup);

	if (sink->file.fifo && sink->taken < sink->messages)
		aloe_note(setup,
		    "%s: the last %llu of %llu messages are lost, as no reader took them",
		    sink->path, (unsigned long long)(sink->messages - sink->taken),
		    (unsigned long long)sink->messages);
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
