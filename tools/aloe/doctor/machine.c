/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/capability.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cpulist.h"
#include "core/base/file.h"
#include "core/platform/platform.h"
#include "tools/aloe/doctor/doctor.h"

enum { FILE_MAX = 1 << 20 };

int machine_path(
    const struct machine *machine, const char *path, int cpu, char *ret_path, size_t size)
{
	const char *star = strchr(path, '*');

	if (star == NULL)
		return path_print(ret_path, size, "%s%s", machine->root, path);
	return path_print(
	    ret_path, size, "%s%.*s%d%s", machine->root, (int)(star - path), path, cpu, star + 1);
}

static int text_read(const struct machine *machine, const char *path, char **ret_text)
{
	char whole[PATH_MAX];
	size_t len;
	int rc = machine_path(machine, path, 0, whole, sizeof(whole));

	return rc < 0 ? rc : file_read(whole, FILE_MAX, ret_text, &len);
}

char *machine_text(const struct machine *machine, const char *path)
{
	char *text = NULL;

	return text_read(machine, path, &text) == 0 ? text : NULL;
}

/* "always [madvise] never", "none (full)" */
static void choice_cut(char *value)
{
	char *begin = strpbrk(value, "[("), *end;

	if (begin == NULL || (end = strpbrk(begin, "])")) == NULL)
		return;
	*end = 0;
	memmove(value, begin + 1, (size_t)(end - begin));
}

int machine_read(const struct machine *machine, const char *path, char ret_value[MACHINE_VALUE])
{
	char *text;
	size_t len;
	int rc = text_read(machine, path, &text);

	if (rc < 0)
		return rc;
	len = strcspn(text, "\n");
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	rc = len < MACHINE_VALUE ? 0 : -EFBIG;
	if (rc == 0) {
		memcpy(ret_value, text, len);
		ret_value[len] = 0;
		choice_cut(ret_value);
	}
	free(text);
	return rc;
}

/* In one piece, as files of the kernel want it. */
int machine_write(const struct machine *machine, const char *path, const char *value)
{
	char whole[PATH_MAX], line[MACHINE_VALUE + 1];
	int rc = machine_path(machine, path, 0, whole, sizeof(whole)), fd;
	const int len = snprintf(line, sizeof(line), "%s\n", value);

	if (rc < 0 || (size_t)len >= sizeof(line))
		return rc < 0 ? rc : -EFBIG;
	fd = open(whole, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = write(fd, line, (size_t)len) == len ? 0 : -errno;
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

bool machine_program(const struct machine *machine, const char *pid)
{
	char path[64];
	char *text;
	bool is;

	snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	text = machine_text(machine, path);
	is = text != NULL && text[0] != 0;
	free(text);
	return is;
}

bool machine_ours(const struct machine *machine, const char *pid)
{
	char path[64], name[MACHINE_VALUE];

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	return machine_read(machine, path, name) == 0 && strncmp(name, "aloe", 4) == 0;
}

bool machine_option(const struct machine *machine, const char *name, char ret_value[MACHINE_VALUE])
{
	char *text = machine_text(machine, "/proc/cmdline"), *rest = text, *word;
	const size_t len = strlen(name);
	bool found = false;

	while (!found && rest != NULL && (word = strsep(&rest, " \n")) != NULL) {
		found = strncmp(word, name, len) == 0 && word[len] == '=';
		if (found)
			snprintf(ret_value, MACHINE_VALUE, "%s", word + len + 1);
	}
	free(text);
	return found;
}

/* ---- what only system calls tell ---- */

static void *try_realtime(void *ret)
{
	*(int *)ret = platform_realtime(0, PLATFORM_PRIORITY_WATCHDOG);
	return NULL;
}

static bool may_lock(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	return syscall(SYS_capget, &head, data) == 0 && (data[0].effective >> CAP_IPC_LOCK & 1);
}

static unsigned resolution_ns(clockid_t clock)
{
	struct timespec step;

	return clock_getres(clock, &step) == 0 && step.tv_sec == 0 ? (unsigned)step.tv_nsec : 0;
}

/* What `ethtool -c` asks. */
static int nic_rx_us(int fd, const char *name)
{
	struct ethtool_coalesce coalesce = {.cmd = ETHTOOL_GCOALESCE};
	struct ifreq request = {.ifr_data = (char *)&coalesce};

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	return ioctl(fd, SIOCETHTOOL, &request) < 0 ? -errno : (int)coalesce.rx_coalesce_usecs;
}

static void nics_ask(struct machine *machine)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	glob_t found;

	if (fd >= 0 && glob("/sys/class/net/*/device", 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && machine->n_nics < MACHINE_NICS; i++) {
			struct machine_nic *nic = &machine->nics[machine->n_nics++];

			sscanf(found.gl_pathv[i], "/sys/class/net/%15[^/]", nic->name);
			nic->rx_us = nic_rx_us(fd, nic->name);
		}
		globfree(&found);
	}
	if (fd >= 0)
		close(fd);
}

/* As exec asks for it, on a CPU that this process may use. */
static void evidence_ask(struct machine_rights *rights)
{
	struct perf_ring ring = PERF_RING_NONE;
	const int cpu = sched_getcpu();

	(void)platform_perf_open(cpu < 0 ? 0 : cpu, &ring);
	memcpy(rights->evidence, ring.status, sizeof(rights->evidence));
	platform_perf_close(&ring);
}

static void rights_ask(struct machine_rights *rights)
{
	struct rlimit limit = {0};
	pthread_t thread;

	*rights = (struct machine_rights){.root = geteuid() == 0, .fifo = -EAGAIN};
	if (pthread_create(&thread, NULL, try_realtime, &rights->fifo) == 0)
		pthread_join(thread, NULL);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	rights->memlock_kb = limit.rlim_cur / 1024;
	rights->lock_all = limit.rlim_cur == RLIM_INFINITY || may_lock();
	getrlimit(RLIMIT_RTPRIO, &limit);
	rights->rtprio = limit.rlim_cur;
	rights->tick_ns = resolution_ns(CLOCK_MONOTONIC_COARSE);
	rights->timer_ns = resolution_ns(CLOCK_MONOTONIC);
	evidence_ask(rights);
	rights->slack_ns = (unsigned)prctl(PR_GET_TIMERSLACK, 0ul, 0ul, 0ul, 0ul);
}

int machine_open(struct machine *machine, const char *root, const cpu_set_t *lanes, int *ret_cpu)
{
	char online[MACHINE_VALUE];
	cpu_set_t all;
	int rc;

	CPU_ZERO(&all);
	*machine = (struct machine){.root = root};
	rights_ask(&machine->rights);
	nics_ask(machine);
	rc = machine_read(machine, "/sys/devices/system/cpu/online", online);
	if (rc == 0)
		rc = cpulist_parse(online, &all);
	if (rc < 0)
		return rc;
	if (lanes != NULL)
		machine->lanes = *lanes;
	else if (sched_getaffinity(0, sizeof(machine->lanes), &machine->lanes) != 0)
		return -errno;
	CPU_XOR(&machine->rest, &all, &machine->lanes);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, &machine->rest) && !CPU_ISSET((size_t)cpu, &all)) {
			*ret_cpu = cpu;
			return -ENODEV;
		}
	return 0;
}
