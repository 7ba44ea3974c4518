/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/report/report.h"

enum { LINE_MS = 2000 };

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
