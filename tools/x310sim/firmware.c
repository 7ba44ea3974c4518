/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/firmware.h"

#include <stdio.h>

#include "core/base/bytes.h"

enum { ACK = 1, POKE = 4, PEEK = 8 };

enum { SHARED = 0x6000, SETTINGS = 0xa000, I2C = 0xff00, I2C_BYTES = 0x20 };

enum { CLAIM_STATUS = 5, CLAIM_TIME = 6, CLAIM_HASH = 7, EEPROM_WORD = 13 };
#define CLAIM_NS 2000000000ull

/* Word indices of registers; reading and writing the same one are different things. */
enum {
	READ_SPI_READY = 1,
	READ_CLOCK = 3,
	READ_SFP0 = 4,
	READ_SFP1 = 5,
	READ_FPGA = 6,
	READ_RFNOC = 7,
	READ_GIT = 10,
	READ_TIMEKEEPERS = 12,
	READ_DEVICE_ID = 14,
	WRITE_DEVICE_ID = 3,
	WRITE_SPI_DATA = 34, /* to the chip that makes the clock */
	TIME_LOW = 100,
	TIME_HIGH = 104,
	EVENT_LOW = 108,
	EVENT_HIGH = 112,
	TIME_CONTROL = 116,
	PULSE_LOW = 120,
	PULSE_HIGH = 124
};

enum { LATCH_NOW = 1 }; /* of TIME_CONTROL; the others wait for the pulse */

static void put_le(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

void firmware_init(struct firmware *firmware, const struct firmware_options *options)
{
	const uint32_t ip = options->ip;
	static const uint8_t mac[6] = {0x00, 0x80, 0x2f, 0x11, 0x22, 0x33};
	uint8_t *e;

	*firmware = (struct firmware){.options = *options, .board.nack = true};
	e = firmware->eeprom;
	put_le(e, 8);          /* revision */
	put_le(e + 2, 0x7862); /* X310 */
	put_le(e + 4, 7);      /* compatible down to */
	for (int i = 0; i < 2; i++) {
		memcpy(e + 8 + 8 * i, mac, sizeof(mac));
		e[8 + 8 * i + 5] = (uint8_t)(mac[5] + i);
	}
	put_be32(e + 24, (ip & 0xffffff00) | 1);
	for (int i = 0; i < 4; i++) {
		put_be32(e + 28 + 4 * i, 0xffffff00);
		put_be32(e + 44 + 4 * i, 0xc0a80a02 + ((uint32_t)i << 8) * 10);
	}
	put_be32(e + 44 + (options->is_hg ? 0 : 8), ip);
	if (options->sfp1_ip)
		put_be32(e + 44 + 12, options->sfp1_ip);
	snprintf((char *)e + 76, 23, "%s", options->name);
	snprintf((char *)e + 99, 9, "%s", options->serial);
	firmware->shared[0] = options->is_4_9 ? x310_fpgas[1].firmware : options->fpga->firmware;
	firmware->shared[1] = 0x1234abcd; /* looked for a GPSDO, found none */
}

static uint32_t read_setting(const struct firmware *firmware, uint32_t n, uint64_t ticks)
{
	switch (n) {
	case READ_SPI_READY:
	case READ_TIMEKEEPERS:
	case READ_SFP1: /* 10 Gbit/s */
		return 1;
	case READ_SFP0:
		return !firmware->options.is_hg;
	case READ_CLOCK:
		return 0x67; /* all locked */
	case READ_FPGA:
		return firmware->options.is_4_9 ? x310_fpgas[1].fpga_compat
		                                : firmware->options.fpga->fpga_compat;
	case READ_RFNOC:
		return 64u << 16 | firmware->options.fpga->protocol;
	case READ_GIT:
		return 0x0a10e310;
	case READ_DEVICE_ID:
		return firmware->settings[WRITE_DEVICE_ID];
	case TIME_LOW:
		return (uint32_t)ticks;
	case TIME_HIGH:
		return (uint32_t)(ticks >> 32);
	case PULSE_LOW:
		return (uint32_t)firmware->pulse_ticks;
	case PULSE_HIGH:
		return (uint32_t)(firmware->pulse_ticks >> 32);
	default:
		return 0;
	}
}

static uint32_t read_shared(const struct firmware *firmware, uint32_t n, uint64_t now_ns)
{
	const uint32_t at = 4 * (n - EEPROM_WORD);

	if (n == CLAIM_STATUS)
		return firmware->claimed && now_ns - firmware->claimed_ns < CLAIM_NS;
	if (n >= EEPROM_WORD && at + 4 <= EEPROM_BYTES)
		return get_be32(firmware->eeprom + at);
	return n < FIRMWARE_WORDS ? firmware->shared[n] : 0;
}

static uint32_t register_peek(
    const struct firmware *firmware, uint64_t now_ns, uint64_t ticks, uint32_t address)
{
	if (address >= I2C && address < I2C + I2C_BYTES)
		return board_peek(&firmware->board, address - I2C);
	if (address >= SETTINGS && address < SETTINGS + 4 * FIRMWARE_WORDS)
		return read_setting(firmware, (address - SETTINGS) / 4, ticks);
	if (address >= SHARED && address < SHARED + 4 * FIRMWARE_WORDS)
		return read_shared(firmware, (address - SHARED) / 4, now_ns);
	return 0;
}

static void write_setting(struct firmware *firmware, uint32_t n, uint32_t value)
{
	firmware->settings[n] = value;
	if (n == WRITE_SPI_DATA)
		clock_chip_write(&firmware->clock, value);
	if (n != TIME_CONTROL)
		return;
	firmware->event_ticks =
	    firmware->settings[EVENT_LOW] | (uint64_t)firmware->settings[EVENT_HIGH] << 32;
	firmware->at_pulse = !(value & LATCH_NOW);
	firmware->set_time = true;
}

static void write_shared(struct firmware *firmware, uint32_t n, uint32_t value, uint64_t now_ns)
{
	firmware->shared[n] = value;
	if (n != CLAIM_TIME && n != CLAIM_HASH)
		return;
	firmware->claimed = value != 0;
	firmware->claimed_ns = now_ns;
}

static void register_poke(
    struct firmware *firmware, uint64_t now_ns, uint32_t address, uint32_t value)
{
	if (address >= SETTINGS && address < SETTINGS + 4 * FIRMWARE_WORDS)
		write_setting(firmware, (address - SETTINGS) / 4, value);
	else if (address >= SHARED && address < SHARED + 4 * FIRMWARE_WORDS)
		write_shared(firmware, (address - SHARED) / 4, value, now_ns);
	else if (address >= I2C && address < I2C + I2C_BYTES)
		board_poke(&firmware->board, address - I2C, value);
}

size_t firmware_take(struct firmware *firmware, uint64_t now_ns, uint64_t ticks,
    const uint8_t *bytes, size_t size, uint8_t *ret_reply)
{
	const uint32_t flags = size >= FIRMWARE_BYTES ? get_be32(bytes) : 0;
	uint32_t address;

	if (!(flags & (ACK | PEEK | POKE))) /* ACK alone is how a host looks for us */
		return 0;
	address = get_be32(bytes + 8);
	memcpy(ret_reply, bytes, FIRMWARE_BYTES);
	if (flags & PEEK)
		put_be32(ret_reply + 12, register_peek(firmware, now_ns, ticks, address));
	else if (flags & POKE)
		register_poke(firmware, now_ns, address, get_be32(bytes + 12));
	return flags & ACK ? FIRMWARE_BYTES : 0;
}

uint16_t firmware_id(const struct firmware *firmware)
{
	return (uint16_t)firmware->settings[WRITE_DEVICE_ID];
}

size_t mtu_take(const uint8_t *bytes, size_t size, uint8_t *ret_reply, size_t max)
{
	const uint32_t flags = size >= 8 ? get_be32(bytes) : 0;
	uint32_t wanted;

	if (!(flags & 1))
		return 0;
	wanted = get_be32(bytes + 4);
	put_be32(ret_reply, flags | 2);
	put_be32(ret_reply + 4, (uint32_t)size);
	return wanted < 8 ? 8 : wanted < max ? wanted : max;
}
