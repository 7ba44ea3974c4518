/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The radio level of the UTRA downlink, component by component: the transmitter against
 * tests/utran_plain, chip by chip; despreading, coherent detection, slots and soft bits. The
 * receiver's clock is test_components_utran_sync.c's. */
#include "tests/common/umts.h"

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

			plain_chips(
			    gold, PRIMARY, bits, plain_slot_format(format)[0], code, 0.9, plain);
			for (int i = 0; i < CHIPS; i++)
				assert_true(cabs(chips[i] - plain[i]) < 1e-6);
			assert_true(fabs(power(chips, CHIPS) - 1) < 0.03);
		}
		sender_close(&sender);
	}
	free(gold);
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
		assert_true(
		    fabs(-10 * log10(sum) - 10 * log10(sf)) < 5 * 4.34 / sqrt(20.0 * CHIPS / sf));
		run(&m, chips, (uint32_t)sf + 1, 20);
		assert_int_equal(m.out[0].len, 1);
		assert_true(mock_var(&m, "dropped") == 1);
		mock_close(&m);
	}
}

/* Four channels of one cell, of different spreading factors: each comes out of the sum as if it
 * were alone. */
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
			assert_true(
			    cabsf(((const cf32 *)m.out[0].data)[i] - symbols[c][i]) < 1e-5f);
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

/* Symbols through a channel that turns and fades come out at the angle at which they were sent,
 * weighed by its power. */
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
			/* power over mean power */
			const double want = (i < 2400 ? 1 : 0.25) / 0.625;

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

		assert_true(
		    fabsf(crealf(symbol) - (bits[2 * i] ? -1 : 1) * (float)M_SQRT2) < 1e-6f);
		assert_true(
		    fabsf(cimagf(symbol) - (bits[2 * i + 1] ? -1 : 1) * (float)M_SQRT2) < 1e-6f);
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

static void refuse(const char *component, const char *param, double value, uint32_t type,
    uint32_t max, const char *why)
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
	refuse("utran_spread", "sf", 12, ALOE_CF32, 100,
	    "sf = 12 is not 4, 8, 16, 32, 64, 128, 256 or 512");
	refuse(
	    "utran_despread", "code", 8, ALOE_CF32, 100, "code = 8 is outside [0, 7] for sf = 8");
	refuse("utran_phase_correct", "window", 10, ALOE_CF32, 100, "window = 10 is not odd");
	refuse("utran_dpch_map", NULL, 0, ALOE_BIT, 9000,
	    "slot format 15 has 9120 data bits in a radio frame, but the input has 9000");
	refuse("utran_dpch_demap", "slot_format", 14, ALOE_LLR16, 9600,
	    "slot format 14 has 4800 bits in a radio frame, but the input has 9600");
	refuse("utran_scramble", NULL, 0, ALOE_CF32, 38401,
	    "a message of 38401 chips is longer than the 38400 of a radio frame");
	refuse("utran_sync", NULL, 0, ALOE_CF32, 38400,
	    "a radio frame has 76800 samples, but the input has 38400");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(transmitter_is_the_plain_one),
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

	return cmocka_run_group_tests(tests, NULL, NULL);
}
