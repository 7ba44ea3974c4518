/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <string.h>

#include "core/evidence/inside.h"

enum {
	STOLEN_NS = 10000, /* less than this is the reading of two clocks, one after the other */
	SLOW_NS = 20000,   /* longer than twice the median by so much is not usual, either */
	AROUND_NS = 10000, /* an interrupt costs up to so much before and after its handler */
	SMALL_PART = 50,   /* a cause that is less than this part of all is not named */
	REST_PART = 10,    /* what is left is named if it is more than this part of the delay */
};

static uint64_t ns_over(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t ns_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- what is the instances' own ------------------------------------------------------------- */

static uint64_t call_own(const struct evidence_call *call)
{
	return ns_over(call->ns, call->outside_ns);
}

static uint64_t call_excess(const struct evidence_call *call)
{
	return ns_over(call_own(call), call->usual_ns);
}

/* p99 is no measure where the same thing happens in one slot of a hundred. */
static bool call_is_rare(const struct evidence_call *call)
{
	const uint64_t twice = 2 * call->usual_ns + SLOW_NS;

	return call_own(call) > (call->rare_ns < twice ? call->rare_ns : twice);
}

static struct evidence_call *call_worst(const struct evidence_slot *slot)
{
	struct evidence_call *worst = NULL;

	for (size_t c = 0; c < slot->n_calls; c++)
		if (worst == NULL || call_excess(&slot->calls[c]) > call_excess(worst))
			worst = &slot->calls[c];
	return worst;
}

/* How long the thread did not run although no record says that it was switched out. Without records
 * it may have slept until the edge. */
static uint64_t stolen_ns(const struct join *join)
{
	const struct evidence_slot *slot = join->slot;
	const uint64_t wall = ns_over(slot->end_ns, slot->from_ns),
	               slept = slot->recorded || slot->switches == 0
	    ? 0
	    : ns_over(slot->edge_ns, slot->from_ns);

	return slot->from_ns == 0 ? 0 : ns_over(wall, slot->cpu_ns + join->outside_ns + slept);
}

static enum evidence_cause_kind off_cpu_kind(const struct evidence_slot *slot)
{
	return slot->lost ? EVIDENCE_LOST : EVIDENCE_OFF_CPU;
}

/* The machine stood where nobody had the CPU and the thread got no time: first before the segment
 * began, then in the calls that took longest. A thread that was switched out, of which there are no
 * records, may have slept, or others ran. */
static void stolen_add(struct join *join)
{
	const struct evidence_slot *slot = join->slot;
	const uint64_t late = ns_over(ns_over(slot->start_ns, join->begin_ns), join->start_ns);
	uint64_t stolen = stolen_ns(join), used;
	struct evidence_call *worst;

	if (stolen < STOLEN_NS)
		return;
	used = ns_least(stolen, late);
	join->start_ns += used;
	stolen -= used;
	while (stolen > 0 && (worst = call_worst(slot)) != NULL && call_excess(worst) > 0) {
		const uint64_t part = ns_least(stolen, call_excess(worst));

		worst->outside_ns += part;
		used += part;
		stolen -= part;
	}
	join_add(join, slot->recorded || slot->switches == 0 ? EVIDENCE_STOLEN : off_cpu_kind(slot),
	    IMAGE_NONE, 0, 0, used);
}

/* A thread that has read its clock only after the edge slept until then, and was alone on the lane.
 * Without records nobody knows who kept it from running. */
static void asleep_add(struct join *join)
{
	const struct evidence_slot *slot = join->slot;

	if (slot->recorded || !slot->alone || slot->from_ns == 0)
		return;
	join->start_ns = ns_over(ns_least(slot->from_ns, slot->start_ns), join->begin_ns);
	join_add(join, off_cpu_kind(slot), IMAGE_NONE, 0, 0, join->start_ns);
}

static struct evidence_cause *interrupt_worst(struct join *join)
{
	struct evidence_cause *worst = NULL;

	for (size_t i = 0; i < join->n; i++) {
		const uint32_t kind = join->cause[i].kind;

		if ((kind == EVIDENCE_IRQ || kind == EVIDENCE_SOFTIRQ || kind == EVIDENCE_TIMER ||
		        kind == EVIDENCE_IPI || kind == EVIDENCE_NMI) &&
		    (worst == NULL || join->cause[i].took_ns > worst->took_ns))
			worst = &join->cause[i];
	}
	return worst;
}

/* The kernel's records begin and end with the handler. What comes around it (the way in and out, of
 * a guest to its hypervisor and back, and the caches afterwards) looks like work of the call. */
static void around_add(struct join *join)
{
	const struct evidence_slot *slot = join->slot;
	struct evidence_cause *cause = interrupt_worst(join);

	for (size_t c = 0; c < slot->n_calls && cause != NULL; c++) {
		struct evidence_call *call = &slot->calls[c];
		const uint64_t part =
		    ns_least(call_excess(call), (uint64_t)call->interrupts * AROUND_NS);

		call->outside_ns += part;
		cause->took_ns += part;
	}
}

static void component_add(struct join *join, const struct evidence_call *call)
{
	const uint64_t excess = call_excess(call);
	uint64_t faults_ns;
	const uint32_t faults =
	    join_faults(join, call->start_ns, call->start_ns + call->ns, &faults_ns);
	const bool pages = faults_ns > excess / 2;
	struct evidence_cause *cause = join_add(
	    join, pages ? EVIDENCE_PAGES : EVIDENCE_COMPONENT, call->instance, 0, 0, excess);

	if (cause != NULL)
		cause->times += pages ? faults : 1;
}

/* One that changed the clock between the edge and the end of the slot. */
static bool clock_changed(const struct evidence_slot *slot)
{
	for (size_t i = 0; i < slot->n_records; i++)
		if (slot->records[i].kind == EVIDENCE_EVENT &&
		    slot->records[i].source == PERF_FREQUENCY &&
		    slot->records[i].ns >= slot->edge_ns && slot->records[i].ns <= slot->end_ns)
			return true;
	return false;
}

/* One instance over its p99 is the component; several of one slot are the machine. */
static void calls_add(struct join *join)
{
	const struct evidence_slot *slot = join->slot;
	const struct evidence_call *worst = call_worst(slot);
	struct evidence_cause *cause = NULL;
	const enum evidence_cause_kind machine =
	    clock_changed(slot) ? EVIDENCE_CLOCK : EVIDENCE_SLOW;
	uint32_t rare = 0;

	for (size_t c = 0; c < slot->n_calls; c++)
		rare += call_is_rare(&slot->calls[c]) &&
		    call_excess(&slot->calls[c]) > call_excess(worst) / REST_PART;
	if (rare == 1 && call_is_rare(worst))
		component_add(join, worst);
	for (size_t c = 0; c < slot->n_calls && rare > 1; c++)
		if (call_is_rare(&slot->calls[c]))
			cause =
			    join_add(join, machine, IMAGE_NONE, 0, 0, call_excess(&slot->calls[c]));
	if (cause != NULL)
		cause->times = rare;
}

/* ---- all together ------------------------------------------------------------------------ */

static uint64_t usual_of(const struct evidence_slot *slot)
{
	uint64_t usual = 0;

	for (size_t c = 0; c < slot->n_calls; c++)
		usual += slot->calls[c].usual_ns;
	return usual;
}

/* What came before the segment could begin, and is known without the kernel. */
static void before_add(struct join *join)
{
	const struct evidence_slot *slot = join->slot;
	const uint64_t late = ns_over(slot->start_ns, slot->edge_ns),
	               before = ns_least(ns_over(slot->before_ns, slot->edge_ns), late),
	               radio = ns_least(slot->radio_ns, late - before);

	join_add(join, EVIDENCE_BEFORE, IMAGE_NONE, 0, 0, before);
	join_add(join, EVIDENCE_RADIO, IMAGE_NONE, 0, 0, radio);
	join->begin_ns = slot->edge_ns + before + radio;
}

static uint64_t cause_sum(const struct join *join)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < join->n; i++)
		sum += join->cause[i].took_ns;
	return sum;
}

static void rest_add(struct join *join, uint64_t delay)
{
	const uint64_t rest = ns_over(delay, cause_sum(join));

	if (rest > delay / REST_PART)
		join_add(join, join->slot->lost ? EVIDENCE_LOST : EVIDENCE_UNKNOWN, IMAGE_NONE, 0,
		    0, rest);
}

static void cause_sort(struct join *join)
{
	for (size_t i = 1; i < join->n; i++)
		for (size_t k = i; k > 0 && join->cause[k].took_ns > join->cause[k - 1].took_ns;
		     k--) {
			const struct evidence_cause other = join->cause[k];

			join->cause[k] = join->cause[k - 1];
			join->cause[k - 1] = other;
		}
	while (join->n > 1 && join->cause[join->n - 1].took_ns * SMALL_PART < cause_sum(join))
		join->n--;
	for (; join->n > EVIDENCE_CAUSES; join->n--) /* what there is no room for joins the last */
		join->cause[EVIDENCE_CAUSES - 1].took_ns += join->cause[join->n - 1].took_ns;
}

/* The shares add up exactly: the largest takes what rounding leaves. */
static void shares_give(struct join *join, uint64_t late)
{
	const uint64_t sum = cause_sum(join);
	uint64_t given = 0;

	for (size_t i = 0; i < join->n; i++) {
		join->cause[i].share_ns =
		    (uint64_t)((double)join->cause[i].took_ns / (double)sum * (double)late);
		given += join->cause[i].share_ns;
	}
	if (join->n > 0)
		join->cause[0].share_ns += late - given;
}

/* A slot in which no step ran, because something was not there. */
static void input_join(struct join *join)
{
	const struct evidence_slot *slot = join->slot;

	join_add(join, EVIDENCE_INPUT, slot->instance, 0, 0, slot->late_ns);
}

static void late_join(struct join *join)
{
	const struct evidence_slot *slot = join->slot;
	const uint64_t usual = usual_of(slot), took = ns_over(slot->end_ns, slot->edge_ns);
	const bool is_short = usual > slot->slot_ns;

	before_add(join);
	if (slot->recorded)
		join_spans(join);
	asleep_add(join);
	stolen_add(join);
	around_add(join);
	if (slot->n_calls > 0)
		calls_add(join);
	if (is_short)
		join_add(join, EVIDENCE_SHORT, IMAGE_NONE, 0, 0, usual - slot->slot_ns);
	rest_add(join, is_short ? slot->late_ns : ns_over(took, usual));
}

size_t evidence_join(const struct evidence_slot *slot, struct evidence_cause ret[EVIDENCE_CAUSES])
{
	struct join join = {.slot = slot};

	for (size_t c = 0; c < slot->n_calls; c++)
		slot->calls[c].outside_ns = slot->calls[c].interrupts = 0;
	if (slot->kind == IMAGE_MISS_SLIPPED || slot->kind == IMAGE_MISS_ABSENT)
		input_join(&join);
	else if (slot->kind == IMAGE_MISS_RADIO)
		join_add(&join, EVIDENCE_RADIO, IMAGE_NONE, 0, 0, slot->late_ns);
	else
		late_join(&join);
	cause_sort(&join);
	shares_give(&join, slot->late_ns);
	memcpy(ret, join.cause, join.n * sizeof(ret[0]));
	return join.n;
}

/* What is too short is in the usual work already. */
bool evidence_heavy(const struct evidence_slot *slot, const struct evidence_cause *causes, size_t n)
{
	uint64_t own = usual_of(slot);

	for (size_t i = 0; i < n; i++)
		if (evidence_own((enum evidence_cause_kind)causes[i].kind) &&
		    causes[i].kind != EVIDENCE_SHORT)
			own += causes[i].took_ns;
	return slot->kind == IMAGE_MISS_LATE && own > slot->slot_ns;
}
