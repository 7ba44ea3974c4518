/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The chain of waveforms/bpsk-rf.conf, component by component: random bits -> modem -> RRC pulses
 * -> carrier offset -> clock offset -> noise -> AGC -> symbol synchroniser -> carrier loop -> modem
 * -> bits. The bit error rate must lie within 0.5 dB of Q(sqrt(2 Eb/N0)), which is what BPSK costs
 * with perfect clocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/mock/mock.h"

enum { SOURCE, MOD, PULSE, OFFSET, CLOCK, NOISE, AGC, SYNC, CARRIER, DEMOD, STAGES };

static const char *const stage_names[STAGES] = {"random_source", "modem_mod", "rrc_interp", "nco",
    "resample", "awgn", "agc", "symsync", "carrier_loop", "modem_demod"};
static const uint32_t input_types[STAGES] = {0, ALOE_BIT, ALOE_CF32, ALOE_CF32, ALOE_CF32,
    ALOE_CF32, ALOE_CF32, ALOE_CF32, ALOE_CF32, ALOE_CF32};

struct chain {
	struct mock stage[STAGES];
	struct mock check;
};

static void set_real(struct mock *m, const char *name, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", value);
	assert_int_equal(mock_set(m, name, text), 0);
}

static void chain_open(
    struct chain *chain, double ebn0_db, double carrier, double clock, uint32_t seed)
{
	for (int i = 0; i < STAGES; i++)
		mock_open(&chain->stage[i], stage_names[i]);
	set_real(&chain->stage[SOURCE], "seed", seed);
	set_real(&chain->stage[OFFSET], "frequency", carrier);
	set_real(&chain->stage[OFFSET], "initial_phase", 0.3);
	set_real(&chain->stage[CLOCK], "ratio", clock);
	set_real(&chain->stage[NOISE], "ebn0_db", ebn0_db);
	set_real(&chain->stage[NOISE], "bits_per_item", 0.5);
	set_real(&chain->stage[NOISE], "seed", seed + 1);
	for (int i = 0; i < STAGES; i++) {
		if (i)
			mock_input(&chain->stage[i], 0, input_types[i],
			    chain->stage[i - 1].format_out[0].max);
		assert_int_equal(mock_start(&chain->stage[i]), 0);
	}
	mock_open(&chain->check, "ber_align");
	mock_input(&chain->check, 0, ALOE_BIT, chain->stage[SOURCE].format_out[0].max);
	mock_input(&chain->check, 1, ALOE_BIT, chain->stage[DEMOD].format_out[0].max);
	assert_int_equal(mock_start(&chain->check), 0);
}

static void chain_slot(struct chain *chain, uint64_t index)
{
	for (int i = 0; i < STAGES; i++) {
		if (i)
			mock_give(&chain->stage[i], 0, chain->stage[i - 1].out[0].data,
			    chain->stage[i - 1].out[0].len);
		assert_int_equal(mock_work(&chain->stage[i], index), 0);
		assert_int_equal(chain->stage[i].out[0].state, ALOE_VALID);
	}
	mock_give(
	    &chain->check, 0, chain->stage[SOURCE].out[0].data, chain->stage[SOURCE].out[0].len);
	mock_give(
	    &chain->check, 1, chain->stage[DEMOD].out[0].data, chain->stage[DEMOD].out[0].len);
	assert_int_equal(mock_work(&chain->check, index), 0);
}

static void chain_close(struct chain *chain)
{
	for (int i = 0; i < STAGES; i++)
		mock_close(&chain->stage[i]);
	mock_close(&chain->check);
}

static double theory(double ebn0_db)
{
	return 0.5 * erfc(sqrt(pow(10, 0.1 * ebn0_db)));
}

/* Between theory half a decibel to either side; the number of bits keeps chance within it (see
 * main). */
static void run_at(double ebn0_db, double carrier, double clock, uint32_t slots, uint32_t seed)
{
	struct chain *chain = calloc(1, sizeof(*chain));
	double ber;

	chain_open(chain, ebn0_db, carrier, clock, seed);
	for (uint32_t k = 0; k < slots; k++)
		chain_slot(chain, k);
	ber = mock_var(&chain->check, "ber");
	print_message(
	    "Eb/N0 %g dB, carrier %g, clock %g: BER %.3g of %.0f bits, theory %.3g, delay %.0f%s\n",
	    ebn0_db, carrier, clock, ber, mock_var(&chain->check, "bits"), theory(ebn0_db),
	    mock_var(&chain->check, "delay"),
	    mock_var(&chain->check, "inverted") != 0 ? ", inverted" : "");
	assert_true(mock_var(&chain->check, "bits") > slots * 1000.0 - 6000);
	assert_true(mock_var(&chain->check, "locks") == 1);
	assert_true(mock_var(&chain->stage[CLOCK], "dropped") == 0);
	assert_true(mock_var(&chain->stage[SYNC], "dropped") == 0);
	assert_true(ber > theory(ebn0_db + 0.5));
	assert_true(ber < theory(ebn0_db - 0.5));
	chain_close(chain);
	free(chain);
}

static void ber_at_4_db(void **state)
{
	(void)state;
	run_at(4, 2e-4, 1.0001, 100, 1);
	run_at(4, -1e-4, 0.9999, 100, 2);
}

static void ber_at_6_db(void **state)
{
	(void)state;
	run_at(6, 2e-4, 1.0001, 100, 3);
	run_at(6, 0, 1, 100, 4);
}

/* The same without a carrier loop: a test that could not fail would pass here too. */
static void no_carrier_loop_no_ber(void **state)
{
	struct chain *chain = calloc(1, sizeof(*chain));

	(void)state;
	chain_open(chain, 8, 2e-4, 1.0001, 6);
	set_real(&chain->stage[CARRIER], "bandwidth", 0);
	for (uint32_t k = 0; k < 50; k++)
		chain_slot(chain, k);
	assert_true(
	    mock_var(&chain->check, "locked") == 0 || mock_var(&chain->check, "ber") > 0.01);
	chain_close(chain);
	free(chain);
}

static void ber_at_8_db(void **state)
{
	(void)state;
	run_at(8, 2e-4, 1.0001, 600, 5);
}

int main(void)
{
	/* Errors expected: 1250, 240 and 115 at 4, 6 and 8 dB, so one standard deviation is 3, 6
	 * and 9 % of the rate; half a decibel is 30, 41 and 56 % at least. */
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ber_at_4_db),
	    cmocka_unit_test(ber_at_6_db),
	    cmocka_unit_test(ber_at_8_db),
	    cmocka_unit_test(no_carrier_loop_no_ber),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
