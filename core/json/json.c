/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/json/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

/* jansson recurses up to 2048 levels; ours are shallow, and a thread's stack may be small. */
static bool too_deep(const char *text, size_t len)
{
	int depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < len; i++) {
		if (quoted) {
			if (text[i] == '\\')
				i++;
			else if (text[i] == '"')
				quoted = false;
		} else if (text[i] == '"') {
			quoted = true;
		} else if (text[i] == '{' || text[i] == '[') {
			if (++depth > DEPTH_MAX)
				return true;
		} else if (text[i] == '}' || text[i] == ']') {
			depth--;
		}
	}
	return false;
}

/* jansson says nothing at all where it has no memory for a value. */
static int load_failed(const char *file, const json_error_t *error, struct diag *diag)
{
	if (error->text[0] && json_error_code(error) != json_error_out_of_memory) {
		diag_error(diag, file, error->line, "not JSON: %s", error->text);
		return EINVAL;
	}
	diag_error(diag, file, 0, "%s", strerror(ENOMEM));
	return ENOMEM;
}

json_t *json_read(const char *file, const char *text, size_t len, struct diag *diag)
{
	json_error_t error = {.text = ""};
	json_t *root = NULL;
	int why = EINVAL;

	if (too_deep(text, len)) {
		diag_error(diag, file, 0, "brackets are nested deeper than %d levels", DEPTH_MAX);
	} else {
		root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
		if (!root)
			why = load_failed(file, &error, diag);
	}
	if (root && !json_is_object(root)) {
		diag_error(diag, file, 0, "one JSON object { ... } is needed");
		json_decref(root);
		root = NULL;
	}
	if (!root)
		errno = why;
	return root;
}

static const char *kind_found(const json_t *value)
{
	switch (value ? (int)json_typeof(value) : -1) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a text";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a truth value";
	case JSON_NULL:
		return "null";
	default:
		return "nothing";
	}
}

static int value_refuse(
    const char *at, const char *key, const json_t *value, const char *needed, struct diag *diag)
{
	return diag_error(
	    diag, at, 0, "%s: found %s; %s is needed", key, kind_found(value), needed);
}

int json_want_text(
    const json_t *object, const char *key, const char *at, struct diag *diag, const char **ret_text)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value))
		return value_refuse(at, key, value, "a text", diag);
	if (strlen(json_string_value(value)) != json_string_length(value))
		return diag_error(diag, at, 0, "%s: the text has a zero byte inside", key);
	*ret_text = json_string_value(value);
	return 0;
}

int json_want_text_or_null(
    const json_t *object, const char *key, const char *at, struct diag *diag, const char **ret_text)
{
	const json_t *value = json_object_get(object, key);

	if (value && !json_is_null(value))
		return json_want_text(object, key, at, diag, ret_text);
	*ret_text = NULL;
	return 0;
}

int json_want_bool(
    const json_t *object, const char *key, const char *at, struct diag *diag, bool *ret)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_boolean(value))
		return value_refuse(at, key, value, "true or false", diag);
	*ret = json_is_true(value);
	return 0;
}

int json_want_uint(const json_t *object, const char *key, uint64_t max, const char *at,
    struct diag *diag, uint64_t *ret)
{
	const json_t *value = json_object_get(object, key);
	char needed[64];

	snprintf(needed, sizeof(needed), "a whole number 0 .. %" PRIu64, max);
	if (!json_is_integer(value))
		return value_refuse(at, key, value, needed, diag);
	const json_int_t number = json_integer_value(value);
	if (number < 0 || (uint64_t)number > max)
		return diag_error(diag, at, 0, "%s: found %" JSON_INTEGER_FORMAT "; %s is needed",
		    key, number, needed);
	*ret = (uint64_t)number;
	return 0;
}

int json_want_real(const json_t *object, const char *key, double none, const char *at,
    struct diag *diag, double *ret)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_null(value)) {
		*ret = none;
		return 0;
	}
	if (!json_is_number(value))
		return value_refuse(at, key, value, "a number or null", diag);
	*ret = json_number_value(value);
	return 0;
}

int json_want_array(const json_t *object, const char *key, size_t len_max, const char *at,
    struct diag *diag, json_t **ret)
{
	json_t *value = json_object_get(object, key);

	if (!json_is_array(value))
		return value_refuse(at, key, value, "a list", diag);
	if (json_array_size(value) > len_max)
		return diag_error(diag, at, 0, "%s: found a list of %zu; at most %zu are allowed",
		    key, json_array_size(value), len_max);
	*ret = value;
	return 0;
}

json_t *json_real_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

double json_timed(const json_t *instance)
{
	const json_t *timed = json_object_get(instance, "timed");

	return json_number_value(timed ? timed : json_object_get(instance, "calls"));
}
