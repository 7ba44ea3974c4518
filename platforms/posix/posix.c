/* SPDX-License-Identifier: BSD-3-Clause
 *
 * posix - core/platform on Linux. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/cpulist.h"
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

/* An abstract socket: the kernel frees it with its holder. */
int platform_lock_cpu(int cpu)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int len;

	if (fd < 0)
		return -errno;
	len = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "aloe-lane-%d", cpu);
	if (bind(fd, (struct sockaddr *)&address,
	        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) == 0)
		return fd;
	len = errno;
	close(fd);
	return -len;
}

int platform_realtime(pid_t tid, int priority)
{
	const struct sched_param param = {.sched_priority = priority};

	return sched_setscheduler(tid, SCHED_FIFO, &param) == 0 ? 0 : -errno;
}

static bool file_line(const char *path, char *ret_line, int size)
{
	FILE *file = fopen(path, "re");
	const bool there = file != NULL && fgets(ret_line, size, file) != NULL;

	if (file != NULL)
		fclose(file);
	return there;
}

static bool file_has_cpu(const char *path, int cpu)
{
	char line[4096];
	cpu_set_t cpus;

	return file_line(path, line, sizeof(line)) && cpulist_parse(line, &cpus) == 0 &&
	    CPU_ISSET((size_t)cpu, &cpus);
}

bool platform_may_poll(int cpu, const char **ret_why)
{
	char line[64];

	*ret_why =
	    "the kernel takes its share from threads that do not sleep (kernel.sched_rt_runtime_us)";
	if (!file_line("/proc/sys/kernel/sched_rt_runtime_us", line, sizeof(line)) ||
	    atoi(line) >= 0)
		return false;
	*ret_why = "its CPU is not shielded from others (isolcpus, or an isolated cpuset)";
	return file_has_cpu("/sys/devices/system/cpu/isolated", cpu) ||
	    file_has_cpu("/sys/fs/cgroup/cpuset.cpus.isolated", cpu);
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
	const bool limited = geteuid() != 0 &&
	    (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY);

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
