/* SPDX-License-Identifier: BSD-3-Clause
 *
 * posix - core/platform on Linux. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

bool platform_has_cpu(int cpu)
{
	cpu_set_t before;
	bool has;

	if (sched_getaffinity(0, sizeof(before), &before) != 0)
		return false;
	has = platform_pin(cpu) == 0;
	sched_setaffinity(0, sizeof(before), &before);
	return has;
}

int platform_keep_on(const int *cpus, size_t n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < n; i++)
		if (cpus[i] >= 0 && cpus[i] < CPU_SETSIZE)
			CPU_SET((size_t)cpus[i], &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : -errno;
}

void platform_reach(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(set), &set) == 0 &&
	    !CPU_ISSET((size_t)cpu, &set))
		platform_pin(cpu);
}

int platform_pin_beside(const int *cpus, size_t n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	/* the caller's own may have become narrower */
	if (sched_getaffinity(getpid(), sizeof(set), &set) != 0)
		return -errno;
	for (size_t i = 0; i < n; i++)
		CPU_CLR((size_t)cpus[i], &set);
	if (CPU_COUNT(&set) == 0)
		return -ENODEV;
	return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : -errno;
}

static int realtime_set(pid_t tid, int policy, int priority)
{
	const struct sched_param param = {.sched_priority = priority};

	return sched_setscheduler(tid, policy | SCHED_RESET_ON_FORK, &param) == 0 ? 0 : -errno;
}

int platform_realtime(pid_t tid, int priority)
{
	return realtime_set(tid, SCHED_FIFO, priority);
}

int platform_round_robin(pid_t tid, int priority)
{
	return realtime_set(tid, SCHED_RR, priority);
}

int platform_priority(pid_t tid)
{
	struct sched_param param = {0};

	if (sched_getparam(tid, &param) != 0)
		return -errno;
	return sched_getscheduler(tid) == SCHED_DEADLINE ? 100 : param.sched_priority;
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

	*ret_why = "the kernel takes its share from threads that do not sleep "
	           "(kernel.sched_rt_runtime_us)";
	if (!file_line("/proc/sys/kernel/sched_rt_runtime_us", line, sizeof(line)) ||
	    atoi(line) >= 0)
		return false;
	*ret_why = "the CPU is not shielded from other threads (isolcpus, or an isolated cpuset)";
	return file_has_cpu("/sys/devices/system/cpu/isolated", cpu) ||
	    file_has_cpu("/sys/fs/cgroup/cpuset.cpus.isolated", cpu);
}

/* Not there, or not for us: then it counts for nothing, or less. */
static void session_nice(pid_t pid, int nice)
{
	char path[64];
	FILE *file;

	if (getsid(pid) != (pid != 0 ? pid : getpid()))
		return;
	snprintf(path, sizeof(path), "/proc/%d/autogroup", (int)getsid(pid));
	file = fopen(path, "we");
	if (file == NULL)
		return;
	fprintf(file, "%d", nice);
	fclose(file);
}

int platform_nice(pid_t pid, pid_t tid, int nice)
{
	const int before = getpriority(PRIO_PROCESS, (id_t)tid);
	const struct sched_param param = {.sched_priority = 0};

	if (setpriority(PRIO_PROCESS, (id_t)tid, nice) != 0)
		return -errno;
	if (nice < 0)
		sched_setscheduler(tid, SCHED_OTHER | SCHED_RESET_ON_FORK, &param);
	if (nice < before)
		session_nice(pid, nice);
	return 0;
}

/* The kernel lets nobody without the right take the flag off again. */
int platform_demote(pid_t tid)
{
	const struct sched_param param = {.sched_priority = 0};

	return sched_setscheduler(tid, SCHED_OTHER | SCHED_RESET_ON_FORK, &param) == 0 ? 0 : -errno;
}

int platform_yield(void)
{
	const struct sched_param param = {.sched_priority = 0};

	return sched_setscheduler(0, SCHED_IDLE | SCHED_RESET_ON_FORK, &param) == 0 ? 0 : -errno;
}

/* A program that root starts would have all that the bounding set holds: it has no such right, and
 * nothing gains any. */
int platform_forgo_priority(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	const uint32_t bit = 1u << CAP_SYS_NICE;

	prctl(PR_SET_NO_NEW_PRIVS, 1ul, 0ul, 0ul, 0ul);
	/* -EPERM: then it has none to give */
	prctl(PR_CAPBSET_DROP, (unsigned long)CAP_SYS_NICE, 0ul, 0ul, 0ul);
	if (syscall(SYS_capget, &head, data) != 0)
		return -errno;
	data[0].effective &= ~bit;
	data[0].permitted &= ~bit;
	data[0].inheritable &= ~bit;
	return syscall(SYS_capset, &head, data) == 0 ? 0 : -errno;
}

int platform_forbid_priority(pid_t pid)
{
	const struct rlimit none = {0, 0};
	const int realtime = prlimit(pid, RLIMIT_RTPRIO, &none, NULL) == 0 ? 0 : -errno;
	const int nice = prlimit(pid, RLIMIT_NICE, &none, NULL) == 0 ? 0 : -errno;

	return realtime != 0 ? realtime : nice;
}

bool platform_has_thread(pid_t pid, pid_t tid)
{
	return pid > 0 && tid > 0 && syscall(SYS_tgkill, pid, tid, 0) == 0;
}

void platform_no_slack(void)
{
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
}

/* 0 would stand for the slack of the thread that made this one. */
void platform_usual_slack(void)
{
	prctl(PR_SET_TIMERSLACK, 50000ul, 0ul, 0ul, 0ul);
}

int platform_lock_memory(void)
{
	struct rlimit limit;
	/* Under a limit, locking what is yet to come would make a later allocation fail instead of
	 * slow. */
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
