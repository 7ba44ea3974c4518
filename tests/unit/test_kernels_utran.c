/* SPDX-License-Identifier: BSD-3-Clause
 * test_kernels_utran - CRC, interleavers and rate matching at every level against the plain loops
 * (which test_utran_kernels holds against the standard's text), on random and edge inputs, at the
 * edges of memory. */
#include "core/kernels/utran_crc.h"
#include "core/kernels/utran_interleave.h"
#include "core/kernels/utran_rate.h"
#include "tests/common/guarded.h"

#include <stdlib.h>

enum { ITEMS = 12288 };

struct buffers {
	struct guarded in, out;
	uint8_t want[ITEMS * sizeof(int16_t)];
	uint32_t table[ITEMS];
	uint32_t seed;
};

static int buffers_new(void **state)
{
	struct buffers *b = calloc(1, sizeof(*b));

	*state = b;
	if (!b)
		return -1;
	guarded_new(&b->in, ITEMS * sizeof(int16_t));
	guarded_new(&b->out, ITEMS * sizeof(int16_t));
	return 0;
}

static int buffers_free(void **state)
{
	struct buffers *b = *state;

	guarded_free(&b->in);
	guarded_free(&b->out);
	free(b);
	return 0;
}

static void same(
    const struct buffers *b, const void *made, size_t size, const char *what, uint32_t n)
{
	if (memcmp(made, b->want, size) != 0)
		fail_msg("%s of %u items differs", what, n);
	guarded_check(&b->out, made, size);
}

static void check_crc(struct buffers *b, uint32_t size, uint32_t n)
{
	struct utran_crc plain;

	assert_int_equal(utran_crc_init(&plain, size), 0);
	GUARDED_EACH_LEVEL(level)
	{
		for (int edge = 0; edge < GUARDED_EDGES; edge++) {
			uint8_t *bits = guarded_at(&b->in, (enum guarded_edge)edge, n);
			struct utran_crc crc = plain;

			utran_crc_use(&crc, (enum simd_level)level);
			assert_int_equal(
			    utran_crc_parity(&crc, bits, n), utran_crc_parity(&plain, bits, n));
		}
	}
}

static void test_crc(void **state)
{
	static const uint32_t sizes[] = {8, 12, 16, 24};
	struct buffers *b = *state;

	guarded_bits(&b->in);
	for (int s = 0; s < 4; s++) {
		for (uint32_t n = 0; n < ITEMS; n = guarded_next_length(n))
			check_crc(b, sizes[s], n);
		check_crc(b, sizes[s], 3840);
	}
}

/* Each bit alone, so that each constant of the folding shows. */
static void test_crc_single_bits(void **state)
{
	static uint8_t bits[1000 + 24];
	struct utran_crc plain;

	(void)state;
	assert_int_equal(utran_crc_init(&plain, 24), 0);
	GUARDED_EACH_LEVEL(level)
	{
		struct utran_crc crc = plain;

		utran_crc_use(&crc, (enum simd_level)level);
		for (uint32_t i = 0; i < 1000; i++) {
			bits[i] = 1;
			assert_int_equal(utran_crc_parity(&crc, bits, 1000),
			    utran_crc_parity(&plain, bits, 1000));
			utran_crc_attach(&crc, bits, 1000, bits + 1000);
			assert_true(utran_crc_check(&crc, bits, 1000));
			bits[i] = 0;
			assert_false(utran_crc_check(&crc, bits, 1000));
		}
		memset(bits, 0, sizeof(bits));
	}
}

static void check_interleave1(
    struct buffers *b, const struct utran_interleave_kernels *kernels, uint32_t n, uint32_t frames)
{
	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
		const uint8_t *bits = guarded_at(&b->in, (enum guarded_edge)edge, n);
		const int16_t *soft =
		    guarded_at(&b->in, (enum guarded_edge)edge, n * sizeof(*soft));
		void *made = guarded_fresh(&b->out, (enum guarded_edge)edge, n);

		kernels->interleave1(bits, made, n, frames);
		utran_interleave1_plain(bits, b->want, n, frames);
		same(b, made, n, "first interleaver", n);
		made = guarded_fresh(&b->out, (enum guarded_edge)edge, n * sizeof(*soft));
		kernels->deinterleave1(soft, made, n, frames);
		utran_deinterleave1_plain(soft, (int16_t *)(void *)b->want, n, frames);
		same(b, made, n * sizeof(*soft), "first deinterleaver", n);
	}
}

static void check_interleave2(
    struct buffers *b, const struct utran_interleave_kernels *kernels, uint32_t n)
{
	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
		const uint8_t *bits = guarded_at(&b->in, (enum guarded_edge)edge, n);
		const int16_t *soft =
		    guarded_at(&b->in, (enum guarded_edge)edge, n * sizeof(*soft));
		void *made = guarded_fresh(&b->out, (enum guarded_edge)edge, n);

		kernels->interleave2(bits, made, n);
		utran_interleave2_plain(bits, b->want, n);
		same(b, made, n, "second interleaver", n);
		made = guarded_fresh(&b->out, (enum guarded_edge)edge, n * sizeof(*soft));
		kernels->deinterleave2(soft, made, n);
		utran_deinterleave2_plain(soft, (int16_t *)(void *)b->want, n);
		same(b, made, n * sizeof(*soft), "second deinterleaver", n);
	}
}

static void test_interleave1(void **state)
{
	GUARDED_EACH_LEVEL(level)
	{
		for (uint32_t frames = 1; frames <= 8; frames *= 2)
			for (uint32_t rows = 0; rows * frames <= 9600;
			     rows = guarded_next_length(rows))
				check_interleave1(*state,
				    utran_interleave_kernels((enum simd_level)level), rows * frames,
				    frames);
	}
}

static void test_interleave2(void **state)
{
	static const uint32_t channels[] = {420, 2100, 4320, 9119, 9120, 9121, 9600};

	GUARDED_EACH_LEVEL(level)
	{
		const struct utran_interleave_kernels *kernels =
		    utran_interleave_kernels((enum simd_level)level);

		/* up to 43 rows: every number of whole blocks to 2 */
		for (uint32_t n = 0; n <= 1300; n += 1 + n / 200)
			check_interleave2(*state, kernels, n);
		for (unsigned c = 0; c < sizeof(channels) / sizeof(channels[0]); c++)
			check_interleave2(*state, kernels, channels[c]);
	}
}

/* A plan of b->table; its memory is not larger than was asked for, nor aligned to more. */
static void *plan_of(struct utran_rate_plan *plan, size_t size)
{
	void *memory = aligned_alloc(64, (size + 64) / 64 * 64);

	assert_non_null(memory);
	memset(memory, 0xa5, (size + 64) / 64 * 64);
	utran_rate_plan_fill(plan, memory);
	for (size_t i = size; i < (size + 64) / 64 * 64; i++)
		assert_int_equal(((uint8_t *)memory)[i], 0xa5);
	return memory;
}

static void check_match(
    struct buffers *b, const struct utran_rate_kernels *kernels, uint32_t coded, uint32_t matched)
{
	struct utran_rate_plan plan;
	void *memory =
	    plan_of(&plan, utran_rate_plan_match(&plan, kernels, b->table, matched, coded));

	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
		const uint8_t *bits = guarded_at(&b->in, (enum guarded_edge)edge, coded);
		uint8_t *made = guarded_fresh(&b->out, (enum guarded_edge)edge, matched);

		kernels->match(&plan, bits, made);
		utran_rate_match_plain(b->table, matched, bits, b->want);
		same(b, made, matched, "rate matching", matched);
	}
	free(memory);
}

static void check_dematch(
    struct buffers *b, const struct utran_rate_kernels *kernels, uint32_t coded, uint32_t matched)
{
	struct utran_rate_plan plan;
	void *memory =
	    plan_of(&plan, utran_rate_plan_dematch(&plan, kernels, b->table, matched, coded));

	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
		const int16_t *soft =
		    guarded_at(&b->in, (enum guarded_edge)edge, matched * sizeof(*soft));
		int16_t *made =
		    guarded_fresh(&b->out, (enum guarded_edge)edge, coded * sizeof(*made));

		kernels->dematch(&plan, soft, made);
		utran_rate_dematch_plain(
		    b->table, matched, soft, (int16_t *)(void *)b->want, coded);
		same(b, made, coded * sizeof(*made), "rate dematching", matched);
	}
	free(memory);
}

static void check_rate(struct buffers *b, uint32_t coded, uint32_t matched)
{
	GUARDED_EACH_LEVEL(level)
	{
		const struct utran_rate_kernels *kernels =
		    utran_rate_kernels((enum simd_level)level);

		check_match(b, kernels, coded, matched);
		check_dematch(b, kernels, coded, matched);
	}
}

static void check_pattern(
    struct buffers *b, uint32_t coded, uint32_t matched, enum utran_coding coding)
{
	assert_int_equal(utran_rate_table(coded, matched, coding, b->table), 0);
	check_rate(b, coded, matched);
}

static void test_rate(void **state)
{
	struct buffers *b = *state;

	check_pattern(b, 11580, 9049, UTRAN_TURBO);
	check_pattern(b, 11580, 9120, UTRAN_TURBO);
	check_pattern(b, 11580, 11580, UTRAN_TURBO);
	check_pattern(b, 8700, 8464, UTRAN_TURBO);
	check_pattern(b, 3900, 4014, UTRAN_TURBO);
	check_pattern(b, 804, 686, UTRAN_CONVOLUTIONAL);
	check_pattern(b, 360, 284, UTRAN_CONVOLUTIONAL);
	check_pattern(b, 360, 372, UTRAN_CONVOLUTIONAL);
	for (uint32_t coded = 3; coded < 210;
	     coded += 3) /* around each vector's width, from all parity gone to 16 times */
		for (uint32_t matched = coded / 3; matched <= 16 * coded && matched < ITEMS;
		     matched += 1 + matched / 7)
			check_pattern(b, coded, matched, UTRAN_TURBO);
	for (uint32_t coded = 1; coded < 140; coded += 5)
		for (uint32_t matched = 1; matched <= 16 * coded && matched < ITEMS;
		     matched += 1 + matched / 5)
			check_pattern(b, coded, matched, UTRAN_CONVOLUTIONAL);
}

/* Any table that never goes down: holes and copies of any size, anywhere. */
static void test_rate_any_table(void **state)
{
	struct buffers *b = *state;

	for (int trial = 0; trial < 400; trial++) {
		const uint32_t most = 1 + guarded_draw(&b->seed) % 40;
		uint32_t coded = 0, matched = 0;

		while (coded < 700 && matched < 1500) {
			uint32_t copies =
			    guarded_draw(&b->seed) % 8 ? 1 : guarded_draw(&b->seed) % most;

			while (copies-- && matched < 1500)
				b->table[matched++] = coded;
			coded += guarded_draw(&b->seed) % 10
			    ? 1
			    : 1 + guarded_draw(&b->seed) % (5 * most);
		}
		check_rate(b, coded + 1, matched);
	}
}

/* The sums of copies saturate one after the other, as plain C does it: the order shows. */
static void test_rate_saturation(void **state)
{
	struct buffers *b = *state;
	int16_t *all = (int16_t *)(void *)b->in.begin;

	for (size_t i = 0; i < b->in.size / sizeof(*all); i++)
		all[i] = guarded_draw(&b->seed) % 2 ? INT16_MAX : INT16_MIN;
	check_pattern(b, 600, 2500, UTRAN_CONVOLUTIONAL);
	check_pattern(b, 600, 900, UTRAN_CONVOLUTIONAL);
	check_pattern(b, 600, 9600, UTRAN_CONVOLUTIONAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_interleave1),
	    cmocka_unit_test(test_interleave2),
	    cmocka_unit_test(test_rate),
	    cmocka_unit_test(test_rate_any_table),
	    cmocka_unit_test(test_rate_saturation),
	    cmocka_unit_test(test_crc),
	    cmocka_unit_test(test_crc_single_bits),
	};

	return cmocka_run_group_tests(tests, buffers_new, buffers_free);
}
