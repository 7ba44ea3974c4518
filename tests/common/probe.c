/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/probe.h"

#include <errno.h>

static const struct aloe_port source_ports[] = {ALOE_OUT_OPTIONAL("out", ALOE_BYTE, "the index")};
static const struct aloe_port pass_ports[] = {
    ALOE_IN("in", ALOE_BYTE, "a number"),
    ALOE_OUT_OPTIONAL("out", ALOE_BYTE, "one more"),
};
static const struct aloe_port join_ports[] = {
    ALOE_IN("in", ALOE_BYTE, "a number"),
    ALOE_IN_OPTIONAL("other", ALOE_BYTE, "a number"),
    ALOE_OUT_OPTIONAL("out", ALOE_BYTE, "their sum and one more"),
};
static const struct aloe_port sink_ports[] = {ALOE_IN("in", ALOE_BYTE, "a number")};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct probe, gain, 1, -1e9, 1e9, "", ALOE_LIVE, "noted with each call"),
    ALOE_PARAM_REAL(struct probe, fixed, 2, -1e9, 1e9, "", 0, "not live"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct probe, calls, "", "calls of work"),
    ALOE_VAR_F64(struct probe, level, "", "half the last index"),
};

static uint64_t value_of(const struct aloe_in *in)
{
	uint64_t value = 0;

	if (in->len == sizeof(value))
		memcpy(&value, in->data, sizeof(value));
	return value;
}

static void put(struct aloe_slot *slot, uint64_t value, uint32_t state)
{
	if (slot->out[0].max < sizeof(value))
		return;
	slot->out[0].state = state;
	if (state == ALOE_VALID) {
		memcpy(slot->out[0].data, &value, sizeof(value));
		slot->out[0].len = sizeof(value);
	}
}

static int note(struct probe *probe, struct aloe_slot *slot, const struct aloe_in *in)
{
	struct probe_call *call = &probe->log[probe->calls % PROBE_LOG];

	if (probe->hook != NULL)
		probe->hook(probe, slot);
	*call = (struct probe_call){slot->index, in != NULL ? value_of(in) : 0,
	    in != NULL ? in->state : ALOE_VALID, probe->gain};
	probe->calls++;
	probe->level = (double)slot->index / 2;
	if (probe->end_at == slot->index + 1)
		aloe_end(slot);
	if (probe->fail_at != slot->index + 1)
		return 0;
	slot->why = "was told to fail";
	return -ERANGE;
}

static int source_work(void *self, struct aloe_slot *slot)
{
	put(slot, probe_value(slot->index), ALOE_VALID);
	return note(self, slot, NULL);
}

static int pass_work(void *self, struct aloe_slot *slot)
{
	put(slot, value_of(&slot->in[0]) + 1, slot->in[0].state);
	return note(self, slot, &slot->in[0]);
}

static int join_work(void *self, struct aloe_slot *slot)
{
	put(slot, value_of(&slot->in[0]) + value_of(&slot->in[1]) + 1, slot->in[0].state);
	return note(self, slot, &slot->in[0]);
}

static int sink_work(void *self, struct aloe_slot *slot)
{
	return note(self, slot, &slot->in[0]);
}

#define PROBE(kind)                                                                                \
	{                                                                                          \
		.summary = "a probe", .ports = ALOE_LIST(kind##_ports),                            \
		.params = ALOE_LIST(params), .vars = ALOE_LIST(vars),                              \
		.state_size = sizeof(struct probe), .work = kind##_work,                           \
	}

const struct aloe_component probe_source = PROBE(source);
const struct aloe_component probe_pass = PROBE(pass);
const struct aloe_component probe_join = PROBE(join);
const struct aloe_component probe_sink = PROBE(sink);
