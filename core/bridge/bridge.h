/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bridge/bridge.h - the segments of other nodes, in this node's image of a waveform: image and
 * bytes in, bytes out. No socket, no clock, no thread; frame.h has the bytes.
 *
 * Every node has the whole waveform image and runs its own segments. The segments of other nodes
 * are rows that nobody runs: the bridge alone writes their `done`, `ended`, `start_ns`, `slot` and
 * the messages that are read here. The gates (core/slot/segment.h) stay as they are: a done-index
 * that comes from another node is a credit like any other, the ring of the sender is the store for
 * repetition.
 *
 * 	bridge_round(bridge, peer);                      how far have the segments come?
 * 	while ((n = bridge_out(bridge, peer, bytes)))    what the peer lacks, and what is here
 * 		send(bytes, n);                          lost, doubled, late: all the same
 * 	bridge_in(bridge, bytes, n);                     from any peer
 *
 * Each round gives one frame at least, so that a round is a heartbeat, too. Under slip the sender
 * repeats a step until the peer has it, and never what the peer has: a frame that the peer did not
 * hear is noticed by a later one that it did (numbers, `heard` in frame.h). Under skip a step is
 * sent once; what is lost is ABSENT.
 *
 * What the bridge keeps for itself may be lost at any time: a new one learns from image and peer
 * how far both have come, and sends nothing under slip before it has heard that.
 *
 * A frame is checked before it is believed: a step of a segment is taken where the peer runs that
 * segment and where its gates towards the segments of this node are open, a message only at the
 * index that its step has, inside its ring.
 */
#ifndef ALOE_BRIDGE_H
#define ALOE_BRIDGE_H

#include "core/image/image.h"
#include "core/image/node.h"

enum {
	BRIDGE_WINDOW = 64, /* steps of a segment that may be on their way */
	BRIDGE_FRAME_BYTES_MIN = 192,
	BRIDGE_FRAME_BYTES_MAX = 1 << 30,
	BRIDGE_PARTS_MAX = 4096, /* of a step */
	BRIDGE_WHY = 256,
};

struct bridge_peer_options {
	uint16_t node;
	uint32_t frame_bytes; /* most in a frame; the same on both sides */
};

struct bridge_options {
	uint64_t load_id; /* of the waveform: frames of another one are foreign */
	uint64_t boot;    /* more than that of any bridge before on this node: CLOCK_REALTIME */
	uint16_t node;    /* this one, by its number in the program */
	const struct bridge_peer_options *peers; /* the nodes of the program beside this one */
	uint32_t n_peers;
	/* what is added to CLOCK_MONOTONIC here gives the time that all nodes share */
	uint64_t epoch_ns;
};

/* Of one peer. Every frame that came in is in one of frames, bad, foreign. */
struct bridge_counts {
	uint64_t frames, bad;
	/* of another load, of another node, or for another one */
	uint64_t foreign;
	uint64_t taken;    /* parts of steps that were put in their place */
	uint64_t known;    /* parts of steps that had come before: doubles, repetitions */
	uint64_t early;    /* parts of steps for which there is no room yet */
	uint64_t late;     /* under skip: parts whose slot is over */
	uint64_t sent;     /* frames */
	uint64_t unsent;   /* frames that could not be sent: bridge_unsent */
	uint64_t repeated; /* parts sent once more */
	uint64_t lost;     /* messages that were overwritten before they could be sent (skip) */
	uint64_t bytes, bytes_sent; /* of the frames that came, and of those sent */
};

struct bridge;

/* bridge_new: the view is writable and, as `control`, outlives the bridge; control gives the slot
 * of step 0. NULL with the reason in ret_why (BRIDGE_WHY bytes): a segment on a node that is no
 * peer, a step that has more parts than BRIDGE_PARTS_MAX, no memory. [control] */
struct bridge *bridge_new(const struct image_view *view, const struct node_control *control,
    const struct bridge_options *options, char *ret_why);
void bridge_free(struct bridge *bridge); /* takes NULL */
/* bridge_epoch: the epoch_ns of the options is another one, because the clock here was set. */
void bridge_epoch(struct bridge *bridge, uint64_t epoch_ns);

/* bridge_round begins a round for a peer (its place in the options) with the steps that the
 * segments of this node have done; bridge_out writes the next frame, at most frame_bytes: its
 * length, 0 where the round is over. */
void bridge_round(struct bridge *bridge, uint32_t peer);
size_t bridge_out(struct bridge *bridge, uint32_t peer, uint8_t *ret_bytes);
/* bridge_unsent: the frame that was written last, of `len` bytes, was lost here. */
void bridge_unsent(struct bridge *bridge, uint32_t peer, size_t len);

/* bridge_in takes a frame: 0; -EBADMSG, it is no frame or breaks the rules (what came before the
 * breach is in force); -ENOENT, it is of another load, node or for another one. Counted. */
int bridge_in(struct bridge *bridge, const uint8_t *bytes, size_t len);

/* bridge_news: since the last round for the peer a segment that concerns it has done a step, or the
 * peer is known to lack something, or a step of the peer has come that it waits to hear of. */
bool bridge_news(const struct bridge *bridge, uint32_t peer);

/* bridge_come: a number that grows with every part of a step that comes from the peer, and with
 * every step that is then known to be done there. */
uint64_t bridge_come(const struct bridge *bridge, uint32_t peer);

/* bridge_ended: all segments of this node have done their last step. */
bool bridge_ended(const struct bridge *bridge);

const struct bridge_counts *bridge_counts(const struct bridge *bridge, uint32_t peer);

#endif
