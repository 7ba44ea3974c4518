/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/web.h - where a node serves its dashboard and /metrics: the options of `up` and `run`.
 */
#ifndef TOOLS_ALOE_WEB_H
#define TOOLS_ALOE_WEB_H

#include "core/base/address.h"
#include "core/cli/cli.h"

/* web_option reads --web[=PORT]: CLI_OK with IP:PORT, "" where it is not given; or CLI_USAGE after
 * saying what is allowed. */
int web_option(const struct cli_args *args, char ret[ADDRESS_TEXT]);
/* web_port_check: that no other program has the port of what --OPTION named (NULL: nothing was).
 * CLI_OK, or CLI_FAILED after saying it. */
int web_port_check(const char *option, const char *served);
/* web_print says where the dashboard of the node in `dir` is, and the token. */
int web_print(const char *dir, FILE *out);

/* address_try: a socket can be bound to an address of this machine, and to no other; to a port of
 * it, if nobody else has it (-EADDRINUSE). `type`: SOCK_STREAM or SOCK_DGRAM. 0 or -errno. */
int address_try(const struct address *address, int type, uint16_t port);

#endif
