/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_vectors - the kernels against bits that others made: the files of tests/vectors/utran,
 * and literal numbers of the standard's reference channels. */
#include "core/kernels/utran_crc.h"
#include "core/kernels/utran_interleave.h"
#include "core/kernels/utran_rate.h"
#include "core/kernels/utran_turbo.h"
#include "tests/utran_plain/utran_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { BITS_MAX = 3 * UTRAN_TURBO_K_MAX + 12 };

static void prbs15(uint8_t *bits, uint32_t n)
{
	for (uint32_t i = 0, reg = 0x2b5d; i < n; i++) {
		bits[i] = (reg >> 14 ^ reg >> 13) & 1;
		reg = (reg << 1 | bits[i]) & 0x7fff;
	}
}

static void test_prbs15(void **state)
{
	static char line[VECTORS_LINE_MAX];
	uint8_t want[256], got[256];
	FILE *file = vectors_open("prbs15.txt");

	(void)state;
	assert_non_null(vectors_line(file, line));
	assert_int_equal(vectors_bits(line, want), 256);
	prbs15(got, 256);
	assert_memory_equal(got, want, 256);
	fclose(file);
}

static void test_crc(void **state)
{
	static char line[VECTORS_LINE_MAX];
	static uint8_t bits[BITS_MAX];
	int vectors = 0;
	FILE *file = vectors_open("crc.txt");

	(void)state;
	while (vectors_line(file, line)) {
		unsigned size, len;
		int at;
		uint8_t want[32];
		struct utran_crc crc;

		assert_int_equal(sscanf(line, "%u %u %n", &size, &len, &at), 2);
		assert_int_equal(vectors_bits(line + at, want), size);
		assert_int_equal(utran_crc_init(&crc, size), 0);
		prbs15(bits, len);
		utran_crc_attach(&crc, bits, len, bits + len);
		assert_memory_equal(bits + len, want, size);
		assert_true(utran_crc_check(&crc, bits, len));
		vectors++;
	}
	assert_int_equal(vectors, 20);
	fclose(file);
}

static void check_interleaver(uint32_t k, const char *name)
{
	static char line[VECTORS_LINE_MAX];
	static uint16_t pi[UTRAN_TURBO_K_MAX];
	FILE *file = vectors_open(name);
	uint32_t i = 0;

	assert_int_equal(utran_turbo_interleaver(k, pi), 0);
	for (; vectors_line(file, line); i++) {
		assert_true(i < k);
		assert_int_equal(pi[i], strtol(line, NULL, 10));
	}
	assert_int_equal(i, k);
	fclose(file);
}

static void test_interleaver(void **state)
{
	(void)state;
	check_interleaver(40, "interleaver-K40.txt");
	check_interleaver(320, "interleaver-K320.txt");
	check_interleaver(3856, "interleaver-K3856.txt");
}

static void test_interleaver_ends(void **state)
{
	static const uint16_t starts[] = {3668, 1738, 2703, 773, 1, 387, 966, 1352, 2317, 3475,
	    1931, 1545, 2510, 3282, 580, 194, 3089, 1159, 2896, 2124};
	static const uint16_t ends[] = {2509, 3281, 579, 193, 3088, 1158, 2895, 2123};
	static uint16_t pi[UTRAN_TURBO_K_MAX];

	(void)state;
	assert_int_equal(utran_turbo_interleaver(3856, pi), 0);
	assert_memory_equal(pi, starts, sizeof(starts));
	assert_memory_equal(pi + 3856 - 8, ends, sizeof(ends));
}

static void check_codeword(uint32_t k, const char *name)
{
	static char line[VECTORS_LINE_MAX];
	static uint8_t bits[UTRAN_TURBO_K_MAX], want[BITS_MAX], got[BITS_MAX];
	static uint16_t pi[UTRAN_TURBO_K_MAX];
	FILE *file = vectors_open(name);

	assert_non_null(vectors_line(file, line));
	assert_int_equal(vectors_bits(line, bits), k);
	assert_non_null(vectors_line(file, line));
	assert_int_equal(vectors_bits(line, want), utran_turbo_coded(k));
	assert_int_equal(utran_turbo_interleaver(k, pi), 0);
	utran_turbo_encode_plain(pi, k, bits, got);
	assert_memory_equal(got, want, utran_turbo_coded(k));
	fclose(file);
}

static void test_codeword(void **state)
{
	(void)state;
	check_codeword(40, "turbo-K40.txt");
	check_codeword(3856, "turbo-K3856.txt");
}

/* The punctured indices printed for the 384 kbit/s reference channel: first and last ones, and how
 * many. */
static void check_punctured(uint32_t coded, uint32_t matched, enum utran_coding coding,
    const uint32_t *first, uint32_t first_len, const uint32_t *last, uint32_t last_len)
{
	static uint32_t table[12000], punctured[3000];
	uint32_t n = 0, next = 0;

	assert_int_equal(utran_rate_table(coded, matched, coding, table), 0);
	for (uint32_t i = 0; i < coded; i++) {
		if (next < matched && table[next] == i)
			next++;
		else
			punctured[n++] = i;
	}
	assert_int_equal(next, matched);
	assert_int_equal(n, coded - matched);
	assert_memory_equal(punctured, first, first_len * sizeof(*first));
	assert_memory_equal(punctured + n - last_len, last, last_len * sizeof(*last));
}

static void test_punctured(void **state)
{
	static const uint32_t a[] = {4, 11, 13, 20, 22, 29, 31, 38, 40, 47, 49, 56};
	static const uint32_t b[] = {4, 11, 13, 20, 22, 29, 31, 38, 43, 47, 52, 56};
	static const uint32_t turbo_end[] = {11566, 11570, 11575, 11579};
	static const uint32_t dcch[] = {0, 4, 9, 14, 18, 23, 28, 33, 37, 42},
	                      dcch_end[] = {341, 345, 350, 355};

	(void)state;
	check_punctured(11580, 9049, UTRAN_TURBO, a, 12, turbo_end, 4);
	check_punctured(11580, 9120, UTRAN_TURBO, b, 12, turbo_end, 4);
	check_punctured(360, 284, UTRAN_CONVOLUTIONAL, dcch, 10, dcch_end, 4);
}

/* How many bits each parity loses: 1266 + 1265 for 9049, 1230 + 1230 for 9120, 1028 + 1027 for
 * 9525. */
static void test_punctured_by_parity(void **state)
{
	static const uint32_t cases[][3] = {
	    {9049, 1266, 1265}, {9120, 1230, 1230}, {9525, 1028, 1027}};
	static uint32_t table[12000];

	(void)state;
	for (int c = 0; c < 3; c++) {
		uint32_t kept[3] = {0};
		assert_int_equal(utran_rate_table(11580, cases[c][0], UTRAN_TURBO, table), 0);
		for (uint32_t i = 0; i < cases[c][0]; i++)
			kept[table[i] % 3]++;
		assert_int_equal(kept[0], 3860);
		assert_int_equal(kept[1], 3860 - cases[c][1]);
		assert_int_equal(kept[2], 3860 - cases[c][2]);
	}
}

/* 9120 bits in 304 rows: row 0 of the output is the column pattern, and every column goes down its
 * rows. */
static void test_interleave2_pattern(void **state)
{
	static const int pattern[] = {0, 20, 10, 5, 15, 25, 3, 13, 23, 8, 18, 28, 1, 11, 21, 6, 16,
	    26, 4, 14, 24, 19, 9, 29, 12, 2, 7, 22, 27, 17};
	static int16_t in[9120], out[9120];

	(void)state;
	for (int i = 0; i < 9120; i++)
		in[i] = (int16_t)i;
	utran_deinterleave2_plain(in, out, 9120);
	for (int c = 0; c < 30; c++)
		for (int r = 0; r < 304; r++)
			assert_int_equal(out[r * 30 + pattern[c]], c * 304 + r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_prbs15),
	    cmocka_unit_test(test_crc),
	    cmocka_unit_test(test_interleaver),
	    cmocka_unit_test(test_interleaver_ends),
	    cmocka_unit_test(test_codeword),
	    cmocka_unit_test(test_punctured),
	    cmocka_unit_test(test_punctured_by_parity),
	    cmocka_unit_test(test_interleave2_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
