/* SPDX-License-Identifier: BSD-3-Clause
 * test_kernels_random - core/kernels/random.h: every level makes the numbers of plain C, to the
 * bit. */
#include "core/kernels/random.h"
#include "tests/common/guarded.h"

#include <stdlib.h>

enum { NUMBERS = 3000 };

static const struct {
	uint64_t seed, index;
} keys[] = {{0, 0}, {1, 2}, {UINT64_MAX, UINT64_MAX}, {0x80000000ffffffff, 0xffffffff00000001},
    {42, 1ull << 32}};

static void test_same_bits(void **state)
{
	static uint32_t words[NUMBERS];
	static uint8_t bits[NUMBERS];
	static float gauss[NUMBERS];
	struct guarded out;

	(void)state;
	guarded_new(&out, NUMBERS * sizeof(uint32_t));
	for (uint32_t n = 0; n <= NUMBERS; n = guarded_next_length(n)) {
		const uint64_t seed = keys[n % 5].seed, index = keys[n % 5].index;
		const enum guarded_edge edge = n / 5 % 2 ? GUARDED_BEGIN : GUARDED_END;

		random_words(seed, index, words, n);
		random_bits(seed, index, bits, n);
		random_gauss(seed, index, gauss, n);
		GUARDED_EACH_LEVEL(level)
		{
			const struct random_kernels *kernels =
			    random_kernels((enum simd_level)level);
			void *made = guarded_fresh(&out, edge, n * sizeof(uint32_t));

			kernels->words(seed, index, made, n);
			assert_memory_equal(made, words, n * sizeof(uint32_t));
			guarded_check(&out, made, n * sizeof(uint32_t));
			made = guarded_fresh(&out, edge, n);
			kernels->bits(seed, index, made, n);
			assert_memory_equal(made, bits, n);
			guarded_check(&out, made, n);
			made = guarded_fresh(&out, edge, n * sizeof(float));
			kernels->gauss(seed, index, made, n);
			assert_memory_equal(made, gauss, n * sizeof(float));
			guarded_check(&out, made, n * sizeof(float));
		}
	}
	guarded_free(&out);
}

/* Numbers enough for every piece of logarithm, sine and cosine, and those at their edges. */
static void test_same_gauss(void **state)
{
	enum { MANY = 1 << 20 };
	float *plain = malloc(MANY * sizeof(float)), *level_one = malloc(MANY * sizeof(float));

	(void)state;
	assert_true(plain && level_one);
	random_gauss(7, 8, plain, MANY);
	GUARDED_EACH_LEVEL(level)
	{
		random_kernels((enum simd_level)level)->gauss(7, 8, level_one, MANY);
		assert_memory_equal(plain, level_one, MANY * sizeof(float));
	}
	free(plain);
	free(level_one);
}

/* What plain C makes is the same on every machine: FNV-1a of the first numbers, computed once. */
static void test_same_everywhere(void **state)
{
	static float numbers[1 << 16];
	uint64_t hash = 0xcbf29ce484222325;

	(void)state;
	random_gauss(1, 1, numbers, 1 << 16);
	for (uint32_t i = 0; i < 1 << 16; i++) {
		uint32_t word;

		memcpy(&word, &numbers[i], sizeof(word));
		hash = (hash ^ word) * 0x100000001b3;
	}
	assert_true(hash == 0x24021bb6f15f356b);
}

/* One multiplication and one addition, each rounded. */
static void test_add(void **state)
{
	static float in[NUMBERS], noise[NUMBERS];
	struct guarded out;
	uint32_t seed = 5;

	(void)state;
	guarded_new(&out, NUMBERS * sizeof(float));
	for (uint32_t i = 0; i < NUMBERS; i++)
		in[i] = (float)guarded_draw(&seed) * 1e-7f;
	random_gauss(3, 4, noise, NUMBERS);
	GUARDED_EACH_LEVEL(level)
	{
		for (uint32_t n = 0; n <= NUMBERS; n = guarded_next_length(n)) {
			float *sum = guarded_fresh(
			    &out, n % 2 ? GUARDED_BEGIN : GUARDED_END, n * sizeof(*sum));

			random_kernels((enum simd_level)level)->add_gauss(3, 4, in, 0.3f, sum, n);
			for (uint32_t i = 0; i < n; i++) {
				const volatile float product = 0.3f * noise[i];

				assert_true(sum[i] == in[i] + product);
			}
			guarded_check(&out, sum, n * sizeof(*sum));
			memcpy(sum, in, n * sizeof(*sum));
			random_kernels((enum simd_level)level)->add_gauss(3, 4, sum, 0.3f, sum, n);
			for (uint32_t i = 0; i < n; i++) {
				const volatile float product = 0.3f * noise[i];

				assert_true(sum[i] == in[i] + product);
			}
		}
	}
	guarded_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same_bits),
	    cmocka_unit_test(test_same_gauss),
	    cmocka_unit_test(test_same_everywhere),
	    cmocka_unit_test(test_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
