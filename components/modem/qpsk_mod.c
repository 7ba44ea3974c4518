/* SPDX-License-Identifier: BSD-3-Clause
 * qpsk_mod - two bits a symbol, the first to the real, the second to the imaginary part: bit 0
 * becomes +amplitude over the square root of 2, bit 1 the negative of it. This is the mapping of
 * 3GPP TS 25.211 for downlink channels. A last bit without a partner is dropped and counted. */
#include <aloe/component.h>

#include <math.h>

#include "core/kernels/soft.h"

struct qpsk_mod {
	double amplitude;
	uint64_t odd_bits;
	const struct soft_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "bits"),
    ALOE_OUT("out", ALOE_CF32, "symbols, one for two bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct qpsk_mod, amplitude, 1, 1e-6, 32767, "", 0, "amplitude of a symbol"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct qpsk_mod, odd_bits, "bit",
        "bits dropped because their message had an odd number of bits"),
};

static int qpsk_mod_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[0].max / 2;
	return 0;
}

static int qpsk_mod_init(void *self, struct aloe_setup *setup)
{
	((struct qpsk_mod *)self)->kernels = soft_kernels((enum simd_level)setup->simd);
	return 0;
}

static int qpsk_mod_work(void *self, struct aloe_slot *slot)
{
	struct qpsk_mod *mod = self;
	const uint32_t n = aloe_in_len(slot, 0);

	slot->out[0].state = slot->in[0].state;
	slot->out[0].len = n / 2;
	mod->odd_bits += n & 1;
	mod->kernels->map_f32(
	    aloe_in_bit(slot, 0), (float)(mod->amplitude * M_SQRT1_2), slot->out[0].data, n & ~1u);
	return 0;
}

ALOE_COMPONENT(qpsk_mod) = {
    .summary = "bits to QPSK symbols, two bits a symbol",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct qpsk_mod),
    .kmac = 5,
    .shape = qpsk_mod_shape,
    .init = qpsk_mod_init,
    .work = qpsk_mod_work,
    .stateless = 1,
};
