/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/processes.h - a process and all below it: what memory each has for itself and shares
 * with others, as the kernel says (/proc/PID/smaps). Images are shared by nature, whoever has
 * touched which of their pages.
 */
#ifndef TOOLS_BENCH_PROCESSES_H
#define TOOLS_BENCH_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

struct process {
	pid_t pid;
	char name[32];
	/* resident: its own; of images; libraries and files */
	double private_kb, image_kb, shared_kb;
	char components[256]; /* that it has loaded, as "copy null_sink" */
	unsigned n_components;
};

/* processes_below finds `from` and what descends from it, of the programs aloe...: how many, at
 * most n. Those that have ended meanwhile are left out. */
size_t processes_below(pid_t from, struct process *ret, size_t n);

/* What the threads of a process have taken so far, as the scheduler counts: time on a CPU, and
 * times that a thread slept and was woken. Threads that have ended are missing. */
struct process_spent {
	double cpu_us, wakes;
};
struct process_spent process_spent(pid_t pid);
/* process_bind lets all threads that there are, and those that they start, run on one CPU only: 0
 * or -errno. */
int process_bind(pid_t pid, int cpu);
/* process_prefer gives those threads nice -20, but for those of real-time priority, and the session
 * that the process leads, where this user may: other programs of the machine are not to count, nor
 * their sessions (sched_autogroup). What the threads start later has ordinary priority again: to be
 * called before a waveform is loaded, for the daemons, and after that, for its hosts. */
void process_prefer(pid_t pid);

#endif
