/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/basic, modem and channel, each driven by the mock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/mock/mock.h"

/* ---- basic ---- */

static void copy_keeps_every_type(void **state)
{
	static const uint32_t types[] = {
	    ALOE_BIT, ALOE_BYTE, ALOE_I16, ALOE_LLR16, ALOE_F32, ALOE_CF32, ALOE_CI16};
	uint8_t items[80];

	(void)state;
	for (unsigned i = 0; i < sizeof(items); i++)
		items[i] = (uint8_t)(i * 37);
	for (unsigned t = 0; t < 7; t++) {
		struct mock m;
		mock_open(&m, "copy");
		mock_input(&m, 0, types[t], 10);
		assert_int_equal(mock_start(&m), 0);
		mock_give(&m, 0, items, 10);
		assert_int_equal(mock_work(&m, 0), 0);
		assert_int_equal(m.out[0].state, ALOE_VALID);
		assert_int_equal(m.out[0].len, 10);
		assert_memory_equal(m.out[0].data, items, 10 * aloe_item_bytes(types[t]));
		mock_give_state(&m, 0, ALOE_IDLE);
		mock_work(&m, 1);
		assert_int_equal(m.out[0].state, ALOE_IDLE);
		mock_close(&m);
	}
}

static void null_sink_counts(void **state)
{
	struct mock m;
	float items[5] = {0};

	(void)state;
	mock_open(&m, "null_sink");
	mock_input(&m, 0, ALOE_F32, 5);
	assert_int_equal(mock_start(&m), 0);
	for (int k = 0; k < 3; k++) {
		mock_give(&m, 0, items, 5);
		mock_work(&m, (uint64_t)k);
	}
	mock_work(&m, 3);
	assert_true(mock_var(&m, "messages") == 3 && mock_var(&m, "items") == 15 &&
	    mock_var(&m, "absent") == 1);
	mock_close(&m);
}

static void random_source_is_keyed_by_seed_and_index(void **state)
{
	struct mock a, b;
	uint8_t first[100];

	(void)state;
	mock_open(&a, "random_source");
	mock_open(&b, "random_source");
	mock_set(&a, "length", "100");
	mock_set(&b, "length", "100");
	mock_set(&b, "seed", "2");
	assert_int_equal(mock_start(&a), 0);
	assert_int_equal(mock_start(&b), 0);
	mock_work(&a, 7);
	assert_int_equal(a.out[0].len, 100);
	memcpy(first, a.out[0].data, 100);
	mock_work(&a, 8);
	assert_memory_not_equal(a.out[0].data, first, 100);
	mock_work(&a, 7); /* however often it was called before */
	assert_memory_equal(a.out[0].data, first, 100);
	mock_work(&b, 7);
	assert_memory_not_equal(b.out[0].data, first, 100);
	mock_close(&a);
	mock_close(&b);
}

static void counter_source_carries_the_index(void **state)
{
	struct mock m;
	const uint64_t index = 0x123456789abcdef0;

	(void)state;
	mock_open(&m, "counter_source");
	assert_int_equal(mock_start(&m), 0);
	mock_work(&m, index);
	assert_int_equal(m.out[0].len, 4);
	assert_memory_equal(m.out[0].data, &index, 8);
	mock_close(&m);
}

static void unpack_is_most_significant_first(void **state)
{
	struct mock m;
	const int16_t words[] = {1, -32768, 0x5a0f};
	const uint8_t expected[48] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1};
	const uint8_t byte = 0xb1, byte_expected[8] = {1, 0, 1, 1, 0, 0, 0, 1};

	(void)state;
	mock_open(&m, "unpack");
	mock_input(&m, 0, ALOE_I16, 3);
	assert_int_equal(mock_start(&m), 0);
	assert_int_equal(m.format_out[0].max, 48);
	mock_give(&m, 0, words, 3);
	mock_work(&m, 0);
	assert_int_equal(m.out[0].len, 48);
	assert_memory_equal(m.out[0].data, expected, 48);
	mock_close(&m);

	mock_open(&m, "unpack");
	mock_input(&m, 0, ALOE_BYTE, 1);
	assert_int_equal(mock_start(&m), 0);
	mock_give(&m, 0, &byte, 1);
	mock_work(&m, 0);
	assert_int_equal(m.out[0].len, 8);
	assert_memory_equal(m.out[0].data, byte_expected, 8);
	mock_close(&m);
}

static void pack_is_the_inverse_of_unpack(void **state)
{
	static const struct {
		const char *name;
		uint32_t type, bytes;
	} types[] = {{"i16", ALOE_I16, 2}, {"byte", ALOE_BYTE, 1}};

	(void)state;
	for (int t = 0; t < 2; t++) {
		struct mock unpack, pack;
		uint8_t words[512];
		const uint32_t n = sizeof(words) / types[t].bytes;

		for (unsigned i = 0; i < sizeof(words); i++)
			words[i] = (uint8_t)(i * 89 + 3);
		mock_open(&unpack, "unpack");
		mock_input(&unpack, 0, types[t].type, n);
		assert_int_equal(mock_start(&unpack), 0);
		mock_open(&pack, "pack");
		mock_set(&pack, "output", types[t].name);
		mock_input(&pack, 0, ALOE_BIT, unpack.format_out[0].max);
		assert_int_equal(mock_start(&pack), 0);
		assert_int_equal(pack.format_out[0].max, n);
		mock_give(&unpack, 0, words, n);
		mock_work(&unpack, 0);
		mock_give(&pack, 0, unpack.out[0].data, unpack.out[0].len);
		mock_work(&pack, 0);
		assert_int_equal(pack.out[0].len, n);
		assert_memory_equal(pack.out[0].data, words, sizeof(words));
		mock_close(&unpack);
		mock_close(&pack);
	}
}

static void pack_counts_part_words(void **state)
{
	struct mock m;
	const uint8_t bits[17] = {0};

	(void)state;
	mock_open(&m, "pack");
	mock_input(&m, 0, ALOE_BIT, 17);
	assert_int_equal(mock_start(&m), 0);
	mock_give(&m, 0, bits, 17);
	mock_work(&m, 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_true(mock_var(&m, "short_blocks") == 1);
	mock_close(&m);
}

static void compare(
    struct mock *m, const uint8_t *sent, uint32_t sent_len, const uint8_t *received, uint32_t len)
{
	if (sent)
		mock_give(m, 0, sent, sent_len);
	if (received)
		mock_give(m, 1, received, len);
	assert_int_equal(mock_work(m, 0), 0);
}

static void bit_compare_counts_as_promised(void **state)
{
	struct mock m;
	const uint8_t sent[8] = {0, 1, 0, 1, 1, 1, 0, 0}, wrong[8] = {0, 1, 1, 1, 1, 0, 0, 0};

	(void)state;
	mock_open(&m, "bit_compare");
	mock_input(&m, 0, ALOE_BIT, 8);
	mock_input(&m, 1, ALOE_BIT, 8);
	assert_int_equal(mock_start(&m), 0);
	compare(&m, NULL, 0, NULL, 0); /* warm-up */
	assert_true(mock_var(&m, "blocks") == 0 && mock_var(&m, "absent") == 0);
	compare(&m, sent, 8, sent, 8);
	assert_true(mock_var(&m, "blocks") == 1 && mock_var(&m, "block_errors") == 0 &&
	    mock_var(&m, "bits") == 8);
	compare(&m, sent, 8, wrong, 8);
	assert_true(mock_var(&m, "block_errors") == 1 && mock_var(&m, "bit_errors") == 2);
	compare(&m, sent, 8, NULL, 0);
	assert_true(mock_var(&m, "blocks") == 3 && mock_var(&m, "block_errors") == 2 &&
	    mock_var(&m, "absent") == 1);
	assert_true(mock_var(&m, "bits") == 16);
	compare(&m, sent, 8, sent, 6);
	assert_true(mock_var(&m, "block_errors") == 3 && mock_var(&m, "length_errors") == 1);
	assert_true(mock_var(&m, "bits") == 22 && mock_var(&m, "bit_errors") == 2);
	compare(&m, NULL, 0, sent, 8);
	assert_true(mock_var(&m, "unmatched") == 1 && mock_var(&m, "blocks") == 4);
	mock_give(&m, 0, sent, 8);
	mock_give_state(&m, 1, ALOE_IDLE);
	mock_work(&m, 0);
	assert_true(mock_var(&m, "unmatched") == 2 && mock_var(&m, "blocks") == 4);
	assert_true(mock_var(&m, "bler") == 0.75 && fabs(mock_var(&m, "ber") - 2.0 / 22) < 1e-12);
	mock_close(&m);
}

/* ---- ber_align ---- */

struct stream {
	struct mock source, check;
	uint8_t sent[1 << 16];
	uint32_t sent_len, received_len;
};

static void stream_open(struct stream *s)
{
	*s = (struct stream){0};
	mock_open(&s->source, "random_source");
	mock_set(&s->source, "length", "500");
	assert_int_equal(mock_start(&s->source), 0);
	mock_open(&s->check, "ber_align");
	mock_set(&s->check, "settle", "1000");
	mock_input(&s->check, 0, ALOE_BIT, 500);
	mock_input(&s->check, 1, ALOE_BIT, 520);
	assert_int_equal(mock_start(&s->check), 0);
}

/* Receives what was sent `delay` bits before, upside down if asked, every `wrong`th bit wrong, in
 * messages of odd lengths. */
static void stream_slot(
    struct stream *s, uint64_t k, uint32_t delay, uint8_t invert, uint32_t wrong)
{
	uint8_t received[520];
	const uint32_t n = 490 + (uint32_t)(k * 7 % 21);

	mock_work(&s->source, k);
	memcpy(s->sent + s->sent_len, s->source.out[0].data, 500);
	s->sent_len += 500;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = s->received_len + i;
		const uint8_t bit = at < delay ? 0 : s->sent[at - delay];
		received[i] = (uint8_t)(bit ^ invert ^ (wrong && at % wrong == 0));
	}
	s->received_len += n;
	mock_give(&s->check, 0, s->source.out[0].data, 500);
	mock_give(&s->check, 1, received, n);
	assert_int_equal(mock_work(&s->check, k), 0);
}

static void stream_close(struct stream *s)
{
	mock_close(&s->source);
	mock_close(&s->check);
}

static void ber_align_finds_delay_and_sign(void **state)
{
	static struct stream s;
	static const uint32_t delays[] = {30, 777, 1999};

	(void)state;
	for (int i = 0; i < 3; i++) {
		stream_open(&s);
		for (uint64_t k = 0; k < 100; k++)
			stream_slot(&s, k, delays[i], (uint8_t)(i & 1), 50);
		assert_true(mock_var(&s.check, "locks") == 1 && mock_var(&s.check, "locked") == 1);
		assert_true(mock_var(&s.check, "delay") == delays[i]);
		assert_true(mock_var(&s.check, "inverted") == (i & 1));
		assert_true(mock_var(&s.check, "bits") > 45000);
		assert_true(fabs(mock_var(&s.check, "ber") - 0.02) < 1e-4);
		stream_close(&s);
	}
}

static void ber_align_finds_it_again_after_a_slip(void **state)
{
	static struct stream s;

	(void)state;
	stream_open(&s);
	for (uint64_t k = 0; k < 100; k++)
		stream_slot(&s, k, k < 50 ? 40 : 41, k >= 70, 0);
	assert_true(mock_var(&s.check, "locks") == 3);
	assert_true(mock_var(&s.check, "delay") == 41 && mock_var(&s.check, "inverted") == 1);
	assert_true(mock_var(&s.check, "bit_errors") > 200); /* what a slip spoils is counted */
	assert_true(mock_var(&s.check, "bit_errors") < 3000);
	stream_close(&s);
}

static void ber_align_does_not_lock_to_noise(void **state)
{
	static struct stream s;

	(void)state;
	stream_open(&s);
	for (uint64_t k = 0; k < 100; k++)
		stream_slot(&s, k, 3000, 0, 0); /* beyond `search` */
	assert_true(mock_var(&s.check, "locks") == 0 && mock_var(&s.check, "bits") == 0);
	stream_close(&s);
}

/* ---- BPSK ---- */

static void bpsk_there_and_back(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
	} types[] = {{"i16", ALOE_I16}, {"ci16", ALOE_CI16}, {"cf32", ALOE_CF32}};
	const uint8_t bits[4] = {0, 1, 1, 0};
	static const int16_t soft[4] = {16, -16, -16, 16};

	(void)state;
	for (int t = 0; t < 3; t++) {
		struct mock mod, demod, soft_demod;
		mock_open(&mod, "bpsk_mod");
		mock_set(&mod, "output", types[t].name);
		mock_input(&mod, 0, ALOE_BIT, 4);
		assert_int_equal(mock_start(&mod), 0);
		mock_open(&demod, "bpsk_demod");
		mock_input(&demod, 0, types[t].type, 4);
		assert_int_equal(mock_start(&demod), 0);
		mock_open(&soft_demod, "bpsk_soft_demod");
		mock_input(&soft_demod, 0, types[t].type, 4);
		assert_int_equal(mock_start(&soft_demod), 0);
		mock_give(&mod, 0, bits, 4);
		mock_work(&mod, 0);
		mock_give(&demod, 0, mod.out[0].data, 4);
		mock_work(&demod, 0);
		assert_memory_equal(demod.out[0].data, bits, 4);
		mock_give(&soft_demod, 0, mod.out[0].data, 4);
		mock_work(&soft_demod, 0);
		assert_memory_equal(soft_demod.out[0].data, soft, sizeof(soft));
		mock_close(&mod);
		mock_close(&demod);
		mock_close(&soft_demod);
	}
}

static void bpsk_levels(void **state)
{
	struct mock m;
	const uint8_t bits[2] = {0, 1};

	(void)state;
	mock_open(&m, "bpsk_mod");
	mock_input(&m, 0, ALOE_BIT, 2);
	assert_int_equal(mock_start(&m), 0);
	mock_give(&m, 0, bits, 2);
	mock_work(&m, 0);
	assert_true(((cf32 *)m.out[0].data)[0] == 1 && ((cf32 *)m.out[0].data)[1] == -1);
	mock_close(&m);

	mock_open(&m, "bpsk_mod");
	mock_set(&m, "output", "ci16");
	mock_set(&m, "amplitude", "1000");
	mock_input(&m, 0, ALOE_BIT, 2);
	assert_int_equal(mock_start(&m), 0);
	mock_give(&m, 0, bits, 2);
	mock_work(&m, 0);
	assert_int_equal(((struct aloe_ci16 *)m.out[0].data)[0].re, 1000);
	assert_int_equal(((struct aloe_ci16 *)m.out[0].data)[1].re, -1000);
	assert_int_equal(((struct aloe_ci16 *)m.out[0].data)[1].im, 0);
	mock_close(&m);

	mock_open(&m, "bpsk_mod");
	mock_set(&m, "output", "i16");
	mock_set(&m, "amplitude", "0.25");
	mock_input(&m, 0, ALOE_BIT, 2);
	assert_int_equal(mock_start(&m), -1);
	assert_non_null(strstr(m.setup.error, "amplitude = 0.25 is outside [1, 32767]"));
	mock_close(&m);
}

static void soft_bits_round_and_saturate(void **state)
{
	struct mock m;
	const float in[] = {0.03f, 0.09375f, -0.09375f, 1e9f, -1e9f, INFINITY, NAN, 0};
	const int16_t expected[] = {0, 2, -2, 32767, -32767, 32767, 0, 0}; /* 1.5 rounds to 2 */

	(void)state;
	mock_open(&m, "bpsk_soft_demod");
	mock_input(&m, 0, ALOE_F32, 8);
	assert_int_equal(mock_start(&m), 0);
	mock_give(&m, 0, in, 8);
	mock_work(&m, 0);
	assert_memory_equal(m.out[0].data, expected, sizeof(expected));
	mock_close(&m);
}

/* ---- AWGN ---- */

static int awgn_start(struct mock *m, uint32_t type, const char *settings[][2], int n)
{
	mock_open(m, "awgn");
	for (int i = 0; i < n; i++)
		assert_int_equal(mock_set(m, settings[i][0], settings[i][1]), 0);
	mock_input(m, 0, type, 10000);
	return mock_start(m);
}

static void awgn_needs_exactly_one_ratio(void **state)
{
	const char *neither[1][2] = {{"seed", "1"}};
	const char *both[3][2] = {{"esn0_db", "1"}, {"ebn0_db", "1"}, {"bits_per_item", "1"}};
	const char *no_bits[1][2] = {{"ebn0_db", "1"}};
	struct mock m;

	(void)state;
	assert_int_equal(awgn_start(&m, ALOE_CF32, neither, 1), -1);
	assert_non_null(strstr(m.setup.error, "neither esn0_db nor ebn0_db"));
	mock_close(&m);
	assert_int_equal(awgn_start(&m, ALOE_CF32, both, 3), -1);
	assert_non_null(strstr(m.setup.error, "both set"));
	mock_close(&m);
	assert_int_equal(awgn_start(&m, ALOE_CF32, no_bits, 1), -1);
	assert_non_null(strstr(m.setup.error, "bits_per_item"));
	mock_close(&m);
}

static double item_value(const struct mock *m, uint32_t type, uint32_t dimension)
{
	if (type == ALOE_I16 || type == ALOE_CI16)
		return ((const int16_t *)m->out[0].data)[dimension];
	return ((const float *)m->out[0].data)[dimension];
}

/* Variance of one dimension over at least 1e7 samples, N0/2 expected, within 1 %. */
static void check_variance(uint32_t type, const char *settings[][2], int n, double expected)
{
	static const uint8_t silence[80000];
	const uint32_t dimensions = type == ALOE_CF32 || type == ALOE_CI16 ? 20000 : 10000;
	double sum = 0, squares = 0, count = 0;
	struct mock m;

	assert_int_equal(awgn_start(&m, type, settings, n), 0);
	for (uint64_t k = 0; count < 1e7; k++) {
		mock_give(&m, 0, silence, 10000);
		assert_int_equal(mock_work(&m, k), 0);
		assert_int_equal(m.out[0].len, 10000);
		for (uint32_t i = 0; i < dimensions; i++) {
			const double x = item_value(&m, type, i);
			sum += x;
			squares += x * x;
		}
		count += dimensions;
	}
	assert_true(fabs(sum / count) < 0.002 * sqrt(expected));
	assert_true(fabs(squares / count / expected - 1) < 0.01);
	mock_close(&m);
}

static void awgn_variance(void **state)
{
	const char *esn0[1][2] = {{"esn0_db", "3"}};
	const char *ebn0[2][2] = {{"ebn0_db", "6"}, {"bits_per_item", "0.25"}};
	const char *amplitude[2][2] = {{"esn0_db", "10"}, {"amplitude", "5000"}};
	const char *small[2][2] = {{"esn0_db", "10"}, {"amplitude", "10"}};

	(void)state;
	check_variance(ALOE_CF32, esn0, 1, 0.5 * pow(10, -0.3));
	check_variance(ALOE_F32, esn0, 1, 0.5 * pow(10, -0.3));
	check_variance(ALOE_CF32, ebn0, 2, 0.5 * pow(10, -0.6) * 4);
	check_variance(ALOE_CI16, amplitude, 2, 5000.0 * 5000 * 0.05);
	check_variance(ALOE_I16, esn0, 1, 8192.0 * 8192 * 0.5 * pow(10, -0.3));
	/* rounded to nearest: a twelfth of noise of its own */
	check_variance(ALOE_I16, small, 2, 5 + 1.0 / 12);
}

/* The textbook's bit error rate, hard decision, over each type: the definition of Es/N0 is right,
 * real and complex. */
static void awgn_gives_the_bit_error_rate_of_bpsk(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
	} types[] = {{"i16", ALOE_I16}, {"ci16", ALOE_CI16}, {"cf32", ALOE_CF32}};
	const char *settings[2][2] = {{"ebn0_db", "4"}, {"bits_per_item", "1"}};
	const double theory = 0.5 * erfc(sqrt(pow(10, 0.4)));

	(void)state;
	for (int t = 0; t < 3; t++) {
		struct mock source, mod, noise, demod;
		uint64_t errors = 0;

		mock_open(&source, "random_source");
		mock_set(&source, "length", "10000");
		assert_int_equal(mock_start(&source), 0);
		mock_open(&mod, "bpsk_mod");
		mock_set(&mod, "output", types[t].name);
		mock_input(&mod, 0, ALOE_BIT, 10000);
		assert_int_equal(mock_start(&mod), 0);
		assert_int_equal(awgn_start(&noise, types[t].type, settings, 2), 0);
		mock_open(&demod, "bpsk_demod");
		mock_input(&demod, 0, types[t].type, 10000);
		assert_int_equal(mock_start(&demod), 0);
		for (uint64_t k = 0; k < 100; k++) {
			mock_work(&source, k);
			mock_give(&mod, 0, source.out[0].data, 10000);
			mock_work(&mod, k);
			mock_give(&noise, 0, mod.out[0].data, 10000);
			mock_work(&noise, k);
			mock_give(&demod, 0, noise.out[0].data, 10000);
			mock_work(&demod, k);
			for (uint32_t i = 0; i < 10000; i++)
				errors += ((uint8_t *)demod.out[0].data)[i] !=
				    ((uint8_t *)source.out[0].data)[i];
		}
		assert_true(fabs((double)errors / 1e6 - theory) < 5 * sqrt(theory / 1e6));
		mock_close(&source);
		mock_close(&mod);
		mock_close(&noise);
		mock_close(&demod);
	}
}

static void awgn_is_keyed_and_live(void **state)
{
	const char *settings[2][2] = {{"ebn0_db", "100"}, {"bits_per_item", "1"}};
	static const cf32 silence[100];
	cf32 first[100];
	struct mock m;

	(void)state;
	assert_int_equal(awgn_start(&m, ALOE_CF32, settings, 2), 0);
	mock_give(&m, 0, silence, 100);
	mock_work(&m, 5);
	memcpy(first, m.out[0].data, sizeof(first));
	assert_true(cabsf(first[0]) < 1e-4f);
	mock_give(&m, 0, silence, 100);
	mock_work(&m, 6);
	assert_memory_not_equal(m.out[0].data, first, sizeof(first));
	mock_give(&m, 0, silence, 100);
	mock_work(&m, 5);
	assert_memory_equal(m.out[0].data, first, sizeof(first));
	mock_set(&m, "ebn0_db", "80"); /* ten times the noise */
	mock_give(&m, 0, silence, 100);
	mock_work(&m, 5);
	assert_true(cabsf(((cf32 *)m.out[0].data)[3] - 10 * first[3]) < 1e-3f * cabsf(first[3]));
	assert_true(mock_var(&m, "esn0_now_db") == 80);
	mock_set(&m, "esn0_db", "60"); /* the one set last holds */
	mock_work(&m, 7);
	assert_true(mock_var(&m, "esn0_now_db") == 60);
	mock_close(&m);
}

static void awgn_counts_clipping(void **state)
{
	const char *settings[2][2] = {{"esn0_db", "40"}, {"amplitude", "32767"}};
	int16_t in[1000];
	struct mock m;
	uint32_t high = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		in[i] = 32767;
	assert_int_equal(awgn_start(&m, ALOE_I16, settings, 2), 0);
	mock_give(&m, 0, in, 1000);
	mock_work(&m, 0);
	for (int i = 0; i < 1000; i++)
		high += ((int16_t *)m.out[0].data)[i] == 32767;
	assert_true(mock_var(&m, "clipped") > 400 && mock_var(&m, "clipped") <= high);
	mock_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(copy_keeps_every_type),
	    cmocka_unit_test(null_sink_counts),
	    cmocka_unit_test(random_source_is_keyed_by_seed_and_index),
	    cmocka_unit_test(counter_source_carries_the_index),
	    cmocka_unit_test(unpack_is_most_significant_first),
	    cmocka_unit_test(pack_is_the_inverse_of_unpack),
	    cmocka_unit_test(pack_counts_part_words),
	    cmocka_unit_test(bit_compare_counts_as_promised),
	    cmocka_unit_test(ber_align_finds_delay_and_sign),
	    cmocka_unit_test(ber_align_finds_it_again_after_a_slip),
	    cmocka_unit_test(ber_align_does_not_lock_to_noise),
	    cmocka_unit_test(bpsk_there_and_back),
	    cmocka_unit_test(bpsk_levels),
	    cmocka_unit_test(soft_bits_round_and_saturate),
	    cmocka_unit_test(awgn_needs_exactly_one_ratio),
	    cmocka_unit_test(awgn_variance),
	    cmocka_unit_test(awgn_gives_the_bit_error_rate_of_bpsk),
	    cmocka_unit_test(awgn_is_keyed_and_live),
	    cmocka_unit_test(awgn_counts_clipping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
