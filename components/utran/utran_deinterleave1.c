/* SPDX-License-Identifier: BSD-3-Clause
 * utran_deinterleave1 - undo the first interleaver on soft bits, 3GPP TS 25.212 section 4.2.5. */
#include <aloe/component.h>

#include "components/utran/tti.h"

struct deinterleave1 {
	int32_t tti_ms;
	uint32_t frames;
	uint32_t block;
	const struct utran_interleave_kernels *kernels;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "all soft bits of one TTI, radio frame after radio frame"),
    ALOE_OUT("out", ALOE_LLR16, "the same soft bits in their order before utran_interleave1"),
};

static const struct aloe_param params[] = {
    TTI_PARAM_MS(struct deinterleave1),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct deinterleave1, short_blocks, "block", "messages that were not one whole TTI"),
};

static int deinterleave_check(void *self, struct aloe_setup *setup)
{
	return tti_check(((const struct deinterleave1 *)self)->tti_ms, 0, setup);
}

static int deinterleave_shape(void *self, struct aloe_setup *setup)
{
	return tti_shape(((const struct deinterleave1 *)self)->tti_ms, false, setup);
}

static int deinterleave_init(void *self, struct aloe_setup *setup)
{
	struct deinterleave1 *s = self;

	s->frames = utran_tti_frames((uint32_t)s->tti_ms);
	s->block = setup->in[0].max;
	s->kernels = utran_interleave_kernels((enum simd_level)setup->simd);
	return 0;
}

static int deinterleave_work(void *self, struct aloe_slot *slot)
{
	struct deinterleave1 *s = self;

	if (aloe_pass_block(slot, 0, 0, s->block, s->block, &s->short_blocks))
		s->kernels->deinterleave1(
		    aloe_in_llr16(slot, 0), aloe_out_llr16(slot, 0), s->block, s->frames);
	return 0;
}

ALOE_COMPONENT(utran_deinterleave1) = {
    .summary = "undo utran_interleave1 on soft bits",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct deinterleave1),
    .kmac = 1,
    .mix = "copy 1", /* of a TTI of 10 ms */
    .check = deinterleave_check,
    .shape = deinterleave_shape,
    .init = deinterleave_init,
    .work = deinterleave_work,
};
