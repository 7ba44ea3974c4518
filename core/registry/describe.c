/* SPDX-License-Identifier: BSD-3-Clause
 * The writing half of desc.h. */
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/json/json.h"
#include "core/registry/desc.h"

static const char *const kind_names[] = {"real", "int", "bool", "enum", "text", "path", "reals"};

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *types_json(uint32_t types)
{
	json_t *list = json_array();

	for (uint32_t bit = 1; bit <= ALOE_ANY; bit <<= 1)
		if (types & bit)
			json_array_append_new(list, json_string(item_type_name(bit)));
	return list;
}

static json_t *names_json(const char *const *names)
{
	json_t *list = names ? json_array() : json_null();

	for (size_t i = 0; names && names[i]; i++)
		json_array_append_new(list, json_string(names[i]));
	return list;
}

static json_t *port_json(const struct aloe_port *port)
{
	return json_pack("{s:s, s:s, s:o, s:b, s:o, s:s}", "name", port->name, "direction",
	    port->output ? "out" : "in", "types", types_json(port->types), "optional",
	    (port->flags & ALOE_OPTIONAL) != 0, "type_param", text_or_null(port->type_param), "doc",
	    port->doc ? port->doc : "");
}

static json_t *param_json(const struct aloe_param *param)
{
	const size_t kinds = sizeof(kind_names) / sizeof(kind_names[0]);

	return json_pack("{s:s, s:s, s:b, s:b, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:s, s:s}",
	    "name", param->name, "kind", param->kind < kinds ? kind_names[param->kind] : "?",
	    "live", (param->flags & ALOE_LIVE) != 0, "required",
	    (param->flags & ALOE_REQUIRED) != 0, "size", (int)param->size, "offset",
	    (json_int_t)param->offset, "default", json_real_or_null(param->def), "min",
	    json_real_or_null(param->min), "max", json_real_or_null(param->max), "text",
	    text_or_null(param->text), "names", names_json(param->names), "items_max",
	    (json_int_t)param->items_max, "unit", param->unit ? param->unit : "", "doc",
	    param->doc ? param->doc : "");
}

static json_t *var_json(const struct aloe_var *var)
{
	return json_pack("{s:s, s:s, s:I, s:s, s:s}", "name", var->name, "kind",
	    var->real ? "f64" : "u64", "offset", (json_int_t)var->offset, "unit",
	    var->unit ? var->unit : "", "doc", var->doc ? var->doc : "");
}

static json_t *callbacks_json(const struct aloe_component *component)
{
	const struct {
		const char *name;
		bool present;
	} callbacks[] = {
	    {"check", component->check},
	    {"shape", component->shape},
	    {"init", component->init},
	    {"work", component->work},
	    {"reset", component->reset},
	    {"close", component->close},
	    {"fill", component->fill},
	    {"drain", component->drain},
	    {"work_many", component->work_many},
	};
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
		if (callbacks[i].present)
			json_array_append_new(list, json_string(callbacks[i].name));
	return list;
}

char *component_describe(const struct aloe_entry *entry)
{
	const struct aloe_component *component = entry->component;
	json_t *ports = json_array(), *params = json_array(), *vars = json_array();
	char *text = NULL, *line = NULL;

	for (uint32_t i = 0; i < component->ports.len; i++)
		json_array_append_new(ports, port_json(&component->ports.items[i]));
	for (uint32_t i = 0; i < component->params.len; i++)
		json_array_append_new(params, param_json(&component->params.items[i]));
	for (uint32_t i = 0; i < component->vars.len; i++)
		json_array_append_new(vars, var_json(&component->vars.items[i]));
	json_t *root = json_pack(
	    "{s:i, s:i, s:s, s:s, s:o, s:I, s:I, s:o, s:I, s:o, s:o, s:o, s:o}", "schema",
	    DESC_SCHEMA, "abi", (int)entry->abi, "name", entry->name, "summary",
	    component->summary ? component->summary : "", "doc", text_or_null(component->doc),
	    "state_size", (json_int_t)component->state_size, "kmac", (json_int_t)component->kmac,
	    "mix", text_or_null(component->mix), "tail", (json_int_t)component->tail, "callbacks",
	    callbacks_json(component), "ports", ports, "params", params, "variables", vars);
	if (root && component->stateless) /* others have the text that they had before */
		json_object_set_new(root, "stateless", json_true());
	if (root)
		text = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return line;
}

uint64_t component_digest(const char *desc_text)
{
	return hash_bytes(HASH_START, desc_text, strlen(desc_text));
}
