/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_conv - the convolutional coder against vectors that others made and against the plain
 * one; the Viterbi decoder: every vector level decides alike, as the double precision one does, and
 * errs as theory says. */
#include "core/kernels/utran_conv.h"
#include "core/kernels/random.h"
#include "core/kernels/utran_viterbi.h"
#include "tests/utran_plain/utran_plain_conv.h"
#include "tests/utran_plain/utran_vectors.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { K_MAX = UTRAN_CONVOLUTIONAL_K_MAX, CODED_MAX = 3 * (K_MAX + 8) };

static const enum utran_conv_rate rates[2] = {UTRAN_CONV_HALF, UTRAN_CONV_THIRD};

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void draw_bits(uint32_t *seed, uint8_t *bits, int32_t *same, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		same[i] = bits[i] = draw(seed) >> 7 & 1;
}

struct viterbi {
	struct utran_viterbi coder;
	struct utran_viterbi_work work;
	uint32_t spoilt;
};

static struct viterbi *viterbi_new(enum utran_conv_rate rate)
{
	struct viterbi *v = aligned_alloc(64, sizeof(*v));

	assert_non_null(v);
	v->spoilt = 0x5a;
	utran_viterbi_init(&v->coder, rate);
	return v;
}

/* Whatever the working memory holds. */
static void viterbi_decode(
    enum simd_level level, struct viterbi *v, const int16_t *soft, uint32_t k, uint8_t *ret_bits)
{
	uint32_t rubbish[sizeof(v->work) / sizeof(uint32_t)] = {0};

	for (size_t i = 0; i < sizeof(rubbish) / sizeof(rubbish[0]); i++)
		rubbish[i] = v->spoilt = v->spoilt * 1664525u + 1013904223u;
	memcpy(&v->work, rubbish, sizeof(rubbish));
	utran_viterbi_decode(utran_viterbi_kernels(level), &v->coder, &v->work, soft, k, ret_bits);
}

/* ---- coder ------------------------------------------------------------------------ */

static void test_vectors(void **state)
{
	static char line[VECTORS_LINE_MAX];
	static uint8_t bits[K_MAX], want[CODED_MAX], got[CODED_MAX];
	static int32_t prbs[K_MAX];
	FILE *file = vectors_open("conv.txt");
	int vectors = 0;

	(void)state;
	plain_prbs15(prbs, K_MAX);
	for (int i = 0; i < K_MAX; i++)
		bits[i] = (uint8_t)prbs[i];
	for (; vectors_line(file, line); vectors++) {
		unsigned outputs, k;
		int at;

		assert_int_equal(sscanf(line, "%u %u %n", &outputs, &k, &at), 2);
		assert_int_equal(
		    utran_conv_coded(rates[outputs - 2], k), vectors_bits(line + at, want));
		utran_conv_encode(rates[outputs - 2], bits, k, got);
		assert_memory_equal(got, want, utran_conv_coded(rates[outputs - 2], k));
	}
	assert_int_equal(vectors, 6);
	fclose(file);
}

static void test_encoder(void **state)
{
	static uint8_t bits[K_MAX], got[CODED_MAX + 1];
	static int32_t in[K_MAX], want[CODED_MAX];
	uint32_t seed = 1;

	(void)state;
	for (int r = 0; r < 2; r++) {
		for (uint32_t k = 1; k <= K_MAX; k++) {
			const uint32_t coded = utran_conv_coded(rates[r], k);

			assert_int_equal(coded, (r + 2) * (k + 8));
			draw_bits(&seed, bits, in, k);
			got[coded] = 77;
			utran_conv_encode(rates[r], bits, k, got);
			plain_conv_encode(r + 2, in, (int)k, want);
			for (uint32_t i = 0; i < coded; i++)
				if (got[i] != want[i])
					fail_msg("rate 1/%d, %u bits: bit %u is %d", r + 2, k, i,
					    got[i]);
			assert_int_equal(got[coded], 77);
		}
	}
}

/* How a TTI was cut is known from the number of its coded bits. */
static void test_blocks(void **state)
{
	struct utran_code_blocks cut, found;
	int answers = 0;

	(void)state;
	for (int r = 0; r < 2; r++) {
		for (uint32_t x = 1; x <= UTRAN_CODE_BLOCKS_MAX * K_MAX; x++) {
			static int32_t in[UTRAN_CODE_BLOCKS_MAX * K_MAX],
			    out[UTRAN_CODE_BLOCKS_MAX * (K_MAX + 1)];
			int blocks, size;

			plain_code_blocks(in, (int)x, K_MAX, 0, &blocks, &size, out);
			assert_int_equal(utran_code_blocks_init(&cut, x, 1, K_MAX), 0);
			assert_int_equal(cut.blocks, blocks);
			assert_int_equal(cut.k, size);
			assert_int_equal(
			    utran_conv_blocks(
			        rates[r], cut.blocks * utran_conv_coded(rates[r], cut.k), &found),
			    0);
			assert_int_equal(found.blocks, cut.blocks);
			assert_int_equal(found.k, cut.k);
			assert_int_equal(found.bits, cut.bits + cut.filler);
			assert_int_equal(found.filler, 0);
		}
		for (uint32_t coded = 0; coded < 20000; coded++)
			answers += utran_conv_blocks(rates[r], coded, &found) == 0;
		assert_int_equal(
		    utran_conv_blocks(rates[r], utran_conv_outputs(rates[r]) * 8, &found), -EINVAL);
		assert_int_equal(
		    utran_conv_blocks(rates[r], utran_conv_outputs(rates[r]) * 513, &found),
		    -EINVAL);
		assert_int_equal(
		    utran_conv_blocks(rates[r], 1 + utran_conv_coded(rates[r], 100), &found),
		    -EINVAL);
	}
	assert_true(answers > 2000);
}

/* ---- decoder: all levels alike ---- */

static void soften(const uint8_t *coded, uint32_t n, int how, uint32_t *seed, int16_t *soft)
{
	for (uint32_t i = 0; i < n; i++) {
		const int noise = (int)(draw(seed) % 64) - 32, level = coded[i] ? -16 : 16;

		switch (how) {
		case 0:
			soft[i] = (int16_t)level;
			break;
		case 1:
			soft[i] = (int16_t)(level + noise);
			break;
		case 2: /* anything, all of 16 bits */
			soft[i] = (int16_t)draw(seed);
			break;
		case 3: /* the largest, at random: metrics go as far apart as they can */
			soft[i] = draw(seed) & 64 ? INT16_MIN : INT16_MAX;
			break;
		case 4:
			soft[i] = (int16_t)(coded[i] ? INT16_MIN : INT16_MAX);
			break;
		default: /* nothing but ties */
			soft[i] = 0;
		}
	}
}

static void check_levels(uint32_t k, int r, int how, uint32_t *seed)
{
	static uint8_t bits[K_MAX], coded[CODED_MAX], want[K_MAX + 64], got[K_MAX + 64];
	static int32_t same[K_MAX];
	static int16_t soft[CODED_MAX + 1];
	struct viterbi *plain = viterbi_new(rates[r]);
	int16_t *unaligned = soft + 1;

	draw_bits(seed, bits, same, k);
	utran_conv_encode(rates[r], bits, k, coded);
	soften(coded, utran_conv_coded(rates[r], k), how, seed, unaligned);
	memset(want, 0x77, sizeof(want));
	viterbi_decode(SIMD_PLAIN, plain, unaligned, k, want);
	if (how == 0 || how == 4)
		assert_memory_equal(want, bits, k);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++) {
		struct viterbi *v;

		if (!simd_has((enum simd_level)level))
			continue;
		v = viterbi_new(rates[r]);
		v->spoilt = (uint32_t)level;
		memset(got, 0x77, sizeof(got));
		viterbi_decode((enum simd_level)level, v, unaligned, k, got);
		if (memcmp(got, want, sizeof(got)) != 0 ||
		    memcmp(v->work.decisions, plain->work.decisions, k * 32) != 0 ||
		    memcmp(v->work.metrics, plain->work.metrics, sizeof(v->work.metrics)) != 0)
			fail_msg("%s: rate 1/%d, %u bits, input %d: not as plain",
			    simd_name((enum simd_level)level), r + 2, k, how);
		free(v);
	}
	free(plain);
}

static void test_levels(void **state)
{
	uint32_t seed = 2;

	(void)state;
	for (int r = 0; r < 2; r++)
		for (int how = 0; how < 6; how++)
			for (uint32_t k = 1; k <= K_MAX; k += k < 70 || k > K_MAX - 8 ? 1 : 23)
				check_levels(k, r, how, &seed);
}

/* Limited soft bits, whatever they are, must not let a metric overtake another by wrapping around:
 * all as in doubles. */
static void check_exact(uint32_t k, int r, int how, uint32_t *seed)
{
	static uint8_t bits[K_MAX], coded[CODED_MAX], got[K_MAX];
	static int32_t same[K_MAX], want[K_MAX];
	static int16_t soft[CODED_MAX];
	static double llr[CODED_MAX];
	struct viterbi *v = viterbi_new(rates[r]);
	const uint32_t n = utran_conv_coded(rates[r], k);
	double sums[2] = {0, 0};

	draw_bits(seed, bits, same, k);
	utran_conv_encode(rates[r], bits, k, coded);
	soften(coded, n, how, seed, soft);
	for (uint32_t i = 0; i < n; i++)
		llr[i] = soft[i] > 511 ? 511 : soft[i] < -511 ? -511 : soft[i];
	plain_viterbi(r + 2, llr, (int)k, want);
	viterbi_decode(simd_best(), v, soft, k, got);
	for (int which = 0; which < 2; which++) { /* two paths may be equally good: then either */
		for (uint32_t i = 0; i < k; i++)
			same[i] = which ? got[i] : want[i];
		static int32_t again[CODED_MAX];
		plain_conv_encode(r + 2, same, (int)k, again);
		for (uint32_t i = 0; i < n; i++)
			sums[which] += again[i] ? -llr[i] : llr[i];
	}
	if (sums[0] != sums[1])
		fail_msg("rate 1/%d, %u bits, input %d: path of %g, best is %g", r + 2, k, how,
		    sums[1], sums[0]);
	free(v);
}

static void test_exact(void **state)
{
	uint32_t seed = 3;

	(void)state;
	for (int r = 0; r < 2; r++)
		for (int how = 1; how < 4; how++)
			for (uint32_t k = 1; k <= K_MAX; k += 1 + k / 4)
				for (int i = 0; i < 3; i++)
					check_exact(k, r, how, &seed);
}

/* ---- decoder: errors as theory says ---- */

enum { WEIGHT_MAX = 40 };

/* Number of information bits in all paths of each weight that leave state 0 once and come back (the
 * code's spectrum): paths are followed step by step, as (state, weight) -> (how many, bits in
 * them). */
static void spectrum(int outputs, double bits_of_weight[WEIGHT_MAX])
{
	static double paths[2][256][WEIGHT_MAX], ones[2][256][WEIGHT_MAX];

	memset(paths, 0, sizeof(paths));
	memset(ones, 0, sizeof(ones));
	memset(bits_of_weight, 0, WEIGHT_MAX * sizeof(*bits_of_weight));
	paths[0][128][outputs] = ones[0][128][outputs] = 1; /* all outputs are 1 on the way out */
	for (int t = 0; t < 200; t++) {
		memset(paths[(t + 1) % 2], 0, sizeof(paths[0]));
		memset(ones[(t + 1) % 2], 0, sizeof(ones[0]));
		for (int s = 1; s < 256; s++) {
			for (int u = 0; u < 2; u++) {
				const int to = u * 128 + s / 2;
				int window[9], weight = 0;

				plain_conv_register(s, u, window);
				for (int n = 0; n < outputs; n++)
					weight += plain_conv_output(outputs, n, window);
				for (int w = 0; w + weight < WEIGHT_MAX; w++) {
					const double p = paths[t % 2][s][w],
					             o = ones[t % 2][s][w] + u * p;
					if (to == 0)
						bits_of_weight[w + weight] += o;
					else {
						paths[(t + 1) % 2][to][w + weight] += p;
						ones[(t + 1) % 2][to][w + weight] += o;
					}
				}
			}
		}
	}
}

/* The spectra in the books: free distance 12 and 18, information bits 33, 281, 2179, 15035 and 11,
 * 32, 195, 564. */
static void test_spectrum(void **state)
{
	static const struct {
		int outputs, weight;
		double bits;
	} known[] = {{2, 12, 33}, {2, 14, 281}, {2, 16, 2179}, {2, 18, 15035}, {3, 18, 11},
	    {3, 20, 32}, {3, 22, 195}, {3, 24, 564}};
	double bits[WEIGHT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		spectrum(known[i].outputs, bits);
		for (int w = 0; w < (known[i].outputs == 2 ? 12 : 18); w++)
			assert_true(bits[w] == 0);
		if (bits[known[i].weight] != known[i].bits)
			fail_msg("rate 1/%d, weight %d: %g information bits, should be %g",
			    known[i].outputs, known[i].weight, bits[known[i].weight],
			    known[i].bits);
	}
}

static double union_bound(int outputs, double ebn0_db)
{
	double bits[WEIGHT_MAX], sum = 0;

	spectrum(outputs, bits);
	for (int w = 0; w < WEIGHT_MAX; w++)
		sum += bits[w] * 0.5 * erfc(sqrt(w * pow(10, ebn0_db / 10) / outputs));
	return sum;
}

struct errors {
	double bits, bit_errors, blocks, block_errors, double_block_errors;
};

/* The zero block is as good as any other, the code being linear; but random ones also try the
 * coder. */
static struct errors measure(int r, uint32_t k, double esn0_db, int blocks, bool doubles)
{
	static uint8_t bits[K_MAX], coded[CODED_MAX], got[K_MAX];
	static int16_t soft[CODED_MAX];
	static double llr[CODED_MAX];
	static float noise[CODED_MAX];
	static int32_t want[K_MAX];
	const uint32_t n = utran_conv_coded(rates[r], k);
	const double sigma = sqrt(0.5 * pow(10, -esn0_db / 10));
	struct viterbi *v = viterbi_new(rates[r]);
	struct errors e = {0};

	for (int b = 0; b < blocks; b++) {
		double wrong = 0, double_wrong = 0;

		random_bits(5, (uint64_t)b, bits, k);
		random_gauss(6, (uint64_t)b, noise, n);
		utran_conv_encode(rates[r], bits, k, coded);
		for (uint32_t i = 0; i < n; i++) {
			llr[i] = (coded[i] ? -1 : 1) + sigma * (double)noise[i];
			soft[i] = (int16_t)lrint(16 * llr[i]);
		}
		viterbi_decode(simd_best(), v, soft, k, got);
		if (doubles)
			plain_viterbi(r + 2, llr, (int)k, want);
		for (uint32_t i = 0; i < k; i++) {
			wrong += got[i] != bits[i];
			double_wrong += doubles && want[i] != bits[i];
		}
		e.bits += k;
		e.bit_errors += wrong;
		e.blocks++;
		e.block_errors += wrong > 0;
		e.double_block_errors += double_wrong > 0;
	}
	free(v);
	return e;
}

/* Not more than the union bound, which is nearly reached where errors are rare; the tail costs
 * rate, not distance. */
static void test_union_bound(void **state)
{
	static const struct {
		int r;
		double ebn0_db;
	} points[] = {{0, 3.0}, {0, 3.3}, {1, 2.6}, {1, 3.0}};

	(void)state;
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		const int outputs = points[i].r + 2;
		const double bound = union_bound(outputs, points[i].ebn0_db);
		const struct errors e =
		    measure(points[i].r, 504, points[i].ebn0_db - 10 * log10(outputs),
		        (int)(1000 / (504 * bound)) + 1, false);
		const double ber = e.bit_errors / e.bits;

		print_message("rate 1/%d, Eb/N0 %.1f dB: BER %.3g in %.0f bits, union bound %.3g\n",
		    outputs, points[i].ebn0_db, ber, e.bits, bound);
		assert_true(ber < 1.1 * bound);
		assert_true(ber > (i % 2 ? 0.5 : 0.3) * bound);
	}
}

/* Soft bits of 16 to the unit cost next to nothing against double precision: on the same noise,
 * about the same blocks. */
static void test_quantisation(void **state)
{
	(void)state;
	for (int r = 0; r < 2; r++) {
		const struct errors e = measure(r, 112, r ? -3.6 : -1.8, 600, true);

		print_message(
		    "rate 1/%d, 112 bits: %.0f of %.0f blocks wrong, in double precision %.0f\n",
		    r + 2, e.block_errors, e.blocks, e.double_block_errors);
		assert_true(e.double_block_errors > 20);
		assert_true(fabs(e.block_errors - e.double_block_errors) <=
		    3 + 0.05 * e.double_block_errors);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_vectors),
	    cmocka_unit_test(test_encoder),
	    cmocka_unit_test(test_blocks),
	    cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_exact),
	    cmocka_unit_test(test_spectrum),
	    cmocka_unit_test(test_union_bound),
	    cmocka_unit_test(test_quantisation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
