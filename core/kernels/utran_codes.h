/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_codes - the codes of the UTRA downlink, 3GPP TS 25.213.
 *
 * Section 4.3.1.1, channelisation codes (OVSF): C_1,0 = (1), C_2n,2k = (C_n,k C_n,k), C_2n,2k+1 =
 * (C_n,k -C_n,k). Codes of one spreading factor are orthogonal, and so are those of different ones
 * unless one is an ancestor of the other.
 *
 * Section 5.2.2, scrambling: two registers of 18 bits, x (feedback 1 + x^7 + x^18, start 1) and y
 * (1 + x^5 + x^7 + x^10 + x^18, start all ones); code n begins with x advanced by n. The imaginary
 * part is the same sequence 131072 further on, which is a sum of register bits: 4, 6 and 15 of x
 * and 5, 6, 8 to 15 of y. Primary code i is n = 16 i, i = 0..511. Each radio frame of 38400 chips
 * begins anew.
 */
#ifndef CORE_KERNELS_UTRAN_CODES_H
#define CORE_KERNELS_UTRAN_CODES_H

#include <stdint.h>

enum { UTRAN_CHIPS = 38400, UTRAN_SLOTS = 15, UTRAN_SLOT_CHIPS = 2560 };
enum {
	UTRAN_SF_MIN = 4,
	UTRAN_SF_MAX = 512,
	UTRAN_SCRAMBLING_CODES = 262143,
	UTRAN_PRIMARY_CODES = 512
};

/* utran_ovsf writes the sf chips, +1 or -1, of code `code` < sf; sf is a power of two. */
void utran_ovsf(uint32_t sf, uint32_t code, int8_t *ret_chips);

/* utran_scrambling writes the first n <= 38400 chips of scrambling code `code` <= 262142, as pairs
 * of +1 or -1: real, imaginary. */
void utran_scrambling(uint32_t code, int8_t *ret_chips, uint32_t n);

#endif
