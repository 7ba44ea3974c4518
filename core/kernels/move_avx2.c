/* SPDX-License-Identifier: BSD-3-Clause
 * move for AVX2: four registers at a time; libc has the rest. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "core/kernels/move.h"

enum { ONE = 32, AT_ONCE = 4 * ONE };

static inline __m256i get(const uint8_t *in)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)in);
}

static inline void put(uint8_t *out, __m256i value)
{
	_mm256_storeu_si256((__m256i *)(void *)out, value);
}

static void avx2_copy(void *to, const void *from, size_t bytes)
{
	const uint8_t *in = from;
	uint8_t *out = to;
	size_t i = 0;

	for (; bytes <= MOVE_NEAR && i + AT_ONCE <= bytes; i += AT_ONCE) {
		const __m256i a = get(in + i), b = get(in + i + ONE), c = get(in + i + 2 * ONE),
		              d = get(in + i + 3 * ONE);

		put(out + i, a);
		put(out + i + ONE, b);
		put(out + i + 2 * ONE, c);
		put(out + i + 3 * ONE, d);
	}
	memcpy(out + i, in + i, bytes - i);
}

static void avx2_clear(void *to, size_t bytes)
{
	uint8_t *out = to;
	size_t i = 0;

	for (; bytes <= MOVE_NEAR && i + AT_ONCE <= bytes; i += AT_ONCE)
		for (size_t r = 0; r < AT_ONCE; r += ONE)
			put(out + i + r, _mm256_setzero_si256());
	memset(out + i, 0, bytes - i);
}

const struct move_kernels move_avx2 = {avx2_copy, avx2_clear};
#endif
