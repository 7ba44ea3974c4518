/* SPDX-License-Identifier: BSD-3-Clause
 * link_writer - what sending costs: a message in every slot that says which index it belongs to in
 * its first 8 bytes, the least significant first. With calls = "copy" the component makes it in
 * memory of its own and copies the whole of it into the link, as a call `write` would; with
 * "zero-copy" it writes its 8 bytes where the reader will find them and leaves the others as they
 * are. link_reader is the other end. */
#include <aloe/component.h>

enum { INDEX_BYTES = 8 };

struct link_writer {
	uint32_t length;
	int32_t calls; /* 0 copy, 1 zero-copy */
	uint8_t *own;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_BYTE, "the message"),
};

static const char *const calls[] = {"copy", "zero-copy", NULL};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct link_writer, length, 12500, INDEX_BYTES, 1 << 24, "items", 0,
        "bytes in each message"),
    ALOE_PARAM_ENUM(struct link_writer, calls, calls, "copy", 0,
        "copy: copy the message into the link; zero-copy: make the message in the link"),
};

static int link_writer_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct link_writer *)self)->length;
	return 0;
}

static int link_writer_init(void *self, struct aloe_setup *setup)
{
	struct link_writer *writer = self;

	if (writer->calls == 1)
		return 0;
	writer->own = aloe_alloc(setup, writer->length);
	if (!writer->own)
		return aloe_fail(setup, "no memory for a message of %u bytes", writer->length);
	return 0;
}

static int link_writer_work(void *self, struct aloe_slot *slot)
{
	const struct link_writer *writer = self;
	uint8_t *out = aloe_out_byte(slot, 0), *message = writer->own ? writer->own : out;

	for (int i = 0; i < INDEX_BYTES; i++)
		message[i] = (uint8_t)(slot->index >> 8 * i);
	if (writer->own)
		memcpy(out, writer->own, writer->length);
	aloe_put(slot, 0, writer->length);
	return 0;
}

ALOE_COMPONENT(link_writer) = {
    .summary = "send a message in every slot, by copying or in place",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct link_writer),
    .shape = link_writer_shape,
    .init = link_writer_init,
    .work = link_writer_work,
};
