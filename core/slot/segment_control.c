/* SPDX-License-Identifier: BSD-3-Clause
 *
 * segment_control.c - binds a segment to its image. [control] */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "core/slot/lane_count.h"
#include "core/slot/segment.h"

static bool shares_lane(const struct image_view *view, uint32_t number)
{
	for (uint32_t s = 0; s < view->head->segments.count; s++)
		if (s != number && view->segments[s].lane == view->segments[number].lane)
			return true;
	return false;
}

static bool waited_for(const struct image_view *view, uint32_t number)
{
	for (uint32_t g = 0; g < view->head->gates.count; g++)
		if (view->gates[g].segment == number)
			return true;
	return false;
}

/* Not where somebody counts each call against a budget, or puts the times of slots together: the
 * segments of a lane, and nodes. */
static bool may_skip_times(const struct segment *segment, const struct image_view *view)
{
	bool may = view->head->clock == IMAGE_VIRTUAL && view->head->nodes.count <= 1 &&
	    !segment->skip && segment->has_lane;

	assert(segment->instances != NULL);
	assert(segment->stride > 0);
	for (uint32_t i = 0; i < segment->n_instances; i++) {
		const struct instance *it = segment->instances[i];

		assert(it != NULL);
		may = may && it->period != INSTANCE_BESIDE &&
		    (view->instances[it->number].io & IMAGE_BUDGET_GIVEN) == 0;
	}
	return may;
}

/* Some sink is at an index in a step that may be timed when the source was there in one that is
 * not. */
static bool starts_count(const struct image_view *view, uint32_t number)
{
	assert(number < view->head->segments.count);
	assert(view->instances != NULL);
	for (uint32_t i = 0; i < view->head->instances.count; i++) {
		const struct image_instance *sink = &view->instances[i];
		const struct image_instance *source =
		    sink->sink != 0 ? &view->instances[sink->sink - 1] : sink;

		if (source->segment == number &&
		    (sink->segment != number || sink->lag != source->lag))
			return true;
	}
	return false;
}

int segment_init(struct segment *segment, const struct image_view *view, uint32_t number,
    struct instance *instances, const struct node_control *control)
{
	const struct image_segment *row = &view->segments[number];

	assert(number < view->head->segments.count);
	assert(instances != NULL);
	assert(control != NULL);
	assert(row->n_events > 0);
	assert(row->n_gates == 0 || view->head->segments.count > 1);
	*segment = (struct segment){
	    .n_instances = row->n_instances,
	    .n_gates = row->n_gates,
	    .state = image_segment_state(view, number),
	    .run = image_run(view),
	    .control = control,
	    .events = image_events(view, number),
	    .n_events = row->n_events,
	    .slot_ns = view->head->slot_ns,
	    .end = row->end,
	    .skip = view->head->late == IMAGE_SKIP,
	    .counts_misses = image_timed(view->head->clock) && !view->head->radio_fast,
	    .next_slot = IMAGE_FOREVER,
	    .beside_step = IMAGE_FOREVER,
	    .lane = image_lane_state(view, row->lane),
	    .last_of_lane = view->lanes[row->lane].last == number,
	    .shares_lane = shares_lane(view, number),
	    .alone = view->head->clock != IMAGE_VIRTUAL || !waited_for(view, number),
	    .starts = starts_count(view, number),
	    .holds = view->holds,
	    .n_holds = view->head->holds.count,
	};
	segment_stride_set(segment, row->stride);
	if (atomic_load(&segment->state->done) == 0) /* it begins with the first step of its own */
		atomic_store(&segment->state->done, row->turn);
	clock_fast_init(&segment->clock);
	segment->event = (uint32_t)(atomic_load(&segment->state->events) % row->n_events);
	segment->instances = calloc(row->n_instances + 1, sizeof(struct instance *));
	segment->io = calloc(row->n_instances + 1, sizeof(struct instance *));
	segment->gates = calloc(row->n_gates + 1, sizeof(struct segment_gate));
	if (segment->instances == NULL || segment->io == NULL || segment->gates == NULL) {
		segment_fini(segment);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < row->n_instances; i++) {
		segment->instances[i] = &instances[view->order[row->order + i]];
		segment->instances[i]->lacks = &segment->lacks;
		if (segment->instances[i]->records > 0)
			segment->io[segment->n_io++] = segment->instances[i];
	}
	segment->may_skip_times = may_skip_times(segment, view);
	for (uint32_t g = 0; g < row->n_gates; g++) {
		const struct image_gate *gate = &view->gates[row->gates + g];
		struct image_segment_state *state = image_segment_state(view, gate->segment);

		segment->gates[g] = (struct segment_gate){&state->done, state, gate->offset};
	}
	return 0;
}

void segment_fini(struct segment *segment)
{
	free(segment->instances);
	free(segment->io);
	free(segment->gates);
	segment->instances = NULL;
	segment->io = NULL;
	segment->gates = NULL;
}
