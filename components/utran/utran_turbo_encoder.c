/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_encoder - turbo code of rate 1/3, 3GPP TS 25.212 section 4.2.3.2.
 *
 * Every message is one TTI: its X bits are cut into code blocks of one size (section 4.2.2.2),
 * zeros before the first one fill up what is missing, and the coded blocks follow each other. */
#include <aloe/component.h>

#include "core/kernels/utran_code_block.h"
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_encoder.h"

struct turbo_encoder {
	struct utran_code_blocks cut;
	const struct utran_turbo_encoder_kernels *kernels;
	struct utran_turbo_encoder encoder;
	uint8_t *scratch; /* a first block with its filler */
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "X bits of one TTI, up to 16 code blocks of 5114"),
    ALOE_OUT("out", ALOE_BIT, "3K + 12 coded bits a block"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct turbo_encoder, short_blocks, "block", "messages that were not one whole TTI"),
};

static int encoder_cut(const struct aloe_setup *setup, struct utran_code_blocks *ret_cut)
{
	return utran_code_blocks_init(
	    ret_cut, setup->in[0].max, UTRAN_TURBO_K_MIN, UTRAN_TURBO_K_MAX);
}

static int encoder_shape(void *self, struct aloe_setup *setup)
{
	struct utran_code_blocks cut;

	(void)self;
	if (encoder_cut(setup, &cut) < 0)
		return aloe_fail(setup, "input of %u bits is outside [1, %d], %d code blocks of %d",
		    setup->in[0].max, UTRAN_CODE_BLOCKS_MAX * UTRAN_TURBO_K_MAX,
		    UTRAN_CODE_BLOCKS_MAX, UTRAN_TURBO_K_MAX);
	setup->out[0].max = cut.blocks * utran_turbo_coded(cut.k);
	return 0;
}

static int encoder_init(void *self, struct aloe_setup *setup)
{
	struct turbo_encoder *s = self;
	void *memory;

	encoder_cut(setup, &s->cut);
	s->kernels = utran_turbo_encoder_kernels((enum simd_level)setup->simd);
	s->scratch = aloe_alloc(setup, s->cut.k);
	memory = aloe_alloc(setup, utran_turbo_encoder_size(s->cut.k));
	if (!s->scratch || !memory)
		return aloe_fail(setup, "no memory for a block of %u bits", s->cut.k);
	return utran_turbo_encoder_init(&s->encoder, s->cut.k, memory);
}

static int encoder_work(void *self, struct aloe_slot *slot)
{
	struct turbo_encoder *s = self;
	const uint32_t coded = utran_turbo_coded(s->cut.k);

	if (!aloe_pass_block(slot, 0, 0, s->cut.bits, s->cut.blocks * coded, &s->short_blocks))
		return 0;
	for (uint32_t r = 0; r < s->cut.blocks; r++)
		s->kernels->encode(&s->encoder,
		    utran_code_block_get(&s->cut, r, aloe_in_bit(slot, 0), s->scratch),
		    aloe_out_bit(slot, 0) + r * coded);
	return 0;
}

static void encoder_warm(const void *self, struct aloe_warm *warm)
{
	const struct turbo_encoder *s = self;

	aloe_warm(warm, s->encoder.gather, utran_turbo_encoder_size(s->cut.k)); /* the first */
	aloe_warm_code(warm, (uintptr_t)s->kernels->encode, 2048);
	aloe_warm(warm, s->scratch, s->cut.filler ? s->cut.k : 0);
}

ALOE_COMPONENT(utran_turbo_encoder) = {
    .summary = "UTRAN turbo coder, rate 1/3: K bits to 3K + 12, up to 16 code blocks",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct turbo_encoder),
    .kmac = 2,
    /* registers write what comes out of them: the first stream is left */
    .mix = "gather8 1, register 2, weave 1",
    .shape = encoder_shape,
    .init = encoder_init,
    .work = encoder_work,
    .stateless = 1,
    .warm = encoder_warm,
};
