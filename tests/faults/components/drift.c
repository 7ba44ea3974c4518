/* SPDX-License-Identifier: BSD-3-Clause
 * drift - passes numbers on, and from one index on with the first one larger by 1. The index is
 * in the program itself: a test makes another build by writing another number into the file. */
#include <aloe/component.h>

static const volatile char build[] = "drift from index 99999999";

struct drift {
	uint64_t from;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_I16, "numbers"),
    ALOE_OUT("out", ALOE_I16, "the same, up to an index"),
};

static int drift_init(void *self, struct aloe_setup *setup)
{
	struct drift *drift = self;

	(void)setup;
	for (size_t i = sizeof("drift from index ") - 1; build[i]; i++)
		drift->from = drift->from * 10 + (uint64_t)(build[i] - '0');
	return 0;
}

static int drift_work(void *self, struct aloe_slot *slot)
{
	const struct drift *drift = self;
	const uint32_t n = aloe_pass(slot, 0, 0);

	memcpy(slot->out[0].data, slot->in[0].data, n * sizeof(int16_t));
	if (n > 0 && slot->index >= drift->from)
		aloe_out_i16(slot, 0)[0]++;
	return 0;
}

ALOE_COMPONENT(drift) = {
    .summary = "passes numbers on and changes them from an index on, for tests",
    .ports = ALOE_LIST(ports),
    .state_size = sizeof(struct drift),
    .init = drift_init,
    .work = drift_work,
};
