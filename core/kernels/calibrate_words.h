/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/calibrate_words.h - the class `register` on words of 64 bits, which a level packs
 * and spreads its own way: a division by 1 + D^2 + D^3 is one by 1 + D^7, four shifts in a word and
 * seven bits of the word before, after a multiplication. */
#ifndef CORE_KERNELS_CALIBRATE_WORDS_H
#define CORE_KERNELS_CALIBRATE_WORDS_H

#include "core/kernels/calibrate.h"

static inline uint64_t word_delayed(uint64_t word, uint64_t before, int n)
{
	return word << n | before >> (64 - n);
}

static inline __attribute__((always_inline)) void register_words(struct calibrate_data *data,
    uint64_t (*pack64)(const uint8_t *bits), void (*spread64)(uint8_t *out, uint64_t word))
{
	uint64_t before = 0, kept = 0;

	for (uint32_t i = 0; i < CALIBRATE_ITEMS; i += 64) {
		const uint64_t word = pack64(data->in8 + i);
		uint64_t a = word ^ word_delayed(word, before, 2) ^ word_delayed(word, before, 3) ^
		    word_delayed(word, before, 4);

		a ^= a << 7;
		a ^= a << 14;
		a ^= a << 28;
		a ^= a << 56;
		a ^= (kept >> 57) * 0x8102040810204081u;
		spread64(data->out8 + i, a ^ word_delayed(a, kept, 1) ^ word_delayed(a, kept, 3));
		before = word;
		kept = a;
	}
}

#endif
