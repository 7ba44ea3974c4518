/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_viterbi_loops - the inner loop over vectors, for a file that has defined what a vector is
 * (without LANES there is nothing here):
 *
 * 	LANES, vector			metrics in a vector, and its type
 * 	pattern_load(branches)		the eight metrics of a step, once in every 16 bytes
 * 	pattern_look_up(pattern, bytes)	for each lane the two bytes of them that `bytes` names
 * 	metrics_load(from)		LANES metrics
 * 	metrics_zip(even, odd, to)	2 LANES metrics, one of each in turn
 * 	metrics_add(a, b), metrics_sub(a, b)	which wrap around
 *         metrics_larger(a, b, &less)     by the sign of the difference; in `less` lanes where a is
 *                                         the smaller are negative
 * 	signs_store(low, high, to)	2 LANES signs as bits
 */
#ifndef CORE_KERNELS_UTRAN_VITERBI_LOOPS_H
#define CORE_KERNELS_UTRAN_VITERBI_LOOPS_H

#include <string.h>

#include "core/kernels/utran_viterbi.h"

#ifdef LANES
enum { HALF = UTRAN_VITERBI_STATES / 2 };

/* States 2j and 2j + 1 for LANES j from `j` on; ret_less says where each comes from. */
static inline void butterflies(const int16_t *old, int16_t *new, vector pattern,
    const uint8_t *select, uint32_t j, vector ret_less[2])
{
	const vector m = pattern_look_up(pattern, select + 2 * j);
	const vector a = metrics_load(old + j), b = metrics_load(old + j + HALF);
	const vector even = metrics_larger(metrics_add(a, m), metrics_sub(b, m), &ret_less[0]);
	const vector odd = metrics_larger(metrics_sub(a, m), metrics_add(b, m), &ret_less[1]);

	metrics_zip(even, odd, new + 2 * j);
}

static void select_states(const int16_t (*branches)[8], const uint8_t *select, uint32_t steps,
    int16_t *metrics, uint8_t (*ret_decisions)[UTRAN_VITERBI_DECISION_BYTES])
{
	int16_t other[UTRAN_VITERBI_STATES], *old = metrics, *new = other;

	for (uint32_t t = 0; t < steps; t++) {
		const vector pattern = pattern_load(branches[t]);
		int16_t *swap = old;

		for (uint32_t j = 0; j < HALF; j += 2 * LANES) {
			vector low[2], high[2];
			butterflies(old, new, pattern, select, j, low);
			butterflies(old, new, pattern, select, j + LANES, high);
			signs_store(low[0], high[0], ret_decisions[t] + j / 8);
			signs_store(low[1], high[1], ret_decisions[t] + (j + HALF) / 8);
		}
		old = new;
		new = swap;
	}
	if (old != metrics)
		memcpy(metrics, old, sizeof(other));
}
#endif

#endif
