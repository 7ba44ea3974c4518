/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/component/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/diag.h"
#include "core/base/file.h"
#include "core/base/text.h"

enum { FILE_BYTES_MAX = 64 << 20, SHOWN_MAX = 40, SHOWN_BYTES = SHOWN_MAX + 3 };

/* One text on its way. */
struct parse {
	const struct aloe_param *param;
	const char *name;
	const struct param_given *given;
	char *why;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static int value_refuse(
    const struct parse *parse, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(parse->why, parse->size, format, args);
	va_end(args);
	return -EINVAL;
}

/* ---- numbers ------------------------------------------------------------------------ */

static bool number_read(const char *text, double *ret)
{
	char *rest;

	if (*text == 0 || isspace((unsigned char)*text))
		return false;
	*ret = strtod(text, &rest);
	return *rest == 0;
}

/* A number as it was written, anything else between quotes, unless a file has it without. */
static const char *text_shown(const char *text, enum param_form form, char room[SHOWN_BYTES])
{
	double number;
	const bool bare = form == PARAM_PLAIN || (form == PARAM_WORD && number_read(text, &number));

	snprintf(room, SHOWN_BYTES, bare ? "%.*s" : "\"%.*s\"", SHOWN_MAX, text);
	return room;
}

static int wrong_kind(const struct parse *parse, const char *needed)
{
	char room[SHOWN_BYTES];

	return value_refuse(parse, "%s = %s; %s is needed", parse->name,
	    text_shown(parse->given->text, parse->given->form, room), needed);
}

static int range_refuse(const struct parse *parse, const char *name, const char *text)
{
	const struct aloe_param *param = parse->param;
	const char *unit = param->unit ? param->unit : "", *space = unit[0] ? " " : "";
	char min[NUMBER_TEXT], max[NUMBER_TEXT];

	if (isinf(param->min) && isinf(param->max))
		return value_refuse(
		    parse, "%s = %.*s is not a finite number", name, SHOWN_MAX, text);
	if (isinf(param->max))
		return value_refuse(parse, "%s = %.*s is below %s%s%s", name, SHOWN_MAX, text,
		    number_text(param->min, 10, min), space, unit);
	return value_refuse(parse, "%s = %.*s is outside [%s, %s]%s%s", name, SHOWN_MAX, text,
	    number_text(param->min, 10, min), number_text(param->max, 10, max), space, unit);
}

static int number_parse(const struct parse *parse, double *ret)
{
	const bool whole = parse->param->kind == ALOE_KIND_INT;
	const char *text = parse->given->text;
	double value;

	if (parse->given->form == PARAM_QUOTED || !number_read(text, &value) ||
	    (whole && isfinite(value) && value != trunc(value)))
		return wrong_kind(parse, whole ? "a whole number" : "a number");
	if (!isfinite(value) || value < parse->param->min || value > parse->param->max)
		return range_refuse(parse, parse->name, text);
	*ret = value;
	return 0;
}

/* ---- truth, choice, text ---------------------------------------------------------------- */

static int bool_parse(const struct parse *parse, double *ret)
{
	const char *text = parse->given->text;
	const bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;

	if (parse->given->form == PARAM_QUOTED ||
	    (!yes && strcmp(text, "false") != 0 && strcmp(text, "0") != 0))
		return wrong_kind(parse, "true or false");
	*ret = yes;
	return 0;
}

static int enum_parse(const struct parse *parse, double *ret)
{
	const char *const *names = parse->param->names;
	char suggestion[512];
	size_t n = 0;

	if (parse->given->form == PARAM_PLAIN)
		return wrong_kind(parse, "a text in quotes");
	for (; names && names[n]; n++)
		if (strcmp(names[n], parse->given->text) == 0) {
			*ret = (double)n;
			return 0;
		}
	return value_refuse(parse, "%s = \"%.*s\" is unknown%s", parse->name, SHOWN_MAX,
	    parse->given->text,
	    diag_suggest(parse->given->text, names, n, suggestion, sizeof(suggestion)));
}

static char *path_of(const struct param_given *given, const char *path)
{
	return given->path ? given->path(given->self, path) : strdup(path);
}

static int text_parse(const struct parse *parse, char **ret)
{
	const bool is_path = parse->param->kind == ALOE_KIND_PATH;
	const char *text = parse->given->text;
	char *copy;
	size_t len;

	if (parse->given->form == PARAM_PLAIN)
		return wrong_kind(parse, "a text in quotes");
	if (is_path && !text[0])
		return value_refuse(parse, "%s = \"\"; the path of a file is needed", parse->name);
	copy = is_path ? path_of(parse->given, text) : strdup(text);
	if (!copy)
		return -ENOMEM;
	len = strlen(copy);
	if (len >= parse->param->size) {
		free(copy);
		return value_refuse(parse, "%s has %zu byte%s; at most %u are allowed", parse->name,
		    len, plural(len), parse->param->size - 1u);
	}
	*ret = copy;
	return 0;
}

/* ---- lists ------------------------------------------------------------------------ */

static const char *space_skip(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* To the next number: over white space, a comma or both. */
static const char *separator_skip(const char *at)
{
	at = space_skip(at);
	return *at == ',' ? space_skip(at + 1) : at;
}

/* One array grows by doubling. */
static int number_push(struct param_value *value, uint32_t *room, double number)
{
	if (value->n_numbers == *room) {
		const uint32_t more = *room ? 2 * *room : 64;
		double *grown = realloc(value->numbers, more * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		value->numbers = grown;
		*room = more;
	}
	value->numbers[value->n_numbers++] = number;
	return 0;
}

/* Floats are held against floats: 0.1 is not above 0.1. */
static bool item_fits(const struct aloe_param *param, float item)
{
	return isfinite(item) && item >= (float)param->min && item <= (float)param->max;
}

/* The next number of a list, at *at, which goes on behind it. */
static int item_parse(
    const struct parse *parse, const char **at, struct param_value *value, uint32_t *room)
{
	const size_t len = strcspn(*at, ", \t\r\n\v\f]");
	char name[200], word[64], quoted[SHOWN_BYTES], *rest;
	const double number = strtod(*at, &rest);

	value->item = value->n_numbers;
	snprintf(name, sizeof(name), "%s[%u]", parse->name, value->item);
	snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word)), *at);
	if (len == 0 || rest != *at + len)
		return value_refuse(parse, "%s = %s; a number is needed", name,
		    text_shown(word, word[0] == '"' ? PARAM_PLAIN : PARAM_WORD, quoted));
	*at += len;
	if (!item_fits(parse->param, (float)number))
		return range_refuse(parse, name, word);
	return number_push(value, room, number);
}

static int count_check(const struct parse *parse, size_t n)
{
	const uint32_t most =
	    parse->param->items_max < PARAM_ITEMS_MAX ? parse->param->items_max : PARAM_ITEMS_MAX;

	if (n > 0 && n <= most)
		return 0;
	return value_refuse(parse, "%s has %zu item%s; 1 .. %u are allowed", parse->name, n,
	    plural(n), (unsigned)most);
}

static size_t items_count(const char *at)
{
	size_t n = 0;

	for (at = space_skip(at); *at && *at != ']'; at = separator_skip(at), n++)
		at += strcspn(at, ", \t\r\n\v\f]");
	return n;
}

static int list_parse(const struct parse *parse, const char *text, struct param_value *value)
{
	const char *at = space_skip(text);
	const bool bracket = *at == '[';
	uint32_t room = 0;
	int error = count_check(parse, items_count(at + bracket));

	for (at = space_skip(at + bracket); !error && *at && *at != ']'; at = separator_skip(at))
		error = item_parse(parse, &at, value, &room);
	if (!error && ((*at == ']') != bracket || (bracket && *space_skip(at + 1))))
		error = value_refuse(parse, "%s: the brackets do not match", parse->name);
	return error;
}

/* ---- numbers in a file ------------------------------------------------------------------ */

/* Comments become spaces; the lines stay. */
static void comments_blank(char *text)
{
	for (; (text = strchr(text, '#')) != NULL; text++)
		memset(text, ' ', strcspn(text, "\n"));
}

static int floats_parse(
    const struct parse *parse, const char *bytes, size_t n, struct param_value *value)
{
	const float *items = (const float *)(const void *)bytes; /* from malloc */
	uint32_t room = 0;
	int error;

	if (n % sizeof(*items) != 0 || n / sizeof(*items) > PARAM_ITEMS_MAX)
		return value_refuse(parse,
		    "the file has %zu byte%s; 1 .. %d floats of 4 bytes are needed", n, plural(n),
		    PARAM_ITEMS_MAX);
	error = param_reals_fit(parse->param, parse->name, items, (uint32_t)(n / sizeof(*items)),
	    parse->why, parse->size);
	for (size_t i = 0; !error && i < n / sizeof(*items); i++)
		error = number_push(value, &room, (double)items[i]);
	return error;
}

static int bytes_parse(
    const struct parse *parse, const char *path, char *bytes, size_t n, struct param_value *value)
{
	const size_t len = strlen(path);

	if (len > 4 && strcmp(path + len - 4, ".f32") == 0)
		return floats_parse(parse, bytes, n, value);
	if (strlen(bytes) != n)
		return value_refuse(parse,
		    "the text has NUL bytes; a file of raw floats needs a name that ends in .f32");
	comments_blank(bytes);
	return list_parse(parse, bytes, value);
}

static int file_parse(const struct parse *parse, const char *path, struct param_value *value)
{
	char *full = path_of(parse->given, path), *bytes, why[PARAM_WHY_BYTES / 2];
	struct parse inner = *parse;
	size_t n;
	int error;

	if (!full)
		return -ENOMEM;
	inner.why = why;
	inner.size = sizeof(why);
	error = file_read(full, FILE_BYTES_MAX, &bytes, &n);
	if (error) {
		snprintf(why, sizeof(why), "%s", file_reason(error));
	} else {
		error = bytes_parse(&inner, full, bytes, n, value);
		free(bytes);
	}
	free(full);
	if (error == 0 || error == -ENOMEM)
		return error;
	return value_refuse(parse, "%s = \"@%.200s\": %s", parse->name, path, why);
}

static int reals_parse(const struct parse *parse, struct param_value *ret)
{
	const struct param_given *given = parse->given;
	struct param_value value = {0};
	int error;

	if (given->form != PARAM_PLAIN && given->text[0] == '@')
		error = file_parse(parse, given->text + 1, &value);
	else if (given->form == PARAM_QUOTED ||
	    (given->form == PARAM_PLAIN && given->text[0] != '['))
		return wrong_kind(parse, "a list of numbers [ ]");
	else
		error = list_parse(parse, given->text, &value);
	if (error) {
		free(value.numbers);
		ret->item = value.item;
		return error;
	}
	*ret = value;
	return 0;
}

/* ---- all kinds ------------------------------------------------------------------------ */

int param_parse(const struct aloe_param *param, const char *name, const struct param_given *given,
    struct param_value *ret, char *ret_why, size_t size)
{
	struct parse parse = {.param = param, .name = name, .given = given, .size = size};

	parse.why = ret_why;
	*ret = (struct param_value){0};
	switch ((enum aloe_kind)param->kind) {
	case ALOE_KIND_REAL:
	case ALOE_KIND_INT:
		return number_parse(&parse, &ret->number);
	case ALOE_KIND_BOOL:
		return bool_parse(&parse, &ret->number);
	case ALOE_KIND_ENUM:
		return enum_parse(&parse, &ret->number);
	case ALOE_KIND_TEXT:
	case ALOE_KIND_PATH:
		return text_parse(&parse, &ret->text);
	case ALOE_KIND_REALS:
		return reals_parse(&parse, ret);
	}
	return value_refuse(&parse, "%s is of a kind that this version does not know", name);
}

void param_value_fini(struct param_value *value)
{
	free(value->text);
	free(value->numbers);
	*value = (struct param_value){0};
}

float *param_floats(const struct param_value *value)
{
	float *data = malloc(value->n_numbers * sizeof(*data) + 1);

	for (uint32_t i = 0; data && i < value->n_numbers; i++)
		data[i] = (float)value->numbers[i];
	return data;
}

int param_reals_fit(const struct aloe_param *param, const char *name, const float *data,
    uint32_t len, char *ret_why, size_t size)
{
	struct parse parse = {.param = param, .name = name, .size = size};
	int error;

	parse.why = ret_why;
	error = count_check(&parse, len);
	for (uint32_t i = 0; !error && i < len; i++) {
		char item[200], text[32];

		if (item_fits(param, data[i]))
			continue;
		snprintf(item, sizeof(item), "%s[%u]", name, i);
		snprintf(text, sizeof(text), "%g", (double)data[i]);
		error = range_refuse(&parse, item, text);
	}
	return error;
}

static char *numbers_print(const struct param_value *value)
{
	enum { EACH = 17 }; /* -1.17549435e-38 and a comma */
	char *text = malloc((size_t)value->n_numbers * EACH + 1);
	size_t n = 0;

	for (uint32_t i = 0; text && i < value->n_numbers; i++)
		n += (size_t)snprintf(
		    text + n, EACH + 1, "%s%.9g", i ? "," : "", (double)(float)value->numbers[i]);
	return text;
}

int param_inline(const char *name, const char *text, char **ret, char *ret_why, size_t size)
{
	static const struct aloe_param any = {.kind = ALOE_KIND_REALS,
	    .min = -INFINITY,
	    .max = INFINITY,
	    .items_max = PARAM_ITEMS_MAX};
	const struct param_given given = {.text = text};
	struct param_value value;
	int error;

	if (text[0] != '@') {
		*ret = strdup(text);
		return *ret ? 0 : -ENOMEM;
	}
	error = param_parse(&any, name, &given, &value, ret_why, size);
	if (error)
		return error;
	*ret = numbers_print(&value);
	param_value_fini(&value);
	return *ret ? 0 : -ENOMEM;
}
