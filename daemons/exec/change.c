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
#include "daemons/exec/exec.h"

#include <aloe/component.h>

#define SECONDS 1000000000ull

static void publish_limit(struct exec_wave *wave, uint64_t limit)
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
		const uint64_t done = atomic_load(&image_segment_state(&wave->view, s)->done);

		least = done < least ? done : least;
	}
	return least;
}

/* A slot far enough ahead for every lane to hear of it: 10 slots, or as many as take 5 ms. */
static uint64_t margin_slots(const struct exec_wave *wave)
{
	const uint64_t slots = 5000000 / wave->view.head->slot_ns;

	if (wave->view.head->clock != IMAGE_TIMER)
		return 0;
	return slots > 10 ? slots : 10;
}

/* Steps from here on belong to slots from `slot` on. */
static uint64_t begin_at(struct exec_wave *wave)
{
	const uint64_t steps = wave_steps_max(wave);
	uint64_t slot = lanes_slot(wave) + margin_slots(wave);

	if (slot < steps) /* a clock that stands still: as many slots must pass before */
		slot = steps;
	atomic_store(&wave_control(wave)->base, slot - steps);
	return slot;
}

static bool can(struct exec_wave *wave, const struct wire_view *request, unsigned states, const char *what)
{
	if (wave->pending.bytes != NULL) {
		exec_fail(wave->exec, request, 1, "\"%s\" has another change under way", wave->name);
		return false;
	}
	if (states >> wave->state & 1)
		return true;
	exec_fail(wave->exec, request, 1, "\"%s\" is in state %s: it cannot %s from there%s%s", wave->name,
		  wave_state_names[wave->state], what, wave->reason[0] ? "; " : "", wave->reason);
	return false;
}

static uint64_t set_running(struct exec_wave *wave, uint64_t limit)
{
	const uint64_t slot = begin_at(wave);

	wave->progress_ns = clock_ns();
	if (!wave->started) {
		wave->started = true;
		wave->start_ns = clock_ns();
	}
	publish_limit(wave, limit);
	lanes_live(wave);
	return slot;
}

void wave_start(struct exec_wave *wave, const struct wire_view *request)
{
	uint64_t slot;

	if (!can(wave, request, 1u << WAVE_INIT | 1u << WAVE_PAUSE | 1u << WAVE_STEP, "run"))
		return;
	slot = set_running(wave, IMAGE_FOREVER);
	wave_set_state(wave, WAVE_RUN);
	exec_ok(wave->exec, request, WIRE_TAG_SLOT, slot);
}

void wave_pause(struct exec_wave *wave, const struct wire_view *request)
{
	if (!can(wave, request, 1u << WAVE_RUN, "pause"))
		return;
	wave->pending.value = wave_steps_max(wave) + 2;
	publish_limit(wave, wave->pending.value);
	wave_set_state(wave, WAVE_PAUSE);
	wave_later(&wave->pending, request, 20 * SECONDS);
}

/* On the step clock the lanes' slots themselves are let go; else the steps of this waveform. */
void wave_step(struct exec_wave *wave, const struct wire_view *request)
{
	struct node_timebase *base = wave_timebase(wave);
	uint64_t count = 1;

	wire_get_u64(request, WIRE_TAG_COUNT, &count);
	if (!can(wave, request, 1u << WAVE_INIT | 1u << WAVE_RUN | 1u << WAVE_PAUSE | 1u << WAVE_STEP, "step"))
		return;
	if (base != NULL && base->pace == IMAGE_STEP) {
		if (wave->state != WAVE_RUN)
			set_running(wave, IMAGE_FOREVER);
		wave_set_state(wave, WAVE_RUN);
		wave->pending.value = wave_steps_max(wave) + count;
		atomic_fetch_add(&base->allowed, count);
		futex_wake(futex_low(&base->allowed), INT32_MAX);
		wave_later(&wave->pending, request, 20 * SECONDS);
		return;
	}
	if (wave->state == WAVE_RUN) {
		wave->pending.value = wave_steps_max(wave) + 1 + count;
		publish_limit(wave, wave->pending.value);
	} else {
		wave->pending.value = wave_steps_max(wave) + count;
		set_running(wave, wave->pending.value);
	}
	wave_set_state(wave, WAVE_STEP);
	wave_later(&wave->pending, request, 20 * SECONDS);
}

void wave_stop(struct exec_wave *wave, const struct wire_view *request)
{
	const unsigned all = (1u << WAVE_STOP | 1u << WAVE_ABNSTOP) - 1;
	uint64_t last;

	if (wave->drained && (wave->state == WAVE_STOP || wave->state == WAVE_ABNSTOP)) {
		exec_ok(wave->exec, request, WIRE_TAG_SLOT, lanes_slot(wave));
		return;
	}
	if (!can(wave, request, all | 1u << WAVE_STOP | 1u << WAVE_ABNSTOP, "stop"))
		return;
	wave_later(&wave->pending, request, 60 * SECONDS);
	if (!wave->started) {
		wave->ended = true;
		wave->progress_ns = clock_ns();
		hosts_finish(wave);
		return;
	}
	last = wave_steps_max(wave) + 1;
	if (atomic_load(&wave_control(wave)->last) > last)
		atomic_store(&wave_control(wave)->last, last);
	if (wave->state == WAVE_PAUSE || wave->state == WAVE_STEP)
		set_running(wave, IMAGE_FOREVER);
	if (wave_timebase(wave) != NULL && wave_timebase(wave)->pace == IMAGE_STEP) {
		atomic_fetch_add(&wave_timebase(wave)->allowed, wave->view.head->latency_slots + 4);
		futex_wake(futex_low(&wave_timebase(wave)->allowed), INT32_MAX);
	}
}

void wave_unload(struct exec_wave *wave, const struct wire_view *request)
{
	struct exec *exec = wave->exec;

	if (wave->drained) {
		wave_free(wave);
		exec_ok(exec, request, WIRE_TAG_SLOT, 0);
	} else if (wave->pending.bytes != NULL) {
		exec_fail(exec, request, 1, "\"%s\" has another change under way", wave->name);
	} else {
		wave->unloading = true; /* the tick frees it when it is drained */
		if (wave->state == WAVE_ABNSTOP)
			wave_later(&wave->pending, request, 60 * SECONDS);
		else
			wave_stop(wave, request);
	}
}

/* ---- SET --------------------------------------------------------------------------------------------------------------- */

static uint32_t find_param(const struct image_view *view, uint32_t instance, const char *name)
{
	const struct image_instance *row = &view->instances[instance];

	for (uint32_t p = 0; p < row->n_params; p++)
		if (strcmp(image_text(view, view->params[row->params + p].name), name) == 0)
			return p;
	return IMAGE_NONE;
}

/* Whether every segment has taken enough changes for one more to find its place in the ring. */
static bool ring_has_space(const struct exec_wave *wave)
{
	const uint64_t written = atomic_load(&wave_control(wave)->changes);

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (written - atomic_load(&image_segment_state(&wave->view, s)->changes) >= NODE_CHANGES)
			return false;
	return true;
}

/* No step is under way and none begins before the next request. */
static bool stands(const struct exec_wave *wave)
{
	const struct node_timebase *base = wave_timebase(wave);

	if (!wave->started)
		return true;
	return wave->pending.bytes == NULL && (wave->state == WAVE_PAUSE || (base != NULL && base->pace == IMAGE_STEP));
}

/* How many steps 5 ms are enough for where nothing paces them: the slowest segment holds up all others. */
static uint64_t free_slots(const struct exec_wave *wave)
{
	uint64_t least = 5000;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);
		const uint64_t busy_ns = atomic_load(&state->busy_ns), slots = atomic_load(&state->slots);

		if (busy_ns > 0 && 5000000 * slots / busy_ns < least)
			least = 5000000 * slots / busy_ns;
	}
	return least + 10;
}

/* The first index that a change made now is sure to meet; on a clock that stands, the next one. */
static uint64_t first_index(const struct exec_wave *wave, const struct image_instance *row)
{
	uint64_t step = atomic_load(&image_segment_state(&wave->view, row->segment)->done);

	if (!stands(wave))
		step += 1 + (wave->view.head->clock == IMAGE_TIMER ? margin_slots(wave) : free_slots(wave));
	return step > row->lag ? step - row->lag : 0;
}

static void set_publish(struct exec_wave *wave, uint64_t index, uint32_t instance, uint32_t param, double number)
{
	struct node_control *control = wave_control(wave);
	const uint64_t n = atomic_load(&control->changes);

	control->change[n % NODE_CHANGES] = (struct node_change){index, ++wave->sequence, instance, param, number};
	atomic_store(&control->changes, n + 1);
}

static void set_commit(struct exec_wave *wave, const struct wire_view *request, uint32_t instance, uint32_t param,
		       double number)
{
	const struct image_instance *row = &wave->view.instances[instance];
	const uint64_t first = first_index(wave, row);
	uint64_t index = stands(wave) ? first : IMAGE_FOREVER;

	wire_get_u64(request, WIRE_TAG_INDEX, &index);
	if (index < first) {
		exec_fail(wave->exec, request, 1, "index %llu is past or too near: name %llu or a later one",
			  (unsigned long long)index, (unsigned long long)first);
		return;
	}
	if (!ring_has_space(wave)) {
		exec_fail(wave->exec, request, 1, "%d changes of \"%s\" wait for their index: try again later",
			  NODE_CHANGES, wave->name);
		return;
	}
	set_publish(wave, index, instance, param, number);
	if (index != IMAGE_FOREVER) {
		exec_ok(wave->exec, request, WIRE_TAG_INDEX, index);
		return;
	}
	wave->set_pending.value = wave->sequence;
	wave->set_pending.instance = instance;
	wave_later(&wave->set_pending, request, 10 * SECONDS);
}

/* The number that `text` stands for: of an ENUM its name, of a BOOL true or false. NaN if it stands for none. */
static double set_number(const struct image_view *view, const struct image_param *param, const char *text)
{
	uint64_t at = param->names;
	char *end;
	double number;

	for (uint32_t i = 0; i < param->n_names; i++) {
		if (strcmp(image_text(view, at), text) == 0)
			return i;
		at += strlen(image_text(view, at)) + 1;
	}
	if (param->kind == ALOE_KIND_BOOL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0))
		return strcmp(text, "true") == 0;
	number = strtod(text, &end);
	return end == text || *end != 0 || param->kind == ALOE_KIND_ENUM ? NAN : number;
}

static void allowed(const struct image_view *view, const struct image_param *param, char *ret, size_t size)
{
	uint64_t at = param->names;
	size_t len = 0;

	if (param->kind == ALOE_KIND_BOOL)
		snprintf(ret, size, "true or false");
	else if (param->kind != ALOE_KIND_ENUM)
		snprintf(ret, size, "a %s in [%g, %g]", param->kind == ALOE_KIND_INT ? "whole number" : "number",
			 param->min, param->max);
	for (uint32_t i = 0; i < param->n_names && len < size; i++) {
		len += (size_t)snprintf(ret + len, size - len, "%s%s", i > 0 ? ", " : "", image_text(view, at));
		at += strlen(image_text(view, at)) + 1;
	}
}

static bool set_fits(const struct image_param *param, double number)
{
	if (!isfinite(number))
		return false;
	if (param->kind == ALOE_KIND_ENUM || param->kind == ALOE_KIND_BOOL)
		return true;
	return number >= param->min && number <= param->max &&
	       (param->kind != ALOE_KIND_INT || number == floor(number));
}

static void set_checked(struct exec_wave *wave, const struct wire_view *request, uint32_t instance, uint32_t p,
			const char *text)
{
	const struct image_view *view = &wave->view;
	const struct image_param *param = &view->params[view->instances[instance].params + p];
	const char *name = image_text(view, param->name), *owner = image_text(view, view->instances[instance].name);
	const double number = set_number(view, param, text);
	char range[256] = "";

	allowed(view, param, range, sizeof(range));
	if (!(param->flags & ALOE_LIVE))
		exec_fail(wave->exec, request, 2, "%s.%s is read at init only: unload, and load with --set", owner,
			  name);
	else if (!set_fits(param, number))
		exec_fail(wave->exec, request, 2, "%s.%s = %s is not allowed: %s", owner, name, text, range);
	else if (wave->set_pending.bytes != NULL)
		exec_fail(wave->exec, request, 1, "another set of \"%s\" is under way", wave->name);
	else if (wave->ended || wave->drained || wave->state == WAVE_LOADED)
		exec_fail(wave->exec, request, 1, "\"%s\" is in state %s: nothing runs that could take it", wave->name,
			  wave_state_names[wave->state]);
	else
		set_commit(wave, request, instance, p, number);
}

void wave_set(struct exec_wave *wave, const struct wire_view *request)
{
	char *name = wire_get_text(request, WIRE_TAG_NAME, 0), *value = wire_get_text(request, WIRE_TAG_VALUE, 0);
	const char *dot = name != NULL ? strchr(name, '.') : NULL;
	uint32_t instance = IMAGE_NONE, param = IMAGE_NONE;

	if (dot != NULL)
		instance = image_find_instance(&wave->view, name, (size_t)(dot - name));
	if (instance != IMAGE_NONE)
		param = find_param(&wave->view, instance, dot + 1);
	if (dot == NULL || value == NULL)
		exec_fail(wave->exec, request, 2, "set needs instance.parameter and a value");
	else if (instance == IMAGE_NONE)
		exec_fail(wave->exec, request, 2, "\"%s\" has no instance \"%.*s\"", wave->name, (int)(dot - name),
			  name);
	else if (param == IMAGE_NONE)
		exec_fail(wave->exec, request, 2, "instance \"%.*s\" has no parameter \"%s\"", (int)(dot - name), name,
			  dot + 1);
	else
		set_checked(wave, request, instance, param, value);
	free(name);
	free(value);
}
