/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/tai: CLOCK_TAI as it is, and the kernel's watch on it, armed. That the kernel fires it
 * is not tried: this would set the clock of the machine. tests/unit/test_exec_clock has what
 * follows then. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/tai.h"

/* Read between two readings of the clock. */
static bool epoch_is_right(void)
{
	const uint64_t epoch = tai_epoch_ns(), before = tai_ns(), now = clock_ns(),
	               after = tai_ns();

	return now + epoch + 1000 >= before && now + epoch <= after + 1000;
}

/* A thread that is taken off its CPU in all readings of an epoch has one that is less good, which
 * is rare. */
static void test_epoch(void **state)
{
	int right = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		right += epoch_is_right();
	assert_true(right > 500);
}

static void test_watch(void **state)
{
	const int fd = tai_watch_open();
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	char path[64], *text;
	size_t len;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(poll(&polled, 1, 0), 0);
	assert_false(tai_watch_take(fd));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	assert_int_equal(file_read(path, 4096, &text, &len), 0);
	assert_non_null(strstr(text, "clockid: 0\n")); /* CLOCK_REALTIME */
	assert_non_null(
	    strstr(text, "settime flags: 03\n"));        /* absolute, cancelled when it is set */
	assert_null(strstr(text, "it_value: (0, 0)\n")); /* armed */
	free(text);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_epoch),
	    cmocka_unit_test(test_watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
