/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_bus.c - messages between a bound and connected ends, the runtime directory and
 * who may have it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/bus/bus.h"

enum { WAIT_MS = 10000 };

struct place_test {
	char dir[64], socket[80];
};

static int dir_setup(void **state)
{
	struct place_test *test = calloc(1, sizeof(*test));

	snprintf(test->dir, sizeof(test->dir), "/tmp/aloe-bus-XXXXXX");
	assert_non_null(mkdtemp(test->dir));
	snprintf(test->socket, sizeof(test->socket), "%s/frontend", test->dir);
	*state = test;
	return 0;
}

static int dir_teardown(void **state)
{
	struct place_test *test = *state;

	unlink(test->socket);
	rmdir(test->dir);
	free(test);
	return 0;
}

static int recv_wait(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from)
{
	int result;

	while ((result = bus_recv(bus, ret_view, ret_from)) == -EAGAIN) {
		struct pollfd poll_fd = {.fd = bus_fd(bus), .events = POLLIN};

		if (poll(&poll_fd, 1, WAIT_MS) != 1)
			return -ETIMEDOUT;
	}
	return result;
}

static void send_number(struct bus *bus, enum wire_type type, uint32_t seq, uint64_t number)
{
	struct wire_msg msg;

	wire_init(&msg, type, bus_self(bus), WIRE_EXEC, seq);
	wire_put_u64(&msg, WIRE_TAG_SLOT, number);
	assert_int_equal(bus_send(bus, &msg), 0);
}

static void answer_send(struct bus *frontend, const struct bus_peer *to, enum wire_type type,
    uint32_t seq, uint64_t number)
{
	struct wire_msg msg;
	const uint8_t *bytes;
	size_t len;

	wire_init(&msg, type, WIRE_EXEC, WIRE_CLIENT, seq);
	wire_put_u64(&msg, WIRE_TAG_SLOT, number);
	bytes = wire_bytes(&msg, &len);
	assert_non_null(bytes);
	assert_int_equal(bus_send_to(frontend, to, bytes, len), 0);
	wire_fini(&msg);
}

static uint64_t number_of(const struct wire_view *view)
{
	uint64_t number = 0;

	assert_int_equal(wire_get_u64(view, WIRE_TAG_SLOT, &number), 0);
	return number;
}

static void test_there_and_back(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend = bus_bind(test->dir), *client = bus_connect(test->dir, WIRE_CLIENT);
	struct wire_view view;
	struct wire_msg reply;
	struct bus_peer from;
	const uint8_t *bytes;
	size_t len;

	assert_non_null(frontend);
	assert_non_null(client);
	send_number(client, WIRE_PING, bus_seq(client), 42);
	assert_int_equal(recv_wait(frontend, &view, &from), 0);
	assert_int_equal(view.type, WIRE_PING);
	assert_int_equal(number_of(&view), 42);
	assert_true(from.len > 0);
	bus_reply(frontend, &view, WIRE_OK, &reply);
	bytes = wire_bytes(&reply, &len);
	assert_int_equal(bus_send_to(frontend, &from, bytes, len), 0);
	wire_fini(&reply);
	assert_int_equal(recv_wait(client, &view, NULL), 0);
	assert_int_equal(view.type, WIRE_OK);
	assert_int_equal(view.seq, 1);
	assert_int_equal(view.source, WIRE_FRONTEND);
	assert_int_equal(view.dest, WIRE_CLIENT);
	assert_int_equal(bus_recv(client, &view, NULL), -EAGAIN);
	bus_close(client);
	bus_close(frontend);
}

/* Three messages, one look: a ZeroMQ descriptor tells once, bus_fd as long as there is
 * something. */
static void test_fd_stays_readable(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend = bus_bind(test->dir), *client = bus_connect(test->dir, WIRE_CLIENT);
	struct pollfd poll_fd = {.fd = bus_fd(frontend), .events = POLLIN};
	struct wire_view view;
	struct bus_peer from;

	for (uint32_t i = 0; i < 3; i++)
		send_number(client, WIRE_PING, i, i);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(poll(&poll_fd, 1, WAIT_MS), 1);
		assert_int_equal(recv_wait(frontend, &view, &from), 0);
		assert_int_equal(view.seq, i);
		if (i < 2)
			answer_send(frontend, &from, WIRE_OK, i, i);
	}
	assert_int_equal(bus_recv(frontend, &view, &from), -EAGAIN);
	assert_int_equal(poll(&poll_fd, 1, 0), 0);
	bus_close(client);
	bus_close(frontend);
}

static void test_call_keeps_requests(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend = bus_bind(test->dir), *client = bus_connect(test->dir, WIRE_EXEC);
	struct wire_view view;
	struct wire_msg msg;
	struct bus_peer from;
	const uint32_t seq = bus_seq(client);
	uint64_t pid = 0;

	assert_int_equal(bus_hello(client), 0);
	assert_int_equal(recv_wait(frontend, &view, &from), 0);
	assert_int_equal(view.type, WIRE_HELLO);
	assert_int_equal(view.source, WIRE_EXEC);
	assert_int_equal(view.seq, 0);
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_PID, &pid), 0);
	assert_int_equal(pid, getpid());
	answer_send(frontend, &from, WIRE_OK, seq + 100, 1); /* nobody waits for it */
	answer_send(frontend, &from, WIRE_LIST, seq, 2);     /* a request: same seq means nothing */
	answer_send(frontend, &from, WIRE_STATUS, 9, 3);
	answer_send(frontend, &from, WIRE_FAIL, seq, 4); /* the answer */
	wire_init(&msg, WIRE_PREPARE, WIRE_EXEC, WIRE_SWMAN, seq);
	assert_int_equal(bus_call(client, &msg, WAIT_MS, &view), 0);
	assert_int_equal(view.type, WIRE_FAIL);
	assert_int_equal(number_of(&view), 4);
	assert_int_equal(bus_counts(client).dropped, 1);
	assert_int_equal(poll(&(struct pollfd){.fd = bus_fd(client), .events = POLLIN}, 1, 0), 1);
	assert_int_equal(recv_wait(client, &view, NULL), 0);
	assert_int_equal(view.type, WIRE_LIST);
	assert_int_equal(number_of(&view), 2);
	assert_int_equal(recv_wait(client, &view, NULL), 0);
	assert_int_equal(view.type, WIRE_STATUS);
	assert_int_equal(bus_recv(client, &view, NULL), -EAGAIN);
	bus_close(client);
	bus_close(frontend);
}

static void test_call_times_out(void **state)
{
	struct place_test *test = *state;
	struct bus *client = bus_connect(test->dir, WIRE_CLIENT);
	struct wire_view view;
	struct wire_msg msg;

	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_FRONTEND, bus_seq(client));
	assert_int_equal(bus_call(client, &msg, 20, &view), -ETIMEDOUT);
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_FRONTEND, bus_seq(client));
	wire_fini(&msg);
	assert_int_equal(bus_call(client, &msg, 20, &view), -EINVAL);
	bus_close(client);
}

static void test_connect_before_bind(void **state)
{
	struct place_test *test = *state;
	struct bus *client = bus_connect(test->dir, WIRE_CLIENT), *frontend;
	struct wire_view view;
	struct bus_peer from;

	assert_non_null(client);
	send_number(client, WIRE_PING, 7, 7);
	frontend = bus_bind(test->dir);
	assert_non_null(frontend);
	assert_int_equal(recv_wait(frontend, &view, &from), 0);
	assert_int_equal(view.seq, 7);
	bus_close(client);
	bus_close(frontend);
}

static void test_peer_gone(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend = bus_bind(test->dir), *client = bus_connect(test->dir, WIRE_CLIENT);
	struct wire_view view;
	struct bus_peer from, nobody = {{1, 2, 3}, 3};

	send_number(client, WIRE_PING, 1, 1);
	assert_int_equal(recv_wait(frontend, &view, &from), 0);
	assert_int_equal(bus_send_to(frontend, &nobody, view.bytes, view.len), -EHOSTUNREACH);
	bus_close(client);
	bus_close(frontend);
}

/* Bytes that are no message are counted and do no harm. */
static void test_bad_messages(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend = bus_bind(test->dir), *client = bus_connect(test->dir, WIRE_CLIENT);
	struct wire_view view;
	struct bus_peer from;

	send_number(client, WIRE_PING, 5, 5);
	assert_int_equal(recv_wait(frontend, &view, &from), 0);
	assert_int_equal(bus_send_to(frontend, &from, "rubbish", 7), 0);
	assert_int_equal(bus_send_to(frontend, &from, "", 0), 0);
	assert_int_equal(bus_send_to(frontend, &from, view.bytes, view.len - 1), 0);
	assert_int_equal(bus_send_to(frontend, &from, view.bytes, view.len), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(recv_wait(client, &view, NULL), -EBADMSG);
	assert_int_equal(recv_wait(client, &view, NULL), 0);
	assert_int_equal(view.seq, 5);
	assert_int_equal(bus_counts(client).bad, 3);
	bus_close(client);
	bus_close(frontend);
}

static void test_large_message(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend = bus_bind(test->dir), *client = bus_connect(test->dir, WIRE_CLIENT);
	const size_t large = 8 << 20;
	uint8_t *bytes = malloc(large);
	struct wire_view view;
	struct wire_msg msg;
	const void *found;
	size_t len;

	for (size_t i = 0; i < large; i++)
		bytes[i] = (uint8_t)(i * 2654435761u >> 24);
	wire_init(&msg, WIRE_PREPARE, WIRE_CLIENT, WIRE_EXEC, 1);
	wire_put_bytes(&msg, WIRE_TAG_PROGRAM, bytes, large);
	assert_int_equal(bus_send(client, &msg), 0);
	assert_int_equal(recv_wait(frontend, &view, &(struct bus_peer){0}), 0);
	assert_int_equal(wire_get_bytes(&view, WIRE_TAG_PROGRAM, 0, &found, &len), 0);
	assert_int_equal(len, large);
	assert_memory_equal(found, bytes, large);
	free(bytes);
	bus_close(client);
	bus_close(frontend);
}

/* ---- the directory ------------------------------------------------------------------------ */

static void test_one_frontend(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend;

	assert_int_equal(bus_probe(test->dir), -ECONNREFUSED);
	frontend = bus_bind(test->dir);
	assert_non_null(frontend);
	assert_int_equal(bus_probe(test->dir), 0);
	assert_null(bus_bind(test->dir));
	assert_int_equal(errno, EADDRINUSE);
	assert_int_equal(bus_sweep(test->dir), -EADDRINUSE);
	assert_int_equal(access(test->socket, F_OK), 0);
	bus_close(frontend);
	assert_int_equal(bus_probe(test->dir), -ENOENT); /* nothing left, the directory neither */
}

static void frontend_die(const char *dir)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (bus_bind(dir))
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void test_killed_frontend(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend;

	frontend_die(test->dir);
	assert_int_equal(access(test->socket, F_OK), 0); /* stale */
	assert_int_equal(bus_probe(test->dir), -EHOSTDOWN);
	frontend = bus_bind(test->dir);
	assert_non_null(frontend);
	assert_int_equal(bus_probe(test->dir), 0);
	bus_close(frontend);
	frontend_die(test->dir);
	assert_int_equal(bus_sweep(test->dir), 0);
	assert_int_equal(access(test->dir, F_OK), -1);
	assert_int_equal(bus_sweep(test->dir), -ENOENT);
}

/* A question to a frontend that is killed over it: said at once, and once; the next one is for the
 * next frontend. */
static void test_killed_over_a_question(void **state)
{
	struct place_test *test = *state;
	struct bus *client, *frontend;
	struct wire_view view;
	struct wire_msg msg;
	struct bus_peer from;
	const pid_t pid = fork();

	if (pid == 0) {
		frontend = bus_bind(test->dir);
		while (frontend) {
			if (recv_wait(frontend, &view, &from) == 0 && view.type == WIRE_LIST)
				raise(SIGKILL);
			answer_send(frontend, &from, WIRE_OK, view.seq, 1);
		}
		_exit(1);
	}
	client = bus_connect(test->dir, WIRE_CLIENT);
	send_number(client, WIRE_STATUS, 101, 7);
	assert_int_equal(recv_wait(client, &view, NULL), 0);
	send_number(client, WIRE_LIST, 102, 7);
	assert_int_equal(view.seq, 101);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(recv_wait(client, &view, NULL), -ECONNRESET);
	assert_int_equal(bus_recv(client, &view, NULL), -EAGAIN);
	assert_int_equal(poll(&(struct pollfd){.fd = bus_fd(client), .events = POLLIN}, 1, 0), 0);
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_FRONTEND, bus_seq(client));
	/* it waits for the next one */
	assert_int_equal(bus_call(client, &msg, 20, &view), -ETIMEDOUT);
	frontend = bus_bind(test->dir);
	assert_non_null(frontend);
	assert_int_equal(recv_wait(frontend, &view, &from), 0);
	assert_int_equal(view.type, WIRE_PING);
	bus_close(client);
	bus_close(frontend);
}

/* What waits for a frontend is not for the one that comes after bus_abandon. */
static void test_abandon(void **state)
{
	struct place_test *test = *state;
	struct bus *client = bus_connect(test->dir, WIRE_CLIENT), *frontend;
	struct wire_view view;
	struct bus_peer from;

	send_number(client, WIRE_STOP, 1, 7);
	bus_abandon(client);
	client = bus_connect(test->dir, WIRE_CLIENT);
	send_number(client, WIRE_STOP, 2, 7);
	frontend = bus_bind(test->dir);
	assert_int_equal(recv_wait(frontend, &view, &from), 0);
	assert_int_equal(view.seq, 2);
	assert_int_equal(bus_recv(frontend, &view, &from), -EAGAIN);
	bus_close(client);
	bus_close(frontend);
}

static void test_directory_of_others(void **state)
{
	struct place_test *test = *state;
	static const mode_t open_to_others[] = {0777, 0755, 0711, 0704, 0770, 0750};
	char longer[200], link[80];

	for (size_t i = 0; i < sizeof(open_to_others) / sizeof(open_to_others[0]); i++) {
		chmod(test->dir, open_to_others[i]);
		assert_null(bus_bind(test->dir));
		assert_int_equal(errno, EPERM);
		assert_null(bus_connect(test->dir, WIRE_CLIENT));
		assert_int_equal(errno, EPERM);
		assert_int_equal(bus_probe(test->dir), -EPERM);
		assert_int_equal(bus_sweep(test->dir), -EPERM);
	}
	chmod(test->dir, 0700);
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	assert_null(bus_bind(longer));
	assert_int_equal(errno, ENAMETOOLONG);
	snprintf(link, sizeof(link), "%.60s-link", test->dir);
	assert_int_equal(symlink(test->dir, link), 0);
	assert_null(bus_bind(link));
	assert_int_equal(errno, ENOTDIR);
	unlink(link);
	assert_null(bus_connect("/nowhere/at/all", WIRE_CLIENT));
	assert_int_equal(errno, ENOENT);
}

/* A node that ends removes the directory that the next node has made: who connects to the next node
 * waits until the directory is there again. */
static void test_directory_made_again(void **state)
{
	struct place_test *test = *state;
	struct bus *bus;
	pid_t child;
	int status;

	rmdir(test->dir);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		poll(NULL, 0, 50);
		_exit(mkdir(test->dir, 0700));
	}
	bus = bus_connect(test->dir, WIRE_CLIENT);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_non_null(bus);
	bus_abandon(bus);
}

/* Somebody may have opened it before it was closed to others; a lock on it is none of ours. */
static void test_directory_locked(void **state)
{
	struct place_test *test = *state;
	const int fd = open(test->dir, O_RDONLY | O_DIRECTORY);
	char path[80];
	struct bus *frontend;
	struct stat lock;

	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(bus_probe(test->dir), -ECONNREFUSED);
	frontend = bus_bind(test->dir);
	assert_non_null(frontend);
	assert_int_equal(bus_probe(test->dir), 0);
	snprintf(path, sizeof(path), "%s/lock", test->dir);
	assert_int_equal(stat(path, &lock), 0);
	assert_int_equal(lock.st_mode & 0777, 0600);
	bus_close(frontend);
	assert_int_equal(access(path, F_OK), -1);
	close(fd);
}

static void test_socket_is_private(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend = bus_bind(test->dir);
	struct stat stat_socket;

	assert_int_equal(stat(test->socket, &stat_socket), 0);
	assert_true(S_ISSOCK(stat_socket.st_mode));
	assert_int_equal(stat_socket.st_mode & 0777, 0600);
	bus_close(frontend);
}

/* A directory with something else in it is not removed. */
static void test_directory_not_empty(void **state)
{
	struct place_test *test = *state;
	struct bus *frontend = bus_bind(test->dir);
	char path[80];
	FILE *file;

	snprintf(path, sizeof(path), "%s/mine", test->dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	bus_close(frontend);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(access(test->socket, F_OK), -1);
	unlink(path);
}

#define ON_DIR(function) cmocka_unit_test_setup_teardown(function, dir_setup, dir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ON_DIR(test_there_and_back),
	    ON_DIR(test_fd_stays_readable),
	    ON_DIR(test_call_keeps_requests),
	    ON_DIR(test_call_times_out),
	    ON_DIR(test_connect_before_bind),
	    ON_DIR(test_peer_gone),
	    ON_DIR(test_bad_messages),
	    ON_DIR(test_large_message),
	    ON_DIR(test_one_frontend),
	    ON_DIR(test_killed_frontend),
	    ON_DIR(test_directory_of_others),
	    ON_DIR(test_socket_is_private),
	    ON_DIR(test_directory_not_empty),
	    ON_DIR(test_killed_over_a_question),
	    ON_DIR(test_abandon),
	    ON_DIR(test_directory_made_again),
	    ON_DIR(test_directory_locked),
	};

	return cmocka_run_group_tests_name("bus", tests, NULL, NULL);
}
