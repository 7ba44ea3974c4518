/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_dpch - the fields of the downlink dedicated physical channel, 3GPP TS 25.211 section 5.3.2.
 *
 * A radio frame is 15 slots of 2560 chips, 2 * 2560 / SF bits each:
 *
 * 	| Data1 | TPC | TFCI | Data2 | Pilot |
 *
 * `format` 0 to 16 is the slot format of Table 11 (normal mode), for example 15: SF 8, 120 + 8 + 8
 * + 488 + 16 bits. The data bits of a frame fill Data1 and Data2 in ascending order. The TPC field
 * is all ones (power up) or all zeros (down). The TFCI fields of a frame carry the 32 coded bits
 * b_0, b_1, ... over and over (formats without them: nothing). The pilots are those of Table 12.
 *
 * Bits are one per byte, soft bits int16_t, positive = bit 0.
 */
#ifndef CORE_KERNELS_UTRAN_DPCH_H
#define CORE_KERNELS_UTRAN_DPCH_H

#include <stdint.h>

enum { UTRAN_DPCH_FORMATS = 17 };

struct utran_dpch {
	uint16_t sf;
	uint16_t slot; /* bits of a slot */
	uint16_t data1, tpc, tfci, data2, pilot;
};

/* utran_dpch_format gives a row of Table 11; format < UTRAN_DPCH_FORMATS. */
const struct utran_dpch *utran_dpch_format(uint32_t format);

/* utran_dpch_data and _bits give the data bits of a radio frame, and all of its bits. */
uint32_t utran_dpch_data(const struct utran_dpch *dpch);
uint32_t utran_dpch_bits(const struct utran_dpch *dpch);

/* utran_dpch_map makes a radio frame of its data bits, the TFCI (0 to 1023) and the TPC command (1
 * up, 0 down). */
void utran_dpch_map(const struct utran_dpch *dpch, uint32_t tfci, uint32_t tpc, const uint8_t *data,
    uint8_t *frame);

/* utran_dpch_demap takes the soft data bits out of a radio frame. */
void utran_dpch_demap(const struct utran_dpch *dpch, const int16_t *frame, int16_t *data);

/* utran_dpch_tfci decodes the TFCI of a radio frame; 0 if the format has none. */
uint32_t utran_dpch_tfci(const struct utran_dpch *dpch, const int16_t *frame);

#endif
