/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/image/damage.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static uint64_t number_get(const _Atomic uint64_t *number)
{
	return atomic_load_explicit(number, memory_order_relaxed);
}

static bool counts_sound(const _Atomic uint64_t *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (number_get(all[i]) > IMAGE_COUNT_MAX)
			return false;
	return true;
}
#define COUNTS(...)                                                                                \
	counts_sound((const _Atomic uint64_t *const[]){__VA_ARGS__},                               \
	    sizeof((const _Atomic uint64_t *const[]){__VA_ARGS__}) /                               \
	        sizeof(const _Atomic uint64_t *))

/* Its parts are read while they are written, and its writer may have died in between: they need not
 * agree. */
static bool times_sound(const uint64_t *count, const uint64_t *largest)
{
	return hist_load(count) <= IMAGE_COUNT_MAX && hist_load(largest) <= IMAGE_COUNT_MAX;
}

bool image_hist_sound(const struct hist *hist)
{
	return times_sound(&hist->count, &hist->largest);
}

bool image_time_sound(const struct hist_head *time)
{
	return times_sound(&time->count, &time->largest);
}

__attribute__((format(printf, 3, 4))) static bool damage_say(
    struct image_damage *ret, uint32_t host, const char *format, ...)
{
	va_list args;

	ret->host = host;
	va_start(args, format);
	vsnprintf(ret->what, sizeof(ret->what), format, args);
	va_end(args);
	return true;
}

/* ---- what concerns all hosts ---- */

static bool radio_damaged(const struct image_radio_state *radio)
{
	for (int c = 0; c < IMAGE_RADIO_CHANNELS_MAX; c++)
		if (number_get(&radio->trouble[c]) >= IMAGE_RADIO_TROUBLES)
			return true;
	return number_get(&radio->n_channels) > IMAGE_RADIO_CHANNELS_MAX;
}

static bool run_damaged(const struct image_view *view)
{
	const struct image_run *run = image_run(view);
	const uint32_t fault = atomic_load_explicit(&run->fault, memory_order_relaxed);

	return (fault > view->head->instances.count && fault != UINT32_MAX) ||
	    (number_get(&run->last) > IMAGE_COUNT_MAX && number_get(&run->last) != IMAGE_FOREVER) ||
	    radio_damaged(&run->radio) ||
	    !COUNTS(&run->remaps, &run->slots, &run->slipped, &run->skipped, &run->missed);
}

bool image_segment_damaged(const struct image_segment_state *state, uint32_t n_instances)
{
	return atomic_load_explicit(&state->current, memory_order_relaxed) > n_instances ||
	    atomic_load_explicit(&state->ended, memory_order_relaxed) > 1 ||
	    !COUNTS(&state->done, &state->slots, &state->events, &state->changes, &state->applied,
	        &state->misses, &state->slipped, &state->skipped, &state->missed,
	        &state->caught_up);
}

static bool segment_damaged(const struct image_view *view, uint32_t s)
{
	const struct image_segment_state *state = image_segment_state(view, s);
	const uint32_t current = atomic_load_explicit(&state->current, memory_order_relaxed);

	assert(s < view->head->segments.count);
	if (image_segment_damaged(state, (uint32_t)view->head->instances.count))
		return true;
	return current != 0 && current <= view->head->instances.count &&
	    view->instances[current - 1].segment != s;
}

bool image_wall_broken(const uint8_t *wall)
{
	uint64_t word;

	for (size_t i = 0; i < IMAGE_WALL; i += sizeof(word)) {
		memcpy(&word, wall + i, sizeof(word));
		if (word != IMAGE_CANARY)
			return true;
	}
	return false;
}

bool image_damage_quick(const struct image_view *view, struct image_damage *ret)
{
	if (run_damaged(view))
		return damage_say(ret, IMAGE_NONE, "the record of its run");
	for (uint32_t s = 0; s < view->head->segments.count; s++)
		if (segment_damaged(view, s))
			return damage_say(ret, IMAGE_NONE,
			    "the record of a segment's steps, on CPU %d",
			    view->lanes[view->segments[s].lane].cpu);
	for (uint32_t h = 0; h < view->head->hosts.count; h++) {
		if (image_wall_broken(view->base + view->hosts[h].offset))
			return damage_say(ret, h, "memory before its instances' records");
		if (image_wall_broken(view->base + view->hosts[h].links - IMAGE_WALL))
			return damage_say(
			    ret, h, "memory between its instances' records and its links");
	}
	return false;
}

/* ---- the rest ------------------------------------------------------------------------ */

static bool instance_damaged(const struct image_view *view, uint32_t i)
{
	const struct image_instance_state *state = image_instance_state(view, i);

	assert(i < view->head->instances.count);
	return !image_time_sound(image_time(view, i)) ||
	    !COUNTS(&state->idle, &state->absent, &state->late, &state->overwritten,
	        &state->overruns, &state->io_waits, &state->io_lost, &state->port_count,
	        &state->first, &state->untimed);
}

static bool buffer_damaged(const struct image_view *view, uint32_t b)
{
	const struct image_buffer *row = &view->buffers[b];

	assert(b < view->head->buffers.count);
	for (uint32_t m = 0; m < row->depth; m++)
		if (image_canaries(image_data(view, b) + m * row->stride, row->canary) != 0 ||
		    number_get(&image_messages(view, b)[m].stamp) > IMAGE_COUNT_MAX)
			return true;
	return false;
}

static uint32_t host_of(const struct image_view *view, uint32_t instance)
{
	assert(instance < view->head->instances.count);
	return view->segments[view->instances[instance].segment].host;
}

bool image_damage_all(const struct image_view *view, struct image_damage *ret)
{
	assert(view->base != NULL);
	if (image_damage_quick(view, ret))
		return true;
	for (uint32_t i = 0; i < view->head->instances.count; i++)
		if (image_runs(view, view->instances[i].segment) && instance_damaged(view, i))
			return damage_say(ret, host_of(view, i), "the record of instance \"%s\"",
			    image_text(view, view->instances[i].name));
	for (uint32_t b = 0; b < view->head->buffers.count; b++) {
		const uint32_t i = view->buffers[b].instance;

		if (image_runs(view, view->instances[i].segment) && buffer_damaged(view, b))
			return damage_say(ret, host_of(view, i),
			    "memory at the messages of output %u of instance \"%s\"",
			    view->buffers[b].port, image_text(view, view->instances[i].name));
	}
	return false;
}
