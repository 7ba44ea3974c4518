/* SPDX-License-Identifier: BSD-3-Clause
 * utran_dpch_map - a radio frame of a downlink dedicated physical channel: the data bits into the
 * slots, with TPC, TFCI and pilot bits between them, 3GPP TS 25.211 section 5.3.2. */
#include <aloe/component.h>

#include "core/kernels/utran_dpch.h"
#include "core/kernels/utran_tfci.h"

struct dpch_map {
	int32_t slot_format;
	int32_t tfci;
	int32_t tpc;
	uint64_t short_blocks;
	const struct utran_dpch *dpch;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "data bits of one radio frame, in the order in which they are sent"),
    ALOE_OUT("out", ALOE_BIT, "all bits of the frame, 15 slots"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct dpch_map, slot_format, 15, 0, UTRAN_DPCH_FORMATS - 1, "", 0,
        "slot format of TS 25.211 Table 11; 11, 13, 14, 15 for SF 128, 32, 16, 8 with TFCI"),
    ALOE_PARAM_INT(struct dpch_map, tfci, 0, 0, UTRAN_TFCI_MAX, "", ALOE_LIVE,
        "transport format combination sent"),
    ALOE_PARAM_INT(
        struct dpch_map, tpc, 1, 0, 1, "", ALOE_LIVE, "power control command: 1 up, 0 down"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct dpch_map, short_blocks, "block",
        "messages that were not one whole frame of data bits"),
};

static int map_shape(void *self, struct aloe_setup *setup)
{
	const int32_t format = ((const struct dpch_map *)self)->slot_format;
	const struct utran_dpch *dpch = utran_dpch_format((uint32_t)format);

	if (setup->in[0].max != utran_dpch_data(dpch))
		return aloe_fail(setup,
		    "slot format %d has %u data bits in a radio frame, but the input has %u",
		    format, utran_dpch_data(dpch), setup->in[0].max);
	setup->out[0].max = utran_dpch_bits(dpch);
	return 0;
}

static int map_init(void *self, struct aloe_setup *setup)
{
	struct dpch_map *s = self;

	(void)setup;
	s->dpch = utran_dpch_format((uint32_t)s->slot_format);
	return 0;
}

static int map_work(void *self, struct aloe_slot *slot)
{
	struct dpch_map *s = self;

	if (aloe_pass_block(
	        slot, 0, 0, utran_dpch_data(s->dpch), utran_dpch_bits(s->dpch), &s->short_blocks))
		utran_dpch_map(s->dpch, (uint32_t)s->tfci, (uint32_t)s->tpc, aloe_in_bit(slot, 0),
		    aloe_out_bit(slot, 0));
	return 0;
}

ALOE_COMPONENT(utran_dpch_map) = {
    .summary = "data bits into the slots of a UTRAN downlink dedicated physical channel",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct dpch_map),
    .kmac = 2,
    .shape = map_shape,
    .init = map_init,
    .work = map_work,
};
