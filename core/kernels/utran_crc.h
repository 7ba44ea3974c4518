/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_crc - CRC attachment of UTRAN transport blocks, 3GPP TS 25.212 section 4.2.1.
 *
 * Bits are one per byte, 0 or 1. Sizes are 8, 12, 16 and 24 bits. The register starts at zero and
 * is not inverted; the parity is attached in reverse, the coefficient of D^0 first, so a receiver
 * cannot simply divide the whole block: it computes the parity of the data again and compares.
 *
 * 	struct utran_crc crc;
 * 	utran_crc_init(&crc, 16);
 * 	utran_crc_use(&crc, (enum simd_level)setup->simd);
 * 	utran_crc_attach(&crc, bits, 3840, bits + 3840);	// 3856 bits
 * 	ok = utran_crc_check(&crc, bits, 3840);
 */
#ifndef CORE_KERNELS_UTRAN_CRC_H
#define CORE_KERNELS_UTRAN_CRC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/simd.h"

struct utran_crc {
	uint32_t size;       /* parity bits */
	uint32_t polynomial; /* coefficients below the leading one, at the top of the word */
	/* remainders of D^64, D^128 and D^192 times D^(32 - size), at the top of the word */
	uint32_t fold[3];
	/* of a level */
	uint32_t (*state)(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);
	/* remainder of each byte, and of that byte before 1, 2 and 3 others */
	uint32_t table[4][256];
};

/* utran_crc_init makes the tables of one size, for plain C; -EINVAL if there is no such CRC. */
int utran_crc_init(struct utran_crc *crc, uint32_t size);

/* utran_crc_use makes it use the instructions of a level. */
void utran_crc_use(struct utran_crc *crc, enum simd_level level);

/* utran_crc_parity gives the remainder of `len` bits: bit i is the coefficient of D^i. */
uint32_t utran_crc_parity(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);

/* utran_crc_attach writes the `size` parity bits of `len` bits, in the order in which they are
 * sent. `parity` may be bits + len. */
void utran_crc_attach(
    const struct utran_crc *crc, const uint8_t *bits, uint32_t len, uint8_t *parity);

/* utran_crc_check tells whether `len` bits are followed by their parity. */
bool utran_crc_check(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);

/* The levels' own: the remainder of `len` bits at the top of the word. Those of a processor exist
 * there only. Plain C takes eight bits at a time; SSE4.1 and NEON pack 32 and look up four tables;
 * AVX2 and AVX-512 pack 64 and fold 128 by multiplication without carry. */
uint32_t utran_crc_state_plain(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);
uint32_t utran_crc_state_sse41(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);
uint32_t utran_crc_state_avx2(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);
uint32_t utran_crc_state_avx512(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);
uint32_t utran_crc_state_neon(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);

/* utran_crc_bit is one bit's step. */
static inline uint32_t utran_crc_bit(uint32_t state, uint32_t polynomial, uint32_t bit)
{
	return (state << 1) ^ (((state >> 31) ^ bit) ? polynomial : 0);
}

#endif
