/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave2 - second interleaver, 3GPP TS 25.212 section 4.2.11. */
#include <aloe/component.h>

#include "core/kernels/utran_interleave.h"

struct interleave2 {
	uint32_t block;
	const struct utran_interleave_kernels *kernels;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT | ALOE_BYTE, "all bits of one radio frame on one physical channel"),
    ALOE_OUT("out", ALOE_BIT | ALOE_BYTE, "the same bits, spread over the frame"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct interleave2, short_blocks, "block", "messages that were not one whole radio frame"),
};

static int interleave_init(void *self, struct aloe_setup *setup)
{
	struct interleave2 *s = self;

	s->block = setup->in[0].max;
	s->kernels = utran_interleave_kernels((enum simd_level)setup->simd);
	return 0;
}

static int interleave_work(void *self, struct aloe_slot *slot)
{
	struct interleave2 *s = self;

	if (aloe_pass_block(slot, 0, 0, s->block, s->block, &s->short_blocks))
		s->kernels->interleave2(aloe_in_bit(slot, 0), aloe_out_bit(slot, 0), s->block);
	return 0;
}

ALOE_COMPONENT(utran_interleave2) = {
    .summary = "second interleaver of UTRAN: spread a radio frame over its slots",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct interleave2),
    .kmac = 1,
    .mix = "transpose8 1",
    .init = interleave_init,
    .work = interleave_work,
};
