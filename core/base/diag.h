/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/diag.h - a list of things to tell the user: all the errors of a file in one run, and
 * notes.
 *
 * A room that finds something wrong adds a line and goes on; whoever called it prints the list.
 * Each line is complete: `file:line: what was found, what is allowed`.
 */
#ifndef ALOE_BASE_DIAG_H
#define ALOE_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct diag {
	char **lines;
	size_t len;
	size_t errors; /* how many of the lines are errors; the others are notes */
	bool lost;     /* no memory for a line: printed as such, never silently */
};

void diag_init(struct diag *diag);
void diag_fini(struct diag *diag);

/* diag_error adds "file:line: text" ("file: text" when line is 0, "text" when file is NULL). Always
 * returns -EINVAL. */
__attribute__((format(printf, 4, 5))) int diag_error(
    struct diag *diag, const char *file, int line, const char *format, ...);
/* diag_note adds a line that is no error. */
__attribute__((format(printf, 2, 3))) void diag_note(struct diag *diag, const char *format, ...);
/* diag_fold keeps the first ten of those lines from `from` on that are the same but for their
 * numbers (lines of a file that a program wrote), and says behind the tenth how many more there
 * were. `errors` still counts them all. */
void diag_fold(struct diag *diag, size_t from);
void diag_print(const struct diag *diag, FILE *out);

/* diag_nearest returns the string of `names` (n of them) nearest to `word`, or NULL: the "did you
 * mean". Near is an edit distance, without case, neighbours exchanged counting one, of at most 1/3
 * of the word's length, at least 1; else a name that begins with the word, if that has three
 * letters or more. */
const char *diag_nearest(const char *word, const char *const *names, size_t n);

/* diag_suggest writes `, did you mean "x"?` or `; allowed: a, b, c` into `text` and returns it. */
const char *diag_suggest(
    const char *word, const char *const *names, size_t n, char *text, size_t size);

#endif
