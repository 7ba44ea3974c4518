/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/bits.h - bits that lie one in a byte: to words and back, and how many differ.
 *
 * The first bit of a word is its most significant one. Of a byte that holds a bit the lowest bit
 * counts; written are 0 and
 * 1. Words are in the machine's order; nothing behind the lengths is read or written.
 */
#ifndef CORE_KERNELS_BITS_H
#define CORE_KERNELS_BITS_H

#include <stdint.h>

#include "core/base/simd.h"

struct bits_kernels {
	void (*pack8)(const uint8_t *bits, uint8_t *words, uint32_t n);     /* 8 n bits, n words */
	void (*pack16)(const uint8_t *bits, uint16_t *words, uint32_t n);   /* 16 n bits, n words */
	void (*unpack8)(const uint8_t *words, uint8_t *bits, uint32_t n);   /* n words, 8 n bits */
	void (*unpack16)(const uint16_t *words, uint8_t *bits, uint32_t n); /* n words, 16 n bits */
	/* in how many of n bytes */
	uint32_t (*differ)(const uint8_t *a, const uint8_t *b, uint32_t n);
};

/* bits_kernels gives the functions of a level. */
const struct bits_kernels *bits_kernels(enum simd_level level);

/* The tables behind it; those with a level's name exist on its processors only. */
extern const struct bits_kernels bits_plain, bits_sse41, bits_avx2, bits_avx512, bits_neon;

/* bits_pack_plain, bits_unpack_plain (a word of 8 or 16 bits) and bits_differ_plain are what
 * bits_plain is made of; the variants end with them what is no whole vector. */
static inline uint32_t bits_pack_plain(const uint8_t *bits, uint32_t width)
{
	uint32_t word = 0;

	for (uint32_t b = 0; b < width; b++)
		word = word << 1 | (bits[b] & 1);
	return word;
}

static inline void bits_unpack_plain(uint32_t word, uint8_t *bits, uint32_t width)
{
	for (uint32_t b = 0; b < width; b++)
		bits[b] = word >> (width - 1 - b) & 1;
}

static inline uint32_t bits_differ_plain(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += a[i] != b[i];
	return count;
}

#endif
