/* SPDX-License-Identifier: BSD-3-Clause
 * Speech over the UTRAN bearer through the real processes: byte-identical at 20 dB, whole or in two
 * halves; failed blocks are silence of the same length, and counted; the block error rate is that
 * of max-log decoding with 2 iterations (measured elsewhere with three independent decoders: 0.1 at
 * Eb/N0 = 2.12 dB, 0.01 at 2.43 dB). */
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

static struct ran *utran384(const char *name, double ebn0_db)
{
	return aloe_ok("run waveforms/utran384.conf --clock virtual --json -q --set sink.path='%s' "
	               "--set noise.ebn0_db=%g",
	    aloe_path(name), ebn0_db);
}

static void test_identical(void **state)
{
	struct ran *ran = utran384("20dB.wav", 20);

	(void)state;
	files_equal(speech, aloe_path("20dB.wav"));
	assert_true(ran_clean(ran));
	assert_true(ran_variable(ran, "compare.blocks") == BLOCKS);
	assert_true(ran_variable(ran, "compare.block_errors") == 0);
	assert_true(ran_variable(ran, "compare.bit_errors") == 0);
	assert_true(ran_variable(ran, "sink.samples") == SAMPLES);
	assert_true(ran_variable(ran, "sink.concealed_blocks") == 0);
	ran_free(ran);
}

/* Every received block is the one sent or silence: how many are not the one sent. */
static int blocks_changed(const char *path)
{
	size_t sent_len, received_len;
	uint8_t *sent = file_take(speech, &sent_len), *received = file_take(path, &received_len);
	static const uint8_t silence[2 * BLOCK];
	int changed = 0;

	assert_int_equal(received_len, sent_len);
	assert_memory_equal(sent, received, HEADER);
	for (size_t at = HEADER; at < sent_len; at += 2 * BLOCK) {
		const size_t len = sent_len - at < 2 * BLOCK ? sent_len - at : 2 * BLOCK;

		if (memcmp(sent + at, received + at, len) == 0)
			continue;
		if (memcmp(silence, received + at, len) != 0)
			fail_msg("block %zu is neither what was sent nor silence",
			    (at - HEADER) / 2 / BLOCK);
		changed++;
	}
	free(sent);
	free(received);
	return changed;
}

/* A silent block that failed shows no change; the recording has few of those. */
static void check_concealed(const struct ran *ran, const char *name)
{
	const int failed = (int)ran_variable(ran, "check.block_errors"),
	          changed = blocks_changed(aloe_path(name));

	assert_true(ran_variable(ran, "check.blocks") == BLOCKS);
	assert_true(ran_variable(ran, "sink.concealed_blocks") == failed);
	assert_true(ran_variable(ran, "compare.block_errors") >= failed);
	assert_true(ran_variable(ran, "sink.samples") == SAMPLES);
	assert_in_range(changed, failed * 9 / 10, failed);
}

/* The bits are those of the blocks, whatever the length of a slot. */
static void test_any_slot(void **state)
{
	static const char *const slots_us[] = {"500", "1234.5", "25000"};

	(void)state;
	for (size_t i = 0; i < sizeof(slots_us) / sizeof(slots_us[0]); i++) {
		ran_free(aloe_ok("run waveforms/utran384.conf --clock virtual --slot-us %s -q "
		                 "--set sink.path='%s'",
		    slots_us[i], aloe_path("slot.wav")));
		files_equal(speech, aloe_path("slot.wav"));
		ran_free(aloe_ok("check waveforms/utran384-tx.conf --slot-us %s", slots_us[i]));
	}
}

static void test_some_blocks_fail(void **state)
{
	struct ran *ran = utran384("2dB.wav", 2.12);

	(void)state;
	check_concealed(ran, "2dB.wav");
	assert_in_range((int)ran_variable(ran, "check.block_errors"), 60, 250);
	ran_free(ran);
}

static void test_most_blocks_fail(void **state)
{
	struct ran *ran = utran384("0dB.wav", 0);
	const double failed = ran_variable(ran, "check.block_errors");

	(void)state;
	check_concealed(ran, "0dB.wav");
	assert_true(failed >= BLOCKS / 2);
	ran_free(ran);
	/* ... and the report that people read says so, in numbers. */
	ran = aloe_ok("run waveforms/utran384.conf --clock virtual --set sink.path='%s' --set "
	              "noise.ebn0_db=0",
	    aloe_path("0dB.wav"));
	{
		const char *line = strstr(ran->out, "\nblocks ");
		int blocks = 0, errors = 0;

		assert_non_null(line);
		assert_non_null(strstr(line, "compare: "));
		assert_int_equal(sscanf(strstr(line, "compare: "),
		                     "compare: %d blocks, %d block errors", &blocks, &errors),
		    2);
		assert_int_equal(blocks, BLOCKS);
		assert_true(errors >= failed);
	}
	ran_free(ran);
}

static void tx(void)
{
	struct ran *ran = aloe_ok("run waveforms/utran384-tx.conf --clock virtual --json -q --set "
	                          "frames.path='%s' --set lengths.path='%s'",
	    aloe_path("tx.bits"), aloe_path("tx.lengths"));

	assert_true(ran_clean(ran));
	assert_true(ran_variable(ran, "frames.messages") == BLOCKS);
	ran_free(ran);
}

static struct ran *rx(const char *bits)
{
	return aloe_ok("run waveforms/utran384-rx.conf --clock virtual --json -q --set "
	               "frames.path='%s' --set lengths.path='%s' --set sink.path='%s'",
	    bits, aloe_path("tx.lengths"), aloe_path("rx.wav"));
}

static void test_halves(void **state)
{
	size_t bits_len, lengths_len;
	uint8_t *bits;
	int16_t *lengths;
	struct ran *ran;

	(void)state;
	tx();
	bits = file_take(aloe_path("tx.bits"), &bits_len);
	lengths = file_take(aloe_path("tx.lengths"), &lengths_len);
	assert_int_equal(bits_len, 9120 * BLOCKS);
	for (size_t i = 0; i < bits_len; i++)
		assert_true(bits[i] <= 1);
	assert_int_equal(lengths_len, 2 * BLOCKS);
	for (int i = 0; i < BLOCKS; i++)
		assert_int_equal(lengths[i], i < BLOCKS - 1 ? BLOCK : SAMPLES % BLOCK);
	ran = rx(aloe_path("tx.bits"));
	files_equal(speech, aloe_path("rx.wav"));
	assert_true(ran_variable(ran, "check.block_errors") == 0);
	ran_free(ran);

	/* A few turned bits are corrected; a block of turned bits is silence, and no other is
	 * touched. */
	for (size_t i = 0; i < bits_len; i += 150)
		bits[i] ^= 1;
	for (size_t i = 0; i < 9120; i += 2)
		bits[500 * 9120 + i] ^= 1;
	file_make(aloe_path("turned.bits"), bits, bits_len);
	ran = rx(aloe_path("turned.bits"));
	assert_true(ran_variable(ran, "check.block_errors") == 1);
	assert_int_equal(blocks_changed(aloe_path("rx.wav")), 1);
	ran_free(ran);
	free(bits);
	free(lengths);
}

/* Number of blocks in error of so many, on two lanes. */
static int errors_at(double ebn0_db, int blocks)
{
	struct ran *ran = aloe_ok("run waveforms/utran384-random.conf --clock virtual --slots %d "
	                          "--lanes 0,1 --json -q --set noise.ebn0_db=%g",
	    blocks, ebn0_db);
	const int errors = (int)ran_variable(ran, "compare.block_errors");

	print_message("%.2f dB: %d of %d blocks wrong (%.4f)\n", ebn0_db, errors, blocks,
	    (double)errors / blocks);
	assert_true(ran_clean(ran));
	assert_true(ran_variable(ran, "compare.blocks") == blocks);
	/* A CRC of 16 bits lets one wrong block in 65 536 pass. */
	assert_in_range(
	    (int)ran_variable(ran, "check.block_errors"), errors ? errors - 1 : 0, errors);
	assert_true(ran_variable(ran, "payload.absent") == ran_variable(ran, "check.block_errors"));
	ran_free(ran);
	return errors;
}

/* Below the mark the rate is larger and above it smaller, by three standard deviations: the
 * crossing is within 0.15 dB. */
static void check_crossing(double rate, double ebn0_db, int blocks_below, int blocks_above)
{
	const double below = sqrt(rate * (1 - rate) * blocks_below),
	             above = sqrt(rate * (1 - rate) * blocks_above);

	assert_true(errors_at(ebn0_db - 0.15, blocks_below) > rate * blocks_below + 3 * below);
	assert_true(errors_at(ebn0_db + 0.15, blocks_above) < rate * blocks_above - 3 * above);
}

static void test_error_rate_tenth(void **state)
{
	(void)state;
	check_crossing(0.1, 2.12, 2000, 2000);
}

static void test_error_rate_hundredth(void **state)
{
	(void)state;
	check_crossing(0.01, 2.43, 2000, 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_identical),
	    cmocka_unit_test(test_some_blocks_fail),
	    cmocka_unit_test(test_most_blocks_fail),
	    cmocka_unit_test(test_halves),
	    cmocka_unit_test(test_error_rate_tenth),
	    cmocka_unit_test(test_error_rate_hundredth),
	    cmocka_unit_test(test_any_slot),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
