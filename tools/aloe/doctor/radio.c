/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/doctor/radio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/json/json.h"

extern char **environ;

/* In our own group of processes: Ctrl-C ends both. */
static int host_start(const char *radio, int *ret_out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	char host[PATH_MAX];
	char *argv[] = {host, "--examine", (char *)radio, NULL};
	int pipe_fds[2], rc = child_path("aloe-host", host, sizeof(host));

	if (rc < 0)
		return rc;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -errno;
	rc = posix_spawn_file_actions_init(&actions);
	if (rc == 0) {
		rc = posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
		rc = rc ? rc : posix_spawn(ret_pid, host, &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(pipe_fds[1]);
	if (rc == 0)
		*ret_out = pipe_fds[0];
	else
		close(pipe_fds[0]);
	return -rc;
}

static const char *word(const json_t *line, const char *key)
{
	const char *text = json_string_value(json_object_get(line, key));

	return text != NULL ? text : "";
}

/* A line of the host is printed at once: some take seconds. */
static void take_line(const char *text, bool json, json_t *found)
{
	json_t *line = json_loads(text, 0, NULL);

	if (line != NULL && !json)
		printf("  %-9s  %-9s  %s\n", word(line, "verdict"), word(line, "what"),
		    word(line, "text"));
	fflush(stdout);
	if (line != NULL)
		json_array_append_new(found, line);
}

static int host_end(pid_t pid)
{
	char how[96];
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) <= CLI_USAGE)
		return WEXITSTATUS(status);
	child_status_text(status, how, sizeof(how));
	fprintf(stderr, "aloe: aloe-host, which examines the radio, %s\n", how);
	return CLI_FAILED;
}

/* Only what is looked at here; the rest of doctor is about this machine's real time. */
static const char *beside(const struct cli_args *args)
{
	static const char *const others[] = {"lanes", "seconds", "apply", "revert", "state"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (cli_has(args, others[i]))
			return others[i];
	return NULL;
}

static int hear(int out, pid_t pid, bool json)
{
	json_t *report = json_pack("{s:[]}", "radio");
	FILE *from = fdopen(out, "r");
	char *line = NULL;
	size_t size = 0;
	int status;

	while (from != NULL && getline(&line, &size, from) > 0)
		take_line(line, json, json_object_get(report, "radio"));
	if (from != NULL)
		fclose(from);
	status = host_end(pid);
	if (json && status != CLI_USAGE && json_dumpf(report, stdout, JSON_INDENT(1)) == 0)
		putchar('\n');
	free(line);
	json_decref(report);
	return status;
}

int doctor_radio(const struct cli_args *args)
{
	const char *radio = cli_get(args, "radio"), *other = beside(args);
	const bool json = cli_has(args, "json");
	pid_t pid = -1;
	int out = -1, rc;

	if (other != NULL)
		return cli_fail(args, "--radio and --%s exclude each other", other);
	if (!json)
		printf("radio of %s\n", radio);
	fflush(stdout);
	rc = host_start(radio, &out, &pid);
	if (rc == 0)
		return hear(out, pid, json);
	fprintf(stderr, "aloe: aloe-host cannot be started: %s\n", strerror(-rc));
	return CLI_FAILED;
}
