/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/cap.h - --cap and --shield: what a node takes from everybody else while it runs.
 *
 * The changes are written down in /run/aloe.cap before they are made, one record for the machine
 * (machine.json), or for the group named aloe-scope... that aloe is in. The node keepers that use
 * them are in the record, too: the last one that ends puts the changes back, and one that was
 * killed does not count. `aloe cap off`, and after a crash `aloe doctor --revert`, put them back at
 * once. What this machine refuses is said in one line, and the node runs without it.
 */
#ifndef TOOLS_ALOE_CAP_H
#define TOOLS_ALOE_CAP_H

#include <stdint.h>
#include <sys/types.h>

#include "core/cli/cli.h"

/* cap_check looks at the options alone: 0 or CLI_USAGE. */
int cap_check(const struct cli_args *args);
/* cap_leave takes this process, and so all that it starts, out of the groups of --cap and --shield
 * that a shell is in which another node has capped; if that cannot be it says so. */
void cap_leave(void);
/* Whom a cap is for: a node keeper, or (pid 0) the keeper of the node that runs in `dir`; NULL: the
 * keepers of all nodes that run. */
struct cap_user {
	pid_t pid;
	const char *dir;
};

/* cap_begin does what --cap and --shield ask for. slot_ns: the period of the quota; 0: not
 * known. */
void cap_begin(const struct cli_args *args, struct cap_user user, uint64_t slot_ns);
/* cap_pass makes this process the user in place of process `before`, if that is one. */
void cap_pass(pid_t before);
/* cap_end: this process, if it is a user, needs the changes no more; the last user puts them
 * back. */
void cap_end(void);
/* cap_revert puts all back, whoever uses it: 0, or -errno after a line. */
int cap_revert(void);

#endif
