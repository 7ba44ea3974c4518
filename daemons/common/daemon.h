/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/daemon.h - what all daemons under the frontend do alike: options, leash, the tie
 * to the frontend, bus, HELLO, PING, main loop.
 *
 *         static const struct daemon_role role = {"aloe-stats", WIRE_STATS, handle, entry, ready,
 *         lost};
 *
 * 	int result = daemon_args_parse("aloe-stats", argc, argv, 0, &args);
 * 	if (result) return result > 0 ? 0 : 2;
 * 	if (daemon_init(&stats.daemon, &role, &args, &stats)) return 1;
 * 	code = daemon_run(&stats.daemon);	   until it is told to leave, or the leash is pulled
 * 	... put away what is its own ...
 * 	daemon_fini(&stats.daemon);
 *
 * Messages come only from a frontend that has answered HELLO: what one had sent that has been
 * killed since is dropped, for whoever waits for it has been told that it is lost.
 */
#ifndef ALOE_DAEMONS_DAEMON_H
#define ALOE_DAEMONS_DAEMON_H

#include <stdarg.h>

#include "core/base/log.h"
#include "core/bus/bus.h"
#include "daemons/common/attach.h"
#include "core/base/loop.h"

struct daemon_args {
	const char *dir;      /* runtime directory, always given */
	const char *state;    /* --state, NULL if not given */
	const char *node;     /* --node, NULL if not given */
	const char *platform; /* --platform, NULL if not given */
	const char *lanes;    /* --lanes, NULL if not given */
	const char *metrics;  /* --metrics, NULL if not given */
	const char *web;      /* --web, NULL if not given */
	bool shared;          /* --shared */
	int leash;            /* --leash, open descriptor; -1 if not given */
	int keep;             /* --keep, open descriptor; -1 if not given */
	int told;             /* --told, as --keep */
};

enum {
	DAEMON_STATE = 1,
	DAEMON_KEEP = 2,
	DAEMON_NODE = 4,
	DAEMON_PLATFORM = 8,
	DAEMON_SHARED = 16,
	DAEMON_LANES = 32,
	DAEMON_METRICS = 64 /* and --web */
};                          /* what it takes besides --dir and --leash */

/* daemon_args_parse: 0; 1 after --help or --version have been printed; -EINVAL after saying what is
 * wrong on standard error. A descriptor that is not open is an error; one that is becomes
 * close-on-exec. */
int daemon_args_parse(
    const char *program, int argc, char **argv, unsigned takes, struct daemon_args *ret);

struct daemon_role {
	const char *program; /* "aloe-..." */
	enum wire_peer peer;
	/* requests and events, and the answers to what was sent by bus_send */
	void (*handle)(void *self, const struct wire_view *view);
	/* of what is kept; finishes it. NULL: takes none */
	void (*entry)(void *self, struct keep_entry *entry);
	/* What is kept is all there, the first time or from another frontend: 0, or -errno, which
	 * ends the daemon. HELLO follows. May be NULL. */
	int (*ready)(void *self);
	void (*lost)(void *self); /* what was asked will not be answered; may be NULL */
	/* The daemon has given the frontend a sign of life, and is awake: for what is due once in a
	 * second. May be NULL. */
	void (*beat)(void *self);
};

struct daemon {
	struct log log;
	struct loop loop;
	struct bus *bus;
	struct daemon_args args;
	const struct daemon_role *role;
	void *self;
	struct attach attach;
	struct loop_watch bus_watch, leash_watch;
	struct loop_timer hello; /* said again until it is answered */
	bool greeted;            /* it was */
};

/* a daemon that has not ended so long after its leash was pulled is ended */
enum { DAEMON_GRACE_MS = 4000 };

/* daemon_init opens the bus, ignores SIGPIPE, watches the leash and begins to attach. 0, or -errno
 * after logging why. */
int daemon_init(struct daemon *daemon, const struct daemon_role *role,
    const struct daemon_args *args, void *self);
int daemon_run(struct daemon *daemon); /* the exit status */
/* daemon_is_ending tells whether the leash has been pulled: whatever else ends now ends for the
 * same reason, and the daemon will hear of it within the same turn of its loop. */
bool daemon_is_ending(const struct daemon *daemon);
/* daemon_fini also removes what is left in the runtime directory if the frontend has been
 * killed. */
void daemon_fini(struct daemon *daemon);

/* What the frontend is to keep; nothing while there is none: `ready` puts all again. */
void daemon_put(struct daemon *daemon, const char *key, const void *blob, size_t len,
    const int *fds, size_t n_fds);
void daemon_drop(struct daemon *daemon, const char *key);

/* The short answers. TEXT may have several lines. */
void daemon_ok(struct daemon *daemon, const struct wire_view *request);
__attribute__((format(printf, 4, 5))) void daemon_fail(
    struct daemon *daemon, const struct wire_view *request, int code, const char *format, ...);
/* daemon_forward passes a request on to another daemon, whose answer goes straight to who asked. 0
 * or -errno. */
int daemon_forward(struct daemon *daemon, const struct wire_view *request, enum wire_peer to);

#endif
