/* SPDX-License-Identifier: BSD-3-Clause
 * file_source - a file of items, `length` of them in each message: bits one per byte, numbers in
 * host order, complex ones as re, im. The end of the file ends the run; the last message may be
 * short and keeps its length. With `loop` the file follows itself without a seam, and all messages
 * are whole.
 *
 * A FIFO is waited for, without holding up anybody: for its writer, and for each message. It ends
 * when its writer closes it. A message is given when it is known whether another one follows, so
 * that the run has the messages that a file of the same bytes has. `-` is standard input of `aloe
 * run`, which makes a FIFO for it. */
#include <aloe/component.h>

#include "components/io/io.h"

struct file_source {
	char path[IO_PATH_MAX];
	int32_t type;
	uint32_t length;
	bool loop;
	uint32_t buffer_ms;
	struct io_file file;
	size_t begun; /* bytes of the message that a FIFO has brought so far */
	bool asked;
};

static const struct aloe_port ports[] = {
    ALOE_OUT_AS("out", ALOE_ANY, "type", "items of the file"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct file_source, path, NULL, ALOE_REQUIRED,
        "file or FIFO to read, or - (standard input of aloe run)"),
    ALOE_PARAM_ENUM(struct file_source, type, io_types, "byte", 0, "type of the items in the file"),
    ALOE_PARAM_INT(
        struct file_source, length, 0, 1, 1 << 24, "items", ALOE_REQUIRED, "items in each message"),
    ALOE_PARAM_BOOL(struct file_source, loop, false, 0, "begin again at the end of the file"),
    IO_PARAM_BUFFER_MS(struct file_source),
};

static uint32_t item_bytes(const struct file_source *source)
{
	const uint32_t bytes = aloe_item_bytes(1u << source->type);

	return bytes ? bytes : 1; /* every name of io_types has a size */
}

static int file_source_check(void *self, struct aloe_setup *setup)
{
	const struct file_source *source = self;
	uint64_t size = 0;

	if (io_is_standard(source->path))
		return source->loop ? aloe_fail(setup, "standard input (path -) cannot be looped")
		                    : 0;
	if (io_check_readable(source->path, setup, &size) < 0)
		return -1;
	if (size % item_bytes(source))
		return aloe_fail(setup,
		    "%s has the length %llu, which is not a whole number of %s items (%u bytes "
		    "each)",
		    source->path, (unsigned long long)size, io_types[source->type],
		    item_bytes(source));
	if (source->loop && size == 0)
		return aloe_fail(setup, "%s: only a regular file can be looped", source->path);
	return 0;
}

static int file_source_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct file_source *)self)->length;
	return 0;
}

static int file_source_init(void *self, struct aloe_setup *setup)
{
	struct file_source *source = self;

	if (io_is_standard(source->path))
		return aloe_fail(setup,
		    "path - is standard input of `aloe run`, and here is none; give a file or a "
		    "FIFO");
	return io_open(&source->file, source->path, O_RDONLY | O_NONBLOCK, setup);
}

/* A file made by somebody else may hold anything; a bit that is not 0 or 1 would spread through
 * every table below. */
static int check_bits(
    const struct file_source *source, const uint8_t *bits, size_t len, struct aloe_setup *setup)
{
	const unsigned long long begin = source->file.offset - len;

	for (size_t i = 0; i < len; i++)
		if (bits[i] > 1)
			return aloe_fail(setup, "%s: byte %u at offset %llu is no bit (0 or 1)",
			    source->path, bits[i], begin + i);
	return 0;
}

/* read_items reads up to `want` bytes, from the beginning again if looping; the number read, or
 * negative. */
static ssize_t read_items(
    struct file_source *source, uint8_t *data, size_t want, struct aloe_setup *setup)
{
	size_t done = 0;

	for (;;) {
		const ssize_t n =
		    io_read(&source->file, source->path, data + done, want - done, setup);
		if (n < 0)
			return -1;
		if (source->type == 0 && check_bits(source, data + done, (size_t)n, setup) < 0)
			return -1;
		done += (size_t)n;
		if (done == want || !source->loop)
			return (ssize_t)done;
		if (source->file.offset == 0)
			return aloe_fail(
			    setup, "%s became empty while the file was read", source->path);
		if (lseek(source->file.fd, 0, SEEK_SET) < 0)
			return aloe_fail(setup, "%s cannot be read from the beginning again: %s",
			    source->path, strerror(errno));
		source->file.offset = 0;
	}
}

/* message_read brings a message, or what is left of the file: how many bytes it has, negative after
 * aloe_fail, or IO_NOT_YET in *ret_more. */
static ssize_t message_read(struct file_source *source, uint8_t *data, size_t size,
    struct aloe_setup *setup, enum io_more *ret_more)
{
	do {
		const ssize_t n =
		    read_items(source, data + source->begun, size - source->begun, setup);

		if (n < 0)
			return -1;
		source->begun += (size_t)n;
		*ret_more = io_more(&source->file);
	} while (source->file.fifo && *ret_more == IO_MORE && source->begun < size);
	return (ssize_t)source->begun;
}

static int file_source_fill(void *self, struct aloe_record *record, struct aloe_setup *setup)
{
	struct file_source *source = self;
	const size_t bytes = item_bytes(source);
	enum io_more more;
	ssize_t n;

	if (source->file.fifo && !source->asked) { /* an empty FIFO is no error, however early */
		source->asked = true;
		return ALOE_IO_LATER;
	}
	n = message_read(source, record->data, source->length * bytes, setup, &more);
	if (n < 0)
		return -1;
	if (more == IO_NOT_YET)
		return ALOE_IO_LATER;
	source->begun = 0;
	if ((size_t)n % bytes)
		return aloe_fail(setup, "%s ends at offset %llu, inside an item of %zu bytes",
		    source->path, (unsigned long long)source->file.offset, bytes);
	if (n == 0)
		return ALOE_FILL_END;
	record->len = (uint32_t)((size_t)n / bytes);
	record->state = ALOE_VALID;
	return 0;
}

static int file_source_close(void *self, struct aloe_setup *setup)
{
	struct file_source *source = self;

	return io_close(&source->file, source->path, setup);
}

ALOE_COMPONENT(file_source) = {
    .summary = "messages from a file",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct file_source),
    .check = file_source_check,
    .shape = file_source_shape,
    .init = file_source_init,
    .close = file_source_close,
    .fill = file_source_fill,
};
