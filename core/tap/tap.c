/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/tap/tap.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <aloe/component.h>

#include "core/image/follow.h"

/* ---- which ---- */

static const struct image_output *output_of(const struct image_view *view, uint32_t buffer)
{
	const struct image_buffer *row = &view->buffers[buffer];

	return &view->outputs[view->instances[row->instance].outputs + row->port];
}

/* The port of a buffer is checked against the ports of all, not against those of its instance. */
static bool has_output(const struct image_view *view, uint32_t buffer)
{
	const struct image_buffer *row = &view->buffers[buffer];

	return row->port < view->instances[row->instance].n_outputs;
}

void tap_name(const struct image_view *view, uint32_t buffer, char *ret, size_t size)
{
	assert(buffer < view->head->buffers.count);
	assert(size > 0);
	ret[0] = 0;
	if (has_output(view, buffer))
		snprintf(ret, size, "%s.%s",
		    image_text(view, view->instances[view->buffers[buffer].instance].name),
		    image_text(view, output_of(view, buffer)->name));
}

int tap_find(const struct image_view *view, const char *name, uint32_t *ret_buffer)
{
	char have[256];

	for (uint32_t b = 0; b < view->head->buffers.count; b++) {
		tap_name(view, b, have, sizeof(have));
		if (have[0] == 0 || strcmp(have, name) != 0)
			continue;
		*ret_buffer = b;
		return 0;
	}
	return -ENOENT;
}

bool tap_can(const struct image_view *view, uint32_t buffer, uint32_t keep)
{
	const struct image_buffer *row = &view->buffers[buffer];

	assert(buffer < view->head->buffers.count);
	return row->depth > 1 && row->tap > 0 && row->depth > keep;
}

uint32_t tap_bytes(const struct image_view *view, uint32_t buffer)
{
	const struct image_buffer *row = &view->buffers[buffer];

	assert(buffer < view->head->buffers.count);
	return aloe_item_bytes(row->type) * row->max;
}

/* ---- where ---- */

/* The done-index of the writer, of all its places, read before the stamps that it vouches for. */
static uint64_t index_next(const struct tap *tap)
{
	const uint64_t next = image_next_least(tap->view, tap->view->buffers[tap->buffer].instance);

	atomic_thread_fence(memory_order_acquire);
	return next;
}

/* The oldest message that nobody may be writing over: a place may be ahead of the others. */
static uint64_t index_oldest(const struct tap *tap, uint64_t next)
{
	const struct image_buffer *row = &tap->view->buffers[tap->buffer];
	const uint64_t kept = row->depth - 1,
	               most = tap->view->instances[row->instance].places > 1
	    ? image_next_most(tap->view, row->instance)
	    : next;
	const uint64_t oldest = most > kept ? most - kept : 0;

	return oldest < next ? oldest : next;
}

void tap_init(struct tap *tap, const struct image_view *view, uint32_t buffer, uint64_t from)
{
	assert(buffer < view->head->buffers.count);
	*tap = (struct tap){.view = view, .buffer = buffer, .next = from, .every = 1};
	if (from == TAP_NOW)
		tap->next = index_next(tap);
}

void tap_last(struct tap *tap, uint64_t n)
{
	const uint64_t next = index_next(tap), oldest = index_oldest(tap, next);

	tap->next = next > n ? next - n : 0;
	tap->next = tap->next > oldest ? tap->next : oldest;
}

/* ---- what ---- */

/* The first index from k on that is wanted. */
static uint64_t index_wanted(const struct tap *tap, uint64_t k)
{
	const uint64_t over = tap->every > 1 ? k % tap->every : 0;

	return over == 0 ? k : k - over + tap->every;
}

static enum tap_status lost_take(struct tap *tap, uint64_t to, struct tap_message *ret)
{
	to = index_wanted(tap, to);
	*ret = (struct tap_message){.index = tap->next,
	    .count = (to - tap->next) / (tap->every > 1 ? tap->every : 1),
	    .state = ALOE_ABSENT};
	tap->counts.lost += ret->count;
	tap->counts.gaps++;
	tap->next = to;
	return TAP_LOST;
}

/* Who came too late would be too late for the next one again, so there is some room between. */
static enum tap_status range_lost(struct tap *tap, uint64_t next, struct tap_message *ret)
{
	const uint64_t oldest = index_oldest(tap, next),
	               room = tap->view->buffers[tap->buffer].depth / 4;

	return lost_take(tap, next - oldest > room ? oldest + room : oldest, ret);
}

static uint64_t index_first(const struct tap *tap)
{
	const uint32_t i = tap->view->buffers[tap->buffer].instance;
	const uint64_t first = atomic_load(&image_instance_state(tap->view, i)->first),
	               lag = tap->view->instances[i].lag;

	return first > lag ? first - lag : 0;
}

/* The first index from the reader's on that is not from before the ring: a place that was never
 * written, of an index that ran before the ring was made by a remap. */
static uint64_t index_since(const struct tap *tap, uint64_t next)
{
	const struct image_message *messages = image_messages(tap->view, tap->buffer);
	const uint64_t mask = tap->view->buffers[tap->buffer].depth - 1,
	               oldest = index_oldest(tap, next), first = index_first(tap),
	               begin = tap->next > oldest ? tap->next : oldest,
	               end = first < next ? first : next;
	uint64_t k = begin;

	while (
	    k < end && atomic_load_explicit(&messages[k & mask].stamp, memory_order_acquire) == 0)
		k++;
	return k > begin ? k : tap->next;
}

static enum tap_status earlier_take(struct tap *tap, uint64_t to, struct tap_message *ret)
{
	to = index_wanted(tap, to);
	*ret = (struct tap_message){.index = tap->next,
	    .count = (to - tap->next) / (tap->every > 1 ? tap->every : 1),
	    .state = ALOE_ABSENT};
	tap->counts.earlier += ret->count;
	tap->next = to;
	return TAP_EARLIER;
}

static bool is_damaged(const struct tap *tap, const struct tap_message *message)
{
	return message->len > tap->view->buffers[tap->buffer].max ||
	    (message->state != ALOE_VALID && message->state != ALOE_IDLE &&
	        message->state != ALOE_ABSENT);
}

/* Copies between two looks at the stamp; false: it is not that message, or no longer. */
static bool message_copy(const struct tap *tap, void *items, struct tap_message *ret)
{
	const struct image_buffer *row = &tap->view->buffers[tap->buffer];
	const uint64_t place = tap->next & (row->depth - 1);
	const struct image_message *message = &image_messages(tap->view, tap->buffer)[place];

	if (atomic_load_explicit(&message->stamp, memory_order_acquire) != tap->next + 1)
		return false;
	*ret = (struct tap_message){.index = tap->next,
	    .count = 1,
	    .state = atomic_load_explicit(&message->state, memory_order_relaxed),
	    .len = atomic_load_explicit(&message->len, memory_order_relaxed)};
	if (ret->state == ALOE_VALID && !is_damaged(tap, ret)) {
		ret->bytes = ret->len * aloe_item_bytes(row->type);
		memcpy(items, image_data(tap->view, tap->buffer) + place * row->stride, ret->bytes);
	}
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&message->stamp, memory_order_relaxed) == tap->next + 1;
}

static enum tap_status message_take(struct tap *tap, struct tap_message *ret)
{
	if (is_damaged(tap, ret)) {
		tap->counts.damaged++;
		ret->state = ALOE_ABSENT;
	}
	if (ret->state != ALOE_VALID)
		ret->len = ret->bytes = 0;
	tap->counts.messages++;
	tap->counts.idle += ret->state == ALOE_IDLE;
	tap->counts.absent += ret->state == ALOE_ABSENT;
	tap->next++;
	return TAP_MESSAGE;
}

static bool has_ended(const struct tap *tap)
{
	const struct image_view *view = tap->view;
	const uint64_t last = atomic_load(&image_run(view)->last);
	const uint32_t run_on = view->instances[view->buffers[tap->buffer].instance].run_on;

	return last != IMAGE_FOREVER && tap->next > last && tap->next - last > run_on;
}

enum tap_status tap_next(struct tap *tap, void *items, struct tap_message *ret)
{
	uint64_t next = index_next(tap), since;

	tap->next = index_wanted(tap, tap->next);
	if (has_ended(tap))
		return TAP_END;
	if (tap->next >= next)
		return TAP_WAIT;
	since = index_since(tap, next);
	if (since > tap->next)
		return earlier_take(tap, since, ret);
	if (tap->next < index_oldest(tap, next))
		return range_lost(tap, next, ret);
	if (message_copy(tap, items, ret))
		return message_take(tap, ret);
	next = index_next(tap);
	if (tap->next < index_oldest(tap, next))
		return range_lost(tap, next, ret);
	/* Nobody writes there: the index was never run. */
	*ret = (struct tap_message){.index = tap->next, .count = 1, .state = ALOE_ABSENT};
	tap->counts.skipped++;
	return message_take(tap, ret);
}
