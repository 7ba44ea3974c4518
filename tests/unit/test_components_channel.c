/* SPDX-License-Identifier: BSD-3-Clause
 *
 * channel_tdl, fader, coherent: profiles against the tables of the standards, samples against the
 * sum that they stand for, gains against the fading that test_fading.c looks at. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kernels/fading.h"
#include "tests/mock/mock.h"

static double complex item(const void *data, size_t i)
{
	const float *x = data;

	return x[2 * i] + I * x[2 * i + 1];
}

static float *random_floats(size_t n)
{
	float *x = malloc(n * sizeof(*x));

	assert_non_null(x);
	for (size_t i = 0; i < n; i++)
		x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
	return x;
}

static void set_number(struct mock *m, const char *name, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.17g", value);
	assert_int_equal(mock_set(m, name, text), 0);
}

static void start(struct mock *m)
{
	if (mock_start(m) != 0)
		fail_msg("%s", m->setup.error);
}

/* ---- profiles ---- */

/* Copied from the standards, and nothing else: ITU-R M.1225 Annex 2 tables 4 and 5, TS 25.101 table
 * B.1. */
static const struct {
	const char *name;
	int n;
	double delays_ns[6], powers_db[6], speed_kmh;
} tables[] = {
    {"flat", 1, {0}, {0}, 3},
    {"pedestrian_a", 4, {0, 110, 190, 410}, {0, -9.7, -19.2, -22.8}, 3},
    {"pedestrian_b", 6, {0, 200, 800, 1200, 2300, 3700}, {0, -0.9, -4.9, -8.0, -7.8, -23.9}, 3},
    {"vehicular_a", 6, {0, 310, 710, 1090, 1730, 2510}, {0, -1.0, -9.0, -10.0, -15.0, -20.0}, 30},
    {"case1", 2, {0, 976}, {0, -10}, 3},
    {"case2", 3, {0, 976, 20000}, {0, 0, 0}, 3},
    {"case3", 4, {0, 260, 521, 781}, {0, -3, -6, -9}, 120},
};

enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

static void open_channel(struct mock *m, const char *profile, uint32_t max, double rate_hz)
{
	mock_open(m, "channel_tdl");
	m->setup.slot_ns = (uint64_t)llround(max * 1e9 / rate_hz);
	assert_int_equal(mock_set(m, "profile", profile), 0);
	mock_input(m, 0, ALOE_CF32, max);
	mock_output(m, 1, ALOE_CF32);
}

/* An impulse comes out at each delay, at 1 GSa/s, with the gain that `taps` tells of. */
static void check_delays(int t)
{
	enum { MAX = 25000 };
	float *impulse = calloc(2 * MAX, sizeof(float));
	uint32_t found = 0;
	struct mock m;

	impulse[0] = 1;
	open_channel(&m, tables[t].name, MAX, 1e9);
	set_number(&m, "doppler_hz", 0);
	start(&m);
	mock_give(&m, 0, impulse, MAX);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.out[0].len, MAX);
	assert_int_equal(m.out[1].len, MAX * tables[t].n);
	for (uint32_t i = 0; i < MAX; i++) {
		if (item(m.out[0].data, i) == 0)
			continue;
		assert_in_range(found, 0, tables[t].n - 1);
		assert_int_equal(i, tables[t].delays_ns[found]);
		assert_true(item(m.out[0].data, i) == item(m.out[1].data, (size_t)MAX * found + i));
		found++;
	}
	assert_int_equal(found, tables[t].n);
	mock_close(&m);
	free(impulse);
}

/* Mean powers over time, within 0.2 dB of the table; 1 in all. */
static void check_powers(int t)
{
	enum { MAX = 1000, SLOTS = 100 };
	double power[6] = {0}, sum = 0;
	float *x = random_floats(2 * MAX);
	struct mock m;

	open_channel(&m, tables[t].name, MAX, 1e4);
	set_number(&m, "doppler_hz", 2000);
	start(&m);
	for (uint64_t k = 0; k < SLOTS; k++) {
		mock_give(&m, 0, x, MAX);
		assert_int_equal(mock_work(&m, k), 0);
		for (size_t i = 0; i < (size_t)MAX * tables[t].n; i++)
			power[i / MAX] += pow(cabs(item(m.out[1].data, i)), 2) / (MAX * SLOTS);
	}
	for (int i = 0; i < tables[t].n; i++) {
		sum += power[i];
		assert_true(fabs(10 * log10(power[i] / power[0]) - tables[t].powers_db[i]) < 0.2);
	}
	assert_true(fabs(sum - 1) < 0.03);
	mock_close(&m);
	free(x);
}

static void profiles(void **state)
{
	(void)state;
	for (int t = 0; t < TABLES; t++) {
		check_delays(t);
		check_powers(t);
	}
}

static void speeds(void **state)
{
	struct mock m;

	(void)state;
	for (int t = 0; t < TABLES; t++) {
		open_channel(&m, tables[t].name, 100, 1e6);
		start(&m);
		assert_true(fabs(mock_var(&m, "doppler_now_hz") -
		                tables[t].speed_kmh / 3.6 * 2e9 / 299792458) < 1e-9);
		assert_true(mock_var(&m, "path_count") == tables[t].n);
		mock_close(&m);
	}
	open_channel(&m, "case3", 100, 1e6);
	set_number(&m, "speed_kmh", 250);
	set_number(&m, "carrier_hz", 900e6);
	start(&m);
	assert_true(fabs(mock_var(&m, "doppler_now_hz") - 208.477) < 0.001);
	mock_close(&m);
}

static void custom(void **state)
{
	static const float delays_ns[] = {0, 250, 1000}, powers_db[] = {0, -3, 3};
	enum { MAX = 500, SLOTS = 200 };
	float *x = random_floats(2 * MAX);
	double power[3] = {0};
	struct mock m;

	(void)state;
	open_channel(&m, "custom", MAX, 1e4);
	mock_set_reals(&m, "delays_ns", delays_ns, 3);
	mock_set_reals(&m, "powers_db", powers_db, 3);
	assert_int_equal(mock_set(&m, "normalize", "false"), 0);
	set_number(&m, "doppler_hz", 2000);
	start(&m);
	for (uint64_t k = 0; k < SLOTS; k++) {
		mock_give(&m, 0, x, MAX);
		assert_int_equal(mock_work(&m, k), 0);
		for (size_t i = 0; i < 3 * MAX; i++)
			power[i / MAX] += pow(cabs(item(m.out[1].data, i)), 2) / (MAX * SLOTS);
	}
	for (int i = 0; i < 3; i++)
		assert_true(fabs(10 * log10(power[i]) - powers_db[i]) < 0.2);
	assert_string_equal(m.setup.note, "");
	mock_close(&m);
	free(x);
	/* ... and with another profile they are not used, and that is said. */
	open_channel(&m, "case1", MAX, 1e4);
	mock_set_reals(&m, "delays_ns", delays_ns, 3);
	start(&m);
	assert_non_null(
	    strstr(m.setup.note, "delays_ns and powers_db are not used: profile is case1"));
	assert_true(mock_var(&m, "path_count") == 2);
	mock_close(&m);
}

/* ---- samples ---- */

enum { MAX = 300, SLOTS = 12 };

/* The sum that the output stands for, from the gains that `taps` tells of and all of the signal so
 * far: case 2 at 1 MSa/s has delays of 0, 1 and 20 samples. A short message, then two that are
 * missing, of which the line's rest comes out. */
static void samples_are_the_sum(void **state)
{
	static const uint32_t delays[] = {0, 1, 20};
	static const uint32_t lens[SLOTS] = {MAX, MAX, 100, MAX, 0, 0, MAX, 7, MAX, MAX, MAX, MAX};
	float *x = random_floats(2 * (size_t)MAX * SLOTS), *sent = calloc((size_t)MAX * SLOTS, 8);
	size_t at = 0;
	struct mock m;

	(void)state;
	open_channel(&m, "case2", MAX, 1e6);
	set_number(&m, "doppler_hz", 500);
	start(&m);
	for (uint64_t k = 0; k < SLOTS; k++) {
		const uint32_t n = lens[k] ? lens[k] : MAX;

		memcpy(sent + 2 * at, x, (size_t)lens[k] * 8);
		if (lens[k])
			mock_give(&m, 0, x, lens[k]);
		assert_int_equal(mock_work(&m, k), 0);
		assert_int_equal(m.out[0].state, k == 5 ? ALOE_ABSENT : ALOE_VALID);
		assert_int_equal(m.out[1].state, k == 5 ? ALOE_ABSENT : ALOE_VALID);
		for (uint32_t i = 0; i < m.out[0].len; i++) {
			double complex want = 0;

			for (int l = 0; l < 3; l++)
				if (at + i >= delays[l])
					want += item(m.out[1].data, (size_t)n * l + i) *
					    item(sent, at + i - delays[l]);
			assert_true(cabs(item(m.out[0].data, i) - want) < 1e-6);
		}
		at += n;
	}
	assert_true(mock_var(&m, "tails") == 1);
	mock_close(&m);
	free(x);
	free(sent);
}

/* The gains are those of the kernel, at the time of each item, but for straight lines between
 * points. */
static void gains_follow_time(void **state)
{
	float *x = random_floats(2 * MAX), exact[2];
	struct fading fading;
	struct mock m;

	(void)state;
	open_channel(&m, "case1", MAX, 1e5);
	set_number(&m, "doppler_hz", 300);
	set_number(&m, "seed", 9);
	start(&m);
	for (uint64_t k = 1000; k < 1010; k++) {
		mock_give(&m, 0, x, MAX);
		assert_int_equal(mock_work(&m, k), 0);
		for (uint32_t tap = 0; tap < 2; tap++) {
			fading_init(9, tap, 300, &fading);
			for (uint32_t i = 0; i < MAX; i++) {
				fading_kernels(SIMD_PLAIN)
				    ->gains(&fading, (double)k * 0.003 + i * 1e-5, 0, 1,
				        tap ? sqrtf(0.1f / 1.1f) : sqrtf(1 / 1.1f), exact);
				assert_true(cabs(item(m.out[1].data, MAX * tap + i) -
				                item(exact, 0)) < 1e-3);
			}
		}
	}
	mock_close(&m);
	free(x);
}

/* An index makes the same whether or not there were others before it. */
static void indices_stand_alone(void **state)
{
	float *x = random_floats(2 * MAX);
	struct mock one, two;

	(void)state;
	open_channel(&one, "pedestrian_b", MAX, 3.84e6);
	open_channel(&two, "pedestrian_b", MAX, 3.84e6);
	start(&one);
	start(&two);
	for (uint64_t k = 0; k < 6; k++) {
		mock_give(&one, 0, x, MAX);
		assert_int_equal(mock_work(&one, k), 0);
	}
	mock_give(&two, 0, x, MAX);
	assert_int_equal(mock_work(&two, 5), 0);
	assert_memory_equal(one.out[1].data, two.out[1].data, MAX * 6 * 8);
	mock_close(&one);
	mock_close(&two);
	free(x);
}

/* A wave through one tap between samples comes out as late as it should, to -60 dB up to 0.7 of
 * half the sample rate. */
static void delays_between_samples(void **state)
{
	static const double frequencies[] = {0, 0.1, 0.2, 0.35, -0.35};
	static const float power[] = {0};
	float wave[2 * MAX], delay_ns[1];
	struct mock m;

	(void)state;
	for (double delay = 0; delay < 3; delay += 0.23) {
		for (size_t f = 0; f < sizeof(frequencies) / sizeof(frequencies[0]); f++) {
			double complex gain;

			for (int i = 0; i < MAX; i++) {
				wave[2 * i] = (float)cos(2 * M_PI * frequencies[f] * i);
				wave[2 * i + 1] = (float)sin(2 * M_PI * frequencies[f] * i);
			}
			delay_ns[0] = (float)(delay * 1000);
			open_channel(&m, "custom", MAX, 1e6);
			mock_set_reals(&m, "delays_ns", delay_ns, 1);
			mock_set_reals(&m, "powers_db", power, 1);
			set_number(&m, "doppler_hz", 0);
			assert_int_equal(mock_set(&m, "delays", "interpolate"), 0);
			start(&m);
			mock_give(&m, 0, wave, MAX);
			assert_int_equal(mock_work(&m, 0), 0);
			gain = item(m.out[1].data, 0) *
			    cexp(-2 * M_PI * I * frequencies[f] * (delay + 7));
			for (int i = 30; i < MAX; i++)
				assert_true(cabs(item(m.out[0].data, i) / (gain * item(wave, i)) -
				                1) < 1e-3);
			mock_close(&m);
		}
	}
}

/* ---- fader ---- */

/* What it says is what channel_tdl does with an impulse in the middle of the slot, tap by tap. */
static void fader_is_the_channel(void **state)
{
	enum { N = 100, LENGTH = 30 };
	float impulse[2 * N] = {0};
	struct mock fader, channel;

	(void)state;
	impulse[2 * (N / 2)] = 1;
	open_channel(&channel, "case2", N, 1e6);
	set_number(&channel, "doppler_hz", 1);
	start(&channel);
	mock_open(&fader, "fader");
	fader.setup.slot_ns = channel.setup.slot_ns;
	assert_int_equal(mock_set(&fader, "profile", "case2"), 0);
	set_number(&fader, "doppler_hz", 1);
	set_number(&fader, "rate_hz", 1e6);
	set_number(&fader, "length", LENGTH);
	set_number(&fader, "paths", 2);
	start(&fader);
	assert_int_equal(fader.format_out[0].max, 2 * LENGTH);
	for (uint64_t k = 0; k < 2000; k += 500) {
		bool differ = false;

		assert_int_equal(mock_work(&fader, k), 0);
		mock_give(&channel, 0, impulse, N);
		assert_int_equal(mock_work(&channel, k), 0);
		for (uint32_t i = 0; i < LENGTH; i++) {
			assert_true(cabs(item(fader.out[0].data, i) -
			                item(channel.out[0].data, N / 2 + i)) < 1e-3);
			differ |= item(fader.out[0].data, i) != item(fader.out[0].data, LENGTH + i);
		}
		assert_true(differ);
	}
	mock_close(&fader);
	mock_close(&channel);
}

/* fader -> upols.response: every block is convolved with the response of its own slot. */
static void fader_feeds_upols(void **state)
{
	enum { BLOCK = 64, BLOCKS = 20 };
	float *x = random_floats(2 * BLOCK * BLOCKS);
	struct mock fader, upols;
	uint32_t taps;

	(void)state;
	mock_open(&fader, "fader");
	assert_int_equal(mock_set(&fader, "profile", "vehicular_a"), 0);
	assert_int_equal(mock_set(&fader, "delays", "interpolate"), 0);
	set_number(&fader, "rate_hz", 30.72e6);
	start(&fader);
	taps = fader.format_out[0].max;
	mock_open(&upols, "upols");
	mock_input(&upols, 0, ALOE_CF32, BLOCK);
	mock_input(&upols, 4, ALOE_CF32, taps);
	start(&upols);
	for (uint64_t k = 0; k < BLOCKS; k++) {
		assert_int_equal(mock_work(&fader, k), 0);
		mock_give(&upols, 0, x + 2 * BLOCK * k, BLOCK);
		mock_give(&upols, 4, fader.out[0].data, fader.out[0].len);
		assert_int_equal(mock_work(&upols, k), 0);
		for (size_t i = 0; i < BLOCK; i++) {
			double complex want = 0;

			for (size_t j = 0; j < taps && j <= BLOCK * k + i; j++)
				want += item(fader.out[0].data, j) * item(x, BLOCK * k + i - j);
			assert_true(cabs(item(upols.out[0].data, i) - want) < 2e-6);
		}
	}
	assert_true(mock_var(&upols, "responses") == BLOCKS);
	assert_true(mock_var(&upols, "responses_missed") == 0);
	mock_close(&fader);
	mock_close(&upols);
	free(x);
}

/* ---- coherent ---- */

static void coherent_detection(void **state)
{
	float *x = random_floats(2 * MAX), *taps = random_floats(2 * MAX);
	struct mock m;

	(void)state;
	mock_open(&m, "coherent");
	mock_input(&m, 0, ALOE_CF32, MAX);
	mock_input(&m, 1, ALOE_CF32, MAX);
	start(&m);
	mock_give(&m, 0, x, 100);
	mock_give(&m, 1, taps, 100);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.out[0].len, 100);
	for (int i = 0; i < 100; i++)
		assert_true(cabs(item(m.out[0].data, i) - item(x, i) * conj(item(taps, i))) < 1e-6);
	mock_give(&m, 0, x, 100);
	mock_give(&m, 1, taps, 99);
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	mock_give_state(&m, 0, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.out[0].state, ALOE_IDLE);
	assert_true(mock_var(&m, "unmatched") == 1);
	mock_close(&m);
	mock_open(&m, "coherent");
	mock_input(&m, 0, ALOE_CF32, MAX);
	mock_input(&m, 1, ALOE_CF32, 2 * MAX);
	assert_int_equal(mock_start(&m), -1);
	assert_non_null(strstr(m.setup.error,
	    "the messages of in have a length up to 300, but those of taps up to 600; the channel "
	    "must be flat"));
	mock_close(&m);
	free(x);
	free(taps);
}

/* ---- what is refused ---- */

static void refused(const char *component, const char *const sets[][2], const char *why)
{
	struct mock m;

	mock_open(&m, component);
	if (strcmp(component, "fader") != 0)
		mock_input(&m, 0, ALOE_CF32, MAX);
	for (int i = 0; sets[i][0]; i++)
		assert_int_equal(mock_set(&m, sets[i][0], sets[i][1]), 0);
	assert_int_equal(mock_start(&m), -1);
	if (!strstr(m.setup.error, why))
		fail_msg("\"%s\" does not say \"%s\"", m.setup.error, why);
	mock_close(&m);
}

#define SETS(...) ((const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

static void what_is_refused(void **state)
{
	(void)state;
	refused("channel_tdl", SETS({"profile", "custom"}),
	    "needs delays_ns and powers_db of the same length");
	refused("channel_tdl", SETS({"speed_kmh", "3"}, {"doppler_hz", "5"}),
	    "speed_kmh and doppler_hz are both set");
	refused("channel_tdl", SETS({"profile", "case2"}, {"rate_hz", "1e12"}),
	    "a delay of 20000 ns at 1e+12 samples/s is above 1048576 samples");
	refused("fader", SETS({"profile", "case2"}), "rate_hz is not set");
	refused("fader", SETS({"profile", "case2"}, {"rate_hz", "1e6"}, {"length", "20"}),
	    "length = 20 is too short: the longest delay needs 21 taps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(profiles),
	    cmocka_unit_test(speeds),
	    cmocka_unit_test(custom),
	    cmocka_unit_test(samples_are_the_sum),
	    cmocka_unit_test(gains_follow_time),
	    cmocka_unit_test(indices_stand_alone),
	    cmocka_unit_test(delays_between_samples),
	    cmocka_unit_test(fader_is_the_channel),
	    cmocka_unit_test(fader_feeds_upols),
	    cmocka_unit_test(coherent_detection),
	    cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
