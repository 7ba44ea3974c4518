/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/random_lanes.h - what the loops of random.h work on: blocks of Philox, 16
 * together. */
#ifndef CORE_KERNELS_RANDOM_LANES_H
#define CORE_KERNELS_RANDOM_LANES_H

#include "core/kernels/random.h"

/* So many blocks are made together, lane by lane: word w of lane l is number w * LANES + l of its
 * chunk. */
enum { RANDOM_LANES = 16, RANDOM_CHUNK = 4 * RANDOM_LANES, RANDOM_ROUNDS = 10 };

struct random_lanes {
	_Alignas(64) uint32_t word[4][RANDOM_LANES];
};

#define RANDOM_MULTIPLY_0 0xd2511f53u
#define RANDOM_MULTIPLY_1 0xcd9e8d57u
#define RANDOM_KEY_STEP_0 0x9e3779b9u
#define RANDOM_KEY_STEP_1 0xbb67ae85u

#endif
