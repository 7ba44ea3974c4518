/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/cli/term.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool term_draws(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && term[0] && strcmp(term, "dumb") != 0;
}

void term_size(int fd, unsigned *ret_rows, unsigned *ret_cols)
{
	struct winsize size = {0};

	ioctl(fd, TIOCGWINSZ, &size);
	*ret_rows = size.ws_row ? size.ws_row : 24;
	*ret_cols = size.ws_col ? size.ws_col : 80;
}

bool term_colours(void)
{
	const char *no = getenv("NO_COLOR"), *colours = getenv("COLORTERM");

	return !(no && no[0]) && colours &&
	    (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0);
}

void term_init(struct term *term)
{
	*term = (struct term){.draws = term_draws(STDOUT_FILENO), .in = -1};
}

/* ---- keys ---- */

static void keys_raw(const struct term *term)
{
	struct termios raw = term->before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	raw.c_cc[VSUSP] = raw.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

static bool is_foreground(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* The shell has the terminal, and has given it modes of its own: nothing is put back. What was
 * drawn is above the shell's lines. */
static void keys_drop(struct term *term)
{
	term->in = -1;
	term->lines = term->rows = term->cols = 0;
}

/* False: there are no keys, or none any more, because the program is in the background. */
static bool keys_hold(struct term *term)
{
	if (term->in >= 0 && !is_foreground())
		keys_drop(term);
	return term->in >= 0;
}

void term_keys_open(struct term *term)
{
	term->keys = term->draws && isatty(STDIN_FILENO) != 0;
	term_keys(term);
}

int term_keys(struct term *term)
{
	struct termios now;

	if (!term->keys || (term->in >= 0 && !keys_hold(term)) || !is_foreground() ||
	    tcgetattr(STDIN_FILENO, &now) < 0)
		return -1;
	if (!term->known)
		term->before = now;
	term->known = true;
	if (term->in >= 0 && (now.c_lflag & (ICANON | ECHO)) != 0)
		keys_drop(term); /* it was stopped, and is in the foreground again */
	if (term->in < 0)
		keys_raw(term);
	term->in = STDIN_FILENO;
	return term->in;
}

void term_keys_close(struct term *term)
{
	if (keys_hold(term))
		tcsetattr(term->in, TCSADRAIN, &term->before);
	term->in = -1;
	term->keys = false;
}

void term_suspend(struct term *term)
{
	if (!keys_hold(term))
		return;
	term_leave(term);
	fflush(stdout);
	tcsetattr(term->in, TCSADRAIN, &term->before);
	kill(0, SIGTSTP);
	keys_drop(term);
	term_keys(term);
}

/* ESC [ NUMBER ~ */
static int key_numbered(long number)
{
	switch (number) {
	case 1:
	case 7:
		return TERM_HOME;
	case 4:
	case 8:
		return TERM_END;
	case 5:
		return TERM_PAGE_UP;
	case 6:
		return TERM_PAGE_DOWN;
	default:
		return TERM_OTHER;
	}
}

static int key_lettered(char letter)
{
	static const struct {
		char letter;
		int key;
	} keys[] = {{'A', TERM_UP}, {'B', TERM_DOWN}, {'C', TERM_RIGHT}, {'D', TERM_LEFT},
	    {'H', TERM_HOME}, {'F', TERM_END}};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].letter == letter)
			return keys[i].key;
	return TERM_OTHER;
}

size_t term_key_take(const char *bytes, size_t len, int *ret_key)
{
	size_t n = 2;

	if (len == 0)
		return 0;
	*ret_key = bytes[0] == '\b' ? TERM_ERASE : (unsigned char)bytes[0];
	if (bytes[0] != '\033' || len == 1 || (bytes[1] != '[' && bytes[1] != 'O'))
		return 1;
	while (n < len && (unsigned char)bytes[n] >= ' ' && (unsigned char)bytes[n] < '@')
		n++;
	if (n == len && len < TERM_PENDING)
		return 0;
	*ret_key = n == len   ? TERM_OTHER
	    : bytes[n] == '~' ? key_numbered(strtol(bytes + 2, NULL, 10))
	                      : key_lettered(bytes[n]);
	return n < len ? n + 1 : n;
}

/* 0, or -EIO when there will be no more. */
static int keys_read(struct term *term)
{
	struct pollfd polled = {.fd = term->in, .events = POLLIN};
	ssize_t got;

	if (term->n_bytes == sizeof(term->bytes) || poll(&polled, 1, 0) <= 0)
		return 0;
	got = read(term->in, term->bytes + term->n_bytes, sizeof(term->bytes) - term->n_bytes);
	if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
		return -EIO;
	term->n_bytes += got > 0 ? (size_t)got : 0;
	return 0;
}

int term_key(struct term *term)
{
	int key = 0;
	size_t n;

	if (!keys_hold(term))
		return 0;
	if (keys_read(term) < 0)
		return -EIO;
	n = term_key_take(term->bytes, term->n_bytes, &key);
	memmove(term->bytes, term->bytes + n, term->n_bytes - n);
	term->n_bytes -= n;
	return n > 0 ? key : 0;
}

/* ---- lines ---- */

/* Back to where the lines begin. What a terminal has made of them when it was resized nobody knows:
 * all goes then. */
static void lines_back(struct term *term, unsigned rows, unsigned cols, FILE *out)
{
	if (term->rows && (rows != term->rows || cols != term->cols))
		fputs("\033[H\033[2J", out);
	else if (term->lines)
		fprintf(out, "\033[%uA\r", term->lines);
	term->lines = 0;
	term->rows = rows;
	term->cols = cols;
}

/* Written at once, so that nothing flickers. */
void term_draw(struct term *term, const char *text)
{
	unsigned rows, cols;
	char *drawn = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&drawn, &len);

	if (!out)
		return;
	keys_hold(term);
	term_size(STDOUT_FILENO, &rows, &cols);
	lines_back(term, rows, cols, out);
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		/* erased first: behind a line that fills the row it would be the last character */
		fprintf(out, "\033[K%.*s\n", (int)strcspn(at, "\n"), at);
		term->lines++;
	}
	fputs("\033[J", out);
	if (fclose(out) == 0)
		fwrite(drawn, 1, len, stdout);
	fflush(stdout);
	free(drawn);
}

void term_clear(struct term *term)
{
	unsigned rows, cols;

	keys_hold(term);
	if (!term->draws || !term->lines)
		return;
	term_size(STDOUT_FILENO, &rows, &cols);
	lines_back(term, rows, cols, stdout);
	printf("\033[J");
}

void term_leave(struct term *term)
{
	if (term->draws)
		printf("\r\033[J");
	term->lines = 0;
}
