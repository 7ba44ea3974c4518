/* SPDX-License-Identifier: BSD-3-Clause
 * fm_demod - the frequency of a signal, from the phase between each sample and the sample before:
 * out[n] = arg(in[n] conj(in[n - 1])) / (2 pi deviation). 1 is a frequency of `deviation`, and the
 * largest that can be told is half a cycle per item.
 *
 * The last sample of a message goes on to the next one, an ABSENT message leaves it as it is. A
 * sample that is NaN, infinite or so large that the product is has no phase: 0 comes out, and is
 * counted. 0 comes out beside a sample of 0, too. */
#include <aloe/component.h>

#include <math.h>

struct fm_demod {
	double deviation;
	uint64_t rejected;
	cf32 last;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples of the signal, at baseband"),
    ALOE_OUT("out", ALOE_F32, "frequency, 1 at the deviation"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct fm_demod, deviation, 0.25, 1e-6, 0.5, "cycles/item", ALOE_LIVE,
        "frequency that is 1 in the output: the deviation of the transmitter over the sample rate"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct fm_demod, rejected, "", "samples without a phase, taken as 0"),
};

static int fm_demod_work(void *self, struct aloe_slot *slot)
{
	struct fm_demod *fm = self;
	const float scale = (float)(1 / (2 * M_PI * fm->deviation));
	const cf32 *in = aloe_in_cf32(slot, 0);
	float *out = slot->out[0].data;
	const uint32_t n = aloe_pass(slot, 0, 0);
	cf32 last = fm->last;

	for (uint32_t i = 0; i < n; i++) {
		const cf32 turn = in[i] * conjf(last);
		const bool good = isfinite(crealf(turn)) && isfinite(cimagf(turn));

		/* a zero has a sign, hence an angle */
		out[i] = good && turn != 0 ? scale * atan2f(cimagf(turn), crealf(turn)) : 0;
		fm->rejected += !good;
		last = in[i];
	}
	fm->last = last;
	return 0;
}

static int fm_demod_reset(void *self)
{
	((struct fm_demod *)self)->last = 0;
	return 0;
}

ALOE_COMPONENT(fm_demod) = {
    .summary = "demodulate frequency: the phase from each sample to the next",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct fm_demod),
    .kmac = 60,
    .work = fm_demod_work,
    .reset = fm_demod_reset,
};
