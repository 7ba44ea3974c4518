/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The UTRAN chain, per slot of 10 ms (384 kbit/s, one block of 3856 bits): the waveform utran384 on
 * the engine, component by component, beside what was published for ALOE on a 2.27 GHz laptop of
 * 2010: 3250 us for the chain, 1827.8 us of them in the decoder. The turbo code alone is
 * bench_turbo's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/measure/calibrate.h"
#include "core/base/simd.h"
#include "tests/bench/pairs.h"
#include "tests/common/wave.h"

enum { SLOTS = 400 };

#define PUBLISHED_CHAIN_US 3250.0
#define PUBLISHED_DECODER_US 1827.8

/* Which part of the bearer a component is. */
enum part { TRANSMIT, RECEIVE, DECODE, OTHER, PARTS };

static enum part part_of(const char *component)
{
	static const char *const transmit[] = {
	    "crc", "turbo_encoder", "rate_match", "interleave1", "segment", "mux", "interleave2"};

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
	if (text == NULL ||
	    wave_open(wave, text, &(struct wave_options){.sets = sets, .n_sets = 1}) != 0)
		exit(1);
	free(text);
}

static double median_us(const struct wave *wave, uint32_t instance)
{
	return (double)image_time_quantile(&wave->view, instance, 0.5) / 1e3;
}

/* What was published is for the chain alone: source, modem, noise and sink are not of it. */
static void print_components(
    const struct wave *plain, const struct wave *fast, double mmac, double sums[2][PARTS])
{
	for (uint32_t i = 0; i < fast->view.head->instances.count; i++) {
		const char *component = image_text(&fast->view, fast->view.instances[i].component);
		const double us[2] = {median_us(plain, i), median_us(fast, i)};
		const enum part part = part_of(component);

		printf("  %-24s %8.2f us %8.2f us  p99 %8.2f us  %7.2f kMAC%s\n", component, us[0],
		    us[1], (double)image_time_quantile(&fast->view, i, 0.99) / 1e3,
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
	print_sum(
	    "whole bearer", sums[0][TRANSMIT] + sums[0][RECEIVE] + sums[0][DECODE], chain, 40);
	printf("  published (another machine, 2010): decoder %.1f us, 1/%.0f of it; chain %.0f us, "
	       "1/%.0f of it\n",
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
	printf("-- utran384, %d slots on the engine, at 20 dB, plain C and %s in turn; this core: "
	       "%.0f MMAC/s\n",
	    SLOTS, simd_name(simd_best()), calibration.mmac_per_s);
	printf("  %-24s %11s %11s\n", "p50, us in 10 ms", "plain", simd_name(simd_best()));
	print_components(&plain, &fast, calibration.mmac_per_s, sums);
	print_sums(sums);
	wave_close(&plain);
	wave_close(&fast);
}

int main(void)
{
	pairs_quiet();
	run_chain();
	return 0;
}
