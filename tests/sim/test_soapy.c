/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A waveform on the clock `radio` whose radio is a device of SoapySDR (platforms/soapy), through
 * the real processes and a module of our own in the path of SoapySDR's plug-ins
 * (tests/soapy/module.cpp): samples go through bit for bit in both directions, losses are where the
 * device says that they are, and a device that goes, hangs or refuses stops no slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { SLOT = 384, RATE = 384000, SLOTS = 400, FROM = 384000005, ADVANCE = 38400, CHANNELS = 2 };

/* As the module has it. */
static void pattern(uint64_t n, unsigned channel, int16_t ret[2])
{
	const uint64_t mixed = (n + channel * 7919) * 0x9e3779b97f4a7c15ull;

	ret[0] = (int16_t)(mixed >> 48);
	ret[1] = (int16_t)(mixed >> 32);
}

/* rx goes to a file and back to the radio, each channel. */
static const char *conf(unsigned channels, bool sends, const char *missing)
{
	char text[4096];
	int len = snprintf(text, sizeof(text),
	    "name = \"soapy\";\nclock = \"radio\";\nslot_samples = %d;\nrate = %d.0;\n"
	    "instances: {\n",
	    SLOT, RATE);

	for (unsigned c = 0; c < channels; c++) {
		len += snprintf(text + len, sizeof(text) - (size_t)len,
		    "\trx%u: { component = \"radio_rx\"; type = \"ci16\"; channel = %u; missing = "
		    "\"%s\"; };\n"
		    "\tfile%u: { component = \"file_sink\"; path = \"%s\"; "
		    "buffer_ms = 10000; };\n",
		    c, c, missing, c, aloe_path(c ? "received1" : "received0"));
		if (sends)
			len += snprintf(text + len, sizeof(text) - (size_t)len,
			    "\ttx%u: { component = \"radio_tx\"; channel = %u; missing = "
			    "\"silence\"; };\n",
			    c, c);
	}
	len += snprintf(text + len, sizeof(text) - (size_t)len, "};\nlinks = ( ");
	for (unsigned c = 0; c < channels; c++) {
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s\"rx%u -> file%u\"",
		    c ? ", " : "", c, c);
		if (sends)
			len += snprintf(
			    text + len, sizeof(text) - (size_t)len, ", \"rx%u -> tx%u\"", c, c);
	}
	len += snprintf(text + len, sizeof(text) - (size_t)len, " );\n");
	file_make(aloe_path("soapy.conf"), text, (size_t)len);
	return aloe_path("soapy.conf");
}

/* A slot waits for samples of a device that stands still, as a busy machine lets it. */
#define WAITS "patience_ms = 100000.0; "

static const char *radio(const char *args, const char *keys)
{
	char text[2048];
	const int len = snprintf(text, sizeof(text),
	    "radio: { type = \"soapy\"; args = \"driver=aloetest,%s\";\n%s };\n", args, keys);

	file_make(aloe_path("radio.conf"), text, (size_t)len);
	return aloe_path("radio.conf");
}

static struct ran *run(const char *waveform, const char *radio_file, int slots)
{
	return aloe("run '%s' --radio '%s' --slots %d --json -q", waveform, radio_file, slots);
}

static int16_t (*received(unsigned channel, size_t *ret_samples))[2]
{
	size_t len;
	void *bytes = file_take(aloe_path(channel ? "received1" : "received0"), &len);

	*ret_samples = len / 4;
	return bytes;
}

/* n samples from `at` on are those of the device from `tick` on. */
static void check_samples(int16_t (*samples)[2], size_t at, size_t n, uint64_t tick, unsigned c)
{
	for (size_t i = 0; i < n; i++) {
		int16_t want[2];

		pattern(tick + i, c, want);
		if (samples[at + i][0] != want[0] || samples[at + i][1] != want[1])
			fail_msg("channel %u: sample %zu is not number %llu of the device", c,
			    at + i, (unsigned long long)(tick + i));
	}
}

static void check_zeros(int16_t (*samples)[2], size_t at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_true(samples[at + i][0] == 0 && samples[at + i][1] == 0);
}

static void check_received(unsigned channels, size_t n)
{
	for (unsigned c = 0; c < channels; c++) {
		size_t there;
		int16_t(*samples)[2] = received(c, &there);

		assert_int_equal(there, n);
		check_samples(samples, 0, n, FROM, c);
		free(samples);
	}
}

/* What the device was sent: how many samples; each lies ADVANCE behind the one that it answers. */
static size_t check_sent(bool timed)
{
	size_t len, n;
	uint8_t *bytes = file_take(aloe_path("sent"), &len);

	n = len / 12;
	for (size_t i = 0; i < n; i++) {
		uint64_t tick;
		int16_t sample[2], want[2];

		memcpy(&tick, bytes + 12 * i, sizeof(tick));
		memcpy(sample, bytes + 12 * i + 8, sizeof(sample));
		assert_true(timed == (tick != UINT64_MAX));
		pattern(timed ? tick - ADVANCE : FROM + i, 0, want);
		assert_memory_equal(sample, want, sizeof(want));
	}
	free(bytes);
	return n;
}

static const char *with_sent(const char *args)
{
	static char text[1024];

	unlink(aloe_path("sent"));
	snprintf(text, sizeof(text), "from=%d,tx=%s%s", FROM, aloe_path("sent"), args);
	return text;
}

static void expect(const struct ran *ran, const char *name, double want)
{
	if (ran_number(ran, name) != want)
		fail_msg("%s is %g, not %g", name, ran_number(ran, name), want);
}

static void check_whole(const struct ran *ran)
{
	assert_string_equal(ran_text(ran, "clock"), "radio");
	for (size_t i = 0; i < 6; i++)
		expect(ran,
		    (const char *const[]){"radio.lost", "radio.overruns", "radio.unsized",
		        "radio.restarts", "radio.partial", "slots.skipped"}[i],
		    0);
}

static struct ran *run_both_ways(void)
{
	struct ran *ran = run(conf(1, true, "zeros"),
	    radio(with_sent(",chunk=37,take=100"),
	        WAITS "direction = \"both\"; frequency = 100e6; gain = 20.0; "
	              "antenna = \"B\"; tx_advance = 38400;"),
	    SLOTS);

	assert_int_equal(ran->status, 0);
	return ran;
}

/* Reads and writes of odd lengths, times that a nanosecond rounds, a time of years. */
static void test_both_ways(void **state)
{
	struct ran *ran = run_both_ways();

	(void)state;
	/* a device that stood still for 0.1 s took what came then too late: once more */
	for (int i = 0; i < 4 && ran_number(ran, "radio.late") > 0; i++) {
		print_message("late: %g of %d\n", ran_number(ran, "radio.late"), SLOTS);
		ran_free(ran);
		ran = run_both_ways();
	}
	check_whole(ran);
	expect(ran, "radio.late", 0);
	check_received(1, (size_t)SLOTS * SLOT);
	assert_int_equal(check_sent(true), SLOTS * SLOT);
	ran_free(ran);
}

static void test_floats_without_time(void **state)
{
	struct ran *ran = run(conf(1, true, "zeros"),
	    radio(with_sent(",format=CF32,time=0,under=1000"), WAITS "direction = \"both\";"),
	    SLOTS);
	size_t n;
	int16_t(*samples)[2];

	(void)state;
	assert_int_equal(ran->status, 0);
	check_whole(ran);
	expect(ran, "radio.underruns", 1);
	samples = received(0, &n);
	assert_int_equal(n, SLOTS * SLOT);
	check_samples(samples, 0, n, FROM, 0);
	free(samples);
	assert_int_equal(check_sent(false), SLOTS * SLOT);
	ran_free(ran);
}

static void test_two_channels(void **state)
{
	struct ran *ran = run(conf(CHANNELS, false, "zeros"),
	    radio("from=384000005,channels=2", WAITS "channels = [0, 1]; gain = [1.0, 2.0];"),
	    SLOTS);

	(void)state;
	assert_int_equal(ran->status, 0);
	check_whole(ran);
	check_received(CHANNELS, (size_t)SLOTS * SLOT);
	ran_free(ran);
}

/* Said or not said: the next time tells, and what follows lies where it belongs. */
static void test_overflow(void **state)
{
	static const char *const faults[] = {
	    "from=384000005,lost=20000:1500", "from=384000005,quiet=20000:1500"};
	enum { AT = 20000, GAP = 1500 };

	(void)state;
	for (int said = 0; said < 2; said++) {
		struct ran *ran =
		    run(conf(1, false, "zeros"), radio(faults[1 - said], WAITS), SLOTS);
		size_t n;
		int16_t(*samples)[2] = received(0, &n);

		assert_int_equal(ran->status, 0);
		expect(ran, "radio.overruns", said);
		expect(ran, "radio.unsized", 0);
		expect(ran, "radio.lost", (GAP + SLOT - 1) / SLOT);
		assert_true(ran_variable(ran, "rx0.samples_missing") == GAP);
		assert_int_equal(n, SLOTS * SLOT);
		check_samples(samples, 0, AT, FROM, 0);
		check_zeros(samples, AT, GAP);
		check_samples(samples, AT + GAP, n - AT - GAP, FROM + AT + GAP, 0);
		free(samples);
		ran_free(ran);
	}
}

/* The rest of the packet is missing, and the slots go on by the number of samples. */
static void test_overflow_without_time(void **state)
{
	enum { AT = 20000, GAP = 1500, BEFORE = AT / SLOT * SLOT, AFTER = BEFORE + SLOT };
	struct ran *ran = run(
	    conf(1, false, "zeros"), radio("from=384000005,time=0,lost=20000:1500", WAITS), SLOTS);
	size_t n;
	int16_t(*samples)[2] = received(0, &n);

	(void)state;
	assert_int_equal(ran->status, 0);
	expect(ran, "radio.overruns", 1);
	expect(ran, "radio.unsized", 1);
	expect(ran, "radio.partial", 1);
	assert_int_equal(n, SLOTS * SLOT);
	check_samples(samples, 0, BEFORE, FROM, 0);
	check_zeros(samples, BEFORE, SLOT);
	check_samples(samples, AFTER, n - AFTER, FROM + AT + GAP, 0);
	free(samples);
	ran_free(ran);
}

static void test_late(void **state)
{
	struct ran *ran = run(conf(1, true, "zeros"),
	    radio(with_sent(""), "direction = \"both\"; tx_advance = 0;"), 100);

	(void)state;
	assert_int_equal(ran->status, 0);
	expect(ran, "radio.late", 100);
	expect(ran, "radio.sent", 100);
	ran_free(ran);
}

/* The device ends its stream, and is back at the second attempt. */
static void test_gone(void **state)
{
	enum { GONE_SLOTS = 3000 };
	struct ran *ran =
	    run(conf(1, false, "zeros"), radio("from=384000005,gone=38400:1", ""), GONE_SLOTS);

	(void)state;
	assert_int_equal(ran->status, 0);
	expect(ran, "radio.restarts", 1);
	expect(ran, "radio.failed", 1);
	assert_true(ran_number(ran, "radio.flywheeled") > 1000);
	assert_true(ran_number(ran, "radio.packets") > 500);
	assert_non_null(strstr(ran->err, "readStream: STREAM_ERROR"));
	assert_non_null(strstr(ran->err, "is back"));
	ran_free(ran);
}

/* A read that does not return: slots go on without samples, and the run ends in good order. */
static void test_hangs(void **state)
{
	struct ran *ran =
	    run(conf(1, false, "zeros"), radio("from=384000005,hang=38400", ""), 2800);

	(void)state;
	expect(ran, "slots.run", 2800);
	assert_true(ran_number(ran, "radio.flywheeled") > 2000);
	expect(ran, "radio.restarts", 0);
	assert_non_null(strstr(ran->err, "has returned after 3."));
	ran_free(ran);
}

/* Slots begin by the device's time, and what is sent is without a gap. */
static void test_only_sends(void **state)
{
	static const char text[] =
	    "name = \"sends\";\nclock = \"radio\";\nslot_samples = 384;\nrate = 384e3;\n"
	    "instances: {\n\tbits: { component = \"random_source\"; seed = 1; length = 384; };\n"
	    "\tmod: { component = \"bpsk_mod\"; };\n\ttx: { component = \"radio_tx\"; };\n};\n"
	    "links = ( \"bits -> mod -> tx\" );\n";
	struct ran *ran;
	size_t len;
	uint8_t *bytes;

	(void)state;
	file_make(aloe_path("sends.conf"), text, sizeof(text) - 1);
	ran = run(aloe_path("sends.conf"),
	    radio(with_sent(""), "direction = \"tx\"; tx_advance = 38400;"), SLOTS);
	assert_int_equal(ran->status, 0);
	expect(ran, "radio.late", 0);
	expect(ran, "slots.run", SLOTS);
	bytes = file_take(aloe_path("sent"), &len);
	assert_int_equal(len, (size_t)SLOTS * SLOT * 12);
	for (size_t i = 1; i < len / 12; i++) {
		uint64_t before, tick;

		memcpy(&before, bytes + 12 * (i - 1), sizeof(before));
		memcpy(&tick, bytes + 12 * i, sizeof(tick));
		assert_int_equal(tick, before + 1);
	}
	free(bytes);
	ran_free(ran);
}

/* ---- refused ------------------------------------------------------------------------ */

static void refused(const char *args, const char *keys, const char *words)
{
	struct ran *ran = run(aloe_path("soapy.conf"), radio(args, keys), 10);

	assert_int_not_equal(ran->status, 0);
	if (!strstr(ran->err, words))
		fail_msg("no `%s` in: %s", words, ran->err);
	ran_free(ran);
}

static void test_refused_by_the_device(void **state)
{
	(void)state;
	conf(1, true, "zeros");
	refused("", "", "so radio_tx cannot send");
	refused("off=1.01", "", "the device has the rate 387840, but the waveform has 384000");
	refused("", "antenna = \"C\";", "antenna = \"C\" is not there; channel 0 has: A, B");
	refused("", "channels = 3;", "channel 3 is not there; the device has 1 channel to receive");
	refused("", "frequency = 2e9;", "frequency: the tuner ends at 1 GHz");
	refused("format=CS8", "", "neither CS16 of full scale nor CF32, but: CS8");
	refused("time=0", "direction = \"both\"; tx_advance = 100;",
	    "the device has no time, so it cannot send at one; leave tx_advance out");
	refused("", "direction = \"tx\";", "so radio_rx cannot receive");
}

static void refused_text(const char *keys, const char *const *words)
{
	struct ran *ran =
	    aloe_once("check '%s' --radio '%s'", aloe_path("soapy.conf"), radio("", keys));

	assert_int_equal(ran->status, 2);
	for (; *words; words++)
		if (!strstr(ran->err, *words))
			fail_msg("no `%s` in: %s", *words, ran->err);
	ran_free(ran);
}

static void test_refused(void **state)
{
	(void)state;
	conf(1, false, "zeros");
	refused_text("channels = [1, 1]; gain = [1.0];\nantena = \"A\"; tx_gain = 3.0;",
	    (const char *const[]){"radio.conf:2: channels = [1, 1] names a channel twice",
	        "radio.conf:2: gain has 1 numbers, but channels has 2",
	        "radio.conf:3: unknown key \"antena\" of a radio, did you mean \"antenna\"?",
	        "radio.conf:3: tx_gain is for a device that sends; direction", NULL});
	refused_text("frequency = -5.0; direction = \"rxtx\";",
	    (const char *const[]){"frequency = -5 is outside [0, 1000000000000] Hz",
	        "direction = \"rxtx\" is unknown; allowed: rx, tx, both", NULL});
}

/* SoapySDR finds our module alone, so nothing of this machine's devices. */
static int begin(void **state)
{
	char folder[4096];

	setenv("SOAPY_SDR_ROOT", "/nowhere", 1);
	aloe_init(state);
	snprintf(folder, sizeof(folder), "%s-soapy", aloe_program("aloe"));
	snprintf(strrchr(folder, '/'), sizeof("/../tests/soapy"), "/../tests/soapy");
	setenv("SOAPY_SDR_PLUGIN_PATH", folder, 1);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_both_ways),
	    cmocka_unit_test(test_floats_without_time),
	    cmocka_unit_test(test_two_channels),
	    cmocka_unit_test(test_overflow),
	    cmocka_unit_test(test_overflow_without_time),
	    cmocka_unit_test(test_late),
	    cmocka_unit_test(test_gone),
	    cmocka_unit_test(test_hangs),
	    cmocka_unit_test(test_only_sends),
	    cmocka_unit_test(test_refused_by_the_device),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, begin, aloe_fini);
}
