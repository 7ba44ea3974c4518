/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/platform.h - what the engine asks of the machine; platforms/posix answers.
 *
 * Everything degrades honestly: a right that is missing is a negative errno, which the caller reports once.
 */
#ifndef ALOE_PLATFORM_H
#define ALOE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	PLATFORM_PRIORITY_LANE = 50,   /* SCHED_FIFO of lane threads */
	PLATFORM_PRIORITY_KEEPER = 51, /* of the keepers, one above */
};

/* platform_cpus writes the CPUs that this process may use, at most n: how many there are. */
size_t platform_cpus(int *ret_cpus, size_t n);

/* platform_pin keeps the calling thread on one CPU. 0 or -errno. */
int platform_pin(int cpu);

/* platform_lock_cpu keeps a CPU for the real-time lane of one program, for as long as the fd stays open: fd, -EADDRINUSE where
 * another has it, or -errno. */
int platform_lock_cpu(int cpu);

/* platform_realtime gives thread tid (0: the caller) SCHED_FIFO at `priority`; -EPERM without the right. */
int platform_realtime(pid_t tid, int priority);

/* platform_may_poll tells whether a thread that never sleeps may be SCHED_FIFO on a CPU: the kernel takes nothing from such
 * threads (kernel.sched_rt_runtime_us), and the CPU is kept free of others (isolcpus, or an isolated cpuset). Where not,
 * *ret_why says what is missing, a constant text. */
bool platform_may_poll(int cpu, const char **ret_why);

/* platform_nice sets the caller's nice value, which threads that it starts have, too; *ret_before is the one until now. What
 * counts first where the kernel groups sessions (sched_autogroup) is the session's own: it is set as well by who leads one, and
 * stays at the least that was asked for. 0, or -EPERM / -EACCES without the right. */
int platform_nice(int nice, int *ret_before);

/* platform_demote takes it away again, for a segment that does not return. */
int platform_demote(pid_t tid);

/* platform_no_slack makes the calling thread's timed sleeps exact (no timer slack). */
void platform_no_slack(void);

/* platform_lock_memory keeps what the process has now in memory and, where no limit stands against it, what it will have.
 * -EPERM / -ENOMEM without the right. */
int platform_lock_memory(void);

/* platform_huge_pages asks for huge pages behind memory that is aligned to 2 MB and not touched yet. 0, or -ENOTSUP where this
 * machine gives none. */
int platform_huge_pages(void *memory, size_t bytes);

/* platform_wake_fast holds the CPUs out of deep sleep for as long as the fd stays open: fd, or -errno. */
int platform_wake_fast(void);

pid_t platform_tid(void);

#endif
