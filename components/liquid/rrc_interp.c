/* SPDX-License-Identifier: BSD-3-Clause
 * rrc_interp - pulse shaping: each symbol becomes samples_per_symbol samples of root-raised-cosine pulses.
 *
 * The taps are scaled so that independent symbols of mean power 1 give samples of mean power 1: then Es of a symbol is
 * samples_per_symbol, and an awgn behind it takes bits_per_item = bits per symbol / samples_per_symbol. The pulse is
 * cut at `delay` symbols on each side. The receiver's counterpart is symsync with the same samples_per_symbol, rolloff
 * and delay. liquid-dsp designs and runs the filter. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"

struct rrc_interp {
	uint32_t samples_per_symbol;
	double rolloff;
	uint32_t delay;
	uint64_t rejected;
	cf32 *in;
	firinterp_crcf filter;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "symbols"),
    ALOE_OUT("out", ALOE_CF32, "samples_per_symbol samples of each"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct rrc_interp, samples_per_symbol, 2, 2, 64, "", 0, "interpolation"),
    ALOE_PARAM_REAL(struct rrc_interp, rolloff, 0.3, 0.05, 1, "", 0, "excess bandwidth"),
    ALOE_PARAM_INT(struct rrc_interp, delay, 7, 1, 64, "symbols", 0, "half the length of the pulse"),
};

static const struct aloe_var vars[] = {
    GUARD_VAR(struct rrc_interp),
};

static int rrc_interp_shape(void *self, struct aloe_setup *setup)
{
	return guard_max(setup, (double)setup->in[0].max * ((const struct rrc_interp *)self)->samples_per_symbol);
}

static int rrc_interp_init(void *self, struct aloe_setup *setup)
{
	struct rrc_interp *rrc = self;
	const uint32_t k = rrc->samples_per_symbol, len = 2 * k * rrc->delay + 1;
	float *taps = aloe_alloc(setup, len * sizeof(*taps));
	double energy = 0;

	rrc->in = guard_alloc(setup, setup->in[0].max);
	if (!taps || !rrc->in)
		return aloe_fail(setup, "no memory for %u taps", len);
	if (liquid_firdes_rrcos(k, rrc->delay, (float)rrc->rolloff, 0, taps) != LIQUID_OK)
		return aloe_fail(setup, "liquid-dsp makes no pulse of rolloff %g, delay %u", rrc->rolloff, rrc->delay);
	for (uint32_t i = 0; i < len; i++)
		energy += (double)taps[i] * taps[i];
	for (uint32_t i = 0; i < len; i++)
		taps[i] *= (float)sqrt(k / energy);
	rrc->filter = firinterp_crcf_create(k, taps, len);
	return rrc->filter ? 0 : aloe_fail(setup, "liquid-dsp makes no interpolator by %u", k);
}

static int rrc_interp_work(void *self, struct aloe_slot *slot)
{
	struct rrc_interp *rrc = self;
	const uint32_t n = aloe_in_len(slot, 0);

	slot->out[0].state = slot->in[0].state;
	slot->out[0].len = n * rrc->samples_per_symbol;
	rrc->rejected += guard_copy(rrc->in, aloe_in_cf32(slot, 0), n);
	firinterp_crcf_execute_block(rrc->filter, rrc->in, n, aloe_out_cf32(slot, 0));
	return 0;
}

static int rrc_interp_reset(void *self)
{
	return firinterp_crcf_reset(((struct rrc_interp *)self)->filter);
}

static int rrc_interp_close(void *self, struct aloe_setup *setup)
{
	struct rrc_interp *rrc = self;

	(void)setup;
	if (rrc->filter)
		firinterp_crcf_destroy(rrc->filter);
	rrc->filter = NULL;
	return 0;
}

ALOE_COMPONENT(rrc_interp) = {
    .summary = "shape symbols into root-raised-cosine pulses",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct rrc_interp),
    .kmac = 60,
    .shape = rrc_interp_shape,
    .init = rrc_interp_init,
    .work = rrc_interp_work,
    .reset = rrc_interp_reset,
    .close = rrc_interp_close,
};
