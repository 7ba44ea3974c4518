/* SPDX-License-Identifier: BSD-3-Clause
 * counter - in every message the index and the time of the call, 16 bytes: what arrives tells what
 * was lost, and when. */
#include <aloe/component.h>

#include <time.h>

struct counter {
	uint32_t unused;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_BYTE, "index and CLOCK_MONOTONIC in ns, 8 bytes each, host order"),
};

static int counter_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = 16;
	return 0;
}

static int counter_work(void *self, struct aloe_slot *slot)
{
	struct timespec now;
	uint64_t record[2] = {slot->index, 0};

	(void)self;
	clock_gettime(CLOCK_MONOTONIC, &now);
	record[1] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	memcpy(slot->out[0].data, record, sizeof(record));
	aloe_put(slot, 0, sizeof(record));
	return 0;
}

ALOE_COMPONENT(counter) = {
    .summary = "index and time, for tests",
    .ports = ALOE_LIST(ports),
    .state_size = sizeof(struct counter),
    .shape = counter_shape,
    .work = counter_work,
};
