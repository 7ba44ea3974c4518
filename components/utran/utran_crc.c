/* SPDX-License-Identifier: BSD-3-Clause
 * utran_crc - append the CRC to each transport block of a TTI, 3GPP TS 25.212 section 4.2.1, and
 * concatenate them (4.2.2.1). A message of no items is a TTI of transport blocks of size 0, which
 * have their parity too, all zero; a TTI without a transport block is no message (IDLE) and gets
 * none. */
#include <aloe/component.h>

#include "core/kernels/utran_crc.h"

struct utran_crc_state {
	int32_t size;
	int32_t tti_blocks;
	uint32_t block; /* bits of one, without parity */
	struct utran_crc crc;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "the transport blocks of one TTI, one after the other"),
    ALOE_OUT("out", ALOE_BIT,
        "each block followed by its parity, in reverse order as the standard wants it"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(
        struct utran_crc_state, size, 16, 8, 24, "bit", 0, "parity bits: 8, 12, 16 or 24"),
    ALOE_PARAM_INT(struct utran_crc_state, tti_blocks, 1, 1, 256, "block", 0,
        "transport blocks in a TTI, of one size"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct utran_crc_state, short_blocks, "block",
        "messages that were not all blocks of a TTI"),
};

static int crc_check(void *self, struct aloe_setup *setup)
{
	struct utran_crc crc;
	const int32_t size = ((const struct utran_crc_state *)self)->size;

	if (utran_crc_init(&crc, (uint32_t)size) < 0)
		return aloe_fail(setup, "size %d is not 8, 12, 16 or 24", size);
	return 0;
}

static int crc_shape(void *self, struct aloe_setup *setup)
{
	const struct utran_crc_state *s = self;

	if (setup->in[0].max % (uint32_t)s->tti_blocks)
		return aloe_fail(setup, "input of %u bits is not %d transport blocks of one size",
		    setup->in[0].max, s->tti_blocks);
	setup->out[0].max = setup->in[0].max + (uint32_t)(s->tti_blocks * s->size);
	return 0;
}

static int crc_init(void *self, struct aloe_setup *setup)
{
	struct utran_crc_state *s = self;

	s->block = setup->in[0].max / (uint32_t)s->tti_blocks;
	utran_crc_init(&s->crc, (uint32_t)s->size);
	utran_crc_use(&s->crc, (enum simd_level)setup->simd);
	return 0;
}

static int crc_work(void *self, struct aloe_slot *slot)
{
	struct utran_crc_state *s = self;
	const uint32_t blocks = (uint32_t)s->tti_blocks,
	               block = aloe_in_len(slot, 0) ? s->block : 0;
	const uint8_t *in = aloe_in_bit(slot, 0);
	uint8_t *out = aloe_out_bit(slot, 0);

	if (!aloe_pass_block(
	        slot, 0, 0, blocks * block, blocks * (block + s->crc.size), &s->short_blocks))
		return 0;
	for (uint32_t i = 0; i < blocks; i++) {
		if (block)
			memcpy(out, in, block);
		utran_crc_attach(&s->crc, out, block, out + block);
		in += block;
		out += block + s->crc.size;
	}
	return 0;
}

static void crc_warm(const void *self, struct aloe_warm *warm)
{
	const struct utran_crc_state *s = self;

	aloe_warm_code(warm, (uintptr_t)s->crc.state, 512);
	aloe_warm(warm, &s->crc, sizeof(s->crc));
}

ALOE_COMPONENT(utran_crc) = {
    .summary = "append the CRC to UTRAN transport blocks",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct utran_crc_state),
    .kmac = 1,
    .mix = "bits 1, copy 1",
    .check = crc_check,
    .shape = crc_shape,
    .init = crc_init,
    .work = crc_work,
    .stateless = 1,
    .warm = crc_warm,
};
