/* SPDX-License-Identifier: BSD-3-Clause
 * pack - bits become words, the most significant first: 16 bits an i16 (two's complement), 8 a
 * byte. The inverse is unpack. A message that is no whole number of words cannot be packed: it is
 * counted and becomes ABSENT. */
#include <aloe/component.h>

#include "core/kernels/bits.h"

struct pack {
	int32_t output;
	uint32_t width; /* bits in a word */
	const struct bits_kernels *kernels;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "bits, most significant first"),
    ALOE_OUT_AS("out", ALOE_I16 | ALOE_BYTE, "output", "words"),
};

static const char *const outputs[] = {"i16", "byte", NULL};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct pack, output, outputs, "i16", 0, "type of the words"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct pack, short_blocks, "", "messages whose length was not a whole number of words"),
};

static uint32_t pack_width(const struct pack *pack)
{
	return pack->output == 0 ? 16 : 8;
}

static int pack_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = setup->in[0].max / pack_width(self);
	return 0;
}

static int pack_init(void *self, struct aloe_setup *setup)
{
	struct pack *pack = self;

	pack->width = pack_width(pack);
	pack->kernels = bits_kernels((enum simd_level)setup->simd);
	return 0;
}

static int pack_work(void *self, struct aloe_slot *slot)
{
	struct pack *pack = self;
	const uint32_t len = aloe_in_len(slot, 0), width = pack->width, words = len / width;
	const uint8_t *in = aloe_in_bit(slot, 0);

	if (!aloe_pass_block(slot, 0, 0, words * width, words, &pack->short_blocks))
		return 0;
	if (width == 16)
		pack->kernels->pack16(in, slot->out[0].data, words);
	else
		pack->kernels->pack8(in, slot->out[0].data, words);
	return 0;
}

ALOE_COMPONENT(pack) = {
    .summary = "bits to words, most significant first",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct pack),
    .kmac = 1,
    .shape = pack_shape,
    .init = pack_init,
    .work = pack_work,
    .stateless = 1,
};
