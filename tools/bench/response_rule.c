/* SPDX-License-Identifier: BSD-3-Clause
 *
 * response_rule.c - the rule of response_stalls.h: pure, records in, a verdict out. */
#include "tools/bench/response_stalls.h"

/* Two clocks are not read at once, and an interrupt costs up to so much before and after its
 * handler, as in core/evidence/join.c. */
enum { UNSURE_NS = 10000, TIMER_NS = 1000000 };

struct ran_walk {
	struct stall_ran *ran;
	const struct stall_late *late;
	const int32_t *tids;
	uint64_t since_ns;
	int stage; /* that has this CPU; -1: none */
	int deep;  /* interrupts in interrupts */
};

static uint64_t ns_over(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t ns_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t ns_overlap(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
	return ns_over(b < to ? b : to, a > from ? a : from);
}

static int stage_of(const int32_t *tids, int32_t tid)
{
	for (int stage = 0; stage < RESPONSE_STAGES; stage++)
		if (tids[stage] == tid)
			return stage;
	return -1;
}

static void span_end(struct ran_walk *walk, uint64_t ns)
{
	const struct stall_late *late = walk->late;

	if (walk->stage >= 0 && walk->deep == 0) {
		struct stall_ran *ran = &walk->ran[walk->stage];

		ran->ns += ns_overlap(walk->since_ns, ns, late->from_ns, late->to_ns);
		ran->within_ns += ns_overlap(walk->since_ns, ns,
		    late->wake_ns > late->from_ns ? late->wake_ns : late->from_ns, late->end_ns);
	}
	walk->since_ns = ns;
}

static void interrupt_take(struct ran_walk *walk, const struct evidence_record *record)
{
	switch (record->source) {
	case PERF_IRQ:
	case PERF_SOFTIRQ:
	case PERF_TIMER:
	case PERF_RESCHEDULE:
	case PERF_CALL:
	case PERF_CALL_ONE:
		span_end(walk, record->ns);
		walk->deep++;
		if (walk->stage >= 0 && record->ns >= walk->late->from_ns)
			walk->ran[walk->stage].interrupts++;
		break;
	case PERF_IRQ_END:
	case PERF_SOFTIRQ_END:
	case PERF_TIMER_END:
	case PERF_RESCHEDULE_END:
	case PERF_CALL_END:
	case PERF_CALL_ONE_END:
		span_end(walk, record->ns);
		walk->deep -= walk->deep > 0;
		break;
	case PERF_NMI: /* its record is written at its end, and says how long it took */
		span_end(walk, ns_over(record->ns, record->value));
		walk->since_ns = record->ns;
		if (walk->stage >= 0 && record->ns >= walk->late->from_ns)
			walk->ran[walk->stage].interrupts++;
		break;
	default:
		break;
	}
}

static void record_take(struct ran_walk *walk, const struct evidence_record *record)
{
	if (record->kind == EVIDENCE_EVENT) {
		interrupt_take(walk, record);
	} else if (record->kind == EVIDENCE_IN || record->kind == EVIDENCE_OUT) {
		span_end(walk, record->ns);
		walk->deep = 0; /* nothing is switched in an interrupt */
		walk->stage = record->kind == EVIDENCE_IN ? stage_of(walk->tids, record->tid) : -1;
	}
}

/* Who had the CPU before the first switch; without one nobody is known to have it. */
static int stage_first(const int32_t *tids, const struct evidence_record *records, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (records[i].kind == EVIDENCE_OUT)
			return stage_of(tids, records[i].tid);
		if (records[i].kind == EVIDENCE_IN)
			return stage_of(tids, records[i].other);
	}
	return -1;
}

/* The interface's timer is on the CPU on which it fell asleep, from where the kernel moves no timer
 * of a thread. The first thing that this CPU does from when the timer was due is a timer interrupt,
 * and the interface runs on. A loop cannot keep it away: then the interrupt comes in time, and the
 * interface waits for the CPU. */
static uint64_t timer_late(
    const struct stall_late *late, int32_t tid, const struct evidence_record *records, size_t n)
{
	const struct evidence_record *due;
	bool asleep = false;
	size_t i;

	for (i = 0; i < n && (records[i].ns < late->wake_ns || records[i].kind == EVIDENCE_NAME);
	     i++)
		if (records[i].tid == tid && records[i].kind <= EVIDENCE_OUT)
			asleep = records[i].kind == EVIDENCE_OUT && !records[i].preempted &&
			    records[i].ns >= late->from_ns;
	due = &records[i];
	if (!asleep || i == n || due->kind != EVIDENCE_EVENT || due->source != PERF_TIMER ||
	    due->ns < late->wake_ns + TIMER_NS)
		return 0;
	while (i < n && !(records[i].kind == EVIDENCE_IN && records[i].tid == tid))
		i++;
	return i < n && records[i].ns <= late->begin_ns ? due->ns - late->wake_ns : 0;
}

void stall_ran_add(struct stall_ran ran[RESPONSE_STAGES], const struct stall_late *late,
    const int32_t tids[RESPONSE_STAGES], const struct evidence_record *records, size_t n)
{
	struct ran_walk walk = {.ran = ran, .late = late, .tids = tids};

	ran[RESPONSE_STAGE_INTERFACE].timer_ns +=
	    timer_late(late, tids[RESPONSE_STAGE_INTERFACE], records, n);
	walk.stage = stage_first(tids, records, n);
	for (size_t i = 0; i < n && records[i].ns <= late->to_ns; i++)
		record_take(&walk, &records[i]);
	if (walk.stage >= 0)
		ran[walk.stage].at_end = true;
	span_end(&walk, late->to_ns);
}

/* The interface reads its own CPU time, which is a fresh one. */
static uint64_t stood_ns(
    const struct stall_late *late, const struct stall_ran *ran, enum response_stage stage)
{
	if (ran->at_end && stage != RESPONSE_STAGE_INTERFACE)
		return 0;
	return ns_over(ns_least(ns_over(ran->ns, late->cpu_ns[stage]), ran->within_ns),
	    UNSURE_NS * (1 + (uint64_t)ran->interrupts));
}

bool stall_judge(const struct stall_late *late, const struct stall_ran ran[RESPONSE_STAGES],
    struct stall_chain *chain, struct response_stall *ret)
{
	uint64_t most = 0, ns;

	*ret = (struct response_stall){.subframe = late->subframe, .late_ns = late->late_ns};
	if (chain->next == late->subframe) /* it had to wait for the answer before */
		ret->before_ns = ns_least(chain->ns, ns_over(late->from_ns, late->wake_ns));
	ret->timer_ns = ran[RESPONSE_STAGE_INTERFACE].timer_ns;
	ns = ret->before_ns + ret->timer_ns;
	for (int stage = 0; stage < RESPONSE_STAGES; stage++) {
		const uint64_t stood = stood_ns(late, &ran[stage], (enum response_stage)stage);

		ns += stood;
		ret->stood_ns += stood;
		if (stood <= most)
			continue;
		most = stood;
		ret->stage = (uint32_t)stage;
		ret->ran_ns = ran[stage].ns;
		ret->cpu_ns = late->cpu_ns[stage];
	}
	*chain = (struct stall_chain){late->subframe + 1, ns};
	return ns >= late->late_ns && 2 * ns >= late->late_ns + late->slack_ns;
}

/* ---- what is known of a cell ----------------------------------------------------------------- */

void response_stall_add(struct response_result *to, const struct response_stall *stall)
{
	if (to->n_stalls < RESPONSE_STALLS)
		to->stalls[to->n_stalls++] = *stall;
	to->proven++;
}

void response_add(struct response_result *to, const struct response_result *part)
{
	for (uint64_t i = 0; i < part->n_stalls && to->n_stalls < RESPONSE_STALLS; i++) {
		to->stalls[to->n_stalls] = part->stalls[i];
		to->stalls[to->n_stalls++].subframe += to->subframes;
	}
	to->subframes += part->subframes;
	to->failed += part->failed;
	to->judged += part->judged;
	to->proven += part->proven;
	to->loops_ns += part->loops_ns;
	to->all_ns += part->all_ns;
	to->why_not = part->why_not ? part->why_not : to->why_not;
	hist_merge(&to->ns, &part->ns);
}
