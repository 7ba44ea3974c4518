/* SPDX-License-Identifier: BSD-3-Clause
 * Rayleigh fading: paths, phasors, the loops for any processor, and the choice of a level. See
 * fading.h. */
#include "core/kernels/fading_loops.h"

#include <math.h>

#include "core/kernels/levels.h"
#include "core/kernels/random.h"

const struct fading_kernels fading_plain = FADING_TABLE;

const struct fading_kernels *fading_kernels(enum simd_level level)
{
	static const struct fading_kernels *const tables[SIMD_LEVELS] = KERNEL_LEVELS(
	    &fading_plain, &fading_plain, &fading_avx2, &fading_avx512, &fading_plain);

	return tables[level];
}

/* Uniform in [0, 1): word `n` of a path. */
static double uniform(uint64_t seed, uint32_t path, uint32_t n)
{
	const uint32_t counter[4] = {n / 4, RANDOM_FADING, path, 0};
	const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	uint32_t words[4];

	random_philox(counter, key, words);
	return words[n % 4] * 0x1p-32;
}

void fading_init(uint64_t seed, uint32_t path, double doppler_hz, struct fading *ret_fading)
{
	const double golden = uniform(seed, 0, FADING_WAVES) + path * 0.61803398874989484820;
	const double rotation = 0.0625 + 0.125 * (golden - floor(golden));

	*ret_fading = (struct fading){0};
	for (uint32_t n = 0; n < FADING_WAVES; n++) {
		double re, im;

		fading_phasor((n + rotation) / FADING_WAVES, &re, &im);
		ret_fading->hz[n] = doppler_hz * re;
		ret_fading->turns[n] = uniform(seed, path, n);
	}
}
