/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_chain - all UTRAN components in one row, as a waveform would link them, without noise:
 * the same bits come out, and every interface has the length that the standard's 384 kbit/s
 * reference channel gives it. */
#include "tests/mock/mock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { STAGES_MAX = 16 };

struct stage {
	const char *component;
	const char *param, *value; /* NULL: none */
	const char *param2, *value2;
	uint32_t length; /* of its output */
};

struct row {
	struct mock stages[STAGES_MAX];
	int len;
};

static void stage_start(struct mock *m, const struct stage *stage, uint32_t type, uint32_t max)
{
	mock_open(m, stage->component);
	if (stage->param)
		assert_int_equal(mock_set(m, stage->param, stage->value), 0);
	if (stage->param2)
		assert_int_equal(mock_set(m, stage->param2, stage->value2), 0);
	mock_input(m, 0, type, max);
	if (mock_start(m) < 0)
		fail_msg("%s: %s", stage->component, m->setup.error);
	assert_int_equal(m->out[0].max, stage->length);
}

static void row_start(
    struct row *row, const struct stage *stages, int len, uint32_t type, uint32_t max)
{
	row->len = len;
	for (int i = 0; i < len; i++) {
		stage_start(&row->stages[i], &stages[i], type, max);
		type = row->stages[i].format_out[0].type;
		max = stages[i].length;
	}
}

static void pass_on(const struct aloe_out *from, struct mock *to, unsigned port)
{
	if (from->state == ALOE_VALID)
		mock_give(to, port, from->data, from->len);
	else
		mock_give_state(to, port, (enum aloe_state)from->state);
}

/* Runs one index through the row; its last output. The first stage has been given its input. */
static const struct aloe_out *row_work(struct row *row, uint64_t index)
{
	for (int i = 0; i < row->len; i++) {
		if (i > 0)
			pass_on(&row->stages[i - 1].out[0], &row->stages[i], 0);
		assert_int_equal(mock_work(&row->stages[i], index), 0);
	}
	return &row->stages[row->len - 1].out[0];
}

static void row_close(struct row *row)
{
	for (int i = 0; i < row->len; i++)
		mock_close(&row->stages[i]);
}

static uint32_t draw_bits(uint8_t *bits, uint32_t n, uint32_t seed)
{
	for (uint32_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		bits[i] = seed >> 31;
	}
	return seed;
}

static uint32_t to_soft(const struct aloe_out *bits, int16_t *soft)
{
	for (uint32_t i = 0; i < bits->len; i++)
		soft[i] = ((const uint8_t *)bits->data)[i] ? -16 : 16;
	return bits->len;
}

/* Configuration dl1: DTCH alone. */
static const struct stage dl1_tx[] = {
    {"utran_crc", "size", "16", NULL, NULL, 3856},
    {"utran_turbo_encoder", NULL, NULL, NULL, NULL, 11580},
    {"utran_rate_match", "output", "9120", NULL, NULL, 9120},
    {"utran_interleave1", "tti_ms", "10", NULL, NULL, 9120},
    {"utran_segment", "tti_ms", "10", NULL, NULL, 9120},
    {"utran_mux", NULL, NULL, NULL, NULL, 9120},
    {"utran_interleave2", NULL, NULL, NULL, NULL, 9120},
};

static const struct stage dl1_rx[] = {
    {"utran_deinterleave2", NULL, NULL, NULL, NULL, 9120},
    {"utran_demux", NULL, NULL, NULL, NULL, 9120},
    {"utran_desegment", "tti_ms", "10", NULL, NULL, 9120},
    {"utran_deinterleave1", "tti_ms", "10", NULL, NULL, 9120},
    {"utran_rate_dematch", "coded", "11580", NULL, NULL, 11580},
    {"utran_turbo_decoder", "iterations", "2", "block", "3856", 3856},
    {"utran_crc_check", "size", "16", NULL, NULL, 3840},
};

static void test_dl1(void **state)
{
	static struct row tx, rx;
	static uint8_t bits[3840];
	static int16_t soft[9120];
	uint32_t seed = 1;

	(void)state;
	row_start(&tx, dl1_tx, 7, ALOE_BIT, 3840);
	row_start(&rx, dl1_rx, 7, ALOE_LLR16, 9120);
	for (uint64_t index = 0; index < 20; index++) {
		const struct aloe_out *out;
		seed = draw_bits(bits, 3840, seed);
		mock_give(&tx.stages[0], 0, bits, 3840);
		mock_give(&rx.stages[0], 0, soft, to_soft(row_work(&tx, index), soft));
		out = row_work(&rx, index);
		assert_int_equal(out->state, ALOE_VALID);
		assert_int_equal(out->len, 3840);
		assert_memory_equal(out->data, bits, 3840);
	}
	assert_int_equal(mock_var(&rx.stages[6], "blocks"), 20);
	assert_int_equal(mock_var(&rx.stages[6], "block_errors"), 0);
	row_close(&tx);
	row_close(&rx);
}

/* A block that was not sent arrives as nothing, and the next one as itself. */
static void test_dl1_gap(void **state)
{
	static struct row tx, rx;
	static uint8_t bits[3840];
	static int16_t soft[9120];
	uint32_t seed = 7;

	(void)state;
	row_start(&tx, dl1_tx, 7, ALOE_BIT, 3840);
	row_start(&rx, dl1_rx, 7, ALOE_LLR16, 9120);
	for (uint64_t index = 0; index < 9; index++) {
		const enum aloe_state given = (enum aloe_state)(index % 3);
		const struct aloe_out *air, *out;
		seed = draw_bits(bits, 3840, seed);
		if (given == ALOE_VALID)
			mock_give(&tx.stages[0], 0, bits, 3840);
		else
			mock_give_state(&tx.stages[0], 0, given);
		air = row_work(&tx, index);
		assert_int_equal(air->state, given);
		if (given == ALOE_VALID)
			mock_give(&rx.stages[0], 0, soft, to_soft(air, soft));
		else
			mock_give_state(&rx.stages[0], 0, given);
		out = row_work(&rx, index);
		assert_int_equal(out->state, given);
		if (given == ALOE_VALID)
			assert_memory_equal(out->data, bits, 3840);
	}
	assert_int_equal(mock_var(&rx.stages[6], "blocks"), 3);
	row_close(&tx);
	row_close(&rx);
}

/* Configuration dl: DTCH of 10 ms and the coded bits of a DCCH of 40 ms share the physical channel,
 * 9049 + 71. */
static const struct stage dl_dtch_tx[] = {
    {"utran_crc", NULL, NULL, NULL, NULL, 3856},
    {"utran_turbo_encoder", NULL, NULL, NULL, NULL, 11580},
    {"utran_rate_match", "output", "9049", NULL, NULL, 9049},
    {"utran_interleave1", NULL, NULL, NULL, NULL, 9049},
    {"utran_segment", NULL, NULL, NULL, NULL, 9049},
};

static const struct stage dl_dcch_tx[] = {
    {"utran_interleave1", "tti_ms", "40", NULL, NULL, 284},
    {"utran_segment", "tti_ms", "40", NULL, NULL, 71},
};

static const struct stage dl_dtch_rx[] = {
    {"utran_desegment", NULL, NULL, NULL, NULL, 9049},
    {"utran_deinterleave1", NULL, NULL, NULL, NULL, 9049},
    {"utran_rate_dematch", "coded", "11580", NULL, NULL, 11580},
    {"utran_turbo_decoder", NULL, NULL, NULL, NULL, 3856},
    {"utran_crc_check", NULL, NULL, NULL, NULL, 3840},
};

static const struct stage dl_dcch_rx[] = {
    {"utran_desegment", "tti_ms", "40", NULL, NULL, 284},
    {"utran_deinterleave1", "tti_ms", "40", NULL, NULL, 284},
    {"utran_rate_dematch", "coded", "360", "coding", "convolutional", 360},
};

struct dl {
	struct row dtch_tx, dcch_tx, dtch_rx, dcch_rx;
	struct mock dcch_match, mux, interleave, deinterleave, demux;
	uint8_t dtch[3840], dcch[360];
	int16_t soft[9120];
	uint32_t seed;
};

static void dl_start(struct dl *d)
{
	static const struct stage none = {"utran_interleave2", NULL, NULL, NULL, NULL, 9120};
	static const struct stage back = {"utran_deinterleave2", NULL, NULL, NULL, NULL, 9120};

	row_start(&d->dtch_tx, dl_dtch_tx, 5, ALOE_BIT, 3840);
	mock_open(&d->dcch_match, "utran_rate_match");
	mock_set(&d->dcch_match, "output", "71");
	mock_set(&d->dcch_match, "tti_ms", "40");
	mock_set(&d->dcch_match, "coding", "convolutional");
	mock_input(&d->dcch_match, 0, ALOE_BIT, 360);
	assert_int_equal(mock_start(&d->dcch_match), 0);
	row_start(&d->dcch_tx, dl_dcch_tx, 2, ALOE_BIT, 284);
	mock_open(&d->mux, "utran_mux");
	mock_input(&d->mux, 0, ALOE_BIT, 9049);
	mock_input(&d->mux, 1, ALOE_BIT, 71);
	assert_int_equal(mock_start(&d->mux), 0);
	stage_start(&d->interleave, &none, ALOE_BIT, 9120);
	stage_start(&d->deinterleave, &back, ALOE_LLR16, 9120);
	mock_open(&d->demux, "utran_demux");
	mock_set(&d->demux, "length1", "71");
	mock_input(&d->demux, 0, ALOE_LLR16, 9120);
	mock_output(&d->demux, 1, ALOE_LLR16);
	assert_int_equal(mock_start(&d->demux), 0);
	row_start(&d->dtch_rx, dl_dtch_rx, 5, ALOE_LLR16, 9049);
	row_start(&d->dcch_rx, dl_dcch_rx, 3, ALOE_LLR16, 71);
}

static void dl_close(struct dl *d)
{
	struct mock *singles[] = {
	    &d->dcch_match, &d->mux, &d->interleave, &d->deinterleave, &d->demux};
	struct row *rows[] = {&d->dtch_tx, &d->dcch_tx, &d->dtch_rx, &d->dcch_rx};

	for (int i = 0; i < 5; i++)
		mock_close(singles[i]);
	for (int i = 0; i < 4; i++)
		row_close(rows[i]);
}

static void dl_send(struct dl *d, uint64_t index)
{
	d->seed = draw_bits(d->dtch, 3840, d->seed);
	mock_give(&d->dtch_tx.stages[0], 0, d->dtch, 3840);
	pass_on(row_work(&d->dtch_tx, index), &d->mux, 0);
	if (index % 4 == 0) {
		d->seed = draw_bits(d->dcch, 360, d->seed);
		mock_give(&d->dcch_match, 0, d->dcch, 360);
	} else {
		mock_give_state(&d->dcch_match, 0, ALOE_IDLE);
	}
	assert_int_equal(mock_work(&d->dcch_match, index), 0);
	pass_on(&d->dcch_match.out[0], &d->dcch_tx.stages[0], 0);
	pass_on(row_work(&d->dcch_tx, index), &d->mux, 1);
	assert_int_equal(mock_work(&d->mux, index), 0);
	pass_on(&d->mux.out[0], &d->interleave, 0);
	assert_int_equal(mock_work(&d->interleave, index), 0);
	assert_int_equal(to_soft(&d->interleave.out[0], d->soft), 9120);
}

static void dl_check_dcch(const struct dl *d, const struct aloe_out *out)
{
	const int16_t *soft = out->data;
	int known = 0;

	assert_int_equal(out->state, ALOE_VALID);
	assert_int_equal(out->len, 360);
	for (int i = 0; i < 360; i++) {
		known += soft[i] != 0;
		if (soft[i] != 0)
			assert_int_equal(soft[i], d->dcch[i] ? -16 : 16);
	}
	assert_int_equal(known, 284);
}

static void dl_receive(struct dl *d, uint64_t index)
{
	const struct aloe_out *out;

	mock_give(&d->deinterleave, 0, d->soft, 9120);
	assert_int_equal(mock_work(&d->deinterleave, index), 0);
	pass_on(&d->deinterleave.out[0], &d->demux, 0);
	assert_int_equal(mock_work(&d->demux, index), 0);
	pass_on(&d->demux.out[0], &d->dtch_rx.stages[0], 0);
	pass_on(&d->demux.out[1], &d->dcch_rx.stages[0], 0);
	out = row_work(&d->dtch_rx, index);
	assert_int_equal(out->state, ALOE_VALID);
	assert_memory_equal(out->data, d->dtch, 3840);
	out = row_work(&d->dcch_rx, index);
	if (index % 4 == 3)
		dl_check_dcch(d, out);
	else
		assert_int_equal(out->state, ALOE_IDLE);
}

static void test_dl(void **state)
{
	static struct dl d;

	(void)state;
	dl_start(&d);
	for (uint64_t index = 0; index < 16; index++) {
		dl_send(&d, index);
		dl_receive(&d, index);
	}
	dl_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dl1),
	    cmocka_unit_test(test_dl1_gap),
	    cmocka_unit_test(test_dl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
