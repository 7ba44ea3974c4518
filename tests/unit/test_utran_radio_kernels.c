/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Codes, slots and TFCI of the UTRA downlink against tests/utran_plain and against what the
 * standard says of them; the loops at chip and sample rate, each vector level against the plain
 * one, bit by bit, and against double precision. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kernels/fir.h"
#include "core/kernels/pulse.h"
#include "core/kernels/random.h"
#include "core/kernels/utran_chips.h"
#include "core/kernels/utran_codes.h"
#include "core/kernels/utran_dpch.h"
#include "core/kernels/utran_tfci.h"
#include "tests/utran_plain/utran_plain_radio.h"

enum { GUARD = 64 };

/* ---- codes ---- */

static void ovsf_is_the_recursion(void **state)
{
	(void)state;
	for (int sf = 1; sf <= 512; sf *= 2)
		for (int code = 0; code < sf; code++) {
			int8_t chips[512];
			int plain[512];

			utran_ovsf((uint32_t)sf, (uint32_t)code, chips);
			plain_ovsf(sf, code, plain);
			for (int i = 0; i < sf; i++)
				assert_int_equal(chips[i], plain[i]);
		}
}

static int product(const int8_t *a, const int8_t *b, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Of one length: orthogonal. Of two: over the longer one, unless the shorter is its ancestor. */
static void ovsf_is_orthogonal(void **state)
{
	(void)state;
	for (uint32_t sf = 4; sf <= 256; sf *= 2)
		for (uint32_t a = 0; a < sf; a++)
			for (uint32_t b = 0; b <= a; b++) {
				int8_t chips[2][256];

				utran_ovsf(sf, a, chips[0]);
				utran_ovsf(sf, b, chips[1]);
				assert_int_equal(
				    product(chips[0], chips[1], (int)sf), a == b ? (int)sf : 0);
			}
	for (uint32_t code = 0; code < 256; code++) {
		int8_t longer[256], eight[8];

		utran_ovsf(256, code, longer);
		for (uint32_t k = 0; k < 8; k++) {
			int worst = 0;

			utran_ovsf(8, k, eight);
			for (int at = 0; at < 256; at += 8)
				worst |= product(longer + at, eight, 8);
			assert_true(worst == 0 || code / 32 == k);
		}
	}
}

static void scrambling_is_the_recursion(void **state)
{
	static const uint32_t codes[] = {0, 1, 16, 144, 16 * 511, 131071, 262142};
	struct plain_gold *gold = plain_gold_new();
	int8_t *chips = malloc(2 * UTRAN_CHIPS);

	(void)state;
	for (size_t c = 0; c < sizeof(codes) / sizeof(codes[0]); c++) {
		utran_scrambling(codes[c], chips, UTRAN_CHIPS);
		for (int i = 0; i < UTRAN_CHIPS; i++) {
			const double complex plain = plain_scrambling(gold, (int)codes[c], i);

			assert_true(
			    chips[2 * i] == creal(plain) && chips[2 * i + 1] == cimag(plain));
		}
	}
	free(chips);
	free(gold);
}

/* Code 0 by hand: x = 1, 0 (17 times), 1, ..; y = 1 (18 times), 0 for y(18) = 1 + 1 + 1 + 1. So x +
 * y is 0, then 1. */
static void scrambling_begins_as_by_hand(void **state)
{
	int8_t chips[2 * 20];

	(void)state;
	utran_scrambling(0, chips, 20);
	for (int i = 0; i < 18; i++)
		assert_int_equal(chips[2 * i], i ? -1 : 1);
	assert_int_equal(chips[2 * 18], -1); /* x(18) = x(7) + x(0) = 1, y(18) = 0 */
	assert_int_equal(chips[2 * 19], 1);  /* x(19) = x(8) + x(1) = 0, y(19) = 0 */
}

/* Two cells, and one against itself later: no more than chance over a frame, 5 standard
 * deviations. */
static void scrambling_codes_are_strangers(void **state)
{
	int8_t *a = malloc(2 * UTRAN_CHIPS), *b = malloc(2 * UTRAN_CHIPS);

	(void)state;
	utran_scrambling(16, a, UTRAN_CHIPS);
	for (uint32_t shift = 0; shift < 50; shift++) {
		double complex sum = 0;

		utran_scrambling(16 * (2 + shift), b, UTRAN_CHIPS);
		for (uint32_t i = 0; i < UTRAN_CHIPS; i++)
			sum += (a[2 * i] + I * a[2 * i + 1]) * (b[2 * i] - I * b[2 * i + 1]) / 2;
		assert_true(cabs(sum) < 5 * sqrt(UTRAN_CHIPS));
	}
	free(a);
	free(b);
}

/* ---- TFCI ---- */

static void tfci_is_the_table(void **state)
{
	(void)state;
	for (int tfci = 0; tfci <= UTRAN_TFCI_MAX; tfci++) {
		const uint32_t word = utran_tfci_encode((uint32_t)tfci);

		for (int i = 0; i < 32; i++)
			assert_int_equal(word >> i & 1, plain_tfci_bit(tfci, i));
		assert_true(tfci == 0 || __builtin_popcount(word) >= 12);
	}
}

/* Nearest by trying all 1024. */
static uint32_t tfci_nearest(const int32_t *soft)
{
	int64_t best = INT64_MIN;
	uint32_t nearest = 0;

	for (uint32_t tfci = 0; tfci <= UTRAN_TFCI_MAX; tfci++) {
		const uint32_t word = utran_tfci_encode(tfci);
		int64_t sum = 0;

		for (int i = 0; i < 32; i++)
			sum += word >> i & 1 ? -soft[i] : soft[i];
		if (sum > best) {
			best = sum;
			nearest = tfci;
		}
	}
	return nearest;
}

static void tfci_survives_five_errors(void **state)
{
	int32_t soft[32];

	(void)state;
	for (uint32_t tfci = 0; tfci <= UTRAN_TFCI_MAX; tfci++) {
		uint32_t flips[5], word = utran_tfci_encode(tfci);

		random_words(1, tfci, flips, 5);
		for (int i = 0; i < 5; i++)
			word ^= 1u << flips[i] % 32;
		for (int i = 0; i < 32; i++)
			soft[i] = word >> i & 1 ? -7 : 7;
		assert_int_equal(utran_tfci_decode(soft), tfci);
	}
	/* and is the nearest of all where nothing is sure */
	for (uint32_t trial = 0; trial < 500; trial++) {
		float noise[32];

		random_gauss(2, trial, noise, 32);
		for (int i = 0; i < 32; i++)
			soft[i] = (int32_t)(noise[i] * 1e6f);
		assert_int_equal(utran_tfci_decode(soft), tfci_nearest(soft));
	}
}

/* ---- slots ---- */

static void dpch_is_the_tables(void **state)
{
	static uint8_t data[19000], frame[20000], plain[20000];
	static int16_t soft[20000], back[19000];

	(void)state;
	random_bits(3, 3, data, 19000);
	for (int format = 0; format < UTRAN_DPCH_FORMATS; format++) {
		const struct utran_dpch *dpch = utran_dpch_format((uint32_t)format);
		const int tfci = 1 + format * 59, tpc = format % 2,
		          bits = plain_dpch(format, tfci, tpc, data, plain);

		assert_int_equal(utran_dpch_bits(dpch), bits);
		assert_int_equal(bits, 2 * UTRAN_CHIPS / plain_slot_format(format)[0]);
		assert_int_equal(dpch->sf, plain_slot_format(format)[0]);
		memset(frame, 7, sizeof(frame));
		utran_dpch_map(dpch, (uint32_t)tfci, (uint32_t)tpc, data, frame);
		assert_memory_equal(frame, plain, bits);
		assert_int_equal(frame[bits], 7);
		for (int i = 0; i < bits; i++)
			soft[i] = frame[i] ? -100 : 100;
		utran_dpch_demap(dpch, soft, back);
		for (uint32_t i = 0; i < utran_dpch_data(dpch); i++)
			assert_int_equal(back[i] < 0, data[i]);
		if (dpch->tfci)
			assert_int_equal(utran_dpch_tfci(dpch, soft), tfci);
	}
	assert_int_equal(utran_dpch_data(utran_dpch_format(15)), 9120);
	assert_int_equal(utran_dpch_data(utran_dpch_format(14)), 4320);
	assert_int_equal(utran_dpch_data(utran_dpch_format(13)), 2100);
	assert_int_equal(utran_dpch_data(utran_dpch_format(11)), 420);
}

/* ---- pulses ---- */

/* Energy 1, and two in a row make the raised cosine: by sums at 64 points a symbol over 200
 * symbols. */
static void pulses_are_nyquist(void **state)
{
	static const double rolloffs[] = {0.22, 0.3, 0.5, 1};

	(void)state;
	for (size_t r = 0; r < sizeof(rolloffs) / sizeof(rolloffs[0]); r++)
		for (double shift = 0; shift <= 4; shift += 0.125) {
			double sum = 0;

			for (int i = -12800; i <= 12800; i++)
				sum += pulse_rrc(i / 64.0, rolloffs[r]) *
				    pulse_rrc(shift - i / 64.0, rolloffs[r]) / 64;
			assert_true(fabs(sum - pulse_rc(shift, rolloffs[r])) < 2e-4);
			if (shift == floor(shift))
				assert_true(
				    fabs(pulse_rc(shift, rolloffs[r]) - (shift == 0)) < 1e-9);
		}
	/* The limits join on: at 0 and at 1 / (4 rolloff), 1 / (2 rolloff). */
	for (size_t r = 0; r < sizeof(rolloffs) / sizeof(rolloffs[0]); r++) {
		const double edge = 0.25 / rolloffs[r];

		assert_true(fabs(pulse_rrc(0, rolloffs[r]) - pulse_rrc(1e-6, rolloffs[r])) < 1e-4);
		assert_true(fabs(pulse_rrc(edge, rolloffs[r]) -
		                pulse_rrc(edge + 1e-5, rolloffs[r])) < 1e-3);
		assert_true(fabs(pulse_rc(2 * edge, rolloffs[r]) -
		                pulse_rc(2 * edge + 1e-5, rolloffs[r])) < 1e-3);
	}
}

/* ---- loops, every level ---- */

static const enum simd_level levels[] = {SIMD_PLAIN, SIMD_SSE41, SIMD_AVX2, SIMD_AVX512, SIMD_NEON};

static float complex *samples_new(uint64_t seed, uint32_t n)
{
	float complex *samples = malloc((n + GUARD) * sizeof(*samples));

	assert_non_null(samples);
	random_gauss(seed, n, (float *)samples, 2 * n);
	return samples;
}

static void guard_set(void *at)
{
	memset(at, 0x5a, GUARD);
}

static void guard_check(const void *at)
{
	for (int i = 0; i < GUARD; i++)
		assert_int_equal(((const uint8_t *)at)[i], 0x5a);
}

static void check_sum(
    const struct fir_kernels *kernels, uint32_t len, uint32_t streams, uint32_t n, uint32_t skew)
{
	float complex *in[4], *out = malloc((n + 9) * sizeof(*out) + GUARD),
	                      *plain = malloc((n + 1) * sizeof(*plain));
	const float complex *from[4];
	float taps[4 * 64];

	random_gauss(9, len, taps, streams * len);
	for (uint32_t s = 0; s < streams; s++) {
		in[s] = samples_new(s, n + len + 8);
		from[s] = in[s] + (skew + s) % 8;
	}
	guard_set(out + skew + n);
	kernels->sum(taps, len, from, streams, out + skew, n);
	guard_check(out + skew + n);
	fir_plain.sum(taps, len, from, streams, plain, n);
	assert_memory_equal(out + skew, plain, n * sizeof(*out));
	for (uint32_t i = 0; i < n; i += 7) {
		double complex sum = 0;

		for (uint32_t s = 0; s < streams; s++)
			for (uint32_t k = 0; k < len; k++)
				sum += (double)taps[s * len + k] * from[s][i + k];
		assert_true(cabs(sum - out[skew + i]) < 1e-5 * sqrt(len * streams));
	}
	for (uint32_t s = 0; s < streams; s++)
		free(in[s]);
	free(out);
	free(plain);
}

static void fir_levels_agree(void **state)
{
	static const uint32_t lens[] = {1, 2, 21, 64},
	                      sizes[] = {0, 1, 3, 15, 16, 17, 31, 63, 64, 65, 127, 129, 256, 1000};

	(void)state;
	for (size_t l = 0; l < sizeof(levels) / sizeof(levels[0]); l++) {
		if (!simd_has(levels[l]))
			continue;
		for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++)
			for (uint32_t k = 0; k < 4; k++)
				check_sum(fir_kernels(levels[l]), lens[k],
				    1 + (k + (uint32_t)n) % 4, sizes[n], (k + (uint32_t)n) % 8);
	}
}

static void check_join_and_deal(const struct fir_kernels *kernels, uint32_t streams, uint32_t n)
{
	float complex *in = samples_new(1, streams * n + 1), *parts[8],
	              *back = malloc((n * streams + 1) * sizeof(*back) + GUARD);

	for (uint32_t s = 0; s < streams; s++) {
		parts[s] = malloc((n + 1) * sizeof(*back) + GUARD);
		guard_set(parts[s] + n);
	}
	kernels->deal(in, streams, parts, n);
	for (uint32_t s = 0; s < streams; s++) {
		guard_check(parts[s] + n);
		for (uint32_t i = 0; i < n; i++)
			assert_true(parts[s][i] == in[i * streams + s]);
	}
	guard_set(back + n * streams);
	kernels->join((const float complex *const *)parts, streams, back, n);
	guard_check(back + n * streams);
	assert_memory_equal(back, in, n * streams * sizeof(*in));
	for (uint32_t s = 0; s < streams; s++)
		free(parts[s]);
	free(back);
	free(in);
}

static void join_undoes_deal(void **state)
{
	(void)state;
	for (size_t l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
		for (uint32_t streams = 1; simd_has(levels[l]) && streams <= 8; streams++)
			for (uint32_t n = 0; n < 20; n++)
				check_join_and_deal(fir_kernels(levels[l]), streams, n);
}

static void check_chips(const struct utran_chip_kernels *kernels, uint32_t sf, uint32_t n)
{
	float complex *symbols = samples_new(sf, n + 1),
	              *chips = malloc(n * sf * sizeof(*chips) + GUARD);
	float complex *plain = malloc(n * sf * sizeof(*plain) + 1),
	              *back = malloc(n * sizeof(*back) + GUARD);
	float pairs[2 * 512];
	int8_t code[512];

	utran_ovsf(sf, sf / 2 + 1, code);
	utran_chip_pairs(code, sf, 0.7f, pairs);
	guard_set(chips + n * sf);
	kernels->spread(pairs, sf, symbols, chips, n);
	guard_check(chips + n * sf);
	for (uint32_t i = 0; i < n * sf; i++)
		assert_true(chips[i] == 0.7f * (float)code[i % sf] * symbols[i / sf]);
	random_gauss(4, sf, (float *)chips, 2 * n * sf);
	guard_set(back + n);
	kernels->despread(pairs, sf, chips, back, n);
	guard_check(back + n);
	utran_chips_plain.despread(pairs, sf, chips, plain, n);
	assert_memory_equal(back, plain, n * sizeof(*back));
	for (uint32_t s = 0; s < n; s++) {
		double complex sum = 0;

		for (uint32_t c = 0; c < sf; c++)
			sum += 0.7 * code[c] * (double complex)chips[s * sf + c];
		assert_true(cabs(sum - back[s]) < 1e-5 * sqrt(sf));
	}
	free(symbols);
	free(chips);
	free(plain);
	free(back);
}

static void chip_levels_agree(void **state)
{
	(void)state;
	for (size_t l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
		for (uint32_t sf = 4; simd_has(levels[l]) && sf <= 512; sf *= 2)
			for (uint32_t n = 0; n < 6; n++)
				check_chips(utran_chip_kernels(levels[l]), sf, n);
}

static void check_scrambling(const struct utran_chip_kernels *kernels, uint32_t n)
{
	float complex *in = samples_new(8, n + 1), *out = malloc(n * sizeof(*out) + GUARD),
	              *plain = malloc(n * sizeof(*out) + 1);
	float complex *back = malloc(n * sizeof(*out) + GUARD);
	int8_t code[2 * 300];

	utran_scrambling(16, code, n);
	guard_set(out + n);
	kernels->scramble(code, in, out, n);
	guard_check(out + n);
	utran_chips_plain.scramble(code, in, plain, n);
	assert_memory_equal(out, plain, n * sizeof(*out));
	guard_set(back + n);
	kernels->descramble(code, out, back, n);
	guard_check(back + n);
	utran_chips_plain.descramble(code, out, plain, n);
	assert_memory_equal(back, plain, n * sizeof(*out));
	for (uint32_t i = 0; i < n; i++) {
		const double complex chip = (code[2 * i] + I * code[2 * i + 1]) / sqrt(2);

		assert_true(cabs(out[i] - chip * in[i]) < 1e-6);
		assert_true(cabs(back[i] - (double complex)in[i]) < 1e-6);
	}
	free(in);
	free(out);
	free(plain);
	free(back);
}

static void scrambling_levels_agree(void **state)
{
	(void)state;
	for (size_t l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
		for (uint32_t n = 0; simd_has(levels[l]) && n < 300; n += n < 40 ? 1 : 37)
			check_scrambling(utran_chip_kernels(levels[l]), n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ovsf_is_the_recursion),
	    cmocka_unit_test(ovsf_is_orthogonal),
	    cmocka_unit_test(scrambling_is_the_recursion),
	    cmocka_unit_test(scrambling_begins_as_by_hand),
	    cmocka_unit_test(scrambling_codes_are_strangers),
	    cmocka_unit_test(tfci_is_the_table),
	    cmocka_unit_test(tfci_survives_five_errors),
	    cmocka_unit_test(dpch_is_the_tables),
	    cmocka_unit_test(pulses_are_nyquist),
	    cmocka_unit_test(fir_levels_agree),
	    cmocka_unit_test(join_undoes_deal),
	    cmocka_unit_test(chip_levels_agree),
	    cmocka_unit_test(scrambling_levels_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
