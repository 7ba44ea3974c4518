/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate_match - puncture or repeat the coded bits of a TTI, 3GPP TS 25.212 section 4.2.7, downlink. */
#include <aloe/component.h>

#include "core/kernels/utran_interleave.h"
#include "core/kernels/utran_rate.h"

struct rate_match {
	int32_t output;
	int32_t tti_ms;
	int32_t coding;
	uint32_t coded, matched;
	uint32_t *table;
	uint64_t short_blocks;
};

static const char *const codings[] = {[UTRAN_TURBO] = "turbo", [UTRAN_CONVOLUTIONAL] = "convolutional", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "all coded bits of one TTI"),
    ALOE_OUT("out", ALOE_BIT, "output bits for each radio frame of the TTI"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct rate_match, output, 0, 1, 131072, "bit", ALOE_REQUIRED, "bits per radio frame of 10 ms"),
    ALOE_PARAM_INT(struct rate_match, tti_ms, 10, 10, 80, "ms", 0, "transmission time interval: 10, 20, 40 or 80"),
    ALOE_PARAM_ENUM(struct rate_match, coding, codings, "turbo", 0, "code that the bits come from"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct rate_match, short_blocks, "block", "messages that were not one whole TTI"),
};

static int match_check(void *self, struct aloe_setup *setup)
{
	const int32_t tti_ms = ((const struct rate_match *)self)->tti_ms;

	if (!utran_tti_frames((uint32_t)tti_ms))
		return aloe_fail(setup, "tti_ms %d is not 10, 20, 40 or 80", tti_ms);
	return 0;
}

static int match_shape(void *self, struct aloe_setup *setup)
{
	const struct rate_match *s = self;
	const uint32_t coded = setup->in[0].max, frames = utran_tti_frames((uint32_t)s->tti_ms);
	const uint32_t least = utran_rate_min(coded, (enum utran_coding)s->coding), most = utran_rate_max(coded);

	if (s->coding == UTRAN_TURBO && (coded % 3 || coded > UTRAN_RATE_BITS_MAX))
		return aloe_fail(setup, "input of %u bits: turbo coded bits are a multiple of 3, at most %d", coded,
				 UTRAN_RATE_BITS_MAX / 3 * 3);
	if (coded > UTRAN_RATE_BITS_MAX)
		return aloe_fail(setup, "input of %u bits is more than %d", coded, UTRAN_RATE_BITS_MAX);
	if (frames * (uint32_t)s->output < least || frames * (uint32_t)s->output > most)
		return aloe_fail(setup, "output %d is outside [%u, %u] for %u coded bits in %u radio frame%s",
				 s->output, (least + frames - 1) / frames, most / frames, coded, frames,
				 frames > 1 ? "s" : "");
	setup->out[0].max = frames * (uint32_t)s->output;
	return 0;
}

static int match_init(void *self, struct aloe_setup *setup)
{
	struct rate_match *s = self;

	s->coded = setup->in[0].max;
	s->matched = setup->out[0].max;
	s->table = aloe_alloc(setup, s->matched * sizeof(*s->table));
	if (!s->table)
		return aloe_fail(setup, "no memory for a table of %u bits", s->matched);
	return utran_rate_table(s->coded, s->matched, (enum utran_coding)s->coding, s->table);
}

static int match_work(void *self, struct aloe_slot *slot)
{
	struct rate_match *s = self;

	if (aloe_pass_block(slot, 0, 0, s->coded, s->matched, &s->short_blocks))
		utran_rate_match_plain(s->table, s->matched, aloe_in_bit(slot, 0), aloe_out_bit(slot, 0));
	return 0;
}

ALOE_COMPONENT(utran_rate_match) = {
    .summary = "puncture or repeat coded bits to fill the radio frame",
    .doc = "Downlink, fixed positions, one pattern per TTI. A turbo code is punctured in its parity bits only.",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct rate_match),
    .kmac = 4,
    .check = match_check,
    .shape = match_shape,
    .init = match_init,
    .work = match_work,
};
