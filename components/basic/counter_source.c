/* SPDX-License-Identifier: BSD-3-Clause
 * counter_source - each message says which index it belongs to: the 64-bit index as four i16 words,
 * the least significant first, repeated to the length of the message. With the default length of 4,
 * what a file_sink writes on a little-endian machine is one uint64 per slot: a gap, a repetition or
 * a swap is seen with one subtraction. */
#include <aloe/component.h>

struct counter_source {
	uint32_t length;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_I16, "index of the message, in words of 16 bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(
        struct counter_source, length, 4, 1, 1 << 24, "items", 0, "words in each message"),
};

static int counter_source_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct counter_source *)self)->length;
	return 0;
}

static int counter_source_work(void *self, struct aloe_slot *slot)
{
	const uint32_t length = ((const struct counter_source *)self)->length;
	int16_t *out = aloe_out_i16(slot, 0);

	for (uint32_t i = 0; i < length; i++)
		out[i] = (int16_t)(uint16_t)(slot->index >> 16 * (i % 4));
	aloe_put(slot, 0, length);
	return 0;
}

ALOE_COMPONENT(counter_source) = {
    .summary = "messages that carry their own index",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct counter_source),
    .shape = counter_source_shape,
    .work = counter_source_work,
    .stateless = 1,
};
