/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/firmware.h - the device's embedded processor as its host sees it over UDP:
 * registers and shared memory on port 49152, detection of the largest packet on port 49158. Pure;
 * big-endian on the wire.
 *
 * Source: UHD 4.x firmware/usrp3/x300, host/lib/usrp/x300 (x300_regs.hpp, x300_fw_common.h;
 * x300_eth_mgr.cpp of v4.3.0.0: addresses 0 and 2 of the EEPROM are of SFP0, 1 and 3 of SFP1),
 * fpga/usrp3/top/x300/bus_int.v (RB_ETH_TYPE0).
 */
#ifndef TOOLS_X310SIM_FIRMWARE_H
#define TOOLS_X310SIM_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platforms/x310/firmware.h"
#include "platforms/x310/fpga.h"
#include "tools/x310sim/board.h"
#include "tools/x310sim/clock_chip.h"

enum { FIRMWARE_WORDS = 256, EEPROM_BYTES = 108 };

struct firmware_options {
	const struct x310_fpga *fpga;
	bool is_4_9;          /* the latest of that kind (4.9), which can stop on sequence errors */
	bool is_hg;           /* SFP0 has 1 Gbit/s (HG), else 10 as SFP1 has (XG) */
	uint32_t ip, sfp1_ip; /* of SFP0 and SFP1, host order; sfp1_ip 0: the one of the factory */
	const char *name, *serial;
};

struct firmware {
	uint32_t settings[FIRMWARE_WORDS]; /* as written */
	uint32_t shared[FIRMWARE_WORDS];
	uint8_t eeprom[EEPROM_BYTES];
	uint64_t claimed_ns;
	bool claimed;
	uint64_t event_ticks; /* time to be set */
	bool set_time;        /* the caller takes event_ticks as the time, and clears this */
	bool at_pulse;        /* not now: at the next pulse per second */
	uint64_t pulse_ticks; /* of the last one, by the caller */
	struct firmware_options options;
	struct board board;
	struct clock_chip clock;
};

void firmware_init(struct firmware *firmware, const struct firmware_options *options);

/* firmware_take answers one datagram of port 49152: bytes of the reply (FIRMWARE_BYTES), or 0 if
 * none is due. */
size_t firmware_take(struct firmware *firmware, uint64_t now_ns, uint64_t ticks,
    const uint8_t *bytes, size_t size, uint8_t *ret_reply);

/* firmware_id gives the number that the host has given the device; 0: none yet. */
uint16_t firmware_id(const struct firmware *firmware);

/* mtu_take answers one datagram of port 49158, within `max` bytes: bytes of the reply (those behind
 * the header are not written), or 0. */
size_t mtu_take(const uint8_t *bytes, size_t size, uint8_t *ret_reply, size_t max);

#endif
