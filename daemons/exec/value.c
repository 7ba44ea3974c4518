/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int value_parse(const struct image_view *view, const struct image_param *param, const char *name,
    const char *text, struct param_value *ret, char *ret_why, size_t size)
{
	const struct param_given given = {.text = text};
	const char **names = calloc(param->n_names + 1ul, sizeof(*names));
	const struct aloe_param asked = {.kind = (uint8_t)param->kind,
	    .min = param->min,
	    .max = param->max,
	    .names = names,
	    .items_max = param->items_max,
	    .unit = image_text(view, param->unit)};
	uint64_t at = param->names;
	int error = -ENOMEM;

	for (uint32_t i = 0; names && i < param->n_names; i++) {
		names[i] = image_text(view, at);
		at += strlen(names[i]) + 1;
	}
	if (names)
		error = param_parse(&asked, name, &given, ret, ret_why, size);
	free(names);
	return error;
}

static const char *enum_text(
    const struct image_view *view, const struct image_param *param, double number)
{
	uint64_t at = param->names;

	for (uint32_t i = 0; i < param->n_names; i++) {
		if (number == (double)i)
			return image_text(view, at);
		at += strlen(image_text(view, at)) + 1;
	}
	return "";
}

void value_print(const struct image_view *view, const struct image_param *param, double number,
    char *ret, size_t size)
{
	if (param->kind == ALOE_KIND_ENUM)
		snprintf(ret, size, "%s", enum_text(view, param, number));
	else if (param->kind == ALOE_KIND_BOOL)
		snprintf(ret, size, "%s", number != 0 ? "true" : "false");
	else if (snprintf(ret, size, "%.15g", number) > 0 && strtod(ret, NULL) != number)
		snprintf(ret, size, "%.17g", number);
}
