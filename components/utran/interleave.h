/* SPDX-License-Identifier: BSD-3-Clause
 *
 * interleave.h - what the two interleavers of UTRAN and what undoes them have in common: blocks of
 * one size, a TTI for the first interleaver, a radio frame for the second.
 */
#ifndef COMPONENTS_UTRAN_INTERLEAVE_H
#define COMPONENTS_UTRAN_INTERLEAVE_H

#include <aloe/component.h>

#include "components/utran/tti.h"

struct interleave {
	int32_t tti_ms; /* of the first interleaver */
	uint32_t frames;
	uint32_t block;
	const struct utran_interleave_kernels *kernels;
	uint64_t short_blocks;
};

#define INTERLEAVE_VARS(whole)                                                                     \
	ALOE_VAR_U64(                                                                              \
	    struct interleave, short_blocks, "block", "messages that were not one whole " whole)

static inline int interleave_init(void *self, struct aloe_setup *setup)
{
	struct interleave *s = (struct interleave *)self;

	s->frames = utran_tti_frames((uint32_t)s->tti_ms);
	s->block = setup->in[0].max;
	s->kernels = utran_interleave_kernels((enum simd_level)setup->simd);
	return 0;
}

static inline int interleave1_check(void *self, struct aloe_setup *setup)
{
	return tti_check(((const struct interleave *)self)->tti_ms, 0, setup);
}

static inline int interleave1_shape(void *self, struct aloe_setup *setup)
{
	return tti_shape(((const struct interleave *)self)->tti_ms, false, setup);
}

/* interleave_pass tells whether the message at the input is a whole block, which is to be worked
 * on. */
static inline bool interleave_pass(struct interleave *s, struct aloe_slot *slot)
{
	return aloe_pass_block(slot, 0, 0, s->block, s->block, &s->short_blocks);
}

#endif
