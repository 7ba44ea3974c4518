/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_rate - bits through a rate matching pattern (core/kernels/utran_rate_table.h), and soft bits back.
 */
#ifndef CORE_KERNELS_UTRAN_RATE_H
#define CORE_KERNELS_UTRAN_RATE_H

#include <stdint.h>

#include "core/kernels/utran_rate_table.h"

/* utran_rate_match_plain makes `matched` bits, out[i] = in[table[i]]. */
void utran_rate_match_plain(const uint32_t *table, uint32_t matched, const uint8_t *in, uint8_t *out);

/* utran_rate_dematch_plain makes `coded` soft bits: 0 where punctured, the saturated sum where repeated. */
void utran_rate_dematch_plain(const uint32_t *table, uint32_t matched, const int16_t *in, int16_t *out, uint32_t coded);

#endif
