/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/report/report.h"

double report_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
}

const char *report_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

json_t *report_find(const json_t *array, const char *key, const char *text)
{
	json_t *object;
	size_t n;

	json_array_foreach(array, n, object)
	{
		if (strcmp(report_text(object, key), text) == 0)
			return object;
	}
	return NULL;
}
