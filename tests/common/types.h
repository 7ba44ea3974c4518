/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/types.h - a registry of components that exist only as tables, for tests of what
 * reads descriptors.
 *
 * 	source  out: bit          length (int 1..1000, required), seed (int), loop (bool)
 * 	mod     in: bit, out: i16 | ci16 | cf32 by `output` (enum)
 * 	copy    in, out: any, the same type
 * 	floats  in, out: f32 | cf32, the same type
 * 	sink    in: any           path (path, at most 31 bytes, default "out.bin")
 * 	pair    sent, received: bit
 * 	mux     in0: bit, in1: bit, optional; out: bit, side: i16, optional
 * 	all     one parameter of each kind, no ports
 */
#ifndef TESTS_COMMON_TYPES_H
#define TESTS_COMMON_TYPES_H

#include "core/registry/registry.h"

extern const struct aloe_entry test_entries[];
extern const size_t test_entries_len;

/* test_registry_open writes a .desc of each into a new folder, opens that and removes it; NULL on
 * any failure. */
struct registry *test_registry_open(void);

#endif
