/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/random: the published vectors of Philox4x32-10, and the statistics of what is made
 * of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/kernels/random.h"

/* Known answers of the Random123 distribution: counter, key, result. */
static void philox_vectors(void **state)
{
	static const struct {
		uint32_t counter[4], key[2], result[4];
	} known[] = {
	    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
	    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff},
	        {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
	    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
	        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};
	uint32_t words[4];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		random_philox(known[i].counter, known[i].key, words);
		assert_memory_equal(words, known[i].result, sizeof(words));
	}
}

/* random_words lays the blocks of the counter (block, purpose, index) out lane by lane, 16 at a
 * time. */
static void words_are_philox(void **state)
{
	const uint64_t seed = 0x0123456789abcdef, index = 0xfedcba9876543210;
	const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	uint32_t words[200], block[4];

	(void)state;
	random_words(seed, index, words, 200);
	for (uint32_t i = 0; i < 200; i++) {
		const uint32_t lane = i % 16, word = i / 16 % 4, chunk = i / 64;
		const uint32_t counter[4] = {
		    chunk * 16 + lane, RANDOM_WORDS, (uint32_t)index, (uint32_t)(index >> 32)};
		random_philox(counter, key, block);
		assert_int_equal(words[i], block[word]);
	}
}

static void shorter_is_the_beginning_of_longer(void **state)
{
	float long_message[1000], message[1000];
	uint8_t long_bits[5000], bits[5000];

	(void)state;
	random_gauss(5, 6, long_message, 1000);
	random_bits(5, 6, long_bits, 5000);
	for (uint32_t n = 0; n < 300; n += 7) {
		random_gauss(5, 6, message, n);
		assert_memory_equal(message, long_message, n * sizeof(float));
		random_bits(5, 6, bits, n);
		assert_memory_equal(bits, long_bits, n);
	}
}

static void nothing_past_the_end(void **state)
{
	float numbers[70];
	uint8_t bits[70];

	(void)state;
	for (uint32_t n = 0; n < 69; n++) {
		numbers[n] = 1234;
		bits[n] = 77;
		random_gauss(1, 2, numbers, n);
		random_bits(1, 2, bits, n);
		assert_true(numbers[n] == 1234);
		assert_int_equal(bits[n], 77);
	}
}

static void seed_and_index_both_count(void **state)
{
	uint8_t a[256], b[256], c[256], d[256];

	(void)state;
	random_bits(1, 2, a, 256);
	random_bits(2, 2, b, 256);
	random_bits(1, 3, c, 256);
	random_bits(1, 2 + (1ull << 32), d, 256);
	assert_memory_not_equal(a, b, 256);
	assert_memory_not_equal(a, c, 256);
	assert_memory_not_equal(a, d, 256);
	random_bits(1, 2, d, 256);
	assert_memory_equal(a, d, 256);
}

/* Ones, and agreement with the bits 1, 2, 31 and 32 places on: each a fair coin, here within five
 * standard deviations. */
static void bits_are_fair(void **state)
{
	enum { N = 1 << 22 };
	static const uint32_t lags[] = {1, 2, 31, 32, 1024};
	uint8_t *bits = malloc(N);
	uint64_t ones = 0;

	(void)state;
	random_bits(42, 0, bits, N);
	for (uint32_t i = 0; i < N; i++) {
		assert_true(bits[i] <= 1);
		ones += bits[i];
	}
	assert_true(fabs((double)ones - N / 2.0) < 5 * sqrt(N) / 2);
	for (size_t l = 0; l < sizeof(lags) / sizeof(lags[0]); l++) {
		const uint32_t n = N - lags[l];
		uint64_t same = 0;
		for (uint32_t i = 0; i < n; i++)
			same += bits[i] == bits[i + lags[l]];
		assert_true(fabs((double)same - n / 2.0) < 5 * sqrt(n) / 2);
	}
	free(bits);
}

static double normal_below(double x)
{
	return 0.5 * erfc(-x / sqrt(2));
}

/* Moments, and the share below each of 17 limits against the normal distribution: within five
 * standard deviations. */
static void gauss_is_normal(void **state)
{
	enum { SLOTS = 640, N = 1 << 14, LIMITS = 17 };
	static float x[N];
	double sum[5] = {0}, below[LIMITS] = {0};
	const double n = (double)SLOTS * N;

	(void)state;
	for (uint64_t k = 0; k < SLOTS; k++) {
		random_gauss(3, k, x, N);
		for (uint32_t i = 0; i < N; i++) {
			const double v = x[i];
			for (int limit = 0; limit < LIMITS; limit++)
				below[limit] += v < (limit - 8) * 0.5;
			sum[1] += v;
			sum[2] += v * v;
			sum[3] += v * v * v;
			sum[4] += v * v * v * v;
		}
	}
	assert_true(fabs(sum[1] / n) < 5 / sqrt(n));
	assert_true(fabs(sum[2] / n - 1) < 5 * sqrt(2 / n));
	assert_true(fabs(sum[3] / n) < 5 * sqrt(15 / n));
	assert_true(fabs(sum[4] / n - 3) < 5 * sqrt(96 / n));
	for (int limit = 0; limit < LIMITS; limit++) {
		const double p = normal_below((limit - 8) * 0.5);
		assert_true(fabs(below[limit] / n - p) < 5 * sqrt(p * (1 - p) / n));
	}
}

/* Neighbours, the two of one transform, and the four of one block are uncorrelated. */
static void gauss_is_white(void **state)
{
	enum { N = 1 << 20 };
	static const uint32_t lags[] = {1, 2, 16, 32, 48, 64};
	float *x = malloc(N * sizeof(float));

	(void)state;
	random_gauss(11, 5, x, N);
	for (size_t l = 0; l < sizeof(lags) / sizeof(lags[0]); l++) {
		const uint32_t n = N - lags[l];
		double product = 0, squares = 0;
		for (uint32_t i = 0; i < n; i++) {
			product += (double)x[i] * x[i + lags[l]];
			squares += (double)x[i] * x[i] * x[i + lags[l]] * x[i + lags[l]];
		}
		assert_true(fabs(product / n) < 5 / sqrt(n));
		assert_true(fabs(squares / n - 1) < 5 * sqrt(8.0 / n));
	}
	free(x);
}

/* Held against the formula, computed here in double from the words of the blocks. */
static void gauss_is_box_muller(void **state)
{
	const uint32_t key[2] = {9, 0};
	float x[64];

	(void)state;
	random_gauss(9, 4, x, 64);
	for (uint32_t lane = 0; lane < 16; lane++) {
		const uint32_t counter[4] = {lane, RANDOM_GAUSS, 4, 0};
		uint32_t w[4];
		random_philox(counter, key, w);
		for (int pair = 0; pair < 2; pair++) {
			const double u = ((w[2 * pair] >> 1) + 0.5) / 2147483648.0;
			const double quarter =
			    (double)(int32_t)(w[2 * pair + 1] << 2) / 4294967296.0;
			const double angle = M_PI / 2 *
			    (quarter + (w[2 * pair + 1] >> 31) * 2 + (w[2 * pair + 1] >> 30 & 1));
			const double radius = sqrt(-2 * log(u));
			assert_true(fabs(x[32 * pair + lane] - radius * cos(angle)) < 4e-6);
			assert_true(fabs(x[32 * pair + 16 + lane] - radius * sin(angle)) < 4e-6);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(philox_vectors),
	    cmocka_unit_test(words_are_philox),
	    cmocka_unit_test(shorter_is_the_beginning_of_longer),
	    cmocka_unit_test(nothing_past_the_end),
	    cmocka_unit_test(seed_and_index_both_count),
	    cmocka_unit_test(bits_are_fair),
	    cmocka_unit_test(gauss_is_normal),
	    cmocka_unit_test(gauss_is_white),
	    cmocka_unit_test(gauss_is_box_muller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
