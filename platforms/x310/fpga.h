/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/fpga.h - the FPGA images that are known: how their control packets are laid out
 * and where the registers of their radios lie.
 *
 * 	 image of UHD   protocol   radio compat   CTRL layout   registers of the radio
 * 	 4.0 to 4.9     1.0        0.0, 0.1       1             map 0, 0x80 for each channel
 * 	 4.10           1.0        1.0            1             map 1, 0x400 for each channel
 * 	 4.11           2.0        1.0            2             map 1
 *
 * The protocol is in RFNOC_INFO (firmware register 7), in register 0 of client zero and in the
 * answer to every management request, the compat number in register 0 of each radio. DATA, STRS,
 * STRC and MGMT packets are the same in all of them.
 *
 * Source: UHD v4.3.0.0, v4.9.0.0, v4.10.0.0 and branch UHD-4.11 (1c0dfa23d):
 * fpga/usrp3/lib/rfnoc/blocks/rfnoc_block_radio/rfnoc_block_radio_regs.vh (both maps) and
 * rfnoc_block_radio.v (compat_major, compat_minor), host/include/uhd/rfnoc/constants.hpp
 * (RFNOC_PROTO_VER), host/python/uhd/rfnoc_utils/common.py (RFNOC_PROTO_VERSION of an image of
 * 4.11), fpga/usrp3/top/x300/bus_int.v (RB_RFNOC_INFO, RB_COMPAT_NUM),
 * fpga/usrp3/lib/rfnoc/core/rfnoc_axis_ctrl_utils.vh (CTRL layout 2). The DDC and the DUC of an
 * X310 have one sample a cycle and the same registers in all of them, compat 0.1
 * (rfnoc_block_ddc.v, in 4.11 rfnoc_block_ddc_ss.v, which rfnoc_block_ddc.sv takes for NIPC = 1).
 */
#ifndef PLATFORMS_X310_FPGA_H
#define PLATFORMS_X310_FPGA_H

#include "platforms/x310/chdr.h"

/* Of a radio, in all maps. */
enum {
	RADIO_COMPAT = 0x0,
	RADIO_TIME_LOW = 0x4,
	RADIO_TIME_HIGH = 0x8,
	RADIO_CHANNELS = 0x1000, /* the first channel's registers */
	RADIO_WIDTH = 0x4        /* of a channel: sample width 16 | samples a cycle 16 */
};

/* Of a channel of the radio, from its first register on. What has two words has the low one there
 * and the high one behind it. */
struct radio_registers {
	uint16_t step; /* from channel to channel */
	uint16_t rx_status, rx_cmd, rx_words, rx_time, rx_spp;
	uint16_t rx_error; /* port, remote port, remote endpoint, address: one after the other */
	uint16_t rx_data;  /* the current sample */
	uint16_t rx_has_time, tx_idle, tx_policy;
	uint16_t tx_error; /* as rx_error */
};

struct x310_fpga {
	const char *name;       /* in a radio file: "4.3" */
	const char *uhd;        /* releases of UHD that it comes with */
	uint16_t protocol;      /* major << 8 | minor; the minor number says nothing */
	uint32_t radio_compat;  /* major << 16 | minor, as images have it; only the major counts */
	uint32_t fpga_compat;   /* firmware register 6 of the latest of these images */
	uint32_t firmware;      /* compat of its firmware */
	uint32_t capacity;      /* bytes that an endpoint of 65536 words says it holds */
	enum chdr_dialect ctrl; /* layout of CTRL packets */
	const struct radio_registers *radio;
};

enum { X310_FPGAS = 3 };
extern const struct x310_fpga x310_fpgas[X310_FPGAS];

/* x310_fpga_find gives the image with these numbers; NULL: it is not known. */
const struct x310_fpga *x310_fpga_find(uint16_t protocol, uint32_t radio_compat);

/* x310_fpga_unknown writes what is to be said of one that is not known: its numbers, and those that
 * are known. x310_ctrl_of gives the layout of CTRL packets of a protocol; 0: it is not known. */
enum { X310_FPGA_TEXT = 320 };
void x310_fpga_unknown(uint16_t protocol, uint32_t radio_compat, char *ret, size_t size);
int x310_ctrl_of(uint16_t protocol);

#endif
