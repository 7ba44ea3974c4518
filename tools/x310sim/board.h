/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/board.h - two daughterboards as their host finds them: a UBX-160 v2 in each radio,
 * by the identity in its EEPROMs behind the motherboard's I2C master. The host's driver knows the
 * rest: frequencies 10 MHz .. 6 GHz, gains 0 .. 31.5 dB. Its writes to synthesisers and switches
 * (SPI) are taken and change no sample; the lock of the oscillators is a pin (blocks.c).
 *
 * Source: UHD 4.3 host/lib/usrp/cores/i2c_core_100_wb32.cpp, host/lib/usrp/dboard_eeprom.cpp,
 * host/lib/usrp/dboard/db_ubx.hpp, host/lib/usrp/x300/x300_radio_control.cpp (addresses).
 */
#ifndef TOOLS_X310SIM_BOARD_H
#define TOOLS_X310SIM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

struct board {
	bool fitted;
	uint8_t data;    /* of the I2C master: written, or read from the EEPROM */
	uint8_t address; /* of the chip that is talked to; 0: none answers */
	uint8_t offset;  /* next byte of its memory */
	bool writes, first, nack;
};

/* Registers of the I2C master, from its base. */
void board_poke(struct board *board, uint32_t offset, uint32_t value);
uint32_t board_peek(const struct board *board, uint32_t offset);

#endif
