/* SPDX-License-Identifier: BSD-3-Clause
 * bpsk_demod - hard decision: a sample whose real part is negative is bit 1, any other (NaN too) bit 0. */
#include <aloe/component.h>

struct bpsk_demod {
	uint32_t type;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_I16 | ALOE_CI16 | ALOE_CF32, "one sample a bit"),
    ALOE_OUT("out", ALOE_BIT, "bits"),
};

static int bpsk_demod_init(void *self, struct aloe_setup *setup)
{
	((struct bpsk_demod *)self)->type = setup->in[0].type;
	return 0;
}

static int bpsk_demod_work(void *self, struct aloe_slot *slot)
{
	const uint32_t type = ((const struct bpsk_demod *)self)->type;
	const uint32_t n = aloe_pass(slot, 0, 0);
	uint8_t *out = aloe_out_bit(slot, 0);

	if (type == ALOE_I16)
		for (uint32_t i = 0; i < n; i++)
			out[i] = aloe_in_i16(slot, 0)[i] < 0;
	else if (type == ALOE_CI16)
		for (uint32_t i = 0; i < n; i++)
			out[i] = aloe_in_ci16(slot, 0)[i].re < 0;
	else
		for (uint32_t i = 0; i < n; i++)
			out[i] = crealf(aloe_in_cf32(slot, 0)[i]) < 0;
	return 0;
}

ALOE_COMPONENT(bpsk_demod) = {
    .summary = "BPSK symbols to bits by hard decision",
    .ports = ALOE_LIST(ports),
    .state_size = sizeof(struct bpsk_demod),
    .kmac = 5,
    .init = bpsk_demod_init,
    .work = bpsk_demod_work,
};
