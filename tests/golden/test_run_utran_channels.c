/* SPDX-License-Identifier: BSD-3-Clause
 * The reference measurement channels of 3GPP TS 25.101 and TS 25.104 through the real processes:
 * every interface has the length that the standard's tables give it, nothing is lost without noise,
 * and with noise the block error rate is that of the plain chain in tests/utran_plain, which shares
 * no code with the components. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kernels/random.h"
#include "tests/common/aloe.h"
#include "tests/utran_plain/utran_plain_conv.h"
#include "tests/utran_plain/utran_plain_decoder.h"

enum { SLOTS = 400, ITEMS_MAX = 12000 };

/* One transport channel: bits of a block, with CRC, coded, after rate matching (of a TTI), and per
 * radio frame. */
struct channel {
	int bits, with_crc, coded, matched, frame;
	int frames;     /* of a TTI */
	int outputs;    /* of the convolutional code; 0: turbo */
	double esn0_db; /* where about one block in ten is lost */
};

static const struct reference {
	const char *waveform;
	struct channel dtch, dcch;
	int ndata;
	bool uplink;
} references[] = {
    {"utran384-dtch-dcch", {3840, 3856, 11580, 9049, 9049, 1, 0, -1.6},
        {100, 112, 360, 284, 71, 4, 3, -2.5}, 9120, 0},
    {"utran144", {2880, 2896, 8700, 8464, 4232, 2, 0, -2.75}, {100, 112, 360, 352, 88, 4, 3, -3.5},
        4320, 0},
    {"utran64", {1280, 1296, 3900, 4014, 2007, 2, 0, -3.1}, {100, 112, 360, 372, 93, 4, 3, -4},
        2100, 0},
    {"utran12k2", {244, 260, 804, 686, 343, 2, 3, -2.5}, {100, 112, 360, 308, 77, 4, 3, -3}, 420,
        0},
    {"utran384-uplink", {3840, 3856, 11580, 9525, 9525, 1, 0, -1.8},
        {100, 112, 360, 300, 75, 4, 3, -3}, 9600, 1},
};
enum { REFERENCES = sizeof(references) / sizeof(references[0]) };

/* ---- lengths ------------------------------------------------------------------------ */

/* Items in a message from `from` (its output, if it has more than one) to whoever reads it. */
static int items_of(const struct ran *plan, const char *from, const char *port)
{
	size_t i;
	json_t *link;

	json_array_foreach(json_object_get(plan->report, "links"), i, link)
	{
		if (!strcmp(json_string_value(json_object_get(link, "from")), from) &&
		    (!port || !strcmp(json_string_value(json_object_get(link, "from_port")), port)))
			return (int)json_integer_value(json_object_get(link, "items"));
	}
	fail_msg("no link from %s in the plan", from);
	return 0;
}

static void check_item(const struct ran *plan, const char *prefix, const char *from, int want)
{
	char name[64];
	int items;

	snprintf(name, sizeof(name), "%s%s", prefix, from);
	items = items_of(plan, name, NULL);
	if (items != want)
		fail_msg("%s: %s makes %d items, should be %d", ran_text(plan, "waveform"), name,
		    items, want);
}

static void check_channel(const struct ran *plan, const char *prefix, const struct channel *c,
    const char *port, bool uplink)
{
	check_item(plan, prefix, "source", c->bits);
	check_item(plan, prefix, "crc", c->with_crc);
	check_item(plan, prefix, "encoder", c->coded);
	check_item(plan, prefix, "match", uplink ? c->frame : c->matched);
	check_item(plan, prefix, "interleave1", uplink ? c->coded : c->matched);
	check_item(plan, prefix, "segment", uplink ? c->coded / c->frames : c->frame);
	assert_int_equal(items_of(plan, "demux", port), c->frame);
	check_item(plan, prefix, "desegment", uplink ? c->coded : c->matched);
	check_item(plan, prefix, "deinterleave1", uplink ? c->coded : c->matched);
	check_item(plan, prefix, "dematch", uplink ? c->coded / c->frames : c->coded);
	check_item(plan, prefix, "decoder", c->with_crc);
	check_item(plan, prefix, "check", c->bits);
}

static void test_lengths(void **state)
{
	(void)state;
	for (int r = 0; r < REFERENCES; r++) {
		const struct reference *ref = &references[r];
		struct ran *plan = aloe_ok("plan waveforms/%s.conf --json", ref->waveform);

		check_channel(plan, "", &ref->dtch, "out0", ref->uplink);
		check_channel(plan, "dcch_", &ref->dcch, "out1", ref->uplink);
		check_item(plan, "", "mux", ref->ndata);
		check_item(plan, "", "interleave2", ref->ndata);
		check_item(plan, "", "deinterleave2", ref->ndata);
		assert_int_equal(ref->dtch.frame + ref->dcch.frame, ref->ndata);
		ran_free(plan);
	}
}

/* ---- without noise ------------------------------------------------------------------------ */

static void check_perfect(const struct ran *ran, const char *prefix, int frames, int bits)
{
	static const char *const zero[] = {"compare.block_errors", "compare.bit_errors",
	    "compare.unmatched", "compare.absent", "check.block_errors", "check.short_blocks",
	    "match.short_blocks", "segment.short_blocks", "segment.misplaced_blocks"};
	char name[64];

	snprintf(name, sizeof(name), "%scompare.blocks", prefix);
	assert_int_equal((int)ran_variable(ran, name), SLOTS / frames);
	snprintf(name, sizeof(name), "%scompare.bits", prefix);
	assert_int_equal((int)ran_variable(ran, name), SLOTS / frames * bits);
	for (size_t i = 0; i < sizeof(zero) / sizeof(zero[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", prefix, zero[i]);
		if (ran_variable(ran, name) != 0)
			fail_msg("%s: %s is %g", ran_text(ran, "waveform"), name,
			    ran_variable(ran, name));
	}
}

static void test_without_noise(void **state)
{
	static const char *const how[] = {"--lanes 0", "--lanes 0,1 --pipelined"};

	(void)state;
	for (int r = 0; r < REFERENCES; r++) {
		for (int h = 0; h < 2; h++) {
			struct ran *ran =
			    aloe_ok("run waveforms/%s.conf --clock virtual --slots %d --json -q %s",
			        references[r].waveform, SLOTS, how[h]);

			assert_true(ran_clean(ran));
			check_perfect(ran, "", references[r].dtch.frames, references[r].dtch.bits);
			check_perfect(
			    ran, "dcch_", references[r].dcch.frames, references[r].dcch.bits);
			ran_free(ran);
		}
	}
}

/* ---- with noise ------------------------------------------------------------------------ */

static int plain_block(const struct channel *c, const int32_t *bits, double sigma, uint64_t block)
{
	static int32_t coded[ITEMS_MAX], matched[ITEMS_MAX], from[ITEMS_MAX], places[ITEMS_MAX],
	    back[ITEMS_MAX];
	static double llr[ITEMS_MAX];
	static float noise[ITEMS_MAX];
	static int32_t soft[ITEMS_MAX];
	const int delta = c->matched - c->coded, turbo = c->outputs == 0;

	if (turbo)
		plain_turbo_encode(bits, c->with_crc, coded);
	else
		plain_conv_encode(c->outputs, bits, c->with_crc, coded);
	for (int i = 0; i < c->coded; i++)
		places[i] = i;
	assert_int_equal(plain_rate_match(coded, c->coded, delta, turbo, matched), c->matched);
	plain_rate_match(places, c->coded, delta, turbo, from);
	memset(llr, 0, sizeof(llr));
	random_gauss(77, block, noise, (uint32_t)c->matched);
	for (int i = 0; i < c->matched; i++)
		llr[from[i]] += (matched[i] ? -1 : 1) + sigma * (double)noise[i];
	for (int i = 0; i < c->coded; i++)
		soft[i] = (int32_t)lrint(1000 * llr[i]);
	if (turbo)
		plain_turbo_decode(soft, c->with_crc, 2, 0, PLAIN_SCALING_ONE * 7 / 8, back);
	else
		plain_viterbi(c->outputs, llr, c->with_crc, back);
	return memcmp(back, bits, (size_t)c->with_crc * sizeof(*bits)) != 0;
}

static int plain_errors(const struct channel *c, int blocks)
{
	static uint8_t bits[ITEMS_MAX];
	static int32_t same[ITEMS_MAX];
	const double sigma = sqrt(0.5 * pow(10, -c->esn0_db / 10));
	int errors = 0;

	for (int b = 0; b < blocks; b++) {
		random_bits(78, (uint64_t)b, bits, (uint32_t)c->with_crc);
		for (int i = 0; i < c->with_crc; i++)
			same[i] = bits[i];
		errors += plain_block(c, same, sigma, (uint64_t)b);
	}
	return errors;
}

/* Both rates are measured: they may differ by three standard deviations of the difference. */
static void check_rate(const struct reference *ref, const struct channel *c, const char *prefix)
{
	enum { BLOCKS = 600 };
	const int plain = ALOE_SLOWER(250, 60), slots = BLOCKS * c->frames;
	struct ran *ran = aloe_ok("run waveforms/%s.conf --clock virtual --slots %d --lanes 0,1 "
	                          "--json -q --set noise.esn0_db=%g",
	    ref->waveform, slots, c->esn0_db);
	char name[64];
	double rate, plain_rate, both;

	snprintf(name, sizeof(name), "%scompare.blocks", prefix);
	assert_int_equal((int)ran_variable(ran, name), BLOCKS);
	snprintf(name, sizeof(name), "%scompare.block_errors", prefix);
	rate = ran_variable(ran, name) / BLOCKS;
	plain_rate = (double)plain_errors(c, plain) / plain;
	both = (rate * BLOCKS + plain_rate * plain) / (BLOCKS + plain);
	print_message("%s %s at Es/N0 %.2f dB: BLER %.3f, plain %.3f\n", ref->waveform,
	    prefix[0] ? "DCCH" : "DTCH", c->esn0_db, rate, plain_rate);
	assert_true(ran_clean(ran));
	assert_true(rate > 0.02 && rate < 0.4);
	assert_true(
	    fabs(rate - plain_rate) < 3 * sqrt(both * (1 - both) * (1.0 / BLOCKS + 1.0 / plain)));
	ran_free(ran);
}

static void test_with_noise(void **state)
{
	(void)state;
	for (int r = 0; r < REFERENCES; r++) {
		check_rate(&references[r], &references[r].dtch, "");
		check_rate(&references[r], &references[r].dcch, "dcch_");
	}
}

/* Where the yardsticks are (measured elsewhere with three independent decoders): 384 kbit/s with
 * DCCH, 2 iterations, max-log: one block in ten at Es/N0 = -1.6 dB, one in a hundred at -1.27 dB;
 * at most 0.1 dB later. */
static void test_yardstick(void **state)
{
	static const struct {
		double esn0_db, rate;
		int slots;
	} marks[] = {{-1.5, 0.1, 2000}, {-1.17, 0.01, 3000}};

	(void)state;
	for (int m = 0; m < 2; m++) {
		struct ran *ran = aloe_ok("run waveforms/utran384-dtch-dcch.conf --clock virtual "
		                          "--slots %d --lanes 0,1 --json -q --set noise.esn0_db=%g",
		    marks[m].slots, marks[m].esn0_db);

		print_message(
		    "%g dB: BLER %g\n", marks[m].esn0_db, ran_variable(ran, "compare.bler"));
		assert_true(ran_variable(ran, "compare.bler") <= marks[m].rate);
		assert_true(ran_variable(ran, "compare.bler") > 0);
		ran_free(ran);
	}
}

/* ---- beyond the reference channels ---- */

/* Channels whose first TTI begins at index 3 or 1: until all three have begun, there is no radio
 * frame. Every TTI that has begun by the last slot is received whole: the run goes on to the end of
 * the last two of 80 ms, and for as long the channel of 20 ms sends beside them. */
static void test_uplink80(void **state)
{
	enum { BLOCKS = (SLOTS - 3 + 7) / 8 };
	static const struct {
		const char *name;
		int matched, blocks, bits;
	} channels[] = {
	    {"", 115, BLOCKS, 244}, {"b_", 1638, 8 * BLOCKS / 2, 1203}, {"c_", 147, BLOCKS, 640}};
	struct ran *plan = aloe_ok("plan tests/golden/uplink80.conf --json");
	struct ran *ran = aloe_ok(
	    "run tests/golden/uplink80.conf --clock virtual --slots %d --lanes 0,1 --json -q",
	    SLOTS);
	char name[64];

	(void)state;
	for (int c = 0; c < 3; c++) {
		check_item(plan, channels[c].name, "match", channels[c].matched);
		snprintf(name, sizeof(name), "%scompare.bits", channels[c].name);
		assert_int_equal(
		    (int)ran_variable(ran, name), channels[c].blocks * channels[c].bits);
		snprintf(name, sizeof(name), "%scompare.bit_errors", channels[c].name);
		assert_int_equal((int)ran_variable(ran, name), 0);
		snprintf(name, sizeof(name), "%scheck.block_errors", channels[c].name);
		assert_int_equal((int)ran_variable(ran, name), 0);
	}
	check_item(plan, "", "mux", 1900);
	ran_free(plan);
	ran_free(ran);
}

/* ---- DTX ------------------------------------------------------------------------ */

/* A DCCH with nothing to send in every other TTI: nothing is sent in its place, and the DTCH beside
 * it goes on. */
static void test_dtx(void **state)
{
	const char *path = conf_derive("waveforms/utran384-dtch-dcch.conf", "dtx.conf",
	    (const char *const[][2]){
	        {"\"random_source\"; period = 4;", "\"random_source\"; period = 8;"},
	        {"\tmux: ",
	            "\tdtx: { component = \"utran_dtx\"; };\n"
	            "\tdcch_dtx: { component = \"utran_dtx\"; tti_ms = 40; };\n\tmux: "},
	        {"-> match ->", "-> match -> dtx ->"},
	        {"dcch_match ->", "dcch_match -> dcch_dtx ->"}, {NULL, NULL}});
	struct ran *ran = aloe_ok("run '%s' --clock virtual --slots %d --json -q", path, SLOTS);

	(void)state;
	assert_true(ran_clean(ran));
	check_perfect(ran, "", 1, 3840);
	assert_true(ran_variable(ran, "dtx.positions") == 0);
	assert_true(ran_variable(ran, "dcch_dtx.bits") == SLOTS / 8 * 284);
	assert_true(ran_variable(ran, "dcch_dtx.positions") == SLOTS / 8 * 284);
	assert_true(ran_variable(ran, "dcch_compare.blocks") == SLOTS / 8);
	assert_true(ran_variable(ran, "dcch_compare.block_errors") == 0);
	/* The receiver is not told: what it decodes of nothing fails the CRC, but for one in
	 * 4096. */
	assert_true(ran_variable(ran, "dcch_check.blocks") == SLOTS / 4);
	assert_in_range(
	    (int)ran_variable(ran, "dcch_check.block_errors"), SLOTS / 8 - 1, SLOTS / 8);
	ran_free(ran);
}

/* Flexible positions: the channels fill 370 of the frame's 420 positions, and the rest of it is
 * DTX. */
static void test_dtx_second(void **state)
{
	const char *path = conf_derive("waveforms/utran12k2.conf", "dtx2.conf",
	    (const char *const[][2]){
	        {"ndata = 420; frame_bits = [402, 90]; channel = 1;", "output = 300;"},
	        {"ndata = 420; frame_bits = [402, 90]; channel = 2;", "output = 70;"},
	        {"\"utran_demux\"; frame_bits = [402, 90];",
	            "\"utran_demux\"; length0 = 300; length1 = 70; length2 = 50;"},
	        {"\tmux: ", "\tdtx: { component = \"utran_dtx\"; output = 420; };\n\tmux: "},
	        {"\"mux ->", "\"mux -> dtx ->"}, {NULL, NULL}});
	struct ran *ran = aloe_ok("run '%s' --clock virtual --slots %d --json -q", path, SLOTS);

	(void)state;
	assert_true(ran_clean(ran));
	check_perfect(ran, "", 2, 244);
	check_perfect(ran, "dcch_", 4, 100);
	assert_true(ran_variable(ran, "dtx.bits") == SLOTS * 370);
	assert_true(ran_variable(ran, "dtx.positions") == SLOTS * 50);
	ran_free(ran);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lengths),
	    cmocka_unit_test(test_without_noise),
	    cmocka_unit_test(test_with_noise),
	    cmocka_unit_test(test_yardstick),
	    cmocka_unit_test(test_uplink80),
	    cmocka_unit_test(test_dtx),
	    cmocka_unit_test(test_dtx_second),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
