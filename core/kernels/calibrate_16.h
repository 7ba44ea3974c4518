/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/calibrate_16.h - the classes in registers of 16 bytes: SSE4.1, what AVX2 has no
 * better one for, and NEON. */
#ifndef CORE_KERNELS_CALIBRATE_16_H
#define CORE_KERNELS_CALIBRATE_16_H

#include <string.h>

#include "core/kernels/bits_16.h"
#include "core/kernels/calibrate.h"
#include "core/kernels/calibrate_words.h"

typedef uint8_t v16u8 __attribute__((vector_size(16)));
typedef int16_t v8i16 __attribute__((vector_size(16)));

#if defined(__x86_64__)
static inline v16u8 bytes_shuffle(v16u8 v, v16u8 places)
{
	return (v16u8)_mm_shuffle_epi8((__m128i)v, (__m128i)places);
}
#elif defined(__aarch64__)
static inline v16u8 bytes_shuffle(v16u8 v, v16u8 places)
{
	return (v16u8)vqtbl1q_u8((uint8x16_t)v, (uint8x16_t)places);
}
#endif

static inline v16u8 vector_load(const void *from)
{
	v16u8 v;

	memcpy(&v, from, sizeof(v));
	return v;
}

static inline void vector_store(void *to, v16u8 v)
{
	memcpy(to, &v, sizeof(v));
}

static inline void shuffle8_16(struct calibrate_data *data)
{
	uint8_t *to = data->out8;

	for (uint32_t s = 0; s < data->n_steps8; s++) {
		vector_store(to,
		    bytes_shuffle(vector_load(data->in8 + data->steps8[s].from),
		        vector_load(data->places8 + 16 * (size_t)s)));
		to += data->steps8[s].len;
	}
}

static inline void shuffle16_16(struct calibrate_data *data)
{
	for (uint32_t s = 0; s < CALIBRATE_ITEMS / CALIBRATE_STEP16; s++)
		vector_store(data->out16 + CALIBRATE_STEP16 * (size_t)s,
		    bytes_shuffle(vector_load(data->in16 + data->steps16[s].from),
		        vector_load(data->places16 + 16 * (size_t)s)));
}

#define ZIP_LOW8(a, b)                                                                             \
	__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define ZIP_HIGH8(a, b)                                                                            \
	__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define ZIP_LOW16(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define ZIP_HIGH16(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)

enum { ROWS = CALIBRATE_ITEMS / CALIBRATE_COLUMNS };

/* A perfect shuffle of 16 registers of bytes, of 8 of numbers: four of them, three, transpose. */
static inline __attribute__((always_inline)) void bytes_zip(v16u8 *v)
{
	v16u8 next[16];

#pragma GCC unroll 8
	for (int i = 0; i < 16; i += 2) {
		next[i] = ZIP_LOW8(v[i / 2], v[i / 2 + 8]);
		next[i + 1] = ZIP_HIGH8(v[i / 2], v[i / 2 + 8]);
	}
	memcpy(v, next, sizeof(next));
}

static inline __attribute__((always_inline)) void numbers_zip(v8i16 *v)
{
	v8i16 next[8];

#pragma GCC unroll 4
	for (int i = 0; i < 8; i += 2) {
		next[i] = ZIP_LOW16(v[i / 2], v[i / 2 + 4]);
		next[i + 1] = ZIP_HIGH16(v[i / 2], v[i / 2 + 4]);
	}
	memcpy(v, next, sizeof(next));
}

static inline void square8_transpose(const uint8_t *in, uint8_t *out, const uint32_t *starts)
{
	v16u8 v[16];

#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		v[i] = vector_load(in + CALIBRATE_COLUMNS * i);
	bytes_zip(v);
	bytes_zip(v);
	bytes_zip(v);
	bytes_zip(v);
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		vector_store(out + starts[i], v[i]);
}

static inline void transpose8_16(struct calibrate_data *data)
{
	for (int row = 0; row + 16 <= ROWS; row += 16)
		for (int column = 0; column < CALIBRATE_COLUMNS; column += 16)
			square8_transpose(
			    data->in8 + CALIBRATE_BEGIN8 + CALIBRATE_COLUMNS * row + column,
			    data->out8 + row, data->starts + column);
}

static inline void square16_transpose(const int16_t *in, int16_t *out, const uint32_t *starts)
{
	v8i16 v[8];

#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		v[i] = (v8i16)vector_load(in + starts[i]);
	numbers_zip(v);
	numbers_zip(v);
	numbers_zip(v);
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		vector_store(out + CALIBRATE_COLUMNS * i, (v16u8)v[i]);
}

static inline void transpose16_16(struct calibrate_data *data)
{
	for (int row = 0; row + 8 <= ROWS; row += 8)
		for (int column = 0; column < CALIBRATE_COLUMNS; column += 8)
			square16_transpose(data->in16 + row,
			    data->out16 + CALIBRATE_BEGIN16 + CALIBRATE_COLUMNS * row + column,
			    data->starts + column);
}

static inline void bits_16(struct calibrate_data *data)
{
	uint32_t state = 0;

	for (uint32_t i = 0; i < CALIBRATE_BLOCK; i += 32) {
		state ^= bits_gather16(data->in8 + i) << 16 | bits_gather16(data->in8 + i + 16);
		state = calibrate_checksum32(data, state);
	}
	data->sink = state;
}

static inline uint64_t pack64_16(const uint8_t *bits)
{
	uint64_t word = 0;

	for (int i = 0; i < 4; i++)
		word |= (uint64_t)bits_gather16(bits + 16 * i) << 16 * i;
	return word;
}

static inline void spread64_16(uint8_t *out, uint64_t word)
{
	for (int i = 0; i < 4; i++)
		bits_spread16((uint32_t)(word >> 16 * i) & 0xffff, out + 16 * i);
}

static inline void register_16(struct calibrate_data *data)
{
	register_words(data, pack64_16, spread64_16);
}

/* Sixteen of each stream: one shuffle of each leaves them where two blends put them into three
 * vectors. */
static inline void weave_16(struct calibrate_data *data)
{
	static const v16u8 x_places = {0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10, 5};
	static const v16u8 y_places = {5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10};
	static const v16u8 z_places = {10, 5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15};
	static const v16u8 second = {0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0};
	static const v16u8 third = {0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0};
	const uint8_t *in = data->in8;

	for (size_t i = 0; i < CALIBRATE_ITEMS / 3; i += 16) {
		const v16u8 x = bytes_shuffle(vector_load(in + i), x_places);
		const v16u8 y = bytes_shuffle(vector_load(in + CALIBRATE_ITEMS / 3 + i), y_places);
		const v16u8 z =
		    bytes_shuffle(vector_load(in + CALIBRATE_ITEMS / 3 * 2 + i), z_places);
		const v16u8 first = ~(second | third);

		vector_store(data->out8 + 3 * i, (x & first) | (y & second) | (z & third));
		vector_store(data->out8 + 3 * i + 16, (y & first) | (z & second) | (x & third));
		vector_store(data->out8 + 3 * i + 32, (z & first) | (x & second) | (y & third));
	}
}

#define CALIBRATE_16_TABLE                                                                         \
	{                                                                                          \
		{                                                                                  \
			[CALIBRATE_ARITHMETIC] = arithmetic,                                       \
			[CALIBRATE_COPY] = calibrate_copy_plain, [CALIBRATE_BITS] = bits_16,       \
			[CALIBRATE_REGISTER] = register_16, [CALIBRATE_SHUFFLE8] = shuffle8_16,    \
			[CALIBRATE_SHUFFLE16] = shuffle16_16,                                      \
			[CALIBRATE_TRANSPOSE8] = transpose8_16,                                    \
			[CALIBRATE_TRANSPOSE16] = transpose16_16,                                  \
			[CALIBRATE_GATHER8] = calibrate_gather8_plain,                             \
			[CALIBRATE_GATHER16] = calibrate_gather16_plain,                           \
			[CALIBRATE_WEAVE] = weave_16, [CALIBRATE_TRELLIS] = trellis                \
		}                                                                                  \
	}

#endif
