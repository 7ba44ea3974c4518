/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave2 - second interleaver, 3GPP TS 25.212 section 4.2.11. */
#include <aloe/component.h>

#include "components/utran/interleave.h"

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT | ALOE_BYTE, "all bits of one radio frame on one physical channel"),
    ALOE_OUT("out", ALOE_BIT | ALOE_BYTE, "the same bits, spread over the frame"),
};

static const struct aloe_var vars[] = {
    INTERLEAVE_VARS("radio frame"),
};

static int interleave_work(void *self, struct aloe_slot *slot)
{
	struct interleave *s = self;

	if (interleave_pass(s, slot))
		s->kernels->interleave2(aloe_in_bit(slot, 0), aloe_out_bit(slot, 0), s->block);
	return 0;
}

static void block_warm(const void *self, struct aloe_warm *warm)
{
	aloe_warm_code(
	    warm, (uintptr_t)((const struct interleave *)self)->kernels->interleave2, 2048);
}

ALOE_COMPONENT(utran_interleave2) = {
    .summary = "second interleaver of UTRAN: spread a radio frame over its slots",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct interleave),
    .kmac = 1,
    .mix = "transpose8 1",
    .init = interleave_init,
    .work = interleave_work,
    .stateless = 1,
    .warm = block_warm,
};
