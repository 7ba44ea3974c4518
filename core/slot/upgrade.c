/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/upgrade.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "core/component/param.h"

/* ---- the state ------------------------------------------------------------------------ */

static int64_t export_ask(struct instance *it, void *to, size_t size)
{
	const int64_t bytes = it->component->export_state(it->state, to, size, &it->setup);

	if (bytes < 0 && it->setup.error[0] == 0)
		aloe_fail(&it->setup, "export_state failed and gave no reason");
	if (bytes <= ALOE_EXPORT_MAX)
		return bytes < 0 ? -EINVAL : bytes;
	aloe_fail(&it->setup, "export_state needs %lld bytes; at most %d are allowed",
	    (long long)bytes, ALOE_EXPORT_MAX);
	return -E2BIG;
}

void *instance_export(struct instance *it, int64_t *ret_bytes)
{
	int64_t again;
	void *bytes;

	assert(it->component != NULL);
	assert(it->initialised);
	*ret_bytes = 0;
	if (it->component->export_state == NULL)
		return NULL;
	it->setup.error[0] = 0;
	*ret_bytes = export_ask(it, NULL, 0);
	if (*ret_bytes < 0)
		return NULL;
	bytes = calloc(1, (size_t)*ret_bytes + 1);
	again = bytes != NULL ? export_ask(it, bytes, (size_t)*ret_bytes) : -ENOMEM;
	if (again == *ret_bytes)
		return bytes;
	if (it->setup.error[0] == 0)
		aloe_fail(&it->setup, "export_state gave %lld bytes, and then another number",
		    (long long)*ret_bytes);
	free(bytes);
	*ret_bytes = again < 0 ? again : -EINVAL;
	return NULL;
}

/* ---- numbers of parameters ----------------------------------------------------------------- */

static double number_of(const _Atomic uint64_t *bits)
{
	const uint64_t copy = atomic_load_explicit(bits, memory_order_relaxed);
	double number;

	memcpy(&number, &copy, sizeof(number));
	return number;
}

static const struct image_param *param_named(const struct image_view *view,
    const struct image_instance *row, const char *name, uint32_t *ret)
{
	for (*ret = 0; *ret < row->n_params; (*ret)++)
		if (strcmp(image_text(view, view->params[row->params + *ret].name), name) == 0)
			return &view->params[row->params + *ret];
	return NULL;
}

static bool is_number(uint32_t kind)
{
	return kind != ALOE_KIND_TEXT && kind != ALOE_KIND_PATH && kind != ALOE_KIND_REALS;
}

/* A word of an ENUM is another number where there are other words. */
static int number_follow(struct instance *it, const struct aloe_param *param,
    const struct image_view *before, const struct image_param *old, double number)
{
	const char *word = NULL;

	assert(it->state != NULL);
	assert(old->kind == param->kind);
	if (param->kind == ALOE_KIND_ENUM && number >= 0 && number < old->n_names) {
		uint64_t offset = old->names;

		for (uint32_t n = 0; n < (uint32_t)number; n++)
			offset += strlen(image_text(before, offset)) + 1;
		word = image_text(before, offset);
		number = param_enum_find(param, word);
	}
	if ((param->min == param->min && number < param->min && param->kind != ALOE_KIND_ENUM) ||
	    (param->max == param->max && number > param->max && param->kind != ALOE_KIND_ENUM) ||
	    param_set_number(param, it->state, number) != 0)
		return aloe_fail(&it->setup,
		    "parameter %s has been set to %s%.6g since the load, which the new build does "
		    "not allow; give it with --set",
		    param->name, word != NULL ? word : "", word != NULL ? 0.0 : number);
	return 0;
}

static int param_follow(
    struct instance *it, const struct image_view *view, const struct image_view *before, uint32_t p)
{
	const struct aloe_param *param = &it->component->params.items[p];
	const struct image_instance *row = &view->instances[it->number],
	                            *was = &before->instances[it->number];
	uint32_t at;
	const struct image_param *old = param_named(before, was, param->name, &at);
	double number;

	assert(p < IMAGE_PARAMS_MAX);
	assert(it->number < view->head->instances.count);
	if (old == NULL || old->kind != param->kind || !(old->flags & ALOE_LIVE) ||
	    !(param->flags & ALOE_LIVE) || (row->given >> p & 1))
		return 0;
	if (old->array != 0 && image_array_sequence(before, old) != 0)
		return aloe_fail(&it->setup,
		    "parameter %s is an array that has been set since the load; give it with --set",
		    param->name);
	if (!is_number(param->kind))
		return 0;
	number = number_of(&image_instance_state(before, it->number)->params[at]);
	if (number == old->number || (number != number && old->number != old->number))
		return 0;
	return number_follow(it, param, before, old, number);
}

int instance_take_over(struct instance *it, const struct image_view *view,
    const struct image_view *before, const void *state, size_t bytes, bool *ret_imported)
{
	const uint32_t n = it->component->params.len;

	assert(it->initialised);
	assert(it->number < before->head->instances.count);
	*ret_imported = state != NULL && it->component->import_state != NULL;
	it->setup.error[0] = 0;
	for (uint32_t p = 0; p < n && p < IMAGE_PARAMS_MAX; p++)
		if (param_follow(it, view, before, p) != 0)
			return -EINVAL;
	if (*ret_imported && it->component->import_state(it->state, state, bytes, &it->setup) < 0) {
		if (it->setup.error[0] == 0)
			aloe_fail(&it->setup, "import_state failed and gave no reason");
		return -EINVAL;
	}
	instance_show_params(it);
	instance_show_vars(it);
	return 0;
}

/* ---- the place ------------------------------------------------------------------------ */

/* Segments, tables and the record of lapses know the place; what the component was opened with
 * knows its setup. */
struct instance instance_replace(struct instance *place, const struct instance *instance)
{
	struct instance old = *place;

	assert(place->number == instance->number);
	assert(place->records == 0 && instance->records == 0);
	*place = *instance;
	place->lacks = old.lacks;
	place->lapses = old.lapses;
	place->setup.arena = place;
	if (place->live != NULL)
		place->live->setup = &place->setup;
	old.stats = NULL;
	return old;
}
