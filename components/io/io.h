/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/io/io.h - what the file components share: the buffer_ms parameter, checks of paths,
 * whole reads and writes, FIFOs.
 *
 * Everything here is [control] or [io]; errors are told with aloe_fail and name the path, and the
 * offset if there is one.
 */
#ifndef ALOE_COMPONENTS_IO_H
#define ALOE_COMPONENTS_IO_H

#include <aloe/component.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IO_PATH_MAX = 1024 };

/* Every I/O component has this parameter; the framework sizes the ring between work and the I/O
 * thread by it. */
#define IO_PARAM_BUFFER_MS(S)                                                                      \
	ALOE_PARAM_INT(S, buffer_ms, 200, 10, 10000, "ms", 0,                                      \
	    "time of samples that the buffer between the slot and the file holds")

static const char *const io_types[] = {"bit", "byte", "i16", "llr16", "f32", "cf32", "ci16", NULL};

/* An open file that may not be open: zeroed state means closed. */
struct io_file {
	int fd;
	bool open, fifo;
	uint64_t offset; /* bytes read or written so far */
};

/* `-` is what `aloe run` has replaced by a FIFO of its own before a file is opened. */
static inline bool io_is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

static inline int io_check_name(const char *path, struct aloe_setup *setup)
{
	if (io_is_standard(path))
		return aloe_fail(setup,
		    "path - is standard input or output of `aloe run`, which only file_source and "
		    "file_sink take; ./- is a file of that name");
	return path[0] ? 0 : aloe_fail(setup, "path is empty");
}

/* io_check_readable refuses what cannot be read: missing, a folder, no permission, empty. *ret_size
 * is 0 for what has no size (a pipe, a device). */
static inline int io_check_readable(const char *path, struct aloe_setup *setup, uint64_t *ret_size)
{
	struct stat st;

	if (io_check_name(path, setup) < 0)
		return -1;
	if (stat(path, &st) < 0)
		return aloe_fail(setup, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return aloe_fail(setup, "%s is a directory; the path of a file is needed", path);
	if (access(path, R_OK) < 0)
		return aloe_fail(setup, "%s: %s", path, strerror(errno));
	if (S_ISREG(st.st_mode) && st.st_size == 0)
		return aloe_fail(setup, "%s is empty", path);
	*ret_size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return 0;
}

/* io_check_writable refuses a path where no file can be made or rewritten; it makes none. */
static inline int io_check_writable(const char *path, struct aloe_setup *setup)
{
	char parent[IO_PATH_MAX];
	char *slash;
	struct stat st;

	if (io_check_name(path, setup) < 0)
		return -1;
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return aloe_fail(
			    setup, "%s is a directory; the path of a file is needed", path);
		return access(path, W_OK) < 0 ? aloe_fail(setup, "%s: %s", path, strerror(errno))
		                              : 0;
	}
	if (errno != ENOENT)
		return aloe_fail(setup, "%s: %s", path, strerror(errno));
	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	if (!slash)
		strcpy(parent, ".");
	else
		slash[slash == parent] = 0;
	if (access(parent, W_OK | X_OK) < 0)
		return aloe_fail(
		    setup, "%s cannot be created in %s: %s", path, parent, strerror(errno));
	return 0;
}

/* io_open opens a file: 0, or -errno after aloe_fail. With O_NONBLOCK in `flags` a FIFO is taken
 * that is not ready yet: nothing waits for it, see io_more; one to write to is refused with -ENXIO
 * as long as nobody reads it. */
static inline int io_open(
    struct io_file *file, const char *path, int flags, struct aloe_setup *setup)
{
	struct stat st;
	int error;

	file->fd = open(path, flags | O_CLOEXEC, 0666);
	if (file->fd < 0) {
		error = errno;
		file->fifo = error == ENXIO && stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
		aloe_fail(setup, "%s: %s", path, strerror(error));
		return -error;
	}
	file->fifo = (flags & O_NONBLOCK) && fstat(file->fd, &st) == 0 && S_ISFIFO(st.st_mode);
	if ((flags & O_NONBLOCK) && !file->fifo)
		fcntl(file->fd, F_SETFL, fcntl(file->fd, F_GETFL) & ~O_NONBLOCK);
	file->open = true;
	file->offset = 0;
	return 0;
}

enum io_more { IO_MORE, IO_NOT_YET, IO_END };

/* io_more tells whether a read gets something. A FIFO has its end when its last writer has closed
 * it, and not before the first has opened it. */
static inline enum io_more io_more(const struct io_file *file)
{
	struct pollfd ask = {.fd = file->fd, .events = POLLIN};

	if (!file->fifo)
		return IO_MORE;
	if (poll(&ask, 1, 0) <= 0)
		return IO_NOT_YET;
	return ask.revents & POLLIN ? IO_MORE : IO_END;
}

/* io_read reads `size` bytes, fewer only at the end of the file and as long as a FIFO has no more;
 * the number read, or negative after aloe_fail. */
static inline ssize_t io_read(
    struct io_file *file, const char *path, void *data, size_t size, struct aloe_setup *setup)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = read(file->fd, (char *)data + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN && file->fifo)
			break;
		if (n < 0)
			return aloe_fail(setup, "%s cannot be read at offset %llu: %s", path,
			    (unsigned long long)file->offset, strerror(errno));
		if (n == 0)
			break;
		done += (size_t)n;
		file->offset += (size_t)n;
	}
	return (ssize_t)done;
}

/* io_write writes all bytes: 0, or negative after aloe_fail; ALOE_IO_LATER when a FIFO has taken
 * only some, by which file->offset has grown. */
static inline int io_write(
    struct io_file *file, const char *path, const void *data, size_t size, struct aloe_setup *setup)
{
	for (size_t done = 0; done < size;) {
		const ssize_t n = write(file->fd, (const char *)data + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN && file->fifo)
			return ALOE_IO_LATER;
		if (n < 0 && errno == EPIPE)
			return aloe_fail(setup, "%s: its reader has closed it at offset %llu", path,
			    (unsigned long long)file->offset);
		if (n <= 0)
			return aloe_fail(setup, "%s cannot be written at offset %llu: %s", path,
			    (unsigned long long)file->offset, strerror(n < 0 ? errno : ENOSPC));
		done += (size_t)n;
		file->offset += (size_t)n;
	}
	return 0;
}

/* io_sync brings the file to the disk; what cannot be synced (a pipe, /dev/null) is as it should
 * be. */
static inline int io_sync(struct io_file *file, const char *path, struct aloe_setup *setup)
{
	if (fsync(file->fd) < 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
		return aloe_fail(setup, "%s cannot be synced at offset %llu: %s", path,
		    (unsigned long long)file->offset, strerror(errno));
	return 0;
}

/* io_close closes a file that may be closed already. */
static inline int io_close(struct io_file *file, const char *path, struct aloe_setup *setup)
{
	if (!file->open)
		return 0;
	file->open = false;
	if (close(file->fd) < 0)
		return aloe_fail(setup, "%s cannot be closed at offset %llu: %s", path,
		    (unsigned long long)file->offset, strerror(errno));
	return 0;
}

#endif
