/* SPDX-License-Identifier: BSD-3-Clause
 * utran_crc - append the CRC to a transport block, 3GPP TS 25.212 section 4.2.1. */
#include <aloe/component.h>

#include "core/kernels/utran_crc.h"

struct utran_crc_state {
	int32_t size;
	uint32_t block;
	struct utran_crc crc;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "one transport block"),
    ALOE_OUT("out", ALOE_BIT, "the block and its parity, in reverse order as the standard wants it"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct utran_crc_state, size, 16, 8, 24, "bit", 0, "parity bits: 8, 12, 16 or 24"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct utran_crc_state, short_blocks, "block", "messages that were not one whole block"),
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
	setup->out[0].max = setup->in[0].max + (uint32_t)((const struct utran_crc_state *)self)->size;
	return 0;
}

static int crc_init(void *self, struct aloe_setup *setup)
{
	struct utran_crc_state *s = self;

	s->block = setup->in[0].max;
	return utran_crc_init(&s->crc, (uint32_t)s->size);
}

static int crc_work(void *self, struct aloe_slot *slot)
{
	struct utran_crc_state *s = self;
	uint8_t *out = aloe_out_bit(slot, 0);

	if (!aloe_pass_block(slot, 0, 0, s->block, s->block + s->crc.size, &s->short_blocks))
		return 0;
	memcpy(out, aloe_in_bit(slot, 0), s->block);
	utran_crc_attach(&s->crc, out, s->block, out + s->block);
	return 0;
}

ALOE_COMPONENT(utran_crc) = {
    .summary = "append the CRC to a UTRAN transport block",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct utran_crc_state),
    .kmac = 2,
    .check = crc_check,
    .shape = crc_shape,
    .init = crc_init,
    .work = crc_work,
};
