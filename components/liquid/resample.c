/* SPDX-License-Identifier: BSD-3-Clause
 * resample - change the sample rate by any ratio, rational or not.
 *
 * Half-band stages for the powers of two and a polyphase bank for what is left (liquid-dsp's
 * msresamp). The history goes on from message to message, so the length of the output varies by an
 * item or so around ratio times the input; the maximum is stated to the links. A ratio near 1
 * (1.0001) is the clock of another machine. Pass band loss and aliases are below -attenuation_db;
 * the delay is some 10 to 30 samples. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"

struct resample {
	double ratio;
	double attenuation_db;
	uint64_t rejected;
	uint64_t dropped;
	cf32 *in;
	cf32 *made; /* what liquid asks for: room for twice the ratio */
	msresamp_crcf resampler;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples"),
    ALOE_OUT("out", ALOE_CF32, "samples at the new rate"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(
        struct resample, ratio, 0, 0.001, 1000, "", ALOE_REQUIRED, "output rate over input rate"),
    ALOE_PARAM_REAL(
        struct resample, attenuation_db, 60, 20, 120, "dB", 0, "attenuation of aliases and images"),
};

static const struct aloe_var vars[] = {
    GUARD_VAR(struct resample),
    ALOE_VAR_U64(struct resample, dropped, "", "samples that did not fit into the output"),
};

/* One message makes at most this many: liquid works in groups of the power of two that contains the
 * ratio. */
static double output_max(const struct resample *resample, uint32_t in_max)
{
	const double stages = ceil(fabs(log2(resample->ratio)));

	return ceil(resample->ratio * in_max) + exp2(stages) + 2;
}

static int resample_shape(void *self, struct aloe_setup *setup)
{
	return guard_max(setup, output_max(self, setup->in[0].max));
}

static int resample_init(void *self, struct aloe_setup *setup)
{
	struct resample *resample = self;

	resample->in = guard_alloc(setup, setup->in[0].max);
	resample->made = guard_alloc(setup, (uint64_t)(2 * output_max(resample, setup->in[0].max)));
	if (!resample->in || !resample->made)
		return -1;
	resample->resampler =
	    msresamp_crcf_create((float)resample->ratio, (float)resample->attenuation_db);
	if (!resample->resampler)
		return aloe_fail(
		    setup, "liquid-dsp makes no resampler of ratio %g", resample->ratio);
	return 0;
}

static int resample_work(void *self, struct aloe_slot *slot)
{
	struct resample *resample = self;
	const uint32_t n = aloe_in_len(slot, 0), max = aloe_out_max(slot, 0);
	unsigned made = 0;

	slot->out[0].state = slot->in[0].state;
	if (n == 0)
		return 0;
	resample->rejected += guard_copy(resample->in, aloe_in_cf32(slot, 0), n);
	msresamp_crcf_execute(resample->resampler, resample->in, n, resample->made, &made);
	if (made > max) {
		resample->dropped += made - max;
		made = max;
	}
	memcpy(aloe_out_cf32(slot, 0), resample->made, made * sizeof(cf32));
	slot->out[0].len = made;
	return 0;
}

static int resample_reset(void *self)
{
	return msresamp_crcf_reset(((struct resample *)self)->resampler);
}

static int resample_close(void *self, struct aloe_setup *setup)
{
	struct resample *resample = self;

	(void)setup;
	if (resample->resampler)
		msresamp_crcf_destroy(resample->resampler);
	resample->resampler = NULL;
	return 0;
}

ALOE_COMPONENT(resample) = {
    .summary = "change the sample rate by any ratio",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct resample),
    .kmac = 120,
    .shape = resample_shape,
    .init = resample_init,
    .work = resample_work,
    .reset = resample_reset,
    .close = resample_close,
};
