/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/survey.h - what a device consists of, as the device itself says: which FPGA image,
 * by which port of its crossbar we reach it, where its stream endpoints lie, which blocks are wired
 * to which of them. Nothing is assumed of numbers or order, so that images that somebody built for
 * himself are found, too. Pure, like the streams.
 *
 * 	ADVERTISE --> CROSSBAR --> OWN --> ENDPOINT of each port --> REGISTERS --> DONE
 * 	protocol      our port     route   instance, number          client zero, radios
 *
 * A port behind which nothing lies does not answer; that is no error. Anything else that is not
 * answered, or does not hold together: FAILED, `why` says why.
 *
 * Only the endpoint that takes register accesses is written to, and only if it has no number yet:
 * then it is reset and gets SURVEY_CONTROL.
 *
 * Source: UHD v4.3.0.0 to UHD-4.11, host/lib/rfnoc/mgmt_portal.cpp (order, INFO),
 * host/lib/rfnoc/client_zero.cpp and client_zero.hpp (registers; a block's control port is 1 + the
 * number of control endpoints + its index), host/lib/rfnoc/rfnoc_graph.cpp (blocks of a kind are
 * numbered in the order of their index; endpoint 0 takes register accesses),
 * fpga/usrp3/lib/rfnoc/crossbar/chdr_crossbar_nxn.v (the crossbar's instance is the port of entry),
 * fpga/usrp3/lib/rfnoc/core/chdr_mgmt_pkt_handler.v (an answer has the FPGA's protocol whatever the
 * request has), fpga/usrp3/lib/rfnoc/core/rfnoc_core_kernel.v (client zero).
 */
#ifndef PLATFORMS_X310_SURVEY_H
#define PLATFORMS_X310_SURVEY_H

#include "platforms/x310/control.h"
#include "platforms/x310/fpga.h"

enum {
	SURVEY_CONTROL = 2, /* the number that UHD gives to the first endpoint of a device */
	/* and its port of the crossbar: the number of any other endpoint that x310-init or we give
	 * one, so that a channel whose endpoint has none has not been set up */
	SURVEY_CLAIMED = 0x40,
	SURVEY_PORTS = 64, /* of a crossbar */
	SURVEY_BLOCKS = 64,
	SURVEY_EDGES = 128,
	SURVEY_RADIOS = 4,
	SURVEY_CHANNELS = 2, /* of a radio */
	SURVEY_WHY = X310_FPGA_TEXT
};

/* What lies between a channel of a radio and the network, in one direction. */
struct x310_path {
	uint16_t endpoint_port; /* crossbar port of its endpoint; 0: it leads to none */
	uint16_t endpoint;      /* number of that endpoint; 0: nobody has given one */
	uint16_t rate_port;     /* control port of the DDC or DUC; 0: there is none */
	uint16_t rate_channel;
};

struct x310_radio_layout {
	uint16_t port; /* control */
	struct x310_path rx[SURVEY_CHANNELS], tx[SURVEY_CHANNELS];
};

struct x310_layout {
	const struct x310_fpga *fpga;
	uint16_t protocol;
	uint32_t radio_compat;
	uint16_t own_port;                       /* crossbar: 0 SFP0, 1 SFP1 */
	uint16_t control_endpoint, control_port; /* port: of the crossbar */
	unsigned n_radios;
	struct x310_radio_layout radios[SURVEY_RADIOS];
};

/* x310_layout_path: of channel `number` = 2 x radio + its channel; NULL: there is none. */
const struct x310_path *x310_layout_path(
    const struct x310_layout *layout, unsigned number, bool receives);

enum survey_phase {
	SURVEY_ADVERTISE,
	SURVEY_CROSSBAR,
	SURVEY_OWN,
	SURVEY_ENDPOINT,
	SURVEY_ALIVE, /* a port did not answer: does the device? */
	SURVEY_REGISTERS,
	SURVEY_DONE,
	SURVEY_FAILED
};

struct survey_endpoint {
	bool is_there;
	uint16_t instance, number, extended;
};

struct survey {
	struct endpoint endpoint; /* as far as it is known */
	enum survey_phase phase;
	char why[SURVEY_WHY];
	bool unknown_fpga; /* that is why */
	/* FAILED: the phase in which nobody answered; FAILED if all was answered, but cannot be
	 * used */
	enum survey_phase silent_in;
	struct request request;
	uint16_t request_seq;
	uint16_t n_ports, port; /* of the crossbar; the one being asked */
	struct survey_endpoint endpoints[SURVEY_PORTS];
	struct control control;
	unsigned step; /* registers read */
	uint32_t n_blocks, n_endpoints, n_controls, n_edges;
	uint32_t noc_ids[SURVEY_BLOCKS], edges[SURVEY_EDGES];
	struct x310_layout layout;
};

/* survey_slot gives the slot of client zero in which the block behind a control port has its
 * registers. */
static inline uint32_t survey_slot(const struct survey *survey, uint16_t port)
{
	return survey->n_endpoints + port - survey->n_controls;
}

/* survey_open begins with `own` as our endpoint. survey_poll and survey_take are as with a stream
 * (platforms/x310/stream.h). */
void survey_open(struct survey *survey, uint16_t own, uint64_t now_ns);
size_t survey_poll(struct survey *survey, uint64_t now_ns, uint8_t *bytes);
void survey_take(struct survey *survey, uint64_t now_ns, const struct chdr_packet *packet);

#endif
