/* SPDX-License-Identifier: BSD-3-Clause
 * tally_fresh - what tally writes, but it takes no count over; with a parameter more. */
#include <aloe/component.h>

struct tally_fresh {
	double add;
	double scale;
	uint64_t count;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "bits"),
    ALOE_OUT("out", ALOE_BYTE, "the count in 8 bytes, low first; the bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct tally_fresh, scale, 1, 0, 9, "", ALOE_LIVE, "of every bit"),
    ALOE_PARAM_REAL(struct tally_fresh, add, 4, 0, 255, "", ALOE_LIVE, "added to every bit"),
};

static int tally_fresh_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[0].max + 8;
	return 0;
}

static int tally_fresh_work(void *self, struct aloe_slot *slot)
{
	struct tally_fresh *tally = self;
	const uint8_t *in = aloe_in_bit(slot, 0);
	uint8_t *out = aloe_out_byte(slot, 0);
	const uint32_t n = aloe_in_len(slot, 0);

	for (uint32_t i = 0; i < 8; i++)
		out[i] = (uint8_t)(tally->count >> (8 * i));
	for (uint32_t i = 0; i < n; i++)
		out[8 + i] = (uint8_t)(tally->scale * in[i] + tally->add);
	tally->count++;
	aloe_put(slot, 0, n + 8);
	return 0;
}

ALOE_COMPONENT(tally_fresh) = {
    .summary = "count calls, from 0",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct tally_fresh),
    .shape = tally_fresh_shape,
    .work = tally_fresh_work,
};
