/* SPDX-License-Identifier: BSD-3-Clause
 * test_kernels_iq - core/kernels/iq.h at every level against the formulas of its header, value by
 * value. */
#include "core/kernels/iq.h"
#include "tests/common/guarded.h"

#include <math.h>

enum { SAMPLES = 2400, VALUE_BYTES = 2 };

static int16_t word_at(const uint8_t *iq, uint32_t i)
{
	return (int16_t)(uint16_t)(iq[2 * i] | iq[2 * i + 1] << 8);
}

static int16_t word_of(float value)
{
	return isnan(value)
	    ? 0
	    : (int16_t)nearbyint(fmin(fmax(32768.0 * (double)value, -32768.0), 32767.0));
}

static bool fits(float value)
{
	return value >= -1 && value <= 32767.0f / 32768;
}

/* Ordinary ones, halves of a step (which tell the rounding), the last that fit and the first that
 * do not, none at all. */
static float value_of(uint32_t *seed)
{
	static const float odd[] = {0.0f, -0.0f, 1.0f, -1.0f, 32767.0f / 32768, 32767.25f / 32768,
	    32767.5f / 32768, -32768.25f / 32768, -32768.5f / 32768, -32769.0f / 32768, 1e30f,
	    -1e30f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN, -NAN, 1e-40f, -1e-40f};
	const uint32_t r = guarded_draw(seed);

	if (r % 8 == 0)
		return odd[r / 8 % (sizeof(odd) / sizeof(odd[0]))];
	if (r % 8 == 1)
		return ((float)((int)(r / 8 % 65536) - 32768) + 0.5f) / 32768;
	return (float)((int)(r % 0x20000) - 0x10000) * 0.9f / 0x10000;
}

static void to_f32(
    const struct iq_kernels *kernels, struct guarded *in, struct guarded *out, uint32_t n)
{
	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
		const uint8_t *iq = guarded_at(in, edge, (size_t)n * IQ_BYTES);
		float *values = guarded_fresh(out, edge, 2 * (size_t)n * sizeof(float));

		kernels->to_f32(iq, values, n);
		for (uint32_t i = 0; i < 2 * n; i++)
			if (values[i] != (float)word_at(iq, i) / 32768)
				fail_msg("%d became %g", word_at(iq, i), (double)values[i]);
		guarded_check(out, values, 2 * (size_t)n * sizeof(float));
	}
}

static void test_to_f32(void **state)
{
	struct guarded in, out;

	(void)state;
	guarded_new(&in, SAMPLES * IQ_BYTES);
	guarded_new(&out, 2 * SAMPLES * sizeof(float));
	GUARDED_EACH_LEVEL(level)
	{
		for (uint32_t n = 0; n <= SAMPLES; n = guarded_next_length(n))
			to_f32(iq_kernels((enum simd_level)level), &in, &out, n);
	}
	guarded_free(&in);
	guarded_free(&out);
}

static void from_f32(
    const struct iq_kernels *kernels, struct guarded *in, struct guarded *out, uint32_t n)
{
	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
		const float *values = guarded_at(in, edge, 2 * (size_t)n * sizeof(float));
		uint8_t *iq = guarded_fresh(out, edge, (size_t)n * IQ_BYTES);
		const uint32_t unfit = kernels->from_f32(values, iq, n);
		uint32_t expected = 0;

		for (uint32_t i = 0; i < 2 * n; i++) {
			expected += !fits(values[i]);
			if (word_at(iq, i) != word_of(values[i]))
				fail_msg("%.9g became %d", (double)values[i], word_at(iq, i));
		}
		assert_int_equal(unfit, expected);
		guarded_check(out, iq, (size_t)n * IQ_BYTES);
	}
}

/* Every eighth value is odd, or none is: then nothing is limited, which levels tell first. */
static void all_from_f32(bool odd)
{
	struct guarded in, out;
	uint32_t seed = 5;

	guarded_new(&in, 2 * SAMPLES * sizeof(float));
	guarded_new(&out, SAMPLES * IQ_BYTES);
	for (size_t i = 0; i < in.size / sizeof(float);) {
		const float value = value_of(&seed);

		memcpy(in.begin + i * sizeof(float), &value, sizeof(value));
		i += odd ||
		    (fits(value) && word_of(value) > INT16_MIN && word_of(value) < INT16_MAX);
	}
	GUARDED_EACH_LEVEL(level)
	{
		for (uint32_t n = 0; n <= SAMPLES; n = guarded_next_length(n))
			from_f32(iq_kernels((enum simd_level)level), &in, &out, n);
	}
	guarded_free(&in);
	guarded_free(&out);
}

static void test_from_f32(void **state)
{
	(void)state;
	all_from_f32(true);
}

static void test_from_f32_fitting(void **state)
{
	(void)state;
	all_from_f32(false);
}

/* Packets lie anywhere: odd addresses, too. Every word comes back as it was. */
static void test_every_word_unaligned(void **state)
{
	static uint8_t iq[0x10000 * VALUE_BYTES + 1], back[0x10000 * VALUE_BYTES + 3];
	static float values[0x10000];

	(void)state;
	for (unsigned i = 0; i < 0x10000; i++) {
		iq[2 * i + 1] = (uint8_t)i;
		iq[2 * i + 2] = (uint8_t)(i >> 8);
	}
	GUARDED_EACH_LEVEL(level)
	{
		const struct iq_kernels *kernels = iq_kernels((enum simd_level)level);

		memset(back, 0, sizeof(back));
		kernels->to_f32(iq + 1, values, 0x8000);
		assert_int_equal(kernels->from_f32(values, back + 3, 0x8000), 0);
		assert_memory_equal(back + 3, iq + 1, 0x10000 * VALUE_BYTES);
	}
}

static void test_ci16(void **state)
{
	struct guarded in, out;

	(void)state;
	guarded_new(&in, SAMPLES * IQ_BYTES);
	guarded_new(&out, SAMPLES * IQ_BYTES);
	for (uint32_t n = 0; n <= SAMPLES; n = guarded_next_length(n)) {
		const uint8_t *iq = guarded_at(&in, GUARDED_END, (size_t)n * IQ_BYTES);
		int16_t *words = guarded_fresh(&out, GUARDED_END, (size_t)n * IQ_BYTES);

		iq_to_ci16(iq, words, n);
		for (uint32_t i = 0; i < 2 * n; i++)
			assert_int_equal(words[i], word_at(iq, i));
		guarded_check(&out, words, (size_t)n * IQ_BYTES);
		words = guarded_at(&in, GUARDED_BEGIN, (size_t)n * IQ_BYTES);
		iq = guarded_fresh(&out, GUARDED_BEGIN, (size_t)n * IQ_BYTES);
		iq_from_ci16(words, (uint8_t *)(uintptr_t)iq, n);
		for (uint32_t i = 0; i < 2 * n; i++)
			assert_int_equal(words[i], word_at(iq, i));
		guarded_check(&out, iq, (size_t)n * IQ_BYTES);
	}
	guarded_free(&in);
	guarded_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_to_f32),
	    cmocka_unit_test(test_from_f32),
	    cmocka_unit_test(test_from_f32_fitting),
	    cmocka_unit_test(test_every_word_unaligned),
	    cmocka_unit_test(test_ci16),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
