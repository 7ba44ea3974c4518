/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/tap.c - TAP: messages of an output, read from its ring. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/registry/registry.h"
#include "core/tap/frame.h"
#include "daemons/stats/stats.h"

#include <aloe/component.h>

/* ANSWER_MAX: a message between nodes is not larger (BUS_TCP_BYTES_MAX), with its other fields. */
enum { ERROR_BYTES = 2000, ANSWER_BYTES = 1 << 19, ANSWER_MAX = (1 << 20) - 4096 };

/* ---- what there is ---- */

static json_t *output_json(const struct image_view *view, uint32_t buffer)
{
	const struct image_buffer *row = &view->buffers[buffer];
	const uint32_t segment = view->instances[row->instance].segment;
	json_t *output = json_object();
	char name[256];

	tap_name(view, buffer, name, sizeof(name));
	json_object_set_new(output, "output", json_string(name));
	json_object_set_new(output, "type", json_string(item_type_name(row->type)));
	json_object_set_new(output, "item_bytes", json_integer(aloe_item_bytes(row->type)));
	json_object_set_new(output, "items_max", json_integer(row->max));
	json_object_set_new(output, "keep", json_integer(row->tap > 0 ? row->depth - 1 : 0));
	json_object_set_new(output, "node",
	    json_string(image_text(view, view->nodes[image_node_of(view, segment)].name)));
	return output;
}

static json_t *tap_json(const struct stats_wave *wave, uint32_t buffer)
{
	const struct image_view *view = &wave->view;
	json_t *json = json_object(), *outputs = json_array();

	for (uint32_t b = 0; b < view->head->buffers.count; b++)
		if (buffer == IMAGE_NONE || b == buffer)
			json_array_append_new(outputs, output_json(view, b));
	json_object_set_new(json, "schema", json_integer(1));
	json_object_set_new(json, "waveform", json_string(wave->name));
	json_object_set_new(json, "slot_ns", json_integer((json_int_t)view->head->slot_ns));
	json_object_set_new(json, "outputs", outputs);
	return json;
}

static void output_missing(
    const struct stats_wave *wave, const char *name, char *ret_error, size_t size)
{
	const struct image_view *view = &wave->view;
	size_t len = 0;
	FILE *to = fmemopen(ret_error, size, "w");

	if (!to)
		return;
	fprintf(
	    to, "waveform \"%s\" has no output \"%.100s\" with a link; outputs:", wave->name, name);
	for (uint32_t b = 0; b < view->head->buffers.count && len + 300 < size; b++) {
		char have[256];

		tap_name(view, b, have, sizeof(have));
		fprintf(to, "%s %s", b > 0 ? "," : "", have);
		fflush(to);
		len = (size_t)ftell(to);
		if (len + 300 >= size && b + 1 < view->head->buffers.count)
			fprintf(to, " and %llu more",
			    (unsigned long long)view->head->buffers.count - b - 1);
	}
	fclose(to);
}

/* ---- what is read ---- */

static void tap_begin(struct tap *tap, const struct image_view *view, uint32_t buffer,
    const struct wire_view *request)
{
	uint64_t number;

	tap_init(tap, view, buffer, TAP_NOW);
	if (wire_get_u64(request, WIRE_TAG_CURSOR, &number) == 0)
		tap->next = number;
	else if (wire_get_u64(request, WIRE_TAG_SLOTS, &number) == 0)
		tap_last(tap, number);
	if (wire_get_u64(request, WIRE_TAG_COUNT, &number) == 0 && number > 0)
		tap->every = number;
}

static void frames_put(struct wire_msg *msg, struct tap *tap, uint64_t part)
{
	const size_t most = TAP_FRAME_HEAD + (size_t)tap_bytes(tap->view, tap->buffer),
	             size = most > ANSWER_BYTES ? most : ANSWER_BYTES;
	uint8_t *bytes = malloc(size);
	bool ended = false;
	size_t len;

	if (!bytes)
		return; /* asked again, with the same cursor */
	len = tap_frames(tap, bytes, size, &ended);
	if (part < most)
		len = tap_frames_cut(bytes, len, (uint32_t)part);
	wire_put_u64(msg, WIRE_TAG_CURSOR, tap->next);
	wire_put_bytes(msg, WIRE_TAG_BYTES, bytes, len);
	if (ended)
		wire_put_text(msg, WIRE_TAG_STATE, "ended");
	free(bytes);
}

/* IMAGE_NONE: all outputs, and no message. */
static void tap_send(struct stats *stats, const struct wire_view *request,
    const struct stats_wave *wave, uint32_t buffer)
{
	json_t *json = tap_json(wave, buffer);
	char *text = json_dumps(json, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	uint64_t part = UINT64_MAX;
	struct wire_msg msg;
	struct tap tap;

	json_decref(json);
	if (!text) {
		daemon_fail(&stats->daemon, request, 1, "aloe-stats: out of memory");
		return;
	}
	bus_reply(stats->daemon.bus, request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_JSON, text);
	wire_put_u64(&msg, WIRE_TAG_LOAD_ID, wave->view.head->load_id);
	if (buffer != IMAGE_NONE && tap_can(&wave->view, buffer, 1)) {
		tap_begin(&tap, &wave->view, buffer, request);
		wire_get_u64(request, WIRE_TAG_PART, &part);
		frames_put(&msg, &tap, part);
	}
	if (bus_send(stats->daemon.bus, &msg) < 0)
		log_warning(&stats->daemon.log, "an answer could not be sent");
	free(text);
}

static void named_tap(struct stats *stats, const struct wire_view *request,
    const struct stats_wave *wave, const char *name)
{
	const struct image_view *view = &wave->view;
	char error[ERROR_BYTES] = "";
	uint32_t buffer;

	if (tap_find(view, name, &buffer) != 0) {
		output_missing(wave, name, error, sizeof(error));
		daemon_fail(&stats->daemon, request, 2, "%s", error);
	} else if (!image_runs(view, view->instances[view->buffers[buffer].instance].segment)) {
		const struct stats_name there = {.instance = view->buffers[buffer].instance};

		snprintf(error, sizeof(error), "output \"%s\" is on another node", name);
		stats_name_fail(stats, request, wave, &there, error);
	} else if (view->head->nodes.count > 1 &&
	    TAP_FRAME_HEAD + (uint64_t)tap_bytes(view, buffer) > ANSWER_MAX) {
		daemon_fail(&stats->daemon, request, 2,
		    "a message of \"%s\" is larger than a tap over the network carries: "
		    "%u of at most %d bytes",
		    name, tap_bytes(view, buffer), ANSWER_MAX - TAP_FRAME_HEAD);
	} else {
		tap_send(stats, request, wave, buffer);
	}
}

static void all_tap(
    struct stats *stats, const struct wire_view *request, const struct stats_wave *wave)
{
	tap_send(stats, request, wave, IMAGE_NONE);
}

void stats_tap(struct stats *stats, const struct wire_view *request)
{
	stats_asked(stats, request, "tap", named_tap, all_tap);
}
