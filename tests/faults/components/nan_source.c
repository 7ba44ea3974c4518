/* SPDX-License-Identifier: BSD-3-Clause
 * nan_source - samples that a broken front end might deliver: NaN, infinities, huge and denormal
 * numbers in turn. */
#include <aloe/component.h>

#include <math.h>

struct nan_source {
	uint32_t length;
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_CF32, "no good samples"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct nan_source, length, 64, 1, 1e6, "items", 0, "items in a slot"),
};

static int nan_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct nan_source *)self)->length;
	return 0;
}

static int nan_work(void *self, struct aloe_slot *slot)
{
	static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-44f, 0, 1};
	const uint32_t n = ((const struct nan_source *)self)->length;
	cf32 *out = aloe_out_cf32(slot, 0);

	for (uint32_t i = 0; i < n; i++)
		out[i] = CMPLXF(bad[(i + slot->index) % 8], bad[(i / 8 + slot->index) % 8]);
	aloe_put(slot, 0, n);
	return 0;
}

ALOE_COMPONENT(nan_source) = {
    .summary = "NaN, infinities and their like, for tests",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct nan_source),
    .shape = nan_shape,
    .work = nan_work,
};
