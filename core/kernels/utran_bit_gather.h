/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_bit_gather - a permutation of bits, 64 at a time: bit i of the result is bit from[i] of up
 * to 5120.
 *
 * Packed, a whole code block lies in ten 64-byte registers, and AVX-512 VBMI looks a byte up in two
 * of them at once. The tables say for each bit of the result in which byte of a pair of registers
 * it is, in which pair, and where in the byte. They take utran_bit_gather_size(n) bytes and are
 * good for every level; other levels have no use for them.
 */
#ifndef CORE_KERNELS_UTRAN_BIT_GATHER_H
#define CORE_KERNELS_UTRAN_BIT_GATHER_H

#include <stddef.h>
#include <stdint.h>

enum { UTRAN_BIT_GATHER_MAX = 5120, UTRAN_BIT_GATHER_WORDS = UTRAN_BIT_GATHER_MAX / 64 };

/* Of 64 bits of the result. */
struct utran_bit_gather {
	uint8_t byte[64]; /* in 256 bytes: two pairs of registers */
	uint8_t bit[64];  /* 1 << place in the byte */
	uint64_t upper;   /* the byte is in the second 256 */
	uint64_t last;    /* in the third */
	uint64_t unused[6];
};

/* utran_bit_gather_size gives the bytes of the tables for n bits; they begin at a multiple of
 * 64. */
static inline size_t utran_bit_gather_size(uint32_t n)
{
	return (n + 63) / 64 * sizeof(struct utran_bit_gather);
}

/* utran_bit_gather_init makes the tables of n bits, each from[i] < UTRAN_BIT_GATHER_MAX. */
void utran_bit_gather_init(struct utran_bit_gather *tables, const uint16_t *from, uint32_t n);

#endif
