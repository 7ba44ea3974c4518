/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/platform/radio.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"

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

uint32_t radio_packet_samples(uint32_t slot_samples, uint32_t min, uint32_t max)
{
	for (uint32_t parts = (slot_samples + max - 1) / max; slot_samples / parts >= min; parts++)
		if (slot_samples % parts == 0)
			return slot_samples / parts;
	return slot_samples;
}

uint64_t radio_host_clock(struct radio *radio)
{
	(void)radio;
	return clock_ns();
}
