/* SPDX-License-Identifier: BSD-3-Clause
 * utran_deinterleave1 - undo the first interleaver on soft bits, 3GPP TS 25.212 section 4.2.5. */
#include <aloe/component.h>

#include "components/utran/interleave.h"

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "all soft bits of one TTI, radio frame after radio frame"),
    ALOE_OUT("out", ALOE_LLR16, "the same soft bits in their order before utran_interleave1"),
};

static const struct aloe_param params[] = {
    TTI_PARAM_MS(struct interleave),
};

static const struct aloe_var vars[] = {
    INTERLEAVE_VARS("TTI"),
};

static int deinterleave_work(void *self, struct aloe_slot *slot)
{
	struct interleave *s = self;

	if (interleave_pass(s, slot))
		s->kernels->deinterleave1(
		    aloe_in_llr16(slot, 0), aloe_out_llr16(slot, 0), s->block, s->frames);
	return 0;
}

static void block_warm(const void *self, struct aloe_warm *warm)
{
	aloe_warm_code(
	    warm, (uintptr_t)((const struct interleave *)self)->kernels->deinterleave1, 2048);
}

ALOE_COMPONENT(utran_deinterleave1) = {
    .summary = "undo utran_interleave1 on soft bits",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct interleave),
    .kmac = 1,
    .mix = "copy 1", /* of a TTI of 10 ms */
    .check = interleave1_check,
    .shape = interleave1_shape,
    .init = interleave_init,
    .work = deinterleave_work,
    .stateless = 1,
    .warm = block_warm,
};
