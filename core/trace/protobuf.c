/* SPDX-License-Identifier: BSD-3-Clause
 *
 * protobuf.c - Perfetto's own format: a file is a row of TracePackets. Numbers of fields are those
 * of protos/perfetto/trace of Perfetto; a field that is left out is 0 or empty. Each track is a
 * sequence of packets of its own, so that order matters within a track only. */
#include <string.h>

#include "core/trace/inside.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 }; /* types of the wire format */

enum {
	TRACE_PACKET = 1,     /* of Trace */
	PACKET_TIMESTAMP = 8, /* of TracePacket */
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_TRACK = 60,
	TRACK_UUID = 1, /* of TrackDescriptor */
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_ORDERING = 11,
	TRACK_RANK = 12,
	TRACK_ABOUT = 14,
	EVENT_ARG = 4, /* of TrackEvent */
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_TAIL = 47,
	EVENT_HEAD = 48,
	ARG_NUMBER = 3, /* of DebugAnnotation */
	ARG_TEXT = 6,
	ARG_NAME = 10,
};

enum { ORDERING_EXPLICIT = 3, VARINT_BYTES = 10 };

static size_t varint_of(uint64_t number, uint8_t ret[VARINT_BYTES])
{
	size_t n = 0;

	for (; number >= 0x80; number >>= 7)
		ret[n++] = (uint8_t)(number | 0x80);
	ret[n++] = (uint8_t)number;
	return n;
}

static void varint_put(struct trace *trace, uint64_t number)
{
	uint8_t bytes[VARINT_BYTES];

	trace_put(trace, bytes, varint_of(number, bytes));
}

static void key_put(struct trace *trace, unsigned field, unsigned type)
{
	varint_put(trace, field << 3 | type);
}

static void number_put(struct trace *trace, unsigned field, uint64_t number)
{
	key_put(trace, field, VARINT);
	varint_put(trace, number);
}

static void fixed64_put(struct trace *trace, unsigned field, uint64_t number)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	key_put(trace, field, FIXED64);
	trace_put(trace, bytes, sizeof(bytes));
}

static void text_put(struct trace *trace, unsigned field, const char *text)
{
	const size_t len = strlen(text);
	uint8_t *at;

	key_put(trace, field, BYTES);
	varint_put(trace, len);
	at = trace_room(trace, len);
	for (size_t i = 0; at != NULL && i < len; i++)
		at[i] = (uint8_t)trace_char(text[i]);
}

/* A message inside another begins with its length, which is known at its end: one byte is kept for
 * it, and what is in the message makes room where the length has more. */
static size_t message_begin(struct trace *trace, unsigned field)
{
	key_put(trace, field, BYTES);
	trace_put(trace, "", 1);
	return trace->len;
}

static void message_end(struct trace *trace, size_t begin)
{
	const size_t len = trace->len - begin;
	uint8_t bytes[VARINT_BYTES];
	const size_t n = varint_of(len, bytes);

	if (trace_room(trace, n - 1) == NULL)
		return;
	memmove(trace->bytes + begin + n - 1, trace->bytes + begin, len);
	memcpy(trace->bytes + begin - 1, bytes, n);
}

/* The sequence's number has 32 bits. */
static void sequence_put(struct trace *trace, const struct trace_track *track)
{
	const uint64_t id = trace_id(track);
	const uint32_t folded = (uint32_t)(id ^ id >> 32);

	number_put(trace, PACKET_SEQUENCE, folded != 0 ? folded : 1);
}

void protobuf_track(struct trace *trace, const struct trace_track *track)
{
	const size_t packet = message_begin(trace, TRACE_PACKET);
	size_t message;

	number_put(trace, PACKET_TIMESTAMP, trace->start_ns);
	sequence_put(trace, track);
	message = message_begin(trace, PACKET_TRACK);
	number_put(trace, TRACK_UUID, trace_id(track));
	text_put(trace, TRACK_NAME, track->name);
	if (track->group != NULL)
		number_put(trace, TRACK_PARENT, trace_id(track->group));
	else
		number_put(trace, TRACK_ORDERING, ORDERING_EXPLICIT);
	number_put(trace, TRACK_RANK, track->rank);
	if (track->about != NULL)
		text_put(trace, TRACK_ABOUT, track->about);
	message_end(trace, message);
	message_end(trace, packet);
}

static void args_put(struct trace *trace, const struct trace_event *event)
{
	for (size_t i = 0; i < event->n_args; i++) {
		const struct trace_arg *arg = &event->args[i];
		const size_t message = message_begin(trace, EVENT_ARG);

		text_put(trace, ARG_NAME, arg->name);
		if (arg->text != NULL)
			text_put(trace, ARG_TEXT, arg->text);
		else
			number_put(trace, ARG_NUMBER, arg->number);
		message_end(trace, message);
	}
}

void protobuf_event(struct trace *trace, enum trace_what what, const struct trace_event *event)
{
	const size_t packet = message_begin(trace, TRACE_PACKET);
	size_t message;

	number_put(trace, PACKET_TIMESTAMP, event->ns);
	sequence_put(trace, event->track);
	message = message_begin(trace, PACKET_EVENT);
	args_put(trace, event);
	number_put(trace, EVENT_TYPE, what);
	number_put(trace, EVENT_TRACK, trace_id(event->track));
	if (event->name != NULL)
		text_put(trace, EVENT_NAME, event->name);
	for (size_t i = 0; i < event->n_flows; i++)
		fixed64_put(
		    trace, event->flows[i].head ? EVENT_HEAD : EVENT_TAIL, event->flows[i].id);
	message_end(trace, message);
	message_end(trace, packet);
}
