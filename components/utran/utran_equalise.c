/* SPDX-License-Identifier: BSD-3-Clause
 * utran_equalise - radio frame size equalisation, 3GPP TS 25.212 section 4.2.4, uplink: coded bits
 * of a TTI are followed by as many more, here zeros, as it takes to cut it into radio frames of one
 * size. */
#include <aloe/component.h>

#include "components/utran/tti.h"

struct equalise {
	int32_t tti_ms;
	uint32_t coded, padded;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "all coded bits of one TTI"),
    ALOE_OUT(
        "out", ALOE_BIT, "the same bits and padding, a multiple of the radio frames of the TTI"),
};

static const struct aloe_param params[] = {
    TTI_PARAM_MS(struct equalise),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct equalise, short_blocks, "block", "messages that were not one whole TTI"),
};

static int equalise_check(void *self, struct aloe_setup *setup)
{
	return tti_check(((const struct equalise *)self)->tti_ms, 0, setup);
}

static int equalise_shape(void *self, struct aloe_setup *setup)
{
	const uint32_t frames = utran_tti_frames((uint32_t)((const struct equalise *)self)->tti_ms);

	setup->out[0].max = (setup->in[0].max + frames - 1) / frames * frames;
	return 0;
}

static int equalise_init(void *self, struct aloe_setup *setup)
{
	struct equalise *s = self;

	s->coded = setup->in[0].max;
	s->padded = setup->out[0].max;
	return 0;
}

static int equalise_work(void *self, struct aloe_slot *slot)
{
	struct equalise *s = self;
	uint8_t *out = aloe_out_bit(slot, 0);

	if (!aloe_pass_block(slot, 0, 0, s->coded, s->padded, &s->short_blocks))
		return 0;
	memcpy(out, aloe_in_bit(slot, 0), s->coded);
	memset(out + s->coded, 0, s->padded - s->coded);
	return 0;
}

ALOE_COMPONENT(utran_equalise) = {
    .summary = "pad the coded bits of a UTRAN TTI so that its radio frames are of one size",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct equalise),
    .kmac = 1,
    .check = equalise_check,
    .shape = equalise_shape,
    .init = equalise_init,
    .work = equalise_work,
    .stateless = 1,
};
