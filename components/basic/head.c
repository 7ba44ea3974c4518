/* SPDX-License-Identifier: BSD-3-Clause
 * head - passes the first `items` items and ends the run with the last of them; that message may be
 * short.
 *
 * Everything behind it in the graph ends at the same index. What is not behind it and runs on
 * another lane may have gone an index or two further by then. */
#include <aloe/component.h>

#include "core/kernels/move.h"

struct head {
	uint64_t items;
	uint64_t passed;
	uint32_t item_bytes;
	const struct move_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
    ALOE_OUT("out", ALOE_ANY, "the first items"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct head, items, 1000000, 1, 9007199254740992.0, "items", 0,
        "number of items that pass"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct head, passed, "", "items passed so far"),
};

static int head_init(void *self, struct aloe_setup *setup)
{
	struct head *head = self;

	head->item_bytes = aloe_item_bytes(setup->in[0].type);
	head->kernels = move_kernels((enum simd_level)setup->simd);
	return 0;
}

static int head_work(void *self, struct aloe_slot *slot)
{
	struct head *head = self;
	const uint64_t left = head->items - head->passed;
	uint32_t n = aloe_pass(slot, 0, 0);

	if (n >= left) {
		n = (uint32_t)left;
		slot->out[0].len = n;
		aloe_end(slot);
	}
	if (n)
		head->kernels->copy(
		    slot->out[0].data, slot->in[0].data, (size_t)n * head->item_bytes);
	head->passed += n;
	return 0;
}

static int head_reset(void *self)
{
	((struct head *)self)->passed = 0;
	return 0;
}

ALOE_COMPONENT(head) = {
    .summary = "pass the first items, then end the run",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct head),
    .kmac = 1,
    .init = head_init,
    .work = head_work,
    .reset = head_reset,
};
