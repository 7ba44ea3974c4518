/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/report/type.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/text.h"

/* A port's types: "cf32", "i16 or ci16 or cf32", "any type". */
static void types_print(uint32_t types, FILE *out)
{
	int n = 0;

	if (types == ALOE_ANY) {
		fputs("any type", out);
		return;
	}
	for (uint32_t bit = 1; bit <= types; bit <<= 1)
		if (types & bit)
			fprintf(out, "%s%s", n++ ? " or " : "", item_type_name(bit));
}

static void ports_print(const struct component_type *type, int output, const char *title, FILE *out)
{
	const char *before = title;

	for (size_t i = 0; i < type->n_ports; i++) {
		const struct aloe_port *port = &type->ports[i];
		if (port->output != output)
			continue;
		fprintf(out, "%s  %-20s ", before, port->name);
		types_print(port->types, out);
		if (port->type_param)
			fprintf(out, " (type given by parameter %s)", port->type_param);
		fprintf(out, "%s: %s\n",
		    port->flags & ALOE_OPTIONAL ? ", may be left unconnected" : "", port->doc);
		before = "";
	}
}

static void enum_print(const struct aloe_param *param, FILE *out)
{
	for (size_t i = 0; param->names && param->names[i]; i++)
		fprintf(out, "%s%s", i ? " | " : "", param->names[i]);
}

static void range_print(const struct aloe_param *param, const char *what, FILE *out)
{
	char min[NUMBER_TEXT], max[NUMBER_TEXT];

	fprintf(out, "%s %s .. %s", what, number_text(param->min, 10, min),
	    number_text(param->max, 10, max));
}

static void kind_print(const struct aloe_param *param, FILE *out)
{
	switch ((enum aloe_kind)param->kind) {
	case ALOE_KIND_REAL:
		range_print(param, "number", out);
		break;
	case ALOE_KIND_INT:
		range_print(param, "whole number", out);
		break;
	case ALOE_KIND_BOOL:
		fputs("true | false", out);
		break;
	case ALOE_KIND_ENUM:
		enum_print(param, out);
		break;
	case ALOE_KIND_TEXT:
		fprintf(out, "text, at most %d characters", param->size - 1);
		break;
	case ALOE_KIND_PATH:
		fputs("path, relative to the directory of the command", out);
		break;
	case ALOE_KIND_REALS:
		fprintf(out, "at most %u number%s", param->items_max, plural(param->items_max));
		range_print(param, ", each", out);
		break;
	}
}

static void default_print(const struct aloe_param *param, FILE *out)
{
	const bool number = param->kind == ALOE_KIND_REAL || param->kind == ALOE_KIND_INT;
	char def[NUMBER_TEXT];

	if (param->flags & ALOE_REQUIRED)
		fputs("; required", out);
	else if (param->kind == ALOE_KIND_BOOL)
		fprintf(out, "; default %s", param->def != 0 ? "true" : "false");
	else if (number && !isnan(param->def))
		fprintf(out, "; default %s", number_text(param->def, 10, def));
	else if (param->text && param->text[0])
		fprintf(out, "; default %s", param->text);
	else
		fputs("; not set by default", out);
}

static void params_print(const struct component_type *type, FILE *out)
{
	for (size_t i = 0; i < type->n_params; i++) {
		const struct aloe_param *param = &type->params[i];
		fprintf(out, "%s  %-20s ", i ? "" : "\nparameters\n", param->name);
		kind_print(param, out);
		if (param->unit && param->unit[0])
			fprintf(out, " %s", param->unit);
		default_print(param, out);
		fprintf(out, "%s\n  %-20s %s\n",
		    param->flags & ALOE_LIVE ? "; may be set while running" : "", "", param->doc);
	}
}

static void vars_print(const struct component_type *type, FILE *out)
{
	for (size_t i = 0; i < type->n_vars; i++) {
		const struct aloe_var *var = &type->vars[i];
		fprintf(out, "%s  %-20s %s%s%s%s\n", i ? "" : "\nvariables\n", var->name, var->doc,
		    var->unit && var->unit[0] ? " (" : "", var->unit ? var->unit : "",
		    var->unit && var->unit[0] ? ")" : "");
	}
}

void type_print(const struct component_type *type, FILE *out)
{
	fprintf(out, "%s - %s\n", type->name, type->summary);
	if (type->doc)
		fprintf(out, "\n%s\n", type->doc);
	ports_print(type, 0, "\ninputs\n", out);
	ports_print(type, 1, "\noutputs\n", out);
	params_print(type, out);
	vars_print(type, out);
	if (type->tail > 0)
		fprintf(out,
		    "\nAt the end of a run the component is called for up to %u more slot%s "
		    "(depending on the parameters), until the component has sent all its data.\n",
		    type->tail, plural(type->tail));
	fprintf(out, "\ncost until measured: %u kMAC per slot%s%s\nfile: %s\n", type->kmac,
	    type->fills ? "; a thread of its own reads ahead" : "",
	    type->drains ? "; a thread of its own writes behind" : "", type->path);
}

void type_unknown(const struct registry *registry, const char *name, FILE *out)
{
	const size_t n = registry_len(registry);
	const char **names = calloc(n + 1, sizeof(*names)), *nearest = NULL;

	for (size_t i = 0; names && i < n; i++)
		names[i] = registry_at(registry, i)->name;
	if (names)
		nearest = diag_nearest(name, names, n);
	fprintf(out, "there is no component `%s`", name);
	if (nearest)
		fprintf(out, "; did you mean `%s`?", nearest);
	fprintf(out, "\n`aloe list components` lists all components.\n");
	free(names);
}
