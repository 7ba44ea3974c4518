/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/get.c - values by name, as one JSON object: numbers where it is one, else text,
 * true or false, a list. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/image/follow.h"
#include "core/json/json.h"
#include "daemons/stats/stats.h"

#include <aloe/component.h>

enum { ERROR_BYTES = 1000 };

json_t *stats_var(const struct image_var *row, uint64_t bits)
{
	double real;

	if (!row->real)
		return json_integer((json_int_t)bits);
	memcpy(&real, &bits, sizeof(real));
	return json_real_or_null(real);
}

static uint64_t var_bits(
    const struct image_view *view, const struct image_instance *row, uint32_t place, uint32_t var)
{
	const uint32_t number = (uint32_t)(image_place(view, row, place) - view->instances);

	return atomic_load_explicit(
	    &image_instance_state(view, number)->vars[var], memory_order_relaxed);
}

/* Of an instance in several places: the sum of counts, and a list of other figures. */
static json_t *var_value(const struct image_view *view, uint32_t instance, uint32_t var)
{
	const struct image_instance *row = &view->instances[instance];
	const struct image_var *what = &view->vars[row->vars + var];
	json_t *list = what->real && row->places > 1 ? json_array() : NULL;
	uint64_t sum = 0;

	for (uint32_t j = 0; j < row->places; j++) {
		const uint64_t bits = var_bits(view, row, j, var);

		sum += bits;
		if (list)
			json_array_append_new(list, stats_var(what, bits));
	}
	return list ? list : stats_var(what, sum);
}

static json_t *number_value(
    const struct image_view *view, uint32_t instance, uint32_t param, bool whole)
{
	const uint64_t bits = atomic_load_explicit(
	    &image_instance_state(view, instance)->params[param], memory_order_relaxed);
	double number;

	memcpy(&number, &bits, sizeof(number));
	if (whole && fabs(number) <= 9007199254740992.0)
		return json_integer((json_int_t)number);
	return json_real_or_null(number);
}

static json_t *enum_value(const struct image_view *view, uint32_t instance, uint32_t param)
{
	const struct image_param *row = &view->params[view->instances[instance].params + param];
	json_t *position = number_value(view, instance, param, true);
	uint64_t at = row->names;

	for (json_int_t i = 0; i < row->n_names; i++) {
		if (i == json_integer_value(position)) {
			json_decref(position);
			return json_string(image_text(view, at));
		}
		at += strlen(image_text(view, at)) + 1;
	}
	return position;
}

static json_t *reals_value(const struct image_view *view, const struct image_param *row)
{
	float *set = row->array != 0 ? calloc(row->items_max + 1u, sizeof(*set)) : NULL;
	const uint32_t n = set ? image_array_read(view, row, set) : row->n_reals;
	const float *reals = set ? set : image_reals(view, row);
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < n; i++)
		json_array_append_new(list, json_real_or_null((double)reals[i]));
	free(set);
	return list;
}

static json_t *param_value(const struct image_view *view, uint32_t instance, uint32_t param)
{
	const struct image_param *row = &view->params[view->instances[instance].params + param];
	json_t *number;

	switch (row->kind) {
	case ALOE_KIND_TEXT:
	case ALOE_KIND_PATH:
		return json_string(image_text(view, row->text));
	case ALOE_KIND_REALS:
		return reals_value(view, row);
	case ALOE_KIND_ENUM:
		return enum_value(view, instance, param);
	case ALOE_KIND_BOOL:
		number = number_value(view, instance, param, true);
		if (json_is_integer(number)) {
			const bool on = json_integer_value(number) != 0;

			json_decref(number);
			return json_boolean(on);
		}
		return number;
	default:
		return number_value(view, instance, param, row->kind == ALOE_KIND_INT);
	}
}

static void value_add(
    json_t *values, const struct image_view *view, uint32_t instance, uint32_t item, json_t *value)
{
	char name[256];

	snprintf(name, sizeof(name), "%s.%s", image_text(view, view->instances[instance].name),
	    image_text(view, item));
	json_object_set_new(values, name, value ? value : json_null());
}

static void var_add(json_t *values, const struct image_view *view, uint32_t instance, uint32_t var)
{
	const struct image_var *row = &view->vars[view->instances[instance].vars + var];

	value_add(values, view, instance, row->name, var_value(view, instance, var));
}

static void param_add(
    json_t *values, const struct image_view *view, uint32_t instance, uint32_t param)
{
	const struct image_param *row = &view->params[view->instances[instance].params + param];

	value_add(values, view, instance, row->name, param_value(view, instance, param));
}

static void instance_add(json_t *values, const struct image_view *view, uint32_t instance)
{
	/* a variable hides a parameter of the same name */
	for (uint32_t i = 0; i < view->instances[instance].n_params; i++)
		param_add(values, view, instance, i);
	for (uint32_t i = 0; i < view->instances[instance].n_vars; i++)
		var_add(values, view, instance, i);
}

/* How many indices every instance is done with. */
static uint64_t index_done(const struct image_view *view)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t s = 0; s < view->head->segments.count; s++) {
		const uint64_t done = atomic_load(&image_segment_state(view, s)->done),
		               lag = view->segments[s].lag_max;
		const uint64_t whole = done > lag ? done - lag : 0;

		least = whole < least ? whole : least;
	}
	return least == UINT64_MAX ? 0 : least;
}

/* The newest index that has begun, of an instance, or (IMAGE_NONE) of any that runs here. */
static uint64_t index_newest(const struct image_view *view, uint32_t instance)
{
	uint64_t newest = 0;

	for (uint32_t i = 0; i < view->head->instances.count; i++) {
		const bool counts = instance == IMAGE_NONE
		    ? image_runs(view, view->instances[i].segment)
		    : view->instances[i].named == instance;
		const uint64_t next = counts ? image_indices_done(view, i) : 0;

		newest = next > newest ? next : newest;
	}
	return newest;
}

static void values_send(struct stats *stats, const struct wire_view *request,
    const struct image_view *view, uint32_t instance, json_t *values)
{
	char *text = json_dumps(values, JSON_COMPACT | JSON_REAL_PRECISION(17));
	struct wire_msg msg;

	if (!text) {
		daemon_fail(&stats->daemon, request, 1, "aloe-stats: out of memory");
		return;
	}
	bus_reply(stats->daemon.bus, request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_JSON, text);
	wire_put_u64(&msg, WIRE_TAG_INDEX, index_done(view));
	wire_put_u64(&msg, WIRE_TAG_NEWEST, index_newest(view, instance));
	if (bus_send(stats->daemon.bus, &msg) < 0)
		log_warning(&stats->daemon.log, "an answer could not be sent");
	free(text);
}

static void named_get(struct stats *stats, const struct wire_view *request,
    const struct stats_wave *wave, const char *text)
{
	struct stats_name name;
	char error[ERROR_BYTES];
	json_t *values;

	if (stats_name_find(wave, text, &name, error, sizeof(error)) < 0) {
		stats_name_fail(stats, request, wave, &name, error);
		return;
	}
	values = json_object();
	if (name.whole)
		instance_add(values, &wave->view, name.instance);
	else if (name.var != IMAGE_NONE)
		var_add(values, &wave->view, name.instance, name.var);
	else
		param_add(values, &wave->view, name.instance, name.param);
	values_send(stats, request, &wave->view, name.instance, values);
	json_decref(values);
}

static void get_all(
    struct stats *stats, const struct wire_view *request, const struct stats_wave *wave)
{
	json_t *values = json_object();

	for (uint32_t i = 0; i < wave->view.head->instances.count; i++)
		if (wave->view.instances[i].place == 0 &&
		    image_runs(&wave->view, wave->view.instances[i].segment))
			instance_add(values, &wave->view, i);
	values_send(stats, request, &wave->view, IMAGE_NONE, values);
	json_decref(values);
}

void stats_get(struct stats *stats, const struct wire_view *request)
{
	stats_asked(stats, request, "get", named_get, get_all);
}
