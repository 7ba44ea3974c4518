/* SPDX-License-Identifier: BSD-3-Clause
 * utran_conv_encoder - convolutional code of rate 1/2 or 1/3, 3GPP TS 25.212 sections 4.2.2.2 and
 * 4.2.3.1.
 *
 * All bits of a TTI go in. More than 504 are cut into code blocks of one size, with filler bits in
 * front where they do not divide; each is coded by itself, tail included, and they follow each
 * other. */
#include <aloe/component.h>

#include "core/kernels/utran_conv.h"

struct conv_encoder {
	int32_t rate;
	struct utran_code_blocks cut;
	uint8_t *scratch;
	uint64_t short_blocks;
};

static const char *const rates[] = {[UTRAN_CONV_HALF] = "1/2", [UTRAN_CONV_THIRD] = "1/3", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "all bits of one TTI"),
    ALOE_OUT(
        "out", ALOE_BIT, "coded bits: 2 or 3 for each bit and for the 8 of each code block's tail"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct conv_encoder, rate, rates, "1/3", 0, "rate of the code"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct conv_encoder, short_blocks, "block", "messages that were not one whole TTI"),
};

static int encoder_cut(uint32_t bits, struct aloe_setup *setup, struct utran_code_blocks *ret_cut)
{
	if (utran_code_blocks_init(
	        ret_cut, bits, UTRAN_CONVOLUTIONAL_K_MIN, UTRAN_CONVOLUTIONAL_K_MAX) < 0)
		return aloe_fail(setup, "input of %u bits is outside [%d, %d]", bits,
		    UTRAN_CONVOLUTIONAL_K_MIN, UTRAN_CODE_BLOCKS_MAX * UTRAN_CONVOLUTIONAL_K_MAX);
	return 0;
}

static int encoder_shape(void *self, struct aloe_setup *setup)
{
	const enum utran_conv_rate rate =
	    (enum utran_conv_rate)((const struct conv_encoder *)self)->rate;
	struct utran_code_blocks cut;

	if (encoder_cut(setup->in[0].max, setup, &cut) < 0)
		return -1;
	setup->out[0].max = cut.blocks * utran_conv_coded(rate, cut.k);
	return 0;
}

static int encoder_init(void *self, struct aloe_setup *setup)
{
	struct conv_encoder *s = self;

	if (encoder_cut(setup->in[0].max, setup, &s->cut) < 0)
		return -1;
	s->scratch = aloe_alloc(setup, s->cut.k);
	return s->scratch ? 0 : aloe_fail(setup, "no memory for a block of %u bits", s->cut.k);
}

static int encoder_work(void *self, struct aloe_slot *slot)
{
	struct conv_encoder *s = self;
	const enum utran_conv_rate rate = (enum utran_conv_rate)s->rate;
	const uint32_t coded = utran_conv_coded(rate, s->cut.k);
	const uint8_t *in = aloe_in_bit(slot, 0);
	uint8_t *out = aloe_out_bit(slot, 0);

	if (aloe_pass_block(slot, 0, 0, s->cut.bits, s->cut.blocks * coded, &s->short_blocks))
		for (uint32_t r = 0; r < s->cut.blocks; r++)
			utran_conv_encode(rate, utran_code_block_get(&s->cut, r, in, s->scratch),
			    s->cut.k, out + r * coded);
	return 0;
}

static void encoder_warm(const void *self, struct aloe_warm *warm)
{
	const struct conv_encoder *s = self;

	aloe_warm_code(warm, (uintptr_t)utran_conv_encode, 1024);
	aloe_warm(warm, s->scratch, s->cut.filler ? s->cut.k : 0);
}

ALOE_COMPONENT(utran_conv_encoder) = {
    .summary = "UTRAN convolutional coder, rate 1/2 or 1/3, with its tail",
    .doc = "X bits make 2 or 3 times X + 8; more than 504 are cut into code blocks.",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct conv_encoder),
    .kmac = 1,
    .shape = encoder_shape,
    .init = encoder_init,
    .work = encoder_work,
    .stateless = 1,
    .warm = encoder_warm,
};
