/* SPDX-License-Identifier: BSD-3-Clause
 *
 * share.h - the transport channels of one physical channel, as a waveform file lists them: coded
 * bits per radio frame (N of 3GPP TS 25.212 section 4.2.7, a fraction where a TTI does not divide)
 * and rate matching attributes, in order of the channels' numbers. With the bits of the physical
 * channel they say what each channel gets, so a file holds no length that somebody had to work out:
 *
 * 	match: { component = "utran_rate_match"; ndata = 9120; frame_bits = [11580, 90];
 * 	         channel = 1; }; // 9049
 */
#ifndef COMPONENTS_UTRAN_SHARE_H
#define COMPONENTS_UTRAN_SHARE_H

#include <aloe/component.h>

#include <math.h>

#include "core/kernels/utran_rate_table.h"

#define SHARE_PARAMS(S)                                                                            \
	ALOE_PARAM_REALS(S, frame_bits, UTRAN_RATE_CHANNELS_MAX, 0, UTRAN_RATE_BITS_MAX, "bit", 0, \
	    "coded bits of each transport channel per radio frame, before rate matching"),         \
	    ALOE_PARAM_REALS(S, rm, UTRAN_RATE_CHANNELS_MAX, 1, UTRAN_RATE_ATTRIBUTE_MAX, "", 0,   \
	        "rate matching attribute of each transport channel; if not set, all have the "     \
	        "same")

/* share_work_out gives each of the channels of `frame_bits` its part of `ndata` bits; ret_matched
 * holds UTRAN_RATE_CHANNELS_MAX. 0, or -1 after aloe_fail. */
static inline int share_work_out(const struct aloe_reals *frame_bits, const struct aloe_reals *rm,
    uint32_t ndata, struct aloe_setup *setup, uint32_t *ret_matched)
{
	struct utran_rate_channel channels[UTRAN_RATE_CHANNELS_MAX];

	if (rm->len && rm->len != frame_bits->len)
		return aloe_fail(setup,
		    "rm has the length %u, but frame_bits has the length %u; both need the same "
		    "length",
		    rm->len, frame_bits->len);
	for (uint32_t i = 0; i < frame_bits->len; i++) {
		const float attribute = rm->len ? rm->data[i] : 1,
		            eighths = 8 * frame_bits->data[i];

		if (eighths != floorf(eighths))
			return aloe_fail(setup,
			    "frame_bits[%u] = %g is not a whole number of bits divided by 1, 2, 4 "
			    "or 8 frames",
			    i, (double)frame_bits->data[i]);
		if (attribute != floorf(attribute))
			return aloe_fail(
			    setup, "rm[%u] = %g is not a whole number", i, (double)attribute);
		channels[i] = (struct utran_rate_channel){(uint32_t)attribute, (uint32_t)eighths};
	}
	if (utran_rate_share(channels, frame_bits->len, ndata, ret_matched) < 0)
		return aloe_fail(
		    setup, "frame_bits is 0 for every channel, so %u bits cannot be shared", ndata);
	return 0;
}

#endif
