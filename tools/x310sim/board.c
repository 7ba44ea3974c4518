/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/board.h"

#include <string.h>

enum { DATA = 0x0c, COMMAND = 0x10 };
enum { START = 0x80, READ = 0x20, WRITE = 0x10, NO_ACK = 0x80 };

/* EEPROMs of radio 0: Tx, Rx; of radio 1. */
enum { TX_0 = 0x54, RX_0 = 0x55, TX_1 = 0x56, RX_1 = 0x57 };
enum { MAGIC = 0xdb, UBX_160_TX = 0x7d, UBX_160_RX = 0x7e, REVISION = 1, SUM = 0x1f };

static uint8_t eeprom_byte(uint8_t address, uint8_t offset)
{
	uint8_t bytes[SUM + 1] = {MAGIC, address & 1 ? UBX_160_RX : UBX_160_TX, 0, REVISION};
	static const uint8_t serial[] = {'S', 'I', 'M', 'U', 'B', 'X'};

	memcpy(bytes + 9, serial, sizeof(serial));
	bytes[15] = (uint8_t)('1' + (address - TX_0) / 2);
	for (int i = 0; i < SUM; i++)
		bytes[SUM] = (uint8_t)(bytes[SUM] - bytes[i]);
	return offset <= SUM ? bytes[offset] : 0xff;
}

static void write_byte(struct board *board, bool start)
{
	if (start) {
		board->address = board->data >> 1;
		board->writes = !(board->data & 1);
		board->first = true;
		board->nack = !board->fitted || board->address < TX_0 || board->address > RX_1;
	} else if (board->writes && board->first) {
		board->offset = board->data;
		board->first = false;
	} /* what is written behind the offset is not kept */
}

void board_poke(struct board *board, uint32_t offset, uint32_t value)
{
	if (offset == DATA)
		board->data = (uint8_t)value;
	if (offset != COMMAND)
		return;
	if (value & WRITE)
		write_byte(board, value & START);
	else if (value & READ)
		board->data = board->nack ? 0xff : eeprom_byte(board->address, board->offset++);
}

uint32_t board_peek(const struct board *board, uint32_t offset)
{
	if (offset == DATA)
		return board->data;
	return offset == COMMAND && board->nack ? NO_ACK : 0;
}
