/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_rate_table - which bits rate matching leaves out or repeats: 3GPP TS 25.212 section 4.2.7.
 *
 * Rate matching makes `matched` bits of `coded` ones: fewer (puncturing), more (repetition) or as
 * many (a copy). In the downlink one pattern holds for a whole TTI; in the uplink, where it comes
 * after the segmentation, there is one for each radio frame of the TTI, shifted so that what is
 * lost lies apart before the first interleaver. A turbo code is punctured in its two parity streams
 * only, never in its systematic bits; a convolutional code, and anything that is repeated, is
 * treated as one stream.
 *
 * A pattern is a table: matched bit i is coded bit table[i]. Entries never go down.
 *
 * How many bits each transport channel gets is equation 1 of the section:
 *
 *         const struct utran_rate_channel channels[] = {{256, 8 * 11580}, {256, 8 * 90}}; // DTCH,
 *         DCCH uint32_t matched[2];
 * 	utran_rate_share(channels, 2, 9120, matched);	// 9049, 71
 */
#ifndef CORE_KERNELS_UTRAN_RATE_TABLE_H
#define CORE_KERNELS_UTRAN_RATE_TABLE_H

#include <stdint.h>

enum utran_coding { UTRAN_TURBO, UTRAN_CONVOLUTIONAL };

enum {
	UTRAN_RATE_BITS_MAX = 1 << 20, /* largest coded and matched */
	UTRAN_RATE_ATTRIBUTE_MAX = 256,
	UTRAN_RATE_CHANNELS_MAX = 16
};

struct utran_rate_channel {
	uint32_t rm; /* rate matching attribute, 1 to UTRAN_RATE_ATTRIBUTE_MAX */
	/* coded bits per radio frame, N, in eighths: a TTI is 1, 2, 4 or 8 frames */
	uint32_t eighths;
};

/* utran_rate_share divides the `ndata` bits of a radio frame among n channels: ret_matched[i] bits
 * per frame for channel i. -EINVAL: no channel, more than UTRAN_RATE_CHANNELS_MAX, an attribute out
 * of range, or no coded bit in any. */
int utran_rate_share(
    const struct utran_rate_channel *channels, uint32_t n, uint32_t ndata, uint32_t *ret_matched);

/* utran_rate_min and _max give the fewest and most bits that `coded` bits can be matched to: turbo
 * coded bits keep all their systematic ones, and no bit is sent more than 16 times. */
uint32_t utran_rate_min(uint32_t coded, enum utran_coding coding);
uint32_t utran_rate_max(uint32_t coded);

/* utran_rate_table writes the `matched` entries of the downlink pattern of a TTI (4.2.7.2.1; index
 * mod 3 tells the streams of a turbo code, tail included). -EINVAL: coded is 0 or not a multiple of
 * 3 for a turbo code, or matched is outside [utran_rate_min, utran_rate_max]. */
int utran_rate_table(
    uint32_t coded, uint32_t matched, enum utran_coding coding, uint32_t *ret_table);

/* utran_rate_table_uplink writes the uplink pattern of radio frame `frame` of a TTI of `frames`
 * (4.2.7.1.2); coded and matched are those of one radio frame, and coded need not be a multiple of
 * 3. -EINVAL: coded is 0, matched is outside [utran_rate_min, utran_rate_max], frames is not 1, 2,
 * 4 or 8, or frame is not less than frames. */
int utran_rate_table_uplink(uint32_t coded, uint32_t matched, enum utran_coding coding,
    uint32_t frames, uint32_t frame, uint32_t *ret_table);

#endif
