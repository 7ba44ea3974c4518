/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/parse.h"

struct wf_raw wf_raw_setting(const struct wf_parse *parse, const config_setting_t *setting)
{
	return (struct wf_raw){
	    setting, NULL, parse->file, (int)config_setting_source_line(setting)};
}

bool wf_is_name(const char *name)
{
	if (!isalpha((unsigned char)name[0]) || strlen(name) > 63)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

const char *wf_suggest(
    const char *word, const char *const *names, size_t n, char *text, size_t size)
{
	const char *nearest = diag_nearest(word, names, n);
	size_t len;

	if (nearest) {
		snprintf(text, size, ", did you mean \"%s\"?", nearest);
		return text;
	}
	len = (size_t)snprintf(text, size, n ? "; allowed: " : "; none is allowed");
	for (size_t i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, i ? ", %s" : "%s", names[i]);
	if (len >= size && size > 4)
		strcpy(text + size - 4, "...");
	return text;
}

/* ---- what was found ------------------------------------------------------------------------------------------------ */

enum { SHOW_MAX = 48 };

static const char *show(const struct wf_raw *raw, char *text, size_t size)
{
	const config_setting_t *setting = raw->setting;

	if (!setting) {
		snprintf(text, size, "\"%.40s\"", raw->word);
		return text;
	}
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		snprintf(text, size, "%lld", config_setting_get_int64(setting));
		break;
	case CONFIG_TYPE_FLOAT:
		snprintf(text, size, "%.10g", config_setting_get_float(setting));
		break;
	case CONFIG_TYPE_BOOL:
		snprintf(text, size, "%s", config_setting_get_bool(setting) ? "true" : "false");
		break;
	case CONFIG_TYPE_STRING:
		snprintf(text, size, "\"%.40s\"", config_setting_get_string(setting));
		break;
	default:
		snprintf(text, size, "%s",
		    config_setting_is_group(setting) ? "a group { }" : "a list ( )");
		break;
	}
	return text;
}

static int wrong_kind(
    const struct wf_raw *raw, const char *name, const char *needed, struct diag *diag)
{
	char text[SHOW_MAX];

	return diag_error(diag, raw->where, raw->line, "%s = %s, %s is needed", name,
	    show(raw, text, sizeof(text)), needed);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------- */

static bool word_number(const char *word, double *ret)
{
	char *rest;

	if (!*word || isspace((unsigned char)*word))
		return false;
	*ret = strtod(word, &rest);
	return *rest == 0;
}

static bool raw_number(const struct wf_raw *raw, double *ret)
{
	const config_setting_t *setting = raw->setting;

	if (!setting)
		return word_number(raw->word, ret);
	if (!config_setting_is_number(setting))
		return false;
	if (config_setting_type(setting) == CONFIG_TYPE_FLOAT)
		*ret = config_setting_get_float(setting);
	else
		*ret = (double)config_setting_get_int64(setting);
	return true;
}

static const char *number_text(double value, char *text, size_t size)
{
	snprintf(text, size, value == trunc(value) && fabs(value) < 1e16 ? "%.0f" : "%.10g", value);
	return text;
}

static int check_range(const struct wf_raw *raw, const char *name, double value, double min,
    double max, const char *unit, struct diag *diag)
{
	const char *space = unit && unit[0] ? " " : "";
	char text[SHOW_MAX], low[32], high[32];

	if (isfinite(value) && value >= min && value <= max)
		return 0;
	if (raw->setting)
		show(raw, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%.40s", raw->word);
	if (isinf(min) && isinf(max))
		return diag_error(
		    diag, raw->where, raw->line, "%s = %s is no finite number", name, text);
	if (isinf(max))
		return diag_error(diag, raw->where, raw->line, "%s = %s is below %s%s%s", name,
		    text, number_text(min, low, sizeof(low)), space, space[0] ? unit : "");
	return diag_error(diag, raw->where, raw->line, "%s = %s is outside [%s, %s]%s%s", name,
	    text, number_text(min, low, sizeof(low)), number_text(max, high, sizeof(high)), space,
	    space[0] ? unit : "");
}

int wf_want_real(const struct wf_raw *raw, const char *name, double min, double max,
    const char *unit, struct diag *diag, double *ret)
{
	double value;

	if (!raw_number(raw, &value))
		return wrong_kind(raw, name, "a number", diag);
	if (check_range(raw, name, value, min, max, unit, diag) < 0)
		return -EINVAL;
	*ret = value;
	return 0;
}

int wf_want_int(const struct wf_raw *raw, const char *name, double min, double max,
    const char *unit, struct diag *diag, double *ret)
{
	double value;

	min = fmax(min, -0x1p53);
	max = fmin(max, 0x1p53);
	if (!raw_number(raw, &value) || (isfinite(value) && value != trunc(value)))
		return wrong_kind(raw, name, "a whole number", diag);
	if (check_range(raw, name, value, min, max, unit, diag) < 0)
		return -EINVAL;
	*ret = value;
	return 0;
}

/* ---- truth, text, choice ------------------------------------------------------------------------------------------- */

int wf_want_bool(const struct wf_raw *raw, const char *name, struct diag *diag, bool *ret)
{
	if (raw->setting && config_setting_type(raw->setting) == CONFIG_TYPE_BOOL)
		*ret = config_setting_get_bool(raw->setting);
	else if (!raw->setting && strcmp(raw->word, "true") == 0)
		*ret = true;
	else if (!raw->setting && strcmp(raw->word, "false") == 0)
		*ret = false;
	else
		return wrong_kind(raw, name, "true or false", diag);
	return 0;
}

int wf_want_text(const struct wf_raw *raw, const char *name, struct diag *diag, const char **ret)
{
	if (raw->setting && config_setting_type(raw->setting) != CONFIG_TYPE_STRING)
		return wrong_kind(raw, name, "a text in quotes", diag);
	*ret = raw->setting ? config_setting_get_string(raw->setting) : raw->word;
	return 0;
}

int wf_want_choice(const struct wf_raw *raw, const char *name, const char *const *names,
    struct diag *diag, int *ret)
{
	const char *text = "";
	char suggestion[512];
	size_t n = 0;

	if (wf_want_text(raw, name, diag, &text) < 0)
		return -EINVAL;
	for (; names[n]; n++)
		if (strcmp(names[n], text) == 0) {
			*ret = (int)n;
			return 0;
		}
	return diag_error(diag, raw->where, raw->line, "%s = \"%.40s\" is unknown%s", name, text,
	    wf_suggest(text, names, n, suggestion, sizeof(suggestion)));
}

/* ---- lists --------------------------------------------------------------------------------------------------------- */

static size_t raw_len(const struct wf_raw *raw)
{
	size_t len = 1;

	if (raw->setting)
		return (size_t)config_setting_length(raw->setting);
	for (const char *c = raw->word; *c; c++)
		len += *c == ',';
	return len;
}

/* Item `i` of a list; of a --set, the word at *at, which goes on to the next; `word` is its place. */
static struct wf_raw raw_item(
    const struct wf_raw *raw, size_t i, const char **at, char *word, size_t size)
{
	struct wf_raw item = *raw;
	size_t len;

	if (raw->setting) {
		item.setting = config_setting_get_elem(raw->setting, (unsigned)i);
		item.line = (int)config_setting_source_line(item.setting);
		return item;
	}
	len = strcspn(*at, ",");
	snprintf(word, size, "%.*s", (int)len, *at);
	*at += len + ((*at)[len] == ',');
	item.word = word;
	return item;
}

int wf_want_numbers(const struct wf_raw *raw, const char *name, bool whole, double min, double max,
    size_t len_max, struct diag *diag, double **ret, size_t *ret_len)
{
	const bool is_list = !raw->setting || config_setting_is_list(raw->setting);
	const size_t len = is_list ? raw_len(raw) : 0;
	const char *at = raw->word;
	double *numbers;
	int error = 0;

	if (!is_list)
		return wrong_kind(raw, name, "a list of numbers [ ]", diag);
	if (len == 0 || len > len_max)
		return diag_error(diag, raw->where, raw->line,
		    "%s has %zu items, 1 .. %zu are allowed", name, len, len_max);
	numbers = calloc(len, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	for (size_t i = 0; !error && i < len; i++) {
		char item_name[160], word[64];
		const struct wf_raw item = raw_item(raw, i, &at, word, sizeof(word));

		snprintf(item_name, sizeof(item_name), "%s[%zu]", name, i);
		error = (whole ? wf_want_int : wf_want_real)(
		    &item, item_name, min, max, "", diag, &numbers[i]);
	}
	if (error) {
		free(numbers);
		return error;
	}
	*ret = numbers;
	*ret_len = len;
	return 0;
}
