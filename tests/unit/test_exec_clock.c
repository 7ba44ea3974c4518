/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_exec_clock.c - what exec does when the clock of a node of a platform is set, and
 * with what the bridge measures of others. The clock is this program's: it defines what
 * core/base/tai.h declares, so nobody's clock is set. The lanes are this program's, too: a thread
 * at work is a word in the lane image. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/tai.h"
#include "core/slot/baton.h"
#include "core/report/print.h"
#include "daemons/exec/clock.h"
#include "daemons/swman/merge.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

enum { SLOT_NS = 1000000, SLIPS = 0, SKIPS = 1, AGE = 500 };

#define SECOND 1000000000ull
#define TAI_EPOCH (1790000000 * SECOND)

/* The clock of this program: what is added to CLOCK_MONOTONIC, and who is told when it is set. */
static struct {
	uint64_t epoch;
	int told;
} tai = {.told = -1};

uint64_t tai_ns(void)
{
	return clock_ns() + tai.epoch;
}

uint64_t tai_epoch_ns(void)
{
	return tai.epoch;
}

int tai_watch_open(void)
{
	tai.told = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return tai.told;
}

bool tai_watch_take(int fd)
{
	uint64_t times;

	return read(fd, &times, sizeof(times)) == sizeof(times);
}

static void tai_set(int64_t by)
{
	tai.epoch += (uint64_t)by;
	assert_int_equal(write(tai.told, &(uint64_t){1}, 8), 8);
}

/* ---- a node with two lanes, a waveform on each ---- */

struct clock_test {
	struct exec exec;
	struct node_image node;
	struct lane_image images[2];
	struct rig *rigs[2];
	struct exec_wave waves[2];
	struct exec_place places[2][2];
	char dir[64];
	struct bus *bus;
};

static struct node_timebase *base_of(struct clock_test *test)
{
	return &test->node.timebase[0];
}

static struct node_control *control_of(struct clock_test *test, int wave)
{
	return &test->node.control[wave];
}

static uint64_t slot_now(struct clock_test *test)
{
	return timebase_slot(base_of(test), clock_ns());
}

/* Two segments on two nodes; this one, number 0, has the first. */
static void wave_open(struct clock_test *test, int number, enum image_late late)
{
	struct rig *rig = test->rigs[number] = rig_new(IMAGE_TIMER, late);
	struct exec_wave *wave = &test->waves[number];
	const int source = rig_add(rig, &probe_source, 0, 0),
	          sink = rig_add(rig, &probe_sink, 1, 1);

	rig->slot_ns = SLOT_NS;
	rig->segment_node[1] = 1;
	rig_link(rig, source, 0, sink, 0, 0);
	rig_gates(rig);
	rig_image(rig);
	test->places[number][0] = (struct exec_place){(uint32_t)number, 0, 0};
	test->places[number][1] = (struct exec_place){IMAGE_NONE, IMAGE_NONE, IMAGE_NONE};
	*wave = (struct exec_wave){.exec = &test->exec,
	    .control = (uint32_t)number,
	    .view = rig->view,
	    .files = {-1, -1},
	    .state = WAVE_RUN,
	    .started = true,
	    .places = test->places[number]};
	snprintf(wave->name, sizeof(wave->name), "%s", number == SLIPS ? "slips" : "skips");
	wave->view.node = 0;
	wave->next = test->exec.waves;
	test->exec.waves = wave;
	atomic_store(&test->node.lane[number].entry[0].live, 1);
	atomic_store(&test->node.lane[number].entry[0].seat, NODE_ENTRIES_MAX);
	atomic_store(&test->node.lane[number].entries, 1);
	atomic_store(&test->node.lane[number].timebase, 0);
}

static void look_never(void *self)
{
	(void)self;
}

static int setup(void **state)
{
	struct clock_test *test = calloc(1, sizeof(*test));
	struct exec *exec = &test->exec;

	tai.epoch = TAI_EPOCH;
	snprintf(test->dir, sizeof(test->dir), "/tmp/aloe-clock-XXXXXX");
	assert_non_null(mkdtemp(test->dir));
	test->bus = bus_bind(test->dir);
	assert_non_null(test->bus);
	*exec = (struct exec){.node = &test->node, .clock.fd = -1, .look = look_never, .bell = -1};
	exec->daemon.attach.fd = -1;
	exec->daemon.args.node = "a";
	exec->daemon.bus = bus_connect(test->dir, WIRE_EXEC);
	loop_init(&exec->daemon.loop);
	log_init(&exec->daemon.log, "aloe-exec");
	for (int l = 0; l < NODE_LANES_MAX; l++) {
		exec->lanes[l].fd = exec->lanes[l].cpu_lock = -1;
		atomic_store(&test->node.lane[l].timebase, IMAGE_NONE);
	}
	test->node.n_lanes = 2;
	clock_ready(exec);
	base_of(test)->pace = IMAGE_TIMER;
	base_of(test)->slot_ns = SLOT_NS;
	atomic_store(&base_of(test)->start_ns, -test->node.epoch_ns);
	atomic_store(&base_of(test)->used, 2);
	for (int w = 0; w < 2; w++) {
		exec->lanes[w].image = &test->images[w];
		wave_open(test, w, w == SKIPS ? IMAGE_SKIP : IMAGE_SLIP);
		atomic_store(&control_of(test, w)->base, slot_now(test) - AGE);
		/* it waits for the next slot */
		atomic_store(
		    &test->images[w].baton, baton_make(slot_now(test) + 1, BATON_FRESH, 0));
	}
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct clock_test *test = *state;

	clock_close(&test->exec);
	loop_timer_stop(&test->exec.daemon.loop, &test->exec.tick);
	loop_fini(&test->exec.daemon.loop);
	bus_close(test->exec.daemon.bus);
	bus_close(test->bus);
	rmdir(test->dir);
	for (int w = 0; w < 2; w++)
		rig_close(test->rigs[w]);
	free(test);
	return 0;
}

/* exec's main loop, until the slots have their new numbers. */
static void aligned(struct clock_test *test)
{
	do
		assert_int_equal(loop_step(&test->exec.daemon.loop, 100), 0);
	while (test->exec.clock.until_ns != 0);
}

/* Whether the waveform is on its lane, and its first step is due in the slot that comes. */
static void goes_on(struct clock_test *test, int wave)
{
	const uint64_t baton = atomic_load(&test->images[wave].baton);

	assert_int_equal(atomic_load(&test->node.lane[wave].entry[0].live), 1);
	assert_int_equal(test->waves[wave].state, WAVE_RUN);
	assert_true((baton & BATON_FRESH) != 0 && baton_entry(baton) == 0);
	assert_true(baton_possible(&test->node, (uint32_t)wave, baton, clock_ns()));
	assert_true(baton_slot(baton) + 60 * SECOND / SLOT_NS > slot_now(test));
	/* as many slots after its first one as before, but for those that have passed meanwhile */
	assert_true(baton_slot(baton) - atomic_load(&control_of(test, wave)->base) > AGE);
	assert_true(baton_slot(baton) - atomic_load(&control_of(test, wave)->base) <
	    AGE + 60 * SECOND / SLOT_NS);
}

/* Slot n begins at n slot lengths of the clock as it is now. */
static void slots_are_those_of_the_clock(struct clock_test *test)
{
	assert_true(test->node.epoch_ns == tai.epoch);
	assert_true(atomic_load(&base_of(test)->start_ns) + tai.epoch == 0);
}

/* ---- set ------------------------------------------------------------------------ */

static void was_set_by(struct clock_test *test, int64_t by, uint64_t times)
{
	tai_set(by);
	aligned(test);
	slots_are_those_of_the_clock(test);
	goes_on(test, SLIPS);
	assert_int_equal(atomic_load(&test->node.clock_steps), times);
	assert_true(test->exec.clock.moved_ns == by);
}

static void test_slip_goes_on(void **state)
{
	struct clock_test *test = *state;

	was_set_by(test, 37 * SECOND, 1);
	was_set_by(test, -3600 * (int64_t)SECOND, 2);
	was_set_by(test, 1234, 3);
	was_set_by(test, -(int64_t)TAI_EPOCH / 2, 4); /* before it began */
}

static void test_skip_is_stopped(void **state)
{
	struct clock_test *test = *state;

	tai_set(-2500000);
	aligned(test);
	assert_int_equal(test->waves[SKIPS].state, WAVE_ABNSTOP);
	assert_non_null(strstr(test->waves[SKIPS].reason,
	    "the clock of node \"a\" was set by -0.002500 s, and with the overrun policy skip"));
	assert_int_equal(atomic_load(&test->node.lane[SKIPS].entry[0].live), 0);
	goes_on(test, SLIPS);
}

/* Somebody who sets the clock to what it is has not moved it. */
static void test_set_to_what_it_was(void **state)
{
	struct clock_test *test = *state;

	tai_set(0);
	aligned(test);
	tai_set(999);
	aligned(test);
	assert_int_equal(atomic_load(&test->node.clock_steps), 0);
	assert_int_equal(test->waves[SKIPS].state, WAVE_RUN);
	assert_true(test->node.epoch_ns == TAI_EPOCH);
}

/* No lane is at work while slots get other numbers. */
static void test_a_thread_at_work(void **state)
{
	struct clock_test *test = *state;
	const uint64_t slot = slot_now(test);

	atomic_store(&test->node.lane[SLIPS].entry[0].seat, 0);
	atomic_store(&test->images[SLIPS].baton, baton_make(slot, 0, 0));
	atomic_store(&test->images[SLIPS].since, since_make(clock_ns(), SINCE_AT_WORK, 0));
	tai_set(-(int64_t)SECOND);
	assert_int_equal(loop_step(&test->exec.daemon.loop, 100), 0);
	assert_true(test->exec.clock.until_ns != 0);
	assert_true(test->node.epoch_ns == TAI_EPOCH);
	assert_true(atomic_load(&test->images[SLIPS].baton) == baton_make(slot, 0, 0));
	assert_int_equal(atomic_load(&test->node.aligns), 1);
	/* set once more meanwhile: both count */
	tai_set(3 * SECOND);
	atomic_store(&test->images[SLIPS].baton,
	    baton_next(&test->node.lane[SLIPS], baton_make(slot, 0, 0), 0));
	aligned(test);
	if (atomic_load(&test->node.clock_steps) < 2) /* the lane was free before that was heard */
		aligned(test);
	slots_are_those_of_the_clock(test);
	goes_on(test, SLIPS);
	assert_int_equal(atomic_load(&test->node.clock_steps), 2);
	assert_int_equal(atomic_load(&test->node.aligns), 0);
}

/* A waveform that is to start at a slot starts at that slot of the clock. */
static void test_one_that_waits(void **state)
{
	struct clock_test *test = *state;
	const uint64_t first = slot_now(test) + 3600 * SECOND / SLOT_NS;

	atomic_store(&control_of(test, SLIPS)->base, first);
	tai_set(60 * SECOND);
	aligned(test);
	assert_int_equal(atomic_load(&control_of(test, SLIPS)->base), first);
	assert_int_equal(atomic_load(&test->node.lane[SLIPS].entry[0].live), 1);
}

/* Exec was killed while the lanes stood, and the clock was set once more before the next one was
 * there. */
static void test_exec_was_killed(void **state)
{
	struct clock_test *test = *state;

	test->exec.waves = &test->waves[SLIPS];
	test->waves[SLIPS].next = NULL;
	atomic_store(&test->node.lane[SKIPS].timebase, IMAGE_NONE);
	atomic_store(&test->node.aligns, 1);
	atomic_store(&test->node.lane[SLIPS].entry[0].live, 0);
	atomic_store(&test->images[SLIPS].baton, baton_make(7, BATON_FRESH, BATON_NOBODY));
	tai.epoch += 5 * SECOND;
	clock_ready(&test->exec);
	slots_are_those_of_the_clock(test);
	goes_on(test, SLIPS);
	assert_int_equal(atomic_load(&test->node.clock_steps), 1);
	assert_int_equal(atomic_load(&test->node.aligns), 0);
}

static void test_without_a_platform(void **state)
{
	struct clock_test *test = *state;
	struct exec exec = {.node = &test->node, .clock.fd = -1};

	test->node.epoch_ns = 0;
	clock_ready(&exec);
	assert_int_equal(exec.clock.fd, -1);
	assert_true(test->node.epoch_ns == 0);
	assert_null(clock_report(&exec));
}

/* ---- what the bridge measures ---- */

static void told_then(struct clock_test *test, const char *follows, const char *node, int64_t ahead,
    uint64_t within, uint64_t age)
{
	const struct align_offset offset = {
	    test->node.epoch_ns + (uint64_t)ahead, within, clock_ns() - age};
	struct wire_msg msg;
	struct wire_view view;
	size_t len;
	const uint8_t *bytes;

	wire_init(&msg, WIRE_OFFSETS, WIRE_BRIDGE, WIRE_EXEC, 1);
	if (follows)
		wire_put_text(&msg, WIRE_TAG_STATE, follows);
	wire_put_text(&msg, WIRE_TAG_NAME, node);
	wire_put_bytes(&msg, WIRE_TAG_BYTES, &offset, sizeof(offset));
	bytes = wire_bytes(&msg, &len);
	assert_int_equal(wire_decode(bytes, len, &view), 0);
	clock_offsets(&test->exec, &view);
	wire_fini(&msg);
}

/* No time passes between that and what is looked at next. */
static void told(
    struct clock_test *test, const char *follows, const char *node, int64_t ahead, uint64_t within)
{
	told_then(test, follows, node, ahead, within, -(3600 * SECOND));
}

static void fits(struct clock_test *test, int wave, const char *why)
{
	char have[600] = "";

	assert_int_equal(clock_fits(&test->waves[wave], have, sizeof(have)), why == NULL);
	if (why != NULL && strstr(have, why) == NULL)
		fail_msg("%s", have);
}

static void test_who_skips_needs_clocks_that_agree(void **state)
{
	struct clock_test *test = *state;
	const struct image_view *view = &test->waves[SKIPS].view;
	const char *other = image_text(view, view->nodes[1].name);

	fits(test, SLIPS, NULL);
	fits(test, SKIPS, "has not been measured yet");
	told(test, NULL, "somebody else", 0, 0);
	fits(test, SKIPS, "has not been measured yet");
	told(test, NULL, other, 200000, 50000);
	fits(test, SKIPS, NULL);
	told(test, NULL, other, 312400, 45100);
	fits(test, SKIPS, "must agree to 250.0 us (a quarter of a slot)");
	fits(test, SKIPS, "is 312.4 us ahead, +- 45.1 us");
	fits(test, SLIPS, NULL);
	told(test, NULL, other, -3000, 249000);
	fits(test, SKIPS, "is 3.0 us behind, +- 249.0 us");
	/* the bridge has said nothing for two seconds, in which the clocks may have parted */
	told_then(test, NULL, other, 0, 60000, 2 * SECOND);
	fits(test, SKIPS, "is 0.0 us ahead, +- 2");
	/* and this clock is set: the difference is another one */
	told(test, NULL, other, -1000000, 1000);
	fits(test, SKIPS, "is 1000.0 us behind");
	tai_set(-1000000);
	aligned(test);
	fits(test, SKIPS, NULL);
}

/* How far the clock that is followed is still ahead. */
static int64_t error_of(const struct clock_test *test)
{
	return (int64_t)(test->exec.clock.peers[0].offset.epoch_ns - test->node.epoch_ns);
}

/* A node that follows: moved little by little, as far as a part of a slot, or at once. */
static void test_who_follows(void **state)
{
	struct clock_test *test = *state;
	uint64_t epoch = test->node.epoch_ns;

	told(test, "b", "b", 20000, 3000);
	assert_int_equal(test->node.epoch_ns - epoch, 20000);
	assert_true(atomic_load(&base_of(test)->start_ns) + test->node.epoch_ns == 0);
	assert_int_equal(error_of(test), 0);
	told(test, "b", "b", -200000, 3000);
	assert_int_equal(epoch + 20000 - test->node.epoch_ns, SLOT_NS / 32);
	assert_int_equal(error_of(test), -200000 + SLOT_NS / 32);
	assert_int_equal(atomic_load(&test->node.clock_steps), 0);
	/* a baton whose slot has begun is still possible when its edge is moved back */
	assert_int_equal(base_of(test)->slack_ns, SLOT_NS / 16);
	epoch = test->node.epoch_ns;
	told(test, "b", "b", 5 * SECOND, 3000);
	aligned(test);
	assert_true(test->node.epoch_ns == epoch + 5 * SECOND);
	assert_int_equal(atomic_load(&test->node.clock_steps), 1);
	goes_on(test, SLIPS);
	assert_int_equal(test->waves[SKIPS].state, WAVE_ABNSTOP);
	/* its own clock is nothing to it from now on */
	tai_set(77 * SECOND);
	aligned(test);
	assert_true(test->node.epoch_ns == epoch + 5 * SECOND);
}

static json_t *report_of(struct clock_test *test, const char *node)
{
	json_t *clocks;

	test->exec.daemon.args.node = node;
	clocks = clock_report(&test->exec);
	return json_pack("{s:s, s:o}", "reason", "", "clocks", clocks);
}

/* Of two nodes, put together by the manager, as JSON and as text. */
static void test_report(void **state)
{
	static const char *const nodes[] = {"a", "b"};
	struct clock_test *test = *state;
	json_t *reports[2], *merged;
	char *json, *text = NULL;
	size_t len;
	FILE *out;

	told(test, NULL, "b", -12500, 3000);
	reports[0] = report_of(test, "a");
	test->exec.daemon.args.node = "a";
	tai_set(-1500000);
	aligned(test);
	told(test, "a", "a", 12500, 4000);
	reports[1] = report_of(test, "b");
	merged = merge_report(reports, nodes, 2);
	json = json_dumps(json_object_get(merged, "clocks"),
	    JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
	assert_string_equal(json,
	    "[{\"node\":\"a\",\"clock_steps\":0,\"others\":[{\"node\":\"b\","
	    "\"ahead_us\":-12.5,\"within_us\":3.0}]},"
	    "{\"node\":\"b\",\"clock_steps\":1,\"moved_s\":-0.0015,"
	    "\"follows\":\"a\",\"error_us\":0.0,\"within_us\":4.0,"
	    "\"others\":[{\"node\":\"a\",\"ahead_us\":0.0,\"within_us\":4.0}]}]");
	out = open_memstream(&text, &len);
	clocks_print(merged, out);
	fclose(out);
	assert_string_equal(text,
	    "clock      node \"a\": the clock of node \"b\" is 12.5 us behind, +- 3.0 us\n"
	    "clock      node \"b\" follows the clock of node \"a\": error 0.0 us, +- 4.0 us\n"
	    "clock      node \"b\": the clock was set 1 time while the node was up, "
	    "the last time by -0.001500 s\n"
	    "clock      node \"b\": the clock of node \"a\" is 0.0 us ahead, +- 4.0 us\n");
	free(text);
	free(json);
	json_decref(merged);
	json_decref(reports[0]);
	json_decref(reports[1]);
}

#define CLOCK_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CLOCK_TEST(test_slip_goes_on),
	    CLOCK_TEST(test_skip_is_stopped),
	    CLOCK_TEST(test_set_to_what_it_was),
	    CLOCK_TEST(test_a_thread_at_work),
	    CLOCK_TEST(test_one_that_waits),
	    CLOCK_TEST(test_exec_was_killed),
	    CLOCK_TEST(test_without_a_platform),
	    CLOCK_TEST(test_who_skips_needs_clocks_that_agree),
	    CLOCK_TEST(test_who_follows),
	    CLOCK_TEST(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
