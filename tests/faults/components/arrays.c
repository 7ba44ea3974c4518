/* SPDX-License-Identifier: BSD-3-Clause
 * arrays - shows in every message which array it has: first number, length, mean (made by
 * prepare) and version. An array that begins with -1 is refused, one that begins with -2 ends
 * the process. */
#include <aloe/component.h>

#include <stdlib.h>

struct arrays {
	struct aloe_reals values;
	struct aloe_reals other;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_F32, "first, length, mean, version"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REALS(
        struct arrays, values, 65536, -1000, 1000, "", ALOE_LIVE | ALOE_REQUIRED, "what is shown"),
    ALOE_PARAM_REALS(struct arrays, other, 4, -1, 1, "", 0, "not live"),
};

static int arrays_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = 4;
	return 0;
}

static int arrays_prepare(const void *self, const struct aloe_param *param, struct aloe_reals *next,
    struct aloe_setup *setup)
{
	double *mean = aloe_alloc(setup, sizeof(*mean));

	(void)self;
	if (!mean || next->data[0] == -1)
		return aloe_fail(setup, "%s may not begin with -1", param->name);
	if (next->data[0] == -2)
		abort();
	for (uint32_t i = 0; i < next->len; i++)
		*mean += (double)next->data[i] / next->len;
	next->derived = mean;
	return 0;
}

static int arrays_work(void *self, struct aloe_slot *slot)
{
	const struct arrays *arrays = self;
	float *out = aloe_out_f32(slot, 0);

	out[0] = arrays->values.data[0];
	out[1] = (float)arrays->values.len;
	out[2] = (float)*(const double *)arrays->values.derived;
	out[3] = (float)arrays->values.version;
	aloe_put(slot, 0, 4);
	return 0;
}

ALOE_COMPONENT(arrays) = {
    .summary = "shows its array, for tests",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct arrays),
    .shape = arrays_shape,
    .prepare = arrays_prepare,
    .work = arrays_work,
};
