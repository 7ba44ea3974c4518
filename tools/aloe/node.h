/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/node.h - the daemons of one node, kept from here.
 *
 *   start ---> aloe-frontend runs ---- DOWN, or let go of ----> all has ended, nothing is left
 *                ^         | killed
 *                '--again--'   its daemons and the waveforms go on meanwhile, and find the new one
 *
 * What the frontend keeps for the others is kept here, too: the next frontend is given it, so that
 * nothing is lost where exec is killed at the same moment. It is taken and given while the client
 * waits for something.
 *
 * All of the node hold the read end of a pipe whose write end stays here: however this process
 * ends, kill -9 included, they read end of file and end too, with all hosts, sockets and the
 * directory. What loses its parent on the way becomes a child of this process, which reaps it, and
 * kills what is left at the end.
 */
#ifndef TOOLS_ALOE_NODE_H
#define TOOLS_ALOE_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/keep/channel.h"
#include "tools/aloe/client.h"

struct node {
	const char *dir, *state;
	const char *name;      /* NULL: that of the machine */
	const char *platform;  /* file of the nodes that it belongs to; NULL: it is alone */
	const char *metrics;   /* where /metrics is served; NULL: nowhere */
	const char *web;       /* where the dashboard is served; NULL: nowhere */
	bool managed;          /* by itself: it has an aloe-swman and an aloe-statsman */
	struct client *client; /* told of the frontend's end (node_fd) */
	pid_t pid;             /* 0: there is no frontend */
	int pidfd;             /* readable when the frontend has ended */
	int leash[2];
	struct log log;
	struct store store;  /* a copy of the frontend's */
	struct channel keep; /* by which it comes */
	int words[2];        /* standard error of all of the node, to be read at [0]; -1: ours */
	uint64_t began_ns, tended_ns;
	unsigned quick; /* frontends in a row that did not live long */
};

/* node_dir makes a private runtime directory below $XDG_RUNTIME_DIR or /tmp. 0 or -errno. */
int node_dir(char *ret_dir, size_t size);
/* node_start starts aloe-frontend in `dir`; `state` may be NULL; `of`: which node of which
 * platform, NULL: a node of no name that is alone; `words`: what the daemons say is to be read at
 * words[0], which does not wait. 0 or -errno. */
struct node_of {
	const char *name, *platform, *metrics, *web, *address; /* may be NULL */
	bool manages;                                          /* that platform */
};
int node_start(struct node *node, struct client *client, const char *dir, const char *state,
    const struct node_of *of, bool words);
/* node_again follows a frontend that has ended (-ECHILD): 0 when another one has been started; 1
 * when it had ended in good order; -EIO when it had failed, or too many in a row were killed,
 * unless `ever`; -EINTR; -errno. */
int node_again(struct node *node, bool ever);
/* node_follow is given what came of a call: where the frontend was killed over it (-ECHILD),
 * another one is started, which finds all as it was, and it is -ECONNRESET, for what was asked of
 * the first is not known; -ECHILD where none can be started. What has not been sent yet is not to
 * reach the second: it is asked again. Else it is as it was given. */
int node_follow(struct node *node, int rc);
/* node_first is node_ready for a node that has just been started. */
int node_first(struct node *node, const char **ret_missing);
/* node_ready waits until all daemons answer. 0; -EINTR, -ECHILD, -ETIMEDOUT, *ret_missing naming
 * the daemon. */
int node_ready(const struct node *node, const char **ret_missing);
/* node_answers asks the frontend of a node whose client has no bus open: 1 if it answers within
 * half a second, 0 if not; -EINTR, -ECHILD. */
int node_answers(struct node *node);
/* node_tend reaps what has ended, but for the frontend, at most twice a second; so does
 * node_follow. */
void node_tend(struct node *node);
/* node_down asks the node to end and waits for it; node_pull just lets go of the leash, and waits
 * as well. Nothing of the node is left afterwards. */
void node_down(struct node *node);
void node_pull(struct node *node);

#endif
