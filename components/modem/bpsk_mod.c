/* SPDX-License-Identifier: BSD-3-Clause
 * bpsk_mod - binary phase shift keying: bit 0 becomes +amplitude, bit 1 becomes -amplitude, one real sample a bit (the
 * imaginary part of complex types is 0). No pulse shaping: that is rrc_interp's. */
#include <aloe/component.h>

#include <math.h>

#include "components/modem/bpsk.h"
#include "core/kernels/soft.h"

struct bpsk_mod {
	int32_t output;
	double amplitude;
	float level;
	const struct soft_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "bits"),
    ALOE_OUT_AS("out", ALOE_I16 | ALOE_CI16 | ALOE_CF32, "output", "one sample a bit"),
};

static const char *const outputs[] = {"i16", "ci16", "cf32", NULL};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct bpsk_mod, output, outputs, "cf32", 0, "type of the samples"),
    ALOE_PARAM_REAL(struct bpsk_mod, amplitude, ALOE_NAN, 1e-6, 32767, "", 0,
		    "of a sample; if not set, 1 for cf32 and 8192 for i16 and ci16"),
};

static int bpsk_mod_check(void *self, struct aloe_setup *setup)
{
	return bpsk_amplitude_check(((const struct bpsk_mod *)self)->amplitude, setup->out[0].type, setup);
}

static int bpsk_mod_init(void *self, struct aloe_setup *setup)
{
	struct bpsk_mod *mod = self;

	mod->level = bpsk_amplitude(mod->amplitude, setup->out[0].type);
	mod->kernels = soft_kernels((enum simd_level)setup->simd);
	return 0;
}

static int bpsk_mod_work(void *self, struct aloe_slot *slot)
{
	const struct bpsk_mod *mod = self;
	const uint8_t *in = aloe_in_bit(slot, 0);
	const uint32_t n = aloe_pass(slot, 0, 0);
	const int16_t whole = (int16_t)lrintf(mod->level);

	if (mod->output == 0)
		mod->kernels->map_i16(in, whole, slot->out[0].data, n);
	else if (mod->output == 1)
		mod->kernels->map_re_i16(in, whole, slot->out[0].data, n);
	else
		mod->kernels->map_re_f32(in, mod->level, slot->out[0].data, n);
	return 0;
}

ALOE_COMPONENT(bpsk_mod) = {
    .summary = "bits to BPSK symbols, one sample a bit",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct bpsk_mod),
    .kmac = 10,
    .check = bpsk_mod_check,
    .init = bpsk_mod_init,
    .work = bpsk_mod_work,
};
