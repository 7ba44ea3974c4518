/* SPDX-License-Identifier: BSD-3-Clause
 * agc - automatic gain control: brings the signal (with its noise) to a mean power of `level`
 * squared.
 *
 * A first-order loop on the logarithm of the power, per sample (liquid-dsp's agc). It settles
 * within a few times 1 / bandwidth samples; a smaller bandwidth leaves the modulation more alone.
 * Gains above 1e6 are not used. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"

struct agc {
	double bandwidth;
	double level;
	uint64_t rejected;
	double gain_db;
	double bandwidth_set, level_set; /* as liquid has them */
	cf32 *in;
	agc_crcf loop;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples of any level"),
    ALOE_OUT("out", ALOE_CF32, "samples scaled to the level"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(
        struct agc, bandwidth, 1e-3, 1e-6, 0.5, "1/item", ALOE_LIVE, "bandwidth of the loop"),
    ALOE_PARAM_REAL(
        struct agc, level, 1, 1e-6, 1e6, "", ALOE_LIVE, "root mean square of the output"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_F64(struct agc, gain_db, "dB", "gain at the end of the message"),
    GUARD_VAR(struct agc),
};

static void apply_params(struct agc *agc)
{
	if (agc->bandwidth != agc->bandwidth_set)
		agc_crcf_set_bandwidth(agc->loop, (float)agc->bandwidth);
	if (agc->level != agc->level_set)
		agc_crcf_set_scale(agc->loop, (float)agc->level);
	agc->bandwidth_set = agc->bandwidth;
	agc->level_set = agc->level;
}

static int agc_init(void *self, struct aloe_setup *setup)
{
	struct agc *agc = self;

	agc->in = guard_alloc(setup, setup->in[0].max);
	if (!agc->in)
		return -1;
	agc->loop = agc_crcf_create();
	if (!agc->loop)
		return aloe_fail(setup, "liquid-dsp makes no AGC");
	apply_params(agc);
	return 0;
}

static int agc_work(void *self, struct aloe_slot *slot)
{
	struct agc *agc = self;
	const uint32_t n = aloe_pass(slot, 0, 0);

	apply_params(agc);
	agc->rejected += guard_copy(agc->in, aloe_in_cf32(slot, 0), n);
	agc_crcf_execute_block(agc->loop, agc->in, n, aloe_out_cf32(slot, 0));
	agc->gain_db = 20 * log10(agc_crcf_get_gain(agc->loop) * agc->level);
	return 0;
}

static int agc_reset(void *self)
{
	return agc_crcf_reset(((struct agc *)self)->loop);
}

static int agc_close(void *self, struct aloe_setup *setup)
{
	struct agc *agc = self;

	(void)setup;
	if (agc->loop)
		agc_crcf_destroy(agc->loop);
	agc->loop = NULL;
	return 0;
}

ALOE_COMPONENT(agc) = {
    .summary = "automatic gain control",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct agc),
    .kmac = 120,
    .init = agc_init,
    .work = agc_work,
    .reset = agc_reset,
    .close = agc_close,
};
