/* SPDX-License-Identifier: BSD-3-Clause
 * utran_viterbi - branch metrics, the first eight steps, the plain inner loop and the way back. */
#include "core/kernels/utran_viterbi.h"

#include <stdbool.h>
#include <string.h>

#include "core/kernels/levels.h"

enum {
	HALF = UTRAN_VITERBI_STATES / 2,
	BRANCH_MAX = UTRAN_CONV_OUTPUTS_MAX * UTRAN_VITERBI_SOFT_MAX,
	SPREAD_MAX = 2 * UTRAN_CONV_TAIL * BRANCH_MAX
};

_Static_assert(SPREAD_MAX + 2 * BRANCH_MAX <= INT16_MAX,
    "metrics could overtake each other by wrapping around");

/* Sums wrap around, as the vector registers' do. */
static int16_t add(int16_t a, int16_t b)
{
	return (int16_t)(uint16_t)((uint16_t)a + (uint16_t)b);
}

static int16_t sub(int16_t a, int16_t b)
{
	return (int16_t)(uint16_t)((uint16_t)a - (uint16_t)b);
}

static void select_plain(const int16_t (*branches)[8], const uint8_t *select, uint32_t steps,
    int16_t *metrics, uint8_t (*ret_decisions)[UTRAN_VITERBI_DECISION_BYTES])
{
	int16_t old[UTRAN_VITERBI_STATES];

	for (uint32_t t = 0; t < steps; t++) {
		uint8_t *even = ret_decisions[t], *odd = even + HALF / 8;

		memcpy(old, metrics, sizeof(old));
		memset(even, 0, UTRAN_VITERBI_DECISION_BYTES);
		for (uint32_t j = 0; j < HALF; j++) {
			const int16_t a = old[j], b = old[j + HALF],
			              m = branches[t][select[2 * j] / 2];
			const uint8_t from_b0 = sub(add(a, m), sub(b, m)) < 0,
			              from_b1 = sub(sub(a, m), add(b, m)) < 0;

			metrics[2 * j] = from_b0 ? sub(b, m) : add(a, m);
			metrics[2 * j + 1] = from_b1 ? add(b, m) : sub(a, m);
			even[j / 8] |= (uint8_t)(from_b0 << j % 8);
			odd[j / 8] |= (uint8_t)(from_b1 << j % 8);
		}
	}
}

static const struct utran_viterbi_kernels utran_viterbi_plain = {select_plain};

const struct utran_viterbi_kernels *utran_viterbi_kernels(enum simd_level level)
{
	static const struct utran_viterbi_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&utran_viterbi_plain, &utran_viterbi_sse41, &utran_viterbi_avx2,
	        &utran_viterbi_avx512, &utran_viterbi_neon);

	return tables[level];
}

void utran_viterbi_init(struct utran_viterbi *v, enum utran_conv_rate rate)
{
	v->rate = rate;
	for (uint32_t j = 0; j < HALF; j++) {
		uint8_t pattern = 0;
		for (uint32_t n = 0; n < utran_conv_outputs(rate); n++)
			pattern |=
			    (uint8_t)(__builtin_parity(utran_conv_taps(rate, n) & j << 1) << n);
		v->select[2 * j] = (uint8_t)(2 * pattern);
		v->select[2 * j + 1] = (uint8_t)(2 * pattern + 1);
	}
}

static int16_t limited(int16_t soft)
{
	const int16_t low = soft > -UTRAN_VITERBI_SOFT_MAX ? soft : -UTRAN_VITERBI_SOFT_MAX;

	return low < UTRAN_VITERBI_SOFT_MAX ? low : UTRAN_VITERBI_SOFT_MAX;
}

/* Metric of each pattern: the soft bit where the output is 0, less it where it is 1. */
static void make_branches(
    enum utran_conv_rate rate, struct utran_viterbi_work *work, const int16_t *soft, uint32_t steps)
{
	const bool third = rate == UTRAN_CONV_THIRD;

	for (uint32_t t = 0; t < steps; t++) {
		int16_t *branch = work->branches[t];
		const int x = limited(*soft++), y = limited(*soft++),
		          z = third ? limited(*soft++) : 0;

		branch[0] = (int16_t)(x + y + z);
		branch[1] = (int16_t)(-x + y + z);
		branch[2] = (int16_t)(x - y + z);
		branch[3] = (int16_t)(-x - y + z);
		for (int pattern = 4; pattern < 8; pattern++)
			branch[pattern] = (int16_t)-branch[7 - pattern];
	}
}

/* From state 0, which leads to twice as many states in each step, until all are reached. */
static void start(const struct utran_viterbi *v, struct utran_viterbi_work *work)
{
	int16_t *metrics = work->metrics;

	metrics[0] = 0;
	for (uint32_t t = 0; t < UTRAN_CONV_TAIL; t++) {
		for (uint32_t j = 1u << t; j-- > 0;) {
			const int16_t a = metrics[j], m = work->branches[t][v->select[2 * j] / 2];
			metrics[2 * j] = (int16_t)(a + m);
			metrics[2 * j + 1] = (int16_t)(a - m);
		}
	}
}

static void way_back(const struct utran_viterbi_work *work, uint32_t k, uint8_t *ret_bits)
{
	uint32_t state = 0;

	for (uint32_t t = k; t-- > 0;) {
		const uint32_t at = state % 2 * HALF + state / 2,
		               bit = work->decisions[t][at / 8] >> at % 8 & 1;
		ret_bits[t] = (uint8_t)bit;
		state = state / 2 + bit * HALF;
	}
}

void utran_viterbi_decode(const struct utran_viterbi_kernels *kernels,
    const struct utran_viterbi *v, struct utran_viterbi_work *work, const int16_t *soft, uint32_t k,
    uint8_t *ret_bits)
{
	make_branches(v->rate, work, soft, k + UTRAN_CONV_TAIL);
	start(v, work);
	kernels->select((const int16_t(*)[8])work->branches + UTRAN_CONV_TAIL, v->select, k,
	    work->metrics, work->decisions);
	way_back(work, k, ret_bits);
}
