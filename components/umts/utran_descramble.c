/* SPDX-License-Identifier: BSD-3-Clause
 * utran_descramble - chips times the conjugate of the downlink scrambling code of a cell, 3GPP TS
 * 25.213 sections 5.1 and 5.2.2: chip i of a message times S* over the square root of 2, chip i of
 * the code. The code begins anew with every message, which is a radio frame or the beginning of
 * one. */
#include "components/umts/scrambling.h"

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "chips of a radio frame, from its beginning on"),
    ALOE_OUT("out", ALOE_CF32, "chips without the scrambling, of the same power"),
};

static const struct aloe_param params[] = {
    SCRAMBLING_PARAM(struct scrambling),
};

static int descramble_work(void *self, struct aloe_slot *slot)
{
	const struct scrambling *s = self;
	const uint32_t n = aloe_pass(slot, 0, 0);

	s->kernels->descramble(s->code, aloe_in_cf32(slot, 0), aloe_out_cf32(slot, 0), n);
	return 0;
}

ALOE_COMPONENT(utran_descramble) = {
    .summary = "take the downlink scrambling of a UTRA cell off the chips",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct scrambling),
    .kmac = 15,
    .shape = scrambling_shape,
    .init = scrambling_init,
    .warm = scrambling_warm,
    .work = descramble_work,
    .stateless = 1,
};
