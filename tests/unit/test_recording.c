/* SPDX-License-Identifier: BSD-3-Clause
 * core/recording: what is said of tables and control logs that are wrong. recorder: a full disk
 * costs the recording and not the waveform. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/recording/control.h"
#include "core/recording/lapses.h"
#include "core/recording/table.h"
#include "tests/mock/mock.h"

/* ---- tables ------------------------------------------------------------------------ */

static void table_refused(const char *text, unsigned line, const char *needed)
{
	struct message_table table;
	char why[TABLE_WHY] = "";
	unsigned at = 0;

	assert_int_equal(table_parse(text, strlen(text), &table, &at, why), -EINVAL);
	assert_int_equal(at, line);
	if (!strstr(why, needed))
		fail_msg("%s", why);
	table_fini(&table);
}

#define HEAD "aloe-messages 1 i16 4\n"

static void tables_that_are_wrong_are_refused_by_line(void **state)
{
	(void)state;
	table_refused("", 1, "aloe-messages 1 TYPE ITEMS");
	table_refused("RIFF....WAVE\n", 1, "found `RIFF....WAVE`");
	table_refused("aloe-messages 2 i16 4\n", 1, "version 2, and this ALOE reads version 1");
	table_refused("aloe-messages 1 i17 4\n", 1, "TYPE");
	table_refused("aloe-messages 1 i16 0\n", 1, "ITEMS");
	table_refused(HEAD "0 1 v 5 0000000000000000\n", 2, "as many items as the head allows");
	table_refused(HEAD "0 1 a 4 0000000000000000\n", 2, "as many items as the head allows");
	table_refused(HEAD "0 0 v 4 0000000000000000\n", 2, "a count above 0");
	table_refused(HEAD "0 1 x 4 0000000000000000\n", 2, "INDEX COUNT");
	table_refused(HEAD "0 1 v 4 000000000000000g\n", 2, "INDEX COUNT");
	table_refused(HEAD "0  1 v 4 0000000000000000\n", 2, "INDEX COUNT");
	table_refused(HEAD "4611686018427387903 1 v 4 00\n", 2, "INDEX COUNT");
	table_refused(HEAD "281474976710655 1 v 4 00\n", 2, "an index below 2^48");
	table_refused(HEAD "99999999999999999999 1 v 4 0\n", 2, "INDEX COUNT");
	table_refused(HEAD "4 2 v 4 00\n5 1 v 4 00\n", 3, "behind those of the line before");
	table_refused(HEAD "0 2 v 4 00\nend 3 16\n", 3, "add up to");
	table_refused(HEAD "0 2 v 4 00\nend 2 16\n2 1 v 4 00\n", 4, "nothing behind");
}

static void a_table_cut_short_is_whole_up_to_its_last_line(void **state)
{
	static const char text[] = HEAD "0 2 v 4 00\n2 3 a 0 00\n7 1 v 3 0";
	struct message_table table;
	char why[TABLE_WHY];
	unsigned line;

	(void)state;
	assert_int_equal(table_parse(text, strlen(text), &table, &line, why), 0);
	assert_int_equal(table.n_rows, 2);
	assert_int_equal(table.next, 5);
	assert_int_equal(table.bytes, 16);
	assert_false(table.whole);
	table_fini(&table);
}

/* ---- lapses ------------------------------------------------------------------------ */

static void lapses_refused(const char *text, unsigned line, const char *needed)
{
	struct lapse_table table;
	char why[LAPSES_WHY] = "";
	unsigned at = 0;

	assert_int_equal(lapses_parse(text, strlen(text), &table, &at, why), -EINVAL);
	assert_int_equal(at, line);
	if (!strstr(why, needed))
		fail_msg("%s", why);
	lapses_fini(&table);
}

#define LAPSES "aloe-lapses 1\n"

static void lapses_that_are_wrong_are_refused_by_line(void **state)
{
	(void)state;
	lapses_refused("", 1, "aloe-lapses 1");
	lapses_refused("aloe-messages 1 i16 4\n", 1, "aloe-lapses 1");
	lapses_refused("aloe-lapses 2\n", 1, "version 2, and this ALOE reads version 1");
	lapses_refused(LAPSES "1 0 l 0\n", 2, "INDEX COUNT");
	lapses_refused(LAPSES "1 1 v 0\n", 2, "INDEX COUNT");
	lapses_refused(LAPSES "1 1 a 256\n", 2, "INDEX COUNT");
	lapses_refused(LAPSES "1 4294967296 l 0\n", 2, "INDEX COUNT");
	lapses_refused(LAPSES "4611686018427387903 1 l 0\n", 2, "INDEX COUNT");
	lapses_refused(LAPSES "5 3 l 0\n6 1 a 0\n", 3, "not before");
	lapses_refused(LAPSES "5 1 u 0\n6 1 a 0\n", 3, "behind a line `u`");
	lapses_refused(LAPSES "upto x\n", 2, "upto INDEX");
	lapses_refused(LAPSES "end\n5 1 l 0\n", 3, "nothing behind");
}

static void lapses_are_known_up_to_an_index(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		uint64_t upto;
	} cases[] = {{LAPSES "3 2 l 0\n4 1 a 1\nend\n", 2, UINT64_MAX},
	    {LAPSES "3 2 l 0\nupto 9\n12 1 l 0\n", 2, 9}, {LAPSES "3 2 l 0\nupto 9\nupto 1", 1, 9},
	    {LAPSES, 0, 0}, {LAPSES "3 2 l 0\n7 1 u 0\nend\n", 2, 7}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lapse_table table;
		char why[LAPSES_WHY];
		unsigned line;

		assert_int_equal(
		    lapses_parse(cases[i].text, strlen(cases[i].text), &table, &line, why), 0);
		assert_int_equal(table.n_rows, cases[i].n);
		assert_int_equal(table.upto, cases[i].upto);
		lapses_fini(&table);
	}
}

/* ---- control.jsonl ------------------------------------------------------------------------ */

#define FIRST                                                                                      \
	"{\"recording\":1,\"waveform\":\"w\",\"text_sha256\":\"x\",\"slots\":9,"                   \
	"\"components\":{},\"files\":{},\"outputs\":[\"a.out\"]}\n"

static int control_read(const char *text, struct recording_control *control, char why[256])
{
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = control_parse("c", text, strlen(text), &diag, control);
	snprintf(why, 256, "%s", diag.len ? diag.lines[0] : "");
	diag_fini(&diag);
	return rc;
}

static void control_refused(const char *text, const char *expected)
{
	struct recording_control control;
	char why[256];

	assert_int_equal(control_read(text, &control, why), -EINVAL);
	if (!strstr(why, expected))
		fail_msg("%s", why);
	control_fini(&control);
}

static void control_logs_that_are_wrong_are_refused_by_line(void **state)
{
	(void)state;
	control_refused("", "c:1: the recording has no first line");
	control_refused("{\"recording\":2}\n", "c:1: the recording has version 2");
	control_refused("{\"recording\":1}\n", "waveform");
	control_refused("nothing\n", "c:1");
	control_refused(FIRST "{\"set\":{\"a.b\":1},\"index\":3}\n", "c:2: set: an object whose");
	control_refused(FIRST "{\"set\":{\"a.b\":\"1\"}}\n", "index");
	control_refused(FIRST "{\"set\":{\"a.b\":\"1\"},\"index\":4611686018427387903}\n",
	    "c:2: index: found 4611686018427387903");
	control_refused(
	    FIRST "{\"state\":\"PAUSE\",\"index\":4611686018427387903}\n", "c:2: index");
	control_refused(
	    FIRST "{\"end\":4611686018427387903,\"recorded\":{},\"sinks\":{}}\n", "c:2: end");
	control_refused(
	    FIRST "{\"end\":4,\"recorded\":{},\"sinks\":{}}\n{}\n", "c:3: the recording");
	control_refused(FIRST "{\"end\":4,\"recorded\":{},\"sinks\":{}}\n{", "c:3: the recording");
}

static void sets_are_in_the_order_of_their_index(void **state)
{
	static const char text[] = FIRST "{\"set\":{\"a.b\":\"1\"},\"index\":7}\n"
	                                 "{\"state\":\"PAUSE\",\"index\":8}\n"
	                                 "{\"set\":{\"a.b\":\"2\"},\"index\":3}\n"
	                                 "{\"set\":{\"a.b\":\"3\"},\"index\":7}\n{\"set\":{\"a";
	static const char *const expected[] = {"2", "1", "3"};
	struct recording_control control;
	char why[256];

	(void)state;
	assert_int_equal(control_read(text, &control, why), 0);
	assert_int_equal(json_array_size(control.sets), 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(
		    json_string_value(json_object_get(
		        json_object_get(json_array_get(control.sets, i), "set"), "a.b")),
		    expected[i]);
	assert_int_equal(control.seen, 8);
	assert_null(control.end);
	control_fini(&control);
}

/* ---- recorder ------------------------------------------------------------------------ */

enum { MESSAGES = 40, ITEMS = 4096 };

static void message_feed(struct mock *recorder, uint64_t k)
{
	int16_t items[ITEMS];

	for (unsigned i = 0; i < ITEMS; i++)
		items[i] = (int16_t)(k * 31 + i);
	if (k % 5 == 4)
		mock_give_state(recorder, 0, ALOE_ABSENT);
	else
		mock_give(recorder, 0, items, k % 7 ? ITEMS : ITEMS / 2);
	assert_int_equal(mock_work(recorder, k), 0);
}

static void paths_make(char *base, size_t size, char *data, size_t data_size)
{
	const char *temp = getenv("TMPDIR");

	snprintf(base, size, "%s/recording-%d", temp ? temp : "/tmp", (int)getpid());
	snprintf(data, data_size, "%s.sigmf-data", base);
}

static void paths_remove(const char *base)
{
	static const char *const endings[] = {".messages", ".sigmf-data"};

	for (size_t i = 0; i < 2; i++) {
		char path[300];

		snprintf(path, sizeof(path), "%s%s", base, endings[i]);
		unlink(path);
	}
}

static void a_full_disk_costs_the_recording_alone(void **state)
{
	char base[200], data[240];
	struct mock recorder;

	(void)state;
	paths_make(base, sizeof(base), data, sizeof(data));
	assert_int_equal(symlink("/dev/full", data), 0);
	mock_open(&recorder, "recorder");
	mock_set(&recorder, "path", base);
	mock_input(&recorder, 0, ALOE_I16, ITEMS);
	assert_int_equal(mock_start(&recorder), 0);
	for (uint64_t k = 0; k <= MESSAGES; k++)
		message_feed(&recorder, k);
	assert_true(mock_var(&recorder, "lost") > 0);
	assert_true(mock_var(&recorder, "lost") + mock_var(&recorder, "messages") == MESSAGES);
	mock_close(&recorder);
	paths_remove(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tables_that_are_wrong_are_refused_by_line),
	    cmocka_unit_test(a_table_cut_short_is_whole_up_to_its_last_line),
	    cmocka_unit_test(lapses_that_are_wrong_are_refused_by_line),
	    cmocka_unit_test(lapses_are_known_up_to_an_index),
	    cmocka_unit_test(control_logs_that_are_wrong_are_refused_by_line),
	    cmocka_unit_test(sets_are_in_the_order_of_their_index),
	    cmocka_unit_test(a_full_disk_costs_the_recording_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
