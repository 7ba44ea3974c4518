/* SPDX-License-Identifier: BSD-3-Clause
 *
 * change.c - the changes of a waveform's life, each at one step for all its segments.
 *
 * PAUSE and STEP move `limit`: every segment looks at it before each step, so all stop after the
 * same one; if any had passed the chosen limit already, a larger one is chosen, never an uneven
 * one. STOP lowers the last index, and what is in the pipeline drains as at the end of a file;
 * where nothing paces the waveform it moves `limit` before. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/image/follow.h"
#include "daemons/exec/change.h"
#include "daemons/exec/end.h"

#include <aloe/component.h>

#define SECONDS 1000000000ull

/* ---- at a slot that was chosen elsewhere --------------------------------------------------- */

static bool slot_asked(const struct wire_view *request, uint64_t *ret)
{
	return wire_get_u64(request, WIRE_TAG_SLOT, ret) == 0;
}

/* The slot of the step that begins next, and how long from now a later one is on a clock. */
static uint64_t slot_next(const struct exec_wave *wave)
{
	const uint64_t base = atomic_load(&wave_control(wave)->base);

	return (base == IMAGE_FOREVER ? 0 : base) + wave_steps_max(wave);
}

static uint64_t time_until(const struct exec_wave *wave, uint64_t slot)
{
	const uint64_t now = lanes_slot(wave), slot_ns = wave->view.head->slot_ns;

	if (!image_timed(wave->view.head->clock) || slot <= now)
		return 0;
	return slot - now < IMAGE_FOREVER / 2 / slot_ns ? (slot - now) * slot_ns
	                                                : IMAGE_FOREVER / 2;
}

/* No step that belongs to `slot` or to a later one begins: true, and pending.value is the first of
 * them; or it is answered that this is too late, and nothing has changed. */
static bool hold_at_slot(struct exec_wave *wave, const struct wire_view *request, uint64_t slot)
{
	const uint64_t base = atomic_load(&wave_control(wave)->base);
	uint64_t next;

	if (base != IMAGE_FOREVER && slot > base && wave_hold_below(wave, slot - base)) {
		wave->pending.value = slot - base;
		return true;
	}
	next = slot_next(wave);
	exec_too_late(wave->exec, request, "slot", slot, next > 0 ? next - 1 : 0,
	    next + 1 + wave_margin(wave));
	return false;
}

/* Every lane hears of it before the slot begins. If exec was off its CPU so long that it may not
 * have been so, the waveform stands again, and whoever asked is told. */
static void start_at(struct exec_wave *wave, const struct wire_view *request, uint64_t slot)
{
	const bool ticks = image_timed(wave->view.head->clock) && wave_timebase(wave) != NULL;
	const uint64_t newest = lanes_slot(wave), steps = wave_steps_max(wave);
	uint64_t first = newest + (ticks ? 2 : 0);

	if (wave->view.head->clock == IMAGE_VIRTUAL) {
		exec_fail(wave->exec, request, 2,
		    "\"%s\" has no clock (virtual), so there is no slot at which the waveform can "
		    "start; start the waveform without a slot",
		    wave->name);
		return;
	}
	first = first < steps ? steps : first;
	if (slot < first) {
		exec_too_late(wave->exec, request, "slot", slot, newest, first + wave_margin(wave));
		return;
	}
	wave_run_at(wave, IMAGE_FOREVER, slot);
	if (!ticks || lanes_slot(wave) < slot) {
		wave_set_state(wave, WAVE_RUN);
		exec_ok(wave->exec, request, WIRE_TAG_SLOT, slot);
		return;
	}
	wave_halt(wave);
	wave_set_state(wave, WAVE_PAUSE);
	wave_later(&wave->pending, request, 20 * SECONDS); /* see wave_start_late */
	wave_look_soon(wave);
}

void wave_start_late(struct exec_wave *wave)
{
	struct wire_view request;
	uint64_t slot = 0;

	if (wire_decode(wave->pending.bytes, wave->pending.len, &request) == 0) {
		slot_asked(&request, &slot);
		exec_too_late(wave->exec, &request, "slot", slot, lanes_slot(wave),
		    lanes_slot(wave) + 1 + wave_margin(wave));
	}
	free(wave->pending.bytes);
	wave->pending.bytes = NULL;
}

/* It is to start at a slot that is still ahead, so that it can start at a later one instead:
 * another node was too late for that slot. */
static bool may_move(const struct exec_wave *wave)
{
	const uint64_t base = atomic_load(&wave_control(wave)->base);

	return wave->view.node != IMAGE_NONE && base != IMAGE_FOREVER &&
	    image_timed(wave->view.head->clock) &&
	    base + wave_steps_max(wave) > lanes_slot(wave) + 2;
}

/* An exec before this one may have been asked to pause at a slot that is still ahead. */
static bool may_go_on(struct exec_wave *wave, const struct wire_view *request)
{
	if (!wave_comes_to_pause(wave))
		return true;
	exec_fail(wave->exec, request, 1,
	    "\"%s\" has not come to the slot of its pause yet; try again when the waveform stands",
	    wave->name);
	return false;
}

void wave_start(struct exec_wave *wave, const struct wire_view *request)
{
	uint64_t slot = 0;
	const bool asked = slot_asked(request, &slot);

	if (!wave_can(wave, request,
	        1u << WAVE_INIT | 1u << WAVE_PAUSE | 1u << WAVE_STEP |
	            (asked && may_move(wave) ? 1u << WAVE_RUN : 0),
	        "run"))
		return;
	if (!may_go_on(wave, request))
		return;
	if (asked) {
		start_at(wave, request, slot);
		return;
	}
	slot = wave_run(wave, IMAGE_FOREVER, wave_margin(wave));
	wave_set_state(wave, WAVE_RUN);
	exec_ok(wave->exec, request, WIRE_TAG_SLOT, slot);
}

void wave_pause(struct exec_wave *wave, const struct wire_view *request)
{
	const bool asked = slot_asked(request, &(uint64_t){0});
	uint64_t slot = 0;

	if (!wave_can(wave, request, 1u << WAVE_RUN, "pause"))
		return;
	if (asked && wave->view.head->clock == IMAGE_STEP) {
		exec_fail(wave->exec, request, 2,
		    "the clock is \"step\": step to the slot first, and pause without a slot");
		return;
	}
	slot_asked(request, &slot);
	if (asked && !hold_at_slot(wave, request, slot))
		return;
	if (!asked && wave->view.head->clock == IMAGE_STEP) {
		wave_halt(wave);
	} else if (!asked) {
		wave->pending.value = wave_steps_max(wave) + 2;
		wave_limit(wave, wave->pending.value);
	}
	wave_set_state(wave, WAVE_PAUSE);
	wave_later(&wave->pending, request, 20 * SECONDS + time_until(wave, slot));
	wave_look_soon(wave);
}

/* On the step clock the lanes' slots themselves are let go; else the steps of this waveform. */
void wave_step(struct exec_wave *wave, const struct wire_view *request)
{
	struct node_timebase *base = wave_timebase(wave);
	uint64_t count = 1;

	wire_get_u64(request, WIRE_TAG_COUNT, &count);
	if (!wave_can(wave, request,
	        1u << WAVE_INIT | 1u << WAVE_RUN | 1u << WAVE_PAUSE | 1u << WAVE_STEP, "step") ||
	    !may_go_on(wave, request))
		return;
	if (base != NULL && base->pace == IMAGE_STEP) {
		if (wave->state != WAVE_RUN)
			wave_run(wave, IMAGE_FOREVER, wave_margin(wave));
		wave_set_state(wave, WAVE_RUN);
		wave->pending.value = wave_steps_max(wave) + count;
		atomic_fetch_add(&base->allowed, count);
		futex_wake(futex_low(&base->allowed), INT32_MAX);
		wave_later(&wave->pending, request, 20 * SECONDS);
		wave_look_soon(wave);
		return;
	}
	if (wave->state == WAVE_RUN) {
		wave->pending.value = wave_steps_max(wave) + 1 + count;
		wave_limit(wave, wave->pending.value);
	} else {
		wave->pending.value = wave_steps_max(wave) + count;
		wave_run(wave, wave->pending.value, wave_margin(wave));
	}
	wave_set_state(wave, WAVE_STEP);
	wave_later(&wave->pending, request, 20 * SECONDS);
	wave_look_soon(wave);
}

/* How many indices there are to be: none of the others has been begun by any instance, so that all
 * come to the last one. Where the waveform stands that is as many as there were steps; on a clock
 * it is no sooner than every lane has heard of it. Instances that have been remapped a moment ago
 * may be ahead of the steps (core/image/follow.h). */
static uint64_t indices_of_all(const struct exec_wave *wave, uint64_t more)
{
	uint64_t n = wave_steps_max(wave) + more;

	for (uint32_t i = 0; i < wave->view.head->instances.count; i++)
		if (image_indices_done(&wave->view, i) + more > n)
			n = image_indices_done(&wave->view, i) + more;
	return n;
}

/* Also one whose radio has not been heard yet, and may never be. */
static bool nothing_ran(const struct exec_wave *wave)
{
	return !wave->started || (wave_stands(wave) && indices_of_all(wave, 0) == 0) ||
	    (wave->view.head->clock == IMAGE_RADIO && wave_steps_max(wave) == 0);
}

/* Lowers the last index to the first one at which nothing is cut off, where there are to be `all`
 * indices, and sees to it that all segments come to it. */
static void stop_with(struct exec_wave *wave, uint64_t all)
{
	const uint64_t last = image_last(wave->view.holds, wave->view.head->holds.count, all - 1);

	wave->pending.value = 0;
	if (atomic_load(&wave_control(wave)->last) > last)
		atomic_store(&wave_control(wave)->last, last);
	if (wave_steps_max(wave) > last + 1)
		wave_note(wave,
		    "the last radio frames or blocks may be cut off: aloe-exec did not "
		    "run while the stop was due\n");
	if (atomic_load(&wave_control(wave)->limit) != IMAGE_FOREVER)
		wave_run(wave, IMAGE_FOREVER, wave_margin(wave));
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (last + wave->view.segments[s].end >= wave->pending.value)
			wave->pending.value = last + wave->view.segments[s].end + 1;
	wave_step_more(wave);
}

/* Nobody begins the slot before the last index is known. */
static void stop_at_slot(struct exec_wave *wave, const struct wire_view *request, uint64_t slot)
{
	const uint64_t before = atomic_load(&wave_control(wave)->limit);
	uint64_t steps;

	if (!wave_can(wave, request, 1u << WAVE_RUN, "stop at a slot") ||
	    !hold_at_slot(wave, request, slot))
		return;
	steps = wave->pending.value;
	if (indices_of_all(wave, 0) > steps) { /* instances that are ahead since a remap */
		wave_limit(wave, before);
		exec_too_late(wave->exec, request, "slot", slot,
		    slot + indices_of_all(wave, 0) - steps - 1,
		    slot + indices_of_all(wave, 0) - steps + 1 + wave_margin(wave));
		return;
	}
	wave_later(&wave->pending, request, 60 * SECONDS + time_until(wave, slot));
	wave_look_soon(wave);
	stopping_begin(wave);
	atomic_store(&wave_control(wave)->last,
	    image_last(wave->view.holds, wave->view.head->holds.count, steps - 1));
	wave_limit(wave, before);
	stop_with(wave, steps);
}

void wave_stop(struct exec_wave *wave, const struct wire_view *request)
{
	uint64_t slot;
	const unsigned all = (1u << WAVE_STOP | 1u << WAVE_ABNSTOP) - 1;
	char *why;

	if (is_forced(request)) {
		wave_stop_by_force(wave, request);
		return;
	}
	why = wire_get_text(request, WIRE_TAG_TEXT, 0);
	if (why != NULL) {
		wave_stop_for(wave, request, why);
		free(why);
		return;
	}
	if (wave->drained && (wave->state == WAVE_STOP || wave->state == WAVE_ABNSTOP)) {
		exec_ok(wave->exec, request, WIRE_TAG_SLOT, lanes_slot(wave));
		return;
	}
	if (slot_asked(request, &slot)) {
		stop_at_slot(wave, request, slot);
		return;
	}
	if (!wave_can(wave, request, all | 1u << WAVE_STOP | 1u << WAVE_ABNSTOP, "stop"))
		return;
	wave_later(&wave->pending, request, 60 * SECONDS);
	wave_look_soon(wave);
	stopping_begin(wave);
	wave->pending.value = 0;
	if (nothing_ran(wave)) {
		wave->ended = true;
		wave->progress_ns = clock_ns();
		lanes_leave(wave);
		hosts_finish(wave);
	} else if (image_timed(wave->view.head->clock) || wave_stands(wave)) {
		stop_with(
		    wave, indices_of_all(wave, wave_stands(wave) ? 0 : 1 + wave_margin(wave)));
	} else {
		/* Nobody knows how far the steps have come when a host hears of the last index:
		 * they stand first, as in PAUSE. */
		wave->halts = true;
		wave_halt(wave);
	}
}

void wave_halts_check(struct exec_wave *wave)
{
	if (!wave->halts || !wave_limit_reached(wave))
		return;
	wave->halts = false;
	stop_with(wave, indices_of_all(wave, 0));
}

void wave_unload(struct exec_wave *wave, const struct wire_view *request)
{
	struct exec *exec = wave->exec;

	if (is_forced(request)) {
		wave_unload_by_force(wave, request);
	} else if (wave->drained) {
		wave_free(wave);
		exec_ok(exec, request, WIRE_TAG_SLOT, 0);
	} else if (wave_busy(&wave->pending) || wave->remap != REMAP_NONE) {
		wave_busy_fail(wave, request);
	} else {
		wave->unloading = true; /* the next look frees it when it is drained */
		if (wave->state == WAVE_ABNSTOP)
			wave_later(&wave->pending, request, 60 * SECONDS);
		else
			wave_stop(wave, request);
	}
}
