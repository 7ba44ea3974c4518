/* SPDX-License-Identifier: BSD-3-Clause
 * utran_cpich - add the primary common pilot channel to the chips of the others, 3GPP TS 25.211
 * section 5.3.3.1: the symbol 1 + j all the time, spread by C_256,0, which is all ones. So it is
 * one number, of amplitude `gain`, on every chip before scrambling. */
#include <aloe/component.h>

#include <math.h>

struct cpich {
	double gain;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "chips of the other channels, not yet scrambled"),
    ALOE_OUT("out", ALOE_CF32, "chips with the pilot"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct cpich, gain, 0.31622776601683794, 0, 1e3, "", ALOE_LIVE,
        "amplitude of the pilot; its square is the power, 0.1 unless set"),
};

static int cpich_work(void *self, struct aloe_slot *slot)
{
	const float part = (float)(((const struct cpich *)self)->gain * M_SQRT1_2);
	const float *in = slot->in[0].data;
	float *out = slot->out[0].data;
	const uint32_t n = 2 * aloe_pass(slot, 0, 0);

	for (uint32_t i = 0; i < n; i++)
		out[i] = in[i] + part;
	return 0;
}

ALOE_COMPONENT(utran_cpich) = {
    .summary = "add the UTRA common pilot channel to chips",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct cpich),
    .kmac = 10,
    .work = cpich_work,
};
