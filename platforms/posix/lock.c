/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lock.c - one lane to a CPU, on the whole machine.
 *
 * Containers have network, mount, process and user namespaces of their own: an abstract socket, a
 * file or a process number of one of them is nothing to the other. What they have in common without
 * anybody's help is the time namespace, and its file in /proc is one inode for all of them, which
 * an ordinary user may open and lock. It can only be read, hence only be locked for reading, and
 * such locks do not exclude each other: who takes a CPU looks for the locks of others there
 * (F_OFD_GETLK), under a flock on the same file, then sets its own. The place of a lock tells the
 * CPU and the user, its length the process:
 *
 *   start = CPU << 53 | user,   length = 1 + (process | pid namespace << 22)
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/platform/platform.h"

#define PID_BITS 22 /* PID_MAX_LIMIT */
#define PID_NS_MASK 0xfffffffu
#define RANGE_BITS 53 /* CPU_SETSIZE of them in an off_t */

enum { MUTEX_TRIES = 500, MUTEX_PAUSE_NS = 1000000 };

/* The widest that this kernel has; the last two are there for kernels that have no containers
 * either. `machine` is the number of the namespace that the machine has started with, where that is
 * a constant. */
static const struct {
	const char *path, *name;
	ino_t machine;
} scopes[] = {
    {"/proc/self/ns/time", "time", 0xeffffffau},
    {"/proc/self/ns/user", "user", 0xeffffffdu},
    {"/proc/self/ns/net", "network", 0},
    {"/proc/self/ns/mnt", "mount", 0},
};

static int scope_open(size_t *ret_scope)
{
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		const int fd = open(scopes[i].path, O_RDONLY | O_CLOEXEC);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
			return -errno;
		if (fd < 0)
			continue;
		*ret_scope = i;
		return fd;
	}
	return -ENOTSUP;
}

const char *platform_lock_scope(void)
{
	const char *name = NULL;
	struct stat found;
	size_t scope = 0;
	const int fd = scope_open(&scope);

	if (fd < 0)
		return "";
	if (fstat(fd, &found) != 0 || found.st_ino != scopes[scope].machine)
		name = scopes[scope].name;
	close(fd);
	return name;
}

/* Low bits: enough to tell one from another. */
static uint64_t pid_namespace(void)
{
	struct stat found;

	return stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino & PID_NS_MASK : 0;
}

static off_t range_start(int cpu)
{
	return (off_t)cpu << RANGE_BITS;
}

static void holder_decode(const struct flock *found, int cpu, struct platform_holder *ret)
{
	const uint64_t code = (uint64_t)found->l_len - 1;

	*ret = (struct platform_holder){.pid = (pid_t)(code & ((1u << PID_BITS) - 1)),
	    .uid = (uid_t)(found->l_start - range_start(cpu)),
	    .elsewhere = code >> PID_BITS != pid_namespace()};
}

/* 0: free; -EADDRINUSE with the holder; -errno. */
static int cpu_look(int fd, int cpu, struct platform_holder *ret_holder)
{
	struct flock found = {.l_type = F_WRLCK,
	    .l_whence = SEEK_SET,
	    .l_start = range_start(cpu),
	    .l_len = (off_t)((UINT64_C(1) << RANGE_BITS) - 1)};

	if (fcntl(fd, F_OFD_GETLK, &found) != 0)
		return -errno;
	if (found.l_type == F_UNLCK)
		return 0;
	holder_decode(&found, cpu, ret_holder);
	return -EADDRINUSE;
}

static off_t range_length(void)
{
	const uint64_t code =
	    ((uint64_t)getpid() & ((1u << PID_BITS) - 1)) | pid_namespace() << PID_BITS;

	return (off_t)(1 + code);
}

static int cpu_take(int fd, int cpu)
{
	struct flock own = {.l_type = F_RDLCK,
	    .l_whence = SEEK_SET,
	    .l_start = range_start(cpu) + (off_t)geteuid(),
	    .l_len = range_length()};

	return fcntl(fd, F_OFD_SETLK, &own) == 0 ? 0 : -errno;
}

/* What it has of the CPU's range from `at` on. */
static int range_give(int fd, int cpu, off_t at)
{
	struct flock rest = {.l_type = F_UNLCK,
	    .l_whence = SEEK_SET,
	    .l_start = range_start(cpu) + at,
	    .l_len = (off_t)((UINT64_C(1) << RANGE_BITS) - 1) - at};

	return fcntl(fd, F_OFD_SETLK, &rest) == 0 ? 0 : -errno;
}

/* Its own lock comes first; what the process before has locked beyond it goes then. */
int platform_lock_cpu_on(int fd, int cpu)
{
	const int status = cpu >= 0 && cpu < CPU_SETSIZE ? cpu_take(fd, cpu) : -EINVAL;

	return status != 0 ? status : range_give(fd, cpu, (off_t)geteuid() + range_length());
}

void platform_unlock_cpu(int fd, int cpu)
{
	range_give(fd, cpu, 0);
	close(fd);
}

/* Held for a few microseconds by whoever looks and takes. */
static int mutex_take(int fd)
{
	const struct timespec pause = {.tv_nsec = MUTEX_PAUSE_NS};

	for (int i = 0; i < MUTEX_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

int platform_lock_cpu(int cpu, struct platform_holder *ret_holder)
{
	size_t scope;
	const int fd = cpu >= 0 && cpu < CPU_SETSIZE ? scope_open(&scope) : -EINVAL;
	int status = fd < 0 ? fd : mutex_take(fd);

	if (status == 0) {
		status = cpu_look(fd, cpu, ret_holder);
		if (status == 0)
			status = cpu_take(fd, cpu);
		flock(fd, LOCK_UN);
	}
	if (status == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return status;
}

bool platform_cpu_free(int cpu)
{
	struct platform_holder holder;
	size_t scope;
	const int fd = cpu >= 0 && cpu < CPU_SETSIZE ? scope_open(&scope) : -EINVAL;
	const bool is_free = fd >= 0 && cpu_look(fd, cpu, &holder) == 0;

	if (fd >= 0)
		close(fd);
	return is_free;
}
