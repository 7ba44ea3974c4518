/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave - first and second interleaver: column c of the output is column pattern[c] of the input. */
#include "core/kernels/utran_interleave.h"

static const uint8_t pattern1[4][8] = {{0}, {0, 1}, {0, 2, 1, 3}, {0, 4, 2, 6, 1, 5, 3, 7}};

enum { COLUMNS2 = 30 };
static const uint8_t pattern2[COLUMNS2] = {0, 20, 10, 5, 15, 25, 3,  13, 23, 8,  18, 28, 1,  11, 21,
					   6, 16, 26, 4, 14, 24, 19, 9,  29, 12, 2,  7,  22, 27, 17};

uint32_t utran_tti_frames(uint32_t tti_ms)
{
	return tti_ms == 10 || tti_ms == 20 || tti_ms == 40 || tti_ms == 80 ? tti_ms / 10 : 0;
}

static const uint8_t *pattern1_of(uint32_t frames)
{
	return pattern1[(frames >= 2) + (frames >= 4) + (frames >= 8)];
}

void utran_interleave1_plain(const uint8_t *in, uint8_t *out, uint32_t len, uint32_t frames)
{
	const uint8_t *pattern = pattern1_of(frames);

	for (uint32_t c = 0; c < frames; c++)
		for (uint32_t i = pattern[c]; i < len; i += frames)
			*out++ = in[i];
}

void utran_deinterleave1_plain(const int16_t *in, int16_t *out, uint32_t len, uint32_t frames)
{
	const uint8_t *pattern = pattern1_of(frames);

	for (uint32_t c = 0; c < frames; c++)
		for (uint32_t i = pattern[c]; i < len; i += frames)
			out[i] = *in++;
}

void utran_interleave2_plain(const uint8_t *in, uint8_t *out, uint32_t len)
{
	for (uint32_t c = 0; c < COLUMNS2; c++)
		for (uint32_t i = pattern2[c]; i < len; i += COLUMNS2)
			*out++ = in[i];
}

void utran_deinterleave2_plain(const int16_t *in, int16_t *out, uint32_t len)
{
	for (uint32_t c = 0; c < COLUMNS2; c++)
		for (uint32_t i = pattern2[c]; i < len; i += COLUMNS2)
			out[i] = *in++;
}
