/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/lane, with exec's own hand on the table (daemons/exec/lanes.c) and the host's way off a
 * lane (daemons/host/threads.c): one segment at a time, in order, once in each slot, whatever comes
 * and goes; nobody sleeps on a baton that is his. On the step clock, so that nothing depends on how
 * fast the machine is; a watchdog ends a hang. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/measure/lane_cost.h"
#include "daemons/exec/exec.h"
#include "daemons/host/host.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

enum { WATCHDOG_S = 240, LANES = 2, HOSTS = 4, WAVES = 6, SEGMENTS = 3, ENTRIES = 14 };

struct member { /* a segment on a lane, as its probe's hook sees it */
	struct world *world;
	struct wave *wave;
	uint32_t lane, entry, lag;
};

struct wave {
	struct rig *rig; /* NULL: not loaded */
	struct exec_wave exec_wave;
	struct exec_place places[SEGMENTS];
	struct member members[SEGMENTS];
	uint32_t host[SEGMENTS];
	uint64_t base;
};

struct world {
	struct node_image *node;
	struct exec *exec;
	struct lane_image *images[LANES];
	struct host *hosts[HOSTS];
	uint32_t n_lanes, n_hosts;
	struct wave waves[WAVES];
	uint64_t used[LANES]; /* entries, as bits */
	uint64_t random;
	_Atomic uint32_t inside[LANES];
	_Atomic uint64_t last[LANES]; /* slot << 16 | entry that ran last, + 1 */
};

static void bad(const char *what)
{
	fprintf(stderr, "lane: %s\n", what);
	abort();
}

static uint64_t random_below(struct world *w, uint64_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random % n;
}

/* ---- a world: lanes, and the threads of hosts on them ---- */

static void *zeroed(size_t bytes)
{
	void *at = aligned_alloc(64, (bytes + 63) & ~(size_t)63);

	assert_non_null(at);
	return memset(at, 0, bytes);
}

static void *thread_main(void *self)
{
	lane_run(self);
	return NULL;
}

static struct world *world_new(uint32_t n_lanes, uint32_t n_hosts, uint64_t seed)
{
	struct world *w = zeroed(sizeof(*w));

	alarm(WATCHDOG_S);
	w->node = zeroed(sizeof(*w->node));
	w->exec = zeroed(sizeof(*w->exec));
	w->exec->node = w->node;
	w->node->n_lanes = n_lanes;
	w->n_lanes = n_lanes;
	w->n_hosts = n_hosts;
	w->random = seed * 88172645463325252ull + 1;
	w->node->timebase[0].pace = IMAGE_STEP;
	w->node->timebase[0].slot_ns = 1000000;
	for (uint32_t l = 0; l < n_lanes; l++) {
		w->images[l] = w->exec->lanes[l].image = zeroed(sizeof(struct lane_image));
		atomic_store(&w->images[l]->baton, baton_make(0, 0, BATON_NOBODY));
		atomic_store(&w->node->lane[l].watched_ns, IMAGE_FOREVER / 2);
	}
	for (uint32_t h = 0; h < n_hosts; h++)
		w->hosts[h] = zeroed(sizeof(struct host));
	return w;
}

static void thread_start(struct world *w, uint32_t host, uint32_t number)
{
	struct host_lane *lane = zeroed(sizeof(*lane));

	lane->thread.node = w->node;
	lane->thread.image = w->images[number];
	lane->thread.lane = number;
	lane->thread.seat = host;
	w->hosts[host]->lanes[number] = lane;
	assert_int_equal(pthread_create(&lane->id, NULL, thread_main, &lane->thread), 0);
}

static void threads_start(struct world *w)
{
	for (uint32_t h = 0; h < w->n_hosts; h++)
		for (uint32_t l = 0; l < w->n_lanes; l++)
			thread_start(w, h, l);
}

static void thread_stop(struct world *w, uint32_t host, uint32_t number)
{
	struct host_lane *lane = w->hosts[host]->lanes[number];

	if (lane == NULL)
		return;
	atomic_store(&lane->thread.quit, 1);
	atomic_fetch_add(&w->images[number]->go[host], 1);
	futex_wake(&w->images[number]->go[host], 1);
	futex_wake(
	    futex_low(&w->node->timebase[0].allowed), INT_MAX); /* it need not nap to its end */
	pthread_join(lane->id, NULL);
	free(lane);
	w->hosts[host]->lanes[number] = NULL;
}

static void world_free(struct world *w)
{
	for (uint32_t h = 0; h < w->n_hosts; h++) {
		for (uint32_t l = 0; l < w->n_lanes; l++)
			thread_stop(w, h, l);
		free(w->hosts[h]);
	}
	for (uint32_t l = 0; l < w->n_lanes; l++)
		free(w->images[l]);
	free(w->exec);
	free(w->node);
	free(w);
	alarm(0);
}

static _Atomic uint64_t *allowed(struct world *w)
{
	return &w->node->timebase[0].allowed;
}

static void allow(struct world *w, uint64_t slots)
{
	atomic_fetch_add(allowed(w), slots);
	futex_wake(futex_low(allowed(w)), INT_MAX);
}

static bool somebody_live(const struct world *w, uint32_t lane)
{
	return baton_entry(baton_next(&w->node->lane[lane], baton_make(0, BATON_FRESH, 0), 0)) !=
	    BATON_NOBODY;
}

/* Until every lane with somebody on it waits for a slot that is not allowed yet. Exec's tick looks
 * after the lanes. */
static void quiesce(struct world *w)
{
	for (uint32_t l = 0; l < w->n_lanes; l++)
		for (;;) {
			const uint64_t baton = atomic_load(&w->images[l]->baton);

			lane_tend(w->exec, l);
			if (!somebody_live(w, l) ||
			    (baton_entry(baton) != BATON_NOBODY && (baton & BATON_FRESH) &&
			        baton_slot(baton) >= atomic_load(allowed(w))))
				break;
			clock_sleep_until(clock_ns() + 20000);
		}
}

/* ---- what is held at every call ---- */

static void at_work(struct probe *probe, struct aloe_slot *slot)
{
	const struct member *me = probe->arg;
	struct world *w = me->world;
	const uint64_t baton = atomic_load(&w->images[me->lane]->baton);
	const uint64_t key = baton_slot(baton) << 16 | me->entry;

	if (atomic_fetch_add(&w->inside[me->lane], 1) != 0)
		bad("two segments of a lane at the same time");
	if (baton_entry(baton) != me->entry || (baton & BATON_FRESH))
		bad("a segment runs without the baton");
	if (baton_slot(baton) >= atomic_load(allowed(w)))
		bad("a slot that was not allowed");
	if (slot->index != baton_slot(baton) - me->wave->base - me->lag)
		bad("a wrong index");
	if (atomic_exchange(&w->last[me->lane], key + 1) > key)
		bad("out of order, or twice in a slot");
	for (uint64_t i = slot->index * 2654435761u % 64; i > 0; i--)
		cpu_relax();
	if (atomic_fetch_sub(&w->inside[me->lane], 1) != 1)
		bad("somebody came in");
}

/* ---- a waveform's life, as exec and hosts lead it ---- */

static uint32_t entries_find(const struct world *w, uint32_t lane, uint32_t n)
{
	for (uint32_t e = 0; e + n <= ENTRIES; e++)
		if (!(w->used[lane] & (((1ull << n) - 1) << e)))
			return e;
	return IMAGE_NONE;
}

static void place(struct world *w, struct wave *wave, uint32_t s, uint32_t lane, uint32_t entry)
{
	struct node_lane *table = &w->node->lane[lane];

	wave->places[s] = (struct exec_place){lane, entry, wave->host[s]};
	w->used[lane] |= 1ull << entry;
	table->entry[entry].segment = s;
	table->entry[entry].seat = wave->host[s];
	if (entry + 1 > atomic_load(&table->entries))
		atomic_store(&table->entries, entry + 1);
}

/* A chain of n segments on one lane, each by one of the hosts; all by the same one where
 * `alike`. */
static bool life_load(struct world *w, struct wave *wave, uint32_t n, uint32_t lane, bool alike)
{
	const uint32_t first = entries_find(w, lane, n),
	               host = (uint32_t)random_below(w, w->n_hosts);

	if (first == IMAGE_NONE)
		return false;
	memset(wave, 0, sizeof(*wave));
	wave->rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	for (uint32_t s = 0; s < n; s++) {
		const int node = rig_add(wave->rig, s == 0 ? &probe_source : &probe_pass, s, 0);

		if (s > 0)
			rig_link(wave->rig, node - 1, 0, node, 0, 0);
		wave->host[s] = alike ? host : (uint32_t)random_below(w, w->n_hosts);
		place(w, wave, s, lane, first + s);
	}
	rig_open(wave->rig);
	for (uint32_t s = 0; s < n; s++) {
		struct probe *probe = wave->rig->instances[s].state;

		wave->members[s] = (struct member){w, wave, lane, first + s, 0};
		probe->hook = at_work;
		probe->arg = &wave->members[s];
		atomic_store(&w->hosts[wave->host[s]]->lanes[lane]->thread.segments[first + s],
		    &wave->rig->segments[s]);
	}
	wave->exec_wave.exec = w->exec;
	wave->exec_wave.view = wave->rig->view;
	wave->exec_wave.places = wave->places;
	return true;
}

static void life_begin(struct world *w, struct wave *wave)
{
	wave->base = atomic_load(allowed(w));
	atomic_store(&wave->rig->control.base, wave->base);
	lanes_live(&wave->exec_wave);
}

/* Off the lane as exec and its hosts do it at the end of a waveform: not live, every host's thread
 * is out, released. */
static void life_unload(struct world *w, struct wave *wave)
{
	const uint32_t n = wave->rig->n_segments;

	lanes_leave(&wave->exec_wave);
	for (uint32_t s = 0; s < n; s++) {
		struct host_segment segment = {
		    .place = {s, wave->places[s].lane, wave->places[s].entry, wave->host[s]}};
		struct host_wave part = {
		    .now = {.view = wave->rig->view, .segments = &segment, .n_segments = 1},
		};

		host_threads_stop(w->hosts[wave->host[s]], &part);
	}
	lanes_leave_host(&wave->exec_wave, 0);
	for (uint32_t s = 0; s < n; s++)
		w->used[wave->places[s].lane] &= ~(1ull << wave->places[s].entry);
	rig_close(wave->rig);
	wave->rig = NULL;
}

/* Every slot since it began, each exactly once, nothing slipped, every message in its place. */
static void life_check(struct world *w, const struct wave *wave)
{
	const uint64_t steps = atomic_load(allowed(w)) - wave->base;

	for (uint32_t s = 0; s < wave->rig->n_segments; s++) {
		const struct image_segment_state *state = rig_state(wave->rig, s);
		const struct probe *probe = wave->rig->instances[s].state;

		assert_int_equal(atomic_load(&state->done), steps);
		assert_int_equal(atomic_load(&state->slots), steps);
		assert_int_equal(atomic_load(&state->slipped), 0);
		assert_int_equal(probe->calls, steps);
		for (uint64_t k = steps > PROBE_LOG ? steps - PROBE_LOG : 0; k < steps && s > 0;
		     k++)
			assert_int_equal(probe->log[k % PROBE_LOG].value, probe_value(k) + s - 1);
	}
}

static void waves_check(struct world *w)
{
	quiesce(w);
	for (uint32_t i = 0; i < WAVES; i++)
		if (w->waves[i].rig != NULL)
			life_check(w, &w->waves[i]);
}

/* ---- the tests ------------------------------------------------------------------------ */

/* The table's word on who is next, against the plain rule, over every table of 5 entries and every
 * baton. */
static void test_next(void **state)
{
	struct node_lane *lane = zeroed(sizeof(*lane));

	(void)state;
	for (uint32_t table = 0; table < 32; table++)
		for (uint32_t entries = 0; entries <= 5; entries++) {
			uint32_t first = BATON_NOBODY;

			atomic_store(&lane->entries, entries);
			for (uint32_t e = 0; e < 5; e++)
				atomic_store(&lane->entry[e].live, table >> e & 1);
			for (uint32_t e = entries; e-- > 0;)
				first = table >> e & 1 ? e : first;
			for (uint32_t e = 0; e < 6; e++) {
				const uint32_t at = e < 5 ? e : BATON_NOBODY;
				uint64_t wanted = baton_make(8, BATON_FRESH, first);

				for (uint32_t next = entries; next-- > 0;)
					if (next > at && table >> next & 1)
						wanted = baton_make(7, 0, next);
				assert_int_equal(baton_next(lane, baton_make(7, 0, at), 0), wanted);
				assert_int_equal(
				    baton_next(lane, baton_make(7, BATON_FRESH, at), 0),
				    baton_make(7, BATON_FRESH, first));
			}
		}
	atomic_store(&lane->entries, UINT32_MAX); /* never beyond the table */
	for (uint32_t e = 0; e < 5; e++)
		atomic_store(&lane->entry[e].live, 0);
	assert_int_equal(
	    baton_next(lane, baton_make(7, 0, 3), 0), baton_make(8, BATON_FRESH, BATON_NOBODY));
	free(lane);
}

static void test_pass(void **state)
{
	struct world *w = world_new(1, 2, 1);
	struct lane_image *image = w->images[0];
	const uint64_t from = baton_make(3, 0, 1), to = baton_make(3, 0, 2);

	(void)state;
	w->node->lane[0].entry[2].seat = 1;
	atomic_store(&image->baton, from);
	assert_int_equal(
	    lane_pass(&w->node->lane[0], image, baton_make(3, BATON_FRESH, 1), to, IMAGE_NONE),
	    -ESTALE);
	assert_int_equal(atomic_load(&image->baton), from);
	assert_int_equal(lane_pass(&w->node->lane[0], image, from, to, 0), 0);
	assert_int_equal(atomic_load(&image->baton), to);
	assert_int_equal(atomic_load(&image->go[1]), 0); /* it says that it is awake */
	assert_int_equal(lane_pass(&w->node->lane[0], image, from, to, 0), -ESTALE);
	assert_int_equal(lane_pass(&w->node->lane[0], image, to, from, 0), 0);
	atomic_store(&image->go[1], GO_ASLEEP);
	assert_int_equal(lane_pass(&w->node->lane[0], image, from, to, 0), 0);
	assert_int_equal(lane_pass(&w->node->lane[0], image, to, to, 1), 0); /* its own */
	assert_int_equal(atomic_load(&image->go[1]), GO_ASLEEP + 1);
	assert_int_equal(
	    lane_pass(&w->node->lane[0], image, to, baton_make(4, BATON_FRESH, BATON_NOBODY), 0),
	    0);
	world_free(w);
}

/* Exec was killed while somebody stood still, and is there again: the new watchdog does not let him
 * have another slot. A slot is half the time since the machine began, at most a minute. */
static void test_a_watchdog_that_comes_late(void **state)
{
	const uint64_t minute = 60 * 1000000000ull, now = clock_ns();
	const uint64_t slot_ns = now / 2 < minute ? now / 2 : minute;
	struct world *w = world_new(1, 1, 1);
	struct lane_image *image = w->images[0];
	struct node_lane *lane = &w->node->lane[0];
	const uint64_t slots = now / slot_ns;

	(void)state;
	w->node->timebase[0].pace = IMAGE_TIMER;
	w->node->timebase[0].slot_ns = slot_ns;
	w->node->timebase[0].start_ns = now - slots * slot_ns;
	atomic_store(&w->exec->lanes[0].image->baton, baton_make(slots - 1, 0, 1));
	atomic_store(&image->since,
	    since_make(
	        w->node->timebase[0].start_ns + (slots - 1) * slot_ns + 128, SINCE_AT_WORK, 1));
	atomic_store(&lane->entries, 3);
	for (uint32_t e = 0; e < 3; e++) {
		lane->entry[e].waveform = e;
		lane->entry[e].seat = e;
		atomic_store(&lane->entry[e].live, 1);
	}
	assert_int_equal(watchdog_start(w->exec, 0), 0);
	while (atomic_load(&w->exec->lanes[0].found[1].what) == FOUND_NOTHING)
		clock_sleep_until(clock_ns() + 1000000);
	assert_true(clock_ns() - now < slot_ns);
	assert_int_equal(atomic_load(&image->baton), baton_make(slots - 1, 0, 2));
	assert_int_equal(atomic_load(&lane->entry[1].live), 0);
	watchdog_stop(w->exec, 0);
	world_free(w);
}

/* What exec's tick does with a baton that nobody takes: by the state of its entry, and whether
 * somebody is at work. */
static void test_tend(void **state)
{
	struct world *w = world_new(1, 1, 1);
	struct lane_image *image = w->images[0];
	struct node_lane *lane = &w->node->lane[0];

	(void)state;
	atomic_store(&lane->entries, 3);
	atomic_store(&lane->entry[2].live, 1);
	atomic_store(allowed(w), 10);
	atomic_store(&image->baton, baton_make(7, 0, 1));
	/* at work: left to the watchdog */
	atomic_store(&image->since, since_make(clock_ns(), SINCE_AT_WORK, 1));
	lane_tend(w->exec, 0);
	assert_int_equal(atomic_load(&image->baton), baton_make(7, 0, 1));
	/* another one's word for it: nobody is at work */
	atomic_store(&image->since, since_make(clock_ns(), SINCE_AT_WORK, 0));
	lane_tend(w->exec, 0);
	assert_int_equal(atomic_load(&image->baton), baton_make(7, 0, 2));
	lane_tend(w->exec, 0); /* live: its own thread will come */
	assert_int_equal(atomic_load(&image->baton), baton_make(7, 0, 2));
	atomic_store(&lane->entry[2].live, 0);
	lane_tend(w->exec, 0);
	assert_int_equal(atomic_load(&image->baton), baton_make(8, BATON_FRESH, BATON_NOBODY));
	lane_tend(w->exec, 0);
	assert_int_equal(atomic_load(&image->baton), baton_make(8, BATON_FRESH, BATON_NOBODY));
	atomic_store(&lane->entry[0].live, 1); /* no slot that was allowed is lost */
	lane_tend(w->exec, 0);
	assert_int_equal(atomic_load(&image->baton), baton_make(8, BATON_FRESH, 0));
	/* of a time base before this one */
	atomic_store(&image->baton, baton_make(1000, BATON_FRESH, BATON_NOBODY));
	lane_tend(w->exec, 0);
	assert_int_equal(atomic_load(&image->baton), baton_make(10, BATON_FRESH, 0));
	world_free(w);
}

/* What a lane-mate has reset is counted and judged as if exec had found it, once. */
static void test_hears_of_a_reset(void **state)
{
	struct world *w = world_new(1, 1, 1);

	(void)state;
	atomic_store(&w->images[0]->bad_ns, UINT64_MAX); /* a time that has not come */
	atomic_store(&w->images[0]->bad_baton, baton_make(3, 0, 77));
	lane_tend(w->exec, 0);
	lane_tend(w->exec, 0);
	assert_int_equal(atomic_load(&w->node->lane[0].resets), 1);
	assert_int_equal(atomic_load(&w->exec->lanes[0].bad_baton), baton_make(3, 0, 77));
	assert_in_range(atomic_load(&w->exec->lanes[0].bad_ns), 1, clock_ns());
	world_free(w);
}

/* The baton comes to an entry that has just been taken off the lane: its segment does not run any
 * more. */
static void test_not_live(void **state)
{
	struct world *w = world_new(1, 1, 1);

	(void)state;
	threads_start(w);
	assert_true(life_load(w, &w->waves[0], 1, 0, true));
	atomic_store(&w->waves[0].rig->control.base, 0);
	atomic_store(allowed(w), 5);
	assert_int_equal(lane_pass(&w->node->lane[0], w->images[0], baton_make(0, 0, BATON_NOBODY),
	                     baton_make(0, 0, 0), IMAGE_NONE),
	    0);
	while (baton_entry(atomic_load(&w->images[0]->baton)) != BATON_NOBODY)
		sched_yield();
	assert_int_equal(
	    atomic_load(&w->images[0]->baton), baton_make(1, BATON_FRESH, BATON_NOBODY));
	assert_int_equal(atomic_load(&rig_state(w->waves[0].rig, 0)->done), 0);
	life_unload(w, &w->waves[0]);
	world_free(w);
}

/* Segments of one thread follow each other without a wake-up. */
static void test_same_seat(void **state)
{
	struct world *w = world_new(1, 1, 1);

	(void)state;
	threads_start(w);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(life_load(w, &w->waves[i], 3, 0, true));
	for (uint32_t i = 0; i < 3; i++)
		life_begin(w, &w->waves[i]);
	quiesce(w);
	const uint32_t before = atomic_load(&w->images[0]->go[0]) & ~GO_ASLEEP;

	allow(w, 1000);
	waves_check(w);
	assert_int_equal(atomic_load(&w->images[0]->go[0]) & ~GO_ASLEEP, before);
	assert_int_equal(atomic_load(&w->images[0]->slots), 1000);
	for (uint32_t i = 0; i < 3; i++)
		life_unload(w, &w->waves[i]);
	world_free(w);
}

/* Hosts, waveforms and slots at random, thousands of times: every slot of every waveform, once, in
 * order. */
static void life(uint32_t n_hosts, uint32_t n_lanes, uint64_t seed, int changes)
{
	struct world *w = world_new(n_lanes, n_hosts, seed);
	uint64_t loads = 0;

	threads_start(w);
	for (int i = 0; i < changes; i++) {
		struct wave *wave = &w->waves[random_below(w, WAVES)];
		const uint64_t what = random_below(w, 8);

		if (what < 3 && wave->rig == NULL) {
			if (life_load(w, wave, 1 + (uint32_t)random_below(w, SEGMENTS),
			        (uint32_t)random_below(w, n_lanes), random_below(w, 2) == 0)) {
				life_begin(w, wave);
				loads++;
			}
		} else if (what < 3) {
			life_unload(w, wave);
		} else if (what < 7) {
			allow(w, 1 + random_below(w, 20));
			if (what == 3)
				lane_tend(w->exec, (uint32_t)random_below(w, n_lanes));
		} else {
			waves_check(w);
		}
	}
	waves_check(w);
	for (uint32_t i = 0; i < WAVES; i++)
		if (w->waves[i].rig != NULL)
			life_unload(w, &w->waves[i]);
	assert_true(loads > (uint64_t)changes / 16);
	world_free(w);
}

static void test_life(void **state)
{
	(void)state;
	for (uint32_t hosts = 1; hosts <= HOSTS; hosts++)
		life(hosts, 1, hosts, 1500);
	life(3, 2, 77, 1500);
}

/* A segment on each of two lanes, there and back, all on threads of their own: the bits are right
 * however lanes drift. */
static void test_two_lanes(void **state)
{
	enum { LAST = 300 };
	struct world *w = world_new(2, 2, 5);
	struct wave *wave = &w->waves[0];
	uint64_t slots = 0;

	(void)state;
	threads_start(w);
	wave->rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	for (uint32_t s = 0; s < 3; s++) {
		rig_add(wave->rig, s == 0 ? &probe_source : &probe_pass, s, s);
		if (s > 0)
			rig_link(wave->rig, (int)s - 1, 0, (int)s, 0, 0);
		wave->host[s] = s % 2;
		place(w, wave, s, s % 2, s);
	}
	wave->rig->slots = LAST + 1;
	rig_open(wave->rig);
	for (uint32_t s = 0; s < 3; s++)
		atomic_store(
		    &w->hosts[s % 2]->lanes[s % 2]->thread.segments[s], &wave->rig->segments[s]);
	wave->exec_wave.exec = w->exec;
	wave->exec_wave.view = wave->rig->view;
	wave->exec_wave.places = wave->places;
	life_begin(w, wave);
	/* slipped slots need others in their place */
	while (atomic_load(&rig_state(wave->rig, 2)->done) <= LAST + 2) {
		allow(w, 1 + random_below(w, 7));
		slots++;
		quiesce(w);
	}
	assert_true(slots > LAST / 8);
	for (uint64_t k = 0; k <= LAST; k++) {
		const struct probe *sink = wave->rig->instances[2].state;

		assert_int_equal(sink->log[k].value, probe_value(k) + 1);
	}
	for (uint32_t s = 0; s < 3; s++) {
		assert_int_equal(
		    ((const struct probe *)wave->rig->instances[s].state)->calls, LAST + 1);
		assert_int_equal(
		    atomic_load(&image_instance_state(&wave->rig->view, s)->absent), 0);
	}
	life_unload(w, wave);
	world_free(w);
}

/* A machine on which a sleep of `least` ns ends late by that, and by an exponential tail of a tenth
 * of it. */
static uint64_t sleep_late(struct world *w, double least)
{
	return (
	    uint64_t)(least - least / 10 * log((1 + (double)random_below(w, 1 << 30)) / (1 << 30)));
}

/* The guard finds to where one wake-up in a thousand is too late, whatever it begins with and when
 * the machine changes; it stays within its bounds on machines beyond them. */
static void test_guard(void **state)
{
	enum { LEARN = 100000, LOOK = 400000 };
	static const double machines[] = {10000, 40000, 3000, 25000, 55000};
	struct world *w = zeroed(sizeof(*w));
	uint64_t guard = 60000;

	(void)state;
	w->random = 88172645463325252ull;
	for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
		const double wanted = machines[m] * (1 + log(1000) / 10);
		uint64_t late = 0, sum = 0;

		for (int i = 0; i < LEARN; i++)
			guard = lane_guard(guard, sleep_late(w, machines[m]));
		for (int i = 0; i < LOOK; i++) {
			const uint64_t ns = sleep_late(w, machines[m]);

			late += ns > guard;
			sum += guard;
			guard = lane_guard(guard, ns);
		}
		assert_in_range(late, LOOK / 2000, LOOK / 500);
		assert_true(fabs((double)sum / LOOK / wanted - 1) < 0.15);
	}
	for (int i = 0; i < LEARN; i++)
		guard = lane_guard(guard, 0);
	assert_int_equal(guard, 4096);
	for (int i = 0; i < LEARN; i++)
		guard = lane_guard(guard, 1000000);
	assert_int_equal(guard, 100000);
	free(w);
}

static void hang(struct probe *probe, struct aloe_slot *slot)
{
	_Atomic uint32_t *go_on = probe->arg;

	if (slot->index != 5)
		return;
	atomic_store(go_on, 1);
	while (atomic_load(go_on) != 2)
		sched_yield();
}

/* One that hangs is passed over, as the watchdog does it; the lane goes on without it, and it stays
 * out until it is let in again: its own hand-on, when it comes back, moves nothing. */
static void test_passed_over(void **state)
{
	struct world *w = world_new(1, 2, 3);
	struct wave *hung = &w->waves[0], *other = &w->waves[1];
	_Atomic uint32_t go_on = 0;
	uint64_t baton;

	(void)state;
	threads_start(w);
	assert_true(life_load(w, hung, 1, 0, true));
	hung->host[0] = 0;
	do {
		if (other->rig != NULL)
			life_unload(w, other);
		assert_true(life_load(w, other, 1, 0, true));
	} while (other->places[0].seat == hung->places[0].seat);
	((struct probe *)hung->rig->instances[0].state)->hook = hang;
	((struct probe *)hung->rig->instances[0].state)->arg = &go_on;
	life_begin(w, hung);
	life_begin(w, other);
	allow(w, 20);
	while (atomic_load(&go_on) != 1)
		sched_yield();
	baton = atomic_load(&w->images[0]->baton);
	assert_int_equal(baton, baton_make(5, 0, hung->places[0].entry));
	atomic_store(&w->node->lane[0].entry[hung->places[0].entry].live, 0);
	assert_int_equal(lane_pass(&w->node->lane[0], w->images[0], baton,
	                     baton_next(&w->node->lane[0], baton, 0), IMAGE_NONE),
	    0);
	quiesce(w);
	life_check(w, other); /* all 20 slots, the one in which it was passed over included */
	assert_int_equal(atomic_load(&rig_state(hung->rig, 0)->done), 5);
	atomic_store(&go_on, 2);
	while (atomic_load(&rig_state(hung->rig, 0)->done) != 6)
		sched_yield();
	allow(w, 10);
	quiesce(w);
	life_check(w, other);
	assert_int_equal(atomic_load(&rig_state(hung->rig, 0)->done), 6);
	lanes_live(&hung->exec_wave); /* live again: it takes its turns */
	allow(w, 10);
	quiesce(w);
	life_check(w, other);
	assert_int_equal(atomic_load(&rig_state(hung->rig, 0)->done), 16);
	life_unload(w, hung);
	life_unload(w, other);
	world_free(w);
}

/* The fresh baton lies with a thread that is no more: the slot is begun by the next one, not
 * lost. */
static void test_holder_gone(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 20; seed++) {
		struct world *w = world_new(1, 2, seed);
		struct wave *gone = &w->waves[0], *stays = &w->waves[1];

		threads_start(w);
		assert_true(life_load(w, gone, 1, 0, true));
		do {
			if (stays->rig != NULL)
				life_unload(w, stays);
			assert_true(life_load(w, stays, 1, 0, true));
		} while (stays->places[0].seat == gone->places[0].seat);
		life_begin(w, gone);
		life_begin(w, stays);
		allow(w, 10);
		quiesce(w);
		assert_int_equal(atomic_load(&w->images[0]->baton),
		    baton_make(10, BATON_FRESH, gone->places[0].entry));
		thread_stop(w, gone->places[0].seat, 0); /* as if killed: nobody tells the table */
		lanes_leave_host(&gone->exec_wave, 0);
		assert_int_equal(atomic_load(&w->images[0]->baton),
		    baton_make(10, BATON_FRESH, stays->places[0].entry));
		allow(w, 10);
		quiesce(w);
		life_check(w, stays);
		assert_int_equal(atomic_load(&rig_state(gone->rig, 0)->done), 10);
		life_unload(w, gone);
		life_unload(w, stays);
		world_free(w);
	}
}

/* ---- the timer ------------------------------------------------------------------------ */

struct timed {
	struct world *world;
	uint64_t first, last, calls;
};

static void on_time(struct probe *probe, struct aloe_slot *slot)
{
	struct timed *timed = probe->arg;
	const struct node_timebase *base = &timed->world->node->timebase[0];
	const uint64_t n = baton_slot(atomic_load(&timed->world->images[0]->baton));

	if (clock_ns() < base->start_ns + n * base->slot_ns)
		bad("a slot began before its edge");
	if (timed->calls > 0 && n <= timed->last)
		bad("a slot came again");
	if (timed->calls++ == 0)
		timed->first = n;
	timed->last = n;
	if (slot->index % 7 == 3)
		clock_sleep_until(clock_ns() + 3500000); /* the next ones are over before it is */
}

/* Slots from the clock: none before its edge, none twice; those that were not run are counted. */
static void test_timer(void **state)
{
	struct world *w = world_new(1, 1, 1);
	struct wave *wave = &w->waves[0];
	struct timed timed = {.world = w};
	struct probe *probe;

	(void)state;
	w->node->timebase[0].pace = IMAGE_TIMER;
	w->node->timebase[0].start_ns = clock_ns() - 50000000;
	threads_start(w);
	assert_true(life_load(w, wave, 1, 0, true));
	probe = wave->rig->instances[0].state;
	probe->hook = on_time;
	probe->arg = &timed;
	lanes_live(&wave->exec_wave);
	while (atomic_load(&rig_state(wave->rig, 0)->done) < 60)
		clock_sleep_until(clock_ns() + 1000000);
	life_unload(w, wave);
	w->waves[0].rig = NULL;
	thread_stop(w, 0, 0);
	assert_true(timed.calls >= 60 && timed.first >= 50);
	assert_true(atomic_load(&w->images[0]->skipped) >= 8 * 2);
	assert_int_equal(atomic_load(&w->images[0]->slots), timed.calls);
	assert_int_equal(
	    timed.last - timed.first + 1, timed.calls + atomic_load(&w->images[0]->skipped));
	world_free(w);
}

/* What a lane costs is measured again and again without a hang, and handing on to another thread
 * costs more than not to. */
static void test_cost(void **state)
{
	struct lane_cost cost = {0, 0};

	(void)state;
	for (int i = 0; i < 10; i++) {
		const int rc = lane_cost_measure(&cost);

		assert_true(rc == 0 || rc == -ETIMEDOUT); /* the machine may have no time for it */
		assert_true(rc != 0 || (cost.base_ns > 1 && cost.base_ns < 1e7));
		assert_true(rc != 0 || (cost.handover_ns > 1 && cost.handover_ns < 1e7));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_next),
	    cmocka_unit_test(test_pass),
	    cmocka_unit_test(test_same_seat),
	    cmocka_unit_test(test_a_watchdog_that_comes_late),
	    cmocka_unit_test(test_tend),
	    cmocka_unit_test(test_hears_of_a_reset),
	    cmocka_unit_test(test_not_live),
	    cmocka_unit_test(test_life),
	    cmocka_unit_test(test_guard),
	    cmocka_unit_test(test_two_lanes),
	    cmocka_unit_test(test_passed_over),
	    cmocka_unit_test(test_holder_gone),
	    cmocka_unit_test(test_timer),
	    cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
