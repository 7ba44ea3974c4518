/* SPDX-License-Identifier: BSD-3-Clause
 * The baton between the threads of a lane: it goes round in order, once a slot; after a hand-on
 * whose wake was lost with the one who should have given it, it goes on at lane_wake, and on a lane
 * that nobody watches without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "tests/common/wave.h"

enum { HOSTS = 4, WAIT_MS = 10000 };

struct seat {
	struct lane_thread lane; /* first: aligned */
	_Atomic int tid;
	pthread_t id;
};

struct bench {
	struct wave wave;
	struct seat seats[HOSTS];
};

static void *seat_main(void *self)
{
	struct seat *seat = self;

	atomic_store(&seat->tid, (int)platform_tid());
	lane_run(&seat->lane);
	return NULL;
}

static bool asleep(const struct seat *seat)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", atomic_load(&seat->tid));
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	if (fscanf(file, "%*d %*s %c", &state) != 1)
		state = 0;
	fclose(file);
	return state == 'S';
}

static void pause_ms(uint64_t ms)
{
	clock_sleep_until(clock_ns() + ms * 1000000);
}

/* bpsk with a host for each of its four instances; no slot may begin yet. */
static struct bench *open_hosts(void)
{
	struct bench *bench = aligned_alloc(64, (sizeof(*bench) + 63) & ~(size_t)63);
	char *text = wave_file("waveforms/bpsk.conf");

	assert_non_null(bench);
	assert_non_null(text);
	memset(bench, 0, sizeof(*bench));
	assert_int_equal(wave_open(&bench->wave, text,
	                     &(struct wave_options){.clock = "step", .isolation = "component"}),
	    0);
	free(text);
	assert_int_equal(bench->wave.view.head->n_hosts, HOSTS);
	atomic_store(&bench->wave.node->timebase[0].allowed, 0);
	for (uint32_t h = 0; h < HOSTS; h++)
		wave_lane(&bench->wave, 0, h, &bench->seats[h].lane);
	return bench;
}

static void seat_start(struct bench *bench, uint32_t host)
{
	struct seat *seat = &bench->seats[host];

	assert_int_equal(pthread_create(&seat->id, NULL, seat_main, seat), 0);
	for (int i = 0; i < WAIT_MS && (atomic_load(&seat->tid) == 0 || !asleep(seat)); i++)
		pause_ms(1);
}

/* Whoever sleeps for the baton sees that he is to leave when he is woken. */
static void seat_stop(struct bench *bench, uint32_t host)
{
	atomic_store(&bench->seats[host].lane.quit, 1);
	atomic_fetch_add(&bench->wave.lane[0]->go[host], 1);
	futex_wake(&bench->wave.lane[0]->go[host], 1);
	pthread_join(bench->seats[host].id, NULL);
}

static void close_hosts(struct bench *bench)
{
	wave_close(&bench->wave);
	free(bench);
}

static uint64_t baton(const struct bench *bench)
{
	return atomic_load(&bench->wave.lane[0]->baton);
}

static void await_baton(const struct bench *bench, uint64_t wanted)
{
	for (int i = 0; i < WAIT_MS && baton(bench) != wanted; i++)
		pause_ms(1);
	assert_int_equal(baton(bench), wanted);
}

static void test_round_and_round(void **state)
{
	enum { SLOTS = 500 };
	struct bench *bench = open_hosts();

	(void)state;
	for (uint32_t h = 0; h < HOSTS; h++)
		seat_start(bench, h);
	atomic_store(&bench->wave.node->timebase[0].allowed, SLOTS);
	futex_wake(futex_low(&bench->wave.node->timebase[0].allowed), 1);
	await_baton(bench, baton_make(SLOTS, BATON_FRESH, 0));
	assert_int_equal(atomic_load(&bench->wave.lane[0]->slots), SLOTS);
	assert_int_equal(atomic_load(&bench->wave.lane[0]->skipped), 0);
	for (uint32_t s = 0; s < HOSTS; s++) { /* in order: nobody ever found a message missing */
		assert_int_equal(atomic_load(&bench->wave.segments[s].state->done), SLOTS);
		assert_int_equal(atomic_load(&bench->wave.segments[s].state->slipped), 0);
	}
	for (uint32_t h = 0; h < HOSTS; h++)
		seat_stop(bench, h);
	close_hosts(bench);
}

static void lost_wake(bool wake)
{
	struct bench *bench = open_hosts();
	_Atomic uint64_t *allowed = &bench->wave.node->timebase[0].allowed;

	if (!wake) {
		atomic_store(&bench->wave.node->lane[0].watched_ns, 0);
		lane_alone(&bench->seats[1].lane, true);
	}
	seat_start(bench, 1);
	atomic_store(allowed, 1);
	/* and here the one before died */
	atomic_store(&bench->wave.lane[0]->baton, baton_make(0, 0, 1));
	if (wake)
		assert_false(lane_wake(&bench->wave.node->lane[0], bench->wave.lane[0]));
	await_baton(bench, baton_make(0, 0, 2));
	seat_stop(bench, 1);
	close_hosts(bench);
}

static void test_a_lost_wake(void **state)
{
	(void)state;
	lost_wake(true);
	lost_wake(false);
}

/* Somebody has written over the word that says that it sleeps: whoever trusts nobody wakes it, and
 * learns that nobody else would have. */
static void test_a_word_written_over(void **state)
{
	struct bench *bench = open_hosts();
	const struct node_lane *lane = &bench->wave.node->lane[0];
	struct lane_image *image = bench->wave.lane[0];

	(void)state;
	seat_start(bench, 1);
	assert_true(atomic_fetch_and(&image->go[1], ~GO_ASLEEP) & GO_ASLEEP);
	atomic_store(&bench->wave.node->timebase[0].allowed, 1);
	assert_int_equal(lane_pass(lane, image, baton(bench), baton_make(0, 0, 1), 0), 0);
	pause_ms(20);
	assert_int_equal(baton(bench), baton_make(0, 0, 1));
	assert_true(lane_wake(lane, image));
	await_baton(bench, baton_make(0, 0, 2));
	seat_stop(bench, 1);
	close_hosts(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_and_round),
	    cmocka_unit_test(test_a_lost_wake),
	    cmocka_unit_test(test_a_word_written_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
