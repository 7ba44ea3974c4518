/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/tasks.h - threads of other processes, as the kernel shows them.
 */
#ifndef DAEMONS_EXEC_TASKS_H
#define DAEMONS_EXEC_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct exec_task { /* a thread, as the kernel shows it */
	pid_t pid, tid;
	uint64_t ran_ns; /* on CPUs, so far */
	bool ready;      /* runs, or wants to */
	int cpu;         /* where it ran last */
};

enum { TASKS_MAX = 256 };

bool task_look(pid_t pid, pid_t tid, struct exec_task *ret);
/* task_wakes: how often it has slept and was woken. */
bool task_wakes(pid_t pid, pid_t tid, uint64_t *ret);
size_t tasks_look(pid_t pid, struct exec_task *ret, size_t n);
void tasks_demote(pid_t pid);
int tasks_priority(pid_t pid);

#endif
