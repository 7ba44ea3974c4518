/* SPDX-License-Identifier: BSD-3-Clause
 *
 * posix - core/platform on Linux. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
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
