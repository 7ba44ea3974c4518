/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/fading: the Doppler spectrum against its autocorrelation, the envelope against
 * Rayleigh's distribution, paths against each other, levels against the plain one to the bit. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/kernels/fading.h"

static double complex item(const void *data, size_t i)
{
	const float *x = data;

	return x[2 * i] + I * x[2 * i + 1];
}

static float *random_floats(size_t n)
{
	float *x = malloc(n * sizeof(*x));

	assert_non_null(x);
	for (size_t i = 0; i < n; i++)
		x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
	return x;
}

enum { PER_PERIOD = 50, PERIODS = 4000, GAINS = PER_PERIOD * PERIODS };

/* GAINS gains at PER_PERIOD for each period of the Doppler shift of 100 Hz. */
static float *path_gains(uint64_t seed, uint32_t path)
{
	float *gains = malloc(2 * sizeof(float) * GAINS);
	struct fading fading;

	assert_non_null(gains);
	fading_init(seed, path, 100, &fading);
	fading_kernels(simd_best())->gains(&fading, 1000, 0.01 / PER_PERIOD, GAINS, 1, gains);
	return gains;
}

static double complex correlation(const float *a, const float *b, uint32_t lag)
{
	double complex sum = 0;

	for (uint32_t i = 0; i + lag < GAINS; i++)
		sum += item(a, i + lag) * conj(item(b, i));
	return sum / (GAINS - lag);
}

/* Over the time of single paths: mean power 1, and the classical spectrum within 5 %, up to three
 * periods. */
static void doppler_is_classical(void **state)
{
	double most = 0;

	(void)state;
	for (uint32_t path = 0; path < 6; path++) {
		float *gains = path_gains(11, path);

		assert_true(fabs(creal(correlation(gains, gains, 0)) - 1) < 0.02);
		for (uint32_t lag = 0; lag <= 3 * PER_PERIOD; lag += 3) {
			const double off = cabs(correlation(gains, gains, lag) -
			    j0(2 * M_PI * lag / (double)PER_PERIOD));

			most = off > most ? off : most;
		}
		free(gains);
	}
	print_message("autocorrelation: at most %.4f from J0\n", most);
	assert_true(most < 0.05);
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The envelope's distribution function nowhere further than 0.02 from Rayleigh's, over paths and
 * time; phases are even. */
static void envelope_is_rayleigh(void **state)
{
	enum { PATHS = 8, N = PATHS * GAINS };
	double *envelope = malloc(N * sizeof(double)), most = 0;
	uint32_t quadrants[4] = {0};

	(void)state;
	for (uint32_t path = 0; path < PATHS; path++) {
		float *gains = path_gains(5, path);

		for (uint32_t i = 0; i < GAINS; i++) {
			envelope[path * GAINS + i] = cabs(item(gains, i));
			quadrants[(gains[2 * i] < 0) + 2 * (gains[2 * i + 1] < 0)]++;
		}
		free(gains);
	}
	qsort(envelope, N, sizeof(double), compare_doubles);
	for (uint32_t i = 0; i < N; i += 100) {
		const double off = fabs(1 - exp(-envelope[i] * envelope[i]) - (double)i / N);

		most = off > most ? off : most;
	}
	print_message("envelope: at most %.4f from Rayleigh\n", most);
	assert_true(most < 0.02);
	for (int q = 0; q < 4; q++)
		assert_true(fabs(quadrants[q] * 4.0 / N - 1) < 0.05);
	free(envelope);
}

static void paths_are_independent(void **state)
{
	float *gains[4];
	double most = 0;

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		gains[i] = path_gains(i < 3 ? 1 : 2, i < 3 ? i : 0);
	for (int a = 0; a < 4; a++) {
		for (int b = 0; b < a; b++) {
			for (uint32_t lag = 0; lag < 100; lag += 20) {
				const double found = cabs(correlation(gains[a], gains[b], lag));

				most = found > most ? found : most;
			}
		}
	}
	print_message("between paths: at most %.4f\n", most);
	assert_true(most < 0.1);
	for (uint32_t i = 0; i < 4; i++)
		free(gains[i]);
}

static void phasors(void **state)
{
	(void)state;
	for (double turns = -3; turns < 3; turns += 0.00137) {
		double re, im;

		fading_phasor(turns, &re, &im);
		assert_true(cabs(re + I * im - cexp(2 * M_PI * I * turns)) < 1e-8);
	}
}

/* Every level makes the same bits, and so does any way of asking for an instant where phasors are
 * made afresh. */
static void levels_agree(void **state)
{
	enum { N = 201 };
	float *x = random_floats(2 * (N + 20)), *plain = calloc(2 * N, 4),
	      *other = calloc(2 * N, 4);
	struct fading fading;

	(void)state;
	fading_init(3, 4, 200, &fading);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++) {
		const struct fading_kernels *kernels = fading_kernels((enum simd_level)level);
		const struct fading_kernels *base = fading_kernels(SIMD_PLAIN);

		if (!simd_has((enum simd_level)level))
			continue;
		base->gains(&fading, 77, 1e-4, N, 0.5f, plain);
		kernels->gains(&fading, 77, 1e-4, N, 0.5f, other);
		assert_memory_equal(plain, other, N * 8);
		base->spread(x, 7, N, plain);
		kernels->spread(x, 7, N, other);
		assert_memory_equal(plain, other, N * 8);
		base->filter(x, 16, x + 40, N - 20, plain);
		kernels->filter(x, 16, x + 40, N - 20, other);
		assert_memory_equal(plain, other, N * 8);
		base->add_product(x, x + 20, N, plain);
		kernels->add_product(x, x + 20, N, other);
		assert_memory_equal(plain, other, N * 8);
	}
	fading_kernels(SIMD_PLAIN)->gains(&fading, 77, 1e-4, N, 0.5f, plain);
	fading_kernels(SIMD_PLAIN)->gains(&fading, 77 + 128 * 1e-4, 1e-4, 1, 0.5f, other);
	assert_true(cabs(item(plain, 128) - item(other, 0)) < 1e-6);
	free(x);
	free(plain);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(doppler_is_classical),
	    cmocka_unit_test(envelope_is_rayleigh),
	    cmocka_unit_test(paths_are_independent),
	    cmocka_unit_test(phasors),
	    cmocka_unit_test(levels_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
