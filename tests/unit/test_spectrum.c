/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/spectrum: every level and size against transforms and products in double
 * precision. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kernels/spectrum.h"

#define GUARD 12345.5f
#define TOLERANCE 1e-6

/* floats behind an array; and before one that need not be aligned */
enum { GUARDS = 16, SHIFT = 1 };

struct rig {
	const struct spectrum_kernels *kernels;
	struct spectrum_plan plan;
	void *tables;
	uint32_t size;
	float *in, *history, *spectrum, *out; /* in and out are SHIFT floats off */
	uint32_t *order;                      /* place to bin */
	double complex *frame;
};

static float *floats(size_t n)
{
	float *memory = aligned_alloc(64, ((n + GUARDS) * sizeof(float) + 63) / 64 * 64);

	assert_non_null(memory);
	memset(memory, 0, n * sizeof(float));
	for (size_t i = n; i < n + GUARDS; i++)
		memory[i] = GUARD;
	return memory;
}

static void check_guards(const float *memory, size_t n)
{
	for (size_t i = n; i < n + GUARDS; i++)
		assert_true(memory[i] == GUARD);
}

static float uniform(void)
{
	return (float)rand() / (float)RAND_MAX - 0.5f;
}

static void randomize(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = uniform();
}

static size_t place(uint32_t i)
{
	return 2 * (size_t)(i - i % SPECTRUM_BLOCK) + i % SPECTRUM_BLOCK;
}

static double complex item(const float *blocks, uint32_t i)
{
	return blocks[place(i)] + I * blocks[place(i) + SPECTRUM_BLOCK];
}

/* A frame that is 1 at its second sample and 0 elsewhere has the spectrum exp(-2 pi i k / size):
 * each place tells its bin. */
static void find_order(struct rig *rig)
{
	uint8_t *seen = calloc(rig->size, 1);

	rig->history[1] = 1;
	rig->kernels->forward(&rig->plan, rig->in, rig->history, rig->spectrum);
	for (uint32_t i = 0; i < rig->size; i++) {
		const double turns = -carg(item(rig->spectrum, i)) / (2 * M_PI);

		rig->order[i] =
		    (uint32_t)lrint((turns < 0 ? turns + 1 : turns) * rig->size) % rig->size;
		assert_false(seen[rig->order[i]]);
		seen[rig->order[i]] = 1;
	}
	free(seen);
}

static void rig_init(struct rig *rig, enum simd_level level, uint32_t size)
{
	const struct spectrum_kernels *kernels = spectrum_kernels(level, size);
	const size_t bytes = spectrum_plan_bytes(size);

	*rig = (struct rig){.kernels = kernels, .size = size};
	rig->tables = floats(bytes / sizeof(float));
	spectrum_plan_init(size, rig->tables, &rig->plan);
	check_guards(rig->tables, bytes / sizeof(float));
	rig->in = floats(SHIFT + size) + SHIFT;
	rig->history = floats(size);
	rig->spectrum = floats(2 * size);
	rig->out = floats(SHIFT + size) + SHIFT;
	rig->order = calloc(size, sizeof(*rig->order));
	rig->frame = calloc(size, sizeof(*rig->frame));
	find_order(rig);
}

static void rig_fini(struct rig *rig)
{
	check_guards(rig->history, rig->size);
	check_guards(rig->spectrum, 2 * rig->size);
	check_guards(rig->out, rig->size);
	check_guards(rig->in, rig->size);
	free(rig->tables);
	free(rig->in - SHIFT);
	free(rig->out - SHIFT);
	free(rig->history);
	free(rig->spectrum);
	free(rig->order);
	free(rig->frame);
}

static double complex dft_bin(const double complex *x, uint32_t size, uint32_t bin, double sign)
{
	double complex sum = 0;

	for (uint32_t i = 0; i < size; i++)
		sum +=
		    x[i] * cexp(sign * 2 * M_PI * I * ((double)((uint64_t)i * bin % size) / size));
	return sum;
}

/* Larger sizes are looked at here and there. */
static uint32_t stride(uint32_t size)
{
	return size <= 512 ? 1 : size / 61;
}

static void check_forward(struct rig *rig)
{
	double wrong = 0, power = 0;

	randomize(rig->in, rig->size);
	randomize(rig->history, rig->size);
	for (uint32_t i = 0; i < rig->size / 2; i++) {
		rig->frame[i] = item(rig->history, i);
		rig->frame[rig->size / 2 + i] = rig->in[2 * i] + I * rig->in[2 * i + 1];
	}
	rig->kernels->forward(&rig->plan, rig->in, rig->history, rig->spectrum);
	for (uint32_t i = 0; i < rig->size; i += stride(rig->size)) {
		const double complex want = dft_bin(rig->frame, rig->size, rig->order[i], -1);

		wrong += pow(cabs(item(rig->spectrum, i) - want), 2);
		power += pow(cabs(want), 2);
	}
	assert_true(sqrt(wrong / power) < TOLERANCE);
	for (uint32_t i = 0; i < rig->size / 2; i++)
		assert_true(item(rig->history, i) == rig->frame[rig->size / 2 + i]);
}

static void check_inverse(struct rig *rig)
{
	double wrong = 0, power = 0;

	randomize(rig->spectrum, 2 * rig->size);
	for (uint32_t i = 0; i < rig->size; i++)
		rig->frame[rig->order[i]] = item(rig->spectrum, i);
	rig->kernels->inverse(&rig->plan, rig->spectrum, rig->out);
	for (uint32_t i = 0; i < rig->size / 2; i += stride(rig->size)) {
		const double complex want = dft_bin(rig->frame, rig->size, rig->size / 2 + i, 1);

		wrong += pow(cabs(rig->out[2 * i] + I * rig->out[2 * i + 1] - want), 2);
		power += pow(cabs(want), 2);
	}
	assert_true(sqrt(wrong / power) < TOLERANCE);
}

static void every_level(void (*check)(enum simd_level level))
{
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		if (simd_has((enum simd_level)level))
			check((enum simd_level)level);
}

static void transforms_of(enum simd_level level)
{
	for (uint32_t size = SPECTRUM_SIZE_MIN; size <= SPECTRUM_SIZE_MAX; size *= 2) {
		struct rig rig;

		rig_init(&rig, level, size);
		for (int i = 0; i < 3; i++) {
			check_forward(&rig);
			check_inverse(&rig);
		}
		rig_fini(&rig);
	}
}

static void transforms_are_right(void **state)
{
	(void)state;
	every_level(transforms_of);
}

/* Nonsense goes in and comes out, and is forgotten when it has left the history. */
static void nonsense_of(enum simd_level level)
{
	struct rig rig;

	rig_init(&rig, level, 256);
	for (uint32_t i = 0; i < 256; i++)
		rig.in[i] = i % 3 ? NAN : INFINITY;
	rig.kernels->forward(&rig.plan, rig.in, rig.history, rig.spectrum);
	assert_true(isnan(creal(item(rig.spectrum, 5))));
	randomize(rig.in, 256);
	rig.kernels->forward(&rig.plan, rig.in, rig.history, rig.spectrum);
	check_forward(&rig);
	rig_fini(&rig);
}

static void nonsense_passes(void **state)
{
	(void)state;
	every_level(nonsense_of);
}

/* A spectrum, permuted as each level does, its product with itself, and the samples that come
 * back. */
static void same_bits_of(enum simd_level level)
{
	for (uint32_t size = SPECTRUM_SIZE_MIN; size <= SPECTRUM_SIZE_MAX; size *= 2) {
		struct rig plain, rig;
		const float *x[2], *const *spectra = x;

		rig_init(&plain, SIMD_PLAIN, size);
		rig_init(&rig, level, size);
		randomize(plain.in, size);
		randomize(plain.history, size);
		memcpy(rig.in, plain.in, size * sizeof(float));
		memcpy(rig.history, plain.history, size * sizeof(float));
		plain.kernels->forward(&plain.plan, plain.in, plain.history, plain.spectrum);
		rig.kernels->forward(&rig.plan, rig.in, rig.history, rig.spectrum);
		for (uint32_t i = 0; i < size; i++)
			plain.frame[plain.order[i]] = item(plain.spectrum, i);
		for (uint32_t i = 0; i < size; i++)
			assert_true(plain.frame[rig.order[i]] == item(rig.spectrum, i));
		x[0] = x[1] = plain.spectrum;
		plain.kernels->multiply(spectra, spectra, 2, size, plain.spectrum);
		x[0] = x[1] = rig.spectrum;
		rig.kernels->multiply(spectra, spectra, 2, size, rig.spectrum);
		plain.kernels->inverse(&plain.plan, plain.spectrum, plain.out);
		rig.kernels->inverse(&rig.plan, rig.spectrum, rig.out);
		assert_memory_equal(plain.out, rig.out, size * sizeof(float));
		rig_fini(&plain);
		rig_fini(&rig);
	}
}

static void every_level_gives_the_same_bits(void **state)
{
	(void)state;
	every_level(same_bits_of);
}

enum { PRODUCTS = 5 };

static void check_products(const struct spectrum_kernels *kernels, uint32_t count, uint32_t bins)
{
	float *x[PRODUCTS], *h[PRODUCTS], *sum = floats(2 * bins);

	for (uint32_t k = 0; k < PRODUCTS; k++) {
		x[k] = floats(2 * bins);
		h[k] = floats(2 * bins);
		randomize(x[k], 2 * bins);
		randomize(h[k], 2 * bins);
	}
	kernels->multiply((const float *const *)x, (const float *const *)h, count, bins, sum);
	check_guards(sum, 2 * bins);
	for (uint32_t i = 0; i < bins; i++) {
		double complex want = 0;

		for (uint32_t k = 0; k < count; k++)
			want += item(x[k], i) * item(h[k], i);
		assert_true(cabs(item(sum, i) - want) < TOLERANCE);
	}
	for (uint32_t k = 0; k < PRODUCTS; k++) {
		free(x[k]);
		free(h[k]);
	}
	free(sum);
}

static void products_of(enum simd_level level)
{
	for (uint32_t count = 1; count <= PRODUCTS; count++)
		for (uint32_t bins = SPECTRUM_STEP; bins <= 5 * SPECTRUM_STEP;
		     bins += SPECTRUM_STEP)
			check_products(spectrum_kernels(level, SPECTRUM_SIZE_MAX), count, bins);
}

static void products_are_right(void **state)
{
	(void)state;
	every_level(products_of);
}

static void splits_of(enum simd_level level)
{
	const struct spectrum_kernels *kernels = spectrum_kernels(level, SPECTRUM_SIZE_MAX);

	for (uint32_t n = SPECTRUM_BLOCK; n < 10 * SPECTRUM_BLOCK; n += SPECTRUM_BLOCK) {
		float *in = floats(SHIFT + 2 * n), *blocks = floats(2 * n),
		      *out = floats(SHIFT + 2 * n);

		randomize(in, SHIFT + 2 * n);
		kernels->split(in + SHIFT, n, blocks);
		for (uint32_t i = 0; i < n; i++)
			assert_true(
			    item(blocks, i) == in[SHIFT + 2 * i] + I * in[SHIFT + 2 * i + 1]);
		kernels->join(blocks, n, out + SHIFT);
		assert_memory_equal(in + SHIFT, out + SHIFT, 2 * n * sizeof(float));
		check_guards(blocks, 2 * n);
		check_guards(out, SHIFT + 2 * n);
		free(in);
		free(blocks);
		free(out);
	}
}

static void splits_and_joins(void **state)
{
	(void)state;
	every_level(splits_of);
}

static void sizes(void **state)
{
	(void)state;
	assert_false(spectrum_has_size(0));
	assert_false(spectrum_has_size(64));
	assert_true(spectrum_has_size(128));
	assert_false(spectrum_has_size(129));
	assert_true(spectrum_has_size(8192));
	assert_false(spectrum_has_size(16384));
	assert_int_equal(spectrum_floats(128), 256);
	assert_int_equal(spectrum_floats(129), 384);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(transforms_are_right),
	    cmocka_unit_test(nonsense_passes),
	    cmocka_unit_test(every_level_gives_the_same_bits),
	    cmocka_unit_test(products_are_right),
	    cmocka_unit_test(splits_and_joins),
	    cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
