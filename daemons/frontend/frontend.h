/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/frontend.h - the node's agent, put together: listener, bus and routing,
 * keep store, supervision, the way down.
 *
 *   up ---- DOWN, SIGTERM, SIGINT, SIGHUP, or the leash is pulled ----> ending: the daemons are
 *   told to leave, requests to daemons that have ended are refused; no process of ours left, or 5 s
 *   over ----> what is left is killed, the sockets and the directory (if empty) are removed
 *
 * Killed, it is missed and not mourned: daemons and hosts go on. Whoever keeps it starts another,
 * gives it a copy of what was kept (--keep), and it finds the daemons (supervise.h); they attach to
 * it (daemons/common/attach.h), exec puts again what is kept, each says HELLO, and it is as it was.
 * An exec that was killed with it has been started by then and has the copy. What all of them end
 * with is the leash, whose other end the keeper holds; a frontend that was given none makes one of
 * its own, and then all end with it.
 */
#ifndef ALOE_FRONTEND_H
#define ALOE_FRONTEND_H

#include <limits.h>

#include "daemons/common/daemon.h"
#include "core/base/text.h"
#include "core/keep/channel.h"
#include "daemons/frontend/listener.h"
#include "daemons/frontend/route.h"
#include "core/keep/store.h"
#include "daemons/frontend/supervise.h"

struct frontend {
	struct log log;
	struct loop loop;
	struct bus *bus;
	struct store store;
	struct listener listener;
	struct channel exec, stats, swman, bridge, statsman; /* their keep channels */
	struct channel keeper; /* of the node's keeper, which has a copy of the store */
	struct supervise supervise;
	struct machines machines;
	struct nodes nodes;
	struct route route;
	char name[NODE_NAME];  /* of the node */
	char builds[PATH_MAX]; /* folder of builds that the manager sends; "": none */
	char lanes[512];       /* CPUs of its entry, for exec; "": no entry */
	struct loop_watch signal_watch, leash_watch;
	struct loop_timer down_limit;
	int signal_fd;
	int leash[2]; /* [1]: -1, or ours where nobody above us holds one */
};

/* frontend_init takes the directory and starts the daemons: 0; -EINVAL when the directory cannot be
 * had or the user's limits are too small, or -errno, after logging why. frontend_run returns the
 * exit status when everything is to end. frontend_fini must follow in any case: it leaves no
 * process behind. */
int frontend_init(struct frontend *frontend, const struct daemon_args *args);
int frontend_run(struct frontend *frontend);
void frontend_fini(struct frontend *frontend);

#endif
