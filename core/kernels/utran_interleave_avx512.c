/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave for AVX-512: the second interleaver with all 30 columns in two registers (bits)
 * or one (soft bits), the first one's bits with 16 rows in one or two registers. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/utran_interleave_16.h"

enum { COLUMNS = UTRAN_INTERLEAVE2_COLUMNS };

/* Four rows are 120 bytes: read as bytes 0 to 63 and 56 to 119. Byte `at` of them in the two
 * registers, and the four bytes of column c. */
#define BYTE(at) ((at) < 64 ? (at) : (at) + 8)
#define COLUMN(c) BYTE(c), BYTE(30 + (c)), BYTE(60 + (c)), BYTE(90 + (c))
#define COLUMNS16(c)                                                                               \
	COLUMN(c), COLUMN((c) + 1), COLUMN((c) + 2), COLUMN((c) + 3), COLUMN((c) + 4),             \
	    COLUMN((c) + 5), COLUMN((c) + 6), COLUMN((c) + 7), COLUMN((c) + 8), COLUMN((c) + 9),   \
	    COLUMN((c) + 10), COLUMN((c) + 11), COLUMN((c) + 12), COLUMN((c) + 13),                \
	    COLUMN((c) + 14), COLUMN((c) + 15)

/* Four registers with four rows of 16 columns each become 16 columns of 16 rows. */
static inline void columns_transpose(const __m512i *rows4, uint8_t *out, const uint32_t *starts)
{
	const __m512i low01 = _mm512_unpacklo_epi32(rows4[0], rows4[1]);
	const __m512i low23 = _mm512_unpacklo_epi32(rows4[2], rows4[3]);
	const __m512i high01 = _mm512_unpackhi_epi32(rows4[0], rows4[1]);
	const __m512i high23 = _mm512_unpackhi_epi32(rows4[2], rows4[3]);
	const __m512i column[4] = {_mm512_unpacklo_epi64(low01, low23),
	    _mm512_unpackhi_epi64(low01, low23), _mm512_unpacklo_epi64(high01, high23),
	    _mm512_unpackhi_epi64(high01, high23)};

#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		_mm_storeu_si128((__m128i *)(out + starts[i]), _mm512_castsi512_si128(column[i]));
		_mm_storeu_si128(
		    (__m128i *)(out + starts[i + 4]), _mm512_extracti32x4_epi32(column[i], 1));
		_mm_storeu_si128(
		    (__m128i *)(out + starts[i + 8]), _mm512_extracti32x4_epi32(column[i], 2));
		_mm_storeu_si128(
		    (__m128i *)(out + starts[i + 12]), _mm512_extracti32x4_epi32(column[i], 3));
	}
}

static inline void rows_transpose(const uint8_t *in, uint8_t *out, const uint32_t *starts)
{
	static const uint8_t from0[64] = {COLUMNS16(0)}, from14[64] = {COLUMNS16(14)};
	const __m512i below = _mm512_loadu_si512(from0), above = _mm512_loadu_si512(from14);
	__m512i lower[4], upper[4];

#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		const __m512i a = _mm512_loadu_si512(in + 4 * COLUMNS * i);
		const __m512i b = _mm512_loadu_si512(in + 4 * COLUMNS * i + 56);

		lower[i] = _mm512_permutex2var_epi8(a, below, b);
		upper[i] = _mm512_permutex2var_epi8(a, above, b);
	}
	columns_transpose(lower, out, starts);
	columns_transpose(upper, out, starts + 14);
}

static void interleave2_avx512(const uint8_t *in, uint8_t *out, uint32_t len)
{
	utran_interleave2_blocks(in, out, len, rows_transpose);
}

/* Sixteen bytes from `at` on, `step` apart; the columns of 16 rows of 2, 4 and 8 bytes. */
#define EVERY(at, step)                                                                            \
	(at), (at) + (step), (at) + 2 * (step), (at) + 3 * (step), (at) + 4 * (step),              \
	    (at) + 5 * (step), (at) + 6 * (step), (at) + 7 * (step), (at) + 8 * (step),            \
	    (at) + 9 * (step), (at) + 10 * (step), (at) + 11 * (step), (at) + 12 * (step),         \
	    (at) + 13 * (step), (at) + 14 * (step), (at) + 15 * (step)
static const uint8_t columns_of2[32] = {EVERY(0, 2), EVERY(1, 2)};
static const uint8_t columns_of4[64] = {EVERY(0, 4), EVERY(1, 4), EVERY(2, 4), EVERY(3, 4)};
static const uint8_t columns_of8[128] = {EVERY(0, 8), EVERY(1, 8), EVERY(2, 8), EVERY(3, 8),
    EVERY(4, 8), EVERY(5, 8), EVERY(6, 8), EVERY(7, 8)};

static void interleave1_of2(const uint8_t *in, uint8_t *out, uint32_t rows)
{
	const __m256i columns = _mm256_loadu_si256((const __m256i *)columns_of2);

	for (uint32_t r = 0; r < rows; r = utran_interleave_next(r, rows, 16)) {
		const __m256i both = _mm256_loadu_si256((const __m256i *)(in + 2 * r));
		const __m256i v = _mm256_permutexvar_epi8(columns, both);

		_mm_storeu_si128((__m128i *)(out + r), _mm256_castsi256_si128(v));
		_mm_storeu_si128((__m128i *)(out + rows + r), _mm256_extracti128_si256(v, 1));
	}
}

/* Four columns of 16 rows to where columns pattern[0] to [3] lie. */
static inline void columns_store(__m512i v, uint8_t *out, uint32_t rows, const uint8_t *pattern)
{
	_mm_storeu_si128((__m128i *)(out + pattern[0] * rows), _mm512_castsi512_si128(v));
	_mm_storeu_si128((__m128i *)(out + pattern[1] * rows), _mm512_extracti32x4_epi32(v, 1));
	_mm_storeu_si128((__m128i *)(out + pattern[2] * rows), _mm512_extracti32x4_epi32(v, 2));
	_mm_storeu_si128((__m128i *)(out + pattern[3] * rows), _mm512_extracti32x4_epi32(v, 3));
}

static void interleave1_of4(const uint8_t *in, uint8_t *out, uint32_t rows, const uint8_t *pattern)
{
	const __m512i columns = _mm512_loadu_si512(columns_of4);

	for (uint32_t r = 0; r < rows; r = utran_interleave_next(r, rows, 16))
		columns_store(_mm512_permutexvar_epi8(columns, _mm512_loadu_si512(in + 4 * r)),
		    out + r, rows, pattern);
}

static void interleave1_of8(const uint8_t *in, uint8_t *out, uint32_t rows, const uint8_t *pattern)
{
	const __m512i lower = _mm512_loadu_si512(columns_of8),
	              upper = _mm512_loadu_si512(columns_of8 + 64);

	for (uint32_t r = 0; r < rows; r = utran_interleave_next(r, rows, 16)) {
		const __m512i a = _mm512_loadu_si512(in + 8 * r),
		              b = _mm512_loadu_si512(in + 8 * r + 64);

		columns_store(_mm512_permutex2var_epi8(a, lower, b), out + r, rows, pattern);
		columns_store(_mm512_permutex2var_epi8(a, upper, b), out + r, rows, pattern + 4);
	}
}

/* A shuffle of the bytes of two registers is several instructions here, one of all bytes of a
 * register just one. */
static void interleave1_avx512(const uint8_t *in, uint8_t *out, uint32_t len, uint32_t frames)
{
	const uint8_t *pattern = utran_interleave1_pattern(frames);
	const uint32_t rows = len / frames;

	if (frames == 1 || rows < 16)
		utran_interleave1_plain(in, out, len, frames);
	else if (frames == 2)
		interleave1_of2(in, out, rows);
	else if (frames == 4)
		interleave1_of4(in, out, rows, pattern);
	else
		interleave1_of8(in, out, rows, pattern);
}

static inline __m512i rows_load(
    const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d)
{
	__m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)a));

	v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)b), 1);
	v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)c), 2);
	return _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)d), 3);
}

/* 8 rows of all columns: each lane of 128 bits transposes 8 of them; the last two columns of the
 * last lane are none. */
static inline void numbers_transpose(const int16_t *in, int16_t *out, const uint32_t *starts)
{
	__m512i v[8], zipped[8];

#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		v[i] = rows_load(in + starts[i], in + starts[i + 8], in + starts[i + 16],
		    in + starts[i < 6 ? i + 24 : 29]);
#pragma GCC unroll 3
	for (int stage = 0; stage < 3; stage++) {
#pragma GCC unroll 4
		for (int i = 0; i < 4; i++) {
			zipped[2 * i] = _mm512_unpacklo_epi16(v[i], v[i + 4]);
			zipped[2 * i + 1] = _mm512_unpackhi_epi16(v[i], v[i + 4]);
		}
		memcpy(v, zipped, sizeof(v));
	}
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		_mm512_mask_storeu_epi16(out + COLUMNS * i, (1u << COLUMNS) - 1, v[i]);
}

static void deinterleave2_avx512(const int16_t *in, int16_t *out, uint32_t len)
{
	utran_deinterleave2_blocks(in, out, len, numbers_transpose);
}

const struct utran_interleave_kernels utran_interleave_avx512 = {
    interleave1_avx512, utran_deinterleave1_16, interleave2_avx512, deinterleave2_avx512};
#endif
