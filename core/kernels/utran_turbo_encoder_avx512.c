/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_encoder - 64 bytes at a time: bits to masks and masks to bytes are single
 * instructions here. */
#if defined(__x86_64__)
#include "core/kernels/utran_bit_gather_avx512.h"
#include "core/kernels/utran_turbo_encoder.h"

static inline uint64_t pack(const uint8_t *bits)
{
	return _mm512_test_epi8_mask(_mm512_loadu_si512(bits), _mm512_set1_epi8(1));
}

static inline void put(uint8_t *out, uint64_t bits)
{
	_mm512_storeu_si512(out, _mm512_maskz_set1_epi8(bits, 1));
}

/* 192 bytes of x z z', 64 at a time: the first byte of the second 64 is z of step 21, of the third
 * z' of step 42. */
static inline void spread(uint64_t x, uint64_t z, uint64_t z2, uint8_t *out)
{
	const uint64_t first = 0x9249249249249249, second = 0x2492492492492492,
	               third = 0x4924924924924924;

	put(out, _pdep_u64(x, first) | _pdep_u64(z, second) | _pdep_u64(z2, third));
	put(out + 64,
	    _pdep_u64(z >> 21, first) | _pdep_u64(z2 >> 21, second) | _pdep_u64(x >> 22, third));
	put(out + 128,
	    _pdep_u64(z2 >> 42, first) | _pdep_u64(x >> 43, second) | _pdep_u64(z >> 43, third));
}

static inline void look_up(
    const struct utran_turbo_encoder *e, const uint64_t *first, uint64_t *second)
{
	__m512i bits[GATHER_REGISTERS];

	bit_gather_load(bits, first);
	for (uint32_t i = 0; i < (e->k + 63) / 64; i++)
		second[i] = bit_gather(bits, &e->gather[i], e->k > 4096);
}

#define WORDS_PACK(bits) pack(bits)
#define WORDS_SPREAD(in, u, z, z2, out) spread(u, z, z2, out)
#define WORDS_INTERLEAVE(e, in, first, second) look_up(e, first, second)

#include "core/kernels/utran_turbo_encoder_words.h"

const struct utran_turbo_encoder_kernels utran_turbo_encoder_avx512 = {encode_words};
#endif
