/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/plot/picture.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/file.h"
#include "core/cli/cli.h"

enum { LINKS_MAX = 40 };

/* A device or a FIFO is written to, not replaced. */
static int other_write(const char *path, const char *bytes, size_t len)
{
	FILE *out = fopen(path, "we");
	int rc = 0;

	if (!out)
		return -errno;
	if (fwrite(bytes, 1, len, out) != len)
		rc = -errno;
	if (fclose(out) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

/* Where the file is, or is to be, that a path names through links. */
static int target_find(const char *path, char ret[PATH_MAX])
{
	char link[PATH_MAX], at[PATH_MAX];
	int rc = path_print(ret, PATH_MAX, "%s", path);

	for (int n = 0; rc == 0 && n < LINKS_MAX; n++) {
		const ssize_t len = readlink(ret, link, sizeof(link) - 1);
		const char *slash = strrchr(ret, '/');

		if (len < 0)
			return 0; /* no link, or nothing yet */
		link[len] = 0;
		rc = path_print(at, sizeof(at), "%.*s%s",
		    link[0] == '/' || !slash ? 0 : (int)(slash + 1 - ret), ret, link);
		if (rc == 0)
			rc = path_print(ret, PATH_MAX, "%s", at);
	}
	return rc < 0 ? rc : -ELOOP;
}

int picture_writable(const char *path)
{
	char target[PATH_MAX];
	struct stat st;
	const bool there = stat(path, &st) == 0;
	int rc;

	if (there && S_ISDIR(st.st_mode))
		return -EISDIR;
	if (there && access(path, W_OK) < 0)
		return -errno;
	if (there && !S_ISREG(st.st_mode))
		return 0;
	rc = target_find(path, target);
	return rc < 0 ? rc : file_writable(target);
}

int picture_write(const char *who, const char *path, const char *bytes, size_t len)
{
	char target[PATH_MAX];
	struct stat st;
	int rc = 0;

	if (strcmp(path, "-") == 0) {
		rc = fwrite(bytes, 1, len, stdout) == len && fflush(stdout) == 0 ? 0 : -errno;
	} else if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		rc = other_write(path, bytes, len);
	} else {
		rc = target_find(path, target);
		rc = rc < 0 ? rc : file_write(target, bytes, len);
	}
	if (rc == 0)
		return CLI_OK;
	fprintf(stderr, "%s: %s: cannot be written: %s\n", who, path, strerror(-rc));
	return CLI_FAILED;
}

/* The program ends with us: Ctrl-C reaches both. 0, or -errno; its status in *ret_status. */
static int program_run(
    const char *program, const char *const argv[], int in, int out, int *ret_status)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return -rc;
	rc = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawnp(&pid, program, &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc != 0)
		return -rc;
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* What the program has drawn goes to the file. */
static int drawn_write(const char *who, int out, const char *path)
{
	struct stat st;
	void *bytes;
	int status;

	if (fstat(out, &st) < 0 || st.st_size == 0) {
		fprintf(stderr, "%s: no picture: the program has drawn nothing\n", who);
		return CLI_FAILED;
	}
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, out, 0);
	if (bytes == MAP_FAILED)
		return CLI_FAILED;
	status = picture_write(who, path, bytes, (size_t)st.st_size);
	munmap(bytes, (size_t)st.st_size);
	return status;
}

static int missing_tell(const char *who, const struct picture_tool *tool)
{
	fprintf(stderr,
	    "%s: the picture needs %s, and its program `%s` is not installed (Debian: apt-get "
	    "install %s)%s%s\n",
	    who, tool->package, tool->program, tool->debian, tool->instead ? "; " : "",
	    tool->instead ? tool->instead : "");
	return CLI_USAGE;
}

static int failure_tell(const char *who, const struct picture_tool *tool, int rc, int status)
{
	char how[128];

	if (rc == -ENOENT)
		return missing_tell(who, tool);
	child_status_text(status, how, sizeof(how));
	fprintf(
	    stderr, "%s: no picture: %s %s\n", who, tool->program, rc < 0 ? strerror(-rc) : how);
	return CLI_FAILED;
}

int picture_possible(const char *who, const struct picture_tool *tool)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];

	while (at && *at) {
		const size_t len = strcspn(at, ":");

		if (path_print(path, sizeof(path), "%.*s/%s", (int)len, at, tool->program) == 0 &&
		    access(path, X_OK) == 0)
			return CLI_OK;
		at += len + (at[len] == ':');
	}
	return missing_tell(who, tool);
}

int picture_make(const char *who, const struct picture_tool *tool, const char *const argv[],
    const char *text, size_t len, const char *path)
{
	const int in = memfd_create("picture-text", MFD_CLOEXEC),
	          out = memfd_create("picture", MFD_CLOEXEC);
	int status = 0, rc = in >= 0 && out >= 0 ? 0 : -errno;

	for (size_t done = 0; rc == 0 && done < len;) {
		const ssize_t n = write(in, text + done, len - done);

		rc = n < 0 ? -errno : 0;
		done += n > 0 ? (size_t)n : 0;
	}
	if (rc == 0 && lseek(in, 0, SEEK_SET) < 0)
		rc = -errno;
	if (rc == 0)
		rc = program_run(tool->program, argv, in, out, &status);
	status = rc < 0 || status != 0 ? failure_tell(who, tool, rc, status)
	                               : drawn_write(who, out, path);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return status;
}
