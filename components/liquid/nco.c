/* SPDX-License-Identifier: BSD-3-Clause
 * nco - a numerically controlled oscillator and mixer: out[n] = in[n] * exp(j 2 pi (frequency n + initial_phase)).
 *
 * The phase goes on from message to message, an ABSENT message leaves it as it is; a live change of frequency keeps it
 * continuous. It is kept to 2^-32 of a turn (liquid-dsp's nco); sine and cosine come from a table of 1024 steps, which is
 * noise 55 dB below the signal. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"

struct nco {
	double frequency;
	double initial_phase;
	uint64_t rejected;
	double frequency_set; /* as liquid has it */
	cf32 *in;
	nco_crcf oscillator;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples"),
    ALOE_OUT("out", ALOE_CF32, "samples, shifted in frequency"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(
        struct nco, frequency, 0, -0.5, 0.5, "cycles/item", ALOE_LIVE, "shift; positive is up"),
    ALOE_PARAM_REAL(struct nco, initial_phase, 0, -1, 1, "cycles", 0, "phase of the first item"),
};

static const struct aloe_var vars[] = {
    GUARD_VAR(struct nco),
};

static void apply_frequency(struct nco *nco)
{
	if (nco->frequency != nco->frequency_set)
		nco_crcf_set_frequency(nco->oscillator, (float)(2 * M_PI * nco->frequency));
	nco->frequency_set = nco->frequency;
}

static int nco_reset(void *self)
{
	struct nco *nco = self;

	nco_crcf_reset(nco->oscillator);
	nco_crcf_set_phase(nco->oscillator, (float)(2 * M_PI * nco->initial_phase));
	nco->frequency_set = 0;
	apply_frequency(nco);
	return 0;
}

static int nco_init(void *self, struct aloe_setup *setup)
{
	struct nco *nco = self;

	nco->in = guard_alloc(setup, setup->in[0].max);
	if (!nco->in)
		return -1;
	nco->oscillator = nco_crcf_create(LIQUID_NCO);
	return nco->oscillator ? nco_reset(nco)
	                       : aloe_fail(setup, "liquid-dsp makes no oscillator");
}

static int nco_work(void *self, struct aloe_slot *slot)
{
	struct nco *nco = self;
	const uint32_t n = aloe_pass(slot, 0, 0);

	apply_frequency(nco);
	nco->rejected += guard_copy(nco->in, aloe_in_cf32(slot, 0), n);
	nco_crcf_mix_block_up(nco->oscillator, nco->in, aloe_out_cf32(slot, 0), n);
	return 0;
}

static int nco_close(void *self, struct aloe_setup *setup)
{
	struct nco *nco = self;

	(void)setup;
	if (nco->oscillator)
		nco_crcf_destroy(nco->oscillator);
	nco->oscillator = NULL;
	return 0;
}

ALOE_COMPONENT(nco) = {
    .summary = "shift the frequency by mixing with an oscillator",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct nco),
    .kmac = 30,
    .init = nco_init,
    .work = nco_work,
    .reset = nco_reset,
    .close = nco_close,
};
