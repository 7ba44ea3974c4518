/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/umts/spreading.h - the parameters sf and code of utran_spread and utran_despread.
 */
#ifndef ALOE_COMPONENTS_SPREADING_H
#define ALOE_COMPONENTS_SPREADING_H

#include <aloe/component.h>

#include "core/kernels/utran_chips.h"
#include "core/kernels/utran_codes.h"

#define SPREADING_PARAMS(S)                                                                        \
	ALOE_PARAM_INT(S, sf, 8, UTRAN_SF_MIN, UTRAN_SF_MAX, "chips", 0,                           \
	    "spreading factor: chips of a symbol, a power of two"),                                \
	    ALOE_PARAM_INT(S, code, 1, 0, UTRAN_SF_MAX - 1, "", 0,                                 \
	        "number of the code, 0 to sf - 1; code 0 interferes with the common pilot "        \
	        "(C_256,0) at each sf")

/* spreading_check [control] refuses what names no code. */
static inline int spreading_check(uint32_t sf, uint32_t code, struct aloe_setup *setup)
{
	if (sf & (sf - 1))
		return aloe_fail(setup, "sf = %u is not 4, 8, 16, 32, 64, 128, 256 or 512", sf);
	if (code >= sf)
		return aloe_fail(
		    setup, "code = %u is outside [0, %u] for sf = %u", code, sf - 1, sf);
	return 0;
}

/* spreading_pairs writes the numbers of utran_chips.h: the code times `factor`. */
static inline void spreading_pairs(uint32_t sf, uint32_t code, float factor, float *ret_pairs)
{
	int8_t chips[UTRAN_SF_MAX];

	utran_ovsf(sf, code, chips);
	utran_chip_pairs(chips, sf, factor, ret_pairs);
}

#endif
