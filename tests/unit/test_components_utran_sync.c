/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_sync: what two pulse filters leave of intersymbol interference; acquisition at any delay,
 * fraction of a sample and carrier offset; clocks that run fast or slow, in noise, at every vector
 * level; holes, and a cell that goes away. */
#include "tests/common/umts.h"

/* ---- receiver: what there is to find ---- */

/* Two filters in a row leave little: for each number of samples a chip, at the sampling time
 * known. */
static void pulses_leave_no_interference(void **state)
{
	static cf32 chips[CHIPS];

	(void)state;
	random_gauss(1, 1, (float *)chips, 2 * CHIPS);
	for (int n = 2; n <= 8; n++) {
		struct mock pulse, sync;
		double error;

		mock_open(&pulse, "rrc_interp");
		set_real(&pulse, "samples_per_symbol", n);
		set_real(&pulse, "rolloff", 0.22);
		set_real(&pulse, "delay", 10);
		mock_input(&pulse, 0, ALOE_CF32, CHIPS);
		start(&pulse);
		mock_open(&sync, "utran_sync");
		set_real(&sync, "samples_per_chip", n);
		set_real(&sync, "known_delay", 0);
		set_real(&sync, "bandwidth", 0);
		mock_input(&sync, 0, ALOE_CF32, CHIPS * (uint32_t)n);
		start(&sync);
		for (uint64_t k = 0; k < 2; k++) {
			run(&pulse, chips, CHIPS, k);
			assert_true(fabs(power(pulse.out[0].data, CHIPS * (uint32_t)n) /
			                    power(chips, CHIPS) -
			                1) < 0.02);
			run(&sync, pulse.out[0].data, CHIPS * (uint32_t)n, k);
			assert_int_equal(sync.out[0].state, k ? ALOE_VALID : ALOE_ABSENT);
		}
		assert_int_equal(sync.out[0].len, CHIPS);
		error = chip_error_db(sync.out[0].data, chips);
		print_message("%d samples a chip: interference %.1f dB, gain %.4f\n", n, error,
		    power(sync.out[0].data, CHIPS) / power(chips, CHIPS));
		assert_true(error < -40);
		assert_true(fabs(power(sync.out[0].data, CHIPS) / power(chips, CHIPS) - 1) < 0.01);
		mock_close(&pulse);
		mock_close(&sync);
	}
}

/* Runs the stream through; frame k must come out in message k + lag, from message `from` on at the
 * latest, with no more error than `worst_db`. */
static void check_path(
    const struct air *air, const struct path *path, uint64_t from, uint64_t lag, double worst_db)
{
	static cf32 message[FRAME];
	double worst = -100;
	struct mock sync;

	sync_open(&sync);
	start(&sync);
	for (uint64_t k = 0; k < air->frames; k++) {
		air_receive(air, path, k, message);
		run(&sync, message, FRAME, k);
		if (sync.out[0].state != ALOE_VALID) {
			assert_true(k < from);
			continue;
		}
		assert_int_equal(sync.out[0].len, CHIPS);
		if (k >= path->settle)
			worst = fmax(
			    worst, chip_error_db(sync.out[0].data, air->sent + (k - lag) * CHIPS));
	}
	print_message("delay %10.2f, %5.1f Hz, %4.1f ppm: locked after %.0f tries, frame at chip "
	              "%.2f, carrier %.0f Hz, clock %.2f ppm, error %.1f dB\n",
	    path->delay, path->carrier, path->ppm, mock_var(&sync, "tries"),
	    mock_var(&sync, "frame_chip"), mock_var(&sync, "carrier_hz"),
	    mock_var(&sync, "clock_ppm"), worst);
	assert_true(mock_var(&sync, "locks") == 1 && mock_var(&sync, "locked") == 1);
	assert_true(worst < worst_db);
	if (path->ppm == 0)
		assert_true(fabs(mock_var(&sync, "frame_chip") - (path->delay / 2 + 10) +
		                38400.0 * (double)(lag - 1)) < 0.05);
	mock_close(&sync);
}

static void finds_frames_at_any_delay(void **state)
{
	static const double delays[] = {0, 1, 0.5, 255.25, 20000.125, 38399.875, 65000.3, 76700.7};
	struct air air;

	(void)state;
	air_open(&air, 6);
	for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		const struct path path = {
		    .delay = delays[i], .phase = 0.1 * (double)i, .amplitude = 1};

		check_path(&air, &path, 3, 1, -20);
	}
	/* Past a frame less the filters it is one message more. */
	check_path(&air, &(struct path){.delay = 76790, .amplitude = 3}, 3, 2, -20);
	check_path(&air, &(struct path){.delay = FRAME + 1000, .amplitude = 0.01}, 4, 2, -20);
	air_close(&air);
}

static void finds_frames_at_any_carrier(void **state)
{
	static const double carriers[] = {40, -50, 100, -149, 250, -333, 480};
	struct air air;

	(void)state;
	air_open(&air, 8);
	for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++) {
		const struct path path = {
		    .delay = 1234.5 * (double)i, .carrier = carriers[i], .amplitude = 1};

		/* the carrier turns by up to 0.1 within a block */
		check_path(&air, &path, 3, 1, -19);
	}
	air_close(&air);
}

/* The pilot, a tenth of a chip's power, 10 dB below noise in the chip's band: the pilot's Ec/N0 is
 * -20 dB. */
static void finds_frames_in_noise(void **state)
{
	struct air air;

	(void)state;
	air_open(&air, 8);
	for (int i = 0; i < 4; i++) {
		const struct path path = {
		    .delay = 9876.5 * i + 0.3, .amplitude = 1, .noise = 2 * 10};

		check_path(&air, &path, 3, 1, 10.5);
	}
	air_close(&air);
}

static void finds_nothing_where_nothing_is(void **state)
{
	static cf32 message[FRAME];
	struct mock noise, other, silence;
	struct air air;

	(void)state;
	air_open(&air, 6);
	sync_open(&noise);
	start(&noise);
	sync_open(&silence);
	start(&silence);
	sync_open(&other);
	set_real(&other, "primary_code", PRIMARY + 1);
	start(&other);
	for (uint64_t k = 0; k < 6; k++) {
		air_receive(&air, &(struct path){.amplitude = 1, .delay = 333}, k, message);
		run(&other, message, FRAME, k);
		assert_int_equal(other.out[0].state, ALOE_ABSENT);
		memset(message, 0, sizeof(message));
		run(&silence, message, FRAME, k);
		assert_int_equal(silence.out[0].state, ALOE_ABSENT);
	}
	for (uint64_t k = 0; k < 100; k++) {
		random_gauss(3, k, (float *)message, 2 * FRAME);
		run(&noise, message, FRAME, k);
		assert_int_equal(noise.out[0].state, ALOE_ABSENT);
	}
	assert_true(mock_var(&noise, "tries") == 100 && mock_var(&noise, "locks") == 0);
	mock_close(&noise);
	mock_close(&other);
	mock_close(&silence);
	air_close(&air);
}

/* A sender's clock that is fast or slow: followed, and told. 3 ppm are 0.1 chips a frame, so that
 * at first the clock is up to 0.2 chips behind. */
static void follows_a_clock(void **state)
{
	struct air air;

	(void)state;
	air_open(&air, 60);
	check_path(&air, &(struct path){.delay = 30000.5, .ppm = 3, .amplitude = 1, .settle = 20},
	    3, 1, -20);
	check_path(&air,
	    &(struct path){
	        .delay = 30000.5, .ppm = -3, .amplitude = 1, .carrier = 60, .settle = 20},
	    3, 1, -20);
	/* Past the beginning of the message and on: the frames still come at index k + 1. */
	check_path(
	    &air, &(struct path){.delay = -16, .ppm = 3, .amplitude = 1, .settle = 20}, 3, 1, -20);
	air_close(&air);
}

/* Two oscillators 20 ppm apart, in the noise at which 384 kbit/s lose one block in ten: Ec/N0 is
 * -7.2 dB, so that chips are 7.2 dB wrong at best. What crosses the bounds of messages, 0.8 chips a
 * frame, is neither lost nor twice there. */
static void holds_two_oscillators(void **state)
{
	const double noise = 2 * pow(10, 0.72);
	struct air air;

	(void)state;
	air_open(&air, 20);
	check_path(&air,
	    &(struct path){
	        .delay = 40000.3, .ppm = 20, .amplitude = 1, .noise = noise, .settle = 10},
	    10, 1, 7.35);
	check_path(&air,
	    &(struct path){.delay = 300,
	        .ppm = -20,
	        .carrier = 80,
	        .amplitude = 1,
	        .noise = noise,
	        .settle = 10},
	    10, 1, 7.35);
	check_path(&air,
	    &(struct path){.delay = -16, .ppm = 20, .amplitude = 1, .noise = noise, .settle = 10},
	    10, 1, 7.35);
	air_close(&air);
}

/* Chips and clock are the same bits at every vector level. */
static void levels_agree(void **state)
{
	const struct path path = {
	    .delay = 777.7, .ppm = -20, .carrier = -130, .amplitude = 1, .noise = 5};
	struct mock sync[SIMD_LEVELS];
	static cf32 message[FRAME];
	struct air air;

	(void)state;
	air_open(&air, 4);
	for (int level = 0; level < SIMD_LEVELS; level++) {
		if (!simd_has((enum simd_level)level))
			continue;
		sync_open(&sync[level]);
		sync[level].setup.simd = (uint32_t)level;
		start(&sync[level]);
	}
	for (uint64_t k = 0; k < 4; k++) {
		air_receive(&air, &path, k, message);
		for (int level = 0; level < SIMD_LEVELS; level++) {
			if (!simd_has((enum simd_level)level))
				continue;
			run(&sync[level], message, FRAME, k);
			assert_int_equal(sync[level].out[0].len, k ? CHIPS : 0);
			assert_memory_equal(sync[level].out[0].data, sync[0].out[0].data,
			    sync[0].out[0].len * sizeof(cf32));
			assert_true(
			    mock_var(&sync[level], "clock_ppm") == mock_var(&sync[0], "clock_ppm"));
		}
	}
	for (int level = 0; level < SIMD_LEVELS; level++)
		if (simd_has((enum simd_level)level))
			mock_close(&sync[level]);
	air_close(&air);
}

/* A hole costs the frames it is in and no other; a message of another length is one. */
static void holes_cost_their_frames(void **state)
{
	static cf32 message[FRAME];
	struct mock sync;
	struct air air;

	(void)state;
	air_open(&air, 16);
	sync_open(&sync);
	start(&sync);
	for (uint64_t k = 0; k < 16; k++) {
		const bool hole = k == 5 || k == 9 || k == 10 || k == 13;
		const bool valid = k > 0 && !hole && k != 6 && k != 11 && k != 14;

		air_receive(&air, &(struct path){.delay = 20000.25, .amplitude = 1}, k, message);
		if (k == 13)
			mock_give(&sync, 0, message, FRAME - 1);
		else if (!hole)
			mock_give(&sync, 0, message, FRAME);
		assert_int_equal(mock_work(&sync, k), 0);
		assert_int_equal(sync.out[0].state, valid ? ALOE_VALID : ALOE_ABSENT);
		if (valid)
			assert_true(
			    chip_error_db(sync.out[0].data, air.sent + (k - 1) * CHIPS) < -20);
	}
	assert_true(mock_var(&sync, "locks") == 1);
	assert_true(mock_var(&sync, "spoilt") == 7);
	assert_true(mock_var(&sync, "short_blocks") == 1);
	assert_true(mock_var(&sync, "frames") == 8);
	mock_close(&sync);
	air_close(&air);
}

/* The cell goes away and comes back elsewhere. */
static void loses_and_finds_again(void **state)
{
	static cf32 message[FRAME];
	struct mock sync;
	struct air air;

	(void)state;
	air_open(&air, 20);
	sync_open(&sync);
	start(&sync);
	for (uint64_t k = 0; k < 20; k++) {
		const bool there = k < 4 || k >= 13;
		const struct path path = {
		    .delay = k < 10 ? 5000 : 44000.5, .amplitude = there, .noise = 0.1};

		air_receive(&air, &path, k, message);
		run(&sync, message, FRAME, k);
		if (k == 11)
			assert_true(mock_var(&sync, "locked") == 0);
		if (k == 3 || k > 16) {
			assert_int_equal(sync.out[0].state, ALOE_VALID);
			assert_true(
			    chip_error_db(sync.out[0].data, air.sent + (k - 1) * CHIPS) < -9);
		}
	}
	assert_true(mock_var(&sync, "locks") == 2);
	mock_close(&sync);
	air_close(&air);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pulses_leave_no_interference),
	    cmocka_unit_test(finds_frames_at_any_delay),
	    cmocka_unit_test(finds_frames_at_any_carrier),
	    cmocka_unit_test(finds_frames_in_noise),
	    cmocka_unit_test(finds_nothing_where_nothing_is),
	    cmocka_unit_test(follows_a_clock),
	    cmocka_unit_test(holds_two_oscillators),
	    cmocka_unit_test(levels_agree),
	    cmocka_unit_test(holes_cost_their_frames),
	    cmocka_unit_test(loses_and_finds_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
