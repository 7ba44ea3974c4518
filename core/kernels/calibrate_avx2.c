/* SPDX-License-Identifier: BSD-3-Clause
 * calibrate for AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

typedef int16_t vec __attribute__((vector_size(32)));
#define LANES 16

static inline vec v_max(vec a, vec b)
{
	return (vec)_mm256_max_epi16((__m256i)a, (__m256i)b);
}

#include "core/kernels/calibrate_16.h"
#include "core/kernels/calibrate_fold.h"
#include "core/kernels/calibrate_loops.h"

static inline __m256i pair(const void *low, const void *high)
{
	return _mm256_inserti128_si256(
	    _mm256_castsi128_si256(_mm_loadu_si128(low)), _mm_loadu_si128(high), 1);
}

static inline uint32_t pack32(const uint8_t *bits)
{
	const __m256i reverse8 = _mm256_setr_epi64x(
	    0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f);
	const __m256i bytes =
	    _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)bits), reverse8);

	return __builtin_bswap32((uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(bytes, 7)));
}

static inline uint64_t pack64(const uint8_t *bits)
{
	return (uint64_t)pack32(bits) << 32 | pack32(bits + 32);
}

static void bits(struct calibrate_data *data)
{
	bits_fold(data, pack64);
}

static void shuffle16(struct calibrate_data *data)
{
	for (uint32_t s = 0; s < CALIBRATE_ITEMS / CALIBRATE_STEP16; s += 2) {
		const __m256i from = pair(
		    data->in16 + data->steps16[s].from, data->in16 + data->steps16[s + 1].from);
		const __m256i places =
		    _mm256_load_si256((const __m256i *)(data->places16 + 16 * (size_t)s));

		_mm256_storeu_si256((__m256i *)(data->out16 + CALIBRATE_STEP16 * (size_t)s),
		    _mm256_shuffle_epi8(from, places));
	}
}

/* A perfect shuffle of n registers in both halves, of bytes or of numbers: log2 n of them
 * transpose. */
static inline __attribute__((always_inline)) void zip(__m256i *v, int n, bool bytes)
{
	__m256i next[16];

#pragma GCC unroll 8
	for (int i = 0; i < n / 2; i++) {
		const __m256i a = v[i], b = v[i + n / 2];

		next[2 * i] = bytes ? _mm256_unpacklo_epi8(a, b) : _mm256_unpacklo_epi16(a, b);
		next[2 * i + 1] = bytes ? _mm256_unpackhi_epi8(a, b) : _mm256_unpackhi_epi16(a, b);
	}
	memcpy(v, next, (size_t)n * sizeof(*v));
}

/* Two squares side by side. */
static inline void squares8(const uint8_t *in, uint8_t *out, const uint32_t *starts)
{
	__m256i v[16];

#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		v[i] = _mm256_loadu_si256((const __m256i *)(in + CALIBRATE_COLUMNS * i));
#pragma GCC unroll 4
	for (int stage = 0; stage < 4; stage++)
		zip(v, 16, true);
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++) {
		_mm_storeu_si128((__m128i *)(out + starts[i]), _mm256_castsi256_si128(v[i]));
		_mm_storeu_si128(
		    (__m128i *)(out + starts[i + 16]), _mm256_extracti128_si256(v[i], 1));
	}
}

static void transpose8(struct calibrate_data *data)
{
	for (int row = 0; row + 16 <= ROWS; row += 16)
		squares8(data->in8 + CALIBRATE_BEGIN8 + CALIBRATE_COLUMNS * row, data->out8 + row,
		    data->starts);
}

static inline void squares16(const int16_t *in, int16_t *out, const uint32_t *starts)
{
	__m256i v[8];

#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		v[i] = pair(in + starts[i], in + starts[i + 8]);
#pragma GCC unroll 3
	for (int stage = 0; stage < 3; stage++)
		zip(v, 8, false);
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		_mm256_storeu_si256((__m256i *)(out + CALIBRATE_COLUMNS * i), v[i]);
}

static void transpose16(struct calibrate_data *data)
{
	for (int row = 0; row + 8 <= ROWS; row += 8)
		for (int column = 0; column < CALIBRATE_COLUMNS; column += 16)
			squares16(data->in16 + row,
			    data->out16 + CALIBRATE_BEGIN16 + CALIBRATE_COLUMNS * row + column,
			    data->starts + column);
}

const struct calibrate_kernels calibrate_avx2 = {{
    [CALIBRATE_ARITHMETIC] = arithmetic,
    [CALIBRATE_COPY] = calibrate_copy_plain,
    [CALIBRATE_BITS] = bits,
    [CALIBRATE_REGISTER] = register_16,
    [CALIBRATE_SHUFFLE8] = shuffle8_16,
    [CALIBRATE_SHUFFLE16] = shuffle16,
    [CALIBRATE_TRANSPOSE8] = transpose8,
    [CALIBRATE_TRANSPOSE16] = transpose16,
    [CALIBRATE_GATHER8] = calibrate_gather8_plain,
    [CALIBRATE_GATHER16] = calibrate_gather16_plain,
    [CALIBRATE_WEAVE] = weave_16,
    [CALIBRATE_TRELLIS] = trellis,
}};
#endif
