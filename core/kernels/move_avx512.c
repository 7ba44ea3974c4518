/* SPDX-License-Identifier: BSD-3-Clause
 * move for AVX-512: four registers at a time, and a mask at the end. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "core/kernels/move.h"

enum { ONE = 64, AT_ONCE = 4 * ONE };

static inline __mmask64 mask_of(size_t bytes)
{
	return bytes < ONE ? ((__mmask64)1 << bytes) - 1 : ~(__mmask64)0;
}

static void avx512_copy(void *to, const void *from, size_t bytes)
{
	const uint8_t *in = from;
	uint8_t *out = to;
	size_t i = 0;

	if (bytes > MOVE_NEAR) {
		memcpy(to, from, bytes);
		return;
	}
	for (; i + AT_ONCE <= bytes; i += AT_ONCE) {
		const __m512i a = _mm512_loadu_si512(in + i), b = _mm512_loadu_si512(in + i + ONE),
		              c = _mm512_loadu_si512(in + i + 2 * ONE),
		              d = _mm512_loadu_si512(in + i + 3 * ONE);

		_mm512_storeu_si512(out + i, a);
		_mm512_storeu_si512(out + i + ONE, b);
		_mm512_storeu_si512(out + i + 2 * ONE, c);
		_mm512_storeu_si512(out + i + 3 * ONE, d);
	}
	for (; i < bytes; i += ONE) {
		const __mmask64 mask = mask_of(bytes - i);

		_mm512_mask_storeu_epi8(out + i, mask, _mm512_maskz_loadu_epi8(mask, in + i));
	}
}

static void avx512_clear(void *to, size_t bytes)
{
	const __m512i zero = _mm512_setzero_si512();
	uint8_t *out = to;
	size_t i = 0;

	if (bytes > MOVE_NEAR) {
		memset(to, 0, bytes);
		return;
	}
	for (; i + AT_ONCE <= bytes; i += AT_ONCE)
		for (size_t r = 0; r < AT_ONCE; r += ONE)
			_mm512_storeu_si512(out + i + r, zero);
	for (; i < bytes; i += ONE)
		_mm512_mask_storeu_epi8(out + i, mask_of(bytes - i), zero);
}

const struct move_kernels move_avx512 = {avx512_copy, avx512_clear};
#endif
