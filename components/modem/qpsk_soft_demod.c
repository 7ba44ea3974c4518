/* SPDX-License-Identifier: BSD-3-Clause
 * qpsk_soft_demod - two 16-bit soft bits a symbol, positive = bit 0: the real part first, then the
 * imaginary one.
 *
 * The parts of a symbol of qpsk_mod's `amplitude`, without noise, become +scale or -scale. Rounded
 * to nearest, halves to even, and limited to +-32767; NaN says nothing and becomes 0. */
#include <aloe/component.h>

#include <math.h>

#include "core/kernels/soft.h"

struct qpsk_soft_demod {
	double scale;
	double amplitude;
	const struct soft_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "symbols"),
    ALOE_OUT("out", ALOE_LLR16, "two soft bits for each symbol"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct qpsk_soft_demod, scale, 16, 1e-3, 32767, "", ALOE_LIVE,
        "soft bit of a symbol without noise; the turbo decoder loses 0 dB at 8 and more, 0.05 at "
        "4, 0.2 at 2, over 0.6 at 1 (aloe bench bler --set soft.scale=4)"),
    ALOE_PARAM_REAL(struct qpsk_soft_demod, amplitude, 1, 1e-6, 32767, "", 0,
        "amplitude of a symbol without noise"),
};

static int qpsk_soft_demod_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	if (setup->in[0].max > 1 << 28)
		return aloe_fail(setup, "a message of %u symbols is too long", setup->in[0].max);
	setup->out[0].max = 2 * setup->in[0].max;
	return 0;
}

static int qpsk_soft_demod_init(void *self, struct aloe_setup *setup)
{
	((struct qpsk_soft_demod *)self)->kernels = soft_kernels((enum simd_level)setup->simd);
	return 0;
}

static int qpsk_soft_demod_work(void *self, struct aloe_slot *slot)
{
	const struct qpsk_soft_demod *demod = self;
	const float factor = (float)(demod->scale * M_SQRT2 / demod->amplitude);
	const uint32_t n = 2 * aloe_in_len(slot, 0);

	slot->out[0].state = slot->in[0].state;
	slot->out[0].len = n;
	demod->kernels->soft_f32(slot->in[0].data, factor, aloe_out_llr16(slot, 0), n);
	return 0;
}

ALOE_COMPONENT(qpsk_soft_demod) = {
    .summary = "QPSK symbols to soft bits",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct qpsk_soft_demod),
    .kmac = 10,
    .shape = qpsk_soft_demod_shape,
    .init = qpsk_soft_demod_init,
    .work = qpsk_soft_demod_work,
    .stateless = 1,
};
