/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json.c - what chrome://tracing reads. Times are microseconds since the start, because a double
 * has no room for all nanoseconds of an uptime. A group is a process there, a track a thread. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/trace/inside.h"

enum { NUMBER_BITS = 31 }; /* of a process or thread */

__attribute__((format(printf, 2, 3))) static void print(
    struct trace *trace, const char *format, ...)
{
	char text[256];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	trace_put(trace, text, len > 0 && (size_t)len < sizeof(text) ? (size_t)len : 0);
}

static void text_put(struct trace *trace, const char *text)
{
	trace_put(trace, "\"", 1);
	for (; *text != 0; text++) {
		const char c = trace_char(*text);

		if (c == '"' || c == '\\')
			trace_put(trace, "\\", 1);
		trace_put(trace, &c, 1);
	}
	trace_put(trace, "\"", 1);
}

static uint32_t number_of(const struct trace_track *track)
{
	const uint64_t id = trace_id(track);

	return (uint32_t)((id ^ id >> NUMBER_BITS) & ((1u << NUMBER_BITS) - 1));
}

/* The head of an event, which is an object that goes on. */
static void head_put(struct trace *trace, const char *ph, const struct trace_track *track)
{
	const struct trace_track *group = track->group != NULL ? track->group : track;

	print(trace, ",\n{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, ph, number_of(group),
	    number_of(track));
}

static void time_put(struct trace *trace, uint64_t ns)
{
	const uint64_t since = ns > trace->start_ns ? ns - trace->start_ns : 0;

	print(trace, ",\"ts\":%" PRIu64 ".%03u", since / 1000, (unsigned)(since % 1000));
}

static void name_put(struct trace *trace, const char *name)
{
	print(trace, ",\"name\":");
	text_put(trace, name);
}

void json_open(struct trace *trace)
{
	print(trace,
	    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\","
	    "\"start_ns\":\"%" PRIu64 "\"},\n\"traceEvents\":[{\"ph\":\"M\",\"pid\":0,\"tid\":0,"
	    "\"name\":\"process_name\",\"args\":{\"name\":\"ALOE\"}}",
	    trace->start_ns);
}

static void meta_put(
    struct trace *trace, const struct trace_track *track, const char *what, const char *text)
{
	head_put(trace, "M", track);
	name_put(trace, what);
	print(trace, ",\"args\":{\"%s\":", strstr(what, "labels") != NULL ? "labels" : "name");
	text_put(trace, text);
	print(trace, "}}");
}

void json_track(struct trace *trace, const struct trace_track *track)
{
	const bool group = track->group == NULL;

	meta_put(trace, track, group ? "process_name" : "thread_name", track->name);
	if (group && track->about != NULL)
		meta_put(trace, track, "process_labels", track->about);
	head_put(trace, "M", track);
	print(trace, ",\"name\":\"%s\",\"args\":{\"sort_index\":%" PRIu32 "}}",
	    group ? "process_sort_index" : "thread_sort_index", track->rank);
}

static void args_put(struct trace *trace, const struct trace_event *event)
{
	print(trace, ",\"args\":{");
	for (size_t i = 0; i < event->n_args; i++) {
		const struct trace_arg *arg = &event->args[i];

		if (i > 0)
			trace_put(trace, ",", 1);
		text_put(trace, arg->name);
		trace_put(trace, ":", 1);
		if (arg->text != NULL)
			text_put(trace, arg->text);
		else
			print(trace, "%" PRIu64, arg->number);
	}
	trace_put(trace, "}", 1);
}

/* An arrow's end belongs to the slice that is open at its time. */
static void flow_put(
    struct trace *trace, const struct trace_event *event, const struct trace_flow *flow)
{
	head_put(trace, flow->head ? "f" : "s", event->track);
	time_put(trace, event->ns);
	print(trace, ",\"id\":\"0x%" PRIx64 "\",\"cat\":\"link\",\"name\":\"link\"%s}", flow->id,
	    flow->head ? ",\"bp\":\"e\"" : "");
}

void json_event(struct trace *trace, enum trace_what what, const struct trace_event *event)
{
	static const char *const phases[] = {
	    [TRACE_BEGIN] = "B", [TRACE_END] = "E", [TRACE_INSTANT] = "i"};

	head_put(trace, phases[what], event->track);
	time_put(trace, event->ns);
	if (what == TRACE_INSTANT)
		print(trace, ",\"s\":\"t\"");
	if (event->name != NULL)
		name_put(trace, event->name);
	if (event->n_args > 0)
		args_put(trace, event);
	trace_put(trace, "}", 1);
	for (size_t i = 0; i < event->n_flows; i++)
		flow_put(trace, event, &event->flows[i]);
}

void json_close(struct trace *trace)
{
	print(trace, "\n]}\n");
}
