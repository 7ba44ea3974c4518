/* SPDX-License-Identifier: BSD-3-Clause
 * bpsk_demod - hard decision: a sample whose real part is negative is bit 1, any other (NaN too)
 * bit 0. */
#include <aloe/component.h>

#include "core/kernels/soft.h"

struct bpsk_demod {
	uint32_t type;
	const struct soft_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_I16 | ALOE_CI16 | ALOE_CF32, "one sample a bit"),
    ALOE_OUT("out", ALOE_BIT, "bits"),
};

static int bpsk_demod_init(void *self, struct aloe_setup *setup)
{
	struct bpsk_demod *demod = self;

	demod->type = setup->in[0].type;
	demod->kernels = soft_kernels((enum simd_level)setup->simd);
	return 0;
}

static int bpsk_demod_work(void *self, struct aloe_slot *slot)
{
	const struct bpsk_demod *demod = self;
	const uint32_t n = aloe_pass(slot, 0, 0);
	uint8_t *out = aloe_out_bit(slot, 0);

	if (demod->type == ALOE_I16)
		demod->kernels->hard_i16(slot->in[0].data, out, n);
	else if (demod->type == ALOE_CI16)
		demod->kernels->hard_re_i16(slot->in[0].data, out, n);
	else
		demod->kernels->hard_re_f32(slot->in[0].data, out, n);
	return 0;
}

ALOE_COMPONENT(bpsk_demod) = {
    .summary = "BPSK symbols to bits by hard decision",
    .ports = ALOE_LIST(ports),
    .state_size = sizeof(struct bpsk_demod),
    .kmac = 2,
    .init = bpsk_demod_init,
    .work = bpsk_demod_work,
    .stateless = 1,
};
