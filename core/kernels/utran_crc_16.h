/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_crc_16.h - the remainder, 32 bits at a time, where 16 can be packed at once:
 * SSE4.1 and NEON. Empty on other processors.
 */
#ifndef CORE_KERNELS_UTRAN_CRC_16_H
#define CORE_KERNELS_UTRAN_CRC_16_H

#include "core/kernels/bits_16.h"
#include "core/kernels/utran_crc.h"

#ifdef BITS_16
/* Bits before the first whole word come first: the register is still zero there or nearly so. */
static inline uint32_t utran_crc_16(const struct utran_crc *crc, const uint8_t *bits, uint32_t len)
{
	uint32_t state = 0, i = 0;

	for (; i < len % 32; i++)
		state = utran_crc_bit(state, crc->polynomial, bits[i]);
	for (; i < len; i += 32) {
		state ^= bits_gather16(bits + i) << 16 | bits_gather16(bits + i + 16);
		state = crc->table[3][state >> 24] ^ crc->table[2][state >> 16 & 0xff] ^
		    crc->table[1][state >> 8 & 0xff] ^ crc->table[0][state & 0xff];
	}
	return state;
}
#endif

#endif
