/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave1 - first interleaver, 3GPP TS 25.212 section 4.2.5. */
#include <aloe/component.h>

#include "core/kernels/utran_interleave.h"

struct interleave1 {
	int32_t tti_ms;
	uint32_t frames;
	uint32_t block;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "all bits of one TTI"),
    ALOE_OUT("out", ALOE_BIT, "the same bits, radio frame after radio frame"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct interleave1, tti_ms, 10, 10, 80, "ms", 0, "transmission time interval: 10, 20, 40 or 80"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct interleave1, short_blocks, "block", "messages that were not one whole TTI"),
};

static int interleave_check(void *self, struct aloe_setup *setup)
{
	const int32_t tti_ms = ((const struct interleave1 *)self)->tti_ms;

	if (!utran_tti_frames((uint32_t)tti_ms))
		return aloe_fail(setup, "tti_ms %d is not 10, 20, 40 or 80", tti_ms);
	return 0;
}

static int interleave_shape(void *self, struct aloe_setup *setup)
{
	const uint32_t frames = utran_tti_frames((uint32_t)((const struct interleave1 *)self)->tti_ms);

	if (setup->in[0].max % frames)
		return aloe_fail(setup, "input of %u bits is not a multiple of the %u radio frames of the TTI",
				 setup->in[0].max, frames);
	setup->out[0].max = setup->in[0].max;
	return 0;
}

static int interleave_init(void *self, struct aloe_setup *setup)
{
	struct interleave1 *s = self;

	s->frames = utran_tti_frames((uint32_t)s->tti_ms);
	s->block = setup->in[0].max;
	return 0;
}

static int interleave_work(void *self, struct aloe_slot *slot)
{
	struct interleave1 *s = self;

	if (aloe_pass_block(slot, 0, 0, s->block, s->block, &s->short_blocks))
		utran_interleave1_plain(aloe_in_bit(slot, 0), aloe_out_bit(slot, 0), s->block, s->frames);
	return 0;
}

ALOE_COMPONENT(utran_interleave1) = {
    .summary = "first interleaver of UTRAN: spread a TTI over its radio frames",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct interleave1),
    .kmac = 1,
    .check = interleave_check,
    .shape = interleave_shape,
    .init = interleave_init,
    .work = interleave_work,
};
