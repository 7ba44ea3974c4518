/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_exec_hang.c - since when exec counts an instance of the virtual clock as in work,
 * by what its segment has written. This program is the segment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "daemons/exec/watch.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

#define SECOND 1000000000ull

enum { DONE = 300, HANG_S = 10 };

struct hang_test {
	struct exec exec;
	struct node_image node;
	struct rig *rig;
	struct exec_wave wave;
	struct exec_place place;
	struct exec_progress progress;
	char dir[64];
	struct bus *bus;
};

static void look_never(void *self)
{
	(void)self;
}

static int setup(void **state)
{
	struct hang_test *test = calloc(1, sizeof(*test));
	struct exec *exec = &test->exec;

	snprintf(test->dir, sizeof(test->dir), "/tmp/aloe-hang-XXXXXX");
	assert_non_null(mkdtemp(test->dir));
	test->bus = bus_bind(test->dir);
	assert_non_null(test->bus);
	*exec = (struct exec){.node = &test->node, .clock.fd = -1, .look = look_never, .bell = -1};
	exec->daemon.attach.fd = -1;
	exec->daemon.bus = bus_connect(test->dir, WIRE_EXEC);
	loop_init(&exec->daemon.loop);
	log_init(&exec->daemon.log, "aloe-exec");
	test->rig = rig_new(IMAGE_VIRTUAL, IMAGE_SLIP);
	rig_add(test->rig, &probe_source, 0, 0);
	rig_image(test->rig);
	test->place = (struct exec_place){IMAGE_NONE, IMAGE_NONE, IMAGE_NONE};
	test->wave = (struct exec_wave){.exec = exec,
	    .view = test->rig->view,
	    .files = {-1, -1},
	    .state = WAVE_RUN,
	    .started = true,
	    .places = &test->place,
	    .progress = &test->progress};
	atomic_store(&test->node.control[0].limit, IMAGE_FOREVER);
	atomic_store(&test->node.control[0].last, IMAGE_FOREVER);
	exec->waves = &test->wave;
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct hang_test *test = *state;

	loop_timer_stop(&test->exec.daemon.loop, &test->exec.tick);
	loop_fini(&test->exec.daemon.loop);
	bus_close(test->exec.daemon.bus);
	bus_close(test->bus);
	rmdir(test->dir);
	rig_close(test->rig);
	free(test);
	return 0;
}

/* Exec looked 5 s ago. Meanwhile the segment came to step DONE; the last call that it timed ended
 * 4 s ago, and step DONE began at start_ns (0: untimed). When it counts as a hang. */
static uint64_t hang_ns(struct hang_test *test, uint64_t start_ns)
{
	struct image_segment_state *segment = rig_state(test->rig, 0);
	const uint64_t now = clock_ns();

	image_events(&test->wave.view, 0)[0] = (struct image_event){now - 4 * SECOND, 289, 100, 0};
	atomic_store(&segment->events, 1);
	atomic_store(&segment->done, DONE);
	atomic_store(&segment->start_ns[DONE % IMAGE_STEPS], start_ns);
	atomic_store(&segment->current, 1);
	test->progress = (struct exec_progress){.sum = 1, .looked_ns = now - 5 * SECOND};
	exec_look(&test->exec);
	assert_int_equal(test->wave.state, WAVE_RUN);
	return test->wave.hang_ns;
}

static void test_since(void **state)
{
	const uint64_t now = clock_ns(), began = now - 2 * SECOND;

	assert_true(hang_ns(*state, began) == began + HANG_S * SECOND);
	assert_true(hang_ns(*state, now - 8 * SECOND) > now + (HANG_S - 5) * SECOND);
	assert_true(hang_ns(*state, 0) >= now + HANG_S * SECOND); /* in work for a moment only */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_since, setup, teardown),
	};
	return cmocka_run_group_tests_name("exec_hang", tests, NULL, NULL);
}
