/* SPDX-License-Identifier: BSD-3-Clause */
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

/* ---- a setting as text ------------------------------------------------------------------ */

static void number_write(FILE *text, const config_setting_t *setting)
{
	const double value = config_setting_get_float(setting);
	char number[40];

	if (config_setting_type(setting) != CONFIG_TYPE_FLOAT)
		snprintf(number, sizeof(number), "%lld", config_setting_get_int64(setting));
	else if (snprintf(number, sizeof(number), "%.15g", value) > 0 &&
	    strtod(number, NULL) != value)
		snprintf(number, sizeof(number), "%.17g", value);
	fputs(number, text);
}

static void setting_write(FILE *text, const config_setting_t *setting)
{
	if (config_setting_is_number(setting))
		number_write(text, setting);
	else if (config_setting_type(setting) == CONFIG_TYPE_BOOL)
		fputs(config_setting_get_bool(setting) ? "true" : "false", text);
	else if (config_setting_type(setting) == CONFIG_TYPE_STRING)
		fprintf(text, "\"%s\"", config_setting_get_string(setting));
	else
		fputs(config_setting_is_group(setting) ? "a group { }" : "a list ( )", text);
}

static void list_write(FILE *text, const config_setting_t *setting)
{
	const unsigned n = (unsigned)config_setting_length(setting);

	for (unsigned i = 0; i < n; i++) {
		fputs(i ? ", " : "[", text);
		setting_write(text, config_setting_get_elem(setting, i));
	}
	fputs(n ? "]" : "[]", text);
}

/* What was found, as param_parse takes it: malloc'ed, or NULL without memory. */
static char *raw_text(const struct wf_raw *raw, enum param_form *ret_form)
{
	const config_setting_t *setting = raw->setting;
	size_t size;
	char *text = NULL;
	FILE *out;

	*ret_form = PARAM_WORD;
	if (!setting)
		return strdup(raw->word);
	if (config_setting_type(setting) == CONFIG_TYPE_STRING) {
		*ret_form = PARAM_QUOTED;
		return strdup(config_setting_get_string(setting));
	}
	*ret_form = PARAM_PLAIN;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	if (config_setting_is_list(setting))
		list_write(out, setting);
	else
		setting_write(out, setting);
	return fclose(out) == 0 ? text : NULL;
}

/* ---- paths ------------------------------------------------------------------------ */

static char *path_beside(const char *dir, const char *path)
{
	char *full;

	if (!dir || !path[0] || path[0] == '/')
		return strdup(path);
	return asprintf(&full, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, path) < 0 ? NULL : full;
}

/* A relative path is relative to the directory of the command, one that begins with {here}/ to that
 * of the waveform file. `-` is no path: standard input or output of `aloe run`. */
char *wf_path(const void *self, const char *path)
{
	const struct wf_parse *parse = self;
	static const char here[] = "{here}/";
	const char *cwd = parse->overrides ? parse->overrides->cwd : NULL;
	const char *slash = strrchr(parse->file, '/');
	char *dir, *full, *rest;

	if (strcmp(path, "-") == 0)
		return strdup(path);
	if (strncmp(path, here, strlen(here)) != 0)
		return path_beside(cwd, path);
	dir = slash ? strndup(parse->file, (size_t)(slash - parse->file) + (slash == parse->file))
	            : strdup("");
	rest = dir ? path_beside(dir[0] ? dir : NULL, path + strlen(here)) : NULL;
	full = rest ? path_beside(cwd, rest) : NULL;
	free(dir);
	free(rest);
	return full;
}

/* An item that is wrong has a line of its own. */
static int raw_line(const struct wf_raw *raw, uint32_t item)
{
	const config_setting_t *setting = raw->setting;

	if (setting && config_setting_is_list(setting))
		setting = config_setting_get_elem(setting, item);
	return setting ? (int)config_setting_source_line(setting) : raw->line;
}

int wf_want(const struct wf_raw *raw, const char *name, const struct aloe_param *param,
    const struct wf_parse *parse, struct diag *diag, struct param_value *ret)
{
	struct param_given given = {.path = parse ? wf_path : NULL, .self = parse};
	char why[PARAM_WHY_BYTES], *text = raw_text(raw, &given.form);
	int error = -ENOMEM;

	*ret = (struct param_value){0};
	given.text = text;
	if (text)
		error = param_parse(param, name, &given, ret, why, sizeof(why));
	if (error == -EINVAL)
		diag_error(diag, raw->where, raw_line(raw, ret->item), "%s", why);
	if (error == -ENOMEM) /* many callers look at diag alone */
		diag_error(diag, raw->where, raw->line, "no memory");
	free(text);
	return error;
}

/* ---- values that are no parameters ------------------------------------------------------ */

static int number_want(const struct wf_raw *raw, const char *name, const struct aloe_param *param,
    struct diag *diag, double *ret)
{
	struct param_value value;
	const int error = wf_want(raw, name, param, NULL, diag, &value);

	if (!error)
		*ret = value.number;
	return error;
}

int wf_want_real(const struct wf_raw *raw, const char *name, double min, double max,
    const char *unit, struct diag *diag, double *ret)
{
	const struct aloe_param param = {
	    .kind = ALOE_KIND_REAL, .min = min, .max = max, .unit = unit};

	return number_want(raw, name, &param, diag, ret);
}

int wf_want_int(const struct wf_raw *raw, const char *name, double min, double max,
    const char *unit, struct diag *diag, double *ret)
{
	const struct aloe_param param = {
	    .kind = ALOE_KIND_INT, .min = min, .max = max, .unit = unit};

	return number_want(raw, name, &param, diag, ret);
}

int wf_want_bool(const struct wf_raw *raw, const char *name, struct diag *diag, bool *ret)
{
	static const struct aloe_param param = {.kind = ALOE_KIND_BOOL};
	double number;
	const int error = number_want(raw, name, &param, diag, &number);

	if (!error)
		*ret = number != 0;
	return error;
}

int wf_want_choice(const struct wf_raw *raw, const char *name, const char *const *names,
    struct diag *diag, int *ret)
{
	const struct aloe_param param = {.kind = ALOE_KIND_ENUM, .names = names};
	double number;
	const int error = number_want(raw, name, &param, diag, &number);

	if (!error)
		*ret = (int)number;
	return error;
}

int wf_want_text(const struct wf_raw *raw, const char *name, struct diag *diag, const char **ret)
{
	static const struct aloe_param param = {.kind = ALOE_KIND_TEXT, .size = UINT16_MAX};
	struct param_value value;
	const int error = wf_want(raw, name, &param, NULL, diag, &value);

	if (error)
		return error;
	*ret = raw->setting ? config_setting_get_string(raw->setting) : raw->word;
	param_value_fini(&value);
	return 0;
}

int wf_want_numbers(const struct wf_raw *raw, const char *name, bool whole, double min, double max,
    size_t len_max, struct diag *diag, double **ret, size_t *ret_len)
{
	const struct aloe_param param = {
	    .kind = ALOE_KIND_REALS, .min = min, .max = max, .items_max = (uint32_t)len_max};
	struct param_value value;
	int error = wf_want(raw, name, &param, NULL, diag, &value);

	for (uint32_t i = 0; !error && whole && i < value.n_numbers; i++)
		if (value.numbers[i] != trunc(value.numbers[i]))
			error = diag_error(diag, raw->where, raw_line(raw, i),
			    "%s[%u] = %.10g; a whole number is needed", name, i, value.numbers[i]);
	if (error) {
		param_value_fini(&value);
		return error;
	}
	*ret = value.numbers;
	*ret_len = value.n_numbers;
	return 0;
}
