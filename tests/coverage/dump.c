/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In builds of `make coverage`, in each program and each component: who ends without exit writes
 * its counters, too (gcov writes them at exit alone).
 *
 *	_exit                       writes them first
 *	pidfd_send_signal SIGKILL   aloe-exec ends hosts so: it asks the process to write them and
 *	                            to end, by a signal of its own, and kills after PATIENCE_MS what
 *	                            has not (it is stopped, or hangs with a lock; for that a handler
 *	                            may do what no handler should)
 *
 * Each program and each shared object has counters of its own, so all of them are asked. What
 * others kill by SIGKILL writes nothing. */
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

void __wrap__exit(int status)
{
	const struct link_map *map = dlopen(NULL, RTLD_LAZY);

	coverage_dump();
	for (; map != NULL; map = map->l_next)
		if (map->l_name[0] != 0)
			object_dump(map->l_name);
	__real__exit(status);
}

static int signal_of_ours(void)
{
	return SIGRTMAX - 1;
}

static void end(int signo)
{
	__wrap__exit(128 + signo);
}

/* The program is the first that comes here; what it loads later leaves it so. */
__attribute__((constructor)) static void ask_begin(void)
{
	const struct sigaction ours = {.sa_handler = end};
	struct sigaction old;

	if (sigaction(signal_of_ours(), NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(signal_of_ours(), &ours, NULL);
}

int __wrap_pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags)
{
	struct pollfd ended = {.fd = fd, .events = POLLIN};

	if (signo == SIGKILL && flags == 0 &&
	    __real_pidfd_send_signal(fd, signal_of_ours(), NULL, 0) == 0)
		poll(&ended, 1, PATIENCE_MS);
	return __real_pidfd_send_signal(fd, signo, info, flags);
}
