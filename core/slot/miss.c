/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/miss.h"

#include <assert.h>
#include <sched.h>
#include <sys/resource.h>

#include "core/base/clock.h"
#include "core/slot/steps.h"

enum { READ_NS = 3000, LATE_PART = 16, POLLS_EVERY = 1024 };

void witness_read(struct witness *witness)
{
	struct rusage usage = {0};
	struct timespec cpu = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	witness->at_ns = clock_ns();
	witness->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
	getrusage(RUSAGE_THREAD, &usage);
	witness->faults = (uint32_t)(usage.ru_minflt + usage.ru_majflt);
	witness->switches = (uint32_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

void witness_wait(
    struct witness *witness, uint64_t now_ns, uint64_t edge_ns, uint64_t slot_ns, bool slept)
{
	const bool has_time = now_ns + READ_NS < edge_ns,
	           late = slept && now_ns > edge_ns + slot_ns / LATE_PART,
	           due = slept || now_ns > witness->at_ns + POLLS_EVERY * slot_ns;

	if (late || (has_time && due))
		witness_read(witness);
}

void witness_poll(struct witness *witness, uint64_t slot)
{
	if (slot % POLLS_EVERY == 0)
		witness_read(witness);
}

/* The thread's own part of a record: since the reading before this slot, or after the last late
 * one. */
static void witness_put(struct segment *segment, struct image_miss *miss)
{
	struct witness *witness = segment->witness, before;

	assert(miss->tid == 0);
	assert(miss->from_ns == 0);
	if (witness == NULL)
		return;
	before = *witness;
	witness_read(witness);
	miss->tid = (int32_t)syscall(SYS_gettid);
	miss->cpu = sched_getcpu();
	if (before.at_ns == 0)
		return;
	miss->from_ns = before.at_ns;
	miss->cpu_ns = witness->cpu_ns - before.cpu_ns;
	miss->faults = witness->faults - before.faults;
	miss->switches = witness->switches - before.switches;
}

static void longest_put(const struct segment *segment, struct image_miss *miss)
{
	const struct image_segment_state *state = segment->state;

	assert(segment->n_events > 0);
	assert(miss->longest_ns == 0);
	for (uint32_t i = 0; i < segment->n_instances; i++) {
		const uint64_t events = atomic_load_explicit(&state->events, memory_order_relaxed);
		const struct image_event *event =
		    &segment->events[(events - 1 - i) % segment->n_events];

		if (i < events && event->step == miss->step && event->ns > miss->longest_ns) {
			miss->longest_ns = event->ns;
			miss->instance = event->instance;
		}
	}
}

static struct image_miss *miss_begin(struct segment *segment, enum image_miss_kind kind,
    uint64_t slot, uint64_t step, uint64_t edge_ns)
{
	struct image_segment_state *state = segment->state;
	const uint64_t n = atomic_load_explicit(&state->misses, memory_order_relaxed);
	const struct image_miss *last = n > 0 ? &state->miss[(n - 1) % IMAGE_MISSES] : NULL;
	struct image_miss *miss = &state->miss[n % IMAGE_MISSES];

	assert(state != NULL);
	assert(segment->counts_misses);
	assert(kind < IMAGE_MISS_KINDS);
	*miss = (struct image_miss){
	    .slot = slot,
	    .step = step,
	    .at_ns = edge_ns,
	    .count = 1,
	    .cpu = -1,
	    .kind = kind,
	    .instance = IMAGE_NONE,
	    .follows = last != NULL && last->slot + last->count == slot,
	};
	return miss;
}

static void miss_end(struct segment *segment)
{
	const uint64_t n = atomic_load_explicit(&segment->state->misses, memory_order_relaxed);

	atomic_store_explicit(&segment->state->misses, n + 1, memory_order_release);
}

void miss_late(struct segment *segment, uint64_t slot, uint64_t step, uint64_t edge_ns,
    uint64_t start_ns, uint64_t end_ns)
{
	struct image_miss *miss = miss_begin(segment, IMAGE_MISS_LATE, slot, step, edge_ns);

	assert(end_ns >= start_ns);
	assert(end_ns > edge_ns + segment->span_ns);
	miss->late_ns = end_ns - edge_ns - segment->span_ns;
	miss->start_late_ns = start_ns > edge_ns ? start_ns - edge_ns : 0;
	longest_put(segment, miss);
	witness_put(segment, miss);
	miss_end(segment);
	segment_bump(&segment->state->missed, 1);
}

void miss_skipped(
    struct segment *segment, uint64_t slot, uint64_t n, uint64_t edge_ns, uint64_t now_ns)
{
	const uint64_t first_ns = edge_ns - n * segment->slot_ns;
	struct image_miss *miss;

	assert(n > 0);
	assert(slot >= n);
	segment_bump(&segment->state->skipped, n);
	if (!segment->counts_misses)
		return;
	miss = miss_begin(segment, IMAGE_MISS_SKIPPED, slot - n, segment_done(segment), first_ns);
	miss->count = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	miss->start_late_ns = now_ns - first_ns;
	miss->late_ns =
	    now_ns > first_ns + segment->slot_ns ? now_ns - first_ns - segment->slot_ns : 0;
	witness_put(segment, miss);
	miss_end(segment);
}

/* The instance whose record, or the segment whose step, is not there. */
static uint32_t awaited_of(const struct segment *segment)
{
	for (uint32_t i = 0; i < segment->n_io; i++)
		if (!instance_can(segment->io[i]))
			return segment->io[i]->number;
	return IMAGE_NONE;
}

void miss_slipped(struct segment *segment, uint64_t slot, uint64_t step, uint64_t edge_ns)
{
	struct image_miss *miss;

	segment_bump(&segment->state->slipped, 1);
	if (!segment->counts_misses)
		return;
	miss = miss_begin(segment, IMAGE_MISS_SLIPPED, slot, step, edge_ns);
	miss->late_ns = segment->slot_ns;
	miss->instance = awaited_of(segment);
	miss_end(segment);
}

void miss_absent(struct segment *segment, uint64_t slot, uint64_t step, uint64_t edge_ns)
{
	struct image_miss *miss;

	if (segment->counts_misses) {
		miss = miss_begin(segment, IMAGE_MISS_ABSENT, slot, step, edge_ns);
		miss->late_ns = segment->slot_ns;
		miss->instance = segment->lacks - 1;
		miss_end(segment);
	}
	segment->lacks = 0;
}

/* A slot that was missed because of that: exec finds the radio as a cause of it. */
static bool has_record(const struct segment *segment, uint64_t slot)
{
	const struct image_segment_state *state = segment->state;
	const uint64_t n = atomic_load_explicit(&state->misses, memory_order_relaxed);

	return n > 0 && state->miss[(n - 1) % IMAGE_MISSES].slot == slot;
}

void miss_radio(struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t late_ns)
{
	struct image_miss *miss;

	if (!segment->counts_misses || has_record(segment, slot))
		return;
	miss = miss_begin(segment, IMAGE_MISS_RADIO, slot, segment_done(segment), edge_ns);
	miss->late_ns = late_ns;
	miss_end(segment);
}
