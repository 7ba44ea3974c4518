/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate_dematch - undo utran_rate_match on soft bits. */
#include <aloe/component.h>

#include "core/kernels/utran_rate.h"

struct rate_dematch {
	int32_t coded;
	int32_t coding;
	uint32_t matched;
	uint32_t *table;
	uint64_t short_blocks;
};

static const char *const codings[] = {[UTRAN_TURBO] = "turbo", [UTRAN_CONVOLUTIONAL] = "convolutional", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "all soft bits of one TTI"),
    ALOE_OUT("out", ALOE_LLR16, "coded soft bits: 0 where punctured, the sum where repeated"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct rate_dematch, coded, 0, 1, UTRAN_RATE_BITS_MAX, "bit", ALOE_REQUIRED,
		   "coded bits of a TTI before rate matching; 3K + 12 for a turbo code"),
    ALOE_PARAM_ENUM(struct rate_dematch, coding, codings, "turbo", 0, "code that the bits come from"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct rate_dematch, short_blocks, "block", "messages that were not one whole TTI"),
};

static int dematch_check(void *self, struct aloe_setup *setup)
{
	const struct rate_dematch *s = self;

	if (s->coding == UTRAN_TURBO && s->coded % 3)
		return aloe_fail(setup, "coded %d is not a multiple of 3, as turbo coded bits are", s->coded);
	return 0;
}

static int dematch_shape(void *self, struct aloe_setup *setup)
{
	const struct rate_dematch *s = self;
	const uint32_t least = utran_rate_min((uint32_t)s->coded, (enum utran_coding)s->coding);
	const uint32_t most = utran_rate_max((uint32_t)s->coded);

	if (setup->in[0].max < least || setup->in[0].max > most)
		return aloe_fail(setup, "input of %u soft bits is outside [%u, %u] for %d coded bits", setup->in[0].max,
				 least, most, s->coded);
	setup->out[0].max = (uint32_t)s->coded;
	return 0;
}

static int dematch_init(void *self, struct aloe_setup *setup)
{
	struct rate_dematch *s = self;

	s->matched = setup->in[0].max;
	s->table = aloe_alloc(setup, s->matched * sizeof(*s->table));
	if (!s->table)
		return aloe_fail(setup, "no memory for a table of %u bits", s->matched);
	return utran_rate_table((uint32_t)s->coded, s->matched, (enum utran_coding)s->coding, s->table);
}

static int dematch_work(void *self, struct aloe_slot *slot)
{
	struct rate_dematch *s = self;
	const uint32_t coded = (uint32_t)s->coded;

	if (aloe_pass_block(slot, 0, 0, s->matched, coded, &s->short_blocks))
		utran_rate_dematch_plain(s->table, s->matched, aloe_in_llr16(slot, 0), aloe_out_llr16(slot, 0), coded);
	return 0;
}

ALOE_COMPONENT(utran_rate_dematch) = {
    .summary = "undo rate matching: soft bits back to their coded positions",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct rate_dematch),
    .kmac = 6,
    .check = dematch_check,
    .shape = dematch_shape,
    .init = dematch_init,
    .work = dematch_work,
};
