/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/limits.c - what a user may open and write. */
#include "core/base/limits.h"
#include "core/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

/* The soft limit; none where it cannot be asked for. */
static rlim_t limit_of(__rlimit_resource_t what)
{
	struct rlimit limit;

	return getrlimit(what, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

void limits_begin(void)
{
	struct rlimit files;

	signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int limits_node(size_t bytes, char *ret_why, size_t size)
{
	const rlim_t files = limit_of(RLIMIT_NOFILE), length = limit_of(RLIMIT_FSIZE);

	if (files < LIMITS_NODE) {
		snprintf(ret_why, size,
		    "this process may open %llu file%s (ulimit -n), but a node needs %d, and 2 "
		    "more for each host of a waveform; raise the limit",
		    (unsigned long long)files, plural(files), LIMITS_NODE);
		return -EMFILE;
	}
	if (length < bytes) {
		snprintf(ret_why, size,
		    "a file may have %llu byte%s (ulimit -f), which also limits shared memory, "
		    "but a node needs %zu byte%s in one piece; raise the limit",
		    (unsigned long long)length, plural(length), bytes, plural(bytes));
		return -EFBIG;
	}
	return 0;
}

static uint64_t files_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	uint64_t n = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		n += entry->d_name[0] != '.';
	if (dir != NULL)
		closedir(dir);
	return n > 0 ? n - 1 : 0; /* the folder's own */
}

uint64_t limits_left(void)
{
	const uint64_t n = files_open();
	const rlim_t files = limit_of(RLIMIT_NOFILE);

	if (files == RLIM_INFINITY)
		return UINT64_MAX;
	return n < files ? files - n : 0;
}
