/* SPDX-License-Identifier: BSD-3-Clause
 *
 * set.c - a parameter takes another value at one index of its instance.
 *
 *   number   checked here, written into the ring of changes, applied by the segment's own thread
 *   numbers  of several instances: published together, with one index that all of them are sure to meet
 *   array    checked here, offered to the host, whose control thread prepares a second copy; then the same */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/component/reals.h"
#include "daemons/exec/exec.h"

#include <aloe/component.h>

#define SECONDS 1000000000ull

static uint32_t find_param(const struct image_view *view, uint32_t instance, const char *name)
{
	const struct image_instance *row = &view->instances[instance];

	for (uint32_t p = 0; p < row->n_params; p++)
		if (strcmp(image_text(view, view->params[row->params + p].name), name) == 0)
			return p;
	return IMAGE_NONE;
}

/* Whether n more find their place, in the ring and with the segments, where they wait for their index. */
static bool ring_has_space(const struct exec_wave *wave, uint64_t n)
{
	const uint64_t written = atomic_load(&wave_control(wave)->changes);
	uint64_t applied = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);

		applied += atomic_load(&state->applied);
		if (written + n - atomic_load(&state->changes) > NODE_CHANGES)
			return false;
	}
	return written + n - applied <= NODE_CHANGES;
}

/* No step is under way and none begins before the next request. */
static bool stands(const struct exec_wave *wave)
{
	const struct node_timebase *base = wave_timebase(wave);

	if (!wave->started)
		return true;
	return wave->pending.bytes == NULL &&
	    (wave->state == WAVE_PAUSE || (base != NULL && base->pace == IMAGE_STEP));
}

/* How many steps 5 ms are enough for where nothing paces them: the slowest segment holds up all others. */
static uint64_t free_slots(const struct exec_wave *wave)
{
	uint64_t least = 5000;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);
		const uint64_t busy_ns = atomic_load(&state->busy_ns),
		               slots = atomic_load(&state->slots);

		if (busy_ns > 0 && 5000000 * slots / busy_ns < least)
			least = 5000000 * slots / busy_ns;
	}
	return least + 10;
}

/* The first index that a change made now is sure to meet; on a clock that stands, the next one. */
static uint64_t first_index(const struct exec_wave *wave, const struct image_instance *row)
{
	const uint64_t rests = atomic_load(
	    &image_instance_state(&wave->view, (uint32_t)(row - wave->view.instances))->first);
	uint64_t step = atomic_load(&image_segment_state(&wave->view, row->segment)->done);

	step = step < rests ? rests : step;
	if (!stands(wave))
		step += 1 +
		    (image_timed(wave->view.head->clock) ? wave_margin(wave) : free_slots(wave));
	return step > row->lag ? step - row->lag : 0;
}

/* All of them are seen at once. */
static void set_publish(struct exec_wave *wave, const struct node_change *changes, unsigned n)
{
	struct node_control *control = wave_control(wave);
	const uint64_t written = atomic_load(&control->changes);

	for (unsigned i = 0; i < n; i++)
		control->change[(written + i) % NODE_CHANGES] = changes[i];
	atomic_store(&control->changes, written + n);
}

/* change->index is chosen here, by the request or as soon as possible: 0; or negative, answered. */
static int set_commit(
    struct exec_wave *wave, const struct wire_view *request, struct node_change *change)
{
	const uint64_t first = first_index(wave, &wave->view.instances[change->instance]);

	change->index = stands(wave) ? first : IMAGE_FOREVER;
	wire_get_u64(request, WIRE_TAG_INDEX, &change->index);
	if (change->index < first) {
		exec_fail(wave->exec, request, 1,
		    "index %llu is past or too near: name %llu or a later one",
		    (unsigned long long)change->index, (unsigned long long)first);
		return -ERANGE;
	}
	if (!ring_has_space(wave, 1)) {
		exec_fail(wave->exec, request, 1,
		    "%d changes of \"%s\" wait for their index: try again later", NODE_CHANGES,
		    wave->name);
		return -EAGAIN;
	}
	set_publish(wave, change, 1);
	if (change->index != IMAGE_FOREVER) {
		exec_ok(wave->exec, request, WIRE_TAG_INDEX, change->index);
		return 0;
	}
	wave->published = *change;
	wave_later(&wave->set_pending, request, 10 * SECONDS);
	wave_look_soon(wave);
	return 0;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------------ */

static int floats_memfd(const float *data, uint32_t len)
{
	const size_t bytes = len * sizeof(*data);
	const int fd = image_memfd("aloe-array", bytes);
	void *to =
	    fd >= 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

	if (to == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return fd < 0 ? fd : -ENOMEM;
	}
	memcpy(to, data, bytes);
	munmap(to, bytes);
	return fd;
}

static struct exec_process *process_of(const struct exec_wave *wave, uint32_t instance)
{
	return wave->hosts[wave->view.segments[wave->view.instances[instance].segment].host]
	    .process;
}

/* The answer comes when the host has prepared it, see set_offered. */
static void array_offer(struct exec_wave *wave, const struct wire_view *request,
    const struct node_change *change, const float *data, uint32_t len)
{
	const struct exec_process *process = process_of(wave, change->instance);
	const struct hostlink_msg msg = {.type = HOSTLINK_OFFER,
	    .control = wave->control,
	    .instance = change->instance,
	    .param = change->param,
	    .n_items = len,
	    .sequence = change->sequence};
	const int fd = floats_memfd(data, len);
	int status = fd < 0   ? fd
	    : process == NULL ? -EPIPE
	                      : hostlink_send(process->sock, &msg, &fd, 1);

	if (fd >= 0)
		close(fd);
	if (status != 0) {
		exec_fail(wave->exec, request, 1, "%u numbers cannot be handed to their host: %s",
		    len, strerror(-status));
		return;
	}
	wave->offered = *change;
	wave_later(&wave->set_pending, request, 30 * SECONDS);
}

static void array_forget(struct exec_wave *wave, uint64_t sequence, uint32_t instance)
{
	const struct exec_process *process =
	    instance < wave->view.head->instances.count ? process_of(wave, instance) : NULL;
	const struct hostlink_msg msg = {.type = HOSTLINK_FORGET,
	    .control = wave->control,
	    .instance = instance,
	    .sequence = sequence};

	if (process != NULL)
		hostlink_send(process->sock, &msg, NULL, 0);
}

/* What the host says to an offer: the change goes on as that of a number does, or is refused. */
void set_offered(struct exec_wave *wave, const struct hostlink_msg *msg)
{
	const char *refused = msg->type == HOSTLINK_REFUSED ? msg->text : NULL;
	struct node_change change = wave->offered;
	struct exec_pending pending = wave->set_pending;
	const struct image_instance *row = &wave->view.instances[change.instance];
	struct wire_view request;

	if (change.sequence != msg->sequence ||
	    pending.bytes == NULL) { /* nobody waits for it any more */
		array_forget(wave, msg->sequence, msg->instance);
		return;
	}
	wave->offered.sequence = 0;
	wave->set_pending.bytes = NULL;
	if (wire_decode(pending.bytes, pending.len, &request) != 0) {
		array_forget(wave, change.sequence, change.instance);
	} else if (refused != NULL) {
		exec_fail(wave->exec, &request, 2, "%s.%s: %s", image_text(&wave->view, row->name),
		    image_text(&wave->view, wave->view.params[row->params + change.param].name),
		    refused);
	} else if (set_commit(wave, &request, &change) != 0) {
		array_forget(wave, change.sequence, change.instance);
	}
	free(pending.bytes);
}

static void array_set(struct exec_wave *wave, const struct wire_view *request,
    struct node_change *change, const struct image_param *param, const char *name, const char *text)
{
	char why[300] = "no memory";
	float *data = NULL;
	uint32_t len;

	if (reals_parse(text, &data, &len, why, sizeof(why)) != 0 ||
	    reals_fit(data, len, param->items_max, param->min, param->max, why, sizeof(why)) != 0) {
		exec_fail(wave->exec, request, 2, "%s: %s", name, why);
	} else {
		change->sequence = ++wave->sequence;
		array_offer(wave, request, change, data, len);
	}
	free(data);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------------- */

/* The number that `text` stands for: of an ENUM its name, of a BOOL true or false. NaN if it stands for none. */
static double set_number(
    const struct image_view *view, const struct image_param *param, const char *text)
{
	uint64_t at = param->names;
	char *end;
	double number;

	for (uint32_t i = 0; i < param->n_names; i++) {
		if (strcmp(image_text(view, at), text) == 0)
			return i;
		at += strlen(image_text(view, at)) + 1;
	}
	if (param->kind == ALOE_KIND_BOOL &&
	    (strcmp(text, "true") == 0 || strcmp(text, "false") == 0))
		return strcmp(text, "true") == 0;
	number = strtod(text, &end);
	return end == text || *end != 0 || param->kind == ALOE_KIND_ENUM ? NAN : number;
}

static void allowed(
    const struct image_view *view, const struct image_param *param, char *ret, size_t size)
{
	uint64_t at = param->names;
	size_t len = 0;

	if (param->kind == ALOE_KIND_BOOL)
		snprintf(ret, size, "true or false");
	else if (param->kind != ALOE_KIND_ENUM)
		snprintf(ret, size, "a %s in [%g, %g]",
		    param->kind == ALOE_KIND_INT ? "whole number" : "number", param->min,
		    param->max);
	for (uint32_t i = 0; i < param->n_names && len < size; i++) {
		len += (size_t)snprintf(
		    ret + len, size - len, "%s%s", i > 0 ? ", " : "", image_text(view, at));
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

static void number_set(struct exec_wave *wave, const struct wire_view *request,
    struct node_change *change, const struct image_param *param, const char *name, const char *text)
{
	const double number = set_number(&wave->view, param, text);
	char range[256] = "";

	allowed(&wave->view, param, range, sizeof(range));
	if (!set_fits(param, number)) {
		exec_fail(wave->exec, request, 2, "%s = %s is not allowed: %s", name, text, range);
		return;
	}
	change->number = number;
	change->sequence = ++wave->sequence;
	set_commit(wave, request, change);
}

/* In place of one that nobody waits for any more. */
static void set_begin(struct exec_wave *wave, const struct wire_view *request,
    struct node_change *change, const struct image_param *param, const char *name, const char *text)
{
	free(wave->set_pending.bytes);
	wave->set_pending.bytes = NULL;
	wave->offered.sequence = 0;
	if (param->kind == ALOE_KIND_REALS)
		array_set(wave, request, change, param, name, text);
	else
		number_set(wave, request, change, param, name, text);
}

/* ---- several at once --------------------------------------------------------------------------------------------------- */

enum { SEVERAL_MAX = NODE_CHANGES / 2 };

/* One of several: a number. 0, or -EINVAL answered. */
static int change_of(
    struct exec_wave *wave, const struct wire_view *request, unsigned nth, struct node_change *ret)
{
	char *name = wire_get_text(request, WIRE_TAG_NAME, nth),
	     *value = wire_get_text(request, WIRE_TAG_VALUE, nth);
	const char *dot = name != NULL ? strchr(name, '.') : NULL;
	const struct image_param *param = NULL;
	int status = -EINVAL;

	*ret = (struct node_change){.instance = IMAGE_NONE, .param = IMAGE_NONE, .number = NAN};
	if (dot != NULL)
		ret->instance = image_find_instance(&wave->view, name, (size_t)(dot - name));
	if (ret->instance != IMAGE_NONE)
		ret->param = find_param(&wave->view, ret->instance, dot + 1);
	if (ret->param != IMAGE_NONE)
		param = &wave->view.params[wave->view.instances[ret->instance].params + ret->param];
	if (param != NULL && param->kind != ALOE_KIND_REALS && value != NULL)
		ret->number = set_number(&wave->view, param, value);
	if (param == NULL)
		exec_fail(wave->exec, request, 2, "\"%s\" has no parameter \"%s\"", wave->name,
		    name != NULL ? name : "");
	else if (param->kind == ALOE_KIND_REALS)
		exec_fail(wave->exec, request, 2,
		    "%s is an array: set it alone, with --at if the index matters", name);
	else if (!(param->flags & ALOE_LIVE) || !set_fits(param, ret->number))
		exec_fail(wave->exec, request, 2, "%s = %s is not allowed%s", name,
		    value != NULL ? value : "",
		    param->flags & ALOE_LIVE ? "" : ": it is read at init only");
	else
		status = 0;
	free(name);
	free(value);
	return status;
}

/* The first index that all of them are sure to meet. */
static uint64_t first_of_all(
    const struct exec_wave *wave, const struct node_change *changes, unsigned n)
{
	uint64_t index = 0;

	for (unsigned i = 0; i < n; i++) {
		const uint64_t first =
		    first_index(wave, &wave->view.instances[changes[i].instance]);

		index = first > index ? first : index;
	}
	return index;
}

/* Once they are published: no segment may have begun the step that belongs to `index` before it could see them. */
static bool all_in_time(
    const struct exec_wave *wave, const struct node_change *changes, unsigned n, uint64_t index)
{
	for (unsigned i = 0; i < n; i++) {
		const struct image_instance *row = &wave->view.instances[changes[i].instance];

		if (!stands(wave) &&
		    atomic_load(&image_segment_state(&wave->view, row->segment)->done) >=
		        index + row->lag)
			return false;
	}
	return true;
}

static void several_commit(struct exec_wave *wave, const struct wire_view *request,
    struct node_change *changes, unsigned n)
{
	const uint64_t first = first_of_all(wave, changes, n);
	uint64_t index = first;

	wire_get_u64(request, WIRE_TAG_INDEX, &index);
	if (index < first) {
		exec_fail(wave->exec, request, 1,
		    "index %llu is past or too near: name %llu or a later one",
		    (unsigned long long)index, (unsigned long long)first);
		return;
	}
	if (!ring_has_space(wave, n)) {
		exec_fail(wave->exec, request, 1,
		    "%d changes of \"%s\" wait for their index: try again later", NODE_CHANGES,
		    wave->name);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		changes[i].index = index;
		changes[i].sequence = ++wave->sequence;
	}
	set_publish(wave, changes, n);
	if (all_in_time(wave, changes, n, index))
		exec_ok(wave->exec, request, WIRE_TAG_INDEX, index);
	else
		exec_fail(wave->exec, request, 1,
		    "the machine stood still: they hold, but not all from index %llu on: set them again",
		    (unsigned long long)index);
}

/* Numbers of any instances, on whatever lanes, all from one index on. */
static void set_several(struct exec_wave *wave, const struct wire_view *request, unsigned n)
{
	struct node_change changes[SEVERAL_MAX];

	if (n > SEVERAL_MAX) {
		exec_fail(wave->exec, request, 2, "at most %d parameters can be set at one index",
		    SEVERAL_MAX);
		return;
	}
	if (wave->remap != REMAP_NONE || wave->ended || wave->drained ||
	    wave->state == WAVE_LOADED) {
		exec_fail(wave->exec, request, 1, "\"%s\" %s", wave->name,
		    wave->remap != REMAP_NONE ? "is being remapped: try again"
		                              : "does not run: nothing could take them");
		return;
	}
	for (unsigned i = 0; i < n; i++)
		if (change_of(wave, request, i, &changes[i]) != 0)
			return;
	several_commit(wave, request, changes, n);
}

/* ---- the request ------------------------------------------------------------------------------------------------------- */

static void set_checked(struct exec_wave *wave, const struct wire_view *request, uint32_t instance,
    uint32_t p, const char *text)
{
	const struct image_view *view = &wave->view;
	const struct image_param *param = &view->params[view->instances[instance].params + p];
	struct node_change change = {.instance = instance, .param = p};
	char name[160];

	snprintf(name, sizeof(name), "%s.%s", image_text(view, view->instances[instance].name),
	    image_text(view, param->name));
	if (!(param->flags & ALOE_LIVE))
		exec_fail(wave->exec, request, 2,
		    "%s is read at init only: unload, and load with --set", name);
	else if (wave_busy(&wave->set_pending))
		exec_fail(wave->exec, request, 1, "another set of \"%s\" is under way", wave->name);
	else if (wave->remap != REMAP_NONE && param->kind == ALOE_KIND_REALS)
		exec_fail(
		    wave->exec, request, 1, "\"%s\" is being remapped: try again", wave->name);
	else if (wave->ended || wave->drained || wave->state == WAVE_LOADED)
		exec_fail(wave->exec, request, 1,
		    "\"%s\" is in state %s: nothing runs that could take it", wave->name,
		    wave_state_names[wave->state]);
	else
		set_begin(wave, request, &change, param, name, text);
}

void wave_set(struct exec_wave *wave, const struct wire_view *request)
{
	char *name = wire_get_text(request, WIRE_TAG_NAME, 0),
	     *value = wire_get_text(request, WIRE_TAG_VALUE, 0);
	const char *dot = name != NULL ? strchr(name, '.') : NULL;
	uint32_t instance = IMAGE_NONE, param = IMAGE_NONE;
	const void *bytes;
	unsigned n = 0;
	size_t len;

	while (wire_get_bytes(request, WIRE_TAG_NAME, n, &bytes, &len) == 0)
		n++;
	if (n > 1) {
		set_several(wave, request, n);
		free(name);
		free(value);
		return;
	}
	if (dot != NULL)
		instance = image_find_instance(&wave->view, name, (size_t)(dot - name));
	if (instance != IMAGE_NONE)
		param = find_param(&wave->view, instance, dot + 1);
	if (dot == NULL || value == NULL)
		exec_fail(wave->exec, request, 2, "set needs instance.parameter and a value");
	else if (instance == IMAGE_NONE)
		exec_fail(wave->exec, request, 2, "\"%s\" has no instance \"%.*s\"", wave->name,
		    (int)(dot - name), name);
	else if (param == IMAGE_NONE)
		exec_fail(wave->exec, request, 2, "instance \"%.*s\" has no parameter \"%s\"",
		    (int)(dot - name), name, dot + 1);
	else
		set_checked(wave, request, instance, param, value);
	free(name);
	free(value);
}

static bool array_shown(const struct exec_wave *wave, const struct node_change *change)
{
	const struct image_instance *row = &wave->view.instances[change->instance];
	const struct image_param *param = &wave->view.params[row->params + change->param];

	return param->array == 0 || image_array_sequence(&wave->view, param) >= change->sequence;
}

void check_set(struct exec_wave *wave)
{
	struct exec_pending *pending = &wave->set_pending;
	uint64_t index;

	if (pending->bytes == NULL)
		return;
	if (wave->offered.sequence != 0) {
		if (clock_ns() <= pending->until_ns)
			return;
		wave->offered.sequence = 0;
		wave_answer(wave, pending, WIRE_TAG_INDEX, 0, 1,
		    "the component has not prepared it within 30 s");
		return;
	}
	if (image_taken_index(&wave->view, wave->view.instances[wave->published.instance].segment,
	        wave->published.sequence, &index) &&
	    array_shown(wave, &wave->published))
		wave_answer(wave, pending, WIRE_TAG_INDEX, index, 0, NULL);
	else if (clock_ns() > pending->until_ns)
		wave_answer(wave, pending, WIRE_TAG_INDEX, 0, 1,
		    "no index came by in 10 s: it applies when one does");
}
