/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/firmware.h - questions to the device's embedded processor, which answers whoever
 * asks: its registers (port 49152), and which size of datagram passes (port 49158). Big-endian.
 *
 * 	49152  flags, sequence, address, data  -->  the same with the data
 * 	49158  flags, size, padding  -->  a datagram of `size` bytes, which says how many came
 *
 * Both wait for an answer, at most half a second. Source: UHD v4.3.0.0,
 * host/lib/usrp/x300/x300_fw_common.h, x300_regs.hpp (ZPU_RB_COMPAT_NUM, ZPU_RB_RFNOC_INFO) and
 * x300_eth_mgr.cpp (detection of the frame size).
 */
#ifndef PLATFORMS_X310_FIRMWARE_H
#define PLATFORMS_X310_FIRMWARE_H

#include "core/platform/transport.h"

enum {
	FIRMWARE_PORT = 49152,
	MTU_PORT = 49158,
	FIRMWARE_BYTES = 16,
	MTU_BYTES = 8 /* of the header */
};

/* Addresses of registers. */
enum {
	FIRMWARE_REGISTERS = 0xa000,
	FIRMWARE_COMPAT = FIRMWARE_REGISTERS + 4 * 6, /* of the FPGA: major << 16 | minor */
	FIRMWARE_RFNOC = FIRMWARE_REGISTERS + 4 * 7   /* CHDR width << 16 | protocol */
};

/* x310_peek reads a register of the device at `ip`; false: no answer. */
bool x310_peek(struct transport *transport, uint32_t ip, uint32_t address, uint32_t *ret);

/* x310_passes tells whether a datagram of `out` bytes reaches the device and one of `in` bytes
 * comes back; MTU_BYTES at least. */
bool x310_passes(struct transport *transport, uint32_t ip, uint32_t out, uint32_t in);

#endif
