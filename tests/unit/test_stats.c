/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_stats.c - the real aloe-stats on real images; this program is its frontend, its
 * exec and its client. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/bus/bus.h"
#include "core/json/json.h"
#include "core/keep/keep.h"
#include "daemons/stats/stats.h"
#include "tests/common/wave.h"

enum { WAIT_MS = 20000 };

static const char graph[] =
    "name = \"test\"; slot_ns = 1000000;\n"
    "instances: {\n"
    "  source: { component = \"random_source\"; seed = 7; length = 100; };\n"
    "  mod: { component = \"bpsk_mod\"; };\n"
    "  noise: { component = \"awgn\"; esn0_db = 40.0; };\n"
    "  demod: { component = \"bpsk_demod\"; };\n"
    "  check: { component = \"bit_compare\"; };\n"
    "};\n"
    "links = ( \"source -> mod -> noise -> demod -> check.received\",\n"
    "          { path = \"source -> check.sent\"; } );\n";

struct stats_test {
	char dir[64], bin[PATH_MAX];
	struct wave wave;
	struct bus *bus;
	int keep, leash;
	pid_t pid;
	struct bus_peer stats;
	uint32_t seq;
};

static int message_wait(struct stats_test *test, struct wire_view *ret_view)
{
	struct bus_peer from;
	int result;

	while ((result = bus_recv(test->bus, ret_view, &from)) == -EAGAIN) {
		if (poll(&(struct pollfd){.fd = bus_fd(test->bus), .events = POLLIN}, 1, WAIT_MS) !=
		    1)
			return -ETIMEDOUT;
	}
	test->stats = from;
	return result;
}

static void message_send(struct stats_test *test, struct wire_msg *msg)
{
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);

	assert_non_null(bytes);
	assert_int_equal(bus_send_to(test->bus, &test->stats, bytes, len), 0);
	wire_fini(msg);
}

static void stats_spawn(struct stats_test *test)
{
	char leash_text[16];
	char *argv[] = {"aloe-stats", "--dir", test->dir, "--leash", leash_text, NULL};
	int leash[2];

	assert_int_equal(leash_new(leash), 0);
	snprintf(leash_text, sizeof(leash_text), "%d", leash[0]);
	assert_int_equal(child_spawn(test->bin, argv, &leash[0], 1, -1, &test->pid, NULL), 0);
	close(leash[0]);
	test->leash = leash[1];
}

/* What a frontend does first. */
static void stats_admit(struct stats_test *test)
{
	struct pollfd poll_fd = {.events = POLLIN};
	struct keep_entry entry;
	pid_t pid;

	poll_fd.fd = keep_listen(test->dir);
	assert_true(poll_fd.fd >= 0);
	assert_int_equal(poll(&poll_fd, 1, WAIT_MS), 1);
	test->keep = keep_accept(poll_fd.fd, &pid);
	close(poll_fd.fd);
	assert_int_equal(pid, test->pid);
	poll_fd.fd = test->keep;
	assert_int_equal(poll(&poll_fd, 1, WAIT_MS), 1);
	assert_int_equal(keep_recv(test->keep, &entry), 0);
	assert_int_equal(entry.kind, KEEP_HELLO);
	assert_string_equal(entry.key, "stats");
}

static void stats_greet(struct stats_test *test)
{
	struct wire_view view;
	struct wire_msg msg;

	assert_int_equal(message_wait(test, &view), 0);
	assert_int_equal(view.type, WIRE_HELLO);
	assert_int_equal(view.source, WIRE_STATS);
	bus_reply(test->bus, &view, WIRE_OK, &msg);
	message_send(test, &msg);
}

static int test_setup(void **state)
{
	struct stats_test *test = calloc(1, sizeof(*test));

	snprintf(test->dir, sizeof(test->dir), "/tmp/aloe-stats-XXXXXX");
	assert_non_null(mkdtemp(test->dir));
	assert_int_equal(child_path("../../bin/aloe-stats", test->bin, sizeof(test->bin)),
	    0); /* from BUILD/tests/unit */
	assert_int_equal(
	    wave_open(&test->wave, graph, &(struct wave_options){.clock = "virtual"}), 0);
	test->bus = bus_bind(test->dir);
	assert_non_null(test->bus);
	stats_spawn(test);
	stats_admit(test);
	assert_int_equal(keep_end(test->keep), 0);
	stats_greet(test);
	*state = test;
	return 0;
}

static int test_teardown(void **state)
{
	struct stats_test *test = *state;
	int status;

	assert_int_equal(keep_leave(test->keep), 0);
	if (waitpid(test->pid, &status, 0) != test->pid || status != 0)
		return -1;
	close(test->keep);
	close(test->leash);
	wave_close(&test->wave);
	bus_close(test->bus);
	free(test);
	return 0;
}

/* What the frontend does for exec: read-only descriptors of program and image. */
static void image_give(struct stats_test *test, const char *key)
{
	const int fds[] = {
	    file_read_only(test->wave.files.program), file_read_only(test->wave.files.image)};

	assert_true(fds[0] >= 0 && fds[1] >= 0);
	assert_int_equal(keep_put(test->keep, key, "", 0, fds, 2), 0);
	close(fds[0]);
	close(fds[1]);
}

static void request_send(struct stats_test *test, enum wire_type type, const char *waveform,
    const char *name, const char *value)
{
	struct wire_msg msg;

	wire_init(&msg, type, WIRE_CLIENT, WIRE_STATS, ++test->seq);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	wire_put_text(&msg, WIRE_TAG_NAME, name);
	wire_put_text(&msg, WIRE_TAG_VALUE, value);
	wire_put_bytes(&msg, WIRE_TAG_ORIGIN, "who", 3);
	message_send(test, &msg);
}

static void request(struct stats_test *test, enum wire_type type, const char *waveform,
    const char *name, const char *value, struct wire_view *ret_view)
{
	const void *origin;
	size_t len;

	request_send(test, type, waveform, name, value);
	assert_int_equal(message_wait(test, ret_view), 0);
	assert_int_equal(ret_view->seq, test->seq);
	assert_int_equal(wire_get_bytes(ret_view, WIRE_TAG_ORIGIN, 0, &origin, &len), 0);
	assert_int_equal(len, 3);
	assert_memory_equal(origin, "who", 3);
}

static void get_is(struct stats_test *test, const char *name, const char *expected)
{
	struct wire_view view;
	char *text;

	request(test, WIRE_GET, "test", name, NULL, &view);
	assert_int_equal(view.type, WIRE_OK);
	text = wire_get_text(&view, WIRE_TAG_JSON, 0);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void fail_is(struct stats_test *test, enum wire_type type, const char *waveform,
    const char *name, const char *value, const char *expected)
{
	struct wire_view view;
	uint64_t code;
	char *text;

	request(test, type, waveform, name, value, &view);
	assert_int_equal(view.type, WIRE_FAIL);
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_CODE, &code), 0);
	assert_int_equal(code, 2);
	text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_string_equal(text, expected);
	free(text);
}

static void slots_run(struct stats_test *test, uint64_t first, uint64_t end)
{
	for (uint64_t slot = first; slot < end; slot++)
		segment_step(&test->wave.segments[0], slot, clock_ns());
}

/* Parameters as the file set them, before and without anything running; variables as they move. */
static void test_get(void **state)
{
	struct stats_test *test = *state;

	image_give(test, "waveform/test");
	get_is(test, "source.seed", "{\"source.seed\":7}");
	get_is(test, "check.blocks", "{\"check.blocks\":0}");
	slots_run(test, 0, 25);
	get_is(test, "check.blocks", "{\"check.blocks\":25}");
	get_is(test, "check.bits", "{\"check.bits\":2500}");
	get_is(test, "noise.esn0_db", "{\"noise.esn0_db\":40.0}");
	get_is(test, "noise.ebn0_db", "{\"noise.ebn0_db\":null}");
	get_is(test, "source", "{\"source.seed\":7,\"source.length\":100}");
}

static void test_get_all(void **state)
{
	struct stats_test *test = *state;
	const struct image_view *image = &test->wave.view;
	struct wire_view view;
	size_t n = 0;
	json_t *all;
	char *text;

	image_give(test, "waveform/test");
	slots_run(test, 0, 3);
	request(test, WIRE_GET, "test", NULL, NULL, &view);
	assert_int_equal(view.type, WIRE_OK);
	text = wire_get_text(&view, WIRE_TAG_JSON, 0);
	all = json_loads(text, 0, NULL);
	assert_non_null(all);
	for (uint64_t i = 0; i < image->head->instances.count; i++)
		n += image->instances[i].n_vars + image->instances[i].n_params;
	assert_int_equal(json_object_size(all), n);
	assert_int_equal(json_integer_value(json_object_get(all, "check.blocks")), 3);
	json_decref(all);
	free(text);
}

static uint32_t instance_of(const struct image_view *view, const char *name)
{
	uint32_t number = 0;

	while (strcmp(image_text(view, view->instances[number].name), name) != 0)
		number++;
	return number;
}

/* The row that a new log of the instance begins with is of this index; -1: there is none. */
static void row_is(struct stats_test *test, const char *instance, int index)
{
	struct wire_view view;
	json_t *all, *rows;
	char *text;

	request(test, WIRE_LOG, "test", instance, NULL, &view);
	assert_int_equal(view.type, WIRE_OK);
	text = wire_get_text(&view, WIRE_TAG_JSON, 0);
	all = json_loads(text, 0, NULL);
	rows = json_object_get(all, "rows");
	assert_int_equal(json_array_size(rows), index >= 0);
	if (index >= 0)
		assert_int_equal(
		    json_integer_value(json_array_get(json_array_get(rows, 0), 0)), index);
	json_decref(all);
	free(text);
}

/* Whose index it is, in a step that has no begin (core/slot/virtual.c). */
static void test_log_untimed(void **state)
{
	struct stats_test *test = *state;
	const struct image_view *image = &test->wave.view;
	struct image_segment_state *segment = image_segment_state(image, 0);

	image_give(test, "waveform/test");
	slots_run(test, 0, 20);
	row_is(test, "noise", 19);
	atomic_store(&segment->start_ns[20], 0);
	atomic_store(&segment->slot[20], 20);
	row_is(test, "noise", -1); /* the first call is to come, or the last one is over */
	atomic_store(&segment->current, instance_of(image, "noise") + 1);
	row_is(test, "noise", -1);
	row_is(test, "check", 19);
	atomic_store(&segment->current, instance_of(image, "check") + 1);
	row_is(test, "noise", 20);
	row_is(test, "check", -1);
}

static void test_names(void **state)
{
	struct stats_test *test = *state;

	fail_is(test, WIRE_GET, "test", NULL, NULL, "no waveform \"test\" is loaded");
	image_give(test, "waveform/test");
	image_give(test, "waveform/other");
	fail_is(test, WIRE_GET, "tset", NULL, NULL,
	    "no waveform \"tset\" is loaded; loaded: test, other");
	fail_is(test, WIRE_GET, NULL, NULL, NULL, "get needs the name of a waveform");
	fail_is(test, WIRE_GET, "test", "chek", NULL,
	    "waveform \"test\" has no instance \"chek\" (did you mean \"check\"?)");
	fail_is(test, WIRE_GET, "test", "check.block", NULL,
	    "instance \"check\" (bit_compare) has no variable or parameter \"block\" (did you mean "
	    "\"blocks\"?)");
	fail_is(test, WIRE_GET, "test", "", NULL, "waveform \"test\" has no instance \"\"");
	fail_is(test, WIRE_GET, "test", "check.", NULL,
	    "instance \"check\" (bit_compare) has no variable or parameter \"\"");
	assert_int_equal(keep_drop(test->keep, "waveform/test"), 0);
	fail_is(
	    test, WIRE_GET, "test", NULL, NULL, "no waveform \"test\" is loaded; loaded: other");
}

static void test_set_refused(void **state)
{
	struct stats_test *test = *state;

	image_give(test, "waveform/test");
	fail_is(test, WIRE_SET, "test", "check.blocks", "1",
	    "check.blocks is a variable, but only a parameter can be set");
	fail_is(test, WIRE_SET, "test", "noise.esn0_bd", "1",
	    "instance \"noise\" (awgn) has no variable or parameter \"esn0_bd\" (did you mean "
	    "\"esn0_db\"?)");
	fail_is(test, WIRE_SET, "test", "check", "1",
	    "check is an instance, but only a parameter can be set");
	fail_is(test, WIRE_SET, "test", "noise.esn0_db", NULL,
	    "set needs a waveform, instance.parameter and a value");
	fail_is(test, WIRE_SET, "no", "noise.esn0_db", "1",
	    "no waveform \"no\" is loaded; loaded: test");
}

/* A parameter's goes on to exec as it came, for exec to check and to answer. */
static void test_set_passed_on(void **state)
{
	struct stats_test *test = *state;
	struct wire_view view;
	char *name, *value;

	image_give(test, "waveform/test");
	request(test, WIRE_SET, "test", "noise.esn0_db", "12.5 loud", &view);
	assert_int_equal(view.type, WIRE_SET);
	assert_int_equal(view.source, WIRE_STATS);
	assert_int_equal(view.dest, WIRE_EXEC);
	name = wire_get_text(&view, WIRE_TAG_NAME, 0);
	value = wire_get_text(&view, WIRE_TAG_VALUE, 0);
	assert_string_equal(name, "noise.esn0_db");
	assert_string_equal(value, "12.5 loud");
	assert_null(wire_get_text(&view, WIRE_TAG_VALUE, 1));
	free(name);
	free(value);
}

/* Bytes that are no image, a file that is too short, no descriptor at all: said, and everything
 * else goes on. */
static void test_bad_images(void **state)
{
	struct stats_test *test = *state;
	const struct image_files *sound = &test->wave.files;
	const int cut = image_memfd_sealed("bad", test->wave.view.program, 700);
	const int empty = memfd_create("empty", MFD_CLOEXEC);

	assert_true(cut >= 0);
	image_give(test, "waveform/test");
	assert_int_equal(
	    keep_put(test->keep, "waveform/short", "", 0, (int[]){cut, sound->image}, 2), 0);
	assert_int_equal(
	    keep_put(test->keep, "waveform/empty", "", 0, (int[]){sound->program, empty}, 2), 0);
	assert_int_equal(keep_put(test->keep, "waveform/half", "", 0, &sound->image, 1), 0);
	assert_int_equal(keep_put(test->keep, "waveform/none", "", 0, NULL, 0), 0);
	assert_int_equal(keep_put(test->keep, "lane/0", "", 0, &empty, 1), 0);
	fail_is(
	    test, WIRE_GET, "short", NULL, NULL, "no waveform \"short\" is loaded; loaded: test");
	get_is(test, "source.seed", "{\"source.seed\":7}");
	close(cut);
	close(empty);
}

static void test_other_messages(void **state)
{
	struct stats_test *test = *state;
	struct wire_view view;
	uint64_t pid = 0;
	char *text;

	request(test, WIRE_STEP, NULL, NULL, NULL, &view);
	assert_int_equal(view.type, WIRE_FAIL);
	text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_string_equal(text, "aloe-stats does not know message 13 (STEP)");
	free(text);
	request(test, WIRE_PING, NULL, NULL, NULL, &view);
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_PID, &pid), 0);
	assert_int_equal(pid, test->pid);
}

#define ON_STATS(function) cmocka_unit_test_setup_teardown(function, test_setup, test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ON_STATS(test_get),
	    ON_STATS(test_get_all),
	    ON_STATS(test_log_untimed),
	    ON_STATS(test_names),
	    ON_STATS(test_set_refused),
	    ON_STATS(test_set_passed_on),
	    ON_STATS(test_bad_images),
	    ON_STATS(test_other_messages),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
