/* SPDX-License-Identifier: BSD-3-Clause
 * utran_dtx - insertion of DTX, positions in which nothing is sent: 3GPP TS 25.212 section 4.2.9.
 *
 * A position is a byte: 0 and 1 are the bits, 2 is DTX, which the interleavers move like any other,
 * bpsk_mod sends as amplitude 0, and a receiver sees as a soft bit near 0. After this component the
 * chain carries bytes, in all of its transport channels: those that have nothing to insert go
 * through one all the same.
 *
 * First insertion (fixed positions, 4.2.9.1): behind utran_rate_match of each channel. Bits that
 * are fewer than the largest TTI are followed by DTX; a TTI without a transport block, IDLE at its
 * first index, is DTX altogether, and the other channels go on. Behind the end of the run nothing
 * is inserted. Second insertion (4.2.9.2): behind utran_mux, `output` the bits of the physical
 * channel. */
#include <aloe/component.h>

#include "components/utran/tti.h"

enum { DTX = 2 };

struct dtx {
	int32_t output;
	int32_t tti_ms;
	int32_t tti_phase;
	uint32_t frames;
	uint64_t bits;
	uint64_t positions;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "bits of one TTI, in its first radio frame"),
    ALOE_OUT("out", ALOE_BYTE, "the same bits, then 2 (DTX) in every position that is left"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct dtx, output, 0, 0, 131072, "bit", 0,
        "positions per radio frame; 0 = as many as the largest input has"),
    TTI_PARAM_MS(struct dtx),
    TTI_PARAM_PHASE(struct dtx),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct dtx, bits, "bit", "bits sent"),
    ALOE_VAR_U64(struct dtx, positions, "bit", "DTX positions inserted"),
};

static int dtx_check(void *self, struct aloe_setup *setup)
{
	const struct dtx *s = self;

	return tti_check(s->tti_ms, s->tti_phase, setup);
}

static int dtx_shape(void *self, struct aloe_setup *setup)
{
	const struct dtx *s = self;
	const uint32_t frames = utran_tti_frames((uint32_t)s->tti_ms), in = setup->in[0].max;
	const uint32_t output = s->output ? (uint32_t)s->output : in / frames;

	if (!s->output && in % frames)
		return aloe_fail(setup,
		    "input of %u bits is not a multiple of the %u radio frames of the TTI", in,
		    frames);
	if (output * frames < in)
		return aloe_fail(setup,
		    "output %u in %u radio frame%s is less than the input of %u bits", output,
		    frames, frames > 1 ? "s" : "", in);
	setup->out[0].max = output * frames;
	return 0;
}

static int dtx_init(void *self, struct aloe_setup *setup)
{
	struct dtx *s = self;

	(void)setup;
	s->frames = utran_tti_frames((uint32_t)s->tti_ms);
	return 0;
}

static int dtx_work(void *self, struct aloe_slot *slot)
{
	struct dtx *s = self;
	const uint32_t len = aloe_in_len(slot, 0), max = aloe_out_max(slot, 0);
	const bool none = slot->in[0].state == ALOE_IDLE &&
	    tti_frame(slot->index, s->frames, s->tti_phase) == 0 && !aloe_after(slot);
	uint8_t *out = aloe_out_byte(slot, 0);

	if (!aloe_in_valid(slot, 0) && !none) {
		slot->out[0].state = slot->in[0].state;
		return 0;
	}
	if (len)
		memcpy(out, aloe_in_bit(slot, 0), len);
	memset(out + len, DTX, max - len);
	s->bits += len;
	s->positions += max - len;
	aloe_put(slot, 0, max);
	return 0;
}

ALOE_COMPONENT(utran_dtx) = {
    .summary = "insert DTX: positions of a UTRAN radio frame in which nothing is sent",
    .doc =
        "Bits become bytes, and the value 2 fills the positions that are left. If a TTI is IDLE at "
        "its first index, all its positions are DTX.",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct dtx),
    .kmac = 1,
    .check = dtx_check,
    .shape = dtx_shape,
    .init = dtx_init,
    .work = dtx_work,
    .stateless = 1,
};
