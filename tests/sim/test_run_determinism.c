/* SPDX-License-Identifier: BSD-3-Clause
 * The same bits everywhere: for 3 000 slots of utran384 and bpsk, the SHA-256 of every sink and
 * every count of errors is the same on one lane, two lanes and pipelined, in each isolation, on the
 * virtual clock and on the timer under slip while stages take too long at random. Under skip they
 * are the same where the report is clean; where it is not, nothing is compared and the test says
 * so.
 *
 * The waveforms are those of the project with a sink added for what they only count, and a source
 * long enough. At 2.2 dB a good part of the blocks fails: the noise has to be the same, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum {
	SLOTS = ALOE_SLOWER(3000, 1000),
	SLOTS_SKIP = ALOE_SLOWER(1000, 200),
	BLOCK = 240,
	SINKS_MAX = 3,
	COUNTS_MAX = 4
};

/* What a run left: digests of its sinks, and counts. */
struct outcome {
	char sha256[SINKS_MAX][65];
	double counts[COUNTS_MAX];
};

struct subject {
	const char *file;                   /* the waveform, derived from the project's */
	const char *set;                    /* --set ... */
	const char *sinks[SINKS_MAX + 1];   /* INSTANCE, written to a file of that name */
	const char *counts[COUNTS_MAX + 1]; /* INSTANCE.VAR */
};

/* ---- subjects ------------------------------------------------------------------------ */

/* Stages that take 2 ms longer in 1 of 100 calls, which ones by chance: one on each lane. */
#define JOLTS                                                                                      \
	"jolt:  { component = \"spin\"; jitter = 0.01; long_us = 2000.0; seed = 11; };\n"          \
	"\tshock: { component = \"spin\"; jitter = 0.01; long_us = 2000.0; seed = 12; };\n\t"

static const char *recording(void)
{
	const size_t len = 44 + 2 * BLOCK * SLOTS;
	uint8_t *speech = file_take("waveforms/speech.wav", NULL), *wav = malloc(len);
	uint32_t state = 1;

	assert_non_null(wav);
	memcpy(wav, speech, 44);
	for (int i = 0; i < 4; i++) {
		wav[4 + i] = (uint8_t)((len - 8) >> 8 * i);
		wav[40 + i] = (uint8_t)((len - 44) >> 8 * i);
	}
	for (size_t i = 44; i < len; i++)
		wav[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
	file_make(aloe_path("long.wav"), wav, len);
	free(speech);
	free(wav);
	return aloe_path("long.wav");
}

static struct subject utran384(bool jolts)
{
	static const char *const plain[][2] = {
	    {"compare:       {",
	        "bits_out: { component = \"file_sink\"; path = \"bits\"; };\n\tcompare:       {"},
	    {"crc -> compare.sent", "check -> bits_out\",\n\t\"crc -> compare.sent"}, {NULL, NULL}};
	static const char *const jolted[][2] = {
	    {"compare:       {",
	        JOLTS
	        "bits_out: { component = \"file_sink\"; path = \"bits\"; };\n\tcompare:       {"},
	    {"crc -> compare.sent", "check -> bits_out\",\n\t\"crc -> compare.sent"},
	    {"bits -> crc", "bits -> jolt -> crc"},
	    {"dematch -> decoder", "dematch -> shock -> decoder"}, {NULL, NULL}};
	static char set[4200];

	snprintf(set, sizeof(set),
	    "--set source.path='%s' --set source.length=240 --set noise.ebn0_db=2.2", recording());
	return (struct subject){
	    .file = jolts ? conf_derive("waveforms/utran384.conf", "utran384-jolts.conf", jolted)
	                  : conf_derive("waveforms/utran384.conf", "utran384-sinks.conf", plain),
	    .set = set,
	    .sinks = {"sink", "bits_out"},
	    .counts = {"compare.block_errors", "compare.bit_errors", "check.block_errors",
	        "sink.concealed_blocks"},
	};
}

static struct subject bpsk(bool jolts)
{
	static const char *const plain[][2] = {
	    {"demod:  {",
	        "noise:  { component = \"awgn\"; esn0_db = 6.0; };\n\tbits_out: { component = "
	        "\"file_sink\"; path = \"bits\"; };\n\tdemod:  {"},
	    {"mod -> demod", "mod -> noise -> demod"},
	    {"{ path = \"source -> check.sent\"; }",
	        "{ path = \"source -> check.sent\"; }, \"demod -> bits_out\""},
	    {NULL, NULL}};
	static const char *const jolted[][2] = {
	    {"demod:  {",
	        JOLTS "noise:  { component = \"awgn\"; esn0_db = 6.0; };\n\tbits_out: { component "
	              "= \"file_sink\"; path = \"bits\"; };\n\tdemod:  {"},
	    {"mod -> demod", "mod -> jolt -> noise -> shock -> demod"},
	    {"{ path = \"source -> check.sent\"; }",
	        "{ path = \"source -> check.sent\"; }, \"demod -> bits_out\""},
	    {NULL, NULL}};

	return (struct subject){
	    .file = jolts ? conf_derive("waveforms/bpsk.conf", "bpsk-jolts.conf", jolted)
	                  : conf_derive("waveforms/bpsk.conf", "bpsk-sinks.conf", plain),
	    .set = "",
	    .sinks = {"bits_out"},
	    .counts = {"check.bit_errors", "check.block_errors", "check.bits"},
	};
}

/* ---- runs ------------------------------------------------------------------------ */

static struct ran *run(const struct subject *subject, int slots, const char *how)
{
	char sinks[2048] = "";

	for (int s = 0; subject->sinks[s]; s++)
		snprintf(sinks + strlen(sinks), sizeof(sinks) - strlen(sinks),
		    " --set %s.path='%s'", subject->sinks[s], aloe_path(subject->sinks[s]));
	return aloe_ok("run '%s' --force --json -q --slots %d %s %s %s", subject->file, slots,
	    subject->set, sinks, how);
}

static struct outcome outcome(const struct subject *subject, const struct ran *ran)
{
	struct outcome outcome = {.counts = {0}};

	for (int s = 0; subject->sinks[s]; s++)
		file_sha256(aloe_path(subject->sinks[s]), outcome.sha256[s]);
	for (int c = 0; subject->counts[c]; c++)
		outcome.counts[c] = ran_variable(ran, subject->counts[c]);
	return outcome;
}

static void same(const struct subject *subject, const struct outcome *want, const struct ran *ran,
    const char *how)
{
	const struct outcome have = outcome(subject, ran);

	for (int s = 0; subject->sinks[s]; s++)
		if (strcmp(have.sha256[s], want->sha256[s]) != 0)
			fail_msg("%s %s: SHA-256 of %s is %s, not %s", subject->file, how,
			    subject->sinks[s], have.sha256[s], want->sha256[s]);
	for (int c = 0; subject->counts[c]; c++)
		if (have.counts[c] != want->counts[c])
			fail_msg("%s %s: %s is %g, not %g", subject->file, how, subject->counts[c],
			    have.counts[c], want->counts[c]);
}

/* reference is what the waveform leaves on one lane on the virtual clock; measured once. */
static struct outcome reference(const struct subject *subject, int slots)
{
	char name[64];
	struct outcome want;
	struct ran *ran;
	FILE *file;

	snprintf(name, sizeof(name), "reference-%s-%d", subject->counts[0], slots);
	file = fopen(aloe_path(name), "rb");
	if (file) {
		assert_int_equal(fread(&want, sizeof(want), 1, file), 1);
		fclose(file);
		return want;
	}
	ran = run(subject, slots, "--clock virtual --lanes 0");
	want = outcome(subject, ran);
	assert_true(want.counts[0] > 0); /* there is noise to get wrong */
	assert_true(ran_number(ran, "slots.run") == slots);
	for (int s = 0; subject->sinks[s]; s++)
		print_message("  %s %s\n", want.sha256[s], subject->sinks[s]);
	ran_free(ran);
	file_make(aloe_path(name), &want, sizeof(want));
	return want;
}

static void check_virtual(const struct subject *subject, const struct outcome *want)
{
	static const char *const hows[] = {"--lanes 0,1", "--lanes 0,1 --pipelined",
	    "--lanes 0,1 --isolation component", "--lanes 0,1 --isolation none",
	    "--lanes 0 --isolation component --pipelined"};

	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++) {
		char how[128];
		struct ran *ran;

		snprintf(how, sizeof(how), "--clock virtual %s", hows[i]);
		ran = run(subject, SLOTS, how);
		assert_true(ran_clean(ran));
		same(subject, want, ran, how);
		ran_free(ran);
	}
}

/* Slots must really have been slipped, or the test shows nothing. */
static void check_slipped(
    const struct subject *subject, const struct outcome *want, int slots, const char *how)
{
	struct ran *ran = run(subject, slots, how);
	const bool lanes = json_array_size(json_object_get(ran->report, "lanes")) > 1;

	print_message("  %s: %.0f slots slipped, %.0f missed, %.0f skipped\n", how,
	    ran_number(ran, "slots.slipped"), ran_number(ran, "slots.missed"),
	    ran_number(ran, "slots.skipped"));
	assert_string_equal(ran_text(ran, "late"), "slip");
	assert_true(ran_number(ran, "slots.missed") >= slots / 200);
	assert_true(!lanes || ran_number(ran, "slots.slipped") > 0);
	assert_true(ran_number(ran, "messages.absent") == 0);
	assert_true(ran_number(ran, "messages.late") == 0);
	assert_true(ran_number(ran, "messages.overwritten") == 0);
	assert_true(ran_number(ran, "messages.lost") == 0);
	assert_true(ran_variable(ran, "jolt.long_calls") + ran_variable(ran, "shock.long_calls") >
	    slots / 100);
	same(subject, want, ran, how);
	ran_free(ran);
}

static void check_skip(const struct subject *subject, const char *how)
{
	const struct outcome want = reference(subject, SLOTS_SKIP);
	struct ran *ran = run(subject, SLOTS_SKIP, how);

	assert_string_equal(ran_text(ran, "late"), "skip");
	if (ran_clean(ran)) {
		same(subject, &want, ran, how);
		print_message("  %s: clean, compared: the same\n", how);
	} else {
		print_message(
		    "  %s: not clean (%.0f skipped, %.0f missed, %.0f absent), not compared\n", how,
		    ran_number(ran, "slots.skipped"), ran_number(ran, "slots.missed"),
		    ran_number(ran, "messages.absent"));
	}
	ran_free(ran);
}

/* ---- tests ------------------------------------------------------------------------ */

static void test_utran384_virtual(void **state)
{
	const struct subject subject = utran384(false);
	const struct outcome want = reference(&subject, SLOTS);

	(void)state;
	check_virtual(&subject, &want);
}

static void test_utran384_slip(void **state)
{
	const struct subject subject = utran384(false), jolts = utran384(true);
	const struct outcome want = reference(&subject, SLOTS);

	(void)state;
	check_slipped(&jolts, &want, SLOTS, "--clock timer --slot-us 500 --lanes 0,1");
}

static void test_utran384_skip(void **state)
{
	const struct subject subject = utran384(false);

	(void)state;
	check_skip(&subject, "--clock timer --late skip --slot-us 3000");
}

static void test_bpsk_virtual_and_step(void **state)
{
	const struct subject subject = bpsk(false);
	const struct outcome want = reference(&subject, SLOTS);
	struct ran *ran;

	(void)state;
	check_virtual(&subject, &want);
	ran = run(&subject, SLOTS, "--clock step --lanes 0,1");
	same(&subject, &want, ran, "--clock step");
	ran_free(ran);
}

static void test_bpsk_slip(void **state)
{
	static const char *const hows[] = {"--clock timer --slot-us 250 --lanes 0",
	    "--clock timer --slot-us 250 --lanes 0,1 --pipelined --isolation none",
	    "--clock timer --slot-us 250 --lanes 0,1 --isolation component"};
	const struct subject subject = bpsk(false), jolts = bpsk(true);
	const struct outcome want = reference(&subject, SLOTS);

	(void)state;
	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++)
		check_slipped(&jolts, &want, SLOTS, hows[i]);
}

static void test_bpsk_skip(void **state)
{
	const struct subject subject = bpsk(false);

	(void)state;
	check_skip(&subject, "--clock timer --late skip --slot-us 1000");
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(test_utran384_slip),
	    cmocka_unit_test(test_utran384_skip),
	    cmocka_unit_test(test_bpsk_slip),
	    cmocka_unit_test(test_bpsk_skip),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(test_utran384_virtual),
	    cmocka_unit_test(test_bpsk_virtual_and_step),
	};
	int failed = ALOE_PART("lanes", lanes, aloe_init, aloe_fini);

	return failed + ALOE_PART("rest", rest, aloe_init, aloe_fini);
}
