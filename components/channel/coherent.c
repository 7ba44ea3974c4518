/* SPDX-License-Identifier: BSD-3-Clause
 * coherent - undo the phases of a flat channel that is known: every sample times the conjugate of
 * the channel's gain.
 *
 * 	out[i] = conj(taps[i]) in[i]
 *
 * For noise of one variance that is the best use of samples whose gains differ: a soft decision
 * of `out` is the log-likelihood ratio but for one factor, so what was received in a fade counts
 * less. */
#include <aloe/component.h>

struct coherent {
	uint64_t unmatched;
};

enum { IN, TAPS };

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples"),
    ALOE_IN("taps", ALOE_CF32, "gain of the channel for each sample"),
    ALOE_OUT("out", ALOE_CF32, "samples in phase, weighted"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct coherent, unmatched, "",
        "messages whose number of gains is not that of the samples"),
};

static int coherent_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	if (setup->in[IN].max != setup->in[TAPS].max)
		return aloe_fail(setup,
		    "the messages of in have a length up to %u, but those of taps up to %u; the "
		    "channel must be flat, with one gain for each item",
		    setup->in[IN].max, setup->in[TAPS].max);
	return 0;
}

static int coherent_work(void *self, struct aloe_slot *slot)
{
	struct coherent *coherent = self;
	const uint32_t n = aloe_in_len(slot, IN);
	const float *in = slot->in[IN].data, *taps = slot->in[TAPS].data;
	float *out = slot->out[0].data;

	if (!aloe_in_valid(slot, IN)) {
		slot->out[0].state = slot->in[IN].state;
		return 0;
	}
	if (!aloe_in_valid(slot, TAPS) || aloe_in_len(slot, TAPS) != n) {
		coherent->unmatched++;
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		const float re = taps[2 * i], im = taps[2 * i + 1];

		out[2 * i] = re * in[2 * i] + im * in[2 * i + 1];
		out[2 * i + 1] = re * in[2 * i + 1] - im * in[2 * i];
	}
	aloe_put(slot, 0, n);
	return 0;
}

ALOE_COMPONENT(coherent) = {
    .summary = "coherent detection over a flat channel with known gains",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct coherent),
    .kmac = 6,
    .shape = coherent_shape,
    .work = coherent_work,
    .stateless = 1,
};
