/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bridge.c - which segments concern which peers, and what of their messages. [control] */
#include "core/bridge/bridge.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <aloe/component.h>

#include "core/bridge/parts.h"

/* Of a buffer: who reads it; of a segment: who has to know how far it has come. */
enum { OWN = 1, PEER = 2 };

struct making {
	struct bridge *bridge;
	const struct image_view *view;
	uint8_t *readers;  /* by buffer */
	uint8_t *concerns; /* by segment */
	char *why;
	uint32_t frame_bytes;
};

static uint8_t segment_owner(const struct making *making, uint16_t peer, uint32_t segment)
{
	const uint16_t node = making->bridge->node_of[segment];

	return node == making->bridge->node ? OWN : node == peer ? PEER : 0;
}

static void readers_find(struct making *making, uint16_t peer)
{
	const struct image_view *view = making->view;

	memset(making->readers, 0, view->head->buffers.count);
	memset(making->concerns, 0, view->head->segments.count);
	for (uint64_t i = 0; i < view->head->instances.count; i++) {
		const struct image_instance *row = &view->instances[i];
		const uint8_t node = segment_owner(making, peer, row->segment);

		for (uint32_t p = 0; p < row->n_inputs; p++)
			if (view->inputs[row->inputs + p].buffer != IMAGE_NONE)
				making->readers[view->inputs[row->inputs + p].buffer] |= node;
		/* a sink measures its latency from the step of its source */
		if (row->sink != 0)
			making->concerns[view->instances[row->sink - 1].segment] |= node;
	}
	for (uint32_t s = 0; s < view->head->segments.count; s++)
		for (uint32_t g = 0; g < view->segments[s].n_gates; g++)
			making->concerns[view->gates[view->segments[s].gates + g].segment] |=
			    segment_owner(making, peer, s);
}

static uint32_t routes_of(
    const struct making *making, uint32_t segment, uint8_t reader, struct way_route *ret)
{
	const struct image_view *view = making->view;
	uint32_t n = 0;

	for (uint32_t b = 0; b < view->head->buffers.count; b++) {
		const struct image_buffer *buffer = &view->buffers[b];

		if (view->instances[buffer->instance].segment != segment ||
		    (making->readers[b] & reader) == 0)
			continue;
		if (ret != NULL)
			ret[n] = (struct way_route){.buffer = b,
			    .item_bytes = aloe_item_bytes(buffer->type),
			    .lag = view->instances[buffer->instance].lag,
			    .max = buffer->max,
			    .mask = buffer->depth - 1};
		n++;
	}
	return n;
}

static struct way_route *routes_new(
    const struct making *making, uint32_t segment, uint8_t reader, uint32_t *ret_n)
{
	struct way_route *routes;

	*ret_n = routes_of(making, segment, reader, NULL);
	routes = calloc(*ret_n + 1, sizeof(*routes));
	if (routes != NULL)
		routes_of(making, segment, reader, routes);
	return routes;
}

/* Words of a bit map of a step's parts, see part_walk in out.c: each part but the last lacks less
 * than a piece's head and 8 bytes. 0: more than can be. */
static uint32_t words_of(const struct making *making, const struct way_route *routes, uint32_t n)
{
	const uint64_t room =
	    making->frame_bytes - FRAME_HEAD_BYTES - FRAME_STEP_BYTES - 2 * FRAME_PIECE_BYTES - 8;
	uint64_t bytes = 0, words;

	for (uint32_t i = 0; i < n; i++)
		bytes += FRAME_PIECE_BYTES +
		    frame_padded((uint64_t)routes[i].max * routes[i].item_bytes);
	words = (bytes / room + 1 + 63) / 64;
	if (words > BRIDGE_PARTS_MAX / 64 ||
	    FRAME_HEAD_BYTES + FRAME_HAS_BYTES + 8 * words > making->frame_bytes) {
		snprintf(making->why, BRIDGE_WHY,
		    "the messages of a step (%.1f kB) need too many frames; give the link frames "
		    "larger than %.1f kB",
		    (double)bytes / 1e3, making->frame_bytes / 1e3);
		return 0;
	}
	return (uint32_t)words;
}

static bool out_open(struct making *making, struct way_out *way, uint32_t segment)
{
	way->segment = segment;
	way->state = image_segment_state(making->view, segment);
	way->routes = routes_new(making, segment, PEER, &way->n_routes);
	way->number = calloc(BRIDGE_WINDOW, sizeof(*way->number));
	if (way->routes == NULL || way->number == NULL)
		return false;
	way->n_words = words_of(making, way->routes, way->n_routes);
	way->words = calloc(way->n_words + 1, sizeof(*way->words));
	if (!bridge_repeats(making->bridge, way->n_routes))
		way->sent = atomic_load(&way->state->done);
	return way->words != NULL && way->n_words > 0;
}

static bool steps_open(struct way_in *way)
{
	uint64_t *words = calloc((size_t)BRIDGE_WINDOW * way->n_words, sizeof(*words));
	struct message_in *messages =
	    calloc((size_t)BRIDGE_WINDOW * way->n_routes, sizeof(*messages));

	way->steps = calloc(BRIDGE_WINDOW, sizeof(*way->steps));
	if (words == NULL || messages == NULL || way->steps == NULL) {
		free(words);
		free(messages);
		free(way->steps);
		way->steps = NULL;
		return false;
	}
	for (uint32_t i = 0; i < BRIDGE_WINDOW; i++) {
		way->steps[i].words = words + (size_t)i * way->n_words;
		way->steps[i].messages = messages + (size_t)i * way->n_routes;
	}
	return true;
}

static bool in_open(struct making *making, struct way_in *way, uint32_t segment)
{
	way->segment = segment;
	way->state = image_segment_state(making->view, segment);
	way->routes = routes_new(making, segment, OWN, &way->n_routes);
	if (way->routes == NULL)
		return false;
	way->n_words = words_of(making, way->routes, way->n_routes);
	return way->n_words > 0 && (way->n_routes == 0 || steps_open(way));
}

static bool peer_open(
    struct making *making, struct peer *peer, const struct bridge_peer_options *options)
{
	const struct bridge *bridge = making->bridge;
	const uint64_t n = making->view->head->segments.count;

	peer->node = options->node;
	peer->frame_bytes = making->frame_bytes = options->frame_bytes & ~7u;
	peer->out = calloc(n + 1, sizeof(*peer->out));
	peer->in = calloc(n + 1, sizeof(*peer->in));
	peer->out_of = calloc(n + 1, sizeof(*peer->out_of));
	peer->in_of = calloc(n + 1, sizeof(*peer->in_of));
	if (!peer->out || !peer->in || !peer->out_of || !peer->in_of)
		return false;
	readers_find(making, peer->node);
	for (uint32_t s = 0; s < n; s++) {
		peer->out_of[s] = peer->in_of[s] = IMAGE_NONE;
		if (bridge->node_of[s] == bridge->node && (making->concerns[s] & PEER) != 0) {
			peer->out_of[s] = peer->n_out++;
			if (!out_open(making, &peer->out[peer->out_of[s]], s))
				return false;
		}
		if (bridge->node_of[s] == peer->node && (making->concerns[s] & OWN) != 0) {
			peer->in_of[s] = peer->n_in++;
			if (!in_open(making, &peer->in[peer->in_of[s]], s))
				return false;
		}
	}
	return true;
}

static bool is_peer(const struct bridge_options *options, uint32_t node)
{
	for (uint32_t p = 0; p < options->n_peers; p++)
		if (options->peers[p].node == node)
			return true;
	return false;
}

static bool peers_sound(struct making *making, const struct bridge_options *options)
{
	for (uint32_t p = 0; p < options->n_peers; p++)
		if (options->peers[p].node == options->node ||
		    options->peers[p].frame_bytes < BRIDGE_FRAME_BYTES_MIN ||
		    options->peers[p].frame_bytes > BRIDGE_FRAME_BYTES_MAX) {
			snprintf(making->why, BRIDGE_WHY,
			    "peer number %u: a peer is another node, and the bytes of a frame "
			    "are between %d and %d",
			    p, BRIDGE_FRAME_BYTES_MIN, BRIDGE_FRAME_BYTES_MAX);
			return false;
		}
	return true;
}

static bool nodes_known(struct making *making, const struct bridge_options *options)
{
	const struct image_view *view = making->view;

	for (uint32_t s = 0; s < view->head->segments.count; s++) {
		const uint32_t node = image_node_of(view, s);

		if (node != options->node && !is_peer(options, node)) {
			snprintf(making->why, BRIDGE_WHY,
			    "segment number %u is on a node (number %u) that is no peer", s, node);
			return false;
		}
		making->bridge->node_of[s] = (uint16_t)node;
	}
	return true;
}

static bool bridge_open(struct making *making, const struct bridge_options *options)
{
	struct bridge *bridge = making->bridge;
	const struct image_head *head = making->view->head;

	bridge->peers = calloc(options->n_peers + 1, sizeof(*bridge->peers));
	bridge->node_of = calloc(head->segments.count + 1, sizeof(*bridge->node_of));
	making->readers = calloc(head->buffers.count + 1, sizeof(*making->readers));
	making->concerns = calloc(head->segments.count + 1, sizeof(*making->concerns));
	if (!bridge->peers || !bridge->node_of || !making->readers || !making->concerns ||
	    !peers_sound(making, options) || !nodes_known(making, options))
		return false;
	for (; bridge->n_peers < options->n_peers; bridge->n_peers++)
		if (!peer_open(making, &bridge->peers[bridge->n_peers],
		        &options->peers[bridge->n_peers])) {
			bridge->n_peers++;
			return false;
		}
	return true;
}

struct bridge *bridge_new(const struct image_view *view, const struct node_control *control,
    const struct bridge_options *options, char *ret_why)
{
	struct bridge *bridge = calloc(1, sizeof(*bridge));
	struct making making = {.bridge = bridge, .view = view, .why = ret_why};
	bool open;

	assert(view != NULL && control != NULL && options != NULL);
	snprintf(ret_why, BRIDGE_WHY, "not enough memory");
	if (bridge == NULL)
		return NULL;
	bridge->view = *view;
	bridge->control = control;
	bridge->load_id = options->load_id;
	bridge->boot = options->boot;
	bridge->epoch_ns = options->epoch_ns;
	bridge->node = options->node;
	bridge->skip = view->head->late == IMAGE_SKIP;
	open = bridge_open(&making, options);
	free(making.readers);
	free(making.concerns);
	if (open)
		return bridge;
	bridge_free(bridge);
	return NULL;
}

static void peer_close(struct peer *peer)
{
	for (uint32_t i = 0; i < peer->n_out; i++) {
		free(peer->out[i].routes);
		free(peer->out[i].number);
		free(peer->out[i].words);
	}
	for (uint32_t i = 0; i < peer->n_in; i++) {
		free(peer->in[i].routes);
		if (peer->in[i].steps == NULL)
			continue;
		free(peer->in[i].steps[0].words);
		free(peer->in[i].steps[0].messages);
		free(peer->in[i].steps);
	}
	free(peer->out);
	free(peer->in);
	free(peer->out_of);
	free(peer->in_of);
}

void bridge_free(struct bridge *bridge)
{
	if (bridge == NULL)
		return;
	for (uint32_t p = 0; p < bridge->n_peers; p++)
		peer_close(&bridge->peers[p]);
	free(bridge->peers);
	free(bridge->node_of);
	free(bridge);
}

void bridge_epoch(struct bridge *bridge, uint64_t epoch_ns)
{
	assert(bridge != NULL);
	bridge->epoch_ns = epoch_ns;
}

uint64_t bridge_come(const struct bridge *bridge, uint32_t number)
{
	const struct peer *peer = &bridge->peers[number];
	uint64_t come = peer->counts.taken;

	assert(number < bridge->n_peers);
	for (uint32_t i = 0; i < peer->n_in; i++)
		come += bridge_relaxed(&peer->in[i].state->done);
	return come;
}

bool bridge_ended(const struct bridge *bridge)
{
	for (uint32_t s = 0; s < bridge->view.head->segments.count; s++)
		if (bridge->node_of[s] == bridge->node &&
		    atomic_load(&image_segment_state(&bridge->view, s)->ended) == 0)
			return false;
	return true;
}

const struct bridge_counts *bridge_counts(const struct bridge *bridge, uint32_t peer)
{
	assert(peer < bridge->n_peers);
	return &bridge->peers[peer].counts;
}
