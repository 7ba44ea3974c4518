/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_interleave_16.h - the interleavers in 128-bit registers, for every processor
 * whose compiler knows vectors of 16 bytes. Sources that include it are compiled for SSE4.1, AVX2,
 * AVX-512 or NEON.
 *
 * Both interleavers write what is a transposed matrix; a transposition is a perfect shuffle, and
 * that of 2^n registers is n times the zip of each register of the first half with one of the
 * second, or backwards the same number of splits into even and odd items. Rows are taken in blocks;
 * the last block may begin inside the one before it.
 */
#ifndef CORE_KERNELS_UTRAN_INTERLEAVE_16_H
#define CORE_KERNELS_UTRAN_INTERLEAVE_16_H

#include <string.h>

#include "core/kernels/utran_interleave.h"

typedef uint8_t v16u8 __attribute__((vector_size(16)));
typedef int16_t v8i16 __attribute__((vector_size(16)));

#define ZIP_LOW8(a, b)                                                                             \
	__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define ZIP_HIGH8(a, b)                                                                            \
	__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define EVEN8(a, b)                                                                                \
	__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD8(a, b)                                                                                 \
	__builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define ZIP_LOW16(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define ZIP_HIGH16(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)

static inline v16u8 bytes_load(const uint8_t *from)
{
	v16u8 v;

	memcpy(&v, from, sizeof(v));
	return v;
}

static inline v8i16 numbers_load(const int16_t *from)
{
	v8i16 v;

	memcpy(&v, from, sizeof(v));
	return v;
}

/* One shuffle of n registers. */
static inline __attribute__((always_inline)) void numbers_zip(v8i16 *v, int n)
{
	v8i16 zipped[8];

#pragma GCC unroll 8
	for (int i = 0; i < n / 2; i++) {
		zipped[2 * i] = ZIP_LOW16(v[i], v[i + n / 2]);
		zipped[2 * i + 1] = ZIP_HIGH16(v[i], v[i + n / 2]);
	}
#pragma GCC unroll 8
	for (int i = 0; i < n; i++)
		v[i] = zipped[i];
}

static inline __attribute__((always_inline)) void bytes_split(v16u8 *v, int n)
{
	v16u8 split[8];

#pragma GCC unroll 8
	for (int i = 0; i < n / 2; i++) {
		split[i] = EVEN8(v[2 * i], v[2 * i + 1]);
		split[i + n / 2] = ODD8(v[2 * i], v[2 * i + 1]);
	}
#pragma GCC unroll 8
	for (int i = 0; i < n; i++)
		v[i] = split[i];
}

/* utran_interleave_next gives the row at which the block after that of `row` begins; `rows` when
 * there is none. */
static inline uint32_t utran_interleave_next(uint32_t row, uint32_t rows, uint32_t block)
{
	return row + 2 * block <= rows || row + block == rows ? row + block : rows - block;
}

static inline __attribute__((always_inline)) void columns_from_rows(
    const uint8_t *in, uint8_t *out, uint32_t rows, int frames, const uint8_t *pattern)
{
	for (uint32_t r = 0; r < rows; r = utran_interleave_next(r, rows, 16)) {
		v16u8 v[8];

#pragma GCC unroll 8
		for (int i = 0; i < frames; i++)
			v[i] = bytes_load(in + (size_t)r * (uint32_t)frames + 16 * i);
#pragma GCC unroll 3
		for (int n = 1; n < frames; n *= 2)
			bytes_split(v, frames);
#pragma GCC unroll 8
		for (int c = 0; c < frames; c++)
			memcpy(out + (size_t)pattern[c] * rows + r, &v[c], sizeof(v[c]));
	}
}

static inline __attribute__((always_inline)) void rows_from_columns(
    const int16_t *in, int16_t *out, uint32_t rows, int frames, const uint8_t *pattern)
{
	for (uint32_t r = 0; r < rows; r = utran_interleave_next(r, rows, 8)) {
		v8i16 v[8];

#pragma GCC unroll 8
		for (int c = 0; c < frames; c++)
			v[c] = numbers_load(in + (size_t)pattern[c] * rows + r);
#pragma GCC unroll 3
		for (int n = 1; n < frames; n *= 2)
			numbers_zip(v, frames);
#pragma GCC unroll 8
		for (int i = 0; i < frames; i++)
			memcpy(out + (size_t)r * (uint32_t)frames + 8 * i, &v[i], sizeof(v[i]));
	}
}

static inline void utran_interleave1_16(
    const uint8_t *in, uint8_t *out, uint32_t len, uint32_t frames)
{
	const uint8_t *pattern = utran_interleave1_pattern(frames);
	const uint32_t rows = len / frames;

	if (frames == 1 || rows < 16)
		utran_interleave1_plain(in, out, len, frames);
	else if (frames == 2)
		columns_from_rows(in, out, rows, 2, pattern);
	else if (frames == 4)
		columns_from_rows(in, out, rows, 4, pattern);
	else
		columns_from_rows(in, out, rows, 8, pattern);
}

static inline void utran_deinterleave1_16(
    const int16_t *in, int16_t *out, uint32_t len, uint32_t frames)
{
	const uint8_t *pattern = utran_interleave1_pattern(frames);
	const uint32_t rows = len / frames;

	if (frames == 1 || rows < 8)
		utran_deinterleave1_plain(in, out, len, frames);
	else if (frames == 2)
		rows_from_columns(in, out, rows, 2, pattern);
	else if (frames == 4)
		rows_from_columns(in, out, rows, 4, pattern);
	else
		rows_from_columns(in, out, rows, 8, pattern);
}

/* 16 rows of 16 columns of the 30. */
static inline void square_transpose(const uint8_t *in, uint8_t *out, const uint32_t *starts)
{
	v16u8 v[16], zipped[16];

#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		v[i] = bytes_load(in + UTRAN_INTERLEAVE2_COLUMNS * i);
#pragma GCC unroll 4
	for (int stage = 0; stage < 4; stage++) {
#pragma GCC unroll 8
		for (int i = 0; i < 8; i++) {
			zipped[2 * i] = ZIP_LOW8(v[i], v[i + 8]);
			zipped[2 * i + 1] = ZIP_HIGH8(v[i], v[i + 8]);
		}
		memcpy(v, zipped, sizeof(v));
	}
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		memcpy(out + starts[i], &v[i], sizeof(v[i]));
}

/* utran_interleave2_rest writes the row that is not whole. */
static inline void utran_interleave2_rest(
    const uint8_t *in, uint8_t *out, uint32_t len, const uint32_t *starts)
{
	const uint32_t rows = len / UTRAN_INTERLEAVE2_COLUMNS;

	for (uint32_t i = rows * UTRAN_INTERLEAVE2_COLUMNS; i < len; i++)
		out[starts[i - rows * UTRAN_INTERLEAVE2_COLUMNS] + rows] = in[i];
}

static inline void utran_deinterleave2_rest(
    const int16_t *in, int16_t *out, uint32_t len, const uint32_t *starts)
{
	const uint32_t rows = len / UTRAN_INTERLEAVE2_COLUMNS;

	for (uint32_t i = rows * UTRAN_INTERLEAVE2_COLUMNS; i < len; i++)
		out[i] = in[starts[i - rows * UTRAN_INTERLEAVE2_COLUMNS] + rows];
}

/* The second interleaver by a level's own blocks: rows16 takes 16 rows of the matrix to where their
 * columns lie, rows8 brings 8 rows of soft bits back. */
static inline __attribute__((always_inline)) void utran_interleave2_blocks(const uint8_t *in,
    uint8_t *out, uint32_t len,
    void (*rows16)(const uint8_t *in, uint8_t *out, const uint32_t *starts))
{
	const uint32_t rows = len / UTRAN_INTERLEAVE2_COLUMNS;
	uint32_t starts[UTRAN_INTERLEAVE2_COLUMNS];

	if (rows < 16) {
		utran_interleave2_plain(in, out, len);
		return;
	}
	utran_interleave2_starts(len, starts);
	for (uint32_t r = 0; r < rows; r = utran_interleave_next(r, rows, 16))
		rows16(in + UTRAN_INTERLEAVE2_COLUMNS * r, out + r, starts);
	utran_interleave2_rest(in, out, len, starts);
}

static inline __attribute__((always_inline)) void utran_deinterleave2_blocks(const int16_t *in,
    int16_t *out, uint32_t len,
    void (*rows8)(const int16_t *in, int16_t *out, const uint32_t *starts))
{
	const uint32_t rows = len / UTRAN_INTERLEAVE2_COLUMNS;
	uint32_t starts[UTRAN_INTERLEAVE2_COLUMNS];

	if (rows < 8) {
		utran_deinterleave2_plain(in, out, len);
		return;
	}
	utran_interleave2_starts(len, starts);
	for (uint32_t r = 0; r < rows; r = utran_interleave_next(r, rows, 8))
		rows8(in + r, out + UTRAN_INTERLEAVE2_COLUMNS * r, starts);
	utran_deinterleave2_rest(in, out, len, starts);
}

static inline void utran_interleave2_rows16(const uint8_t *in, uint8_t *out, const uint32_t *starts)
{
	square_transpose(in, out, starts);
	square_transpose(in + 14, out, starts + 14);
}

static inline void utran_interleave2_16(const uint8_t *in, uint8_t *out, uint32_t len)
{
	utran_interleave2_blocks(in, out, len, utran_interleave2_rows16);
}

static inline void utran_interleave2_rows8(const int16_t *in, int16_t *out, const uint32_t *starts)
{
	static const uint8_t columns[4] = {0, 8, 16, 22};

#pragma GCC unroll 4
	for (int g = 0; g < 4; g++) {
		v8i16 v[8];

#pragma GCC unroll 8
		for (int i = 0; i < 8; i++)
			v[i] = numbers_load(in + starts[columns[g] + i]);
#pragma GCC unroll 4
		for (int stage = 0; stage < 3; stage++)
			numbers_zip(v, 8);
#pragma GCC unroll 8
		for (int i = 0; i < 8; i++)
			memcpy(
			    out + UTRAN_INTERLEAVE2_COLUMNS * i + columns[g], &v[i], sizeof(v[i]));
	}
}

static inline void utran_deinterleave2_16(const int16_t *in, int16_t *out, uint32_t len)
{
	utran_deinterleave2_blocks(in, out, len, utran_interleave2_rows8);
}

#endif
