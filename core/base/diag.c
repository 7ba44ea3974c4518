/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/diag.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void diag_init(struct diag *diag)
{
	memset(diag, 0, sizeof(*diag));
}

void diag_fini(struct diag *diag)
{
	for (size_t i = 0; i < diag->len; i++)
		free(diag->lines[i]);
	free(diag->lines);
	diag_init(diag);
}

/* Takes the line over. */
static void diag_take(struct diag *diag, char *line)
{
	char **lines = line ? realloc(diag->lines, (diag->len + 1) * sizeof(*lines)) : NULL;

	if (!lines) {
		free(line);
		diag->lost = true;
		return;
	}
	diag->lines = lines;
	diag->lines[diag->len++] = line;
}

int diag_error(struct diag *diag, const char *file, int line, const char *format, ...)
{
	char *text = NULL, *whole = NULL;
	va_list args;

	diag->errors++;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (!text || !file)
		whole = text;
	else if ((line > 0 ? asprintf(&whole, "%s:%d: %s", file, line, text)
	                   : asprintf(&whole, "%s: %s", file, text)) < 0)
		whole = NULL;
	if (whole != text)
		free(text);
	diag_take(diag, whole);
	return -EINVAL;
}

void diag_note(struct diag *diag, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	diag_take(diag, text);
}

/* ---- lines that are alike ---- */

enum { ALIKE_SHOWN = 10 };

static bool in_number(char c)
{
	return isdigit((unsigned char)c) || c == '.';
}

static bool words_alike(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			while (in_number(*a))
				a++;
			while (in_number(*b))
				b++;
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return *a == *b;
}

/* The line of a file that a message names; 0: none. */
static long line_named(const char *message)
{
	for (const char *at = message; (at = strchr(at, ':')); at++) {
		char *end;
		const long line = isdigit((unsigned char)at[1]) ? strtol(at + 1, &end, 10) : 0;

		if (line > 0 && *end == ':')
			return line;
	}
	return 0;
}

struct kind { /* of lines that are alike */
	size_t shown_last, n;
	long line_last;
};

static void kind_report(struct diag *diag, const struct kind *kind)
{
	char **line = &diag->lines[kind->shown_last], *both, where[48] = "";

	if (kind->n <= ALIKE_SHOWN)
		return;
	if (kind->line_last > 0)
		snprintf(where, sizeof(where), "; the last is on line %ld", kind->line_last);
	if (asprintf(&both, "%s\n  ... and %zu more like these%s", *line, kind->n - ALIKE_SHOWN,
	        where) < 0) {
		diag->lost = true;
		return;
	}
	free(*line);
	*line = both;
}

void diag_fold(struct diag *diag, size_t from)
{
	struct kind *kinds = calloc(diag->len - from + 1, sizeof(*kinds));
	size_t n_kinds = 0, len = from;

	for (size_t i = from; kinds && i < diag->len; i++) {
		char *line = diag->lines[i];
		size_t k = 0;

		while (k < n_kinds && !words_alike(diag->lines[kinds[k].shown_last], line))
			k++;
		n_kinds += k == n_kinds;
		kinds[k].line_last = line_named(line);
		if (kinds[k].n++ < ALIKE_SHOWN) {
			kinds[k].shown_last = len;
			diag->lines[len++] = line;
		} else {
			free(line);
		}
	}
	if (kinds)
		diag->len = len;
	for (size_t k = 0; k < n_kinds; k++)
		kind_report(diag, &kinds[k]);
	free(kinds);
}

/* ------------------------------------------------------------------------ */

void diag_print(const struct diag *diag, FILE *out)
{
	for (size_t i = 0; i < diag->len; i++)
		fprintf(out, "%s\n", diag->lines[i]);
	if (diag->lost)
		fputs("out of memory: some messages were not printed\n", out);
}

enum { WORD_MAX = 63 };

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edit distance with neighbours exchanged counting one, letters compared without case. Both at most
 * WORD_MAX long. */
static size_t word_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t row[3][WORD_MAX + 1];

	for (size_t j = 0; j <= b_len; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			now[j] = least_of(least_of(last[j], now[j - 1]) + 1,
			    last[j - 1] + !same_letter(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				now[j] = least_of(now[j], before[j - 2] + 1);
		}
	}
	return row[a_len % 3][b_len];
}

static bool begins_with(const char *name, const char *word, size_t word_len)
{
	for (size_t i = 0; i < word_len; i++)
		if (!same_letter(name[i], word[i]))
			return false;
	return true;
}

const char *diag_nearest(const char *word, const char *const *names, size_t n)
{
	const size_t len = strlen(word);
	const size_t limit = len < 6 ? 1 : len / 3;
	const char *nearest = NULL, *longer = NULL;
	size_t nearest_distance = limit + 1;

	if (len == 0 || len > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const size_t name_len = strlen(names[i]);

		if (name_len > WORD_MAX)
			continue;
		if (!longer && len >= 3 && name_len > len && begins_with(names[i], word, len))
			longer = names[i];
		const size_t d = word_distance(word, len, names[i], name_len);
		if (d < nearest_distance && d < name_len) {
			nearest_distance = d;
			nearest = names[i];
		}
	}
	return nearest ? nearest : longer;
}

const char *diag_suggest(
    const char *word, const char *const *names, size_t n, char *text, size_t size)
{
	const char *nearest = diag_nearest(word, names, n);
	size_t len;

	if (nearest) {
		snprintf(text, size, ", did you mean \"%s\"?", nearest);
		return text;
	}
	len = (size_t)snprintf(text, size, n ? "; allowed: " : "; none is allowed");
	for (size_t i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, i ? ", %s" : "%s", names[i]);
	if (len >= size && size > 4)
		strcpy(text + size - 4, "...");
	return text;
}
