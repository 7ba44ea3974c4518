/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/fuzz/folder.h - a folder for parsers that read files: made once, in memory where that is to
 * be had, and gone when the program ends. For one source file of a program. */
#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder_path[64];

static void folder_remove(void)
{
	rmdir(folder_path);
}

/* folder_file gives the path of a file NAME in the folder; valid to the next call. */
static const char *folder_file(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder_path, name);
	return path;
}

static const char *folder(void)
{
	if (folder_path[0] == 0) {
		snprintf(folder_path, sizeof(folder_path), "%s/aloe-fuzz.XXXXXX",
		    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		if (mkdtemp(folder_path) == NULL)
			abort();
		atexit(folder_remove);
	}
	return folder_path;
}

static void folder_put(const char *name, const void *bytes, size_t len)
{
	const int fd = open(folder_file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	close(fd);
}

#endif
