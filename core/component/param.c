/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/component/param.h"

#include <assert.h>
#include <errno.h>
#include <math.h>

static void *field_of(const struct aloe_param *param, void *state)
{
	return (uint8_t *)state + param->offset;
}

int param_enum_find(const struct aloe_param *param, const char *name)
{
	for (int i = 0; param->names && param->names[i]; i++)
		if (strcmp(param->names[i], name) == 0)
			return i;
	return -1;
}

static int real_set(const struct aloe_param *param, void *state, double value)
{
	const float narrow = (float)value;

	if (param->size == sizeof(double))
		memcpy(field_of(param, state), &value, sizeof(value));
	else if (param->size == sizeof(float))
		memcpy(field_of(param, state), &narrow, sizeof(narrow));
	else
		return -EINVAL;
	return 0;
}

/* Signed and unsigned fields share the bits of what both can hold. */
static int int_set(const struct aloe_param *param, void *state, double value)
{
	if (!isfinite(value) || value != trunc(value) || fabs(value) > 0x1p53)
		return -EINVAL;
	if (param->size == sizeof(int64_t)) {
		const int64_t wide = (int64_t)value;

		memcpy(field_of(param, state), &wide, sizeof(wide));
	} else if (param->size == sizeof(int32_t) && value >= INT32_MIN && value <= UINT32_MAX) {
		const uint32_t narrow = (uint32_t)(int64_t)value;

		memcpy(field_of(param, state), &narrow, sizeof(narrow));
	} else {
		return -EINVAL;
	}
	return 0;
}

static int enum_set(const struct aloe_param *param, void *state, double value)
{
	int32_t count = 0;

	while (param->names && param->names[count])
		count++;
	if (!(value >= 0 && value < count) || value != trunc(value) ||
	    param->size != sizeof(int32_t))
		return -EINVAL;
	const int32_t position = (int32_t)value;
	memcpy(field_of(param, state), &position, sizeof(position));
	return 0;
}

int param_set_number(const struct aloe_param *param, void *state, double value)
{
	switch (param->kind) {
	case ALOE_KIND_REAL:
		return real_set(param, state, value);
	case ALOE_KIND_INT:
		return int_set(param, state, value);
	case ALOE_KIND_ENUM:
		return enum_set(param, state, value);
	case ALOE_KIND_BOOL:
		if (param->size != sizeof(bool) || (value != 0 && value != 1))
			return -EINVAL;
		*(uint8_t *)field_of(param, state) = value != 0;
		return 0;
	default:
		return -EINVAL;
	}
}

int param_set_text(const struct aloe_param *param, void *state, const char *value)
{
	const size_t len = strlen(value);

	assert(value != NULL);
	if (param->kind != ALOE_KIND_TEXT && param->kind != ALOE_KIND_PATH)
		return -EINVAL;
	if (len >= param->size)
		return -E2BIG;
	memcpy(field_of(param, state), value, len + 1);
	return 0;
}

int param_set_reals(const struct aloe_param *param, void *state, const float *data, uint32_t len)
{
	const struct aloe_reals reals = {data, len, 1, NULL};

	assert(data != NULL || len == 0);
	if (param->kind != ALOE_KIND_REALS || param->size != sizeof(reals))
		return -EINVAL;
	if (len > param->items_max)
		return -E2BIG;
	memcpy(field_of(param, state), &reals, sizeof(reals));
	return 0;
}

bool param_is_live_array(const struct aloe_param *param)
{
	return param->kind == ALOE_KIND_REALS && (param->flags & ALOE_LIVE) &&
	    param->size == sizeof(struct aloe_reals);
}

int param_prepare(const struct aloe_component *component, void *state, struct aloe_setup *setup)
{
	for (uint32_t i = 0; component->prepare && i < component->params.len; i++) {
		const struct aloe_param *param = &component->params.items[i];
		int status;

		if (!param_is_live_array(param))
			continue;
		status = component->prepare(state, param, field_of(param, state), setup);
		if (status >= 0)
			continue;
		param_release(component, state, i);
		return status;
	}
	return 0;
}

void param_release(const struct aloe_component *component, void *state, uint32_t n)
{
	for (uint32_t i = 0; component->release && i < n; i++) {
		const struct aloe_param *param = &component->params.items[i];

		if (param_is_live_array(param))
			component->release(state, param, field_of(param, state));
	}
}

void param_defaults(const struct aloe_component *component, void *state)
{
	for (uint32_t i = 0; i < component->params.len; i++) {
		const struct aloe_param *param = &component->params.items[i];

		if (param->kind == ALOE_KIND_TEXT || param->kind == ALOE_KIND_PATH)
			(void)param_set_text(param, state, param->text ? param->text : "");
		else if (param->kind == ALOE_KIND_ENUM)
			(void)param_set_number(
			    param, state, param->text ? param_enum_find(param, param->text) : 0);
		else if (param->kind != ALOE_KIND_REALS)
			(void)param_set_number(param, state, param->def);
	}
}

static double int_get(const struct aloe_param *param, const void *at)
{
	int64_t wide;
	int32_t narrow;

	if (param->size == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return param->min >= 0 ? (double)(uint64_t)wide : (double)wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return param->min >= 0 ? (double)(uint32_t)narrow : (double)narrow;
}

double param_get_number(const struct aloe_param *param, const void *state)
{
	const void *at = (const uint8_t *)state + param->offset;
	double real;
	float narrow;
	int32_t position;

	switch (param->kind) {
	case ALOE_KIND_REAL:
		memcpy(&real, at, param->size == sizeof(real) ? sizeof(real) : 0);
		memcpy(&narrow, at, sizeof(narrow));
		return param->size == sizeof(real) ? real : (double)narrow;
	case ALOE_KIND_INT:
		return int_get(param, at);
	case ALOE_KIND_BOOL:
		return *(const uint8_t *)at != 0;
	case ALOE_KIND_ENUM:
		memcpy(&position, at, sizeof(position));
		return position;
	default:
		return NAN;
	}
}
