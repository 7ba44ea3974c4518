/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/platform/radio.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int radio_line(const struct radio_check *check, const char *key)
{
	for (uint32_t k = 0; k < check->driver->n_keys; k++)
		if (strcmp(check->driver->keys[k].name, key) == 0)
			return check->lines[k];
	return 0;
}

void radio_missing(const struct radio_check *check, const char *key, const char *needed)
{
	diag_error(check->diag, check->file, check->line, "radio: %s is missing; %s is needed", key,
	    needed);
}

void radio_found(
    struct radio_look *look, const char *what, enum radio_verdict verdict, const char *format, ...)
{
	char text[RADIO_FOUND];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	look->found(look, what, verdict, text);
}
