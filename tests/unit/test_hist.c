/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/hist: cells without gap or overlap, quantiles within 1/32 of the sorted samples, exact ends. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/hist.h"

enum { SAMPLES = 20001 };

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void test_cells_tile_the_line(void **state)
{
	(void)state;
	assert_true(sizeof(struct hist) <= 6 * 1024);
	assert_int_equal(hist_cell_low(0), 0);
	for (uint32_t i = 0; i < HIST_CELLS; i++) {
		const uint64_t low = hist_cell_low(i), high = hist_cell_high(i);

		assert_true(low <= high);
		assert_int_equal(hist_cell(low), i);
		assert_int_equal(hist_cell(high), i);
		if (i + 1 < HIST_CELLS) {
			assert_int_equal(hist_cell_low(i + 1), high + 1);
			assert_true((high - low + 1) * 16 <= (low < 16 ? 16 : low));
		}
	}
	assert_int_equal(hist_cell((1ull << 34) - 1), HIST_CELLS - 1);
	assert_int_equal(hist_cell(1ull << 34), HIST_CELLS - 1);
	assert_int_equal(hist_cell(UINT64_MAX), HIST_CELLS - 1);
}

static void test_empty(void **state)
{
	struct hist hist = {0};

	(void)state;
	assert_int_equal(hist_count(&hist), 0);
	assert_int_equal(hist_min(&hist), 0);
	assert_int_equal(hist_max(&hist), 0);
	assert_int_equal(hist_quantile(&hist, 0.5), 0);
	assert_true(hist_mean(&hist) == 0);
}

static void test_one_sample_is_exact(void **state)
{
	const uint64_t values[] = {0, 1, 15, 16, 17, 31, 32, 33, 1000, 999999937, 1ull << 33, 1ull << 40, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct hist hist = {0};

		hist_add(&hist, values[i]);
		assert_int_equal(hist_min(&hist), values[i]);
		assert_int_equal(hist_max(&hist), values[i]);
		for (int q = -2; q <= 6; q++)
			assert_int_equal(hist_quantile(&hist, q / 4.0), values[i]);
		assert_true(hist_mean(&hist) == (double)values[i]);
	}
}

static void quantiles_check(const struct hist *hist, const uint64_t *sorted, size_t n)
{
	const double qs[] = {0.0005, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999};

	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		const double truth = (double)sorted[(size_t)ceil(qs[i] * (double)n) - 1];
		const double got = (double)hist_quantile(hist, qs[i]);

		assert_true(fabs(got - truth) <= truth / 32);
	}
	assert_int_equal(hist_quantile(hist, 0), sorted[0]);
	assert_int_equal(hist_quantile(hist, 1), sorted[n - 1]);
}

/* Log-uniform over every size from 1 ns to 17 s, and narrow bodies as execution times have. */
static void test_quantiles_within_a_32nd(void **state)
{
	uint64_t *samples = malloc(SAMPLES * sizeof(*samples)), seed = 88172645463325252ull;

	(void)state;
	assert_non_null(samples);
	for (int shape = 0; shape < 40; shape++) {
		struct hist hist = {0};
		double sum = 0;

		for (size_t i = 0; i < SAMPLES; i++) {
			const uint64_t r = random_next(&seed);
			const uint64_t body = 100ull << (shape % 20);

			samples[i] = shape < 20 ? (r >> 30) >> (random_next(&seed) % 34) : body + r % body;
			sum += (double)samples[i];
			hist_add(&hist, samples[i]);
		}
		qsort(samples, SAMPLES, sizeof(*samples), compare);
		quantiles_check(&hist, samples, SAMPLES);
		assert_int_equal(hist_count(&hist), SAMPLES);
		assert_true(fabs(hist_mean(&hist) - sum / SAMPLES) <= 1e-9 * sum / SAMPLES);
	}
	free(samples);
}

static void test_merge_is_the_sum_of_its_parts(void **state)
{
	struct hist whole = {0}, part[3] = {{0}}, merged = {0};
	uint64_t seed = 362436069;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		const uint64_t ns = random_next(&seed) >> (30 + random_next(&seed) % 34);

		hist_add(&whole, ns);
		hist_add(&part[i % 3], ns);
	}
	for (int i = 0; i < 3; i++)
		hist_merge(&merged, &part[i]);
	assert_memory_equal(&merged, &whole, sizeof(whole));
	hist_merge(&merged, &(struct hist){0});
	assert_memory_equal(&merged, &whole, sizeof(whole));
	hist_clear(&merged);
	assert_memory_equal(&merged, &(struct hist){0}, sizeof(merged));
}

static void test_above(void **state)
{
	struct hist hist = {0};

	(void)state;
	for (uint64_t ns = 1; ns <= 31; ns++)
		hist_add(&hist, ns);
	hist_add(&hist, 1000000);
	assert_int_equal(hist_above(&hist, 0), 32);
	assert_int_equal(hist_above(&hist, 31), 2);
	assert_int_equal(hist_above(&hist, 32), 1);
	assert_int_equal(hist_above(&hist, 2000000), 0);
}

static void *writer(void *arg)
{
	struct hist *hist = arg;

	for (int i = 0; i < 2000000; i++)
		hist_add(hist, 1000 + (uint64_t)(i & 1023));
	return NULL;
}

/* A reader beside the writer never sees a quantile outside of what is being written. */
static void test_reader_beside_writer(void **state)
{
	struct hist *hist = calloc(1, sizeof(*hist));
	uint64_t count = 0;
	pthread_t thread;

	(void)state;
	assert_non_null(hist);
	assert_int_equal(pthread_create(&thread, NULL, writer, hist), 0);
	while (count < 2000000) {
		const uint64_t p50 = hist_quantile(hist, 0.5), now = hist_count(hist);

		assert_true(now >= count);
		assert_true(p50 == 0 || (p50 >= 970 && p50 <= 2090));
		count = now;
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(hist_count(hist), 2000000);
	assert_int_equal(hist_min(hist), 1000);
	assert_int_equal(hist_max(hist), 2023);
	free(hist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cells_tile_the_line),           cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_one_sample_is_exact),           cmocka_unit_test(test_quantiles_within_a_32nd),
	    cmocka_unit_test(test_merge_is_the_sum_of_its_parts), cmocka_unit_test(test_above),
	    cmocka_unit_test(test_reader_beside_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
