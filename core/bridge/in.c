/* SPDX-License-Identifier: BSD-3-Clause
 *
 * in.c - frames from peers: each byte is checked, each message goes to its place, `done` moves over
 * what is whole. */
#include <assert.h>
#include <errno.h>
#include <limits.h>

#include <aloe/component.h>

#include "core/base/clock.h"
#include "core/bridge/parts.h"

enum { STEP_MAX_BITS = 62 }; /* so that steps and gates add up */

/* ---- how far a segment of the peer has come ---------------------------------------- */

static void neighbours_wake(struct image_segment_state *state)
{
	if (atomic_load(&state->waiters) != 0)
		futex_wake(futex_low(&state->done), INT_MAX);
}

static void done_publish(struct way_in *way, uint64_t done)
{
	if (done <= bridge_relaxed(&way->state->done))
		return;
	atomic_store(&way->state->done, done);
	neighbours_wake(way->state);
}

static void times_put(
    const struct bridge *bridge, struct way_in *way, uint64_t step, uint64_t slot, uint64_t edge)
{
	atomic_store_explicit(
	    &way->state->start_ns[step % IMAGE_STEPS], edge, memory_order_relaxed);
	atomic_store_explicit(&way->state->slot[step % IMAGE_STEPS], slot + bridge_base(bridge),
	    memory_order_relaxed);
}

/* Under slip its gates towards the segments of this node are open: it cannot have run otherwise,
 * and there is room for its messages. Under skip it is not far ahead of all that runs here. */
static bool step_allowed(const struct bridge *bridge, const struct way_in *way, uint64_t step)
{
	const struct image_view *view = &bridge->view;
	const struct image_segment *row = &view->segments[way->segment];

	if (step >> STEP_MAX_BITS != 0)
		return false;
	for (uint64_t s = 0; s < view->head->segments.count && bridge->skip; s++)
		if (bridge->node_of[s] == bridge->node &&
		    step < bridge_relaxed(&image_segment_state(view, (uint32_t)s)->done) +
		            BRIDGE_WINDOW)
			return true;
	for (uint32_t g = 0; g < row->n_gates && !bridge->skip; g++) {
		const struct image_gate *gate = &view->gates[row->gates + g];
		const struct image_segment_state *state = image_segment_state(view, gate->segment);

		if (bridge->node_of[gate->segment] == bridge->node &&
		    (int64_t)atomic_load_explicit(&state->done, memory_order_acquire) <
		        (int64_t)step + gate->offset &&
		    atomic_load_explicit(&state->ended, memory_order_acquire) == 0)
			return false;
	}
	return !bridge->skip;
}

static void stands_take(const struct bridge *bridge, struct peer *peer, const uint8_t *record)
{
	const struct frame_stands stands = frame_get_stands(record);
	struct way_in *way = &peer->in[peer->in_of[stands.segment]];

	if (!bridge_repeats(bridge, way->n_routes) && stands.done > 0 &&
	    step_allowed(bridge, way, stands.done - 1))
		done_publish(way, stands.done);
	if (stands.ended != 0 && bridge_relaxed(&way->state->done) >= stands.done &&
	    atomic_exchange(&way->state->ended, 1) == 0)
		neighbours_wake(way->state);
}

/* ---- what the peer has ------------------------------------------------------------- */

/* The newest frame of this bridge that the peer had heard when it wrote the frame; 0: none. */
static uint64_t heard_by(
    const struct bridge *bridge, const struct peer *peer, const struct frame_head *head)
{
	return head->heard_boot == bridge->boot && head->heard_number <= peer->number
	    ? head->heard_number
	    : 0;
}

static int has_take(const struct bridge *bridge, struct peer *peer, const uint8_t *record,
    uint16_t words, const struct frame_head *head)
{
	const struct frame_has has = frame_get_has(record);
	struct way_out *way = &peer->out[peer->out_of[has.segment]];

	if (!bridge_repeats(bridge, way->n_routes) || words > way->n_words ||
	    has.done > atomic_load_explicit(&way->state->done, memory_order_acquire))
		return -EBADMSG;
	/* one that was written before another that has come knows less */
	if (head->boot < way->has_boot ||
	    (head->boot == way->has_boot && head->number < way->has_number))
		return 0;
	way->known = true;
	way->has_boot = head->boot;
	way->has_number = head->number;
	way->has = has.done;
	way->whole = has.whole;
	way->has_heard = heard_by(bridge, peer, head);
	if (way->sent < has.done)
		way->sent = has.done;
	for (uint32_t i = 0; i < way->n_words; i++)
		way->words[i] = i < words ? get_le64(record + FRAME_HAS_BYTES + 8u * i) : 0;
	return 0;
}

/* ---- steps ------------------------------------------------------------------------ */

static uint32_t route_find(const struct way_in *way, uint32_t buffer, uint32_t hint)
{
	for (uint32_t i = 0; i < way->n_routes; i++) {
		const uint32_t r = (hint + i) % way->n_routes;

		if (way->routes[r].buffer == buffer)
			return r;
	}
	return IMAGE_NONE;
}

static bool piece_sound(
    const struct way_route *route, const struct frame_piece *piece, uint64_t step, size_t left)
{
	const uint64_t bytes = (uint64_t)piece->items * route->item_bytes;

	if (piece->state != ALOE_VALID &&
	    (piece->items != 0 || (piece->state != ALOE_IDLE && piece->state != ALOE_ABSENT)))
		return false;
	return step >= route->lag && piece->index == step - route->lag &&
	    piece->items <= route->max && piece->offset <= bytes &&
	    piece->bytes <= bytes - piece->offset && (piece->bytes > 0 || bytes == 0) &&
	    frame_padded(piece->bytes) <= left;
}

static void message_end(const struct bridge *bridge, const struct way_route *route,
    struct message_in *message, uint64_t index)
{
	struct image_message *place = bridge_message(bridge, route, index);

	atomic_store_explicit(&place->len, message->items, memory_order_relaxed);
	atomic_store_explicit(&place->state, message->state, memory_order_relaxed);
	atomic_store_explicit(&place->stamp, index + 1, memory_order_release);
}

/* Under skip the reader may be at it, or a later one may be there. */
static bool message_begin(const struct bridge *bridge, const struct way_route *route,
    struct message_in *message, const struct frame_piece *piece)
{
	struct image_message *place = bridge_message(bridge, route, piece->index);
	const uint64_t stamp = bridge_relaxed(&place->stamp);

	if (message->begun)
		return !message->broken && message->items == piece->items &&
		    message->state == piece->state;
	*message = (struct message_in){
	    .items = piece->items, .state = (uint16_t)piece->state, .begun = true};
	if (stamp > piece->index + 1 || (bridge->skip && stamp == piece->index + 1))
		return false;
	atomic_store_explicit(&place->stamp, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	return true;
}

static void piece_take(const struct bridge *bridge, const struct way_route *route,
    struct message_in *message, const struct frame_piece *piece, const uint8_t *bytes)
{
	const uint64_t all = (uint64_t)piece->items * route->item_bytes;

	assert(piece->items <= route->max);
	assert((uint64_t)piece->offset + piece->bytes <= all);
	if (!message_begin(bridge, route, message, piece)) {
		message->broken = true;
		return;
	}
	memcpy(bridge_items(bridge, route, piece->index) + piece->offset, bytes, piece->bytes);
	message->got += piece->bytes;
	if (message->got == all)
		message_end(bridge, route, message, piece->index);
}

/* Looks at all pieces, and with `step` puts them into their places: 0 or -EBADMSG. */
static int pieces_walk(const struct bridge *bridge, const struct way_in *way, struct step_in *step,
    uint64_t number, const uint8_t *record, struct frame_record head)
{
	size_t at = FRAME_STEP_BYTES;
	uint32_t r = 0;

	for (uint16_t i = 0; i < head.n; i++) {
		struct frame_piece piece;

		if (head.bytes - at < FRAME_PIECE_BYTES)
			return -EBADMSG;
		piece = frame_get_piece(record + at);
		at += FRAME_PIECE_BYTES;
		r = route_find(way, piece.buffer, r);
		if (r == IMAGE_NONE ||
		    !piece_sound(&way->routes[r], &piece, number, head.bytes - at))
			return -EBADMSG;
		if (step != NULL)
			piece_take(
			    bridge, &way->routes[r], &step->messages[r], &piece, record + at);
		at += frame_padded(piece.bytes);
	}
	return at == head.bytes ? 0 : -EBADMSG;
}

static void step_reset(
    const struct way_in *way, struct step_in *step, const struct frame_step *frame)
{
	memset(step->words, 0, way->n_words * sizeof(*step->words));
	memset(step->messages, 0, way->n_routes * sizeof(*step->messages));
	step->tag = frame->step + 1;
	step->parts = frame->parts;
	step->n = 0;
}

static void steps_publish(const struct bridge *bridge, struct way_in *way, uint64_t number)
{
	uint64_t done = bridge_relaxed(&way->state->done);
	const struct step_in *step = &way->steps[number % BRIDGE_WINDOW];

	if (bridge->skip) {
		times_put(bridge, way, number, step->slot, step->start_ns);
		done_publish(way, number + 1);
		return;
	}
	for (step = &way->steps[done % BRIDGE_WINDOW];
	     step->tag == done + 1 && step->n == step->parts;
	     step = &way->steps[++done % BRIDGE_WINDOW])
		times_put(bridge, way, done, step->slot, step->start_ns);
	done_publish(way, done);
}

/* The place of a step that is not known, and for which there is room; else NULL, counted. */
static struct step_in *step_place(const struct bridge *bridge, struct peer *peer,
    struct way_in *way, const struct frame_step *frame)
{
	const uint64_t done = bridge_relaxed(&way->state->done);
	struct step_in *step = &way->steps[frame->step % BRIDGE_WINDOW];

	assert(way->n_routes > 0);
	assert(frame->part < frame->parts && frame->parts <= 64 * way->n_words);
	if (!bridge->skip && frame->step < done) {
		peer->counts.known++;
		return NULL;
	}
	if ((!bridge->skip && frame->step - done >= BRIDGE_WINDOW) ||
	    !step_allowed(bridge, way, frame->step)) {
		peer->counts.early++;
		return NULL;
	}
	if (step->tag > frame->step + 1) {
		peer->counts.late++;
		return NULL;
	}
	if (step->tag != frame->step + 1 || step->parts != frame->parts)
		step_reset(way, step, frame);
	if ((step->words[frame->part / 64] >> frame->part % 64 & 1) != 0) {
		peer->counts.known++;
		return NULL;
	}
	return step;
}

/* A segment of which no message is read here: it is as far as its newest step. */
static void bare_step_take(const struct bridge *bridge, struct peer *peer, struct way_in *way,
    const struct frame_step *frame)
{
	const uint64_t done = bridge_relaxed(&way->state->done);

	if (!step_allowed(bridge, way, frame->step)) {
		peer->counts.early++;
		return;
	}
	peer->counts.taken += frame->step >= done;
	if (frame->step >= done || done - frame->step <= IMAGE_STEPS / 2)
		times_put(bridge, way, frame->step, frame->slot, frame->edge_ns - bridge->epoch_ns);
	done_publish(way, frame->step + 1);
}

static int step_take(
    const struct bridge *bridge, struct peer *peer, const uint8_t *record, struct frame_record head)
{
	const struct frame_step frame = frame_get_step(record);
	struct way_in *way = &peer->in[peer->in_of[frame.segment]];
	struct step_in *step;

	if (frame.parts == 0 || frame.part >= frame.parts || frame.parts > 64 * way->n_words ||
	    pieces_walk(bridge, way, NULL, frame.step, record, head) != 0)
		return -EBADMSG;
	/* of others it needs to hear nothing: they are not sent again */
	peer->owed |= bridge_repeats(bridge, way->n_routes);
	if (way->n_routes == 0) {
		bare_step_take(bridge, peer, way, &frame);
		return 0;
	}
	step = step_place(bridge, peer, way, &frame);
	if (step == NULL)
		return 0;
	pieces_walk(bridge, way, step, frame.step, record, head);
	step->slot = frame.slot;
	step->start_ns = frame.edge_ns - bridge->epoch_ns;
	step->words[frame.part / 64] |= (uint64_t)1 << frame.part % 64;
	peer->counts.taken++;
	if (++step->n == step->parts)
		steps_publish(bridge, way, frame.step);
	return 0;
}

/* ---- frames ------------------------------------------------------------------------ */

/* The segment that every record names is one that concerns the peer. */
static bool record_sound(const struct bridge *bridge, const struct peer *peer,
    const uint8_t *record, struct frame_record head)
{
	static const uint32_t least[] = {0, FRAME_STANDS_BYTES, FRAME_HAS_BYTES, FRAME_STEP_BYTES};
	uint32_t segment;

	if (head.kind < FRAME_STANDS || head.kind > FRAME_STEP || head.bytes < least[head.kind])
		return false;
	segment = get_le32(record + FRAME_RECORD_BYTES);
	if (segment >= bridge->view.head->segments.count)
		return false;
	if (head.kind == FRAME_HAS)
		return peer->out_of[segment] != IMAGE_NONE &&
		    head.bytes == FRAME_HAS_BYTES + 8u * head.n;
	return peer->in_of[segment] != IMAGE_NONE &&
	    (head.kind != FRAME_STANDS || head.bytes == FRAME_STANDS_BYTES);
}

static int record_take(const struct bridge *bridge, struct peer *peer, const uint8_t *record,
    struct frame_record kind, const struct frame_head *head)
{
	if (!record_sound(bridge, peer, record, kind))
		return -EBADMSG;
	if (kind.kind == FRAME_STEP)
		return step_take(bridge, peer, record, kind);
	if (kind.kind == FRAME_HAS)
		return has_take(bridge, peer, record, kind.n, head);
	stands_take(bridge, peer, record);
	return 0;
}

static int records_take(const struct bridge *bridge, struct peer *peer, const uint8_t *bytes,
    const struct frame_head *head)
{
	size_t at = FRAME_HEAD_BYTES;
	int status;

	for (uint32_t i = 0; i < head->records; i++) {
		struct frame_record record;

		if (head->bytes - at < FRAME_RECORD_BYTES)
			return -EBADMSG;
		record = frame_get_record(bytes + at);
		if (record.bytes % 8 != 0 || record.bytes < FRAME_RECORD_BYTES ||
		    record.bytes > head->bytes - at)
			return -EBADMSG;
		status = record_take(bridge, peer, bytes + at, record, head);
		if (status != 0)
			return status;
		at += record.bytes;
	}
	return at == head->bytes ? 0 : -EBADMSG;
}

static void last_lower(const struct bridge *bridge, uint64_t last)
{
	_Atomic uint64_t *mine = &image_run(&bridge->view)->last;
	uint64_t have = atomic_load(mine);

	while (last < have && !atomic_compare_exchange_weak(mine, &have, last))
		;
}

static void head_take(struct peer *peer, const struct frame_head *head)
{
	if (head->boot < peer->boot || (head->boot == peer->boot && head->number <= peer->heard))
		return;
	peer->boot = head->boot;
	peer->heard = head->number;
}

static struct peer *peer_of(struct bridge *bridge, uint16_t node)
{
	for (uint32_t p = 0; p < bridge->n_peers; p++)
		if (bridge->peers[p].node == node)
			return &bridge->peers[p];
	return NULL;
}

int bridge_in(struct bridge *bridge, const uint8_t *bytes, size_t len)
{
	struct frame_head head;
	struct peer *peer;
	int status;

	if (len < FRAME_HEAD_BYTES || get_le32(bytes) != FRAME_MAGIC)
		return -EBADMSG;
	frame_get_head(bytes, &head);
	peer = peer_of(bridge, head.from);
	if (head.bytes != len || peer == NULL)
		return head.bytes != len ? -EBADMSG : -ENOENT;
	if (head.to != bridge->node || head.load_id != bridge->load_id) {
		peer->counts.foreign++;
		return -ENOENT;
	}
	peer->counts.bytes += len;
	/* a step is in force only with the end that was known when it was done */
	last_lower(bridge, head.last);
	head_take(peer, &head);
	status = records_take(bridge, peer, bytes, &head);
	if (status == 0)
		peer->counts.frames++;
	else
		peer->counts.bad++;
	return status;
}
