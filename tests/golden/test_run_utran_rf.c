/* SPDX-License-Identifier: BSD-3-Clause
 * Speech over the UTRA downlink with everything between the bits and the antenna, through the real
 * processes: at 20 dB byte-identical but for the frames before the receiver has found the cell,
 * which are silence and counted; the block error rate within 0.15 dB of that of the bits alone,
 * with the timing known and with a receiver that finds it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { HEADER = 44, BLOCK = 240, SAMPLES = 293349, BLOCKS = 1223 };

static const char speech[] = "waveforms/speech.wav";

/* The received file is the sent one, but for `lost` blocks at its beginning, which are silence. */
static void check_speech(const char *path, int lost)
{
	size_t sent_len, received_len;
	uint8_t *sent = file_take(speech, &sent_len), *received = file_take(path, &received_len);
	const size_t silent = HEADER + (size_t)lost * 2 * BLOCK;

	assert_int_equal(received_len, sent_len);
	assert_memory_equal(received, sent, HEADER);
	for (size_t i = HEADER; i < silent; i++)
		assert_int_equal(received[i], 0);
	assert_memory_equal(received + silent, sent + silent, sent_len - silent);
	free(sent);
	free(received);
}

/* `most`: blocks that may be lost until the cell is found. */
static void run_speech(const char *channel, int most)
{
	struct ran *ran = aloe_ok(
	    "run waveforms/utran384-rf.conf --clock virtual --json -q --set sink.path='%s' %s",
	    aloe_path("rf.wav"), channel);
	const int lost = (int)ran_variable(ran, "sink.concealed_blocks");

	print_message("%s: %d blocks before lock\n", channel, lost);
	assert_true(ran_clean(ran));
	assert_in_range(lost, 0, most);
	check_speech(aloe_path("rf.wav"), lost);
	assert_true(ran_variable(ran, "sink.samples") == SAMPLES);
	assert_true(ran_variable(ran, "check.blocks") == BLOCKS - lost);
	assert_true(ran_variable(ran, "check.block_errors") == 0);
	assert_true(ran_variable(ran, "compare.blocks") == BLOCKS);
	assert_true(ran_variable(ran, "compare.block_errors") == lost);
	assert_true(ran_variable(ran, "compare.bit_errors") == 0);
	assert_true(ran_variable(ran, "sync.locks") == 1);
	assert_true(ran_variable(ran, "sync.frames") == BLOCKS - lost);
	assert_true(ran_variable(ran, "demap.tfci") == 1);
	assert_true(ran_variable(ran, "demap.tfci_changes") == 0);
	ran_free(ran);
}

static void test_identical(void **state)
{
	(void)state;
	run_speech("", 0);
	run_speech("--set path.items=0 --set carrier.frequency=0", 0);
	run_speech("--set path.items=76001 --set carrier.frequency=-5.5e-5 --set "
	           "carrier.initial_phase=-0.4",
	    1);
	run_speech("--lanes 0,1 --isolation component", 0);
}

/* Both ends of the cell must know its code. */
static void test_another_cell(void **state)
{
	struct ran *ran = aloe_ok("run waveforms/utran384-rf.conf --clock virtual --slots 50 "
	                          "--json -q --set sink.path='%s' --set sync.primary_code=10",
	    aloe_path("rf.wav"));

	(void)state;
	assert_true(ran_variable(ran, "sync.locks") == 0);
	assert_true(ran_variable(ran, "sync.tries") == 50);
	assert_true(ran_variable(ran, "sink.concealed_blocks") == 49);
	ran_free(ran);
}

static void test_some_blocks_fail(void **state)
{
	struct ran *ran = aloe_ok("run waveforms/utran384-rf.conf --clock virtual --json -q --set "
	                          "sink.path='%s' --set noise.ebn0_db=2.12",
	    aloe_path("rf.wav"));
	const int failed = (int)ran_variable(ran, "check.block_errors");

	(void)state;
	assert_true(ran_variable(ran, "sink.samples") == SAMPLES);
	assert_true(ran_variable(ran, "sync.locks") == 1);
	assert_true(ran_variable(ran, "sink.concealed_blocks") ==
	    failed + BLOCKS - ran_variable(ran, "check.blocks"));
	assert_in_range(failed, 100, 350);
	ran_free(ran);
}

/* ---- block error rate ------------------------------------------------------------------------ */

static double bler(const char *file, double ebn0_db, int blocks, const char *more)
{
	struct ran *ran = aloe_ok("run waveforms/%s.conf --clock virtual --slots %d --lanes 0,1 "
	                          "--json -q --set noise.ebn0_db=%g %s",
	    file, blocks, ebn0_db, more);
	const double rate = ran_variable(ran, "compare.bler");

	print_message("%s at %.2f dB %s: %.4f of %.0f blocks wrong\n", file, ebn0_db, more, rate,
	    ran_variable(ran, "compare.blocks"));
	assert_true(ran_clean(ran));
	ran_free(ran);
	return rate;
}

/* Where the bits alone lose a share `rate` of blocks, the radio loses less with 0.15 dB more, and
 * more with 0.15 dB less; by two standard deviations of a rate from so many blocks. */
static void check_loss(double rate, double ebn0_db, int blocks, const char *more)
{
	const double deviation = sqrt(rate * (1 - rate) / blocks);

	assert_true(
	    bler("utran384-rf-random", ebn0_db + 0.15, blocks, more) < rate - 2 * deviation);
	assert_true(bler("utran384-rf-random", ebn0_db - 0.15, 500, more) > rate + 2 * deviation);
}

static void test_error_rate_timing_known(void **state)
{
	static const char known[] = "--set sync.known_delay=30001 --set carrier.frequency=0";
	const double rate = bler("utran384-random", 2.12, 2000, "");

	(void)state;
	assert_true(rate > 0.07 && rate < 0.14);
	check_loss(rate, 2.12, 2000, known);
}

static void test_error_rate_timing_found(void **state)
{
	const double rate = bler("utran384-random", 2.12, 2000, "");

	(void)state;
	check_loss(rate, 2.12, 2000, "");
	check_loss(rate, 2.12, 2000,
	    "--set path.items=51235 --set carrier.frequency=-5e-5 --set "
	    "carrier.initial_phase=0.71");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_identical),
	    cmocka_unit_test(test_another_cell),
	    cmocka_unit_test(test_some_blocks_fail),
	    cmocka_unit_test(test_error_rate_timing_known),
	    cmocka_unit_test(test_error_rate_timing_found),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
