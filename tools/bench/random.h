/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/random.h - numbers that are the same for the same seed, everywhere (splitmix64).
 */
#ifndef TOOLS_BENCH_RANDOM_H
#define TOOLS_BENCH_RANDOM_H

#include <stdint.h>

static inline double random_real(uint64_t *state, double from, double to)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	x ^= x >> 31;
	return from + (to - from) * (double)(x >> 11) * 0x1p-53;
}

/* from .. to */
static inline uint32_t random_whole(uint64_t *state, uint32_t from, uint32_t to)
{
	return from + (uint32_t)random_real(state, 0, (double)(to - from) + 1);
}

#endif
