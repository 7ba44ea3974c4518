/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_decoder - the turbo decoder: exact, robust, and as good as max-log decoding is known to be.
 *
 * The error rates to expect are measurements of three independent decoders (K = 3856, AWGN, antipodal bits): max-log, 2
 * iterations, 9120 of the 11580 coded bits sent, reaches a block error rate of 0.1 at Eb/N0 = 2.12 dB and of 0.01 at
 * 2.43 dB, Eb per bit at the coder's input. Soft bits are quantised as the demapper does it: round(16 y). */
#include "core/kernels/utran_rate.h"
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder.h"
#include "tests/utran_plain/utran_plain_decoder.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { CODED_MAX = 3 * UTRAN_TURBO_K_MAX + 12 };

/* One block on its way: everything a measurement needs. */
struct link {
	uint32_t k, coded, sent;
	uint16_t pi[UTRAN_TURBO_K_MAX];
	uint32_t table[CODED_MAX];
	uint8_t bits[UTRAN_TURBO_K_MAX], decided[UTRAN_TURBO_K_MAX];
	uint8_t codeword[CODED_MAX], matched[CODED_MAX];
	int16_t received[CODED_MAX], llr[CODED_MAX];
	struct utran_turbo_decoder decoder;
	void *memory;
	uint64_t random[4];
};

static uint64_t rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

/* xoshiro256++ */
static uint64_t draw(struct link *l)
{
	uint64_t *s = l->random;
	const uint64_t result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

static void gauss_pair(struct link *l, double *g)
{
	double u, v, q;

	do {
		u = (double)(int64_t)draw(l) * 0x1p-63;
		v = (double)(int64_t)draw(l) * 0x1p-63;
		q = u * u + v * v;
	} while (q >= 1 || q == 0);
	q = sqrt(-2 * log(q) / q);
	g[0] = u * q;
	g[1] = v * q;
}

static struct link *link_new(uint32_t k, uint32_t sent)
{
	struct link *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	l->k = k;
	l->coded = utran_turbo_coded(k);
	l->sent = sent;
	for (int i = 0; i < 4; i++)
		l->random[i] = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1) + k;
	assert_int_equal(utran_turbo_interleaver(k, l->pi), 0);
	assert_int_equal(utran_rate_table(l->coded, sent, UTRAN_TURBO, l->table), 0);
	l->memory = aligned_alloc(64, (utran_turbo_decoder_size(k) + 63) / 64 * 64);
	assert_non_null(l->memory);
	assert_int_equal(utran_turbo_decoder_init(&l->decoder, k, l->memory), 0);
	return l;
}

static void link_free(struct link *l)
{
	free(l->memory);
	free(l);
}

/* Random bits, coded and punctured, as +-scale with noise of `sigma` per unit amplitude. */
static void link_send(struct link *l, double sigma, double scale)
{
	double noise[2] = {0, 0};

	for (uint32_t i = 0; i < l->k; i++)
		l->bits[i] = draw(l) >> 63;
	utran_turbo_encode_plain(l->pi, l->k, l->bits, l->codeword);
	utran_rate_match_plain(l->table, l->sent, l->codeword, l->matched);
	for (uint32_t i = 0; i < l->sent; i++) {
		double y = l->matched[i] ? -1 : 1;
		if (sigma > 0 && i % 2 == 0)
			gauss_pair(l, noise);
		y = rint(scale * (y + sigma * noise[i % 2]));
		l->received[i] = (int16_t)(y > INT16_MAX ? INT16_MAX : y < INT16_MIN ? INT16_MIN : y);
	}
	utran_rate_dematch_plain(l->table, l->sent, l->received, l->llr, l->coded);
}

static int link_decode(struct link *l, unsigned iterations)
{
	memset(l->decided, 7, l->k);
	utran_turbo_decode_plain(&l->decoder, iterations, l->llr, l->decided);
	return memcmp(l->bits, l->decided, l->k) == 0;
}

static double link_sigma(const struct link *l, double ebn0_db)
{
	return sqrt(0.5 * l->sent / l->k * pow(10, -ebn0_db / 10));
}

static int link_errors(struct link *l, double ebn0_db, unsigned iterations, double scale, int blocks)
{
	int errors = 0;

	for (int b = 0; b < blocks; b++) {
		link_send(l, link_sigma(l, ebn0_db), scale);
		errors += !link_decode(l, iterations);
	}
	print_message("K %u, %u sent, %.2f dB, %u iterations, scale %g: %d of %d blocks wrong (%.4f)\n", l->k, l->sent,
		      ebn0_db, iterations, scale, errors, blocks, (double)errors / blocks);
	return errors;
}

static void test_sizes(void **state)
{
	struct utran_turbo_decoder decoder;
	static _Alignas(64) uint8_t memory[64];

	(void)state;
	assert_int_equal(utran_turbo_decoder_size(39), 0);
	assert_int_equal(utran_turbo_decoder_size(5115), 0);
	assert_true(utran_turbo_decoder_size(40) > 0);
	assert_int_equal(utran_turbo_decoder_init(&decoder, 39, memory), -EINVAL);
	assert_int_equal(utran_turbo_decoder_init(&decoder, 5115, memory), -EINVAL);
}

/* Without noise every block decodes in one iteration: whole, and with a fifth of the bits punctured. */
static void test_loopback(void **state)
{
	(void)state;
	for (uint32_t k = UTRAN_TURBO_K_MIN; k <= UTRAN_TURBO_K_MAX; k += k < 600 ? 1 : 31) {
		const uint32_t coded = utran_turbo_coded(k);
		for (int punctured = 0; punctured < 2; punctured++) {
			struct link *l = link_new(k, punctured ? coded - coded / 5 : coded);
			link_send(l, 0, 16);
			if (!link_decode(l, 1))
				fail_msg("K = %u, %u of %u bits sent: wrong without noise", k, l->sent, coded);
			link_free(l);
		}
	}
}

static void test_loopback_ends(void **state)
{
	static const uint32_t ks[] = {40,  159,  160,  200,  201,  480,  481,  530,
				      531, 2281, 2480, 3161, 3210, 3856, 5113, 5114};

	(void)state;
	for (size_t i = 0; i < sizeof(ks) / sizeof(ks[0]); i++) {
		struct link *l = link_new(ks[i], utran_turbo_coded(ks[i]));
		for (int block = 0; block < 4; block++) {
			link_send(l, 0, 16);
			assert_true(link_decode(l, 1));
		}
		link_free(l);
	}
}

/* The whole range of int16_t comes in: nothing may wrap. */
static void test_extreme_values(void **state)
{
	static const double scales[] = {1, 511, 512, 4000, 32767, 40000};
	struct link *l = link_new(3856, 9120);

	(void)state;
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		link_send(l, 0, scales[i]);
		assert_true(link_decode(l, 1));
		assert_true(link_decode(l, 8));
		assert_true(link_decode(l, 32));
	}
	link_free(l);
}

/* Nothing stays from one block to the next. */
static void test_no_memory(void **state)
{
	struct link *l = link_new(3856, 9120);
	uint8_t first[3856];
	int16_t llr[11580];

	(void)state;
	link_send(l, link_sigma(l, 1.0), 16);
	link_decode(l, 2);
	memcpy(first, l->decided, sizeof(first));
	memcpy(llr, l->llr, sizeof(llr));
	link_send(l, link_sigma(l, 0.0), 300);
	link_decode(l, 5);
	memcpy(l->llr, llr, sizeof(llr));
	link_decode(l, 2);
	assert_memory_equal(l->decided, first, sizeof(first));
	link_free(l);
}

/* The same decisions, right or wrong, as the textbook decoder without any bound on its metrics. */
static void check_exact(uint32_t k, double ebn0_db, unsigned iterations, double scale)
{
	struct link *l = link_new(k, utran_turbo_coded(k) - k / 2);
	static int32_t llr[CODED_MAX], want[UTRAN_TURBO_K_MAX];

	for (int block = 0; block < 3; block++) {
		link_send(l, link_sigma(l, ebn0_db), scale);
		for (uint32_t i = 0; i < l->coded; i++)
			llr[i] = l->llr[i] > UTRAN_LLR_MAX    ? UTRAN_LLR_MAX
				 : l->llr[i] < -UTRAN_LLR_MAX ? -UTRAN_LLR_MAX
							      : l->llr[i];
		plain_turbo_decode(llr, (int)k, (int)iterations, UTRAN_EXTRINSIC_MAX, want);
		link_decode(l, iterations);
		for (uint32_t i = 0; i < k; i++)
			if (l->decided[i] != want[i])
				fail_msg("K = %u, %.1f dB, %u iterations, scale %g: bit %u", k, ebn0_db, iterations,
					 scale, i);
	}
	link_free(l);
}

static void test_exact(void **state)
{
	static const double scales[] = {2, 16, 100, 511, 5000, 32767};

	(void)state;
	for (size_t s = 0; s < sizeof(scales) / sizeof(scales[0]); s++) {
		for (int step = -2; step <= 2; step++) {
			check_exact(40, 1.5 * step, 1, scales[s]);
			check_exact(41, 1.5 * step, 8, scales[s]);
			check_exact(531, 1.5 * step, 3, scales[s]);
			check_exact(3856, 1.5 * step, 2, scales[s]);
		}
	}
	check_exact(5114, 0.5, 6, 16);
}

/* The zero codeword at full scale with 5 to 50 % of its bits inverted: metrics and extrinsic values as large as they get,
 * and held to their limits wherever the textbook's are. */
static void test_exact_full_scale(void **state)
{
	struct link *l = link_new(1000, 3012);
	static int32_t llr[CODED_MAX], want[UTRAN_TURBO_K_MAX];

	(void)state;
	for (unsigned block = 0; block < 90; block++) {
		const unsigned share = 5 + block / 2, iterations = 1 + block % 8;
		for (uint32_t i = 0; i < l->coded; i++) {
			llr[i] = draw(l) % 100 < share ? -UTRAN_LLR_MAX : UTRAN_LLR_MAX;
			l->llr[i] = llr[i] > 0 ? INT16_MAX : INT16_MIN;
		}
		plain_turbo_decode(llr, 1000, (int)iterations, UTRAN_EXTRINSIC_MAX, want);
		link_decode(l, iterations);
		for (uint32_t i = 0; i < 1000; i++)
			if (l->decided[i] != want[i])
				fail_msg("%u %% inverted, %u iterations: bit %u", share, iterations, i);
	}
	link_free(l);
}

/* Number of errors that `blocks` blocks of error rate `rate` have, and three standard deviations of it. */
static void assert_rate_above(int errors, int blocks, double rate)
{
	assert_true(errors > rate * blocks + 3 * sqrt(rate * (1 - rate) * blocks));
}

static void assert_rate_below(int errors, int blocks, double rate)
{
	assert_true(errors < rate * blocks - 3 * sqrt(rate * (1 - rate) * blocks));
}

/* Configuration B within 0.15 dB of the curve, at both of its marks. */
static void test_error_rate(void **state)
{
	struct link *l = link_new(3856, 9120);

	(void)state;
	assert_rate_above(link_errors(l, 2.12 - 0.15, 2, 16, 2000), 2000, 0.1);
	assert_rate_below(link_errors(l, 2.12 + 0.15, 2, 16, 2000), 2000, 0.1);
	assert_rate_above(link_errors(l, 2.43 - 0.15, 2, 16, 4000), 4000, 0.01);
	assert_rate_below(link_errors(l, 2.43 + 0.15, 2, 16, 6000), 6000, 0.01);
	link_free(l);
}

/* Single points of the unpunctured code: 0.16 to 0.19, and 0.09 to 0.11 at 8 iterations, with room for chance. */
static void test_error_rate_unpunctured(void **state)
{
	struct link *l = link_new(3856, 11580);
	int errors = link_errors(l, 1.8, 2, 16, 1000);

	(void)state;
	assert_in_range(errors, 125, 225);
	errors = link_errors(l, 0.7, 8, 16, 500);
	assert_in_range(errors, 25, 80);
	link_free(l);
}

/* Large soft bits and many iterations, where plain 16-bit adds wrap around and lose nearly every block. */
static void test_large_scale(void **state)
{
	struct link *l = link_new(3856, 11580);

	(void)state;
	assert_int_equal(link_errors(l, 2.0, 8, 100, 64), 0);
	assert_int_equal(link_errors(l, 2.0, 8, 400, 64), 0);
	link_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sizes),
	    cmocka_unit_test(test_loopback),
	    cmocka_unit_test(test_loopback_ends),
	    cmocka_unit_test(test_extreme_values),
	    cmocka_unit_test(test_no_memory),
	    cmocka_unit_test(test_exact),
	    cmocka_unit_test(test_exact_full_scale),
	    cmocka_unit_test(test_error_rate),
	    cmocka_unit_test(test_error_rate_unpunctured),
	    cmocka_unit_test(test_large_scale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
