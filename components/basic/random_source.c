/* SPDX-License-Identifier: BSD-3-Clause
 * random_source - equally likely, independent bits. The message of an index depends on seed and
 * index alone (core/kernels/random.h), so a run can be repeated, cut or spread over machines and
 * the bits stay the same. */
#include <aloe/component.h>

#include "core/kernels/random.h"

struct random_source {
	uint64_t seed;
	uint32_t length;
	const struct random_kernels *kernels;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_BIT, "random bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct random_source, seed, 1, 0, 9007199254740992.0, "", 0,
        "start of the random numbers; another seed gives other bits"),
    ALOE_PARAM_INT(
        struct random_source, length, 1000, 1, 1 << 24, "items", 0, "bits in each message"),
};

static int random_source_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct random_source *)self)->length;
	return 0;
}

static int random_source_init(void *self, struct aloe_setup *setup)
{
	((struct random_source *)self)->kernels = random_kernels((enum simd_level)setup->simd);
	return 0;
}

static int random_source_work(void *self, struct aloe_slot *slot)
{
	const struct random_source *source = self;

	source->kernels->bits(source->seed, slot->index, aloe_out_bit(slot, 0), source->length);
	aloe_put(slot, 0, source->length);
	return 0;
}

ALOE_COMPONENT(random_source) = {
    .summary = "random bits, the same in every run",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct random_source),
    .kmac = 1,
    .shape = random_source_shape,
    .init = random_source_init,
    .work = random_source_work,
    .stateless = 1,
};
