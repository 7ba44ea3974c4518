/* SPDX-License-Identifier: BSD-3-Clause
 * utran_conv - convolutional coder: each output is a sum of the input with itself, shifted. */
#include "core/kernels/utran_conv.h"

#include <errno.h>
#include <string.h>

static const uint16_t generators[2][UTRAN_CONV_OUTPUTS_MAX] = {
    [UTRAN_CONV_HALF] = {0561, 0753}, [UTRAN_CONV_THIRD] = {0557, 0663, 0711}};

uint32_t utran_conv_outputs(enum utran_conv_rate rate)
{
	return rate == UTRAN_CONV_HALF ? 2 : 3;
}

uint32_t utran_conv_coded(enum utran_conv_rate rate, uint32_t k)
{
	return utran_conv_outputs(rate) * (k + UTRAN_CONV_TAIL);
}

uint32_t utran_conv_taps(enum utran_conv_rate rate, uint32_t n)
{
	uint32_t taps = 0;

	for (uint32_t d = 0; d <= UTRAN_CONV_TAIL; d++)
		taps |= (generators[rate][n] >> (UTRAN_CONV_TAIL - d) & 1u) << d;
	return taps;
}

void utran_conv_encode(enum utran_conv_rate rate, const uint8_t *in, uint32_t k, uint8_t *out)
{
	const uint32_t outputs = utran_conv_outputs(rate), steps = k + UTRAN_CONV_TAIL;
	uint8_t padded[UTRAN_CONVOLUTIONAL_K_MAX + 2 * UTRAN_CONV_TAIL] = {0};
	uint8_t sum[UTRAN_CONVOLUTIONAL_K_MAX + UTRAN_CONV_TAIL];

	memcpy(padded + UTRAN_CONV_TAIL, in, k);
	for (uint32_t n = 0; n < outputs; n++) {
		const uint32_t taps = utran_conv_taps(rate, n);

		/* the bit that goes in is in every output */
		memcpy(sum, padded + UTRAN_CONV_TAIL, steps);
		for (uint32_t d = 1; d <= UTRAN_CONV_TAIL; d++)
			for (uint32_t i = 0; (taps >> d & 1) && i < steps; i++)
				sum[i] ^= padded[UTRAN_CONV_TAIL + i - d];
		for (uint32_t i = 0; i < steps; i++)
			out[outputs * i + n] = sum[i];
	}
}

int utran_conv_blocks(enum utran_conv_rate rate, uint32_t coded, struct utran_code_blocks *ret_cut)
{
	const uint32_t steps = coded / utran_conv_outputs(rate),
	               longest = UTRAN_CONVOLUTIONAL_K_MAX + UTRAN_CONV_TAIL;
	/* C blocks need more steps than C - 1 of the longest. */
	const uint32_t blocks = (steps + longest - 1) / longest;
	struct utran_code_blocks cut;

	if (coded % utran_conv_outputs(rate) || blocks == 0 || steps % blocks ||
	    steps / blocks <= UTRAN_CONV_TAIL)
		return -EINVAL;
	if (utran_code_blocks_init(&cut, blocks * (steps / blocks - UTRAN_CONV_TAIL),
	        UTRAN_CONVOLUTIONAL_K_MIN, UTRAN_CONVOLUTIONAL_K_MAX) < 0 ||
	    cut.blocks != blocks)
		return -EINVAL;
	*ret_cut = cut;
	return 0;
}
