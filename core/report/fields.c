/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
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

/* Whether the instance has a place on that lane. */
static bool has_place_on(const json_t *places, json_int_t lane)
{
	for (size_t j = 0; j < json_array_size(places); j++)
		if (json_integer_value(json_array_get(places, j)) == lane)
			return true;
	return false;
}

void report_lane(const json_t *instance, char *ret_text, size_t size)
{
	const json_t *lane = json_object_get(instance, "lane"),
	             *places = json_object_get(instance, "places");
	size_t len = 0;

	if (json_is_integer(lane)) {
		snprintf(ret_text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(lane));
		return;
	}
	for (json_int_t l = 0; l < REPORT_LANES && len < size; l++)
		if (has_place_on(places, l))
			len += (size_t)snprintf(ret_text + len, size - len,
			    "%s%" JSON_INTEGER_FORMAT, len > 0 ? "," : "", l);
	if (len == 0 || len >= size)
		snprintf(ret_text, size, "all");
}
