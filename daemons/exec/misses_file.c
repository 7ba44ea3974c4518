/* SPDX-License-Identifier: BSD-3-Clause
 *
 * misses_file.c - misses.jsonl in the folder of the run: a line for each record, up to a size. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "daemons/exec/misses.h"

/* The disk was full, or an exec was killed. */
static bool is_cut(int fd, off_t size)
{
	char last;

	return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

/* The size is that of the file, because an exec before this one may have written to it. */
static int line_append(int fd, uint64_t most, const char *line)
{
	struct iovec parts[] = {
	    {(void *)"\n", 0}, {(void *)(uintptr_t)line, strlen(line)}, {(void *)"\n", 1}};
	struct stat st;
	ssize_t written;
	size_t len;

	if (fstat(fd, &st) != 0)
		return -errno;
	parts[0].iov_len = is_cut(fd, st.st_size);
	len = parts[0].iov_len + parts[1].iov_len + parts[2].iov_len;
	if ((uint64_t)st.st_size + len > most)
		return -EFBIG;
	written = writev(fd, parts, 3);
	if (written < 0)
		return -errno;
	return (size_t)written == len ? 0 : -ENOSPC;
}

int misses_file_put(struct misses_file *file, const char *path, uint64_t most, const char *line)
{
	int fd = -1, rc = -ENOMEM;

	if (file->full || file->failed) {
		file->unwritten++;
		return 0;
	}
	if (line != NULL) {
		fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		rc = fd < 0 ? -errno : line_append(fd, most, line);
	}
	if (fd >= 0)
		close(fd);
	file->full = rc == -EFBIG;
	file->failed = rc != 0 && !file->full;
	file->unwritten += rc != 0;
	return rc;
}
