/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/report/report.h"

enum { LINE_MS = 2000, WORD_MAX = 65536 };

static int64_t now_ms(void)
{
	return (int64_t)(clock_ns() / 1000000);
}

void live_init(struct live_view *live)
{
	const char *term = getenv("TERM");

	*live =
	    (struct live_view){.tty = isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0};
	live->line_ms = now_ms();
}

static struct winsize size_get(void)
{
	struct winsize size = {0};

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	return (struct winsize){
	    .ws_row = size.ws_row ? size.ws_row : 24, .ws_col = size.ws_col ? size.ws_col : 80};
}

/* Back to where the table begins. What a terminal has made of its lines when it was resized nobody
 * knows: all goes then. */
static void back(struct live_view *live, struct winsize size)
{
	if (live->rows && (size.ws_row != live->rows || size.ws_col != live->cols))
		printf("\033[H\033[2J");
	else if (live->lines)
		printf("\033[%uA\r", live->lines);
	live->lines = 0;
	live->rows = size.ws_row;
	live->cols = size.ws_col;
}

void live_clear(struct live_view *live)
{
	if (!live->tty || !live->lines)
		return;
	back(live, size_get());
	printf("\033[J");
}

void live_leave(struct live_view *live)
{
	if (live->tty)
		printf("\r\033[J");
	live->lines = 0;
}

/* Over the old one, line by line, and written at once, so that nothing flickers. */
static void table(struct live_view *live, const json_t *report)
{
	const struct winsize size = size_get();
	FILE *memory;
	char *text = NULL;
	size_t len = 0;
	unsigned lines;

	memory = open_memstream(&text, &len);
	if (!memory)
		return;
	lines = report_table(report, size.ws_row > 1 ? size.ws_row - 1u : 0, size.ws_col, memory);
	fclose(memory);
	back(live, size);
	for (const char *at = text; at && *at; at += strcspn(at, "\n") + 1)
		printf("%.*s\033[K\n", (int)strcspn(at, "\n"), at);
	printf("\033[J");
	live->lines = lines;
	free(text);
}

void live_show(struct live_view *live, const json_t *report)
{
	if (live->tty) {
		table(live, report);
	} else if (now_ms() - live->line_ms >= LINE_MS) {
		report_progress(report, stdout);
		live->line_ms = now_ms();
	}
	fflush(stdout);
}

/* What has been read up to the last line's end, or all of it when it has no end. */
static size_t whole_lines(const struct live_view *live)
{
	const char *end = live->word_len > 0 ? memrchr(live->word, '\n', live->word_len) : NULL;

	return end                      ? (size_t)(end - live->word) + 1
	    : live->word_len > WORD_MAX ? live->word_len
	                                : 0;
}

static bool words_write(struct live_view *live, size_t len)
{
	if (len == 0)
		return false;
	live_clear(live);
	fflush(stdout);
	fwrite(live->word, 1, len, stderr);
	memmove(live->word, live->word + len, live->word_len - len);
	live->word_len -= len;
	return true;
}

bool live_words(struct live_view *live, int fd)
{
	char bytes[4096];
	bool wrote = false;
	ssize_t len;

	while ((len = read(fd, bytes, sizeof(bytes))) > 0) {
		char *word = realloc(live->word, live->word_len + (size_t)len);

		if (!word) {
			fwrite(bytes, 1, (size_t)len, stderr);
			continue;
		}
		live->word = word;
		memcpy(word + live->word_len, bytes, (size_t)len);
		live->word_len += (size_t)len;
		wrote |= words_write(live, whole_lines(live));
	}
	return wrote;
}

void live_fini(struct live_view *live)
{
	words_write(live, live->word_len);
	free(live->word);
	live->word = NULL;
}
