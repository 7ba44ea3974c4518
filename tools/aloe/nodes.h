/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/nodes.h - a run on the nodes of a platform, which are up and stay up.
 *
 *   nodes_check(args) -> nodes_open(client, args) -> LOAD, START, .. -> nodes_unload(client, ..)
 */
#ifndef TOOLS_ALOE_NODES_H
#define TOOLS_ALOE_NODES_H

#include "core/waveform/waveform.h"
#include "tools/aloe/client.h"

/* nodes_check refuses what only a node of one's own takes, and without --platform what only a node
 * that is up takes. CLI_OK or CLI_USAGE. */
int nodes_check(const struct cli_args *args);

/* nodes_open connects to the node of --dir, which is one of --platform. An exit status, after
 * saying why not. */
int nodes_open(struct client *client, const struct cli_args *args);

/* nodes_unload removes a waveform, by force if it is to end at once. An exit status. */
int nodes_unload(struct client *client, const char *waveform, bool force);

/* nodes_have: 1 if --platform has all nodes that the waveform names, 0 if not; -EINVAL after
 * saying what is wrong with the platform. */
int nodes_have(const struct cli_args *args, const struct waveform *waveform);

#endif
