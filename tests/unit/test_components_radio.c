/* SPDX-License-Identifier: BSD-3-Clause
 * radio_rx and radio_tx on a radio whose samples are known: what comes in comes out, what is lost
 * is said, and a waveform made for another radio is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/mock/mock.h"

enum { SLOT = 500, PACKET = 128 }; /* 3 whole packets, and one of 116 */

static void rx_start(struct mock *m, const char *type, const char *missing)
{
	mock_open(m, "radio_rx");
	mock_radio(m, SLOT, PACKET);
	assert_int_equal(mock_set(m, "channel", "1"), 0);
	assert_int_equal(mock_set(m, "type", type), 0);
	assert_int_equal(mock_set(m, "missing", missing), 0);
	assert_int_equal(mock_start(m), 0);
	assert_int_equal(m->out[0].max, SLOT);
}

static void test_rx_gives_what_came(void **state)
{
	struct mock m;

	(void)state;
	rx_start(&m, "cf32", "absent");
	for (uint64_t k = 3; k < 6; k++) {
		assert_int_equal(mock_work(&m, k), 0);
		assert_int_equal(m.out[0].state, ALOE_VALID);
		assert_int_equal(m.out[0].len, SLOT);
		for (uint32_t i = 0; i < SLOT; i++) {
			const float *item = (const float *)m.out[0].data + 2 * i;

			assert_true(item[0] == (float)mock_radio_re(1, k, i) / 32768);
			assert_true(item[1] == (float)mock_radio_im(1, k, i) / 32768);
		}
	}
	assert_true(mock_var(&m, "slots_short") == 0);
	mock_close(&m);
}

static void test_rx_ci16(void **state)
{
	struct mock m;

	(void)state;
	rx_start(&m, "ci16", "absent");
	assert_int_equal(mock_work(&m, 9), 0);
	assert_int_equal(m.out[0].state, ALOE_VALID);
	for (uint32_t i = 0; i < SLOT; i++) {
		const struct aloe_ci16 *item = (const struct aloe_ci16 *)m.out[0].data + i;

		assert_int_equal(item->re, mock_radio_re(1, 9, i));
		assert_int_equal(item->im, mock_radio_im(1, 9, i));
	}
	mock_close(&m);
}

static void test_rx_lost_packet_is_absent(void **state)
{
	struct mock m;

	(void)state;
	rx_start(&m, "cf32", "absent");
	m.radio.lost = 1 << 2;
	m.radio.counts[1].rx_lost = 1;
	m.radio.counts[1].rx_overruns = 4;
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_int_equal(m.out[0].len, 0);
	m.radio.lost = 0;
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(m.out[0].state, ALOE_VALID);
	m.radio.lost = 0xf;
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_true(mock_var(&m, "slots_short") == 2);
	assert_true(mock_var(&m, "samples_missing") == PACKET + SLOT);
	assert_true(mock_var(&m, "packets_lost") == 1);
	assert_true(mock_var(&m, "overruns") == 4);
	mock_close(&m);
}

static void test_rx_lost_packet_is_zeros(void **state)
{
	struct mock m;

	(void)state;
	rx_start(&m, "cf32", "zeros");
	m.radio.lost = 1 << 1 | 1 << 3; /* 128 .. 255, 384 .. 499 */
	assert_int_equal(mock_work(&m, 7), 0);
	assert_int_equal(m.out[0].state, ALOE_VALID);
	assert_int_equal(m.out[0].len, SLOT);
	for (uint32_t i = 0; i < SLOT; i++) {
		const bool lost = i / PACKET % 2 == 1;

		assert_true(((const float *)m.out[0].data)[2 * i] ==
		    (lost ? 0.0f : (float)mock_radio_re(1, 7, i) / 32768));
	}
	assert_true(mock_var(&m, "slots_short") == 1);
	assert_true(mock_var(&m, "samples_missing") == 128 + 116);
	mock_close(&m);
}

/* ---- radio_tx ---- */

static void tx_start(struct mock *m, uint32_t type, const char *missing)
{
	mock_open(m, "radio_tx");
	mock_radio(m, SLOT, PACKET);
	mock_input(m, 0, type, SLOT);
	assert_int_equal(mock_set(m, "missing", missing), 0);
	assert_int_equal(mock_start(m), 0);
}

static int16_t sent_word(const struct mock *m, uint32_t i)
{
	const uint8_t *at = m->radio.sent[0] + 2 * (size_t)i;

	return (int16_t)(uint16_t)(at[0] | at[1] << 8);
}

static void test_tx_sends_the_message(void **state)
{
	float items[2 * SLOT];
	struct mock m;

	(void)state;
	for (int i = 0; i < 2 * SLOT; i++)
		items[i] = (float)(i * 61 % 65536 - 32768) / 32768;
	items[8] = 1.5f;
	items[9] = -1.5f;
	tx_start(&m, ALOE_CF32, "zeros");
	mock_give(&m, 0, items, SLOT);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.radio.n_sent[0], SLOT);
	for (uint32_t i = 0; i < 2 * SLOT; i++)
		assert_int_equal(sent_word(&m, i),
		    i == 8       ? 32767
		        : i == 9 ? -32768
		                 : (int)(i * 61 % 65536) - 32768);
	assert_true(mock_var(&m, "values_limited") == 2);
	assert_true(mock_var(&m, "slots_absent") == 0);
	assert_true(mock_var(&m, "advance") == 3 * SLOT);
	mock_close(&m);
}

static void test_tx_ci16(void **state)
{
	struct aloe_ci16 items[SLOT];
	struct mock m;

	(void)state;
	for (int i = 0; i < SLOT; i++)
		items[i] = (struct aloe_ci16){(int16_t)(77 * i), (int16_t)(-99 * i)};
	tx_start(&m, ALOE_CI16, "zeros");
	mock_give(&m, 0, items, SLOT);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.radio.n_sent[0], SLOT);
	for (uint32_t i = 0; i < SLOT; i++) {
		assert_int_equal(sent_word(&m, 2 * i), items[i].re);
		assert_int_equal(sent_word(&m, 2 * i + 1), items[i].im);
	}
	mock_close(&m);
}

/* A short message, none at all, one that is idle: zeros up to the slot's end, or what there is. */
static void missing_is(const char *missing, uint32_t of_short, uint32_t of_none)
{
	static const struct aloe_ci16 items[200] = {{1, 2}};
	struct mock m;

	tx_start(&m, ALOE_CI16, missing);
	mock_give(&m, 0, items, 200);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.radio.n_sent[0], of_short);
	assert_int_equal(sent_word(&m, 1), 2);
	for (uint32_t i = 2; i < 2 * of_short; i++)
		assert_int_equal(sent_word(&m, i), 0);
	mock_give_state(&m, 0, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(m.radio.n_sent[0], of_none);
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.radio.n_sent[0], of_none);
	for (uint32_t i = 0; i < 2 * of_none; i++)
		assert_int_equal(sent_word(&m, i), 0);
	assert_true(mock_var(&m, "slots_short") == 1);
	assert_true(mock_var(&m, "slots_absent") == 2);
	mock_close(&m);
}

static void test_tx_missing(void **state)
{
	(void)state;
	missing_is("zeros", SLOT, SLOT);
	missing_is("silence", 200, 0);
}

static void test_tx_no_room(void **state)
{
	struct mock m;

	(void)state;
	tx_start(&m, ALOE_CI16, "zeros");
	m.radio.room = 200;
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.radio.n_sent[0], 200);
	m.radio.counts[0] =
	    (struct aloe_radio_counts){.tx_late = 3, .tx_underruns = 4, .tx_sequence = 5};
	m.radio.room = 0;
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(m.radio.n_sent[0], 0);
	assert_true(mock_var(&m, "samples_left") == 300 + SLOT);
	assert_true(mock_var(&m, "packets_late") == 3);
	assert_true(mock_var(&m, "underruns") == 4);
	assert_true(mock_var(&m, "sequence_errors") == 5);
	mock_close(&m);
}

/* ---- a waveform made for another radio ---- */

static void open_for(struct mock *m, const char *name, uint32_t slot_samples)
{
	mock_open(m, name);
	if (slot_samples)
		mock_radio(m, slot_samples, PACKET);
	if (mock_port(m, 0, 0))
		mock_input(m, 0, ALOE_CF32, SLOT);
	m->radio.channels[0] = (struct aloe_radio_channel){2.4e9, 10, 2.5e9, 20};
	m->radio.radio.channel = m->radio.channels;
	m->radio.radio.clock_source = "external";
	m->radio.radio.time_source = "internal";
}

/* why: what the refusal says; NULL: taken. */
static void asks(const char *name, const char *param, const char *value, const char *why)
{
	struct mock m;

	open_for(&m, name, SLOT);
	assert_int_equal(mock_set(&m, param, value), 0);
	assert_int_equal(mock_start(&m), why ? -1 : 0);
	if (why)
		assert_string_equal(m.setup.error, why);
	assert_string_equal(m.setup.note, "");
	mock_close(&m);
}

static void test_agrees_with_the_radio(void **state)
{
	(void)state;
	asks("radio_rx", "rate", "1e6", NULL);
	asks("radio_rx", "rate", "2e6", "rate = 2000000 Hz, but the radio has 1000000 Hz");
	asks("radio_tx", "rate", "999990", "rate = 999990 Hz, but the radio has 1000000 Hz");
	asks("radio_rx", "frequency", "2400000000.4", NULL);
	asks("radio_rx", "frequency", "2.5e9",
	    "frequency = 2500000000 Hz, but the radio has 2400000000 Hz");
	asks("radio_tx", "frequency", "2.5e9", NULL);
	asks("radio_rx", "gain", "10.3", NULL);
	asks("radio_tx", "gain", "10", "gain = 10 dB, but the radio has 20 dB");
	asks("radio_rx", "spp", "128", NULL);
	asks("radio_tx", "spp", "256", "spp = 256, but the radio's packets have 128 samples");
	asks("radio_rx", "clock_source", "external", NULL);
	asks("radio_rx", "clock_source", "gpsdo",
	    "clock_source = \"gpsdo\", but the radio has \"external\"");
	asks("radio_tx", "time_source", "external",
	    "time_source = \"external\", but the radio has \"internal\"");
	asks("radio_rx", "channel", "1", NULL);
	asks(
	    "radio_tx", "channel", "2", "channel = 2 is outside [0, 1], the channels of the radio");
}

/* Nobody has said what the radio was set to: the waveform runs, and the user is told. */
static void unknown(const char *param, const char *value, const char *note)
{
	struct mock m;

	open_for(&m, "radio_rx", SLOT);
	m.radio.radio.channel = NULL;
	m.radio.radio.clock_source = NULL;
	m.radio.radio.time_source = NULL;
	assert_int_equal(mock_set(&m, param, value), 0);
	assert_int_equal(mock_start(&m), 0);
	assert_string_equal(m.setup.note, note);
	mock_close(&m);
}

#define UNKNOWN                                                                                    \
	" cannot be checked, because the radio file does not state what the radio was set to"

static void test_says_what_it_cannot_check(void **state)
{
	(void)state;
	unknown("channel", "1", "");
	unknown("frequency", "2.5e9", "frequency = 2500000000 Hz" UNKNOWN);
	unknown("gain", "3", "gain = 3 dB" UNKNOWN);
	unknown("time_source", "gpsdo", "time_source = \"gpsdo\"" UNKNOWN);
}

static void test_needs_a_radio(void **state)
{
	static const char *const names[] = {"radio_rx", "radio_tx"};
	struct mock m;

	(void)state;
	for (int i = 0; i < 2; i++) {
		open_for(&m, names[i], 0);
		assert_int_equal(mock_start(&m), -1);
		assert_string_equal(m.setup.error,
		    "the waveform has no radio; a radio component needs clock = \"radio\" and "
		    "slot_samples = N");
		mock_close(&m);
	}
	open_for(&m, "radio_tx", SLOT - 1);
	assert_int_equal(mock_start(&m), -1);
	assert_string_equal(m.setup.error, "messages have up to 500 samples, but a slot has 499");
	mock_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rx_gives_what_came),
	    cmocka_unit_test(test_rx_ci16),
	    cmocka_unit_test(test_rx_lost_packet_is_absent),
	    cmocka_unit_test(test_rx_lost_packet_is_zeros),
	    cmocka_unit_test(test_tx_sends_the_message),
	    cmocka_unit_test(test_tx_ci16),
	    cmocka_unit_test(test_tx_missing),
	    cmocka_unit_test(test_tx_no_room),
	    cmocka_unit_test(test_agrees_with_the_radio),
	    cmocka_unit_test(test_says_what_it_cannot_check),
	    cmocka_unit_test(test_needs_a_radio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
