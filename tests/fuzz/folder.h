/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/fuzz/folder.h - a folder for parsers that read files: made once, in memory where that is to
 * be had, and gone when the program ends. For one source file of a program. */
#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder_path[64];

static void folder_remove(void)
{
	rmdir(folder_path);
}

/* The name has the process in it. */
static bool folder_is_left(const char *name)
{
	int pid, end = 0;

	return sscanf(name, "aloe-fuzz.%d.%n", &pid, &end) == 1 && end > 0 && pid > 0 &&
	    kill(pid, 0) != 0 && errno == ESRCH;
}

static void folder_drop(const char *path)
{
	DIR *dir = opendir(path);

	if (dir == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}

static void folders_clean(const char *in)
{
	DIR *dir = opendir(in);

	if (dir == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		char path[320];

		snprintf(path, sizeof(path), "%s/%s", in, entry->d_name);
		if (folder_is_left(entry->d_name))
			folder_drop(path);
	}
	closedir(dir);
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
		const char *in = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

		folders_clean(in);
		snprintf(folder_path, sizeof(folder_path), "%s/aloe-fuzz.%d.XXXXXX", in, getpid());
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
