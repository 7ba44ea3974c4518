/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/trace/inside.h"

enum { SIZE_FIRST = 1 << 16 };

uint8_t *trace_room(struct trace *trace, size_t len)
{
	size_t size = trace->size != 0 ? trace->size : SIZE_FIRST;
	uint8_t *bytes;

	while (size < trace->len + len)
		size *= 2;
	if (!trace->failed && size > trace->size) {
		bytes = realloc(trace->bytes, size);
		trace->failed = bytes == NULL;
		trace->bytes = trace->failed ? trace->bytes : bytes;
		trace->size = trace->failed ? trace->size : size;
	}
	if (trace->failed)
		return NULL;
	trace->len += len;
	return trace->bytes + trace->len - len;
}

void trace_put(struct trace *trace, const void *bytes, size_t len)
{
	uint8_t *at = trace_room(trace, len);

	if (at != NULL && len > 0)
		memcpy(at, bytes, len);
}

char trace_char(char c)
{
	return c >= ' ' && c <= '~' ? c : '?';
}

uint64_t trace_id(const struct trace_track *track)
{
	uint64_t id = HASH_START;

	if (track->group != NULL)
		id = hash_text(id, track->group->name);
	id = hash_text(id, track->name);
	return id != 0 ? id : 1;
}
