/* SPDX-License-Identifier: BSD-3-Clause
 * Partitioned convolution: the loops for any processor, plans, and the choice of a level. See
 * spectrum.h. */
#include <assert.h>
#include <math.h>

#include "core/kernels/levels.h"
#include "core/kernels/spectrum_loops.h"

const struct spectrum_kernels spectrum_plain = SPECTRUM_TABLE;

const struct spectrum_kernels *spectrum_kernels(enum simd_level level, uint32_t size)
{
	static const struct spectrum_kernels *const tables[SIMD_LEVELS] = KERNEL_LEVELS(
	    &spectrum_plain, &spectrum_plain, &spectrum_avx2, &spectrum_avx512, &spectrum_neon);

	/* As many blocks are transposed as a vector has lanes: there must be so many. */
	return level == SIMD_AVX512 && size < 16 * 16 ? tables[SIMD_AVX2] : tables[level];
}

int spectrum_has_size(uint32_t size)
{
	return size >= SPECTRUM_SIZE_MIN && size <= SPECTRUM_SIZE_MAX && (size & (size - 1)) == 0;
}

/* next_radix: of what is to be done in whole vectors, so that no 2 is left behind where it can be
 * avoided. */
static uint32_t next_radix(uint32_t rest)
{
	return rest <= 8 ? rest : rest == 16 ? 4 : 8;
}

static size_t pass_floats(uint32_t radix, uint32_t length)
{
	return 2 * (size_t)(radix - 1) * (length / radix);
}

/* fill_twiddles: for every block j of a part and every output r, exp(-2 pi i r j / length), real
 * parts then imaginary. */
static void fill_twiddles(uint32_t radix, uint32_t length, float *w)
{
	for (uint32_t j = 0; j < length / radix; j += SPECTRUM_BLOCK) {
		for (uint32_t r = 1; r < radix; r++, w += 2 * (size_t)SPECTRUM_BLOCK) {
			for (uint32_t l = 0; l < SPECTRUM_BLOCK; l++) {
				const double turns =
				    (double)((uint64_t)r * (j + l) % length) / length;

				w[l] = (float)cos(6.283185307179586476925 * turns);
				w[SPECTRUM_BLOCK + l] =
				    (float)-sin(6.283185307179586476925 * turns);
			}
		}
	}
}

/* lay_out: the passes of a plan, tables from `memory` on (or none, NULL); how many floats they
 * take. */
static size_t lay_out(uint32_t size, float *memory, struct spectrum_plan *plan)
{
	uint32_t length = size, radix = 8;
	size_t floats = 0;

	assert(spectrum_has_size(size));
	*plan = (struct spectrum_plan){.size = size};
	while (length > SPECTRUM_BLOCK) {
		if (plan->n_passes > 0)
			radix = next_radix(length / SPECTRUM_BLOCK);
		assert(plan->n_passes < SPECTRUM_PASSES_MAX);
		if (memory != NULL)
			fill_twiddles(radix, length, memory + floats);
		plan->passes[plan->n_passes++] =
		    (struct spectrum_pass){radix, length, memory != NULL ? memory + floats : NULL};
		floats += pass_floats(radix, length);
		length /= radix;
	}
	return floats;
}

size_t spectrum_plan_bytes(uint32_t size)
{
	struct spectrum_plan plan;

	return lay_out(size, NULL, &plan) * sizeof(float);
}

void spectrum_plan_init(uint32_t size, void *memory, struct spectrum_plan *ret_plan)
{
	lay_out(size, memory, ret_plan);
}
