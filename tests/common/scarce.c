/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/scarce.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/json/json.h"

static _Thread_local struct {
	enum scarce what;
	unsigned left;
	int error;
	bool failed;
} scarce;

static bool fails(enum scarce what)
{
	if (scarce.what != what || scarce.failed || scarce.left-- > 0)
		return false;
	scarce.failed = true;
	errno = scarce.error;
	return true;
}

void scarce_after(enum scarce what, unsigned n, int error)
{
	scarce.what = what;
	scarce.left = n;
	scarce.error = error;
	scarce.failed = false;
}

bool scarce_over(void)
{
	scarce.what = SCARCE_NOTHING;
	return scarce.failed;
}

static unsigned open_now(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

unsigned scarce_sweep(enum scarce what, int error, int (*once)(void *of), void *of)
{
	unsigned refused = 0, before;
	bool failed = true;

	assert_int_equal(once(of), 0);
	before = open_now();
	for (unsigned n = 0; failed; n++) {
		int status;

		scarce_after(what, n, error);
		status = once(of);
		failed = scarce_over();
		if (open_now() != before)
			fail_msg("call %u failed: %u descriptors are open, %u were", n, open_now(),
			    before);
		if (!failed)
			assert_int_equal(status, 0);
		refused += status != 0;
	}
	return refused;
}

/* ---- a folder ------------------------------------------------------------------------ */

int scarce_folder_make(void **state)
{
	struct scarce_folder *folder = calloc(1, sizeof(*folder));

	*state = folder;
	if (folder == NULL)
		return -1;
	snprintf(folder->dir, sizeof(folder->dir), "%s/aloe-scarce-XXXXXX",
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	return mkdtemp(folder->dir) != NULL ? 0 : -1;
}

int scarce_folder_remove(void **state)
{
	struct scarce_folder *folder = *state;
	char command[128];
	int status;

	snprintf(command, sizeof(command), "rm -rf '%s'", folder->dir);
	status = system(command);
	free(folder);
	return status;
}

const char *scarce_path(struct scarce_folder *folder, const char *name)
{
	snprintf(folder->path, sizeof(folder->path), "%s/%s", folder->dir, name);
	return folder->path;
}

void scarce_folder_clean(struct scarce_folder *folder)
{
	char command[160];

	snprintf(command, sizeof(command), "rm -rf '%s'/*", folder->dir);
	assert_int_equal(system(command), 0);
}

/* ---- calls --------------------------------------------------------------------------- */

/* The linker gives each call of `name` to __wrap_name, and calls __real_name the real one. */
#define SCARCE(kind, result, name, params, args, bad)                                              \
	result __real_##name params;                                                               \
	result __wrap_##name params;                                                               \
	result __wrap_##name params                                                                \
	{                                                                                          \
		return fails(kind) ? bad : __real_##name args;                                     \
	}
#define MEMORY(...) SCARCE(SCARCE_MEMORY, __VA_ARGS__)
#define KERNEL(...) SCARCE(SCARCE_KERNEL, __VA_ARGS__)

MEMORY(void *, malloc, (size_t size), (size), NULL)
MEMORY(void *, calloc, (size_t n, size_t size), (n, size), NULL)
MEMORY(void *, realloc, (void *old, size_t size), (old, size), NULL)
MEMORY(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), NULL)
MEMORY(char *, strdup, (const char *text), (text), NULL)
MEMORY(char *, strndup, (const char *text, size_t len), (text, len), NULL)
MEMORY(int, vasprintf, (char **ret, const char *format, va_list args), (ret, format, args), -1)
MEMORY(FILE *, open_memstream, (char **ret, size_t *size), (ret, size), NULL)
MEMORY(json_t *, json_object, (void), (), NULL)
MEMORY(json_t *, json_array, (void), (), NULL)
MEMORY(json_t *, json_string, (const char *text), (text), NULL)
MEMORY(json_t *, json_integer, (json_int_t number), (number), NULL)
MEMORY(json_t *, json_real, (double number), (number), NULL)
MEMORY(char *, json_dumps, (const json_t *json, size_t flags), (json, flags), NULL)

int __wrap_asprintf(char **ret, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **ret, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = __wrap_vasprintf(ret, format, args);
	va_end(args);
	return len;
}

json_t *__wrap_json_pack(const char *format, ...);
json_t *__wrap_json_pack(const char *format, ...)
{
	json_t *json;
	va_list args;

	va_start(args, format);
	json = json_vpack_ex(NULL, 0, format, args);
	va_end(args);
	if (json != NULL && fails(SCARCE_MEMORY)) {
		json_decref(json); /* with what it was made of, as jansson has it */
		return NULL;
	}
	return json;
}

KERNEL(int, fstat64, (int fd, struct stat *ret), (fd, ret), -1)
KERNEL(int, stat64, (const char *path, struct stat *ret), (path, ret), -1)
KERNEL(FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL)
KERNEL(int, ftruncate64, (int fd, off_t size), (fd, size), -1)
KERNEL(void *, mmap64, (void *at, size_t len, int prot, int flags, int fd, off_t offset),
    (at, len, prot, flags, fd, offset), MAP_FAILED)
KERNEL(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1)
KERNEL(ssize_t, read, (int fd, void *bytes, size_t len), (fd, bytes, len), -1)
KERNEL(ssize_t, write, (int fd, const void *bytes, size_t len), (fd, bytes, len), -1)
KERNEL(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
KERNEL(int, rename, (const char *from, const char *to), (from, to), -1)
KERNEL(DIR *, opendir, (const char *path), (path), NULL)
KERNEL(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1)
KERNEL(int, socketpair, (int domain, int type, int protocol, int *ret),
    (domain, type, protocol, ret), -1)
KERNEL(int, bind, (int fd, const struct sockaddr *address, socklen_t len), (fd, address, len), -1)
KERNEL(
    int, connect, (int fd, const struct sockaddr *address, socklen_t len), (fd, address, len), -1)
KERNEL(int, listen, (int fd, int n), (fd, n), -1)
KERNEL(int, accept4, (int fd, struct sockaddr *address, socklen_t *len, int flags),
    (fd, address, len, flags), -1)
KERNEL(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t len),
    (fd, level, name, value, len), -1)
KERNEL(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *len),
    (fd, level, name, value, len), -1)
KERNEL(
    ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), -1)
KERNEL(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), -1)
KERNEL(int, epoll_create1, (int flags), (flags), -1)
KERNEL(int, epoll_ctl, (int fd, int what, int of, struct epoll_event *event), (fd, what, of, event),
    -1)
KERNEL(int, eventfd, (unsigned count, int flags), (count, flags), -1)
KERNEL(int, timerfd_create, (int clock, int flags), (clock, flags), -1)
KERNEL(int, pipe2, (int *ret, int flags), (ret, flags), -1)
KERNEL(int, pthread_create,
    (pthread_t * ret, const pthread_attr_t *attr, void *(*start)(void *), void *arg),
    (ret, attr, start, arg), scarce.error)

/* ZeroMQ, whose header has a door of its own. */
KERNEL(void *, zmq_ctx_new, (void), (), NULL)
KERNEL(void *, zmq_socket, (void *context, int type), (context, type), NULL)
KERNEL(int, zmq_setsockopt, (void *socket, int name, const void *value, size_t len),
    (socket, name, value, len), -1)
KERNEL(int, zmq_getsockopt, (void *socket, int name, void *ret, size_t *len),
    (socket, name, ret, len), -1)
KERNEL(int, zmq_bind, (void *socket, const char *address), (socket, address), -1)
KERNEL(int, zmq_connect, (void *socket, const char *address), (socket, address), -1)
KERNEL(int, zmq_socket_monitor, (void *socket, const char *address, int events),
    (socket, address, events), -1)

/* Those whose last argument is not always there: it is a mode or nothing. */
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode)
{
	return fails(SCARCE_KERNEL) ? -1 : __real_open64(path, flags, mode);
}

int __real_openat64(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, mode_t mode);
int __wrap_openat64(int dir, const char *path, int flags, mode_t mode)
{
	return fails(SCARCE_KERNEL) ? -1 : __real_openat64(dir, path, flags, mode);
}

int __real_fcntl64(int fd, int what, ...);
int __wrap_fcntl64(int fd, int what, uintptr_t arg);
int __wrap_fcntl64(int fd, int what, uintptr_t arg)
{
	return fails(SCARCE_KERNEL) ? -1 : __real_fcntl64(fd, what, arg);
}
