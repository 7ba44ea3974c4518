/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_turbo_decoder - iterative max-log-MAP decoder of the code of utran_turbo.h.
 *
 * Soft bits are int16_t, positive = bit 0, 0 = nothing known (a punctured bit), in the order of the codeword. Their
 * scale does not matter to max-log decoding, only their resolution and range do: they are limited to
 * +-UTRAN_LLR_MAX here, so 8 to 64 per unit of signal amplitude is right and 16 is plenty. Extrinsic values are limited
 * to +-UTRAN_EXTRINSIC_MAX. With these limits no state metric leaves the range of int16_t (see the source), so the
 * arithmetic is exact and another implementation without windows must give the same bits.
 *
 * One iteration is two passes, one over each of the coders; without noise one iteration decodes.
 *
 *	struct utran_turbo_decoder decoder;
 *	memory = aligned_alloc(64, utran_turbo_decoder_size(k));
 *	utran_turbo_decoder_init(&decoder, k, memory);
 *	utran_turbo_decode_plain(&decoder, 2, llr, bits);		// 3k + 12 soft bits to k bits
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_H

#include <stddef.h>
#include <stdint.h>

enum { UTRAN_LLR_MAX = 511, UTRAN_EXTRINSIC_MAX = 2047 };

enum { UTRAN_TURBO_STATES = 8 };

/* Everything lies in the caller's memory; x is systematic, y parity, three tail values behind each. */
struct utran_turbo_decoder {
	uint32_t k;
	uint32_t stride;       /* values from one state's metrics to the next one's */
	uint16_t *pi;          /* k: internal interleaver */
	int16_t *systematic;   /* k, of the channel */
	int16_t *x[2], *y[2];  /* k + 3, what each coder's pass reads */
	int16_t *extrinsic;    /* k, what the last pass found */
	int16_t *alpha, *beta; /* state metrics, 8 streams of k: before step n, and behind it */
};

/* utran_turbo_decoder_size gives the bytes of memory for blocks of k bits; 0 if k is outside [40, 5114]. */
size_t utran_turbo_decoder_size(uint32_t k);

/* utran_turbo_decoder_init lays the decoder out in `memory`, aligned to 64 bytes, and makes its tables; -EINVAL if k is
 * outside [40, 5114]. There is nothing to undo. */
int utran_turbo_decoder_init(struct utran_turbo_decoder *decoder, uint32_t k, void *memory);

/* utran_turbo_decode_plain decodes one block in `iterations` >= 1; nothing is kept from one block to the next. */
void utran_turbo_decode_plain(struct utran_turbo_decoder *decoder, unsigned iterations, const int16_t *llr,
			      uint8_t *bits);

#endif
