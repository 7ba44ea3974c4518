/* SPDX-License-Identifier: BSD-3-Clause
 * link_reader - what receiving costs: with calls = "copy" every message is copied into memory of
 * the component's own, as a call `read` would; with "zero-copy" it is looked at where it lies.
 * Counts the messages that do not say, in their first 8 bytes, the index at which they are read:
 * link_writer's do. */
#include <aloe/component.h>

enum { INDEX_BYTES = 8 };

struct link_reader {
	int32_t calls; /* 0 copy, 1 zero-copy */
	uint8_t *own;
	uint64_t messages, bytes, wrong;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BYTE, "messages of link_writer"),
};

static const char *const calls[] = {"copy", "zero-copy", NULL};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct link_reader, calls, calls, "copy", 0,
        "copy: copy the message out of the link; zero-copy: read the message in the link"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct link_reader, messages, "", "VALID messages read"),
    ALOE_VAR_U64(struct link_reader, bytes, "", "bytes in the VALID messages"),
    ALOE_VAR_U64(struct link_reader, wrong, "",
        "messages that hold a wrong index, or are too short to hold an index"),
};

static int link_reader_init(void *self, struct aloe_setup *setup)
{
	struct link_reader *reader = self;

	if (reader->calls == 1)
		return 0;
	reader->own = aloe_alloc(setup, setup->in[0].max);
	if (!reader->own)
		return aloe_fail(setup, "no memory for a message of %u bytes", setup->in[0].max);
	return 0;
}

static int link_reader_work(void *self, struct aloe_slot *slot)
{
	struct link_reader *reader = self;
	const uint32_t n = aloe_in_len(slot, 0);
	const uint8_t *message = aloe_in_byte(slot, 0);
	uint64_t index = 0;

	if (!aloe_in_valid(slot, 0))
		return 0;
	if (reader->own)
		message = memcpy(reader->own, message, n);
	for (unsigned i = 0; i < INDEX_BYTES && i < n; i++)
		index |= (uint64_t)message[i] << 8 * i;
	reader->messages++;
	reader->bytes += n;
	reader->wrong += n < INDEX_BYTES || index != slot->index;
	return 0;
}

ALOE_COMPONENT(link_reader) = {
    .summary = "receive messages, by copying or in place, and check their index",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct link_reader),
    .init = link_reader_init,
    .work = link_reader_work,
};
