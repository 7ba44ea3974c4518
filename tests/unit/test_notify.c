/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/notify: what a service manager receives, at a path and at an abstract name; the
 * environment is not left to children; signs of life when they are due. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/notify.h"

#define MS 1000000ull
#define SECOND 1000000000ull

struct manager {
	int fd;
	char name[128]; /* as NOTIFY_SOCKET has it */
};

static void manager_open(struct manager *manager, bool abstract)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	const char *tmp = getenv("TMPDIR"), *dir = tmp ? tmp : "/tmp";
	int len;

	snprintf(manager->name, sizeof(manager->name), "%s/notify.%d", abstract ? "@aloe" : dir,
	    getpid());
	len = snprintf(at.sun_path, sizeof(at.sun_path), "%s", manager->name);
	if (abstract)
		at.sun_path[0] = 0;
	manager->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(manager->fd, (struct sockaddr *)&at,
	                     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len)),
	    0);
	setenv("NOTIFY_SOCKET", manager->name, 1);
}

static void manager_close(struct manager *manager)
{
	close(manager->fd);
	if (manager->name[0] == '/')
		unlink(manager->name);
}

static void manager_hears(struct manager *manager, const char *state)
{
	char text[256];
	const ssize_t len = recv(manager->fd, text, sizeof(text) - 1, 0);

	assert_true(len > 0);
	text[len] = 0;
	assert_string_equal(text, state);
}

static void manager_hears_nothing(struct manager *manager)
{
	char text[256];

	assert_int_equal(recv(manager->fd, text, sizeof(text), 0), -1);
	assert_int_equal(errno, EAGAIN);
}

static void states_arrive(bool abstract)
{
	struct manager manager = {.fd = -1};
	struct notify notify;

	manager_open(&manager, abstract);
	assert_int_equal(notify_open(&notify), 0);
	assert_null(getenv("NOTIFY_SOCKET")); /* it is not for children */
	assert_int_equal(notify_send(&notify, "READY=1"), 0);
	assert_int_equal(notify_send(&notify, "STOPPING=1"), 0);
	manager_hears(&manager, "READY=1");
	manager_hears(&manager, "STOPPING=1");
	manager_hears_nothing(&manager);
	notify_close(&notify);
	manager_close(&manager);
}

static void test_path(void **state)
{
	(void)state;
	states_arrive(false);
}

static void test_abstract(void **state)
{
	(void)state;
	states_arrive(true);
}

static void test_nobody_asks(void **state)
{
	struct notify notify;

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	setenv("WATCHDOG_USEC", "1000000", 1);
	assert_int_equal(notify_open(&notify), 0);
	assert_int_equal(notify_send(&notify, "READY=1"), 0);
	assert_false(notify_due(&notify, 100 * SECOND));
	assert_null(getenv("WATCHDOG_USEC"));
	notify_close(&notify);
}

static void test_addresses(void **state)
{
	char longest[2 + sizeof(((struct sockaddr_un *)NULL)->sun_path)] = "/";
	struct notify notify;

	(void)state;
	setenv("NOTIFY_SOCKET", "vsock:2:1234", 1);
	assert_int_equal(notify_open(&notify), -EAFNOSUPPORT);
	setenv("NOTIFY_SOCKET", "@", 1);
	assert_int_equal(notify_open(&notify), -EAFNOSUPPORT);
	setenv("NOTIFY_SOCKET", "", 1);
	assert_int_equal(notify_open(&notify), -EAFNOSUPPORT);
	memset(longest + 1, 'x', sizeof(longest) - 3);
	setenv("NOTIFY_SOCKET", longest, 1); /* a byte is missing, for the zero at its end */
	assert_int_equal(notify_open(&notify), -ENAMETOOLONG);
	longest[0] = '@'; /* which needs none */
	setenv("NOTIFY_SOCKET", longest, 1);
	assert_int_equal(notify_open(&notify), 0);
	assert_int_equal(notify_send(&notify, "READY=1"), -ECONNREFUSED);
	notify_close(&notify);
	setenv("NOTIFY_SOCKET", "/nowhere/notify", 1);
	assert_int_equal(notify_open(&notify), 0);
	assert_int_equal(notify_send(&notify, "READY=1"), -ENOENT);
	notify_close(&notify);
}

static void watchdog_open(struct notify *notify, const char *us, const char *pid)
{
	setenv("NOTIFY_SOCKET", "/nowhere/notify", 1);
	setenv("WATCHDOG_USEC", us, 1);
	if (pid)
		setenv("WATCHDOG_PID", pid, 1);
	assert_int_equal(notify_open(notify), 0);
	assert_null(getenv("WATCHDOG_PID"));
}

/* Three signs of life in the time of the watchdog, the first one at once. */
static void test_watchdog(void **state)
{
	struct manager manager = {.fd = -1};
	struct notify notify;

	(void)state;
	setenv("WATCHDOG_USEC", "3000000", 1);
	manager_open(&manager, true);
	assert_int_equal(notify_open(&notify), 0);
	assert_true(notify_due(&notify, 10 * SECOND));
	assert_int_equal(notify_left_ms(&notify, 10 * SECOND, 5000), 0);
	assert_int_equal(notify_alive(&notify, 10 * SECOND), 0);
	manager_hears(&manager, "WATCHDOG=1");
	assert_false(notify_due(&notify, 11 * SECOND - 1));
	assert_true(notify_due(&notify, 11 * SECOND));
	assert_int_equal(notify_left_ms(&notify, 10 * SECOND, 500), 500);
	assert_in_range(notify_left_ms(&notify, 10 * SECOND + 600 * MS, 500), 400, 401);
	notify_close(&notify);
	manager_close(&manager);
}

static void test_watchdog_of_others(void **state)
{
	struct notify notify;
	char pid[16];

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	watchdog_open(&notify, "3000000", pid);
	assert_true(notify_due(&notify, SECOND));
	notify_close(&notify);
	watchdog_open(&notify, "3000000", "1");
	assert_false(notify_due(&notify, SECOND));
	notify_close(&notify);
	for (const char *const *us = (const char *const[]){"", "soon", "3s", "0", NULL}; *us;
	     us++) {
		watchdog_open(&notify, *us, NULL);
		assert_false(notify_due(&notify, SECOND));
		assert_int_equal(notify_left_ms(&notify, SECOND, 700), 700);
		notify_close(&notify);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_path),
	    cmocka_unit_test(test_abstract),
	    cmocka_unit_test(test_nobody_asks),
	    cmocka_unit_test(test_addresses),
	    cmocka_unit_test(test_watchdog),
	    cmocka_unit_test(test_watchdog_of_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
