/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/cli/term.h"

#define SECOND_NS 1000000000ull

void progress_init(struct progress *progress, bool off)
{
	*progress = (struct progress){.off = off, .began_ns = clock_ns()};
	progress->tty = term_draws(STDERR_FILENO);
}

void progress_clear(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = false;
}

static int columns(void)
{
	unsigned rows, cols;

	term_size(STDERR_FILENO, &rows, &cols);
	return cols > 20 ? (int)cols - 1 : 79;
}

void progress_show(struct progress *progress, const char *format, ...)
{
	const uint64_t now = clock_ns(), every = progress->tty ? SECOND_NS / 5 : 10 * SECOND_NS;
	char text[512];
	va_list args;
	int n;

	if (progress->off || now - progress->began_ns < 2 * SECOND_NS ||
	    now - progress->last_ns < every)
		return;
	progress->last_ns = now;
	n = snprintf(text, sizeof(text), "%.0f s: ", (double)(now - progress->began_ns) * 1e-9);
	va_start(args, format);
	vsnprintf(text + n, sizeof(text) - (size_t)n, format, args);
	va_end(args);
	if (progress->tty)
		fprintf(stderr, "\r%.*s\033[K", columns(), text);
	else
		fprintf(stderr, "%s\n", text);
	progress->drawn = progress->tty;
}
