/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/server.h - the device on an IPv4 address of this machine: its UDP ports, its sample clock, its antennas.
 */
#ifndef TOOLS_X310SIM_SERVER_H
#define TOOLS_X310SIM_SERVER_H

#include "tools/x310sim/analog.h"
#include "tools/x310sim/device.h"
#include "tools/x310sim/firmware.h"

enum { SERVER_SOCKETS = 3 };

struct server {
	struct device device;
	struct firmware firmware;
	struct analog analog;
	int sockets[SERVER_SOCKETS]; /* firmware, CHDR, MTU */
	int signals;
	uint64_t begin_ns; /* tick 0 */
	uint64_t packets_in, packets_out, send_failed;
	uint64_t behind_max; /* ticks: how late the clock was looked at */
};

/* server_open binds the ports on `ip` (host order). 0 or -errno. */
int server_open(struct server *server, uint32_t ip, const struct device_options *options);
void server_run(struct server *server, uint64_t until_ns); /* or until SIGINT, SIGTERM */
void server_close(struct server *server);

#endif
