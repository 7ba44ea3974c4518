/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_many - turbo blocks side by side: each has the bits that it has alone in plain C,
 * right or wrong, on every level, for every kind of length, any number of blocks and all windows,
 * with noise that decides nothing, and among blocks whose warm-ups differ; and groups are made of
 * all that need one warm-up. */
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_many.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { BLOCKS = 16, GUARD = 64, CODED_MAX = 3 * UTRAN_TURBO_K_MAX + UTRAN_TURBO_TAIL };

struct bench {
	struct utran_turbo_decoder alone, one;
	struct utran_turbo_many many;
	uint8_t *memory[4];
	size_t size[4], many_size;
	int16_t *llr[BLOCKS]; /* just as long as a codeword */
	uint8_t sent[UTRAN_TURBO_K_MAX], bits[BLOCKS][UTRAN_TURBO_K_MAX + GUARD];
	uint32_t seed;
};

static uint32_t draw(struct bench *b)
{
	b->seed = b->seed * 1664525u + 1013904223u;
	return b->seed >> 8;
}

static uint8_t *memory_new(struct bench *b, int i, size_t size)
{
	b->size[i] = size;
	b->memory[i] = aligned_alloc(64, (size + GUARD + 63) / 64 * 64);
	assert_non_null(b->memory[i]);
	memset(b->memory[i], 0xa5, size + GUARD);
	return b->memory[i];
}

static struct bench *bench_new(enum simd_level level, const struct utran_turbo_decoder_plan *plan)
{
	const size_t tables = utran_turbo_decoder_size(plan->k),
	             work = utran_turbo_decoder_work_size(plan->k);
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->seed = plan->k;
	assert_int_equal(utran_turbo_decoder_init(&b->alone, SIMD_PLAIN, plan,
	                     memory_new(b, 0, tables), memory_new(b, 1, work)),
	    0);
	b->many_size = utran_turbo_many_work_size(plan);
	memory_new(b, 3, work > b->many_size ? work : b->many_size); /* for both */
	assert_int_equal(
	    utran_turbo_decoder_init(&b->one, level, plan, memory_new(b, 2, tables), b->memory[3]),
	    0);
	utran_turbo_many_init(&b->many, level, &b->one, b->memory[3]);
	for (int i = 0; i < BLOCKS; i++) {
		b->llr[i] = malloc(utran_turbo_coded(plan->k) * sizeof(int16_t));
		assert_non_null(b->llr[i]);
	}
	return b;
}

static void bench_free(struct bench *b)
{
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < GUARD; j++)
			assert_int_equal(b->memory[i][b->size[i] + (size_t)j], 0xa5);
		free(b->memory[i]);
	}
	for (int i = 0; i < BLOCKS; i++)
		free(b->llr[i]);
	free(b);
}

/* Block i of random bits as +-16 with noise; every `punctured`-th parity is unknown. */
static void block_send(struct bench *b, uint32_t i, int noise, uint32_t punctured)
{
	static uint16_t pi[UTRAN_TURBO_K_MAX];
	static uint8_t codeword[CODED_MAX];
	const uint32_t k = b->one.k;

	assert_int_equal(utran_turbo_interleaver(k, pi), 0);
	for (uint32_t n = 0; n < k; n++)
		b->sent[n] = draw(b) >> 20 & 1;
	utran_turbo_encode_plain(pi, k, b->sent, codeword);
	for (uint32_t n = 0; n < utran_turbo_coded(k); n++) {
		int sum = -8 * 64;
		for (int j = 0; j < 8; j++)
			sum += (int)(draw(b) >> 12 & 127);
		b->llr[i][n] = (int16_t)((codeword[n] ? -16 : 16) + sum * noise / 64);
		if (punctured && n % 3 != 0 && n / 3 % punctured != 0)
			b->llr[i][n] = 0;
	}
}

/* Parity bits without noise, so that as many are known in each block, and systematic bits that say
 * little. */
static void block_puncture(struct bench *b, uint32_t i, uint32_t punctured)
{
	block_send(b, i, 0, punctured);
	for (uint32_t n = 0; n < 3 * b->one.k; n += 3)
		b->llr[i][n] = (int16_t)(draw(b) % 33) - 16;
}

/* Decodes `blocks` together and each alone; so many must have gone side by side. */
static void check_blocks(struct bench *b, uint32_t blocks, unsigned iterations, uint32_t together)
{
	static uint8_t want[UTRAN_TURBO_K_MAX];
	const int16_t *llr[BLOCKS] = {NULL};
	uint8_t *bits[BLOCKS] = {NULL};

	for (uint32_t i = 0; i < blocks; i++) {
		llr[i] = b->llr[i];
		bits[i] = b->bits[i];
		memset(bits[i], 7, b->one.k + GUARD);
	}
	assert_int_equal(
	    utran_turbo_many_decode(&b->many, iterations, blocks, llr, bits), together);
	for (uint32_t i = 0; i < blocks; i++) {
		utran_turbo_decode(&b->alone, iterations, llr[i], want);
		if (memcmp(want, bits[i], b->one.k) != 0)
			fail_msg("K %u, %u windows, block %u of %u, %u iterations: other bits than "
			         "alone",
			    b->one.k, b->one.windows, i, blocks, iterations);
		for (int j = 0; j < GUARD; j++)
			assert_int_equal(bits[i][b->one.k + (uint32_t)j], 7);
	}
}

static uint32_t together_of(const struct bench *b, uint32_t blocks)
{
	const uint32_t rest = blocks % UTRAN_TURBO_ABREAST;

	return b->many.kernels == NULL ? 0 : blocks - (rest < b->many.kernels->least ? rest : 0);
}

static int next_level(int level)
{
	do
		level++;
	while (level < SIMD_LEVELS && !simd_has((enum simd_level)level));
	return level;
}

static const uint32_t lengths[] = {40, 63, 64, 65, 71, 159, 200, 255, 256, 257, 480, 530, 1023,
    1024, 1055, 2281, 2560, 3161, 3856, 5113, 5114};

/* All soft bits known, so that warm-ups are the same whatever the noise: none, light, and so much
 * that nearly every block is wrong. */
static void test_lengths(void **state)
{
	static const int noises[] = {0, 14, 60};

	(void)state;
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level)) {
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			const uint32_t most = i % 3 == 0 ? 0 : i % 3 == 1 ? 8 : 32;
			const struct utran_turbo_decoder_plan plan = {
			    lengths[i], 16, most, i % 2 ? 14336 : UTRAN_SCALING_ONE};
			struct bench *b = bench_new((enum simd_level)level, &plan);
			const uint32_t blocks = 6 + (uint32_t)i % 3;
			assert_int_equal(b->many.kernels == NULL, b->one.windows == 1);
			for (size_t n = 0; n < 3; n++) {
				for (uint32_t j = 0; j < blocks; j++)
					block_send(b, j, noises[n], 0);
				check_blocks(
				    b, blocks, 1 + (unsigned)(n + i) % 3, together_of(b, blocks));
			}
			bench_free(b);
		}
	}
}

/* From 1 to 16 blocks. */
static void test_numbers(void **state)
{
	const struct utran_turbo_decoder_plan plan = {1000, 16, 0, 12288};

	(void)state;
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level)) {
		struct bench *b = bench_new((enum simd_level)level, &plan);
		for (uint32_t i = 0; i < BLOCKS; i++)
			block_send(b, i, 25, 0);
		for (uint32_t blocks = 1; blocks <= BLOCKS; blocks++)
			check_blocks(b, blocks, 2, together_of(b, blocks));
		bench_free(b);
	}
}

/* Many iterations, with warm-ups longer than a section or a window. */
static void test_punctured(void **state)
{
	static const uint32_t sizes[] = {64, 300, 530, 3856};

	(void)state;
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level)) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			const struct utran_turbo_decoder_plan plan = {sizes[i], 16, 0, 12288};
			struct bench *b = bench_new((enum simd_level)level, &plan);
			for (uint32_t punctured = 2; punctured <= 32; punctured *= 4) {
				for (uint32_t j = 0; j < 8; j++)
					block_puncture(b, j, punctured);
				check_blocks(b, 8, 8, 8);
			}
			bench_free(b);
		}
	}
}

/* Blocks that need another warm-up; the whole range of int16_t, and nothing at all. */
static void test_apart(void **state)
{
	const struct utran_turbo_decoder_plan plan = {3000, 16, 0, UTRAN_SCALING_ONE};

	(void)state;
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level)) {
		struct bench *b = bench_new((enum simd_level)level, &plan);
		for (uint32_t i = 0; i < 8; i++)
			block_send(b, i, 20, i % 3 == 1 ? 4 : 0);
		check_blocks(b, 8, 3, 0);
		for (uint32_t i = 0; i < 8; i++)
			for (uint32_t n = 0; n < utran_turbo_coded(plan.k); n++)
				b->llr[i][n] = (int16_t)(i % 2 ? draw(b) | 1 : 0x8000);
		check_blocks(b, 8, 4, 8);
		for (uint32_t i = 0; i < 8; i++)
			memset(b->llr[i], 0, utran_turbo_coded(plan.k) * sizeof(int16_t));
		check_blocks(b, 8, 2, 8);
		bench_free(b);
	}
}

/* How often eight blocks were started, and by what. */
static struct {
	unsigned passes;
	void (*start)(struct utran_turbo_many *many, const int16_t *const *llr);
} counted;

static void start_counted(struct utran_turbo_many *many, const int16_t *const *llr)
{
	counted.passes++;
	counted.start(many, llr);
}

/* Blocks marked p are punctured. Those of one kind go together, wherever they stand: `together` of
 * the kinds are enough for that on every level, in so many passes; all others go alone. */
static void check_groups(struct bench *b, const char *kinds, uint32_t together, unsigned passes)
{
	const struct utran_turbo_many_kernels *kernels = b->many.kernels;
	struct utran_turbo_many_kernels counting = *kernels;
	const uint32_t blocks = (uint32_t)strlen(kinds);

	for (uint32_t i = 0; i < blocks; i++)
		block_puncture(b, i, kinds[i] == 'p' ? 4 : 0);
	counted.passes = 0;
	counted.start = counting.start;
	counting.start = start_counted;
	b->many.kernels = &counting;
	check_blocks(b, blocks, 2, together);
	assert_int_equal(counted.passes, passes);
	b->many.kernels = kernels;
}

static void test_groups(void **state)
{
	const struct utran_turbo_decoder_plan plan = {1500, 16, 0, UTRAN_SCALING_ONE};

	(void)state;
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level)) {
		struct bench *b = bench_new((enum simd_level)level, &plan);
		const uint32_t seven = b->many.kernels->least <= 7 ? 7 : 0;
		check_groups(b, "........", 8, 1);
		check_groups(b, "p.......", seven, seven > 0);
		check_groups(b, ".......p", seven, seven > 0);
		check_groups(b, "p.p.p.p.", 0, 0);
		check_groups(b, "p.p.p.p.p.p.p.p.", 16, 2);
		check_groups(b, "p........", 8, 1);
		check_groups(b, "ppp........ppppp", 16, 2);
		check_groups(b, "p..............p", 8 + (b->many.kernels->least <= 6 ? 6 : 0),
		    1 + (b->many.kernels->least <= 6));
		bench_free(b);
	}
}

/* More blocks than are sorted at a time, which share their soft bits two by two. */
static void test_hundreds(void **state)
{
	enum { N = 261 };
	static uint8_t room[N][256], want[2][256];
	const struct utran_turbo_decoder_plan plan = {256, 16, 0, UTRAN_SCALING_ONE};
	struct bench *b = bench_new(simd_best(), &plan);
	const int16_t *llr[N];
	uint8_t *bits[N];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		block_send(b, i, 20, 4 * i);
		utran_turbo_decode(&b->alone, 2, b->llr[i], want[i]);
	}
	for (uint32_t i = 0; i < N; i++) {
		llr[i] = b->llr[i % 2];
		bits[i] = room[i];
	}
	assert_int_equal(utran_turbo_many_decode(&b->many, 2, N, llr, bits), 256);
	for (uint32_t i = 0; i < N; i++)
		assert_memory_equal(room[i], want[i % 2], 256);
	bench_free(b);
}

/* Metrics of 8 bits are not for this; nobody asks for memory then. */
static void test_alone(void **state)
{
	const struct utran_turbo_decoder_plan plan = {1000, 8, 0, UTRAN_SCALING_ONE};
	struct bench *b = bench_new(simd_best(), &plan);

	(void)state;
	assert_int_equal(b->many_size, 0);
	for (uint32_t i = 0; i < 8; i++)
		block_send(b, i, 20, 0);
	check_blocks(b, 8, 2, 0);
	bench_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lengths),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_punctured),
	    cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_groups),
	    cmocka_unit_test(test_hundreds),
	    cmocka_unit_test(test_alone),
	};

	return cmocka_run_group_tests_name("utran_many", tests, NULL, NULL);
}
