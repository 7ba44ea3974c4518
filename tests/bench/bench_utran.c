/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The UTRAN chain, per slot of 10 ms (384 kbit/s, one block of 3856 bits): the turbo decoder's kernel beside the textbook
 * decoder that the tests hold it against, and the waveform utran384 on the engine, component by component, beside what was
 * published for ALOE on a 2.27 GHz laptop of 2010: 3250 us for the chain, 1827.8 us of them in the decoder.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/calibrate.h"
#include "core/kernels/utran_turbo_decoder.h"
#include "tests/bench/pairs.h"
#include "tests/common/wave.h"
#include "tests/utran_plain/utran_plain_decoder.h"

enum { K = 3856, CODED = 3 * K + 12, SLOTS = 400 };

#define PUBLISHED_CHAIN_US 3250.0
#define PUBLISHED_DECODER_US 1827.8

struct decoders {
	struct utran_turbo_decoder fast;
	unsigned iterations;
	int16_t llr[CODED];
	int32_t plain_llr[CODED], plain_bits[K];
	uint8_t bits[K];
};

static double fast(void *context)
{
	enum { BLOCKS = 8 };
	struct decoders *d = context;
	const uint64_t begin = clock_ns();

	for (int i = 0; i < BLOCKS; i++)
		utran_turbo_decode(&d->fast, d->iterations, d->llr, d->bits);
	return (double)(clock_ns() - begin) / BLOCKS;
}

static double plain(void *context)
{
	struct decoders *d = context;
	const uint64_t begin = clock_ns();

	plain_turbo_decode(d->plain_llr, K, (int)d->iterations, UTRAN_EXTRINSIC_MAX, PLAIN_SCALING_ONE, d->plain_bits);
	return (double)(clock_ns() - begin);
}

static void run_kernel(unsigned iterations)
{
	static struct decoders d;
	void *memory = aligned_alloc(64, (utran_turbo_decoder_size(K) + 63) & ~(size_t)63);
	uint32_t random = 1;
	char name[64];
	double us;

	if (memory == NULL || utran_turbo_decoder_init(&d.fast, utran_turbo_decoder_kernels(simd_best(), K), K,
						       UTRAN_SCALING_ONE, memory) != 0)
		exit(1);
	d.iterations = iterations;
	for (int i = 0; i < CODED; i++) { /* what is in them does not matter to the time */
		random = random * 1664525u + 1013904223u;
		d.plain_llr[i] = d.llr[i] = (int16_t)((int32_t)(random >> 24) - 128);
	}
	snprintf(name, sizeof(name), "decoder kernel, %u iterations", iterations);
	us = pairs_run(name, fast, &d, "textbook, 64-bit", plain, &d, 0);
	printf("%30s%.1f Mbit/s; one block a slot is %.2f %% of 10 ms\n", "", K / us, us / 100);
	free(memory);
}

/* Which part of the bearer a component is. */
enum part { TRANSMIT, RECEIVE, DECODE, OTHER, PARTS };

static enum part part_of(const char *component)
{
	static const char *const transmit[] = {"crc",     "turbo_encoder", "rate_match", "interleave1",
					       "segment", "mux",           "interleave2"};

	if (strncmp(component, "utran_", 6) != 0)
		return OTHER;
	for (unsigned i = 0; i < sizeof(transmit) / sizeof(transmit[0]); i++)
		if (strcmp(component + 6, transmit[i]) == 0)
			return TRANSMIT;
	return strcmp(component + 6, "turbo_decoder") == 0 ? DECODE : RECEIVE;
}

static void side_open(struct wave *wave, enum simd_level level)
{
	static const char *const sets[] = {"sink.path=/dev/null"};
	char *text = wave_file("waveforms/utran384.conf");

	setenv("ALOE_SIMD", simd_name(level), 1);
	if (text == NULL || wave_open(wave, text, &(struct wave_options){.sets = sets, .n_sets = 1}) != 0)
		exit(1);
	free(text);
}

static double median_us(const struct wave *wave, uint32_t instance)
{
	return (double)hist_quantile(&wave->instances[instance].stats->time, 0.5) / 1e3;
}

/* What was published is for the chain alone: source, modem, noise and sink are not of it. */
static void print_components(const struct wave *plain, const struct wave *fast, double mmac, double sums[2][PARTS])
{
	for (uint32_t i = 0; i < fast->view.head->instances.count; i++) {
		const char *component = image_text(&fast->view, fast->view.instances[i].component);
		const double us[2] = {median_us(plain, i), median_us(fast, i)};
		const enum part part = part_of(component);

		printf("  %-24s %8.2f us %8.2f us  p99 %8.2f us  %7.2f kMAC%s\n", component, us[0], us[1],
		       (double)hist_quantile(&fast->instances[i].stats->time, 0.99) / 1e3,
		       calibrate_kmac(us[1] * 1e3, mmac), part == OTHER ? "  (not of the chain)" : "");
		sums[0][part] += us[0];
		sums[1][part] += us[1];
	}
}

static void print_sum(const char *name, double plain, double fast, double reach)
{
	printf("  %-24s %8.2f us %8.2f us  x%.3f", name, plain, fast, fast / plain);
	if (reach > 0)
		printf("; reach %.0f us: %s", reach, fast <= reach ? "met" : "missed");
	printf("\n");
}

static void print_sums(double sums[2][PARTS])
{
	const double chain = sums[1][TRANSMIT] + sums[1][RECEIVE] + sums[1][DECODE];

	print_sum("transmit chain", sums[0][TRANSMIT], sums[1][TRANSMIT], 8);
	print_sum("receive chain, no decoder", sums[0][RECEIVE], sums[1][RECEIVE], 12);
	print_sum("decoder, 2 iterations", sums[0][DECODE], sums[1][DECODE], 20);
	print_sum("whole bearer", sums[0][TRANSMIT] + sums[0][RECEIVE] + sums[0][DECODE], chain, 40);
	printf("  published (another machine, 2010): decoder %.1f us, 1/%.0f of it; chain %.0f us, 1/%.0f of it\n",
	       PUBLISHED_DECODER_US, PUBLISHED_DECODER_US / sums[1][DECODE], PUBLISHED_CHAIN_US,
	       PUBLISHED_CHAIN_US / chain);
}

/* Two of them, in turn: plain C, and the best that this machine runs. */
static void run_chain(void)
{
	struct calibration calibration;
	double sums[2][PARTS] = {0};
	struct wave plain, fast;

	side_open(&plain, SIMD_PLAIN);
	side_open(&fast, simd_best());
	if (calibrate_mmac(&calibration) != 0)
		exit(1);
	for (uint64_t slot = 0; slot < SLOTS; slot++) {
		wave_io(&plain);
		segment_step(&plain.segments[0], slot, clock_ns());
		wave_io(&fast);
		segment_step(&fast.segments[0], slot, clock_ns());
	}
	printf("-- utran384, %d slots on the engine, at 20 dB, plain C and %s in turn; this core: %.0f MMAC/s\n", SLOTS,
	       simd_name(simd_best()), calibration.mmac_per_s);
	printf("  %-24s %11s %11s\n", "p50, us in 10 ms", "plain", simd_name(simd_best()));
	print_components(&plain, &fast, calibration.mmac_per_s, sums);
	print_sums(sums);
	wave_close(&plain);
	wave_close(&fast);
}

int main(void)
{
	pairs_quiet();
	printf("-- turbo decoder, K = %d\n", K);
	run_kernel(1);
	run_kernel(2);
	run_kernel(8);
	run_chain();
	return 0;
}
