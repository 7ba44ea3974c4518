/* SPDX-License-Identifier: BSD-3-Clause
 * gain - multiply every sample by a constant. */
#include <aloe/component.h>

struct gain {
	float gain;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples to scale"),
    ALOE_OUT("out", ALOE_CF32, "scaled samples"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct gain, gain, 1.0, 0.0, 1e3, "", ALOE_LIVE, "linear gain"),
};

static int gain_work(void *self, struct aloe_slot *slot)
{
	const float gain = ((const struct gain *)self)->gain;
	const cf32 *in = aloe_in_cf32(slot, 0);
	cf32 *out = aloe_out_cf32(slot, 0);
	const uint32_t n = aloe_pass(slot, 0, 0);

	for (uint32_t i = 0; i < n; i++)
		out[i] = gain * in[i];
	return 0;
}

ALOE_COMPONENT(gain) = {
    .summary = "multiply every sample by a constant",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct gain),
    .work = gain_work,
    .stateless = 1,
};
