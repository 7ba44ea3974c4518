/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/platform/radio.h"

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
