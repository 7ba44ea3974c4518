/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/daemon.h - what all daemons under the frontend do alike: options, bus, HELLO, PING, leash, main loop.
 *
 *	static void exec_handle(void *self, const struct wire_view *view) { ... daemon_fail(&exec->daemon, view, 2,
 *"..."); }
 *
 *	int result = daemon_args_parse("aloe-exec", argc, argv, DAEMON_KEEP, &args);
 *	if (result) return result > 0 ? 0 : 2;
 *	if (daemon_init(&exec.daemon, "aloe-exec", WIRE_EXEC, &args, exec_handle, &exec)) return 1;
 *	... loop_watch_start(&exec.daemon.loop, ...) ...
 *	code = daemon_run(&exec.daemon);	   until the leash is pulled
 *	... put away what is its own ...
 *	daemon_fini(&exec.daemon);
 */
#ifndef ALOE_DAEMONS_DAEMON_H
#define ALOE_DAEMONS_DAEMON_H

#include <stdarg.h>

#include "core/base/log.h"
#include "core/bus/bus.h"
#include "daemons/common/loop.h"

struct daemon_args {
	const char *dir;   /* runtime directory, always given */
	const char *state; /* --state, NULL if not given */
	int keep;          /* --keep, open descriptor; -1 if not given */
	int leash;         /* --leash, the same */
};

enum { DAEMON_KEEP = 1, DAEMON_STATE = 2 }; /* what it takes besides --dir and --leash */

/* daemon_args_parse: 0; 1 after --help or --version have been printed; -EINVAL after saying what is wrong on standard
 * error. Descriptors that are not open are an error; those that are become close-on-exec. `takes` with DAEMON_KEEP
 * makes
 * --keep needed. */
int daemon_args_parse(const char *program, int argc, char **argv, unsigned takes, struct daemon_args *ret);

struct daemon {
	struct log log;
	struct loop loop;
	struct bus *bus;
	struct daemon_args args;
	void (*handle)(void *self, const struct wire_view *view);
	void *self;
	struct loop_watch bus_watch, leash_watch;
};

enum { DAEMON_GRACE_MS = 4000 }; /* a daemon that has not ended so long after its leash was pulled is ended */

/* daemon_init connects (and so says HELLO), ignores SIGPIPE and watches the leash. `handle` gets every request and event, and
 * the answers to what was sent by bus_send. 0, or -errno after logging why. */
int daemon_init(struct daemon *daemon, const char *program, enum wire_peer peer, const struct daemon_args *args,
		void (*handle)(void *self, const struct wire_view *view), void *self);
int daemon_run(struct daemon *daemon); /* the exit status */
/* daemon_fini also removes what is left in the runtime directory if the frontend has been killed. */
void daemon_fini(struct daemon *daemon);

/* The short answers. TEXT may have several lines. */
void daemon_ok(struct daemon *daemon, const struct wire_view *request);
__attribute__((format(printf, 4, 5))) void daemon_fail(struct daemon *daemon, const struct wire_view *request, int code,
						       const char *format, ...);
/* daemon_forward passes a request on to another daemon, whose answer goes straight to who asked. 0 or -errno. */
int daemon_forward(struct daemon *daemon, const struct wire_view *request, enum wire_peer to);

#endif
