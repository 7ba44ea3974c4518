/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/warm.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/slot/lane_count.h"

enum {
	PAGE = 4096,
	/* bytes: what lies behind the core finds itself, or it is the component's own affair */
	CODE_FETCHED = 256,
	STATE_FETCHED = 256,
	DATA_FETCHED = 256,
	EVENTS_FETCHED = 64,
	PARTS = 3, /* of the rehearsal */
	EVENTS = 16,
	ITEMS = 256,
	SLOT_NS = 1000000000,
};

/* ---- data ------------------------------------------------------------------------ */

/* Reads, because prefetches that find no translation of their address are dropped on some machines;
 * of whatever is there, perhaps written at this moment. */
__attribute__((no_sanitize_thread)) static void lines_fetch(const void *at, size_t bytes)
{
	const volatile uint8_t *byte = at;

	for (size_t i = 0; i < bytes; i += 64)
		(void)byte[i];
	if (bytes > 0)
		(void)byte[bytes - 1];
}

/* The beginning of a function, as far as its page is sure to go. */
static void code_fetch(uintptr_t at)
{
	const size_t left = PAGE - at % PAGE;

	lines_fetch((const void *)at, left < CODE_FETCHED ? left : CODE_FETCHED);
}

/* Where the next value probably falls, too. */
static void hist_warm(const struct hist *hist, uint64_t ns)
{
	lines_fetch(hist, offsetof(struct hist, cells));
	lines_fetch(&hist->cells.low[hist_cell(ns)], 1);
}

static void message_warm(const struct image_message *message, const uint8_t *items, uint32_t lines)
{
	const size_t stride = (size_t)lines * INSTANCE_LINE;

	lines_fetch(message, sizeof(*message));
	lines_fetch(items, DATA_FETCHED < stride ? DATA_FETCHED : stride);
}

static void ports_warm(const struct instance *it, uint64_t k)
{
	lines_fetch(it->in,
	    it->n_in * (sizeof(*it->in) + sizeof(*it->input)) +
	        it->n_out * (sizeof(*it->out) + sizeof(*it->output)));
	for (uint32_t p = 0; p < it->n_in; p++) {
		const struct instance_input *in = &it->input[p];
		const uint64_t m = k - in->delay;

		if (in->messages != NULL)
			message_warm(&in->messages[m & in->mask], input_items(in, m), in->lines);
	}
	for (uint32_t p = 0; p < it->n_out; p++) {
		const struct instance_output *out = &it->output[p];
		const uint8_t *items = output_items(out, k);

		if (out->messages == NULL)
			continue;
		message_warm(&out->messages[k & out->mask], items, out->lines);
		lines_fetch(items - sizeof(uint64_t), sizeof(uint64_t));
		lines_fetch(items + out->canary, sizeof(uint64_t));
	}
}

static void instance_warm(const struct instance *it, uint64_t k)
{
	const size_t state = it->component->state_size;

	lines_fetch(it, INSTANCE_HOT);
	lines_fetch(it->time, sizeof(*it->time));
	ports_warm(it, k);
	if (it->work != NULL) /* what only moves records has none */
		code_fetch((uintptr_t)it->work);
	if (it->lapses != NULL && it->lapses->work != NULL)
		code_fetch((uintptr_t)it->lapses->work);
	lines_fetch(it->state, state < STATE_FETCHED ? state : STATE_FETCHED);
	lines_fetch(it->stats->vars, it->n_vars * sizeof(it->stats->vars[0]));
	lines_fetch(it->vars, it->n_vars * sizeof(*it->vars));
	if (it->records > 0)
		lines_fetch(&it->io, sizeof(it->io));
	if (it->source_state != NULL)
		hist_warm(&it->latency->ns, it->latency_ns);
}

void segment_warm(const struct segment *segment, uint64_t until_ns)
{
	const struct image_segment_state *state = segment->state;
	const uint64_t step = atomic_load_explicit(&state->done, memory_order_relaxed);
	const uint32_t room = segment->n_events - segment->event; /* to the end of the ring */
	const size_t n_events = room < EVENTS_FETCHED ? room : EVENTS_FETCHED;

	assert(segment->lane != NULL);
	assert(segment->event < segment->n_events);
	lines_fetch(segment, offsetof(struct segment, visits));
	lines_fetch(segment->control, offsetof(struct node_control, change));
	lines_fetch(segment->run, offsetof(struct image_run, code));
	lines_fetch(state, offsetof(struct image_segment_state, start_ns));
	lines_fetch(&state->start_ns[step % IMAGE_STEPS], 8);
	lines_fetch(&state->slot[step % IMAGE_STEPS], 8);
	hist_warm(&state->late, segment->late_ns);
	hist_warm(&segment->lane->load, segment->load_ns);
	if (segment->last_of_lane && segment->counts_misses)
		hist_warm(&segment->lane->margin.left, segment->left_ns);
	lines_fetch(&segment->events[segment->event], n_events * sizeof(struct image_event));
	for (uint32_t i = 0; i < segment->n_instances && clock_ns() < until_ns; i++)
		instance_warm(segment->instances[i], step - segment->instances[i]->lag);
}

/* ---- what a call works on: whole messages, and what the component names ---- */

/* Until the time is up, which is looked at once in 4 KiB, or nothing is left of *room. */
static void bulk_fetch(const void *at, size_t bytes, size_t *room, uint64_t until_ns)
{
	const uint8_t *byte = at;

	bytes = bytes < *room ? bytes : *room;
	*room -= bytes;
	for (size_t done = 0, n; done < bytes && clock_ns() < until_ns; done += n) {
		n = bytes - done < PAGE ? bytes - done : PAGE;
		lines_fetch(byte + done, n);
	}
}

/* Items of a message that is there already: what comes in the slot itself is warm. */
static void input_fetch(
    const struct instance *it, uint32_t p, uint64_t k, size_t *room, uint64_t until_ns)
{
	const struct instance_input *in = &it->input[p];
	const uint64_t m = k - in->delay;
	const struct image_message *message;
	uint32_t len;

	if (in->messages == NULL || k < in->delay)
		return;
	message = &in->messages[m & in->mask];
	if (atomic_load_explicit(&message->stamp, memory_order_relaxed) != m + 1)
		return;
	len = atomic_load_explicit(&message->len, memory_order_relaxed);
	bulk_fetch(input_items(in, m),
	    (size_t)(len < in->max ? len : in->max) * aloe_item_bytes(it->setup.in[p].type), room,
	    until_ns);
}

static void instance_bulk(const struct instance *it, uint64_t k, size_t *room, uint64_t until_ns)
{
	for (size_t i = 0; i < it->n_warm; i++)
		bulk_fetch(it->warm[i].at, it->warm[i].bytes, room, until_ns);
	for (uint32_t p = 0; p < it->n_in; p++)
		input_fetch(it, p, k, room, until_ns);
	for (uint32_t p = 0; p < it->n_out; p++) {
		const struct instance_output *out = &it->output[p];

		if (out->messages != NULL)
			bulk_fetch(output_items(out, k), out->canary, room, until_ns);
	}
}

void segment_warm_bulk(const struct segment *segment, size_t *room, uint64_t until_ns)
{
	const uint64_t step = atomic_load_explicit(&segment->state->done, memory_order_relaxed);

	for (uint32_t i = 0; i < segment->n_instances; i++) {
		const struct instance *it = segment->instances[i];

		if (*room == 0 || clock_ns() >= until_ns)
			return;
		instance_bulk(it, step - it->lag, room, until_ns);
	}
}

/* ---- code ------------------------------------------------------------------------ */

struct warm_part {
	struct instance instance;
	struct hist_head time;
	struct aloe_in in;
	struct aloe_out out;
	struct instance_input input;
	struct instance_output output;
};

struct rehearsal {
	struct segment segment;
	struct instance *order[PARTS];
	struct warm_part parts[PARTS];
	struct node_control control;
	struct image_run run;
	struct image_event events[EVENTS];
	struct link {
		struct image_message message;
		uint64_t before;
		uint8_t items[ITEMS];
		uint64_t canary;
	} links[PARTS - 1];
	struct image_segment_state state;
	struct image_lane_state load;
	struct image_latency latency;
	struct image_instance_state stats;
};

/* Most components move or clear memory by memset and memcpy. */
static int rehearsal_emit(void *self, struct aloe_slot *slot)
{
	(void)self;
	memset(slot->out[0].data, 0, aloe_out_max(slot, 0));
	aloe_put(slot, 0, aloe_out_max(slot, 0));
	return 0;
}

static int rehearsal_pass(void *self, struct aloe_slot *slot)
{
	(void)self;
	memcpy(slot->out[0].data, slot->in[0].data, aloe_pass(slot, 0, 0));
	return 0;
}

static int rehearsal_take(void *self, struct aloe_slot *slot)
{
	(void)self;
	(void)aloe_in_len(slot, 0);
	return 0;
}

/* A chain. */
static void part_fill(struct rehearsal *r, uint32_t number, int (*work)(void *, struct aloe_slot *))
{
	struct warm_part *part = &r->parts[number];

	assert(number < PARTS);
	assert(work != NULL);
	part->instance = (struct instance){.work = work,
	    .state = r,
	    .stats = &r->stats,
	    .time = &part->time,
	    .in = &part->in,
	    .out = &part->out,
	    .input = &part->input,
	    .output = &part->output,
	    .period = 1,
	    .number = number,
	    .slot = {.in = &part->in, .out = &part->out}};
	r->order[number] = &part->instance;
	if (number > 0) {
		struct link *link = &r->links[number - 1];

		part->instance.n_in = 1;
		part->input = (struct instance_input){
		    .messages = &link->message, .data = link->items, .max = ITEMS};
	}
	if (number + 1 < PARTS) {
		struct link *link = &r->links[number];

		link->before = link->canary = IMAGE_CANARY;
		part->instance.n_out = 1;
		part->out.max = ITEMS;
		part->output = (struct instance_output){
		    .messages = &link->message, .data = link->items, .canary = ITEMS};
	}
}

static void parts_fill(struct rehearsal *r)
{
	struct instance *last = &r->parts[PARTS - 1].instance;

	part_fill(r, 0, rehearsal_emit);
	part_fill(r, 1, rehearsal_pass);
	part_fill(r, 2, rehearsal_take);
	last->source_state = &r->state;
	last->latency = &r->latency;
}

struct rehearsal *rehearsal_new(void)
{
	struct rehearsal *r = aligned_alloc(64, (sizeof(*r) + 63) & ~(size_t)63);

	if (r == NULL)
		return NULL;
	memset(r, 0, sizeof(*r));
	parts_fill(r);
	assert(r->parts[0].instance.n_in == 0);
	assert(r->parts[PARTS - 1].instance.n_out == 0);
	atomic_store(&r->control.limit, IMAGE_FOREVER);
	atomic_store(&r->control.last, IMAGE_FOREVER);
	atomic_store(&r->run.last, IMAGE_FOREVER);
	r->segment = (struct segment){.instances = r->order,
	    .n_instances = PARTS,
	    .state = &r->state,
	    .run = &r->run,
	    .control = &r->control,
	    .lane = &r->load,
	    .last_of_lane = true,
	    .events = r->events,
	    .n_events = EVENTS,
	    .slot_ns = SLOT_NS,
	    .counts_misses = true,
	    .next_slot = IMAGE_FOREVER};
	segment_stride_set(&r->segment, 1);
	return r;
}

void rehearsal_free(struct rehearsal *r)
{
	free(r);
}

uint64_t rehearsal_run(struct rehearsal *r)
{
	const uint64_t edge = clock_ns();
	uint64_t now = edge;

	assert(r != NULL);
	assert(r->segment.instances == r->order);
	segment_slot(
	    &r->segment, atomic_load_explicit(&r->state.done, memory_order_relaxed), edge, &now);
	return atomic_load_explicit(&r->state.done, memory_order_relaxed);
}
