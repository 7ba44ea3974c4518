/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/image/follow.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 1 << 20 };

static uint64_t number_get(const _Atomic uint64_t *number)
{
	return atomic_load_explicit(number, memory_order_relaxed);
}

static void number_put(_Atomic uint64_t *number, uint64_t value)
{
	atomic_store_explicit(number, value, memory_order_relaxed);
}

uint64_t image_steps_done(const struct image_view *view, uint32_t segment)
{
	const uint64_t next = number_get(&image_segment_state(view, segment)->done),
	               behind = view->segments[segment].stride - 1;

	return next > behind ? next - behind : 0;
}

/* The index of step `step`, or of the first step that the instance has. */
static uint64_t index_of(const struct image_view *view, uint32_t instance, uint64_t step)
{
	const uint64_t first = number_get(&image_instance_state(view, instance)->first),
	               lag = view->instances[instance].lag;

	step = step > first ? step : first;
	return step > lag ? step - lag : 0;
}

uint64_t image_indices_done(const struct image_view *view, uint32_t instance)
{
	return index_of(view, instance, image_steps_done(view, view->instances[instance].segment));
}

uint64_t image_next_index(const struct image_view *view, uint32_t instance)
{
	const struct image_instance *row = &view->instances[instance];
	const uint64_t k =
	    index_of(view, instance, number_get(&image_segment_state(view, row->segment)->done));

	return row->places > 1 ? k + (row->place + row->places - k % row->places) % row->places : k;
}

static uint64_t next_of_places(const struct image_view *view, uint32_t instance, bool most)
{
	const struct image_instance *first = &view->instances[instance];
	uint64_t next = image_next_index(view, instance);

	for (uint32_t j = 1; j < first->places; j++) {
		const uint32_t number = (uint32_t)(image_place(view, first, j) - view->instances);
		const uint64_t k = image_next_index(view, number);

		next = (k > next) == most ? k : next;
	}
	return next;
}

uint64_t image_next_least(const struct image_view *view, uint32_t instance)
{
	return next_of_places(view, instance, false);
}

uint64_t image_next_most(const struct image_view *view, uint32_t instance)
{
	return next_of_places(view, instance, true);
}

/* ---- may it follow? ------------------------------------------------------------------------ */

static bool same_text(
    const struct image_view *a, uint32_t text_a, const struct image_view *b, uint32_t text_b)
{
	return strcmp(image_text(a, text_a), image_text(b, text_b)) == 0;
}

static bool same_head(const struct image_head *a, const struct image_head *b)
{
	return a->instances.count == b->instances.count && a->buffers.count == b->buffers.count &&
	    a->inputs.count == b->inputs.count && a->outputs.count == b->outputs.count &&
	    a->copies == b->copies;
}

static bool same_hosts(const struct image_view *a, const struct image_view *b)
{
	if (a->head->n_hosts != b->head->n_hosts || a->head->hosts.count != b->head->hosts.count)
		return false;
	for (uint64_t h = 0; h < a->head->hosts.count; h++)
		if (a->hosts[h].shared != b->hosts[h].shared ||
		    !same_text(
		        a, a->nodes[a->hosts[h].node].name, b, b->nodes[b->hosts[h].node].name))
			return false;
	return true;
}

static bool same_shape(const struct image_instance *a, const struct image_instance *b)
{
	return a->period == b->period && a->phase == b->phase && a->run_on == b->run_on &&
	    (a->io & IMAGE_IO) == (b->io & IMAGE_IO) && a->source == b->source &&
	    a->inputs == b->inputs && a->n_inputs == b->n_inputs && a->outputs == b->outputs &&
	    a->n_outputs == b->n_outputs;
}

bool image_upgraded(
    const struct image_view *before, const struct image_view *after, uint32_t instance)
{
	return before->instances[instance].upgrade != after->instances[instance].upgrade;
}

/* Where its parameters and variables begin may differ, if those of another have become more or
 * fewer. */
static bool same_state(const struct image_view *a, const struct image_view *b, uint32_t i)
{
	const struct image_instance *before = &a->instances[i], *after = &b->instances[i];

	if (before->n_params != after->n_params || before->n_vars != after->n_vars)
		return false;
	for (uint32_t p = 0; p < before->n_params; p++) {
		const struct image_param *from = &a->params[before->params + p],
		                         *to = &b->params[after->params + p];

		if (from->items_max != to->items_max || (from->array != 0) != (to->array != 0))
			return false;
	}
	for (uint32_t v = 0; v < before->n_vars; v++)
		if (a->vars[before->vars + v].offset != b->vars[after->vars + v].offset)
			return false;
	return true;
}

static bool same_ports(const struct image_view *a, const struct image_view *b)
{
	for (uint64_t i = 0; i < a->head->inputs.count; i++)
		if (a->inputs[i].buffer != b->inputs[i].buffer ||
		    a->inputs[i].type != b->inputs[i].type ||
		    a->inputs[i].max != b->inputs[i].max ||
		    a->inputs[i].delay != b->inputs[i].delay)
			return false;
	for (uint64_t i = 0; i < a->head->outputs.count; i++)
		if (a->outputs[i].buffer != b->outputs[i].buffer)
			return false;
	for (uint64_t i = 0; i < a->head->buffers.count; i++)
		if (a->buffers[i].instance != b->buffers[i].instance ||
		    a->buffers[i].port != b->buffers[i].port ||
		    a->buffers[i].type != b->buffers[i].type ||
		    a->buffers[i].max != b->buffers[i].max)
			return false;
	return true;
}

/* What of the messages of an upgraded instance would be another size; false: nothing. */
static bool ports_differ(
    const struct image_view *a, const struct image_view *b, uint32_t i, char *why, size_t size)
{
	const struct image_instance *before = &a->instances[i], *after = &b->instances[i];

	for (uint32_t p = 0; p < before->n_inputs + before->n_outputs; p++) {
		const uint32_t o = p - before->n_inputs;
		const bool in = p < before->n_inputs;
		const struct image_input *ins[] = {
		    &a->inputs[before->inputs + p], &b->inputs[after->inputs + p]};
		const struct image_output *outs[] = {
		    &a->outputs[before->outputs + o], &b->outputs[after->outputs + o]};
		const uint32_t max[] = {
		    in ? ins[0]->max : outs[0]->max, in ? ins[1]->max : outs[1]->max};

		if (max[0] == max[1] &&
		    (in ? ins[0]->type == ins[1]->type : outs[0]->type == outs[1]->type))
			continue;
		snprintf(why, size,
		    "%s \"%s\" of instance \"%s\" has messages of at most %u items, and with "
		    "the new build %u%s",
		    in ? "input" : "output", image_text(a, in ? ins[0]->name : outs[0]->name),
		    image_text(a, before->name), max[0], max[1],
		    max[0] == max[1] ? " of another type" : "");
		return true;
	}
	return false;
}

/* Words for an instance of another build that does not fit where the old one is; false: it fits. */
static bool build_misfits(
    const struct image_view *a, const struct image_view *b, uint32_t i, char *why, size_t size)
{
	const struct image_instance *before = &a->instances[i], *after = &b->instances[i];
	const char *name = image_text(a, before->name);

	if (before->n_inputs != after->n_inputs || before->n_outputs != after->n_outputs)
		snprintf(why, size,
		    "instance \"%s\" has ports %u in, %u out, and the new build %u in, %u out",
		    name, before->n_inputs, before->n_outputs, after->n_inputs, after->n_outputs);
	else if ((before->io & IMAGE_IO) != 0 || (after->io & IMAGE_IO) != 0)
		snprintf(why, size,
		    "instance \"%s\" reads or writes through the I/O thread, whose records cannot "
		    "change their component while the waveform runs",
		    name);
	else if (before->run_on != after->run_on)
		snprintf(why, size,
		    "the new build of instance \"%s\" has another tail, so that the end of the "
		    "waveform would be another one",
		    name);
	else
		return same_shape(before, after) && ports_differ(a, b, i, why, size);
	return true;
}

static int instance_follows(
    const struct image_view *a, const struct image_view *b, uint32_t i, char *why, size_t size)
{
	const struct image_instance *before = &a->instances[i], *after = &b->instances[i];
	const char *name = image_text(a, before->name);

	if (!same_text(a, before->name, b, after->name) ||
	    (!image_upgraded(a, b, i) && !same_text(a, before->component, b, after->component)))
		snprintf(why, size, "the place of instance \"%s\" (%s) has \"%s\" (%s) now", name,
		    image_text(a, before->component), image_text(b, after->name),
		    image_text(b, after->component));
	else if (!image_upgraded(a, b, i) &&
	    (before->digest != after->digest || !same_text(a, before->path, b, after->path)))
		snprintf(why, size,
		    "the component %s of instance \"%s\" was rebuilt after the load: unload the "
		    "waveform and load the waveform again",
		    image_text(a, before->component), name);
	else if (a->segments[before->segment].host != b->segments[after->segment].host)
		snprintf(why, size,
		    "instance \"%s\" would move to another process, and the state of the instance "
		    "cannot follow",
		    name);
	else if (!same_shape(before, after) || (!image_upgraded(a, b, i) && !same_state(a, b, i)))
		snprintf(why, size,
		    "instance \"%s\" has other ports, parameters or another period than at the "
		    "load",
		    name);
	else
		return 0;
	return -EINVAL;
}

/* Whether as many instances are of another build as is allowed: some, or none. */
static bool builds_allowed(
    const struct image_view *a, const struct image_view *b, bool upgrades, char *why, size_t size)
{
	bool any = false;

	for (uint32_t i = 0; i < a->head->instances.count && !any; i++)
		any = image_upgraded(a, b, i);
	if (any != upgrades)
		snprintf(why, size, "%s",
		    upgrades ? "the build is the one that runs"
		             : "an instance has been given another build meanwhile; try again");
	return any == upgrades;
}

/* The words for an upgraded instance say more than those for all messages. */
static bool builds_fit(
    const struct image_view *a, const struct image_view *b, char *why, size_t size)
{
	for (uint32_t i = 0; i < a->head->instances.count; i++)
		if (image_upgraded(a, b, i) && build_misfits(a, b, i, why, size))
			return false;
	return true;
}

int image_follows(
    const struct image_view *before, const void *program, bool upgrades, char *ret_why, size_t size)
{
	struct image_view after;

	image_bind(program, &after);
	if (before->head->slot_ns != after.head->slot_ns ||
	    before->head->clock != after.head->clock || before->head->late != after.head->late)
		snprintf(ret_why, size,
		    "the slot length or the clock would change: unload the waveform and load the "
		    "waveform again");
	else if (before->head->clock == IMAGE_RADIO)
		snprintf(ret_why, size, "the clock is a radio, and a radio stays on its lane");
	else if (!same_head(before->head, after.head))
		snprintf(ret_why, size,
		    "the waveform has other instances or links than at the "
		    "load");
	else if (!same_hosts(before, &after))
		snprintf(ret_why, size,
		    "the waveform would run in other processes, and the state of instances cannot "
		    "follow");
	else if (!builds_allowed(before, &after, upgrades, ret_why, size) ||
	    !builds_fit(before, &after, ret_why, size))
		return -EINVAL;
	else if (!same_ports(before, &after))
		snprintf(ret_why, size, "the messages have other sizes than at the load");
	else
		for (uint32_t i = 0; i < before->head->instances.count; i++) {
			if (instance_follows(before, &after, i, ret_why, size) != 0)
				return -EINVAL;
			if (i + 1 == before->head->instances.count)
				return 0;
		}
	return -EINVAL;
}

/* ---- room ------------------------------------------------------------------------ */

/* How many messages of a link may be on their way: by the plan once it has settled, and as it is
 * now. */
static uint64_t in_flight(
    const struct image_view *view, uint32_t writer, uint32_t reader, uint64_t delay, bool now)
{
	const uint64_t from = now ? image_next_index(view, reader) : view->instances[writer].lag;
	const uint64_t to = now ? image_next_index(view, writer) : view->instances[reader].lag;
	const int64_t n = (int64_t)(to - from + delay); /* of whatever stands in the image */

	return n > 0 ? (uint64_t)n : 0;
}

/* By buffer: the most of all its links. */
static uint64_t *all_in_flight(const struct image_view *view, bool now)
{
	uint64_t *most = calloc(view->head->buffers.count + 1, sizeof(*most));

	for (uint32_t i = 0; most != NULL && i < view->head->instances.count; i++)
		for (uint32_t p = 0; p < view->instances[i].n_inputs; p++) {
			const struct image_input *in = &view->inputs[view->instances[i].inputs + p];
			uint64_t n;

			if (in->buffer == IMAGE_NONE)
				continue;
			n = in_flight(view, view->buffers[in->buffer].instance, i, in->delay, now);
			most[in->buffer] = n > most[in->buffer] ? n : most[in->buffer];
		}
	return most;
}

/* A place is shared by messages that are read in the step that writes them: not while one is on its
 * way, and not by one that is kept for taps. */
static void places_unshare(struct image_buffer *rows, uint64_t n, const uint64_t *most, bool *busy)
{
	for (uint64_t i = 0; i < n; i++)
		if (most[i] > 0 || rows[i].tap > 0)
			busy[rows[i].shares > 0 ? rows[i].shares - 1 : i] = true;
	for (uint64_t i = 0; i < n; i++)
		if (rows[i].shares > 0 && busy[rows[i].shares - 1])
			rows[i].shares = 0;
}

/* A tap outlives every remap. */
static uint64_t ring_need(const struct image_buffer *before, struct image_buffer *row, uint64_t n)
{
	const uint32_t tap = before->tap > row->tap ? before->tap : row->tap;
	const uint32_t depth = tap > 0 ? image_tap_depth(tap) : 0;

	row->tap = tap;
	return n > depth ? n : depth;
}

int image_fit(const struct image_view *before, void *program)
{
	uint64_t *now = all_in_flight(before, true), *settled = all_in_flight(before, false);
	bool *busy = calloc(before->head->buffers.count + 1, sizeof(*busy));
	int status = now == NULL || settled == NULL || busy == NULL ? -ENOMEM : 0;
	struct image_view after;
	struct image_buffer *rows;

	assert(program != NULL);
	assert(program != before->program);
	image_bind(program, &after);
	rows = (struct image_buffer *)after.buffers;
	for (uint64_t i = 0; status == 0 && i < after.head->buffers.count; i++) {
		uint64_t need;

		settled[i] = now[i] > settled[i] ? now[i] : settled[i];
		need = ring_need(&before->buffers[i], &rows[i], settled[i]);
		while (rows[i].depth < need && status == 0) {
			rows[i].depth *= 2;
			status = rows[i].depth > DEPTH_MAX ? -ENOBUFS : 0;
		}
	}
	if (status == 0) {
		places_unshare(rows, after.head->buffers.count, settled, busy);
		image_layout(program);
	}
	free(now);
	free(settled);
	free(busy);
	return status;
}

int image_ring(void *program, uint32_t buffer, uint32_t keep)
{
	const uint64_t n = ((const struct image_head *)program)->buffers.count;
	uint64_t *most = calloc(n + 1, sizeof(*most));
	bool *busy = calloc(n + 1, sizeof(*busy));
	const int status = most == NULL || busy == NULL ? -ENOMEM : 0;
	struct image_view view;
	struct image_buffer *rows;

	image_bind(program, &view);
	rows = (struct image_buffer *)view.buffers;
	assert(buffer < n);
	assert(keep <= IMAGE_TAP_MAX);
	if (status == 0) {
		rows[buffer].depth = (uint32_t)ring_need(
		    &(struct image_buffer){.tap = keep}, &rows[buffer], rows[buffer].depth);
		places_unshare(rows, n, most, busy);
		image_layout(program);
	}
	free(most);
	free(busy);
	return status;
}

/* ---- carrying over ------------------------------------------------------------------------ */

static uint64_t index_earliest(const struct image_view *before, const struct image_view *after)
{
	uint64_t least = IMAGE_FOREVER;

	for (uint32_t i = 0; i < after->head->instances.count; i++) {
		const uint64_t first = image_next_index(before, i) + after->instances[i].lag;

		least = first < least ? first : least;
	}
	return least == IMAGE_FOREVER ? 0 : least;
}

/* What its host has shown of the new build stays, and times are counted anew; what was counted of
 * messages is the instance's. */
static void build_carry(
    const struct image_instance_state *from, struct image_instance_state *to, uint64_t next)
{
	const size_t counts = offsetof(struct image_instance_state, idle);
	const size_t bytes = offsetof(struct image_instance_state, params) - counts;

	memcpy((uint8_t *)to + counts, (const uint8_t *)from + counts, bytes);
	number_put(&to->upgraded, next + 1);
}

static void instance_carry(
    const struct image_view *before, const struct image_view *after, uint32_t i)
{
	struct image_instance_state *state = image_instance_state(after, i);
	const struct image_instance_state *old = image_instance_state(before, i);
	const struct image_latency *latency = image_latency(before, i);

	if (image_upgraded(before, after, i)) {
		build_carry(old, state, image_next_index(before, i));
	} else {
		memcpy(state, old, sizeof(*state));
		memcpy(image_time(after, i), image_time(before, i), sizeof(struct hist_head));
	}
	number_put(&state->first, image_next_index(before, i) + after->instances[i].lag);
	if (latency != NULL && image_latency(after, i) != NULL)
		memcpy(image_latency(after, i), latency, sizeof(*latency));
}

static void arrays_carry(const struct image_view *before, const struct image_view *after)
{
	for (uint32_t i = 0; i < after->head->instances.count; i++) {
		const struct image_instance *old = &before->instances[i],
		                            *row = &after->instances[i];

		for (uint32_t p = 0; !image_upgraded(before, after, i) && p < row->n_params; p++) {
			const struct image_param *from = &before->params[old->params + p],
			                         *to = &after->params[row->params + p];

			if (to->array != 0)
				memcpy(after->base + to->array, before->base + from->array,
				    sizeof(struct image_array) + 4ull * from->items_max);
		}
	}
}

static void messages_carry(
    const struct image_view *before, const struct image_view *after, uint32_t b, uint64_t n)
{
	const struct image_buffer *from = &before->buffers[b], *to = &after->buffers[b];
	const uint64_t end = image_next_index(before, from->instance);

	for (uint64_t k = end > n ? end - n : 0; k < end; k++) {
		const struct image_message *old = &image_messages(before, b)[k & (from->depth - 1)];
		struct image_message *message = &image_messages(after, b)[k & (to->depth - 1)];

		if (number_get(&old->stamp) != k + 1)
			continue;
		memcpy(image_data(after, b) + (k & (to->depth - 1)) * to->stride,
		    image_data(before, b) + (k & (from->depth - 1)) * from->stride, from->canary);
		atomic_store_explicit(&message->len,
		    atomic_load_explicit(&old->len, memory_order_relaxed), memory_order_relaxed);
		atomic_store_explicit(&message->state,
		    atomic_load_explicit(&old->state, memory_order_relaxed), memory_order_relaxed);
		number_put(&message->stamp, k + 1);
	}
}

static int links_carry(const struct image_view *before, const struct image_view *after)
{
	uint64_t *now = all_in_flight(before, true);
	int status = now == NULL ? -ENOMEM : 0;

	for (uint32_t b = 0; status == 0 && b < after->head->buffers.count; b++)
		if (now[b] > before->buffers[b].depth || now[b] > after->buffers[b].depth)
			status = -ENOBUFS;
	for (uint32_t b = 0; status == 0 && b < after->head->buffers.count; b++) {
		const uint64_t kept = before->buffers[b].tap;

		if (now[b] > 0 || kept > 0)
			messages_carry(before, after, b, now[b] > kept ? now[b] : kept);
	}
	free(now);
	return status;
}

/* What was counted for the waveform as a whole; a lane's row begins anew. */
static void run_carry(const struct image_view *before, const struct image_view *after)
{
	const struct image_run *from = image_run(before);
	struct image_run *to = image_run(after);
	uint64_t slots = 0;

	for (uint32_t s = 0; s < before->head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(before, s);

		slots = number_get(&state->slots) > slots ? number_get(&state->slots) : slots;
		number_put(&to->skipped, number_get(&to->skipped) + number_get(&state->skipped));
		number_put(&to->slipped, number_get(&to->slipped) + number_get(&state->slipped));
		number_put(&to->missed, number_get(&to->missed) + number_get(&state->missed));
	}
	number_put(&to->slots, number_get(&from->slots) + slots);
	number_put(&to->skipped, number_get(&to->skipped) + number_get(&from->skipped));
	number_put(&to->slipped, number_get(&to->slipped) + number_get(&from->slipped));
	number_put(&to->missed, number_get(&to->missed) + number_get(&from->missed));
	number_put(&to->last, number_get(&from->last));
	number_put(&to->remaps, number_get(&from->remaps) + 1);
}

/* The records of missed slots, and how many changes were applied: any segment may have them. */
static void records_carry(const struct image_segment_state *from, struct image_segment_state *to)
{
	const uint64_t misses = number_get(&from->misses);

	for (uint64_t m = misses > IMAGE_MISSES ? misses - IMAGE_MISSES : 0; m < misses; m++) {
		to->miss[number_get(&to->misses) % IMAGE_MISSES] = from->miss[m % IMAGE_MISSES];
		number_put(&to->misses, number_get(&to->misses) + 1);
	}
	number_put(&to->applied, number_get(&to->applied) + number_get(&from->applied));
}

static void taken_carry(const struct image_segment_state *from, struct image_segment_state *to)
{
	for (uint32_t i = 0; i < NODE_CHANGES; i++)
		if (number_get(&from->taken[i].sequence) > number_get(&to->taken[i].sequence)) {
			number_put(&to->taken[i].index, number_get(&from->taken[i].index));
			number_put(&to->taken[i].sequence, number_get(&from->taken[i].sequence));
		}
}

/* When the indices began that are still on their way to a sink. */
static void starts_carry(
    const struct image_view *before, const struct image_view *after, uint32_t source)
{
	const struct image_instance *old = &before->instances[source],
	                            *row = &after->instances[source];
	const struct image_segment_state *from = image_segment_state(before, old->segment);
	struct image_segment_state *to = image_segment_state(after, row->segment);

	for (uint64_t k = 0; k < IMAGE_STEPS; k++) {
		number_put(&to->start_ns[(k + row->lag) % IMAGE_STEPS],
		    number_get(&from->start_ns[(k + old->lag) % IMAGE_STEPS]));
		number_put(&to->slot[(k + row->lag) % IMAGE_STEPS],
		    number_get(&from->slot[(k + old->lag) % IMAGE_STEPS]));
	}
}

static void segments_carry(
    const struct image_view *before, const struct image_view *after, uint64_t step)
{
	const uint64_t n_before = before->head->segments.count,
	               n_after = after->head->segments.count;

	for (uint32_t t = 0; t < n_after; t++) {
		struct image_segment_state *to = image_segment_state(after, t);

		number_put(&to->done, step);
		for (uint32_t f = 0; f < n_before; f++)
			taken_carry(image_segment_state(before, f), to);
	}
	for (uint32_t f = 0; f < n_before; f++)
		records_carry(image_segment_state(before, f),
		    image_segment_state(after, f % (uint32_t)n_after));
	for (uint32_t i = 0; i < after->head->instances.count; i++)
		if (after->instances[i].source != 0)
			starts_carry(before, after, i);
}

/* None may be told that a change was taken which another has yet to see. */
static void even_changes(const struct image_view *before, const struct image_view *after)
{
	uint64_t least = IMAGE_FOREVER;

	for (uint32_t f = 0; f < before->head->segments.count; f++)
		if (number_get(&image_segment_state(before, f)->changes) < least)
			least = number_get(&image_segment_state(before, f)->changes);
	for (uint32_t t = 0; t < after->head->segments.count; t++)
		number_put(
		    &image_segment_state(after, t)->changes, least == IMAGE_FOREVER ? 0 : least);
}

int image_carry(const struct image_view *before, const struct image_view *after, uint64_t *ret_step)
{
	int status;

	assert(before->base != NULL && after->base != NULL);
	assert(before->base != after->base);
	if (!same_head(before->head, after->head) || after->head->segments.count == 0)
		return -EINVAL;
	status = links_carry(before, after);
	if (status != 0)
		return status;
	*ret_step = index_earliest(before, after);
	arrays_carry(before, after);
	run_carry(before, after);
	segments_carry(before, after, *ret_step);
	even_changes(before, after);
	for (uint32_t i = 0; i < after->head->instances.count; i++)
		instance_carry(before, after, i);
	return 0;
}
