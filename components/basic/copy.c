/* SPDX-License-Identifier: BSD-3-Clause
 * copy - the output is the input, item by item, of whatever type the link has; ABSENT stays
 * ABSENT. */
#include <aloe/component.h>

#include "core/kernels/move.h"

struct copy {
	uint32_t item_bytes;
	const struct move_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
    ALOE_OUT("out", ALOE_ANY, "the same items"),
};

static int copy_init(void *self, struct aloe_setup *setup)
{
	struct copy *copy = self;

	copy->item_bytes = aloe_item_bytes(setup->in[0].type);
	copy->kernels = move_kernels((enum simd_level)setup->simd);
	return 0;
}

static int copy_work(void *self, struct aloe_slot *slot)
{
	const struct copy *copy = self;
	const uint32_t n = aloe_pass(slot, 0, 0);

	if (n)
		copy->kernels->copy(
		    slot->out[0].data, slot->in[0].data, (size_t)n * copy->item_bytes);
	return 0;
}

ALOE_COMPONENT(copy) = {
    .summary = "pass every item on unchanged",
    .ports = ALOE_LIST(ports),
    .state_size = sizeof(struct copy),
    .init = copy_init,
    .work = copy_work,
    .stateless = 1,
};
