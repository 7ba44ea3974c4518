/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/kinds.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/base/name_map.h"

/* ends: of the bytes of each thing, which follow one another. */
static int things_number(struct kinds *kinds, const char *bytes, const size_t *ends)
{
	struct name_map map = {0};
	int error = 0;

	for (size_t i = 0; i < kinds->n_things && !error; i++) {
		const size_t begin = i ? ends[i - 1] : 0, len = ends[i] - begin;
		const int64_t known = name_map_find(&map, bytes + begin, len);

		kinds->of[i] = known < 0 ? (uint32_t)kinds->n : (uint32_t)known;
		if (known >= 0)
			continue;
		kinds->first[kinds->n] = (uint32_t)i;
		error = name_map_put(&map, bytes + begin, len, (uint32_t)kinds->n++);
	}
	name_map_fini(&map);
	return error;
}

int kinds_init(struct kinds *kinds, size_t n_things,
    void (*write)(FILE *out, const void *things, size_t thing), const void *things)
{
	size_t *ends = calloc(n_things + 1, sizeof(*ends)), len;
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, &len);
	int error = -ENOMEM;

	*kinds = (struct kinds){
	    .n_things = n_things,
	    .of = calloc(n_things + 1, sizeof(*kinds->of)),
	    .first = calloc(n_things + 1, sizeof(*kinds->first)),
	};
	for (size_t i = 0; ends && out && i < n_things; i++) {
		write(out, things, i);
		ends[i] = (size_t)ftello(out);
	}
	const bool whole = out && !ferror(out);
	if (out && fclose(out) == 0 && whole && ends && kinds->of && kinds->first)
		error = things_number(kinds, bytes, ends);
	free(bytes);
	free(ends);
	return error;
}

void kinds_fini(struct kinds *kinds)
{
	free(kinds->of);
	free(kinds->first);
}
