/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/fake_node.h - the real aloe-frontend over stand-ins for all that it starts (fake.h),
 * in a folder of its own.
 *
 * The folder gets a copy of aloe-frontend and, under the names of what that starts, copies of the
 * running test program. The test is the subreaper: what a frontend that was killed leaves becomes
 * its child.
 */
#ifndef TESTS_COMMON_FAKE_NODE_H
#define TESTS_COMMON_FAKE_NODE_H

#include <sys/types.h>

#include "core/bus/bus.h"

struct fake_node {
	char root[64], dir[80], bin[80];
	pid_t pid;
	int leash[2]; /* [1] -1: pulled */
	int keep;     /* end of a keep channel for the next frontend; 0: none */
	struct bus *client;
};

/* Setup and teardown of a test; the latter fails if anything is left. */
int fake_node_setup(void **state);
int fake_node_teardown(void **state);

/* fake_frontend_spawn starts a frontend, with this leash and standard error (-1: none, ours);
 * fake_node_start also connects. */
pid_t fake_frontend_spawn(const struct fake_node *node, int leash, int error);
void fake_node_start(struct fake_node *node);
int fake_node_status(const struct fake_node *node); /* waits for the end of the frontend */
void fake_frontend_kill(struct fake_node *node);
void fake_leash_pull(struct fake_node *node);
void fake_client_close(struct fake_node *node);
void fake_node_down(struct fake_node *node); /* in good order: nothing is left */
/* fake_after: the daemon after this one by number; a fake node is alone and has no bridge. */
static inline enum wire_peer fake_after(enum wire_peer peer)
{
	return peer == WIRE_SWMAN ? WIRE_STATSMAN : (enum wire_peer)(peer + 1);
}

/* fake_hosts_start gives exec two hosts that know of no leash, one of which loses its parent. */
void fake_hosts_start(struct fake_node *node);

/* how many have the node's directory among their arguments */
unsigned fake_processes(const struct fake_node *node);
void fake_orphans_reap(const struct fake_node *node);
void fake_nothing_is_left(const struct fake_node *node); /* waits for it */
void fake_rest(void);

int fake_ask(struct fake_node *node, enum wire_type type, enum wire_peer whom, const char *name,
    const char *text, struct wire_view *ret_view);
void fake_ask_ok(struct fake_node *node, enum wire_type type, enum wire_peer whom, const char *name,
    const char *text);
pid_t fake_pid_of(struct fake_node *node, enum wire_peer whom); /* by PING, until it answers */
void fake_text_is(const struct wire_view *view, const char *expected);
void fake_fail_is(const struct wire_view *view, uint64_t code, const char *text);
/* what LIST of a fake says */
void fake_kept_is(struct fake_node *node, enum wire_peer whom, const char *expected);

#endif
