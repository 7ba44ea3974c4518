/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/log.h - what a program has to say while it runs: one line to standard error, `program:
 * text`.
 *
 *   ERROR    something is lost, or a person has to do something
 *   WARNING  it goes on, with less than was asked for
 *   NOTE     what a person who watches would like to know (default)
 *   DEBUG    every message and decision
 *
 * A line is written with one write(), so that lines of several programs do not mix. Never called
 * from a slot.
 */
#ifndef ALOE_BASE_LOG_H
#define ALOE_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_NOTE, LOG_LEVEL_DEBUG };

struct log {
	const char *program;  /* "aloe-exec" */
	enum log_level level; /* lines beyond it are left out */
};

/* log_init takes the level from the environment: ALOE_LOG = error, warning, note or debug; anything
 * else is `note`. */
void log_init(struct log *log, const char *program);

__attribute__((format(printf, 2, 3))) void log_error(
    const struct log *log, const char *format, ...);
__attribute__((format(printf, 2, 3))) void log_warning(
    const struct log *log, const char *format, ...);
__attribute__((format(printf, 2, 3))) void log_note(const struct log *log, const char *format, ...);
__attribute__((format(printf, 2, 3))) void log_debug(
    const struct log *log, const char *format, ...);

/* log_counted: of what others may do as often as they like the 1st, 2nd, 4th, 8th ... time is worth
 * a line, so nobody can fill the log. */
static inline bool log_counted(uint64_t n)
{
	return (n & (n - 1)) == 0;
}

#endif
