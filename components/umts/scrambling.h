/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/umts/scrambling.h - what utran_scramble, utran_descramble and utran_sync have in
 * common: the downlink scrambling code of a cell, made once.
 */
#ifndef ALOE_COMPONENTS_SCRAMBLING_H
#define ALOE_COMPONENTS_SCRAMBLING_H

#include <aloe/component.h>

#include "core/kernels/utran_chips.h"
#include "core/kernels/utran_codes.h"

/* The code is 16 times the primary code's number. */
#define SCRAMBLING_PARAM(S)                                                                        \
	ALOE_PARAM_INT(S, primary_code, 0, 0, UTRAN_PRIMARY_CODES - 1, "", 0,                      \
	    "primary scrambling code of the cell")

/* scrambling_alloc gives the 38400 chips of a primary code as pairs of +1 or -1; NULL after
 * aloe_fail. */
static inline int8_t *scrambling_alloc(uint32_t primary_code, struct aloe_setup *setup)
{
	int8_t *code = (int8_t *)aloe_alloc(setup, (size_t)2 * UTRAN_CHIPS);

	if (!code)
		aloe_fail(setup, "no memory for a code of %d chips", UTRAN_CHIPS);
	else
		utran_scrambling(16 * primary_code, code, UTRAN_CHIPS);
	return code;
}

struct scrambling {
	uint32_t primary_code;
	int8_t *code;
	const struct utran_chip_kernels *kernels;
};

static inline int scrambling_init(void *self, struct aloe_setup *setup)
{
	struct scrambling *s = (struct scrambling *)self;

	s->kernels = utran_chip_kernels((enum simd_level)setup->simd);
	s->code = scrambling_alloc(s->primary_code, setup);
	return s->code ? 0 : -1;
}

static inline void scrambling_warm(const void *self, struct aloe_warm *warm)
{
	aloe_warm(warm, ((const struct scrambling *)self)->code, (size_t)2 * UTRAN_CHIPS);
}

static inline int scrambling_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	if (setup->in[0].max > UTRAN_CHIPS)
		return aloe_fail(setup,
		    "a message of %u chips is longer than the %d of a radio frame",
		    setup->in[0].max, UTRAN_CHIPS);
	setup->out[0].max = setup->in[0].max;
	return 0;
}

#endif
