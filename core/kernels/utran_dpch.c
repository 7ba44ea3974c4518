/* SPDX-License-Identifier: BSD-3-Clause
 * utran_dpch - slots of the downlink dedicated physical channel. */
#include "core/kernels/utran_dpch.h"

#include <string.h>

#include "core/kernels/utran_codes.h"
#include "core/kernels/utran_tfci.h"

static const struct utran_dpch formats[UTRAN_DPCH_FORMATS] = {
    /* SF, slot, Data1, TPC, TFCI, Data2, Pilot */
    {512, 10, 0, 2, 0, 4, 4},
    {512, 10, 0, 2, 2, 2, 4},
    {256, 20, 2, 2, 0, 14, 2},
    {256, 20, 2, 2, 2, 12, 2},
    {256, 20, 2, 2, 0, 12, 4},
    {256, 20, 2, 2, 2, 10, 4},
    {256, 20, 2, 2, 0, 8, 8},
    {256, 20, 2, 2, 2, 6, 8},
    {128, 40, 6, 2, 0, 28, 4},
    {128, 40, 6, 2, 2, 26, 4},
    {128, 40, 6, 2, 0, 24, 8},
    {128, 40, 6, 2, 2, 22, 8},
    {64, 80, 12, 4, 8, 48, 8},
    {32, 160, 28, 4, 8, 112, 8},
    {16, 320, 56, 8, 8, 232, 16},
    {8, 640, 120, 8, 8, 488, 16},
    {4, 1280, 248, 8, 8, 1000, 16},
};

const struct utran_dpch *utran_dpch_format(uint32_t format)
{
	return &formats[format];
}

uint32_t utran_dpch_data(const struct utran_dpch *dpch)
{
	return UTRAN_SLOTS * (uint32_t)(dpch->data1 + dpch->data2);
}

uint32_t utran_dpch_bits(const struct utran_dpch *dpch)
{
	return UTRAN_SLOTS * (uint32_t)dpch->slot;
}

/* Table 12 by its second, fourth, sixth and eighth column for 16 pilot bits (the others are 11),
 * two bits a slot; fewer pilot bits have the first of them, and two have the second column
 * alone. */
static void map_pilots(uint32_t slot, uint32_t n, uint8_t *bits)
{
	static const uint8_t columns[4][UTRAN_SLOTS] = {
	    {3, 0, 1, 0, 2, 3, 3, 2, 1, 3, 1, 2, 2, 0, 0},
	    {2, 2, 1, 0, 1, 2, 0, 0, 2, 3, 1, 3, 0, 3, 3},
	    {3, 3, 2, 1, 3, 1, 2, 2, 0, 0, 3, 0, 1, 0, 2},
	    {2, 0, 0, 2, 3, 1, 3, 0, 3, 3, 2, 2, 1, 0, 1},
	};
	const uint32_t ones = n == 2 ? 0 : 2;

	for (uint32_t i = 0, column = 0; i < n; i += ones + 2, column++) {
		const uint8_t symbol = columns[column][slot];

		memset(bits + i, 1, ones);
		bits[i + ones] = symbol >> 1;
		bits[i + ones + 1] = symbol & 1;
	}
}

void utran_dpch_map(
    const struct utran_dpch *dpch, uint32_t tfci, uint32_t tpc, const uint8_t *data, uint8_t *frame)
{
	const uint32_t word = utran_tfci_encode(tfci);
	uint32_t coded = 0;

	for (uint32_t slot = 0; slot < UTRAN_SLOTS; slot++) {
		memcpy(frame, data, dpch->data1);
		data += dpch->data1;
		frame += dpch->data1;
		memset(frame, tpc & 1, dpch->tpc);
		frame += dpch->tpc;
		for (uint32_t i = 0; i < dpch->tfci; i++)
			*frame++ = word >> coded++ % UTRAN_TFCI_CODED & 1;
		memcpy(frame, data, dpch->data2);
		data += dpch->data2;
		frame += dpch->data2;
		map_pilots(slot, dpch->pilot, frame);
		frame += dpch->pilot;
	}
}

void utran_dpch_demap(const struct utran_dpch *dpch, const int16_t *frame, int16_t *data)
{
	for (uint32_t slot = 0; slot < UTRAN_SLOTS; slot++, frame += dpch->slot) {
		memcpy(data, frame, dpch->data1 * sizeof(*data));
		data += dpch->data1;
		memcpy(data, frame + dpch->data1 + dpch->tpc + dpch->tfci,
		    dpch->data2 * sizeof(*data));
		data += dpch->data2;
	}
}

uint32_t utran_dpch_tfci(const struct utran_dpch *dpch, const int16_t *frame)
{
	int32_t soft[UTRAN_TFCI_CODED] = {0};
	uint32_t coded = 0;

	if (!dpch->tfci)
		return 0;
	for (uint32_t slot = 0; slot < UTRAN_SLOTS; slot++, frame += dpch->slot)
		for (uint32_t i = 0; i < dpch->tfci; i++)
			soft[coded++ % UTRAN_TFCI_CODED] += frame[dpch->data1 + dpch->tpc + i];
	return utran_tfci_decode(soft);
}
