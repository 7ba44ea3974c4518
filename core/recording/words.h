/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/recording/words.h - the words of a line, for the parsers of this room. Pure.
 */
#ifndef ALOE_RECORDING_WORDS_H
#define ALOE_RECORDING_WORDS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_WHY = 200 };

struct word_line {
	const char *at, *end;
};

/* The next word of a line, with one space before it unless it is the first; its length, 0: there is
 * none. */
static inline size_t word_take(struct word_line *line, bool first, const char **ret)
{
	const char *at = line->at;

	if (!first && (at == line->end || *at++ != ' '))
		return 0;
	*ret = at;
	while (at < line->end && *at != ' ')
		at++;
	line->at = at;
	return (size_t)(at - *ret);
}

static inline bool number_take(
    struct word_line *line, bool first, unsigned base, uint64_t max, uint64_t *ret)
{
	const char *word = NULL;
	const size_t len = word_take(line, first, &word);
	uint64_t number = 0;

	for (size_t i = 0; i < len; i++) {
		const char *digits = "0123456789abcdef";
		const char *digit = memchr(digits, word[i], base);

		if (!digit || number > (max - (uint64_t)(digit - digits)) / base)
			return false;
		number = number * base + (uint64_t)(digit - digits);
	}
	*ret = number;
	return len > 0;
}

static inline bool word_is(struct word_line *line, bool first, const char *text)
{
	const char *word = NULL;
	const size_t len = word_take(line, first, &word);

	return len == strlen(text) && memcmp(word, text, len) == 0;
}

/* How many lines with an end of line a text has: a last one without is none. */
static inline size_t lines_count(const char *text, size_t len)
{
	const char *end = text + len;
	size_t lines = 0;

	for (const char *c = text; c < end && (c = memchr(c, '\n', (size_t)(end - c))); c++)
		lines++;
	return lines;
}

/* The next line of a text; false: there is none. */
static inline bool line_take(struct word_line *text, struct word_line *ret)
{
	const char *stop =
	    text->at < text->end ? memchr(text->at, '\n', (size_t)(text->end - text->at)) : NULL;

	if (!stop)
		return false;
	*ret = (struct word_line){text->at, stop};
	text->at = stop + 1;
	return true;
}

/* -EINVAL, with what was found and what is needed in ret_why. */
static inline int words_refuse(
    char ret_why[WORDS_WHY], const struct word_line *line, const char *needed)
{
	const size_t len = (size_t)(line->end - line->at);

	snprintf(ret_why, WORDS_WHY, "found `%.*s`; %s is needed", len < 60 ? (int)len : 60,
	    line->at, needed);
	for (char *c = ret_why; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	return -EINVAL;
}

#endif
