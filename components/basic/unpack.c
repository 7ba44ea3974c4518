/* SPDX-License-Identifier: BSD-3-Clause
 * unpack - a word becomes its bits, the most significant first: 16 bits from an i16 (two's
 * complement), 8 from a byte. The inverse is pack. */
#include <aloe/component.h>

#include "core/kernels/bits.h"

struct unpack {
	uint32_t width; /* bits in an item */
	const struct bits_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_I16 | ALOE_BYTE, "words"),
    ALOE_OUT("out", ALOE_BIT, "bits of the words, most significant first"),
};

static int unpack_shape(void *self __attribute__((unused)), struct aloe_setup *setup)
{
	const uint32_t width = 8 * aloe_item_bytes(setup->in[0].type);

	if (setup->in[0].max > UINT32_MAX / 16)
		return aloe_fail(setup, "%u items are too many to unpack", setup->in[0].max);
	setup->out[0].max = setup->in[0].max * width;
	return 0;
}

static int unpack_init(void *self, struct aloe_setup *setup)
{
	struct unpack *unpack = self;

	unpack->width = 8 * aloe_item_bytes(setup->in[0].type);
	unpack->kernels = bits_kernels((enum simd_level)setup->simd);
	return 0;
}

static int unpack_work(void *self, struct aloe_slot *slot)
{
	const struct unpack *unpack = self;
	const uint32_t n = aloe_in_len(slot, 0);

	slot->out[0].state = slot->in[0].state;
	slot->out[0].len = n * unpack->width;
	if (unpack->width == 16)
		unpack->kernels->unpack16(slot->in[0].data, aloe_out_bit(slot, 0), n);
	else
		unpack->kernels->unpack8(slot->in[0].data, aloe_out_bit(slot, 0), n);
	return 0;
}

ALOE_COMPONENT(unpack) = {
    .summary = "words to bits, most significant first",
    .ports = ALOE_LIST(ports),
    .state_size = sizeof(struct unpack),
    .kmac = 1,
    .shape = unpack_shape,
    .init = unpack_init,
    .work = unpack_work,
    .stateless = 1,
};
