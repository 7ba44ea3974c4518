/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The turbo code of UTRAN, one block of K = 3856 bits at a time: encoder and decoder of every level
 * that this machine has, with state metrics of 16 and of 8 bits, beside plain C with 16 bits in the
 * same run, and that beside the textbook decoder of the tests; then half and twice the default's
 * windows beside the default, and several blocks side by side beside the same blocks one after the
 * other (x0.6: they take 0.6 of the time). What others reach is printed below, as it was measured
 * once: single thread, 2.3 GHz nominal x86 server of 2023, AVX2 code.
 */
#include <stdint.h>

#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder.h"
#include "core/kernels/utran_turbo_encoder.h"
#include "core/kernels/utran_turbo_many.h"
#include "tests/bench/pairs.h"
#include "tests/utran_plain/utran_plain_decoder.h"

enum { K = 3856, CODED = 3 * K + 12, BLOCKS = 16 };

#define DECODER_REACH_US 20.0 /* 2 iterations, the best level */

struct turbo {
	struct utran_turbo_encoder encoder;
	const struct utran_turbo_encoder_kernels *encode;
	struct utran_turbo_decoder decoder;
	unsigned iterations;
	uint8_t in[K], codeword[CODED], bits[K];
	int16_t llr[CODED];
	int32_t plain_llr[CODED], plain_bits[K];
};

static void *memory_of(size_t size)
{
	void *memory = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (memory == NULL)
		exit(1);
	return memory;
}

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* A codeword at about 2 dB, so that branches and values are those of work. */
static struct turbo *turbo_new(
    enum simd_level level, uint32_t metrics, uint32_t windows, unsigned iterations)
{
	const struct utran_turbo_decoder_plan plan = {K, metrics, windows, UTRAN_SCALING_ONE};
	struct turbo *t = memory_of(sizeof(*t));
	uint32_t seed = 1;

	t->iterations = iterations;
	t->encode = utran_turbo_encoder_kernels(level);
	if (utran_turbo_encoder_init(&t->encoder, K, memory_of(utran_turbo_encoder_size(K))) != 0 ||
	    utran_turbo_decoder_init(&t->decoder, level, &plan,
	        memory_of(utran_turbo_decoder_size(K)),
	        memory_of(utran_turbo_decoder_work_size(K))) != 0)
		exit(1);
	for (int i = 0; i < K; i++)
		t->in[i] = draw(&seed) >> 9 & 1;
	t->encode->encode(&t->encoder, t->in, t->codeword);
	for (int i = 0; i < CODED; i++) {
		int noise = -12 * 64;
		for (int n = 0; n < 12; n++)
			noise += (int)(draw(&seed) >> 5 & 127);
		t->plain_llr[i] = t->llr[i] =
		    (int16_t)((t->codeword[i] ? -16 : 16) + noise * 14 / 128);
	}
	return t;
}

static void turbo_free(struct turbo *t)
{
	free(t->encoder.gather);
	free(t->decoder.from[0]);
	free(t->decoder.systematic);
	free(t);
}

/* Some blocks first that do not count: wide vector units take some 10 us to wake up. */
static double decode(void *context)
{
	struct turbo *t = context;
	uint64_t begin;

	for (int i = 0; i < BLOCKS; i++)
		utran_turbo_decode(&t->decoder, t->iterations, t->llr, t->bits);
	begin = clock_ns();
	for (int i = 0; i < BLOCKS; i++)
		utran_turbo_decode(&t->decoder, t->iterations, t->llr, t->bits);
	return (double)(clock_ns() - begin) / BLOCKS;
}

/* The other case: one block after 2 ms of scalar work, as in a slot. */
static double decode_first(void *context)
{
	struct turbo *t = context;
	uint64_t begin = clock_ns();

	while (clock_ns() - begin < 2000000)
		;
	begin = clock_ns();
	utran_turbo_decode(&t->decoder, t->iterations, t->llr, t->bits);
	return (double)(clock_ns() - begin);
}

static double textbook(void *context)
{
	struct turbo *t = context;
	const uint64_t begin = clock_ns();

	plain_turbo_decode(t->plain_llr, K, (int)t->iterations, UTRAN_EXTRINSIC_MAX,
	    PLAIN_SCALING_ONE, t->plain_bits);
	return (double)(clock_ns() - begin);
}

static double encode(void *context)
{
	struct turbo *t = context;
	const uint64_t begin = clock_ns();

	for (int i = 0; i < BLOCKS; i++)
		t->encode->encode(&t->encoder, t->in, t->codeword);
	return (double)(clock_ns() - begin) / BLOCKS;
}

/* 16 bits beside plain C, 8 bits beside 16 of the same level. */
static void run_decoder(enum simd_level level, uint32_t metrics, unsigned iterations)
{
	struct turbo *t = turbo_new(level, metrics, 0, iterations);
	struct turbo *peer = turbo_new(metrics == 16 ? SIMD_PLAIN : level, 16, 0, iterations);
	const double reach = level == simd_best() && iterations == 2 ? DECODER_REACH_US : 0;
	char name[64];
	double us;

	snprintf(name, sizeof(name), "decoder, %s, %u bits, %u it", simd_name(level), metrics,
	    iterations);
	if (level == SIMD_PLAIN && metrics == 16)
		us = pairs_run(name, decode, t, "textbook, 64-bit", textbook, peer, reach);
	else
		us = pairs_run(
		    name, decode, t, metrics == 16 ? "plain" : "16 bits", decode, peer, reach);
	printf("%30s%.1f Mbit/s; one block a slot is %.3f %% of 10 ms\n", "", K / us, us / 100);
	turbo_free(t);
	turbo_free(peer);
}

static void run_first(enum simd_level level, uint32_t metrics)
{
	struct turbo *t = turbo_new(level, metrics, 0, 2),
	             *peer = turbo_new(metrics == 16 ? SIMD_PLAIN : level, 16, 0, 2);
	char name[64];

	snprintf(name, sizeof(name), "first after 2 ms, %s, %u bits", simd_name(level), metrics);
	pairs_run(name, decode_first, t, metrics == 16 ? "plain" : "16 bits", decode_first, peer,
	    level == simd_best() ? DECODER_REACH_US : 0);
	turbo_free(t);
	turbo_free(peer);
}

/* What other windows than the default's cost or gain a level, 2 iterations. */
static void run_windows(enum simd_level level, uint32_t metrics, uint32_t windows)
{
	struct turbo *t = turbo_new(level, metrics, windows, 2),
	             *usual = turbo_new(level, metrics, 0, 2);
	char name[64];

	snprintf(name, sizeof(name), "%u windows, %s, %u bits", t->decoder.windows,
	    simd_name(level), metrics);
	pairs_run(name, decode, t, "default", decode, usual, 0);
	turbo_free(t);
	turbo_free(usual);
}

/* Blocks of different noise: side by side, or the same ones one after the other. */
struct abreast {
	struct turbo *turbo;
	struct utran_turbo_many many;
	uint32_t blocks;
	int16_t *llr[BLOCKS];
	uint8_t *bits[BLOCKS];
};

static struct abreast *abreast_new(enum simd_level level, uint32_t blocks)
{
	const struct utran_turbo_decoder_plan plan = {K, 16, 0, UTRAN_SCALING_ONE};
	struct abreast *a = memory_of(sizeof(*a));

	a->turbo = turbo_new(level, 16, 0, 2);
	a->blocks = blocks;
	utran_turbo_many_init(
	    &a->many, level, &a->turbo->decoder, memory_of(utran_turbo_many_work_size(&plan)));
	for (uint32_t b = 0; b < BLOCKS; b++) {
		a->bits[b] = memory_of(K);
		a->llr[b] = memory_of(CODED * sizeof(int16_t));
		for (uint32_t i = 0; i < CODED; i++)
			a->llr[b][i] = (int16_t)(a->turbo->llr[i] + (int)((i + b) % 3) - 1);
	}
	return a;
}

static void abreast_free(struct abreast *a)
{
	for (uint32_t b = 0; b < BLOCKS; b++) {
		free(a->bits[b]);
		free(a->llr[b]);
	}
	free(a->many.systematic);
	turbo_free(a->turbo);
	free(a);
}

static double decode_abreast(void *context)
{
	struct abreast *a = context;
	const uint64_t begin = clock_ns();

	utran_turbo_many_decode(&a->many, 2, a->blocks, (const int16_t *const *)a->llr, a->bits);
	return (double)(clock_ns() - begin) / a->blocks;
}

static double decode_in_turn(void *context)
{
	struct abreast *a = context;
	const uint64_t begin = clock_ns();

	for (uint32_t b = 0; b < a->blocks; b++)
		utran_turbo_decode(&a->turbo->decoder, 2, a->llr[b], a->bits[b]);
	return (double)(clock_ns() - begin) / a->blocks;
}

static void run_abreast(enum simd_level level, uint32_t blocks)
{
	struct abreast *a = abreast_new(level, blocks);
	char name[64];

	snprintf(name, sizeof(name), "%u side by side, %s", blocks, simd_name(level));
	pairs_run(name, decode_abreast, a, "in turn", decode_in_turn, a, 0);
	abreast_free(a);
}

static void run_encoder(enum simd_level level)
{
	struct turbo *t = turbo_new(level, 16, 0, 1), *plain = turbo_new(SIMD_PLAIN, 16, 0, 1);
	char name[64];

	snprintf(name, sizeof(name), "encoder, %s", simd_name(level));
	pairs_run(name, encode, t, "plain", encode, plain, 0);
	turbo_free(t);
	turbo_free(plain);
}

static void print_yardsticks(void)
{
	printf(
	    "-- others, microseconds a block (not measured here)           1 it    2 it    8 it\n"
	    "  srsRAN 4G, LTE K = 3904, 16 bits, 16 windows, AVX2          15.3    25.4    92\n"
	    "  srsRAN 4G, LTE K = 3904,  8 bits, 32 windows, AVX2          15.7    23.8    79   "
	    "(more block errors)\n"
	    "  srsRAN 4G, LTE K = 3904, 16 bits,  8 windows, SSE           20.4    37.6   139\n"
	    "  srsRAN 4G, LTE K = 3904, plain C                           122     240     950\n"
	    "  AFF3CT 3.0.2, UMTS K = 3856, 16 bits, 16 blocks at once     18.0    32.7   120   "
	    "(each; all take 288, 520)\n"
	    "  IT++ 4.3.1, UMTS K = 3856, double                             -    2060    6500\n");
}

int main(void)
{
	static const unsigned iterations[] = {1, 2, 8};

	pairs_quiet();
	printf("-- turbo code, K = %d, one block at a time\n", K);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		for (int i = 0; i < 6 && simd_has((enum simd_level)level); i++)
			run_decoder((enum simd_level)level, i < 3 ? 16 : 8, iterations[i % 3]);
	for (int level = SIMD_PLAIN + 1; level < SIMD_LEVELS; level++)
		for (uint32_t metrics = 16; metrics >= 8 && simd_has((enum simd_level)level);
		     metrics -= 8)
			run_first((enum simd_level)level, metrics);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		for (uint32_t metrics = 16; metrics >= 8 && simd_has((enum simd_level)level);
		     metrics -= 8)
			for (uint32_t windows = 128 / metrics; windows <= 512 / metrics;
			     windows *= 4)
				run_windows((enum simd_level)level, metrics, windows);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		for (uint32_t blocks = 4; blocks <= BLOCKS && simd_has((enum simd_level)level);
		     blocks += 4)
			run_abreast((enum simd_level)level, blocks);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		if (simd_has((enum simd_level)level))
			run_encoder((enum simd_level)level);
	print_yardsticks();
	return 0;
}
