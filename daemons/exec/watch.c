/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "daemons/exec/exec.h"

enum { HANG_S = 10, FINISH_S = 10, LOOK_NS = 50000, LOOK_NS_MAX = 5000000 };

void wave_abort(struct exec_wave *wave, const char *format, ...)
{
	va_list args;

	if (wave->state == WAVE_ABNSTOP)
		return;
	remap_drop(wave);
	va_start(args, format);
	vsnprintf(wave->reason, sizeof(wave->reason), format, args);
	va_end(args);
	for (size_t len = strlen(wave->reason); len > 0 && wave->reason[len - 1] == '\n'; len--)
		wave->reason[len - 1] = 0;
	log_error(&wave->exec->daemon.log, "%s: stopped: %s", wave->name, wave->reason);
	wave_set_state(wave, WAVE_ABNSTOP);
	atomic_store(&wave_control(wave)->limit, 0);
	lanes_leave(wave);
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (wave->hosts[h].process == NULL)
			lanes_leave_host(wave, h);
	wave->progress_ns = clock_ns();
	keep_wave(wave);
	hosts_finish(wave);
}

static void check_fault(struct exec_wave *wave)
{
	struct image_run *run = image_run(&wave->view);
	const uint32_t fault = atomic_load(&run->fault);
	char why[sizeof(run->why)];

	if (fault == 0 || fault > wave->view.head->instances.count)
		return;
	memcpy(why, run->why, sizeof(why));
	why[sizeof(why) - 1] = 0;
	wave_abort(wave, "instance \"%s\" (%s) failed at index %llu: %s (%s)",
	    image_text(&wave->view, wave->view.instances[fault - 1].name),
	    image_text(&wave->view, wave->view.instances[fault - 1].component),
	    (unsigned long long)run->index, why[0] ? why : "work returned an error",
	    strerror(-run->code));
}

static bool all_ended(const struct exec_wave *wave)
{
	const uint64_t run = atomic_load(&image_run(&wave->view)->last);
	const uint64_t order = atomic_load(&wave_control(wave)->last);
	const uint64_t last = run < order ? run : order;

	if (last == IMAGE_FOREVER)
		return false;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (atomic_load(&image_segment_state(&wave->view, s)->done) <=
		    last + wave->view.segments[s].lag_max)
			return false;
	return true;
}

static void check_end(struct exec_wave *wave)
{
	if (wave->ended || !all_ended(wave))
		return;
	wave->ended = true;
	wave->progress_ns = clock_ns();
	lanes_leave(wave);
	hosts_finish(wave);
}

static bool hosts_gone(struct exec_wave *wave)
{
	const bool late = clock_ns() > wave->progress_ns + FINISH_S * 1000000000ull;

	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (!wave->hosts[h].finished && wave->hosts[h].process != NULL && !late)
			return false;
	if (late)
		snprintf(wave->notes + strlen(wave->notes),
		    sizeof(wave->notes) - strlen(wave->notes),
		    "a host did not finish within %d s and was killed\n", FINISH_S);
	return true;
}

static void check_drained(struct exec_wave *wave)
{
	if (wave->drained || !(wave->ended || wave->state == WAVE_ABNSTOP) || !hosts_gone(wave))
		return;
	wave->drained = true;
	keep_wave(wave);
	hosts_leave(wave, false);
	lanes_release(wave);
	keep_wave(wave);
	if (wave->state != WAVE_ABNSTOP)
		wave_set_state(wave, WAVE_STOP);
	if (wave->set_pending.bytes != NULL)
		wave_answer(
		    wave, &wave->set_pending, WIRE_TAG_INDEX, 0, 1, "the waveform ended first");
}

/* All segments at the limit? One that had passed it before it could see it moves the limit for all. */
bool wave_limit_reached(struct exec_wave *wave)
{
	struct node_control *control = wave_control(wave);
	const uint64_t most = wave_steps_max(wave);

	if (most > wave->pending.value) {
		wave->pending.value = most + 2;
		atomic_store(&control->limit, wave->pending.value);
		return false;
	}
	return wave_steps_min(wave) >= wave->pending.value;
}

/* On the step clock a slot in which the waveform slipped (its file had not been read yet) is no step: more are let go, once
 * those that were have passed on all of its lanes. */
void wave_step_more(struct exec_wave *wave)
{
	struct node_timebase *base = wave_timebase(wave);
	const uint64_t steps = wave_steps_min(wave);

	if (base == NULL || base->pace != IMAGE_STEP || steps >= wave->pending.value)
		return;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint32_t lane = wave->places[s].lane;

		if (lane != IMAGE_NONE &&
		    baton_slot(atomic_load(&wave->exec->lanes[lane].image->baton)) <
		        atomic_load(&base->allowed))
			return;
	}
	atomic_fetch_add(&base->allowed, wave->pending.value - steps);
	futex_wake(futex_low(&base->allowed), INT32_MAX);
}

static void prepare_overdue(struct exec_wave *wave)
{
	const char *instance = NULL;
	char why[256];

	for (uint32_t h = 0; h < wave->n_hosts && instance == NULL; h++)
		if (!wave->hosts[h].ready)
			instance = host_instance(&wave->hosts[h]);
	snprintf(why, sizeof(why), "%s \"%.64s\" has not returned within %d s: refused",
	    instance != NULL ? "init of instance" : "a host of",
	    instance != NULL ? instance : wave->name, PREPARE_S);
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 1, why);
	wave->unloading = true;
}

static uint64_t slot_of_step(const struct exec_wave *wave, uint64_t step)
{
	const uint64_t base = atomic_load(&wave_control(wave)->base);

	return base == IMAGE_FOREVER ? step : base + step;
}

static void check_pending(struct exec_wave *wave)
{
	struct wire_view request;

	if (wave->pending.bytes == NULL ||
	    wire_decode(wave->pending.bytes, wave->pending.len, &request) != 0)
		return;
	if (wave->drained && request.type != WIRE_UNLOAD) {
		wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, lanes_slot(wave), 1,
		    request.type == WIRE_STOP || request.type == WIRE_STEP
		        ? NULL
		        : "the waveform ended first");
		return;
	}
	if (wave->remap != REMAP_NONE)
		return;
	if (request.type == WIRE_PAUSE && wave_limit_reached(wave)) {
		wave_answer(wave, &wave->pending, WIRE_TAG_SLOT,
		    slot_of_step(wave, wave->pending.value), 0, NULL);
	} else if (request.type == WIRE_STEP && wave_steps_min(wave) >= wave->pending.value) {
		if (wave->state == WAVE_STEP)
			wave_set_state(wave, WAVE_PAUSE);
		wave_answer(wave, &wave->pending, WIRE_TAG_SLOT,
		    slot_of_step(wave, wave->pending.value), 0, NULL);
	} else if (clock_ns() > wave->pending.until_ns) {
		if (request.type == WIRE_PREPARE)
			prepare_overdue(wave);
		else
			wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 1, "not done in time");
	} else if (request.type == WIRE_STEP || request.type == WIRE_STOP ||
	    request.type == WIRE_UNLOAD) {
		wave_step_more(wave);
	}
}

/* Without a keeper (virtual, step): an instance that has been in work for 10 s. */
static bool segment_hangs(struct exec_wave *wave, uint32_t s, uint32_t current)
{
	const struct image_segment_state *state = image_segment_state(&wave->view, s);
	const uint64_t sum = atomic_load(&state->events) + atomic_load(&state->done);
	struct exec_progress *progress = &wave->progress[s];

	if (current > 0 && current <= wave->view.head->instances.count && sum == progress->sum &&
	    progress->since_ns != 0)
		return clock_ns() > progress->since_ns + HANG_S * 1000000000ull;
	*progress = (struct exec_progress){sum, clock_ns()};
	return false;
}

static void check_hang(struct exec_wave *wave)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint32_t current = atomic_load(&image_segment_state(&wave->view, s)->current);

		if (!segment_hangs(wave, s, current))
			continue;
		hosts_leave(wave, true);
		wave_abort(wave, "instance \"%s\" (%s) hangs: it has been in work for %d s",
		    image_text(&wave->view, wave->view.instances[current - 1].name),
		    image_text(&wave->view, wave->view.instances[current - 1].component), HANG_S);
		return;
	}
}

/* What a keeper has passed over: its host is killed now, off the lane. */
static void check_keepers(struct exec *exec)
{
	for (uint32_t l = 0; l < exec->node->n_lanes; l++) {
		const uint64_t hung = atomic_exchange(&exec->lanes[l].hung, 0);

		for (struct exec_wave *wave = exec->waves; wave != NULL && hung != 0;
		     wave = wave->next)
			for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
				const struct image_segment *row = &wave->view.segments[s];
				const uint32_t current =
				    atomic_load(&image_segment_state(&wave->view, s)->current);

				if (wave->places[s].lane != l || wave->places[s].entry != hung - 1)
					continue;
				hosts_leave(wave, true);
				wave_abort(wave,
				    "instance \"%s\" hangs: it held lane %u for %.1f ms of slots of %.3f ms",
				    current > 0 && current <= wave->view.head->instances.count
				        ? image_text(
				              &wave->view, wave->view.instances[current - 1].name)
				        : image_text(&wave->view,
				              wave->view.instances[wave->view.order[row->order]]
				                  .name),
				    l, (double)atomic_load(&exec->lanes[l].hung_ns) / 1e6,
				    (double)wave->view.head->slot_ns / 1e6);
			}
	}
}

/* What somebody may be waiting for. */
static void check_awaited(struct exec_wave *wave)
{
	if (wave->started && !wave->drained && wave->state != WAVE_ABNSTOP)
		check_end(wave);
	check_drained(wave);
	remap_check(wave);
	check_pending(wave);
	check_set(wave);
}

/* False: it was to be unloaded, and is gone. */
static bool check_unloaded(struct exec_wave *wave)
{
	if (!wave->unloading || !(wave->drained || wave->state == WAVE_LOADED))
		return true;
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 0, NULL);
	wave_free(wave);
	return false;
}

/* Less and less often, until it is no sooner than the tick. */
static void look(void *self)
{
	struct exec_wave *wave = self;

	check_awaited(wave);
	wave->look_ns *= 2;
	if (check_unloaded(wave) && wave->look_ns < LOOK_NS_MAX &&
	    (wave->pending.bytes != NULL || wave->set_pending.bytes != NULL))
		loop_timer_start(
		    &wave->exec->daemon.loop, &wave->look_timer, wave->look_ns, look, wave);
}

void wave_look_soon(struct exec_wave *wave)
{
	wave->look_ns = LOOK_NS;
	loop_timer_start(&wave->exec->daemon.loop, &wave->look_timer, LOOK_NS, look, wave);
}

static void check_wave(struct exec_wave *wave)
{
	if (wave->started && !wave->drained && wave->state != WAVE_ABNSTOP) {
		check_fault(wave);
		if (wave->state != WAVE_ABNSTOP && !image_timed(wave->view.head->clock) &&
		    !wave->ended)
			check_hang(wave);
		if (wave->state != WAVE_ABNSTOP)
			check_overrun(wave);
	}
	check_awaited(wave);
}

void exec_tick(void *self)
{
	struct exec *exec = self;
	struct exec_wave *next;

	check_keepers(exec);
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		lane_tend(exec, l);
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = next) {
		next = wave->next;
		check_wave(wave);
		check_unloaded(wave);
	}
}
