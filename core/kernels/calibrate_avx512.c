/* SPDX-License-Identifier: BSD-3-Clause
 * calibrate for AVX-512. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

typedef int16_t vec __attribute__((vector_size(64)));
#define LANES 32

static inline vec v_max(vec a, vec b)
{
	return (vec)_mm512_max_epi16((__m512i)a, (__m512i)b);
}

#include "core/kernels/calibrate_fold.h"
#include "core/kernels/calibrate_loops.h"
#include "core/kernels/calibrate_words.h"

enum { COLUMNS = 32, ROWS = CALIBRATE_ITEMS / COLUMNS, REGISTERS = 8 };

static inline uint64_t bits_pack64(const uint8_t *bits)
{
	const __m512i reverse8 = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
	const __m512i bytes = _mm512_shuffle_epi8(_mm512_loadu_si512(bits), reverse8);

	return __builtin_bswap64(_mm512_test_epi8_mask(bytes, _mm512_set1_epi8(1)));
}

static void bits_pack_avx512(struct calibrate_data *data)
{
	bits_fold(data, bits_pack64);
}

static void shuffle8_avx512(struct calibrate_data *data)
{
	uint8_t *to = data->out8;

	for (uint32_t b = 0; b < CALIBRATE_WIDE / 64; b++) {
		const __m512i from = _mm512_loadu_si512(data->in8 + 64 * (size_t)b);

		_mm512_storeu_si512(to, _mm512_maskz_compress_epi8(data->masks8[b], from));
		to += _mm_popcnt_u64(data->masks8[b]);
	}
}

static void shuffle16_avx512(struct calibrate_data *data)
{
	const int16_t *from = data->in16;

	for (uint32_t b = 0; b < CALIBRATE_ITEMS / 32; b++) {
		_mm512_storeu_si512(data->out16 + 32 * (size_t)b,
		    _mm512_maskz_expand_epi16(data->masks16[b], _mm512_loadu_si512(from)));
		from += _mm_popcnt_u32(data->masks16[b]);
	}
}

/* Four rows are two registers; byte `at` of them, and the four bytes of column c. */
#define COLUMN(c) (c), COLUMNS + (c), 2 * COLUMNS + (c), 3 * COLUMNS + (c)
#define COLUMNS4(c) COLUMN(c), COLUMN((c) + 1), COLUMN((c) + 2), COLUMN((c) + 3)
#define COLUMNS16(c) COLUMNS4(c), COLUMNS4((c) + 4), COLUMNS4((c) + 8), COLUMNS4((c) + 12)

static inline void columns_store(__m512i four, uint8_t *out, const uint32_t *starts)
{
	_mm_storeu_si128((__m128i *)(out + starts[0]), _mm512_castsi512_si128(four));
	_mm_storeu_si128((__m128i *)(out + starts[4]), _mm512_extracti32x4_epi32(four, 1));
	_mm_storeu_si128((__m128i *)(out + starts[8]), _mm512_extracti32x4_epi32(four, 2));
	_mm_storeu_si128((__m128i *)(out + starts[12]), _mm512_extracti32x4_epi32(four, 3));
}

/* Four registers of four rows of 16 columns each become 16 columns of 16 rows: words of four bytes
 * are transposed. */
static inline void columns_transpose(const __m512i *rows4, uint8_t *out, const uint32_t *starts)
{
	__m512i low[2], high[2];

#pragma GCC unroll 2
	for (int i = 0; i < 2; i++) {
		low[i] = _mm512_unpacklo_epi32(rows4[2 * i], rows4[2 * i + 1]);
		high[i] = _mm512_unpackhi_epi32(rows4[2 * i], rows4[2 * i + 1]);
	}
	columns_store(_mm512_unpacklo_epi64(low[0], low[1]), out, starts);
	columns_store(_mm512_unpackhi_epi64(low[0], low[1]), out, starts + 1);
	columns_store(_mm512_unpacklo_epi64(high[0], high[1]), out, starts + 2);
	columns_store(_mm512_unpackhi_epi64(high[0], high[1]), out, starts + 3);
}

static void transpose8_avx512(struct calibrate_data *data)
{
	static const uint8_t from0[64] = {COLUMNS16(0)}, from16[64] = {COLUMNS16(16)};
	const __m512i below = _mm512_loadu_si512(from0), above = _mm512_loadu_si512(from16);

	for (int row = 0; row + 16 <= ROWS; row += 16) {
		__m512i lower[4], upper[4];

#pragma GCC unroll 4
		for (int i = 0; i < 4; i++) {
			const uint8_t *in = data->in8 + CALIBRATE_BEGIN8 + COLUMNS * (row + 4 * i);
			const __m512i a = _mm512_loadu_si512(in), b = _mm512_loadu_si512(in + 64);

			lower[i] = _mm512_permutex2var_epi8(a, below, b);
			upper[i] = _mm512_permutex2var_epi8(a, above, b);
		}
		columns_transpose(lower, data->out8 + row, data->starts);
		columns_transpose(upper, data->out8 + row, data->starts + 16);
	}
}

static inline __m512i rows_load(const int16_t *in, const uint32_t *starts)
{
	__m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(in + starts[0])));

	v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(in + starts[8])), 1);
	v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(in + starts[16])), 2);
	return _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(in + starts[24])), 3);
}

/* A perfect shuffle of 8 registers of numbers in each quarter: three of them transpose. */
static inline __attribute__((always_inline)) void numbers_zip(__m512i *v)
{
	__m512i next[8];

#pragma GCC unroll 4
	for (int i = 0; i < 8; i += 2) {
		next[i] = _mm512_unpacklo_epi16(v[i / 2], v[i / 2 + 4]);
		next[i + 1] = _mm512_unpackhi_epi16(v[i / 2], v[i / 2 + 4]);
	}
	memcpy(v, next, sizeof(next));
}

/* All columns of 8 rows: four squares side by side. */
static void transpose16_avx512(struct calibrate_data *data)
{
	for (int row = 0; row + 8 <= ROWS; row += 8) {
		__m512i v[8];

#pragma GCC unroll 8
		for (int i = 0; i < 8; i++)
			v[i] = rows_load(data->in16 + row, data->starts + i);
		numbers_zip(v);
		numbers_zip(v);
		numbers_zip(v);
#pragma GCC unroll 8
		for (int i = 0; i < 8; i++)
			_mm512_storeu_si512(
			    data->out16 + CALIBRATE_BEGIN16 + COLUMNS * (row + i), v[i]);
	}
}

/* All bits in registers; 64 bytes of them are looked up at a time, by the nine bits of their
 * numbers, and of each byte a bit. */
static void gather8_avx512(struct calibrate_data *data)
{
	__m512i all[REGISTERS];

	for (uint32_t i = 0; i < CALIBRATE_BLOCK / 64; i++)
		data->words[i] = _mm512_test_epi8_mask(
		    _mm512_loadu_si512(data->in8 + 64 * (size_t)i), _mm512_set1_epi8(1));
	for (int i = 0; i < REGISTERS; i++)
		all[i] = _mm512_load_si512(data->words + 8 * i);
	for (uint32_t i = 0; i < CALIBRATE_BLOCK; i += 64) {
		const __m512i byte = _mm512_load_si512(data->byte + i),
		              bit = _mm512_load_si512(data->bit + i);
		const __mmask64 odd = _mm512_movepi8_mask(byte);
		const __m512i a = _mm512_permutex2var_epi8(all[0], byte, all[1]);
		const __m512i b = _mm512_permutex2var_epi8(all[2], byte, all[3]);
		const __m512i c = _mm512_permutex2var_epi8(all[4], byte, all[5]);
		const __m512i d = _mm512_permutex2var_epi8(all[6], byte, all[7]);
		const __m512i lower = _mm512_mask_mov_epi8(a, odd, b);
		const __m512i found = _mm512_mask_mov_epi8(
		    lower, data->upper[i / 64], _mm512_mask_mov_epi8(c, odd, d));

		_mm512_storeu_si512(
		    data->out8 + i, _mm512_maskz_set1_epi8(_mm512_test_epi8_mask(found, bit), 1));
	}
}

/* Two at a time as 32 bits; what lies behind a number is dropped. */
static void gather16_avx512(struct calibrate_data *data)
{
	for (uint32_t i = 0; i < CALIBRATE_BLOCK; i += 32) {
		const __m512i pairs = _mm512_loadu_si512(data->order + i);
		const __m512i even = _mm512_i32gather_epi32(
		    _mm512_and_si512(pairs, _mm512_set1_epi32(0xffff)), data->in16, 2);
		const __m512i odd =
		    _mm512_i32gather_epi32(_mm512_srli_epi32(pairs, 16), data->in16, 2);

		_mm512_storeu_si512(data->out16 + i,
		    _mm512_mask_blend_epi16(0xaaaaaaaa, even, _mm512_slli_epi32(odd, 16)));
	}
}

static inline void word_store(uint8_t *out, uint64_t word)
{
	_mm512_storeu_si512(out, _mm512_maskz_set1_epi8(word, 1));
}

static inline uint64_t pack64_first_low(const uint8_t *bits)
{
	return _mm512_test_epi8_mask(_mm512_loadu_si512(bits), _mm512_set1_epi8(1));
}

static void shift_register(struct calibrate_data *data)
{
	register_words(data, pack64_first_low, word_store);
}

/* Bits of the three streams deposited in every third place. */
static void weave_avx512(struct calibrate_data *data)
{
	const uint64_t first = 0x9249249249249249, second = 0x2492492492492492,
	               third = 0x4924924924924924;
	const __m512i one = _mm512_set1_epi8(1);
	const uint8_t *in = data->in8;

	for (size_t i = 0; i < CALIBRATE_ITEMS / 3; i += 64) {
		const uint64_t x = _mm512_test_epi8_mask(_mm512_loadu_si512(in + i), one);
		const uint64_t y =
		    _mm512_test_epi8_mask(_mm512_loadu_si512(in + CALIBRATE_ITEMS / 3 + i), one);
		const uint64_t z = _mm512_test_epi8_mask(
		    _mm512_loadu_si512(in + CALIBRATE_ITEMS / 3 * 2 + i), one);
		uint8_t *out = data->out8 + 3 * i;

		word_store(out, _pdep_u64(x, first) | _pdep_u64(y, second) | _pdep_u64(z, third));
		word_store(out + 64,
		    _pdep_u64(y >> 21, first) | _pdep_u64(z >> 21, second) |
		        _pdep_u64(x >> 22, third));
		word_store(out + 128,
		    _pdep_u64(z >> 42, first) | _pdep_u64(x >> 43, second) |
		        _pdep_u64(y >> 43, third));
	}
}

const struct calibrate_kernels calibrate_avx512 = {{
    [CALIBRATE_ARITHMETIC] = arithmetic,
    [CALIBRATE_COPY] = calibrate_copy_plain,
    [CALIBRATE_BITS] = bits_pack_avx512,
    [CALIBRATE_REGISTER] = shift_register,
    [CALIBRATE_SHUFFLE8] = shuffle8_avx512,
    [CALIBRATE_SHUFFLE16] = shuffle16_avx512,
    [CALIBRATE_TRANSPOSE8] = transpose8_avx512,
    [CALIBRATE_TRANSPOSE16] = transpose16_avx512,
    [CALIBRATE_GATHER8] = gather8_avx512,
    [CALIBRATE_GATHER16] = gather16_avx512,
    [CALIBRATE_WEAVE] = weave_avx512,
    [CALIBRATE_TRELLIS] = trellis,
}};
#endif
