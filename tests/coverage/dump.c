/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In builds of `make coverage`, in each program and each component: who ends without exit writes
 * its counters, too (gcov writes them at exit alone).
 *
 *	_exit                 writes them first
 *	SIGKILL to a process  by kill or pidfd_send_signal: it is asked to write them and to kill
 *	                      itself, by a signal of its own, and is killed after PATIENCE_MS if it
 *	                      has not (it is stopped, or hangs with a lock; for that a handler may
 *	                      do what no handler should). So its status is what it would have been
 *
 * Each program and each shared object has counters of its own, so all of them are asked. Scripts
 * do the same (kill.sh). What the kernel kills, by PR_SET_PDEATHSIG or for a fault, writes
 * nothing. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <dlfcn.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/pidfd.h>

enum { PATIENCE_MS = 1000 };

void __gcov_dump(void);
void coverage_dump(void) __attribute__((visibility("default")));
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
int __real_kill(pid_t pid, int signo);
int __wrap_kill(pid_t pid, int signo);
int __real_pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags);
int __wrap_pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags);

void coverage_dump(void)
{
	__gcov_dump();
}

static void object_dump(const char *name)
{
	void *object = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	void *dump = object != NULL ? dlsym(object, "coverage_dump") : NULL;

	if (dump != NULL)
		((void (*)(void))dump)();
}

static void all_dump(void)
{
	const struct link_map *map = dlopen(NULL, RTLD_LAZY);

	coverage_dump();
	for (; map != NULL; map = map->l_next)
		if (map->l_name[0] != 0)
			object_dump(map->l_name);
}

void __wrap__exit(int status)
{
	all_dump();
	__real__exit(status);
}

static int signal_of_ours(void)
{
	return SIGRTMAX - 1;
}

static void end(int signo)
{
	(void)signo;
	all_dump();
	__real_kill(getpid(), SIGKILL);
}

/* The program is the first that comes here; what it loads later leaves it so. */
__attribute__((constructor)) static void ask_begin(void)
{
	const struct sigaction ours = {.sa_handler = end};
	struct sigaction old;

	if (sigaction(signal_of_ours(), NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(signal_of_ours(), &ours, NULL);
}

/* Whether the process has a handler for our signal: anybody else would end by it. */
static bool understands(pid_t pid)
{
	char path[40], line[256];
	uint64_t caught = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "SigCgt: %" SCNx64, &caught) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return caught >> (signal_of_ours() - 1) & 1;
}

static pid_t pid_of(int fd)
{
	char path[40], line[256];
	int pid = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "Pid: %d", &pid) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return pid;
}

int __wrap_pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags)
{
	struct pollfd ended = {.fd = fd, .events = POLLIN};
	const pid_t pid = signo == SIGKILL ? pid_of(fd) : -1;

	if (pid > 0 && understands(pid) &&
	    __real_pidfd_send_signal(fd, signal_of_ours(), NULL, 0) == 0)
		poll(&ended, 1, PATIENCE_MS);
	return __real_pidfd_send_signal(fd, signo, info, flags);
}

int __wrap_kill(pid_t pid, int signo)
{
	if (signo == SIGKILL && pid == getpid())
		all_dump();
	if (signo == SIGKILL && pid > 0 && pid != getpid() && understands(pid)) {
		const int fd = pidfd_open(pid, 0);
		struct pollfd ended = {.fd = fd, .events = POLLIN};

		if (fd >= 0 && __real_pidfd_send_signal(fd, signal_of_ours(), NULL, 0) == 0)
			poll(&ended, 1, PATIENCE_MS);
		if (fd >= 0)
			close(fd);
	}
	return __real_kill(pid, signo);
}
