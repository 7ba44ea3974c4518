/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "core/trace/inside.h"

void trace_init(struct trace *trace, enum trace_format format, uint64_t start_ns)
{
	*trace = (struct trace){.format = format, .start_ns = start_ns};
	if (format == TRACE_JSON)
		json_open(trace);
}

void trace_track(struct trace *trace, const struct trace_track *track)
{
	if (trace->format == TRACE_JSON)
		json_track(trace, track);
	else
		protobuf_track(trace, track);
}

static void event_put(struct trace *trace, enum trace_what what, const struct trace_event *event)
{
	if (trace->format == TRACE_JSON)
		json_event(trace, what, event);
	else
		protobuf_event(trace, what, event);
}

void trace_begin(struct trace *trace, const struct trace_event *event)
{
	event_put(trace, TRACE_BEGIN, event);
}

void trace_end(struct trace *trace, const struct trace_track *track, uint64_t ns)
{
	event_put(trace, TRACE_END, &(struct trace_event){.track = track, .ns = ns});
}

void trace_instant(struct trace *trace, const struct trace_event *event)
{
	event_put(trace, TRACE_INSTANT, event);
}

uint8_t *trace_take(struct trace *trace, size_t *ret_len)
{
	uint8_t *bytes;

	if (trace->format == TRACE_JSON)
		json_close(trace);
	else
		trace_room(trace, 0); /* a trace without an event is bytes, too */
	if (trace->failed) {
		trace_fini(trace);
		return NULL;
	}
	bytes = trace->bytes;
	*ret_len = trace->len;
	*trace = (struct trace){0};
	return bytes;
}

void trace_fini(struct trace *trace)
{
	free(trace->bytes);
	*trace = (struct trace){0};
}
