/* SPDX-License-Identifier: BSD-3-Clause
 * bits for SSE4.1: 16 bits at a time. */
#if defined(__x86_64__)
#include "core/kernels/bits_16.h"

const struct bits_kernels bits_sse41 = BITS_16_TABLE;
#endif
