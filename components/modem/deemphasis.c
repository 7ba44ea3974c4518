/* SPDX-License-Identifier: BSD-3-Clause
 * deemphasis - a low-pass of first order, which takes back the emphasis of a transmitter:
 * out[n] = (1 - b) in[n] + b out[n - 1], b = exp(-1 / tau). The gain at frequency 0 is 1, and 3 dB
 * are lost at 1 / (2 pi tau) cycles per item. Broadcast FM has 50 us in Europe and 75 us in America
 * (ITU-R BS.450).
 *
 * The output goes on from message to message, an ABSENT message leaves it as it is. An item that is
 * NaN or beyond 1e9 is taken as 0, and counted, so that it does not stay in the filter for ever. */
#include <aloe/component.h>

#include <math.h>

#define LARGEST 1e9f

struct deemphasis {
	double tau;
	uint64_t rejected;
	double last;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_F32, "signal"),
    ALOE_OUT("out", ALOE_F32, "signal without the emphasis"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct deemphasis, tau, 12, 1e-3, 1e9, "items", ALOE_LIVE,
        "time constant: seconds times the sample rate; 12 is 50 us at 240 kHz"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct deemphasis, rejected, "", "items that were NaN or beyond 1e9, taken as 0"),
};

static int deemphasis_work(void *self, struct aloe_slot *slot)
{
	struct deemphasis *filter = self;
	const double keep = exp(-1 / filter->tau);
	const float *in = slot->in[0].data;
	float *out = slot->out[0].data;
	const uint32_t n = aloe_pass(slot, 0, 0);
	double last = filter->last;

	for (uint32_t i = 0; i < n; i++) {
		const bool good = fabsf(in[i]) <= LARGEST;

		filter->rejected += !good;
		last = keep * last + (1 - keep) * (good ? (double)in[i] : 0);
		out[i] = (float)last;
	}
	filter->last = last;
	return 0;
}

static int deemphasis_reset(void *self)
{
	((struct deemphasis *)self)->last = 0;
	return 0;
}

ALOE_COMPONENT(deemphasis) = {
    .summary = "take back the emphasis of an FM transmitter: a low-pass of first order",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct deemphasis),
    .kmac = 15,
    .work = deemphasis_work,
    .reset = deemphasis_reset,
};
