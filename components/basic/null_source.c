/* SPDX-License-Identifier: BSD-3-Clause
 * null_source - items that hold nothing, or their own number: for what moves data and does not look
 * at them.
 *
 * 	content = "zeros"	every byte is 0
 *         content = "numbers"     item i of the run holds i, the least significant byte first, as
 *                                 many bytes as the item has: a lost, repeated or swapped item is
 *                                 found by number_check. Bits of a number, not its value: what
 *                                 computes with floats cannot use them. */
#include <aloe/component.h>

#include "core/kernels/move.h"

struct null_source {
	int32_t type;
	int32_t content;
	uint32_t length;
	uint32_t item_bytes;
	const struct move_kernels *kernels;
};

enum { ZEROS, NUMBERS };

static const struct aloe_port ports[] = {
    ALOE_OUT_AS("out", ALOE_BYTE | ALOE_I16 | ALOE_F32 | ALOE_CF32, "type", "zeros, or numbers"),
};

static const char *const types[] = {"byte", "i16", "f32", "cf32", NULL};
static const char *const contents[] = {"zeros", "numbers", NULL};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct null_source, type, types, "f32", 0, "type of the items"),
    ALOE_PARAM_ENUM(struct null_source, content, contents, "zeros", 0, "content of the items"),
    ALOE_PARAM_INT(
        struct null_source, length, 1000, 1, 1 << 24, "items", 0, "items in each message"),
};

static int null_source_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct null_source *)self)->length;
	return 0;
}

static int null_source_init(void *self, struct aloe_setup *setup)
{
	struct null_source *source = self;

	source->item_bytes = aloe_item_bytes(setup->out[0].type);
	source->kernels = move_kernels((enum simd_level)setup->simd);
	return 0;
}

static void fill_numbers(uint8_t *out, uint64_t first, uint32_t n, uint32_t item_bytes)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t b = 0; b < item_bytes; b++)
			out[(size_t)i * item_bytes + b] = (uint8_t)((first + i) >> 8 * b);
}

static int null_source_work(void *self, struct aloe_slot *slot)
{
	const struct null_source *source = self;

	if (source->content == NUMBERS)
		fill_numbers(slot->out[0].data, slot->index * source->length, source->length,
		    source->item_bytes);
	else
		source->kernels->clear(
		    slot->out[0].data, (size_t)source->length * source->item_bytes);
	aloe_put(slot, 0, source->length);
	return 0;
}

ALOE_COMPONENT(null_source) = {
    .summary = "zeros, or items that hold their own number",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct null_source),
    .kmac = 1,
    .shape = null_source_shape,
    .init = null_source_init,
    .work = null_source_work,
    .stateless = 1,
};
