/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The radio level of the UTRA downlink, component by component: the transmitter against tests/utran_plain, chip by chip;
 * what two pulse filters leave of intersymbol interference; acquisition at any delay, fraction of a sample and carrier
 * offset; clocks that run fast or slow, holes, and a cell that goes away; coherent detection. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/kernels/random.h"
#include "tests/mock/mock.h"
#include "tests/utran_plain/utran_plain_radio.h"

enum { CHIPS = PLAIN_CHIPS, FRAME = 2 * CHIPS, BITS = 9600, DATA = 9120, PRIMARY = 9 };

static void set_real(struct mock *m, const char *name, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.17g", value);
	assert_int_equal(mock_set(m, name, text), 0);
}

static void start(struct mock *m)
{
	if (mock_start(m) < 0)
		fail_msg("%s: %s", m->name, m->setup.error);
}

static void run(struct mock *m, const void *in, uint32_t n, uint64_t index)
{
	mock_give(m, 0, in, n);
	assert_int_equal(mock_work(m, index), 0);
}

static double power(const cf32 *samples, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += creal((double complex)samples[i] * conj((double complex)samples[i]));
	return sum / n;
}

/* ---- transmitter ---- */

struct sender {
	struct mock map, mod, spread, pilot, scramble;
};

static void sender_open(struct sender *s, int format, int code, double share)
{
	const int *row = plain_slot_format(format);

	mock_open(&s->map, "utran_dpch_map");
	set_real(&s->map, "slot_format", format);
	set_real(&s->map, "tfci", 77);
	set_real(&s->map, "tpc", 0);
	mock_input(&s->map, 0, ALOE_BIT, 15 * (uint32_t)(row[1] + row[2]));
	start(&s->map);
	mock_open(&s->mod, "qpsk_mod");
	mock_input(&s->mod, 0, ALOE_BIT, s->map.format_out[0].max);
	start(&s->mod);
	mock_open(&s->spread, "utran_spread");
	set_real(&s->spread, "sf", row[0]);
	set_real(&s->spread, "code", code);
	set_real(&s->spread, "gain", sqrt(share));
	mock_input(&s->spread, 0, ALOE_CF32, s->mod.format_out[0].max);
	start(&s->spread);
	mock_open(&s->pilot, "utran_cpich");
	set_real(&s->pilot, "gain", sqrt(1 - share));
	mock_input(&s->pilot, 0, ALOE_CF32, CHIPS);
	start(&s->pilot);
	mock_open(&s->scramble, "utran_scramble");
	set_real(&s->scramble, "primary_code", PRIMARY);
	mock_input(&s->scramble, 0, ALOE_CF32, CHIPS);
	start(&s->scramble);
}

/* The chips of a frame of random bits; the bits of the frame as the plain one maps them. */
static const cf32 *sender_frame(struct sender *s, int format, uint64_t index, uint8_t *ret_bits)
{
	uint8_t data[18720];

	random_bits(5, index, data, s->map.format_in[0].max);
	plain_dpch(format, 77, 0, data, ret_bits);
	run(&s->map, data, s->map.format_in[0].max, index);
	run(&s->mod, s->map.out[0].data, s->map.out[0].len, index);
	run(&s->spread, s->mod.out[0].data, s->mod.out[0].len, index);
	assert_int_equal(s->spread.out[0].len, CHIPS);
	run(&s->pilot, s->spread.out[0].data, CHIPS, index);
	run(&s->scramble, s->pilot.out[0].data, CHIPS, index);
	assert_int_equal(s->scramble.out[0].state, ALOE_VALID);
	return s->scramble.out[0].data;
}

static void sender_close(struct sender *s)
{
	mock_close(&s->map);
	mock_close(&s->mod);
	mock_close(&s->spread);
	mock_close(&s->pilot);
	mock_close(&s->scramble);
}

static void transmitter_is_the_plain_one(void **state)
{
	static const int cases[][2] = {{15, 1}, {15, 7}, {11, 3}, {14, 9}, {16, 2}, {0, 400}};
	static double complex plain[CHIPS];
	struct plain_gold *gold = plain_gold_new();
	uint8_t bits[20000];

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		const int format = cases[c][0], code = cases[c][1];
		struct sender sender;

		sender_open(&sender, format, code, 0.9);
		for (uint64_t index = 0; index < 2; index++) {
			const cf32 *chips = sender_frame(&sender, format, index, bits);

			plain_chips(gold, PRIMARY, bits, plain_slot_format(format)[0], code, 0.9, plain);
			for (int i = 0; i < CHIPS; i++)
				assert_true(cabs(chips[i] - plain[i]) < 1e-6);
			assert_true(fabs(power(chips, CHIPS) - 1) < 0.03);
		}
		sender_close(&sender);
	}
	free(gold);
}

/* ---- a stream of samples to receive ---- */

struct air {
	cf32 *sent;    /* frames of chips */
	cf32 *samples; /* pulses, two a chip */
	uint32_t frames;
};

static void air_open(struct air *air, uint32_t frames)
{
	struct sender sender;
	struct mock pulse;
	uint8_t bits[BITS];

	air->frames = frames;
	air->sent = malloc((size_t)frames * CHIPS * sizeof(cf32));
	air->samples = malloc((size_t)frames * FRAME * sizeof(cf32));
	assert_true(air->sent && air->samples);
	sender_open(&sender, 15, 1, 0.9);
	mock_open(&pulse, "rrc_interp");
	set_real(&pulse, "rolloff", 0.22);
	set_real(&pulse, "delay", 10);
	mock_input(&pulse, 0, ALOE_CF32, CHIPS);
	start(&pulse);
	for (uint32_t k = 0; k < frames; k++) {
		cf32 *sent = air->sent + (size_t)k * CHIPS;

		memcpy(sent, sender_frame(&sender, 15, k, bits), CHIPS * sizeof(cf32));
		run(&pulse, sent, CHIPS, k);
		memcpy(air->samples + (size_t)k * FRAME, pulse.out[0].data, FRAME * sizeof(cf32));
	}
	mock_close(&pulse);
	sender_close(&sender);
}

static void air_close(struct air *air)
{
	free(air->sent);
	free(air->samples);
}

struct path {
	double delay;     /* samples, any fraction */
	double ppm;       /* the sender's clock is fast */
	double carrier;   /* Hz */
	double phase;     /* turns */
	double amplitude; /* 0: silence */
	double noise;     /* power a sample */
	uint64_t settle;  /* before this message errors do not count */
};

/* The stream at time `at` samples, by a sinc of 48 samples under a Hann window: the signal fills 0.61 of the band. */
static double complex air_at(const struct air *air, double at)
{
	const long long whole = (long long)floor(at), size = (long long)air->frames * FRAME;
	const double fraction = at - (double)whole, sine = sin(M_PI * fraction) / M_PI;
	double complex sum = 0;

	if (fraction < 1e-9)
		return whole >= 0 && whole < size ? (double complex)air->samples[whole] : 0;
	for (int k = -23; k <= 24; k++) {
		const double t = k - fraction, window = 0.5 + 0.5 * cos(M_PI * t / 24.5);
		const double weight = (k % 2 ? sine : -sine) / t * window;

		if (whole + k >= 0 && whole + k < size)
			sum += weight * (double complex)air->samples[whole + k];
	}
	return sum;
}

/* Message `index` of what a receiver hears. */
static void air_receive(const struct air *air, const struct path *path, uint64_t index, cf32 *out)
{
	static float noise[2 * FRAME];

	random_gauss(17, index, noise, 2 * FRAME);
	for (uint32_t i = 0; i < FRAME; i++) {
		const double time = (double)index * FRAME + i;
		const double complex turned = cexp(2 * I * M_PI * (path->carrier / 7.68e6 * time + path->phase));
		const double at = (time - path->delay) * (1 + 1e-6 * path->ppm);
		const double complex signal = path->amplitude > 0 ? path->amplitude * turned * air_at(air, at) : 0;

		out[i] = (cf32)(signal + sqrt(path->noise / 2) * (noise[2 * i] + I * noise[2 * i + 1]));
	}
}

static void sync_open(struct mock *m)
{
	mock_open(m, "utran_sync");
	set_real(m, "primary_code", PRIMARY);
	mock_input(m, 0, ALOE_CF32, FRAME);
}

/* The error of received chips, block by block of 256 with the channel taken off, as a share of the signal, in dB. */
static double chip_error_db(const cf32 *received, const cf32 *sent)
{
	double error = 0, signal = 0;

	for (uint32_t block = 0; block < CHIPS; block += 256) {
		double complex sum = 0;

		for (uint32_t i = block; i < block + 256; i++)
			sum += received[i] * conj((double complex)sent[i]);
		sum /= 256 * power(sent + block, 256);
		for (uint32_t i = block; i < block + 256; i++) {
			const double complex off = received[i] - sum * sent[i];

			error += creal(off * conj(off));
			signal += creal(sum * conj(sum));
		}
	}
	return 10 * log10(error / signal);
}

/* ---- receiver: what there is to find ---- */

/* Two filters in a row leave little: for each number of samples a chip, at the sampling time known. */
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
			assert_true(fabs(power(pulse.out[0].data, CHIPS * (uint32_t)n) / power(chips, CHIPS) - 1) <
				    0.02);
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

/* Runs the stream through; frame k must come out in message k + lag, from message `from` on at the latest, with no more
 * error than `worst_db`. */
static void check_path(const struct air *air, const struct path *path, uint64_t from, uint64_t lag, double worst_db)
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
			worst = fmax(worst, chip_error_db(sync.out[0].data, air->sent + (k - lag) * CHIPS));
	}
	print_message(
	    "delay %10.2f, %5.1f Hz, %4.1f ppm: locked after %.0f tries, frame at chip %.2f, carrier %.0f Hz, "
	    "clock %.2f ppm, error %.1f dB\n",
	    path->delay, path->carrier, path->ppm, mock_var(&sync, "tries"), mock_var(&sync, "frame_chip"),
	    mock_var(&sync, "carrier_hz"), mock_var(&sync, "clock_ppm"), worst);
	assert_true(mock_var(&sync, "locks") == 1 && mock_var(&sync, "locked") == 1);
	assert_true(worst < worst_db);
	if (path->ppm == 0)
		assert_true(fabs(mock_var(&sync, "frame_chip") - (path->delay / 2 + 10) + 38400.0 * (double)(lag - 1)) <
			    0.05);
	mock_close(&sync);
}

static void finds_frames_at_any_delay(void **state)
{
	static const double delays[] = {0, 1, 0.5, 255.25, 20000.125, 38399.875, 65000.3, 76700.7};
	struct air air;

	(void)state;
	air_open(&air, 6);
	for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		const struct path path = {.delay = delays[i], .phase = 0.1 * (double)i, .amplitude = 1};

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
		const struct path path = {.delay = 1234.5 * (double)i, .carrier = carriers[i], .amplitude = 1};

		check_path(&air, &path, 3, 1, -19); /* the carrier turns by up to 0.1 within a block */
	}
	air_close(&air);
}

/* The pilot, a tenth of a chip's power, 10 dB below noise in the chip's band: the pilot's Ec/N0 is -20 dB. */
static void finds_frames_in_noise(void **state)
{
	struct air air;

	(void)state;
	air_open(&air, 8);
	for (int i = 0; i < 4; i++) {
		const struct path path = {.delay = 9876.5 * i + 0.3, .amplitude = 1, .noise = 2 * 10};

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

/* A sender's clock that is fast or slow: followed, and told. 3 ppm are 0.1 chips a frame, so that at first
 * the clock is up to 0.2 chips behind. */
static void follows_a_clock(void **state)
{
	struct air air;

	(void)state;
	air_open(&air, 60);
	check_path(&air, &(struct path){.delay = 30000.5, .ppm = 3, .amplitude = 1, .settle = 20}, 3, 1, -20);
	check_path(&air, &(struct path){.delay = 30000.5, .ppm = -3, .amplitude = 1, .carrier = 60, .settle = 20}, 3, 1,
		   -20);
	/* Past the beginning of the message and on: the frames still come at index k + 1. */
	check_path(&air, &(struct path){.delay = -16, .ppm = 3, .amplitude = 1, .settle = 20}, 3, 1, -20);
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
			assert_true(chip_error_db(sync.out[0].data, air.sent + (k - 1) * CHIPS) < -20);
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
		const struct path path = {.delay = k < 10 ? 5000 : 44000.5, .amplitude = there, .noise = 0.1};

		air_receive(&air, &path, k, message);
		run(&sync, message, FRAME, k);
		if (k == 11)
			assert_true(mock_var(&sync, "locked") == 0);
		if (k == 3 || k > 16) {
			assert_int_equal(sync.out[0].state, ALOE_VALID);
			assert_true(chip_error_db(sync.out[0].data, air.sent + (k - 1) * CHIPS) < -9);
		}
	}
	assert_true(mock_var(&sync, "locks") == 2);
	mock_close(&sync);
	air_close(&air);
}

/* ---- despreading, phase, soft bits ---- */

/* White noise of power 1 a chip has 1 / SF a symbol: 9.03 dB for SF 8. */
static void despreading_gains(void **state)
{
	static cf32 chips[CHIPS];

	(void)state;
	for (int sf = 4; sf <= 256; sf *= 2) {
		double sum = 0;
		struct mock m;

		mock_open(&m, "utran_despread");
		set_real(&m, "sf", sf);
		set_real(&m, "code", sf / 2);
		mock_input(&m, 0, ALOE_CF32, CHIPS);
		start(&m);
		for (uint64_t k = 0; k < 20; k++) {
			random_gauss(6, k, (float *)chips, 2 * CHIPS);
			for (int i = 0; i < CHIPS; i++)
				chips[i] *= (float)M_SQRT1_2;
			run(&m, chips, CHIPS, k);
			assert_int_equal(m.out[0].len, CHIPS / sf);
			sum += power(m.out[0].data, m.out[0].len) / 20;
		}
		assert_true(fabs(-10 * log10(sum) - 10 * log10(sf)) < 5 * 4.34 / sqrt(20.0 * CHIPS / sf));
		run(&m, chips, (uint32_t)sf + 1, 20);
		assert_int_equal(m.out[0].len, 1);
		assert_true(mock_var(&m, "dropped") == 1);
		mock_close(&m);
	}
}

/* Four channels of one cell, of different spreading factors: each comes out of the sum as if it were alone. */
static void channels_do_not_meet(void **state)
{
	static const int channels[4][2] = {{8, 1}, {4, 3}, {128, 34}, {256, 0}};
	static cf32 symbols[4][CHIPS / 4];
	struct mock spread[4], add;

	(void)state;
	mock_open(&add, "add");
	for (unsigned c = 0; c < 4; c++)
		mock_input(&add, c, ALOE_CF32, CHIPS);
	start(&add);
	for (unsigned c = 0; c < 4; c++) {
		const uint32_t n = CHIPS / (uint32_t)channels[c][0];

		random_gauss(11, c, (float *)symbols[c], 2 * n);
		mock_open(&spread[c], "utran_spread");
		set_real(&spread[c], "sf", channels[c][0]);
		set_real(&spread[c], "code", channels[c][1]);
		mock_input(&spread[c], 0, ALOE_CF32, n);
		start(&spread[c]);
		run(&spread[c], symbols[c], n, 0);
		mock_give(&add, c, spread[c].out[0].data, CHIPS);
	}
	assert_int_equal(mock_work(&add, 0), 0);
	assert_int_equal(add.out[0].len, CHIPS);
	for (unsigned c = 0; c < 4; c++) {
		struct mock m;

		mock_open(&m, "utran_despread");
		set_real(&m, "sf", channels[c][0]);
		set_real(&m, "code", channels[c][1]);
		mock_input(&m, 0, ALOE_CF32, CHIPS);
		start(&m);
		run(&m, add.out[0].data, CHIPS, 0);
		for (uint32_t i = 0; i < m.out[0].len; i++)
			assert_true(cabsf(((const cf32 *)m.out[0].data)[i] - symbols[c][i]) < 1e-5f);
		mock_close(&m);
		mock_close(&spread[c]);
	}
	mock_close(&add);
}

static void add_needs_all_of_one_length(void **state)
{
	static const float ones[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	struct mock m;

	(void)state;
	mock_open(&m, "add");
	mock_input(&m, 0, ALOE_F32, 10);
	mock_input(&m, 1, ALOE_F32, 10);
	start(&m);
	mock_give(&m, 0, ones, 10);
	mock_give(&m, 1, ones, 10);
	assert_int_equal(mock_work(&m, 0), 0);
	for (int i = 0; i < 10; i++)
		assert_true(((const float *)m.out[0].data)[i] == 2 * ones[i]);
	mock_give(&m, 0, ones, 10);
	mock_give(&m, 1, ones, 9);
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_true(mock_var(&m, "short_blocks") == 1);
	mock_give(&m, 0, ones, 10);
	mock_give_state(&m, 1, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.out[0].state, ALOE_IDLE);
	mock_close(&m);
}

/* Symbols through a channel that turns and fades come out at the angle at which they were sent, weighed by its power. */
static void phase_is_corrected(void **state)
{
	static const double carriers[] = {0, 33, -410, 1500, -3000};
	static cf32 symbols[4800], pilots[150];

	(void)state;
	for (size_t c = 0; c < sizeof(carriers) / sizeof(carriers[0]); c++) {
		double worst = 0;
		struct mock m;
		const cf32 *out;

		mock_open(&m, "utran_phase_correct");
		set_real(&m, "window", 5);
		set_real(&m, "pilot_gain", 0.5);
		mock_input(&m, 0, ALOE_CF32, 4800);
		mock_input(&m, 1, ALOE_CF32, 150);
		start(&m);
		for (int i = 0; i < 4800; i++)
			symbols[i] = (float complex)(2e-3 * (i < 2400 ? 1 : 0.5) *
						     cexp(2 * I * M_PI * (carriers[c] * (i + 0.5) / 480e3 + 0.37)));
		for (int i = 0; i < 150; i++)
			pilots[i] = (float complex)(1e-3 * (i < 75 ? 1 : 0.5) * (1 + I) / sqrt(2) *
						    cexp(2 * I * M_PI * (carriers[c] * (i + 0.5) / 15e3 + 0.37)));
		mock_give(&m, 0, symbols, 4800);
		mock_give(&m, 1, pilots, 150);
		assert_int_equal(mock_work(&m, 0), 0);
		out = m.out[0].data;
		assert_int_equal(m.out[0].len, 4800);
		for (int i = 0; i < 4800; i++) {
			const double want = (i < 2400 ? 1 : 0.25) / 0.625; /* power over mean power */

			if (i < 2300 || i > 2500)
				worst = fmax(worst, cabs(out[i] - want) / want);
		}
		assert_true(worst < 5e-3); /* where the power changes, averages are of both */
		assert_true(fabs(mock_var(&m, "carrier_hz") - carriers[c]) < 0.5);
		mock_close(&m);
	}
}

static void phase_needs_both(void **state)
{
	static cf32 symbols[100], pilots[10];
	struct mock m;

	(void)state;
	mock_open(&m, "utran_phase_correct");
	mock_input(&m, 0, ALOE_CF32, 100);
	mock_input(&m, 1, ALOE_CF32, 10);
	start(&m);
	mock_give(&m, 0, symbols, 100);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	mock_give(&m, 1, pilots, 10);
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_true(mock_var(&m, "short_blocks") == 0);
	mock_give(&m, 0, symbols, 99);
	mock_give(&m, 1, pilots, 10);
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_true(mock_var(&m, "short_blocks") == 1);
	mock_give(&m, 0, symbols, 100); /* no pilot at all: nothing is known */
	mock_give(&m, 1, pilots, 10);
	assert_int_equal(mock_work(&m, 3), 0);
	assert_int_equal(m.out[0].state, ALOE_VALID);
	assert_true(power(m.out[0].data, 100) == 0);
	mock_close(&m);
}

static void qpsk_there_and_back(void **state)
{
	uint8_t bits[1001];
	struct mock mod, soft;

	(void)state;
	random_bits(1, 1, bits, 1001);
	mock_open(&mod, "qpsk_mod");
	set_real(&mod, "amplitude", 2);
	mock_input(&mod, 0, ALOE_BIT, 1001);
	start(&mod);
	run(&mod, bits, 1001, 0);
	assert_int_equal(mod.out[0].len, 500);
	assert_true(mock_var(&mod, "odd_bits") == 1);
	for (int i = 0; i < 500; i++) {
		const cf32 symbol = ((const cf32 *)mod.out[0].data)[i];

		assert_true(fabsf(crealf(symbol) - (bits[2 * i] ? -1 : 1) * (float)M_SQRT2) < 1e-6f);
		assert_true(fabsf(cimagf(symbol) - (bits[2 * i + 1] ? -1 : 1) * (float)M_SQRT2) < 1e-6f);
	}
	mock_open(&soft, "qpsk_soft_demod");
	set_real(&soft, "amplitude", 2);
	set_real(&soft, "scale", 21);
	mock_input(&soft, 0, ALOE_CF32, 500);
	start(&soft);
	run(&soft, mod.out[0].data, 500, 0);
	assert_int_equal(soft.out[0].len, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(((const int16_t *)soft.out[0].data)[i], bits[i] ? -21 : 21);
	mock_close(&mod);
	mock_close(&soft);
}

static void slots_and_tfci(void **state)
{
	struct sender sender;
	struct mock demap;
	uint8_t bits[BITS];
	int16_t soft[BITS];

	(void)state;
	sender_open(&sender, 15, 1, 0.9);
	sender_frame(&sender, 15, 3, bits);
	for (int i = 0; i < BITS; i++)
		soft[i] = bits[i] ? -30 : 30;
	mock_open(&demap, "utran_dpch_demap");
	mock_input(&demap, 0, ALOE_LLR16, BITS);
	start(&demap);
	run(&demap, soft, BITS, 0);
	assert_int_equal(demap.out[0].len, DATA);
	random_bits(5, 3, bits, DATA);
	for (int i = 0; i < DATA; i++)
		assert_int_equal(((const int16_t *)demap.out[0].data)[i], bits[i] ? -30 : 30);
	assert_true(mock_var(&demap, "tfci") == 77);
	run(&demap, soft, BITS - 1, 1);
	assert_int_equal(demap.out[0].state, ALOE_ABSENT);
	assert_true(mock_var(&demap, "short_blocks") == 1);
	mock_close(&demap);
	sender_close(&sender);
}

/* Whatever the messages' lengths, the stream is the same, so much later. */
static void delay_delays(void **state)
{
	static const uint32_t delays[] = {0, 1, 7, 100, 101, 1000};
	int16_t sent[3000], got[3000];

	(void)state;
	for (int i = 0; i < 3000; i++)
		sent[i] = (int16_t)(i + 1);
	for (size_t d = 0; d < sizeof(delays) / sizeof(delays[0]); d++) {
		uint32_t at = 0;
		struct mock m;

		mock_open(&m, "delay");
		set_real(&m, "items", delays[d]);
		mock_input(&m, 0, ALOE_I16, 101);
		start(&m);
		for (uint64_t k = 0; at + 101 <= 3000; k++) {
			const uint32_t n = (uint32_t)(k * 37 % 102);

			run(&m, sent + at, n, k);
			assert_int_equal(m.out[0].len, n);
			memcpy(got + at, m.out[0].data, n * sizeof(*got));
			at += n;
		}
		for (uint32_t i = 0; i < at; i++)
			assert_int_equal(got[i], i < delays[d] ? 0 : sent[i - delays[d]]);
		mock_close(&m);
	}
}

static void refuse(const char *component, const char *param, double value, uint32_t type, uint32_t max, const char *why)
{
	struct mock m;

	mock_open(&m, component);
	if (param)
		set_real(&m, param, value);
	for (unsigned i = 0; mock_port(&m, i, 0); i++)
		mock_input(&m, i, type, max);
	assert_true(mock_start(&m) < 0);
	assert_string_equal(m.setup.error, why);
	mock_close(&m);
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	refuse("utran_spread", "sf", 12, ALOE_CF32, 100, "sf = 12 is not 4, 8, 16, 32, 64, 128, 256 or 512");
	refuse("utran_despread", "code", 8, ALOE_CF32, 100, "code = 8 is outside [0, 7] for sf = 8");
	refuse("utran_phase_correct", "window", 10, ALOE_CF32, 100, "window = 10 is not odd");
	refuse("utran_dpch_map", NULL, 0, ALOE_BIT, 9000,
	       "slot format 15 has 9120 data bits in a radio frame, the input has 9000");
	refuse("utran_dpch_demap", "slot_format", 14, ALOE_LLR16, 9600,
	       "slot format 14 has 4800 bits in a radio frame, the input has 9600");
	refuse("utran_scramble", NULL, 0, ALOE_CF32, 38401,
	       "a message of 38401 chips is longer than the 38400 of a radio frame");
	refuse("utran_sync", NULL, 0, ALOE_CF32, 38400, "a radio frame has 76800 samples, the input 38400");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(transmitter_is_the_plain_one),
	    cmocka_unit_test(pulses_leave_no_interference),
	    cmocka_unit_test(finds_frames_at_any_delay),
	    cmocka_unit_test(finds_frames_at_any_carrier),
	    cmocka_unit_test(finds_frames_in_noise),
	    cmocka_unit_test(finds_nothing_where_nothing_is),
	    cmocka_unit_test(follows_a_clock),
	    cmocka_unit_test(holes_cost_their_frames),
	    cmocka_unit_test(loses_and_finds_again),
	    cmocka_unit_test(despreading_gains),
	    cmocka_unit_test(channels_do_not_meet),
	    cmocka_unit_test(add_needs_all_of_one_length),
	    cmocka_unit_test(phase_is_corrected),
	    cmocka_unit_test(phase_needs_both),
	    cmocka_unit_test(qpsk_there_and_back),
	    cmocka_unit_test(slots_and_tfci),
	    cmocka_unit_test(delay_delays),
	    cmocka_unit_test(nonsense_is_refused),
	};

	/* Stays loaded, so that what its planner keeps is not taken for lost. */
	if (!dlopen("libfftw3f_threads.so.3", RTLD_LAZY))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
