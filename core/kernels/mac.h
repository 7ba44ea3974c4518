/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/mac.h - the unit of account (core/measure/calibrate.h) as a loop: what it is
 * measured by, and what a component computes that stands for so many of it.
 */
#ifndef ALOE_KERNELS_MAC_H
#define ALOE_KERNELS_MAC_H

#include <stdint.h>

enum { MAC_LEN = 512 }; /* a power of two; 4 kB for both */

struct mac_data {
	float x[MAC_LEN], y[MAC_LEN];
};

#if defined(__x86_64__)
#define MAC_IN_REGISTER "+x"
#elif defined(__aarch64__)
#define MAC_IN_REGISTER "+w"
#elif defined(__arm__)
#define MAC_IN_REGISTER "+t"
#else
#define MAC_IN_REGISTER "+m"
#endif

/* Signs alternate, so the sum stays small and no number is ever subnormal. */
static inline void mac_init(struct mac_data *data)
{
	for (int i = 0; i < MAC_LEN; i++) {
		data->x[i] = 1.0f + (float)i / MAC_LEN;
		data->y[i] = i % 2 ? -0.5f : 0.5f;
	}
}

/* mac_run computes so many and returns the sum, which someone must want. The empty asm pins product
 * and sum to a scalar register at each step, so that no compiler option (-O3, -ffast-math, -march
 * with fused multiply-add) makes vectors, several sums or another instruction of it. */
static inline float mac_run(const struct mac_data *data, uint32_t macs)
{
	float sum = 0;

	for (uint32_t i = 0; i < macs; i++) {
		float product = data->x[i % MAC_LEN] * data->y[i % MAC_LEN];

		__asm__ volatile("" : MAC_IN_REGISTER(product), MAC_IN_REGISTER(sum));
		sum += product;
	}
	return sum;
}

#endif
