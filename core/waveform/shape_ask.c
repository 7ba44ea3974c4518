/* SPDX-License-Identifier: BSD-3-Clause
 * Starts the host, listens to it, and says who was to blame if it dies. */
#include "core/waveform/shape.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/waveform/parse.h"

extern char **environ;

struct answer {
	char *text; /* terminated */
	size_t len, size;
};

/* The request as a file: the host may read it or die without the writer noticing. */
static int request_open(const char *request)
{
	const int fd = memfd_create("aloe-shape", MFD_CLOEXEC);
	size_t done = 0;
	const size_t len = strlen(request);

	while (fd >= 0 && done < len) {
		const ssize_t n = write(fd, request + done, len - done);

		if (n < 0 && errno != EINTR) {
			close(fd);
			return -errno;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	return fd;
}

static int host_start(const char *host, int in, int out, pid_t *ret_pid)
{
	char *argv[] = {(char *)host, "--shape", NULL};
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return -error;
	error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!error)
		error = posix_spawn(ret_pid, host, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

static int answer_grow(struct answer *answer)
{
	const size_t size = answer->size ? answer->size * 2 : 65536;
	char *text = size > SHAPE_ANSWER_BYTES_MAX ? NULL : realloc(answer->text, size);

	if (!text)
		return -ENOMEM;
	answer->text = text;
	answer->size = size;
	return 0;
}

/* 0 at the end of the answer; -ETIMEDOUT; -ENOMEM also when it is longer than any answer can be. */
static int answer_read(int fd, int quiet_ms, struct answer *answer)
{
	for (;;) {
		struct pollfd poll_fd = {fd, POLLIN, 0};
		const int ready = poll(&poll_fd, 1, quiet_ms);

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return ready < 0 ? -errno : -ETIMEDOUT;
		if (answer->size < answer->len + 2 && answer_grow(answer) < 0)
			return -ENOMEM;
		const ssize_t n =
		    read(fd, answer->text + answer->len, answer->size - answer->len - 1);
		if (n < 0 && errno != EINTR)
			return -errno;
		answer->len += n > 0 ? (size_t)n : 0;
		answer->text[answer->len] = 0;
		if (n == 0)
			return 0;
	}
}

/* The last `# CALL of INSTANCE`; false if there is none. */
static bool last_call(const char *text, char *call, char *instance)
{
	bool found = false;

	for (const char *line = text; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (sscanf(line, "# %15s of %63s", call, instance) == 2)
			found = true;
	return found;
}

static int death_report(const struct waveform *waveform, const char *host, const char *text,
    const char *how, struct diag *diag)
{
	char call[16], name[64];
	int found = -1;

	if (text && last_call(text, call, name))
		found = wf_find_instance(waveform, name, strlen(name));
	if (found < 0)
		diag_error(diag, host, 0, "%s when asked for the sizes of messages", how);
	else
		diag_error(diag, waveform->file, waveform->instances[found].line,
		    "instance \"%s\": its component %s %s, in %s", name,
		    waveform->instances[found].type->name, how, call);
	return -EPROTO;
}

static int host_end(const struct waveform *waveform, const char *host, pid_t pid, int fd,
    int quiet_ms, struct answer *answer, struct diag *diag)
{
	const int read_error = answer_read(fd, quiet_ms, answer);
	const char *json;
	char how[96];
	int status = 0;
	pid_t reaped;

	if (read_error)
		kill(pid, SIGKILL);
	while ((reaped = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (read_error == -ETIMEDOUT)
		snprintf(how, sizeof(how), "gave no answer for %g s", quiet_ms / 1000.0);
	else if (read_error)
		snprintf(how, sizeof(how), "could not be read (%s)", strerror(-read_error));
	else if (reaped == pid && WIFSIGNALED(status))
		snprintf(how, sizeof(how), "crashed (%s)", strsignal(WTERMSIG(status)));
	else if (reaped == pid && WEXITSTATUS(status) != 0)
		snprintf(how, sizeof(how), "ended the host (exit code %d)", WEXITSTATUS(status));
	else if (answer->text && (json = strstr(answer->text, "\n{")))
		return memmove(answer->text, json + 1, strlen(json)) ? 0 : -EPROTO;
	else
		snprintf(how, sizeof(how), "ended the host without an answer");
	return death_report(waveform, host, answer->text, how, diag);
}

static int host_ask(const struct waveform *waveform, const char *host, int quiet_ms,
    const char *request, struct answer *answer, struct diag *diag)
{
	int pipe_fds[2] = {-1, -1};
	pid_t pid = -1;
	const int in = request_open(request);
	int error = in < 0 ? in : pipe2(pipe_fds, O_CLOEXEC) < 0 ? -errno : 0;

	if (!error)
		error = host_start(host, in, pipe_fds[1], &pid);
	if (in >= 0)
		close(in);
	if (pipe_fds[1] >= 0)
		close(pipe_fds[1]);
	if (error) {
		diag_error(diag, host, 0, "cannot be started: %s", strerror(-error));
		error = -EINVAL;
	} else {
		error = host_end(waveform, host, pid, pipe_fds[0], quiet_ms, answer, diag);
	}
	if (pipe_fds[0] >= 0)
		close(pipe_fds[0]);
	return error;
}

int waveform_shape_within(
    struct waveform *waveform, const char *host, int quiet_ms, struct diag *diag)
{
	struct answer answer = {NULL, 0, 0};
	char *request = waveform_shape_json(waveform);
	int error;

	if (!request)
		return diag_error(diag, waveform->file, 0, "no memory");
	error = host_ask(waveform, host, quiet_ms, request, &answer, diag);
	if (!error)
		error = waveform_shape_apply(waveform, answer.text, diag);
	free(request);
	free(answer.text);
	return error;
}

void shape_kept_fini(struct shape_kept *kept)
{
	free(kept->request);
	free(kept->answer);
	*kept = (struct shape_kept){NULL, NULL};
}

/* Takes the request over. */
static int kept_ask(struct waveform *waveform, const char *host, char *request,
    struct shape_kept *kept, struct diag *diag)
{
	struct answer answer = {NULL, 0, 0};
	const int error = host_ask(waveform, host, SHAPE_QUIET_MS, request, &answer, diag);

	shape_kept_fini(kept);
	if (error) {
		free(answer.text);
		free(request);
		return error;
	}
	kept->request = request;
	kept->answer = answer.text;
	return 0;
}

int waveform_shape_again(
    struct waveform *waveform, const char *host, struct shape_kept *kept, struct diag *diag)
{
	char *request = waveform_shape_json(waveform);
	int error = 0;

	if (!request)
		return diag_error(diag, waveform->file, 0, "no memory");
	if (!kept->answer || strcmp(kept->request, request) != 0)
		error = kept_ask(waveform, host, request, kept, diag);
	else
		free(request);
	return error ? error : waveform_shape_apply(waveform, kept->answer, diag);
}

int waveform_shape(struct waveform *waveform, const char *host, struct diag *diag)
{
	return waveform_shape_within(waveform, host, SHAPE_QUIET_MS, diag);
}
