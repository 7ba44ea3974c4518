/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/fake_node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"

enum { CALL_MS = 20000 };

void fake_rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void file_copy(const char *from, const char *to)
{
	char bytes[65536];
	const int in = open(from, O_RDONLY | O_CLOEXEC),
	          out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t len;

	if (in < 0)
		fail_msg("%s is not built", from);
	assert_true(out >= 0);
	while ((len = read(in, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(out, bytes, (size_t)len), len);
	assert_int_equal(len, 0);
	close(in);
	close(out);
}

static const char *const fakes[] = {
    "aloe-exec", "aloe-stats", "aloe-swman", "aloe-statsman", "aloe-host"};

static void programs_make(const struct fake_node *node)
{
	char self[PATH_MAX] = {0}, frontend[PATH_MAX], path[120];

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_int_equal(child_path("../../bin/aloe-frontend", frontend, sizeof(frontend)),
	    0); /* from BUILD/tests/unit */
	snprintf(path, sizeof(path), "%s/aloe-frontend", node->bin);
	file_copy(frontend, path);
	for (size_t i = 0; i < sizeof(fakes) / sizeof(fakes[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", node->bin, fakes[i]);
		file_copy(self, path);
	}
}

pid_t fake_frontend_spawn(const struct fake_node *node, int leash, int error)
{
	char path[120], leash_text[16], keep_text[16];
	char *argv[] = {"aloe-frontend", "--dir", (char *)(uintptr_t)node->dir, "--state",
	    "/dev/null/state", "--leash", leash_text, node->keep > 0 ? "--keep" : NULL, keep_text,
	    NULL};
	pid_t pid;

	snprintf(path, sizeof(path), "%s/aloe-frontend", node->bin);
	snprintf(leash_text, sizeof(leash_text), "%d", leash);
	snprintf(keep_text, sizeof(keep_text), "%d", node->keep);
	if (leash < 0)
		argv[5] = NULL;
	pid = fork();
	if (pid == 0) {
		fcntl(leash, F_SETFD, 0);
		fcntl(node->keep, F_SETFD, 0);
		if (error >= 0)
			dup2(error, STDERR_FILENO);
		execv(path, argv);
		_exit(127);
	}
	return pid;
}

void fake_node_start(struct fake_node *node)
{
	node->pid = fake_frontend_spawn(node, node->leash[0], -1);
	while (!(node->client = bus_connect(node->dir, WIRE_CLIENT))) /* made by the frontend */
		fake_rest();
}

void fake_leash_pull(struct fake_node *node)
{
	if (node->leash[1] >= 0)
		close(node->leash[1]);
	node->leash[1] = -1;
}

int fake_node_setup(void **state)
{
	struct fake_node *node = calloc(1, sizeof(*node));

	snprintf(node->root, sizeof(node->root), "/tmp/aloe-frontend-XXXXXX");
	assert_non_null(mkdtemp(node->root));
	snprintf(node->dir, sizeof(node->dir), "%s/run", node->root);
	snprintf(node->bin, sizeof(node->bin), "%s/bin", node->root);
	mkdir(node->bin, 0700);
	programs_make(node);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(leash_new(node->leash), 0);
	fake_node_start(node);
	*state = node;
	return 0;
}

/* How many processes have the node's directory among their arguments. */
unsigned fake_processes(const struct fake_node *node)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned n = 0;

	while ((entry = readdir(proc))) {
		char path[300], arguments[4096];
		ssize_t len;
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		fd = entry->d_name[0] > '9' || atoi(entry->d_name) == getpid()
		    ? -1
		    : open(path, O_RDONLY | O_CLOEXEC);
		len = fd < 0 ? 0 : read(fd, arguments, sizeof(arguments));
		if (fd >= 0)
			close(fd);
		n +=
		    len > 0 && memmem(arguments, (size_t)len, node->dir, strlen(node->dir)) != NULL;
	}
	closedir(proc);
	return n;
}

/* What a frontend that was killed has left to us, once it has ended. */
void fake_orphans_reap(const struct fake_node *node)
{
	siginfo_t info = {0};

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0 &&
	    info.si_pid != node->pid) {
		waitpid(info.si_pid, NULL, 0);
		info.si_pid = 0;
	}
}

void fake_nothing_is_left(const struct fake_node *node)
{
	while (fake_processes(node) > 0 || access(node->dir, F_OK) == 0) {
		fake_orphans_reap(node);
		fake_rest();
	}
}

void fake_client_close(struct fake_node *node)
{
	bus_close(node->client);
	node->client = NULL;
}

int fake_node_status(const struct fake_node *node)
{
	int status;

	assert_int_equal(waitpid(node->pid, &status, 0), node->pid);
	return status;
}

int fake_node_teardown(void **state)
{
	struct fake_node *node = *state;
	char path[120];
	int status;

	fake_client_close(node);
	fake_leash_pull(node);
	close(node->leash[0]);
	if (waitpid(node->pid, &status, 0) == node->pid && status != 0) {
		print_error("aloe-frontend ended with wait status %d\n", status);
		return -1;
	}
	fake_nothing_is_left(node);
	snprintf(path, sizeof(path), "%s/aloe-frontend", node->bin);
	unlink(path);
	for (size_t i = 0; i < sizeof(fakes) / sizeof(fakes[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", node->bin, fakes[i]);
		unlink(path);
	}
	rmdir(node->bin);
	assert_int_equal(rmdir(node->root), 0); /* nothing of ours is in it */
	free(node);
	return 0;
}

/* ---- asking ------------------------------------------------------------------------ */

int fake_ask(struct fake_node *node, enum wire_type type, enum wire_peer whom, const char *name,
    const char *text, struct wire_view *ret_view)
{
	struct wire_msg msg;

	wire_init(&msg, type, WIRE_CLIENT, whom, bus_seq(node->client));
	wire_put_text(&msg, WIRE_TAG_NAME, name);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	return bus_call(node->client, &msg, CALL_MS, ret_view);
}

void fake_ask_ok(struct fake_node *node, enum wire_type type, enum wire_peer whom, const char *name,
    const char *text)
{
	struct wire_view view;

	assert_int_equal(fake_ask(node, type, whom, name, text, &view), 0);
	assert_int_equal(view.type, WIRE_OK);
}

pid_t fake_pid_of(struct fake_node *node, enum wire_peer whom)
{
	struct wire_view view;
	uint64_t pid = 0;
	int rc, resets = 0;

	/* One that dies over the question fails it. That an earlier frontend has gone may be heard
	 * only now; such a question is asked again, as the client does. */
	do {
		rc = fake_ask(node, WIRE_PING, whom, NULL, NULL, &view);
		assert_true(rc == 0 || (rc == -ECONNRESET && resets++ < 5));
	} while (rc != 0 || view.type != WIRE_OK);
	assert_int_equal(view.source, whom);
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_PID, &pid), 0);
	return (pid_t)pid;
}

void fake_text_is(const struct wire_view *view, const char *expected)
{
	char *text = wire_get_text(view, WIRE_TAG_TEXT, 0);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

void fake_fail_is(const struct wire_view *view, uint64_t code, const char *text)
{
	uint64_t found = 99;

	assert_int_equal(view->type, WIRE_FAIL);
	assert_int_equal(wire_get_u64(view, WIRE_TAG_CODE, &found), 0);
	assert_int_equal(found, code);
	fake_text_is(view, text);
}

void fake_kept_is(struct fake_node *node, enum wire_peer whom, const char *expected)
{
	struct wire_view view;

	assert_int_equal(fake_ask(node, WIRE_LIST, whom, NULL, NULL, &view), 0);
	assert_int_equal(view.type, WIRE_OK);
	fake_text_is(&view, expected);
}

void fake_hosts_start(struct fake_node *node)
{
	const pid_t pid = fake_pid_of(node, WIRE_EXEC);

	for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer = fake_after(peer))
		fake_pid_of(node, peer);
	fake_ask_ok(node, WIRE_PAUSE, WIRE_EXEC, NULL, NULL); /* one that loses its parent ... */
	kill(pid, SIGKILL);
	while (fake_pid_of(node, WIRE_EXEC) == pid)
		fake_rest();
	fake_ask_ok(node, WIRE_PAUSE, WIRE_EXEC, NULL, NULL); /* ... and one that will */
	/* a process that has just been started shows its arguments a little later */
	while (fake_processes(node) < 7)
		fake_rest();
	assert_int_equal(fake_processes(node), 7);
}

void fake_frontend_kill(struct fake_node *node)
{
	fake_client_close(node);
	kill(node->pid, SIGKILL);
	assert_true(WIFSIGNALED(fake_node_status(node)));
	node->pid = 0;
}

void fake_node_down(struct fake_node *node)
{
	fake_pid_of(node, WIRE_SWMAN);
	fake_ask_ok(node, WIRE_DOWN, WIRE_FRONTEND, NULL, NULL);
	fake_client_close(node);
	assert_int_equal(fake_node_status(node), 0);
	assert_int_equal(fake_processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}
