/* SPDX-License-Identifier: BSD-3-Clause
 * utran_deequalise - undo utran_equalise on soft bits: the padding behind the coded bits of a TTI
 * is dropped. */
#include <aloe/component.h>

#include "core/kernels/utran_rate_table.h"

struct deequalise {
	int32_t coded;
	uint32_t padded;
	uint64_t short_blocks;
};

enum { PADDING_MAX = 7 };

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "all soft bits of one TTI, with padding"),
    ALOE_OUT("out", ALOE_LLR16, "the coded soft bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct deequalise, coded, 0, 1, UTRAN_RATE_BITS_MAX, "bit", ALOE_REQUIRED,
        "coded bits of a TTI"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct deequalise, short_blocks, "block", "messages that were not one whole TTI"),
};

static int deequalise_shape(void *self, struct aloe_setup *setup)
{
	const uint32_t coded = (uint32_t)((const struct deequalise *)self)->coded,
	               padded = setup->in[0].max;

	if (padded < coded || padded > coded + PADDING_MAX)
		return aloe_fail(setup,
		    "input of %u soft bits is not %u soft bits and at most %d of padding", padded,
		    coded, PADDING_MAX);
	setup->out[0].max = coded;
	return 0;
}

static int deequalise_init(void *self, struct aloe_setup *setup)
{
	((struct deequalise *)self)->padded = setup->in[0].max;
	return 0;
}

static int deequalise_work(void *self, struct aloe_slot *slot)
{
	struct deequalise *s = self;
	const uint32_t coded = (uint32_t)s->coded;

	if (aloe_pass_block(slot, 0, 0, s->padded, coded, &s->short_blocks))
		memcpy(aloe_out_llr16(slot, 0), aloe_in_llr16(slot, 0), coded * sizeof(int16_t));
	return 0;
}

ALOE_COMPONENT(utran_deequalise) = {
    .summary = "drop the padding of utran_equalise, soft bits",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct deequalise),
    .kmac = 1,
    .shape = deequalise_shape,
    .init = deequalise_init,
    .work = deequalise_work,
    .stateless = 1,
};
