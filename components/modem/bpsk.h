/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/modem/bpsk.h - what "amplitude" means to the BPSK components, in one place.
 *
 * Not set (NaN) it is 1 for floating types and 8192 for integer types: a quarter of full scale,
 * which leaves noise 12 dB before it clips. Integer types need at least 1.
 */
#ifndef ALOE_COMPONENTS_BPSK_H
#define ALOE_COMPONENTS_BPSK_H

#include <aloe/component.h>

static inline bool bpsk_type_whole(uint32_t type)
{
	return type == ALOE_I16 || type == ALOE_CI16;
}

static inline float bpsk_amplitude(double amplitude, uint32_t type)
{
	return amplitude == amplitude ? (float)amplitude : bpsk_type_whole(type) ? 8192.0f : 1.0f;
}

/* bpsk_amplitude_check [control] refuses an amplitude that an integer type cannot show. */
static inline int bpsk_amplitude_check(double amplitude, uint32_t type, struct aloe_setup *setup)
{
	if (bpsk_type_whole(type) && amplitude < 1)
		return aloe_fail(
		    setup, "amplitude = %g is outside [1, 32767] for integer samples", amplitude);
	return 0;
}

#endif
