/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/platform.h - what the engine needs from the machine; platforms/posix implements it.
 *
 * If a right is missing, a function returns a negative errno, which the caller reports once.
 */
#ifndef ALOE_PLATFORM_H
#define ALOE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	PLATFORM_PRIORITY_LANE = 50,     /* SCHED_FIFO or SCHED_RR of lane threads */
	PLATFORM_PRIORITY_WATCHDOG = 51, /* of the lanes' watchdogs, one above */
};

/* platform_cpus writes the CPUs that this process may use, at most n, and returns how many there
 * are. */
size_t platform_cpus(int *ret_cpus, size_t n);

/* platform_pin keeps the calling thread on one CPU. platform_pin_beside keeps the thread on all
 * CPUs that it may use, except the `n` named CPUs; -ENODEV if no CPU is left. Both return 0 or
 * -errno. */
int platform_pin(int cpu);
/* platform_has_cpu: a thread of this process could be kept on the CPU, now or after a
 * platform_keep_on, which keeps the calling thread and all that it starts on these CPUs.
 * platform_reach keeps the calling thread on one CPU if it may not run there as it is. */
bool platform_has_cpu(int cpu);
int platform_keep_on(const int *cpus, size_t n);
void platform_reach(int cpu);
int platform_pin_beside(const int *cpus, size_t n);

/* The holder of a CPU: process and user, with the numbers of the namespace in which they run. */
struct platform_holder {
	pid_t pid;
	uid_t uid;
	bool elsewhere; /* in another pid namespace (a container), so `pid` has no meaning here */
};

/* platform_lock_cpu keeps a CPU for the real-time lane of one program, as long as the fd stays
 * open. It returns the fd, -EADDRINUSE if another program has the CPU (*ret_holder names the
 * holder), -ENOTSUP if this machine has no such locks, or -errno. The lock holds for every program
 * on the machine, in any container and of any user. The kernel releases the lock when the holder
 * ends, for whatever reason. platform_cpu_free tells whether nobody holds the CPU at the moment. */
int platform_lock_cpu(int cpu, struct platform_holder *ret_holder);
/* platform_lock_cpu_on takes over a lock by a copy of the fd of a process that has ended. From now
 * on this process is the holder. Returns 0 or -errno. */
int platform_lock_cpu_on(int fd, int cpu);
/* platform_unlock_cpu releases the CPU and closes the fd, even if others have copies of the fd. */
void platform_unlock_cpu(int fd, int cpu);
bool platform_cpu_free(int cpu);
/* platform_lock_scope returns NULL if such locks hold on the whole machine, or the kind of
 * namespace ("user") inside which they hold, or "" if this machine has no such locks. The text is
 * constant. */
const char *platform_lock_scope(void);

/* platform_realtime gives thread tid (0: the caller) SCHED_FIFO at `priority`; -EPERM without the
 * right. Threads and processes that the thread starts have ordinary priority. platform_round_robin
 * does the same with SCHED_RR. platform_priority returns the real-time priority of a thread, 0 for
 * ordinary priority; -ESRCH: no such thread. */
int platform_realtime(pid_t tid, int priority);
int platform_round_robin(pid_t tid, int priority);
int platform_priority(pid_t tid);

/* platform_may_poll tells whether a thread that never sleeps may be SCHED_FIFO on a CPU. It may if
 * the kernel takes no time from such threads (kernel.sched_rt_runtime_us) and other threads are
 * kept away from the CPU (isolcpus, or an isolated cpuset). If not, *ret_why is a constant text
 * that says what is missing. */
bool platform_may_poll(int cpu, const char **ret_why);

/* platform_nice sets the nice value of thread tid of process pid (0, 0: the caller). Threads that
 * the thread starts inherit the value only if it is 0 or more. If the kernel groups sessions
 * (sched_autogroup) and the process leads a session, the nice value of the session is set, too, to
 * the least value ever asked for. Returns 0, or -EPERM / -EACCES without the right. */
int platform_nice(pid_t pid, pid_t tid, int nice);

/* platform_demote takes real-time priority away from a thread whose segment does not return. */
int platform_demote(pid_t tid);

/* platform_yield lets the calling thread run where nothing else wants its CPU. Without a right
 * nothing takes that back. 0 or -errno. */
int platform_yield(void);

/* platform_forgo_priority gives up CAP_SYS_NICE, the right to raise the priority of a thread, for
 * the calling thread and everything that it starts, for ever. platform_forbid_priority takes the
 * same right from process pid as far as limits give it (RLIMIT_RTPRIO, RLIMIT_NICE). Both return 0
 * or -errno. */
int platform_forgo_priority(void);
int platform_forbid_priority(pid_t pid);

/* platform_has_thread tells whether tid is a thread of process pid. */
bool platform_has_thread(pid_t pid, pid_t tid);

/* platform_no_slack makes the calling thread's timed sleeps exact (no timer slack). Threads inherit
 * that: platform_usual_slack gives the calling thread 50 us of slack, which is Linux' default. */
void platform_no_slack(void);
void platform_usual_slack(void);

/* platform_lock_memory locks the memory that the process has now and, if no limit forbids it, all
 * memory that the process gets later. Returns -EPERM / -ENOMEM without the right. */
int platform_lock_memory(void);

/* platform_huge_pages asks for huge pages for memory that is aligned to 2 MB and not touched yet.
 * Returns 0, or -ENOTSUP if this machine has none. */
int platform_huge_pages(void *memory, size_t bytes);

/* platform_wake_fast keeps the CPUs out of deep sleep as long as the fd stays open. It returns the
 * fd, or -errno. */
int platform_wake_fast(void);

pid_t platform_tid(void);

#endif
