/* SPDX-License-Identifier: BSD-3-Clause
 * symsync - matched filter and symbol clock in one: from samples_per_symbol samples to one symbol.
 *
 * A bank of root-raised-cosine filters, each a fraction of a sample later than the last; a loop on
 * the product of the filter and its derivative chooses the one that samples the pulses at their
 * peaks (maximum likelihood timing, F. J. Harris and M. Rice, 2001; liquid-dsp's symsync). It does
 * not need the carrier. The loop wants symbols of mean power 1: put an agc before it. A clock that
 * runs fast or slow makes a symbol more or less now and then, so the length of messages varies. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"

struct symsync {
	uint32_t samples_per_symbol;
	double rolloff;
	uint32_t delay;
	double bandwidth;
	uint32_t filters;
	uint64_t rejected;
	uint64_t dropped;
	double timing;
	double bandwidth_set; /* as liquid has it */
	cf32 *in;
	cf32 *made;
	symsync_crcf loop;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples"),
    ALOE_OUT("out", ALOE_CF32, "symbols"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct symsync, samples_per_symbol, 2, 2, 64, "", 0,
        "nominal number of samples per symbol"),
    ALOE_PARAM_REAL(struct symsync, rolloff, 0.3, 0.05, 1, "", 0, "excess bandwidth of the pulses"),
    ALOE_PARAM_INT(struct symsync, delay, 7, 1, 64, "symbols", 0, "half the length of the pulse"),
    ALOE_PARAM_REAL(struct symsync, bandwidth, 0.01, 0, 0.2, "", ALOE_LIVE,
        "bandwidth of the timing loop; a smaller bandwidth is slower and quieter; 0 holds the "
        "clock"),
    ALOE_PARAM_INT(struct symsync, filters, 32, 8, 128, "", 0,
        "number of filters, one for each step of the timing within a sample"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_F64(struct symsync, timing, "items", "fractional timing at the end of the message"),
    ALOE_VAR_U64(struct symsync, dropped, "", "symbols that did not fit into the output"),
    GUARD_VAR(struct symsync),
};

/* The loop moves the step by less than a tenth of a sample. */
static int symsync_shape(void *self, struct aloe_setup *setup)
{
	const uint32_t k = ((const struct symsync *)self)->samples_per_symbol;

	return guard_max(setup, ceil(setup->in[0].max / (k - 0.1)) + 2);
}

static void apply_bandwidth(struct symsync *sync)
{
	if (sync->bandwidth != sync->bandwidth_set)
		symsync_crcf_set_lf_bw(sync->loop, (float)sync->bandwidth);
	sync->bandwidth_set = sync->bandwidth;
}

static int symsync_init(void *self, struct aloe_setup *setup)
{
	struct symsync *sync = self;

	sync->in = guard_alloc(setup, setup->in[0].max);
	sync->made = guard_alloc(setup, (uint64_t)setup->in[0].max * 2);
	if (!sync->in || !sync->made)
		return -1;
	sync->loop = symsync_crcf_create_rnyquist(LIQUID_FIRFILT_RRC, sync->samples_per_symbol,
	    sync->delay, (float)sync->rolloff, sync->filters);
	if (!sync->loop)
		return aloe_fail(setup, "liquid-dsp makes no synchroniser of rolloff %g, delay %u",
		    sync->rolloff, sync->delay);
	sync->bandwidth_set = -1;
	apply_bandwidth(sync);
	return 0;
}

static int symsync_work(void *self, struct aloe_slot *slot)
{
	struct symsync *sync = self;
	const uint32_t n = aloe_in_len(slot, 0), max = aloe_out_max(slot, 0);
	unsigned made = 0;

	slot->out[0].state = slot->in[0].state;
	if (n == 0)
		return 0;
	apply_bandwidth(sync);
	sync->rejected += guard_copy(sync->in, aloe_in_cf32(slot, 0), n);
	symsync_crcf_execute(sync->loop, sync->in, n, sync->made, &made);
	if (made > max) {
		sync->dropped += made - max;
		made = max;
	}
	memcpy(aloe_out_cf32(slot, 0), sync->made, made * sizeof(cf32));
	slot->out[0].len = made;
	sync->timing = symsync_crcf_get_tau(sync->loop);
	return 0;
}

/* liquid forgets the samples in the matched filter but not those in its derivative: zeros push them
 * out first. */
static int symsync_reset(void *self)
{
	struct symsync *sync = self;
	cf32 made[4];
	unsigned len = 0;

	symsync_crcf_lock(sync->loop);
	for (uint32_t i = 0; i <= 2 * sync->samples_per_symbol * sync->delay; i++) {
		cf32 zero = 0;
		symsync_crcf_execute(sync->loop, &zero, 1, made, &len);
	}
	symsync_crcf_unlock(sync->loop);
	return symsync_crcf_reset(sync->loop);
}

static int symsync_close(void *self, struct aloe_setup *setup)
{
	struct symsync *sync = self;

	(void)setup;
	if (sync->loop)
		symsync_crcf_destroy(sync->loop);
	sync->loop = NULL;
	return 0;
}

ALOE_COMPONENT(symsync) = {
    .summary = "matched filter and symbol synchroniser",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct symsync),
    .kmac = 200,
    .shape = symsync_shape,
    .init = symsync_init,
    .work = symsync_work,
    .reset = symsync_reset,
    .close = symsync_close,
};
