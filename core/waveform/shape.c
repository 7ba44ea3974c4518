/* SPDX-License-Identifier: BSD-3-Clause
 * The asking side. */
#include "core/waveform/shape.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/json/json.h"
#include "core/waveform/parse.h"

/* ---- request ------------------------------------------------------------------------ */

static json_t *value_json(const struct aloe_param *param, const struct wf_value *value)
{
	json_t *list;

	if (param->kind == ALOE_KIND_TEXT || param->kind == ALOE_KIND_PATH)
		return json_string(value->text);
	if (param->kind != ALOE_KIND_REALS)
		return json_real_or_null(value->number);
	list = json_array();
	for (uint32_t i = 0; i < value->n_reals; i++)
		json_array_append_new(list, json_real((double)value->reals[i]));
	return list;
}

static json_t *ports_json(const struct wf_port *ports, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(list,
		    ports[i].link < 0 ? json_null() : json_string(item_type_name(ports[i].type)));
	return list;
}

static json_t *instance_json(const struct wf_instance *instance)
{
	json_t *params = json_array();
	char digest[20];

	snprintf(digest, sizeof(digest), "%016" PRIx64, instance->type->digest);
	for (size_t i = 0; i < instance->type->n_params; i++)
		json_array_append_new(
		    params, value_json(&instance->type->params[i], &instance->values[i]));
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "name", instance->name, "component",
	    instance->type->name, "path", instance->type->path, "digest", digest, "params", params,
	    "in", ports_json(instance->in, instance->n_in), "out",
	    ports_json(instance->out, instance->n_out));
}

/* Copies that do not differ have one shape: the first is asked for. */
static size_t instance_asked(const struct waveform *waveform, size_t n)
{
	return waveform->copies > 1 && !waveform->copies_differ ? n / waveform->copies : n;
}

char *waveform_shape_json(const struct waveform *waveform)
{
	json_t *instances = json_array(), *links = json_array();
	char *text = NULL;

	for (size_t i = 0; i < instance_asked(waveform, waveform->n_instances); i++)
		json_array_append_new(instances, instance_json(&waveform->instances[i]));
	for (size_t i = 0; i < instance_asked(waveform, waveform->n_links); i++) {
		const struct wf_link *link = &waveform->links[i];

		json_array_append_new(links,
		    json_pack("[i, i, i, i, I]", link->from, link->from_port, link->to,
		        link->to_port, (json_int_t)link->items));
	}
	json_t *root = json_pack("{s:i, s:I, s:i, s:o, s:o}", "schema", SHAPE_SCHEMA, "slot_ns",
	    (json_int_t)waveform->slot_ns, "slot_samples",
	    waveform->clock == WF_CLOCK_RADIO ? (int)waveform->slot_samples : 0, "instances",
	    instances, "links", links);
	if (root)
		text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	return text;
}

/* ---- answer ------------------------------------------------------------------------ */

static const char host_file[] = "answer of aloe-host --shape";

static int ports_apply(
    const json_t *object, const char *key, struct wf_port *ports, uint32_t n, struct diag *diag)
{
	json_t *list;

	if (json_want_array(object, key, n, host_file, diag, &list) < 0)
		return -EINVAL;
	if (json_array_size(list) != n)
		return diag_error(diag, host_file, 0, "%s: found %zu port%s; %u are needed", key,
		    json_array_size(list), plural(json_array_size(list)), n);
	for (uint32_t i = 0; i < n; i++) {
		const json_int_t max = json_integer_value(json_array_get(list, i));

		if (max < 0 || max > WF_ITEMS_MAX)
			return diag_error(diag, host_file, 0,
			    "%s[%u]: %" JSON_INTEGER_FORMAT " items", key, i, max);
		ports[i].max = (uint32_t)max;
	}
	return 0;
}

/* One line of `notes` or `errors`. */
static int line_apply(
    const struct waveform *waveform, const json_t *line, bool is_error, struct diag *diag)
{
	const json_t *text = json_array_get(line, 1);
	const json_int_t number = json_integer_value(json_array_get(line, 0));

	if (!json_is_string(text) || number >= (json_int_t)waveform->n_instances)
		return diag_error(
		    diag, host_file, 0, "a line of notes or errors is not understood");
	const struct wf_instance *instance = number < 0 ? NULL : &waveform->instances[number];
	if (!is_error)
		diag_note(diag, "%s: %s", instance ? instance->name : waveform->file,
		    json_string_value(text));
	else if (instance)
		diag_error(diag, waveform->file, instance->line, "instance \"%s\": %s",
		    instance->name, json_string_value(text));
	else
		diag_error(diag, waveform->file, 0, "%s", json_string_value(text));
	return 0;
}

static int lines_apply(
    const struct waveform *waveform, const json_t *root, const char *key, struct diag *diag)
{
	json_t *list, *line;
	size_t i;
	int error = 0;

	if (json_want_array(root, key, 10000, host_file, diag, &list) < 0)
		return -EINVAL;
	json_array_foreach(list, i, line)
	{
		if (!error)
			error = line_apply(waveform, line, key[0] == 'e', diag);
	}
	return error;
}

static int max_apply(struct waveform *waveform, const json_t *root, struct diag *diag)
{
	const size_t n = instance_asked(waveform, waveform->n_instances);
	json_t *list;

	if (json_want_array(root, "max", n, host_file, diag, &list) < 0)
		return -EINVAL;
	if (json_array_size(list) != n)
		return diag_error(diag, host_file, 0, "max: found %zu instance%s; %zu are needed",
		    json_array_size(list), plural(json_array_size(list)), n);
	for (size_t i = 0; i < waveform->n_instances; i++) {
		struct wf_instance *instance = &waveform->instances[i];
		const json_t *item = json_array_get(list, i % n);
		uint64_t tail = 0;

		if (ports_apply(item, "in", instance->in, instance->n_in, diag) < 0 ||
		    ports_apply(item, "out", instance->out, instance->n_out, diag) < 0 ||
		    json_want_uint(item, "tail", instance->type->tail, host_file, diag, &tail) < 0)
			return -EINVAL;
		instance->tail = (uint32_t)tail;
	}
	return 0;
}

int waveform_shape_apply(struct waveform *waveform, const char *answer, struct diag *diag)
{
	const size_t errors = diag->errors;
	json_t *root = json_read(host_file, answer, strlen(answer), diag);
	uint64_t schema = 0;

	if (root && json_want_uint(root, "schema", INT32_MAX, host_file, diag, &schema) == 0) {
		if (schema != SHAPE_SCHEMA)
			diag_error(diag, host_file, 0,
			    "found schema %u; schema %d is needed: aloe-host is of another version",
			    (unsigned)schema, SHAPE_SCHEMA);
		else if (lines_apply(waveform, root, "notes", diag) == 0 &&
		    lines_apply(waveform, root, "errors", diag) == 0 && diag->errors == errors)
			(void)max_apply(waveform, root, diag);
	}
	json_decref(root);
	return diag->errors == errors ? 0 : -EINVAL;
}
