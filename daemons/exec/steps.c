/* SPDX-License-Identifier: BSD-3-Clause
 *
 * steps.c - how far the segments of a waveform have come, how far they may go, and from which slot
 * on. */
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/image/follow.h"
#include "daemons/exec/exec.h"
#include "daemons/exec/spent.h"

void wave_limit(struct exec_wave *wave, uint64_t limit)
{
	struct node_control *control = wave_control(wave);

	atomic_store(&control->limit, limit);
	futex_wake(futex_low(&control->limit), INT32_MAX);
}

/* The number of the last step that was done + 1. */
uint64_t wave_steps_max(const struct exec_wave *wave)
{
	uint64_t most = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint64_t done = image_steps_done(&wave->view, s);

		if (image_runs(&wave->view, s))
			most = done > most ? done : most;
	}
	return most;
}

uint64_t wave_steps_begun(const struct exec_wave *wave)
{
	uint64_t most = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint64_t done = atomic_load(&image_segment_state(&wave->view, s)->done);

		if (image_runs(&wave->view, s))
			most = done > most ? done : most;
	}
	return most;
}

uint64_t wave_steps_min(const struct exec_wave *wave)
{
	uint64_t least = IMAGE_FOREVER;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);
		const uint64_t done = atomic_load(&state->done);

		/* those that have ended wait for nothing any more */
		if (image_runs(&wave->view, s) && atomic_load(&state->ended) == 0)
			least = done < least ? done : least;
	}
	return least;
}

bool wave_comes_to_pause(const struct exec_wave *wave)
{
	return wave->state == WAVE_PAUSE &&
	    wave_steps_min(wave) < atomic_load(&wave_control(wave)->limit);
}

bool wave_stands(const struct exec_wave *wave)
{
	struct node_timebase *base = wave_timebase(wave);

	if (base == NULL || base->pace != IMAGE_STEP)
		return wave->state == WAVE_PAUSE && !wave_comes_to_pause(wave) &&
		    wave_steps_min(wave) >= wave_steps_max(wave);
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint32_t lane = wave->places[s].lane;

		if (lane != IMAGE_NONE &&
		    baton_slot(atomic_load(&wave->exec->lanes[lane].image->baton)) <
		        atomic_load(&base->allowed))
			return false;
	}
	return true;
}

/* A slot far enough ahead for every lane to hear of it: 10 slots, or as many as take 5 ms. A radio
 * has not been started before its waveform is: index 0 is its first samples. */
uint64_t wave_margin(const struct exec_wave *wave)
{
	const uint64_t slots = 5000000 / wave->view.head->slot_ns;

	if (!image_timed(wave->view.head->clock) ||
	    (wave->view.head->clock == IMAGE_RADIO && !wave->started))
		return 0;
	return slots > 10 ? slots : 10;
}

bool wave_can(
    struct exec_wave *wave, const struct wire_view *request, unsigned states, const char *what)
{
	if (wave_busy(&wave->pending) || wave->remap != REMAP_NONE) {
		wave_busy_fail(wave, request);
		return false;
	}
	if (wave->held) {
		exec_fail(wave->exec, request, 1,
		    "\"%s\" is held: there was no word from the manager for %u ms; the waveform "
		    "goes on when the manager says so",
		    wave->name, wave->view.head->lease_ms);
		return false;
	}
	if (states >> wave->state & 1) {
		free(wave->pending.bytes); /* nobody's */
		wave->pending.bytes = NULL;
		return true;
	}
	exec_fail(wave->exec, request, 2, "\"%s\" is in state %s and cannot %s from there%s%s",
	    wave->name, wave_state_names[wave->state], what, wave->reason[0] ? "; " : "",
	    wave->reason);
	return false;
}

bool wave_waits(const struct exec_wave *wave)
{
	return wave->remap == REMAP_HALTS && wave->upgrades && wave->upgrade_at != IMAGE_FOREVER &&
	    wave_steps_begun(wave) + wave_margin(wave) < wave->pending.value;
}

/* When a slot begins; on a clock that nobody has told yet, now. */
static uint64_t first_slot(const struct exec_wave *wave, uint64_t slot)
{
	const struct node_timebase *base = wave_timebase(wave);

	if (base == NULL || base->pace != IMAGE_TIMER)
		return clock_ns();
	return atomic_load(&base->start_ns) + slot * base->slot_ns;
}

/* Steps from here on belong to slots from `slot` on. */
void wave_run_at(struct exec_wave *wave, uint64_t limit, uint64_t slot)
{
	atomic_store(&wave_control(wave)->base, slot - wave_steps_max(wave));
	wave->progress_ns = clock_ns();
	if (!wave->started) {
		wave->started = true;
		wave->start_ns = clock_ns();
		wave->first_ns = first_slot(wave, slot);
		spent_begin(wave);
	}
	wave_limit(wave, limit);
	lanes_live(wave);
}

uint64_t wave_run(struct exec_wave *wave, uint64_t limit, uint64_t margin)
{
	const uint64_t steps = wave_steps_max(wave), ahead = lanes_slot(wave) + margin;
	/* a clock that stands still: as many slots must pass before */
	const uint64_t slot = ahead < steps ? steps : ahead;

	wave_run_at(wave, limit, slot);
	return slot;
}

/* Whoever has read the limit that was there before has published its last step within PUBLISH_NS:
 * it takes that long at most until a store is seen. */
bool wave_hold_below(struct exec_wave *wave, uint64_t limit)
{
	enum { PUBLISH_NS = 20000 };
	_Atomic uint64_t *word = &wave_control(wave)->limit;
	const uint64_t before = atomic_load(word);
	uint64_t until;

	if (limit > before)
		return true;
	atomic_store(word, limit);
	for (until = clock_ns() + PUBLISH_NS; clock_ns() < until;)
		cpu_relax();
	/* one that has done fewer steps may be at the last of those below the limit, at most */
	if (wave_steps_begun(wave) < limit || wave_stands(wave))
		return true;
	wave_limit(wave, before);
	return false;
}

/* They come further while exec chooses, as far as they like where nothing paces them and exec is
 * off its CPU: then it chooses again. */
uint64_t wave_hold(struct exec_wave *wave)
{
	const uint64_t before = atomic_load(&wave_control(wave)->limit);

	for (uint64_t lead = 2;; lead *= 2) {
		const uint64_t limit = wave_steps_begun(wave) + lead;

		if (limit > before)
			return before;
		if (wave_hold_below(wave, limit))
			return limit;
	}
}

/* The clock that steps is let go by exec: its lanes stand, or are in the last step. */
void wave_halt(struct exec_wave *wave)
{
	if (wave->view.head->clock != IMAGE_STEP) {
		wave->pending.value = wave_hold(wave);
		return;
	}
	wave->pending.value = wave_steps_max(wave);
	wave_limit(wave, wave->pending.value);
}

/* All segments at the limit? One that had passed it before it could see it moves the limit for
 * all. */
bool wave_limit_reached(struct exec_wave *wave)
{
	const uint64_t most = wave_steps_max(wave);

	if (most > wave->pending.value) {
		wave->pending.value = most + 2;
		wave_limit(wave, wave->pending.value);
		return false;
	}
	return wave_steps_min(wave) >= wave->pending.value;
}

/* On the step clock a slot in which the waveform slipped (its file had not been read yet) is no
 * step: more are let go, once those that were have passed on all of its lanes. */
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
