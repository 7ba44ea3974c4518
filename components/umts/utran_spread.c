/* SPDX-License-Identifier: BSD-3-Clause
 * utran_spread - every symbol becomes sf chips of a channelisation code (OVSF), 3GPP TS 25.213
 * sections 4.3.1.1 and 5.1, times `gain`: a symbol of power 1 becomes chips of power gain
 * squared. */
#include "components/umts/spreading.h"

struct spread {
	uint32_t sf;
	uint32_t code;
	double gain;
	double gain_set; /* as in pairs */
	const struct utran_chip_kernels *kernels;
	float pairs[2 * UTRAN_SF_MAX];
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "symbols"),
    ALOE_OUT("out", ALOE_CF32, "sf chips for each symbol"),
};

static const struct aloe_param params[] = {
    SPREADING_PARAMS(struct spread),
    ALOE_PARAM_REAL(struct spread, gain, 1, 0, 1e3, "", ALOE_LIVE,
        "amplitude of the channel; its square is the power"),
};

static int spread_check(void *self, struct aloe_setup *setup)
{
	const struct spread *s = self;

	return spreading_check(s->sf, s->code, setup);
}

static int spread_shape(void *self, struct aloe_setup *setup)
{
	const uint64_t chips = (uint64_t)setup->in[0].max * ((const struct spread *)self)->sf;

	if (chips > 1 << 28)
		return aloe_fail(
		    setup, "a message of %llu chips is too long", (unsigned long long)chips);
	setup->out[0].max = (uint32_t)chips;
	return 0;
}

static void apply_gain(struct spread *s)
{
	spreading_pairs(s->sf, s->code, (float)s->gain, s->pairs);
	s->gain_set = s->gain;
}

static int spread_init(void *self, struct aloe_setup *setup)
{
	struct spread *s = self;

	s->kernels = utran_chip_kernels((enum simd_level)setup->simd);
	apply_gain(s);
	return 0;
}

static int spread_work(void *self, struct aloe_slot *slot)
{
	struct spread *s = self;
	const uint32_t n = aloe_in_len(slot, 0);

	if (s->gain != s->gain_set)
		apply_gain(s);
	slot->out[0].state = slot->in[0].state;
	slot->out[0].len = n * s->sf;
	s->kernels->spread(s->pairs, s->sf, aloe_in_cf32(slot, 0), aloe_out_cf32(slot, 0), n);
	return 0;
}

static void spread_warm(const void *self, struct aloe_warm *warm)
{
	const struct spread *s = self;

	aloe_warm(warm, s->pairs, (size_t)2 * s->sf * sizeof(*s->pairs));
	aloe_warm_code(warm, (uintptr_t)s->kernels->spread, 1024);
}

ALOE_COMPONENT(utran_spread) = {
    .summary = "symbols to chips of a UTRA channelisation code",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct spread),
    .kmac = 10,
    .check = spread_check,
    .shape = spread_shape,
    .init = spread_init,
    .work = spread_work,
    .stateless = 1,
    .warm = spread_warm,
};
