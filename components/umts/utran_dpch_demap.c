/* SPDX-License-Identifier: BSD-3-Clause
 * utran_dpch_demap - the soft data bits out of the slots of a downlink dedicated physical channel,
 * 3GPP TS 25.211 section 5.3.2; its TFCI is decoded (TS 25.212 section 4.3.3) and shown. */
#include <aloe/component.h>

#include "core/kernels/utran_dpch.h"

struct dpch_demap {
	int32_t slot_format;
	uint64_t tfci;
	uint64_t tfci_changes;
	uint64_t short_blocks;
	bool seen; /* a TFCI has been decoded before */
	const struct utran_dpch *dpch;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_LLR16, "soft bits of one radio frame, 15 slots"),
    ALOE_OUT("out", ALOE_LLR16, "soft data bits of the radio frame"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct dpch_demap, slot_format, 15, 0, UTRAN_DPCH_FORMATS - 1, "", 0,
        "slot format of TS 25.211 Table 11, as in utran_dpch_map"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct dpch_demap, tfci, "", "transport format combination of the last frame"),
    ALOE_VAR_U64(struct dpch_demap, tfci_changes, "",
        "how often the transport format combination differed from that of the frame before"),
    ALOE_VAR_U64(
        struct dpch_demap, short_blocks, "block", "messages that were not one whole frame"),
};

static int demap_shape(void *self, struct aloe_setup *setup)
{
	const int32_t format = ((const struct dpch_demap *)self)->slot_format;
	const struct utran_dpch *dpch = utran_dpch_format((uint32_t)format);

	if (setup->in[0].max != utran_dpch_bits(dpch))
		return aloe_fail(setup,
		    "slot format %d has %u bits in a radio frame, but the input has %u", format,
		    utran_dpch_bits(dpch), setup->in[0].max);
	setup->out[0].max = utran_dpch_data(dpch);
	return 0;
}

static int demap_init(void *self, struct aloe_setup *setup)
{
	struct dpch_demap *s = self;

	(void)setup;
	s->dpch = utran_dpch_format((uint32_t)s->slot_format);
	return 0;
}

static int demap_work(void *self, struct aloe_slot *slot)
{
	struct dpch_demap *s = self;
	const int16_t *in = aloe_in_llr16(slot, 0);
	uint64_t tfci;

	if (!aloe_pass_block(
	        slot, 0, 0, utran_dpch_bits(s->dpch), utran_dpch_data(s->dpch), &s->short_blocks))
		return 0;
	utran_dpch_demap(s->dpch, in, aloe_out_llr16(slot, 0));
	tfci = utran_dpch_tfci(s->dpch, in);
	s->tfci_changes += s->seen && tfci != s->tfci;
	s->tfci = tfci;
	s->seen = true;
	return 0;
}

static int demap_reset(void *self)
{
	((struct dpch_demap *)self)->seen = false;
	return 0;
}

ALOE_COMPONENT(utran_dpch_demap) = {
    .summary = "soft data bits out of the slots of a UTRAN downlink dedicated physical channel",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct dpch_demap),
    .kmac = 6,
    .shape = demap_shape,
    .init = demap_init,
    .work = demap_work,
    .reset = demap_reset,
};
