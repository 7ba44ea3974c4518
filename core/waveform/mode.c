/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mode.c - on_overrun = ("instance.parameter=value", ...): what overrun = "mode" sets. A value is
 * read as that of the parameter anywhere else in the file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/waveform/parse.h"

enum { NAMES_MAX = 32 };

static bool can_change(const struct aloe_param *param)
{
	return (param->flags & ALOE_LIVE) && param->kind != ALOE_KIND_REALS;
}

/* The parameter is not there, or does not change while the waveform runs. */
static void param_refuse(struct wf_parse *parse, const struct wf_instance *instance,
    const char *key, bool known, const struct wf_raw *raw)
{
	const struct component_type *type = instance->type;
	const char *names[NAMES_MAX];
	char text[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < type->n_params; i++)
		if (can_change(&type->params[i]) && n < NAMES_MAX)
			names[n++] = type->params[i].name;
	if (n == 0)
		snprintf(text, sizeof(text), "; %s has no number that can be set", type->name);
	else
		diag_suggest(key, names, n, text, sizeof(text));
	diag_error(parse->diag, raw->where, raw->line,
	    known ? "on_overrun: \"%.60s\" of %s is no number that can be set while a waveform "
	            "runs%s"
	          : "on_overrun: unknown parameter \"%.60s\" of %s%s",
	    key, type->name, text);
}

static int mode_take(
    struct wf_parse *parse, struct wf_instance *instance, size_t i, const struct wf_raw *raw)
{
	const struct aloe_param *param = &instance->type->params[i];
	struct wf_value *value = &instance->values[i];
	struct param_value parsed;
	char name[180];
	int error;

	snprintf(name, sizeof(name), "on_overrun: %s.%s", instance->name, param->name);
	if (value->has_mode) {
		diag_error(parse->diag, raw->where, raw->line,
		    "%s is named twice; remove one of them", name);
		return 0;
	}
	error = wf_want(raw, name, param, parse, parse->diag, &parsed);
	if (error)
		return error == -ENOMEM ? error : 0;
	value->has_mode = true;
	value->mode = parsed.number;
	param_value_fini(&parsed);
	return 0;
}

static int mode_set(
    struct wf_parse *parse, struct wf_instance *instance, const char *key, const struct wf_raw *raw)
{
	const struct component_type *type = instance->type;
	size_t i = 0;

	if (!type)
		return 0; /* which was said */
	while (i < type->n_params && strcmp(type->params[i].name, key) != 0)
		i++;
	if (i < type->n_params && can_change(&type->params[i]))
		return mode_take(parse, instance, i, raw);
	param_refuse(parse, instance, key, i < type->n_params, raw);
	return 0;
}

static int mode_read(struct wf_parse *parse, const config_setting_t *setting)
{
	struct wf_raw raw = wf_raw_setting(parse, setting);
	const char *text = config_setting_get_string(setting);
	const char *equals = text ? strchr(text, '=') : NULL,
	           *dot = text ? strchr(text, '.') : NULL;
	char name[160], *key;
	int found;

	if (!equals || !dot || dot > equals || equals - text >= (ptrdiff_t)sizeof(name)) {
		diag_error(parse->diag, raw.where, raw.line,
		    "on_overrun = (%s%.80s%s); texts \"INSTANCE.PARAMETER=VALUE\" are needed",
		    text ? "\"" : "", text ? text : "no text", text ? "\"" : "");
		return 0;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	key = name + (dot - text);
	*key++ = 0;
	found = wf_named(parse, name, strlen(name));
	if (found < 0) {
		wf_unknown_instance(parse, name, &raw);
		return 0;
	}
	raw.setting = NULL;
	raw.word = equals + 1;
	return mode_set(parse, &parse->waveform->instances[found], key, &raw);
}

/* Both, or neither. */
static void mode_pair_check(struct wf_parse *parse, const config_setting_t *setting)
{
	const bool mode = parse->waveform->overrun == WF_OVERRUN_MODE;

	if (setting && !mode)
		diag_error(parse->diag, parse->file, (int)config_setting_source_line(setting),
		    "on_overrun is given, but overrun is not \"mode\", so nothing is set; remove "
		    "on_overrun, or write overrun = \"mode\"");
	else if (!setting && mode)
		diag_error(parse->diag, parse->file, 1,
		    "overrun = \"mode\" has no on_overrun; on_overrun = "
		    "(\"INSTANCE.PARAMETER=VALUE\", ...) is needed");
}

int wf_modes_read(struct wf_parse *parse, const config_setting_t *setting)
{
	const struct wf_overrides *overrides = parse->overrides;
	const uint64_t copies = overrides && overrides->copies > 1 ? overrides->copies : 1;
	const unsigned n = setting && config_setting_is_list(setting)
	    ? (unsigned)config_setting_length(setting)
	    : 0;
	const uint64_t all = n * copies;
	int error = 0;

	mode_pair_check(parse, setting);
	if (setting && (n == 0 || all > WF_MODES_MAX)) {
		diag_error(parse->diag, parse->file, (int)config_setting_source_line(setting),
		    "on_overrun has %llu text%s, of all copies together; a list "
		    "(\"INSTANCE.PARAMETER=VALUE\", ...) of 1 .. %d is needed",
		    (unsigned long long)all, plural(all), WF_MODES_MAX);
		return 0;
	}
	for (unsigned i = 0; !error && i < n; i++) {
		error = mode_read(parse, config_setting_get_elem(setting, i));
		if (!error)
			error = wf_enough(parse);
	}
	return error;
}
