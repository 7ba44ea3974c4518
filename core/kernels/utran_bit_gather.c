/* SPDX-License-Identifier: BSD-3-Clause
 * utran_bit_gather - tables. */
#include "core/kernels/utran_bit_gather.h"

#include <string.h>

_Static_assert(sizeof(struct utran_bit_gather) == 192, "tables stay aligned");

void utran_bit_gather_init(struct utran_bit_gather *tables, const uint16_t *from, uint32_t n)
{
	memset(tables, 0, utran_bit_gather_size(n));
	for (uint32_t i = 0; i < n; i++) {
		struct utran_bit_gather *t = &tables[i / 64];
		const uint32_t byte = from[i] / 8;
		t->byte[i % 64] = (uint8_t)byte;
		t->bit[i % 64] = (uint8_t)(1 << from[i] % 8);
		t->upper |= (uint64_t)(byte / 256 == 1) << i % 64;
		t->last |= (uint64_t)(byte / 256 == 2) << i % 64;
	}
}
