/* SPDX-License-Identifier: BSD-3-Clause
 * utran_tfci - (32,10) code of the TFCI. */
#include "core/kernels/utran_tfci.h"

#include <string.h>

/* Table 8, by columns: bit i of the word is M_i,n. The first five count i + 1 from 1 to 31 in
 * binary, with the two words that are left, 0 and 16, at the end; the sixth is all ones; the rest
 * are the masks. */
static const uint32_t basis[10] = {
    0x2aaad555,
    0x33336666,
    0x3c3c7878,
    0x3fc07f80,
    0xbfff8000,
    0xffffffff,
    0xbb83e30a,
    0x38edd9c0,
    0x35364fa8,
    0x22bd761c,
};

uint32_t utran_tfci_encode(uint32_t tfci)
{
	uint32_t word = 0;

	for (uint32_t n = 0; n < 10; n++)
		word ^= tfci >> n & 1 ? basis[n] : 0;
	return word;
}

/* Where each b_i lies when the first five columns count 0 to 31 in their places. */
static uint32_t place(uint32_t i)
{
	uint32_t at = 0;

	for (uint32_t n = 0; n < 5; n++)
		at |= (basis[n] >> i & 1) << n;
	return at;
}

/* Fast Hadamard transform: afterwards values[w] is the correlation with the word that a_0..a_4 = w
 * make. */
static void transform(int32_t values[UTRAN_TFCI_CODED])
{
	for (uint32_t step = 1; step < UTRAN_TFCI_CODED; step *= 2)
		for (uint32_t i = 0; i < UTRAN_TFCI_CODED; i++) {
			const int32_t a = values[i], b = values[i | step];

			if (i & step)
				continue;
			values[i] = a + b;
			values[i | step] = a - b;
		}
}

/* The masks a_6..a_9 are taken off in turn; the column of ones, a_5, is the sign. */
uint32_t utran_tfci_decode(const int32_t soft[UTRAN_TFCI_CODED])
{
	int32_t best = -1, values[UTRAN_TFCI_CODED];
	uint32_t tfci = 0;

	for (uint32_t mask = 0; mask < 16; mask++) {
		const uint32_t word = utran_tfci_encode(mask << 6);

		for (uint32_t i = 0; i < UTRAN_TFCI_CODED; i++)
			values[place(i)] = word >> i & 1 ? -soft[i] : soft[i];
		transform(values);
		for (uint32_t w = 0; w < UTRAN_TFCI_CODED; w++) {
			const int32_t size = values[w] < 0 ? -values[w] : values[w];

			if (size <= best)
				continue;
			best = size;
			tfci = mask << 6 | (values[w] < 0 ? 1u << 5 : 0) | w;
		}
	}
	return tfci;
}
