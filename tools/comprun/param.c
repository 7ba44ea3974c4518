/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameters from the command line, with the checks of the descriptor. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/component/param.h"
#include "core/component/reals.h"
#include "tools/comprun/comprun.h"

static const struct aloe_param *find(struct bench *bench, const char *name, size_t len)
{
	const struct aloe_list_params *params = &bench->component->params;
	const char *names[ALOE_PORTS_MAX * 4], *nearest;
	char bare[64];
	size_t n = 0;

	for (uint32_t i = 0; i < params->len; i++) {
		if (strlen(params->items[i].name) == len &&
		    !memcmp(params->items[i].name, name, len))
			return &params->items[i];
		if (n < sizeof(names) / sizeof(names[0]))
			names[n++] = params->items[i].name;
	}
	snprintf(bare, sizeof(bare), "%.*s", (int)len, name);
	nearest = diag_nearest(bare, names, n);
	diag_error(&bench->diag, NULL, 0, "%s has no parameter `%s`%s%s%s", bench->entry->name,
	    bare, nearest ? "; did you mean `" : "", nearest ? nearest : "", nearest ? "`?" : "");
	return NULL;
}

static int outside(struct bench *bench, const struct aloe_param *param, const char *value)
{
	return diag_error(&bench->diag, NULL, 0, "%s = %s: a %snumber %.10g .. %.10g is needed",
	    param->name, value, param->kind == ALOE_KIND_INT ? "whole " : "", param->min,
	    param->max);
}

static int set_number(struct bench *bench, const struct aloe_param *param, const char *value)
{
	char *end;
	const double number = strtod(value, &end);

	if (end == value || *end || !(number >= param->min && number <= param->max) ||
	    param_set_number(param, bench->state, number) < 0)
		return outside(bench, param, value);
	return 0;
}

static int set_bool(struct bench *bench, const struct aloe_param *param, const char *value)
{
	const bool yes = !strcmp(value, "true") || !strcmp(value, "1");

	if (!yes && strcmp(value, "false") != 0 && strcmp(value, "0") != 0)
		return diag_error(
		    &bench->diag, NULL, 0, "%s = %s: true or false is needed", param->name, value);
	return param_set_number(param, bench->state, yes);
}

static int set_enum(struct bench *bench, const struct aloe_param *param, const char *value)
{
	const int position = param_enum_find(param, value);
	char allowed[512] = "";

	if (position >= 0)
		return param_set_number(param, bench->state, position);
	for (size_t i = 0; param->names[i]; i++)
		snprintf(allowed + strlen(allowed), sizeof(allowed) - strlen(allowed), " %s",
		    param->names[i]);
	return diag_error(
	    &bench->diag, NULL, 0, "%s = %s: allowed are:%s", param->name, value, allowed);
}

static int set_text(struct bench *bench, const struct aloe_param *param, const char *value)
{
	if (param_set_text(param, bench->state, value) == 0)
		return 0;
	return diag_error(
	    &bench->diag, NULL, 0, "%s: at most %d characters", param->name, param->size - 1);
}

static int set_reals(struct bench *bench, const struct aloe_param *param, const char *value)
{
	float *data;
	uint32_t n;
	char why[512] = "out of memory";
	int rc = value[0] == '@' ? reals_read(value + 1, &data, &n, why, sizeof(why))
	                         : reals_parse(value, &data, &n, why, sizeof(why));

	if (rc < 0)
		return diag_error(&bench->diag, NULL, 0, "%s: %s", param->name, why);
	rc = reals_fit(data, n, param->items_max, param->min, param->max, why, sizeof(why));
	if (rc == 0 && bench->n_reals < sizeof(bench->reals) / sizeof(bench->reals[0])) {
		bench->reals[bench->n_reals++] = data;
		return param_set_reals(param, bench->state, data, n);
	}
	free(data);
	return diag_error(
	    &bench->diag, NULL, 0, "%s: %s", param->name, rc < 0 ? why : "set too often");
}

int bench_set(struct bench *bench, const char *text)
{
	const char *value = strchr(text, '=');
	const struct aloe_param *param;

	if (!value)
		return diag_error(&bench->diag, NULL, 0, "--param %s: NAME=VALUE is needed", text);
	param = find(bench, text, (size_t)(value++ - text));
	if (!param)
		return -1;
	switch ((enum aloe_kind)param->kind) {
	case ALOE_KIND_REAL:
	case ALOE_KIND_INT:
		return set_number(bench, param, value);
	case ALOE_KIND_BOOL:
		return set_bool(bench, param, value);
	case ALOE_KIND_ENUM:
		return set_enum(bench, param, value);
	case ALOE_KIND_TEXT:
	case ALOE_KIND_PATH:
		return set_text(bench, param, value);
	case ALOE_KIND_REALS:
		return set_reals(bench, param, value);
	}
	return -1;
}

static bool given(const struct bench *bench, const char *name)
{
	const size_t len = strlen(name);
	const char *text;

	for (size_t i = 0; (text = cli_nth(bench->args, "param", i)); i++)
		if (!strncmp(text, name, len) && text[len] == '=')
			return true;
	return false;
}

int bench_required(struct bench *bench)
{
	int rc = 0;

	for (uint32_t i = 0; i < bench->component->params.len; i++) {
		const struct aloe_param *param = &bench->component->params.items[i];
		if ((param->flags & ALOE_REQUIRED) && !given(bench, param->name))
			rc = diag_error(&bench->diag, NULL, 0, "parameter `%s` is required: %s",
			    param->name, param->doc);
	}
	return rc;
}
