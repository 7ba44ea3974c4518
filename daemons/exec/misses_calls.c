/* SPDX-License-Identifier: BSD-3-Clause
 *
 * misses_calls.c - the calls of the slots that were late last, copied from the rings of the
 * segments when the record of the miss is read, because short slots overwrite the rings within
 * milliseconds. */
#include <stdio.h>

#include "daemons/exec/misses.h"
#include "daemons/exec/report.h"

struct calls_look { /* at the calls of one slot */
	const struct exec_wave *wave;
	struct exec_calls *to;
	uint64_t to_ns; /* calls that begin before */
	uint32_t end;   /* of the room for the segment that is copied */
};

static const struct exec_calls *calls_find(const struct exec_misses *misses, uint64_t slot)
{
	const uint64_t end = misses != NULL ? misses->n_calls : 0;

	for (uint64_t n = end; n > 0 && end - n < CALLS_SLOTS; n--)
		if (misses->calls[(n - 1) % CALLS_SLOTS].slot == slot)
			return &misses->calls[(n - 1) % CALLS_SLOTS];
	return NULL;
}

/* What a sound host does not write is not kept. */
static bool event_is_sound(
    const struct image_view *view, uint32_t segment, const struct image_event *event)
{
	return event->instance < view->head->instances.count &&
	    view->instances[event->instance].segment == segment &&
	    event->step >= view->instances[event->instance].lag &&
	    event->ns <= UINT64_MAX - event->start_ns;
}

static void call_put(
    const struct calls_look *look, uint32_t segment, const struct image_event *event)
{
	const struct image_view *view = &look->wave->view;
	struct exec_calls *to = look->to;

	if (to->n == look->end) {
		to->left_out++;
		return;
	}
	to->call[to->n++] = (struct exec_call){.begin_ns = (int64_t)(event->start_ns - to->edge_ns),
	    .end_ns = (int64_t)(event->start_ns + event->ns - to->edge_ns),
	    .index = event->step - view->instances[event->instance].lag,
	    .instance = event->instance,
	    .lane = view->segments[segment].lane};
}

static void calls_reverse(struct exec_call *calls, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		const struct exec_call other = calls[i];

		calls[i] = calls[n - 1 - i];
		calls[n - 1 - i] = other;
	}
}

/* From the newest call back to the one that ended before the edge. The segment may write meanwhile:
 * what it may have overwritten, with the call that it writes, is taken out again. */
__attribute__((no_sanitize_thread)) static void segment_copy(
    const struct calls_look *look, uint32_t segment)
{
	const struct image_view *view = &look->wave->view;
	const struct image_segment_state *state = image_segment_state(view, segment);
	const struct image_event *ring = image_events(view, segment);
	const uint64_t size = view->segments[segment].n_events,
	               written = atomic_load(&state->events);
	const uint32_t before = look->to->n;
	uint64_t e = written, walked, spoiled;
	bool reached = false;

	while (e > 0 && written - e + 1 < size && !reached) {
		const struct image_event event = ring[--e % size];

		if (!event_is_sound(view, segment, &event)) {
			look->to->senseless++;
			continue;
		}
		reached = event.start_ns + event.ns <= look->to->edge_ns;
		if (!reached && event.start_ns < look->to_ns)
			call_put(look, segment, &event);
	}
	atomic_thread_fence(memory_order_acquire);
	walked = written - e;
	spoiled = atomic_load(&state->events) - written + walked + 1;
	spoiled = spoiled > size ? spoiled - size : 0; /* of those walked over, the oldest */
	look->to->n -= (uint32_t)(spoiled < look->to->n - before ? spoiled : look->to->n - before);
	look->to->whole &= (reached || e == 0) && spoiled == 0;
	calls_reverse(look->to->call + before, look->to->n - before);
}

static void cut_add(struct exec_calls *calls, uint32_t lane)
{
	for (uint32_t c = 0; c < calls->n_cut; c++)
		if (calls->cut[c] == lane)
			return;
	if (calls->n_cut < CALLS_CUT)
		calls->cut[calls->n_cut++] = lane;
}

/* At most so many calls of the segment. */
static void part_copy(struct calls_look *look, uint32_t segment, uint32_t most)
{
	const uint32_t left_out = look->to->left_out;

	look->end = look->to->n + most;
	segment_copy(look, segment);
	if (look->to->left_out > left_out)
		cut_add(look->to, look->wave->view.segments[segment].lane);
}

/* The late one has all that there is room for, the others have equal parts of the rest; what one
 * does not need is for those after it. */
static void segments_copy(struct calls_look *look, uint32_t late)
{
	const struct image_view *view = &look->wave->view;
	uint32_t n = 0;

	for (uint32_t s = 0; s < view->head->segments.count; s++)
		n += s != late && image_runs(view, s);
	part_copy(look, late, CALLS_KEPT);
	for (uint32_t s = 0; s < view->head->segments.count && n > 0; s++)
		if (s != late && image_runs(view, s))
			part_copy(look, s, (CALLS_KEPT - look->to->n) / n--);
}

void misses_calls_take(struct exec_wave *wave, uint32_t segment, const struct image_miss *miss)
{
	struct exec_misses *misses = wave->misses;
	const struct exec_calls *known = calls_find(misses, miss->slot);
	struct exec_calls *to = &misses->calls[CALLS_SLOTS];
	struct calls_look look = {.wave = wave,
	    .to = to,
	    .to_ns = miss->at_ns + image_span_ns(&wave->view, segment) + miss->late_ns};

	to->slot = miss->slot;
	to->edge_ns = miss->at_ns;
	to->n = to->left_out = to->senseless = to->n_cut = 0;
	to->whole = true;
	segments_copy(&look, segment);
	/* another segment was late in the same slot: the copy that has more is kept */
	if (known == NULL)
		misses->calls[misses->n_calls++ % CALLS_SLOTS] = *to;
	else if (to->n > known->n)
		misses->calls[known - misses->calls] = *to;
}

static json_t *call_json(const struct exec_wave *wave, const struct exec_call *call)
{
	json_t *o = json_object();

	put_text(o, "instance",
	    call->instance < wave->view.head->instances.count
	        ? image_text(&wave->view, wave->view.instances[call->instance].name)
	        : "");
	put_u64(o, "lane", call->lane);
	json_object_set_new(o, "begin_ns", json_integer(call->begin_ns));
	json_object_set_new(o, "end_ns", json_integer(call->end_ns));
	put_u64(o, "index", call->index);
	return o;
}

static void cut_words(const struct exec_calls *calls, char *ret, size_t size)
{
	size_t len = (size_t)snprintf(ret, size,
	    "only %d calls of a slot are kept, those of the late segment first; %u are not, of "
	    "lane%s",
	    CALLS_KEPT, calls->left_out, calls->n_cut > 1 ? "s" : "");

	for (uint32_t c = 0; c < calls->n_cut && len < size; c++)
		len += (size_t)snprintf(
		    ret + len, size - len, "%s %u", c > 0 ? "," : "", calls->cut[c]);
	if (calls->n_cut == CALLS_CUT && len < size)
		snprintf(ret + len, size - len, " and maybe others");
}

void misses_calls_put(const struct exec_wave *wave, const struct exec_miss *miss, json_t *o)
{
	const struct exec_calls *calls = calls_find(wave->misses, miss->miss.slot);
	json_t *array = json_array();
	char why[256] = "";

	for (uint32_t c = 0; calls != NULL && c < calls->n; c++)
		json_array_append_new(array, call_json(wave, &calls->call[c]));
	json_object_set_new(o, "calls", array);
	if (miss->miss.kind != IMAGE_MISS_LATE)
		snprintf(why, sizeof(why), "no step of this slot ended late");
	else if (calls == NULL)
		snprintf(why, sizeof(why), "only the calls of the last %d late slots are kept",
		    CALLS_SLOTS);
	else if (calls->left_out > 0)
		cut_words(calls, why, sizeof(why));
	else if (!calls->whole)
		snprintf(why, sizeof(why),
		    "earlier calls were overwritten before aloe-exec could read them");
	else if (calls->senseless > 0)
		snprintf(
		    why, sizeof(why), "records of calls that make no sense: %u", calls->senseless);
	put_text(o, "calls_missing", why);
}
