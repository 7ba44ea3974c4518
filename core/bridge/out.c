/* SPDX-License-Identifier: BSD-3-Clause
 *
 * out.c - a round: how the segments of this node stand, what has come of the peer's, and the steps
 * that it lacks. */
#include <assert.h>

#include <aloe/component.h>

#include "core/bridge/parts.h"

/* A frame that is being written. */
struct frame_out {
	uint8_t *bytes;
	size_t used, room;
	uint32_t records;
};

/* Where it goes, or NULL: the frame is full. */
static uint8_t *record_place(struct frame_out *frame, size_t bytes)
{
	uint8_t *at = frame->bytes + frame->used;

	assert(FRAME_HEAD_BYTES + bytes <= frame->room);
	if (bytes > frame->room - frame->used)
		return NULL;
	frame->used += bytes;
	frame->records++;
	return at;
}

static bool stands_put(struct peer *peer, struct frame_out *frame)
{
	struct round *round = &peer->round;

	for (; round->stands < peer->n_out; round->stands++) {
		const struct way_out *way = &peer->out[round->stands];
		const struct frame_stands stands = {way->segment, way->ended, way->done};
		uint8_t *at = record_place(frame, FRAME_STANDS_BYTES);

		if (at == NULL)
			return false;
		frame_put_stands(at, &stands);
	}
	return true;
}

static uint64_t whole_steps(const struct way_in *way, uint64_t done)
{
	uint64_t whole = 0;

	for (uint64_t i = 0; i < BRIDGE_WINDOW; i++) {
		const struct step_in *step = &way->steps[(done + i) % BRIDGE_WINDOW];

		if (step->tag == done + i + 1 && step->n == step->parts)
			whole |= (uint64_t)1 << i;
	}
	return whole;
}

static bool has_put_one(const struct way_in *way, struct frame_out *frame)
{
	const uint64_t done = bridge_relaxed(&way->state->done);
	const struct step_in *step = &way->steps[done % BRIDGE_WINDOW];
	const struct frame_has has = {way->segment, done, whole_steps(way, done)};
	const uint16_t words =
	    step->tag == done + 1 ? (uint16_t)((step->parts + 63) / 64) : (uint16_t)0;
	uint8_t *at = record_place(frame, FRAME_HAS_BYTES + 8u * words);

	assert(words <= way->n_words);
	if (at == NULL)
		return false;
	at = frame_put_has(at, &has, words);
	for (uint32_t i = 0; i < words; i++)
		at = put_le64(at, step->words[i]);
	return true;
}

static bool has_put(const struct bridge *bridge, struct peer *peer, struct frame_out *frame)
{
	struct round *round = &peer->round;

	for (; round->has < peer->n_in; round->has++)
		if (bridge_repeats(bridge, peer->in[round->has].n_routes) &&
		    !has_put_one(&peer->in[round->has], frame))
			return false;
	return true;
}

/* ---- steps ------------------------------------------------------------------------ */

/* The messages of a host's memory: whatever they say is checked. */
static void route_look(
    const struct bridge *bridge, struct peer *peer, struct way_route *route, uint64_t step)
{
	const uint64_t index = step - route->lag;
	const struct image_message *message;
	uint64_t stamp;

	route->there = false;
	if (step < route->lag)
		return;
	message = bridge_message(bridge, route, index);
	stamp = atomic_load_explicit(&message->stamp, memory_order_acquire);
	if (stamp !=
	    index + 1) { /* its writer rests or has ended; the peer has it; or it is late */
		peer->counts.lost += bridge->skip && stamp > index + 1;
		return;
	}
	route->state = atomic_load_explicit(&message->state, memory_order_relaxed);
	route->items = atomic_load_explicit(&message->len, memory_order_relaxed);
	if (route->state != ALOE_VALID)
		route->items = 0;
	route->there = (route->state == ALOE_VALID || route->state == ALOE_IDLE ||
	                   route->state == ALOE_ABSENT) &&
	    route->items <= route->max;
	route->bytes = (uint64_t)route->items * route->item_bytes;
}

/* A message that was overwritten meanwhile goes as ABSENT. */
static uint8_t *piece_put(const struct bridge *bridge, struct peer *peer,
    const struct way_route *route, uint32_t bytes, uint8_t *at)
{
	const struct round *round = &peer->round;
	struct frame_piece piece = {.buffer = route->buffer,
	    .state = route->state,
	    .index = round->part.step - route->lag,
	    .items = route->items,
	    .offset = (uint32_t)round->byte,
	    .bytes = bytes};
	uint8_t *items = at + FRAME_PIECE_BYTES;

	memcpy(items, bridge_items(bridge, route, piece.index) + round->byte, bytes);
	memset(items + bytes, 0, frame_padded(bytes) - bytes);
	atomic_thread_fence(memory_order_acquire);
	if (bridge_relaxed(&bridge_message(bridge, route, piece.index)->stamp) != piece.index + 1) {
		piece.state = ALOE_ABSENT;
		piece.items = piece.offset = piece.bytes = 0;
		peer->counts.lost += bridge->skip;
	}
	frame_put_piece(at, &piece);
	return items + frame_padded(piece.bytes);
}

/* The part that begins at route and byte of the round, which go on to the next: its bytes. It is
 * written to `at`, unless that is NULL; ret_end and ret_pieces say what was written. */
static size_t part_walk(const struct bridge *bridge, struct peer *peer, const struct way_out *way,
    uint8_t *at, uint8_t **ret_end, uint16_t *ret_pieces)
{
	const size_t room = peer->frame_bytes - FRAME_HEAD_BYTES - FRAME_STEP_BYTES;
	struct round *round = &peer->round;
	size_t used = 0;

	for (*ret_pieces = 0; round->route < way->n_routes; round->route++, round->byte = 0) {
		const struct way_route *route = &way->routes[round->route];
		uint64_t bytes = route->there ? route->bytes - round->byte : 0;

		assert(!route->there || round->byte <= route->bytes);
		if (!route->there)
			continue;
		if (*ret_pieces == UINT16_MAX ||
		    room - used < FRAME_PIECE_BYTES + (bytes < 8 ? frame_padded(bytes) : 8))
			break;
		if (bytes > room - used - FRAME_PIECE_BYTES)
			bytes = (room - used - FRAME_PIECE_BYTES) & ~(uint64_t)7;
		if (at != NULL)
			at = piece_put(bridge, peer, route, (uint32_t)bytes, at);
		used += FRAME_PIECE_BYTES + frame_padded(bytes);
		++*ret_pieces;
		round->byte += bytes;
		if (round->byte < route->bytes)
			break;
	}
	*ret_end = at;
	assert(used <= room);
	return used;
}

static bool step_due(const struct bridge *bridge, const struct way_out *way, uint64_t step)
{
	if (step >= way->sent)
		return true;
	return bridge_repeats(bridge, way->n_routes) &&
	    (way->whole >> (step - way->has) & 1) == 0 &&
	    way->number[step % BRIDGE_WINDOW] <= way->has_heard;
}

static bool part_due(const struct way_out *way, const struct round *round)
{
	const uint32_t part = round->part.part;

	return round->part.step != way->has || part / 64 >= way->n_words ||
	    (way->words[part / 64] >> part % 64 & 1) == 0;
}

static void step_begin(
    const struct bridge *bridge, struct peer *peer, const struct way_out *way, uint64_t step)
{
	struct round *round = &peer->round;
	const uint64_t base = bridge_base(bridge),
	               start = bridge_relaxed(&way->state->start_ns[step % IMAGE_STEPS]);
	uint16_t pieces;
	uint8_t *end;

	assert(!round->in_step);
	for (uint32_t r = 0; r < way->n_routes; r++)
		route_look(bridge, peer, &way->routes[r], step);
	round->again = step < way->sent;
	round->part = (struct frame_step){.segment = way->segment,
	    .step = step,
	    .slot = bridge_relaxed(&way->state->slot[step % IMAGE_STEPS]) - base,
	    .edge_ns = start + bridge->epoch_ns};
	round->route = 0;
	round->byte = 0;
	do {
		part_walk(bridge, peer, way, NULL, &end, &pieces);
		round->part.parts++;
	} while (round->route < way->n_routes);
	round->route = 0;
	round->byte = 0;
	round->in_step = true;
}

/* The next part; false: the frame is full, and the round stays where it is. */
static bool part_put(
    const struct bridge *bridge, struct peer *peer, struct way_out *way, struct frame_out *frame)
{
	struct round *round = &peer->round;
	const struct round before = *round;
	uint8_t *begin = frame->bytes + frame->used, *end;
	uint16_t pieces;
	const size_t bytes = part_walk(bridge, peer, way, NULL, &end, &pieces);

	if (!part_due(way, &before)) {
		round->part.part++;
		return true;
	}
	if (record_place(frame, FRAME_STEP_BYTES + bytes) == NULL) {
		*round = before;
		return false;
	}
	round->route = before.route;
	round->byte = before.byte;
	part_walk(bridge, peer, way, begin + FRAME_STEP_BYTES, &end, &pieces);
	frame->used = (size_t)(end - frame->bytes);
	frame_put_step(begin, &round->part, pieces, (uint32_t)(end - begin) - FRAME_STEP_BYTES);
	way->number[round->part.step % BRIDGE_WINDOW] = peer->number;
	peer->counts.repeated += round->again;
	round->part.part++;
	return true;
}

static bool step_put(const struct bridge *bridge, struct peer *peer, struct way_out *way,
    uint64_t step, struct frame_out *frame)
{
	struct round *round = &peer->round;

	if (!round->in_step && !step_due(bridge, way, step))
		return true;
	if (!round->in_step)
		step_begin(bridge, peer, way, step);
	while (round->part.part < round->part.parts)
		if (!part_put(bridge, peer, way, frame))
			return false;
	round->in_step = false;
	if (step >= way->sent)
		way->sent = step + 1;
	return true;
}

/* The steps that may be due: from the first one that the peer lacks, as many as it takes. */
static uint64_t steps_first(const struct bridge *bridge, struct way_out *way)
{
	if (bridge_repeats(bridge, way->n_routes))
		return way->has;
	if (way->done > way->sent && way->done - way->sent > BRIDGE_WINDOW)
		way->sent = way->done - BRIDGE_WINDOW;
	return way->sent;
}

static uint64_t steps_end(const struct bridge *bridge, const struct way_out *way)
{
	if (!bridge_repeats(bridge, way->n_routes))
		return way->done;
	if (!way->known || way->done < way->has)
		return way->has;
	return way->done - way->has > BRIDGE_WINDOW ? way->has + BRIDGE_WINDOW : way->done;
}

static bool steps_put(const struct bridge *bridge, struct peer *peer, struct frame_out *frame)
{
	struct round *round = &peer->round;

	for (; round->way < peer->n_out;
	     round->way++, round->step = UINT64_MAX, round->in_step = false) {
		struct way_out *way = &peer->out[round->way];
		const uint64_t end = steps_end(bridge, way);

		if (round->step == UINT64_MAX)
			round->step = steps_first(bridge, way);
		for (; round->step < end; round->step++)
			if (!step_put(bridge, peer, way, round->step, frame))
				return false;
	}
	return true;
}

/* ---- rounds ------------------------------------------------------------------------ */

void bridge_round(struct bridge *bridge, uint32_t number)
{
	struct peer *peer = &bridge->peers[number];

	assert(number < bridge->n_peers);
	for (uint32_t i = 0; i < peer->n_out; i++) {
		struct way_out *way = &peer->out[i];

		/* it has ended: the steps are all that there are */
		way->ended = atomic_load_explicit(&way->state->ended, memory_order_acquire) != 0;
		way->done = atomic_load_explicit(&way->state->done, memory_order_acquire);
	}
	peer->owed = false;
	peer->round = (struct round){.step = UINT64_MAX};
}

/* What has come meanwhile may have moved `has` beyond the step at which the round stood. */
static void round_again(const struct bridge *bridge, struct peer *peer)
{
	struct round *round = &peer->round;
	const struct way_out *way = &peer->out[round->way];

	if (round->way < peer->n_out && bridge_repeats(bridge, way->n_routes) &&
	    round->step != UINT64_MAX && round->step < way->has) {
		round->in_step = false;
		round->step = way->has;
	}
}

size_t bridge_out(struct bridge *bridge, uint32_t number, uint8_t *ret_bytes)
{
	struct peer *peer = &bridge->peers[number];
	struct frame_out frame = {
	    .bytes = ret_bytes, .used = FRAME_HEAD_BYTES, .room = peer->frame_bytes};
	struct frame_head head;

	assert(number < bridge->n_peers);
	round_again(bridge, peer);
	peer->number++;
	if (stands_put(peer, &frame) && has_put(bridge, peer, &frame))
		steps_put(bridge, peer, &frame);
	if (frame.records == 0 && peer->round.begun) {
		peer->number--;
		return 0;
	}
	peer->round.begun = true;
	head = (struct frame_head){
	    .from = bridge->node,
	    .to = peer->node,
	    .load_id = bridge->load_id,
	    .boot = bridge->boot,
	    .number = peer->number,
	    .heard_boot = peer->boot,
	    .heard_number = peer->heard,
	    /* after the steps: whoever has one of them has its end, too */
	    .last = bridge_last(bridge),
	    .bytes = (uint32_t)frame.used,
	    .records = frame.records,
	};
	frame_put_head(ret_bytes, &head);
	peer->counts.sent++;
	peer->counts.bytes_sent += frame.used;
	return frame.used;
}

void bridge_unsent(struct bridge *bridge, uint32_t number, size_t len)
{
	struct bridge_counts *counts = &bridge->peers[number].counts;

	assert(number < bridge->n_peers);
	assert(counts->sent > 0 && counts->bytes_sent >= len);
	counts->sent--;
	counts->bytes_sent -= len;
	counts->unsent++;
}

bool bridge_news(const struct bridge *bridge, uint32_t number)
{
	const struct peer *peer = &bridge->peers[number];

	assert(number < bridge->n_peers);
	if (peer->owed)
		return true;
	for (uint32_t i = 0; i < peer->n_out; i++) {
		const struct way_out *way = &peer->out[i];
		const uint64_t end = steps_end(bridge, way);

		if (bridge_relaxed(&way->state->done) != way->done ||
		    (atomic_load_explicit(&way->state->ended, memory_order_relaxed) != 0) !=
		        way->ended)
			return true;
		for (uint64_t step = way->has; step < end; step++)
			if (step_due(bridge, way, step))
				return true;
	}
	return false;
}
