/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/server.h - the device on the network: its processor's UDP ports, its two 10 Gbit/s ports, its sample clock,
 * its antennas.
 *
 *	SFP0   an IPv4 address of this machine, over the kernel: firmware, MTU detection, CHDR
 *	SFP1   CHDR alone, over whatever port it is given: for a host whose own port the kernel does not see
 */
#ifndef TOOLS_X310SIM_SERVER_H
#define TOOLS_X310SIM_SERVER_H

#include "core/platform/door.h"
#include "tools/x310sim/analog.h"
#include "tools/x310sim/device.h"
#include "tools/x310sim/firmware.h"

enum { SERVER_SOCKETS = 2, SERVER_DOORS = 2 };

struct server_out { /* what goes through a door, until its burst is full or nothing more is due */
	struct packet packets[DOOR_BURST];
	unsigned n;
};

struct server {
	struct device device;
	struct firmware firmware;
	struct analog analog;
	int sockets[SERVER_SOCKETS]; /* firmware, MTU */
	int signals;
	struct door *doors[SERVER_DOORS]; /* SFP0, SFP1; NULL: not there */
	struct server_out out[SERVER_DOORS];
	uint64_t begin_ns;     /* tick 0 */
	uint64_t reply_failed; /* of firmware and MTU detection */
	uint64_t wire_full;    /* packets that found no room on their way out */
	uint64_t behind_max;   /* ticks: how late the clock was looked at */
};

struct server_options {
	struct device_options device;
	uint32_t ip;                  /* SFP0, host order */
	const struct door_kind *sfp1; /* or NULL */
	struct door_options sfp1_options;
};

/* server_open: 0, or -errno with the reason in ret_why (DOOR_WHY bytes). */
int server_open(struct server *server, const struct server_options *options, char *ret_why);
void server_run(struct server *server, uint64_t until_ns); /* or until SIGINT, SIGTERM */
void server_close(struct server *server);

#endif
