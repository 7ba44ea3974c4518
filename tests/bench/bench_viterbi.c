/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Viterbi decoder of the convolutional codes, one block as the reference channels have it: each
 * vector level that this machine runs beside plain C. */
#include <stdint.h>

#include "core/kernels/utran_viterbi.h"
#include "tests/bench/pairs.h"

enum { ROUNDS = 64 };

struct decoder {
	const struct utran_viterbi_kernels *kernels;
	struct utran_viterbi viterbi;
	struct utran_viterbi_work work;
	uint32_t k;
	int16_t soft[3 * UTRAN_VITERBI_STEPS_MAX];
	uint8_t bits[UTRAN_CONVOLUTIONAL_K_MAX];
};

static double decode(void *context)
{
	struct decoder *d = context;
	const uint64_t begin = clock_ns();

	for (int i = 0; i < ROUNDS; i++)
		utran_viterbi_decode(d->kernels, &d->viterbi, &d->work, d->soft, d->k, d->bits);
	return (double)(clock_ns() - begin) / ROUNDS;
}

static void decoder_init(
    struct decoder *d, enum simd_level level, enum utran_conv_rate rate, uint32_t k)
{
	uint32_t random = 1;

	d->kernels = utran_viterbi_kernels(level);
	utran_viterbi_init(&d->viterbi, rate);
	d->k = k;
	/* what is in them does not matter to the time */
	for (uint32_t i = 0; i < utran_conv_coded(rate, k); i++) {
		random = random * 1664525u + 1013904223u;
		d->soft[i] = (int16_t)((int32_t)(random >> 26) - 32);
	}
}

static void run_level(enum simd_level level, enum utran_conv_rate rate, uint32_t k)
{
	static struct decoder fast, plain;
	char name[64];
	double us;

	decoder_init(&fast, level, rate, k);
	decoder_init(&plain, SIMD_PLAIN, rate, k);
	snprintf(name, sizeof(name), "rate 1/%u, K = %u, %s", utran_conv_outputs(rate), k,
	    simd_name(level));
	us = pairs_run(name, decode, &fast, "plain", decode, &plain, 0);
	printf("%30s%.1f Mbit/s, %.1f ns a bit\n", "", k / us, 1e3 * us / k);
}

int main(void)
{
	pairs_quiet();
	printf("-- Viterbi decoder, 256 states: DCCH (112 bits), speech (260), the longest block "
	       "(504)\n");
	for (int level = SIMD_SSE41; level < SIMD_LEVELS; level++) {
		if (!simd_has((enum simd_level)level))
			continue;
		run_level((enum simd_level)level, UTRAN_CONV_THIRD, 112);
		run_level((enum simd_level)level, UTRAN_CONV_THIRD, 260);
		run_level((enum simd_level)level, UTRAN_CONV_THIRD, 504);
		run_level((enum simd_level)level, UTRAN_CONV_HALF, 504);
	}
	return 0;
}
