/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tasks.c - the threads of hosts as the kernel shows them (/proc/PID/task): what each has had of a
 * CPU, and whether it wants more. A host cannot make that up. */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/platform.h"
#include "daemons/exec/tasks.h"

static bool file_text(pid_t pid, pid_t tid, const char *name, char *ret, size_t size)
{
	char path[64];
	FILE *file;
	size_t len = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	file = fopen(path, "re");
	if (file != NULL) {
		len = fread(ret, 1, size - 1, file);
		fclose(file);
	}
	ret[len] = 0;
	return len > 0;
}

/* Of /proc/PID/task/TID/stat, behind the name: the state, and the 36th number after it, the CPU. */
static bool stat_parse(const char *text, struct exec_task *task)
{
	enum { CPU_AFTER = 36 };
	const char *at = strrchr(text, ')');

	if (at == NULL || at[1] != ' ')
		return false;
	at += 2;
	task->ready = *at == 'R';
	for (int i = 0; i < CPU_AFTER && at != NULL; i++) {
		at = strchr(at, ' ');
		at = at != NULL ? at + 1 : NULL;
	}
	if (at != NULL)
		task->cpu = (int)strtol(at, NULL, 10);
	return at != NULL;
}

bool task_look(pid_t pid, pid_t tid, struct exec_task *ret)
{
	struct exec_task task = {.pid = pid, .tid = tid};
	char text[1024];

	if (!file_text(pid, tid, "schedstat", text, sizeof(text)) ||
	    sscanf(text, "%" SCNu64, &task.ran_ns) != 1 ||
	    !file_text(pid, tid, "stat", text, sizeof(text)) || !stat_parse(text, &task))
		return false;
	*ret = task;
	return true;
}

bool task_wakes(pid_t pid, pid_t tid, uint64_t *ret)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char text[4096];
	const char *at =
	    file_text(pid, tid, "status", text, sizeof(text)) ? strstr(text, key) : NULL;

	return at != NULL && sscanf(at + sizeof(key) - 1, "%" SCNu64, ret) == 1;
}

/* The threads of a process, at most n: how many. */
static size_t tids_of(pid_t pid, pid_t *ret, size_t n)
{
	struct dirent *entry;
	char path[64];
	size_t found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = pid > 0 ? opendir(path) : NULL;
	while (dir != NULL && found < n && (entry = readdir(dir)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]))
			ret[found++] = (pid_t)strtol(entry->d_name, NULL, 10);
	if (dir != NULL)
		closedir(dir);
	return found;
}

size_t tasks_look(pid_t pid, struct exec_task *ret, size_t n)
{
	pid_t tids[TASKS_MAX];
	const size_t m = tids_of(pid, tids, n < TASKS_MAX ? n : TASKS_MAX);
	size_t found = 0;

	for (size_t i = 0; i < m; i++)
		found += task_look(pid, tids[i], &ret[found]);
	return found;
}

void tasks_demote(pid_t pid)
{
	pid_t tids[TASKS_MAX];
	const size_t n = tids_of(pid, tids, TASKS_MAX);

	for (size_t i = 0; i < n; i++)
		if (platform_priority(tids[i]) > 0)
			platform_demote(tids[i]);
}

int tasks_priority(pid_t pid)
{
	pid_t tids[TASKS_MAX];
	const size_t n = tids_of(pid, tids, TASKS_MAX);
	int most = 0;

	for (size_t i = 0; i < n; i++) {
		const int priority = platform_priority(tids[i]);

		most = priority > most ? priority : most;
	}
	return most;
}
