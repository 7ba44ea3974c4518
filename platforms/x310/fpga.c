/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/fpga.h"

#include <stdio.h>

static const struct radio_registers map_0 = {
    .step = 0x80,
    .rx_status = 0x10,
    .rx_cmd = 0x14,
    .rx_words = 0x18,
    .rx_time = 0x20,
    .rx_spp = 0x28,
    .rx_error = 0x2c,
    .rx_data = 0x3c,
    .rx_has_time = 0x70,
    .tx_idle = 0x40,
    .tx_policy = 0x44,
    .tx_error = 0x48,
};

static const struct radio_registers map_1 = {
    .step = 0x400,
    .rx_status = 0x100,
    .rx_cmd = 0x104,
    .rx_words = 0x108,
    .rx_time = 0x110,
    .rx_spp = 0x118,
    .rx_error = 0x11c,
    .rx_data = 0x12c,
    .rx_has_time = 0x130,
    .tx_idle = 0x200,
    .tx_policy = 0x204,
    .tx_error = 0x208,
};

/* A later image of a row has other minor numbers: FPGA compat 0x27.3 from 4.7 on, firmware 6.1 from
 * 4.4 on. */
const struct x310_fpga x310_fpgas[X310_FPGAS] = {
    {"4.3", "4.0 to 4.9", 0x0100, 0x00000001, 0x00270000, 0x00060000, 524287, CHDR_V1, &map_0},
    {"4.10", "4.10", 0x0100, 0x00010000, 0x00270003, 0x00060001, 524287, CHDR_V1, &map_1},
    {"4.11", "4.11", 0x0200, 0x00010000, 0x00270003, 0x00060001, 524288, CHDR_V2, &map_1},
};

const struct x310_fpga *x310_fpga_find(uint16_t protocol, uint32_t radio_compat)
{
	for (int i = 0; i < X310_FPGAS; i++)
		if (x310_fpgas[i].protocol >> 8 == protocol >> 8 &&
		    x310_fpgas[i].radio_compat >> 16 == radio_compat >> 16)
			return &x310_fpgas[i];
	return NULL;
}

int x310_ctrl_of(uint16_t protocol)
{
	for (int i = 0; i < X310_FPGAS; i++)
		if (x310_fpgas[i].protocol >> 8 == protocol >> 8)
			return (int)x310_fpgas[i].ctrl;
	return 0;
}

void x310_fpga_unknown(uint16_t protocol, uint32_t radio_compat, char *ret, size_t size)
{
	char known[192] = "";
	size_t len = 0;

	for (int i = 0; i < X310_FPGAS && len < sizeof(known); i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len,
		    "%s%s (radio compat %u.x, protocol %u.%u)", i ? ", " : "", x310_fpgas[i].uhd,
		    x310_fpgas[i].radio_compat >> 16, (unsigned)x310_fpgas[i].protocol >> 8,
		    x310_fpgas[i].protocol & 255u);
	if (x310_ctrl_of(protocol)) /* else no register of a radio could be read */
		snprintf(ret, size,
		    "FPGA of another UHD (radio compat %u.%u, protocol %u.%u): not known, known "
		    "are %s; load one of these images (uhd_image_loader)",
		    radio_compat >> 16, radio_compat & 0xffff, (unsigned)protocol >> 8,
		    protocol & 255u, known);
	else
		snprintf(ret, size,
		    "FPGA of another UHD (protocol %u.%u): not known, known are %s; load one of "
		    "these images (uhd_image_loader)",
		    (unsigned)protocol >> 8, protocol & 255u, known);
}
