/* SPDX-License-Identifier: BSD-3-Clause
 * bits - the loops for any processor, and the choice of a level. */
#include "core/kernels/bits.h"
#include "core/kernels/levels.h"

static void pack8(const uint8_t *bits, uint8_t *words, uint32_t n)
{
	for (size_t i = 0; i < n; i++)
		words[i] = (uint8_t)bits_pack_plain(bits + 8 * i, 8);
}

static void pack16(const uint8_t *bits, uint16_t *words, uint32_t n)
{
	for (size_t i = 0; i < n; i++)
		words[i] = (uint16_t)bits_pack_plain(bits + 16 * i, 16);
}

static void unpack8(const uint8_t *words, uint8_t *bits, uint32_t n)
{
	for (size_t i = 0; i < n; i++)
		bits_unpack_plain(words[i], bits + 8 * i, 8);
}

static void unpack16(const uint16_t *words, uint8_t *bits, uint32_t n)
{
	for (size_t i = 0; i < n; i++)
		bits_unpack_plain(words[i], bits + 16 * i, 16);
}

const struct bits_kernels bits_plain = {pack8, pack16, unpack8, unpack16, bits_differ_plain};

const struct bits_kernels *bits_kernels(enum simd_level level)
{
	static const struct bits_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&bits_plain, &bits_sse41, &bits_avx2, &bits_avx512, &bits_neon);

	return tables[level];
}
