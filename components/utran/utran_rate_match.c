/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate_match - puncture or repeat coded bits so that the transport channels fill the radio
 * frame, 3GPP TS 25.212 section 4.2.7.
 *
 * All TTIs of a channel are of one size, that of its largest transport format, so fixed and
 * flexible positions are matched alike; positions that a frame has left (`output` given, and less
 * than there are) are utran_dtx's.
 *
 * Downlink: one pattern for a TTI, before the first interleaver. Uplink: one for each radio frame
 * of the TTI, after the segmentation; frame n is that where (index - tti_phase) mod (tti_ms / 10) =
 * n. How many bits a radio frame gets is said by `output`, or follows from the physical channel's
 * `ndata` and all its transport channels (share.h). */
#include <aloe/component.h>

#include "components/utran/rate.h"
#include "components/utran/share.h"
#include "components/utran/tti.h"

struct rate_match {
	int32_t output;
	int32_t ndata;
	struct aloe_reals frame_bits;
	struct aloe_reals rm;
	int32_t channel;
	int32_t tti_ms;
	int32_t tti_phase;
	int32_t coding;
	int32_t direction;
	struct rate_patterns patterns;
	uint64_t short_blocks;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "all coded bits of one TTI; uplink: of one radio frame"),
    ALOE_OUT("out", ALOE_BIT, "output bits for each radio frame"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct rate_match, output, 0, 0, 131072, "bit", 0,
        "bits per radio frame of 10 ms; 0 = computed from ndata and frame_bits"),
    ALOE_PARAM_INT(struct rate_match, ndata, 0, 0, 131072, "bit", 0,
        "data bits of the physical channel per radio frame"),
    SHARE_PARAMS(struct rate_match),
    ALOE_PARAM_INT(struct rate_match, channel, 1, 1, UTRAN_RATE_CHANNELS_MAX, "", 0,
        "number of this transport channel, counted from 1 in frame_bits"),
    ALOE_PARAM_INT(struct rate_match, tti_ms, 10, 10, 80, "ms", 0,
        "transmission time interval: 10, 20, 40 or 80"),
    RATE_PARAMS(struct rate_match),
};

static const struct aloe_var vars[] = {
    RATE_VARS(struct rate_match),
};

static int match_check(void *self, struct aloe_setup *setup)
{
	const struct rate_match *s = self;

	if (tti_check(s->tti_ms, s->tti_phase, setup) < 0)
		return -1;
	if (s->output && s->ndata)
		return aloe_fail(setup, "output = %d and ndata = %d are both set; give one of them",
		    s->output, s->ndata);
	if (!s->output && !s->ndata)
		return aloe_fail(setup, "output is not set; give output, or ndata and frame_bits");
	if (!s->ndata && s->frame_bits.len)
		return aloe_fail(setup, "frame_bits is set, but ndata is not; give both");
	if (s->ndata && (uint32_t)s->channel > s->frame_bits.len)
		return aloe_fail(setup, "channel %d is not among the %u of frame_bits", s->channel,
		    s->frame_bits.len);
	return 0;
}

/* Radio frames that a message carries. */
static uint32_t match_frames(const struct rate_match *s)
{
	return s->direction == RATE_UPLINK ? 1 : utran_tti_frames((uint32_t)s->tti_ms);
}

static int match_output(const struct rate_match *s, struct aloe_setup *setup, uint32_t *ret_bits)
{
	uint32_t matched[UTRAN_RATE_CHANNELS_MAX];
	const uint32_t frames = match_frames(s);

	*ret_bits = (uint32_t)s->output;
	if (s->output)
		return 0;
	if (s->frame_bits.data[s->channel - 1] * (float)frames != (float)setup->in[0].max)
		return aloe_fail(setup,
		    "frame_bits[%d] = %g, but the input has %u bits in %u radio frame%s",
		    s->channel - 1, (double)s->frame_bits.data[s->channel - 1], setup->in[0].max,
		    frames, frames > 1 ? "s" : "");
	if (share_work_out(&s->frame_bits, &s->rm, (uint32_t)s->ndata, setup, matched) < 0)
		return -1;
	*ret_bits = matched[s->channel - 1];
	return 0;
}

static int match_shape(void *self, struct aloe_setup *setup)
{
	const struct rate_match *s = self;
	const uint32_t coded = setup->in[0].max, frames = match_frames(s);
	const uint32_t least = utran_rate_min(coded, (enum utran_coding)s->coding),
	               most = utran_rate_max(coded);
	uint32_t output;

	if (s->coding == UTRAN_TURBO && s->direction == RATE_DOWNLINK &&
	    (coded % 3 || coded > UTRAN_RATE_BITS_MAX))
		return aloe_fail(setup,
		    "input of %u bits is not a multiple of 3 up to %d, as turbo coded bits are",
		    coded, UTRAN_RATE_BITS_MAX / 3 * 3);
	if (coded > UTRAN_RATE_BITS_MAX)
		return aloe_fail(
		    setup, "input of %u bits is more than %d", coded, UTRAN_RATE_BITS_MAX);
	if (match_output(s, setup, &output) < 0)
		return -1;
	if (frames * output < least || frames * output > most)
		return aloe_fail(setup,
		    "output %u is outside [%u, %u] for %u coded bits in %u radio frame%s", output,
		    (least + frames - 1) / frames, most / frames, coded, frames,
		    frames > 1 ? "s" : "");
	setup->out[0].max = frames * output;
	return 0;
}

static int match_init(void *self, struct aloe_setup *setup)
{
	struct rate_match *s = self;

	s->patterns.coded = setup->in[0].max;
	s->patterns.matched = setup->out[0].max;
	s->patterns.len = utran_tti_frames((uint32_t)s->tti_ms) / match_frames(s);
	return rate_patterns_init(&s->patterns, (enum utran_coding)s->coding,
	    (enum rate_direction)s->direction, utran_rate_plan_match, setup);
}

static int match_work(void *self, struct aloe_slot *slot)
{
	struct rate_match *s = self;
	const struct rate_patterns *p = &s->patterns;
	const struct utran_rate_plan *plan = rate_plan_at(p, slot->index, s->tti_phase);

	if (aloe_pass_block(slot, 0, 0, p->coded, p->matched, &s->short_blocks))
		p->kernels->match(plan, aloe_in_bit(slot, 0), aloe_out_bit(slot, 0));
	return 0;
}

static void match_warm(const void *self, struct aloe_warm *warm)
{
	const struct rate_match *s = self;

	rate_warm(&s->patterns, warm);
	aloe_warm_code(warm, (uintptr_t)s->patterns.kernels->match, 1024);
}

ALOE_COMPONENT(utran_rate_match) = {
    .summary = "puncture or repeat coded bits to fill the radio frame",
    .doc = "Downlink: one pattern per TTI; uplink: one per radio frame. A turbo code is punctured "
           "in its parity bits only. The frame's share is `output`, or follows from ndata, "
           "frame_bits, rm and channel (equation 1 of 4.2.7).",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct rate_match),
    .kmac = 1,
    .mix = "shuffle8 1",
    .check = match_check,
    .shape = match_shape,
    .init = match_init,
    .work = match_work,
    .stateless = 1,
    .warm = match_warm,
};
