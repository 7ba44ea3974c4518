/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/x310_vectors.h - packets by name out of tests/vectors/x310/chdr.txt.
 */
#ifndef TESTS_COMMON_X310_VECTORS_H
#define TESTS_COMMON_X310_VECTORS_H

#include <stddef.h>
#include <stdint.h>

enum { X310_VECTOR_MAX = 600 };

/* x310_vector gives the bytes of a vector (room for X310_VECTOR_MAX) and how many; fails the test
 * where there is none. */
size_t x310_vector(const char *name, uint8_t *ret_bytes);

#endif
