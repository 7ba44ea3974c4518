/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/options.h - the command line of x310sim as its parts take it.
 */
#ifndef TOOLS_X310SIM_OPTIONS_H
#define TOOLS_X310SIM_OPTIONS_H

#include "core/cli/cli.h"
#include "tools/x310sim/expect.h"
#include "tools/x310sim/server.h"

struct options {
	struct server_options server;
	struct expect_options expect;        /* path NULL: nothing is expected */
	const char *response;                /* file to write the measured response to, or NULL */
	double seconds;                      /* 0: until a signal */
	const char *ports[SERVER_UNITS + 1]; /* of DPDK, NULL at the end */
	bool json;
};

extern const struct cli_option options_list[];
extern const size_t options_n;

/* options_read: CLI_OK, or what to exit with after it has said why. */
int options_read(const struct cli_args *args, struct options *ret);

#endif
