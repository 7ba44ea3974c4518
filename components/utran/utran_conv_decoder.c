/* SPDX-License-Identifier: BSD-3-Clause
 * utran_conv_decoder - soft decision Viterbi decoder for the code of utran_conv_encoder.
 *
 * How the TTI was cut into code blocks follows from the number of soft bits; `block` is needed
 * where it had filler bits, which are dropped, and is a check otherwise. */
#include <aloe/component.h>

#include "core/kernels/utran_viterbi.h"

struct conv_decoder {
	int32_t rate;
	int32_t block; /* 0: what the input holds */
	struct utran_code_blocks cut;
	const struct utran_viterbi_kernels *kernels;
	struct utran_viterbi *viterbi;
	struct utran_viterbi_work *work;
	uint8_t *filled; /* a first block with its filler: scratch, behind work */
	uint64_t short_blocks;
};

static const char *const rates[] = {[UTRAN_CONV_HALF] = "1/2", [UTRAN_CONV_THIRD] = "1/3", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16,
        "soft bits of a TTI; values beyond +-511 count as +-511; unit amplitude should be 16"),
    ALOE_OUT("out", ALOE_BIT, "decided bits of the TTI"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct conv_decoder, rate, rates, "1/3", 0, "rate of the code"),
    ALOE_PARAM_INT(struct conv_decoder, block, 0, 0,
        UTRAN_CODE_BLOCKS_MAX *UTRAN_CONVOLUTIONAL_K_MAX, "bit", 0,
        "bits of a TTI; 0 = as many as the input holds, without filler"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct conv_decoder, short_blocks, "block", "messages that were not one whole TTI"),
};

static int decoder_cut(
    const struct conv_decoder *s, struct aloe_setup *setup, struct utran_code_blocks *ret_cut)
{
	const enum utran_conv_rate rate = (enum utran_conv_rate)s->rate;
	const uint32_t coded = setup->in[0].max;
	uint32_t need;

	if (!s->block) {
		if (utran_conv_blocks(rate, coded, ret_cut) < 0)
			return aloe_fail(setup,
			    "input of %u soft bits is not what a code of rate %s makes of a TTI",
			    coded, rates[rate]);
		return 0;
	}
	if (utran_code_blocks_init(ret_cut, (uint32_t)s->block, UTRAN_CONVOLUTIONAL_K_MIN,
	        UTRAN_CONVOLUTIONAL_K_MAX) < 0)
		return aloe_fail(setup, "block %d cannot be cut into code blocks", s->block);
	need = ret_cut->blocks * utran_conv_coded(rate, ret_cut->k);
	if (coded != need)
		return aloe_fail(setup, "block %d needs %u soft bits, but the input has %u",
		    s->block, need, coded);
	return 0;
}

static int decoder_shape(void *self, struct aloe_setup *setup)
{
	struct utran_code_blocks cut;

	if (decoder_cut(self, setup, &cut) < 0)
		return -1;
	setup->out[0].max = cut.bits;
	return 0;
}

static int decoder_init(void *self, struct aloe_setup *setup)
{
	struct conv_decoder *s = self;

	if (decoder_cut(s, setup, &s->cut) < 0)
		return -1;
	s->kernels = utran_viterbi_kernels((enum simd_level)setup->simd);
	s->viterbi = aloe_alloc(setup, sizeof(*s->viterbi));
	s->work = aloe_scratch(setup, sizeof(*s->work) + s->cut.k);
	if (!s->viterbi || !s->work)
		return aloe_fail(setup, "no memory for a block of %u bits", s->cut.k);
	s->filled = (uint8_t *)(s->work + 1);
	utran_viterbi_init(s->viterbi, (enum utran_conv_rate)s->rate);
	return 0;
}

static int decoder_work(void *self, struct aloe_slot *slot)
{
	struct conv_decoder *s = self;
	const uint32_t coded = utran_conv_coded((enum utran_conv_rate)s->rate, s->cut.k);
	const int16_t *in = aloe_in_llr16(slot, 0);
	uint8_t *out = aloe_out_bit(slot, 0);

	if (!aloe_pass_block(slot, 0, 0, s->cut.blocks * coded, s->cut.bits, &s->short_blocks))
		return 0;
	for (uint32_t r = 0; r < s->cut.blocks; r++) {
		utran_viterbi_decode(s->kernels, s->viterbi, s->work, in + r * coded, s->cut.k,
		    utran_code_block_room(&s->cut, r, out, s->filled));
		utran_code_block_put(&s->cut, r, out, s->filled);
	}
	return 0;
}

static void decoder_warm(const void *self, struct aloe_warm *warm)
{
	const struct conv_decoder *s = self;

	aloe_warm(warm, s->viterbi, sizeof(*s->viterbi));
	aloe_warm_code(warm, (uintptr_t)s->kernels->select, 1024);
	aloe_warm(warm, s->work, sizeof(*s->work));
}

ALOE_COMPONENT(utran_conv_decoder) = {
    .summary = "UTRAN convolutional decoder: Viterbi, 256 states, soft decision",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct conv_decoder),
    .kmac = 8,
    .shape = decoder_shape,
    .init = decoder_init,
    .work = decoder_work,
    .stateless = 1,
    .warm = decoder_warm,
};
