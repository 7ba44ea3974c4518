/* SPDX-License-Identifier: BSD-3-Clause
 * utran_desegment - join the radio frames of a TTI, undoing utran_segment on soft bits.
 *
 * Frame n of a TTI of F frames comes where (index - tti_phase) mod F = n; the TTI leaves with its
 * last frame, in the other indices readers see IDLE. A frame that is missing is concealed as soft
 * bits 0 (nothing known), which the decoder may still make good; with none of its frames the TTI is
 * ABSENT, or IDLE if they all were. */
#include <aloe/component.h>

#include "components/utran/tti.h"

struct desegment {
	int32_t tti_ms;
	int32_t tti_phase;
	uint32_t frames;
	uint32_t frame_bits;
	uint64_t tti;   /* number of the TTI gathered, from 1; 0 none */
	uint32_t valid; /* bit n: frame n of it came */
	uint32_t idle;
	int16_t *soft; /* frames but the last */
	uint64_t short_blocks;
	uint64_t lost_frames;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "the soft bits of one radio frame"),
    ALOE_OUT(
        "out", ALOE_LLR16, "all soft bits of one TTI, in its last radio frame; IDLE in the others"),
};

static const struct aloe_param params[] = {
    TTI_PARAM_MS(struct desegment),
    TTI_PARAM_PHASE(struct desegment),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct desegment, short_blocks, "block", "messages that were not one whole radio frame"),
    ALOE_VAR_U64(struct desegment, lost_frames, "frame",
        "missing radio frames concealed in TTIs of which another frame came"),
};

static int desegment_check(void *self, struct aloe_setup *setup)
{
	const struct desegment *s = self;

	return tti_check(s->tti_ms, s->tti_phase, setup);
}

static int desegment_shape(void *self, struct aloe_setup *setup)
{
	const uint32_t frames =
	    utran_tti_frames((uint32_t)((const struct desegment *)self)->tti_ms);

	setup->out[0].max = setup->in[0].max * frames;
	/* of a TTI that the run ends in: its other frames are concealed */
	setup->tail = frames - 1;
	return 0;
}

static int desegment_init(void *self, struct aloe_setup *setup)
{
	struct desegment *s = self;

	s->frames = utran_tti_frames((uint32_t)s->tti_ms);
	s->frame_bits = setup->in[0].max;
	s->soft = aloe_alloc(setup, setup->out[0].max * sizeof(*s->soft));
	return s->soft ? 0
	               : aloe_fail(setup, "no memory for a TTI of %u soft bits", setup->out[0].max);
}

static int desegment_reset(void *self)
{
	((struct desegment *)self)->tti = 0;
	return 0;
}

/* Frames of an earlier TTI, left over when indices were skipped, must not be taken for this
 * one's. */
static void desegment_begin(struct desegment *s, uint64_t tti)
{
	if (s->tti == tti)
		return;
	s->tti = tti;
	s->valid = s->idle = 0;
}

/* The last frame needs no place to wait in. */
static void desegment_take(struct desegment *s, const struct aloe_in *in, uint32_t frame)
{
	if (in->state == ALOE_IDLE)
		s->idle++;
	if (in->state != ALOE_VALID)
		return;
	if (in->len != s->frame_bits) {
		s->short_blocks++;
		return;
	}
	s->valid |= 1u << frame;
	if (frame < s->frames - 1)
		memcpy(s->soft + frame * s->frame_bits, in->data, s->frame_bits * sizeof(*s->soft));
}

static void desegment_emit(struct desegment *s, struct aloe_slot *slot)
{
	int16_t *out = aloe_out_llr16(slot, 0);

	if (s->valid == 0) {
		slot->out[0].state = s->idle == s->frames ? ALOE_IDLE : ALOE_ABSENT;
		return;
	}
	for (uint32_t frame = 0; frame < s->frames; frame++, out += s->frame_bits) {
		const int16_t *from = frame == s->frames - 1 ? aloe_in_llr16(slot, 0)
		                                             : s->soft + frame * s->frame_bits;
		const bool valid = s->valid >> frame & 1;

		s->lost_frames += !valid;
		if (valid)
			memcpy(out, from, s->frame_bits * sizeof(*out));
		else
			memset(out, 0, s->frame_bits * sizeof(*out));
	}
	aloe_put(slot, 0, s->frames * s->frame_bits);
}

static int desegment_work(void *self, struct aloe_slot *slot)
{
	struct desegment *s = self;
	const uint32_t frame = tti_frame(slot->index, s->frames, s->tti_phase);

	desegment_begin(s, tti_number(slot->index, s->frames, s->tti_phase));
	desegment_take(s, &slot->in[0], frame);
	if (frame == s->frames - 1)
		desegment_emit(s, slot);
	else
		slot->out[0].state = ALOE_IDLE;
	return 0;
}

static void desegment_warm(const void *self, struct aloe_warm *warm)
{
	const struct desegment *s = self;

	aloe_warm(warm, s->soft, (size_t)(s->frames - 1) * s->frame_bits * sizeof(*s->soft));
}

ALOE_COMPONENT(utran_desegment) = {
    .summary = "join the radio frames of a UTRAN TTI, soft bits",
    .doc = "The TTI leaves with its last frame, (tti_ms / 10) - 1 indices after utran_segment got "
           "the TTI. A missing frame is concealed as soft bits 0 as long as the TTI has another "
           "frame.",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct desegment),
    .kmac = 1,
    .mix = "copy 1",
    .tail = TTI_FRAMES_MAX - 1,
    .check = desegment_check,
    .shape = desegment_shape,
    .init = desegment_init,
    .work = desegment_work,
    .reset = desegment_reset,
    .warm = desegment_warm,
};
