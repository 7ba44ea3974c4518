/* SPDX-License-Identifier: BSD-3-Clause
 * utran_crc for NEON. */
#if defined(__aarch64__)
#include "core/kernels/utran_crc_16.h"

uint32_t utran_crc_state_neon(const struct utran_crc *crc, const uint8_t *bits, uint32_t len)
{
	return utran_crc_16(crc, bits, len);
}
#endif
