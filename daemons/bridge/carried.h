/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/bridge/carried.h - the waveforms that are on several nodes: for each a core/bridge over
 * its image, and when it has a round.
 *
 * exec's images come from the frontend (core/keep), writable, with the node image. A waveform has a
 * round with a peer when there is news for that one, looked at every CARRIED_LOOK_NS while the
 * waveform may run (without a clock sooner, as long as there is news), after the frames that came
 * in, and once in CARRIED_WORD_MS in any case, by which what was lost is noticed. Where the
 * segments of this node have ended, only that remains.
 */
#ifndef DAEMONS_BRIDGE_CARRIED_H
#define DAEMONS_BRIDGE_CARRIED_H

#include "core/bridge/bridge.h"
#include "core/keep/keep.h"
#include "daemons/bridge/offsets.h"

enum {
	CARRIED_LOOK_NS = 1000000,
	CARRIED_SOON_NS = 5000,
	CARRIED_WORD_MS = 20,
	CARRIED_REST_MS = 100
};

struct carried_peer {
	uint32_t node; /* of the platform */
	uint64_t sent_ns;
	uint64_t silent_ns; /* when it was heard last; 0: it is heard */
};

struct carried_wave {
	struct carried_wave *next;
	char name[KEEP_KEY_MAX + 1];
	uint64_t inode; /* of the image */
	struct image_view view;
	const struct node_control *control;
	struct bridge *bridge;
	struct carried_peer *peers; /* as they are numbered in the bridge */
	uint32_t n_peers;
	bool ended;       /* as of the last look: all that runs here */
	uint32_t looks;   /* without news since the last one with news, or steps that came */
	uint64_t runs_ns; /* since when it may run on a clock; 0: it may not */
	bool doubtful;    /* not named by the frontend that there is now; it may still do so */
};

struct carried {
	const struct machines *machines;
	const struct log *log;
	struct loop *loop;
	struct bridge_links links;
	struct offsets offsets;
	struct node_image *node; /* NULL: not there yet */
	uint64_t node_inode;
	struct carried_wave *waves;
	struct loop_timer look;
	uint64_t boot;     /* of this process, CLOCK_REALTIME */
	uint64_t strays;   /* frames of no waveform here */
	uint64_t refused;  /* frames that are none, or that a waveform does not allow */
	uint64_t unsent;   /* frames that could not be sent */
	uint64_t silences; /* that were told of: begun and ended */
	void (*silence)(void *self);
	void *self;
};

/* carried_open: 0, or -errno after logging why. `silence` is called when carried_silent says
 * something else of a node; NULL: nobody wants to know. */
int carried_open(struct carried *carried, const struct machines *machines, struct daemon *daemon,
    void (*silence)(void *self), void *self);
void carried_close(struct carried *carried);
/* carried_silent: a waveform that runs on a clock waits for word of the node, and nothing has been
 * heard of the node for max(10 slots, 50 ms) of that waveform. */
bool carried_silent(const struct carried *carried, uint32_t node);
/* What the frontend keeps; carried_entry finishes the entry. */
void carried_entry(struct carried *carried, struct keep_entry *entry);
void carried_lost(struct carried *carried);    /* the frontend was killed */
void carried_settled(struct carried *carried); /* another one has named all that there is */
/* carried_tell tells exec what was counted, a message for each waveform. */
void carried_tell(const struct carried *carried, struct bus *bus);

#endif
