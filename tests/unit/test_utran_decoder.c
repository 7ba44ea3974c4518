/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_decoder - the turbo decoder: exact where the trellis is walked in one piece, the same
 * bits on every level, robust, and as good as max-log decoding is known to be.
 *
 * The error rates to expect are measurements of three independent decoders (K = 3856, AWGN,
 * antipodal bits): max-log, 2 iterations, 9120 of the 11580 coded bits sent, reaches a block error
 * rate of 0.1 at Eb/N0 = 2.12 dB and of 0.01 at 2.43 dB, Eb per bit at the coder's input. Soft bits
 * are quantised as the demapper does it: round(16 y). All windows decode the same noise, so that
 * what windows cost is the difference of two counts and not of two chances. */
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder.h"
#include "tests/utran_plain/utran_plain_decoder.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Decoders of a link: one for each level, and one that walks the trellis in one piece. */
enum { WHOLE = SIMD_LEVELS, DECODERS };

enum { CODED_MAX = 3 * UTRAN_TURBO_K_MAX + 12, GUARD = 64 };

/* One block on its way: everything a measurement needs. */
struct link {
	uint32_t k, coded, sent;
	uint16_t pi[UTRAN_TURBO_K_MAX];
	int32_t numbers[CODED_MAX], table[CODED_MAX]; /* which coded bit is sent */
	uint8_t bits[UTRAN_TURBO_K_MAX], decided[UTRAN_TURBO_K_MAX + GUARD];
	uint8_t codeword[CODED_MAX];
	int16_t llr[CODED_MAX];
	struct utran_turbo_decoder decoders[DECODERS];
	uint8_t *tables[DECODERS];
	uint8_t *work;    /* of all decoders, spoilt before each block with */
	uint8_t *rubbish; /* from another place each time */
	size_t size, work_size, spoilt;
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

/* The next level that this machine has; SIMD_LEVELS at the end. */
static int next_level(int level)
{
	do
		level++;
	while (level < SIMD_LEVELS && !simd_has((enum simd_level)level));
	return level;
}

/* Memory with a guard behind it, full of what nobody may count on. */
static uint8_t *guarded_new(size_t size)
{
	uint8_t *memory = aligned_alloc(64, (size + GUARD + 63) / 64 * 64);

	assert_non_null(memory);
	memset(memory, 0xa5, size + GUARD);
	return memory;
}

static void guarded_free(uint8_t *memory, size_t size)
{
	for (size_t i = size; i < size + GUARD; i++)
		assert_int_equal(memory[i], 0xa5);
	free(memory);
}

static void link_start(struct link *l, uint32_t metrics, int decoder, uint32_t scaling)
{
	const struct utran_turbo_decoder_plan plan = {l->k, metrics, decoder == WHOLE, scaling};
	const enum simd_level level = decoder == WHOLE ? SIMD_PLAIN : (enum simd_level)decoder;

	l->tables[decoder] = guarded_new(l->size);
	assert_int_equal(utran_turbo_decoder_init(
	                     &l->decoders[decoder], level, &plan, l->tables[decoder], l->work),
	    0);
}

static struct link *link_new(uint32_t metrics, uint32_t k, uint32_t sent, double scaling)
{
	struct link *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	l->k = k;
	l->coded = utran_turbo_coded(k);
	l->sent = sent;
	l->size = utran_turbo_decoder_size(k);
	l->work_size = utran_turbo_decoder_work_size(k);
	l->work = guarded_new(l->work_size);
	l->rubbish = guarded_new(l->work_size);
	for (int i = 0; i < 4; i++)
		l->random[i] = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1) + k;
	for (size_t i = 0; i < l->work_size; i++)
		l->rubbish[i] = (uint8_t)((uint32_t)i * 2654435761u >> 23);
	assert_int_equal(utran_turbo_interleaver(k, l->pi), 0);
	for (uint32_t i = 0; i < l->coded; i++)
		l->numbers[i] = (int32_t)i;
	assert_int_equal(
	    plain_rate_match(l->numbers, (int)l->coded, (int)sent - (int)l->coded, 1, l->table),
	    sent);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level))
		link_start(l, metrics, level, (uint32_t)lrint(scaling * UTRAN_SCALING_ONE));
	link_start(l, metrics, WHOLE, (uint32_t)lrint(scaling * UTRAN_SCALING_ONE));
	return l;
}

static void link_free(struct link *l)
{
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level))
		guarded_free(l->tables[level], l->size);
	guarded_free(l->tables[WHOLE], l->size);
	guarded_free(l->work, l->work_size);
	guarded_free(l->rubbish, l->work_size);
	free(l);
}

/* Random bits, coded and punctured, as +-scale with noise of `sigma` per unit amplitude. */
static void link_send(struct link *l, double sigma, double scale)
{
	double noise[2] = {0, 0};

	for (uint32_t i = 0; i < l->k; i++)
		l->bits[i] = draw(l) >> 63;
	utran_turbo_encode_plain(l->pi, l->k, l->bits, l->codeword);
	memset(l->llr, 0, sizeof(l->llr));
	for (uint32_t i = 0; i < l->sent; i++) {
		double y = l->codeword[l->table[i]] ? -1 : 1;
		if (sigma > 0 && i % 2 == 0)
			gauss_pair(l, noise);
		y = rint(scale * (y + sigma * noise[i % 2]));
		l->llr[l->table[i]] = (int16_t)(y > INT16_MAX ? INT16_MAX
		        : y < INT16_MIN                       ? INT16_MIN
		                                              : y);
	}
}

static int link_decode(struct link *l, int decoder, unsigned iterations)
{
	memset(l->decided, 7, l->k + GUARD);
	l->spoilt = (l->spoilt + 37) % GUARD;
	memcpy(l->work, l->rubbish + l->spoilt, l->work_size);
	utran_turbo_decode(&l->decoders[decoder], iterations, l->llr, l->decided);
	for (uint32_t i = l->k; i < l->k + GUARD; i++)
		assert_int_equal(l->decided[i], 7);
	return memcmp(l->bits, l->decided, l->k) == 0;
}

static double link_sigma(const struct link *l, double ebn0_db)
{
	return sqrt(0.5 * l->sent / l->k * pow(10, -ebn0_db / 10));
}

/* Decodes with every level's decoder: all give the same bits, right or wrong. */
static int link_decode_all(struct link *l, unsigned iterations)
{
	uint8_t plain[UTRAN_TURBO_K_MAX];
	int right = link_decode(l, SIMD_PLAIN, iterations);

	memcpy(plain, l->decided, l->k);
	for (int level = next_level(SIMD_PLAIN); level < SIMD_LEVELS; level = next_level(level)) {
		link_decode(l, level, iterations);
		if (memcmp(l->decided, plain, l->k) != 0)
			fail_msg("%u bits, K %u, %u windows, %u iterations: %s has other bits than "
			         "plain C",
			    l->decoders[level].kernels->metrics, l->k, l->decoders[level].windows,
			    iterations, simd_name((enum simd_level)level));
	}
	return right;
}

/* Blocks in error. */
struct errors {
	int windows; /* cut into windows, as by default: on every level */
	int whole;   /* decoded in one piece, if that was asked for */
	int apart;   /* right one way and wrong the other */
};

static struct errors link_errors_of(
    struct link *l, double ebn0_db, unsigned iterations, double scale, int blocks, bool whole)
{
	const struct utran_turbo_decoder *d = &l->decoders[SIMD_PLAIN];
	struct errors errors = {0};

	for (int b = 0; b < blocks; b++) {
		int windows, one;
		link_send(l, link_sigma(l, ebn0_db), scale);
		windows = !link_decode_all(l, iterations);
		one = whole ? !link_decode(l, WHOLE, iterations) : windows;
		errors.windows += windows;
		errors.whole += one;
		errors.apart += windows != one;
	}
	print_message("%u bits, K %u, %u sent, %.2f dB, %u iterations, scaling %g, scale %g: %d of "
	              "%d blocks wrong",
	    d->kernels->metrics, l->k, l->sent, ebn0_db, iterations,
	    d->scaling / (double)UTRAN_SCALING_ONE, scale, errors.windows, blocks);
	if (whole)
		print_message(", in one piece %d", errors.whole);
	print_message("\n");
	return errors;
}

static int link_errors(
    struct link *l, double ebn0_db, unsigned iterations, double scale, int blocks)
{
	return link_errors_of(l, ebn0_db, iterations, scale, blocks, false).windows;
}

/* Tests are run with metrics of 16 and of 8 bits: `state` says which. */
static uint32_t metrics_of(void **state)
{
	return *(const uint32_t *)*state;
}

static int init_result(uint32_t k, uint32_t metrics, uint32_t scaling)
{
	const struct utran_turbo_decoder_plan plan = {k, metrics, 0, scaling};
	static _Alignas(64) uint8_t memory[64];
	struct utran_turbo_decoder decoder;

	return utran_turbo_decoder_init(&decoder, SIMD_PLAIN, &plan, memory, memory);
}

static void test_sizes(void **state)
{
	(void)state;
	assert_int_equal(utran_turbo_decoder_size(39), 0);
	assert_int_equal(utran_turbo_decoder_size(5115), 0);
	assert_int_equal(utran_turbo_decoder_work_size(39), 0);
	assert_int_equal(utran_turbo_decoder_work_size(5115), 0);
	for (uint32_t k = 40; k <= 5114; k++) {
		assert_true(
		    utran_turbo_decoder_size(k) > 0 && utran_turbo_decoder_size(k) % 64 == 0);
		assert_true(utran_turbo_decoder_work_size(k) > 0 &&
		    utran_turbo_decoder_work_size(k) % 64 == 0);
	}
	assert_int_equal(init_result(39, 16, UTRAN_SCALING_ONE), -EINVAL);
	assert_int_equal(init_result(5115, 16, UTRAN_SCALING_ONE), -EINVAL);
	assert_int_equal(init_result(40, 16, 0), -EINVAL);
	assert_int_equal(init_result(40, 16, UTRAN_SCALING_ONE + 1), -EINVAL);
	assert_int_equal(init_result(40, 12, UTRAN_SCALING_ONE), -EINVAL);
}

static bool cut_in(uint32_t windows, uint32_t k)
{
	const uint32_t steps = (k + windows - 1) / windows;

	return k >= windows * (windows == 64 ? 40 : windows) && k > (windows - 1) * steps;
}

/* The windows that the header promises for each size, and that no level has a say in them. */
static void test_windows_fit(void **state)
{
	static const uint32_t most[] = {0, 1, 7, 8, 9, 16, 31, 32, 64, 100};
	const uint32_t metrics = metrics_of(state);

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		for (uint32_t k = 40; k <= 5114; k++) {
			uint32_t want = metrics == 16 ? 32 : 64;
			while (want > 1 &&
			    (want > (most[i] ? most[i] : 256 / metrics) || !cut_in(want, k)))
				want = want > 128 / metrics ? want / 2 : 1;
			assert_int_equal(utran_turbo_decoder_windows(metrics, most[i], k), want);
		}
	}
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level)) {
		for (uint32_t windows = 128 / metrics; windows <= 512 / metrics; windows *= 2) {
			const struct utran_turbo_decoder_kernels *kernels =
			    utran_turbo_decoder_kernels((enum simd_level)level, metrics, windows);
			assert_int_equal(kernels->metrics, metrics);
			assert_int_equal(windows % kernels->lanes, 0);
		}
	}
	assert_int_equal(utran_turbo_decoder_windows(metrics, 0, 3856), 256 / metrics);
}

/* Without noise every block decodes in one iteration: whole, and with a fifth of the bits
 * punctured. */
static void test_loopback(void **state)
{
	for (uint32_t k = UTRAN_TURBO_K_MIN; k <= UTRAN_TURBO_K_MAX;
	     k += k < 600 || k % 1024 < 64 ? 1 : 31) {
		const uint32_t coded = utran_turbo_coded(k);
		struct link *l =
		    link_new(metrics_of(state), k, k % 2 ? coded - coded / 5 : coded, 1);
		link_send(l, 0, 16);
		if (!link_decode_all(l, 1) || !link_decode(l, WHOLE, 1))
			fail_msg(
			    "K = %u, %u of %u bits sent: wrong without noise", k, l->sent, coded);
		link_free(l);
	}
}

static const uint32_t ends[] = {40, 63, 64, 65, 71, 159, 160, 200, 201, 255, 256, 257, 271, 480,
    481, 530, 531, 1023, 1024, 1025, 1055, 2281, 2480, 2559, 2560, 2561, 3161, 3210, 3844, 3856,
    4096, 4097, 5088, 5113, 5114};

static void test_loopback_ends(void **state)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct link *l =
		    link_new(metrics_of(state), ends[i], utran_turbo_coded(ends[i]), 0.75);
		for (int block = 0; block < 4; block++) {
			link_send(l, 0, 16);
			assert_true(link_decode_all(l, 1));
			assert_true(link_decode(l, WHOLE, 1));
		}
		link_free(l);
	}
}

/* Noise that the code masters: all bits right, after any number of iterations, and with most of the
 * parity punctured, where only long warm-ups know enough. */
static void test_light_noise(void **state)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const uint32_t coded = utran_turbo_coded(ends[i]),
		               sents[] = {coded, coded - ends[i] * 17 / 10};
		for (int s = 0; s < 2; s++) {
			struct link *l = link_new(metrics_of(state), ends[i], sents[s], 0.875);
			for (unsigned iterations = 2; iterations <= 8; iterations += 3) {
				link_send(l, link_sigma(l, s ? 10 : 7), 16);
				if (!link_decode_all(l, iterations) ||
				    !link_decode(l, WHOLE, iterations))
					fail_msg("K = %u, %u sent, %u iterations", l->k, l->sent,
					    iterations);
			}
			link_free(l);
		}
	}
}

/* A decoder of the same plan on another level, or with another number of windows, in memory of its
 * own. */
struct twin {
	struct utran_turbo_decoder decoder;
	uint8_t *tables, *work;
};

static void twin_start(
    struct twin *twin, const struct link *l, int level, uint32_t metrics, uint32_t windows)
{
	const struct utran_turbo_decoder_plan plan = {
	    l->k, metrics, windows, l->decoders[0].scaling};

	twin->tables = guarded_new(l->size);
	twin->work = guarded_new(l->work_size);
	assert_int_equal(utran_turbo_decoder_init(&twin->decoder, (enum simd_level)level, &plan,
	                     twin->tables, twin->work),
	    0);
	twin->decoder.kernels->start(&twin->decoder, l->llr);
}

static void twin_free(struct twin *twin, const struct link *l)
{
	guarded_free(twin->tables, l->size);
	guarded_free(twin->work, l->work_size);
}

/* Bits asked for between the iterations are those of a run that ends there, and asking changes
 * nothing. */
static void test_steps(void **state)
{
	const uint32_t metrics = metrics_of(state);
	struct link *l = link_new(metrics, 3856, 9120, 0.75);
	uint8_t step[UTRAN_TURBO_K_MAX];

	link_send(l, link_sigma(l, 1.2), 16);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level)) {
		struct twin twin;
		twin_start(&twin, l, level, metrics, 0);
		for (unsigned i = 1; i <= 6; i++) {
			twin.decoder.kernels->iterate(&twin.decoder, i < 6, step);
			link_decode(l, level, i);
			assert_memory_equal(step, l->decided, l->k);
		}
		twin_free(&twin, l);
	}
	link_free(l);
}

/* What one pass hands to the other for each bit of the block, as numbers. */
static void soft_read(const struct utran_turbo_decoder *d, const void *values, int *soft)
{
	for (uint32_t i = 0; i < d->k; i++) {
		const uint32_t at = i % d->steps * d->windows + i / d->steps;
		soft[i] = d->kernels->metrics == 8 ? ((const int8_t *)values)[at]
		                                   : ((const int16_t *)values)[at];
	}
}

/* Eight iterations on every level beside plain C: decisions and soft values after each are the
 * same. Gives how many of the decisions were wrong at the end. */
static uint32_t check_levels(struct link *l, uint32_t metrics, uint32_t windows)
{
	static int soft[2][2][UTRAN_TURBO_K_MAX];
	uint8_t bits[2][UTRAN_TURBO_K_MAX];
	uint32_t wrong = 0;

	for (int level = next_level(SIMD_PLAIN); level < SIMD_LEVELS; level = next_level(level)) {
		struct twin twins[2];
		twin_start(&twins[0], l, SIMD_PLAIN, metrics, windows);
		twin_start(&twins[1], l, level, metrics, windows);
		for (int i = 1; i <= 8; i++) {
			for (int t = 0; t < 2; t++) {
				struct utran_turbo_decoder *d = &twins[t].decoder;
				d->kernels->iterate(d, true, bits[t]);
				soft_read(d, d->x[0], soft[t][0]);
				soft_read(d, d->x[1], soft[t][1]);
			}
			if (memcmp(bits[0], bits[1], l->k) != 0 ||
			    memcmp(soft[0][0], soft[1][0], l->k * sizeof(int)) != 0 ||
			    memcmp(soft[0][1], soft[1][1], l->k * sizeof(int)) != 0)
				fail_msg("%u bits, K %u, at most %u windows, %u sent, iteration "
				         "%d: %s differs from plain C",
				    metrics, l->k, windows, l->sent, i,
				    simd_name((enum simd_level)level));
		}
		wrong = 0;
		for (uint32_t i = 0; i < l->k; i++)
			wrong += bits[1][i] != l->bits[i];
		twin_free(&twins[0], l);
		twin_free(&twins[1], l);
	}
	return wrong;
}

/* Every level gives the same bits and the same soft values after every iteration, whatever the
 * windows are, where noise leaves most blocks wrong: of all kinds of K, with all parity and with
 * most of it punctured, with small and with large soft bits. */
static void test_levels(void **state)
{
	static const uint32_t windows[] = {0, 1, 8, 16, 32, 64};
	const uint32_t metrics = metrics_of(state);
	unsigned blocks = 0, wrong = 0;

	if (next_level(SIMD_PLAIN) == SIMD_LEVELS)
		skip();
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const uint32_t coded = utran_turbo_coded(ends[i]),
		               sents[] = {coded, coded - ends[i] * 17 / 10};
		for (int s = 0; s < 2; s++) {
			struct link *l = link_new(metrics, ends[i], sents[s], s ? 0.875 : 0.75);
			for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]);
			     w++, blocks++) {
				link_send(l, link_sigma(l, s ? 1.5 : -1), w % 2 ? 16 : 60);
				wrong += check_levels(l, metrics, windows[w]) > 0;
			}
			link_free(l);
		}
	}
	print_message("%u of %u blocks wrong, the same way on every level\n", wrong, blocks);
	assert_true(wrong > blocks * 3 / 4);
}

/* The whole range of int16_t comes in: nothing may wrap. */
static void test_extreme_values(void **state)
{
	static const double scales[] = {1, 511, 512, 4000, 32767, 40000};
	struct link *l = link_new(metrics_of(state), 3856, 9120, 1);

	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		link_send(l, 0, scales[i]);
		for (unsigned iterations = 1; iterations <= 32; iterations *= 4) {
			assert_true(link_decode_all(l, iterations));
			assert_true(link_decode(l, WHOLE, iterations));
		}
	}
	link_free(l);
}

/* No codeword at all: bits come out, the same ones again, and nothing beside them is touched. */
static void test_garbage(void **state)
{
	static const uint16_t values[] = {0x7fff, 0x8000, 0x8001, 0, 1, 0xffff, 511, 512};
	static uint8_t first[UTRAN_TURBO_K_MAX];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct link *l = link_new(
		    metrics_of(state), ends[i], utran_turbo_coded(ends[i]), i % 2 ? 1 : 0.7);
		for (int kind = 0; kind < 4; kind++) {
			for (uint32_t j = 0; j < l->coded; j++)
				l->llr[j] = (int16_t)(kind == 0 ? draw(l) >> 48
				        : kind == 1             ? values[draw(l) >> 61]
				        : kind == 2             ? 0x8000
				                                : 0);
			for (int whole = 0; whole < 2; whole++) {
				const int decoder = whole ? WHOLE : SIMD_PLAIN;
				link_decode_all(l, 3);
				link_decode(l, decoder, 3);
				memcpy(first, l->decided, l->k);
				for (uint32_t j = 0; j < l->k; j++)
					assert_true(l->decided[j] <= 1);
				link_decode(l, decoder, 3);
				assert_memory_equal(first, l->decided, l->k);
			}
		}
		link_free(l);
	}
}

/* Nothing stays from one block to the next, and what the working memory holds before a block does
 * not matter. */
static void test_no_memory(void **state)
{
	struct link *l = link_new(metrics_of(state), 3856, 9120, 1);
	uint8_t first[3856];
	int16_t llr[11580], other[11580];

	link_send(l, link_sigma(l, 0.0), 300);
	memcpy(other, l->llr, sizeof(other));
	link_send(l, link_sigma(l, 1.0), 16);
	memcpy(llr, l->llr, sizeof(llr));
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level = next_level(level)) {
		memcpy(l->llr, llr, sizeof(llr));
		link_decode(l, level, 2);
		memcpy(first, l->decided, sizeof(first));
		memcpy(l->llr, other, sizeof(llr));
		link_decode(l, level, 5);
		memcpy(l->llr, llr, sizeof(llr));
		link_decode(l, level, 2);
		assert_memory_equal(l->decided, first, sizeof(first));
	}
	link_free(l);
}

/* Decisions in one piece, right or wrong, are those of the textbook decoder without any bound on
 * its metrics. */
static void check_exact(
    uint32_t k, double ebn0_db, unsigned iterations, double scale, double scaling)
{
	struct link *l = link_new(16, k, utran_turbo_coded(k) - k / 2, scaling);
	static int32_t llr[CODED_MAX], want[UTRAN_TURBO_K_MAX];

	for (int block = 0; block < 3; block++) {
		link_send(l, link_sigma(l, ebn0_db), scale);
		for (uint32_t i = 0; i < l->coded; i++)
			llr[i] = l->llr[i] > UTRAN_LLR_MAX ? UTRAN_LLR_MAX
			    : l->llr[i] < -UTRAN_LLR_MAX   ? -UTRAN_LLR_MAX
			                                   : l->llr[i];
		plain_turbo_decode(llr, (int)k, (int)iterations, UTRAN_EXTRINSIC_MAX,
		    l->decoders[0].scaling, want);
		link_decode(l, WHOLE, iterations);
		for (uint32_t i = 0; i < k; i++)
			if (l->decided[i] != want[i])
				fail_msg(
				    "K = %u, %.1f dB, %u iterations, scale %g, scaling %g: bit %u",
				    k, ebn0_db, iterations, scale, scaling, i);
	}
	link_free(l);
}

static void test_exact(void **state)
{
	static const double scales[] = {2, 16, 100, 511, 5000, 32767};

	(void)state;
	for (size_t s = 0; s < sizeof(scales) / sizeof(scales[0]); s++) {
		for (int step = -2; step <= 2; step++) {
			check_exact(40, 1.5 * step, 1, scales[s], 1);
			check_exact(41, 1.5 * step, 8, scales[s], 0.75);
			check_exact(531, 1.5 * step, 3, scales[s], 1);
			check_exact(3856, 1.5 * step, 2, scales[s], 0.875);
		}
	}
	check_exact(5114, 0.5, 6, 16, 0.7);
}

/* Small soft bits come to metrics of 8 bits as they are, and as long as nothing saturates the
 * decisions are the textbook's too, right or wrong. */
static void test_exact_bytes(void **state)
{
	struct link *l = link_new(8, 3856, 9120, 0.875);
	static int32_t llr[CODED_MAX], want[UTRAN_TURBO_K_MAX];
	unsigned wrong = 0;

	(void)state;
	for (unsigned block = 0; block < 24; block++) {
		const unsigned iterations = 1 + block % 3;
		link_send(l, link_sigma(l, 0.5 + 0.1 * block), 4);
		for (uint32_t i = 0; i < l->coded; i++)
			llr[i] = l->llr[i];
		plain_turbo_decode(llr, (int)l->k, (int)iterations, UTRAN_EXTRINSIC8_MAX,
		    l->decoders[0].scaling, want);
		wrong += !link_decode(l, WHOLE, iterations);
		for (uint32_t i = 0; i < l->k; i++)
			if (l->decided[i] != want[i])
				fail_msg("block %u, %u iterations: bit %u", block, iterations, i);
	}
	assert_in_range(wrong, 6, 18);
	link_free(l);
}

/* Half of the blocks do for every change; make statistics decodes all. */
static int some_of(int blocks)
{
	return getenv("ALOE_STATISTICS") ? blocks : blocks / 2;
}

/* What metrics of 8 bits cost: with 0.05 dB more they are better than those of 16 bits. The same
 * noise for both. */
static void check_bytes(uint32_t sent, double ebn0_db, unsigned iterations, double scaling, int all)
{
	const int blocks = some_of(all);
	struct link *words = link_new(16, 3856, sent, scaling),
	            *bytes = link_new(8, 3856, sent, scaling);
	const int of16 = link_errors(words, ebn0_db, iterations, 16, blocks);
	const int of8 = link_errors(bytes, ebn0_db + 0.05, iterations, 16, blocks);

	assert_true(of8 <= of16 + sqrt(of16));
	link_free(words);
	link_free(bytes);
}

static void test_bytes_loss(void **state)
{
	(void)state;
	check_bytes(9049, 3.84, 1, 0.875, 1000);
	check_bytes(9120, 2.12, 2, 0.875, 1500);
	check_bytes(11568, 1.88, 2, 1, 1000);
	check_bytes(5000, 4.5, 2, 0.875, 1000);
	check_bytes(9049, 1.25, 4, 0.875, 800);
	check_bytes(9049, 0.85, 8, 0.75, 800);
}

/* Many iterations leave metrics of 8 bits no floor of their own: where those of 16 bits lose 1
 * block in 10000, they lose less than 1 in 1000. */
static void test_error_rate_floor(void **state)
{
	const int blocks = some_of(6000);
	struct link *words = link_new(16, 3856, 11580, 0.75),
	            *bytes = link_new(8, 3856, 11580, 0.75);
	int of16 = 0, of8 = 0;

	(void)state;
	for (int b = 0; b < blocks; b++) {
		link_send(bytes, link_sigma(bytes, 0.8), 16);
		of8 += !link_decode(bytes, (int)simd_best(), 8);
		memcpy(words->bits, bytes->bits, sizeof(words->bits));
		memcpy(words->llr, bytes->llr, sizeof(words->llr));
		of16 += !link_decode(words, (int)simd_best(), 8);
	}
	print_message("8 iterations, 0.8 dB: %d blocks of %d wrong with 16 bits, %d with 8\n", of16,
	    blocks, of8);
	assert_true(of16 * 1000 < blocks);
	assert_true(of8 * 1000 < blocks);
	link_free(words);
	link_free(bytes);
}

/* The zero codeword at full scale with 5 to 50 % of its bits inverted: metrics and extrinsic values
 * as large as they get, and held to their limits wherever the textbook's are. */
static void test_exact_full_scale(void **state)
{
	struct link *l = link_new(16, 1000, 3012, 1);
	static int32_t llr[CODED_MAX], want[UTRAN_TURBO_K_MAX];

	(void)state;
	for (unsigned block = 0; block < 90; block++) {
		const unsigned share = 5 + block / 2, iterations = 1 + block % 8;
		for (uint32_t i = 0; i < l->coded; i++) {
			llr[i] = draw(l) % 100 < share ? -UTRAN_LLR_MAX : UTRAN_LLR_MAX;
			l->llr[i] = llr[i] > 0 ? INT16_MAX : INT16_MIN;
		}
		plain_turbo_decode(
		    llr, 1000, (int)iterations, UTRAN_EXTRINSIC_MAX, PLAIN_SCALING_ONE, want);
		link_decode(l, WHOLE, iterations);
		for (uint32_t i = 0; i < 1000; i++)
			if (l->decided[i] != want[i])
				fail_msg(
				    "%u %% inverted, %u iterations: bit %u", share, iterations, i);
	}
	link_free(l);
}

/* Full-scale soft bits with one in twenty inverted. */
static void test_full_scale(void **state)
{
	struct link *l = link_new(metrics_of(state), 3856, 11580, 1);

	for (int block = 0; block < 40; block++) {
		link_send(l, 0, 32767);
		for (uint32_t i = 0; i < l->coded; i++)
			if (draw(l) % 20 == 0)
				l->llr[i] = (int16_t)~l->llr[i];
		for (unsigned iterations = 4; iterations <= 16; iterations *= 4)
			assert_true(link_decode_all(l, iterations));
	}
	link_free(l);
}

/* Number of errors that `blocks` blocks of error rate `rate` have, and three standard deviations of
 * it. */
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
	struct link *l = link_new(metrics_of(state), 3856, 9120, 1);

	assert_rate_above(link_errors(l, 2.12 - 0.15, 2, 16, 800), 800, 0.1);
	assert_rate_below(link_errors(l, 2.12 + 0.15, 2, 16, 800), 800, 0.1);
	assert_rate_above(link_errors(l, 2.43 - 0.15, 2, 16, 1500), 1500, 0.01);
	assert_rate_below(link_errors(l, 2.43 + 0.15, 2, 16, 4000), 4000, 0.01);
	link_free(l);
}

/* Single points of the unpunctured code: 0.16 to 0.19, 0.09 to 0.11 at 8 iterations, and 0.04 to
 * 0.05 with scaling 0.75, with room for chance. */
static void test_error_rate_unpunctured(void **state)
{
	struct link *l = link_new(metrics_of(state), 3856, 11580, 1),
	            *scaled = link_new(metrics_of(state), 3856, 11580, 0.75);

	assert_in_range(link_errors(l, 1.8, 2, 16, 1000), 125, 225);
	assert_in_range(link_errors(l, 0.7, 8, 16, 500), 25, 80);
	assert_in_range(link_errors(scaled, 0.5, 8, 16, 500), 8, 42);
	link_free(l);
	link_free(scaled);
}

/* What windows cost: 0.02 dB are 5 % of the blocks in error at these slopes and show as that much
 * of a count; beyond it the pairs that differ may differ by chance. */
static void check_windows(uint32_t metrics, uint32_t sent, double ebn0_db, unsigned iterations,
    double scaling, int blocks)
{
	struct link *l = link_new(metrics, 3856, sent, scaling);
	const struct errors errors =
	    link_errors_of(l, ebn0_db, iterations, 16, some_of(blocks), true);

	assert_true(errors.windows <= 1.05 * errors.whole + 3 * sqrt(errors.apart));
	link_free(l);
}

static void test_windows(void **state)
{
	const uint32_t metrics = metrics_of(state);

	check_windows(metrics, 9120, 2.12, 2, 1, 1000);
	check_windows(metrics, 9049, 2.1, 2, 0.875, 1000);
	check_windows(metrics, 9120, 3.84, 1, 1, 500);
	check_windows(metrics, 9120, 1.35, 4, 0.875, 500);
	check_windows(metrics, 9120, 0.85, 8, 0.75, 500);
	check_windows(metrics, 7712, 2.5, 2, 0.875, 500);
	check_windows(metrics, 5000, 4.5, 2, 0.875, 500); /* 85 % of the parity punctured */
}

/* The component's default is not worse than none at 2 iterations, nor at 1 and 8. */
static void test_default_scaling(void **state)
{
	static const struct {
		unsigned iterations;
		double ebn0_db;
	} points[] = {{1, 3.9}, {2, 2.12}, {8, 1.0}};

	for (int p = 0; p < 3; p++) {
		struct link *l = link_new(metrics_of(state), 3856, 9120, 1),
		            *scaled = link_new(metrics_of(state), 3856, 9120, 0.875);
		const int whole = link_errors(l, points[p].ebn0_db, points[p].iterations, 16, 400);
		const int less =
		    link_errors(scaled, points[p].ebn0_db, points[p].iterations, 16, 400);
		assert_true(less <= 1.05 * whole + 2);
		link_free(l);
		link_free(scaled);
	}
}

/* Large soft bits and many iterations, where plain 16-bit adds wrap around and lose nearly every
 * block. */
static void test_large_scale(void **state)
{
	struct link *l = link_new(metrics_of(state), 3856, 11580, 1);

	assert_int_equal(link_errors(l, 2.0, 8, 100, 64), 0);
	assert_int_equal(link_errors(l, 2.0, 8, 400, 64), 0);
	link_free(l);
}

#define BOTH(test)                                                                                 \
	{#test "_16", test, NULL, NULL, &words},                                                   \
	{                                                                                          \
#test "_8", test, NULL, NULL, &bytes                                               \
	}

int main(void)
{
	uint32_t words = 16, bytes = 8;
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sizes),
	    BOTH(test_windows_fit),
	    BOTH(test_loopback),
	    BOTH(test_loopback_ends),
	    BOTH(test_light_noise),
	    BOTH(test_steps),
	    BOTH(test_levels),
	    BOTH(test_extreme_values),
	    BOTH(test_garbage),
	    BOTH(test_no_memory),
	    cmocka_unit_test(test_exact),
	    cmocka_unit_test(test_exact_full_scale),
	    cmocka_unit_test(test_exact_bytes),
	    BOTH(test_full_scale),
	    BOTH(test_error_rate),
	    BOTH(test_error_rate_unpunctured),
	    BOTH(test_windows),
	    BOTH(test_default_scaling),
	    BOTH(test_large_scale),
	    cmocka_unit_test(test_bytes_loss),
	    cmocka_unit_test(test_error_rate_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
