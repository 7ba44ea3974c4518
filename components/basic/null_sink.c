/* SPDX-License-Identifier: BSD-3-Clause
 * null_sink - the end of a chain that nobody reads: counts what arrives and drops it. */
#include <aloe/component.h>

struct null_sink {
	uint64_t messages;
	uint64_t items;
	uint64_t absent;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct null_sink, messages, "", "VALID messages seen"),
    ALOE_VAR_U64(struct null_sink, items, "", "items in the VALID messages"),
    ALOE_VAR_U64(struct null_sink, absent, "", "ABSENT messages seen, warm-up included"),
};

static int null_sink_work(void *self, struct aloe_slot *slot)
{
	struct null_sink *sink = self;

	sink->messages += aloe_in_valid(slot, 0);
	sink->items += aloe_in_len(slot, 0);
	sink->absent += slot->in[0].state == ALOE_ABSENT;
	return 0;
}

ALOE_COMPONENT(null_sink) = {
    .summary = "count and drop every message",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct null_sink),
    .work = null_sink_work,
    .stateless = 1,
};
