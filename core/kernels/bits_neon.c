/* SPDX-License-Identifier: BSD-3-Clause
 * bits for NEON: 16 bits at a time. */
#if defined(__aarch64__)
#include "core/kernels/bits_16.h"

const struct bits_kernels bits_neon = BITS_16_TABLE;
#endif
