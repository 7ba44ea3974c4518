/* SPDX-License-Identifier: BSD-3-Clause
 *
 * response_rule.c - the rule of response_stalls.h: pure, records in, a verdict out. */
#include "tools/bench/response_stalls.h"

/* ROUNDS: a core that is sound takes up to an eighth longer for its rounds than at its best.
 * OWN: the chain's waking and falling asleep, beside its work. */
enum { ROUNDS_PART = 8, OWN_NS = 100000 };

enum cpu_holder { HOLDER_OTHER, HOLDER_IDLE, HOLDER_CHAIN };

struct had_walk {
	struct stall_had *had;
	const int32_t *tids;
	uint64_t from_ns, end_ns, since_ns;
	enum cpu_holder holder;
	bool kept_off; /* the chain, by a quota */
	int deep;      /* interrupts in interrupts */
};

static uint64_t ns_over(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t ns_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t ns_most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static enum cpu_holder holder_of(const int32_t *tids, int32_t tid)
{
	for (int stage = 0; stage < RESPONSE_STAGES; stage++)
		if (tids[stage] == tid)
			return HOLDER_CHAIN;
	return tid == 0 ? HOLDER_IDLE : HOLDER_OTHER;
}

static void span_end(struct had_walk *walk, uint64_t ns)
{
	const uint64_t span =
	    ns_over(ns_least(ns, walk->end_ns), ns_most(walk->since_ns, walk->from_ns));

	if (walk->deep > 0)
		walk->had->interrupts_ns += span;
	if (walk->deep > 0 || walk->holder == HOLDER_OTHER)
		walk->had->beside_ns += span;
	else if (walk->holder == HOLDER_CHAIN)
		walk->had->chain_ns += span;
	walk->since_ns = ns;
}

static void interrupt_take(struct had_walk *walk, const struct evidence_record *record)
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
		walk->deep++;
		span_end(walk, record->ns);
		walk->deep--;
		break;
	default:
		break;
	}
}

/* A process of the chain that wanted to run on, and nobody runs after it: a quota of this machine
 * keeps it off, and so has the CPU until somebody runs. */
static void switch_take(struct had_walk *walk, const struct evidence_record *record)
{
	const bool out = record->kind == EVIDENCE_OUT;
	const int32_t tid = out ? record->other : record->tid;

	span_end(walk, record->ns);
	walk->deep = 0; /* nothing is switched in an interrupt */
	if (out)
		walk->kept_off = record->preempted && tid == 0 &&
		    holder_of(walk->tids, record->tid) == HOLDER_CHAIN;
	walk->holder = walk->kept_off && tid == 0 ? HOLDER_OTHER : holder_of(walk->tids, tid);
}

static void record_take(struct had_walk *walk, const struct evidence_record *record)
{
	if (record->kind == EVIDENCE_EVENT)
		interrupt_take(walk, record);
	else if (record->kind == EVIDENCE_IN || record->kind == EVIDENCE_OUT)
		switch_take(walk, record);
}

/* Who had the CPU before the first switch; without one it counts as somebody else's. */
static enum cpu_holder holder_first(
    const int32_t *tids, const struct evidence_record *records, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (records[i].kind == EVIDENCE_OUT || records[i].kind == EVIDENCE_IN)
			return holder_of(tids,
			    records[i].kind == EVIDENCE_OUT ? records[i].tid : records[i].other);
	return HOLDER_OTHER;
}

void stall_had_add(struct stall_had *had, const struct stall_late *late,
    const int32_t tids[RESPONSE_STAGES], const struct evidence_record *records, size_t n)
{
	struct stall_had here = {0};
	struct had_walk walk = {.had = &here,
	    .tids = tids,
	    .from_ns = ns_most(late->from_ns, late->wake_ns),
	    .end_ns = late->end_ns,
	    .holder = holder_first(tids, records, n)};

	for (size_t i = 0; i < n && records[i].ns <= late->end_ns; i++)
		record_take(&walk, &records[i]);
	span_end(&walk, late->end_ns);
	if (here.chain_ns == 0) {
		had->elsewhere_ns += here.beside_ns;
		return;
	}
	had->chain_ns += here.chain_ns;
	had->beside_ns += here.beside_ns;
	had->interrupts_ns += here.interrupts_ns;
}

/* The answer had been in time without it, and it is at least half of the delay. */
uint64_t response_proof_ns(const struct response_stall *late)
{
	return ns_most(late->late_ns, (late->late_ns + late->slack_ns + 1) / 2);
}

/* The chain is kept on its CPU. Without any record of the chain nobody knows which that is. */
static bool is_kept(const struct stall_late *late, const struct stall_had *had)
{
	return late->apart && had->chain_ns > 0;
}

/* By how much others on CPUs that the chain did not have slow it at most. */
static uint64_t slowed_ns(const struct stall_late *late, const struct stall_had *had)
{
	const uint64_t while_ns =
	    is_kept(late, had) ? ns_least(had->elsewhere_ns, had->chain_ns) : had->elsewhere_ns;

	return (uint64_t)(late->slowed * (double)while_ns);
}

/* What the kernel's clocks of CPU time say of the machine. */
static uint64_t counted_ns(
    const struct stall_late *late, const struct stall_had *had, uint64_t took_ns)
{
	return ns_over(had->chain_ns, late->cpu_ns) +
	    (is_kept(late, had) ? ns_over(took_ns, had->chain_ns + had->beside_ns) : 0);
}

bool stall_judge(const struct stall_late *late, const struct stall_had *had,
    struct stall_chain *chain, struct response_stall *ret)
{
	const uint64_t work_ns = late->work_ns + late->work_ns / ROUNDS_PART + OWN_NS,
	               began_ns = ns_most(late->from_ns, late->wake_ns);
	uint64_t ns;

	*ret = (struct response_stall){.subframe = late->subframe,
	    .late_ns = late->late_ns,
	    .took_ns = ns_over(late->end_ns, began_ns),
	    .work_ns = ns_least(had->chain_ns, work_ns),
	    .others_ns = had->beside_ns + slowed_ns(late, had),
	    .chain_ns = had->chain_ns,
	    .beside_ns = had->beside_ns,
	    .interrupts_ns = had->interrupts_ns,
	    .elsewhere_ns = had->elsewhere_ns,
	    .woken_ns = ns_over(late->woke_ns, began_ns),
	    .slack_ns = late->slack_ns,
	    .cpu_ns = late->cpu_ns};
	ret->stood_ns = ns_most(ns_over(ret->took_ns, ret->work_ns + ret->others_ns),
	    counted_ns(late, had, ret->took_ns));
	if (chain->next == late->subframe) /* it had to wait for the answer before */
		ret->before_ns = ns_least(chain->ns, ns_over(late->from_ns, late->wake_ns));
	ns = ret->before_ns + ret->stood_ns;
	*chain = (struct stall_chain){late->subframe + 1, ns};
	return ns >= response_proof_ns(ret);
}

/* ---- what is known of a cell ----------------------------------------------------------------- */

static void list_add(struct response_list *to, const struct response_stall *late, uint64_t shift)
{
	if (to->n == RESPONSE_STALLS)
		return;
	to->late[to->n] = *late;
	to->late[to->n++].subframe += shift;
}

static void list_merge(struct response_list *to, const struct response_list *part, uint64_t shift)
{
	for (uint64_t i = 0; i < part->n; i++)
		list_add(to, &part->late[i], shift);
}

void response_judged_add(struct response_result *to, const struct response_stall *late, bool proven)
{
	list_add(proven ? &to->stalls : &to->unproven, late, 0);
	to->judged++;
	to->proven += proven;
}

void response_add(struct response_result *to, const struct response_result *part)
{
	list_merge(&to->stalls, &part->stalls, to->subframes);
	list_merge(&to->unproven, &part->unproven, to->subframes);
	to->subframes += part->subframes;
	to->failed += part->failed;
	to->judged += part->judged;
	to->proven += part->proven;
	to->loops_ns += part->loops_ns;
	to->all_ns += part->all_ns;
	to->why_not = part->why_not ? part->why_not : to->why_not;
	hist_merge(&to->ns, &part->ns);
}
