/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/layout.h - how the device's FPGA image is wired: which endpoint lies behind which
 * port of the crossbar, which channel it serves, in which order the blocks have their control
 * ports.
 *
 * The stock image: endpoints 0 .. 3 behind ports 3 .. 6, for channels 0 .. 3 in both directions;
 * blocks DUC0, DDC0, Radio0, DUC1, DDC1, Radio1. Source: UHD v4.3.0.0
 * fpga/usrp3/top/x300/x310_rfnoc_image_core.yml (without its replay block and endpoints 4 and 5).
 */
#ifndef TOOLS_X310SIM_LAYOUT_H
#define TOOLS_X310SIM_LAYOUT_H

#include <stdint.h>

enum {
	LAYOUT_TRANSPORTS = 3, /* ports of the crossbar: SFP0, SFP1, PCIe */
	LAYOUT_SEPS = 6,
	LAYOUT_RADIOS = 2,
	LAYOUT_CHANNELS = 2 * LAYOUT_RADIOS,
	LAYOUT_BLOCKS = 3 * LAYOUT_RADIOS,
	LAYOUT_EDGES = 6 * LAYOUT_RADIOS
};

enum layout_kind { LAYOUT_DUC, LAYOUT_DDC, LAYOUT_RADIO, LAYOUT_KINDS };

struct layout_sep {
	uint8_t instance; /* 0 takes register accesses */
	int8_t in, out;   /* channel that its samples go to and come from; -1: none */
};

struct layout_block {
	uint8_t kind, which; /* which: of its kind, in the order of their control ports */
};

struct sim_layout {
	unsigned n_seps;
	struct layout_sep seps[LAYOUT_SEPS];       /* in the order of the crossbar's ports */
	struct layout_block blocks[LAYOUT_BLOCKS]; /* in the order of their control ports */
	/* of each radio: which DUC and DDC serve it; where its channel 0 enters the DDC */
	uint8_t duc[LAYOUT_RADIOS], ddc[LAYOUT_RADIOS], ddc_port[LAYOUT_RADIOS];
	uint8_t edges[LAYOUT_EDGES]; /* in which order the edges are listed */
};

void layout_stock(struct sim_layout *layout);
/* layout_shuffle gives another wiring for each seed, with 0 to 2 endpoints that serve nothing. */
void layout_shuffle(struct sim_layout *layout, uint64_t seed);

/* layout_sep_of gives the place of the endpoint that serves a channel in one direction. */
unsigned layout_sep_of(const struct sim_layout *layout, unsigned channel, int receives);
/* layout_block_of gives the place of a block. */
unsigned layout_block_of(const struct sim_layout *layout, enum layout_kind kind, unsigned which);
/* layout_channel gives the channel that a port of a block serves; -1: none. */
int layout_channel(const struct sim_layout *layout, unsigned block, unsigned port);

#endif
