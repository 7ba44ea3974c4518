/* SPDX-License-Identifier: BSD-3-Clause
 *
 * change.c - the changes of a waveform's life, each at one step for all its segments.
 *
 * PAUSE and STEP move `limit`: every segment looks at it before each step, so all stop after the same one; if any had
 * passed the chosen limit already, a larger one is chosen, never an uneven one. STOP lowers the last index, and what is in
 * the pipeline drains as at the end of a file. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/image/follow.h"
#include "daemons/exec/exec.h"

#include <aloe/component.h>

#define SECONDS 1000000000ull

void wave_limit(struct exec_wave *wave, uint64_t limit)
{
	struct node_control *control = wave_control(wave);

	atomic_store(&control->limit, limit);
	futex_wake(futex_low(&control->limit), INT32_MAX);
}

uint64_t wave_steps_max(const struct exec_wave *wave)
{
	uint64_t most = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint64_t done = atomic_load(&image_segment_state(&wave->view, s)->done);

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

		if (atomic_load(&state->ended) == 0) /* those wait for nothing any more */
			least = done < least ? done : least;
	}
	return least;
}

/* A slot far enough ahead for every lane to hear of it: 10 slots, or as many as take 5 ms. A radio has not been started before
 * its waveform is: index 0 is its first samples. */
uint64_t wave_margin(const struct exec_wave *wave)
{
	const uint64_t slots = 5000000 / wave->view.head->slot_ns;

	if (!image_timed(wave->view.head->clock) ||
	    (wave->view.head->clock == IMAGE_RADIO && !wave->started))
		return 0;
	return slots > 10 ? slots : 10;
}

/* Steps from here on belong to slots from `slot` on. */
static uint64_t begin_at(struct exec_wave *wave, uint64_t margin)
{
	const uint64_t steps = wave_steps_max(wave);
	uint64_t slot = lanes_slot(wave) + margin;

	if (slot < steps) /* a clock that stands still: as many slots must pass before */
		slot = steps;
	atomic_store(&wave_control(wave)->base, slot - steps);
	return slot;
}

bool wave_can(
    struct exec_wave *wave, const struct wire_view *request, unsigned states, const char *what)
{
	if (wave_busy(&wave->pending) || wave->remap != REMAP_NONE) {
		exec_fail(
		    wave->exec, request, 1, "\"%s\" has another change under way", wave->name);
		return false;
	}
	if (states >> wave->state & 1) {
		free(wave->pending.bytes); /* nobody's */
		wave->pending.bytes = NULL;
		return true;
	}
	exec_fail(wave->exec, request, 1, "\"%s\" is in state %s: it cannot %s from there%s%s",
	    wave->name, wave_state_names[wave->state], what, wave->reason[0] ? "; " : "",
	    wave->reason);
	return false;
}

uint64_t wave_run(struct exec_wave *wave, uint64_t limit, uint64_t margin)
{
	const uint64_t slot = begin_at(wave, margin);

	wave->progress_ns = clock_ns();
	if (!wave->started) {
		wave->started = true;
		wave->start_ns = clock_ns();
	}
	wave_limit(wave, limit);
	lanes_live(wave);
	return slot;
}

void wave_start(struct exec_wave *wave, const struct wire_view *request)
{
	uint64_t slot;

	if (!wave_can(wave, request, 1u << WAVE_INIT | 1u << WAVE_PAUSE | 1u << WAVE_STEP, "run"))
		return;
	slot = wave_run(wave, IMAGE_FOREVER, wave_margin(wave));
	wave_set_state(wave, WAVE_RUN);
	exec_ok(wave->exec, request, WIRE_TAG_SLOT, slot);
}

void wave_pause(struct exec_wave *wave, const struct wire_view *request)
{
	if (!wave_can(wave, request, 1u << WAVE_RUN, "pause"))
		return;
	wave->pending.value = wave_steps_max(wave) + 2;
	wave_limit(wave, wave->pending.value);
	wave_set_state(wave, WAVE_PAUSE);
	wave_later(&wave->pending, request, 20 * SECONDS);
	wave_look_soon(wave);
}

/* On the step clock the lanes' slots themselves are let go; else the steps of this waveform. */
void wave_step(struct exec_wave *wave, const struct wire_view *request)
{
	struct node_timebase *base = wave_timebase(wave);
	uint64_t count = 1;

	wire_get_u64(request, WIRE_TAG_COUNT, &count);
	if (!wave_can(wave, request,
	        1u << WAVE_INIT | 1u << WAVE_RUN | 1u << WAVE_PAUSE | 1u << WAVE_STEP, "step"))
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

/* The last index: none that some instance has begun already, so that all others come to it, too. Instances that have been
 * remapped a moment ago may be ahead of the steps (core/image/follow.h). */
static uint64_t last_of_all(const struct exec_wave *wave)
{
	uint64_t last = wave_steps_max(wave) + 1;

	for (uint32_t i = 0; i < wave->view.head->instances.count; i++)
		if (image_next_index(&wave->view, i) > last)
			last = image_next_index(&wave->view, i);
	return last;
}

/* Also one whose radio has not been heard yet, and may never be. */
static bool nothing_ran(const struct exec_wave *wave)
{
	return !wave->started ||
	    (wave->view.head->clock == IMAGE_RADIO && wave_steps_max(wave) == 0);
}

void wave_stop(struct exec_wave *wave, const struct wire_view *request)
{
	const unsigned all = (1u << WAVE_STOP | 1u << WAVE_ABNSTOP) - 1;
	uint64_t last;

	if (wave->drained && (wave->state == WAVE_STOP || wave->state == WAVE_ABNSTOP)) {
		exec_ok(wave->exec, request, WIRE_TAG_SLOT, lanes_slot(wave));
		return;
	}
	if (!wave_can(wave, request, all | 1u << WAVE_STOP | 1u << WAVE_ABNSTOP, "stop"))
		return;
	wave_later(&wave->pending, request, 60 * SECONDS);
	wave_look_soon(wave);
	wave->pending.value = 0;
	if (nothing_ran(wave)) {
		wave->ended = true;
		wave->progress_ns = clock_ns();
		lanes_leave(wave);
		hosts_finish(wave);
		return;
	}
	last = last_of_all(wave);
	if (atomic_load(&wave_control(wave)->last) > last)
		atomic_store(&wave_control(wave)->last, last);
	if (wave->state == WAVE_PAUSE || wave->state == WAVE_STEP)
		wave_run(wave, IMAGE_FOREVER, wave_margin(wave));
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (last + wave->view.segments[s].lag_max >= wave->pending.value)
			wave->pending.value = last + wave->view.segments[s].lag_max + 1;
	wave_step_more(wave);
}

void wave_unload(struct exec_wave *wave, const struct wire_view *request)
{
	struct exec *exec = wave->exec;

	if (wave->drained) {
		wave_free(wave);
		exec_ok(exec, request, WIRE_TAG_SLOT, 0);
	} else if (wave_busy(&wave->pending) || wave->remap != REMAP_NONE) {
		exec_fail(exec, request, 1, "\"%s\" has another change under way", wave->name);
	} else {
		wave->unloading = true; /* the tick frees it when it is drained */
		if (wave->state == WAVE_ABNSTOP)
			wave_later(&wave->pending, request, 60 * SECONDS);
		else
			wave_stop(wave, request);
	}
}
