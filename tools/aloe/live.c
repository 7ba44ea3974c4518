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

void live_init(struct live *live)
{
	const char *term = getenv("TERM");

	*live = (struct live){.tty = isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0};
	live->line_ms = now_ms();
}

void live_clear(struct live *live)
{
	if (live->lines)
		printf("\033[%uA\r\033[J", live->lines);
	live->lines = 0;
}

/* Over the old one, line by line, and written at once, so that nothing flickers. */
static void table(struct live *live, const json_t *report)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	FILE *memory;
	char *text = NULL;
	size_t len = 0;
	unsigned lines;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	memory = open_memstream(&text, &len);
	if (!memory)
		return;
	lines = report_table(report, size.ws_row > 1 ? size.ws_row - 1u : 0, size.ws_col, memory);
	fclose(memory);
	if (live->lines)
		printf("\033[%uA\r", live->lines);
	for (const char *at = text; at && *at; at += strcspn(at, "\n") + 1)
		printf("%.*s\033[K\n", (int)strcspn(at, "\n"), at);
	printf("\033[J");
	live->lines = lines;
	free(text);
}

void live_show(struct live *live, const json_t *report)
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
static size_t whole_lines(const struct live *live)
{
	const char *end = live->word_len > 0 ? memrchr(live->word, '\n', live->word_len) : NULL;

	return end                      ? (size_t)(end - live->word) + 1
	    : live->word_len > WORD_MAX ? live->word_len
	                                : 0;
}

static bool words_write(struct live *live, size_t len)
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

bool live_words(struct live *live, int fd)
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

void live_fini(struct live *live)
{
	words_write(live, live->word_len);
	free(live->word);
	live->word = NULL;
}
