/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_rate - rate matching in the downlink, fixed positions: 3GPP TS 25.212 sections 4.2.7.2.1, 4.2.7.4 and 4.2.7.5.
 *
 * One pattern per TTI makes `matched` bits of `coded` ones: fewer (puncturing), more (repetition) or as many (a copy).
 * A turbo code is punctured in its two parity streams only (index mod 3 = 1 and 2, tail included), never in its
 * systematic bits; a convolutional code, and anything that is repeated, is treated as one stream.
 *
 * The pattern is a table: matched bit i is coded bit table[i]. The receiver sums soft bits back through the same table.
 */
#ifndef CORE_KERNELS_UTRAN_RATE_H
#define CORE_KERNELS_UTRAN_RATE_H

#include <stdint.h>

enum utran_coding { UTRAN_TURBO, UTRAN_CONVOLUTIONAL };

enum { UTRAN_RATE_BITS_MAX = 1 << 20 }; /* largest coded and matched */

/* utran_rate_min and _max give the fewest and most bits that `coded` bits can be matched to: turbo coded bits keep all
 * their systematic ones, and no bit is sent more than 16 times. */
uint32_t utran_rate_min(uint32_t coded, enum utran_coding coding);
uint32_t utran_rate_max(uint32_t coded);

/* utran_rate_table writes the `matched` entries of the pattern. -EINVAL: coded is 0 or not a multiple of 3 for a turbo
 * code, or matched is outside [utran_rate_min, utran_rate_max]. */
int utran_rate_table(uint32_t coded, uint32_t matched, enum utran_coding coding, uint32_t *ret_table);

/* utran_rate_match_plain makes `matched` bits, out[i] = in[table[i]]. */
void utran_rate_match_plain(const uint32_t *table, uint32_t matched, const uint8_t *in, uint8_t *out);

/* utran_rate_dematch_plain makes `coded` soft bits: 0 where punctured, the saturated sum where repeated. */
void utran_rate_dematch_plain(const uint32_t *table, uint32_t matched, const int16_t *in, int16_t *out, uint32_t coded);

#endif
