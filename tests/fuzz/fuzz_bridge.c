/* SPDX-License-Identifier: BSD-3-Clause
 * core/bridge: whatever comes off the wire, the bridge writes nothing but messages of the peer's
 * segments inside their rings, and moves no done-index beyond an open gate.
 *
 * An input that begins with the magic number is a frame as it is. Any other is a number of sound
 * frames that come first, which sound frame comes then, and changes to that one, 6 bytes each:
 * which 4-byte word (2 bytes, modulo the frame's), and its new value. */
#include <stdlib.h>
#include <string.h>

#include "core/bridge/frame.h"
#include "tests/common/pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES_MAX = 64, FRAME_BYTES = 192, MAX = 250 };

struct sound {
	uint8_t bytes[FRAME_BYTES];
	size_t len;
};

/* Node 1, and what node 0 has sent it in a few slots. */
struct world {
	struct rig *rig;
	uint8_t *before; /* the image as it is at first */
	struct sound frames[FRAMES_MAX];
	size_t n;
};

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void slot_record(struct world *world, struct pair *pair, uint64_t slot)
{
	pair_slot(pair, slot);
	bridge_round(pair->bridge[0], 0);
	while (world->n < FRAMES_MAX) {
		struct sound *frame = &world->frames[world->n];

		frame->len = bridge_out(pair->bridge[0], 0, frame->bytes);
		if (frame->len == 0)
			break;
		/* some never come, and are sent once more */
		if (world->n++ % 5 != 4)
			bridge_in(pair->bridge[1], frame->bytes, frame->len);
	}
	pair_round(pair, 1, 0);
}

/* Made once: it is the same for every input. */
static struct world *world_of_all(void)
{
	static struct world world;
	struct pair pair;

	if (world.rig != NULL)
		return &world;
	pair_open(&pair, IMAGE_SLIP, MAX, FRAME_BYTES);
	pair_round(&pair, 0, 0);
	pair_round(&pair, 1, 0);
	for (uint64_t slot = 0; slot < 20 && world.n < FRAMES_MAX; slot++)
		slot_record(&world, &pair, slot);
	pair_close(&pair);
	world.rig = pair_rig(IMAGE_STEP, IMAGE_SLIP, MAX, 4);
	rig_image(world.rig);
	/* node 1 has done three steps: some of what comes is known, some is early */
	atomic_store(&rig_state(world.rig, 1)->done, 3);
	world.before = malloc(world.rig->view.bytes);
	insist(world.before != NULL && world.n > 10);
	memcpy(world.before, world.rig->view.base, world.rig->view.bytes);
	return &world;
}

/* What a bridge may write: times and done of the peer's segments, the last index, messages. */
static void image_restore(struct world *world)
{
	const struct image_view *view = &world->rig->view;

	for (uint32_t s = 0; s < 3; s++)
		memcpy(view->base + view->segments[s].state,
		    world->before + view->segments[s].state,
		    offsetof(struct image_segment_state, miss));
	memcpy(view->base + view->head->run, world->before + view->head->run,
	    sizeof(struct image_run));
	for (uint64_t b = 0; b < view->head->buffers.count; b++) {
		const struct image_buffer *row = &view->buffers[b];

		memcpy(view->base + row->messages, world->before + row->messages,
		    row->depth * sizeof(struct image_message));
		memcpy(view->base + row->data - 64, world->before + row->data - 64,
		    64 + row->depth * row->stride);
	}
}

static void image_holds(struct world *world)
{
	const struct image_view *view = &world->rig->view;
	const struct image_buffer *own = &view->buffers[1];

	for (uint32_t b = 0; b < 2; b++)
		for (uint32_t m = 0; m < view->buffers[b].depth; m++) {
			const struct image_buffer *row = &view->buffers[b];
			const struct image_message *message = &image_messages(view, b)[m];

			insist(image_canaries(image_data(view, b) + m * row->stride, row->canary) ==
			    0);
			insist(message->stamp == 0 || message->len <= row->max);
		}
	/* nothing of its own */
	insist(memcmp(view->base + own->data, world->before + own->data,
	           own->depth * own->stride) == 0);
	insist(memcmp(view->base + own->messages, world->before + own->messages,
	           own->depth * sizeof(struct image_message)) == 0);
	insist(atomic_load(&rig_state(world->rig, 1)->done) == 3);
	/* not beyond a gate: 4 messages at distance 1 */
	insist(atomic_load(&rig_state(world->rig, 0)->done) <= 3 + 3);
	insist(atomic_load(&rig_state(world->rig, 2)->done) <= 3 + 1);
}

static void frame_take(struct bridge *bridge, const uint8_t *bytes, size_t len)
{
	uint8_t *exact = malloc(len > 0 ? len : 1);

	insist(exact != NULL);
	memcpy(exact, bytes, len);
	bridge_in(bridge, exact, len);
	free(exact);
}

static void changed_take(
    struct world *world, struct bridge *bridge, const uint8_t *data, size_t size)
{
	struct sound frame;

	for (size_t i = 0; i < data[0] % world->n; i++)
		frame_take(bridge, world->frames[i].bytes, world->frames[i].len);
	frame = world->frames[data[1] % world->n];
	for (size_t at = 2; at + 6 <= size; at += 6) {
		uint16_t word;

		memcpy(&word, data + at, sizeof(word));
		memcpy(frame.bytes + word % (frame.len / 4) * 4, data + at + 2, 4);
	}
	frame_take(bridge, frame.bytes, frame.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *world = world_of_all();
	struct bridge *bridge;
	uint8_t bytes[FRAME_BYTES];

	if (size < 2)
		return 0;
	image_restore(world);
	bridge = pair_bridge_of(world->rig, 1, 1000, FRAME_BYTES);
	if (size >= 4 && frame_get_u32(data) == FRAME_MAGIC)
		frame_take(bridge, data, size);
	else
		changed_take(world, bridge, data, size);
	image_holds(world);
	bridge_round(bridge, 0);
	for (int n = 0; n < 1000 && bridge_out(bridge, 0, bytes) > 0; n++)
		insist(n < 999);
	image_holds(world);
	bridge_free(bridge);
	return 0;
}
