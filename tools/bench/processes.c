/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/platform.h"

static FILE *proc_open(pid_t pid, const char *what)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	return fopen(path, "re");
}

static pid_t parent_of(pid_t pid)
{
	FILE *file = proc_open(pid, "stat");
	int parent = 0;

	if (file && fscanf(file, "%*d (%*[^)]) %*c %d", &parent) != 1)
		parent = 0;
	if (file)
		fclose(file);
	return parent;
}

static bool process_descends(pid_t pid, pid_t from)
{
	while (pid > 1 && pid != from)
		pid = parent_of(pid);
	return pid == from;
}

static bool name_read(struct process *process)
{
	FILE *file = proc_open(process->pid, "comm");
	const bool ours =
	    file && fscanf(file, "%31s", process->name) == 1 && !strncmp(process->name, "aloe", 4);

	if (file)
		fclose(file);
	return ours;
}

static void line_add(struct process *process, const char *line, bool image)
{
	double kb;

	if (sscanf(line, "Private_%*[^:]: %lf", &kb) == 1)
		*(image ? &process->image_kb : &process->private_kb) += kb;
	else if (sscanf(line, "Shared_%*[^:]: %lf", &kb) == 1)
		*(image ? &process->image_kb : &process->shared_kb) += kb;
}

/* Each mapping's address and name, then its figures, which begin with capitals. */
static bool memory_read(struct process *process)
{
	FILE *file = proc_open(process->pid, "smaps");
	bool image = false;
	char line[4608];

	while (file && fgets(line, sizeof(line), file))
		if (isupper((unsigned char)line[0]))
			line_add(process, line, image);
		else
			image = strstr(line, "/memfd:aloe-") != NULL;
	if (file)
		fclose(file);
	return process->private_kb > 0; /* none: it ends just now */
}

/* One mapping of a component's file is enough to know it. */
static void component_add(struct process *process, const char *line)
{
	const char *path = strstr(line, "/lib/aloe/"), *name = path ? strrchr(path, '/') + 1 : NULL;
	const size_t used = strlen(process->components), len = name ? strcspn(name, ".\n") : 0;
	char word[80];

	if (!name || strncmp(name + len, ".so\n", 4) != 0 || len + 2 > sizeof(word))
		return;
	snprintf(word, sizeof(word), "%.*s ", (int)len, name);
	if (strstr(process->components, word) || used + strlen(word) >= sizeof(process->components))
		return;
	memcpy(process->components + used, word, strlen(word) + 1);
	process->n_components++;
}

static void components_read(struct process *process)
{
	FILE *file = proc_open(process->pid, "maps");
	char line[4608];

	while (file && fgets(line, sizeof(line), file))
		component_add(process, line);
	if (file)
		fclose(file);
	if (process->n_components) /* without the last space */
		process->components[strlen(process->components) - 1] = 0;
}

/* ---- threads ------------------------------------------------------------------------ */

/* The next thread of a process, 0 after the last. */
static pid_t thread_next(DIR *tasks)
{
	const struct dirent *entry;

	while (tasks && (entry = readdir(tasks)))
		if (isdigit((unsigned char)entry->d_name[0]))
			return atoi(entry->d_name);
	return 0;
}

static DIR *tasks_open(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return opendir(path);
}

static void thread_add(pid_t pid, pid_t thread, struct process_spent *spent)
{
	char what[64], line[256];
	double ns = 0, switches;
	FILE *file;

	snprintf(what, sizeof(what), "task/%d/schedstat", (int)thread);
	file = proc_open(pid, what);
	if (file && fscanf(file, "%lf", &ns) == 1)
		spent->cpu_us += ns / 1e3;
	if (file)
		fclose(file);
	snprintf(what, sizeof(what), "task/%d/status", (int)thread);
	file = proc_open(pid, what);
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "voluntary_ctxt_switches: %lf", &switches) == 1)
			spent->wakes += switches;
	if (file)
		fclose(file);
}

struct process_spent process_spent(pid_t pid)
{
	struct process_spent spent = {0};
	DIR *tasks = tasks_open(pid);
	pid_t thread;

	while ((thread = thread_next(tasks)))
		thread_add(pid, thread, &spent);
	if (tasks)
		closedir(tasks);
	return spent;
}

int process_bind(pid_t pid, int cpu)
{
	DIR *tasks = tasks_open(pid);
	cpu_set_t set;
	pid_t thread;
	int rc = tasks ? 0 : -ESRCH;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	while ((thread = thread_next(tasks)))
		if (sched_setaffinity(thread, sizeof(set), &set) < 0 && errno != ESRCH)
			rc = -errno;
	if (tasks)
		closedir(tasks);
	return rc;
}

void process_prefer(pid_t pid)
{
	DIR *tasks = tasks_open(pid);
	pid_t thread;

	while ((thread = thread_next(tasks)))
		if (platform_priority(thread) == 0)
			(void)platform_nice(pid, thread, -20);
	if (tasks)
		closedir(tasks);
}

size_t processes_below(pid_t from, struct process *ret, size_t n)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	size_t len = 0;

	while (proc && len < n && (entry = readdir(proc))) {
		struct process *process = &ret[len];
		*process = (struct process){
		    .pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0};
		if (!process->pid || !process_descends(process->pid, from) || !name_read(process) ||
		    !memory_read(process))
			continue;
		components_read(process);
		len++;
	}
	if (proc)
		closedir(proc);
	return len;
}
