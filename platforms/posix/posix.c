/* SPDX-License-Identifier: BSD-3-Clause
 *
 * posix - core/platform on Linux. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/platform/platform.h"

size_t platform_cpus(int *ret_cpus, size_t n)
{
	cpu_set_t set;
	size_t found = 0;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && found < n; cpu++)
		if (CPU_ISSET(cpu, &set))
			ret_cpus[found++] = cpu;
	return found;
}

int platform_pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return -EINVAL;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : -errno;
}

int platform_realtime(pid_t tid, int priority)
{
	const struct sched_param param = {.sched_priority = priority};

	return sched_setscheduler(tid, SCHED_FIFO, &param) == 0 ? 0 : -errno;
}

/* "0-2,5" and the like. */
static bool list_has(const char *list, int cpu)
{
	int first, last, len;

	while (sscanf(list, "%d%n", &first, &len) == 1) {
		list += len;
		last = first;
		if (*list == '-' && sscanf(list, "-%d%n", &last, &len) == 1)
			list += len;
		if (cpu >= first && cpu <= last)
			return true;
		if (*list++ != ',')
			break;
	}
	return false;
}

static bool file_line(const char *path, char *ret_line, int size)
{
	FILE *file = fopen(path, "re");
	const bool there = file != NULL && fgets(ret_line, size, file) != NULL;

	if (file != NULL)
		fclose(file);
	return there;
}

bool platform_may_poll(int cpu, const char **ret_why)
{
	char line[4096];

	*ret_why = "the kernel takes its share from threads that do not sleep (kernel.sched_rt_runtime_us)";
	if (!file_line("/proc/sys/kernel/sched_rt_runtime_us", line, sizeof(line)) || atoi(line) >= 0)
		return false;
	*ret_why = "its CPU is not shielded from others (isolcpus, or an isolated cpuset)";
	return (file_line("/sys/devices/system/cpu/isolated", line, sizeof(line)) && list_has(line, cpu)) ||
	       (file_line("/sys/fs/cgroup/cpuset.cpus.isolated", line, sizeof(line)) && list_has(line, cpu));
}

/* Not there, or not for us: then it counts for nothing, or less. */
static void session_nice(int nice)
{
	FILE *file = getsid(0) == getpid() ? fopen("/proc/self/autogroup", "we") : NULL;

	if (file == NULL)
		return;
	fprintf(file, "%d", nice);
	fclose(file);
}

int platform_nice(int nice, int *ret_before)
{
	*ret_before = getpriority(PRIO_PROCESS, 0);
	if (setpriority(PRIO_PROCESS, 0, nice) != 0)
		return -errno;
	if (nice < *ret_before)
		session_nice(nice);
	return 0;
}

int platform_demote(pid_t tid)
{
	const struct sched_param param = {.sched_priority = 0};

	return sched_setscheduler(tid, SCHED_OTHER, &param) == 0 ? 0 : -errno;
}

void platform_no_slack(void)
{
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
}

int platform_lock_memory(void)
{
	struct rlimit limit;
	/* Under a limit, locking what is yet to come would make a later allocation fail instead of slow. */
	const bool limited =
	    geteuid() != 0 && (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY);

	return mlockall(limited ? MCL_CURRENT : MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : -errno;
}

/* Advice is taken in silence where the policy is "never". */
static bool huge_pages_never(void)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	char policy[64] = "[never]";

	if (file != NULL) {
		if (fgets(policy, sizeof(policy), file) == NULL)
			policy[0] = 0;
		fclose(file);
	}
	return strstr(policy, "[never]") != NULL;
}

int platform_huge_pages(void *memory, size_t bytes)
{
	return madvise(memory, bytes, MADV_HUGEPAGE) != 0 || huge_pages_never() ? -ENOTSUP : 0;
}

int platform_wake_fast(void)
{
	const int32_t latency_us = 0;
	const int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return -errno;
	if (write(fd, &latency_us, sizeof(latency_us)) == (ssize_t)sizeof(latency_us))
		return fd;
	error = errno;
	close(fd);
	return -error;
}

pid_t platform_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}
