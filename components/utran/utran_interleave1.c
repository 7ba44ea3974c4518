/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave1 - first interleaver, 3GPP TS 25.212 section 4.2.5. */
#include <aloe/component.h>

#include "components/utran/interleave.h"

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT | ALOE_BYTE, "all bits of one TTI"),
    ALOE_OUT("out", ALOE_BIT | ALOE_BYTE, "the same bits, radio frame after radio frame"),
};

static const struct aloe_param params[] = {
    TTI_PARAM_MS(struct interleave),
};

static const struct aloe_var vars[] = {
    INTERLEAVE_VARS("TTI"),
};

static int interleave_work(void *self, struct aloe_slot *slot)
{
	struct interleave *s = self;

	if (interleave_pass(s, slot))
		s->kernels->interleave1(
		    aloe_in_bit(slot, 0), aloe_out_bit(slot, 0), s->block, s->frames);
	return 0;
}

static void block_warm(const void *self, struct aloe_warm *warm)
{
	aloe_warm_code(
	    warm, (uintptr_t)((const struct interleave *)self)->kernels->interleave1, 2048);
}

ALOE_COMPONENT(utran_interleave1) = {
    .summary = "first interleaver of UTRAN: spread a TTI over its radio frames",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct interleave),
    .kmac = 1,
    .mix = "copy 1", /* of a TTI of 10 ms */
    .check = interleave1_check,
    .shape = interleave1_shape,
    .init = interleave_init,
    .work = interleave_work,
    .stateless = 1,
    .warm = block_warm,
};
