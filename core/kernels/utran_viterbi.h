/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_viterbi - soft decision Viterbi decoder for the codes of utran_conv: 256 states, one block
 * at a time.
 *
 * It finds the most likely of all 2^K blocks (start and end in state 0), so nothing is lost but
 * what the soft bits have lost: they are taken within +-511. 16 per unit amplitude is right, as for
 * the turbo decoder; a common factor does not matter. Ties go to the path whose bit eight steps ago
 * was 0, so every variant decides the same.
 *
 * A state is the last eight bits, the newest in bit 0. Then states j and j + 128 lead to 2j and 2j
 * + 1 only, and all four branches have the same metric but for its sign, because every generator
 * has its first and its last digit set. The decision at a state is the bit that went in eight steps
 * earlier: the way back reads the block off, and the first eight steps, in which each state has one
 * way from state 0, need no decision.
 *
 * Path metrics are 16 bits wide and wrap around. Any state is reached from any other in eight
 * steps, so two metrics differ by at most 2 * 8 * 3 * 511 = 24528, and what is compared by at most
 * 24528 + 2 * 3 * 511 = 27594 < 2^15: a difference taken modulo 2^16 has the right sign, and
 * nothing need be normalised.
 *
 * 	utran_viterbi_init(v, UTRAN_CONV_THIRD);
 * 	utran_viterbi_decode(utran_viterbi_kernels(level), v, work, soft, 112, bits);
 * 	// 360 soft bits
 */
#ifndef CORE_KERNELS_UTRAN_VITERBI_H
#define CORE_KERNELS_UTRAN_VITERBI_H

#include <stdint.h>

#include "core/base/simd.h"
#include "core/kernels/utran_conv.h"

enum {
	UTRAN_VITERBI_STATES = 256,
	UTRAN_VITERBI_SOFT_MAX = 511,
	UTRAN_VITERBI_STEPS_MAX = UTRAN_CONVOLUTIONAL_K_MAX + UTRAN_CONV_TAIL,
	UTRAN_VITERBI_DECISION_BYTES = UTRAN_VITERBI_STATES / 8
};

/* The coder: from aloe_alloc, for a vector wants it aligned. */
struct utran_viterbi {
	/* Pattern of outputs on the branch from j to 2j, as the two bytes of branches[] that hold
	 * its metric. */
	_Alignas(64) uint8_t select[UTRAN_VITERBI_STATES];
	enum utran_conv_rate rate;
};

/* Working memory, about 25 KiB: from aloe_scratch, for a block begins with whatever is in it. */
struct utran_viterbi_work {
	/* metric of each pattern of outputs, by step */
	_Alignas(64) int16_t branches[UTRAN_VITERBI_STEPS_MAX][8];
	int16_t metrics[UTRAN_VITERBI_STATES];
	/* By step from the ninth: 128 bits for the even states, then 128 for the odd ones. */
	uint8_t decisions[UTRAN_CONVOLUTIONAL_K_MAX][UTRAN_VITERBI_DECISION_BYTES];
};

/* The inner loop: add, compare and select in every state, `steps` times. */
struct utran_viterbi_kernels {
	void (*select)(const int16_t (*branches)[8], const uint8_t *select, uint32_t steps,
	    int16_t *metrics, uint8_t (*ret_decisions)[UTRAN_VITERBI_DECISION_BYTES]);
};

const struct utran_viterbi_kernels *utran_viterbi_kernels(enum simd_level level);

/* utran_viterbi_init prepares for one code. */
void utran_viterbi_init(struct utran_viterbi *v, enum utran_conv_rate rate);

/* utran_viterbi_decode makes k bits, 1 to 504, of utran_conv_coded(rate, k) soft bits (positive =
 * 0). */
void utran_viterbi_decode(const struct utran_viterbi_kernels *kernels,
    const struct utran_viterbi *v, struct utran_viterbi_work *work, const int16_t *soft, uint32_t k,
    uint8_t *ret_bits);

/* Variants, for the table only. */
extern const struct utran_viterbi_kernels utran_viterbi_sse41, utran_viterbi_avx2,
    utran_viterbi_avx512, utran_viterbi_neon;

#endif
