/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/move.h - bytes that are moved or cleared where source and destination are in the
 * core's first cache, as messages are that go from component to component.
 *
 * libc's memcpy and memset leave more than 2 KiB to `rep movsb` and `rep stosb`, which on some
 * processors take twice as long there as loops of whole registers (Zen 5: 110 ns against 54 for 15
 * KiB), and which nothing overlaps. Above MOVE_NEAR bytes libc has it all: then three messages are
 * not in a first cache of 48 KiB.
 *
 * `to` and `from` need no alignment and do not overlap; nothing behind `bytes` is read or written.
 */
#ifndef CORE_KERNELS_MOVE_H
#define CORE_KERNELS_MOVE_H

#include <stddef.h>

#include "core/base/simd.h"

enum { MOVE_NEAR = 16384 };

struct move_kernels {
	void (*copy)(void *to, const void *from, size_t bytes);
	void (*clear)(void *to, size_t bytes);
};

/* move_kernels gives the functions of a level. */
const struct move_kernels *move_kernels(enum simd_level level);

/* The tables behind it; those with a level's name exist on its processors only. */
extern const struct move_kernels move_plain, move_avx2, move_avx512;

#endif
