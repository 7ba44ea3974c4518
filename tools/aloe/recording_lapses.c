/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Up to which index a recording is exact. The lapses of an instance are known up to an index
 * (core/recording/lapses.h); and what came from outside is known as long as the recorder that kept
 * it missed nothing but what the instance before it did not send. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/recording/lapses.h"
#include "tools/aloe/recording.h"

struct recorder_pair { /* a recorder, and the instance whose messages it keeps */
	struct lapse_table recorder, source;
};

/* 0, or -EINVAL after an error in the recording's diag. lapses_fini in any case. */
static int table_read(struct recording *recording, const char *name, struct lapse_table *ret)
{
	const json_t *were = json_object_get(recording->control.end, "recorded");
	char path[4400], file[160], why[LAPSES_WHY] = "no memory", hex[SHA256_TEXT], *text = NULL;
	const char *was;
	unsigned line = 0;
	size_t len = 0;
	int rc = path_print(path, sizeof(path), "%s/%s.lapses", recording->dir, name);

	*ret = (struct lapse_table){0};
	if (rc == 0)
		rc = file_read(path, CONTROL_BYTES_MAX, &text, &len);
	if (rc < 0)
		return diag_error(&recording->diag, path, 0, "cannot be read: %s", file_reason(rc));
	snprintf(file, sizeof(file), "%s.lapses", name);
	sha256_text(text, len, hex);
	was = json_string_value(json_object_get(were, file));
	rc = lapses_parse(text, len, ret, &line, why);
	free(text);
	if (was && strcmp(was, hex) != 0)
		return diag_error(&recording->diag, path, 0,
		    "was altered: its SHA-256 is %s, and it was recorded with %s", hex, was);
	if (rc < 0)
		return diag_error(&recording->diag, path, (int)line, "%s", why);
	if (recording->control.end && !ret->whole)
		return diag_error(&recording->diag, path, (int)line + 1,
		    "was cut short: the line `end` is missing");
	return 0;
}

static void exact_lower(struct recording *recording, uint64_t index, const char *name)
{
	if (index >= recording->exact)
		return;
	recording->exact = index;
	snprintf(recording->exact_why, sizeof(recording->exact_why), "%.100s", name);
}

/* The first index at which the recorder has nothing, or ABSENT, though the source was called. */
static uint64_t gap_find(const struct recorder_pair *pair)
{
	size_t at = 0;

	for (size_t i = 0; i < pair->recorder.n_rows; i++) {
		const struct lapse *row = &pair->recorder.rows[i];
		uint64_t k = row->kind == LAPSE_CONCEALED ? UINT64_MAX : row->index, next;

		for (; k < row->index + row->count; k = next) {
			next = lapses_called(&pair->source, k, &at);
			if (next == k)
				return k;
		}
	}
	return UINT64_MAX;
}

static void one_check(struct recording *recording, const char *name, const char *source)
{
	struct recorder_pair pair = {0};

	if (table_read(recording, name, &pair.recorder) == 0) {
		exact_lower(recording, pair.recorder.upto, name);
		if (*source && table_read(recording, source, &pair.source) == 0)
			exact_lower(recording, gap_find(&pair), name);
	}
	lapses_fini(&pair.recorder);
	lapses_fini(&pair.source);
}

void recording_lapses(struct recording *recording)
{
	const char *name;
	json_t *source;

	recording->exact = UINT64_MAX;
	json_object_foreach(json_object_get(recording->control.head, "lapses"), name, source)
	{
		one_check(recording, name, json_string_value(source));
	}
}
