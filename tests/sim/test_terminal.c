/* SPDX-License-Identifier: BSD-3-Clause
 * The live table and the scope on terminals of several sizes, resized while they run, as a terminal
 * shows them: what matters is there, and once; keys do what they should; after ^C, SIGTERM, q and
 * the end of the node the cursor stands on an empty line, and the terminal is as it was. */
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
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "tests/common/aloe.h"
#include "tests/faults/node.h"

enum { ROWS_MAX = 60, COLS_MAX = 140, PATIENCE_MS = 120000 };

/* As much of a terminal as the table uses. When it becomes narrower it folds its lines, as most
 * do. */
struct screen {
	int rows, cols, row, col;
	char cell[ROWS_MAX][COLS_MAX + 1];
	char escape[40];
	size_t escape_len;
	bool escaped;
};

struct terminal {
	int fd;
	pid_t pid;
	struct termios modes; /* as they were before */
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
	case 'm': /* a colour */
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

	int go[2];

	screen_init(&t->screen, rows, cols);
	assert_int_equal(pipe(go), 0);
	t->pid = forkpty(&t->fd, NULL, NULL, &size);
	assert_true(t->pid >= 0);
	if (t->pid == 0) {
		char byte;

		close(go[1]);
		setenv("TERM", "xterm", 1);
		if (read(go[0], &byte, 1) == 0) /* its modes have been read */
			execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(tcgetattr(t->fd, &t->modes), 0);
	close(go[0]);
	close(go[1]);
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

/* One of each text, and none of those behind a tilde. */
static bool screen_has(const struct screen *s, const char *const *texts)
{
	bool has = true;

	for (size_t i = 0; texts[i]; i++)
		has &= texts[i][0] == '~' ? rows_with(s, texts[i] + 1) == 0
		                          : rows_with(s, texts[i]) == 1;
	return has;
}

static void terminal_await(struct terminal *t, const char *const *texts)
{
	const uint64_t until = clock_ns() + PATIENCE_MS * 1000000ull;

	while (!screen_has(&t->screen, texts) && clock_ns() < until)
		assert_true(terminal_read(t, 100));
	if (!screen_has(&t->screen, texts)) {
		screen_print(&t->screen);
		fail_msg("the screen has not `%s` and what goes with it", texts[0]);
	}
}

#define AWAIT(t, ...) terminal_await(t, (const char *const[]){__VA_ARGS__, NULL})

/* The table is there once. */
#define TABLE "slots: ", "lane   mean us"

static void type(struct terminal *t, const char *keys)
{
	assert_int_equal(write(t->fd, keys, strlen(keys)), strlen(keys));
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

	struct termios modes;

	while (terminal_read(t, PATIENCE_MS))
		;
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_int_equal(tcgetattr(t->fd, &modes), 0);
	assert_int_equal(modes.c_lflag, t->modes.c_lflag);
	assert_int_equal(modes.c_iflag, t->modes.c_iflag);
	assert_int_equal(modes.c_oflag, t->modes.c_oflag);
	assert_memory_equal(modes.c_cc, t->modes.c_cc, sizeof(modes.c_cc));
	close(t->fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- tests ------------------------------------------------------------------------ */

static const struct {
	int rows, cols;
} sizes[] = {{24, 80}, {15, 60}, {50, 132}, {24, 80}, {10, 40}, {40, 100}};

/* The errors of the chain and what it was compared with are at its end: they are shown where twenty
 * others are not. On ten rows is room for two of the three that count errors, and which two depends
 * on the moment at which each was read. */
static void sizes_of_a_run(void **state)
{
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
		if (sizes[i].rows > 10)
			AWAIT(&t, TABLE, "! check  ", "! compare  ", "! payload  ");
		else
			AWAIT(&t, TABLE, "and 18 more instances");
		screen_print(&t.screen);
		if (sizes[i].rows == 10)
			assert_true(rows_with(&t.screen, "! ") >= 2);
		if (sizes[i].rows < 20)
			assert_int_equal(rows_with(&t.screen, " more instances"), 1);
	}
	assert_int_equal(write(t.fd, "\003", 1), 1);
	assert_int_equal(terminal_end(&t), 130);
}

static bool is_raw(const struct terminal *t)
{
	struct termios modes;

	assert_int_equal(tcgetattr(t->fd, &modes), 0);
	return !(modes.c_lflag & (ICANON | ECHO)) && (modes.c_lflag & ISIG);
}

/* The cursor stands on an empty line. */
static void cursor_is_below(const struct terminal *t)
{
	assert_int_equal(t->screen.col, 0);
	assert_int_equal(strspn(t->screen.cell[t->screen.row], " "), COLS_MAX);
	assert_int_equal(rows_with(&t->screen, "^C"), 0);
}

static void run_start(struct terminal *t, const char *around)
{
	char run[800], command[1024];

	snprintf(run, sizeof(run),
	    "%s run waveforms/utran384-random.conf --clock virtual --state %s",
	    aloe_program("aloe"), aloe_path("state"));
	snprintf(command, sizeof(command), around, run);
	terminal_start(t, 24, 80, command);
}

/* The keys of `top`. q leaves the table, gives the terminal back, and the run goes on; Ctrl-C is
 * what stops it. */
static void run_keys(void **state)
{
	struct terminal t;

	(void)state;
	run_start(&t, "exec %s");
	AWAIT(&t, TABLE, " check  ", "q leave");
	assert_true(is_raw(&t));
	type(&t, "l");
	AWAIT(&t, "lanes by badness", "left p1 us", "~mean us");
	type(&t, "ss");
	AWAIT(&t, "lanes by CPU", "slots: ");
	type(&t, "c");
	AWAIT(&t, "the waveform has no copies");
	type(&t, "w");
	AWAIT(&t, "there is no record of a late slot");
	type(&t, "i/deCO\r");
	AWAIT(&t, "by badness, with deCO", " decoder  ", "~ check  ");
	terminal_resize(&t, 30, 132);
	AWAIT(&t, TABLE, " decoder  ", "kMAC");
	type(&t, "\032\033"); /* nobody continues what stops here; the table before it stays */
	AWAIT(&t, " check  ");
	type(&t, "?");
	AWAIT(&t, "name of the instance in the waveform file", "~ check  ");
	type(&t, "?q");
	AWAIT(&t, "the run goes on, with a line every two seconds; Ctrl-C stops it");
	assert_false(is_raw(&t));
	while (rows_with(&t.screen, "0 slipped; 0 absent") == 0)
		assert_true(terminal_read(&t, PATIENCE_MS));
	assert_int_equal(kill(t.pid, SIGINT), 0);
	assert_int_equal(terminal_end(&t), 130);
	screen_print(&t.screen);
}

/* What a command writes in one line. */
static void line_of(const char *command, char *ret, int size)
{
	FILE *found = popen(command, "r");

	assert_non_null(found);
	assert_non_null(fgets(ret, size, found));
	pclose(found);
}

/* The manager of a run's own node, which the node's frontend has started. */
static pid_t manager_of(pid_t run)
{
	char command[120], line[32] = "";

	snprintf(
	    command, sizeof(command), "pgrep -P \"$(pgrep -P %d aloe-frontend)\" aloe-swman", run);
	line_of(command, line, sizeof(line));
	return (pid_t)strtol(line, NULL, 10);
}

/* Daemons that die, and an end by a signal: the terminal is as it was. */
static void run_dies(void **state)
{
	struct terminal t;

	(void)state;
	run_start(&t, "exec %s");
	AWAIT(&t, TABLE, "q leave");
	assert_int_equal(kill(manager_of(t.pid), SIGKILL), 0);
	type(&t, "l");
	AWAIT(&t, "lanes by badness", "q leave");
	assert_true(is_raw(&t));
	assert_int_equal(kill(t.pid, SIGTERM), 0);
	assert_int_equal(terminal_end(&t), 130);
}

/* In the background it has no keys, and is not stopped for asking; in the foreground it has. */
static void run_behind(void **state)
{
	struct terminal t;

	(void)state;
	run_start(&t, "set -m; %s & read line; fg >/dev/null");
	AWAIT(&t, TABLE, "~q leave");
	type(&t, "\n");
	AWAIT(&t, TABLE, "q leave");
	type(&t, "l");
	AWAIT(&t, "lanes by badness");
	type(&t, "\003");
	assert_int_equal(terminal_end(&t), 130);
}

/* How a program is stopped: by the key, by the key's signal, by what no program can hold. */
static const struct {
	const char *name;
	int signal;
} stops[] = {{"the key", 0}, {"SIGTSTP", SIGTSTP}, {"SIGSTOP", SIGSTOP}};

/* While it sleeps the shell does not read, so what is typed is there for whoever does. */
#define BEHIND "set -m; %s; bg >/dev/null; sleep 1; read line; fg >/dev/null"

/* As `ps` has it: T for what is stopped, + for what is in the foreground. */
static bool is_state(pid_t pid, char state)
{
	char command[80], line[32];

	snprintf(command, sizeof(command), "ps -o stat= -p %d", pid);
	line_of(command, line, sizeof(line));
	return strchr(line, state) != NULL;
}

static pid_t program_of(const struct terminal *t)
{
	char command[80], line[32];

	snprintf(command, sizeof(command), "pgrep -P %d -x aloe", t->pid);
	line_of(command, line, sizeof(line));
	return (pid_t)strtol(line, NULL, 10);
}

/* The program of a shell as of BEHIND, with its keys, is stopped and goes on in the background,
 * where a key is the shell's and does not stop it; in the foreground it has its keys again. */
static void goes_behind(struct terminal *t, int signal, const char *drawn, const char *named)
{
	uint64_t until;
	pid_t pid;

	AWAIT(t, drawn, named);
	pid = program_of(t);
	if (signal)
		assert_int_equal(kill(pid, signal), 0);
	else
		type(t, "\032");
	until = clock_ns() + PATIENCE_MS * 1000000ull;
	while ((is_state(pid, '+') || is_state(pid, 'T')) && clock_ns() < until)
		assert_true(terminal_read(t, 100));
	assert_false(is_state(pid, '+') || is_state(pid, 'T'));
	type(t, "x");
	for (until = clock_ns() + 1000000000; clock_ns() < until;)
		assert_true(terminal_read(t, 100));
	assert_false(is_state(pid, 'T'));
	type(t, "\n");
	AWAIT(t, drawn, named);
	until = clock_ns() + PATIENCE_MS * 1000000ull;
	while (!is_raw(t) && clock_ns() < until)
		assert_true(terminal_read(t, 100));
	assert_true(is_raw(t));
}

static void run_stopped(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		struct terminal t;

		print_message("stopped by %s\n", stops[i].name);
		run_start(&t, BEHIND);
		goes_behind(&t, stops[i].signal, "lane   mean us", "q leave");
		type(&t, "l");
		AWAIT(&t, "lanes by badness");
		type(&t, "\003");
		assert_int_equal(terminal_end(&t), 130);
	}
}

static void top_start(struct terminal *t, int rows, int cols, const char *args)
{
	char command[1024];

	snprintf(command, sizeof(command), "exec %s top %s", aloe_program("aloe"), args);
	terminal_start(t, rows, cols, command);
}

/* `top` names the glossary where it has 80 columns, and ends with the cursor on an empty line. */
static void top_ends(void **state)
{
	struct terminal t;

	(void)state;
	ran_free(aloe_ok("up"));
	ran_free(aloe_ok("load waveforms/utran384-random.conf --clock step"));
	ran_free(aloe_ok("start utran384-random"));
	ran_free(aloe_ok("step utran384-random --count 100"));
	top_start(&t, 24, 80, "utran384-random");
	AWAIT(&t, TABLE, "(man aloe-words)", "q quit");
	assert_true(is_raw(&t));
	terminal_resize(&t, 20, 70);
	AWAIT(&t, TABLE);
	type(&t, "\003");
	assert_int_equal(terminal_end(&t), 0);
	screen_print(&t.screen);
	cursor_is_below(&t);
	assert_int_equal(rows_with(&t.screen, "slots: "), 1);
}

static void top_stopped(void **state)
{
	char top[800], command[1024];

	(void)state;
	snprintf(top, sizeof(top), "%s top utran384-random", aloe_program("aloe"));
	snprintf(command, sizeof(command), BEHIND, top);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		struct terminal t;

		print_message("stopped by %s\n", stops[i].name);
		terminal_start(&t, 24, 80, command);
		goes_behind(&t, stops[i].signal, "lane   mean us", "q quit");
		type(&t, "l");
		AWAIT(&t, "lanes by badness");
		type(&t, "q");
		assert_int_equal(terminal_end(&t), 0);
	}
}

/* Pages, order, filter, rows above and below, help; each key at once. */
static void top_keys(void **state)
{
	struct terminal t;

	(void)state;
	top_start(&t, 24, 80, "utran384-random");
	AWAIT(&t, TABLE, "instances by badness", "! check  ", "~  copy lane");
	type(&t, "l");
	AWAIT(&t, "lanes by badness", "left p1 us", "least us", "~mean us");
	type(&t, "ss");
	AWAIT(&t, "lanes by CPU", "slots: ");
	type(&t, "c");
	AWAIT(&t, "the waveform has no copies", "copies by badness");
	type(&t, "w");
	AWAIT(&t, "there is no record of a late slot", "total us");
	type(&t, "\032a"); /* nobody continues what stops here, so it does not stop */
	AWAIT(&t, "! utran384-rando RUN ", "waveforms by badness");
	type(&t, "i\033[6~");
	AWAIT(&t, TABLE, " of them above", "~! check  ");
	type(&t, "g/deCODx\177");
	AWAIT(&t, "rows with: deCOD_", " decoder  ", "~! check  ", "~ more instances");
	type(&t, "\r");
	AWAIT(&t, "by badness, with deCOD", " decoder  ");
	terminal_resize(&t, 30, 132);
	AWAIT(&t, TABLE, " decoder  ", "kMAC", "late us p99");
	type(&t, "\033");
	AWAIT(&t, TABLE, " decoder  ", "! check  ");
	type(&t, "?");
	AWAIT(&t, "name of the instance in the waveform file", "slots: ", "~! check  ");
	type(&t, "?q");
	assert_int_equal(terminal_end(&t), 0);
	cursor_is_below(&t);
}

/* Without a keyboard, with a terminal that cannot go back, without a terminal: no key is named. */
static void top_without(void **state)
{
	struct terminal t;
	struct ran *ran = aloe_ok("top utran384-random");

	(void)state;
	assert_non_null(strstr(ran->out, "kMAC"));
	assert_null(strchr(ran->out, '\033'));
	assert_null(strstr(ran->out, "q quit"));
	ran_free(ran);
	top_start(&t, 24, 80, "</dev/null");
	AWAIT(&t, "! utran384-rando RUN ", "~q quit");
	assert_int_equal(kill(t.pid, SIGTERM), 0);
	assert_int_equal(terminal_end(&t), 0);
	cursor_is_below(&t);
}

/* A waveform that goes, and the node: both are said below the table. */
static void top_alone(void **state)
{
	struct terminal one, all;

	(void)state;
	top_start(&one, 24, 80, "utran384-random");
	AWAIT(&one, TABLE, "q quit");
	top_start(&all, 12, 60, "--page instances");
	AWAIT(&all, TABLE, "q quit");
	ran_free(aloe_ok("unload utran384-random"));
	assert_int_equal(terminal_end(&one), 2);
	assert_int_equal(rows_with(&one.screen, "no waveform \"utran384-random\" is loaded"), 1);
	AWAIT(&all, "0 waveforms", "there is no instance");
	ran_free(aloe_ok("down"));
	assert_int_equal(terminal_end(&all), 1);
	screen_print(&all.screen);
	assert_int_equal(rows_with(&all.screen, "0 waveforms"), 1);
	cursor_is_below(&all);
}

/* For how long the node has not answered, as the screen says; 0: it says nothing of it. */
static long unanswered_s(const struct screen *s)
{
	const char *const words = "the node has not answered for ";

	for (int r = 0; r < s->rows; r++) {
		const char *at = strstr(s->cell[r], words);

		if (at)
			return strtol(at + strlen(words), NULL, 10);
	}
	return 0;
}

/* Before the first report there is no table, not even an empty one: only for how long the node has
 * not answered, whatever is pressed. `--once` waits longer than that, and says so. */
static void top_waits(void **state)
{
	const pid_t manager = process_one("aloe-swman");
	struct terminal t, once;

	(void)state;
	assert_int_equal(kill(manager, SIGSTOP), 0);
	top_start(&t, 24, 80, "");
	top_start(&once, 24, 80, "--once");
	type(&t, "i");
	AWAIT(&once, "waiting for aloe-swman to answer LIST, ");
	AWAIT(&t, "the node has not answered for ", "~waveforms", "~instance");
	terminal_resize(&t, 20, 70);
	type(&t, "l?");
	while (unanswered_s(&t.screen) < 4)
		assert_true(terminal_read(&t, PATIENCE_MS));
	AWAIT(&t, "the node has not answered for ", "~waveforms", "~lane", "~slots: ");
	assert_int_equal(kill(manager, SIGCONT), 0);
	AWAIT(&t, "number of the lane in the waveform", "q quit", "~has not answered");
	type(&t, "q");
	assert_int_equal(terminal_end(&t), 0);
	assert_int_equal(terminal_end(&once), 0);
	assert_int_equal(rows_with(&once.screen, "utran384-rando RUN "), 1);
}

/* ---- scope ---- */

static const char noise[] = "name = \"noise\";\nslot_ns = 10000000;\ninstances: {\n"
                            "bits: { component = \"random_source\"; length = 4000; };\n"
                            "ones: { component = \"bpsk_mod\"; };\n"
                            "sink: { component = \"null_sink\"; };\n"
                            "};\nlinks = ( \"bits -> ones -> sink\" );\n";

static void scope_start(struct terminal *t, int rows, int cols, const char *how)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s exec %s scope noise ones.out --samples 16000 \"$@\"",
	    how, aloe_program("aloe"));
	terminal_start(t, rows, cols, command);
}

static void scope_keys(void **state)
{
	const char *path = aloe_path("noise.conf");
	FILE *file = fopen(path, "w");
	struct terminal t;

	(void)state;
	assert_non_null(file);
	fputs(noise, file);
	fclose(file);
	ran_free(aloe_ok("up"));
	ran_free(aloe_ok("load %s --clock virtual --tap ones.out", path));
	ran_free(aloe_ok("start noise"));
	scope_start(&t, 24, 80, "unset COLORTERM;");
	AWAIT(&t, "ones.out spectrum: Welch, 30 blocks of 1024", "level in dBFS", "frequency in Hz",
	    "-200000", "q quit");
	assert_true(is_raw(&t));
	type(&t, "++a");
	AWAIT(&t, "ones.out spectrum: Welch, 6 blocks of 4096", "span 1/4", "4 of 4", "-50000");
	terminal_resize(&t, 40, 120);
	AWAIT(&t, "ones.out spectrum: Welch, 6 blocks of 4096", "frequency in Hz", "n next port");
	terminal_resize(&t, 8, 30);
	AWAIT(&t, "the terminal is too small", "~frequency");
	terminal_resize(&t, 20, 60);
	type(&t, "--av");
	AWAIT(&t, "ones.out waterfall: Welch", "~span 1/", "frequency in Hz");
	type(&t, "pv");
	AWAIT(&t, "ones.out constellation: 16000 samples", "[paused]");
	type(&t, "vvv");
	AWAIT(&t, "ones.out bits: only an output of type bit has bits", "[paused]");
	type(&t, "\t");
	AWAIT(&t, "bits.out bits: bits 0 to 1023", "first bit of the row", "~[paused]");
	type(&t, "\003");
	assert_int_equal(terminal_end(&t), 0);
	cursor_is_below(&t);
}

static void scope_stopped(void **state)
{
	char scope[800], command[1024];

	(void)state;
	snprintf(
	    scope, sizeof(scope), "%s scope noise ones.out --samples 16000", aloe_program("aloe"));
	snprintf(command, sizeof(command), BEHIND, scope);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		struct terminal t;

		print_message("stopped by %s\n", stops[i].name);
		terminal_start(&t, 24, 80, command);
		goes_behind(&t, stops[i].signal, "frequency in Hz", "q quit");
		type(&t, "v");
		AWAIT(&t, "ones.out waterfall");
		type(&t, "q");
		assert_int_equal(terminal_end(&t), 0);
	}
}

/* The reason stands below all else on the screen. */
static void scope_refuses(void **state)
{
	static const char *const options[] = {"rate", "centre"};
	char how[80], why[80];
	struct terminal t;

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		snprintf(how, sizeof(how), "set -- --%s abc;", options[i]);
		snprintf(why, sizeof(why), "--%s abc: a number", options[i]);
		scope_start(&t, 24, 80, how);
		assert_int_equal(terminal_end(&t), 2);
		screen_print(&t.screen);
		assert_int_equal(rows_with(&t.screen, why), 1);
		assert_int_equal(rows_with(&t.screen, "frequency in Hz"), 0);
		cursor_is_below(&t);
	}
}

static void scope_ends(void **state)
{
	struct terminal t, other;

	(void)state;
	ran_free(aloe_ok("unload noise")); /* with the ring of bits.out */
	ran_free(aloe_ok("load %s --clock virtual --tap ones.out", aloe_path("noise.conf")));
	ran_free(aloe_ok("start noise"));
	scope_start(&t, 24, 80, "COLORTERM=truecolor");
	AWAIT(&t, "ones.out spectrum: Welch", "frequency in Hz", "q quit");
	scope_start(&other, 24, 80, "NO_COLOR=1 COLORTERM=truecolor");
	AWAIT(&other, "ones.out spectrum: Welch", "q quit");
	type(&other, "q");
	assert_int_equal(terminal_end(&other), 0);
	ran_free(aloe_ok("stop noise"));
	AWAIT(&t, "[the waveform has ended]", "ones.out spectrum: Welch");
	type(&t, "v");
	AWAIT(&t, "ones.out waterfall: Welch", "frequency in Hz");
	type(&t, "n"); /* an output that has no ring, and can get none any more */
	AWAIT(&t, "no next port: ", "state STOP", "[the waveform has ended]", "frequency in Hz");
	type(&t, "v");
	AWAIT(&t, "ones.out constellation", "~no next port");
	assert_int_equal(kill(t.pid, SIGTERM), 0);
	assert_int_equal(terminal_end(&t), 0);
	cursor_is_below(&t);
	ran_free(aloe_ok("down"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sizes_of_a_run),
	    cmocka_unit_test(run_keys),
	    cmocka_unit_test(run_dies),
	    cmocka_unit_test(run_behind),
	    cmocka_unit_test(run_stopped),
	    cmocka_unit_test(top_ends),
	    cmocka_unit_test(top_keys),
	    cmocka_unit_test(top_stopped),
	    cmocka_unit_test(top_without),
	    cmocka_unit_test(top_waits),
	    cmocka_unit_test(top_alone),
	    cmocka_unit_test(scope_keys),
	    cmocka_unit_test(scope_stopped),
	    cmocka_unit_test(scope_refuses),
	    cmocka_unit_test(scope_ends),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
