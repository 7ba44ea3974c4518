/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - max-log-MAP turbo decoder for the code of utran_turbo_encoder. */
#include <aloe/component.h>

#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder.h"

struct turbo_decoder {
	int32_t iterations;
	int32_t block; /* 0: what the input holds */
	uint32_t k;
	struct utran_turbo_decoder decoder;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "3K + 12 soft bits; values beyond +-511 count as +-511, 16 per unit amplitude is right"),
    ALOE_OUT("out", ALOE_BIT, "K decided bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct turbo_decoder, iterations, 2, 1, 32, "", ALOE_LIVE, "iterations, two passes each"),
    ALOE_PARAM_INT(struct turbo_decoder, block, 0, 0, UTRAN_TURBO_K_MAX, "bit", 0,
		   "K, 40 to 5114; 0 = as many as the input holds"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct turbo_decoder, short_blocks, "block", "messages that were not one whole block"),
};

static int decoder_check(void *self, struct aloe_setup *setup)
{
	const int32_t block = ((const struct turbo_decoder *)self)->block;

	if (block && block < UTRAN_TURBO_K_MIN)
		return aloe_fail(setup, "block %d is outside [%d, %d]", block, UTRAN_TURBO_K_MIN, UTRAN_TURBO_K_MAX);
	return 0;
}

static int decoder_shape(void *self, struct aloe_setup *setup)
{
	const uint32_t coded = setup->in[0].max, given = (uint32_t)((const struct turbo_decoder *)self)->block;
	const uint32_t block = coded / 3 - UTRAN_TURBO_TAIL / 3;

	if (given && coded != utran_turbo_coded(given))
		return aloe_fail(setup, "block %u needs %u soft bits, the input has %u", given,
				 utran_turbo_coded(given), coded);
	if (coded % 3 || coded < utran_turbo_coded(UTRAN_TURBO_K_MIN) || coded > utran_turbo_coded(UTRAN_TURBO_K_MAX))
		return aloe_fail(setup, "input of %u soft bits is not 3K + 12 for a block K in [%d, %d]", coded,
				 UTRAN_TURBO_K_MIN, UTRAN_TURBO_K_MAX);
	setup->out[0].max = block;
	return 0;
}

static int decoder_init(void *self, struct aloe_setup *setup)
{
	struct turbo_decoder *s = self;
	void *memory;

	s->k = setup->in[0].max / 3 - UTRAN_TURBO_TAIL / 3;
	memory = aloe_alloc(setup, utran_turbo_decoder_size(s->k));
	if (!memory)
		return aloe_fail(setup, "no memory for a block of %u bits", s->k);
	return utran_turbo_decoder_init(&s->decoder, s->k, memory);
}

static int decoder_work(void *self, struct aloe_slot *slot)
{
	struct turbo_decoder *s = self;

	if (aloe_pass_block(slot, 0, 0, utran_turbo_coded(s->k), s->k, &s->short_blocks))
		utran_turbo_decode_plain(&s->decoder, (unsigned)s->iterations, aloe_in_llr16(slot, 0),
					 aloe_out_bit(slot, 0));
	return 0;
}

ALOE_COMPONENT(utran_turbo_decoder) = {
    .summary = "UTRAN turbo decoder, max-log-MAP: 3K + 12 soft bits to K bits",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct turbo_decoder),
    .kmac = 260,
    .check = decoder_check,
    .shape = decoder_shape,
    .init = decoder_init,
    .work = decoder_work,
};
