/* SPDX-License-Identifier: BSD-3-Clause
 * utran_deinterleave2 - undo the second interleaver on soft bits, 3GPP TS 25.212 section 4.2.11. */
#include <aloe/component.h>

#include "core/kernels/utran_interleave.h"

struct deinterleave2 {
	uint32_t block;
	const struct utran_interleave_kernels *kernels;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "all soft bits of one radio frame on one physical channel"),
    ALOE_OUT("out", ALOE_LLR16, "the same soft bits in their order before utran_interleave2"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct deinterleave2, short_blocks, "block",
        "messages that were not one whole radio frame"),
};

static int deinterleave_init(void *self, struct aloe_setup *setup)
{
	struct deinterleave2 *s = self;

	s->block = setup->in[0].max;
	s->kernels = utran_interleave_kernels((enum simd_level)setup->simd);
	return 0;
}

static int deinterleave_work(void *self, struct aloe_slot *slot)
{
	struct deinterleave2 *s = self;

	if (aloe_pass_block(slot, 0, 0, s->block, s->block, &s->short_blocks))
		s->kernels->deinterleave2(
		    aloe_in_llr16(slot, 0), aloe_out_llr16(slot, 0), s->block);
	return 0;
}

ALOE_COMPONENT(utran_deinterleave2) = {
    .summary = "undo utran_interleave2 on soft bits",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct deinterleave2),
    .kmac = 1,
    .mix = "transpose16 1",
    .init = deinterleave_init,
    .work = deinterleave_work,
};
