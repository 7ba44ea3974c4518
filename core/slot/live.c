/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/live.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/component/param.h"
#include "core/component/parse.h"

static const struct aloe_param *param_of(const struct live *live, uint32_t param)
{
	assert(param < IMAGE_PARAMS_MAX);
	assert(param < live->component->params.len);
	return &live->component->params.items[param];
}

static struct aloe_reals *field_of(const struct live *live, uint32_t param)
{
	return (struct aloe_reals *)((uint8_t *)live->state + param_of(live, param)->offset);
}

static void value_free(const struct live *live, struct live_value *value)
{
	if (live->component->release != NULL)
		live->component->release(live->state, param_of(live, value->param), &value->reals);
	arena_free(&value->arena);
	free(value);
}

static void *value_alloc(struct aloe_setup *setup, size_t size)
{
	struct live_value *value = setup->arena;

	return arena_take(&value->arena, size);
}

static int call_prepare(const struct live *live, struct live_value *value, char *why, size_t size)
{
	struct aloe_setup setup = {
	    .instance = live->setup->instance,
	    .slot_ns = live->setup->slot_ns,
	    .in = live->setup->in,
	    .out = live->setup->out,
	    .simd = live->setup->simd,
	    .alloc = value_alloc,
	    .arena = value,
	};
	const struct aloe_param *param = param_of(live, value->param);

	assert(param_is_live_array(param));
	assert(value->reals.data != NULL);
	if (live->component->prepare == NULL ||
	    live->component->prepare(live->state, param, &value->reals, &setup) >= 0)
		return 0;
	setup.error[sizeof(setup.error) - 1] = 0;
	snprintf(why, size, "%s",
	    setup.error[0] ? setup.error : "the component refused the array and gave no reason");
	return -EINVAL;
}

/* Copies and prepares an array; frees everything on failure. */
static int value_new(const struct live *live, uint32_t param, uint64_t sequence, const float *data,
    uint32_t len, char *why, size_t size, struct live_value **ret)
{
	struct live_value *value = calloc(1, sizeof(*value));
	float *copy = value != NULL ? arena_take(&value->arena, (len + 1) * sizeof(*copy)) : NULL;
	int status = copy == NULL ? -ENOMEM : 0;

	assert(param < IMAGE_PARAMS_MAX);
	assert(data != NULL || len == 0);
	if (status != 0)
		snprintf(why, size, "no memory for %u number%s", len, plural(len));
	if (status == 0) {
		memcpy(copy, data, len * sizeof(*copy));
		value->param = param;
		value->sequence = sequence;
		value->reals = (struct aloe_reals){copy, len, 1, NULL};
		status = call_prepare(live, value, why, size);
	}
	if (status == 0) {
		*ret = value;
		return 0;
	}
	if (value != NULL)
		arena_free(&value->arena);
	free(value);
	return status;
}

static void values_push(struct live *live, struct live_value *value)
{
	value->next = live->values;
	live->values = value;
}

static int prepare_loaded(struct live *live, char *why, size_t size)
{
	assert(live->values == NULL);
	assert(live->component->params.len <= IMAGE_PARAMS_MAX);
	for (uint32_t p = 0; p < live->component->params.len; p++) {
		const struct aloe_reals *reals = field_of(live, p);
		struct live_value *value;
		int status;

		if (!param_is_live_array(param_of(live, p)))
			continue;
		status = value_new(live, p, 0, reals->data, reals->len, why, size, &value);
		if (status != 0)
			return status;
		atomic_store(&value->since, 1);
		value->shown = true;
		values_push(live, value);
		live->in_force[p] = value;
		*field_of(live, p) = value->reals;
	}
	return 0;
}

static bool has_live_array(const struct aloe_component *component)
{
	for (uint32_t p = 0; p < component->params.len && p < IMAGE_PARAMS_MAX; p++)
		if (param_is_live_array(&component->params.items[p]))
			return true;
	return false;
}

int live_new(const struct aloe_component *component, void *state, const struct aloe_setup *setup,
    char *why, size_t size, struct live **ret)
{
	struct live *live;
	int status;

	assert(component != NULL);
	assert(state != NULL);
	*ret = NULL;
	if (!has_live_array(component))
		return 0;
	live = calloc(1, sizeof(*live));
	if (live == NULL) {
		snprintf(why, size, "no memory for the arrays of the component");
		return -ENOMEM;
	}
	*live = (struct live){.component = component, .state = state, .setup = setup};
	status = prepare_loaded(live, why, size);
	if (status == 0)
		*ret = live;
	else
		live_free(live);
	return status;
}

void live_free(struct live *live)
{
	while (live != NULL && live->values != NULL) {
		struct live_value *value = live->values;

		live->values = value->next;
		value_free(live, value);
	}
	free(live);
}

int live_offer(struct live *live, uint32_t param, uint64_t sequence, const float *data,
    uint32_t len, char *why, size_t size)
{
	const struct aloe_param *row = param_of(live, param);
	struct live_value *value;
	uint32_t place = 0;
	int status;

	assert(param < IMAGE_PARAMS_MAX);
	assert(sequence != 0);
	live_forget(live, sequence);
	while (place < LIVE_OFFERED_MAX && atomic_load(&live->offered[place]) != NULL)
		place++;
	if (place == LIVE_OFFERED_MAX) {
		snprintf(why, size, "%d changes of arrays are pending already; try again later",
		    LIVE_OFFERED_MAX);
		return -EBUSY;
	}
	status = param_reals_fit(row, row->name, data, len, why, size);
	if (status == 0)
		status = value_new(live, param, sequence, data, len, why, size, &value);
	if (status != 0)
		return status;
	values_push(live, value);
	atomic_store(&live->offered[place], value);
	return 0;
}

static void values_remove(struct live *live, struct live_value **link)
{
	struct live_value *value = *link;

	*link = value->next;
	value_free(live, value);
}

void live_forget(struct live *live, uint64_t sequence)
{
	assert(live != NULL);
	for (uint32_t i = 0; i < LIVE_OFFERED_MAX; i++) {
		struct live_value *value = atomic_load(&live->offered[i]), **link = &live->values;

		if (value == NULL || value->sequence != sequence)
			continue;
		atomic_store(&live->offered[i], NULL);
		while (*link != value) {
			assert(*link != NULL);
			link = &(*link)->next;
		}
		values_remove(live, link);
	}
}

/* Shows an array that is in force to tools, or records that a replaced array was in force. */
static void value_show(struct live_value *value, bool in_force, const struct image_view *view,
    const struct image_param *param)
{
	value->shown = true;
	if (param->array == 0)
		return;
	if (in_force)
		image_array_show(view, param, value->reals.data, value->reals.len);
	image_array_seen(view, param, value->sequence);
}

uint32_t live_sweep(struct live *live, uint64_t done, const struct image_view *view,
    const struct image_param *params)
{
	struct live_value **link = &live->values;
	uint32_t waiting = 0;

	assert(view->base != NULL);
	assert(params != NULL);
	while (*link != NULL) {
		struct live_value *value = *link;
		const uint64_t since = atomic_load_explicit(&value->since, memory_order_acquire);
		const uint64_t until = atomic_load_explicit(&value->until, memory_order_acquire);

		if (since != 0 && !value->shown)
			value_show(value, until == 0, view, &params[value->param]);
		if (until != 0 && done >= until) {
			values_remove(live, link);
			continue;
		}
		waiting += since == 0 || until != 0;
		link = &value->next;
	}
	return waiting;
}

void live_moved(struct live *live)
{
	assert(live != NULL);
	for (struct live_value *value = live->values; value != NULL; value = value->next) {
		assert(value->param < IMAGE_PARAMS_MAX);
		if (value->sequence != 0)
			value->shown = false;
	}
}

/* ---- [slot] ------------------------------------------------------------------------ */

bool live_swap(struct live *live, uint32_t param, uint64_t sequence, uint64_t step)
{
	assert(param < IMAGE_PARAMS_MAX);
	for (uint32_t i = 0; i < LIVE_OFFERED_MAX; i++) {
		struct live_value *value =
		    atomic_load_explicit(&live->offered[i], memory_order_acquire);
		struct aloe_reals *field;

		if (value == NULL || value->sequence != sequence || value->param != param)
			continue;
		assert(live->in_force[param] != NULL);
		field = field_of(live, param);
		value->reals.version = field->version + 1;
		*field = value->reals;
		atomic_store_explicit(
		    &live->in_force[param]->until, step + 1, memory_order_release);
		live->in_force[param] = value;
		atomic_store_explicit(&value->since, step + 1, memory_order_release);
		atomic_store_explicit(&live->offered[i], NULL, memory_order_release);
		return true;
	}
	return false;
}
