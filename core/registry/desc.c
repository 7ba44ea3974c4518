/* SPDX-License-Identifier: BSD-3-Clause
 * The reading half of desc.h. */
#include "core/registry/desc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/component/param.h"
#include "core/json/json.h"

/* The tables borrow their texts from the JSON document, which lives beside them. */
struct desc {
	struct component_type type;
	json_t *root;
	uint64_t state_size;
	struct component_build build;
};

struct at { /* where in the .desc, for messages */
	struct diag *diag;
	char text[512];
};

static const struct {
	const char *name;
	uint8_t kind;
} kinds[] = {
    {"real", ALOE_KIND_REAL},
    {"int", ALOE_KIND_INT},
    {"bool", ALOE_KIND_BOOL},
    {"enum", ALOE_KIND_ENUM},
    {"text", ALOE_KIND_TEXT},
    {"path", ALOE_KIND_PATH},
    {"reals", ALOE_KIND_REALS},
};

void component_type_free(struct component_type *type)
{
	struct desc *desc = (struct desc *)type;

	if (!desc)
		return;
	for (size_t i = 0; i < type->n_params; i++)
		free((void *)type->params[i].names);
	free(type->params);
	free(type->ports);
	free(type->vars);
	free(type->path);
	json_decref(desc->root);
	free(desc);
}

static int name_want(const json_t *object, struct at *at, const char **ret)
{
	const char *name;

	if (json_want_text(object, "name", at->text, at->diag, &name) < 0)
		return -EINVAL;
	if (!text_is_name(name))
		return diag_error(at->diag, at->text, 0,
		    "name: \"%s\" is not allowed: a name is a letter, then letters, digits and "
		    "_, at most 63 characters",
		    name);
	*ret = name;
	return 0;
}

static int u32_want(
    const json_t *object, const char *key, uint32_t max, struct at *at, uint32_t *ret)
{
	uint64_t wide;

	if (json_want_uint(object, key, max, at->text, at->diag, &wide) < 0)
		return -EINVAL;
	*ret = (uint32_t)wide;
	return 0;
}

/* ---- ports ------------------------------------------------------------------------ */

static int types_read(const json_t *object, struct at *at, uint32_t *ret_types)
{
	json_t *list, *item;
	size_t i;
	uint32_t types = 0;

	if (json_want_array(object, "types", 16, at->text, at->diag, &list) < 0)
		return -EINVAL;
	json_array_foreach(list, i, item)
	{
		const char *name = json_is_string(item) ? json_string_value(item) : "";
		const uint32_t type = item_type_from_name(name);

		if (!type)
			return diag_error(at->diag, at->text, 0,
			    "types[%zu]: \"%s\" is not an item type", i, name);
		types |= type;
	}
	if (!types)
		return diag_error(at->diag, at->text, 0,
		    "types: the list is empty, and at least one item type is needed");
	*ret_types = types;
	return 0;
}

static int port_read(const json_t *object, struct at *at, struct aloe_port *port)
{
	const char *direction = "";
	bool optional = false;
	int bad = 0;

	bad |= name_want(object, at, &port->name);
	bad |= types_read(object, at, &port->types);
	bad |= json_want_bool(object, "optional", at->text, at->diag, &optional);
	bad |= json_want_text_or_null(object, "type_param", at->text, at->diag, &port->type_param);
	bad |= json_want_text(object, "doc", at->text, at->diag, &port->doc);
	if (json_want_text(object, "direction", at->text, at->diag, &direction) < 0)
		return -EINVAL;
	if (strcmp(direction, "in") != 0 && strcmp(direction, "out") != 0)
		return diag_error(at->diag, at->text, 0,
		    "direction: found \"%s\"; in or out is needed", direction);
	port->output = direction[0] == 'o';
	port->flags = optional ? ALOE_OPTIONAL : 0;
	return bad ? -EINVAL : 0;
}

/* ---- parameters ------------------------------------------------------------------------ */

static int names_read(const json_t *object, struct at *at, struct aloe_param *param)
{
	json_t *list, *item;
	size_t i;

	if (param->kind != ALOE_KIND_ENUM)
		return 0;
	if (json_want_array(object, "names", 64, at->text, at->diag, &list) < 0)
		return -EINVAL;
	const char **names = calloc(json_array_size(list) + 1, sizeof(*names));
	if (!names)
		return diag_error(at->diag, at->text, 0, "names: out of memory");
	param->names = names;
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return diag_error(at->diag, at->text, 0, "names[%zu]: a text is needed", i);
		names[i] = json_string_value(item);
	}
	if (i == 0)
		return diag_error(at->diag, at->text, 0,
		    "names: the list is empty, and an enum needs at least one name");
	return 0;
}

static bool size_fits(const struct aloe_param *param)
{
	switch (param->kind) {
	case ALOE_KIND_BOOL:
		return param->size == 1;
	case ALOE_KIND_ENUM:
		return param->size == 4;
	case ALOE_KIND_TEXT:
	case ALOE_KIND_PATH:
		return param->size >= 2;
	case ALOE_KIND_REALS: /* of this machine, or of another with pointers of half the size */
		return param->size == 16 || param->size == 24;
	default:
		return param->size == 4 || param->size == 8;
	}
}

static int default_check(const struct aloe_param *param, struct at *at)
{
	const bool number = (param->kind == ALOE_KIND_REAL || param->kind == ALOE_KIND_INT) &&
	    !(param->flags & ALOE_REQUIRED);

	if (!(param->min <= param->max))
		return diag_error(
		    at->diag, at->text, 0, "min %g is above max %g", param->min, param->max);
	if (number && !isnan(param->def) && (param->def < param->min || param->def > param->max))
		return diag_error(at->diag, at->text, 0, "default %g is outside [%g, %g]",
		    param->def, param->min, param->max);
	if (param->kind == ALOE_KIND_ENUM && param->text && param_enum_find(param, param->text) < 0)
		return diag_error(
		    at->diag, at->text, 0, "text: default \"%s\" is not among names", param->text);
	if ((param->kind == ALOE_KIND_TEXT || param->kind == ALOE_KIND_PATH) && param->text &&
	    strlen(param->text) >= param->size)
		return diag_error(at->diag, at->text, 0,
		    "text: the default is longer than size = %u", param->size);
	return 0;
}

static int kind_read(const json_t *object, struct at *at, uint8_t *ret_kind)
{
	const char *name;

	if (json_want_text(object, "kind", at->text, at->diag, &name) < 0)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0) {
			*ret_kind = kinds[i].kind;
			return 0;
		}
	return diag_error(at->diag, at->text, 0,
	    "kind: found \"%s\"; real, int, bool, enum, text, path or reals is needed", name);
}

static int field_check(uint64_t offset, uint64_t size, uint64_t state_size, struct at *at)
{
	if (offset + size <= state_size)
		return 0;
	return diag_error(at->diag, at->text, 0,
	    "the field (offset %u, size %u) lies outside the state, whose size is %u",
	    (unsigned)offset, (unsigned)size, (unsigned)state_size);
}

static int param_read(
    const struct desc *desc, const json_t *object, struct at *at, struct aloe_param *param)
{
	bool live = false, required = false;
	uint32_t size = 0;
	int bad = 0;

	if (kind_read(object, at, &param->kind) < 0)
		return -EINVAL;
	bad |= name_want(object, at, &param->name);
	bad |= json_want_bool(object, "live", at->text, at->diag, &live);
	bad |= json_want_bool(object, "required", at->text, at->diag, &required);
	bad |= u32_want(object, "size", UINT16_MAX, at, &size);
	bad |= u32_want(object, "offset", DESC_STATE_BYTES_MAX, at, &param->offset);
	bad |= u32_want(object, "items_max", 1 << 24, at, &param->items_max);
	bad |= json_want_real(object, "default", ALOE_NAN, at->text, at->diag, &param->def);
	bad |= json_want_real(object, "min", -INFINITY, at->text, at->diag, &param->min);
	bad |= json_want_real(object, "max", INFINITY, at->text, at->diag, &param->max);
	bad |= json_want_text_or_null(object, "text", at->text, at->diag, &param->text);
	bad |= json_want_text(object, "unit", at->text, at->diag, &param->unit);
	bad |= json_want_text(object, "doc", at->text, at->diag, &param->doc);
	bad |= names_read(object, at, param);
	param->size = (uint16_t)size;
	param->flags = (uint8_t)((live ? ALOE_LIVE : 0) | (required ? ALOE_REQUIRED : 0));
	if (bad)
		return -EINVAL;
	if (!size_fits(param))
		return diag_error(
		    at->diag, at->text, 0, "size: %u is not a size of this kind", size);
	bad |= default_check(param, at);
	bad |= field_check(param->offset, size, desc->state_size, at);
	return bad ? -EINVAL : 0;
}

/* ---- variables, callbacks ---- */

static int var_read(
    const struct desc *desc, const json_t *object, struct at *at, struct aloe_var *var)
{
	const char *kind = "";
	int bad = 0;

	bad |= name_want(object, at, &var->name);
	bad |= u32_want(object, "offset", DESC_STATE_BYTES_MAX, at, &var->offset);
	bad |= json_want_text(object, "unit", at->text, at->diag, &var->unit);
	bad |= json_want_text(object, "doc", at->text, at->diag, &var->doc);
	if (json_want_text(object, "kind", at->text, at->diag, &kind) < 0)
		return -EINVAL;
	if (strcmp(kind, "f64") != 0 && strcmp(kind, "u64") != 0)
		return diag_error(
		    at->diag, at->text, 0, "kind: found \"%s\"; f64 or u64 is needed", kind);
	var->real = kind[0] == 'f';
	bad |= field_check(var->offset, 8, desc->state_size, at);
	return bad ? -EINVAL : 0;
}

static int callbacks_read(struct desc *desc, struct at *at)
{
	json_t *list, *item;
	size_t i;

	if (json_want_array(desc->root, "callbacks", 32, at->text, at->diag, &list) < 0)
		return -EINVAL;
	json_array_foreach(list, i, item)
	{
		const char *name = json_is_string(item) ? json_string_value(item) : "";

		desc->type.fills |= strcmp(name, "fill") == 0;
		desc->type.drains |= strcmp(name, "drain") == 0;
		desc->type.shapes |= strcmp(name, "shape") == 0;
		desc->type.many |= strcmp(name, "work_many") == 0;
	}
	return 0;
}

/* ---- whole tables ------------------------------------------------------------------------ */

static void *table_read(struct desc *desc, const char *key, size_t len_max, size_t size,
    struct at *at, json_t **ret_list)
{
	void *items = NULL;

	if (json_want_array(desc->root, key, len_max, at->text, at->diag, ret_list) == 0) {
		items = calloc(json_array_size(*ret_list) + 1, size);
		if (!items)
			diag_error(at->diag, at->text, 0, "%s: out of memory", key);
	}
	return items;
}

static struct at at_item(const struct at *at, const char *key, size_t i)
{
	struct at item = {at->diag, ""};

	snprintf(item.text, sizeof(item.text), "%.400s: %s[%zu]", at->text, key, i);
	return item;
}

static void tables_read(struct desc *desc, struct at *at)
{
	struct component_type *type = &desc->type;
	json_t *list = NULL, *item;
	size_t i;

	type->ports =
	    table_read(desc, "ports", 2 * ALOE_PORTS_MAX, sizeof(*type->ports), at, &list);
	if (type->ports)
		json_array_foreach(list, i, item)
		{
			struct at here = at_item(at, "ports", i);
			(void)port_read(item, &here, &type->ports[type->n_ports++]);
		}
	type->params =
	    table_read(desc, "params", DESC_PARAMS_MAX, sizeof(*type->params), at, &list);
	if (type->params)
		json_array_foreach(list, i, item)
		{
			struct at here = at_item(at, "params", i);
			(void)param_read(desc, item, &here, &type->params[type->n_params++]);
		}
	type->vars = table_read(desc, "variables", DESC_VARS_MAX, sizeof(*type->vars), at, &list);
	if (type->vars)
		json_array_foreach(list, i, item)
		{
			struct at here = at_item(at, "variables", i);
			(void)var_read(desc, item, &here, &type->vars[type->n_vars++]);
		}
}

static void unique_check(const char *const *names, size_t n, const char *key, struct at *at)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = 0; j < i; j++)
			/* a table without a name is refused before */
			/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
			if (strcmp(names[i], names[j]) == 0)
				diag_error(at->diag, at->text, 0,
				    "%s[%zu]: the name \"%s\" is used already by %s[%zu]", key, i,
				    names[i], key, j);
}

static void names_check(const struct component_type *type, struct at *at)
{
	const char *names[DESC_PARAMS_MAX];

	for (size_t i = 0; i < type->n_ports; i++)
		names[i] = type->ports[i].name;
	unique_check(names, type->n_ports, "ports", at);
	for (size_t i = 0; i < type->n_params; i++)
		names[i] = type->params[i].name;
	unique_check(names, type->n_params, "params", at);
	for (size_t i = 0; i < type->n_vars; i++)
		names[i] = type->vars[i].name;
	unique_check(names, type->n_vars, "variables", at);
}

static void type_param_check(
    const struct component_type *type, const struct aloe_port *port, struct at *at)
{
	const struct aloe_param *param = NULL;

	for (size_t i = 0; i < type->n_params; i++)
		if (strcmp(type->params[i].name, port->type_param) == 0)
			param = &type->params[i];
	if (!param || param->kind != ALOE_KIND_ENUM) {
		diag_error(at->diag, at->text, 0, "type_param: \"%s\" is not an enum parameter",
		    port->type_param);
		return;
	}
	for (size_t i = 0; param->names[i]; i++)
		if (!(item_type_from_name(param->names[i]) & port->types))
			diag_error(at->diag, at->text, 0,
			    "type_param: %s = \"%s\" is not one of the port's types", param->name,
			    param->names[i]);
}

static void ports_check(const struct component_type *type, struct at *at)
{
	size_t in = 0, out = 0;

	for (size_t i = 0; i < type->n_ports; i++) {
		struct at here = at_item(at, "ports", i);

		type->ports[i].output ? out++ : in++;
		if (type->ports[i].type_param)
			type_param_check(type, &type->ports[i], &here);
	}
	if (in > ALOE_PORTS_MAX || out > ALOE_PORTS_MAX)
		diag_error(at->diag, at->text, 0,
		    "ports: found %zu input%s and %zu output%s; at most %d of each are allowed", in,
		    plural(in), out, plural(out), ALOE_PORTS_MAX);
}

static int head_read(struct desc *desc, struct at *at)
{
	struct component_type *type = &desc->type;
	const char *name = NULL, *summary = NULL, *doc = NULL, *mix = NULL;
	uint64_t schema = 0, abi = 0, kmac = 0, tail = 0;
	int bad = 0;

	if (json_want_uint(desc->root, "schema", INT32_MAX, at->text, at->diag, &schema) < 0 ||
	    json_want_uint(desc->root, "abi", INT32_MAX, at->text, at->diag, &abi) < 0)
		return -EINVAL;
	if (schema != DESC_SCHEMA || abi != ALOE_ABI)
		return diag_error(at->diag, at->text, 0,
		    "is made for schema %u and ABI %u; schema %d and ABI %d are needed: build the "
		    "component again",
		    (unsigned)schema, (unsigned)abi, DESC_SCHEMA, ALOE_ABI);
	bad |= name_want(desc->root, at, &name);
	bad |= json_want_text(desc->root, "summary", at->text, at->diag, &summary);
	bad |= json_want_text_or_null(desc->root, "doc", at->text, at->diag, &doc);
	bad |= json_want_uint(
	    desc->root, "state_size", DESC_STATE_BYTES_MAX, at->text, at->diag, &desc->state_size);
	bad |= json_want_uint(desc->root, "kmac", UINT32_MAX, at->text, at->diag, &kmac);
	bad |= json_want_text_or_null(desc->root, "mix", at->text, at->diag, &mix);
	bad |= json_want_uint(desc->root, "tail", COMPONENT_TAIL_MAX, at->text, at->diag, &tail);
	type->name = (char *)name;
	type->summary = (char *)summary;
	type->doc = (char *)doc;
	type->mix = (char *)mix;
	type->tail = (uint32_t)tail;
	type->kmac = kmac ? (uint32_t)kmac : 1;
	if (json_object_get(desc->root, "stateless")) /* not in what older builds tell */
		bad |=
		    json_want_bool(desc->root, "stateless", at->text, at->diag, &type->stateless);
	return bad ? -EINVAL : 0;
}

int desc_parse(
    const char *file, const char *text, size_t len, struct diag *diag, struct component_type **ret)
{
	const size_t errors = diag->errors;
	struct at at = {diag, ""};
	struct desc *desc = calloc(1, sizeof(*desc));

	if (!desc)
		return -ENOMEM;
	snprintf(at.text, sizeof(at.text), "%.400s", file);
	desc->root = json_read(at.text, text, len, diag);
	if (desc->root && head_read(desc, &at) == 0) {
		tables_read(desc, &at);
		(void)callbacks_read(desc, &at);
		if (diag->errors == errors) {
			names_check(&desc->type, &at);
			ports_check(&desc->type, &at);
		}
	}
	if (diag->errors != errors) {
		component_type_free(&desc->type);
		return -EINVAL;
	}
	desc->type.build = &desc->build;
	*ret = &desc->type;
	return 0;
}
