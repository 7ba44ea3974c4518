/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/hist: cells without gap or overlap, quantiles up to p99.999 within 1 % of the sorted
 * samples, exact ends; what lanes and nodes have counted is merged without loss, from heads with
 * their cells elsewhere, too. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/hist.h"

enum { SAMPLES = 200001, NODES = 3, LANES = 2 };

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
	assert_true(sizeof(struct hist) <= 11 * 1024);
	assert_int_equal(hist_cell_low(0), 0);
	for (uint32_t i = 0; i < HIST_CELLS; i++) {
		const uint64_t low = hist_cell_low(i), high = hist_cell_high(i);

		assert_true(low <= high);
		assert_int_equal(hist_cell(low), i);
		assert_int_equal(hist_cell(high), i);
		if (i + 1 < HIST_CELLS) {
			assert_int_equal(hist_cell_low(i + 1), high + 1);
			assert_true((high - low + 1) * 64 <= (low < 64 ? 64 : low));
		}
	}
	assert_int_equal(hist_cell((1ull << 32) - 1), HIST_CELLS - 1);
	assert_int_equal(hist_cell(1ull << 32), HIST_CELLS - 1);
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
	const uint64_t values[] = {
	    0, 1, 15, 16, 17, 31, 32, 33, 1000, 999999937, 1ull << 33, 1ull << 40, UINT64_MAX};

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
	const double qs[] = {0.0005, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 0.99999};

	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		const double truth = (double)sorted[(size_t)ceil(qs[i] * (double)n) - 1];
		const double got = (double)hist_quantile(hist, qs[i]);

		assert_true(fabs(got - truth) <= truth / 128);
	}
	assert_int_equal(hist_quantile(hist, 0), sorted[0]);
	assert_int_equal(hist_quantile(hist, 1), sorted[n - 1]);
}

/* Log-uniform over every size from 1 ns to 4.3 s, and narrow bodies as execution times have. */
static void test_quantiles_within_a_percent(void **state)
{
	uint64_t *samples = malloc(SAMPLES * sizeof(*samples)), seed = 88172645463325252ull;

	(void)state;
	assert_non_null(samples);
	for (int shape = 0; shape < 40; shape += 3) {
		struct hist hist = {0};
		double sum = 0;

		for (size_t i = 0; i < SAMPLES; i++) {
			const uint64_t r = random_next(&seed);
			const uint64_t body = 100ull << (shape % 20);

			samples[i] =
			    shape < 20 ? (r >> 32) >> (random_next(&seed) % 32) : body + r % body;
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

/* A sample of lane `lane` of node `node`: bodies of their own, and a tail. */
static uint64_t node_sample(int node, int lane, uint64_t *seed)
{
	const uint64_t r = random_next(seed), body = 300ull << (2 * node + lane);

	return r % 1000 == 0 ? body * (2 + r % 4096) : body + r % (body / 4);
}

static uint64_t node_seed(int node, int lane)
{
	return 77777 + 1000ull * (uint64_t)node + (uint64_t)lane;
}

/* What a node sends: the histogram of its lanes, as bytes. */
static void node_main(int node, int out)
{
	struct hist all = {0};

	for (int lane = 0; lane < LANES; lane++) {
		struct hist mine = {0};
		uint64_t seed = node_seed(node, lane);

		for (int i = 0; i < SAMPLES; i++)
			hist_add(&mine, node_sample(node, lane, &seed));
		hist_merge(&all, &mine);
	}
	for (size_t done = 0; done < sizeof(all);)
		done += (size_t)write(out, (const uint8_t *)&all + done, sizeof(all) - done);
	_exit(0);
}

static void node_receive(int node, struct hist *into)
{
	struct hist from;
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		node_main(node, ends[1]);
	close(ends[1]);
	for (size_t done = 0; done < sizeof(from);) {
		const ssize_t n = read(ends[0], (uint8_t *)&from + done, sizeof(from) - done);

		assert_true(n > 0);
		done += (size_t)n;
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ends[0]);
	hist_merge(into, &from);
}

/* Three processes with two lanes each: the merged histogram is that of all their samples, to the
 * byte. */
static void test_merge_across_nodes(void **state)
{
	uint64_t *samples = malloc((size_t)NODES * LANES * SAMPLES * sizeof(*samples));
	struct hist merged = {0}, whole = {0};
	size_t n = 0;

	(void)state;
	assert_non_null(samples);
	for (int node = 0; node < NODES; node++)
		node_receive(node, &merged);
	for (int part = 0; part < NODES * LANES; part++) {
		uint64_t seed = node_seed(part / LANES, part % LANES);

		for (int i = 0; i < SAMPLES; i++)
			hist_add(
			    &whole, samples[n++] = node_sample(part / LANES, part % LANES, &seed));
	}
	assert_memory_equal(&merged, &whole, sizeof(whole));
	qsort(samples, n, sizeof(*samples), compare);
	quantiles_check(&merged, samples, n);
	free(samples);
}

/* ---- a head with its cells elsewhere ---- */

static int head_add(struct hist_head *head, struct hist_cells *cells, uint64_t ns)
{
	const uint32_t cell = hist_head_add(head, ns);

	if (cell != HIST_NO_CELL)
		hist_head_visit(head, cells, cell);
	return cell != HIST_NO_CELL;
}

/* Bodies that move now and then, and values of any size between: nothing is lost or at another
 * place. */
static void test_head_is_a_histogram(void **state)
{
	struct hist_head head = {0};
	struct hist_cells cells = {0};
	uint64_t seed = 521288629;
	struct hist whole = {0}, merged = {0};

	(void)state;
	for (int i = 0; i < 200000; i++) {
		const uint64_t r = random_next(&seed), body = 20ull << (i / 10000);
		const uint64_t ns = r % 100 == 0 ? r >> (r >> 8) % 64 : body + r % body;

		head_add(&head, &cells, ns);
		hist_add(&whole, ns);
	}
	hist_head_merge(&merged, &head, &cells);
	assert_memory_equal(&merged, &whole, sizeof(whole));
	hist_head_merge(&merged, &head, &cells); /* reading changes nothing */
	hist_merge(&whole, &whole);
	assert_memory_equal(&merged, &whole, sizeof(whole));
}

/* Values as a component has them, wherever they lie, hardly ever go to the cells; the ends of the
 * line are values, too. */
static void test_head_stays_at_home(void **state)
{
	uint64_t seed = 2463534242;

	(void)state;
	for (uint64_t body = 10; body < 1ull << 31; body *= 3) {
		struct hist_head head = {0};
		struct hist_cells cells = {0};
		int visits = 0;

		for (int i = 0; i < 30000; i++)
			visits += head_add(&head, &cells, body + random_next(&seed) % body);
		assert_in_range(visits, 0, 30000 / 50);
	}
	for (int i = 0; i < 100; i++) {
		struct hist_head head = {0};
		struct hist_cells cells = {0};
		struct hist whole = {0};

		for (int n = 0; n < 40; n++)
			head_add(&head, &cells, i % 2 ? UINT64_MAX : 0);
		for (int n = 0; n < 40; n++)
			head_add(&head, &cells, i % 2 ? 0 : UINT64_MAX);
		hist_head_merge(&whole, &head, &cells);
		assert_int_equal(hist_cells_get(&whole.cells, 0), 40);
		assert_int_equal(hist_cells_get(&whole.cells, HIST_CELLS - 1), 40);
	}
}

static void test_above(void **state)
{
	struct hist hist = {0};

	(void)state;
	for (uint64_t ns = 1; ns <= 127; ns++)
		hist_add(&hist, ns);
	hist_add(&hist, 1000000);
	assert_int_equal(hist_above(&hist, 0), 128);
	assert_int_equal(hist_above(&hist, 127), 2);
	assert_int_equal(hist_above(&hist, 128), 1);
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
		assert_true(p50 == 0 || (p50 >= 992 && p50 <= 2040));
		count = now;
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(hist_count(hist), 2000000);
	assert_int_equal(hist_min(hist), 1000);
	assert_int_equal(hist_max(hist), 2023);
	free(hist);
}

/* ---- counts beyond 32 bits ---- */

enum { CARRY_HIGH = 41, CARRY_BEFORE = 5000, CARRY_ADDS = 20000 };

static uint64_t carry_start(void)
{
	return ((uint64_t)CARRY_HIGH << 32 | UINT32_MAX) - CARRY_BEFORE;
}

static void carry_begin(struct hist_cells *cells)
{
	for (uint32_t c = 0; c < HIST_CELLS; c++) {
		cells->low[c] = (uint32_t)carry_start();
		cells->high[c] = (uint16_t)(carry_start() >> 31);
	}
}

static void *carrier(void *arg)
{
	struct hist_cells *cells = arg;

	for (uint32_t c = 0; c < HIST_CELLS; c++)
		for (int i = 0; i < CARRY_ADDS; i++)
			hist_cells_add(cells, c, c % 2 ? 1 : UINT8_MAX);
	return NULL;
}

/* A reader beside the writer sees each cell go up and never 2^31 beside what it is, wherever the
 * writer stands still. */
static void test_counts_beyond_32_bits(void **state)
{
	struct hist_cells *cells = malloc(sizeof(*cells));
	pthread_t thread;

	(void)state;
	assert_non_null(cells);
	carry_begin(cells);
	assert_int_equal(pthread_create(&thread, NULL, carrier, cells), 0);
	for (uint32_t c = 0; c < HIST_CELLS; c++) {
		const uint64_t end = carry_start() + (uint64_t)CARRY_ADDS * (c % 2 ? 1 : UINT8_MAX);
		uint64_t before = carry_start(), now = 0;

		for (; now != end; before = now) {
			now = hist_cells_get(cells, c);
			assert_in_range(now, before, end);
		}
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	free(cells);
}

/* A writer that stands still in the middle of a carry, at either change of the low part's top
 * bit. */
static void test_half_a_carry(void **state)
{
	struct hist_cells *cells = calloc(1, sizeof(*cells));

	(void)state;
	assert_non_null(cells);
	for (uint64_t n = INT32_MAX; n < 6ull << 32; n += 1ull << 31) {
		cells->high[5] = (uint16_t)(n >> 31);
		cells->low[5] = (uint32_t)n;
		assert_int_equal(hist_cells_get(cells, 5), n);
		hist_carry(cells, 5);
		assert_int_equal(hist_cells_get(cells, 5), n);
		cells->low[5]++;
		assert_int_equal(hist_cells_get(cells, 5), n + 1);
	}
	free(cells);
}

static void test_merge_beyond_32_bits(void **state)
{
	struct hist one = {.count = 1, .least_inverted = ~UINT64_C(9), .largest = 9}, sum = {0};

	(void)state;
	one.cells.low[9] = UINT32_MAX;
	one.cells.high[9] = 300 << 1 | 1;
	for (uint64_t n = 1; n <= 100; n++) {
		hist_merge(&sum, &one);
		assert_int_equal(hist_cells_get(&sum.cells, 9), n * (300ull << 32 | UINT32_MAX));
	}
	assert_int_equal(hist_above(&sum, 9), 100 * (300ull << 32 | UINT32_MAX));
	assert_int_equal(hist_above(&sum, 10), 0);
	hist_clear(&sum);
	assert_int_equal(hist_cells_get(&sum.cells, 9), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cells_tile_the_line),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_one_sample_is_exact),
	    cmocka_unit_test(test_quantiles_within_a_percent),
	    cmocka_unit_test(test_merge_is_the_sum_of_its_parts),
	    cmocka_unit_test(test_above),
	    cmocka_unit_test(test_reader_beside_writer),
	    cmocka_unit_test(test_merge_across_nodes),
	    cmocka_unit_test(test_head_is_a_histogram),
	    cmocka_unit_test(test_head_stays_at_home),
	    cmocka_unit_test(test_counts_beyond_32_bits),
	    cmocka_unit_test(test_half_a_carry),
	    cmocka_unit_test(test_merge_beyond_32_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
