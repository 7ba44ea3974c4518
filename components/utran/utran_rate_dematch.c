/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate_dematch - undo utran_rate_match on soft bits.
 *
 * Downlink: whole TTIs, after the first deinterleaver. Uplink: radio frames, before they are
 * joined; frame n of a TTI is that where (index - tti_phase) mod (tti_ms / 10) = n. */
#include <aloe/component.h>

#include "components/utran/rate.h"
#include "components/utran/tti.h"

struct rate_dematch {
	int32_t coded;
	int32_t tti_ms;
	int32_t tti_phase;
	int32_t coding;
	int32_t direction;
	struct rate_patterns patterns;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "all soft bits of one TTI; uplink: of one radio frame"),
    ALOE_OUT("out", ALOE_LLR16, "coded soft bits: 0 where punctured, the sum where repeated"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct rate_dematch, coded, 0, 1, UTRAN_RATE_BITS_MAX, "bit", ALOE_REQUIRED,
        "coded bits of a TTI before rate matching; 3K + 12 for a turbo code"),
    ALOE_PARAM_INT(struct rate_dematch, tti_ms, 10, 10, 80, "ms", 0,
        "transmission time interval (uplink only): 10, 20, 40 or 80"),
    RATE_PARAMS(struct rate_dematch),
};

static const struct aloe_var vars[] = {
    RATE_VARS(struct rate_dematch),
};

/* Radio frames that have a pattern of their own. */
static uint32_t dematch_patterns(const struct rate_dematch *s)
{
	return s->direction == RATE_UPLINK ? utran_tti_frames((uint32_t)s->tti_ms) : 1;
}

static int dematch_check(void *self, struct aloe_setup *setup)
{
	const struct rate_dematch *s = self;

	if (tti_check(s->tti_ms, s->tti_phase, setup) < 0)
		return -1;
	if (s->direction == RATE_DOWNLINK && s->coding == UTRAN_TURBO && s->coded % 3)
		return aloe_fail(
		    setup, "coded %d is not a multiple of 3, as turbo coded bits are", s->coded);
	if ((uint32_t)s->coded % dematch_patterns(s))
		return aloe_fail(setup,
		    "coded %d is not a multiple of the %u radio frames of the TTI", s->coded,
		    dematch_patterns(s));
	return 0;
}

static int dematch_shape(void *self, struct aloe_setup *setup)
{
	const struct rate_dematch *s = self;
	const uint32_t made = (uint32_t)s->coded / dematch_patterns(s);
	const uint32_t least = utran_rate_min(made, (enum utran_coding)s->coding),
	               most = utran_rate_max(made);

	if (setup->in[0].max < least || setup->in[0].max > most)
		return aloe_fail(setup,
		    "input of %u soft bits is outside [%u, %u] for %u coded bits", setup->in[0].max,
		    least, most, made);
	setup->out[0].max = made;
	return 0;
}

static int dematch_init(void *self, struct aloe_setup *setup)
{
	struct rate_dematch *s = self;

	s->patterns.coded = setup->out[0].max;
	s->patterns.matched = setup->in[0].max;
	s->patterns.len = dematch_patterns(s);
	return rate_patterns_init(&s->patterns, (enum utran_coding)s->coding,
	    (enum rate_direction)s->direction, utran_rate_plan_dematch, setup);
}

static int dematch_work(void *self, struct aloe_slot *slot)
{
	struct rate_dematch *s = self;
	const struct rate_patterns *p = &s->patterns;
	const struct utran_rate_plan *plan = rate_plan_at(p, slot->index, s->tti_phase);

	if (aloe_pass_block(slot, 0, 0, p->matched, p->coded, &s->short_blocks))
		p->kernels->dematch(plan, aloe_in_llr16(slot, 0), aloe_out_llr16(slot, 0));
	return 0;
}

static void dematch_warm(const void *self, struct aloe_warm *warm)
{
	const struct rate_dematch *s = self;

	rate_warm(&s->patterns, warm);
	aloe_warm_code(warm, (uintptr_t)s->patterns.kernels->dematch, 1024);
}

ALOE_COMPONENT(utran_rate_dematch) = {
    .summary = "undo rate matching: soft bits back to their coded positions",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct rate_dematch),
    .kmac = 2,
    .mix = "shuffle16 1",
    .check = dematch_check,
    .shape = dematch_shape,
    .init = dematch_init,
    .work = dematch_work,
    .stateless = 1,
    .warm = dematch_warm,
};
