/* SPDX-License-Identifier: BSD-3-Clause
 * ramp - a source in C of somebody else's: index times `step` plus position, `length` items a
 * slot. */
#include <aloe/component.h>

struct ramp {
	int32_t step;
	uint32_t length;
	uint64_t made;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_I16, "the ramp"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct ramp, step, 1, -100, 100, "", ALOE_LIVE, "added with every index"),
    ALOE_PARAM_INT(struct ramp, length, 16, 1, 4096, "items", 0, "items in a slot"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct ramp, made, "items", "items made so far"),
};

static int ramp_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct ramp *)self)->length;
	return 0;
}

static int ramp_work(void *self, struct aloe_slot *slot)
{
	struct ramp *ramp = self;
	int16_t *out = aloe_out_i16(slot, 0);

	for (uint32_t i = 0; i < ramp->length; i++)
		out[i] = (int16_t)((int64_t)slot->index * ramp->step + i);
	aloe_put(slot, 0, ramp->length);
	ramp->made += ramp->length;
	return 0;
}

ALOE_COMPONENT(ramp) = {
    .summary = "a rising ramp",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct ramp),
    .shape = ramp_shape,
    .work = ramp_work,
};
