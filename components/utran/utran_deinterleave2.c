/* SPDX-License-Identifier: BSD-3-Clause
 * utran_deinterleave2 - undo the second interleaver on soft bits, 3GPP TS 25.212 section 4.2.11. */
#include <aloe/component.h>

#include "components/utran/interleave.h"

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "all soft bits of one radio frame on one physical channel"),
    ALOE_OUT("out", ALOE_LLR16, "the same soft bits in their order before utran_interleave2"),
};

static const struct aloe_var vars[] = {
    INTERLEAVE_VARS("radio frame"),
};

static int deinterleave_work(void *self, struct aloe_slot *slot)
{
	struct interleave *s = self;

	if (interleave_pass(s, slot))
		s->kernels->deinterleave2(
		    aloe_in_llr16(slot, 0), aloe_out_llr16(slot, 0), s->block);
	return 0;
}

static void block_warm(const void *self, struct aloe_warm *warm)
{
	aloe_warm_code(
	    warm, (uintptr_t)((const struct interleave *)self)->kernels->deinterleave2, 2048);
}

ALOE_COMPONENT(utran_deinterleave2) = {
    .summary = "undo utran_interleave2 on soft bits",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct interleave),
    .kmac = 1,
    .mix = "transpose16 1",
    .init = interleave_init,
    .work = deinterleave_work,
    .stateless = 1,
    .warm = block_warm,
};
