/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/trace/trace.h - a picture of what ran when, as a file: Perfetto's protobuf (TrackEvent, for
 * ui.perfetto.dev), or JSON of chrome://tracing. Pure: events in, bytes out. Nothing is checked
 * here but text: what is no printable ASCII becomes '?'.
 *
 * 	static const struct trace_track wave = {.name = "waveform w"};
 * 	const struct trace_track lane = {.name = "lane 0", .group = &wave};
 *
 * 	trace_init(&trace, TRACE_PROTOBUF, from_ns);
 * 	trace_track(&trace, &wave);
 * 	trace_track(&trace, &lane);
 * 	trace_begin(&trace, &(struct trace_event){.track = &lane, .ns = 10, .name = "fir"});
 * 	trace_end(&trace, &lane, 20);
 * 	bytes = trace_take(&trace, &len);
 *
 * A track is described before its first event. On one track events are in the order of time, and
 * every slice that begins ends, the one that began last first.
 */
#ifndef ALOE_TRACE_TRACE_H
#define ALOE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_format { TRACE_PROTOBUF, TRACE_JSON };

/* Names tell tracks apart: two tracks of a group have two names. A group is in no other group. */
struct trace_track {
	const char *name;
	const char *about; /* NULL: nothing more is known of it */
	const struct trace_track *group;
	uint32_t rank; /* order beside its neighbours, from the top */
};

struct trace_arg {
	const char *name;
	const char *text; /* NULL: the number */
	uint64_t number;
};

/* An arrow: the event with its tail and the event with its head have the same id, which is not 0.
 */
struct trace_flow {
	uint64_t id;
	bool head;
};

struct trace_event {
	const struct trace_track *track;
	uint64_t ns;
	const char *name;
	const struct trace_arg *args;
	const struct trace_flow *flows;
	size_t n_args, n_flows;
};

struct trace {
	uint8_t *bytes;
	size_t len, size;
	enum trace_format format;
	uint64_t start_ns; /* JSON counts from here */
	bool failed;       /* there was no memory */
};

void trace_init(struct trace *trace, enum trace_format format, uint64_t start_ns);
void trace_track(struct trace *trace, const struct trace_track *track);
void trace_begin(struct trace *trace, const struct trace_event *event);
void trace_end(struct trace *trace, const struct trace_track *track, uint64_t ns);
void trace_instant(struct trace *trace, const struct trace_event *event);
/* trace_take ends the file and gives its bytes, which the caller frees; NULL: there was no memory.
 * One of both ends a trace: trace_fini gives nothing. */
uint8_t *trace_take(struct trace *trace, size_t *ret_len);
void trace_fini(struct trace *trace);

#endif
