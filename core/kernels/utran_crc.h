/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_crc - CRC attachment of UTRAN transport blocks, 3GPP TS 25.212 section 4.2.1.
 *
 * Bits are one per byte, 0 or 1. Sizes are 8, 12, 16 and 24 bits. The register starts at zero and is not inverted; the
 * parity is attached in reverse, the coefficient of D^0 first, so a receiver cannot simply divide the whole block: it
 * computes the parity of the data again and compares.
 *
 *	struct utran_crc crc;
 *	utran_crc_init(&crc, 16);
 *	utran_crc_attach(&crc, bits, 3840, bits + 3840);	// 3856 bits
 *	ok = utran_crc_check(&crc, bits, 3840);
 */
#ifndef CORE_KERNELS_UTRAN_CRC_H
#define CORE_KERNELS_UTRAN_CRC_H

#include <stdbool.h>
#include <stdint.h>

struct utran_crc {
	uint32_t size;       /* parity bits */
	uint32_t polynomial; /* coefficients below the leading one, at the top of the word */
	uint32_t table[256]; /* remainder of each byte, at the top of the word */
};

/* utran_crc_init makes the table of one size; -EINVAL if there is no such CRC. */
int utran_crc_init(struct utran_crc *crc, uint32_t size);

/* utran_crc_parity gives the remainder of `len` bits: bit i is the coefficient of D^i. */
uint32_t utran_crc_parity(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);

/* utran_crc_attach writes the `size` parity bits of `len` bits, in the order in which they are sent. `parity` may be
 * bits + len. */
void utran_crc_attach(const struct utran_crc *crc, const uint8_t *bits, uint32_t len, uint8_t *parity);

/* utran_crc_check tells whether `len` bits are followed by their parity. */
bool utran_crc_check(const struct utran_crc *crc, const uint8_t *bits, uint32_t len);

#endif
