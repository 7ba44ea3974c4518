/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <stdio.h>

#include "core/base/text.h"
#include "core/evidence/evidence.h"

static const char *const words[EVIDENCE_KINDS] = {
    [EVIDENCE_COMPONENT] = "component",
    [EVIDENCE_PAGES] = "new-memory",
    [EVIDENCE_SHORT] = "slot-too-short",
    [EVIDENCE_SLEPT] = "slept",
    [EVIDENCE_PREEMPTED] = "preempted",
    [EVIDENCE_THROTTLED] = "throttled",
    [EVIDENCE_MOVED] = "moved",
    [EVIDENCE_IRQ] = "interrupt",
    [EVIDENCE_SOFTIRQ] = "soft-interrupt",
    [EVIDENCE_TIMER] = "timer",
    [EVIDENCE_IPI] = "other-cpu",
    [EVIDENCE_NMI] = "non-maskable",
    [EVIDENCE_STOLEN] = "stolen",
    [EVIDENCE_OFF_CPU] = "off-cpu",
    [EVIDENCE_WOKEN] = "woken-late",
    [EVIDENCE_SLOW] = "slow-machine",
    [EVIDENCE_CLOCK] = "cpu-clock",
    [EVIDENCE_EARLIER] = "earlier-segment",
    [EVIDENCE_BEFORE] = "slot-before",
    [EVIDENCE_RADIO] = "radio",
    [EVIDENCE_INPUT] = "no-input",
    [EVIDENCE_LOST] = "evidence-lost",
    [EVIDENCE_UNKNOWN] = "not-explained",
};

const char *evidence_word(enum evidence_cause_kind kind)
{
	assert((unsigned)kind < EVIDENCE_KINDS);
	return words[kind];
}

bool evidence_own(enum evidence_cause_kind kind)
{
	return kind == EVIDENCE_COMPONENT || kind == EVIDENCE_PAGES || kind == EVIDENCE_SHORT;
}

bool evidence_own_doing(const struct evidence_cause *causes, size_t n)
{
	uint64_t own = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		all += causes[i].share_ns;
		own +=
		    evidence_own((enum evidence_cause_kind)causes[i].kind) ? causes[i].share_ns : 0;
	}
	return own > all / 2;
}

/* With the name of an instance first. */
static int words_own(
    const struct evidence_cause *cause, const char *name, double us, char *ret, size_t size)
{
	switch (cause->kind) {
	case EVIDENCE_COMPONENT:
		return snprintf(
		    ret, size, "instance \"%s\" worked %.1f us longer than usual", name, us);
	case EVIDENCE_PAGES:
		return snprintf(ret, size,
		    "instance \"%s\" touched new memory, and %u page fault%s took %.1f us", name,
		    cause->times, plural(cause->times), us);
	case EVIDENCE_SLEPT:
		return cause->instance == IMAGE_NONE
		    ? snprintf(ret, size,
		          "the lane's thread slept for %.1f us outside of a call, because a signal "
		          "stopped the process",
		          us)
		    : snprintf(ret, size,
		          "the lane's thread slept for %.1f us in the call of \"%s\", because the "
		          "component waited or a signal stopped the process",
		          us, name);
	case EVIDENCE_INPUT:
		return snprintf(ret, size, "an input of \"%s\" was not there in time", name);
	default:
		return 0;
	}
}

static int words_thread(
    const struct evidence_cause *cause, const char *name, double us, char *ret, size_t size)
{
	switch (cause->kind) {
	case EVIDENCE_PREEMPTED:
		return snprintf(ret, size, "thread %d (%s) had the CPU for %.1f us", cause->tid,
		    name[0] != 0 ? name : "ended since", us);
	case EVIDENCE_THROTTLED:
		return snprintf(ret, size,
		    "the kernel kept the lane's thread from running for %.1f us, although "
		    "nobody with more right to the CPU ran (real-time throttling or a quota)",
		    us);
	case EVIDENCE_MOVED:
		return snprintf(ret, size,
		    "the lane's thread was away from the lane's CPU for %.1f us, because "
		    "somebody moved it",
		    us);
	case EVIDENCE_OFF_CPU:
		return snprintf(ret, size,
		    "the lane's thread did not run for %.1f us, and there are no records of who "
		    "had the CPU",
		    us);
	case EVIDENCE_WOKEN:
		return snprintf(ret, size,
		    "the CPU was idle and woke the lane's thread %.1f us late (asleep, in "
		    "interrupts, or the hypervisor)",
		    us);
	case EVIDENCE_EARLIER:
		return snprintf(ret, size, "segments before this one on the lane took %.1f us", us);
	case EVIDENCE_BEFORE:
		return snprintf(ret, size, "the slot before ended %.1f us after this edge", us);
	default:
		return 0;
	}
}

static void words_machine(const struct evidence_cause *cause, double us, char *ret, size_t size)
{
	static const char *const interrupts[EVIDENCE_KINDS] = {
	    [EVIDENCE_IRQ] = "interrupts of devices",
	    [EVIDENCE_SOFTIRQ] = "soft interrupts",
	    [EVIDENCE_TIMER] = "timer interrupts",
	    [EVIDENCE_IPI] = "interrupts of other CPUs",
	    [EVIDENCE_NMI] = "non-maskable interrupts"};

	if (interrupts[cause->kind] != NULL)
		snprintf(ret, size, "%s took %.1f us (%u of them)", interrupts[cause->kind], us,
		    cause->times);
	else if (cause->kind == EVIDENCE_STOLEN)
		snprintf(ret, size,
		    "the machine stood for %.1f us, in which nobody had the CPU (hypervisor)", us);
	else if (cause->kind == EVIDENCE_SLOW)
		snprintf(ret, size,
		    "several instances (%u) were slower than usual in one slot, by %.1f us "
		    "together (cache, memory or clock of the CPU)",
		    cause->times, us);
	else if (cause->kind == EVIDENCE_CLOCK)
		snprintf(ret, size,
		    "several instances (%u) were slower than usual in one slot, by %.1f us "
		    "together, and the clock of a CPU was changed meanwhile",
		    cause->times, us);
	else if (cause->kind == EVIDENCE_SHORT)
		snprintf(ret, size,
		    "the usual work of the lane takes %.1f us more than the slot has", us);
	else if (cause->kind == EVIDENCE_RADIO)
		snprintf(ret, size, "the samples of the radio came %.1f us late", us);
	else if (cause->kind == EVIDENCE_LOST)
		snprintf(ret, size, "%.1f us are not explained, because evidence was lost", us);
	else
		snprintf(ret, size, "%.1f us are not explained", us);
}

void evidence_words(const struct evidence_cause *cause, const char *name, char *ret, size_t size)
{
	const double us = (double)cause->took_ns / 1e3;

	assert(cause->kind < EVIDENCE_KINDS);
	if (words_own(cause, name, us, ret, size) == 0 &&
	    words_thread(cause, name, us, ret, size) == 0)
		words_machine(cause, us, ret, size);
}
