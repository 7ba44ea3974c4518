/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_conv - convolutional codes of constraint length 9, 3GPP TS 25.212 section 4.2.3.1.
 *
 * Rate 1/2 has the generators 561 and 753 (octal), rate 1/3 has 557, 663 and 711; the leftmost of
 * the nine binary digits takes the bit that goes in, the rightmost the oldest. The register starts
 * at zero and eight zero bits follow the block, so K bits make 2K + 16 or 3K + 24, the outputs of
 * each step in the order of the generators. K is 1 to 504 (UTRAN_CONVOLUTIONAL_K_MAX in
 * utran_code_block.h, which cuts longer ones).
 */
#ifndef CORE_KERNELS_UTRAN_CONV_H
#define CORE_KERNELS_UTRAN_CONV_H

#include <stdint.h>

#include "core/kernels/utran_code_block.h"

enum utran_conv_rate { UTRAN_CONV_HALF, UTRAN_CONV_THIRD };

enum { UTRAN_CONV_TAIL = 8, UTRAN_CONV_OUTPUTS_MAX = 3 };

/* utran_conv_outputs gives the coded bits of one step, utran_conv_coded those of a block of k
 * bits. */
uint32_t utran_conv_outputs(enum utran_conv_rate rate);
uint32_t utran_conv_coded(enum utran_conv_rate rate, uint32_t k);

/* utran_conv_taps tells which bits output `n` adds: bit d of the result stands for the input d
 * steps ago. */
uint32_t utran_conv_taps(enum utran_conv_rate rate, uint32_t n);

/* utran_conv_encode codes k bits, one per byte; out holds utran_conv_coded(rate, k). */
void utran_conv_encode(enum utran_conv_rate rate, const uint8_t *in, uint32_t k, uint8_t *out);

/* utran_conv_blocks finds, for `coded` bits of all code blocks of a TTI, how many bits went in and
 * how they were cut, taking it that there was no filler: which can be told, since the code blocks
 * of any TTI are as few as possible. -EINVAL: it is no number of coded bits. */
int utran_conv_blocks(enum utran_conv_rate rate, uint32_t coded, struct utran_code_blocks *ret_cut);

#endif
