/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/picture.h"

#include <errno.h>
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

/* A device, a FIFO or a link is written to, not replaced. */
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

int picture_write(const char *path, const char *bytes, size_t len)
{
	struct stat st;
	int rc = 0;

	if (strcmp(path, "-") == 0)
		rc = fwrite(bytes, 1, len, stdout) == len && fflush(stdout) == 0 ? 0 : -errno;
	else if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		rc = other_write(path, bytes, len);
	else
		rc = file_write(path, bytes, len);
	if (rc == 0)
		return CLI_OK;
	fprintf(stderr, "aloe: %s: cannot be written: %s\n", path, strerror(-rc));
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
static int drawn_write(int out, const char *path)
{
	struct stat st;
	void *bytes;
	int status;

	if (fstat(out, &st) < 0 || st.st_size == 0) {
		fprintf(stderr, "aloe: no picture: the program has drawn nothing\n");
		return CLI_FAILED;
	}
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, out, 0);
	if (bytes == MAP_FAILED)
		return CLI_FAILED;
	status = picture_write(path, bytes, (size_t)st.st_size);
	munmap(bytes, (size_t)st.st_size);
	return status;
}

static int failure_tell(const struct picture_tool *tool, int rc, int status)
{
	char how[128];

	if (rc == -ENOENT) {
		fprintf(stderr,
		    "aloe: the picture needs %s, and its program `%s` is not installed (Debian: "
		    "apt-get install %s)%s%s\n",
		    tool->package, tool->program, tool->debian, tool->instead ? "; " : "",
		    tool->instead ? tool->instead : "");
		return CLI_FAILED;
	}
	child_status_text(status, how, sizeof(how));
	fprintf(stderr, "aloe: no picture: %s %s\n", tool->program, rc < 0 ? strerror(-rc) : how);
	return CLI_FAILED;
}

int picture_make(const struct picture_tool *tool, const char *const argv[], const char *text,
    size_t len, const char *path)
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
	status = rc < 0 || status != 0 ? failure_tell(tool, rc, status) : drawn_write(out, path);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return status;
}
