/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_plain_radio - the radio level of the UTRA downlink a second time (3GPP TS 25.211, 25.212
 * section 4.3.3, 25.213), straight from its text, to hold core/kernels and components/umts against.
 * It shares no code with them: codes come from their recursions, sequences as whole arrays of one
 * period, tables are spelt as they are printed.
 */
#ifndef TESTS_UTRAN_PLAIN_UTRAN_PLAIN_RADIO_H
#define TESTS_UTRAN_PLAIN_UTRAN_PLAIN_RADIO_H

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN_PERIOD = (1 << 18) - 1, PLAIN_CHIPS = 38400, PLAIN_SLOTS = 15 };

/* TS 25.213 section 4.3.1.1: from the code of half the length with half the number, the second half
 * negated if odd. */
static inline void plain_ovsf(int sf, int code, int *chips)
{
	chips[0] = 1;
	if (sf == 1)
		return;
	plain_ovsf(sf / 2, code / 2, chips);
	for (int i = 0; i < sf / 2; i++)
		chips[sf / 2 + i] = code % 2 ? -chips[i] : chips[i];
}

struct plain_gold {
	uint8_t x[PLAIN_PERIOD + 18], y[PLAIN_PERIOD + 18];
};

/* TS 25.213 section 5.2.2: the two m-sequences, one period of each. */
static inline struct plain_gold *plain_gold_new(void)
{
	struct plain_gold *gold = calloc(1, sizeof(*gold));

	if (!gold)
		abort();
	gold->x[0] = 1;
	memset(gold->y, 1, 18);
	for (int i = 0; i < PLAIN_PERIOD; i++) {
		gold->x[i + 18] = (gold->x[i + 7] + gold->x[i]) % 2;
		gold->y[i + 18] =
		    (gold->y[i + 10] + gold->y[i + 7] + gold->y[i + 5] + gold->y[i]) % 2;
	}
	return gold;
}

static inline int plain_gold_at(const struct plain_gold *gold, int n, int i)
{
	return (gold->x[(i + n) % PLAIN_PERIOD] + gold->y[i % PLAIN_PERIOD]) % 2 ? -1 : 1;
}

/* Chip i of downlink scrambling code n. */
static inline double complex plain_scrambling(const struct plain_gold *gold, int n, int i)
{
	return plain_gold_at(gold, n, i) + I * plain_gold_at(gold, n, (i + 131072) % PLAIN_PERIOD);
}

/* TS 25.212 Table 8, row by row: M_i,0 to M_i,9. */
static inline int plain_tfci_bit(int tfci, int i)
{
	static const char rows[32][11] = {
	    "1000010000",
	    "0100011000",
	    "1100010001",
	    "0010011011",
	    "1010010001",
	    "0110010010",
	    "1110010100",
	    "0001010110",
	    "1001011110",
	    "0101011011",
	    "1101010011",
	    "0011010110",
	    "1011010101",
	    "0111011001",
	    "1111011111",
	    "1000111100",
	    "0100111101",
	    "1100111010",
	    "0010110111",
	    "1010110101",
	    "0110110011",
	    "1110110111",
	    "0001110100",
	    "1001111101",
	    "0101111010",
	    "1101111001",
	    "0011110010",
	    "1011111100",
	    "0111111110",
	    "1111111111",
	    "0000010000",
	    "0000111000",
	};
	int sum = 0;

	for (int n = 0; n < 10; n++)
		sum += (tfci >> n & 1) * (rows[i][n] - '0');
	return sum % 2;
}

/* TS 25.211 Table 12: the pilot bits of a slot for 2, 4, 8 and 16 of them. */
static inline const char *plain_pilots(int n, int slot)
{
	static const char two[15][3] = {"11", "00", "01", "00", "10", "11", "11", "10", "01", "11",
	    "01", "10", "10", "00", "00"};
	static const char four[15][5] = {"1111", "1100", "1101", "1100", "1110", "1111", "1111",
	    "1110", "1101", "1111", "1101", "1110", "1110", "1100", "1100"};
	static const char eight[15][9] = {"11111110", "11001110", "11011101", "11001100",
	    "11101101", "11111110", "11111100", "11101100", "11011110", "11111111", "11011101",
	    "11101111", "11101100", "11001111", "11001111"};
	static const char sixteen[15][17] = {
	    "1111111011111110",
	    "1100111011111100",
	    "1101110111101100",
	    "1100110011011110",
	    "1110110111111111",
	    "1111111011011101",
	    "1111110011101111",
	    "1110110011101100",
	    "1101111011001111",
	    "1111111111001111",
	    "1101110111111110",
	    "1110111111001110",
	    "1110110011011101",
	    "1100111111001100",
	    "1100111111101101",
	};

	return n == 2 ? two[slot] : n == 4 ? four[slot] : n == 8 ? eight[slot] : sixteen[slot];
}

/* TS 25.211 Table 11: SF, Data1, Data2, TPC, TFCI, Pilot in the order of its columns. */
static inline const int *plain_slot_format(int format)
{
	static const int rows[17][6] = {
	    {512, 0, 4, 2, 0, 4},
	    {512, 0, 2, 2, 2, 4},
	    {256, 2, 14, 2, 0, 2},
	    {256, 2, 12, 2, 2, 2},
	    {256, 2, 12, 2, 0, 4},
	    {256, 2, 10, 2, 2, 4},
	    {256, 2, 8, 2, 0, 8},
	    {256, 2, 6, 2, 2, 8},
	    {128, 6, 28, 2, 0, 4},
	    {128, 6, 26, 2, 2, 4},
	    {128, 6, 24, 2, 0, 8},
	    {128, 6, 22, 2, 2, 8},
	    {64, 12, 48, 4, 8, 8},
	    {32, 28, 112, 4, 8, 8},
	    {16, 56, 232, 8, 8, 16},
	    {8, 120, 488, 8, 8, 16},
	    {4, 248, 1000, 8, 8, 16},
	};

	return rows[format];
}

/* TS 25.211 section 5.3.2: bit by bit, a string of '0' and '1' per frame. */
static inline int plain_dpch(int format, int tfci, int tpc, const uint8_t *data, uint8_t *frame)
{
	const int *row = plain_slot_format(format);
	int at = 0, coded = 0;

	for (int slot = 0; slot < PLAIN_SLOTS; slot++) {
		for (int i = 0; i < row[1]; i++)
			frame[at++] = *data++;
		for (int i = 0; i < row[3]; i++)
			frame[at++] = tpc != 0;
		for (int i = 0; i < row[4]; i++)
			frame[at++] = (uint8_t)plain_tfci_bit(tfci, coded++ % 32);
		for (int i = 0; i < row[2]; i++)
			frame[at++] = *data++;
		for (int i = 0; i < row[5]; i++)
			frame[at++] = plain_pilots(row[5], slot)[i] == '1';
	}
	return at;
}

/* The chips of a frame: one DPCH on code C_sf,k of power `power`, and the common pilot with the
 * rest, to 1 in all. */
static inline void plain_chips(const struct plain_gold *gold, int primary, const uint8_t *bits,
    int sf, int k, double power, double complex *chips)
{
	int code[512];

	plain_ovsf(sf, k, code);
	for (int i = 0; i < PLAIN_CHIPS; i++) {
		const uint8_t *pair = bits + i / sf * 2;
		const double complex symbol = (pair[0] ? -1 : 1) + I * (pair[1] ? -1 : 1);
		const double complex pilot = 1 + I;

		chips[i] =
		    (sqrt(power / 2) * symbol * code[i % sf] + sqrt((1 - power) / 2) * pilot) *
		    plain_scrambling(gold, 16 * primary, i) / sqrt(2);
	}
}

#endif
