/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_live.c - the lines of daemons and the live table on one terminal: whole lines,
 * above the table, none lost. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/aloe/live.h"

enum { LINES = 20000 };

struct screen {
	int words[2], terminal;
	char *text;
	size_t len;
	pid_t pid;
};

/* In a child with a terminal: `act` runs there. */
static void screen_open(struct screen *screen, void (*act)(struct live_view *live, int words))
{
	*screen = (struct screen){.terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
	assert_true(screen->terminal >= 0);
	assert_int_equal(grantpt(screen->terminal) | unlockpt(screen->terminal), 0);
	assert_int_equal(pipe2(screen->words, O_CLOEXEC), 0);
	fflush(stdout);
	screen->pid = fork();
	if (screen->pid == 0) {
		const int end = open(ptsname(screen->terminal), O_RDWR | O_NOCTTY);
		struct termios raw;
		struct live_view live;

		tcgetattr(end, &raw);
		cfmakeraw(&raw);
		tcsetattr(end, TCSANOW, &raw);
		dup2(end, STDOUT_FILENO);
		dup2(end, STDERR_FILENO);
		setenv("TERM", "xterm", 1);
		close(screen->words[1]);
		fcntl(screen->words[0], F_SETFL, O_NONBLOCK);
		live_init(&live);
		act(&live, screen->words[0]);
		fflush(stdout);
		_exit(live.term.draws ? 0 : 1);
	}
	close(screen->words[0]);
}

/* All that was shown, once the child has ended. */
static void screen_close(struct screen *screen)
{
	char bytes[4096];
	ssize_t len;
	int status;

	if (screen->words[1] >= 0)
		close(screen->words[1]);
	/* an error when the other end is closed */
	while ((len = read(screen->terminal, bytes, sizeof(bytes))) > 0) {
		screen->text = realloc(screen->text, screen->len + (size_t)len + 1);
		memcpy(screen->text + screen->len, bytes, (size_t)len);
		screen->len += (size_t)len;
		screen->text[screen->len] = 0;
	}
	assert_int_equal(waitpid(screen->pid, &status, 0), screen->pid);
	assert_int_equal(status, 0);
	close(screen->terminal);
}

static bool at_end(int words)
{
	struct pollfd poll_fd = {.fd = words, .events = 0};

	return poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & POLLHUP);
}

static void until_the_end(struct live_view *live, int words)
{
	bool last;

	do {
		poll(&(struct pollfd){.fd = words, .events = POLLIN}, 1, -1);
		last = at_end(words);
		live_words(live, words);
	} while (!last);
	live_fini(live);
}

static void over_a_table(struct live_view *live, int words)
{
	printf("table 1\ntable 2\n");
	live->term.lines = 2;
	until_the_end(live, words);
}

static void test_above_the_table(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, over_a_table);
	assert_int_equal(write(screen.words[1], "one\ntw", 6), 6);
	assert_int_equal(write(screen.words[1], "o\nthree", 7), 7);
	close(screen.words[1]);
	screen.words[1] = -1;
	screen_close(&screen);
	assert_string_equal(screen.text, "table 1\ntable 2\n\033[2A\r\033[Jone\ntwo\nthree");
	free(screen.text);
}

static void test_none_is_lost(void **state)
{
	struct screen screen;
	const char *at;
	pid_t writer;

	(void)state;
	screen_open(&screen, until_the_end);
	writer = fork();
	if (writer == 0) {
		for (int i = 0; i < LINES; i++)
			dprintf(screen.words[1], "line %d of a daemon\n", i);
		_exit(0);
	}
	close(screen.words[1]);
	screen.words[1] = -1;
	screen_close(&screen);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
	at = screen.text;
	for (int i = 0; i < LINES; i++) {
		char line[40];

		snprintf(line, sizeof(line), "line %d of a daemon\n", i);
		assert_memory_equal(at, line, strlen(line));
		at += strlen(line);
	}
	assert_int_equal(*at, 0);
	free(screen.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_above_the_table),
	    cmocka_unit_test(test_none_is_lost),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
