/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave - first and second interleaver: column c of the output is column pattern[c] of
 * the input. */
#include "core/kernels/utran_interleave.h"

#include <string.h>

static const uint8_t pattern1[4][8] = {{0}, {0, 1}, {0, 2, 1, 3}, {0, 4, 2, 6, 1, 5, 3, 7}};

enum { COLUMNS2 = UTRAN_INTERLEAVE2_COLUMNS };
static const uint8_t pattern2[COLUMNS2] = {0, 20, 10, 5, 15, 25, 3, 13, 23, 8, 18, 28, 1, 11, 21, 6,
    16, 26, 4, 14, 24, 19, 9, 29, 12, 2, 7, 22, 27, 17};

uint32_t utran_tti_frames(uint32_t tti_ms)
{
	return tti_ms == 10 || tti_ms == 20 || tti_ms == 40 || tti_ms == 80 ? tti_ms / 10 : 0;
}

const uint8_t *utran_interleave1_pattern(uint32_t frames)
{
	return pattern1[(frames >= 2) + (frames >= 4) + (frames >= 8)];
}

void utran_interleave1_plain(const uint8_t *in, uint8_t *out, uint32_t len, uint32_t frames)
{
	const uint8_t *pattern = utran_interleave1_pattern(frames);

	if (frames == 1) {
		memcpy(out, in, len);
		return;
	}
	for (uint32_t c = 0; c < frames; c++)
		for (uint32_t i = pattern[c]; i < len; i += frames)
			*out++ = in[i];
}

void utran_deinterleave1_plain(const int16_t *in, int16_t *out, uint32_t len, uint32_t frames)
{
	const uint8_t *pattern = utran_interleave1_pattern(frames);

	if (frames == 1) {
		memcpy(out, in, len * sizeof(*in));
		return;
	}
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

void utran_interleave2_starts(uint32_t len, uint32_t ret_starts[UTRAN_INTERLEAVE2_COLUMNS])
{
	const uint32_t rows = len / COLUMNS2, rest = len % COLUMNS2;
	uint32_t at = 0;

	for (uint32_t c = 0; c < COLUMNS2; c++) {
		ret_starts[pattern2[c]] = at;
		at += rows + (pattern2[c] < rest);
	}
}

const struct utran_interleave_kernels utran_interleave_plain = {utran_interleave1_plain,
    utran_deinterleave1_plain, utran_interleave2_plain, utran_deinterleave2_plain};
