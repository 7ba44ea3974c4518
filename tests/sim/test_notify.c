/* SPDX-License-Identifier: BSD-3-Clause
 * `aloe up -f` as a service manager runs it: it says READY, then that it lives, as long as its
 * frontend answers, then STOPPING, with a socket of this test. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "tests/common/aloe.h"

enum { PATIENCE_MS = 60000, WATCHDOG_MS = 300 };

struct service {
	int fd; /* of the service manager */
	pid_t pid;
	char dir[256];
};

static void manager_open(struct service *service)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char name[64];
	const int len = snprintf(name, sizeof(name), "@aloe.test.notify.%d", getpid());

	memcpy(at.sun_path + 1, name + 1, (size_t)len - 1);
	service->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(service->fd, (struct sockaddr *)&at,
	                     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len)),
	    0);
	setenv("NOTIFY_SOCKET", name, 1);
	snprintf(name, sizeof(name), "%d", WATCHDOG_MS * 1000);
	setenv("WATCHDOG_USEC", name, 1);
}

static void service_start(struct service *service)
{
	const char *program = aloe_program("aloe");
	const char *state = aloe_path("state");

	manager_open(service);
	snprintf(service->dir, sizeof(service->dir), "%s", aloe_path("node"));
	service->pid = fork();
	assert_true(service->pid >= 0);
	if (service->pid == 0) {
		execl(program, "aloe", "up", "-f", "--dir", service->dir, "--state", state,
		    (char *)NULL);
		_exit(127);
	}
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
}

/* What it says next, "" after so long. */
static const char *heard(const struct service *service, int ms, char ret[256])
{
	struct pollfd polled = {.fd = service->fd, .events = POLLIN};
	ssize_t len = 0;

	if (poll(&polled, 1, ms) > 0)
		len = recv(service->fd, ret, 255, 0);
	ret[len > 0 ? len : 0] = 0;
	return ret;
}

static void says_next(const struct service *service, const char *state)
{
	char text[256];

	assert_string_equal(heard(service, PATIENCE_MS, text), state);
}

/* Signs of life may come before. */
static void says_at_last(const struct service *service, const char *state)
{
	char text[256];

	while (!strcmp(heard(service, PATIENCE_MS, text), "WATCHDOG=1"))
		;
	assert_string_equal(text, state);
}

static void ends(struct service *service)
{
	int status = -1;

	says_at_last(service, "STOPPING=1");
	assert_int_equal(waitpid(service->pid, &status, 0), service->pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_not_equal(access(service->dir, F_OK), 0);
	close(service->fd);
}

static void test_signal(void **state)
{
	struct service service;

	(void)state;
	service_start(&service);
	says_next(&service, "READY=1");
	says_next(&service, "WATCHDOG=1");
	says_next(&service, "WATCHDOG=1");
	assert_int_equal(kill(service.pid, SIGTERM), 0);
	ends(&service);
}

static void test_down(void **state)
{
	struct service service;

	(void)state;
	service_start(&service);
	says_next(&service, "READY=1");
	ran_free(aloe_ok("down --dir %s", service.dir));
	ends(&service);
}

/* A frontend that hangs has answered at most one question whose sign of life is still to come. */
static void test_hang(void **state)
{
	enum { TURNS = 6 };
	struct service service;
	char text[256];
	int pidfd = -1, signs = 0;
	pid_t frontend;

	(void)state;
	service_start(&service);
	says_next(&service, "READY=1");
	frontend = child_find(
	    service.pid, (const char *const[]){"aloe-frontend", "--dir", service.dir}, 3, &pidfd);
	assert_true(frontend > 0);
	assert_int_equal(kill(frontend, SIGSTOP), 0);
	while (heard(&service, 0, text)[0])
		;
	for (int turn = 0; turn < TURNS; turn++)
		signs += heard(&service, WATCHDOG_MS, text)[0] != 0;
	assert_in_range(signs, 0, 1);
	assert_int_equal(kill(frontend, SIGCONT), 0);
	says_next(&service, "WATCHDOG=1");
	/* killed, it is followed by another, which answers again */
	assert_int_equal(kill(frontend, SIGKILL), 0);
	while (heard(&service, 0, text)[0])
		;
	says_next(&service, "WATCHDOG=1");
	says_next(&service, "WATCHDOG=1");
	close(pidfd);
	assert_int_equal(kill(service.pid, SIGTERM), 0);
	ends(&service);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_signal),
	    cmocka_unit_test(test_down),
	    cmocka_unit_test(test_hang),
	};
	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
