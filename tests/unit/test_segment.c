/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/segment: which step is due in a slot, what waits for what, where it ends, what is
 * counted, and what lateness means; on hand-made programs. Changes of parameters:
 * test_segment_change.c. Random graphs: tests/sim/test_engine.c. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/slot/steps.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

static struct probe *probe_of(struct rig *rig, int node)
{
	return rig->instances[node].state;
}

static uint64_t done(const struct rig *rig, uint32_t segment)
{
	return atomic_load(&rig_state(rig, segment)->done);
}

static struct image_instance_state *stats(const struct rig *rig, int node)
{
	return image_instance_state(&rig->view, (uint32_t)node);
}

/* source (segment 0, lag 0) -> pass (segment 1, lag 1) -> sink (segment 1, lag 1) */
static struct rig *chain_new(enum image_clock clock, enum image_late late)
{
	struct rig *rig = rig_new(clock, late);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_pass, 1, 1);
	rig_add(rig, &probe_sink, 1, 1);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 1, 0, 2, 0, 0);
	rig->nodes[2].source = 0;
	return rig;
}

static void log_is(struct rig *rig, int node, uint64_t first, uint64_t n)
{
	const struct probe *probe = probe_of(rig, node);

	assert_int_equal(probe->calls, n);
	for (uint64_t i = 0; i < n; i++) {
		assert_int_equal(probe->log[i].index, first + i);
		assert_int_equal(probe->log[i].state, ALOE_VALID);
	}
}

/* ---- which step, in which slot ---- */

static void test_base(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);

	(void)state;
	rig_open(rig);
	atomic_store(&rig->control.base, IMAGE_FOREVER);
	assert_int_equal(rig_slot(rig, 0, 5), SEGMENT_PAUSED);
	atomic_store(&rig->control.base, 100);
	for (uint64_t slot = 90; slot < 110; slot++)
		for (uint32_t s = 0; s < 2; s++)
			assert_int_equal(
			    rig_slot(rig, s, slot), slot < 100 ? SEGMENT_PAUSED : SEGMENT_RAN);
	assert_int_equal(done(rig, 0), 10);
	assert_int_equal(done(rig, 1), 10);
	log_is(rig, 0, 0, 10);
	log_is(rig, 2, 0, 9); /* lag 1 */
	for (uint64_t s = 0; s < 10; s++)
		assert_int_equal(atomic_load(&rig_state(rig, 0)->slot[s]), 100 + s);
	rig_close(rig);
}

/* Slots before a later base are no slips and no skips; the step goes on where it stood. */
static void test_base_moved(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);

	(void)state;
	rig->nodes[0].depth = 8;
	rig_open(rig);
	for (uint64_t slot = 0; slot < 4; slot++)
		assert_int_equal(rig_slot(rig, 0, slot), SEGMENT_RAN);
	atomic_store(&rig->control.base, 50 - 4);
	for (uint64_t slot = 4; slot < 50; slot++)
		assert_int_equal(rig_slot(rig, 0, slot), SEGMENT_PAUSED);
	assert_int_equal(rig_slot(rig, 1, 50), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 0, 50), SEGMENT_RAN);
	log_is(rig, 0, 0, 5);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->slipped), 0);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->skipped), 0);
	rig_close(rig);
}

static void test_limit(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);

	(void)state;
	rig_open(rig);
	atomic_store(&rig->control.limit, 0);
	assert_int_equal(rig_slot(rig, 0, 0), SEGMENT_PAUSED);
	for (uint64_t limit = 1; limit < 30; limit += 7) {
		atomic_store(&rig->control.limit, limit);
		for (uint64_t slot = 0; slot < 40; slot++)
			for (uint32_t s = 0; s < 2; s++) {
				const uint64_t before = done(rig, s);
				const enum segment_status status = rig_slot(rig, s, before + slot);

				if (before == limit)
					assert_int_equal(status, SEGMENT_PAUSED);
			}
		assert_int_equal(done(rig, 0), limit);
		assert_int_equal(done(rig, 1), limit);
	}
	log_is(rig, 0, 0, 29);
	rig_close(rig);
}

/* A slot that passes without the segment: under slip the step stays the next one, and the slot is
 * counted. */
static void test_skipped_slots(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);

	(void)state;
	rig_open(rig);
	rig_slot(rig, 0, 10);
	rig_slot(rig, 0, 14);
	rig_slot(rig, 0, 15);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->skipped), 3);
	log_is(rig, 0, 0, 3);
	rig_close(rig);
}

/* ---- gates ------------------------------------------------------------------------ */

static void test_gates(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);
	const struct segment_gate *gate;
	uint64_t slot = 0;

	(void)state;
	rig_open(rig);
	/* The reader's first step needs nothing (distance 1); its second needs the writer's
	 * first. */
	assert_int_equal(rig_slot(rig, 1, slot++), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 1, slot++), SEGMENT_WAITS);
	assert_int_equal(segment_ready(&rig->segments[1], &gate), SEGMENT_WAITS);
	assert_ptr_equal(gate->state, rig_state(rig, 0));
	assert_int_equal(atomic_load(&rig_state(rig, 1)->slipped), 1);
	/* Depth 4: the writer may be 4 messages ahead of what the reader has let go. */
	for (int i = 0; i < 4; i++)
		assert_int_equal(rig_slot(rig, 0, slot++), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 0, slot++), SEGMENT_WAITS);
	assert_int_equal(done(rig, 0), 4);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->slipped), 1);
	assert_int_equal(rig_slot(rig, 1, slot++), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 0, slot++), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 0, slot++), SEGMENT_WAITS);
	log_is(rig, 2, 0, 1);
	assert_int_equal(probe_of(rig, 2)->log[0].value, probe_value(0) + 1);
	rig_close(rig);
}

/* A segment that has run its last step holds nobody, though its `done` stands still. */
static void test_ended_holds_nobody(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);
	const struct segment_gate *gate;

	(void)state;
	rig_open(rig);
	rig_gate(rig, 0, 1, 0);
	for (uint64_t slot = 0; slot < 3; slot++)
		rig_slot(rig, 0, slot);
	assert_int_equal(segment_ready(&rig->segments[0], &gate), SEGMENT_WAITS);
	atomic_store(&rig_state(rig, 1)->ended, 1);
	assert_int_equal(segment_ready(&rig->segments[0], &gate), SEGMENT_RAN);
	rig_close(rig);
}

/* ---- the end ------------------------------------------------------------------------ */

static uint64_t run_to_end(struct rig *rig)
{
	uint32_t ended = 0;
	uint64_t slot;

	for (slot = 0; ended < rig->n_segments && slot < 1000; slot++) {
		ended = 0;
		for (uint32_t s = 0; s < rig->n_segments; s++)
			ended += rig_slot(rig, s, slot) == SEGMENT_ENDED;
	}
	assert_int_equal(ended, rig->n_segments);
	return slot;
}

/* Three sources in three segments, read with three lags; two of them end: the smallest index is
 * everybody's last. */
static void test_end_smallest(void **state)
{
	for (int first = 0; first < 3; first++) {
		struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
		static const uint32_t lags[] = {0, 2, 5};

		(void)state;
		for (int i = 0; i < 3; i++)
			rig_add(rig, &probe_source, (uint32_t)i, 0);
		for (int i = 0; i < 3; i++) {
			rig_add(rig, &probe_sink, 3, 1 + lags[i]);
			rig_link(rig, i, 0, 3 + i, 0, 0);
			rig->nodes[i].depth = 16;
		}
		rig_gates(rig);
		/* as program_build: sources within one step of each other */
		for (uint32_t a = 0; a < 3; a++)
			for (uint32_t b = 0; b < 3; b++)
				if (a != b)
					rig_gate(rig, a, b, 0);
		rig_open(rig);
		probe_of(rig, first)->end_at = 20 + 1;
		probe_of(rig, (first + 1) % 3)->end_at = 22 + 1;
		run_to_end(rig);
		assert_int_equal(atomic_load(&image_run(&rig->view)->last), 20);
		for (int n = 0; n < 6; n++) {
			log_is(rig, n, 0, 21);
			assert_int_equal(
			    atomic_load(&rig_state(rig, rig->nodes[n].segment)->ended), 1);
		}
		rig_close(rig);
	}
}

static void test_end_by_order(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);

	(void)state;
	rig_open(rig);
	atomic_store(&rig->control.last, 7);
	probe_of(rig, 0)->end_at = 9 + 1;
	run_to_end(rig);
	for (int n = 0; n < 3; n++)
		log_is(rig, n, 0, 8);
	rig_close(rig);
	rig = chain_new(IMAGE_STEP, IMAGE_SLIP);
	rig->slots = 1; /* as --slots 1 */
	rig_open(rig);
	assert_int_equal(run_to_end(rig), 3);
	for (int n = 0; n < 3; n++)
		log_is(rig, n, 0, 1);
	rig_close(rig);
}

/* ---- faults ------------------------------------------------------------------------ */

static void test_fault(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);
	struct image_run *run;

	(void)state;
	rig_open(rig);
	run = image_run(&rig->view);
	probe_of(rig, 1)->fail_at = 2 + 1;
	probe_of(rig, 2)->fail_at = 2 + 1; /* in the same step, after it: not the first */
	for (uint64_t slot = 0; slot < 4; slot++)
		for (uint32_t s = 0; s < 2; s++)
			assert_int_equal(rig_slot(rig, s, slot), SEGMENT_RAN);
	assert_int_equal(atomic_load(&run->fault), 1 + 1);
	assert_int_equal(run->code, -ERANGE);
	assert_string_equal(run->why, "was told to fail");
	for (uint32_t s = 0; s < 2; s++)
		assert_int_equal(rig_slot(rig, s, 4), SEGMENT_STOPPED);
	assert_int_equal(probe_of(rig, 0)->calls, 4);
	rig_close(rig);
}

/* ---- periods, events, latency ---- */

static void test_period(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);

	(void)state;
	rig->nodes[0].period = 3;
	rig->nodes[0].phase = 2;
	rig->slots = 12;
	rig_open(rig);
	run_to_end(rig);
	assert_int_equal(probe_of(rig, 0)->calls, 4);
	assert_int_equal(atomic_load(&stats(rig, 0)->idle), 8);
	assert_int_equal(image_time(&rig->view, 0)->count, 4);
	for (uint64_t k = 0; k < 12; k++) {
		const struct probe_call *call = &probe_of(rig, 2)->log[k];

		assert_int_equal(call->index, k);
		assert_int_equal(call->state, k % 3 == 2 ? ALOE_VALID : ALOE_IDLE);
		assert_int_equal(call->value, k % 3 == 2 ? probe_value(k) + 1 : 0);
	}
	assert_int_equal(atomic_load(&stats(rig, 1)->absent), 0);
	rig_close(rig);
}

/* One event for each call, in order; the end of one instance is the start of the next. */
static void test_events(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);
	const struct image_event *events;
	struct hist times = {0};
	uint64_t busy = 0;

	(void)state;
	rig->slots = 100;
	rig_open(rig);
	run_to_end(rig);
	events = image_events(&rig->view, 1);
	assert_int_equal(atomic_load(&rig_state(rig, 1)->events), 200);
	for (uint64_t e = 0; e < 200; e++) {
		assert_int_equal(events[e].instance, 1 + e % 2);
		assert_int_equal(events[e].step, 1 + e / 2);
		if (e % 2 == 1)
			assert_int_equal(
			    events[e].start_ns, events[e - 1].start_ns + events[e - 1].ns);
		else
			assert_int_equal(events[e].start_ns,
			    atomic_load(
			        &rig_state(rig, 1)->start_ns[events[e].step % IMAGE_STEPS]));
		busy += events[e].ns;
	}
	image_time_merge(&rig->view, 1, &times);
	assert_int_equal(hist_count(&times), 100);
	assert_int_equal(hist_above(&times, 0), 100); /* in the cells, too */
	assert_int_equal(atomic_load(&rig_state(rig, 1)->busy_ns), busy);
	assert_int_equal(atomic_load(&rig_state(rig, 1)->slots), 101);
	rig_close(rig);
}

/* The load of a lane is what its segments take of a slot together. */
static void test_lane_load(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	struct hist *load;

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_sink, 1, 1);
	rig_add(rig, &probe_source, 2, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig->nodes[0].depth = 4;
	rig->segment_lane[1] = rig->segment_lane[0];
	rig->segment_lane[2] = rig->segment_lane[0] + 1;
	rig_open(rig);
	for (uint64_t slot = 0; slot < 100; slot++)
		for (uint32_t s = 0; s < 3; s++)
			rig_slot(rig, s, slot);
	load = &image_lane_state(&rig->view, rig->segment_lane[0])->load;
	assert_int_equal(hist_count(load), 100);
	assert_int_equal(load->sum,
	    atomic_load(&rig_state(rig, 0)->busy_ns) + atomic_load(&rig_state(rig, 1)->busy_ns));
	load = &image_lane_state(&rig->view, rig->segment_lane[2])->load;
	assert_int_equal(hist_count(load), 100);
	assert_int_equal(load->sum, atomic_load(&rig_state(rig, 2)->busy_ns));
	rig_close(rig);
}

static void test_latency(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);
	const struct image_latency *sink;
	uint64_t slot = 0;

	(void)state;
	rig_open(rig);
	sink = image_latency(&rig->view, 2);
	for (; slot < 10; slot++) {
		rig_slot(rig, 0, slot);
		rig_slot(rig, 1, slot);
	}
	assert_int_equal(atomic_load(&sink->slots_min), 2);
	assert_int_equal(atomic_load(&sink->slots_max), 2);
	/* the reader is left out of 1 slot: everything after it is one slot later */
	rig_slot(rig, 0, slot++);
	rig_slot(rig, 1, slot++);
	rig_slot(rig, 1, slot);
	assert_int_equal(atomic_load(&sink->slots_min), 2);
	assert_int_equal(atomic_load(&sink->slots_max), 3);
	assert_int_equal(hist_count(&sink->ns), probe_of(rig, 2)->calls);
	rig_close(rig);
}

/* ---- skip ------------------------------------------------------------------------ */

static void test_skip_absent(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SKIP);
	const struct probe *sink;

	(void)state;
	rig_open(rig);
	for (uint64_t slot = 0; slot < 12; slot++) { /* the source misses slots 3, 4 and 8 */
		if (slot != 3 && slot != 4 && slot != 8)
			assert_int_equal(rig_slot(rig, 0, slot), SEGMENT_RAN);
		assert_int_equal(rig_slot(rig, 1, slot), SEGMENT_RAN);
	}
	sink = probe_of(rig, 2);
	assert_int_equal(sink->calls, 11);
	for (uint64_t k = 0; k < 11; k++) {
		const bool missing = k == 3 || k == 4 || k == 8;

		assert_int_equal(sink->log[k].index, k);
		assert_int_equal(sink->log[k].state, missing ? ALOE_ABSENT : ALOE_VALID);
		assert_int_equal(sink->log[k].value, missing ? 0 : probe_value(k) + 1);
	}
	assert_int_equal(atomic_load(&stats(rig, 1)->absent), 3);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->skipped), 3);
	assert_int_equal(done(rig, 0), 12); /* the step is the slot's */
	rig_close(rig);
}

/* The reader comes when the ring has gone round: never old or newer data. */
static void test_skip_overwritten(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SKIP);

	(void)state;
	rig_open(rig);
	for (uint64_t slot = 0; slot < 9; slot++)
		rig_slot(rig, 0, slot);
	/* indices 0..7; those of the last 4 messages are there */
	for (uint64_t slot = 1; slot < 9; slot++)
		rig_slot(rig, 1, slot);
	for (uint64_t k = 0; k < 8; k++)
		assert_int_equal(probe_of(rig, 2)->log[k].state, k < 5 ? ALOE_ABSENT : ALOE_VALID);
	assert_int_equal(atomic_load(&stats(rig, 1)->overwritten), 5);
	assert_int_equal(atomic_load(&stats(rig, 1)->absent), 0);
	rig_close(rig);
}

static void writer_laps(struct probe *probe, struct aloe_slot *slot)
{
	struct rig *rig = probe->arg;

	if (slot->index == 3)
		for (uint64_t s = 5; s < 9; s++)
			rig_slot(rig, 0, s);
}

/* The writer comes round while the reader is at work: what the reader made of it is ABSENT to its
 * own readers. */
static void test_skip_recheck(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SKIP);

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_join, 1, 1);
	rig_add(rig, &probe_sink, 1, 1);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 1, 0, 2, 0, 0);
	rig->nodes[0].depth = 4;
	rig_open(rig);
	probe_of(rig, 1)->hook = writer_laps;
	probe_of(rig, 1)->arg = rig;
	for (uint64_t slot = 0; slot < 5; slot++) {
		rig_slot(rig, 0, slot);
		rig_slot(rig, 1, slot);
	}
	for (uint64_t k = 0; k < 4; k++)
		assert_int_equal(probe_of(rig, 2)->log[k].state, k == 3 ? ALOE_ABSENT : ALOE_VALID);
	assert_int_equal(atomic_load(&stats(rig, 1)->overwritten), 1);
	assert_int_equal(image_time(&rig->view, 1)->count, 4);
	rig_close(rig);
}

/* Looks away between being given its input and reading it. */
__attribute__((noinline, no_sanitize("thread"))) static int slow_work(
    void *self, struct aloe_slot *slot)
{
	const volatile uint64_t *in = slot->in[0].data;

	(void)self;
	for (int i = 0; i < 300; i++)
		cpu_relax();
	if (!aloe_in_valid(slot, 0))
		return 0;
	*(volatile uint64_t *)slot->out[0].data = *in;
	aloe_put(slot, 0, 8);
	return 0;
}

__attribute__((noinline, no_sanitize("thread"))) static int fast_work(
    void *self, struct aloe_slot *slot)
{
	(void)self;
	*(volatile uint64_t *)slot->out[0].data = probe_value(slot->index);
	aloe_put(slot, 0, 8);
	return 0;
}

struct writer {
	struct rig *rig;
	_Atomic uint32_t quit;
	pthread_t id;
};

static void *writer_main(void *self)
{
	struct writer *writer = self;

	for (uint64_t slot = 0; !atomic_load(&writer->quit); slot++) {
		rig_slot(writer->rig, 0, slot);
		for (uint64_t i = slot % 512; i > 0; i--)
			cpu_relax();
	}
	return NULL;
}

/* A reader just where the ring is written over, on a thread of its own: what it passes on as VALID
 * is the message. */
static void test_skip_threads(void **state)
{
	const struct aloe_component fast = {
	    .ports = probe_source.ports, .state_size = 8, .work = fast_work};
	const struct aloe_component slow = {
	    .ports = probe_pass.ports, .state_size = 8, .work = slow_work};
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SKIP);
	struct writer writer = {.rig = rig};
	uint64_t valid = 0;

	(void)state;
	alarm(120); /* only against a hang */
	rig_add(rig, &fast, 0, 0);
	rig_add(rig, &slow, 1, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_open(rig);
	assert_int_equal(pthread_create(&writer.id, NULL, writer_main, &writer), 0);
	while (valid < 300 || atomic_load(&stats(rig, 1)->overwritten) < 300) {
		const uint64_t slot = done(rig, 0) - 3;
		const struct image_message *message;
		const void *data;

		if (slot + 3 < 4 || rig_slot(rig, 1, slot) != SEGMENT_RAN)
			continue;
		message = rig_message(rig, 1, 0, slot, &data);
		assert_non_null(message);
		if (atomic_load(&message->state) != ALOE_VALID || atomic_load(&message->len) != 8)
			continue;
		valid++;
		if (*(const uint64_t *)data != probe_value(slot))
			fail_msg("index %d: another message's items", (int)slot);
	}
	atomic_store(&writer.quit, 1);
	pthread_join(writer.id, NULL);
	rig_close(rig);
	alarm(0);
}

/* The last step is jumped over: no instance runs beyond its last index, and the segment ends. */
static void test_skip_past_end(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SKIP);

	(void)state;
	rig->slots = 5;
	rig_open(rig);
	for (uint64_t slot = 0; slot < 4; slot++) {
		rig_slot(rig, 0, slot);
		rig_slot(rig, 1, slot);
	}
	for (uint32_t s = 0; s < 2; s++) {
		assert_int_equal(rig_slot(rig, s, 40), SEGMENT_RAN);
		assert_int_equal(rig_slot(rig, s, 41), SEGMENT_ENDED);
	}
	log_is(rig, 0, 0, 4);
	log_is(rig, 2, 0, 3);
	rig_close(rig);
}

static void test_skip_limit(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SKIP);

	(void)state;
	rig_open(rig);
	atomic_store(&rig->control.limit, 6);
	assert_int_equal(rig_slot(rig, 0, 2), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 0, 2), SEGMENT_PAUSED); /* its slot is over */
	assert_int_equal(rig_slot(rig, 0, 5), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 0, 6), SEGMENT_PAUSED);
	assert_int_equal(done(rig, 0), 6);
	assert_int_equal(rig_slot(rig, 1, 3), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 1, 7),
	    /* its last two slots were skipped: it stands with the other */
	    SEGMENT_PAUSED);
	assert_int_equal(done(rig, 1), 6);
	rig_close(rig);
}

/* ---- misses ------------------------------------------------------------------------ */

static void spin(struct probe *probe, struct aloe_slot *slot)
{
	const uint64_t until = clock_ns() + 200000 + slot->index % 3 * 100000;

	(void)probe;
	while (clock_ns() < until)
		cpu_relax();
}

static void miss_is_true(struct rig *rig, uint64_t n, uint64_t edge)
{
	const struct image_miss *miss = &rig_state(rig, 1)->miss[n % IMAGE_MISSES];
	const struct image_event *events = image_events(&rig->view, 1);
	const uint64_t last = atomic_load(&rig_state(rig, 1)->events) - 1;
	const uint32_t n_events = rig->view.segments[1].n_events;
	const uint64_t end = events[last % n_events].start_ns + events[last % n_events].ns;
	const struct image_event *longest = NULL;

	for (uint64_t e = 0; e <= last && e < n_events; e++)
		if (events[e].step == miss->step && (longest == NULL || events[e].ns > longest->ns))
			longest = &events[e];
	assert_int_equal(miss->slot, miss->step);
	assert_int_equal(miss->late_ns, end - edge - rig->slot_ns);
	assert_int_equal(miss->start_late_ns,
	    atomic_load(&rig_state(rig, 1)->start_ns[miss->step % IMAGE_STEPS]) - edge);
	if (longest == NULL)
		fail_msg("step %d has no event", (int)miss->step);
	else
		assert_true(miss->longest_ns == longest->ns && miss->instance == longest->instance);
}

/* Edges that lie in the past by more than a slot: a miss each; edges far ahead: none. */
static void test_misses(void **state)
{
	struct rig *rig = chain_new(IMAGE_TIMER, IMAGE_SLIP);
	uint64_t now, missed = 0;

	(void)state;
	rig_open(rig);
	probe_of(rig, 1)->hook = spin;
	for (uint64_t slot = 0; slot < 2 * IMAGE_MISSES + 20; slot++) {
		const bool late = slot % 4 != 0 && slot > 1;
		const uint64_t edge = clock_ns() + (late ? -10000000ull : 3600000000000ull);

		now = edge;
		segment_slot(&rig->segments[0], slot, edge, &now);
		now = clock_ns();
		assert_int_equal(segment_slot(&rig->segments[1], slot, edge, &now), SEGMENT_RAN);
		missed += late;
		assert_int_equal(atomic_load(&rig_state(rig, 1)->missed), missed);
		assert_int_equal(atomic_load(&rig_state(rig, 1)->misses), missed);
		assert_int_equal(hist_count(&rig->segments[1].lane->margin.over), missed);
		assert_int_equal(image_margin_count(&rig->segments[1].lane->margin), slot + 1);
		if (late)
			miss_is_true(rig, missed - 1, edge);
	}
	assert_true(missed > IMAGE_MISSES);
	rig_close(rig);
}

/* On a clock without edges nothing can be missed. */
static void test_no_misses_on_step(void **state)
{
	struct rig *rig = chain_new(IMAGE_STEP, IMAGE_SLIP);
	uint64_t now;

	(void)state;
	rig_open(rig);
	now = clock_ns();
	segment_slot(&rig->segments[0], 0, now - 50000000, &now);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->missed), 0);
	assert_int_equal(image_margin_count(&rig->segments[0].lane->margin), 0);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->slots), 1);
	rig_close(rig);
}

/* An instance over its budget is counted, the others are not. */
static void test_overruns(void **state)
{
	struct rig *rig = chain_new(IMAGE_TIMER, IMAGE_SLIP);

	(void)state;
	rig->nodes[1].budget_ns = 1000;
	rig->nodes[2].budget_ns = 3600000000000ull;
	rig_open(rig);
	probe_of(rig, 1)->hook = spin;
	for (uint64_t slot = 0; slot < 10; slot++) {
		rig_slot(rig, 0, slot);
		rig_slot(rig, 1, slot);
	}
	assert_int_equal(atomic_load(&stats(rig, 1)->overruns), 9);
	assert_int_equal(atomic_load(&stats(rig, 2)->overruns), 0);
	rig_close(rig);
}

/* ---- virtual ------------------------------------------------------------------------ */

struct runner {
	struct segment *segment;
	_Atomic uint32_t *quit;
	pthread_t id;
};

static void *runner_main(void *self)
{
	struct runner *runner = self;

	segment_run_virtual(runner->segment, runner->quit);
	return NULL;
}

static void limit_set(struct rig *rig, uint64_t limit)
{
	atomic_store(&rig->control.limit, limit);
	futex_wake(futex_low(&rig->control.limit), INT_MAX);
}

/* A chain of 8 segments on threads: it stops at exactly the limit, again and again, and ends with
 * the bits in order. */
static void test_virtual(void **state)
{
	enum { N = 8, LAST = 400 };
	struct rig *rig = rig_new(IMAGE_VIRTUAL, IMAGE_SLIP);
	struct runner runners[N];
	_Atomic uint32_t quit = 0;

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	for (int i = 1; i < N; i++) {
		rig_add(rig, &probe_pass, (uint32_t)i, (uint32_t)i);
		rig_link(rig, i - 1, 0, i, 0, 0);
	}
	rig->slots = LAST + 1;
	rig_open(rig);
	atomic_store(&rig->control.limit, 0);
	for (uint32_t i = 0; i < N; i++) {
		runners[i] = (struct runner){&rig->segments[i], &quit, 0};
		assert_int_equal(pthread_create(&runners[i].id, NULL, runner_main, &runners[i]), 0);
	}
	for (uint64_t limit = 1; limit < LAST; limit += 57) {
		limit_set(rig, limit);
		for (uint32_t i = 0; i < N; i++)
			while (done(rig, i) < limit)
				clock_sleep_until(clock_ns() + 20000);
		for (uint32_t i = 0; i < N; i++)
			assert_int_equal(done(rig, i), limit);
	}
	limit_set(rig, IMAGE_FOREVER);
	for (uint32_t i = 0; i < N; i++)
		pthread_join(runners[i].id, NULL);
	for (int i = 0; i < N; i++) {
		assert_int_equal(probe_of(rig, i)->calls, LAST + 1);
		assert_int_equal(atomic_load(&stats(rig, i)->absent), 0);
	}
	for (uint64_t k = 0; k < LAST; k++)
		assert_int_equal(probe_of(rig, N - 1)->log[k].value, probe_value(k) + N - 2);
	rig_close(rig);
}

/* Who sleeps spins less and less, down to some looks, and tries the whole of it at every 64th sleep
 * in a row; who sees the gate open spins longer and longer. */
static void test_spin(void **state)
{
	struct gate_spin spin = {.looks = SPIN_LOOKS_MAX};
	uint32_t looks = 0;

	(void)state;
	for (int i = 1; i < SPIN_TRY; i++) {
		gate_spin_slept(&spin);
		looks += spin.looks;
		assert_in_range(spin.looks, SPIN_LOOKS_MIN, SPIN_LOOKS_MAX / 2);
	}
	assert_int_equal(spin.looks, SPIN_LOOKS_MIN);
	assert_in_range(looks, 0, 2 * SPIN_LOOKS_MAX);
	gate_spin_slept(&spin);
	assert_int_equal(spin.looks, SPIN_LOOKS_MAX);
	gate_spin_slept(&spin);
	for (int i = 0; i < 8; i++)
		gate_spin_opened(&spin);
	assert_int_equal(spin.looks, SPIN_LOOKS_MAX);
	for (int i = 1; i < SPIN_TRY; i++) /* it begins to count again */
		gate_spin_slept(&spin);
	assert_int_equal(spin.looks, SPIN_LOOKS_MIN);
}

static void test_virtual_quit(void **state)
{
	struct rig *rig = chain_new(IMAGE_VIRTUAL, IMAGE_SLIP);
	_Atomic uint32_t quit = 0;
	struct runner runner;

	(void)state;
	rig_open(rig);
	runner = (struct runner){&rig->segments[1], &quit, 0};
	assert_int_equal(pthread_create(&runner.id, NULL, runner_main, &runner), 0);
	while (done(rig, 1) < 1) /* then it waits for a writer that never comes */
		clock_sleep_until(clock_ns() + 20000);
	atomic_store(&quit, 1);
	pthread_join(runner.id, NULL);
	assert_int_equal(done(rig, 1), 1);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_base),
	    cmocka_unit_test(test_base_moved),
	    cmocka_unit_test(test_limit),
	    cmocka_unit_test(test_skipped_slots),
	    cmocka_unit_test(test_gates),
	    cmocka_unit_test(test_ended_holds_nobody),
	    cmocka_unit_test(test_end_smallest),
	    cmocka_unit_test(test_end_by_order),
	    cmocka_unit_test(test_fault),
	    cmocka_unit_test(test_period),
	    cmocka_unit_test(test_events),
	    cmocka_unit_test(test_latency),
	    cmocka_unit_test(test_lane_load),
	    cmocka_unit_test(test_skip_absent),
	    cmocka_unit_test(test_skip_overwritten),
	    cmocka_unit_test(test_skip_recheck),
	    cmocka_unit_test(test_skip_threads),
	    cmocka_unit_test(test_skip_past_end),
	    cmocka_unit_test(test_skip_limit),
	    cmocka_unit_test(test_misses),
	    cmocka_unit_test(test_no_misses_on_step),
	    cmocka_unit_test(test_overruns),
	    cmocka_unit_test(test_virtual),
	    cmocka_unit_test(test_spin),
	    cmocka_unit_test(test_virtual_quit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
