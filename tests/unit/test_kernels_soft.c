/* SPDX-License-Identifier: BSD-3-Clause
 * test_kernels_soft - core/kernels/soft.h at every level against the formulas of its header, value
 * by value. */
#include "core/kernels/soft.h"
#include "tests/common/guarded.h"

#include <math.h>
#include <stdlib.h>

enum { ITEMS = 2400 };

static int16_t soft_of(float x)
{
	if (isnan(x))
		return 0;
	return (int16_t)nearbyintf(fminf(fmaxf(x, -32767.0f), 32767.0f));
}

/* Every kind of value: ordinary, halves (which tell the rounding), beyond 16 bits, beyond float,
 * none at all. */
static float value_of(uint32_t *seed)
{
	static const float odd[] = {0.0f, -0.0f, 32766.5f, 32767.5f, -32767.5f, 1e30f, -1e30f,
	    INFINITY, -INFINITY, NAN, -NAN, 1e-40f, -1e-40f};
	const uint32_t r = guarded_draw(seed);

	if (r % 4 == 0)
		return odd[r / 4 % (sizeof(odd) / sizeof(odd[0]))];
	if (r % 4 == 1)
		return (float)((int)(r / 4 % 2001) - 1000) + 0.5f;
	return ((float)(r >> 4) / 500.0f) - 1000.0f;
}

static void fill_floats(struct guarded *g, uint32_t seed)
{
	for (size_t i = 0; i < g->size / sizeof(float); i++) {
		const float value = value_of(&seed);

		memcpy(g->begin + i * sizeof(float), &value, sizeof(value));
	}
}

static void soft_floats(const struct soft_kernels *kernels, struct guarded *in, struct guarded *out,
    uint32_t n, uint32_t step)
{
	static const float factors[] = {1.0f, -1.0f, 16.0f, 0.37f, 1e10f};

	for (unsigned f = 0; f < sizeof(factors) / sizeof(factors[0]); f++) {
		const enum guarded_edge edge = f % 2 ? GUARDED_BEGIN : GUARDED_END;
		const float *values = guarded_at(in, edge, (size_t)n * step * sizeof(float));
		int16_t *llr = guarded_fresh(out, edge, n * sizeof(*llr));

		(step == 1 ? kernels->soft_f32 : kernels->soft_re_f32)(values, factors[f], llr, n);
		for (uint32_t i = 0; i < n; i++)
			if (llr[i] != soft_of(factors[f] * values[step * i]))
				fail_msg("%g times %g became %d", (double)values[step * i],
				    (double)factors[f], llr[i]);
		guarded_check(out, llr, n * sizeof(*llr));
	}
}

static void soft_words(const struct soft_kernels *kernels, struct guarded *in, struct guarded *out,
    uint32_t n, uint32_t step)
{
	static const float factors[] = {1.0f, 16.0f / 8192, 0.5f, 1e6f};

	for (unsigned f = 0; f < sizeof(factors) / sizeof(factors[0]); f++) {
		const enum guarded_edge edge = f % 2 ? GUARDED_BEGIN : GUARDED_END;
		const int16_t *values = guarded_at(in, edge, (size_t)n * step * sizeof(int16_t));
		int16_t *llr = guarded_fresh(out, edge, n * sizeof(*llr));

		(step == 1 ? kernels->soft_i16 : kernels->soft_re_i16)(values, factors[f], llr, n);
		for (uint32_t i = 0; i < n; i++)
			if (llr[i] != soft_of(factors[f] * (float)values[step * i]))
				fail_msg("%d times %g became %d", values[step * i],
				    (double)factors[f], llr[i]);
		guarded_check(out, llr, n * sizeof(*llr));
	}
}

static void test_soft(void **state)
{
	struct guarded floats, words, out;

	(void)state;
	guarded_new(&floats, 2 * ITEMS * sizeof(float));
	guarded_new(&words, 2 * ITEMS * sizeof(int16_t));
	guarded_new(&out, ITEMS * sizeof(int16_t));
	fill_floats(&floats, 3);
	GUARDED_EACH_LEVEL(level)
	{
		const struct soft_kernels *kernels = soft_kernels((enum simd_level)level);

		for (uint32_t n = 0; n <= ITEMS; n = guarded_next_length(n)) {
			for (uint32_t step = 1; step <= 2; step++) {
				soft_floats(kernels, &floats, &out, n, step);
				soft_words(kernels, &words, &out, n, step);
			}
		}
	}
	guarded_free(&floats);
	guarded_free(&words);
	guarded_free(&out);
}

static void hard(const struct soft_kernels *kernels, struct guarded *floats, struct guarded *words,
    struct guarded *out, uint32_t n, uint32_t step)
{
	const float *values = guarded_at(floats, GUARDED_END, (size_t)n * step * sizeof(float));
	const int16_t *whole = guarded_at(words, GUARDED_BEGIN, (size_t)n * step * sizeof(int16_t));
	uint8_t *bits = guarded_fresh(out, GUARDED_END, n);

	(step == 1 ? kernels->hard_f32 : kernels->hard_re_f32)(values, bits, n);
	for (uint32_t i = 0; i < n; i++)
		if (bits[i] != (values[step * i] < 0 ? 1 : 0))
			fail_msg("%g became %d", (double)values[step * i], bits[i]);
	guarded_check(out, bits, n);
	bits = guarded_fresh(out, GUARDED_BEGIN, n);
	(step == 1 ? kernels->hard_i16 : kernels->hard_re_i16)(whole, bits, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(bits[i], whole[step * i] < 0 ? 1 : 0);
	guarded_check(out, bits, n);
}

static void test_hard(void **state)
{
	struct guarded floats, words, out;

	(void)state;
	guarded_new(&floats, 2 * ITEMS * sizeof(float));
	guarded_new(&words, 2 * ITEMS * sizeof(int16_t));
	guarded_new(&out, ITEMS);
	fill_floats(&floats, 4);
	GUARDED_EACH_LEVEL(level)
	{
		for (uint32_t n = 0; n <= ITEMS; n = guarded_next_length(n)) {
			hard(soft_kernels((enum simd_level)level), &floats, &words, &out, n, 1);
			hard(soft_kernels((enum simd_level)level), &floats, &words, &out, n, 2);
		}
	}
	guarded_free(&floats);
	guarded_free(&words);
	guarded_free(&out);
}

/* All bytes are bits here, of which the lowest counts. */
static void map(const struct soft_kernels *kernels, struct guarded *in, struct guarded *out,
    uint32_t n, uint32_t step)
{
	const uint8_t *bits = guarded_at(in, GUARDED_END, n);
	float *floats = guarded_fresh(out, GUARDED_END, (size_t)n * step * sizeof(float));
	int16_t *words;

	(step == 1 ? kernels->map_f32 : kernels->map_re_f32)(bits, 0.7f, floats, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(floats[step * i] == (bits[i] & 1 ? -0.7f : 0.7f));
		assert_true(step == 1 || (floats[2 * i + 1] == 0 && !signbit(floats[2 * i + 1])));
	}
	guarded_check(out, floats, (size_t)n * step * sizeof(float));
	for (int16_t whole = 1; whole > 0; whole = whole == 1 ? INT16_MAX : 0) {
		words = guarded_fresh(out, GUARDED_BEGIN, (size_t)n * step * sizeof(*words));
		(step == 1 ? kernels->map_i16 : kernels->map_re_i16)(bits, whole, words, n);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(words[step * i], bits[i] & 1 ? -whole : whole);
			assert_true(step == 1 || words[2 * i + 1] == 0);
		}
		guarded_check(out, words, (size_t)n * step * sizeof(*words));
	}
}

static void test_map(void **state)
{
	struct guarded in, out;

	(void)state;
	guarded_new(&in, ITEMS);
	guarded_new(&out, 2 * ITEMS * sizeof(float));
	GUARDED_EACH_LEVEL(level)
	{
		for (uint32_t n = 0; n <= ITEMS; n = guarded_next_length(n)) {
			map(soft_kernels((enum simd_level)level), &in, &out, n, 1);
			map(soft_kernels((enum simd_level)level), &in, &out, n, 2);
		}
	}
	guarded_free(&in);
	guarded_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_soft),
	    cmocka_unit_test(test_hard),
	    cmocka_unit_test(test_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
