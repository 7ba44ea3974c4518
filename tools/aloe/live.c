/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	*live = (struct live_view){.line_ms = now_ms()};
	term_init(&live->term);
	view_init(&live->view, VIEW_INSTANCES);
}

void live_tables(struct live_view *live, const json_t *reports)
{
	unsigned rows, cols;
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return;
	term_size(STDOUT_FILENO, &rows, &cols);
	report_table(reports, &live->view, rows > 1 ? rows - 1 : 1, cols, memory);
	if (fclose(memory) == 0)
		term_draw(&live->term, text);
	free(text);
}

void live_show(struct live_view *live, const json_t *report)
{
	if (live->term.draws) {
		json_t *reports = json_pack("[O]", report);

		live_tables(live, reports);
		json_decref(reports);
	} else if (now_ms() - live->line_ms >= LINE_MS) {
		report_progress(report, stdout);
		live->line_ms = now_ms();
		fflush(stdout);
	}
}

void live_leave(struct live_view *live)
{
	term_leave(&live->term);
	term_keys_close(&live->term);
	live->term.draws = false;
	live->line_ms = now_ms();
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
	term_clear(&live->term);
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
