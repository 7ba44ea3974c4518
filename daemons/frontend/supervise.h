/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/supervise.h - start the other daemons of the node, start them again when they
 * die or hang, end them.
 *
 *   off --start--> running --dies--> waiting (back-off) --> running ...
 *   supervise_end: told to leave, none restarted
 *       --find---> (adopted)
 *
 * A frontend that follows one that was killed finds that one's daemons alive: they are children of
 * whoever keeps the frontend now (its parent, a subreaper), and are adopted instead of started. A
 * daemon that has lived SUPERVISE_STEADY_MS is started again at once; one that has not, after 50
 * ms, 100 ms, 200 ms, ... at most 2 s, for as long as it takes.
 *
 * Each gives signs of life by a counter (core/keep/channel.h), which is looked at once a second;
 * one that is silent is asked again, and one that has given none for SUPERVISE_SILENT seconds is
 * killed, and started again as any that dies. What counts is time in which it could have
 * answered: not that in which it, or this program, waited for a CPU (core/base/silence.h), nor
 * times when this program itself stood still. Instead it is told, in the log and to whoever asks
 * for something (supervise_overload), that the machine is overloaded. The owner may have patience
 * with one that takes up what is kept, or has been asked for something that takes long. Each
 * further kill of the same daemon comes after twice the time, until it has lived SUPERVISE_CALM_S.
 */
#ifndef ALOE_FRONTEND_SUPERVISE_H
#define ALOE_FRONTEND_SUPERVISE_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/log.h"
#include "core/base/silence.h"
#include "core/wire/wire.h"
#include "core/base/loop.h"
#include "core/keep/channel.h"

enum {
	SUPERVISE_STEADY_MS = 1000,
	SUPERVISE_BACKOFF_MS = 50,
	SUPERVISE_BACKOFF_MS_MAX = 2000,
	SUPERVISE_SILENT = 5,       /* seconds, as all of these */
	SUPERVISE_SILENT_BUSY = 90, /* LOAD and its like */
	SUPERVISE_KEPT_A_S = 20,    /* entries that it takes up at least in a second */
	SUPERVISE_CALM_S = 60,
	SUPERVISE_OVERLOAD_S = 10, /* so long it is told */
	SUPERVISE_ARGS_MAX = 8,
};

struct supervise;

struct supervise_child {
	struct supervise *of;
	enum wire_peer peer;
	pid_t pid; /* 0: not running */
	int pidfd;
	struct loop_watch pid_watch;
	uint64_t started_ns;
	unsigned quick; /* deaths in a row without having lived long enough */
	unsigned hangs; /* kills for its silence */
	struct silence silence;
	bool starves; /* it was told that it does */
	bool killed;  /* and has not ended yet */
	struct loop_timer restart;
	struct channel *channel;
	const char *args[SUPERVISE_ARGS_MAX + 1]; /* beside --dir and --leash; NULL ends them */
};

struct supervise_owner {
	/* after its channel has been emptied */
	void (*ended)(void *self, enum wire_peer daemon, pid_t pid);
	/* whether it has said HELLO: until then its silence counts */
	bool (*greeted)(void *self, enum wire_peer daemon);
	/* seconds of silence that it may have now */
	unsigned (*patience)(void *self, enum wire_peer daemon);
	void *self;
};

struct supervise {
	const struct log *log;
	struct loop *loop;
	const char *dir;
	int leash; /* inherited by the children; set before the first is started */
	bool ending;
	struct supervise_owner owner;
	struct loop_timer second;
	uint64_t looked_ns, own_waited_ns;
	uint64_t overload_ns; /* when it was seen last; 0: never */
	char overload[160];
	/* by peer; those with of == NULL are not supervised */
	struct supervise_child children[WIRE_PEERS];
};

void supervise_init(struct supervise *supervise, const struct log *log, struct loop *loop,
    const char *dir, const struct supervise_owner *owner);
/* supervise_fini kills those adopted that have not ended. */
void supervise_fini(struct supervise *supervise);
/* supervise_add names a daemon; supervise_start starts it for the first time, or, where `adopt`,
 * takes up the one that is there: 0, or -errno when there is no such program. */
void supervise_add(struct supervise *supervise, enum wire_peer peer, struct channel *channel);
/* supervise_arg gives it another argument, and the value of that (NULL: none); nothing where
 * `given` is false. Texts are the caller's. */
void supervise_arg(struct supervise *supervise, enum wire_peer peer, bool given, const char *arg,
    const char *value);
int supervise_start(struct supervise *supervise, enum wire_peer peer, bool adopt);
pid_t supervise_pid(const struct supervise *supervise, enum wire_peer peer);
/* supervise_attach gives a daemon's connection to its channel; false: it is none of ours, and `fd`
 * stays the caller's. */
bool supervise_attach(struct supervise *supervise, enum wire_peer peer, pid_t pid, int fd);
void supervise_heard(struct supervise *supervise, enum wire_peer peer); /* a sign of life */
/* in words, with numbers; NULL: it is not */
const char *supervise_overload(const struct supervise *supervise);

/* supervise_reap takes all children that have ended, those of dead daemons too. Returns false when
 * there is none left at all, adopted ones included. */
bool supervise_reap(struct supervise *supervise);
/* all are told to leave; nothing is started from now on */
void supervise_end(struct supervise *supervise);

/* How long to wait before a daemon that has died `quick` times in a row, too early, is started
 * again. */
uint64_t supervise_backoff_ns(unsigned quick);

#endif
