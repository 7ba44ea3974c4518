/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/channel/frames.h - overlap-save frames to spectra and back, by the project's own
 * transforms where they have the size (core/kernels/spectrum.h) and by FFTW elsewhere.
 *
 * A frame is [ nothing | the block before | the block now ]: two blocks where that is a size of
 * ours, else padded in front to a size that FFTW is fast at. A filter of one block lies at the
 * frame's beginning, so that the last block of the circular convolution is that of the linear one.
 */
#ifndef COMPONENTS_CHANNEL_FRAMES_H
#define COMPONENTS_CHANNEL_FRAMES_H

#include <aloe/component.h>

#include <math.h>

#include "core/fft/fft.h"
#include "core/kernels/spectrum.h"

enum frames_transform { FRAMES_AUTO, FRAMES_OWN, FRAMES_FFTW };

struct frames {
	uint32_t block;
	uint32_t size; /* of a transform */
	uint32_t bins; /* of a spectrum: size, padded */
	bool own;
	const struct spectrum_kernels *kernels;
	struct spectrum_plan plan;
	struct fft *there, *back;
};

/* What a transform works in: one for each thread. */
struct frames_scratch {
	float *frame, *out; /* padded, re and im side by side */
};

/* frames_own says whether our transforms are taken: whatever the vector level is, for ours give the
 * same bits on all of them. */
static inline bool frames_own(uint32_t block, enum frames_transform transform)
{
	return spectrum_has_size(2 * block) && transform != FRAMES_FFTW;
}

/* frames_check [control] refuses what cannot be transformed. */
static inline int frames_check(
    uint32_t block, enum frames_transform transform, struct aloe_setup *setup)
{
	if (block < 1 || block > FFT_SIZE_MAX / 4)
		return aloe_fail(
		    setup, "a block of %u items is outside [1, %d]", block, FFT_SIZE_MAX / 4);
	if (transform == FRAMES_OWN && !spectrum_has_size(2 * block))
		return aloe_fail(setup,
		    "transform = own needs blocks of a power of two from %d to %d items, but a "
		    "block has %u",
		    SPECTRUM_SIZE_MIN / 2, SPECTRUM_SIZE_MAX / 2, block);
	return 0;
}

/* frames_scratch_alloc [control] gives 0, or -1 when there is no memory. */
static inline int frames_scratch_alloc(
    const struct frames *frames, struct aloe_setup *setup, struct frames_scratch *ret_scratch)
{
	ret_scratch->frame = (float *)aloe_alloc(setup, 2 * (size_t)frames->bins * sizeof(float));
	ret_scratch->out = (float *)aloe_alloc(setup, 2 * (size_t)frames->bins * sizeof(float));
	return ret_scratch->frame && ret_scratch->out ? 0 : -1;
}

static inline int frames_init_own(struct frames *frames, struct aloe_setup *setup)
{
	void *tables;

	frames->kernels = spectrum_kernels((enum simd_level)setup->simd, frames->size);
	tables = aloe_alloc(setup, spectrum_plan_bytes(frames->size));
	if (!tables)
		return -1;
	spectrum_plan_init(frames->size, tables, &frames->plan);
	return 0;
}

/* frames_init [control] makes the plans; frames is zeroed. 0, or negative: no memory. frames_fini
 * takes what it left. */
static inline int frames_init(struct frames *frames, uint32_t block,
    enum frames_transform transform, struct aloe_setup *setup)
{
	frames->block = block;
	frames->own = frames_own(block, transform);
	frames->size = frames->own ? 2 * block : fft_size_above(2 * block);
	frames->bins = (uint32_t)(spectrum_floats(frames->size) / 2);
	if (frames->own)
		return frames_init_own(frames, setup);
	frames->kernels = spectrum_kernels((enum simd_level)setup->simd, SPECTRUM_SIZE_MAX);
	if (fft_new(frames->size, FFT_FORWARD, FFT_SAME, &frames->there) < 0 ||
	    fft_new(frames->size, FFT_INVERSE, FFT_SAME, &frames->back) < 0)
		return -1;
	return 0;
}

static inline void frames_fini(struct frames *frames)
{
	fft_free(frames->there);
	fft_free(frames->back);
	frames->there = frames->back = NULL;
}

/* frames_history_floats: of the block before, that frames_forward keeps. */
static inline size_t frames_history_floats(const struct frames *frames)
{
	return 2 * (size_t)frames->block;
}

/* frames_forward [slot] transforms the frame of `in` (a whole block) and what history has, and puts
 * `in` there. */
static inline void frames_forward(const struct frames *frames, struct frames_scratch *scratch,
    const float *in, float *history, float *ret_spectrum)
{
	const size_t items = 2 * (size_t)frames->block,
	             front = 2 * (size_t)frames->size - 2 * items;

	if (frames->own) {
		frames->kernels->forward(&frames->plan, in, history, ret_spectrum);
		return;
	}
	memset(scratch->frame, 0, front * sizeof(float));
	memcpy(scratch->frame + front, history, items * sizeof(float));
	memcpy(scratch->frame + front + items, in, items * sizeof(float));
	memcpy(history, in, items * sizeof(float));
	fft_execute(frames->there, scratch->frame, scratch->out);
	frames->kernels->split(scratch->out, frames->bins, ret_spectrum);
}

/* frames_inverse [slot] gives the block now of a spectrum, which it spoils. */
static inline void frames_inverse(
    const struct frames *frames, struct frames_scratch *scratch, float *spectrum, float *ret_out)
{
	if (frames->own) {
		frames->kernels->inverse(&frames->plan, spectrum, ret_out);
		return;
	}
	frames->kernels->join(spectrum, frames->bins, scratch->frame);
	fft_execute(frames->back, scratch->frame, scratch->out);
	memcpy(ret_out, scratch->out + 2 * (size_t)(frames->size - frames->block),
	    2 * (size_t)frames->block * sizeof(float));
}

/* frames_filter [slot] makes the spectrum of at most a block of taps (re, im), scaled for the way
 * there and back. */
static inline void frames_filter(const struct frames *frames, struct frames_scratch *scratch,
    const float *taps, uint32_t n, float *ret_spectrum)
{
	const float scale = 1.0f / (float)frames->size;
	float *filter = frames->own ? scratch->out : scratch->frame;

	for (size_t i = 0; i < 2 * (size_t)n; i++)
		filter[i] = scale * taps[i];
	memset(filter + 2 * (size_t)n, 0, 2 * (size_t)(frames->size - n) * sizeof(float));
	if (frames->own) { /* as a block before, followed by the zeros that filter has behind it */
		frames->kernels->split(filter, frames->block, scratch->frame);
		frames->kernels->forward(&frames->plan, filter + 2 * (size_t)frames->block,
		    scratch->frame, ret_spectrum);
		return;
	}
	fft_execute(frames->there, filter, scratch->out);
	frames->kernels->split(scratch->out, frames->bins, ret_spectrum);
}

#endif
