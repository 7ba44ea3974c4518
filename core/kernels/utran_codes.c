/* SPDX-License-Identifier: BSD-3-Clause
 * utran_codes - channelisation and scrambling codes. */
#include "core/kernels/utran_codes.h"

/* Bit b of the code's number, from the top, turns the second half of the chips that differ in bit b
 * of their own, from the bottom: the sign is the parity of what both have. */
void utran_ovsf(uint32_t sf, uint32_t code, int8_t *ret_chips)
{
	uint32_t reversed = 0;

	for (uint32_t bit = 1; bit < sf; bit *= 2)
		reversed = reversed * 2 | (code & bit ? 1 : 0);
	for (uint32_t i = 0; i < sf; i++)
		ret_chips[i] = __builtin_parity(reversed & i) ? -1 : 1;
}

static uint32_t shift_x(uint32_t x)
{
	return x >> 1 | ((x ^ x >> 7) & 1) << 17;
}

static uint32_t shift_y(uint32_t y)
{
	return y >> 1 | ((y ^ y >> 5 ^ y >> 7 ^ y >> 10) & 1) << 17;
}

void utran_scrambling(uint32_t code, int8_t *ret_chips, uint32_t n)
{
	const uint32_t far_x = 1u << 4 | 1u << 6 | 1u << 15, far_y = 1u << 5 | 1u << 6 | 0xff00u;
	uint32_t x = 1, y = 0x3ffff;

	for (uint32_t i = 0; i < code; i++)
		x = shift_x(x);
	for (uint32_t i = 0; i < n; i++) {
		ret_chips[2 * i] = (x ^ y) & 1 ? -1 : 1;
		ret_chips[2 * i + 1] =
		    __builtin_parity(x & far_x) ^ __builtin_parity(y & far_y) ? -1 : 1;
		x = shift_x(x);
		y = shift_y(y);
	}
}
