/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_tfci - the code of the transport format combination indicator, 3GPP TS 25.212 section
 * 4.3.3: ten bits become 32, a subcode of the second order Reed-Muller code. Of two code words at
 * least 12 bits differ.
 */
#ifndef CORE_KERNELS_UTRAN_TFCI_H
#define CORE_KERNELS_UTRAN_TFCI_H

#include <stdint.h>

enum { UTRAN_TFCI_MAX = 1023, UTRAN_TFCI_CODED = 32 };

/* utran_tfci_encode gives the code word of a TFCI; bit i of it is b_i, and bit n of the TFCI is
 * a_n. */
uint32_t utran_tfci_encode(uint32_t tfci);

/* utran_tfci_decode gives the TFCI whose word is nearest to 32 soft bits (positive = bit 0):
 * maximum likelihood. */
uint32_t utran_tfci_decode(const int32_t soft[UTRAN_TFCI_CODED]);

#endif
