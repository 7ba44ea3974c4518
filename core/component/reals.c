/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/component/reals.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/file.h"

enum { FILE_BYTES_MAX = 64 << 20 };

static bool separates(char c)
{
	return c == ',' || isspace((unsigned char)c);
}

/* Comments become spaces; the lines stay. */
static void comments_blank(char *text)
{
	for (; (text = strchr(text, '#')) != NULL; text++)
		memset(text, ' ', strcspn(text, "\n"));
}

static const char *skip(const char *at)
{
	while (separates(*at))
		at++;
	return at;
}

/* One array grows by doubling. */
static int push(float **data, uint32_t len, uint32_t *size, float value)
{
	if (len == *size) {
		const uint32_t more = *size ? 2 * *size : 64;
		float *grown = realloc(*data, more * sizeof(**data));

		if (!grown)
			return -ENOMEM;
		*data = grown;
		*size = more;
	}
	(*data)[len] = value;
	return 0;
}

static int parse_one(const char **at, double *ret, char *ret_why, size_t size)
{
	char *rest;

	*ret = strtod(*at, &rest);
	if (rest == *at || !(separates(*rest) || *rest == 0 || *rest == ']')) {
		snprintf(ret_why, size, "\"%.*s\" is no number",
		    (int)(strcspn(*at, ", \t\n]") % 40), *at);
		return -EINVAL;
	}
	*at = rest;
	return 0;
}

static int parse_all(const char *text, float **data, uint32_t *len, char *ret_why, size_t size)
{
	const char *at = skip(text);
	const bool bracket = *at == '[';
	uint32_t room = 0;
	double value;

	for (at = skip(at + bracket); *at && *at != ']'; at = skip(at)) {
		if (*len == REALS_MAX) {
			snprintf(ret_why, size, "more than %d numbers", REALS_MAX);
			return -EINVAL;
		}
		if (parse_one(&at, &value, ret_why, size) < 0)
			return -EINVAL;
		if (push(data, *len, &room, (float)value) < 0)
			return -ENOMEM;
		(*len)++;
	}
	if (*len == 0 || (*at == ']') != bracket || (bracket && *skip(at + 1))) {
		snprintf(ret_why, size,
		    *len ? "the brackets do not match" : "no number there, at least one is needed");
		return -EINVAL;
	}
	return 0;
}

int reals_parse(const char *text, float **ret, uint32_t *ret_len, char *ret_why, size_t size)
{
	float *data = NULL;
	uint32_t len = 0;
	const int error = parse_all(text, &data, &len, ret_why, size);

	if (error) {
		free(data);
		return error;
	}
	*ret = data;
	*ret_len = len;
	return 0;
}

static int take_floats(
    char *bytes, size_t n, float **ret, uint32_t *ret_len, char *ret_why, size_t size)
{
	if (n == 0 || n % sizeof(float) != 0 || n / sizeof(float) > REALS_MAX) {
		snprintf(
		    ret_why, size, "%zu bytes, 1 .. %d floats of 4 bytes are needed", n, REALS_MAX);
		return -EINVAL;
	}
	*ret = (float *)(void *)bytes; /* from malloc */
	*ret_len = (uint32_t)(n / sizeof(float));
	return 0;
}

int reals_read(const char *path, float **ret, uint32_t *ret_len, char *ret_why, size_t size)
{
	const size_t name = strlen(path);
	char why[160] = "";
	char *bytes;
	size_t n;
	int error = file_read(path, FILE_BYTES_MAX, &bytes, &n);

	if (error) {
		snprintf(ret_why, size, "%.200s: %s", path, strerror(-error));
		return error == -ENOMEM ? error : -EINVAL;
	}
	if (name > 4 && strcmp(path + name - 4, ".f32") == 0) {
		error = take_floats(bytes, n, ret, ret_len, why, sizeof(why));
	} else if (strlen(bytes) != n) {
		snprintf(why, sizeof(why),
		    "a text with NUL bytes; raw floats need a name that ends in .f32");
		error = -EINVAL;
	} else {
		comments_blank(bytes);
		error = reals_parse(bytes, ret, ret_len, why, sizeof(why));
	}
	if (error == -EINVAL)
		snprintf(ret_why, size, "%.200s: %s", path, why);
	if (error || *ret != (float *)(void *)bytes)
		free(bytes);
	return error;
}

int reals_fit(const float *data, uint32_t len, uint32_t items_max, double min, double max,
    char *ret_why, size_t size)
{
	if (len == 0 || len > items_max) {
		snprintf(ret_why, size, "%u numbers, 1 .. %u are allowed", len, items_max);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < len; i++) {
		if (isfinite(data[i]) && data[i] >= (float)min &&
		    data[i] <= (float)max) /* as floats both */
			continue;
		snprintf(ret_why, size, "number %u = %g is outside [%g, %g]", i, (double)data[i],
		    min, max);
		return -EINVAL;
	}
	return 0;
}

char *reals_print(const float *data, uint32_t len)
{
	enum { EACH = 17 }; /* -1.17549435e-38 and a comma */
	char *text = malloc((size_t)len * EACH + 1);
	size_t n = 0;

	if (!text)
		return NULL;
	text[0] = 0;
	for (uint32_t i = 0; i < len; i++)
		n += (size_t)snprintf(text + n, EACH + 1, "%s%.9g", i ? "," : "", (double)data[i]);
	return text;
}
