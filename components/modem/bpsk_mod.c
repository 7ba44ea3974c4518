/* SPDX-License-Identifier: BSD-3-Clause
 * bpsk_mod - binary phase shift keying: bit 0 becomes +amplitude, bit 1 becomes -amplitude, one
 * real sample a bit (the imaginary part of complex types is 0). No pulse shaping: that is
 * rrc_interp's. Bytes are bits too, and 2 stands for nothing sent (utran_dtx): a sample of 0. */
#include <aloe/component.h>

#include <math.h>

#include "components/modem/bpsk.h"
#include "core/kernels/soft.h"

struct bpsk_mod {
	int32_t output;
	double amplitude;
	float level;
	bool pauses; /* the input may have some */
	uint32_t item_bytes;
	const struct soft_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT | ALOE_BYTE, "bits, or bytes that are 0, 1, or 2 where nothing is sent"),
    ALOE_OUT_AS("out", ALOE_I16 | ALOE_CI16 | ALOE_CF32, "output", "one sample a bit"),
};

static const char *const outputs[] = {"i16", "ci16", "cf32", NULL};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct bpsk_mod, output, outputs, "cf32", 0, "type of the samples"),
    ALOE_PARAM_REAL(struct bpsk_mod, amplitude, ALOE_NAN, 1e-6, 32767, "", 0,
        "amplitude of a sample; if not set, 1 for cf32 and 8192 for i16 and ci16"),
};

static int bpsk_mod_check(void *self, struct aloe_setup *setup)
{
	return bpsk_amplitude_check(
	    ((const struct bpsk_mod *)self)->amplitude, setup->out[0].type, setup);
}

static int bpsk_mod_init(void *self, struct aloe_setup *setup)
{
	struct bpsk_mod *mod = self;

	mod->level = bpsk_amplitude(mod->amplitude, setup->out[0].type);
	mod->pauses = setup->in[0].type == ALOE_BYTE;
	mod->item_bytes = aloe_item_bytes(setup->out[0].type);
	mod->kernels = soft_kernels((enum simd_level)setup->simd);
	return 0;
}

/* No amplitude where nothing is sent. */
static void pause_samples(const uint8_t *in, uint8_t *samples, size_t size, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (in[i] & 2)
			memset(samples + i * size, 0, size);
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
	if (mod->pauses)
		pause_samples(in, slot->out[0].data, mod->item_bytes, n);
	return 0;
}

ALOE_COMPONENT(bpsk_mod) = {
    .summary = "bits to BPSK symbols, one sample a bit",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct bpsk_mod),
    .kmac = 3,
    .check = bpsk_mod_check,
    .init = bpsk_mod_init,
    .work = bpsk_mod_work,
    .stateless = 1,
};
