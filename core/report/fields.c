/* SPDX-License-Identifier: BSD-3-Clause */
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
