/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A waveform on the clock `radio` whose radio is two files (platforms/file), through the real
 * processes: samples go through bit for bit, at the pace of the clock and as fast as slots are run,
 * the end of the file ends the run, and what is wrong in a radio file is said. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "tests/common/aloe.h"

enum { SLOT = 256, SLOTS = 2000, REST = 100, RATE = 1000000, USAGE = 2 };

static const char *const clocks[] = {"radio", "virtual"};

static const char *conf(unsigned channels, const char *type)
{
	char text[2048];
	int len = snprintf(text, sizeof(text),
	    "name = \"pass\";\nclock = \"radio\";\nslot_samples = %d;\nrate = %d.0;\n"
	    "instances: {\n",
	    SLOT, RATE);

	for (unsigned c = 0; c < channels; c++)
		len += snprintf(text + len, sizeof(text) - (size_t)len,
		    "\trx%u: { component = \"radio_rx\"; type = \"%s\"; channel = %u; };\n"
		    "\ttx%u: { component = \"radio_tx\"; missing = \"silence\"; channel = %u; };\n",
		    c, type, c, c, c);
	len += snprintf(text + len, sizeof(text) - (size_t)len,
	    "};\nlinks = ( \"rx0 -> tx0\"%s );\n", channels > 1 ? ", \"rx1 -> tx1\"" : "");
	file_make(aloe_path("pass.conf"), text, (size_t)len);
	return aloe_path("pass.conf");
}

/* Paths of `text` are in the working folder: %s is the first part of each. */
static const char *radio(const char *text)
{
	char whole[2048] = "";
	size_t len = 0;

	for (const char *hole; (hole = strstr(text, "%s")) != NULL; text = hole + 2)
		len += (size_t)snprintf(whole + len, sizeof(whole) - len, "%.*s%s",
		    (int)(hole - text), text, aloe_path(""));
	len += (size_t)snprintf(whole + len, sizeof(whole) - len, "%s", text);
	assert_true(len < sizeof(whole));
	file_make(aloe_path("radio.conf"), whole, len);
	return aloe_path("radio.conf");
}

static uint8_t *noise(const char *name, size_t samples, size_t item, uint32_t seed)
{
	uint8_t *bytes = malloc(samples * item);

	assert_non_null(bytes);
	for (size_t i = 0; i < samples * item; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
	file_make(aloe_path(name), bytes, samples * item);
	return bytes;
}

static void check_run(const struct ran *ran, double slots)
{
	assert_string_equal(ran_text(ran, "clock"), "radio");
	assert_true(ran_number(ran, "slots.run") == slots && ran_number(ran, "slots.skipped") == 0);
	assert_true(ran_number(ran, "messages.absent") == 0);
	assert_true(ran_number(ran, "radio.lost") == 0 && ran_number(ran, "radio.no_room") == 0);
	assert_true(ran_number(ran, "radio.sequence") == 0);
}

/* The last slot is not whole, and ends the run. In real time it takes as long as the recording. */
static void test_bit_for_bit(void **state)
{
	const size_t samples = SLOTS * SLOT + REST;

	(void)state;
	free(noise("in", samples, 4, 1));
	for (size_t i = 0; i < 2; i++) {
		const uint64_t begin = clock_ns();
		struct ran *ran = aloe_ok("run waveforms/radio-file.conf --radio '%s' --clock %s "
		                          "--json -q",
		    radio("radio: { type = \"file\"; path = \"%sin\"; format = \"ci16_le\"; "
		          "rate = 1e6; tx_path = \"%ssent\"; };\n"),
		    clocks[i]);

		if (i == 0)
			assert_true(clock_ns() - begin >= samples * (1000000000 / RATE));
		check_run(ran, SLOTS + 1);
		files_equal(aloe_path("in"), aloe_path("sent"));
		ran_free(ran);
	}
}

/* Two files are two channels; the shorter one ends the run of both. */
static void test_two_channels(void **state)
{
	uint8_t *first = noise("in0", 10 * SLOT, 4, 2), *second = noise("in1", 20 * SLOT, 4, 3);
	struct ran *ran = aloe_ok("run '%s' --radio '%s' --clock virtual --json -q",
	    conf(2, "ci16"),
	    radio("radio = ( { type = \"file\"; path = \"%sin0\"; format = \"ci16_le\"; rate = "
	          "1e6; tx_path = \"%ssent0\"; },\n{ type = \"file\"; path = \"%sin1\"; format = "
	          "\"ci16_le\"; rate = 1e6; tx_path = \"%ssent1\"; } );\n"));
	size_t len;
	uint8_t *out;

	(void)state;
	check_run(ran, 10);
	files_equal(aloe_path("in0"), aloe_path("sent0"));
	out = file_take(aloe_path("sent1"), &len);
	assert_int_equal(len, 10 * SLOT * 4);
	assert_memory_equal(out, second, len);
	free(out);
	free(first);
	free(second);
	ran_free(ran);
}

/* Without a seam, and what goes in as floats that 16 bits can hold comes out as the same floats. */
static void test_loop_of_floats(void **state)
{
	enum { LEN = 3 * SLOT + 17, LOOPS = 40 };
	float samples[2 * LEN], *out;
	struct ran *ran;
	size_t len;

	(void)state;
	for (int i = 0; i < 2 * LEN; i++)
		samples[i] = (float)(i * 41 % 65536 - 32768) / 32768;
	file_make(aloe_path("floats"), samples, sizeof(samples));
	ran = aloe_ok("run '%s' --radio '%s' --clock virtual --slots %d --json -q", conf(1, "cf32"),
	    radio("radio: { type = \"file\"; path = \"%sfloats\"; format = \"cf32_le\"; rate = "
	          "1e6; at_end = \"loop\"; tx_path = \"%ssent\"; };\n"),
	    LOOPS);
	check_run(ran, LOOPS);
	out = file_take(aloe_path("sent"), &len);
	assert_int_equal(len, LOOPS * SLOT * 8);
	for (size_t i = 0; i < len / sizeof(float); i++)
		assert_true(out[i] == samples[i % (2 * LEN)]);
	free(out);
	ran_free(ran);
}

/* ---- a file that is not ready ------------------------------------------------------------ */

enum { SLOW_SLOTS = 400, SLOWLY = 8192 /* bytes at a time */, PAUSE_NS = 2000000 };

/* Reads a FIFO into a file, more slowly than the slots are run. */
static void *reader_main(void *self)
{
	FILE *to = fopen(aloe_path("read"), "w");
	const int fd = open(self, O_RDONLY | O_CLOEXEC);
	char bytes[SLOWLY];
	ssize_t n;

	assert_true(to != NULL && fd >= 0);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		assert_int_equal(fwrite(bytes, 1, (size_t)n, to), n);
		clock_sleep_until(clock_ns() + PAUSE_NS);
	}
	close(fd);
	fclose(to);
	return NULL;
}

/* Slots for which the sink has no room wait, and the radio's samples wait with them. */
static void test_slow_sink(void **state)
{
	char text[1024], path[512];
	pthread_t reader;
	struct ran *ran;
	int len;

	(void)state;
	free(noise("in", SLOW_SLOTS * SLOT, 4, 5));
	snprintf(path, sizeof(path), "%s", aloe_path("fifo"));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&reader, NULL, reader_main, path), 0);
	len = snprintf(text, sizeof(text),
	    "name = \"slow\";\nclock = \"radio\";\nslot_samples = %d;\nrate = %d.0;\n"
	    "instances: {\n\trx: { component = \"radio_rx\"; type = \"ci16\"; };\n"
	    "\tto: { component = \"file_sink\"; path = \"%s\"; buffer_ms = 10; };\n};\n"
	    "links = ( \"rx -> to\" );\n",
	    SLOT, RATE, path);
	file_make(aloe_path("slow.conf"), text, (size_t)len);
	ran = aloe_ok("run '%s' --radio '%s' --clock virtual --json -q --strict",
	    aloe_path("slow.conf"),
	    radio("radio: { type = \"file\"; path = \"%sin\"; format = \"ci16_le\"; rate = "
	          "1e6; };\n"));
	assert_int_equal(pthread_join(reader, NULL), 0);
	check_run(ran, SLOW_SLOTS);
	files_equal(aloe_path("in"), aloe_path("read"));
	ran_free(ran);
}

/* ---- refused ------------------------------------------------------------------------ */

static void refused(const char *text, const char *const *words)
{
	struct ran *ran = aloe_once("check '%s' --radio '%s'", aloe_path("pass.conf"), radio(text));

	assert_int_equal(ran->status, USAGE);
	for (; *words; words++)
		if (!strstr(ran->err, *words))
			fail_msg("no `%s` in: %s", *words, ran->err);
	ran_free(ran);
}

static void test_refused(void **state)
{
	(void)state;
	conf(1, "ci16");
	free(noise("in", 100, 4, 1));
	file_make(aloe_path("odd"), "12345", 5);
	refused("radio: { type = \"file\"; };\n",
	    (const char *const[]){"radio.conf:1: radio: path is missing; path = \"FILE\" of the",
	        "radio.conf:1: radio: format is missing; format = \"ci16_le\" or \"cf32_le\" is",
	        "radio.conf:1: radio: rate is missing; rate = R, samples a second, is", NULL});
	refused("radio: { type = \"file\"; path = \"%snone\";\nformat = \"cu8\"; rate = 5.0;\n"
	        "at_end = \"stop\"; adress = 1; };\n",
	    (const char *const[]){"radio.conf:1: path = \"", "cannot be read: No such file",
	        "radio.conf:2: format = \"cu8\" is unknown; allowed: ci16_le, cf32_le",
	        "radio.conf:2: rate = 5 is outside [1000, 1000000000] samples/s",
	        "radio.conf:3: at_end = \"stop\" is unknown; allowed: end, loop",
	        "radio.conf:3: unknown key \"adress\" of a radio", NULL});
	refused("radio: { type = \"file\"; path = \"%sodd\"; format = \"ci16_le\";\nrate = 2e6; "
	        "};\n",
	    (const char *const[]){
	        "has a length of 5, which is not a whole number of samples of 4 bytes (ci16_le)",
	        NULL});
	refused("radio: { type = \"file\"; path = \"%sin\"; format = \"ci16_le\";\nrate = 2e6; "
	        "};\n",
	    (const char *const[]){
	        "radio.conf:2: the file has the rate 2000000, but pass has 1000000; both rates "
	        "must be the same",
	        NULL});
	refused("radio: { type = \"file\"; path = \"%sin\"; format = \"ci16_le\"; rate = 1e6;\n"
	        "tx_path = \"%sin\"; };\n",
	    (const char *const[]){"is the file that is read; another file is needed", NULL});
	refused(
	    "radio: { type = \"files\"; path = \"%sin\"; format = \"ci16_le\"; rate = 1e6; };\n",
	    (const char *const[]){
	        "radio.conf:1: type = \"files\" is unknown, did you mean \"file\"?", NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bit_for_bit),
	    cmocka_unit_test(test_two_channels),
	    cmocka_unit_test(test_loop_of_floats),
	    cmocka_unit_test(test_slow_sink),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
