/* SPDX-License-Identifier: BSD-3-Clause
 * core/bridge: whatever comes off the wire, and whatever the hosts of the peer write into its
 * image, the bridge writes nothing but messages of the peer's segments inside their rings, and
 * moves no done-index beyond an open gate. Whatever its own hosts write into its own image, it
 * stays inside its memory and its frames are as long as they say.
 *
 * An input that begins with the magic number of a frame is a frame as it is, one that begins with
 * that of a control message is a WIRE_FRAME. Any other is: flags (FORM, SKIP, IMAGE), a number of
 * sound frames that come first, which sound frame comes then, and changes, 7 bytes each: of what
 * (FRAME and so on), which word (2 bytes, modulo what there is), and its new value. With IMAGE the
 * peer makes the frames from its image as changed. Frames travel as over TCP, in messages, or as
 * datagrams, in parts and sealed. */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/bridge/frame.h"
#include "core/seal/seal.h"
#include "core/wire/wire.h"
#include "tests/common/pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES_MAX = 64, MAX = 250, DONE = 3, WIRE_MAGIC = 0x454f4c41 };
enum form { DATAGRAM, MESSAGE, FORMS };
enum { FLAG_MESSAGE = 1, FLAG_SKIP = 2, FLAG_IMAGE = 4 };
enum { CHANGE_FRAME = 0, CHANGE_PEER = 1, CHANGE_OWN = 2, CHANGE_WHAT = 3, CHANGE_WIDE = 4 };
enum { CHANGE_BYTES = 7, HEAD_BYTES = 3, REGIONS_MAX = 8 };

static const uint32_t form_bytes[FORMS] = {192, 2048};
enum { BYTES_MAX = 2048 };

struct sound {
	uint8_t bytes[BYTES_MAX];
	size_t len;
};

/* What a bridge or a host may write: times and done of segments, the last index, messages. */
struct region {
	uint64_t at, bytes;
};

struct node {
	struct rig *rig;
	uint8_t *before; /* the image as it is at first */
	struct region regions[REGIONS_MAX];
	size_t n_regions;
};

/* Node 1, its peer node 0, and what that one has sent in a few slots. */
struct world {
	struct node node[2];
	struct sound frames[FORMS][FRAMES_MAX];
	size_t n[FORMS];
	enum image_late late;
	struct seal *seal[2];
};

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

/* ---- what is made once ---- */

static void slot_record(struct world *world, struct pair *pair, enum form form, uint64_t slot)
{
	pair_slot(pair, slot);
	bridge_round(pair->bridge[0], 0);
	while (world->n[form] < FRAMES_MAX) {
		struct sound *frame = &world->frames[form][world->n[form]];

		frame->len = bridge_out(pair->bridge[0], 0, frame->bytes);
		if (frame->len == 0)
			break;
		/* some never come, and are sent once more */
		if (world->n[form]++ % 5 != 4)
			bridge_in(pair->bridge[1], frame->bytes, frame->len);
	}
	pair_round(pair, 1, 0);
}

static void frames_record(struct world *world, enum form form)
{
	struct pair pair;

	pair_open(&pair, world->late, MAX, form_bytes[form]);
	pair_round(&pair, 0, 0);
	pair_round(&pair, 1, 0);
	for (uint64_t slot = 0; slot < 20 && world->n[form] < FRAMES_MAX; slot++)
		slot_record(world, &pair, form, slot);
	pair_close(&pair);
	insist(world->n[form] > 10);
}

static void region_add(struct node *node, uint64_t at, uint64_t bytes)
{
	insist(node->n_regions < REGIONS_MAX);
	node->regions[node->n_regions++] = (struct region){at, bytes};
}

static void node_make(struct world *world, struct node *node)
{
	const struct image_view *view;

	node->rig = pair_rig(IMAGE_STEP, world->late, MAX, 4);
	rig_image(node->rig);
	view = &node->rig->view;
	for (uint32_t s = 0; s < 3; s++)
		region_add(
		    node, view->segments[s].state, offsetof(struct image_segment_state, miss));
	region_add(node, view->head->run, sizeof(struct image_run));
	for (uint64_t b = 0; b < view->head->buffers.count; b++) {
		const struct image_buffer *row = &view->buffers[b];

		region_add(node, row->messages, row->depth * sizeof(struct image_message));
		region_add(node, row->data - 64, 64 + row->depth * row->stride);
	}
}

static void node_keep(struct node *node)
{
	node->before = malloc(node->rig->view.bytes);
	insist(node->before != NULL);
	memcpy(node->before, node->rig->view.base, node->rig->view.bytes);
}

/* Node 0 has done six steps, of which the messages are there; node 1 three: some of what comes is
 * known, some is early. */
static void steps_make(struct world *world)
{
	struct rig *peer = world->node[0].rig;

	for (uint64_t step = 0; step < 2 * DONE; step++) {
		struct image_message *message = &image_messages(&peer->view, 0)[step % 4];

		pair_fill(step,
		    image_data(&peer->view, 0) + step % 4 * peer->view.buffers[0].stride, MAX);
		message->len = MAX;
		message->state = ALOE_VALID;
		message->stamp = step + 1;
		atomic_store(&rig_state(peer, 0)->slot[step], step);
	}
	atomic_store(&rig_state(peer, 0)->done, 2 * DONE);
	atomic_store(&rig_state(world->node[1].rig, 1)->done, DONE);
}

static void world_make(struct world *world, enum image_late late)
{
	world->late = late;
	frames_record(world, DATAGRAM);
	frames_record(world, MESSAGE);
	for (uint16_t n = 0; n < 2; n++) {
		const struct seal_use use = {.key = {7}, .node = n};

		node_make(world, &world->node[n]);
		insist(seal_new(&use, &world->seal[n]) == 0);
	}
	steps_make(world);
	for (int n = 0; n < 2; n++)
		node_keep(&world->node[n]);
}

/* Made once: it is the same for every input. */
static struct world *world_of(enum image_late late)
{
	static struct world worlds[2];
	struct world *world = &worlds[late == IMAGE_SKIP];

	if (world->node[0].rig == NULL)
		world_make(world, late);
	return world;
}

/* ---- images ---- */

static void image_restore(struct node *node)
{
	for (size_t i = 0; i < node->n_regions; i++)
		memcpy(node->rig->view.base + node->regions[i].at,
		    node->before + node->regions[i].at, node->regions[i].bytes);
}

static void image_change(struct node *node, uint16_t word, uint64_t value)
{
	const struct region *region = &node->regions[word % node->n_regions];
	const uint64_t at = word / node->n_regions % (region->bytes / 8) * 8;

	memcpy(node->rig->view.base + region->at + at, &value, sizeof(value));
}

static void image_holds(struct world *world)
{
	struct node *node = &world->node[1];
	const struct image_view *view = &node->rig->view;
	const struct image_buffer *own = &view->buffers[1];
	const uint64_t ahead = world->late == IMAGE_SKIP ? BRIDGE_WINDOW : 0;

	for (uint32_t b = 0; b < 2; b++)
		for (uint32_t m = 0; m < view->buffers[b].depth; m++) {
			const struct image_buffer *row = &view->buffers[b];
			const struct image_message *message = &image_messages(view, b)[m];

			insist(image_canaries(image_data(view, b) + m * row->stride, row->canary) ==
			    0);
			insist(message->stamp == 0 || message->len <= row->max);
		}
	/* nothing of its own */
	insist(memcmp(view->base + own->data, node->before + own->data, own->depth * own->stride) ==
	    0);
	insist(memcmp(view->base + own->messages, node->before + own->messages,
	           own->depth * sizeof(struct image_message)) == 0);
	insist(atomic_load(&rig_state(node->rig, 1)->done) == DONE);
	/* not beyond a gate: 4 messages at distance 1 */
	insist(atomic_load(&rig_state(node->rig, 0)->done) <= DONE + (ahead ? ahead : 3));
	insist(atomic_load(&rig_state(node->rig, 2)->done) <= DONE + (ahead ? ahead : 1));
}

/* ---- frames ---- */

static void bytes_take(struct bridge *bridge, const void *bytes, size_t len)
{
	uint8_t *exact = malloc(len > 0 ? len : 1);

	insist(exact != NULL);
	memcpy(exact, bytes, len);
	bridge_in(bridge, exact, len);
	free(exact);
}

/* As daemons/bridge/links.c has it. */
static void message_take(struct bridge *bridge, const void *message, size_t message_len)
{
	struct wire_view view;
	const void *bytes;
	size_t len;

	if (wire_decode(message, message_len, &view) == 0 && view.type == WIRE_FRAME &&
	    wire_get_bytes(&view, WIRE_TAG_BYTES, 0, &bytes, &len) == 0)
		bytes_take(bridge, bytes, len);
}

static void message_carry(struct bridge *bridge, const uint8_t *bytes, size_t len)
{
	const uint8_t *message;
	struct wire_msg msg;

	wire_init(&msg, WIRE_FRAME, WIRE_BRIDGE, WIRE_BRIDGE, 1);
	wire_put_text(&msg, WIRE_TAG_NAME, "a");
	wire_put_bytes(&msg, WIRE_TAG_BYTES, bytes, len);
	message = wire_bytes(&msg, &len);
	insist(message != NULL);
	message_take(bridge, message, len);
	wire_fini(&msg);
}

/* As daemons/bridge/datagrams.c has it. */
static void datagram_carry(
    struct world *world, struct bridge *bridge, const uint8_t *bytes, size_t len)
{
	uint8_t sealed[BYTES_MAX + SEAL_MORE_BYTES], payload[BYTES_MAX];
	uint16_t from = 9;
	size_t size;

	insist(seal_put(world->seal[0], 1, bytes, len, sealed, sizeof(sealed), &size) == 0);
	insist(seal_take(world->seal[1], sealed, size, payload, sizeof(payload), &len, &from) == 0);
	insist(from == 0);
	bytes_take(bridge, payload, len);
}

static void frame_carry(
    struct world *world, enum form form, struct bridge *bridge, const uint8_t *bytes, size_t len)
{
	if (form == MESSAGE)
		message_carry(bridge, bytes, len);
	else
		datagram_carry(world, bridge, bytes, len);
}

/* A frame is as long as it says, and not longer than it may be. */
static void frames_of(struct bridge *bridge, enum form form, struct world *world, struct bridge *to)
{
	uint8_t bytes[BYTES_MAX];
	size_t len;
	int n = 0;

	bridge_round(bridge, 0);
	while ((len = bridge_out(bridge, 0, bytes)) > 0) {
		insist(++n < 1000);
		insist(len <= form_bytes[form] && get_le32(bytes + 56) == (uint32_t)len);
		if (to != NULL)
			frame_carry(world, form, to, bytes, len);
	}
}

static void round_from_peer(struct world *world, enum form form, struct bridge *bridge)
{
	struct bridge *peer = pair_bridge_of(world->node[0].rig, 0, 1000, form_bytes[form]);

	frames_of(bridge, form, world, peer); /* which tells the peer what it lacks */
	frames_of(peer, form, world, bridge);
	bridge_free(peer);
}

/* ---- an input ---- */

struct change {
	uint8_t what;
	uint16_t word;
	uint64_t value;
};

static struct change change_get(const uint8_t *bytes)
{
	struct change change = {.what = bytes[0]};
	uint32_t value;

	memcpy(&change.word, bytes + 1, sizeof(change.word));
	memcpy(&value, bytes + 3, sizeof(value));
	change.value = (change.what & CHANGE_WIDE) != 0 ? (uint64_t)value << 32 | value : value;
	return change;
}

/* Whether the node's own image is as it was. */
static bool changes_make(struct world *world, struct sound *frame, const uint8_t *data, size_t size)
{
	bool own = true;

	for (size_t at = HEAD_BYTES; at + CHANGE_BYTES <= size; at += CHANGE_BYTES) {
		const struct change change = change_get(data + at);
		const uint32_t value = (uint32_t)change.value;

		if ((change.what & CHANGE_WHAT) == CHANGE_PEER) {
			image_change(&world->node[0], change.word, change.value);
		} else if ((change.what & CHANGE_WHAT) == CHANGE_OWN) {
			image_change(&world->node[1], change.word, change.value);
			own = false;
		} else {
			memcpy(frame->bytes + change.word % (frame->len / 4) * 4, &value,
			    sizeof(value));
		}
	}
	return own;
}

static bool changed_take(
    struct world *world, enum form form, struct bridge *bridge, const uint8_t *data, size_t size)
{
	struct sound frame;
	bool own;

	for (size_t i = 0; i < data[1] % world->n[form]; i++)
		frame_carry(
		    world, form, bridge, world->frames[form][i].bytes, world->frames[form][i].len);
	frame.len = world->frames[form][data[2] % world->n[form]].len;
	memcpy(frame.bytes, world->frames[form][data[2] % world->n[form]].bytes, frame.len);
	own = changes_make(world, &frame, data, size);
	frame_carry(world, form, bridge, frame.bytes, frame.len);
	if ((data[0] & FLAG_IMAGE) != 0)
		round_from_peer(world, form, bridge);
	return own;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool message = size > 0 && (data[0] & FLAG_MESSAGE) != 0,
	           skip = size > 0 && (data[0] & FLAG_SKIP) != 0;
	const enum form form = message ? MESSAGE : DATAGRAM;
	struct world *world = world_of(skip ? IMAGE_SKIP : IMAGE_SLIP);
	struct bridge *bridge;
	bool own = true;

	if (size < 4)
		return 0;
	image_restore(&world->node[0]);
	image_restore(&world->node[1]);
	bridge = pair_bridge_of(world->node[1].rig, 1, 1000, form_bytes[form]);
	if (get_le32(data) == FRAME_MAGIC)
		bytes_take(bridge, data, size);
	else if (get_le32(data) == WIRE_MAGIC)
		message_take(bridge, data, size);
	else
		own = changed_take(world, form, bridge, data, size);
	if (own)
		image_holds(world);
	frames_of(bridge, form, world, NULL);
	if (own)
		image_holds(world);
	bridge_free(bridge);
	return 0;
}
