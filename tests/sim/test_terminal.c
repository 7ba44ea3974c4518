/* SPDX-License-Identifier: BSD-3-Clause
 * The live table on terminals of several sizes, resized while it runs, as a terminal shows it: what
 * matters is there, the table is there once, and after ^C the cursor stands on an empty line. */
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "tests/common/aloe.h"

enum { ROWS_MAX = 60, COLS_MAX = 140, PATIENCE_MS = 120000 };

/* As much of a terminal as the table uses. When it becomes narrower it folds its lines, as most
 * do. */
struct screen {
	int rows, cols, row, col;
	char cell[ROWS_MAX][COLS_MAX + 1];
	char escape[16];
	size_t escape_len;
	bool escaped;
};

struct terminal {
	int fd;
	pid_t pid;
	struct screen screen;
};

static void row_blank(struct screen *s, int row, int from)
{
	memset(s->cell[row] + from, ' ', (size_t)(COLS_MAX - from));
	s->cell[row][COLS_MAX] = 0;
}

static void screen_init(struct screen *s, int rows, int cols)
{
	*s = (struct screen){.rows = rows, .cols = cols};
	for (int r = 0; r < ROWS_MAX; r++)
		row_blank(s, r, 0);
}

static void line_feed(struct screen *s)
{
	if (s->row + 1 < s->rows) {
		s->row++;
		return;
	}
	memmove(s->cell[0], s->cell[1], sizeof(s->cell[0]) * (size_t)(s->rows - 1));
	row_blank(s, s->rows - 1, 0);
}

static void put(struct screen *s, char c)
{
	if (s->col == s->cols) {
		s->col = 0;
		line_feed(s);
	}
	s->cell[s->row][s->col++] = c;
}

static void erase_below(struct screen *s)
{
	row_blank(s, s->row, s->col);
	for (int r = s->row + 1; r < s->rows; r++)
		row_blank(s, r, 0);
}

static void obey(struct screen *s)
{
	const int n = (int)strtol(s->escape + 1, NULL, 10);

	switch (s->escape[s->escape_len - 1]) {
	case 'A':
		s->row = s->row > n ? s->row - n : 0;
		break;
	case 'H':
		s->row = s->col = 0;
		break;
	case 'K':
		row_blank(s, s->row, s->col);
		break;
	case 'J':
		if (n == 2)
			s->row = s->col = 0;
		erase_below(s);
		break;
	default:
		fail_msg("the terminal of this test does not know ESC%s", s->escape);
	}
}

static void take(struct screen *s, char c)
{
	if (s->escaped) {
		assert_true(s->escape_len + 1 < sizeof(s->escape));
		s->escape[s->escape_len++] = c;
		s->escape[s->escape_len] = 0;
		if (c >= '@' && c != '[') {
			s->escaped = false;
			obey(s);
		}
	} else if (c == '\033') {
		s->escaped = true;
		s->escape_len = 0;
	} else if (c == '\n') {
		line_feed(s);
	} else if (c == '\r') {
		s->col = 0;
	} else if (c >= ' ') {
		put(s, c);
	}
}

static void screen_resize(struct screen *s, int rows, int cols)
{
	struct screen old = *s;
	int last = old.rows - 1;

	screen_init(s, rows, cols);
	while (last > old.row && strspn(old.cell[last], " ") == COLS_MAX)
		last--;
	for (int r = 0; r <= last; r++) {
		size_t len = COLS_MAX;

		while (len > 0 && old.cell[r][len - 1] == ' ')
			len--;
		for (size_t i = 0; i < len; i++)
			put(s, old.cell[r][i]);
		if (r < last) {
			s->col = 0;
			line_feed(s);
		}
	}
	s->col = old.col < cols ? old.col : cols - 1;
}

/* ---- the program in it ---- */

static void terminal_start(struct terminal *t, int rows, int cols, const char *command)
{
	const struct winsize size = {
	    .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	screen_init(&t->screen, rows, cols);
	t->pid = forkpty(&t->fd, NULL, NULL, &size);
	assert_true(t->pid >= 0);
	if (t->pid == 0) {
		setenv("TERM", "xterm", 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
}

/* What has come; false at the end. */
static bool terminal_read(struct terminal *t, int ms)
{
	struct pollfd polled = {.fd = t->fd, .events = POLLIN};
	char bytes[4096];
	ssize_t len;

	if (poll(&polled, 1, ms) <= 0)
		return true;
	len = read(t->fd, bytes, sizeof(bytes));
	for (ssize_t i = 0; i < len; i++)
		take(&t->screen, bytes[i]);
	return len > 0;
}

static int rows_with(const struct screen *s, const char *text)
{
	int n = 0;

	for (int r = 0; r < s->rows; r++)
		n += strstr(s->cell[r], text) != NULL;
	return n;
}

static void screen_print(const struct screen *s)
{
	for (int r = 0; r < s->rows; r++)
		print_message("|%.*s|\n", s->cols, s->cell[r]);
}

/* Until the screen shows one whole table, and nothing else but what was there before it. */
static void terminal_await(struct terminal *t, const char *const *texts)
{
	const uint64_t until = clock_ns() + PATIENCE_MS * 1000000ull;
	bool there = false;

	while (!there && clock_ns() < until) {
		assert_true(terminal_read(t, 100));
		there = rows_with(&t->screen, "slots: ") == 1 &&
		    rows_with(&t->screen, "lane   mean us") == 1;
		for (size_t i = 0; texts[i]; i++)
			there &= rows_with(&t->screen, texts[i]) == 1;
	}
	if (!there) {
		screen_print(&t->screen);
		fail_msg("the table is not as it should be");
	}
}

static void terminal_resize(struct terminal *t, int rows, int cols)
{
	const struct winsize size = {
	    .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	while (
	    terminal_read(t, 0) && poll(&(struct pollfd){.fd = t->fd, .events = POLLIN}, 1, 0) > 0)
		;
	screen_resize(&t->screen, rows, cols);
	assert_int_equal(ioctl(t->fd, TIOCSWINSZ, &size), 0);
}

static int terminal_end(struct terminal *t)
{
	int status;

	while (terminal_read(t, PATIENCE_MS))
		;
	close(t->fd);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- tests ------------------------------------------------------------------------ */

static const struct {
	int rows, cols;
} sizes[] = {{24, 80}, {15, 60}, {50, 132}, {24, 80}, {10, 40}, {40, 100}};

/* The errors of the chain and what it was compared with are at its end: they are shown where twenty
 * others are not. */
static void sizes_of_a_run(void **state)
{
	static const char *const matter[] = {"  check  ", "  compare  ", NULL};
	char command[1024];
	struct terminal t;

	(void)state;
	snprintf(command, sizeof(command),
	    "exec %s run waveforms/utran384-random.conf --clock virtual --state %s",
	    aloe_program("aloe"), aloe_path("state"));
	terminal_start(&t, sizes[0].rows, sizes[0].cols, command);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (i > 0)
			terminal_resize(&t, sizes[i].rows, sizes[i].cols);
		terminal_await(&t, matter);
		screen_print(&t.screen);
		if (sizes[i].rows < 20)
			assert_int_equal(rows_with(&t.screen, " more instances"), 1);
	}
	assert_int_equal(write(t.fd, "\003", 1), 1);
	assert_int_equal(terminal_end(&t), 130);
}

/* `top` names the glossary where it has 80 columns, and ends with the cursor on an empty line. */
static void top_ends(void **state)
{
	static const char *const glossary[] = {"(man aloe-words)", NULL}, *const nothing[] = {NULL};
	char command[1024];
	struct terminal t;

	(void)state;
	ran_free(aloe_ok("up"));
	ran_free(aloe_ok("load waveforms/utran384-random.conf --clock virtual"));
	ran_free(aloe_ok("start utran384-random"));
	snprintf(command, sizeof(command), "exec %s top utran384-random", aloe_program("aloe"));
	terminal_start(&t, 24, 80, command);
	terminal_await(&t, glossary);
	terminal_resize(&t, 20, 70);
	terminal_await(&t, nothing);
	assert_int_equal(write(t.fd, "\003", 1), 1);
	assert_int_equal(terminal_end(&t), 0);
	screen_print(&t.screen);
	assert_int_equal(t.screen.col, 0);
	assert_int_equal(strspn(t.screen.cell[t.screen.row], " "), COLS_MAX);
	assert_int_equal(rows_with(&t.screen, "slots: "), 1);
	assert_int_equal(rows_with(&t.screen, "^C"), 0);
	ran_free(aloe_ok("stop utran384-random"));
	ran_free(aloe_ok("down"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sizes_of_a_run),
	    cmocka_unit_test(top_ends),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
