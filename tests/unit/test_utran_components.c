/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_components - each UTRAN component alone: the sizes it answers, what it refuses and how
 * it says so, and what it does with messages that are IDLE, ABSENT or not whole. The bits are
 * test_utran_kernels' and test_utran_chain's. */
#include "tests/mock/mock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct setting {
	const char *param, *value;
};

/* Starts a component with up to three settings, one input and all its outputs. */
static int start(struct mock *m, const char *component, uint32_t type, uint32_t max,
    const struct setting *settings)
{
	mock_open(m, component);
	for (; settings && settings->param; settings++)
		assert_int_equal(mock_set(m, settings->param, settings->value), 0);
	mock_input(m, 0, type, max);
	return mock_start(m);
}

#define WITH(...) ((const struct setting[]){__VA_ARGS__, {NULL, NULL}})

static void refused(const char *component, uint32_t type, uint32_t max,
    const struct setting *settings, const char *why)
{
	struct mock m;

	assert_true(start(&m, component, type, max, settings) < 0);
	assert_string_equal(m.setup.error, why);
	mock_close(&m);
}

static void sized(const char *component, uint32_t type, uint32_t max,
    const struct setting *settings, uint32_t out)
{
	struct mock m;

	if (start(&m, component, type, max, settings) < 0)
		fail_msg("%s: %s", component, m.setup.error);
	assert_int_equal(m.out[0].max, out);
	mock_close(&m);
}

static void test_sizes(void **state)
{
	(void)state;
	sized("utran_crc", ALOE_BIT, 3840, NULL, 3856);
	sized("utran_crc", ALOE_BIT, 100, WITH({"size", "12"}), 112);
	sized("utran_crc_check", ALOE_BIT, 3864, WITH({"size", "24"}), 3840);
	sized("utran_turbo_encoder", ALOE_BIT, 40, NULL, 132);
	sized("utran_turbo_encoder", ALOE_BIT, 5114, NULL, 15354);
	sized("utran_turbo_encoder", ALOE_BIT, 39, NULL, 132);
	sized("utran_turbo_encoder", ALOE_BIT, 5115, NULL, 2 * 7686);
	sized("utran_turbo_decoder", ALOE_LLR16, 132, NULL, 40);
	sized("utran_turbo_decoder", ALOE_LLR16, 15354, WITH({"block", "5114"}), 5114);
	sized("utran_rate_match", ALOE_BIT, 3900, WITH({"output", "2007"}, {"tti_ms", "20"}), 4014);
	sized("utran_rate_match", ALOE_BIT, 8700, WITH({"output", "4232"}, {"tti_ms", "20"}), 8464);
	sized("utran_rate_match", ALOE_BIT, 360,
	    WITH({"output", "71"}, {"tti_ms", "40"}, {"coding", "convolutional"}), 284);
	sized("utran_rate_dematch", ALOE_LLR16, 4014, WITH({"coded", "3900"}), 3900);
	sized("utran_rate_dematch", ALOE_LLR16, 284,
	    WITH({"coded", "360"}, {"coding", "convolutional"}), 360);
	sized("utran_interleave1", ALOE_BIT, 4014, WITH({"tti_ms", "20"}), 4014);
	sized("utran_deinterleave1", ALOE_LLR16, 360, WITH({"tti_ms", "80"}), 360);
	sized("utran_segment", ALOE_BIT, 360, WITH({"tti_ms", "80"}), 45);
	sized("utran_desegment", ALOE_LLR16, 45, WITH({"tti_ms", "80"}), 360);
	sized("utran_mux", ALOE_BIT, 71, NULL, 71);
	sized("utran_demux", ALOE_LLR16, 9120, WITH({"length1", "71"}), 9049);
	sized("utran_interleave2", ALOE_BIT, 9121, NULL, 9121);
	sized("utran_deinterleave2", ALOE_LLR16, 9121, NULL, 9121);
}

static void test_refusals(void **state)
{
	(void)state;
	refused(
	    "utran_crc", ALOE_BIT, 3840, WITH({"size", "17"}), "size 17 is not 8, 12, 16 or 24");
	refused("utran_crc_check", ALOE_BIT, 3840, WITH({"size", "9"}),
	    "size 9 is not 8, 12, 16 or 24");
	refused("utran_crc_check", ALOE_BIT, 15, NULL,
	    "input block of 15 bits is shorter than its CRC of 16");
	refused("utran_turbo_decoder", ALOE_LLR16, 132, WITH({"block", "39"}),
	    "block 39 is outside [40, 5114]");
	refused("utran_turbo_decoder", ALOE_LLR16, 11581, WITH({"block", "3856"}),
	    "block 3856 needs 11580 soft bits, but the input has 11581");
	refused("utran_turbo_decoder", ALOE_LLR16, 11581, NULL,
	    "input of 11581 soft bits is not 3K + 12 for a block K in [40, 5114], nor up to 16 "
	    "such blocks");
	refused("utran_turbo_decoder", ALOE_LLR16, 129, NULL,
	    "input of 129 soft bits is not 3K + 12 for a block K in [40, 5114], nor up to 16 such "
	    "blocks");
	refused("utran_rate_match", ALOE_BIT, 11580, NULL,
	    "output is not set; give output, or ndata and frame_bits");
	refused("utran_rate_match", ALOE_BIT, 11580, WITH({"output", "3859"}),
	    "output 3859 is outside [3860, 185280] for 11580 coded bits in 1 radio frame");
	refused("utran_rate_match", ALOE_BIT, 3900, WITH({"output", "649"}, {"tti_ms", "20"}),
	    "output 649 is outside [650, 31200] for 3900 coded bits in 2 radio frames");
	refused("utran_rate_match", ALOE_BIT, 100, WITH({"output", "90"}),
	    "input of 100 bits is not a multiple of 3 up to 1048575, as turbo coded bits are");
	refused("utran_rate_match", ALOE_BIT, 360, WITH({"output", "71"}, {"tti_ms", "30"}),
	    "tti_ms 30 is not 10, 20, 40 or 80");
	refused("utran_rate_dematch", ALOE_LLR16, 9120, NULL, "parameter coded is required");
	refused("utran_rate_dematch", ALOE_LLR16, 9120, WITH({"coded", "11581"}),
	    "coded 11581 is not a multiple of 3, as turbo coded bits are");
	refused("utran_rate_dematch", ALOE_LLR16, 3859, WITH({"coded", "11580"}),
	    "input of 3859 soft bits is outside [3860, 185280] for 11580 coded bits");
	refused("utran_interleave1", ALOE_BIT, 9049, WITH({"tti_ms", "20"}),
	    "input of 9049 bits is not a multiple of the 2 radio frames of the TTI");
	refused("utran_deinterleave1", ALOE_LLR16, 9049, WITH({"tti_ms", "15"}),
	    "tti_ms 15 is not 10, 20, 40 or 80");
	refused("utran_segment", ALOE_BIT, 284, WITH({"tti_ms", "80"}),
	    "input of 284 bits is not a multiple of the 8 radio frames of the TTI");
	refused("utran_segment", ALOE_BIT, 284, WITH({"tti_ms", "40"}, {"tti_phase", "4"}),
	    "tti_phase 4 is outside [0, 3] for tti_ms 40");
	refused("utran_desegment", ALOE_LLR16, 71, WITH({"tti_ms", "50"}),
	    "tti_ms 50 is not 10, 20, 40 or 80");
	refused("utran_demux", ALOE_LLR16, 9120, WITH({"length0", "9049"}),
	    "lengths 9049 + 0 + 0 + 0 do not make the radio frame of 9120 soft bits");
	refused("utran_demux", ALOE_LLR16, 71, WITH({"length1", "71"}),
	    "lengths 0 + 71 + 0 + 0 do not make the radio frame of 71 soft bits");
}

static void test_demux_unnamed_output(void **state)
{
	struct mock m;

	(void)state;
	mock_open(&m, "utran_demux");
	mock_input(&m, 0, ALOE_LLR16, 9120);
	mock_output(&m, 2, ALOE_LLR16);
	assert_true(mock_start(&m) < 0);
	assert_string_equal(m.setup.error, "out2 is connected but length2 is 0");
	mock_close(&m);
}

/* Every component that works on whole blocks passes IDLE and ABSENT, and counts what is not
 * whole. */
static void test_states(void **state)
{
	static const struct {
		const char *component;
		uint32_t type, max;
		struct setting settings[3];
	} cases[] = {
	    {"utran_crc", ALOE_BIT, 3840, {{0}}},
	    {"utran_turbo_encoder", ALOE_BIT, 40, {{0}}},
	    {"utran_rate_match", ALOE_BIT, 132, {{"output", "100"}}},
	    {"utran_interleave1", ALOE_BIT, 360, {{"tti_ms", "40"}}},
	    {"utran_segment", ALOE_BIT, 100, {{0}}},
	    {"utran_mux", ALOE_BIT, 100, {{0}}},
	    {"utran_interleave2", ALOE_BIT, 100, {{0}}},
	    {"utran_deinterleave2", ALOE_LLR16, 100, {{0}}},
	    {"utran_demux", ALOE_LLR16, 100, {{0}}},
	    {"utran_desegment", ALOE_LLR16, 100, {{0}}},
	    {"utran_deinterleave1", ALOE_LLR16, 360, {{"tti_ms", "40"}}},
	    {"utran_rate_dematch", ALOE_LLR16, 100, {{"coded", "132"}}},
	    {"utran_turbo_decoder", ALOE_LLR16, 132, {{0}}},
	    {"utran_crc_check", ALOE_BIT, 56, {{0}}},
	};
	static const int16_t zeros[4000];

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct mock m;
		assert_int_equal(
		    start(&m, cases[c].component, cases[c].type, cases[c].max, cases[c].settings),
		    0);
		assert_int_equal(mock_work(&m, 0), 0);
		assert_int_equal(m.out[0].state, ALOE_ABSENT);
		mock_give_state(&m, 0, ALOE_IDLE);
		assert_int_equal(mock_work(&m, 1), 0);
		assert_int_equal(m.out[0].state, ALOE_IDLE);
		assert_int_equal(m.out[0].len, 0);
		assert_int_equal(mock_var(&m, "short_blocks"), 0);
		mock_give(&m, 0, zeros, cases[c].max - 1);
		assert_int_equal(mock_work(&m, 2), 0);
		assert_int_equal(m.out[0].state, ALOE_ABSENT);
		assert_int_equal(mock_var(&m, "short_blocks"), 1);
		mock_give(&m, 0, zeros, cases[c].max);
		assert_int_equal(mock_work(&m, 3), 0);
		assert_int_equal(m.out[0].state, ALOE_VALID);
		assert_int_equal(m.out[0].len, m.out[0].max);
		assert_int_equal(mock_var(&m, "short_blocks"), 1);
		mock_close(&m);
	}
}

static void test_crc_check_counts(void **state)
{
	struct mock tx, rx;
	uint8_t bits[100], block[116];

	(void)state;
	assert_int_equal(start(&tx, "utran_crc", ALOE_BIT, 100, NULL), 0);
	assert_int_equal(start(&rx, "utran_crc_check", ALOE_BIT, 116, NULL), 0);
	for (int i = 0; i < 100; i++)
		bits[i] = i % 3 == 0;
	for (int i = 0; i < 116; i++) {
		mock_give(&tx, 0, bits, 100);
		assert_int_equal(mock_work(&tx, 0), 0);
		memcpy(block, tx.out[0].data, 116);
		mock_give(&rx, 0, block, 116);
		assert_int_equal(mock_work(&rx, 0), 0);
		assert_int_equal(rx.out[0].state, ALOE_VALID);
		assert_memory_equal(rx.out[0].data, bits, 100);
		block[i] ^= 1;
		mock_give(&rx, 0, block, 116);
		assert_int_equal(mock_work(&rx, 0), 0);
		assert_int_equal(rx.out[0].state, ALOE_ABSENT);
		assert_int_equal(rx.out[0].len, 0);
	}
	assert_int_equal(mock_var(&rx, "blocks"), 232);
	assert_int_equal(mock_var(&rx, "block_errors"), 116);
	mock_close(&tx);
	mock_close(&rx);
}

static void test_mux(void **state)
{
	static const uint8_t a[] = {1, 1, 0}, b[] = {0, 1}, all[] = {1, 1, 0, 0, 1};
	struct mock m;

	(void)state;
	mock_open(&m, "utran_mux");
	mock_input(&m, 0, ALOE_BIT, 3);
	mock_input(&m, 2, ALOE_BIT, 2);
	assert_int_equal(mock_start(&m), 0);
	assert_int_equal(m.out[0].max, 5);
	mock_give(&m, 0, a, 3);
	mock_give(&m, 2, b, 2);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.out[0].state, ALOE_VALID);
	assert_int_equal(m.out[0].len, 5);
	assert_memory_equal(m.out[0].data, all, 5);
	mock_give(&m, 0, a, 3);
	mock_give_state(&m, 2, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(m.out[0].state, ALOE_IDLE);
	mock_give_state(&m, 0, ALOE_ABSENT);
	mock_give_state(&m, 2, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	mock_give(&m, 0, a, 3);
	mock_give(&m, 2, b, 1);
	assert_int_equal(mock_work(&m, 3), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_int_equal(mock_var(&m, "short_blocks"), 1);
	mock_close(&m);
}

/* Bits of a channel that is not connected are left out, and the later ones found all the same. */
static void test_demux(void **state)
{
	static const int16_t frame[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	struct mock m;

	(void)state;
	mock_open(&m, "utran_demux");
	mock_set(&m, "length0", "2");
	mock_set(&m, "length1", "3");
	mock_set(&m, "length3", "4");
	mock_input(&m, 0, ALOE_LLR16, 9);
	mock_output(&m, 3, ALOE_LLR16);
	assert_int_equal(mock_start(&m), 0);
	assert_int_equal(m.out[1].max, 0);
	mock_give(&m, 0, frame, 9);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(m.out[0].len, 2);
	assert_memory_equal(m.out[0].data, frame, 4);
	assert_int_equal(m.out[1].len, 0);
	assert_int_equal(m.out[3].state, ALOE_VALID);
	assert_int_equal(m.out[3].len, 4);
	assert_memory_equal(m.out[3].data, frame + 5, 8);
	mock_give_state(&m, 0, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(m.out[3].state, ALOE_IDLE);
	mock_give(&m, 0, frame, 8);
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_int_equal(m.out[3].state, ALOE_ABSENT);
	mock_close(&m);
}

static void segment_expect(
    struct mock *m, uint64_t index, const void *in, uint32_t in_state, uint32_t state, int first)
{
	if (in_state == ALOE_VALID)
		mock_give(m, 0, in, 8);
	else
		mock_give_state(m, 0, (enum aloe_state)in_state);
	assert_int_equal(mock_work(m, index), 0);
	assert_int_equal(m->out[0].state, state);
	assert_int_equal(m->out[0].len, state == ALOE_VALID ? 2 : 0);
	if (state == ALOE_VALID)
		assert_int_equal(((uint8_t *)m->out[0].data)[0], first);
}

static void test_segment(void **state)
{
	/* Not bits, so that it can be seen where they go. */
	static const uint8_t tti[] = {10, 11, 20, 21, 30, 31, 40, 41};
	struct mock m;

	(void)state;
	assert_int_equal(
	    start(&m, "utran_segment", ALOE_BIT, 8, WITH({"tti_ms", "40"}, {"tti_phase", "1"})), 0);
	segment_expect(&m, 0, NULL, ALOE_IDLE, ALOE_ABSENT, 0); /* began inside a TTI */
	segment_expect(&m, 1, tti, ALOE_VALID, ALOE_VALID, 10);
	segment_expect(&m, 2, NULL, ALOE_IDLE, ALOE_VALID, 20);
	segment_expect(&m, 3, NULL, ALOE_ABSENT, ALOE_VALID, 30);
	segment_expect(&m, 4, tti, ALOE_VALID, ALOE_VALID, 40);
	assert_int_equal(mock_var(&m, "misplaced_blocks"), 1);
	/* the TTI was lost: so are its frames */
	segment_expect(&m, 5, NULL, ALOE_ABSENT, ALOE_ABSENT, 0);
	segment_expect(&m, 6, NULL, ALOE_IDLE, ALOE_ABSENT, 0);
	segment_expect(&m, 8, NULL, ALOE_IDLE, ALOE_ABSENT, 0);
	segment_expect(&m, 9, NULL, ALOE_IDLE, ALOE_IDLE, 0);
	segment_expect(&m, 10, NULL, ALOE_IDLE, ALOE_IDLE, 0);
	segment_expect(&m, 13, tti, ALOE_VALID, ALOE_VALID, 10);
	/* 17 was skipped: nothing of the TTI before it */
	segment_expect(&m, 18, NULL, ALOE_IDLE, ALOE_ABSENT, 0);
	segment_expect(&m, 21, tti, ALOE_VALID, ALOE_VALID, 10);
	assert_int_equal(m.component->reset(m.state), 0);
	segment_expect(&m, 22, NULL, ALOE_IDLE, ALOE_ABSENT, 0);
	mock_close(&m);
}

static void desegment_give(
    struct mock *m, uint64_t index, uint32_t in_state, int16_t value, uint32_t state)
{
	const int16_t frame[] = {value, (int16_t)-value};

	if (in_state == ALOE_VALID)
		mock_give(m, 0, frame, 2);
	else
		mock_give_state(m, 0, (enum aloe_state)in_state);
	assert_int_equal(mock_work(m, index), 0);
	assert_int_equal(m->out[0].state, state);
}

static void desegment_made(const struct mock *m, int16_t a, int16_t b, int16_t c, int16_t d)
{
	const int16_t want[] = {a, (int16_t)-a, b, (int16_t)-b, c, (int16_t)-c, d, (int16_t)-d};

	assert_int_equal(m->out[0].len, 8);
	assert_memory_equal(m->out[0].data, want, sizeof(want));
}

static void test_desegment(void **state)
{
	struct mock m;

	(void)state;
	assert_int_equal(start(&m, "utran_desegment", ALOE_LLR16, 2, WITH({"tti_ms", "40"})), 0);
	for (uint64_t i = 0; i < 3; i++)
		desegment_give(&m, i, ALOE_VALID, (int16_t)(i + 1), ALOE_IDLE);
	desegment_give(&m, 3, ALOE_VALID, 4, ALOE_VALID);
	desegment_made(&m, 1, 2, 3, 4);
	assert_int_equal(mock_var(&m, "lost_frames"), 0);
	for (uint64_t i = 4; i < 7; i++) /* one frame missing: concealed */
		desegment_give(
		    &m, i, i == 5 ? ALOE_ABSENT : ALOE_VALID, (int16_t)(i + 1), ALOE_IDLE);
	desegment_give(&m, 7, ALOE_VALID, 8, ALOE_VALID);
	desegment_made(&m, 5, 0, 7, 8);
	assert_int_equal(mock_var(&m, "lost_frames"), 1);
	for (uint64_t i = 8; i < 11; i++)
		desegment_give(&m, i, ALOE_ABSENT, 0, ALOE_IDLE);
	desegment_give(&m, 11, ALOE_ABSENT, 0, ALOE_ABSENT);
	for (uint64_t i = 12; i < 15; i++)
		desegment_give(&m, i, ALOE_IDLE, 0, ALOE_IDLE);
	desegment_give(&m, 15, ALOE_IDLE, 0, ALOE_IDLE);
	desegment_give(&m, 16, ALOE_VALID, 9, ALOE_IDLE);
	desegment_give(&m, 22, ALOE_VALID, 10, ALOE_IDLE); /* 17 to 21 skipped */
	desegment_give(&m, 23, ALOE_VALID, 11, ALOE_VALID);
	desegment_made(&m, 0, 0, 10, 11);
	desegment_give(&m, 24, ALOE_VALID, 12, ALOE_IDLE);
	assert_int_equal(m.component->reset(m.state), 0);
	desegment_give(&m, 27, ALOE_VALID, 13, ALOE_VALID);
	desegment_made(&m, 0, 0, 0, 13);
	mock_close(&m);
}

/* More iterations are a parameter of the run: 8 decode what 1 does not. */
static void test_decoder_iterations(void **state)
{
	static int16_t soft[11580];
	struct mock m;
	uint32_t seed = 5, ones = 0;

	(void)state;
	assert_int_equal(
	    start(&m, "utran_turbo_decoder", ALOE_LLR16, 11580, WITH({"iterations", "1"})), 0);
	for (int i = 0; i < 11580; i++) { /* the zero codeword, one bit in nine inverted */
		seed = seed * 1664525u + 1013904223u;
		soft[i] = (seed >> 16) % 9 == 0 ? -16 : 16;
	}
	for (int round = 0; round < 2; round++) {
		ones = 0;
		mock_give(&m, 0, soft, 11580);
		assert_int_equal(mock_work(&m, 0), 0);
		for (int i = 0; i < 3856; i++)
			ones += ((uint8_t *)m.out[0].data)[i];
		assert_true(round == 0 ? ones > 0 : ones == 0);
		assert_int_equal(mock_set(&m, "iterations", "8"), 0);
	}
	mock_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sizes),
	    cmocka_unit_test(test_refusals),
	    cmocka_unit_test(test_demux_unnamed_output),
	    cmocka_unit_test(test_states),
	    cmocka_unit_test(test_crc_check_counts),
	    cmocka_unit_test(test_mux),
	    cmocka_unit_test(test_demux),
	    cmocka_unit_test(test_segment),
	    cmocka_unit_test(test_desegment),
	    cmocka_unit_test(test_decoder_iterations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
