/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/platform.h - what the engine asks of the machine; platforms/posix answers.
 *
 * Everything degrades honestly: a right that is missing is a negative errno, which the caller
 * reports once.
 */
#ifndef ALOE_PLATFORM_H
#define ALOE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	PLATFORM_PRIORITY_LANE = 50,     /* SCHED_FIFO of lane threads */
	PLATFORM_PRIORITY_WATCHDOG = 51, /* of the lanes' watchdogs, one above */
};

/* platform_cpus writes the CPUs that this process may use, at most n: how many there are. */
size_t platform_cpus(int *ret_cpus, size_t n);

/* platform_pin keeps the calling thread on one CPU, platform_pin_beside on all CPUs that it may use
 * but the first `n` named: -ENODEV where none is left. 0 or -errno. */
int platform_pin(int cpu);
int platform_pin_beside(const int *cpus, size_t n);

/* Who has a CPU: the process and the user, by the numbers that they have where they run. */
struct platform_holder {
	pid_t pid;
	uid_t uid;
	bool elsewhere; /* in another pid namespace (a container): `pid` means nothing here */
};

/* platform_lock_cpu keeps a CPU for the real-time lane of one program, for as long as the fd stays
 * open: fd, -EADDRINUSE where another has it (*ret_holder tells who), -ENOTSUP where this machine
 * gives no lock, or -errno. It holds for every program on the machine, in whichever container and
 * of whichever user; the kernel lets go of it however its holder ends. platform_cpu_free: nobody
 * has it at this moment. */
int platform_lock_cpu(int cpu, struct platform_holder *ret_holder);
/* platform_lock_cpu_on: the fd of a process that has ended, and whose copies were kept; from now on
 * the holder is this process. 0 or -errno. */
int platform_lock_cpu_on(int fd, int cpu);
/* platform_unlock_cpu lets go of the CPU and closes the fd, whoever has copies of it. */
void platform_unlock_cpu(int fd, int cpu);
bool platform_cpu_free(int cpu);
/* platform_lock_scope gives NULL where such locks hold on the whole machine, else the kind of
 * namespace ("user") beyond which nobody sees them, a constant text; "" where there are none. */
const char *platform_lock_scope(void);

/* platform_realtime gives thread tid (0: the caller) SCHED_FIFO at `priority`; -EPERM without the
 * right. Threads and processes that it starts have ordinary priority. platform_priority: what a
 * thread has of it; 0: ordinary priority, or no such thread. */
int platform_realtime(pid_t tid, int priority);
int platform_priority(pid_t tid);

/* platform_may_poll tells whether a thread that never sleeps may be SCHED_FIFO on a CPU: the kernel
 * takes nothing from such threads (kernel.sched_rt_runtime_us), and the CPU is kept free of others
 * (isolcpus, or an isolated cpuset). Where not, *ret_why says what is missing, a constant text. */
bool platform_may_poll(int cpu, const char **ret_why);

/* platform_nice sets the nice value of thread tid of process pid (0, 0: the caller); threads that
 * it starts have it only if it is no less than 0. What counts first where the kernel groups
 * sessions (sched_autogroup) is the session's own: where the process leads one it is set as well,
 * and stays at the least that was asked for. 0, or -EPERM / -EACCES without the right. */
int platform_nice(pid_t pid, pid_t tid, int nice);

/* platform_demote takes real-time priority away again, for a segment that does not return. */
int platform_demote(pid_t tid);

/* platform_forgo_priority takes the right to give any thread a higher priority from the calling
 * thread and all that it starts, for good (CAP_SYS_NICE). platform_forbid_priority does so with
 * what a limit allows the process pid (RLIMIT_RTPRIO, RLIMIT_NICE). 0 or -errno. */
int platform_forgo_priority(void);
int platform_forbid_priority(pid_t pid);

/* platform_has_thread tells whether tid is a thread of process pid. */
bool platform_has_thread(pid_t pid, pid_t tid);

/* platform_no_slack makes the calling thread's timed sleeps exact (no timer slack). */
void platform_no_slack(void);

/* platform_lock_memory keeps what the process has now in memory and, where no limit stands against
 * it, what it will have. -EPERM / -ENOMEM without the right. */
int platform_lock_memory(void);

/* platform_huge_pages asks for huge pages behind memory that is aligned to 2 MB and not touched
 * yet. 0, or -ENOTSUP where this machine gives none. */
int platform_huge_pages(void *memory, size_t bytes);

/* platform_wake_fast holds the CPUs out of deep sleep for as long as the fd stays open: fd, or
 * -errno. */
int platform_wake_fast(void);

pid_t platform_tid(void);

#endif
