/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/log.c - lines to standard error. */
#include "core/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 2048 };

static const char *const level_names[] = {"error", "warning", "note", "debug"};

void log_init(struct log *log, const char *program)
{
	const char *wanted = getenv("ALOE_LOG");

	*log = (struct log){.program = program, .level = LOG_LEVEL_NOTE};
	for (int i = 0; wanted && i <= LOG_LEVEL_DEBUG; i++) {
		if (strcmp(wanted, level_names[i]) == 0)
			log->level = (enum log_level)i;
	}
}

static void line_write(
    const struct log *log, enum log_level level, const char *format, va_list args)
{
	const int saved = errno;
	char line[LINE_BYTES];
	int len;

	if (level > log->level)
		return;
	len = snprintf(line, sizeof(line), "%s: ", log->program);
	if (len < 0 || len >= LINE_BYTES)
		return;
	len += vsnprintf(line + len, sizeof(line) - (size_t)len, format, args);
	if (len > LINE_BYTES - 1)
		len = LINE_BYTES - 1;
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)len) < 0) {
		/* nowhere left to say so */
	}
	errno = saved;
}

#define LOG_FUNCTION(name, level)                                                                  \
	void name(const struct log *log, const char *format, ...)                                  \
	{                                                                                          \
		va_list args;                                                                      \
		va_start(args, format);                                                            \
		line_write(log, level, format, args);                                              \
		va_end(args);                                                                      \
	}
LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warning, LOG_LEVEL_WARNING)
LOG_FUNCTION(log_note, LOG_LEVEL_NOTE)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)
