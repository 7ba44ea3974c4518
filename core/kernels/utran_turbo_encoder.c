/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_encoder - tables, the reference, and the choice of a level. */
#include "core/kernels/utran_turbo_encoder.h"
#include "core/kernels/levels.h"
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_encoder_words.h"

#include <errno.h>

size_t utran_turbo_encoder_size(uint32_t k)
{
	if (k < UTRAN_TURBO_K_MIN || k > UTRAN_TURBO_K_MAX)
		return 0;
	return utran_bit_gather_size(k) + k * sizeof(uint16_t);
}

int utran_turbo_encoder_init(struct utran_turbo_encoder *encoder, uint32_t k, void *memory)
{
	uint16_t *pi = (uint16_t *)((uint8_t *)memory + utran_bit_gather_size(k));
	const int result = utran_turbo_interleaver(k, pi);

	if (result < 0)
		return result;
	*encoder = (struct utran_turbo_encoder){.k = k, .pi = pi, .gather = memory};
	utran_bit_gather_init(encoder->gather, pi, k);
	return 0;
}

static void encode_plain(const struct utran_turbo_encoder *encoder, const uint8_t *in, uint8_t *out)
{
	utran_turbo_encode_plain(encoder->pi, encoder->k, in, out);
}

static const struct utran_turbo_encoder_kernels plain = {encode_plain};

const struct utran_turbo_encoder_kernels *utran_turbo_encoder_kernels(enum simd_level level)
{
	static const struct utran_turbo_encoder_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&plain, &utran_turbo_encoder_sse41, &utran_turbo_encoder_avx2,
	        &utran_turbo_encoder_avx512, &utran_turbo_encoder_neon);

	return tables[level];
}
