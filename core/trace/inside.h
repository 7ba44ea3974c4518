/* SPDX-License-Identifier: BSD-3-Clause
 *
 * inside.h - what the files of core/trace share. */
#ifndef CORE_TRACE_INSIDE_H
#define CORE_TRACE_INSIDE_H

#include "core/trace/trace.h"

enum trace_what { TRACE_BEGIN = 1, TRACE_END = 2, TRACE_INSTANT = 3 }; /* as TrackEvent.type */

/* bytes.c: trace_put appends; trace_room makes room for `len` bytes more at the end and gives the
 * place, or NULL. trace_char is what stands for a character of a text. */
void trace_put(struct trace *trace, const void *bytes, size_t len);
uint8_t *trace_room(struct trace *trace, size_t len);
char trace_char(char c);
/* A number that the track has for itself, whatever else is in the file; never 0. */
uint64_t trace_id(const struct trace_track *track);

/* protobuf.c */
void protobuf_track(struct trace *trace, const struct trace_track *track);
void protobuf_event(struct trace *trace, enum trace_what what, const struct trace_event *event);

/* json.c */
void json_open(struct trace *trace);
void json_track(struct trace *trace, const struct trace_track *track);
void json_event(struct trace *trace, enum trace_what what, const struct trace_event *event);
void json_close(struct trace *trace);

#endif
