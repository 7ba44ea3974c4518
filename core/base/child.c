/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/child.c - sibling programs and leashes. */
#include "core/base/child.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int child_path(const char *name, char *ret_path, size_t size)
{
	char self[4096];
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;
	int n;

	if (len < 0)
		return -errno;
	self[len] = 0;
	slash = strrchr(self, '/');
	n = snprintf(ret_path, size, "%.*s/%s", slash ? (int)(slash - self) : 0, self, name);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static int actions_fill(
    posix_spawn_file_actions_t *actions, const int *fds, size_t n_fds, int stderr_fd)
{
	int error =
	    posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (!error && stderr_fd >= 0)
		error = posix_spawn_file_actions_adddup2(actions, stderr_fd, STDERR_FILENO);
	/* duplicating onto itself is how a spawn action clears close-on-exec */
	for (size_t i = 0; i < n_fds && !error; i++)
		error = posix_spawn_file_actions_adddup2(actions, fds[i], fds[i]);
	return -error;
}

static int attributes_fill(posix_spawnattr_t *attributes)
{
	const short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t none, all;
	int error;

	sigemptyset(&none);
	sigfillset(&all);
	error = posix_spawnattr_setflags(attributes, flags);
	error = error ? error : posix_spawnattr_setsigmask(attributes, &none);
	return -(error ? error : posix_spawnattr_setsigdefault(attributes, &all));
}

static int pidfd_get(pid_t pid, int *ret_pidfd)
{
	const int fd = pidfd_open(pid, 0);
	const int error = errno;

	if (fd < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return -error;
	}
	*ret_pidfd = fd;
	return 0;
}

int child_spawn(const char *path, char *const argv[], const int *fds, size_t n_fds, int error,
    pid_t *ret_pid, int *ret_pidfd)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid = 0;
	int result;

	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	if (posix_spawnattr_init(&attributes)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	result = actions_fill(&actions, fds, n_fds, error);
	if (!result)
		result = attributes_fill(&attributes);
	if (!result)
		result = -posix_spawn(&pid, path, &actions, &attributes, argv, environ);
	if (!result && ret_pidfd)
		result = pidfd_get(pid, ret_pidfd);
	if (!result)
		*ret_pid = pid;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return result;
}

pid_t child_reap(pid_t pid, int *ret_status)
{
	pid_t ended;
	int status = 0;

	do {
		ended = waitpid(pid, &status, WNOHANG);
	} while (ended < 0 && errno == EINTR);
	if (ended < 0)
		return -errno;
	if (ended > 0)
		*ret_status = status;
	return ended;
}

void child_status_text(int status, char *ret_text, size_t size)
{
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (WIFSIGNALED(status))
		snprintf(ret_text, size, "was killed by signal %d (SIG%s)", WTERMSIG(status),
		    name ? name : "RT");
	else
		snprintf(ret_text, size, "ended with status %d", WEXITSTATUS(status));
}

static ssize_t proc_read(const char *pid, const char *what, char *ret_text, size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	if (snprintf(path, sizeof(path), "/proc/%s/%s", pid, what) >= (int)sizeof(path))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, ret_text, size - 1);
	if (fd >= 0)
		close(fd);
	if (len >= 0)
		ret_text[len] = 0;
	return len;
}

/* The parent of a process that lives, from /proc/PID/stat; the name in it may hold blanks and
 * parentheses. */
static pid_t parent_get(const char *pid)
{
	char stat[512], state;
	const char *end;
	int parent;

	if (proc_read(pid, "stat", stat, sizeof(stat)) <= 0)
		return -1;
	end = strrchr(stat, ')');
	return end && sscanf(end + 1, " %c %d", &state, &parent) == 2 && state != 'Z' &&
	        state != 'X'
	    ? parent
	    : -1;
}

/* The status of one that nobody has reaped yet, from /proc/PID/stat; its pidfd still takes signals
 * then, and no other process has its number. */
static bool zombie_status(pid_t pid, int pidfd, int *ret_status)
{
	enum { FIELDS = 50 }; /* from the state, field 3, to the exit code, field 52 */
	char name[16], stat[1024], *at;

	snprintf(name, sizeof(name), "%d", pid);
	if (proc_read(name, "stat", stat, sizeof(stat)) <= 0 ||
	    pidfd_send_signal(pidfd, 0, NULL, 0) < 0)
		return false;
	at = strrchr(stat, ')');
	if (!at || strncmp(at, ") Z", 3) != 0)
		return false;
	for (int i = 0; at && i < FIELDS; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%d", ret_status) == 1;
}

/* What Linux 6.15 keeps with the pidfd of a process that has been reaped; headers may be older. */
struct pidfd_exit {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t status;
};
static_assert(sizeof(struct pidfd_exit) == 64, "PIDFD_INFO_SIZE_VER0");

static bool reaped_status(int pidfd, int *ret_status)
{
	const uint64_t exit = 1u << 3; /* PIDFD_INFO_EXIT */
	struct pidfd_exit info = {.mask = exit};

	if (ioctl(pidfd, _IOWR(0xff, 11, struct pidfd_exit), &info) < 0 || !(info.mask & exit))
		return false;
	*ret_status = info.status;
	return true;
}

bool child_ended(pid_t pid, int pidfd, char *ret_text, size_t size)
{
	int status = 0;

	/* reaped between two of the questions, the last one knows */
	if (child_reap(pid, &status) > 0 || zombie_status(pid, pidfd, &status) ||
	    reaped_status(pidfd, &status)) {
		child_status_text(status, ret_text, size);
		return true;
	}
	snprintf(ret_text, size,
	    "has ended for an unknown reason: its parent had died earlier, and this kernel does "
	    "not report the exit status then");
	return false;
}

static bool is_number(const char *name)
{
	return name[0] >= '1' && name[0] <= '9';
}

static bool args_begin(const char *pid, const char *const argv[], size_t n_args)
{
	char text[8192];
	const ssize_t len = proc_read(pid, "cmdline", text, sizeof(text));
	size_t at = 0;

	for (size_t i = 0; i < n_args; i++) {
		if (len < 0 || at >= (size_t)len || strcmp(text + at, argv[i]) != 0)
			return false;
		at += strlen(argv[i]) + 1;
	}
	return true;
}

/* The pidfd first: what is then seen under that number is what it stands for. */
static pid_t child_check(
    pid_t parent, const char *name, const char *const argv[], size_t n_args, int *ret_pidfd)
{
	const pid_t pid = (pid_t)strtol(name, NULL, 10);
	const int fd = parent_get(name) == parent ? pidfd_open(pid, 0) : -1;

	if (fd < 0)
		return 0;
	if (parent_get(name) == parent && args_begin(name, argv, n_args)) {
		*ret_pidfd = fd;
		return pid;
	}
	close(fd);
	return 0;
}

pid_t child_find(pid_t parent, const char *const argv[], size_t n_args, int *ret_pidfd)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t pid = 0;

	if (!proc)
		return -errno;
	while (pid == 0 && (entry = readdir(proc))) {
		if (is_number(entry->d_name))
			pid = child_check(parent, entry->d_name, argv, n_args, ret_pidfd);
	}
	closedir(proc);
	return pid;
}

static void children_kill(void)
{
	DIR *proc = opendir("/proc");
	const pid_t self = getpid();
	struct dirent *entry;

	if (!proc)
		return;
	while ((entry = readdir(proc))) {
		if (is_number(entry->d_name) && parent_get(entry->d_name) == self)
			kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
	}
	closedir(proc);
}

unsigned child_kill_all(void)
{
	unsigned killed = 0;

	/* each round takes one generation: the next one becomes ours when its parent is gone */
	for (;;) {
		pid_t pid;

		children_kill();
		pid = waitpid(-1, NULL, 0);
		if (pid > 0)
			killed++;
		else if (errno != EINTR)
			return killed;
	}
}

/* ---- leash ------------------------------------------------------------------------ */

struct leash_guard {
	int fd;
	unsigned grace_ms;
};

int leash_new(int ret_fds[2])
{
	return pipe2(ret_fds, O_CLOEXEC) < 0 ? -errno : 0;
}

static void *leash_guard_run(void *arg)
{
	const struct leash_guard guard = *(struct leash_guard *)arg;
	const struct timespec grace = {
	    .tv_sec = guard.grace_ms / 1000, .tv_nsec = guard.grace_ms % 1000 * 1000000L};
	struct pollfd poll_fd = {.fd = guard.fd, .events = 0}; /* a hang-up is always reported */

	free(arg);
	while (poll(&poll_fd, 1, -1) <= 0)
		;
	nanosleep(&grace, NULL);
	_exit(1);
}

int leash_guard_start(int fd, unsigned grace_ms)
{
	struct leash_guard *guard = malloc(sizeof(*guard));
	sigset_t all, before;
	pthread_t thread;
	int error;

	if (!guard)
		return -ENOMEM;
	*guard = (struct leash_guard){fd, grace_ms};
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, leash_guard_run, guard);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		free(guard);
		return -error;
	}
	pthread_detach(thread);
	return 0;
}
