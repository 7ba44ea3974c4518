/* SPDX-License-Identifier: BSD-3-Clause
 * utran_despread - sf chips become a symbol: their mean, each times its chip of a channelisation
 * code, 3GPP TS 25.213 section 4.3.1.1. A symbol that was spread with gain 1 comes out as it was,
 * and white noise of the chips with 1 / sf of its power. Chips of a last symbol that is not whole
 * are dropped and counted. */
#include "components/umts/spreading.h"

struct despread {
	uint32_t sf;
	uint32_t code;
	uint64_t dropped;
	const struct utran_chip_kernels *kernels;
	float pairs[2 * UTRAN_SF_MAX];
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "descrambled chips"),
    ALOE_OUT("out", ALOE_CF32, "one symbol for each sf chips"),
};

static const struct aloe_param params[] = {
    SPREADING_PARAMS(struct despread),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct despread, dropped, "chips", "chips of incomplete symbols"),
};

static int despread_check(void *self, struct aloe_setup *setup)
{
	const struct despread *s = self;

	return spreading_check(s->sf, s->code, setup);
}

static int despread_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = setup->in[0].max / ((const struct despread *)self)->sf;
	return 0;
}

static int despread_init(void *self, struct aloe_setup *setup)
{
	struct despread *s = self;

	s->kernels = utran_chip_kernels((enum simd_level)setup->simd);
	spreading_pairs(s->sf, s->code, 1.0f / (float)s->sf, s->pairs);
	return 0;
}

static int despread_work(void *self, struct aloe_slot *slot)
{
	struct despread *s = self;
	const uint32_t chips = aloe_in_len(slot, 0), n = chips / s->sf;

	slot->out[0].state = slot->in[0].state;
	slot->out[0].len = n;
	s->dropped += chips % s->sf;
	s->kernels->despread(s->pairs, s->sf, aloe_in_cf32(slot, 0), aloe_out_cf32(slot, 0), n);
	return 0;
}

static void despread_warm(const void *self, struct aloe_warm *warm)
{
	const struct despread *s = self;

	aloe_warm(warm, s->pairs, (size_t)2 * s->sf * sizeof(*s->pairs));
	aloe_warm_code(warm, (uintptr_t)s->kernels->despread, 1024);
}

ALOE_COMPONENT(utran_despread) = {
    .summary = "chips of a UTRA channelisation code to symbols",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct despread),
    .kmac = 15,
    .check = despread_check,
    .shape = despread_shape,
    .init = despread_init,
    .work = despread_work,
    .stateless = 1,
    .warm = despread_warm,
};
