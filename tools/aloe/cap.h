/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/cap.h - --cap and --shield: what a node takes from everybody else while it runs.
 *
 * The changes are written down in cap.json of the state folder before they are made. The node
 * keeper puts them back when the node ends; after a crash `aloe doctor --revert` does. What this
 * machine refuses is said in one line, and the node runs without it.
 */
#ifndef TOOLS_ALOE_CAP_H
#define TOOLS_ALOE_CAP_H

#include <stdint.h>

#include "core/cli/cli.h"

/* cap_check looks at the options alone: 0 or CLI_USAGE. */
int cap_check(const struct cli_args *args);
/* cap_leave takes this process, and so all that it starts, out of the groups of --cap and --shield
 * that a shell is in which another node has capped; if that cannot be it says so. */
void cap_leave(void);
/* cap_begin does what --cap and --shield ask for. state: the folder of the record, NULL: the usual
 * one. slot_ns: the period of the quota; 0: not known. */
void cap_begin(const struct cli_args *args, const char *state, uint64_t slot_ns);
/* cap_end puts back what is written down, if there is anything. */
void cap_end(const char *state);
/* cap_revert is cap_end for those who tell what became of it: 0, or -errno after a line. */
int cap_revert(const char *state);

#endif
