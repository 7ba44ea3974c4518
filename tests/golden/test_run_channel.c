/* SPDX-License-Identifier: BSD-3-Clause
 * The channel emulator and the fading bearer through the real processes: files against the sum in
 * double precision, with responses set while it runs; errors over a fading channel against theory,
 * and block by block against the energy that the channel left. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <poll.h>

#include "core/kernels/fading.h"
#include "tests/common/aloe.h"

enum { BLOCK = 256, TAPS = 512, ITEMS = 10240 };

static const char input[] = "waveforms/channel-emulator.bin",
                  response[] = "waveforms/channel-emulator-response.f32";

static double complex item(const float *x, size_t i)
{
	return x[2 * i] + I * x[2 * i + 1];
}

static double complex direct(const float *in, const float *taps, size_t n_taps, size_t t)
{
	double complex sum = 0;

	for (size_t k = 0; k < n_taps && k <= t; k++)
		sum += item(taps, k) * item(in, t - k);
	return sum;
}

/* ---- channel-emulator ---- */

struct kept { /* a response, and the first item that it holds for */
	const float *taps;
	size_t n_taps, from;
};

/* The output against the sum, with the response that holds at each item: the largest deviation over
 * the mean square. */
static void check_emulated(
    const char *path, const float *in, size_t n, const struct kept *kept, size_t n_kept)
{
	double most = 0, power = 0;
	size_t len;
	float *out = file_take(path, &len);

	assert_int_equal(len, n * 8);
	for (size_t t = 0; t < n; t++) {
		const struct kept *now = kept;
		double complex want;

		for (size_t i = 1; i < n_kept; i++)
			if (kept[i].from <= t)
				now = &kept[i];
		want = direct(in, now->taps, now->n_taps, t);
		most = fmax(most, cabs(item(out, t) - want));
		power += creal(want * conj(want));
	}
	print_message("%zu items: at most %.2g of the root mean square off\n", n,
	    most / sqrt(power / (double)n));
	assert_true(most / sqrt(power / (double)n) < 2e-6);
	free(out);
}

static void test_emulator(void **state)
{
	struct ran *ran =
	    aloe_ok("run waveforms/channel-emulator.conf --json -q --set sink.path='%s'",
	        aloe_path("emulated"));
	float *in = file_take(input, NULL), *taps = file_take(response, NULL);

	(void)state;
	assert_true(ran_clean(ran));
	assert_true(ran_variable(ran, "channel.forward_transforms") == ITEMS / BLOCK);
	assert_true(ran_variable(ran, "channel.inverse_transforms") == ITEMS / BLOCK);
	assert_true(ran_variable(ran, "channel.short_blocks") == 0);
	check_emulated(aloe_path("emulated"), in, ITEMS, &(struct kept){taps, TAPS, 0}, 1);
	ran_free(ran);
	free(in);
	free(taps);
}

/* A file that ends within a slot; by FFTW, and with the plain kernels; slots of a length that only
 * FFTW has. */
static void test_emulator_other_ways(void **state)
{
	static const char *const ways[] = {"--set channel.transform=fftw",
	    "--lanes 0,1 --pipelined --isolation component", "--set source.length=300",
	    "--set source.length=64 --set channel.partitions=8"};
	float *in = file_take(input, NULL), *taps = file_take(response, NULL);

	(void)state;
	file_make(aloe_path("in"), in, 10000 * 8);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct ran *ran = aloe_ok("run waveforms/channel-emulator.conf --json -q --set "
		                          "source.path='%s' --set sink.path='%s' %s",
		    aloe_path("in"), aloe_path("emulated"), ways[i]);

		assert_true(ran_clean(ran));
		assert_true(ran_variable(ran, "channel.short_blocks") == 1);
		check_emulated(aloe_path("emulated"), in, 10000, &(struct kept){taps, TAPS, 0}, 1);
		ran_free(ran);
	}
	free(in);
	free(taps);
}

static void wait_for_end(void)
{
	for (int i = 0; i < 6000; i++) {
		struct ran *ran = aloe_ok("status channel-emulator --json");
		const bool drained = json_is_true(json_object_get(ran->report, "drained"));

		ran_free(ran);
		if (drained)
			return;
		poll(NULL, 0, 10);
	}
	fail_msg("it does not end");
}

/* `aloe set --at`, from a list and from a file: every item shows the response that holds at its
 * index. */
static void test_emulator_set(void **state)
{
	static const float short_taps[] = {0.5f, -0.5f, 0, 0, 0.25f, 1};
	float *in = file_take(input, NULL), *taps = file_take(response, NULL), turned[2 * TAPS];
	struct kept kept[] = {
	    {taps, TAPS, 0}, {short_taps, 3, 10 * BLOCK}, {turned, TAPS, 11 * BLOCK}};

	(void)state;
	for (int i = 0; i < 2 * TAPS; i++)
		turned[i] = -taps[2 * TAPS - 1 - i];
	file_make(aloe_path("turned.f32"), turned, sizeof(turned));
	ran_free(aloe_ok("up"));
	ran_free(aloe_ok(
	    "load waveforms/channel-emulator.conf --set sink.path='%s'", aloe_path("emulated")));
	ran_free(aloe_ok("set channel-emulator channel.response=0.5,-0.5,0,0,0.25,1 --at 10"));
	ran_free(
	    aloe_ok("set channel-emulator channel.response=@%s --at 11", aloe_path("turned.f32")));
	file_make(aloe_path("long.f32"), in, (2 * BLOCK + 1) * 8);
	ran_free(aloe_ends(
	    2, "set channel-emulator channel.response=@%s --at 12", aloe_path("long.f32")));
	ran_free(aloe_ok("start channel-emulator"));
	wait_for_end();
	ran_free(aloe_ok("unload channel-emulator"));
	ran_free(aloe_ok("down"));
	check_emulated(aloe_path("emulated"), in, ITEMS, kept, 3);
	free(in);
	free(taps);
}

/* What the emulator starts from can be made again. */
static void test_input(void **state)
{
	struct ran *ran =
	    aloe_ok("run waveforms/channel-emulator-input.conf --clock virtual --slots 40 --json "
	            "-q --set signal.path='%s' --set response.path='%s'",
	        aloe_path("signal"), aloe_path("taps"));

	(void)state;
	assert_true(ran_clean(ran));
	files_equal(input, aloe_path("signal"));
	files_equal(response, aloe_path("taps"));
	ran_free(ran);
}

/* ---- utran384-fading ---- */

enum { BLOCKS = 1223, SYMBOLS = 9120 };

static struct ran *fading(double ebn0_db, const char *more)
{
	return aloe_ok("run waveforms/utran384-fading.conf --clock virtual --json -q --set "
	               "sink.path='%s' --set noise.ebn0_db=%g %s",
	    aloe_path("fading.wav"), ebn0_db, more);
}

/* Blocks whose frame was left less than `least_db` of Eb/N0 by the channel: the first path of seed
 * 1 at 3 km/h. */
static int blocks_below(double ebn0_db, double least_db)
{
	struct fading path;
	int below = 0;

	fading_init(1, 0, 3 / 3.6 / 299792458 * 2e9, &path);
	for (int k = 0; k < BLOCKS; k++) {
		float gains[2 * 20];
		double power = 0;

		fading_kernels(SIMD_PLAIN)->gains(&path, 0.01 * k + 0.00025, 0.0005, 20, 1, gains);
		for (int i = 0; i < 40; i++)
			power += (double)gains[i] * gains[i] / 20;
		below += 10 * log10(power) + ebn0_db < least_db;
	}
	return below;
}

/* At a walking pace blocks are lost where the frame's energy is too low, and nowhere else. */
static void check_walking(double ebn0_db)
{
	struct ran *ran = fading(ebn0_db, "");
	const int errors = (int)ran_variable(ran, "compare.block_errors");

	print_message(
	    "%g dB: %d of %d blocks lost; %d frames below 2.1 dB, %d below 1.5, %d below 2.7\n",
	    ebn0_db, errors, BLOCKS, blocks_below(ebn0_db, 2.1), blocks_below(ebn0_db, 1.5),
	    blocks_below(ebn0_db, 2.7));
	assert_true(ran_clean(ran));
	assert_true(ran_variable(ran, "compare.blocks") == BLOCKS);
	assert_true(ran_variable(ran, "coherent.unmatched") == 0);
	assert_in_range(errors, blocks_below(ebn0_db, 1.5), blocks_below(ebn0_db, 2.7));
	assert_true(blocks_below(ebn0_db, 1.5) > 20);
	ran_free(ran);
}

static void test_fading_walking(void **state)
{
	(void)state;
	check_walking(15);
	check_walking(10);
}

/* Symbols in error at speed, many fades: the formula for Rayleigh fading, within 6 %. And hardly a
 * block is lost. */
static void test_fading_driving(void **state)
{
	const double ratio = pow(10, 1.5) * 3856 / SYMBOLS,
	             theory = (1 - sqrt(ratio / (1 + ratio))) / 2;
	struct ran *ran = fading(15, "--set fading.speed_kmh=120");

	(void)state;
	print_message("bit error rate %.5f, theory %.5f; %g blocks lost\n",
	    ran_variable(ran, "raw.ber"), theory, ran_variable(ran, "compare.block_errors"));
	assert_true(ran_clean(ran));
	assert_true(fabs(ran_variable(ran, "raw.ber") / theory - 1) < 0.06);
	assert_true(ran_variable(ran, "compare.block_errors") < BLOCKS / 100);
	ran_free(ran);
}

/* The same bits on any lanes and in any processes. */
static void test_fading_anywhere(void **state)
{
	static const char *const ways[] = {
	    "--slots 300", "--slots 300 --lanes 0,1 --pipelined --isolation component"};
	double errors[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ran *ran = fading(8, ways[i]);

		assert_true(ran_number(ran, "latency.measured_slots_max") ==
		    ran_number(ran, "latency.slots"));
		errors[i] = ran_variable(ran, "raw.bit_errors");
		ran_free(ran);
	}
	assert_true(errors[0] > 1000);
	assert_true(errors[0] == errors[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_emulator),
	    cmocka_unit_test(test_emulator_other_ways),
	    cmocka_unit_test(test_emulator_set),
	    cmocka_unit_test(test_input),
	    cmocka_unit_test(test_fading_walking),
	    cmocka_unit_test(test_fading_driving),
	    cmocka_unit_test(test_fading_anywhere),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
