/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spans.c - the records of a CPU as spans of time that follow each other: a thread has the CPU, or
 * an interrupt. */
#include <string.h>

#include "core/evidence/inside.h"

enum {
	INTERRUPTS_DEEP = 8,
	MOVE_NS = 100000, /* a move is recorded when the thread runs again */
	FAULT_NS =
	    30000, /* page faults that follow each other sooner are one walk over new memory */
	FAULT_ONE_NS = 500 /* what one alone takes, about */
};

struct span_walk {
	struct join *join;
	uint64_t ns;       /* of the last record */
	int32_t pid, tid;  /* has the CPU; tid -1: not known yet */
	uint64_t in_ns;    /* since when the lane's thread ran last */
	bool preempted;    /* the lane's thread was switched out and wants to run on */
	bool woken;        /* it slept, was woken, and does not run yet */
	bool passed;       /* it wants the CPU, and one of less priority gets it */
	bool stopped;      /* it sleeps, and it did no step before it fell asleep */
	bool moved;        /* the lane's thread is on another CPU */
	uint64_t function; /* work of a thread of the kernel that runs; 0: none */
	uint8_t interrupt[INTERRUPTS_DEEP]; /* kinds of cause */
	uint32_t deep;
};

static bool is_among(const int32_t *tids, size_t n, int32_t tid)
{
	for (size_t i = 0; i < n; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

/* EVIDENCE_KINDS: the lane's thread runs. */
static enum evidence_cause_kind kind_of(const struct span_walk *walk, bool begun)
{
	const struct evidence_slot *slot = walk->join->slot;
	const bool wants = walk->preempted || walk->woken;

	if (walk->deep > 0)
		return (enum evidence_cause_kind)walk->interrupt[walk->deep - 1];
	if (walk->tid == slot->tid || walk->tid < 0)
		return EVIDENCE_KINDS;
	if (walk->moved)
		return EVIDENCE_MOVED;
	if (is_among(slot->mates, slot->n_mates, walk->tid))
		return EVIDENCE_EARLIER;
	if (!wants && (begun || walk->stopped))
		return EVIDENCE_SLEPT;
	if (walk->tid != 0)
		return walk->passed ? EVIDENCE_THROTTLED : EVIDENCE_PREEMPTED;
	return wants ? EVIDENCE_THROTTLED : EVIDENCE_WOKEN;
}

static uint64_t span_overlap(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
	const uint64_t begin = a > from ? a : from, end = b < to ? b : to;

	return end > begin ? end - begin : 0;
}

static void part_add(
    const struct span_walk *walk, enum evidence_cause_kind kind, uint32_t instance, uint64_t ns)
{
	const bool thread = kind == EVIDENCE_PREEMPTED;
	struct evidence_cause *cause =
	    join_add(walk->join, kind, kind == EVIDENCE_SLEPT ? instance : IMAGE_NONE,
	        thread ? walk->pid : 0, thread ? walk->tid : 0, ns);

	if (cause == NULL)
		return;
	cause->times++;
	if (thread && walk->function != 0 && ns > cause->function_ns) {
		cause->function = walk->function;
		cause->function_ns = ns;
	}
}

/* Nobody but the lane's thread has the CPU from a to b. */
static void span_put(struct span_walk *walk, uint64_t a, uint64_t b)
{
	struct join *join = walk->join;
	const struct evidence_slot *slot = join->slot;
	const enum evidence_cause_kind before = kind_of(walk, false), within = kind_of(walk, true);
	uint64_t ns = span_overlap(a, b, join->begin_ns, slot->start_ns), gap;

	if (within == EVIDENCE_KINDS || b <= a)
		return;
	if (walk->tid != slot->tid)
		join->outside_ns += span_overlap(a, b, slot->from_ns, slot->end_ns);
	part_add(walk, before, IMAGE_NONE, ns);
	join->start_ns += ns;
	gap = span_overlap(a, b, slot->start_ns, slot->end_ns);
	while (join->call < slot->n_calls &&
	    slot->calls[join->call].start_ns + slot->calls[join->call].ns <= a)
		join->call++;
	for (size_t c = join->call; c < slot->n_calls && slot->calls[c].start_ns < b; c++) {
		struct evidence_call *call = &slot->calls[c];

		ns = span_overlap(a, b, call->start_ns, call->start_ns + call->ns);
		part_add(walk, within, call->instance, ns);
		call->outside_ns += ns;
		call->interrupts += walk->deep > 0 && ns > 0;
		gap -= ns < gap ? ns : gap;
	}
	part_add(walk, within, IMAGE_NONE, gap);
}

/* ---- records ------------------------------------------------------------------------ */

static bool is_move(const struct evidence_slot *slot, size_t i, uint64_t ns)
{
	for (; i < slot->n_records && slot->records[i].ns <= ns + MOVE_NS; i++) {
		const struct evidence_record *record = &slot->records[i];

		if (record->kind == EVIDENCE_EVENT && record->source == PERF_MIGRATIONS &&
		    record->tid == slot->tid && record->ns + MOVE_NS >= ns)
			return true;
	}
	return false;
}

/* The lane's thread is not on this CPU from record i on: is it on another? */
static bool moves_away(const struct evidence_slot *slot, size_t i)
{
	for (size_t n = i; n < slot->n_records; n++)
		if (slot->records[n].kind == EVIDENCE_IN && slot->records[n].tid == slot->tid)
			return is_move(slot, i, slot->records[n].ns);
	return slot->cpu >= 0 && slot->cpu != slot->lane_cpu;
}

/* From record i on the lane's thread wants the CPU. The scheduler gives it to nobody of less
 * priority as long as it lets the lane's thread run at all. Threads that have ended since may have
 * had any priority, so one that is known, or an idle CPU, speaks for all. */
static bool is_passed_over(const struct evidence_slot *slot, size_t i)
{
	for (; i < slot->n_records && slot->records[i].ns < slot->end_ns; i++) {
		const struct evidence_record *record = &slot->records[i];

		if (record->kind == EVIDENCE_OUT && record->other == 0)
			return true;
		if (record->kind != EVIDENCE_IN)
			continue;
		if (record->tid == slot->tid)
			return false;
		if (record->tid == 0 || is_among(slot->ordinary, slot->n_ordinary, record->tid))
			return true;
	}
	return false;
}

/* A thread that wakes up does a step; if it falls asleep without one, a signal has stopped it. */
static void lane_out(struct span_walk *walk, size_t i)
{
	const struct evidence_slot *slot = walk->join->slot;

	walk->preempted = slot->records[i].preempted;
	walk->moved = moves_away(slot, i + 1);
	walk->stopped = !walk->preempted && walk->in_ns > slot->before_ns;
	walk->woken = false;
	walk->passed = walk->preempted && !walk->moved && is_passed_over(slot, i);
}

static void lane_in(struct span_walk *walk, uint64_t ns)
{
	if (!walk->preempted) /* or it goes on with what it did */
		walk->in_ns = ns;
	walk->preempted = walk->moved = walk->woken = walk->passed = walk->stopped = false;
}

static void switch_take(struct span_walk *walk, size_t i)
{
	const struct evidence_slot *slot = walk->join->slot;
	const struct evidence_record *record = &slot->records[i];

	walk->deep = 0; /* nothing is switched in an interrupt */
	walk->function = 0;
	if (record->kind == EVIDENCE_OUT) {
		if (record->tid == slot->tid)
			lane_out(walk, i);
		/* there are kernels that write no record while a CPU is idle */
		walk->tid = walk->pid = record->other;
		return;
	}
	walk->tid = record->tid;
	walk->pid = record->pid;
	if (record->tid == slot->tid)
		lane_in(walk, record->ns);
}

static void event_take(struct span_walk *walk, size_t i)
{
	const struct evidence_slot *slot = walk->join->slot;
	const enum perf_source source = (enum perf_source)slot->records[i].source;
	static const uint8_t begins[PERF_SOURCES] = {[PERF_IRQ] = EVIDENCE_IRQ,
	    [PERF_SOFTIRQ] = EVIDENCE_SOFTIRQ,
	    [PERF_TIMER] = EVIDENCE_TIMER,
	    [PERF_RESCHEDULE] = EVIDENCE_IPI,
	    [PERF_CALL] = EVIDENCE_IPI,
	    [PERF_CALL_ONE] = EVIDENCE_IPI};
	static const bool ends[PERF_SOURCES] = {[PERF_IRQ_END] = true,
	    [PERF_SOFTIRQ_END] = true,
	    [PERF_TIMER_END] = true,
	    [PERF_RESCHEDULE_END] = true,
	    [PERF_CALL_END] = true,
	    [PERF_CALL_ONE_END] = true};

	if (source == PERF_WORK || source == PERF_WORK_END)
		walk->function = source == PERF_WORK ? slot->records[i].value : 0;
	else if (begins[source] != 0 && walk->deep < INTERRUPTS_DEEP)
		walk->interrupt[walk->deep++] = begins[source];
	else if (ends[source] && walk->deep > 0)
		walk->deep--;
	else if (source == PERF_WAKE && walk->tid != slot->tid && !walk->preempted) {
		walk->woken = true;
		walk->passed = is_passed_over(slot, i + 1);
	}
}

/* Who had the CPU before the first switch. */
static int32_t tid_first(const struct evidence_slot *slot, int32_t *ret_pid)
{
	*ret_pid = 0;
	for (size_t i = 0; i < slot->n_records; i++) {
		const struct evidence_record *record = &slot->records[i];

		*ret_pid = record->kind == EVIDENCE_OUT ? record->pid : 0;
		if (record->kind == EVIDENCE_OUT)
			return record->tid;
		if (record->kind == EVIDENCE_IN)
			return record->other;
	}
	return -1;
}

/* Its record is written at its end, and says how long it took. */
static void nmi_take(struct span_walk *walk, const struct evidence_record *record)
{
	const uint64_t took = record->value < record->ns ? record->value : record->ns,
	               begin = record->ns - took > walk->ns ? record->ns - took : walk->ns;

	span_put(walk, walk->ns, begin);
	walk->ns = begin;
	if (walk->deep == INTERRUPTS_DEEP)
		return;
	walk->interrupt[walk->deep++] = EVIDENCE_NMI;
	span_put(walk, begin, record->ns);
	walk->ns = record->ns;
	walk->deep--;
}

void join_spans(struct join *join)
{
	const struct evidence_slot *slot = join->slot;
	struct span_walk walk = {.join = join};

	walk.tid = tid_first(slot, &walk.pid);
	walk.moved = walk.tid != slot->tid && moves_away(slot, 0);
	if (walk.tid < 0 && walk.moved)
		walk.tid = 0; /* no record at all: nobody ran here */
	for (size_t i = 0; i < slot->n_records; i++) {
		const struct evidence_record *record = &slot->records[i];

		if (record->kind == EVIDENCE_EVENT && record->source == PERF_NMI)
			nmi_take(&walk, record);
		span_put(&walk, walk.ns, record->ns);
		walk.ns = record->ns;
		if (record->kind == EVIDENCE_EVENT)
			event_take(&walk, i);
		else if (record->kind != EVIDENCE_NAME)
			switch_take(&walk, i);
	}
	span_put(&walk, walk.ns, slot->end_ns);
}

uint32_t join_faults(const struct join *join, uint64_t a, uint64_t b, uint64_t *ret_ns)
{
	const struct evidence_slot *slot = join->slot;
	uint64_t last = 0, ns = 0;
	uint32_t n = 0;

	for (size_t i = 0; i < slot->n_records; i++) {
		const struct evidence_record *record = &slot->records[i];

		if (record->kind != EVIDENCE_EVENT || record->source != PERF_FAULTS ||
		    record->tid != slot->tid || record->ns < a || record->ns > b)
			continue;
		ns += last != 0 && record->ns - last < FAULT_NS ? record->ns - last : FAULT_ONE_NS;
		last = record->ns;
		n++;
	}
	*ret_ns = n == 0 && !slot->recorded ? (uint64_t)slot->faults * FAULT_ONE_NS : ns;
	return n == 0 && !slot->recorded ? slot->faults : n;
}
