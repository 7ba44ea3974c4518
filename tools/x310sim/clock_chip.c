/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/clock_chip.h"

enum { OUTPUT = 0, REFERENCE = 26, PLL2_R = 28, PLL2_N = 30 };
#define OSCILLATOR_HZ 96e6

static uint32_t bits(const struct clock_chip *chip, int n, int lowest, int many)
{
	return chip->registers[n] >> lowest & ((1u << many) - 1);
}

static uint32_t prescaler(const struct clock_chip *chip)
{
	static const uint8_t divides[] = {8, 2, 2, 3, 4, 5, 6, 7};

	return divides[bits(chip, PLL2_N, 24, 3)];
}

void clock_chip_write(struct clock_chip *chip, uint32_t word)
{
	const int n = (int)(word % CLOCK_CHIP_REGISTERS);
	uint32_t r, divide;
	double hz;

	chip->registers[n] = word;
	r = bits(chip, PLL2_R, 20, 12);
	divide = bits(chip, OUTPUT, 5, 11);
	if (n != PLL2_N || r == 0 || divide == 0)
		return;
	hz = OSCILLATOR_HZ * (1 + bits(chip, REFERENCE, 29, 1)) * bits(chip, PLL2_N, 5, 18) *
	    prescaler(chip) / r / divide;
	if (hz >= CLOCK_CHIP_LEAST_HZ && hz <= CLOCK_CHIP_MOST_HZ)
		chip->hz = hz;
}
