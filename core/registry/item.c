/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/registry/registry.h"

#include <string.h>

static const struct {
	const char *name;
	uint32_t type;
} item_types[] = {
    {"bit", ALOE_BIT},
    {"byte", ALOE_BYTE},
    {"i16", ALOE_I16},
    {"llr16", ALOE_LLR16},
    {"f32", ALOE_F32},
    {"cf32", ALOE_CF32},
    {"ci16", ALOE_CI16},
};

enum { ITEM_TYPES = sizeof(item_types) / sizeof(item_types[0]) };

uint32_t item_type_from_name(const char *name)
{
	for (size_t i = 0; i < ITEM_TYPES; i++)
		if (strcmp(item_types[i].name, name) == 0)
			return item_types[i].type;
	return 0;
}

const char *item_type_name(uint32_t type)
{
	for (size_t i = 0; i < ITEM_TYPES; i++)
		if (item_types[i].type == type)
			return item_types[i].name;
	return NULL;
}
