/* SPDX-License-Identifier: BSD-3-Clause
 * resample_rational - change the sample rate by a ratio of whole numbers, message by message:
 * `decimation` items in are `interpolation` items out, exactly and for ever, so messages of one
 * length in are messages of one length out, and no clock runs away from another. For ratios that
 * are no such numbers there is resample.
 *
 * liquid-dsp's polyphase resampler, at a gain of 1 in the pass band. With the rate of the input as
 * 1 and `edge` half the lower rate, what is below edge - 0.9 / half_length passes, and what is
 * above edge + 0.9 / half_length is attenuation_db down (at 60 dB; more needs more); the delay is
 * half_length items of the input. The history goes on from message to message. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"

struct resample_rational {
	uint32_t interpolation;
	uint32_t decimation;
	uint32_t half_length;
	double attenuation_db;
	uint64_t rejected;
	uint64_t dropped;
	uint32_t made, from; /* without common divisor */
	cf32 *in;
	rresamp_crcf resampler; /* of complex samples */
	rresamp_rrrf reals;     /* or of real ones */
};

enum { FACTOR_MAX = 10000 };

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32 | ALOE_F32, "samples"),
    ALOE_OUT("out", ALOE_CF32 | ALOE_F32, "samples at the new rate"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct resample_rational, interpolation, 0, 1, FACTOR_MAX, "items",
        ALOE_REQUIRED, "output items for each group of input items"),
    ALOE_PARAM_INT(struct resample_rational, decimation, 0, 1, FACTOR_MAX, "items", ALOE_REQUIRED,
        "input items in a group"),
    ALOE_PARAM_INT(struct resample_rational, half_length, 12, 2, 200, "items", 0,
        "half the length of the filter; a longer filter is steeper and slower"),
    ALOE_PARAM_REAL(struct resample_rational, attenuation_db, 60, 20, 120, "dB", 0,
        "attenuation of aliases and images"),
};

static const struct aloe_var vars[] = {
    GUARD_VAR(struct resample_rational),
    ALOE_VAR_U64(struct resample_rational, dropped, "",
        "items at the end of a message that did not fill a group"),
};

static uint32_t divisor_common(uint32_t a, uint32_t b)
{
	while (b) {
		const uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int resample_shape(void *self, struct aloe_setup *setup)
{
	const struct resample_rational *r = self;
	const uint32_t common = divisor_common(r->interpolation, r->decimation),
	               group = r->decimation / common;

	if (setup->in[0].max % group)
		return aloe_fail(setup,
		    "messages of up to %u items are no whole number of groups of %u",
		    setup->in[0].max, group);
	return guard_max(setup, (double)setup->in[0].max / group * (r->interpolation / common));
}

static int resample_init(void *self, struct aloe_setup *setup)
{
	struct resample_rational *r = self;
	const uint32_t common = divisor_common(r->interpolation, r->decimation);
	const float rate = (float)r->interpolation / (float)r->decimation,
	            width = rate < 1 ? 0.5f * rate : 0.5f;

	r->made = r->interpolation / common;
	r->from = r->decimation / common;
	r->in = guard_alloc(setup, setup->in[0].max);
	if (!r->in)
		return -1;
	if (setup->in[0].type == ALOE_F32)
		r->reals = rresamp_rrrf_create_kaiser(
		    r->made, r->from, r->half_length, width, (float)r->attenuation_db);
	else
		r->resampler = rresamp_crcf_create_kaiser(
		    r->made, r->from, r->half_length, width, (float)r->attenuation_db);
	if (!r->resampler && !r->reals)
		return aloe_fail(
		    setup, "liquid-dsp makes no resampler by %u / %u", r->made, r->from);
	if (r->reals)
		rresamp_rrrf_set_scale(r->reals, 2 * width);
	else
		rresamp_crcf_set_scale(r->resampler, 2 * width);
	return 0;
}

static int resample_work(void *self, struct aloe_slot *slot)
{
	struct resample_rational *r = self;
	const uint32_t groups = aloe_in_len(slot, 0) / r->from, n = groups * r->from;

	slot->out[0].state = slot->in[0].state;
	r->dropped += aloe_in_len(slot, 0) - n;
	if (groups == 0)
		return 0;
	if (r->reals) {
		float *in = (float *)r->in;

		r->rejected += guard_copy_real(in, slot->in[0].data, n);
		rresamp_rrrf_execute_block(r->reals, in, groups, slot->out[0].data);
	} else {
		r->rejected += guard_copy(r->in, aloe_in_cf32(slot, 0), n);
		rresamp_crcf_execute_block(r->resampler, r->in, groups, aloe_out_cf32(slot, 0));
	}
	slot->out[0].len = groups * r->made;
	return 0;
}

static int resample_reset(void *self)
{
	struct resample_rational *r = self;

	if (r->reals)
		rresamp_rrrf_reset(r->reals);
	else
		rresamp_crcf_reset(r->resampler);
	return 0;
}

static int resample_close(void *self, struct aloe_setup *setup)
{
	struct resample_rational *r = self;

	(void)setup;
	if (r->resampler)
		rresamp_crcf_destroy(r->resampler);
	if (r->reals)
		rresamp_rrrf_destroy(r->reals);
	r->resampler = NULL;
	r->reals = NULL;
	return 0;
}

ALOE_COMPONENT(resample_rational) = {
    .summary = "change the sample rate by a ratio of whole numbers",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct resample_rational),
    .kmac = 120,
    .shape = resample_shape,
    .init = resample_init,
    .work = resample_work,
    .reset = resample_reset,
    .close = resample_close,
};
