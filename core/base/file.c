/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int path_print(char *ret_path, size_t size, const char *format, ...)
{
	va_list list;
	int len;

	va_start(list, format);
	len = vsnprintf(ret_path, size, format, list);
	va_end(list);
	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

int file_read_only(int fd)
{
	char path[40];
	int only;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	only = open(path, O_RDONLY | O_CLOEXEC);
	return only < 0 ? -errno : only;
}

/* read_all reads to the end of file; a file of the kernel has no size to tell. */
static int read_all(int fd, size_t max, char **ret_text, size_t *ret_len)
{
	size_t len = 0, size = 0;
	char *text = NULL;
	ssize_t got;

	do {
		if (len + 1 >= size) {
			char *more = realloc(text, size = size ? 2 * size : 8192);
			if (!more)
				return free(text), -ENOMEM;
			text = more;
		}
		got = read(fd, text + len, size - len - 1);
		if (got < 0 && errno != EINTR)
			return free(text), -errno;
		len += got > 0 ? (size_t)got : 0;
		if (len > max)
			return free(text), -EFBIG;
	} while (got);
	text[len] = 0;
	*ret_text = text;
	*ret_len = len;
	return 0;
}

int file_read(const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	/* a FIFO would wait for a writer */
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int rc;

	if (fd < 0)
		return errno == ENXIO ? -ESPIPE : -errno; /* a socket */
	if (fstat(fd, &st) < 0)
		rc = -errno;
	else if (S_ISREG(st.st_mode))
		rc = read_all(fd, max, ret_text, ret_len);
	else
		rc = S_ISDIR(st.st_mode) ? -EISDIR : -ESPIPE;
	close(fd);
	return rc;
}

const char *file_reason(int rc)
{
	if (rc == -EISDIR)
		return "this is a directory, and a regular file is needed";
	if (rc == -ESPIPE)
		return "this is a FIFO, a socket or a device, and a regular file is needed";
	return rc == -EFBIG ? "the file is too long" : strerror(-rc);
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		const ssize_t done = write(fd, bytes, len);
		if (done < 0 && errno != EINTR)
			return -errno;
		bytes += done > 0 ? done : 0;
		len -= done > 0 ? (size_t)done : 0;
	}
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

static int beside_open(const char *path, mode_t mode, char ret_beside[PATH_MAX])
{
	const int rc = path_print(ret_beside, PATH_MAX, "%s.%ld.new", path, (long)getpid());
	int fd;

	if (rc < 0)
		return rc;
	fd = open(ret_beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	return fd < 0 ? -errno : fd;
}

int file_writable(const char *path)
{
	char beside[PATH_MAX];
	const int fd = beside_open(path, 0600, beside);

	if (fd < 0)
		return fd;
	close(fd);
	return unlink(beside) < 0 ? -errno : 0;
}

static int write_beside(const char *path, const void *bytes, size_t len, mode_t mode)
{
	char beside[PATH_MAX];
	const int fd = beside_open(path, mode, beside);
	int rc;

	if (fd < 0)
		return fd;
	rc = write_all(fd, bytes, len);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(beside, path) < 0)
		rc = -errno;
	if (rc < 0)
		unlink(beside);
	return rc;
}

int file_write(const char *path, const void *bytes, size_t len)
{
	return write_beside(path, bytes, len, 0644);
}

int file_write_closed(const char *path, const void *bytes, size_t len)
{
	return write_beside(path, bytes, len, 0600);
}

static int dir_make_one(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	return stat(path, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int dir_make(const char *path)
{
	char part[PATH_MAX];
	int rc = path_print(part, sizeof(part), "%s", path);

	for (char *slash = part + 1; rc == 0 && (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		rc = dir_make_one(part);
		*slash = '/';
	}
	return rc == 0 ? dir_make_one(part) : rc;
}

int dir_state(char *ret_path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	const struct passwd *user;

	if (state && state[0] == '/')
		return path_print(ret_path, size, "%s/aloe", state);
	if (!home || home[0] != '/') {
		user = getpwuid(getuid());
		home = user ? user->pw_dir : "/tmp";
	}
	return path_print(ret_path, size, "%s/.local/state/aloe", home);
}

int dir_runtime(char *ret_path, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (runtime && runtime[0] == '/')
		return path_print(ret_path, size, "%s/aloe", runtime);
	return path_print(ret_path, size, "/tmp/aloe-%lu", (unsigned long)getuid());
}
