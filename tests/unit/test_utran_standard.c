/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_standard - what the standard asks of UTRAN components beyond one block in 10 ms:
 * several transport blocks and code blocks, lengths that follow from the transport channels, the
 * uplink's order, DTX. Held against tests/utran_plain; whole chains of them are tests/golden's. */
#include "tests/mock/mock.h"
#include "tests/utran_plain/utran_plain_conv.h"
#include "tests/utran_plain/utran_plain_uplink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ITEMS_MAX = 12000 };

struct setting {
	const char *param, *value;
};
#define WITH(...) ((const struct setting[]){__VA_ARGS__, {NULL, NULL}})

static int start(struct mock *m, const char *component, uint32_t type, uint32_t max,
    const struct setting *settings)
{
	mock_open(m, component);
	for (; settings && settings->param; settings++)
		assert_int_equal(mock_set(m, settings->param, settings->value), 0);
	mock_input(m, 0, type, max);
	return mock_start(m);
}

static void started(struct mock *m, const char *component, uint32_t type, uint32_t max,
    const struct setting *settings)
{
	if (start(m, component, type, max, settings) < 0)
		fail_msg("%s: %s", component, m->setup.error);
}

static void refused(const char *component, uint32_t type, uint32_t max,
    const struct setting *settings, const char *why)
{
	struct mock m;

	assert_true(start(&m, component, type, max, settings) < 0);
	assert_string_equal(m.setup.error, why);
	mock_close(&m);
}

static void work(struct mock *m, uint64_t index, const void *items, uint32_t len)
{
	mock_give(m, 0, items, len);
	assert_int_equal(mock_work(m, index), 0);
}

static void draw(uint8_t *bits, int32_t *same, int n)
{
	static uint32_t seed = 1;

	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		same[i] = bits[i] = seed >> 31;
	}
}

static void assert_bits(const struct mock *m, const int32_t *want, int n)
{
	assert_int_equal(m->out[0].state, ALOE_VALID);
	assert_int_equal(m->out[0].len, n);
	for (int i = 0; i < n; i++)
		if (((const uint8_t *)m->out[0].data)[i] != want[i])
			fail_msg("%s: item %d of %d is not as it should be", m->name, i, n);
}

/* ---- transport blocks ------------------------------------------------------------------------ */

enum { BLOCKS = 3, BLOCK = 50, PARITY = 12 };

static void test_crc_blocks(void **state)
{
	struct mock m;
	uint8_t bits[BLOCKS * BLOCK];
	int32_t same[BLOCKS * BLOCK], want[BLOCKS * (BLOCK + PARITY)] = {0};

	(void)state;
	started(
	    &m, "utran_crc", ALOE_BIT, BLOCKS * BLOCK, WITH({"size", "12"}, {"tti_blocks", "3"}));
	assert_int_equal(m.out[0].max, BLOCKS * (BLOCK + PARITY));
	draw(bits, same, BLOCKS * BLOCK);
	work(&m, 0, bits, BLOCKS * BLOCK);
	for (int b = 0; b < BLOCKS; b++)
		plain_crc_attach(same + b * BLOCK, BLOCK, PARITY, want + b * (BLOCK + PARITY));
	assert_bits(&m, want, BLOCKS * (BLOCK + PARITY));
	/* Three blocks of size 0 have their parity; no block has none. */
	memset(want, 0, sizeof(want));
	work(&m, 1, bits, 0);
	assert_bits(&m, want, BLOCKS * PARITY);
	mock_give_state(&m, 0, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.out[0].state, ALOE_IDLE);
	work(&m, 3, bits, BLOCK);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_int_equal(mock_var(&m, "short_blocks"), 1);
	mock_close(&m);
	refused("utran_crc", ALOE_BIT, 100, WITH({"tti_blocks", "3"}),
	    "input of 100 bits is not 3 transport blocks of one size");
	refused("utran_crc_check", ALOE_BIT, 100, WITH({"tti_blocks", "3"}),
	    "input of 100 bits is not 3 blocks of one size");
	refused("utran_crc_check", ALOE_BIT, 45, WITH({"tti_blocks", "3"}),
	    "input block of 15 bits is shorter than its CRC of 16");
}

static void check_tti(const char *bad, bool turn, uint32_t want_state)
{
	struct mock m;
	uint8_t bits[BLOCKS * (BLOCK + PARITY)], unused[BLOCK];
	int32_t block[BLOCK], coded[BLOCK + PARITY], want[BLOCKS * BLOCK];

	for (int b = 0; b < BLOCKS; b++) {
		draw(unused, block, BLOCK);
		plain_crc_attach(block, BLOCK, PARITY, coded);
		for (int i = 0; i < BLOCK + PARITY; i++)
			bits[b * (BLOCK + PARITY) + i] = (uint8_t)coded[i];
		memcpy(want + b * BLOCK, block, sizeof(block));
	}
	mock_open(&m, "utran_crc_check");
	mock_set(&m, "size", "12");
	mock_set(&m, "tti_blocks", "3");
	mock_set(&m, "bad", bad);
	mock_input(&m, 0, ALOE_BIT, sizeof(bits));
	mock_output(&m, 1, ALOE_BIT);
	assert_int_equal(mock_start(&m), 0);
	if (turn) { /* the second block */
		bits[BLOCK + PARITY + 7] ^= 1;
		want[BLOCK + 7] ^= 1;
	}
	work(&m, 0, bits, sizeof(bits));
	assert_int_equal(m.out[0].state, want_state);
	if (want_state == ALOE_VALID)
		assert_bits(&m, want, BLOCKS * BLOCK);
	assert_int_equal(m.out[1].state, ALOE_VALID);
	assert_int_equal(m.out[1].len, BLOCKS);
	for (int b = 0; b < BLOCKS; b++)
		assert_int_equal(((const uint8_t *)m.out[1].data)[b], turn && b == 1);
	assert_int_equal(mock_var(&m, "blocks"), BLOCKS);
	assert_int_equal(mock_var(&m, "block_errors"), turn);
	memset(bits, 0, sizeof(bits)); /* blocks of size 0 */
	work(&m, 1, bits, BLOCKS * PARITY);
	assert_int_equal(m.out[0].state, ALOE_VALID);
	assert_int_equal(m.out[0].len, 0);
	assert_int_equal(mock_var(&m, "blocks"), 2 * BLOCKS);
	mock_give_state(&m, 0, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.out[1].state, ALOE_IDLE);
	mock_close(&m);
}

static void test_crc_check_blocks(void **state)
{
	(void)state;
	check_tti("drop", false, ALOE_VALID);
	check_tti("drop", true, ALOE_ABSENT);
	check_tti("keep", false, ALOE_VALID);
	check_tti("keep", true, ALOE_VALID);
}

/* ---- convolutional codes: code blocks ---- */

static void check_conv(int bits, const char *rate, int outputs, bool name_block)
{
	static uint8_t in[ITEMS_MAX];
	static int32_t same[ITEMS_MAX], padded[ITEMS_MAX], want[ITEMS_MAX];
	static int16_t soft[ITEMS_MAX];
	struct mock tx, rx;
	int blocks, size, coded;
	char text[16];

	draw(in, same, bits);
	plain_code_blocks(same, bits, 504, 0, &blocks, &size, padded);
	coded = outputs * (size + 8);
	for (int b = 0; b < blocks; b++)
		plain_conv_encode(outputs, padded + b * size, size, want + b * coded);
	started(&tx, "utran_conv_encoder", ALOE_BIT, (uint32_t)bits, WITH({"rate", rate}));
	work(&tx, 0, in, (uint32_t)bits);
	assert_bits(&tx, want, blocks * coded);
	for (int i = 0; i < blocks * coded; i++)
		soft[i] = want[i] ? -16 : 16;
	snprintf(text, sizeof(text), "%d", name_block ? bits : 0);
	started(&rx, "utran_conv_decoder", ALOE_LLR16, (uint32_t)(blocks * coded),
	    WITH({"rate", rate}, {"block", text}));
	work(&rx, 0, soft, (uint32_t)(blocks * coded));
	assert_bits(&rx, name_block ? same : padded, name_block ? bits : blocks * size);
	mock_close(&tx);
	mock_close(&rx);
}

static void test_conv(void **state)
{
	static const int bits[] = {1, 40, 112, 260, 503, 504, 505, 1008, 1009, 1010, 2021};

	(void)state;
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		for (int name_block = 0; name_block < 2; name_block++) {
			check_conv(bits[i], "1/2", 2, name_block);
			check_conv(bits[i], "1/3", 3, name_block);
		}
	}
	refused(
	    "utran_conv_encoder", ALOE_BIT, 8065, NULL, "input of 8065 bits is outside [1, 8064]");
	refused("utran_conv_decoder", ALOE_LLR16, 361, NULL,
	    "input of 361 soft bits is not what a code of rate 1/3 makes of a TTI");
	refused("utran_conv_decoder", ALOE_LLR16, 24, NULL,
	    "input of 24 soft bits is not what a code of rate 1/3 makes of a TTI");
	refused("utran_conv_decoder", ALOE_LLR16, 363, WITH({"block", "112"}),
	    "block 112 needs 360 soft bits, but the input has 363");
}

/* ---- lengths that follow from the channels ---- */

static int start_match(struct mock *m, uint32_t coded, const float *frame_bits, uint32_t channels,
    const struct setting *settings)
{
	mock_open(m, "utran_rate_match");
	for (; settings->param; settings++)
		assert_int_equal(mock_set(m, settings->param, settings->value), 0);
	if (channels)
		mock_set_reals(m, "frame_bits", frame_bits, channels);
	mock_input(m, 0, ALOE_BIT, coded);
	return mock_start(m);
}

static void test_match_lengths(void **state)
{
	static const struct {
		uint32_t coded;
		float frame_bits[2];
		struct setting settings[5];
		uint32_t out;
	} cases[] = {
	    {11580, {11580, 90}, {{"ndata", "9120"}, {"channel", "1"}}, 9049},
	    {8700, {4350, 90}, {{"ndata", "4320"}, {"tti_ms", "20"}}, 8464},
	    {3900, {1950, 90}, {{"ndata", "2100"}, {"tti_ms", "20"}}, 4014},
	    {804, {402, 90}, {{"ndata", "420"}, {"tti_ms", "20"}, {"coding", "convolutional"}},
	        686},
	    {360, {402, 90},
	        {{"ndata", "420"}, {"tti_ms", "40"}, {"coding", "convolutional"}, {"channel", "2"}},
	        308},
	    {11580, {11580, 90}, {{"ndata", "9600"}, {"direction", "uplink"}}, 9525},
	    {90, {11580, 90},
	        {{"ndata", "9600"}, {"direction", "uplink"}, {"tti_ms", "40"}, {"channel", "2"}},
	        75},
	    {804, {100.5f}, {{"ndata", "90"}, {"tti_ms", "80"}, {"coding", "convolutional"}}, 720},
	};
	struct mock m;

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		if (start_match(&m, cases[c].coded, cases[c].frame_bits,
		        cases[c].frame_bits[1] != 0 ? 2 : 1, cases[c].settings) < 0)
			fail_msg("case %zu: %s", c, m.setup.error);
		assert_int_equal(m.out[0].max, cases[c].out);
		mock_close(&m);
	}
}

/* The attribute shifts bits from one channel to the other; the demultiplexer comes to the same
 * lengths. */
static void test_attributes(void **state)
{
	static const float frame_bits[] = {11580, 90}, rm[] = {100, 200};
	struct mock match, demux;
	const uint32_t dtch = 9120u * 11580 / (11580 + 180);

	(void)state;
	mock_open(&match, "utran_rate_match");
	mock_set(&match, "ndata", "9120");
	mock_set_reals(&match, "frame_bits", frame_bits, 2);
	mock_set_reals(&match, "rm", rm, 2);
	mock_input(&match, 0, ALOE_BIT, 11580);
	assert_int_equal(mock_start(&match), 0);
	assert_int_equal(match.out[0].max, dtch);
	mock_close(&match);
	mock_open(&demux, "utran_demux");
	mock_set_reals(&demux, "frame_bits", frame_bits, 2);
	mock_set_reals(&demux, "rm", rm, 2);
	mock_input(&demux, 0, ALOE_LLR16, 9120);
	mock_output(&demux, 1, ALOE_LLR16);
	assert_int_equal(mock_start(&demux), 0);
	assert_int_equal(demux.out[0].max, dtch);
	assert_int_equal(demux.out[1].max, 9120 - dtch);
	mock_close(&demux);
}

static void match_refused(uint32_t coded, const float *frame_bits, uint32_t channels,
    const struct setting *settings, const char *why)
{
	struct mock m;

	assert_true(start_match(&m, coded, frame_bits, channels, settings) < 0);
	assert_string_equal(m.setup.error, why);
	mock_close(&m);
}

static void test_match_refusals(void **state)
{
	static const float two[] = {11580, 90}, odd[] = {11580, 90.1f}, none[] = {0, 0},
	                   five[] = {1, 2, 3, 4, 5};
	static const float rm[] = {1, 2, 3}, half[] = {1, 2.5f};
	struct mock m;

	(void)state;
	match_refused(11580, two, 2, WITH({"output", "9049"}, {"ndata", "9120"}),
	    "output = 9049 and ndata = 9120 are both set; give one of them");
	match_refused(11580, two, 2, WITH({"output", "9049"}),
	    "frame_bits is set, but ndata is not; give both");
	match_refused(
	    11580, two, 0, WITH({"ndata", "9120"}), "channel 1 is not among the 0 of frame_bits");
	match_refused(11580, two, 2, WITH({"ndata", "9120"}, {"channel", "3"}),
	    "channel 3 is not among the 2 of frame_bits");
	match_refused(11580, two, 2, WITH({"ndata", "9120"}, {"channel", "2"}),
	    "frame_bits[1] = 90, but the input has 11580 bits in 1 radio frame");
	match_refused(360, two, 2, WITH({"ndata", "9120"}, {"channel", "2"}, {"tti_ms", "20"}),
	    "frame_bits[1] = 90, but the input has 360 bits in 2 radio frames");
	match_refused(11580, odd, 2, WITH({"ndata", "9120"}),
	    "frame_bits[1] = 90.1 is not a whole number of bits divided by 1, 2, 4 or 8 frames");
	match_refused(11580, two, 2, WITH({"ndata", "9120"}, {"tti_ms", "20"}, {"tti_phase", "2"}),
	    "tti_phase 2 is outside [0, 1] for tti_ms 20");
	mock_open(&m, "utran_demux");
	mock_set_reals(&m, "frame_bits", five, 5);
	mock_input(&m, 0, ALOE_LLR16, 9120);
	assert_true(mock_start(&m) < 0);
	assert_string_equal(m.setup.error, "frame_bits has 5 items, but there are 4 outputs");
	mock_set_reals(&m, "frame_bits", none, 2);
	assert_true(mock_start(&m) < 0);
	assert_string_equal(
	    m.setup.error, "frame_bits is 0 for every channel, so 9120 bits cannot be shared");
	mock_set_reals(&m, "frame_bits", two, 2);
	mock_set_reals(&m, "rm", rm, 3);
	assert_true(mock_start(&m) < 0);
	assert_string_equal(m.setup.error,
	    "rm has the length 3, but frame_bits has the length 2; both need the same length");
	mock_set_reals(&m, "rm", half, 2);
	assert_true(mock_start(&m) < 0);
	assert_string_equal(m.setup.error, "rm[1] = 2.5 is not a whole number");
	mock_set(&m, "length0", "9049");
	assert_true(mock_start(&m) < 0);
	assert_string_equal(
	    m.setup.error, "frame_bits and a length are both set; give one of them");
	mock_close(&m);
}

/* ---- uplink ------------------------------------------------------------------------ */

/* Each radio frame by its own pattern, whatever index its TTI begins at; soft bits come back to
 * where they were. */
static void check_uplink(
    int coded, int matched, const char *tti_ms, int frames, const char *coding, int phase)
{
	static uint8_t bits[ITEMS_MAX];
	static int32_t same[ITEMS_MAX], want[ITEMS_MAX], places[ITEMS_MAX], from[ITEMS_MAX],
	    sums[ITEMS_MAX];
	static int16_t soft[ITEMS_MAX];
	const int turbo = !strcmp(coding, "turbo");
	struct mock tx, rx;
	char output[16], total[16], begin[16];

	snprintf(output, sizeof(output), "%d", matched);
	snprintf(total, sizeof(total), "%d", coded * frames);
	snprintf(begin, sizeof(begin), "%d", phase);
	started(&tx, "utran_rate_match", ALOE_BIT, (uint32_t)coded,
	    WITH({"output", output}, {"direction", "uplink"}, {"tti_ms", tti_ms},
	        {"tti_phase", begin}, {"coding", coding}));
	started(&rx, "utran_rate_dematch", ALOE_LLR16, (uint32_t)matched,
	    WITH({"coded", total}, {"direction", "uplink"}, {"tti_ms", tti_ms},
	        {"tti_phase", begin}, {"coding", coding}));
	assert_int_equal(rx.out[0].max, coded);
	for (int i = 0; i < coded; i++)
		places[i] = i;
	for (int index = 0; index < 2 * frames; index++) {
		const int frame = (index + frames - phase) % frames;

		draw(bits, same, coded);
		work(&tx, (uint64_t)index, bits, (uint32_t)coded);
		plain_uplink_match(same, coded, matched - coded, turbo, frames, frame, want);
		assert_bits(&tx, want, matched);
		plain_uplink_match(places, coded, matched - coded, turbo, frames, frame, from);
		memset(sums, 0, sizeof(sums));
		for (int i = 0; i < matched; i++) {
			soft[i] = (int16_t)(i % 100 - 50);
			sums[from[i]] += soft[i];
		}
		work(&rx, (uint64_t)index, soft, (uint32_t)matched);
		for (int i = 0; i < coded; i++)
			assert_int_equal(((const int16_t *)rx.out[0].data)[i], sums[i]);
	}
	mock_close(&tx);
	mock_close(&rx);
}

static void test_uplink(void **state)
{
	(void)state;
	check_uplink(11580, 9525, "10", 1, "turbo", 0);
	check_uplink(90, 75, "40", 4, "convolutional", 0);
	check_uplink(90, 75, "40", 4, "convolutional", 3);
	check_uplink(90, 117, "40", 4, "convolutional", 1);
	check_uplink(4350, 4000, "20", 2, "turbo", 1);
	check_uplink(1951, 1500, "80", 8, "turbo", 5);
	check_uplink(1950, 2100, "80", 8, "turbo", 7);
	refused("utran_rate_dematch", ALOE_LLR16, 75,
	    WITH({"coded", "361"}, {"direction", "uplink"}, {"tti_ms", "40"}),
	    "coded 361 is not a multiple of the 4 radio frames of the TTI");
}

static void test_equalise(void **state)
{
	static const int lengths[] = {1, 7, 8, 9, 360, 804};
	uint8_t bits[804];
	int32_t want[812];
	int16_t soft[812];
	struct mock tx, rx;
	char text[16];

	(void)state;
	for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
		for (int tti_ms = 10; tti_ms <= 80; tti_ms *= 2) {
			const int n = lengths[l], frames = tti_ms / 10;
			int padded = n;

			snprintf(text, sizeof(text), "%d", tti_ms);
			started(
			    &tx, "utran_equalise", ALOE_BIT, (uint32_t)n, WITH({"tti_ms", text}));
			draw(bits, want, n);
			while (padded % frames)
				want[padded++] = 0;
			work(&tx, 0, bits, (uint32_t)n);
			assert_bits(&tx, want, padded);
			mock_close(&tx);
			snprintf(text, sizeof(text), "%d", n);
			started(&rx, "utran_deequalise", ALOE_LLR16, (uint32_t)padded,
			    WITH({"coded", text}));
			for (int i = 0; i < padded; i++)
				soft[i] = (int16_t)(3 * i);
			work(&rx, 0, soft, (uint32_t)padded);
			assert_int_equal(rx.out[0].len, n);
			assert_memory_equal(rx.out[0].data, soft, (size_t)n * sizeof(*soft));
			mock_close(&rx);
		}
	}
	refused("utran_equalise", ALOE_BIT, 804, WITH({"tti_ms", "30"}),
	    "tti_ms 30 is not 10, 20, 40 or 80");
	refused("utran_deequalise", ALOE_LLR16, 803, WITH({"coded", "804"}),
	    "input of 803 soft bits is not 804 soft bits and at most 7 of padding");
	refused("utran_deequalise", ALOE_LLR16, 812, WITH({"coded", "804"}),
	    "input of 812 soft bits is not 804 soft bits and at most 7 of padding");
}

/* ---- DTX ------------------------------------------------------------------------ */

static void dtx_state(struct mock *m, uint64_t index, enum aloe_state given, enum aloe_state want)
{
	mock_give_state(m, 0, given);
	assert_int_equal(mock_work(m, index), 0);
	assert_int_equal(m->out[0].state, want);
}

static void test_dtx_first(void **state)
{
	static const uint8_t bits[] = {1, 0, 1, 1, 0, 0, 1, 0};
	static const int32_t whole[] = {1, 0, 1, 1, 0, 0, 1, 0}, some[] = {1, 0, 1, 2, 2, 2, 2, 2};
	static const int32_t nothing[] = {2, 2, 2, 2, 2, 2, 2, 2};
	struct mock m;

	(void)state;
	started(&m, "utran_dtx", ALOE_BIT, 8, WITH({"tti_ms", "40"}, {"tti_phase", "1"}));
	assert_int_equal(m.format_out[0].type, ALOE_BYTE);
	work(&m, 1, bits, 8);
	assert_bits(&m, whole, 8);
	dtx_state(&m, 2, ALOE_IDLE, ALOE_IDLE);
	dtx_state(&m, 4, ALOE_IDLE, ALOE_IDLE);
	dtx_state(&m, 5, ALOE_IDLE, ALOE_VALID); /* a TTI without a block */
	assert_bits(&m, nothing, 8);
	work(&m, 9, bits, 3); /* a smaller one */
	assert_bits(&m, some, 8);
	work(&m, 13, bits, 0);
	assert_bits(&m, nothing, 8);
	/* lost on the way is not the same as nothing to send */
	dtx_state(&m, 17, ALOE_ABSENT, ALOE_ABSENT);
	assert_int_equal(mock_var(&m, "bits"), 11);
	assert_int_equal(mock_var(&m, "positions"), 21);
	mock_close(&m);
	refused("utran_dtx", ALOE_BIT, 10, WITH({"tti_ms", "40"}),
	    "input of 10 bits is not a multiple of the 4 radio frames of the TTI");
}

/* Behind the multiplexer: the frame is filled up. */
static void test_dtx_second(void **state)
{
	static const uint8_t bits[] = {1, 0, 1};
	static const int32_t want[] = {1, 0, 1, 2, 2};
	struct mock m;

	(void)state;
	started(&m, "utran_dtx", ALOE_BIT, 3, WITH({"output", "5"}));
	work(&m, 0, bits, 3);
	assert_bits(&m, want, 5);
	mock_close(&m);
	refused("utran_dtx", ALOE_BIT, 300, WITH({"output", "70"}, {"tti_ms", "40"}),
	    "output 70 in 4 radio frames is less than the input of 300 bits");
}

/* The third value goes through the interleavers as it is, and out as no amplitude. */
static void test_dtx_onwards(void **state)
{
	static const uint8_t in[] = {0, 1, 2, 1, 2, 0, 0, 2};
	/* columns 0 2 1 3 of rows of four */
	static const int32_t interleaved[] = {0, 2, 2, 0, 1, 0, 1, 2};
	static const char *const outputs[] = {"i16", "ci16", "cf32"};
	struct mock m;

	(void)state;
	started(&m, "utran_interleave1", ALOE_BYTE, 8, WITH({"tti_ms", "40"}));
	work(&m, 0, in, 8);
	assert_bits(&m, interleaved, 8);
	mock_close(&m);
	for (int o = 0; o < 3; o++) {
		started(
		    &m, "bpsk_mod", ALOE_BYTE, 8, WITH({"output", outputs[o]}, {"amplitude", "4"}));
		work(&m, 0, in, 8);
		for (int i = 0; i < 8; i++) {
			const float want = in[i] == 2 ? 0 : in[i] ? -4 : 4;
			const int16_t *words = m.out[0].data;
			const float *floats = m.out[0].data;
			const float re = o == 0 ? words[i] : o == 1 ? words[2 * i] : floats[2 * i];
			assert_true(re == want);
		}
		mock_close(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_crc_blocks),
	    cmocka_unit_test(test_crc_check_blocks),
	    cmocka_unit_test(test_conv),
	    cmocka_unit_test(test_match_lengths),
	    cmocka_unit_test(test_attributes),
	    cmocka_unit_test(test_match_refusals),
	    cmocka_unit_test(test_uplink),
	    cmocka_unit_test(test_equalise),
	    cmocka_unit_test(test_dtx_first),
	    cmocka_unit_test(test_dtx_second),
	    cmocka_unit_test(test_dtx_onwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
