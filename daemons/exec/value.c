/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/value.h"

#include <errno.h>
#include <stdlib.h>

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
