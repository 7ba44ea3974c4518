/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace_calls.c - the calls of a waveform's instances, copied from the rings of its segments, and
 * which of them wrote what another read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/exec/trace.h"

/* CLOCKS_NS: a step begins by the kernel's clock and goes on by the fast clock of core/base, which
 * may differ by so much. */
enum { CALLS_MAX = 200000, CLOCKS_NS = 20000 };

/* ---- reading ------------------------------------------------------------------------ */

/* Calls of one segment come one after another. */
static bool call_is_sound(const struct image_view *view, uint32_t segment,
    const struct image_event *event, const struct traced_call *before)
{
	return event->instance < view->head->instances.count &&
	    view->instances[event->instance].segment == segment &&
	    event->start_ns <= UINT64_MAX - event->ns - CLOCKS_NS &&
	    event->step >= view->instances[event->instance].lag &&
	    (before == NULL ||
	        (event->start_ns + CLOCKS_NS >= before->end_ns && event->step >= before->step));
}

static struct traced_call call_of(
    uint32_t segment, const struct image_event *event, const struct traced_call *before)
{
	struct traced_call call = {.start_ns = event->start_ns,
	    .end_ns = event->start_ns + event->ns,
	    .step = event->step,
	    .instance = event->instance,
	    .segment = segment};

	if (before != NULL && call.start_ns < before->end_ns)
		call.start_ns = before->end_ns;
	if (call.end_ns < call.start_ns)
		call.end_ns = call.start_ns;
	return call;
}

/* Copies, and looks only then how many of the copies may have been overwritten meanwhile: those
 * that the ring had no place for any more, with the call that is being written. */
__attribute__((no_sanitize_thread)) static size_t ring_copy(const struct image_view *view,
    uint32_t segment, struct image_event *to, uint64_t *ret_overwritten)
{
	const struct image_event *ring = image_events(view, segment);
	const struct image_segment_state *state = image_segment_state(view, segment);
	const uint64_t size = view->segments[segment].n_events,
	               written = atomic_load(&state->events),
	               from = written >= size ? written - size + 1 : 0;
	uint64_t after, whole, gone;

	for (uint64_t e = from; e < written; e++)
		to[e - from] = ring[e % size];
	atomic_thread_fence(memory_order_acquire);
	after = atomic_load(&state->events);
	whole = after >= size ? after - size + 1 : 0;
	whole = whole < written ? whole : written;
	gone = whole > from ? whole - from : 0;
	memmove(to, to + gone, (written - from - gone) * sizeof(*to));
	*ret_overwritten = gone;
	return written - from - gone;
}

static void ring_take(const struct image_view *view, uint32_t segment, struct image_event *events,
    struct traced_calls *ret)
{
	const struct image_segment_state *state = image_segment_state(view, segment);
	const struct traced_call *before = NULL;
	uint64_t gone;
	const size_t n = ring_copy(view, segment, events, &gone);

	ret->overwritten += gone;
	for (size_t i = 0; i < n; i++) {
		struct traced_call *call = &ret->calls[ret->n];

		if (!call_is_sound(view, segment, &events[i], before)) {
			ret->senseless++;
			continue;
		}
		*call = call_of(segment, &events[i], before);
		if (before == NULL)
			ret->rings[segment].oldest_ns = call->start_ns;
		before = call;
		ret->n++;
	}
	ret->rings[segment].wrapped =
	    atomic_load(&state->events) >= view->segments[segment].n_events;
	if (before != NULL && before->end_ns > ret->newest_ns)
		ret->newest_ns = before->end_ns;
}

int calls_read(const struct image_view *view, struct traced_calls *ret)
{
	const uint64_t n_segments = view->head->segments.count;
	struct image_event *events;
	size_t sum = 1, most = 1;

	for (uint32_t s = 0; s < n_segments; s++) {
		const size_t size = image_runs(view, s) ? view->segments[s].n_events : 0;

		sum += size;
		most = size > most ? size : most;
	}
	*ret = (struct traced_calls){.calls = malloc(sum * sizeof(*ret->calls)),
	    .rings = calloc(n_segments + 1, sizeof(*ret->rings))};
	events = malloc(most * sizeof(*events));
	for (uint32_t s = 0; events && ret->calls && ret->rings && s < n_segments; s++)
		if (image_runs(view, s))
			ring_take(view, s, events, ret);
	free(events);
	return events != NULL && ret->calls != NULL && ret->rings != NULL ? 0 : -ENOMEM;
}

void calls_free(struct traced_calls *calls)
{
	free(calls->calls);
	free(calls->rings);
	free(calls->by_step);
	free(calls->links);
	free(calls->first);
	*calls = (struct traced_calls){0};
}

/* ---- cutting ------------------------------------------------------------------------ */

static int time_compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Leaves what began at from_ns or later. */
static void calls_since(struct traced_calls *calls, uint64_t from_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < calls->n; i++)
		if (calls->calls[i].start_ns >= from_ns)
			calls->calls[n++] = calls->calls[i];
	calls->n = n;
}

/* Of too many calls the newest are kept. */
static int calls_bound(struct traced_calls *calls)
{
	const size_t all = calls->n;
	uint64_t *times;

	if (all <= CALLS_MAX)
		return 0;
	times = malloc(all * sizeof(*times));
	if (times == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < all; i++)
		times[i] = calls->calls[i].start_ns;
	qsort(times, all, sizeof(*times), time_compare);
	calls_since(calls, times[all - CALLS_MAX]);
	calls->left_out = all - calls->n;
	free(times);
	return 0;
}

static int step_compare(const void *a, const void *b, void *self)
{
	const struct traced_calls *calls = self;
	const struct traced_call *x = &calls->calls[*(const size_t *)a],
	                         *y = &calls->calls[*(const size_t *)b];

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

/* Counts the links from each instance, then puts each link behind those before it. */
static void links_fill(const struct image_view *view, struct traced_calls *calls)
{
	const uint64_t n = view->head->instances.count;

	for (uint32_t i = 0; i < view->head->inputs.count; i++)
		if (view->inputs[i].buffer != IMAGE_NONE)
			calls->first[view->buffers[view->inputs[i].buffer].instance + 1]++;
	for (uint64_t i = 0; i <= n; i++)
		calls->first[i + 1] += calls->first[i];
	for (uint32_t i = (uint32_t)n; i-- > 0;) {
		const struct image_instance *to = &view->instances[i];

		for (uint32_t p = to->inputs; p < to->inputs + to->n_inputs; p++) {
			const struct image_input *input = &view->inputs[p];
			uint32_t from;

			if (input->buffer == IMAGE_NONE)
				continue;
			from = view->buffers[input->buffer].instance;
			calls->links[--calls->first[from + 1]] =
			    (struct traced_link){from, i, p, input->delay};
		}
	}
}

int calls_cut(const struct image_view *view, uint64_t from_ns, struct traced_calls *calls)
{
	calls_since(calls, from_ns);
	if (calls_bound(calls) != 0)
		return -ENOMEM;
	calls->by_step = calloc(calls->n + 1, sizeof(*calls->by_step));
	calls->links = calloc(view->head->inputs.count + 1, sizeof(*calls->links));
	calls->first = calloc(view->head->instances.count + 2, sizeof(*calls->first));
	if (calls->by_step == NULL || calls->links == NULL || calls->first == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < calls->n; i++)
		calls->by_step[i] = i;
	qsort_r(calls->by_step, calls->n, sizeof(*calls->by_step), step_compare, calls);
	links_fill(view, calls);
	return 0;
}

/* ---- links ------------------------------------------------------------------------ */

static const struct traced_call *call_find(
    const struct traced_calls *calls, uint32_t instance, uint64_t step)
{
	size_t low = 0, high = calls->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct traced_call *call = &calls->calls[calls->by_step[middle]];

		if (call->instance == instance && call->step == step)
			return call;
		if (call->instance < instance || (call->instance == instance && call->step < step))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct traced_call *calls_writer(const struct image_view *view,
    const struct traced_calls *calls, const struct traced_call *reader,
    const struct image_input *input)
{
	const uint64_t index = reader->step - view->instances[reader->instance].lag;
	const struct traced_call *writer;
	uint32_t from;

	if (input->buffer == IMAGE_NONE || index < input->delay)
		return NULL;
	from = view->buffers[input->buffer].instance;
	writer = call_find(calls, from, index - input->delay + view->instances[from].lag);
	return writer != NULL && writer->end_ns <= reader->start_ns ? writer : NULL;
}

const struct traced_call *calls_reader(const struct image_view *view,
    const struct traced_calls *calls, const struct traced_call *writer,
    const struct traced_link *link)
{
	const uint64_t index = writer->step - view->instances[writer->instance].lag + link->delay;
	const struct traced_call *reader =
	    call_find(calls, link->to, index + view->instances[link->to].lag);

	return reader != NULL && writer->end_ns <= reader->start_ns ? reader : NULL;
}
