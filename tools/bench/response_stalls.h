/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/response_stalls.h - which late answers of `aloe bench response` are proven stalls of
 * the machine.
 *
 *   from       wake           end   to
 *    |----------|--------------|-----|
 *    CPU times                       CPU times again, of a late subframe
 *
 * A process of the chain that has a CPU by the kernel's records, and gets no CPU time, stands with
 * the machine: the guest's kernel leaves out of the CPU time what the hypervisor took (facts as
 * in core/evidence/join.c). A loop that has the CPU instead has its records, and is no stall. The
 * chain's processes go from CPU to CPU, so the records of all CPUs are looked at, where
 * core/evidence/join.c looks at those of a lane's.
 *
 * The interface sleeps until its timer. If its CPU did nothing at all that is recorded, no switch
 * and no interrupt, from the time at which the timer was due until it came, for a millisecond or
 * more, the CPU itself stood: no loop can do that. A kernel that keeps interrupts off for so long
 * would look the same.
 */
#ifndef TOOLS_BENCH_RESPONSE_STALLS_H
#define TOOLS_BENCH_RESPONSE_STALLS_H

#include <sys/types.h>

#include "core/evidence/ring.h"
#include "tools/bench/response.h"

/* Times are of CLOCK_MONOTONIC. */
struct stall_late {
	uint64_t subframe, late_ns;
	uint64_t slack_ns; /* that an answer has left which nothing delays */
	uint64_t from_ns, wake_ns, begin_ns, end_ns, to_ns; /* begin: the interface is awake */
	uint64_t cpu_ns[RESPONSE_STAGES]; /* from from_ns to to_ns, or a little more */
};

/* What the records say of one process of the chain. */
struct stall_ran {
	uint64_t ns;         /* it had a CPU from from_ns to to_ns, interrupts left out */
	uint64_t within_ns;  /* ... from wake_ns to end_ns */
	uint32_t interrupts; /* meanwhile */
	uint64_t timer_ns;   /* the timer that woke it came so late, and nothing before it */
	bool at_end;         /* it has a CPU at to_ns: its CPU time may be an old one */
};

/* stall_ran_add adds what the records of one CPU say, which are in the order of time and reach back
 * to from_ns. */
void stall_ran_add(struct stall_ran ran[RESPONSE_STAGES], const struct stall_late *late,
    const int32_t tids[RESPONSE_STAGES], const struct evidence_record *records, size_t n);

/* Of the late subframe before; zeroed: there is none. */
struct stall_chain {
	uint64_t next, ns; /* the subframe after it, and how much earlier it would have ended */
};

/* stall_judge tells whether a late answer is a proven stall: without the time in which the machine
 * stood it would have been in time, and this time is at least half of what delayed it. *ret is
 * filled in either way. To be called in the order of subframes. */
bool stall_judge(const struct stall_late *late, const struct stall_ran ran[RESPONSE_STAGES],
    struct stall_chain *chain, struct response_stall *ret);

/* ---- the kernel's records of a cell ---- */

enum { STALL_LATES = 1024 };

/* From the interface, which puts, to the parent, which takes; in memory that both have. */
struct stall_queue {
	struct stall_late late[STALL_LATES];
	_Atomic uint64_t put, taken;
};

/* stall_put puts what there is room for; the rest counts as not judged. */
void stall_put(struct stall_queue *queue, const struct stall_late *late);

/* stalls_open begins to record what all CPUs do; stalls_close always follows. Without memory or
 * records, *ret_why says why, constant, and each late answer counts as not judged. */
struct stalls;
struct stalls *stalls_open(const char **ret_why);
void stalls_close(struct stalls *stalls); /* NULL is nothing to close */
/* stalls_take judges what is in the queue and adds it to ret: `proven`, `unjudged` and the list.
 * It takes a millisecond for each CPU, and nothing while the queue is empty. */
void stalls_take(struct stalls *stalls, const pid_t pids[RESPONSE_STAGES],
    struct stall_queue *queue, struct response_result *ret);

#endif
