/* SPDX-License-Identifier: BSD-3-Clause
 * level - tells in every message on which vector level it runs: what no component may do. */
#include <aloe/component.h>

struct level {
	uint8_t level;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_BYTE, "the level"),
};

static int level_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = 1;
	return 0;
}

static int level_init(void *self, struct aloe_setup *setup)
{
	((struct level *)self)->level = (uint8_t)setup->simd;
	return 0;
}

static int level_work(void *self, struct aloe_slot *slot)
{
	*(uint8_t *)slot->out[0].data = ((const struct level *)self)->level;
	aloe_put(slot, 0, 1);
	return 0;
}

ALOE_COMPONENT(level) = {
    .summary = "shows its vector level, for tests",
    .ports = ALOE_LIST(ports),
    .state_size = sizeof(struct level),
    .shape = level_shape,
    .init = level_init,
    .work = level_work,
};
