/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/yardstick.h - block error rates to expect of the UTRAN turbo code, K = 3856,
 * antipodal bits in white noise.
 *
 * Measured with three independent decoders in floating point, without windows, 60 to 150 block
 * errors a point (+-0.03 dB), for M = 11580 transmitted bits (nothing punctured) and M = 9049, and
 * for two iterations for M = 9120 too. What lies between is on the straight line between the two in
 * M:
 *
 * 	Eb/N0(M) = Eb/N0(9049) + (M - 9049) / (11580 - 9049) x (Eb/N0(11580) - Eb/N0(9049))
 *
 * which at M = 9120 and two iterations gives 2.10 / 2.42 dB where 2.12 / 2.43 were measured.
 */
#ifndef TOOLS_BENCH_YARDSTICK_H
#define TOOLS_BENCH_YARDSTICK_H

#include <stdbool.h>

enum { YARDSTICK_K = 3856, YARDSTICK_M_MIN = 9049, YARDSTICK_M_MAX = 11580 };

#define YARDSTICK_DB 0.1 /* a decoder within so much is sound */

struct yardstick {
	double tenth_db, hundredth_db; /* Eb/N0 at which the block error rate is 0.1, 0.01 */
	bool measured;                 /* for this M; false: from the formula above */
	const char *decoder;           /* "max-log", "max-log x0.75" */
};

/* yardstick_find gives that of max-log decoding with so many iterations; extrinsics scaled by less
 * than 1 are held against those scaled by 0.75. False where there is none. */
bool yardstick_find(double k, double m, int iterations, double scaling, struct yardstick *ret);

#endif
