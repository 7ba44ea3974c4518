/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/liquid/guard.h - between a link and liquid-dsp.
 *
 * liquid's loops (AGC, symbol synchroniser, PLL) never recover from a NaN, and a filter bank
 * indexed with one reads anywhere. So no sample reaches them that is not a number of reasonable
 * size: others become 0 and are counted. The copy also gives liquid the writable array that its
 * interfaces ask for.
 */
#ifndef ALOE_COMPONENTS_GUARD_H
#define ALOE_COMPONENTS_GUARD_H

#include <aloe/component.h>

#include <math.h>

#define GUARD_LIMIT 1e9f /* largest real or imaginary part */

#define GUARD_VAR(S)                                                                               \
	ALOE_VAR_U64(S, rejected, "", "samples that were NaN, infinite or beyond 1e9, taken as 0")

/* guard_copy copies n samples and returns how many it replaced by 0. */
static inline uint32_t guard_copy(cf32 *out, const cf32 *in, uint32_t n)
{
	uint32_t rejected = 0;

	for (uint32_t i = 0; i < n; i++) {
		const float re = crealf(in[i]), im = cimagf(in[i]);
		const bool good = fabsf(re) <= GUARD_LIMIT && fabsf(im) <= GUARD_LIMIT;

		rejected += !good;
		out[i] = good ? in[i] : 0;
	}
	return rejected;
}

/* guard_copy_real does the same with real samples. */
static inline uint32_t guard_copy_real(float *out, const float *in, uint32_t n)
{
	uint32_t rejected = 0;

	for (uint32_t i = 0; i < n; i++) {
		const bool good = fabsf(in[i]) <= GUARD_LIMIT;

		rejected += !good;
		out[i] = good ? in[i] : 0;
	}
	return rejected;
}

/* guard_alloc gives room for `max` samples, at least one; NULL after aloe_fail. */
static inline cf32 *guard_alloc(struct aloe_setup *setup, uint64_t max)
{
	cf32 *samples = aloe_alloc(setup, (max + 1) * sizeof(cf32));

	if (!samples)
		aloe_fail(setup, "no memory for %llu samples", (unsigned long long)max);
	return samples;
}

/* guard_max writes the maximum of output 0, in 64 bits so that a product cannot wrap. */
static inline int guard_max(struct aloe_setup *setup, double max)
{
	if (max > (1 << 28))
		return aloe_fail(setup, "a message of %.0f items is too long", max);
	setup->out[0].max = (uint32_t)max;
	return 0;
}

#endif
