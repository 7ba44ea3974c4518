/* SPDX-License-Identifier: BSD-3-Clause
 * mark - passes bytes on and writes behind them what is set in it just then: a number, and of an
 * array its first number and its mean (made by prepare): 12 bytes that say at the sink which change
 * was in force at which index. */
#include <aloe/component.h>

struct mark {
	double level;
	struct aloe_reals values;
	uint64_t calls;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BYTE, "bytes"),
    ALOE_OUT("out", ALOE_BYTE,
        "the same, then level, first of the array and its mean as three 32-bit floats"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct mark, level, 0, 0, 1e6, "", ALOE_LIVE, "a number"),
    ALOE_PARAM_REALS(struct mark, values, 4096, 0, 1e6, "", ALOE_LIVE | ALOE_REQUIRED, "an array"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct mark, calls, "", "calls"),
};

static int mark_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[0].max + 12;
	return 0;
}

static int mark_prepare(const void *self, const struct aloe_param *param, struct aloe_reals *next,
    struct aloe_setup *setup)
{
	double *mean = aloe_alloc(setup, sizeof(*mean));

	(void)self;
	(void)param;
	if (!mean)
		return aloe_fail(setup, "no memory");
	for (uint32_t i = 0; i < next->len; i++)
		*mean += (double)next->data[i] / next->len;
	next->derived = mean;
	return 0;
}

static int mark_work(void *self, struct aloe_slot *slot)
{
	struct mark *mark = self;
	const uint32_t n = slot->in[0].len;
	const float seen[3] = {
	    (float)mark->level, mark->values.data[0], (float)*(const double *)mark->values.derived};

	mark->calls++;
	memcpy(slot->out[0].data, slot->in[0].data, n);
	memcpy((uint8_t *)slot->out[0].data + n, seen, sizeof(seen));
	aloe_put(slot, 0, n + (uint32_t)sizeof(seen));
	return 0;
}

ALOE_COMPONENT(mark) = {
    .summary = "writes what is set in it behind what passes, for tests",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct mark),
    .shape = mark_shape,
    .prepare = mark_prepare,
    .work = mark_work,
};
