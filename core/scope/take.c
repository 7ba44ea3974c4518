/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/scope/scope.h"

#include <aloe/component.h>

static void item_take(uint32_t type, const uint8_t *item, float ret_iq[2])
{
	int16_t whole[2];

	ret_iq[1] = 0;
	switch (type) {
	case ALOE_BIT:
	case ALOE_BYTE:
		ret_iq[0] = *item;
		break;
	case ALOE_I16:
	case ALOE_LLR16:
		memcpy(whole, item, sizeof(*whole));
		ret_iq[0] = (float)whole[0] / 32768;
		break;
	case ALOE_CI16:
		memcpy(whole, item, sizeof(whole));
		ret_iq[0] = (float)whole[0] / 32768;
		ret_iq[1] = (float)whole[1] / 32768;
		break;
	case ALOE_F32:
		memcpy(ret_iq, item, sizeof(float));
		break;
	default:
		memcpy(ret_iq, item, 2 * sizeof(float));
	}
}

int scope_take(uint32_t item_type, const void *items, size_t len, struct scope_signal *ret)
{
	const size_t size = aloe_item_bytes(item_type), all = size ? len / size : 0,
	             n = all < SCOPE_SAMPLES_MAX ? all : SCOPE_SAMPLES_MAX;
	float *iq;

	if (size == 0)
		return -EINVAL;
	if (n == 0)
		return -ENODATA;
	iq = malloc(n * 2 * sizeof(*iq));
	if (!iq)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		item_take(item_type, (const uint8_t *)items + i * size, &iq[2 * i]);
	*ret = (struct scope_signal){.iq = iq,
	    .n = n,
	    .is_complex = item_type == ALOE_CF32 || item_type == ALOE_CI16,
	    .is_bits = item_type == ALOE_BIT};
	return 0;
}

void scope_signal_fini(struct scope_signal *signal)
{
	free(signal->iq);
	signal->iq = NULL;
}
