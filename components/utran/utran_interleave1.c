/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave1 - first interleaver, 3GPP TS 25.212 section 4.2.5. */
#include <aloe/component.h>

#include "components/utran/tti.h"

struct interleave1 {
	int32_t tti_ms;
	uint32_t frames;
	uint32_t block;
	const struct utran_interleave_kernels *kernels;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT | ALOE_BYTE, "all bits of one TTI"),
    ALOE_OUT("out", ALOE_BIT | ALOE_BYTE, "the same bits, radio frame after radio frame"),
};

static const struct aloe_param params[] = {
    TTI_PARAM_MS(struct interleave1),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct interleave1, short_blocks, "block", "messages that were not one whole TTI"),
};

static int interleave_check(void *self, struct aloe_setup *setup)
{
	return tti_check(((const struct interleave1 *)self)->tti_ms, 0, setup);
}

static int interleave_shape(void *self, struct aloe_setup *setup)
{
	return tti_shape(((const struct interleave1 *)self)->tti_ms, false, setup);
}

static int interleave_init(void *self, struct aloe_setup *setup)
{
	struct interleave1 *s = self;

	s->frames = utran_tti_frames((uint32_t)s->tti_ms);
	s->block = setup->in[0].max;
	s->kernels = utran_interleave_kernels((enum simd_level)setup->simd);
	return 0;
}

static int interleave_work(void *self, struct aloe_slot *slot)
{
	struct interleave1 *s = self;

	if (aloe_pass_block(slot, 0, 0, s->block, s->block, &s->short_blocks))
		s->kernels->interleave1(
		    aloe_in_bit(slot, 0), aloe_out_bit(slot, 0), s->block, s->frames);
	return 0;
}

ALOE_COMPONENT(utran_interleave1) = {
    .summary = "first interleaver of UTRAN: spread a TTI over its radio frames",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct interleave1),
    .kmac = 1,
    .mix = "copy 1", /* of a TTI of 10 ms */
    .check = interleave_check,
    .shape = interleave_shape,
    .init = interleave_init,
    .work = interleave_work,
};
