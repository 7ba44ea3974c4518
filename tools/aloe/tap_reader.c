/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/tap_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/registry/registry.h"
#include "core/report/report.h"

enum { RING_MS = 10, RING_LOOKS = 200 };

static int about_take(struct tap_reader *reader, const struct wire_view *view)
{
	json_t *json = client_json(view);
	const json_t *about = json_array_get(json_object_get(json, "outputs"), 0);

	if (!json)
		return CLI_FAILED;
	snprintf(reader->type, sizeof(reader->type), "%s", report_text(about, "type"));
	reader->item_type = item_type_from_name(reader->type);
	reader->item_bytes = (uint32_t)fmax(fmin(report_number(about, "item_bytes"), 64), 0);
	reader->items_max = (uint32_t)fmax(fmin(report_number(about, "items_max"), UINT32_MAX), 0);
	reader->kept = (uint64_t)fmax(report_number(about, "keep"), 0);
	reader->slot_ns = (uint64_t)fmax(report_number(json, "slot_ns"), 0);
	json_decref(json);
	if (reader->item_bytes > 0)
		return CLI_OK;
	fprintf(stderr, "aloe: aloe-stats says nothing of the messages of %s\n", reader->name);
	return CLI_FAILED;
}

/* Frames of another waveform are none. */
static void frames_take(
    struct tap_reader *reader, const struct wire_view *view, struct tap_bytes *ret)
{
	const void *bytes = NULL;
	uint64_t load_id = 0;
	size_t len = 0;
	char *state;

	*ret = (struct tap_bytes){NULL, 0};
	wire_get_u64(view, WIRE_TAG_LOAD_ID, &load_id);
	reader->again = reader->load_id != 0 && load_id != reader->load_id;
	reader->load_id = load_id;
	if (reader->again)
		return;
	wire_get_u64(view, WIRE_TAG_CURSOR, &reader->cursor);
	state = wire_get_text(view, WIRE_TAG_STATE, 0);
	reader->ended = state && strcmp(state, "ended") == 0;
	free(state);
	if (wire_get_bytes(view, WIRE_TAG_BYTES, 0, &bytes, &len) == 0)
		*ret = (struct tap_bytes){bytes, len};
}

static void request_make(
    struct client *client, const struct tap_reader *reader, struct wire_msg *msg)
{
	client_request(client, WIRE_TAP, client_values(client), msg);
	wire_put_text(msg, WIRE_TAG_WAVEFORM, reader->waveform);
	wire_put_text(msg, WIRE_TAG_NAME, reader->name);
	if (reader->every > 1)
		wire_put_u64(msg, WIRE_TAG_COUNT, reader->every);
}

int tap_ask(struct client *client, struct tap_reader *reader, struct tap_bytes *ret)
{
	struct wire_view view;
	struct wire_msg msg;
	int status;

	request_make(client, reader, &msg);
	if (reader->begin != TAP_NEXT)
		wire_put_u64(&msg, reader->begin == TAP_FROM ? WIRE_TAG_CURSOR : WIRE_TAG_SLOTS,
		    reader->number);
	status = client_call(client, &msg, &view);
	if (status == CLI_OK)
		status = about_take(reader, &view);
	if (status == CLI_OK)
		frames_take(reader, &view, ret);
	return status;
}

static int ring_ask(struct client *client, const struct tap_reader *reader, uint64_t keep)
{
	struct wire_view view;
	struct wire_msg msg;
	int status;

	client_request(client, WIRE_RING, WIRE_EXEC, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, reader->waveform);
	wire_put_text(&msg, WIRE_TAG_NAME, reader->name);
	wire_put_u64(&msg, WIRE_TAG_COUNT, keep);
	status = client_call(client, &msg, &view);
	if (status != CLI_OK)
		fprintf(client->refusals ? client->refusals : stderr,
		    "aloe: %s has no ring that keeps messages; a waveform that is loaded with "
		    "--tap %s has one from its first slot on\n",
		    reader->name, reader->name);
	return status;
}

int tap_ring(struct client *client, struct tap_reader *reader, uint64_t keep, struct tap_bytes *ret)
{
	int status = ring_ask(client, reader, keep);

	/* aloe-stats hears of the ring from the frontend, a moment later or sooner */
	for (int n = 0; status == CLI_OK && reader->kept < keep && n < RING_LOOKS; n++)
		status = client_wait(client, n > 0 ? RING_MS : 0) < 0
		    ? 130
		    : tap_ask(client, reader, ret);
	return status;
}

int tap_more(struct client *client, struct tap_reader *reader, struct tap_bytes *ret)
{
	struct wire_view view;
	struct wire_msg msg;
	bool over;
	int rc, status = CLI_OK;

	*ret = (struct tap_bytes){NULL, 0};
	request_make(client, reader, &msg);
	wire_put_u64(&msg, WIRE_TAG_CURSOR, reader->cursor);
	rc = client_ask(client, &msg, CLIENT_CALL_MS, &view);
	if (rc == -EINTR)
		return rc;
	if (rc == 0 && view.type != WIRE_FAIL) {
		frames_take(reader, &view, ret);
		return CLI_OK;
	}
	if (rc == 0)
		status = client_over(client, reader->waveform, &reader->gone, &over);
	return reader->gone || status ? status : client_judge(rc, &view);
}

uint32_t tap_bytes_max(const struct tap_reader *reader)
{
	const uint64_t bytes = (uint64_t)reader->item_bytes * reader->items_max;

	return bytes < UINT32_MAX ? (uint32_t)bytes : 0;
}

int tap_wait_ms(const struct tap_reader *reader, int most)
{
	const uint64_t ms = reader->kept * reader->slot_ns / 8000000;

	return ms < 1 ? 1 : ms > (uint64_t)most ? most : (int)ms;
}
