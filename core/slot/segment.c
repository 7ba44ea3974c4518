/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/segment.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/component/param.h"

enum {
	SAMPLE_EVERY = 128,
	SPINS = 2000
}; /* fewer than 1 in 100: a p99 is that of steps as they are */

/* ---- [control] --------------------------------------------------------------------------------------------------------- */

static bool shares_lane(const struct image_view *view, uint32_t number)
{
	for (uint32_t s = 0; s < view->head->segments.count; s++)
		if (s != number && view->segments[s].lane == view->segments[number].lane)
			return true;
	return false;
}

int segment_init(struct segment *segment, const struct image_view *view, uint32_t number,
    struct instance *instances, const struct node_control *control)
{
	const struct image_segment *row = &view->segments[number];

	*segment = (struct segment){
	    .n_instances = row->n_instances,
	    .n_gates = row->n_gates,
	    .state = image_segment_state(view, number),
	    .run = image_run(view),
	    .control = control,
	    .events = image_events(view, number),
	    .n_events = row->n_events,
	    .slot_ns = view->head->slot_ns,
	    .lag_max = row->lag_max,
	    .skip = view->head->late == IMAGE_SKIP,
	    .counts_misses = image_timed(view->head->clock),
	    .last_slot = IMAGE_FOREVER,
	    .lane = image_lane_state(view, row->lane),
	    .last_of_lane = view->lanes[row->lane].last == number,
	    .shares_lane = shares_lane(view, number),
	    .alone = view->head->segments.count == 1,
	};
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
		if (segment->instances[i]->records > 0)
			segment->io[segment->n_io++] = segment->instances[i];
	}
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

/* ---- [slot] ------------------------------------------------------------------------------------------------------------ */

static inline uint64_t done_of(const struct segment *segment)
{
	return atomic_load_explicit(&segment->state->done, memory_order_relaxed);
}

static inline uint64_t last_index(const struct segment *segment)
{
	const uint64_t run = atomic_load_explicit(&segment->run->last, memory_order_relaxed);
	const uint64_t order = atomic_load_explicit(&segment->control->last, memory_order_relaxed);

	return run < order ? run : order;
}

static inline void last_lower(struct segment *segment, uint64_t k)
{
	uint64_t have = atomic_load(&segment->run->last);

	while (k < have && !atomic_compare_exchange_weak(&segment->run->last, &have, k))
		;
}

static inline bool called(const struct instance *it, uint64_t k)
{
	return it->period == 1 || k % it->period == it->phase;
}

static inline void bump(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(
	    counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static bool ended(const struct segment *segment, uint64_t step, uint64_t last)
{
	return last != IMAGE_FOREVER && step > last + segment->lag_max;
}

static inline bool gate_open(const struct segment_gate *gate, uint64_t step)
{
	return (int64_t)atomic_load_explicit(gate->done, memory_order_acquire) >=
	    (int64_t)step + gate->offset ||
	    atomic_load_explicit(&gate->state->ended, memory_order_acquire) != 0;
}

static bool records_there(const struct segment *segment, uint64_t step, uint64_t last)
{
	for (uint32_t i = 0; i < segment->n_io; i++) {
		const struct instance *it = segment->io[i];
		const uint64_t k = step - it->lag;

		if (step >= it->first && k <= last && called(it, k) && !instance_can(it))
			return false;
	}
	return true;
}

enum segment_status segment_ready(
    const struct segment *segment, const struct segment_gate **ret_gate)
{
	const uint64_t step = done_of(segment);
	uint64_t last;

	*ret_gate = NULL;
	if (atomic_load_explicit(&segment->run->fault, memory_order_relaxed) != 0)
		return SEGMENT_STOPPED;
	for (uint32_t g = 0; g < segment->n_gates; g++) {
		const struct segment_gate *gate = &segment->gates[g];

		if (!gate_open(gate, step)) {
			*ret_gate = gate;
			break;
		}
	}
	last = last_index(segment);
	if (ended(segment, step, last))
		return SEGMENT_ENDED;
	if (step >= atomic_load_explicit(&segment->control->limit, memory_order_acquire))
		return SEGMENT_PAUSED;
	if (*ret_gate != NULL || !records_there(segment, step, last))
		return SEGMENT_WAITS;
	return SEGMENT_RAN;
}

static bool runs(const struct segment *segment, uint32_t instance)
{
	for (uint32_t i = 0; i < segment->n_instances; i++)
		if (segment->instances[i]->number == instance)
			return true;
	return false;
}

static void changes_pull(struct segment *segment, uint64_t written)
{
	for (; segment->changes_seen < written && segment->n_pending < NODE_CHANGES;
	     segment->changes_seen++) {
		const struct node_change *change =
		    &segment->control->change[segment->changes_seen % NODE_CHANGES];

		if (runs(segment, change->instance))
			segment->pending[segment->n_pending++] = *change;
	}
	atomic_store_explicit(
	    &segment->state->changes, segment->changes_seen, memory_order_release);
}

void segment_follow(struct segment *segment, struct segment *before, uint64_t written)
{
	changes_pull(before, written);
	for (uint32_t i = 0; i < before->n_pending && segment->n_pending < NODE_CHANGES; i++)
		if (runs(segment, before->pending[i].instance))
			segment->pending[segment->n_pending++] = before->pending[i];
	segment->changes_seen = written;
	atomic_store_explicit(&segment->state->changes, written, memory_order_release);
}

static void change_apply(struct instance *it, const struct node_change *change, uint64_t step)
{
	const struct aloe_param *param;
	uint64_t bits;

	if (change->param >= it->component->params.len || change->param >= IMAGE_PARAMS_MAX)
		return;
	param = &it->component->params.items[change->param];
	if (it->live != NULL && param_is_live_array(param)) {
		live_swap(it->live, change->param, change->sequence, step);
		return;
	}
	if (!(param->flags & ALOE_LIVE) || param_set_number(param, it->state, change->number) != 0)
		return;
	memcpy(&bits, &change->number, sizeof(bits));
	atomic_store_explicit(&it->stats->params[change->param], bits, memory_order_relaxed);
}

/* The first of those due: by index, then in the order in which they were sent; `next` takes the index that comes. */
static struct node_change *change_first(
    struct segment *segment, const struct instance *it, uint64_t k)
{
	struct node_change *first = NULL;

	for (uint32_t i = 0; i < segment->n_pending; i++) {
		struct node_change *change = &segment->pending[i];

		if (change->index == IMAGE_FOREVER && change->instance == it->number)
			change->index = k;
		if (change->instance == it->number && change->index <= k &&
		    (first == NULL || change->index < first->index ||
		        (change->index == first->index && change->sequence < first->sequence)))
			first = change;
	}
	return first;
}

/* One that was sent long before and had its index named is not asked for any more. */
static void change_taken(struct segment *segment, uint64_t sequence, uint64_t k)
{
	struct image_taken *taken = &segment->state->taken[sequence % NODE_CHANGES];

	if (atomic_load_explicit(&taken->sequence, memory_order_relaxed) > sequence)
		return;
	atomic_store_explicit(&taken->index, k, memory_order_relaxed);
	atomic_store_explicit(&taken->sequence, sequence, memory_order_release);
}

static void changes_due(struct segment *segment, struct instance *it, uint64_t k)
{
	struct node_change *change;

	while ((change = change_first(segment, it, k)) != NULL) {
		change_apply(it, change, k + it->lag);
		change_taken(segment, change->sequence, k);
		bump(&segment->state->applied, 1);
		*change = segment->pending[--segment->n_pending];
	}
}

static void fault(struct segment *segment, const struct instance *it, int status)
{
	uint32_t none = 0;
	struct image_run *run = segment->run;

	if (!atomic_compare_exchange_strong(&run->fault, &none, UINT32_MAX))
		return;
	run->code = status;
	run->index = it->slot.index;
	strncpy(run->why, it->slot.why != NULL ? it->slot.why : "", sizeof(run->why) - 1);
	atomic_store(&run->fault, it->number + 1);
}

static inline void sink_latency(struct instance *it, uint64_t k, uint64_t slot, uint64_t now)
{
	const uint64_t at = (k + it->source_lag) % IMAGE_STEPS;
	const uint64_t began =
	    atomic_load_explicit(&it->source_state->start_ns[at], memory_order_relaxed);
	const uint64_t slots =
	    slot - atomic_load_explicit(&it->source_state->slot[at], memory_order_relaxed) + 1;

	/* With declared delays a sink may be at an index before its source: nothing to measure then. */
	if (began == 0 || began > now || slots - 1 >= IMAGE_STEPS)
		return;
	it->latency_ns = now - began;
	hist_add(&it->latency->ns, it->latency_ns);
	if (slots < atomic_load_explicit(&it->latency->slots_min, memory_order_relaxed))
		atomic_store_explicit(&it->latency->slots_min, slots, memory_order_relaxed);
	if (slots > atomic_load_explicit(&it->latency->slots_max, memory_order_relaxed))
		atomic_store_explicit(&it->latency->slots_max, slots, memory_order_relaxed);
}

static inline void event_add(
    struct segment *segment, const struct instance *it, uint64_t step, uint64_t start, uint64_t ns)
{
	const uint64_t n = atomic_load_explicit(&segment->state->events, memory_order_relaxed);

	segment->events[segment->event] = (struct image_event){
	    start, step, ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns, it->number};
	segment->event = segment->event + 1 < segment->n_events ? segment->event + 1 : 0;
	atomic_store_explicit(&segment->state->events, n + 1, memory_order_release);
}

static void visits_make(struct segment *segment)
{
	for (uint32_t i = 0; i < segment->n_visits; i++)
		hist_head_visit(
		    segment->visits[i].head, segment->visits[i].cells, segment->visits[i].cell);
	segment->n_visits = 0;
}

static inline void time_add(struct segment *segment, struct instance *it, uint64_t ns)
{
	const uint32_t cell = hist_head_add(it->time, ns);

	if (cell == HIST_NO_CELL)
		return;
	if (segment->n_visits == SEGMENT_VISITS)
		visits_make(segment);
	__builtin_prefetch(&it->stats->time_cells.low[cell], 1);
	segment->visits[segment->n_visits++] =
	    (struct segment_visit){it->time, &it->stats->time_cells, cell};
}

static inline uint64_t time_after(const struct segment *segment, uint64_t start)
{
	const uint64_t now = clock_fast_ns(&segment->clock);

	return now > start ? now : start;
}

static inline bool sampled(uint64_t step)
{
	return step % SAMPLE_EVERY == 0;
}

/* One instance in one step; returns the time at its end, which is the start of the next. */
static inline uint64_t step_instance(struct segment *segment, struct instance *it, uint64_t k,
    uint64_t step, uint64_t slot, uint64_t start)
{
	uint64_t now;
	int status;

	atomic_store_explicit(&segment->state->current, it->number + 1, memory_order_relaxed);
	if (segment->n_pending > 0)
		changes_due(segment, it, k);
	if (sampled(step)) {
		status = instance_call_sampled(it, k, segment->skip);
		segment->work_ns += it->work_ns;
	} else {
		status = instance_call(it, k, segment->skip);
	}
	if (it->slot.flags & ALOE_SLOT_END)
		last_lower(segment, k);
	now = time_after(segment, start);
	time_add(segment, it, now - start);
	if (it->budget_ns != 0 && now - start > it->budget_ns)
		bump(&it->stats->overruns, 1);
	event_add(segment, it, step, start, now - start);
	if (it->source_state != NULL)
		sink_latency(it, k, slot, now);
	if (status < 0)
		fault(segment, it, status);
	return now;
}

static void step_begin(struct segment *segment, uint64_t step, uint64_t slot, uint64_t start_ns)
{
	const uint64_t written =
	    atomic_load_explicit(&segment->control->changes, memory_order_acquire);

	atomic_store_explicit(
	    &segment->state->start_ns[step % IMAGE_STEPS], start_ns, memory_order_relaxed);
	atomic_store_explicit(
	    &segment->state->slot[step % IMAGE_STEPS], slot, memory_order_relaxed);
	if (written != segment->changes_seen)
		changes_pull(segment, written);
	clock_fast_tend(&segment->clock, start_ns);
	segment->work_ns = 0;
}

/* Each segment of a lane adds its part of the slot; whoever comes last in the slot counts the sum. */
static void lane_load(struct segment *segment, uint64_t slot, uint64_t ns)
{
	_Atomic uint64_t *sum = &segment->lane->ns[slot % IMAGE_LANE_SLOTS];

	if (segment->shares_lane)
		atomic_fetch_add_explicit(sum, ns, memory_order_relaxed);
	if (!segment->last_of_lane)
		return;
	segment->load_ns =
	    segment->shares_lane ? atomic_exchange_explicit(sum, 0, memory_order_relaxed) : ns;
	hist_add(&segment->lane->load, segment->load_ns);
}

static void step_end(struct segment *segment, uint64_t step, uint64_t slot, uint64_t ns)
{
	struct image_segment_state *state = segment->state;

	atomic_store_explicit(&state->current, 0, memory_order_relaxed);
	visits_make(segment);
	bump(&state->slots, 1);
	bump(&state->busy_ns, ns);
	lane_load(segment, slot, ns);
	if (sampled(step))
		hist_add(&state->overhead, ns - segment->work_ns);
	if (segment->alone) {
		atomic_store_explicit(&state->done, step + 1, memory_order_release);
		return;
	}
	atomic_store(&state->done, step + 1);
	if (atomic_load(&state->waiters) != 0)
		futex_wake(futex_low(&state->done), INT_MAX);
}

static uint64_t run_step(struct segment *segment, uint64_t step, uint64_t slot, uint64_t start_ns)
{
	uint64_t now = start_ns;

	step_begin(segment, step, slot, start_ns);
	for (uint32_t i = 0; i < segment->n_instances; i++) {
		struct instance *it = segment->instances[i];
		const uint64_t k = step - it->lag;

		if (step < it->first || k > last_index(segment))
			continue;
		if (called(it, k))
			now = step_instance(segment, it, k, step, slot, now);
		else
			instance_idle(it, k);
	}
	step_end(segment, step, slot, now - start_ns);
	return now;
}

uint64_t segment_step(struct segment *segment, uint64_t slot, uint64_t start_ns)
{
	return run_step(segment, done_of(segment), slot, start_ns);
}

static void miss_add(struct segment *segment, uint64_t slot, uint64_t step, uint64_t edge,
    uint64_t start, uint64_t end)
{
	struct image_segment_state *state = segment->state;
	const uint64_t n = atomic_load_explicit(&state->misses, memory_order_relaxed);
	struct image_miss *miss = &state->miss[n % IMAGE_MISSES];

	*miss = (struct image_miss){
	    .slot = slot,
	    .step = step,
	    .at_ns = edge,
	    .late_ns = end - edge - segment->slot_ns,
	    .start_late_ns = start > edge ? start - edge : 0,
	    .instance = IMAGE_NONE,
	    .follows = n > 0 && state->miss[(n - 1) % IMAGE_MISSES].slot + 1 == slot,
	};
	for (uint32_t i = 0; i < segment->n_instances; i++) {
		const uint64_t events = atomic_load_explicit(&state->events, memory_order_relaxed);
		const struct image_event *event =
		    &segment->events[(events - 1 - i) % segment->n_events];

		if (i < events && event->step == step && event->ns > miss->longest_ns) {
			miss->longest_ns = event->ns;
			miss->instance = event->instance;
		}
	}
	atomic_store_explicit(&state->misses, n + 1, memory_order_release);
	bump(&state->missed, 1);
}

/* Which step is due in this slot under slip (the next one) and under skip (the slot's own). */
static enum segment_status due_step(struct segment *segment, uint64_t slot, uint64_t *ret_step)
{
	const uint64_t base = atomic_load_explicit(&segment->control->base, memory_order_acquire);
	const struct segment_gate *gate;
	const uint64_t done = done_of(segment);
	enum segment_status status;
	uint64_t limit;

	*ret_step = done;
	if (base == IMAGE_FOREVER || slot < base || slot - base < done)
		return SEGMENT_PAUSED;
	status = segment_ready(segment, &gate);
	if (!segment->skip || (status != SEGMENT_RAN && status != SEGMENT_WAITS))
		return status;
	*ret_step = slot - base;
	limit = atomic_load_explicit(&segment->control->limit, memory_order_acquire);
	if (*ret_step < limit)
		return SEGMENT_RAN;
	if (limit > done) /* the slots before were skipped: it stands where the others do */
		atomic_store(&segment->state->done, limit);
	return SEGMENT_PAUSED;
}

static void say_ended(struct segment *segment)
{
	if (atomic_exchange(&segment->state->ended, 1) == 0 &&
	    atomic_load(&segment->state->waiters) != 0)
		futex_wake(futex_low(&segment->state->done), INT_MAX);
}

enum segment_status segment_slot(
    struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t *now_ns)
{
	const uint64_t start = *now_ns;
	uint64_t step;
	const enum segment_status status = due_step(segment, slot, &step);

	if (status == SEGMENT_RAN || status == SEGMENT_WAITS) {
		if (segment->last_slot != IMAGE_FOREVER && slot > segment->last_slot + 1)
			bump(&segment->state->skipped, slot - segment->last_slot - 1);
		segment->last_slot = slot;
	} else {
		segment->last_slot = IMAGE_FOREVER;
	}
	if (status == SEGMENT_ENDED)
		say_ended(segment);
	if (status == SEGMENT_WAITS)
		bump(&segment->state->slipped, 1);
	if (status != SEGMENT_RAN)
		return status;
	segment->late_ns = start > edge_ns ? start - edge_ns : 0;
	hist_add(&segment->state->late, segment->late_ns);
	*now_ns = run_step(segment, step, slot, start);
	if (segment->counts_misses && *now_ns > edge_ns + segment->slot_ns)
		miss_add(segment, slot, step, edge_ns, start, *now_ns);
	return status;
}

/* ---- virtual ----------------------------------------------------------------------------------------------------------- */

static void wait_gate(const struct segment_gate *gate, uint64_t step)
{
	struct image_segment_state *state = gate->state;
	uint64_t done;

	for (int i = 0; i < SPINS; i++) {
		if (gate_open(gate, step))
			return;
		cpu_relax();
	}
	atomic_fetch_add(&state->waiters, 1);
	done = atomic_load(&state->done);
	if (!gate_open(gate, step))
		futex_wait(futex_low(&state->done), (uint32_t)done, 20000000);
	atomic_fetch_sub(&state->waiters, 1);
}

static void wait_limit(const struct segment *segment)
{
	struct node_control *control = (struct node_control *)segment->control;
	const uint64_t limit = atomic_load(&control->limit);

	if (done_of(segment) >= limit)
		futex_wait(futex_low(&control->limit), (uint32_t)limit, 20000000);
}

void segment_run_virtual(struct segment *segment, const _Atomic uint32_t *quit)
{
	const struct segment_gate *gate;

	for (;;) {
		const enum segment_status status = segment_ready(segment, &gate);
		const uint64_t step = done_of(segment);

		if (status == SEGMENT_ENDED)
			say_ended(segment);
		if (status == SEGMENT_ENDED || status == SEGMENT_STOPPED || atomic_load(quit) != 0)
			return;
		if (status == SEGMENT_RAN) {
			segment_step(segment, step, clock_ns());
		} else if (status == SEGMENT_PAUSED) {
			wait_limit(segment);
		} else if (gate != NULL) {
			wait_gate(gate, step);
		} else {
			clock_sleep_until(clock_ns() + 50000); /* the I/O thread is at it */
		}
	}
}
