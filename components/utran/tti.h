/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tti.h - transmission time intervals: a slot is one radio frame of 10 ms, and frame n of a TTI of
 * F frames is that where (index - tti_phase) mod F = n.
 */
#ifndef COMPONENTS_UTRAN_TTI_H
#define COMPONENTS_UTRAN_TTI_H

#include <aloe/component.h>

#include "core/kernels/utran_interleave.h"

enum { TTI_FRAMES_MAX = 8 }; /* of 80 ms */

/* tti_check says what is wrong with the parameters tti_ms and tti_phase: 0, or -1 after
 * aloe_fail. */
static inline int tti_check(int32_t tti_ms, int32_t tti_phase, struct aloe_setup *setup)
{
	const uint32_t frames = utran_tti_frames((uint32_t)tti_ms);

	if (!frames)
		return aloe_fail(setup, "tti_ms %d is not 10, 20, 40 or 80", tti_ms);
	if ((uint32_t)tti_phase >= frames)
		return aloe_fail(setup, "tti_phase %d is outside [0, %u] for tti_ms %d", tti_phase,
		    frames - 1, tti_ms);
	return 0;
}

/* The parameters, for the table of a component whose state S has them as int32_t. */
#define TTI_PARAM_MS(S)                                                                            \
	ALOE_PARAM_INT(                                                                            \
	    S, tti_ms, 10, 10, 80, "ms", 0, "transmission time interval: 10, 20, 40 or 80")
#define TTI_PARAM_PHASE(S)                                                                         \
	ALOE_PARAM_INT(S, tti_phase, 0, 0, 7, "slot", 0, "index of the first radio frame of a TTI")

/* tti_shape gives output 0 the bits of one radio frame (`frame`) or of all the TTI that comes in at
 * input 0: 0, or -1 after aloe_fail. */
static inline int tti_shape(int32_t tti_ms, bool frame, struct aloe_setup *setup)
{
	const uint32_t frames = utran_tti_frames((uint32_t)tti_ms);

	if (setup->in[0].max % frames)
		return aloe_fail(setup,
		    "input of %u bits is not a multiple of the %u radio frames of the TTI",
		    setup->in[0].max, frames);
	setup->out[0].max = frame ? setup->in[0].max / frames : setup->in[0].max;
	return 0;
}

/* tti_number counts TTIs, from 0 for the one that index 0 belongs to or from 1 if index 0 is its
 * first frame; tti_frame gives the frame within it. */
static inline uint64_t tti_number(uint64_t index, uint32_t frames, int32_t tti_phase)
{
	return (index + frames - (uint32_t)tti_phase) / frames;
}

static inline uint32_t tti_frame(uint64_t index, uint32_t frames, int32_t tti_phase)
{
	return (uint32_t)((index + frames - (uint32_t)tti_phase) % frames);
}

#endif
