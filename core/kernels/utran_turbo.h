/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_turbo - the turbo coder of UTRAN and its internal interleaver, 3GPP TS 25.212 section
 * 4.2.3.2.
 *
 * Two 8-state recursive systematic coders, rate 1/3, blocks of K = 40 to 5114 bits, one bit per
 * byte. The codeword is x_0 z_0 z'_0 x_1 z_1 z'_1 ... and 12 tail bits x z x z x z x' z' x' z' x'
 * z': 3K + 12 bits.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_H
#define CORE_KERNELS_UTRAN_TURBO_H

#include <stdint.h>

enum { UTRAN_TURBO_K_MIN = 40, UTRAN_TURBO_K_MAX = 5114, UTRAN_TURBO_TAIL = 12 };

/* utran_turbo_coded gives the length of the codeword of a block of k bits. */
static inline uint32_t utran_turbo_coded(uint32_t k)
{
	return 3 * k + UTRAN_TURBO_TAIL;
}

/* utran_turbo_interleaver writes the k entries of the internal interleaver: the second coder's bit
 * i is bit pi[i]. -EINVAL if k is outside [40, 5114]. */
int utran_turbo_interleaver(uint32_t k, uint16_t *ret_pi);

/* utran_turbo_encode_plain codes one block of k bits into 3k + 12: the reference of
 * utran_turbo_encoder.h. */
void utran_turbo_encode_plain(const uint16_t *pi, uint32_t k, const uint8_t *in, uint8_t *out);

/* utran_turbo_tail writes the six tail bits x z x z x z of one coder whose register holds s1 (the
 * newest bit), s2, s3. */
void utran_turbo_tail(uint8_t s1, uint8_t s2, uint8_t s3, uint8_t *out);

#endif
