/* SPDX-License-Identifier: BSD-3-Clause
 * bpsk_soft_demod - soft decision: the real part, as a 16-bit soft bit, positive = bit 0.
 *
 * A sample of exactly +amplitude becomes +scale. Rounded to nearest, halves to even, and limited to
 * +-32767; NaN says nothing and becomes 0. For noise of variance s2 per dimension the true
 * log-likelihood ratio is 2 amplitude / s2 times the sample; a max-log decoder does not mind the
 * factor, so `scale` only chooses the resolution. */
#include <aloe/component.h>

#include "components/modem/bpsk.h"
#include "core/kernels/soft.h"

struct bpsk_soft_demod {
	double scale;
	double amplitude;
	uint32_t type;
	const struct soft_kernels *kernels;
	float unit; /* one sample of `amplitude` times this is 1 */
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_I16 | ALOE_CI16 | ALOE_F32 | ALOE_CF32, "one sample a bit"),
    ALOE_OUT("out", ALOE_LLR16, "soft bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct bpsk_soft_demod, scale, 16, 1e-3, 32767, "", ALOE_LIVE,
        "soft bit of a sample of +amplitude; the turbo decoder loses 0 dB at 8 and more, 0.05 at "
        "4, 0.2 at 2, over 0.6 at 1 (aloe bench bler --set soft.scale=4)"),
    ALOE_PARAM_REAL(struct bpsk_soft_demod, amplitude, ALOE_NAN, 1e-6, 32767, "", 0,
        "amplitude of a sample without noise; if not set, 1 for f32 and cf32, 8192 for i16 and "
        "ci16"),
};

static int bpsk_soft_demod_check(void *self, struct aloe_setup *setup)
{
	return bpsk_amplitude_check(
	    ((const struct bpsk_soft_demod *)self)->amplitude, setup->in[0].type, setup);
}

static int bpsk_soft_demod_init(void *self, struct aloe_setup *setup)
{
	struct bpsk_soft_demod *demod = self;

	demod->type = setup->in[0].type;
	demod->kernels = soft_kernels((enum simd_level)setup->simd);
	demod->unit = 1 / bpsk_amplitude(demod->amplitude, demod->type);
	return 0;
}

static int bpsk_soft_demod_work(void *self, struct aloe_slot *slot)
{
	const struct bpsk_soft_demod *demod = self;
	const float factor = (float)demod->scale * demod->unit;
	const uint32_t n = aloe_pass(slot, 0, 0);
	int16_t *out = aloe_out_llr16(slot, 0);

	if (demod->type == ALOE_I16)
		demod->kernels->soft_i16(slot->in[0].data, factor, out, n);
	else if (demod->type == ALOE_CI16)
		demod->kernels->soft_re_i16(slot->in[0].data, factor, out, n);
	else if (demod->type == ALOE_F32)
		demod->kernels->soft_f32(slot->in[0].data, factor, out, n);
	else
		demod->kernels->soft_re_f32(slot->in[0].data, factor, out, n);
	return 0;
}

ALOE_COMPONENT(bpsk_soft_demod) = {
    .summary = "BPSK symbols to soft bits",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct bpsk_soft_demod),
    .kmac = 3,
    .check = bpsk_soft_demod_check,
    .init = bpsk_soft_demod_init,
    .work = bpsk_soft_demod_work,
    .stateless = 1,
};
