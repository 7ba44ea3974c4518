/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/response_stalls.h - which late answers of `aloe bench response` are proven stalls of
 * the machine.
 *
 * The balance of a late answer: it took so long, from when the interface was to wake until the
 * answer. The chain's work explains a part: a number of rounds in registers, an eighth more than
 * they take on this core at best, and its waking and falling asleep. All else that had any CPU
 * meanwhile, by the kernel's records, explains at most as much as it had: whoever has a CPU of the
 * chain delays the chain by that. Whoever has another CPU, which may be the other thread of the
 * same core, slows the chain by at most a part of that, which is measured before (struct
 * response_core); where the chain may run on no other CPU, only while it runs: nobody keeps it
 * waiting from there. While the chain has something to do and its
 * CPU is idle, the chain waits for a timer or an interrupt, which a machine that runs delivers
 * within microseconds. What is left nobody of this machine used, so the machine stood: the
 * hypervisor had the CPU, whether or not this guest's kernel counts that as somebody's CPU time
 * (seen: 1 ms of rounds that took 5 ms, counted as CPU time of the chain).
 *
 * Where the hypervisor tells the kernel what it took (PARAVIRT_TIME_ACCOUNTING), the kernel leaves
 * this out of a process's CPU time. So what the chain had of CPUs by the records and has not by its
 * CPU time the hypervisor had, whatever else ran. Where the chain is kept on its CPU, the machine
 * also stood while nobody had this CPU. The larger of this and the balance counts.
 *
 * Where loops fill all CPUs nothing can be proven by the balance. A process of the chain that is
 * stopped by a quota is kept off by this machine. A kernel that keeps interrupts off for long would
 * look the same as a machine that stood, and so would a core that changes its frequency: where
 * cores do (cpufreq), and in a namespace of processes, which hides who had a CPU, nothing is
 * judged.
 */
#ifndef TOOLS_BENCH_RESPONSE_STALLS_H
#define TOOLS_BENCH_RESPONSE_STALLS_H

#include <sys/types.h>

#include "core/evidence/ring.h"
#include "tools/bench/response.h"

/* Times are of CLOCK_MONOTONIC. from: the interface has answered the subframe before. */
struct stall_late {
	uint64_t subframe, late_ns;
	uint64_t slack_ns; /* that an answer has left which nothing delays */
	uint64_t from_ns, wake_ns, end_ns;
	uint64_t woke_ns; /* the interface has a CPU */
	uint64_t work_ns; /* what the chain's work takes on this core */
	uint64_t cpu_ns;  /* the chain's CPU time meanwhile, or more; UINT64_MAX: not known */
	double slowed;    /* by others on other CPUs, of their time (struct response_core) */
	bool apart;       /* the chain may run on no other CPU than those that it had */
};

/* Who had CPUs from when the interface was to wake until the answer, all CPUs together. */
struct stall_had {
	uint64_t chain_ns; /* the chain's processes, interrupts left out */
	/* All other processes, and interrupts; who is not known is one of them. */
	uint64_t beside_ns;     /* on CPUs that the chain had, too */
	uint64_t interrupts_ns; /* of these, interrupts */
	uint64_t elsewhere_ns;  /* on CPUs that the chain did not have */
};

/* stall_had_add adds what the records of one CPU say, which are in the order of time. */
void stall_had_add(struct stall_had *had, const struct stall_late *late,
    const int32_t tids[RESPONSE_STAGES], const struct evidence_record *records, size_t n);

/* Of the late subframe before; zeroed: there is none. */
struct stall_chain {
	uint64_t next, ns; /* the subframe after it, and how much earlier it would have ended */
};

/* stall_judge tells whether a late answer is a proven stall: without the time in which the machine
 * stood it would have been in time, and this time is at least half of what delayed it. *ret is
 * filled in either way. To be called in the order of subframes. */
bool stall_judge(const struct stall_late *late, const struct stall_had *had,
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
/* stalls_take judges what is in the queue and adds it to ret: `judged`, `proven` and the lists.
 * It takes a millisecond for each CPU, and nothing while the queue is empty. */
void stalls_take(struct stalls *stalls, const pid_t pids[RESPONSE_STAGES],
    struct stall_queue *queue, struct response_result *ret);

#endif
