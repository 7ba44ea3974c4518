/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of the bearer without its turbo code, each at every vector level that this machine
 * runs: us for what utran384 needs in a slot of 10 ms, medians of repetitions in which the levels
 * take turns, and in brackets how many times faster than plain C in the same repetition. Below them
 * a radio's samples, for a slot of 256: GB/s read and written, too, at the best level.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/kernels/bits.h"
#include "core/kernels/iq.h"
#include "core/kernels/random.h"
#include "core/kernels/soft.h"
#include "core/kernels/utran_crc.h"
#include "core/kernels/utran_interleave.h"
#include "core/kernels/utran_rate.h"
#include "tests/bench/pairs.h"

enum {
	BLOCK = 3840,
	CODED = 11580,
	FRAME = 9120,
	WORDS = BLOCK / 16,
	SAMPLES = 256,
	TIMES = 20,
	WAKE_NS = 50000
};

static const enum simd_level levels[] = {SIMD_PLAIN, SIMD_SSE41, SIMD_AVX2, SIMD_AVX512, SIMD_NEON};

struct at_level {
	const struct bits_kernels *bits;
	const struct iq_kernels *iq;
	const struct random_kernels *random;
	const struct soft_kernels *soft;
	const struct utran_interleave_kernels *interleave;
	const struct utran_rate_kernels *rate;
	struct utran_crc crc;
	struct utran_rate_plan match, dematch;
};

/* Messages lie as the engine lays them. */
struct bench {
	struct at_level at[SIMD_LEVELS];
	_Alignas(64) uint8_t bits[CODED];
	_Alignas(64) uint8_t bits_out[CODED];
	_Alignas(64) int16_t soft[CODED];
	_Alignas(64) int16_t soft_out[CODED];
	_Alignas(64) float symbols[2 * FRAME];
	_Alignas(64) float symbols_out[2 * FRAME];
	_Alignas(64) uint16_t words[WORDS];
	_Alignas(64) uint8_t iq[SAMPLES * IQ_BYTES];
	uint32_t table[FRAME];
	volatile uint32_t sink;
};

static void crc(struct bench *b, const struct at_level *at)
{
	b->sink = utran_crc_parity(&at->crc, b->bits, BLOCK);
}

static void match(struct bench *b, const struct at_level *at)
{
	at->rate->match(&at->match, b->bits, b->bits_out);
}

static void interleave2(struct bench *b, const struct at_level *at)
{
	at->interleave->interleave2(b->bits, b->bits_out, FRAME);
}

static void deinterleave2(struct bench *b, const struct at_level *at)
{
	at->interleave->deinterleave2(b->soft, b->soft_out, FRAME);
}

static void dematch(struct bench *b, const struct at_level *at)
{
	at->rate->dematch(&at->dematch, b->soft, b->soft_out);
}

static void interleave1(struct bench *b, const struct at_level *at)
{
	at->interleave->interleave1(b->bits, b->bits_out, FRAME, 4);
}

static void deinterleave1(struct bench *b, const struct at_level *at)
{
	at->interleave->deinterleave1(b->soft, b->soft_out, FRAME, 4);
}

static void map(struct bench *b, const struct at_level *at)
{
	at->soft->map_re_f32(b->bits, 1.0f, b->symbols_out, FRAME);
}

static void soft_bpsk(struct bench *b, const struct at_level *at)
{
	at->soft->soft_re_f32(b->symbols, 16.0f, b->soft_out, FRAME);
}

static void soft_qpsk(struct bench *b, const struct at_level *at)
{
	at->soft->soft_f32(b->symbols, 16.0f, b->soft_out, FRAME);
}

static void hard(struct bench *b, const struct at_level *at)
{
	at->soft->hard_re_f32(b->symbols, b->bits_out, FRAME);
}

static void pack(struct bench *b, const struct at_level *at)
{
	at->bits->pack16(b->bits, b->words, WORDS);
}

static void unpack(struct bench *b, const struct at_level *at)
{
	at->bits->unpack16(b->words, b->bits_out, WORDS);
}

static void differ(struct bench *b, const struct at_level *at)
{
	b->sink = at->bits->differ(b->bits, b->bits_out, BLOCK);
}

static void random_bits_of(struct bench *b, const struct at_level *at)
{
	at->random->bits(1, 2, b->bits_out, BLOCK);
}

static void noise(struct bench *b, const struct at_level *at)
{
	at->random->add_gauss(1, 2, b->symbols, 0.3f, b->symbols_out, 2 * FRAME);
}

static void iq_in(struct bench *b, const struct at_level *at)
{
	at->iq->to_f32(b->iq, b->symbols_out, SAMPLES);
}

static void iq_out(struct bench *b, const struct at_level *at)
{
	b->sink = at->iq->from_f32(b->symbols, b->iq, SAMPLES);
}

struct kernel {
	const char *name;
	void (*run)(struct bench *b, const struct at_level *at);
	double bytes; /* read and written; 0: not said */
};

static const struct kernel kernels[] = {
    {"crc 16, 3840 bits", crc},
    {"match 11580 -> 9120", match},
    {"interleave2 9120", interleave2},
    {"deinterleave2 9120", deinterleave2},
    {"dematch 9120 -> 11580", dematch},
    {"interleave1 9120, 4 frames", interleave1},
    {"deinterleave1 9120, 4", deinterleave1},
    {"bpsk map 9120 cf32", map},
    {"bpsk soft 9120 cf32", soft_bpsk},
    {"qpsk soft 4560 cf32", soft_qpsk},
    {"bpsk hard 9120 cf32", hard},
    {"pack 240 i16", pack},
    {"unpack 240 i16", unpack},
    {"compare 3840 bits", differ},
    {"random 3840 bits", random_bits_of},
    {"noise 9120 cf32", noise},
    {"sc16 to cf32, 256", iq_in, SAMPLES * 12},
    {"cf32 to sc16, 256", iq_out, SAMPLES * 12},
};

static struct utran_rate_plan plan(
    struct bench *b, const struct utran_rate_kernels *rate, bool soft)
{
	struct utran_rate_plan plan = {0};
	const size_t size = soft ? utran_rate_plan_dematch(&plan, rate, b->table, FRAME, CODED)
	                         : utran_rate_plan_match(&plan, rate, b->table, FRAME, CODED);
	void *memory = aligned_alloc(64, (size + 64) / 64 * 64);

	if (memory == NULL)
		exit(1);
	utran_rate_plan_fill(&plan, memory);
	return plan;
}

static void bench_init(struct bench *b)
{
	if (utran_rate_table(CODED, FRAME, UTRAN_TURBO, b->table) != 0)
		exit(1);
	random_bits(1, 1, b->bits, CODED);
	random_gauss(1, 1, b->symbols, 2 * FRAME);
	for (unsigned l = 0; l < SIMD_LEVELS; l++) {
		struct at_level *at = &b->at[levels[l]];

		if (!simd_has(levels[l]))
			continue;
		at->bits = bits_kernels(levels[l]);
		at->iq = iq_kernels(levels[l]);
		at->random = random_kernels(levels[l]);
		at->soft = soft_kernels(levels[l]);
		at->interleave = utran_interleave_kernels(levels[l]);
		at->rate = utran_rate_kernels(levels[l]);
		at->match = plan(b, at->rate, false);
		at->dematch = plan(b, at->rate, true);
		utran_crc_init(&at->crc, 16);
		utran_crc_use(&at->crc, levels[l]);
	}
}

/* Wide vector units sleep while narrow ones are used, and wake slowly: not before the kernel has
 * run for WAKE_NS its time counts, and then for as long at least. */
static double once_us(const struct kernel *kernel, struct bench *b, enum simd_level level)
{
	const uint64_t woken = clock_ns() + WAKE_NS;
	uint64_t begin, now;
	int times = 0;

	for (begin = clock_ns(); begin < woken; begin = clock_ns())
		kernel->run(b, &b->at[level]);
	for (now = begin; times < TIMES || now < begin + WAKE_NS; now = clock_ns()) {
		for (int i = 0; i < TIMES; i++)
			kernel->run(b, &b->at[level]);
		times += TIMES;
	}
	return (double)(now - begin) / (1e3 * times);
}

static void run(const struct kernel *kernel, struct bench *b)
{
	double us[SIMD_LEVELS][PAIRS], times[SIMD_LEVELS][PAIRS], best = 0;

	for (int warm = 0; warm < 2; warm++) { /* the first round does not count */
		for (int i = 0; i < PAIRS; i++) {
			for (unsigned l = 0; l < SIMD_LEVELS; l++) {
				if (!simd_has(levels[l]))
					continue;
				us[l][i] = once_us(kernel, b, levels[l]);
				times[l][i] = us[0][i] / us[l][i];
			}
		}
	}
	printf("  %-27s", kernel->name);
	for (unsigned l = 0; l < SIMD_LEVELS; l++) {
		struct pairs_sorted sorted;

		if (!simd_has(levels[l]))
			continue;
		sorted = pairs_sort(us[l]);
		best = pairs_median(&sorted);
		printf(" %8.3f", best);
		sorted = pairs_sort(times[l]);
		if (l > 0)
			printf(" [%5.1f]", pairs_median(&sorted));
	}
	if (kernel->bytes > 0)
		printf("  %.0f GB/s", kernel->bytes / (1e3 * best));
	printf("\n");
	fflush(stdout);
}

int main(void)
{
	static struct bench b;

	pairs_quiet();
	bench_init(&b);
	printf("-- kernels, us for a slot of utran384 [times as fast as plain C]\n  %-27s", "");
	for (unsigned l = 0; l < SIMD_LEVELS; l++)
		if (simd_has(levels[l]))
			printf(" %8s%s", simd_name(levels[l]), l > 0 ? "        " : "");
	printf("\n");
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
		run(&kernels[k], &b);
	return 0;
}
