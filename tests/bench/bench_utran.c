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

static bool of_chain(const char *component)
{
	return strncmp(component, "utran_", 6) == 0;
}

static void print_component(const struct wave *wave, uint32_t i, double mmac, double *sum_us, double *decoder_us)
{
	const char *component = image_text(&wave->view, wave->view.instances[i].component);
	const struct hist *time = &wave->instances[i].stats->time;
	const double ns = (double)hist_quantile(time, 0.5);

	printf("  %-24s p50 %8.2f us  p99 %8.2f us  %7.2f kMAC%s\n", component, ns / 1e3,
	       (double)hist_quantile(time, 0.99) / 1e3, calibrate_kmac(ns, mmac),
	       of_chain(component) ? "" : "  (not of the chain)");
	if (of_chain(component))
		*sum_us += ns / 1e3;
	if (strcmp(component, "utran_turbo_decoder") == 0)
		*decoder_us = ns / 1e3;
}

static void run_chain(void)
{
	static const char *const sets[] = {"sink.path=/dev/null"};
	struct calibration calibration;
	double sum_us = 0, decoder_us = 0;
	char *text = wave_file("waveforms/utran384.conf");
	struct wave wave;

	if (text == NULL || wave_open(&wave, text, &(struct wave_options){.sets = sets, .n_sets = 1}) != 0 ||
	    calibrate_mmac(&calibration) != 0)
		exit(1);
	for (uint64_t slot = 0; slot < SLOTS; slot++) {
		wave_io(&wave);
		segment_step(&wave.segments[0], slot, clock_ns());
	}
	printf("-- utran384, %d slots on the engine, at 20 dB; this core: %.0f MMAC/s\n", SLOTS,
	       calibration.mmac_per_s);
	for (uint32_t i = 0; i < wave.view.head->instances.count; i++)
		print_component(&wave, i, calibration.mmac_per_s, &sum_us, &decoder_us);
	printf("  decoder %.1f us, published %.1f us: x%.3f\n", decoder_us, PUBLISHED_DECODER_US,
	       decoder_us / PUBLISHED_DECODER_US);
	printf("  chain   %.1f us of 10 ms, published %.0f us: x%.3f (another machine, 2010)\n", sum_us,
	       PUBLISHED_CHAIN_US, sum_us / PUBLISHED_CHAIN_US);
	free(text);
	wave_close(&wave);
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
