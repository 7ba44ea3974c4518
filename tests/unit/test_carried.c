/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When aloe-bridge looks at a waveform: soon after a frame, however many come; not more often for
 * frames that bring nothing; seldom when it has ended. What is not sent is not counted as sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "daemons/bridge/carried.h"
#include "tests/common/nodes.h"
#include "tests/common/pair.h"

enum { MAX = 100, FRAME = 1472, LOOKS = 12, STEPS = 2000 };

struct fixture {
	char dir[64], file[128];
	uint32_t node; /* of the pair, whose aloe-bridge it is */
	struct pair pair;
	struct machines machines;
	struct daemon daemon; /* its log and its loop only */
	struct carried carried;
	struct carried_peer peer;
	struct carried_wave wave;
	struct image_head head; /* that of the image with another clock */
};

static void fixture_open(struct fixture *f, uint32_t node, enum image_clock clock)
{
	const struct daemon_args args = {
	    .node = node == 0 ? "a" : "b", .platform = f->file, .state = f->dir, .dir = f->dir};

	memset(f, 0, sizeof(*f));
	f->node = node;
	snprintf(f->dir, sizeof(f->dir), "/tmp/aloe-carried-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->file, sizeof(f->file), "%s/pair.conf", f->dir);
	nodes_pair_write(f->file);
	log_init(&f->daemon.log, "test");
	loop_init(&f->daemon.loop);
	assert_int_equal(machines_open(&f->machines, &args, &f->daemon.log), 0);
	assert_int_equal(carried_open(&f->carried, &f->machines, &f->daemon, NULL, NULL), 0);
	f->carried.node = calloc(1, sizeof(*f->carried.node));
	assert_non_null(f->carried.node);
	pair_open(&f->pair, IMAGE_SLIP, MAX, FRAME);
	f->peer.node = 1 - node;
	f->peer.sent_ns = clock_ns();
	f->wave = (struct carried_wave){.name = "two",
	    .view = f->pair.rig[node]->view,
	    .control = &f->pair.rig[node]->control,
	    .bridge = f->pair.bridge[node],
	    .peers = &f->peer,
	    .n_peers = 1};
	f->head = *f->wave.view.head;
	f->head.clock = clock;
	f->head.load_id = PAIR_LOAD;
	f->wave.view.head = &f->head;
	f->carried.waves = &f->wave;
}

static void fixture_close(struct fixture *f)
{
	f->carried.waves = NULL;
	free(f->carried.node);
	carried_close(&f->carried);
	pair_close(&f->pair);
	machines_close(&f->machines);
	loop_fini(&f->daemon.loop);
	unlink(f->file);
	rmdir(f->dir);
}

/* The first frame of the next round of the other node. */
static void frame_comes(struct fixture *f)
{
	struct bridge *other = f->pair.bridge[1 - f->node];
	uint8_t bytes[FRAME];
	size_t len;

	bridge_round(other, 0);
	len = bridge_out(other, 0, bytes);
	assert_true(len > 0);
	f->carried.links.frame(f->carried.links.self, 1 - f->node, bytes, len);
}

/* Of a look that each frame puts off there is none while frames come. */
static void test_due(void **state)
{
	struct fixture f;
	uint64_t at;

	(void)state;
	fixture_open(&f, 1, IMAGE_VIRTUAL);
	assert_false(f.carried.look.on);
	frame_comes(&f);
	assert_true(f.carried.look.on);
	at = f.carried.look.at_ns;
	assert_in_range(at, 1, clock_ns() + CARRIED_SOON_NS);
	for (int i = 0; i < 3; i++)
		frame_comes(&f);
	assert_int_equal(f.carried.look.at_ns, at);
	fixture_close(&f);
	fixture_open(&f, 1, IMAGE_TIMER);
	frame_comes(&f);
	assert_true(f.carried.look.on);
	assert_in_range(f.carried.look.at_ns, 1, clock_ns()); /* at once */
	fixture_close(&f);
}

static void test_looks(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, 1, IMAGE_VIRTUAL);
	frame_comes(&f);
	f.wave.looks = LOOKS;
	frame_comes(&f);
	assert_int_equal(f.wave.looks, LOOKS);
	pair_round(&f.pair, 1, 0); /* the other node hears of this one, and may send steps */
	pair_slot(&f.pair, 0);
	frame_comes(&f);
	assert_int_equal(f.wave.looks, 0);
	fixture_close(&f);
}

/* Looks until there is no news any more: when the last of them was begun, or earlier. */
static uint64_t rest(struct fixture *f)
{
	uint64_t before = 0;

	frame_comes(f);
	f->wave.looks = 0;
	for (int i = 0; i < STEPS && f->wave.looks < LOOKS; i++) {
		before = clock_ns();
		loop_step(&f->daemon.loop, 1);
	}
	assert_in_range(f->wave.looks, LOOKS, UINT32_MAX);
	return before;
}

static void test_ended(void **state)
{
	struct fixture f;
	uint64_t before;

	(void)state;
	fixture_open(&f, 1, IMAGE_VIRTUAL);
	rest(&f);
	assert_in_range(f.carried.look.at_ns, 1, clock_ns() + CARRIED_LOOK_NS);
	atomic_store(&rig_state(f.pair.rig[1], 1)->ended, 1);
	before = rest(&f);
	assert_in_range(f.carried.look.at_ns, before + CARRIED_WORD_MS * 1000000ull, UINT64_MAX);
	fixture_close(&f);
}

/* Of b nothing has been heard. */
static void test_unsent(void **state)
{
	const struct bridge_counts *counts;
	struct fixture f;

	(void)state;
	fixture_open(&f, 0, IMAGE_VIRTUAL);
	counts = bridge_counts(f.pair.bridge[0], 0);
	frame_comes(&f);
	for (int i = 0; i < STEPS && counts->unsent == 0; i++)
		loop_step(&f.daemon.loop, 1);
	assert_true(counts->unsent > 0);
	assert_int_equal(counts->sent, 0);
	assert_int_equal(f.carried.unsent, counts->unsent);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_due),
	    cmocka_unit_test(test_looks),
	    cmocka_unit_test(test_ended),
	    cmocka_unit_test(test_unsent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
