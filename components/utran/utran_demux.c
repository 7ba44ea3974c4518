/* SPDX-License-Identifier: BSD-3-Clause
 * utran_demux - undo utran_mux on soft bits: a radio frame back into its transport channels.
 *
 * How many soft bits each channel has is said by length0 to length3, or follows from frame_bits
 * and rm as it did in utran_rate_match (share.h): then the input is the whole of the physical
 * channel. */
#include <aloe/component.h>

#include "components/utran/share.h"

enum { CHANNELS = 4 };

struct demux {
	int32_t length0, length1, length2, length3;
	struct aloe_reals frame_bits;
	struct aloe_reals rm;
	uint32_t frame;
	uint32_t bits[CHANNELS];
	bool connected[CHANNELS];
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "soft bits of one radio frame of the physical channel"),
    ALOE_OUT("out0", ALOE_LLR16, "radio frame of transport channel 1"),
    ALOE_OUT_OPTIONAL("out1", ALOE_LLR16, "radio frame of transport channel 2"),
    ALOE_OUT_OPTIONAL("out2", ALOE_LLR16, "radio frame of transport channel 3"),
    ALOE_OUT_OPTIONAL("out3", ALOE_LLR16, "radio frame of transport channel 4"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct demux, length0, 0, 0, 1 << 20, "bit", 0,
        "soft bits of out0; 0 = what the other outputs leave"),
    ALOE_PARAM_INT(
        struct demux, length1, 0, 0, 1 << 20, "bit", 0, "soft bits of out1, also if not connected"),
    ALOE_PARAM_INT(
        struct demux, length2, 0, 0, 1 << 20, "bit", 0, "soft bits of out2, also if not connected"),
    ALOE_PARAM_INT(
        struct demux, length3, 0, 0, 1 << 20, "bit", 0, "soft bits of out3, also if not connected"),
    SHARE_PARAMS(struct demux),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct demux, short_blocks, "block", "messages that were not one whole radio frame"),
};

/* demux_shares works out what each output gets by the channels' shares. */
static int demux_shares(const struct demux *s, struct aloe_setup *setup, uint32_t *bits)
{
	uint32_t matched[UTRAN_RATE_CHANNELS_MAX] = {0};

	if (s->length0 || s->length1 || s->length2 || s->length3)
		return aloe_fail(setup, "frame_bits and a length are both set; give one of them");
	if (s->frame_bits.len > CHANNELS)
		return aloe_fail(setup, "frame_bits has %u items, but there are %d outputs",
		    s->frame_bits.len, CHANNELS);
	if (share_work_out(&s->frame_bits, &s->rm, setup->in[0].max, setup, matched) < 0)
		return -1;
	for (unsigned i = 0; i < CHANNELS; i++)
		bits[i] = matched[i];
	return 0;
}

/* demux_lengths works out what each output gets, into bits[]; the sum is the frame. */
static int demux_lengths(const struct demux *s, struct aloe_setup *setup, uint32_t *bits)
{
	const uint32_t frame = setup->in[0].max;
	const uint64_t others = (uint64_t)s->length1 + (uint64_t)s->length2 + (uint64_t)s->length3;

	if (s->frame_bits.len)
		return demux_shares(s, setup, bits);
	bits[0] = (uint32_t)s->length0;
	bits[1] = (uint32_t)s->length1;
	bits[2] = (uint32_t)s->length2;
	bits[3] = (uint32_t)s->length3;
	if (bits[0] == 0 && others < frame)
		bits[0] = frame - (uint32_t)others;
	if (others + bits[0] != frame || bits[0] == 0)
		return aloe_fail(setup,
		    "lengths %d + %d + %d + %d do not make the radio frame of %u soft bits",
		    s->length0, s->length1, s->length2, s->length3, frame);
	return 0;
}

static int demux_shape(void *self, struct aloe_setup *setup)
{
	uint32_t bits[CHANNELS] = {0};

	if (demux_lengths(self, setup, bits) < 0)
		return -1;
	for (unsigned i = 0; i < CHANNELS; i++) {
		if (setup->out[i].type && bits[i] == 0)
			return aloe_fail(setup, "out%u is connected but length%u is 0", i, i);
		setup->out[i].max = setup->out[i].type ? bits[i] : 0;
	}
	return 0;
}

static int demux_init(void *self, struct aloe_setup *setup)
{
	struct demux *s = self;

	s->frame = setup->in[0].max;
	for (unsigned i = 0; i < CHANNELS; i++)
		s->connected[i] = setup->out[i].type != 0;
	return demux_lengths(s, setup, s->bits);
}

static int demux_work(void *self, struct aloe_slot *slot)
{
	struct demux *s = self;
	const int16_t *in = aloe_in_llr16(slot, 0);
	const bool whole = aloe_pass_block(slot, 0, 0, s->frame, s->bits[0], &s->short_blocks);

	for (unsigned i = 0; i < CHANNELS; i++) {
		if (s->connected[i] && whole) {
			memcpy(aloe_out_llr16(slot, i), in, s->bits[i] * sizeof(*in));
			aloe_put(slot, i, s->bits[i]);
		} else if (s->connected[i]) {
			slot->out[i].state = slot->out[0].state;
		}
		in += whole ? s->bits[i] : 0;
	}
	return 0;
}

ALOE_COMPONENT(utran_demux) = {
    .summary = "split a radio frame of soft bits into its 1 to 4 UTRAN transport channels",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct demux),
    .kmac = 1,
    .mix = "copy 1",
    .shape = demux_shape,
    .init = demux_init,
    .work = demux_work,
    .stateless = 1,
};
