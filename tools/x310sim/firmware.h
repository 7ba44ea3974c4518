/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/firmware.h - the device's embedded processor as its host sees it over UDP: registers and shared memory on
 * port 49152, detection of the largest packet on port 49158. Pure; big-endian on the wire.
 *
 * Source: UHD 4.x firmware/usrp3/x300, host/lib/usrp/x300 (x300_regs.hpp, x300_fw_common.h).
 */
#ifndef TOOLS_X310SIM_FIRMWARE_H
#define TOOLS_X310SIM_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FIRMWARE_PORT = 49152,
	MTU_PORT = 49158,
	FIRMWARE_BYTES = 16,
	FIRMWARE_WORDS = 256,
	EEPROM_BYTES = 108
};

struct firmware {
	uint32_t ip;                       /* the address in use, host order */
	uint32_t settings[FIRMWARE_WORDS]; /* as written */
	uint32_t shared[FIRMWARE_WORDS];
	uint8_t eeprom[EEPROM_BYTES];
	uint64_t claimed_ns;
	bool claimed;
	uint64_t event_ticks; /* time to be set */
	bool set_time;        /* the caller takes event_ticks as the time, and clears this */
	bool at_pulse;        /* not now: at the next pulse per second */
	uint64_t pulse_ticks; /* of the last one, by the caller */
	bool is_4_9;          /* of UHD 4.9, which can stop on sequence errors; else of 4.3 */
};

void firmware_init(
    struct firmware *firmware, uint32_t ip, bool is_4_9, const char *name, const char *serial);

/* firmware_take answers one datagram of port 49152: bytes of the reply (FIRMWARE_BYTES), or 0 if none is due. */
size_t firmware_take(struct firmware *firmware, uint64_t now_ns, uint64_t ticks,
    const uint8_t *bytes, size_t size, uint8_t *ret_reply);

/* firmware_id gives the number that the host has given the device; 0: none yet. */
uint16_t firmware_id(const struct firmware *firmware);

/* mtu_take answers one datagram of port 49158, within `max` bytes: bytes of the reply (those behind the header are not
 * written), or 0. */
size_t mtu_take(const uint8_t *bytes, size_t size, uint8_t *ret_reply, size_t max);

#endif
