/* SPDX-License-Identifier: BSD-3-Clause
 * carrier_loop - takes what is left of the carrier off the symbols: a decision-directed
 * phase-locked loop.
 *
 * Each symbol is turned back by the oscillator, decided (BPSK or QPSK), and the angle between it
 * and the decision moves the oscillator: its frequency by `bandwidth` times the angle, its phase by
 * the square root of that (second order, critically damped within a factor of two; liquid-dsp's nco
 * with pll). It finds the phase up to the symmetry of the constellation: BPSK may come out
 * inverted, QPSK turned by a multiple of 90 degrees. Pull-in: about 2 sqrt(bandwidth) radians a
 * symbol. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"

struct carrier_loop {
	int32_t scheme;
	double bandwidth;
	uint64_t rejected;
	double frequency;
	double phase_error;
	double bandwidth_set; /* as liquid has it */
	cf32 *in;
	nco_crcf oscillator;
	modemcf decider;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "symbols of mean power 1"),
    ALOE_OUT("out", ALOE_CF32, "symbols without carrier"),
};

static const char *const schemes[] = {"bpsk", "qpsk", NULL};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct carrier_loop, scheme, schemes, "bpsk", 0, "constellation"),
    ALOE_PARAM_REAL(struct carrier_loop, bandwidth, 1e-4, 0, 0.1, "", ALOE_LIVE,
        "gain of the frequency, which is the square of the gain of the phase"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_F64(struct carrier_loop, frequency, "cycles/item",
        "frequency of the carrier as the loop has found it"),
    ALOE_VAR_F64(struct carrier_loop, phase_error, "rad",
        "mean absolute angle to the decisions in the last message"),
    GUARD_VAR(struct carrier_loop),
};

static void apply_bandwidth(struct carrier_loop *loop)
{
	if (loop->bandwidth != loop->bandwidth_set)
		nco_crcf_pll_set_bandwidth(loop->oscillator, (float)loop->bandwidth);
	loop->bandwidth_set = loop->bandwidth;
}

static int carrier_loop_init(void *self, struct aloe_setup *setup)
{
	struct carrier_loop *loop = self;

	loop->in = guard_alloc(setup, setup->in[0].max);
	if (!loop->in)
		return -1;
	loop->oscillator = nco_crcf_create(LIQUID_NCO);
	loop->decider = modemcf_create(loop->scheme == 0 ? LIQUID_MODEM_BPSK : LIQUID_MODEM_QPSK);
	if (!loop->oscillator || !loop->decider)
		return aloe_fail(setup, "liquid-dsp makes no oscillator or modem");
	loop->bandwidth_set = -1;
	apply_bandwidth(loop);
	return 0;
}

static int carrier_loop_work(void *self, struct aloe_slot *slot)
{
	struct carrier_loop *loop = self;
	const uint32_t n = aloe_pass(slot, 0, 0);
	cf32 *out = aloe_out_cf32(slot, 0);
	double sum = 0;

	apply_bandwidth(loop);
	loop->rejected += guard_copy(loop->in, aloe_in_cf32(slot, 0), n);
	for (uint32_t i = 0; i < n; i++) {
		unsigned symbol;
		float error;

		nco_crcf_mix_down(loop->oscillator, loop->in[i], &out[i]);
		modemcf_demodulate(loop->decider, out[i], &symbol);
		error = modemcf_get_demodulator_phase_error(loop->decider);
		error = error > 1 ? 1 : error < -1 ? -1 : error;
		nco_crcf_pll_step(loop->oscillator, error);
		nco_crcf_step(loop->oscillator);
		sum += fabsf(error);
	}
	loop->frequency = nco_crcf_get_frequency(loop->oscillator) / (2 * M_PI);
	loop->phase_error = n ? sum / n : loop->phase_error;
	return 0;
}

static int carrier_loop_reset(void *self)
{
	struct carrier_loop *loop = self;

	modemcf_reset(loop->decider);
	return nco_crcf_reset(loop->oscillator);
}

static int carrier_loop_close(void *self, struct aloe_setup *setup)
{
	struct carrier_loop *loop = self;

	(void)setup;
	if (loop->oscillator)
		nco_crcf_destroy(loop->oscillator);
	if (loop->decider)
		modemcf_destroy(loop->decider);
	loop->oscillator = NULL;
	loop->decider = NULL;
	return 0;
}

ALOE_COMPONENT(carrier_loop) = {
    .summary = "phase-locked loop for BPSK and QPSK symbols",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct carrier_loop),
    .kmac = 100,
    .init = carrier_loop_init,
    .work = carrier_loop_work,
    .reset = carrier_loop_reset,
    .close = carrier_loop_close,
};
