/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_encoder - turbo code of rate 1/3, 3GPP TS 25.212 section 4.2.3.2. */
#include <aloe/component.h>

#include "core/kernels/utran_turbo.h"

struct turbo_encoder {
	uint32_t block;
	uint16_t *pi;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "one code block of K = 40 to 5114 bits"),
    ALOE_OUT("out", ALOE_BIT, "3K + 12 coded bits"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct turbo_encoder, short_blocks, "block", "messages that were not one whole block"),
};

static int encoder_shape(void *self, struct aloe_setup *setup)
{
	const uint32_t block = setup->in[0].max;

	(void)self;
	if (block < UTRAN_TURBO_K_MIN || block > UTRAN_TURBO_K_MAX)
		return aloe_fail(setup, "block %u is outside [%d, %d]", block, UTRAN_TURBO_K_MIN, UTRAN_TURBO_K_MAX);
	setup->out[0].max = utran_turbo_coded(block);
	return 0;
}

static int encoder_init(void *self, struct aloe_setup *setup)
{
	struct turbo_encoder *s = self;

	s->block = setup->in[0].max;
	s->pi = aloe_alloc(setup, s->block * sizeof(*s->pi));
	if (!s->pi)
		return aloe_fail(setup, "no memory for a block of %u bits", s->block);
	return utran_turbo_interleaver(s->block, s->pi);
}

static int encoder_work(void *self, struct aloe_slot *slot)
{
	struct turbo_encoder *s = self;

	if (aloe_pass_block(slot, 0, 0, s->block, utran_turbo_coded(s->block), &s->short_blocks))
		utran_turbo_encode_plain(s->pi, s->block, aloe_in_bit(slot, 0), aloe_out_bit(slot, 0));
	return 0;
}

ALOE_COMPONENT(utran_turbo_encoder) = {
    .summary = "UTRAN turbo coder, rate 1/3: K bits to 3K + 12",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct turbo_encoder),
    .kmac = 9,
    .shape = encoder_shape,
    .init = encoder_init,
    .work = encoder_work,
};
