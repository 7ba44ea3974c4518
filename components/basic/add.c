/* SPDX-License-Identifier: BSD-3-Clause
 * add - the sum of two to four streams, item by item: channels of one transmitter, or a signal and
 * its interference. All messages of an index need the same length; else the sum is ABSENT, and
 * counted. It is also ABSENT if one of them is, else IDLE if one of them is. */
#include <aloe/component.h>

enum { INPUTS = 4 };

struct add {
	uint32_t floats; /* of an item */
	uint64_t short_blocks;
	bool connected[INPUTS];
};

static const struct aloe_port ports[] = {
    ALOE_IN("in0", ALOE_F32 | ALOE_CF32, "first stream"),
    ALOE_IN("in1", ALOE_F32 | ALOE_CF32, "second stream"),
    ALOE_IN_OPTIONAL("in2", ALOE_F32 | ALOE_CF32, "third stream"),
    ALOE_IN_OPTIONAL("in3", ALOE_F32 | ALOE_CF32, "fourth stream"),
    ALOE_OUT("out", ALOE_F32 | ALOE_CF32, "sum of the streams"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(
        struct add, short_blocks, "block", "indices whose messages were not of one length"),
};

static int add_init(void *self, struct aloe_setup *setup)
{
	struct add *s = self;

	s->floats = aloe_item_bytes(setup->in[0].type) / sizeof(float);
	for (unsigned i = 0; i < INPUTS; i++)
		s->connected[i] = setup->in[i].type;
	return 0;
}

static uint32_t sum_state(struct add *s, const struct aloe_slot *slot)
{
	uint32_t state = ALOE_VALID;

	for (unsigned i = 0; i < INPUTS; i++)
		if (s->connected[i] && slot->in[i].state < state)
			state = slot->in[i].state;
	for (unsigned i = 1; state == ALOE_VALID && i < INPUTS; i++)
		if (s->connected[i] && slot->in[i].len != slot->in[0].len) {
			s->short_blocks++;
			state = ALOE_ABSENT;
		}
	return state;
}

static int add_work(void *self, struct aloe_slot *slot)
{
	struct add *s = self;
	const uint32_t n = s->floats * aloe_in_len(slot, 0);
	const float *first = slot->in[0].data, *second = slot->in[1].data;
	float *out = slot->out[0].data;

	slot->out[0].state = sum_state(s, slot);
	if (slot->out[0].state != ALOE_VALID)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		out[i] = first[i] + second[i];
	for (unsigned port = 2; port < INPUTS; port++) {
		const float *more = slot->in[port].data;

		for (uint32_t i = 0; s->connected[port] && i < n; i++)
			out[i] += more[i];
	}
	aloe_put(slot, 0, aloe_in_len(slot, 0));
	return 0;
}

ALOE_COMPONENT(add) = {
    .summary = "sum of two to four streams",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct add),
    .kmac = 5,
    .init = add_init,
    .work = add_work,
    .stateless = 1,
};
