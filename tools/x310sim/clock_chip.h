/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/clock_chip.h - the LMK04816 that makes the device's sample clock, as far as a host
 * that programs it can tell: what its dividers make of the 96 MHz of its oscillator. Pure.
 *
 * 	96 MHz x doubler x PLL2_N x PLL2_P / PLL2_R = VCO;  VCO / CLKout0_1_DIV = sample clock
 *
 * The clock follows when register 30 is written, as the VCO is calibrated then. Source: UHD 4.3
 * host/lib/usrp/x300/x300_clock_ctrl.cpp, host/lib/ic_reg_maps/gen_lmk04816_regs.py.
 */
#ifndef TOOLS_X310SIM_CLOCK_CHIP_H
#define TOOLS_X310SIM_CLOCK_CHIP_H

#include <stdint.h>

enum { CLOCK_CHIP_REGISTERS = 32 };
/* What a device can have; anything else is a host's mistake and not followed. */
#define CLOCK_CHIP_LEAST_HZ 100e6
#define CLOCK_CHIP_MOST_HZ 250e6

struct clock_chip {
	uint32_t registers[CLOCK_CHIP_REGISTERS]; /* as written */
	double hz;                                /* 0: nobody has programmed it yet */
};

/* clock_chip_write takes a word of SPI: 27 bits, and the register's number in the lowest 5. */
void clock_chip_write(struct clock_chip *chip, uint32_t word);

#endif
