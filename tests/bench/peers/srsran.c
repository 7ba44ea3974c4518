/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The turbo decoder of srsRAN 4G (AGPL-3, installed in a folder that is given, see build.sh): one
 * block of LTE, decoded again and again on one core.
 *
 * 	srsran block [k=3904] [halves=4] [bits=16] [blocks=256]
 *
 * `halves`: what it calls iterations, of which two make one of ours. `bits`: of a soft bit and its
 * metrics, 16 or 8. Prints {"schema": 1, "block_us": the mean time, "wrong": bits of the block that
 * were decided wrongly}. Soft bits are those of an all-zero block with noise of about 2 dB; the
 * time does not depend on them.
 */
#include "tests/bench/peers/peer.h"

#include <srsran/phy/fec/turbo/turbodecoder.h>

enum { FIRST = 16, TAIL = 12 };

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* A 0 is a negative soft bit. */
static void soft_make(int16_t *llr, int8_t *llr8, uint32_t n)
{
	uint32_t seed = 1;

	for (uint32_t i = 0; i < n; i++) {
		int noise = -12 * 64;

		for (int j = 0; j < 12; j++)
			noise += (int)(draw(&seed) >> 5 & 127);
		llr[i] = (int16_t)(-16 + noise * 14 / 128);
		llr8[i] = (int8_t)(llr[i] < -100 ? -100 : llr[i] > 100 ? 100 : llr[i]);
	}
}

int main(int argc, char **argv)
{
	const uint32_t k = (uint32_t)peer_number(argc, argv, "k", 3904),
	               halves = (uint32_t)peer_number(argc, argv, "halves", 4),
	               bits = (uint32_t)peer_number(argc, argv, "bits", 16),
	               blocks = (uint32_t)peer_number(argc, argv, "blocks", 256);
	int16_t *llr = aligned_alloc(64, (3 * k + TAIL + 32) * sizeof(*llr) / 64 * 64 + 64);
	int8_t *llr8 = aligned_alloc(64, (3 * k + TAIL + 32) / 64 * 64 + 64);
	uint8_t *out = aligned_alloc(64, k / 8 / 64 * 64 + 128);
	uint64_t began = 0, wrong = 0;
	srsran_tdec_t decoder;

	peer_begin(argc, argv);
	if (llr == NULL || llr8 == NULL || out == NULL || srsran_tdec_init(&decoder, k) != 0) {
		fprintf(stderr, "%s: no decoder for blocks of %u bits\n", argv[0], k);
		return 1;
	}
	srsran_tdec_force_not_sb(&decoder);
	soft_make(llr, llr8, 3 * k + TAIL);
	for (uint32_t b = 0; b < FIRST + blocks; b++) {
		if (b == FIRST)
			began = peer_now_ns();
		if (bits == 8)
			srsran_tdec_run_all_8bit(&decoder, llr8, out, halves, k);
		else
			srsran_tdec_run_all(&decoder, llr, out, halves, k);
	}
	began = peer_now_ns() - began;
	for (uint32_t i = 0; i < k / 8; i++)
		wrong += (uint64_t)__builtin_popcount(out[i]);
	printf("{\"schema\": 1, \"block_us\": %.4f, \"wrong\": %llu}\n",
	    (double)began * 1e-3 / blocks, (unsigned long long)wrong);
	srsran_tdec_free(&decoder);
	free(llr);
	free(llr8);
	free(out);
	return 0;
}
