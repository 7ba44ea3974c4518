/* SPDX-License-Identifier: BSD-3-Clause
 * nco - a numerically controlled oscillator and mixer: out[n] = in[n] * exp(j 2 pi (frequency n +
 * initial_phase)).
 *
 * The phase goes on from message to message, an ABSENT message leaves it as it is; a live change of
 * frequency keeps it continuous. It is a whole number of 2^-64 turns, to which a frequency of
 * either sign, rounded to 2^-62 turns, is added for every item: after n items it is within n *
 * 2^-54 turns of frequency * n, which is the rounding of `frequency` itself. Sine and cosine are
 * computed for the first item of each group of ROTATIONS and turned by a table from there, so what
 * is sent is exact but for the rounding of float (noise 130 dB below the signal). */
#include <aloe/component.h>

#include <math.h>

#include "components/liquid/guard.h"

enum { ROTATIONS = 32 };

struct nco {
	double frequency;
	double initial_phase;
	uint64_t rejected;
	double frequency_set;     /* as `step` and `rotation` have it */
	uint64_t phase, step;     /* 2^64 is one turn */
	cf32 rotation[ROTATIONS]; /* by 0, 1, 2, ... steps */
	cf32 *in;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "samples"),
    ALOE_OUT("out", ALOE_CF32, "samples, shifted in frequency"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct nco, frequency, 0, -0.5, 0.5, "cycles/item", ALOE_LIVE,
        "frequency shift; a positive value shifts upwards"),
    ALOE_PARAM_REAL(struct nco, initial_phase, 0, -1, 1, "cycles", 0, "phase of the first item"),
};

static const struct aloe_var vars[] = {
    GUARD_VAR(struct nco),
};

/* Whole turns fall out at the top, of either sign: |turns| < 2 is needed for the rounding. */
static uint64_t phase_of(double turns)
{
	return (uint64_t)llrint(ldexp(turns, 62)) << 2;
}

static cf32 unit_vector(uint64_t phase)
{
	const double angle = ldexp(2 * M_PI * (double)(int64_t)phase, -64);

	return (float)cos(angle) + (float)sin(angle) * I;
}

static void apply_frequency(struct nco *nco)
{
	if (nco->frequency == nco->frequency_set)
		return;
	nco->frequency_set = nco->frequency;
	nco->step = phase_of(nco->frequency);
	for (uint32_t i = 0; i < ROTATIONS; i++)
		nco->rotation[i] = unit_vector(i * nco->step);
}

static int nco_reset(void *self)
{
	struct nco *nco = self;

	nco->phase = phase_of(nco->initial_phase);
	nco->frequency_set = ALOE_NAN; /* equal to none */
	apply_frequency(nco);
	return 0;
}

static int nco_init(void *self, struct aloe_setup *setup)
{
	struct nco *nco = self;

	nco->in = guard_alloc(setup, setup->in[0].max);
	return nco->in ? nco_reset(nco) : -1;
}

static int nco_work(void *self, struct aloe_slot *slot)
{
	struct nco *nco = self;
	cf32 *out = aloe_out_cf32(slot, 0);
	const uint32_t n = aloe_pass(slot, 0, 0);

	apply_frequency(nco);
	nco->rejected += guard_copy(nco->in, aloe_in_cf32(slot, 0), n);
	for (uint32_t at = 0; at < n; at += ROTATIONS) {
		const uint32_t group = n - at < ROTATIONS ? n - at : ROTATIONS;
		const cf32 first = unit_vector(nco->phase);

		for (uint32_t i = 0; i < group; i++)
			out[at + i] = nco->in[at + i] * (first * nco->rotation[i]);
		nco->phase += group * nco->step;
	}
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
};
