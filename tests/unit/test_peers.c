/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the bridge counts of other nodes: told to exec, in the report of each node, put together by
 * the manager, as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/print.h"
#include "daemons/exec/peers.h"
#include "daemons/swman/merge.h"

struct fixture {
	struct exec exec;
	struct exec_wave wave;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	fixture->exec.waves = &fixture->wave;
	fixture->exec.daemon.args.node = "a";
	fixture->wave.exec = &fixture->exec;
	snprintf(fixture->wave.name, sizeof(fixture->wave.name), "two");
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	free(fixture->wave.peers);
	free(fixture);
	return 0;
}

static void told(struct fixture *fixture, const char *waveform, const char *const *nodes, size_t n,
    const struct bridge_counts *counts, size_t len)
{
	struct wire_msg msg;
	struct wire_view view;
	size_t size;
	const uint8_t *bytes;

	wire_init(&msg, WIRE_COUNTS, WIRE_BRIDGE, WIRE_EXEC, 0);
	if (waveform)
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	for (size_t i = 0; i < n; i++) {
		wire_put_text(&msg, WIRE_TAG_NAME, nodes[i]);
		wire_put_bytes(&msg, WIRE_TAG_BYTES, &counts[i], len);
	}
	bytes = wire_bytes(&msg, &size);
	assert_non_null(bytes);
	assert_int_equal(wire_decode(bytes, size, &view), 0);
	peers_take(&fixture->exec, &view);
	wire_fini(&msg);
}

static const struct bridge_counts counted[] = {
    {.frames = 9,
        .bytes = 900,
        .sent = 10,
        .unsent = 3,
        .bytes_sent = 2500,
        .taken = 7,
        .repeated = 2,
        .bad = 1},
    {.frames = 1, .bytes = 100, .sent = 1, .bytes_sent = 100},
};

static void test_what_is_told_replaces(void **state)
{
	static const char *const nodes[] = {"b", "c"};
	struct fixture *fixture = *state;

	told(fixture, "two", nodes, 2, counted, sizeof(counted[0]));
	assert_int_equal(fixture->wave.n_peers, 2);
	assert_string_equal(fixture->wave.peers[1].name, "c");
	assert_int_equal(fixture->wave.peers[0].counts.bytes_sent, 2500);
	told(fixture, "two", nodes, 1, counted, sizeof(counted[0]));
	assert_int_equal(fixture->wave.n_peers, 1);
	told(fixture, "other", nodes, 2, counted, sizeof(counted[0]));
	told(fixture, NULL, nodes, 2, counted, sizeof(counted[0]));
	assert_int_equal(fixture->wave.n_peers, 1);
}

static void test_what_cannot_be_is_left_out(void **state)
{
	static const char *const nodes[] = {"b", "c"};
	static const char *const long_name[] = {
	    "0123456789012345678901234567890123456789012345678901234567890123"};
	struct fixture *fixture = *state;

	told(fixture, "two", nodes, 2, counted, sizeof(counted[0]) - 1);
	assert_int_equal(fixture->wave.n_peers, 0);
	told(fixture, "two", long_name, 1, counted, sizeof(counted[0]));
	assert_int_equal(fixture->wave.n_peers, 0);
}

static json_t *report_of(struct fixture *fixture, const char *node)
{
	fixture->exec.daemon.args.node = node;
	return json_pack("{s:s, s:o}", "reason", "", "peers", peers_report(&fixture->wave));
}

/* Of each kind there is one row, for all nodes. */
static void test_causes_merged(void **state)
{
	static const char *const nodes[] = {"a", "b"};
	json_t *reports[2], *merged, *causes;

	(void)state;
	reports[0] =
	    json_pack("{s:s, s:[{s:s, s:i, s:i, s:f, s:f, s:i}]}", "reason", "", "causes", "kind",
	        "preempted", "count", 2, "slots", 3, "us", 10.0, "worst_us", 8.0, "worst_slot", 5);
	reports[1] = json_pack("{s:s, s:[{s:s, s:i}, {s:s, s:i, s:i, s:f, s:f, s:i}]}", "reason",
	    "", "causes", "kind", "slept", "count", 1, "kind", "preempted", "count", 1, "slots", 1,
	    "us", 9.5, "worst_us", 9.5, "worst_slot", 7);
	merged = merge_report(reports, nodes, 2);
	causes = json_object_get(merged, "causes");
	assert_int_equal(json_array_size(causes), 2);
	/* the report of a node stays as it is */
	assert_int_equal(
	    report_number(json_array_get(json_object_get(reports[0], "causes"), 0), "count"), 2);
	assert_int_equal(report_number(json_array_get(causes, 0), "count"), 3);
	assert_int_equal(report_number(json_array_get(causes, 0), "slots"), 4);
	assert_true(report_number(json_array_get(causes, 0), "us") == 19.5);
	assert_int_equal(report_number(json_array_get(causes, 0), "worst_slot"), 7);
	assert_string_equal(report_text(json_array_get(causes, 1), "kind"), "slept");
	json_decref(merged);
	json_decref(reports[0]);
	json_decref(reports[1]);
}

/* The most lateness first: of a line with three of them the least is left out. */
static void test_causes_in_order(void **state)
{
	static const char *const nodes[] = {"a", "b"},
	                         *const order[] = {"kernel", "slept", "preempted", "frequency"};
	json_t *reports[2], *merged, *causes;
	char line[200];

	(void)state;
	reports[0] = json_pack("{s:s, s:[{s:s, s:f}, {s:s, s:f}]}", "reason", "", "causes", "kind",
	    "preempted", "us", 10.0, "kind", "frequency", "us", 2.0);
	reports[1] = json_pack("{s:s, s:[{s:s, s:f}, {s:s, s:f}, {s:s, s:f}]}", "reason", "",
	    "causes", "kind", "kernel", "us", 90.0, "kind", "slept", "us", 40.0, "kind",
	    "frequency", "us", 1.0);
	merged = merge_report(reports, nodes, 2);
	causes = json_object_get(merged, "causes");
	assert_int_equal(json_array_size(causes), 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(report_text(json_array_get(causes, i), "kind"), order[i]);
	report_causes_line(merged, line, sizeof(line));
	assert_non_null(strstr(line, "kernel"));
	assert_null(strstr(line, "frequency"));
	json_decref(merged);
	json_decref(reports[0]);
	json_decref(reports[1]);
}

/* One of two nodes has heard nothing of its bridge yet. */
static void test_merged(void **state)
{
	static const char *const nodes[] = {"a", "b", "c"}, *const b[] = {"b"}, *const a[] = {"a"};
	struct fixture *fixture = *state;
	json_t *reports[3], *merged;
	char *text = NULL;
	size_t len;
	FILE *out;

	reports[0] = json_pack("{s:s}", "reason", "");
	told(fixture, "two", b, 1, counted, sizeof(counted[0]));
	reports[1] = report_of(fixture, "a");
	told(fixture, "two", a, 1, counted + 1, sizeof(counted[0]));
	reports[2] = report_of(fixture, "b");
	merged = merge_report(reports, nodes, 3);
	assert_int_equal(json_array_size(json_object_get(merged, "peers")), 2);
	assert_int_equal(json_array_size(json_object_get(reports[1], "peers")), 1);
	out = open_memstream(&text, &len);
	assert_int_equal(
	    report_number(json_array_get(json_object_get(merged, "peers"), 0), "unsent"), 3);
	peers_print(merged, out);
	fclose(out);
	assert_string_equal(text,
	    "bridge     node \"a\": 10 frames (2.5 kB) to node \"b\", 9 (0.9 kB) back; 3 not "
	    "sent; 2 sent once more; 1 refused\n"
	    "bridge     node \"b\": 1 frame (0.1 kB) to node \"a\", 1 (0.1 kB) back\n");
	free(text);
	json_decref(merged);
	for (size_t i = 0; i < 3; i++)
		json_decref(reports[i]);
}

#define PEERS_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    PEERS_TEST(test_what_is_told_replaces),
	    PEERS_TEST(test_what_cannot_be_is_left_out),
	    PEERS_TEST(test_merged),
	    cmocka_unit_test(test_causes_merged),
	    cmocka_unit_test(test_causes_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
