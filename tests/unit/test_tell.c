/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A segment rings the bell when it has something to tell, and only then; and wakes the I/O
 * thread if that sleeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/image/damage.h"
#include "core/slot/steps.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

struct world {
	struct rig *rig;
	struct tell tell;
	uint64_t now_ns, slot;
};

static void world_init(struct world *w, uint64_t slots)
{
	*w = (struct world){.rig = rig_new(IMAGE_TIMER, IMAGE_SLIP), .now_ns = 1000000000};
	rig_add(w->rig, &probe_source, 0, 0);
	rig_add(w->rig, &probe_pass, 0, 0);
	rig_link(w->rig, 0, 0, 1, 0, 0);
	w->rig->slots = slots;
	rig_open(w->rig);
	tell_init(&w->tell);
	atomic_store(&w->tell.bell, eventfd(0, EFD_NONBLOCK));
	segment_tells(&w->rig->segments[0], &w->rig->view, 0, &w->tell);
}

static void world_fini(struct world *w)
{
	close(atomic_load(&w->tell.bell));
	rig_close(w->rig);
}

/* One slot on the lane, 10 ms after the one before: how often the bell was rung. */
static uint64_t rings(struct world *w)
{
	uint64_t times = 0;

	w->now_ns += 10000000;
	rig_slot(w->rig, 0, w->slot++);
	segment_tell(&w->rig->segments[0], w->now_ns);
	if (read(atomic_load(&w->tell.bell), &times, sizeof(times)) < 0)
		return 0;
	return times;
}

static void test_silent(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, IMAGE_FOREVER);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(rings(&w), 0);
	world_fini(&w);
}

/* With the last step, and once. */
static void test_end(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 3);
	assert_int_equal(rings(&w), 0);
	assert_int_equal(rings(&w), 0);
	assert_int_equal(rings(&w), 1);
	for (int i = 0; i < 10; i++)
		assert_int_equal(rings(&w), 0);
	world_fini(&w);
}

static void test_fault(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, IMAGE_FOREVER);
	assert_int_equal(rings(&w), 0);
	atomic_store(&image_run(&w.rig->view)->fault, 1);
	assert_int_equal(rings(&w), 1);
	assert_int_equal(rings(&w), 0);
	world_fini(&w);
}

static void test_misses(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, IMAGE_FOREVER);
	segment_bump(&rig_state(w.rig, 0)->misses, 1);
	assert_int_equal(rings(&w), 1);
	assert_int_equal(rings(&w), 0);
	segment_bump(&rig_state(w.rig, 0)->misses, 2);
	assert_int_equal(rings(&w), 1);
	world_fini(&w);
}

/* Rung once more as long as it is so; but not in every one of short slots. */
static void test_damage(void **state)
{
	const struct image_host *host;
	struct world w;
	uint64_t *word;

	(void)state;
	world_init(&w, IMAGE_FOREVER);
	assert_int_equal(rings(&w), 0);
	host = &w.rig->view.hosts[0];
	word = (uint64_t *)(void *)(w.rig->view.base + host->links - IMAGE_WALL);
	word[3] ^= 1;
	assert_int_equal(rings(&w), 1);
	assert_int_equal(rings(&w), 1);
	w.now_ns -= 9000000;
	assert_int_equal(rings(&w), 0);
	word[3] ^= 1;
	w.now_ns += 10000000;
	assert_int_equal(rings(&w), 0);
	atomic_store(&rig_state(w.rig, 0)->slipped, IMAGE_COUNT_MAX + 1);
	assert_int_equal(rings(&w), 1);
	atomic_store(&rig_state(w.rig, 0)->slipped, 0);
	atomic_store(&rig_state(w.rig, 0)->done, 1); /* steps never become fewer */
	assert_int_equal(rings(&w), 1);
	world_fini(&w);
}

static void test_nobody(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1);
	close(atomic_load(&w.tell.bell));
	atomic_store(&w.tell.bell, -1);
	assert_int_equal(rings(&w), 0);
	w.rig->segments[0].teller.host = NULL;
	assert_int_equal(rings(&w), 0);
	world_fini(&w);
}

/* Only behind records, and only one that sleeps. */
static void test_io(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, IMAGE_FOREVER);
	atomic_store(&w.tell.io_sleeps, 1);
	segment_tell_io(&w.rig->segments[0]);
	assert_int_equal(atomic_load(&w.tell.io_sleeps), 1);
	w.rig->segments[0].n_io = 1;
	segment_tell_io(&w.rig->segments[0]);
	assert_int_equal(atomic_load(&w.tell.io_sleeps), 0);
	w.rig->segments[0].n_io = 0;
	world_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_silent),
	    cmocka_unit_test(test_end),
	    cmocka_unit_test(test_fault),
	    cmocka_unit_test(test_misses),
	    cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_nobody),
	    cmocka_unit_test(test_io),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
