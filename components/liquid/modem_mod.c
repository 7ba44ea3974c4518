/* SPDX-License-Identifier: BSD-3-Clause
 * modem_mod - bits to symbols of any linear scheme, Gray coded, mean energy 1 (liquid-dsp's modem).
 *
 * A symbol takes its bits most significant first. A message that is no whole number of symbols is
 * counted and becomes ABSENT. The inverse is modem_demod. */
#include <aloe/component.h>

#include <liquid/liquid.h>

#include "components/liquid/schemes.h"

struct modem_mod {
	int32_t scheme;
	uint64_t short_blocks;
	uint32_t bits; /* per symbol */
	modemcf modem;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "bits"),
    ALOE_OUT("out", ALOE_CF32, "symbols"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct modem_mod, scheme, schemes, "bpsk", 0, "constellation"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct modem_mod, short_blocks, "",
        "messages whose length was not a whole number of symbols"),
};

static int modem_mod_init(void *self, struct aloe_setup *setup)
{
	struct modem_mod *mod = self;
	const char *name = schemes[mod->scheme];

	mod->modem = modemcf_create(liquid_getopt_str2mod(name));
	if (!mod->modem)
		return aloe_fail(setup, "liquid-dsp makes no modem of scheme %s", name);
	mod->bits = modemcf_get_bps(mod->modem);
	return 0;
}

static int modem_mod_work(void *self, struct aloe_slot *slot)
{
	struct modem_mod *mod = self;
	const uint32_t symbols = aloe_in_len(slot, 0) / mod->bits;
	const uint8_t *in = aloe_in_bit(slot, 0);
	cf32 *out = aloe_out_cf32(slot, 0);

	if (!aloe_pass_block(slot, 0, 0, symbols * mod->bits, symbols, &mod->short_blocks))
		return 0;
	for (uint32_t i = 0; i < symbols; i++) {
		unsigned symbol = 0;
		for (uint32_t b = 0; b < mod->bits; b++)
			symbol = symbol << 1 | (*in++ & 1u);
		modemcf_modulate(mod->modem, symbol, &out[i]);
	}
	return 0;
}

static int modem_mod_reset(void *self)
{
	return modemcf_reset(((struct modem_mod *)self)->modem);
}

static int modem_mod_close(void *self, struct aloe_setup *setup)
{
	struct modem_mod *mod = self;

	(void)setup;
	if (mod->modem)
		modemcf_destroy(mod->modem);
	mod->modem = NULL;
	return 0;
}

ALOE_COMPONENT(modem_mod) = {
    .summary = "bits to symbols of a linear modulation",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct modem_mod),
    .kmac = 12,
    .init = modem_mod_init,
    .work = modem_mod_work,
    .reset = modem_mod_reset,
    .close = modem_mod_close,
};
