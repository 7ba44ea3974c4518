/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_kernels - core/kernels against the second, plain implementation of
 * tests/utran_plain. */
#include "core/kernels/utran_crc.h"
#include "core/kernels/utran_interleave.h"
#include "core/kernels/utran_rate.h"
#include "core/kernels/utran_turbo.h"
#include "tests/utran_plain/utran_plain.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ITEMS_MAX = 40000 };

struct buffers {
	int32_t in[ITEMS_MAX], want[ITEMS_MAX];
	uint8_t bits[ITEMS_MAX], got[ITEMS_MAX];
	int16_t soft[ITEMS_MAX], back[ITEMS_MAX];
	uint32_t table[ITEMS_MAX];
	uint16_t pi[UTRAN_TURBO_K_MAX];
	uint32_t seed;
};

static int buffers_new(void **state)
{
	struct buffers *b = calloc(1, sizeof(*b));

	*state = b;
	return b ? 0 : -1;
}

static int buffers_free(void **state)
{
	free(*state);
	return 0;
}

static uint32_t draw(struct buffers *b)
{
	b->seed = b->seed * 1664525u + 1013904223u;
	return b->seed >> 8;
}

/* The same random bits for both sides. */
static void draw_bits(struct buffers *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		b->in[i] = b->bits[i] = draw(b) >> 9 & 1;
}

static void assert_same_bits(const struct buffers *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (b->got[i] != b->want[i])
			fail_msg("bit %u of %u: %d, should be %d", i, n, b->got[i], b->want[i]);
}

static void test_crc(void **state)
{
	static const int sizes[] = {8, 12, 16, 24};
	struct buffers *b = *state;

	for (int s = 0; s < 4; s++) {
		struct utran_crc crc;
		assert_int_equal(utran_crc_init(&crc, (uint32_t)sizes[s]), 0);
		for (uint32_t len = 0; len < 300; len++) {
			draw_bits(b, len);
			plain_crc_attach(b->in, (int)len, sizes[s], b->want);
			memcpy(b->got, b->bits, len);
			utran_crc_attach(&crc, b->bits, len, b->got + len);
			assert_same_bits(b, len + (uint32_t)sizes[s]);
		}
	}
}

static void test_crc_sees_every_bit(void **state)
{
	struct buffers *b = *state;
	struct utran_crc crc;

	assert_int_equal(utran_crc_init(&crc, 16), 0);
	draw_bits(b, 3840);
	utran_crc_attach(&crc, b->bits, 3840, b->bits + 3840);
	assert_true(utran_crc_check(&crc, b->bits, 3840));
	for (int i = 0; i < 3856; i++) {
		b->bits[i] ^= 1;
		assert_false(utran_crc_check(&crc, b->bits, 3840));
		b->bits[i] ^= 1;
	}
	assert_int_equal(utran_crc_init(&crc, 17), -EINVAL);
	assert_int_equal(utran_crc_init(&crc, 0), -EINVAL);
}

static void test_turbo_interleaver_all(void **state)
{
	struct buffers *b = *state;

	for (uint32_t k = UTRAN_TURBO_K_MIN; k <= UTRAN_TURBO_K_MAX; k++) {
		assert_int_equal(utran_turbo_interleaver(k, b->pi), 0);
		plain_turbo_pi((int)k, b->want);
		memset(b->got, 0, k);
		for (uint32_t i = 0; i < k; i++) {
			if (b->pi[i] != b->want[i])
				fail_msg("K = %u: pi(%u) is %u, should be %d", k, i, b->pi[i],
				    b->want[i]);
			assert_int_equal(b->got[b->pi[i]]++, 0);
		}
	}
	assert_int_equal(utran_turbo_interleaver(39, b->pi), -EINVAL);
	assert_int_equal(utran_turbo_interleaver(5115, b->pi), -EINVAL);
}

static void test_turbo_encoder(void **state)
{
	struct buffers *b = *state;

	for (uint32_t k = UTRAN_TURBO_K_MIN; k <= UTRAN_TURBO_K_MAX; k += 1 + k / 20) {
		draw_bits(b, k);
		assert_int_equal(utran_turbo_interleaver(k, b->pi), 0);
		utran_turbo_encode_plain(b->pi, k, b->bits, b->got);
		plain_turbo_encode(b->in, (int)k, b->want);
		assert_same_bits(b, utran_turbo_coded(k));
	}
}

/* Equation 1 of section 4.2.7 for the downlink reference channels of TS 25.101: change per TTI. */
static void test_rate_share(void **state)
{
	static const struct {
		int64_t n_data, dtch, frames, dtch_delta, dcch_delta;
	} cases[] = {
	    {9120, 11580, 1, -2531, -76}, /* 384 kbit/s */
	    {4320, 8700, 2, -236, -8},    /* 144 kbit/s: 8700 to 8464, 360 to 352 */
	    {2100, 3900, 2, 114, 12},     /* 64 kbit/s */
	    {420, 804, 2, -118, -52},     /* 12.2 kbit/s */
	};
	static const int64_t rm[] = {256, 256};

	(void)state;
	for (int c = 0; c < 4; c++) {
		const int64_t n_tti[] = {cases[c].dtch, 360}, frames[] = {cases[c].frames, 4};
		int64_t delta[2];
		plain_rate_share(2, rm, n_tti, frames, cases[c].n_data, delta);
		assert_int_equal(delta[0], cases[c].dtch_delta);
		assert_int_equal(delta[1], cases[c].dcch_delta);
	}
}

static void check_rate(
    struct buffers *b, uint32_t coded, uint32_t matched, enum utran_coding coding)
{
	const int turbo = coding == UTRAN_TURBO, delta = (int)matched - (int)coded;

	for (uint32_t i = 0; i < coded; i++)
		b->in[i] = (int32_t)i;
	assert_int_equal(plain_rate_match(b->in, (int)coded, delta, turbo, b->want), matched);
	assert_int_equal(utran_rate_table(coded, matched, coding, b->table), 0);
	for (uint32_t i = 0; i < matched; i++)
		if (b->table[i] != (uint32_t)b->want[i])
			fail_msg("%u to %u: bit %u is bit %u, should be %d", coded, matched, i,
			    b->table[i], b->want[i]);
	draw_bits(b, coded);
	plain_rate_match(b->in, (int)coded, delta, turbo, b->want);
	utran_rate_match_plain(b->table, matched, b->bits, b->got);
	assert_same_bits(b, matched);
}

static void test_rate_channels(void **state)
{
	struct buffers *b = *state;

	check_rate(b, 11580, 9049, UTRAN_TURBO);      /* A: 384 kbit/s with DCCH */
	check_rate(b, 11580, 9120, UTRAN_TURBO);      /* B: 384 kbit/s alone */
	check_rate(b, 360, 284, UTRAN_CONVOLUTIONAL); /* DCCH beside it */
	check_rate(b, 3900, 4014, UTRAN_TURBO);       /* 64 kbit/s: repetition */
	check_rate(b, 360, 372, UTRAN_CONVOLUTIONAL);
	check_rate(b, 8700, 8464, UTRAN_TURBO); /* 144 kbit/s */
	check_rate(b, 360, 352, UTRAN_CONVOLUTIONAL);
	check_rate(b, 804, 686, UTRAN_CONVOLUTIONAL); /* 12.2 kbit/s */
	check_rate(b, 360, 308, UTRAN_CONVOLUTIONAL);
	check_rate(b, 11580, 11580, UTRAN_TURBO);
}

/* Every length that is allowed, from all parity punctured to each bit sent 16 times. */
static void test_rate_every_length(void **state)
{
	struct buffers *b = *state;

	for (uint32_t matched = 44; matched <= 16 * 132; matched++)
		check_rate(b, 132, matched, UTRAN_TURBO);
	for (uint32_t matched = 1; matched <= 16 * 97; matched++)
		check_rate(b, 97, matched, UTRAN_CONVOLUTIONAL);
	assert_int_equal(utran_rate_table(132, 43, UTRAN_TURBO, b->table), -EINVAL);
	assert_int_equal(utran_rate_table(132, 16 * 132 + 1, UTRAN_TURBO, b->table), -EINVAL);
	assert_int_equal(utran_rate_table(133, 133, UTRAN_TURBO, b->table), -EINVAL);
	assert_int_equal(utran_rate_table(0, 0, UTRAN_CONVOLUTIONAL, b->table), -EINVAL);
	assert_int_equal(utran_rate_table(97, 0, UTRAN_CONVOLUTIONAL, b->table), -EINVAL);
}

static void check_dematch(
    struct buffers *b, uint32_t coded, uint32_t matched, enum utran_coding coding)
{
	for (uint32_t i = 0; i < coded; i++)
		b->in[i] = (int32_t)i;
	plain_rate_match(
	    b->in, (int)coded, (int)matched - (int)coded, coding == UTRAN_TURBO, b->want);
	for (uint32_t i = 0; i < matched; i++)
		b->soft[i] = (int16_t)(draw(b) % 2001 - 1000);
	assert_int_equal(utran_rate_table(coded, matched, coding, b->table), 0);
	memset(b->back, 0x55, coded * sizeof(*b->back));
	utran_rate_dematch_plain(b->table, matched, b->soft, b->back, coded);
	for (uint32_t i = 0; i < coded; i++) {
		int32_t sum = 0;
		for (uint32_t j = 0; j < matched; j++)
			sum += b->want[j] == (int32_t)i ? b->soft[j] : 0;
		assert_int_equal(b->back[i], sum);
	}
}

static void test_rate_dematch(void **state)
{
	struct buffers *b = *state;

	check_dematch(b, 360, 284, UTRAN_CONVOLUTIONAL);
	check_dematch(b, 360, 372, UTRAN_CONVOLUTIONAL);
	check_dematch(b, 132, 100, UTRAN_TURBO);
	check_dematch(b, 132, 300, UTRAN_TURBO);
}

static void test_rate_dematch_saturates(void **state)
{
	struct buffers *b = *state;

	assert_int_equal(utran_rate_table(2, 6, UTRAN_CONVOLUTIONAL, b->table), 0);
	for (int i = 0; i < 6; i++)
		b->soft[i] = b->table[i] ? INT16_MIN : INT16_MAX;
	utran_rate_dematch_plain(b->table, 6, b->soft, b->back, 2);
	assert_int_equal(b->back[0], INT16_MAX);
	assert_int_equal(b->back[1], INT16_MIN);
}

static void test_interleave1(void **state)
{
	static const uint32_t lengths[] = {8, 40, 360, 9120, 9048, 8464, 4016, 32760};
	struct buffers *b = *state;

	for (uint32_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
		for (uint32_t tti_ms = 10; tti_ms <= 80; tti_ms *= 2) {
			const uint32_t n = lengths[l];
			draw_bits(b, n);
			plain_interleave1(b->in, (int)n, (int)tti_ms, b->want);
			utran_interleave1_plain(b->bits, b->got, n, utran_tti_frames(tti_ms));
			assert_same_bits(b, n);
			for (uint32_t i = 0; i < n; i++)
				b->in[i] = (int32_t)i;
			plain_interleave1(b->in, (int)n, (int)tti_ms, b->want);
			for (uint32_t i = 0; i < n; i++)
				b->soft[i] = (int16_t)b->want[i];
			utran_deinterleave1_plain(b->soft, b->back, n, utran_tti_frames(tti_ms));
			for (uint32_t i = 0; i < n; i++)
				assert_int_equal(b->back[i], i);
		}
	}
	for (uint32_t ms = 0; ms < 100; ms++)
		assert_int_equal(utran_tti_frames(ms),
		    ms == 10 || ms == 20 || ms == 40 || ms == 80 ? ms / 10 : 0);
}

static void check_interleave2(struct buffers *b, uint32_t n)
{
	draw_bits(b, n);
	plain_interleave2(b->in, (int)n, b->want);
	utran_interleave2_plain(b->bits, b->got, n);
	assert_same_bits(b, n);
	for (uint32_t i = 0; i < n; i++)
		b->in[i] = (int32_t)i;
	plain_interleave2(b->in, (int)n, b->want);
	for (uint32_t i = 0; i < n; i++)
		b->soft[i] = (int16_t)b->want[i];
	utran_deinterleave2_plain(b->soft, b->back, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(b->back[i], i);
}

static void test_interleave2(void **state)
{
	struct buffers *b = *state;

	for (uint32_t n = 1; n <= 200; n++)
		check_interleave2(b, n);
	check_interleave2(b, 420);
	check_interleave2(b, 2100);
	check_interleave2(b, 9119);
	check_interleave2(b, 9120);
	check_interleave2(b, 9121);
	check_interleave2(b, 9600);
}

/* Column c of the first interleaver's output is radio frame c of the TTI, as the segmentation cuts
 * it. */
static void test_segments_are_columns(void **state)
{
	static const int columns[] = {0, 2, 1, 3};
	struct buffers *b = *state;
	int32_t frame[90];

	for (int i = 0; i < 360; i++)
		b->in[i] = b->soft[i] = (int16_t)i;
	utran_deinterleave1_plain(b->soft, b->back, 360, 4);
	for (int n = 0; n < 4; n++) {
		assert_int_equal(plain_segment(b->in, 360, 4, n, frame), 90);
		for (int r = 0; r < 90; r++)
			assert_int_equal(b->back[4 * r + columns[n]], frame[r]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_crc),
	    cmocka_unit_test(test_crc_sees_every_bit),
	    cmocka_unit_test(test_turbo_interleaver_all),
	    cmocka_unit_test(test_turbo_encoder),
	    cmocka_unit_test(test_rate_share),
	    cmocka_unit_test(test_rate_channels),
	    cmocka_unit_test(test_rate_every_length),
	    cmocka_unit_test(test_rate_dematch),
	    cmocka_unit_test(test_rate_dematch_saturates),
	    cmocka_unit_test(test_interleave1),
	    cmocka_unit_test(test_interleave2),
	    cmocka_unit_test(test_segments_are_columns),
	};

	return cmocka_run_group_tests(tests, buffers_new, buffers_free);
}
