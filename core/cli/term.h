/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/cli/term.h - the terminal of a program that draws the same lines again and again, and is
 * steered by keys.
 *
 *	term_init(&term);                   is standard output a terminal that can be drawn on?
 *	term_keys_open(&term);              each key comes at once and is not shown
 *	while (...) {
 *		term_draw(&term, text);     over what was drawn before
 *		... wait for term_keys(&term), half a second at most ...
 *		while ((key = term_key(&term)) > 0) ...
 *	}
 *	term_leave(&term);                  the drawing stays; the cursor is below it
 *	term_keys_close(&term);             the terminal is as it was
 *
 * Ctrl-C stays the signal that it is. Ctrl-Z comes as a key, for term_suspend, which puts the
 * terminal back before the program stops.
 */
#ifndef ALOE_CLI_TERM_H
#define ALOE_CLI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Other keys are the character that they write. */
enum term_key {
	TERM_SUSPEND = 'Z' - '@',
	TERM_ESCAPE = '\033',
	TERM_ERASE = 0x7f,
	TERM_UP = 0x100,
	TERM_DOWN,
	TERM_RIGHT,
	TERM_LEFT,
	TERM_HOME,
	TERM_END,
	TERM_PAGE_UP,
	TERM_PAGE_DOWN,
	TERM_OTHER, /* a key that has no name here */
};

enum { TERM_PENDING = 32 };

struct term {
	bool draws;
	bool keys; /* they are wanted, whenever the program is in the foreground */
	int in;    /* where they come from; -1: there are none now */
	bool known;
	struct termios before;    /* when `known` */
	char bytes[TERM_PENDING]; /* of keys, not taken yet */
	size_t n_bytes;
	unsigned lines;      /* drawn, to go back over */
	unsigned rows, cols; /* of the terminal when they were drawn; 0: never */
};

void term_init(struct term *term);
/* term_draws: `fd` is a terminal that can go back over its lines (TERM is there, and not dumb). */
bool term_draws(int fd);
void term_size(int fd, unsigned *ret_rows, unsigned *ret_cols); /* 24 x 80 where nobody knows */
/* term_colours: any colour can be written (COLORTERM), and the user has nothing against it
 * (NO_COLOR). */
bool term_colours(void);

/* There are keys if standard input is a terminal, too, and only while the program is in its
 * foreground: whoever reads in the background is stopped. term_keys has to be asked before each
 * wait: it gives what is to be waited for, -1: nothing. It takes the keys again when the program
 * has come to the foreground, and drops them when it was stopped by whatever and is in the
 * background. */
void term_keys_open(struct term *term);
int term_keys(struct term *term);
void term_keys_close(struct term *term);
/* term_key does not wait: the next key, 0 (none has come), or -EIO (there are no more). */
int term_key(struct term *term);
/* term_key_take finds the first key in `len` bytes: how many of them it is; 0: more have to come.
 * An escape that nothing follows is the key. */
size_t term_key_take(const char *bytes, size_t len, int *ret_key);
/* term_suspend stops the program, as Ctrl-Z does, until the shell continues it. */
void term_suspend(struct term *term);

/* Lines of `text`, each with its end, none longer than the terminal. */
void term_draw(struct term *term, const char *text);
void term_clear(struct term *term); /* takes them away, for other output */
void term_leave(struct term *term); /* leaves them; a ^C below them is gone */

#endif
