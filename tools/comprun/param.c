/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameters from the command line, with the checks of the descriptor. */
#include <string.h>

#include "core/component/param.h"
#include "core/component/parse.h"
#include "tools/comprun/comprun.h"

static const struct aloe_param *find(struct comprun_bench *bench, const char *name, size_t len)
{
	const struct aloe_list_params *params = &bench->component->params;
	const char *names[ALOE_PORTS_MAX * 4];
	char bare[64], text[512];
	size_t n = 0;

	for (uint32_t i = 0; i < params->len; i++) {
		if (strlen(params->items[i].name) == len &&
		    !memcmp(params->items[i].name, name, len))
			return &params->items[i];
		if (n < sizeof(names) / sizeof(names[0]))
			names[n++] = params->items[i].name;
	}
	snprintf(bare, sizeof(bare), "%.*s", (int)len, name);
	diag_error(&bench->diag, NULL, 0, "unknown parameter \"%s\" of %s%s", bare,
	    bench->entry->name, diag_suggest(bare, names, n, text, sizeof(text)));
	return NULL;
}

/* The array stays with the state until the bench is closed. */
static int keep_reals(
    struct comprun_bench *bench, const struct aloe_param *param, const struct param_value *value)
{
	float *data;

	if (bench->n_reals == sizeof(bench->reals) / sizeof(bench->reals[0]))
		return diag_error(&bench->diag, NULL, 0, "%s: at most %zu arrays can be set",
		    param->name, sizeof(bench->reals) / sizeof(bench->reals[0]));
	data = param_floats(value);
	if (!data)
		return diag_error(&bench->diag, NULL, 0, "%s: no memory", param->name);
	bench->reals[bench->n_reals++] = data;
	return param_set_reals(param, bench->state, data, value->n_numbers);
}

static int state_set(
    struct comprun_bench *bench, const struct aloe_param *param, const struct param_value *value)
{
	if (value->numbers)
		return keep_reals(bench, param, value);
	return value->text ? param_set_text(param, bench->state, value->text)
	                   : param_set_number(param, bench->state, value->number);
}

int bench_set(struct comprun_bench *bench, const char *text)
{
	const char *equals = strchr(text, '=');
	char name[160], why[PARAM_WHY_BYTES] = "no memory";
	const struct aloe_param *param;
	struct param_given given = {0};
	struct param_value value;
	int rc;

	if (!equals)
		return diag_error(&bench->diag, NULL, 0, "--param %s: NAME=VALUE is needed", text);
	param = find(bench, text, (size_t)(equals - text));
	if (!param)
		return -1;
	given.text = equals + 1;
	snprintf(name, sizeof(name), "%s.%s", bench->entry->name, param->name);
	if (param_parse(param, name, &given, &value, why, sizeof(why)) < 0)
		return diag_error(&bench->diag, NULL, 0, "%s", why);
	rc = state_set(bench, param, &value);
	param_value_fini(&value);
	return rc;
}

static bool given(const struct comprun_bench *bench, const char *name)
{
	const size_t len = strlen(name);
	const char *text;

	for (size_t i = 0; (text = cli_nth(bench->args, "param", i)); i++)
		if (!strncmp(text, name, len) && text[len] == '=')
			return true;
	return false;
}

int bench_required(struct comprun_bench *bench)
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
