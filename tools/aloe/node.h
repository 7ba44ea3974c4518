/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/node.h - the daemons of one node, started from here.
 *
 * aloe-frontend gets the read end of a pipe whose write end stays here: however this process ends, kill -9 included, the
 * node reads end of file and ends too, with all its hosts, its socket and its directory.
 */
#ifndef TOOLS_ALOE_NODE_H
#define TOOLS_ALOE_NODE_H

#include <sys/types.h>

#include "tools/aloe/client.h"

struct node {
	pid_t pid;
	int pidfd; /* readable when the frontend has ended */
	int leash; /* write end */
};

/* node_dir makes a private runtime directory below $XDG_RUNTIME_DIR or /tmp. 0 or -errno. */
int node_dir(char *ret_dir, size_t size);
/* node_start starts aloe-frontend in `dir`; `state` may be NULL. 0 or -errno. */
int node_start(struct node *node, const char *dir, const char *state);
/* node_ready waits until all daemons answer. 0; -EINTR, -ECHILD, -ETIMEDOUT, *ret_missing naming the daemon. */
int node_ready(struct client *client, const char **ret_missing);
/* node_down asks the node to end and waits for it; node_pull lets go of the leash, and waits as well. The exit status of the
 * frontend, or -1 if it was killed. */
int node_down(struct node *node, struct client *client);
int node_pull(struct node *node);

#endif
