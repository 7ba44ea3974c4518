/* SPDX-License-Identifier: BSD-3-Clause
 * core/evidence: bytes of a ring become records, whatever is wrong with them, and records and times
 * become causes that add up to the lateness. */
#include <linux/perf_event.h>
#include <string.h>

#include "core/evidence/evidence.h"
#include "core/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { RING = 4096, MAX = 200, LANE = 100, OTHER = 200, MATE = 101, US = 1000, SLOT_US = 1000 };

/* ---- a ring ------------------------------------------------------------------------ */

struct ring {
	uint8_t bytes[RING];
	uint64_t head;
	uint64_t ids[PERF_SOURCES];
	uint16_t fields[PERF_SOURCES];
	struct evidence_record records[MAX];
	struct evidence_losses losses;
	bool whole;
};

static void ring_init(struct ring *ring)
{
	*ring = (struct ring){0};
	for (uint64_t s = 0; s < PERF_SOURCES; s++)
		ring->ids[s] = 70 + s;
	ring->fields[PERF_WORK] = ring->fields[PERF_NMI] = 16;
}

/* Written backwards: a record ends where the one before began. */
static void ring_put(struct ring *ring, uint32_t type, uint16_t misc, const void *body, size_t len)
{
	struct perf_event_header head = {type, misc, (uint16_t)(sizeof(head) + len)};
	uint8_t record[256];

	assert_true(sizeof(head) + len <= sizeof(record));
	memcpy(record, &head, sizeof(head));
	memcpy(record + sizeof(head), body, len);
	ring->head -= head.size;
	for (size_t i = 0; i < head.size; i++)
		ring->bytes[(ring->head + i) % RING] = record[i];
}

static void ring_switch(struct ring *ring, uint64_t ns, bool out, int32_t tid, int32_t other)
{
	const struct {
		int32_t other_pid, other_tid, pid, tid;
		uint64_t ns, cpu, id;
	} body = {other, other, tid, tid, ns, 1, 70};

	ring_put(ring, PERF_RECORD_SWITCH_CPU_WIDE, out ? PERF_RECORD_MISC_SWITCH_OUT : 0, &body,
	    sizeof(body));
}

static void ring_sample(struct ring *ring, uint64_t ns, uint64_t id, int32_t tid)
{
	const struct {
		uint64_t id;
		int32_t pid, tid;
		uint64_t ns, cpu;
	} body = {id, tid, tid, ns, 1};

	ring_put(ring, PERF_RECORD_SAMPLE, 0, &body, sizeof(body));
}

/* Of a tracepoint: raw bytes of `len`, of which the last 8 are the value. */
static void ring_value(
    struct ring *ring, uint64_t ns, enum perf_source source, uint32_t len, uint64_t value)
{
	struct {
		uint64_t id;
		int32_t pid, tid;
		uint64_t ns, cpu;
		uint32_t len;
		uint8_t raw[28];
	} body = {70 + source, OTHER, OTHER, ns, 1, len, {0}};

	memcpy(body.raw + 16, &value, sizeof(value));
	ring_put(ring, PERF_RECORD_SAMPLE, 0, &body, sizeof(body));
}

static size_t ring_read(struct ring *ring, uint64_t after, uint64_t from_ns)
{
	const struct evidence_bytes bytes = {.bytes = ring->bytes,
	    .size = RING,
	    .copied = RING,
	    .head = ring->head,
	    .after = after,
	    .ids = ring->ids,
	    .fields = ring->fields,
	    .valid = (1u << PERF_SOURCES) - 1};

	return evidence_read(&bytes, from_ns, ring->records, MAX, &ring->losses, &ring->whole);
}

static void test_records(void **state)
{
	struct ring ring;

	(void)state;
	ring_init(&ring);
	assert_int_equal(ring_read(&ring, 0, 0), 0);
	assert_true(ring.whole);
	ring_switch(&ring, 10, true, LANE, OTHER);
	ring_switch(&ring, 11, false, OTHER, LANE);
	ring_sample(&ring, 12, 70 + PERF_FAULTS, OTHER);
	assert_int_equal(ring_read(&ring, ring.head, 0), 3);
	assert_true(ring.whole);
	assert_int_equal(ring.records[0].kind, EVIDENCE_OUT);
	assert_int_equal(ring.records[1].kind, EVIDENCE_IN);
	assert_int_equal(ring.records[1].other, LANE);
	assert_int_equal(ring.records[2].kind, EVIDENCE_EVENT);
	assert_int_equal(ring.records[2].source, PERF_FAULTS);
	assert_int_equal(ring.records[2].ns, 12);
	assert_int_equal(ring_read(&ring, ring.head, 11), 2);
	assert_true(ring.whole);
}

/* A record that is too short for its value makes no sense. */
static void test_values(void **state)
{
	struct ring ring;

	(void)state;
	ring_init(&ring);
	ring_value(&ring, 10, PERF_WORK, 24, 0xffffffff81000000);
	ring_value(&ring, 20, PERF_NMI, 28, 7);
	assert_int_equal(ring_read(&ring, ring.head, 0), 2);
	assert_true(ring.records[0].value == 0xffffffff81000000);
	assert_int_equal(ring.records[1].source, PERF_NMI);
	assert_int_equal(ring.records[1].value, 7);
	ring_value(&ring, 30, PERF_NMI, 20, 7);
	assert_int_equal(ring_read(&ring, ring.head, 0), 0);
	assert_int_equal(ring.losses.corrupt, 1);
	ring_sample(&ring, 40, 70 + PERF_WORK, OTHER);
	assert_int_equal(ring_read(&ring, ring.head, 0), 0);
	assert_int_equal(ring.losses.corrupt, 2);
}

/* More than the ring holds: the newest are there, in order, and nothing is said to be whole. */
static void test_overwritten(void **state)
{
	struct ring ring;
	size_t n;

	(void)state;
	ring_init(&ring);
	for (uint64_t ns = 1; ns <= 1000; ns++)
		ring_switch(&ring, ns, ns % 2, LANE, OTHER);
	n = ring_read(&ring, ring.head, 0);
	assert_int_equal(n, RING / 48);
	assert_false(ring.whole);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ring.records[i].ns, 1000 - n + 1 + i);
	assert_int_equal(ring.losses.corrupt, 0);
	/* the kernel wrote ten more while the copy was made: the ten oldest are not read */
	assert_int_equal(ring_read(&ring, ring.head - 10 * 48, 0), n - 10);
	assert_int_equal(ring_read(&ring, ring.head - RING, 0), 0);
	assert_int_equal(ring_read(&ring, ring.head - RING, 999), 0);
	assert_false(ring.whole);
}

static void test_losses(void **state)
{
	const struct {
		uint64_t id, lost, tail[4];
	} lost = {.lost = 17};
	struct ring ring;

	(void)state;
	ring_init(&ring);
	ring_switch(&ring, 1, true, LANE, OTHER);
	ring_put(&ring, PERF_RECORD_LOST, 0, &lost, sizeof(lost));
	ring_sample(&ring, 3, 70, LANE);
	assert_int_equal(ring_read(&ring, ring.head, 0), 2);
	assert_int_equal(ring.losses.lost, 17);
	ring_sample(&ring, 4, 1, LANE); /* of nobody */
	ring_sample(&ring, 5, 71, LANE);
	assert_int_equal(ring_read(&ring, ring.head, 0), 1);
	assert_int_equal(ring.losses.corrupt, 1);
	assert_false(ring.whole);
}

/* ---- causes ------------------------------------------------------------------------ */

struct story {
	struct evidence_record records[MAX];
	struct evidence_call calls[4];
	struct evidence_slot slot;
	struct evidence_cause causes[EVIDENCE_CAUSES];
	size_t n;
};

/* A slot of 1 ms whose two instances take 100 us each as a rule. It began at its edge, at 10 ms. */
static void story_init(struct story *story)
{
	const uint64_t edge = 10000 * US;

	*story = (struct story){0};
	story->slot = (struct evidence_slot){.kind = IMAGE_MISS_LATE,
	    .edge_ns = edge,
	    .slot_ns = SLOT_US * US,
	    .start_ns = edge,
	    .from_ns = edge - 50 * US,
	    .instance = IMAGE_NONE,
	    .tid = LANE,
	    .lane_cpu = 1,
	    .cpu = 1,
	    .calls = story->calls,
	    .n_calls = 2,
	    .records = story->records,
	    .recorded = true};
	for (uint32_t c = 0; c < 2; c++)
		story->calls[c] = (struct evidence_call){
		    .ns = 100 * US, .usual_ns = 100 * US, .rare_ns = 120 * US, .instance = c};
}

static void story_record(
    struct story *story, uint64_t us, enum evidence_kind kind, int32_t tid, int32_t other)
{
	story->records[story->slot.n_records++] = (struct evidence_record){
	    .ns = us * US, .kind = kind, .pid = tid, .tid = tid, .other = other};
}

/* The lane's thread loses the CPU; preempted: it wants to run on. */
static void story_out(struct story *story, uint64_t us, bool preempted, int32_t other)
{
	story_record(story, us, EVIDENCE_OUT, LANE, other);
	story->records[story->slot.n_records - 1].preempted = preempted;
	story_record(story, us, EVIDENCE_IN, other, LANE);
}

static void story_event(struct story *story, uint64_t us, enum perf_source source)
{
	story->records[story->slot.n_records++] = (struct evidence_record){
	    .ns = us * US, .kind = EVIDENCE_EVENT, .source = source, .pid = LANE, .tid = LANE};
}

/* cpu_us: CPU time of the thread; what is missing of the wall time it did not have. */
static void story_end(struct story *story, uint64_t missing_us)
{
	struct evidence_slot *slot = &story->slot;
	uint64_t sum = 0;

	slot->end_ns = slot->start_ns + story->calls[0].ns + story->calls[1].ns;
	assert_true(slot->end_ns > slot->edge_ns + slot->slot_ns);
	slot->late_ns = slot->end_ns - slot->edge_ns - slot->slot_ns;
	slot->cpu_ns = slot->end_ns - slot->from_ns - missing_us * US;
	story->calls[0].start_ns = slot->start_ns;
	story->calls[1].start_ns = slot->start_ns + story->calls[0].ns;
	story->n = evidence_join(slot, story->causes);
	for (size_t i = 0; i < story->n; i++)
		sum += story->causes[i].share_ns;
	assert_int_equal(sum, slot->late_ns);
}

static void story_is(
    const struct story *story, size_t n, enum evidence_cause_kind kind, uint64_t least_us)
{
	assert_true(n < story->n);
	if (story->causes[n].kind != kind || story->causes[n].took_ns < least_us * US * 9 / 10 ||
	    story->causes[n].took_ns > least_us * US * 11 / 10)
		fail_msg("cause %zu is %s, %d us", n,
		    evidence_word((enum evidence_cause_kind)story->causes[n].kind),
		    (int)(story->causes[n].took_ns / US));
}

static void test_component(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[1].ns = 1500 * US;
	story_end(&story, 0);
	assert_int_equal(story.n, 1);
	story_is(&story, 0, EVIDENCE_COMPONENT, 1400);
	assert_int_equal(story.causes[0].instance, 1);
	assert_true(evidence_own_doing(story.causes, story.n));
}

static void test_pages(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[0].ns = 1500 * US;
	for (uint64_t f = 0; f < 150; f++)
		story_event(&story, 10050 + 10 * f, PERF_FAULTS);
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_PAGES, 1400);
	assert_true(evidence_own_doing(story.causes, story.n));
}

static void test_preempted(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[1].ns = 1500 * US;
	story_out(&story, 10150, true, OTHER);
	story_record(&story, 11550, EVIDENCE_OUT, OTHER, LANE);
	story_record(&story, 11550, EVIDENCE_IN, LANE, OTHER);
	story_end(&story, 1400);
	assert_int_equal(story.n, 1);
	story_is(&story, 0, EVIDENCE_PREEMPTED, 1400);
	assert_int_equal(story.causes[0].tid, OTHER);
	assert_false(evidence_own_doing(story.causes, story.n));
}

static void test_stolen(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[0].ns = 1500 * US;
	story_end(&story, 1390);
	story_is(&story, 0, EVIDENCE_STOLEN, 1390);
	assert_int_equal(story.n, 1);
	assert_false(evidence_own_doing(story.causes, story.n));
	/* without records nobody knows who had the CPU, but it was not the component */
	story.slot.recorded = false;
	story.slot.switches = 3;
	story_end(&story, 1390);
	story_is(&story, 0, EVIDENCE_OFF_CPU, 1340); /* it may have slept until the edge */
	assert_false(evidence_own_doing(story.causes, story.n));
	/* without CPU time, too, nothing tells the machine from the component */
	story.slot.from_ns = 0;
	story_end(&story, 1390);
	story_is(&story, 0, EVIDENCE_COMPONENT, 1400);
}

/* A component and a preemption in one slot have their own part each. */
static void test_two(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[0].ns = 900 * US;  /* 800 of its own */
	story.calls[1].ns = 1500 * US; /* 1400 of which another thread had the CPU */
	story_out(&story, 10950, true, OTHER);
	story_record(&story, 12350, EVIDENCE_IN, LANE, OTHER);
	story_end(&story, 1400);
	assert_int_equal(story.n, 2);
	story_is(&story, 0, EVIDENCE_PREEMPTED, 1400);
	story_is(&story, 1, EVIDENCE_COMPONENT, 800);
	assert_false(evidence_own_doing(story.causes, story.n));
}

static void test_woken(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.slot.start_ns += 1200 * US;
	story.slot.from_ns = story.slot.start_ns;
	story_record(&story, 9300, EVIDENCE_IN, 0, LANE);
	story_record(&story, 11200, EVIDENCE_IN, LANE, 0);
	story_end(&story, 0);
	assert_int_equal(story.n, 1);
	story_is(&story, 0, EVIDENCE_WOKEN, 1200);
	story.slot.n_records = 0; /* no record while the CPU is idle */
	story_record(&story, 9300, EVIDENCE_OUT, LANE, 0);
	story_record(&story, 11200, EVIDENCE_IN, LANE, 0);
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_WOKEN, 1200);
}

/* A thread that wants to run does not, while others of less priority, or nobody, have the CPU. Of
 * threads that have ended nobody knows the priority; an idle CPU in between speaks for them. */
static void test_throttled(void **state)
{
	const int32_t ordinary[] = {OTHER};
	struct story story;

	(void)state;
	for (int round = 0; round < 3; round++) {
		story_init(&story);
		story.calls[1].ns = 1500 * US;
		story.slot.ordinary = ordinary;
		story.slot.n_ordinary = round == 0;
		story_out(&story, 10150, true, OTHER);
		if (round == 1)
			story_record(&story, 10900, EVIDENCE_IN, 0, OTHER);
		story_record(&story, 11550, EVIDENCE_IN, LANE, 0);
		story_end(&story, 1400);
		assert_int_equal(story.n, 1);
		story_is(&story, 0, round < 2 ? EVIDENCE_THROTTLED : EVIDENCE_PREEMPTED, 1400);
		assert_false(evidence_own_doing(story.causes, story.n));
	}
	/* or it was woken at the edge, and did not run */
	story_init(&story);
	story.slot.start_ns += 1200 * US;
	story.slot.from_ns = story.slot.start_ns;
	story.slot.ordinary = ordinary;
	story.slot.n_ordinary = 1;
	story_record(&story, 9300, EVIDENCE_IN, 17, LANE);
	story_event(&story, 10000, PERF_WAKE);
	story.records[1].tid = 17;
	story_record(&story, 10000, EVIDENCE_IN, OTHER, 17);
	story_record(&story, 11200, EVIDENCE_IN, LANE, OTHER);
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_THROTTLED, 1200);
	story.slot.n_ordinary = 0;
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_PREEMPTED, 1200);
}

/* A thread sleeps in a call, or before it began: it woke up and slept again without a step. Who
 * has the CPU meanwhile has done nothing. */
static void test_stopped(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[1].ns = 1500 * US;
	story_out(&story, 10150, false, OTHER);
	story_record(&story, 11550, EVIDENCE_IN, LANE, OTHER);
	story_end(&story, 1400);
	story_is(&story, 0, EVIDENCE_SLEPT, 1400);
	assert_int_equal(story.causes[0].instance, 1);
	story_init(&story);
	story.slot.start_ns += 1200 * US;
	story.slot.from_ns = story.slot.start_ns;
	story.slot.before_ns = 9300 * US;
	story_record(&story, 9000, EVIDENCE_IN, LANE, 0);
	story_out(&story, 9310, false, 0);
	story_record(&story, 9700, EVIDENCE_IN, LANE, 0);
	story_out(&story, 9705, false, OTHER);
	story_record(&story, 11200, EVIDENCE_IN, LANE, OTHER);
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_SLEPT, 1200);
	assert_int_equal(story.causes[0].instance, IMAGE_NONE);
	assert_false(evidence_own_doing(story.causes, story.n));
}

/* What comes around the handlers of many interrupts is not the call's own. */
static void test_storm(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[1].ns = 1000 * US;
	for (uint64_t n = 0; n < 90; n++) {
		story_event(&story, 10150 + 10 * n, PERF_CALL_ONE);
		story_event(&story, 10151 + 10 * n, PERF_CALL_ONE_END);
	}
	story_end(&story, 0);
	assert_int_equal(story.n, 1);
	story_is(&story, 0, EVIDENCE_IPI, 900);
	assert_int_equal(story.causes[0].times, 90);
}

/* A thread of the kernel has the CPU: what it does longest is named. */
static void test_work(void **state)
{
	const uint64_t took[] = {50, 250, 100};
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[1].ns = 1500 * US;
	story_out(&story, 10150, true, OTHER);
	for (uint64_t n = 0; n < 3; n++) {
		story_event(&story, 10200 + 300 * n, PERF_WORK);
		story.records[story.slot.n_records - 1].value = 0xf0 + n;
		story_event(&story, 10200 + 300 * n + took[n], PERF_WORK_END);
	}
	story_record(&story, 11550, EVIDENCE_IN, LANE, OTHER);
	story_end(&story, 1400);
	assert_int_equal(story.n, 1);
	story_is(&story, 0, EVIDENCE_PREEMPTED, 1400);
	assert_int_equal(story.causes[0].function, 0xf1);
	assert_int_equal(story.causes[0].function_ns, 250 * US);
}

/* The record comes at the end of it; one that claims more time than there was begins with the
 * record before. */
static void test_nmi(void **state)
{
	struct story story;

	(void)state;
	for (int round = 0; round < 2; round++) {
		story_init(&story);
		story.calls[1].ns = 1500 * US;
		story_record(&story, 9900, EVIDENCE_IN, LANE, 0);
		story_event(&story, 10150, PERF_FAULTS);
		story_event(&story, 11550, PERF_NMI);
		story.records[2].value = round == 0 ? 1400 * US : UINT64_MAX;
		story_end(&story, 0);
		assert_int_equal(story.n, 1);
		story_is(&story, 0, EVIDENCE_NMI, 1400);
		assert_false(evidence_own_doing(story.causes, story.n));
	}
	/* many short ones, with what comes around each of them */
	story_init(&story);
	story.calls[1].ns = 1000 * US;
	story_record(&story, 9900, EVIDENCE_IN, LANE, 0);
	for (uint64_t n = 0; n < 90; n++) {
		story_event(&story, 10110 + 10 * n, PERF_NMI);
		story.records[story.slot.n_records - 1].value = US;
	}
	story_end(&story, 0);
	assert_int_equal(story.n, 1);
	story_is(&story, 0, EVIDENCE_NMI, 900);
}

static void test_before(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.slot.start_ns += 1200 * US;
	story.slot.before_ns = story.slot.start_ns;
	story_end(&story, 0);
	assert_int_equal(story.n, 1);
	story_is(&story, 0, EVIDENCE_BEFORE, 1200);
}

/* A slot that is late because of the slot before, and would have been late without it, too. */
static void test_heavy(void **state)
{
	struct story story;

	(void)state;
	for (int round = 0; round < 3; round++) {
		story_init(&story);
		story.slot.start_ns += 3000 * US;
		story.slot.before_ns = story.slot.start_ns;
		story.calls[1].ns = round == 1 ? 950 * US : 700 * US;
		if (round == 2) /* the usual work alone is too long */
			for (int c = 0; c < 2; c++)
				story.calls[c].ns = story.calls[c].usual_ns =
				    story.calls[c].rare_ns = 700 * US;
		story_end(&story, 0);
		story_is(&story, 0, EVIDENCE_BEFORE, 3000);
		assert_false(evidence_own_doing(story.causes, story.n));
		assert_int_equal(evidence_heavy(&story.slot, story.causes, story.n), round > 0);
	}
	story_init(&story); /* the call is long, because another thread had the CPU */
	story.calls[1].ns = 1500 * US;
	story_out(&story, 10150, true, OTHER);
	story_record(&story, 11550, EVIDENCE_IN, LANE, OTHER);
	story_end(&story, 1400);
	assert_false(evidence_heavy(&story.slot, story.causes, story.n));
}

static void test_moved(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[0].ns = 1500 * US;
	story_record(&story, 10050, EVIDENCE_OUT, LANE, 17);
	story_record(&story, 10050, EVIDENCE_IN, 17, LANE);
	story_record(&story, 10060, EVIDENCE_IN, 0, 17);
	story_event(&story, 11450, PERF_MIGRATIONS);
	story_record(&story, 11450, EVIDENCE_IN, LANE, 0);
	story_end(&story, 1400);
	story_is(&story, 0, EVIDENCE_MOVED, 1400);
	story_init(&story); /* and has not come back */
	story.calls[0].ns = 1500 * US;
	story.slot.cpu = 0;
	story_record(&story, 10050, EVIDENCE_OUT, LANE, 17);
	story_record(&story, 10050, EVIDENCE_IN, 17, LANE);
	story_record(&story, 10060, EVIDENCE_IN, 0, 17);
	story_end(&story, 1550);
	story_is(&story, 0, EVIDENCE_MOVED, 1550);
}

static void test_interrupts(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[1].ns = 1500 * US;
	story_record(&story, 10001, EVIDENCE_IN, LANE, 0);
	story_event(&story, 10150, PERF_SOFTIRQ);
	story_event(&story, 10250, PERF_TIMER); /* within */
	story_event(&story, 10260, PERF_TIMER_END);
	story_event(&story, 11550, PERF_SOFTIRQ_END);
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_SOFTIRQ, 1390);
	assert_int_equal(story.n, 1);
}

/* Two instances of one slot: the machine. The usual work alone: the slot is too short. */
static void test_slow_and_short(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.calls[0].ns = story.calls[1].ns = 900 * US;
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_SLOW, 1600);
	assert_int_equal(story.causes[0].times, 2);
	assert_false(evidence_own_doing(story.causes, story.n));
	story_event(&story, 9900, PERF_FREQUENCY); /* too early */
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_SLOW, 1600);
	story_event(&story, 10300, PERF_FREQUENCY);
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_CLOCK, 1600);
	story_init(&story);
	for (int c = 0; c < 2; c++)
		story.calls[c].ns = story.calls[c].usual_ns = story.calls[c].rare_ns = 900 * US;
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_SHORT, 800);
	assert_true(evidence_own_doing(story.causes, story.n));
}

static void test_unknown(void **state)
{
	struct story story;

	(void)state;
	story_init(&story);
	story.slot.start_ns += 1200 * US; /* nobody knows why */
	story.slot.recorded = false;
	story.slot.from_ns = 0;
	story_end(&story, 0);
	assert_int_equal(story.n, 1);
	story_is(&story, 0, EVIDENCE_UNKNOWN, 1200);
	story.slot.lost = true;
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_LOST, 1200);
	/* the thread slept until it read its clock, and none of its lane kept it */
	story.slot.from_ns = story.slot.start_ns;
	story.slot.lost = false;
	story_end(&story, 0);
	story_is(&story, 0, EVIDENCE_UNKNOWN, 1200);
	story.slot.alone = true;
	story_end(&story, 0);
	assert_int_equal(story.n, 1);
	story_is(&story, 0, EVIDENCE_OFF_CPU, 1200);
}

/* Every cause has its words. */
static void test_words(void **state)
{
	char text[256];

	(void)state;
	for (uint32_t k = 0; k < EVIDENCE_KINDS; k++) {
		const struct evidence_cause cause = {.kind = k, .took_ns = 1234567, .tid = 42};

		assert_non_null(evidence_word((enum evidence_cause_kind)k));
		evidence_words(&cause, "decoder", text, sizeof(text));
		assert_true(strlen(text) > 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_records),
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_overwritten),
	    cmocka_unit_test(test_losses),
	    cmocka_unit_test(test_component),
	    cmocka_unit_test(test_pages),
	    cmocka_unit_test(test_preempted),
	    cmocka_unit_test(test_stolen),
	    cmocka_unit_test(test_two),
	    cmocka_unit_test(test_woken),
	    cmocka_unit_test(test_throttled),
	    cmocka_unit_test(test_stopped),
	    cmocka_unit_test(test_storm),
	    cmocka_unit_test(test_work),
	    cmocka_unit_test(test_nmi),
	    cmocka_unit_test(test_before),
	    cmocka_unit_test(test_heavy),
	    cmocka_unit_test(test_moved),
	    cmocka_unit_test(test_interrupts),
	    cmocka_unit_test(test_slow_and_short),
	    cmocka_unit_test(test_unknown),
	    cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
