/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_keep.c - entries and descriptors over the keep channel; the main loop they are
 * read from. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "core/keep/keep.h"
#include "core/base/loop.h"

static int memory_new(const char *text)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), (int)strlen(text));
	return fd;
}

static void memory_is(int fd, const char *text)
{
	char found[64] = {0};

	assert_true(pread(fd, found, sizeof(found) - 1, 0) >= 0);
	assert_string_equal(found, text);
}

static unsigned fds_open(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* [0] the frontend's end, [1] the daemon's. */
static void pair_open(int *ret_fds)
{
	char dir[] = "/tmp/aloe-keep-XXXXXX", path[40];
	pid_t pid = 0;
	int fd;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(keep_connect(dir), -ENOENT);
	fd = keep_listen(dir);
	assert_true(fd >= 0);
	assert_int_equal(keep_listen(dir), -EADDRINUSE);
	assert_int_equal(keep_accept(fd, &pid), -EAGAIN);
	ret_fds[1] = keep_connect(dir);
	assert_true(ret_fds[1] >= 0);
	ret_fds[0] = keep_accept(fd, &pid);
	assert_true(ret_fds[0] >= 0);
	assert_int_equal(pid, getpid());
	close(fd);
	assert_int_equal(keep_connect(dir), -ECONNREFUSED);
	snprintf(path, sizeof(path), "%s/attach", dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

static int pair_setup(void **state)
{
	int *fds = malloc(2 * sizeof(int));

	pair_open(fds);
	*state = fds;
	return 0;
}

static int pair_teardown(void **state)
{
	int *fds = *state;

	close(fds[0]);
	close(fds[1]);
	free(fds);
	return 0;
}

static void test_put_and_recv(void **state)
{
	const int *ends = *state;
	const int fds[] = {memory_new("first"), memory_new("second")};
	struct keep_entry entry;

	assert_int_equal(keep_recv(ends[0], &entry), -EAGAIN);
	assert_int_equal(keep_put(ends[1], "waveform/bpsk", "blob", 4, fds, 2), 0);
	assert_int_equal(keep_drop(ends[1], "lane/3"), 0);
	assert_int_equal(keep_recv(ends[0], &entry), 0);
	assert_int_equal(entry.kind, KEEP_PUT);
	assert_string_equal(entry.key, "waveform/bpsk");
	assert_int_equal(entry.len, 4);
	assert_memory_equal(entry.blob, "blob", 4);
	assert_int_equal(entry.n_fds, 2);
	memory_is(entry.fds[0], "first");
	memory_is(entry.fds[1], "second");
	assert_true(fcntl(entry.fds[0], F_GETFD) & FD_CLOEXEC);
	memory_is(fds[0], "first"); /* still the sender's */
	keep_entry_fini(&entry);
	assert_int_equal(keep_recv(ends[0], &entry), 0);
	assert_int_equal(entry.kind, KEEP_DROP);
	assert_string_equal(entry.key, "lane/3");
	assert_int_equal(entry.n_fds, 0);
	assert_int_equal(keep_end(ends[0]), 0);
	assert_int_equal(keep_recv(ends[1], &entry), 0);
	assert_int_equal(entry.kind, KEEP_END);
	assert_int_equal(keep_leave(ends[0]), 0);
	assert_int_equal(keep_recv(ends[1], &entry), 0);
	assert_int_equal(entry.kind, KEEP_LEAVE);
	assert_int_equal(keep_ping(ends[0], fds[0]), 0);
	assert_int_equal(keep_recv(ends[1], &entry), 0);
	assert_int_equal(entry.kind, KEEP_PING);
	assert_int_equal(entry.n_fds, 1);
	keep_entry_fini(&entry);
	assert_int_equal(keep_recv(ends[1], &entry), -EAGAIN); /* never waits */
	assert_int_equal(keep_hello(ends[1], ""), -EINVAL);
	assert_int_equal(keep_hello(ends[1], "exec"), 0);
	assert_int_equal(keep_recv(ends[0], &entry), 0);
	assert_int_equal(entry.kind, KEEP_HELLO);
	assert_string_equal(entry.key, "exec");
	close(fds[0]);
	close(fds[1]);
}

/* The last descriptor of a memory is the one in the socket: it must come out whole, and be closed
 * by fini. */
static void test_descriptor_in_flight(void **state)
{
	const int *ends = *state;
	const unsigned before = fds_open();
	const int fd = memory_new("alone");
	struct keep_entry entry;

	assert_int_equal(keep_put(ends[1], "k", NULL, 0, &fd, 1), 0);
	close(fd);
	assert_int_equal(keep_recv(ends[0], &entry), 0);
	memory_is(entry.fds[0], "alone");
	assert_int_equal(fds_open(), before + 1);
	keep_entry_fini(&entry);
	assert_int_equal(fds_open(), before);
	keep_entry_fini(&entry);
}

static void test_limits(void **state)
{
	const int *ends = *state;
	uint8_t blob[KEEP_BLOB_MAX + 1];
	char key[KEEP_KEY_MAX + 2];
	int fds[KEEP_FDS_MAX + 1];
	struct keep_entry entry;

	memset(blob, 0xa5, sizeof(blob));
	memset(key, 'k', sizeof(key) - 1);
	key[sizeof(key) - 1] = 0;
	for (int i = 0; i <= KEEP_FDS_MAX; i++)
		fds[i] = memory_new("x");
	assert_int_equal(keep_put(ends[1], key, NULL, 0, NULL, 0), -EINVAL);
	assert_int_equal(keep_put(ends[1], "", NULL, 0, NULL, 0), -EINVAL);
	assert_int_equal(keep_put(ends[1], "k", blob, KEEP_BLOB_MAX + 1, NULL, 0), -EINVAL);
	assert_int_equal(keep_put(ends[1], "k", NULL, 0, fds, KEEP_FDS_MAX + 1), -EINVAL);
	assert_int_equal(keep_recv(ends[0], &entry), -EAGAIN);
	assert_int_equal(keep_put(ends[1], key + 1, blob, KEEP_BLOB_MAX, fds, KEEP_FDS_MAX), 0);
	assert_int_equal(keep_recv(ends[0], &entry), 0);
	assert_string_equal(entry.key, key + 1);
	assert_int_equal(entry.len, KEEP_BLOB_MAX);
	assert_memory_equal(entry.blob, blob, KEEP_BLOB_MAX);
	assert_int_equal(entry.n_fds, KEEP_FDS_MAX);
	memory_is(entry.fds[KEEP_FDS_MAX - 1], "x");
	keep_entry_fini(&entry);
	for (int i = 0; i <= KEEP_FDS_MAX; i++)
		close(fds[i]);
}

static void raw_send(int fd, const void *bytes, size_t len, int n_fds)
{
	const unsigned n = (unsigned)n_fds;
	union {
		char bytes[CMSG_SPACE(16 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec part = {(void *)(uintptr_t)bytes, len};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};

	if (n > 0) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		control.align = (struct cmsghdr){CMSG_LEN(n * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		for (unsigned i = 0; i < n; i++)
			((int *)(void *)CMSG_DATA(&control.align))[i] = STDERR_FILENO;
	}
	assert_int_equal(sendmsg(fd, &msg, 0), (int)len);
}

/* Whatever a peer sends is refused, what came with it is closed, and the next message is read. */
static void test_malformed(void **state)
{
	static const struct {
		uint8_t bytes[16];
		size_t len;
		int n_fds;
	} bad[] = {
	    {{0}, 0, 0}, /* empty, which looks like the end */
	    {{0}, 0, 8}, /* the same with descriptors */
	    /* and with more than a message may bring */
	    {{0}, 0, 12}, {{1}, 1, 0},                     /* no head */
	    {{9, 0, 1, 0, 0, 0, 0, 0, 'k'}, 9, 0},         /* no such kind */
	    {{0, 0, 1, 0, 0, 0, 0, 0, 'k'}, 9, 0},         /* the same */
	    {{1, 0, 0, 0, 0, 0, 0, 0}, 8, 0},              /* PUT without a key */
	    {{3, 0, 1, 0, 0, 0, 0, 0, 'k'}, 9, 0},         /* END with one */
	    {{1, 0, 2, 0, 0, 0, 0, 0, 'k'}, 9, 0},         /* key longer than the message */
	    {{1, 0, 1, 0, 4, 0, 0, 0, 'k'}, 9, 0},         /* blob too */
	    {{1, 0, 1, 0, 255, 255, 255, 255, 'k'}, 9, 0}, /* 4 GB of it */
	    {{1, 0, 1, 0, 0, 0, 0, 0, 'k', 'x'}, 10, 0},   /* more than it says */
	    {{1, 0, 2, 0, 0, 0, 0, 0, 'k', 0}, 10, 0},     /* zero in the key */
	    {{1, 1, 1, 0, 0, 0, 0, 0, 'k'}, 9, 0},         /* a descriptor that did not come */
	    {{1, 0, 1, 0, 0, 0, 0, 0, 'k'}, 9, 2},         /* two that it does not mention */
	    {{1, 9, 1, 0, 0, 0, 0, 0, 'k'}, 9, 9},         /* more than a message may bring */
	};
	const int *ends = *state;
	const unsigned before = fds_open();
	struct keep_entry entry;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		raw_send(ends[1], bad[i].bytes, bad[i].len, bad[i].n_fds);
		assert_int_equal(keep_recv(ends[0], &entry), -EBADMSG);
		assert_int_equal(fds_open(), before);
	}
	assert_int_equal(keep_drop(ends[1], "k"), 0);
	assert_int_equal(keep_recv(ends[0], &entry), 0);
}

static void test_too_long(void **state)
{
	const size_t len = 8 + KEEP_KEY_MAX + KEEP_BLOB_MAX + 1;
	const int *ends = *state;
	uint8_t *bytes = calloc(1, len);
	struct keep_entry entry;

	raw_send(ends[1], bytes, len, 0);
	assert_int_equal(keep_recv(ends[0], &entry), -EBADMSG);
	free(bytes);
}

/* What a daemon has put is safe, also when it is killed before it has read what was sent to it. */
static void test_sender_killed(void **state)
{
	int *ends = *state;
	struct keep_entry entry;
	pid_t pid;

	assert_int_equal(keep_end(ends[0]), 0);
	pid = fork();
	if (pid == 0) {
		const int fd = memfd_create("last", 0);

		if (write(fd, "words", 5) == 5 && keep_put(ends[1], "a", "1", 1, &fd, 1) == 0 &&
		    keep_put(ends[1], "b", "2", 1, NULL, 0) == 0)
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ends[1]);
	assert_int_equal(keep_recv(ends[0], &entry), 0);
	assert_string_equal(entry.key, "a");
	memory_is(entry.fds[0], "words");
	keep_entry_fini(&entry);
	assert_int_equal(keep_recv(ends[0], &entry), 0);
	assert_string_equal(entry.key, "b");
	keep_entry_fini(&entry);
	assert_int_equal(keep_recv(ends[0], &entry), -EPIPE);
	assert_int_equal(keep_put(ends[0], "c", NULL, 0, NULL, 0), -EPIPE);
	close(ends[0]);
	pair_open(ends); /* something for the teardown to close */
}

/* The frontend's end never waits; the daemon's does, and gets through. */
static void test_full(void **state)
{
	const int *ends = *state;
	uint8_t blob[KEEP_BLOB_MAX] = {0};
	struct keep_entry entry;
	unsigned sent = 0;
	int result;

	while ((result = keep_put(ends[0], "k", blob, sizeof(blob), NULL, 0)) == 0)
		sent++;
	assert_int_equal(result, -EAGAIN);
	assert_true(sent > 0);
	for (unsigned i = 0; i < sent; i++) {
		assert_int_equal(keep_recv(ends[1], &entry), 0);
		assert_int_equal(entry.len, sizeof(blob));
		keep_entry_fini(&entry);
	}
	assert_int_equal(keep_put(ends[0], "k", blob, sizeof(blob), NULL, 0), 0);
}

/* ---- main loop ------------------------------------------------------------------------ */

struct loop_test {
	struct loop loop;
	struct loop_watch watch[2];
	struct loop_timer timer[3];
	int pipes[2][2], fired[8], n_fired, n_ready;
};

static int loop_setup(void **state)
{
	struct loop_test *test = calloc(1, sizeof(*test));

	loop_init(&test->loop);
	assert_int_equal(pipe(test->pipes[0]), 0);
	assert_int_equal(pipe(test->pipes[1]), 0);
	*state = test;
	return 0;
}

static int loop_teardown(void **state)
{
	struct loop_test *test = *state;

	for (int i = 0; i < 4; i++)
		close(test->pipes[i / 2][i % 2]);
	loop_fini(&test->loop);
	free(test);
	return 0;
}

static void both_stop(void *self, short revents)
{
	struct loop_test *test = self;

	assert_true(revents & POLLIN);
	test->n_ready++;
	loop_watch_stop(&test->loop, &test->watch[0]);
	loop_watch_stop(&test->loop, &test->watch[1]);
}

/* Two descriptors ready in one round; whichever comes first stops both: the other is not called any
 * more. */
static void test_loop_stop_in_callback(void **state)
{
	struct loop_test *test = *state;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(write(test->pipes[i][1], "x", 1), 1);
		loop_watch_start(
		    &test->loop, &test->watch[i], test->pipes[i][0], POLLIN, both_stop, test);
	}
	assert_int_equal(loop_step(&test->loop, 0), 0);
	assert_int_equal(loop_step(&test->loop, 0), 0);
	assert_int_equal(test->n_ready, 1);
}

static void timer_0(void *self)
{
	struct loop_test *test = self;

	test->fired[test->n_fired++] = 0;
	loop_timer_stop(&test->loop, &test->timer[2]);
}

static void timer_1(void *self)
{
	struct loop_test *test = self;

	test->fired[test->n_fired++] = 1;
	if (test->n_fired == 4)
		loop_stop(&test->loop, 42);
	else
		loop_timer_start(&test->loop, &test->timer[1], 1000000, timer_1, test);
}

static void timer_2(void *self)
{
	struct loop_test *test = self;

	test->fired[test->n_fired++] = 2;
}

static void test_loop_timers(void **state)
{
	struct loop_test *test = *state;
	const int order[] = {0, 1, 1, 1};

	loop_timer_start(&test->loop, &test->timer[2], 5000000, timer_2, test);
	loop_timer_start(&test->loop, &test->timer[1], 3000000, timer_1, test);
	loop_timer_start(&test->loop, &test->timer[0], 900000000, timer_0, test);
	loop_timer_start(&test->loop, &test->timer[0], 0, timer_0, test); /* moved */
	assert_int_equal(loop_run(&test->loop), 42);
	assert_int_equal(test->n_fired, 4);
	assert_memory_equal(test->fired, order, sizeof(order));
}

static void hung_up(void *self, short revents)
{
	struct loop_test *test = self;

	test->n_ready++;
	assert_true(revents & POLLHUP);
	loop_stop(&test->loop, 7);
}

/* A leash: nobody writes, its end is what counts. */
static void test_loop_leash(void **state)
{
	struct loop_test *test = *state;
	int leash[2];

	assert_int_equal(leash_new(leash), 0);
	assert_true(fcntl(leash[0], F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(leash[1], F_GETFD) & FD_CLOEXEC);
	loop_watch_start(&test->loop, &test->watch[0], leash[0], 0, hung_up, test);
	assert_int_equal(loop_step(&test->loop, 0), 0);
	assert_int_equal(test->n_ready, 0);
	close(leash[1]);
	assert_int_equal(loop_run(&test->loop), 7);
	close(leash[0]);
}

/* ---- children ------------------------------------------------------------------------ */

/* A child gets the descriptors it is given, by number, and no others; a session of its own; default
 * signals. */
static void test_child_spawn(void **state)
{
	char script[80], fd_path[60], byte;
	char *argv[] = {"sh", "-c", script, NULL};
	const char *const args[] = {"sh", "-c", script};
	int given[2], kept, pidfd, found = -1, status = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(given, O_CLOEXEC), 0);
	kept = memory_new("secret");
	snprintf(
	    script, sizeof(script), "echo >&2; echo >&%d; while :; do sleep 1000; done", given[1]);
	signal(SIGTERM, SIG_IGN);
	assert_int_equal(child_spawn("/bin/sh", argv, &given[1], 1, given[1], &pid, &pidfd), 0);
	signal(SIGTERM, SIG_DFL);
	close(given[1]);
	assert_int_equal(read(given[0], &byte, 1), 1);
	/* one by its number, one as standard error */
	assert_int_equal(read(given[0], &byte, 1), 1);
	assert_int_equal(child_find(getpid(), args, 3, &found), pid);
	assert_int_equal(pidfd_send_signal(found, 0, NULL, 0), 0);
	close(found);
	assert_int_equal(child_find(getppid(), args, 3, &found), 0); /* somebody else's */
	script[0] = 'x';
	assert_int_equal(child_find(getpid(), args, 3, &found), 0);
	assert_int_equal(getsid(pid), pid);
	snprintf(fd_path, sizeof(fd_path), "/proc/%d/fd/%d", pid, kept);
	assert_int_equal(access(fd_path, F_OK), -1);
	assert_int_equal(child_reap(pid, &status), 0);
	kill(-pid, SIGTERM);
	assert_int_equal(poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, -1), 1);
	assert_int_equal(child_reap(pid, &status), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_int_equal(child_reap(pid, &status), -ECHILD);
	close(given[0]);
	close(kept);
	close(pidfd);
}

static void test_child_missing(void **state)
{
	char *argv[] = {"nothing", NULL};
	char path[4096], small[5], text[80];
	pid_t pid = -7;

	(void)state;
	assert_int_equal(child_path("aloe-nothing", path, sizeof(path)), 0);
	assert_non_null(strstr(path, "/aloe-nothing"));
	assert_int_equal(child_path("aloe-nothing", small, sizeof(small)), -ENAMETOOLONG);
	assert_int_equal(child_spawn(path, argv, NULL, 0, -1, &pid, NULL), -ENOENT);
	assert_int_equal(pid, -7);
	child_status_text(SIGKILL, text, sizeof(text));
	assert_string_equal(text, "was killed by signal 9 (SIGKILL)");
	child_status_text(3 << 8, text, sizeof(text));
	assert_string_equal(text, "ended with status 3");
}

#define ON_PAIR(function) cmocka_unit_test_setup_teardown(function, pair_setup, pair_teardown)
#define ON_LOOP(function) cmocka_unit_test_setup_teardown(function, loop_setup, loop_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ON_PAIR(test_put_and_recv),
	    ON_PAIR(test_descriptor_in_flight),
	    ON_PAIR(test_limits),
	    ON_PAIR(test_malformed),
	    ON_PAIR(test_too_long),
	    ON_PAIR(test_sender_killed),
	    ON_PAIR(test_full),
	    ON_LOOP(test_loop_stop_in_callback),
	    ON_LOOP(test_loop_timers),
	    ON_LOOP(test_loop_leash),
	    cmocka_unit_test(test_child_spawn),
	    cmocka_unit_test(test_child_missing),
	};

	return cmocka_run_group_tests_name("keep", tests, NULL, NULL);
}
