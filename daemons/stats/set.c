/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/set.c - check a value against the component's description and pass the request on to exec. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/diag.h"
#include "daemons/stats/stats.h"

enum { ERROR_BYTES = 1000 };

static int enum_check(const struct aloe_param *param, const char *name, const char *value,
    char *ret_number, size_t number_bytes, char *ret_error, size_t error_bytes)
{
	int len;

	for (int i = 0; param->names[i]; i++) {
		if (strcmp(param->names[i], value) == 0) {
			snprintf(ret_number, number_bytes, "%d", i);
			return 0;
		}
	}
	len = snprintf(ret_error, error_bytes, "%s = \"%.60s\": allowed are", name, value);
	for (int i = 0; param->names[i] && len > 0 && (size_t)len < error_bytes; i++)
		len += snprintf(ret_error + len, error_bytes - (size_t)len, "%s %s",
		    i > 0 ? "," : "", param->names[i]);
	return -EINVAL;
}

static int bool_check(const char *name, const char *value, char *ret_number, size_t number_bytes,
    char *ret_error, size_t error_bytes)
{
	const bool on = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;

	if (!on && strcmp(value, "false") != 0 && strcmp(value, "0") != 0) {
		snprintf(
		    ret_error, error_bytes, "%s = \"%.60s\": allowed are true, false", name, value);
		return -EINVAL;
	}
	snprintf(ret_number, number_bytes, "%d", on);
	return 0;
}

static int number_check(const struct aloe_param *param, const char *name, const char *value,
    char *ret_number, size_t number_bytes, char *ret_error, size_t error_bytes)
{
	const bool whole = param->kind == ALOE_KIND_INT;
	char *end;
	const double number = strtod(value, &end);
	const char *unit = param->unit ? param->unit : "";

	if (end == value || *end != 0 || !isfinite(number) || (whole && number != rint(number))) {
		snprintf(ret_error, error_bytes,
		    "%s = \"%.60s\": a %s %.15g .. %.15g%s%s is needed", name, value,
		    whole ? "whole number" : "number", param->min, param->max, *unit ? " " : "",
		    unit);
		return -EINVAL;
	}
	if (number < param->min || number > param->max) {
		snprintf(ret_error, error_bytes, "%s = %s is outside [%.15g, %.15g]%s%s", name,
		    value, param->min, param->max, *unit ? " " : "", unit);
		return -EINVAL;
	}
	snprintf(ret_number, number_bytes, "%.17g", number);
	return 0;
}

int stats_value_check(const struct aloe_param *param, const char *name, const char *value,
    char *ret_number, size_t number_bytes, char *ret_error, size_t error_bytes)
{
	if (!(param->flags & ALOE_LIVE)) {
		snprintf(ret_error, error_bytes,
		    "%s is read at init only: unload, and load with --set %s=...", name, name);
		return -EINVAL;
	}
	switch (param->kind) {
	case ALOE_KIND_REAL:
	case ALOE_KIND_INT:
		return number_check(
		    param, name, value, ret_number, number_bytes, ret_error, error_bytes);
	case ALOE_KIND_BOOL:
		return bool_check(name, value, ret_number, number_bytes, ret_error, error_bytes);
	case ALOE_KIND_ENUM:
		return enum_check(
		    param, name, value, ret_number, number_bytes, ret_error, error_bytes);
	default:
		snprintf(ret_number, number_bytes, "%s", value);
		return 0;
	}
}

/* ---- the request -------------------------------------------------------------------------------------------------------- */

/* value_take gives what exec is to be sent for the nth pair: the number as text, or the text as it came where exec knows
 * what it can take. NULL with the reason in ret_error; the caller frees it. */
static char *value_take(struct stats *stats, const struct stats_wave *wave, const char *text,
    const char *value, char *ret_error, size_t size)
{
	const struct component_type *type;
	struct stats_name name;
	char number[64];

	if (stats_name_find(wave, text, &name, ret_error, size) < 0)
		return NULL;
	if (name.param == IMAGE_NONE) {
		snprintf(ret_error, size, "%s is %s: only a parameter can be set", text,
		    name.whole ? "an instance" : "a variable");
		return NULL;
	}
	type = stats_type(stats, &wave->view, name.instance, true);
	if (!type || type->params[name.param].kind > ALOE_KIND_ENUM)
		return strdup(value);
	if (stats_value_check(&type->params[name.param], text, value, number, sizeof(number),
	        ret_error, size) < 0)
		return NULL;
	return strdup(number);
}

static void set_forward(
    struct stats *stats, const struct wire_view *request, const struct stats_wave *wave)
{
	struct wire_msg msg;
	int result = 0;

	wire_init_copy(&msg, request, WIRE_TAG_VALUE);
	for (unsigned n = 0; result == 0; n++) {
		char *name = wire_get_text(request, WIRE_TAG_NAME, n),
		     error[ERROR_BYTES] = "out of memory";
		char *value = wire_get_text(request, WIRE_TAG_VALUE, n), *checked = NULL;

		if (name && value)
			checked = value_take(stats, wave, name, value, error, sizeof(error));
		if (checked)
			wire_put_text(&msg, WIRE_TAG_VALUE, checked);
		else if (name && value)
			daemon_fail(&stats->daemon, request, 2, "%s", error);
		result = checked ? 0 : name && value ? -EINVAL : -ENOENT;
		free(name);
		free(value);
		free(checked);
	}
	if (result == -EINVAL) {
		wire_fini(&msg);
		return;
	}
	wire_put_peers(&msg, WIRE_STATS, WIRE_EXEC);
	result = bus_send(stats->daemon.bus, &msg);
	if (result < 0)
		daemon_fail(&stats->daemon, request, 1, "aloe-stats cannot pass this on: %s",
		    strerror(-result));
}

void stats_set(struct stats *stats, const struct wire_view *request)
{
	char *waveform = wire_get_text(request, WIRE_TAG_WAVEFORM, 0),
	     *name = wire_get_text(request, WIRE_TAG_NAME, 0);
	char *value = wire_get_text(request, WIRE_TAG_VALUE, 0), error[ERROR_BYTES];
	const struct stats_wave *wave = waveform ? stats_wave_find(stats, waveform) : NULL;

	if (!waveform || !name || !value) {
		daemon_fail(&stats->daemon, request, 2,
		    "set needs a waveform, instance.parameter and a value");
	} else if (!wave) {
		stats_wave_missing(stats, waveform, error, sizeof(error));
		daemon_fail(&stats->daemon, request, 2, "%s", error);
	} else {
		set_forward(stats, request, wave);
	}
	free(waveform);
	free(name);
	free(value);
}
