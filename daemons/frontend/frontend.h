/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/frontend.h - the node's agent, put together: door, bus and routing, keep store, supervision, the way down.
 *
 *   up ---- DOWN, SIGTERM, SIGINT, SIGHUP, or the leash is pulled ----> ending: the daemons are told to leave, requests to
 *   daemons that have ended are refused; no process of ours left, or 5 s over ----> what is left is killed, the sockets
 *   and the directory (if empty) are removed
 *
 * Killed, it is missed and not mourned: daemons and hosts go on. Whoever keeps it starts another, which finds the daemons
 * (supervise.h); they attach to it (daemons/common/attach.h), exec puts again what is kept, each says HELLO, and it is as it
 * was. What all of them end with is the leash, whose other end the keeper holds; a frontend that was given none makes one of
 * its own, and then all end with it.
 */
#ifndef ALOE_FRONTEND_H
#define ALOE_FRONTEND_H

#include "daemons/common/daemon.h"
#include "daemons/frontend/channel.h"
#include "daemons/frontend/door.h"
#include "daemons/frontend/route.h"
#include "daemons/frontend/store.h"
#include "daemons/frontend/supervise.h"

struct frontend {
	struct log log;
	struct loop loop;
	struct bus *bus;
	struct store store;
	struct door door;
	struct channel exec, stats, swman; /* their keep channels */
	struct supervise supervise;
	struct route route;
	struct loop_watch signal_watch, leash_watch;
	struct loop_timer down_limit;
	int signal_fd;
	int leash[2]; /* [1]: -1, or ours where nobody above us holds one */
};

/* frontend_init takes the directory and starts the daemons: 0; -EINVAL when the directory cannot be had, or -errno, after
 * logging why. frontend_run returns the exit status when everything is to end. frontend_fini must follow in any case: it
 * leaves no process behind. */
int frontend_init(struct frontend *frontend, const struct daemon_args *args);
int frontend_run(struct frontend *frontend);
void frontend_fini(struct frontend *frontend);

#endif
