/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a POST brings: JSON of one level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/json/json.h"
#include "daemons/statsman/web_route.h"

static bool number_text_of(const json_t *value, char *ret, size_t size)
{
	int len = -1;

	if (json_is_integer(value))
		len = snprintf(ret, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value) && isfinite(json_real_value(value)))
		len = snprintf(ret, size, "%.17g", json_real_value(value));
	return len > 0 && (size_t)len < size;
}

/* An array of numbers, with commas between them. NULL: it is none. */
static char *array_text(const json_t *array)
{
	char *text = NULL, number[40];
	size_t len = 0, n;
	FILE *out = json_array_size(array) > 0 ? open_memstream(&text, &len) : NULL;
	bool good = out != NULL;
	json_t *item;

	json_array_foreach(array, n, item)
	{
		good = good && number_text_of(item, number, sizeof(number));
		if (good)
			fprintf(out, "%s%s", n > 0 ? "," : "", number);
	}
	if (out && fclose(out) != 0)
		good = false;
	if (good)
		return text;
	free(text);
	return NULL;
}

/* As `aloe set` takes it. A text is no file: what lies on this machine is not read for a page. */
static char *value_text(const json_t *value)
{
	char number[40];

	if (json_is_boolean(value))
		return strdup(json_is_true(value) ? "true" : "false");
	if (json_is_string(value)) {
		const char *text = json_string_value(value);

		return text[0] == '@' || strlen(text) != json_string_length(value) ||
		        json_string_length(value) > WEB_VALUE_MAX
		    ? NULL
		    : strdup(text);
	}
	if (json_is_array(value))
		return array_text(value);
	return number_text_of(value, number, sizeof(number)) ? strdup(number) : NULL;
}

static int why_put(char ret_why[WEB_WHY], int status, const char *words)
{
	snprintf(ret_why, WEB_WHY, "%s", words);
	return status;
}

static int sets_take(const json_t *body, struct web_target *target, char ret_why[WEB_WHY])
{
	const size_t n = json_object_size(body);
	const char *key;
	json_t *value;

	if (n == 0 || n > WEB_SET_MAX)
		return why_put(ret_why, 400, "1 to 64 parameters are set at once");
	target->sets = calloc(n, sizeof(*target->sets));
	if (!target->sets)
		return why_put(ret_why, 500, "out of memory");
	json_object_foreach((json_t *)body, key, value)
	{
		struct web_set *set = &target->sets[target->n_sets];

		if (!web_is_plain(key) || strlen(key) >= WEB_PORT_NAME || !strchr(key, '.'))
			return why_put(
			    ret_why, 400, "a parameter is named INSTANCE.PARAMETER in the body");
		set->value = value_text(value);
		set->name = strdup(key);
		target->n_sets++;
		if (!set->value || !set->name)
			return why_put(ret_why, 400,
			    "a value is a number, a text that does not begin with @, true, false, "
			    "or an array of numbers");
	}
	return 0;
}

static int ring_take(const json_t *body, struct web_target *target, char ret_why[WEB_WHY])
{
	const char *port = json_string_value(json_object_get(body, "port"));
	const json_t *keep = json_object_get(body, "keep");
	const json_int_t number = keep ? json_integer_value(keep) : WEB_KEEP_USUAL;

	if (!port || !web_is_plain(port) || strlen(port) >= WEB_PORT_NAME || port[0] == 0)
		return why_put(ret_why, 400, "\"port\" is the name of an output, INSTANCE.PORT");
	if (number < 1 || number > WEB_KEEP_MAX)
		return why_put(ret_why, 400, "\"keep\" is a whole number 1 .. 64");
	if (json_object_size(body) != (keep ? 2u : 1u))
		return why_put(ret_why, 400, "the body has \"port\" and \"keep\", nothing else");
	snprintf(target->port, sizeof(target->port), "%s", port);
	target->number = (uint64_t)number;
	return 0;
}

int web_route_body(
    const struct http_request *request, struct web_target *target, char ret_why[WEB_WHY])
{
	static const char json[] = "application/json";
	const size_t len = sizeof(json) - 1;
	struct diag diag;
	json_t *body;
	int status;

	if (!request->type || strncasecmp(request->type, json, len) != 0 ||
	    (request->type[len] != 0 && request->type[len] != ';'))
		return why_put(ret_why, 415, "Content-Type: application/json is needed");
	diag_init(&diag);
	body = json_read("body", request->body, request->len, &diag);
	diag_fini(&diag);
	if (!body)
		return why_put(ret_why, 400, "the body is no object of JSON");
	status = target->kind == WEB_SET ? sets_take(body, target, ret_why)
	                                 : ring_take(body, target, ret_why);
	json_decref(body);
	return status;
}
