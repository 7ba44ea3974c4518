/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/evidence/evidence.h - why a slot was late. Pure: the engine's record of the slot, the calls
 * of its instances, the CPU time of the lane's thread and the kernel's records of its CPU in;
 * causes with nanoseconds out. Nothing is guessed: what the causes do not reach is named "not
 * explained".
 *
 *   edge        start                                  edge + slot        end
 *    |- began late -|- calls: usual work + what came between ---|- late ------|
 *
 * The whole delay is end - edge - the usual work of the slot. A cause has `took_ns`, its part of
 * this delay, and `share_ns`, the same part of the lateness: the shares add up to the lateness,
 * because the time that a usual slot has left absorbs of every cause alike.
 */
#ifndef ALOE_EVIDENCE_EVIDENCE_H
#define ALOE_EVIDENCE_EVIDENCE_H

#include "core/evidence/ring.h"
#include "core/image/state.h"

enum evidence_cause_kind {
	/* the waveform's own doing */
	EVIDENCE_COMPONENT, /* an instance worked longer than usual */
	EVIDENCE_PAGES,     /* ... because it touched new memory */
	EVIDENCE_SHORT,     /* the usual work is longer than the slot */
	/* somebody else's, or not known whose */
	EVIDENCE_SLEPT,     /* the thread slept: in a call, or a signal stopped it */
	EVIDENCE_PREEMPTED, /* another thread had the CPU */
	EVIDENCE_THROTTLED, /* the thread wanted to run, and nobody ran, or one of less priority */
	EVIDENCE_MOVED,     /* the thread was on another CPU than its lane's, or on its way */
	EVIDENCE_IRQ,       /* interrupts of devices */
	EVIDENCE_SOFTIRQ,
	EVIDENCE_TIMER,
	EVIDENCE_IPI,     /* interrupts of other CPUs */
	EVIDENCE_NMI,     /* interrupts that cannot be masked */
	EVIDENCE_STOLEN,  /* the machine stood: no CPU time, and nobody had the CPU */
	EVIDENCE_OFF_CPU, /* the thread did not run, and there are no records of why */
	EVIDENCE_WOKEN,   /* the CPU was idle, and the thread was woken late */
	EVIDENCE_SLOW,    /* several instances of one slot were slow: cache, memory, clock */
	EVIDENCE_CLOCK,   /* ... while the clock of a CPU was changed */
	EVIDENCE_EARLIER, /* segments before this one on the lane */
	EVIDENCE_BEFORE,  /* the slot before ended after this edge */
	EVIDENCE_RADIO,   /* the samples were late */
	EVIDENCE_INPUT,   /* a record or message was not there */
	EVIDENCE_LOST,    /* not explained, and records are missing */
	EVIDENCE_UNKNOWN, /* not explained */
	EVIDENCE_KINDS
};

enum { EVIDENCE_CAUSES = 6, EVIDENCE_NAME_BYTES = 56 };

struct evidence_cause {
	uint64_t took_ns, share_ns;
	uint32_t kind;     /* enum evidence_cause_kind */
	uint32_t instance; /* IMAGE_NONE: no instance */
	int32_t pid, tid;  /* PREEMPTED: who */
	uint32_t times;    /* page faults, interrupts, switches; instances (SLOW, CLOCK) */
	/* PREEMPTED, of a thread of the kernel: what it did longest of that, and so long; 0: not
	 * known */
	uint64_t function, function_ns;
	char name[EVIDENCE_NAME_BYTES]; /* of that thread, where the records have it */
};

struct evidence_call {
	uint64_t start_ns, ns;
	uint64_t usual_ns, rare_ns; /* median and p99 of this instance */
	/* written by evidence_join: what was not its own in ns; interrupts in this time */
	uint64_t outside_ns;
	uint32_t interrupts;
	uint32_t instance;
};

/* Where a time is not known it is 0. */
struct evidence_slot {
	uint32_t kind; /* enum image_miss_kind */
	uint64_t edge_ns, slot_ns, late_ns;
	uint64_t start_ns, end_ns;  /* of the segment's step */
	uint64_t before_ns;         /* end of the slot before, if later than this edge */
	uint64_t radio_ns;          /* how late the samples were */
	uint64_t from_ns, cpu_ns;   /* CPU time of the thread from from_ns to end_ns */
	uint32_t faults, switches;  /* of the thread in that time */
	uint32_t instance;          /* whose input was missing; IMAGE_NONE */
	int32_t tid, lane_cpu, cpu; /* cpu: where the thread was at the end */
	const int32_t *mates;       /* other threads of lanes of this node */
	size_t n_mates;
	const int32_t *ordinary; /* threads with less priority than a lane's */
	size_t n_ordinary;
	struct evidence_call *calls; /* in the order of time */
	size_t n_calls;
	const struct evidence_record *records; /* of the lane's CPU */
	size_t n_records;
	bool alone;    /* nothing else is on the lane, of this thread or of another */
	bool recorded; /* there are records of switches, and they reach back to edge_ns */
	bool lost;     /* records were lost or made no sense */
};

/* evidence_join finds the causes of a slot, the largest first, and returns how many, at most
 * EVIDENCE_CAUSES; what is too much joins the last. The shares add up to slot->late_ns. */
size_t evidence_join(const struct evidence_slot *slot, struct evidence_cause ret[EVIDENCE_CAUSES]);

/* evidence_own tells whether a kind of cause is the waveform's own doing; evidence_own_doing
 * whether more than half of a lateness is. A slot without a cause is nobody's. */
bool evidence_own(enum evidence_cause_kind kind);
bool evidence_own_doing(const struct evidence_cause *causes, size_t n);
/* evidence_heavy tells whether the slot's own work is longer than the slot, so that the slot would
 * have been late whatever came before it: the causes are those that evidence_join has found. */
bool evidence_heavy(
    const struct evidence_slot *slot, const struct evidence_cause *causes, size_t n);

/* evidence_word is the cause in one word, as JSON and tables have it ("preempted"). evidence_words
 * writes it as a sentence; `name`: of the instance, or of the thread where the cause has none. */
const char *evidence_word(enum evidence_cause_kind kind);
void evidence_words(const struct evidence_cause *cause, const char *name, char *ret, size_t size);

#endif
