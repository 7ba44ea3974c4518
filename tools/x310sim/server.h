/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/server.h - one or two devices, what lies behind their antennas, and the time that
 * they share.
 */
#ifndef TOOLS_X310SIM_SERVER_H
#define TOOLS_X310SIM_SERVER_H

#include "tools/x310sim/pace.h"
#include "tools/x310sim/unit.h"

enum { SERVER_UNITS = 2 };

struct server_options {
	struct unit_options units[SERVER_UNITS];
	unsigned n_units;
	struct analog_options analog;
	struct pace_options pace;
};

struct server {
	struct unit units[SERVER_UNITS];
	unsigned n_units;
	struct analog analog;
	struct pace pace;
	int signals;
};

/* server_open: 0, or -errno with the reason in ret_why (TRANSPORT_WHY bytes); to be closed in
 * either case. */
int server_open(struct server *server, const struct server_options *options, char *ret_why);
void server_run(struct server *server, uint64_t until_ns); /* or until SIGINT, SIGTERM */
/* 0, or -errno of what could not be recorded */
int server_close(struct server *server);

#endif
