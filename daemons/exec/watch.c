/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "daemons/exec/change.h"
#include "daemons/exec/end.h"
#include "daemons/exec/flight.h"
#include "daemons/exec/lease.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/remap.h"
#include "daemons/exec/set.h"
#include "daemons/exec/watch.h"

#define SECOND_NS 1000000000ull

/* TABLES_NS: so long after a change of a lane's table the lane is looked after */
enum { HANG_S = 10, WATCHED_NS = 50000000, TABLES_NS = 50000000 };

static void fault_check(struct exec_wave *wave)
{
	const uint32_t fault = atomic_load(&image_run(&wave->view)->fault);
	char why[REASON_BYTES];

	if (fault == 0 || fault > wave->view.head->instances.count)
		return;
	blame_fault(wave, fault - 1, why, sizeof(why));
	wave_abort(wave, "%s", why);
}

static bool all_ended(const struct exec_wave *wave)
{
	const uint64_t last = wave_last(wave);

	if (last == IMAGE_FOREVER)
		return false;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (image_runs(&wave->view, s) &&
		    atomic_load(&image_segment_state(&wave->view, s)->done) <=
		        last + wave->view.segments[s].end)
			return false;
	return true;
}

static void end_check(struct exec_wave *wave)
{
	if (wave->ended || !all_ended(wave))
		return;
	wave->ended = true;
	wave->progress_ns = clock_ns();
	lanes_leave(wave);
	hosts_finish(wave);
}

static bool hosts_gone(const struct exec_wave *wave)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (!wave->hosts[h].finished && wave->hosts[h].process != NULL)
			return false;
	return true;
}

/* True also where they have had their time: they are killed. */
static bool hosts_done(struct exec_wave *wave)
{
	if (hosts_gone(wave))
		return true;
	if (clock_ns() <= wave->progress_ns + FINISH_S * 1000000000ull)
		return false;
	if (wave->state == WAVE_ABNSTOP)
		snprintf(wave->notes + strlen(wave->notes),
		    sizeof(wave->notes) - strlen(wave->notes),
		    "a host did not finish within %d s and was killed\n", FINISH_S);
	else
		wave_abort(wave,
		    "a host did not finish within %d s and was killed; data that its sinks had "
		    "not written is lost",
		    FINISH_S);
	return true;
}

static void drained_check(struct exec_wave *wave)
{
	if (wave->drained || !(wave->ended || wave->state == WAVE_ABNSTOP) || !hosts_done(wave))
		return;
	flight_end(wave);
	wave->drained = true;
	keep_wave(wave);
	hosts_leave(wave, false);
	lanes_release(wave);
	keep_wave(wave);
	if (wave->state != WAVE_ABNSTOP)
		wave_set_state(wave, WAVE_STOP);
	if (wave->set_pending.bytes != NULL)
		wave_answer(wave, &wave->set_pending, WIRE_TAG_INDEX, 0, 1,
		    "the waveform ended before the request was done");
}

static void prepare_overdue(struct exec_wave *wave)
{
	const char *instance = NULL;
	char why[256];

	for (uint32_t h = 0; h < wave->n_hosts && instance == NULL; h++)
		if (!wave->hosts[h].ready)
			instance = host_instance(&wave->hosts[h]);
	snprintf(why, sizeof(why),
	    "%s \"%.64s\" has not returned within %d s, so the waveform is not loaded",
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

static void pending_check(struct exec_wave *wave)
{
	struct wire_view request;

	if (wave->pending.bytes == NULL ||
	    wire_decode(wave->pending.bytes, wave->pending.len, &request) != 0)
		return;
	if (wave->drained && request.type != WIRE_UNLOAD) {
		wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, lanes_slot(wave), 1,
		    request.type == WIRE_STOP || request.type == WIRE_STEP
		        ? NULL
		        : "the waveform ended before the request was done");
		return;
	}
	if (wave->remap != REMAP_NONE)
		return;
	if (request.type == WIRE_START) {
		if (wave_limit_reached(wave))
			wave_start_late(wave);
	} else if (request.type == WIRE_PAUSE && wave_limit_reached(wave)) {
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
			wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 1,
			    "the request was not done in time");
	} else if (request.type == WIRE_STEP || request.type == WIRE_PAUSE ||
	    request.type == WIRE_STOP || request.type == WIRE_UNLOAD) {
		wave_halts_check(wave);
		wave_step_more(wave);
	}
}

/* Since when the instance has been in work, by the segment's own events, as far as they agree with
 * what was seen: after the look before. An untimed step (core/slot/virtual.c) does not tell. */
static uint64_t work_began(
    const struct exec_wave *wave, uint32_t s, uint64_t looked_ns, uint64_t now)
{
	const struct image_segment *row = &wave->view.segments[s];
	const struct image_segment_state *state = image_segment_state(&wave->view, s);
	const uint64_t n = atomic_load(&state->events), done = atomic_load(&state->done);
	uint64_t began = atomic_load(&state->start_ns[done % IMAGE_STEPS]);

	if (began == 0)
		return now;
	if (n > 0) {
		const struct image_event event =
		    image_events(&wave->view, s)[(n - 1) % row->n_events];

		if (event.start_ns + event.ns > began)
			began = event.start_ns + event.ns;
	}
	return began < looked_ns ? looked_ns : began > now ? now : began;
}

/* Without a watchdog (virtual, step): an instance that has been in work for HANG_S. */
static bool segment_hangs(struct exec_wave *wave, uint32_t s, uint32_t current)
{
	const struct image_segment_state *state = image_segment_state(&wave->view, s);
	const uint64_t sum = atomic_load(&state->events) + atomic_load(&state->done),
	               now = clock_ns();
	struct exec_progress *progress = &wave->progress[s];
	const bool at_work = current > 0 && current <= wave->view.head->instances.count;
	uint64_t due;

	/* untimed steps leave no event of each call (core/slot/virtual.c) */
	if (!at_work || sum != progress->sum || current != progress->current ||
	    progress->since_ns == 0) {
		progress->since_ns = at_work ? work_began(wave, s, progress->looked_ns, now) : 0;
		progress->sum = sum;
		progress->current = current;
	}
	progress->looked_ns = now;
	due = progress->since_ns + HANG_S * SECOND_NS;
	if (at_work && due < wave->hang_ns)
		wave->hang_ns = due;
	return at_work && now > due;
}

static void hang_check(struct exec_wave *wave)
{
	wave->hang_ns = IMAGE_FOREVER;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint32_t current = atomic_load(&image_segment_state(&wave->view, s)->current);
		char whose[BLAME_CALL_BYTES];

		if (!segment_hangs(wave, s, current))
			continue;
		blame_call(&wave->view, current - 1,
		    image_text(&wave->view, wave->view.instances[current - 1].component), whose,
		    sizeof(whose));
		hosts_kill(wave);
		wave_abort(wave, "%s hangs: it has been in work for %d s", whose, HANG_S);
		hosts_leave(wave, true);
		return;
	}
}

/* The exec that was asked to pause has died, and a segment had passed the limit before the segment
 * could see it (see wave_limit_reached), or on the step clock is not there yet. */
static void pause_check(struct exec_wave *wave)
{
	const uint64_t most = wave_steps_max(wave);

	if (wave->state != WAVE_PAUSE || wave->pending.bytes != NULL || wave->remap != REMAP_NONE ||
	    !wave_comes_to_pause(wave))
		return;
	if (most > atomic_load(&wave_control(wave)->limit))
		wave_limit(wave, most + 2);
	wave->pending.value = atomic_load(&wave_control(wave)->limit);
	wave_step_more(wave);
}

/* One that stands has no turn on its lanes, so that nobody wakes up for it there: START and STEP
 * bring it back. */
static void rest_check(struct exec_wave *wave)
{
	if (wave->rests || wave->drained || wave->view.head->clock != IMAGE_TIMER ||
	    wave->pending.bytes != NULL || wave->remap != REMAP_NONE || !wave_stands(wave))
		return;
	lanes_leave(wave);
	wave->rests = true;
}

/* What somebody may be waiting for. */
static void awaited_check(struct exec_wave *wave)
{
	if (wave->started && !wave->drained && wave->state != WAVE_ABNSTOP)
		end_check(wave);
	drained_check(wave);
	remap_check(wave);
	pending_check(wave);
	pause_check(wave);
	set_check(wave);
}

/* False: it was to be unloaded, and is gone. */
static bool unloaded_check(struct exec_wave *wave)
{
	if (!wave->unloading || !(wave->drained || wave->state == WAVE_LOADED))
		return true;
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 0, NULL);
	wave_free(wave);
	return false;
}

/* Less and less often, until it is no sooner than the look at everything. */
void wave_look(void *self)
{
	struct exec_wave *wave = self;

	awaited_check(wave);
	wave->look_ns *= 2;
	if (unloaded_check(wave) && wave->look_ns < EXEC_LOOK_NS &&
	    (wave->pending.bytes != NULL || wave->set_pending.bytes != NULL))
		loop_timer_start(
		    &wave->exec->daemon.loop, &wave->look_timer, wave->look_ns, wave_look, wave);
}

static void wave_check(struct exec_wave *wave)
{
	if (wave->started && !wave->drained && wave->state != WAVE_ABNSTOP) {
		fault_check(wave);
		if (wave->state != WAVE_ABNSTOP)
			damage_check(wave, false);
		if (wave->state != WAVE_ABNSTOP && !image_timed(wave->view.head->clock) &&
		    !wave->ended)
			hang_check(wave);
		if (wave->state != WAVE_ABNSTOP)
			stopping_check(wave);
		if (wave->state != WAVE_ABNSTOP)
			overrun_check(wave);
	}
	if (wave->started && !wave->drained) {
		misses_take(wave); /* of a waveform that has been stopped meanwhile, too */
		flight_look(wave);
	}
	awaited_check(wave);
	rest_check(wave);
}

/* ---- when to look again -------------------------------------------------------------------- */

static uint64_t sooner_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Somebody waits for what only a look can tell. Of a LOAD its hosts tell. */
static bool is_awaited(const struct exec_wave *wave)
{
	struct wire_view request;

	if (wave->unloading || wave->remap != REMAP_NONE || wave->set_pending.bytes != NULL ||
	    (wave->stopping && !wave->ended))
		return true;
	return wave->pending.bytes != NULL &&
	    !(wire_decode(wave->pending.bytes, wave->pending.len, &request) == 0 &&
	        request.type == WIRE_PREPARE);
}

/* At what time, if nothing is heard of the waveform until then: hosts, bells and requests are what
 * is heard. A waveform that runs is looked at once in a second, for hosts that do not ring. */
static uint64_t wave_due(const struct exec_wave *wave, uint64_t now)
{
	const uint64_t second = now + SECOND_NS;

	if (is_awaited(wave))
		return now + EXEC_LOOK_NS;
	if (wave->pending.bytes != NULL)
		return sooner_of(wave->pending.until_ns + 1, second);
	if (!wave->started || wave->drained)
		return IMAGE_FOREVER;
	if (wave->ended || wave->state == WAVE_ABNSTOP)
		return sooner_of(wave->progress_ns + FINISH_S * SECOND_NS + 1, second);
	if (wave_stands(wave))
		return IMAGE_FOREVER;
	return image_timed(wave->view.head->clock) ? second : sooner_of(wave->hang_ns + 1, second);
}

static uint64_t due_of_all(const struct exec *exec, uint64_t now)
{
	uint64_t due = now < exec->tables_ns + TABLES_NS ? now + EXEC_LOOK_NS : IMAGE_FOREVER;

	for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		due = sooner_of(due, wave_due(wave, now));
	return due;
}

/* Who waits for the baton of a lane without a watchdog knows when exec looks next. */
static void look_promise(struct exec *exec, uint64_t due)
{
	const uint64_t promise = due == IMAGE_FOREVER ? IMAGE_FOREVER / 2 : due + WATCHED_NS;

	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		if (!exec->lanes[l].has_watchdog && exec->lanes[l].users > 0)
			atomic_store(&exec->node->lane[l].watched_ns, promise);
}

void exec_look(void *self)
{
	struct exec *exec = self;
	struct exec_wave *next;
	uint64_t now = clock_ns(); /* before what may take long: words have come meanwhile */
	uint64_t due, lease;

	findings_check(exec);
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		lane_tend(exec, l);
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = next) {
		next = wave->next;
		wave_check(wave);
		unloaded_check(wave);
	}
	lease = lease_look(exec, now);
	now = clock_ns();
	due = sooner_of(due_of_all(exec, now), lease);
	look_promise(exec, due);
	loop_timer_stop(&exec->daemon.loop, &exec->tick);
	if (due != IMAGE_FOREVER)
		exec_look_within(exec, due > now ? due - now : 0);
}
