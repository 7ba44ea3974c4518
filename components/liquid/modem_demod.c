/* SPDX-License-Identifier: BSD-3-Clause
 * modem_demod - symbols of any linear scheme to bits by hard decision (liquid-dsp's modem); the
 * inverse of modem_mod.
 *
 * The symbols are expected with mean energy 1 and without carrier; the bits of a symbol come most
 * significant first. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/guard.h"
#include "components/liquid/schemes.h"

struct modem_demod {
	int32_t scheme;
	uint64_t rejected;
	double evm_db;
	uint32_t bits; /* per symbol */
	cf32 *in;
	modemcf modem;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_CF32, "symbols"),
    ALOE_OUT("out", ALOE_BIT, "bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct modem_demod, scheme, schemes, "bpsk", 0, "constellation"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_F64(struct modem_demod, evm_db, "dB",
        "error vector to the decisions, mean of the last message"),
    GUARD_VAR(struct modem_demod),
};

static int modem_demod_open(struct modem_demod *demod, struct aloe_setup *setup)
{
	const char *name = schemes[demod->scheme];

	demod->modem = modemcf_create(liquid_getopt_str2mod(name));
	return demod->modem ? 0 : aloe_fail(setup, "liquid-dsp makes no modem of scheme %s", name);
}

static int modem_demod_close(void *self, struct aloe_setup *setup)
{
	struct modem_demod *demod = self;

	(void)setup;
	if (demod->modem)
		modemcf_destroy(demod->modem);
	demod->modem = NULL;
	return 0;
}

/* Bits per symbol is liquid's to know, and a modem is soon made; shape may run on its own, so
 * nothing is kept. */
static int modem_demod_shape(void *self, struct aloe_setup *setup)
{
	struct modem_demod probe = *(const struct modem_demod *)self;
	uint32_t bits;

	if (modem_demod_open(&probe, setup) < 0)
		return -1;
	bits = modemcf_get_bps(probe.modem);
	modem_demod_close(&probe, setup);
	return guard_max(setup, (double)setup->in[0].max * bits);
}

static int modem_demod_init(void *self, struct aloe_setup *setup)
{
	struct modem_demod *demod = self;

	demod->in = guard_alloc(setup, setup->in[0].max);
	if (!demod->in || modem_demod_open(demod, setup) < 0)
		return -1;
	demod->bits = modemcf_get_bps(demod->modem);
	return 0;
}

static int modem_demod_work(void *self, struct aloe_slot *slot)
{
	struct modem_demod *demod = self;
	const uint32_t n = aloe_in_len(slot, 0), bits = demod->bits;
	uint8_t *out = aloe_out_bit(slot, 0);
	double power = 0;

	slot->out[0].state = slot->in[0].state;
	slot->out[0].len = n * bits;
	demod->rejected += guard_copy(demod->in, aloe_in_cf32(slot, 0), n);
	for (uint32_t i = 0; i < n; i++) {
		unsigned symbol = 0;
		float evm;

		modemcf_demodulate(demod->modem, demod->in[i], &symbol);
		evm = modemcf_get_demodulator_evm(demod->modem);
		power += (double)evm * evm;
		for (uint32_t b = 0; b < bits; b++)
			out[i * bits + b] = symbol >> (bits - 1 - b) & 1;
	}
	if (n)
		demod->evm_db = 10 * log10(power / n + 1e-20);
	return 0;
}

static int modem_demod_reset(void *self)
{
	return modemcf_reset(((struct modem_demod *)self)->modem);
}

ALOE_COMPONENT(modem_demod) = {
    .summary = "symbols of a linear modulation to bits",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct modem_demod),
    .kmac = 70,
    .shape = modem_demod_shape,
    .init = modem_demod_init,
    .work = modem_demod_work,
    .reset = modem_demod_reset,
    .close = modem_demod_close,
};
