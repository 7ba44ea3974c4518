/* SPDX-License-Identifier: BSD-3-Clause
 * utran_segment - cut a TTI into its radio frames, 3GPP TS 25.212 section 4.2.6.
 *
 * A slot is one radio frame of 10 ms. A TTI of F frames comes whole at indices where (index -
 * tti_phase) mod F = 0; frame n goes out n indices later. If the TTI was not there, all its frames
 * are what it was, ABSENT or IDLE. */
#include <aloe/component.h>

#include "components/utran/tti.h"

struct utran_segmenter {
	int32_t tti_ms;
	int32_t tti_phase;
	uint32_t frames;
	uint32_t frame_bits;
	uint64_t tti; /* number of the TTI kept, from 1; 0 none */
	uint32_t tti_state;
	uint8_t *bits; /* frames 1 and later: the first leaves at once */
	uint64_t short_blocks;
	uint64_t misplaced_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT | ALOE_BYTE, "all bits of one TTI, in its first radio frame"),
    ALOE_OUT("out", ALOE_BIT | ALOE_BYTE, "the bits of one radio frame"),
};

static const struct aloe_param params[] = {
    TTI_PARAM_MS(struct utran_segmenter),
    TTI_PARAM_PHASE(struct utran_segmenter),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct utran_segmenter, short_blocks, "block", "messages that were not one whole TTI"),
    ALOE_VAR_U64(struct utran_segmenter, misplaced_blocks, "block",
        "messages that came inside a TTI and were dropped"),
};

static int segment_check(void *self, struct aloe_setup *setup)
{
	const struct utran_segmenter *s = self;

	return tti_check(s->tti_ms, s->tti_phase, setup);
}

static int segment_shape(void *self, struct aloe_setup *setup)
{
	const struct utran_segmenter *s = self;

	setup->tail = utran_tti_frames((uint32_t)s->tti_ms) - 1;
	return tti_shape(s->tti_ms, true, setup);
}

static int segment_init(void *self, struct aloe_setup *setup)
{
	struct utran_segmenter *s = self;

	s->frames = utran_tti_frames((uint32_t)s->tti_ms);
	s->frame_bits = setup->out[0].max;
	s->bits = aloe_alloc(setup, setup->in[0].max);
	return s->bits ? 0 : aloe_fail(setup, "no memory for a TTI of %u bits", setup->in[0].max);
}

static int segment_reset(void *self)
{
	((struct utran_segmenter *)self)->tti = 0;
	return 0;
}

static void segment_first(struct utran_segmenter *s, struct aloe_slot *slot, uint64_t tti)
{
	const uint8_t *in = aloe_in_bit(slot, 0);

	s->tti = tti;
	if (aloe_pass_block(
	        slot, 0, 0, s->frames * s->frame_bits, s->frame_bits, &s->short_blocks)) {
		memcpy(aloe_out_bit(slot, 0), in, s->frame_bits);
		memcpy(s->bits, in + s->frame_bits, (s->frames - 1) * s->frame_bits);
	}
	s->tti_state = slot->out[0].state;
}

static void segment_later(
    struct utran_segmenter *s, struct aloe_slot *slot, uint64_t tti, uint32_t frame)
{
	if (aloe_in_valid(slot, 0))
		s->misplaced_blocks++;
	if (s->tti != tti)
		return;
	slot->out[0].state = s->tti_state;
	if (s->tti_state == ALOE_VALID) {
		memcpy(aloe_out_bit(slot, 0), s->bits + (frame - 1) * s->frame_bits, s->frame_bits);
		aloe_put(slot, 0, s->frame_bits);
	}
}

static int segment_work(void *self, struct aloe_slot *slot)
{
	struct utran_segmenter *s = self;
	const uint64_t tti = tti_number(slot->index, s->frames, s->tti_phase);
	const uint32_t frame = tti_frame(slot->index, s->frames, s->tti_phase);

	if (frame == 0)
		segment_first(s, slot, tti);
	else
		segment_later(s, slot, tti, frame);
	return 0;
}

static void segment_warm(const void *self, struct aloe_warm *warm)
{
	const struct utran_segmenter *s = self;

	aloe_warm(warm, s->bits, (size_t)(s->frames - 1) * s->frame_bits);
}

ALOE_COMPONENT(utran_segment) = {
    .summary = "cut a UTRAN TTI into radio frames, one per slot",
    .doc = "The TTI comes at indices where (index - tti_phase) mod (tti_ms / 10) = 0; its source "
           "has that period.",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct utran_segmenter),
    .kmac = 1,
    .mix = "copy 1",
    .tail = TTI_FRAMES_MAX - 1,
    .check = segment_check,
    .shape = segment_shape,
    .init = segment_init,
    .work = segment_work,
    .reset = segment_reset,
    .warm = segment_warm,
};
