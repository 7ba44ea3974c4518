/* SPDX-License-Identifier: BSD-3-Clause
 * core/trace: the bytes of both formats. daemons/exec/trace_calls.c: the calls of rings that are
 * written meanwhile, and who has read whose message. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/json/json.h"
#include "core/trace/trace.h"
#include "daemons/exec/trace.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

/* ---- protobuf, read by other lines than those that write it ---- */

struct bytes {
	const uint8_t *at;
	size_t len;
};

static uint64_t varint(struct bytes *from)
{
	uint64_t number = 0;

	for (unsigned shift = 0;; shift += 7) {
		assert_true(from->len > 0);
		number |= (uint64_t)(*from->at & 0x7f) << shift;
		from->len--;
		if (*from->at++ < 0x80)
			return number;
	}
}

/* field_next: the field's number; its number or its bytes. */
static unsigned field_next(struct bytes *from, uint64_t *ret_number, struct bytes *ret_bytes)
{
	const uint64_t key = varint(from);

	*ret_number = 0;
	*ret_bytes = (struct bytes){0};
	if ((key & 7) == 0) {
		*ret_number = varint(from);
		return (unsigned)(key >> 3);
	}
	ret_bytes->len = (key & 7) == 1 ? 8 : varint(from);
	assert_true((key & 7) == 1 || (key & 7) == 2);
	assert_true(ret_bytes->len <= from->len);
	ret_bytes->at = from->at;
	if ((key & 7) == 1)
		for (unsigned i = 8; i-- > 0;)
			*ret_number = *ret_number << 8 | from->at[i];
	from->at += ret_bytes->len;
	from->len -= ret_bytes->len;
	return (unsigned)(key >> 3);
}

/* The nth field of a number in a message. */
static struct bytes field(struct bytes message, unsigned wanted, unsigned nth, uint64_t *ret_number)
{
	while (message.len > 0) {
		struct bytes bytes;
		const unsigned number = field_next(&message, ret_number, &bytes);

		if (number == wanted && nth-- == 0)
			return bytes;
	}
	fail_msg("field %u is not there", wanted);
	return message;
}

static uint64_t number_of(struct bytes message, unsigned wanted)
{
	uint64_t number;

	field(message, wanted, 0, &number);
	return number;
}

static void is_text(struct bytes message, unsigned wanted, const char *text)
{
	uint64_t number;
	const struct bytes bytes = field(message, wanted, 0, &number);

	assert_int_equal(bytes.len, strlen(text));
	assert_memory_equal(bytes.at, text, bytes.len);
}

static const struct trace_track group = {.name = "group", .about = "of two", .rank = 3};
static const struct trace_track lane = {.name = "lane", .group = &group, .rank = 1};

/* One of everything; a text that needs a length of two bytes, twice. */
static uint8_t *sample(enum trace_format format, const char *text, size_t *ret_len)
{
	const struct trace_arg args[] = {
	    {.name = "text", .text = text}, {.name = "number", .number = 300}};
	const struct trace_flow flows[] = {{UINT64_C(0x8899aabbccddeeff), false}, {7, true}};
	struct trace trace;

	trace_init(&trace, format, 1000);
	trace_track(&trace, &group);
	trace_track(&trace, &lane);
	trace_begin(&trace,
	    &(struct trace_event){.track = &lane,
	        .ns = 1000,
	        .name = "a\"b\\c\xff\n",
	        .args = args,
	        .n_args = 2,
	        .flows = flows,
	        .n_flows = 2});
	trace_end(&trace, &lane, 2001);
	trace_instant(&trace, &(struct trace_event){.track = &lane, .ns = 3000, .name = "now"});
	return trace_take(&trace, ret_len);
}

static void test_protobuf(void **state)
{
	char text[200];
	size_t len;
	uint64_t number, uuid;
	struct bytes all, packets[5], event;
	uint8_t *bytes;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	bytes = sample(TRACE_PROTOBUF, text, &len);
	all = (struct bytes){bytes, len};
	for (size_t i = 0; i < 5; i++) {
		packets[i] = field(all, 1, (unsigned)i, &number);
		assert_true(number_of(packets[i], 10) != 0); /* trusted_packet_sequence_id */
	}
	event = field(packets[1], 60, 0, &number); /* track_descriptor */
	uuid = number_of(event, 1);
	is_text(event, 2, "lane");
	assert_true(number_of(event, 5) == number_of(field(packets[0], 60, 0, &number), 1));
	assert_int_equal(number_of(event, 12), 1);
	is_text(field(packets[0], 60, 0, &number), 14, "of two");
	assert_int_equal(number_of(packets[2], 8), 1000); /* timestamp */
	event = field(packets[2], 11, 0, &number);        /* track_event */
	assert_int_equal(number_of(event, 9), 1);         /* TYPE_SLICE_BEGIN */
	assert_true(number_of(event, 11) == uuid);
	is_text(event, 23, "a\"b\\c??");
	assert_true(number_of(event, 47) == UINT64_C(0x8899aabbccddeeff));
	assert_int_equal(number_of(event, 48), 7);
	is_text(field(event, 4, 0, &number), 6, text);
	assert_int_equal(number_of(field(event, 4, 1, &number), 3), 300);
	assert_int_equal(number_of(field(packets[3], 11, 0, &number), 9), 2);
	assert_int_equal(number_of(packets[3], 8), 2001);
	assert_int_equal(number_of(field(packets[4], 11, 0, &number), 9), 3);
	free(bytes);
}

/* The last packet to the byte, as Perfetto's own compiled protos would write it but for the number
 * of the track: packet { timestamp: 3000 sequence: N event { type: INSTANT track: U name: "now" }}
 */
static void test_protobuf_bytes(void **state)
{
	static const uint8_t name[] = {0xba, 0x01, 3, 'n', 'o', 'w'};
	static const uint8_t type[] = {0x48, 3, 0x58};
	static const uint8_t time[] = {0x40, 0xb8, 0x17, 0x50};
	size_t len;
	uint64_t number;
	uint8_t *bytes = sample(TRACE_PROTOBUF, "short", &len);
	struct bytes packet = field((struct bytes){bytes, len}, 1, 4, &number), event;

	(void)state;
	event = field(packet, 11, 0, &number);
	assert_memory_equal(packet.at, time, sizeof(time));
	assert_memory_equal(event.at, type, sizeof(type));
	assert_memory_equal(event.at + event.len - sizeof(name), name, sizeof(name));
	assert_ptr_equal(event.at + event.len, bytes + len);
	assert_int_equal(packet.at[-2], 0x0a);
	assert_int_equal(packet.at[-1], packet.len);
	free(bytes);
}

/* ---- JSON ---- */

static const json_t *json_event(const json_t *root, size_t n, const char *ph)
{
	const json_t *event = json_array_get(json_object_get(root, "traceEvents"), n);

	assert_string_equal(json_string_value(json_object_get(event, "ph")), ph);
	return event;
}

static void test_json(void **state)
{
	size_t len;
	uint8_t *bytes = sample(TRACE_JSON, "q\"", &len);
	json_t *root = json_loadb((const char *)bytes, len, 0, NULL);
	const json_t *begin, *flow;
	size_t n;

	(void)state;
	assert_non_null(root);
	n = json_array_size(json_object_get(root, "traceEvents"));
	begin = json_event(root, n - 5, "B");
	assert_string_equal(json_string_value(json_object_get(begin, "name")), "a\"b\\c??");
	assert_true(json_number_value(json_object_get(begin, "ts")) == 0.0);
	begin = json_object_get(begin, "args");
	assert_string_equal(json_string_value(json_object_get(begin, "text")), "q\"");
	assert_int_equal(json_integer_value(json_object_get(begin, "number")), 300);
	flow = json_event(root, n - 4, "s");
	assert_string_equal(json_string_value(json_object_get(flow, "id")), "0x8899aabbccddeeff");
	flow = json_event(root, n - 3, "f");
	assert_string_equal(json_string_value(json_object_get(flow, "bp")), "e");
	assert_true(fabs(json_number_value(json_object_get(json_event(root, n - 2, "E"), "ts")) -
	                1.001) < 1e-9);
	json_event(root, n - 1, "i");
	json_decref(root);
	free(bytes);
}

static void test_empty(void **state)
{
	struct trace trace;
	size_t len = 9;
	uint8_t *bytes;
	json_t *root;

	(void)state;
	trace_init(&trace, TRACE_PROTOBUF, 0);
	bytes = trace_take(&trace, &len);
	assert_non_null(bytes);
	assert_int_equal(len, 0);
	free(bytes);
	trace_init(&trace, TRACE_JSON, 0);
	bytes = trace_take(&trace, &len);
	root = json_loadb((const char *)bytes, len, 0, NULL);
	assert_non_null(root);
	json_decref(root);
	free(bytes);
}

/* ---- rings ---- */

enum { RING = 250, PLACES = RING - 1 };

/* A source, two readers of it, one of them with a delay of 2. */
static struct rig *chain(void)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_sink, 0, 0);
	rig_add(rig, &probe_sink, 0, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 0, 0, 2, 0, 2);
	rig->nodes[0].depth = 4;
	rig->nodes[1].source = rig->nodes[2].source = 0;
	rig_open(rig);
	return rig;
}

static void steps_run(struct rig *rig, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		segment_step(&rig->segments[0], i, clock_ns());
}

static void test_links(void **state)
{
	struct rig *rig = chain();
	struct traced_calls calls;
	const struct traced_link *link;

	(void)state;
	steps_run(rig, 5);
	assert_int_equal(calls_read(&rig->view, &calls), 0);
	assert_int_equal(calls.n, 15);
	assert_false(calls.rings[0].wrapped);
	assert_true(calls.rings[0].oldest_ns == calls.calls[0].start_ns);
	assert_int_equal(calls_cut(&rig->view, 0, &calls), 0);
	assert_int_equal(calls.first[2] - calls.first[1], 2);
	assert_int_equal(calls.first[3] - calls.first[2], 0);
	for (size_t c = 0; c < calls.n; c++) {
		const struct traced_call *call = &calls.calls[c], *writer;
		const uint64_t delay = call->instance == 2 ? 2 : 0;

		if (call->instance == 0)
			continue;
		writer =
		    calls_writer(&rig->view, &calls, call, &rig->view.inputs[call->instance - 1]);
		assert_true((writer != NULL) == (call->step >= delay));
		if (writer == NULL)
			continue;
		assert_int_equal(writer->instance, 0);
		assert_int_equal(writer->step, call->step - delay);
		link = &calls.links[calls.first[1]];
		link += link->to != call->instance;
		assert_ptr_equal(calls_reader(&rig->view, &calls, writer, link), call);
	}
	calls_free(&calls);
	rig_close(rig);
}

static void test_ring_wraps(void **state)
{
	struct rig *rig = chain();
	struct traced_calls calls;

	(void)state;
	steps_run(rig, 1000);
	assert_int_equal(calls_read(&rig->view, &calls), 0);
	assert_int_equal(calls.n, PLACES); /* the next to be written may be half written */
	assert_true(calls.rings[0].wrapped);
	assert_int_equal(calls.overwritten, 0);
	assert_true(calls.newest_ns == calls.calls[PLACES - 1].end_ns);
	assert_int_equal(calls_cut(&rig->view, calls.calls[PLACES - 4].start_ns, &calls), 0);
	assert_true(calls.n >= 4 && calls.n < PLACES);
	calls_free(&calls);
	rig_close(rig);
}

/* A host can write anything into its ring: what cannot be is counted, and nothing else is hurt. */
static void test_ring_senseless(void **state)
{
	struct rig *rig = chain();
	struct image_event *ring = image_events(&rig->view, 0);
	struct traced_calls calls;

	(void)state;
	steps_run(rig, 10);
	ring[3].instance = 77;
	ring[9].start_ns = 1;
	ring[12].start_ns = UINT64_MAX;
	assert_int_equal(calls_read(&rig->view, &calls), 0);
	assert_int_equal(calls.senseless, 3);
	assert_int_equal(calls.n, 27);
	assert_int_equal(calls_cut(&rig->view, 0, &calls), 0);
	calls_free(&calls);
	atomic_store(&rig_state(rig, 0)->events, UINT64_MAX);
	assert_int_equal(calls_read(&rig->view, &calls), 0);
	calls_free(&calls);
	rig_close(rig);
}

static _Atomic int writes;

static void *writer_main(void *self)
{
	while (atomic_load(&writes))
		steps_run(self, 64);
	return NULL;
}

/* Calls of a ring that is written while it is read are whole and in their order, or counted. */
static void test_ring_written(void **state)
{
	struct rig *rig = chain();
	const uint64_t until = clock_ns() + 20000000000u;
	uint64_t overwritten = 0;
	pthread_t thread;

	(void)state;
	atomic_store(&writes, 1);
	assert_int_equal(pthread_create(&thread, NULL, writer_main, rig), 0);
	for (int i = 0; (i < 200 || overwritten == 0) && clock_ns() < until; i++) {
		struct traced_calls calls;

		assert_int_equal(calls_read(&rig->view, &calls), 0);
		assert_int_equal(calls.senseless, 0);
		for (size_t c = 1; c < calls.n; c++)
			assert_int_equal(
			    calls.calls[c].instance, (calls.calls[c - 1].instance + 1) % 3);
		overwritten += calls.overwritten;
		calls_free(&calls);
	}
	atomic_store(&writes, 0);
	pthread_join(thread, NULL);
	assert_true(overwritten > 0);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_protobuf),
	    cmocka_unit_test(test_protobuf_bytes),
	    cmocka_unit_test(test_json),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_links),
	    cmocka_unit_test(test_ring_wraps),
	    cmocka_unit_test(test_ring_senseless),
	    cmocka_unit_test(test_ring_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
