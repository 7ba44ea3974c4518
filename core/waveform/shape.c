/* SPDX-License-Identifier: BSD-3-Clause
 * The asking side. */
#include "core/waveform/shape.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/kinds.h"
#include "core/base/text.h"
#include "core/json/json.h"
#include "core/waveform/parse.h"

/* ---- what instances have in common --------------------------------------------------------- */

static void value_write(FILE *out, const struct aloe_param *param, const struct wf_value *value)
{
	if (param->kind == ALOE_KIND_TEXT || param->kind == ALOE_KIND_PATH) {
		fwrite(value->text, 1, strlen(value->text) + 1, out);
	} else if (param->kind == ALOE_KIND_REALS) {
		fwrite(&value->n_reals, sizeof(value->n_reals), 1, out);
		if (value->n_reals > 0)
			fwrite(value->reals, sizeof(*value->reals), value->n_reals, out);
	} else {
		fwrite(&value->number, sizeof(value->number), 1, out);
	}
}

static void ports_write(FILE *out, const struct wf_port *ports, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t type = ports[i].link < 0 ? 0 : ports[i].type;

		fwrite(&type, sizeof(type), 1, out);
	}
}

/* All that kind_json says. The component comes first: it tells how the rest is to be read. */
static void kind_write(FILE *out, const void *waveform, size_t i)
{
	const struct wf_instance *instance = &((const struct waveform *)waveform)->instances[i];

	fwrite(&instance->type, sizeof(instance->type), 1, out);
	for (size_t k = 0; k < instance->type->n_params; k++)
		value_write(out, &instance->type->params[k], &instance->values[k]);
	ports_write(out, instance->in, instance->n_in);
	ports_write(out, instance->out, instance->n_out);
}

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

static json_t *kind_json(const struct wf_instance *instance)
{
	json_t *params = json_array();
	char digest[20];

	snprintf(digest, sizeof(digest), "%016" PRIx64, instance->type->digest);
	for (size_t i = 0; i < instance->type->n_params; i++)
		json_array_append_new(
		    params, value_json(&instance->type->params[i], &instance->values[i]));
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "component", instance->type->name,
	    "path", instance->type->path, "digest", digest, "params", params, "in",
	    ports_json(instance->in, instance->n_in), "out",
	    ports_json(instance->out, instance->n_out));
}

/* Nothing that is 0 at the end. */
static json_t *link_json(const struct wf_link *link)
{
	const json_int_t numbers[] = {
	    link->from, link->to, link->from_port, link->to_port, link->items};
	size_t n = sizeof(numbers) / sizeof(numbers[0]);
	json_t *list = json_array();
	int failed = 0;

	while (n > 2 && numbers[n - 1] == 0)
		n--;
	for (size_t i = 0; i < n; i++)
		failed |= json_array_append_new(list, json_integer(numbers[i]));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

/* Copies that do not differ have one shape: the first is asked for. */
static size_t instance_asked(const struct waveform *waveform, size_t n)
{
	return waveform->copies > 1 && !waveform->copies_differ ? n / waveform->copies : n;
}

/* Into four lists; not 0 without memory. */
static int lists_fill(const struct waveform *waveform, const struct kinds *kinds, json_t *lists[4])
{
	int failed = 0;

	for (size_t i = 0; i < kinds->n; i++)
		failed |= json_array_append_new(
		    lists[0], kind_json(&waveform->instances[kinds->first[i]]));
	for (size_t i = 0; i < kinds->n_things; i++) {
		failed |= json_array_append_new(lists[1], json_string(waveform->instances[i].name));
		failed |= json_array_append_new(lists[2], json_integer(kinds->of[i]));
	}
	for (size_t i = 0; i < instance_asked(waveform, waveform->n_links); i++)
		failed |= json_array_append_new(lists[3], link_json(&waveform->links[i]));
	return failed;
}

static json_t *request_json(const struct waveform *waveform, const struct kinds *kinds)
{
	json_t *lists[4] = {json_array(), json_array(), json_array(), json_array()};
	const int failed = lists_fill(waveform, kinds, lists);
	json_t *root = json_pack("{s:i, s:I, s:i, s:o, s:o, s:o, s:o}", "schema", SHAPE_SCHEMA,
	    "slot_ns", (json_int_t)waveform->slot_ns, "slot_samples",
	    waveform->clock == WF_CLOCK_RADIO ? (int)waveform->slot_samples : 0, "kinds", lists[0],
	    "instances", lists[1], "of", lists[2], "links", lists[3]);

	if (!failed)
		return root;
	json_decref(root);
	return NULL;
}

char *waveform_shape_json(const struct waveform *waveform)
{
	const size_t n = instance_asked(waveform, waveform->n_instances);
	struct kinds kinds;
	json_t *root = NULL;
	char *text = NULL;

	if (kinds_init(&kinds, n, kind_write, waveform) == 0)
		root = request_json(waveform, &kinds);
	if (root)
		text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	kinds_fini(&kinds);
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

static int sizes_apply(struct wf_instance *instance, const json_t *sizes, struct diag *diag)
{
	uint64_t tail = 0;

	if (ports_apply(sizes, "in", instance->in, instance->n_in, diag) < 0 ||
	    ports_apply(sizes, "out", instance->out, instance->n_out, diag) < 0 ||
	    json_want_uint(sizes, "tail", instance->type->tail, host_file, diag, &tail) < 0)
		return -EINVAL;
	instance->tail = (uint32_t)tail;
	return 0;
}

static int max_apply(struct waveform *waveform, const json_t *root, struct diag *diag)
{
	const size_t n = instance_asked(waveform, waveform->n_instances);
	json_t *list, *sizes;

	if (json_want_array(root, "sizes", n, host_file, diag, &sizes) < 0 ||
	    json_want_array(root, "max", n, host_file, diag, &list) < 0)
		return -EINVAL;
	if (json_array_size(list) != n)
		return diag_error(diag, host_file, 0, "max: found %zu instance%s; %zu are needed",
		    json_array_size(list), plural(json_array_size(list)), n);
	for (size_t i = 0; i < waveform->n_instances; i++) {
		const json_t *number = json_array_get(list, i % n);
		const json_int_t at = json_is_integer(number) ? json_integer_value(number) : -1;

		if (at < 0 || (size_t)at >= json_array_size(sizes))
			return diag_error(diag, host_file, 0, "max[%zu]: no such sizes", i % n);
		if (sizes_apply(&waveform->instances[i], json_array_get(sizes, (size_t)at), diag) <
		    0)
			return -EINVAL;
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
