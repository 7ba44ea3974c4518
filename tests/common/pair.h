/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/pair.h - a waveform on two nodes, with a bridge on each, in this process:
 *
 * 	node 0: source (segment 0) --> node 1: relay (segment 1) --> node 0: sink (segment 2)
 *
 * Messages are bytes, up to `max` of them, made from (index, byte) alone; the sink counts those
 * that are as they should be.
 */
#ifndef TESTS_COMMON_PAIR_H
#define TESTS_COMMON_PAIR_H

#include "core/bridge/bridge.h"
#include "tests/common/rig.h"

enum { PAIR_LOAD = 77 };

struct pair {
	struct rig *rig[2];
	struct bridge *bridge[2];
	uint32_t frame_bytes;
	uint64_t boot;
};

/* What the sink on node 0 has seen. */
struct pair_seen {
	uint64_t right, wrong, absent;
};

/* pair_rig makes the waveform of one node, ready for rig_open; depth of the rings. pair_open opens
 * both nodes and bridges. */
struct rig *pair_rig(enum image_clock clock, enum image_late late, uint32_t max, uint32_t depth);
void pair_open(struct pair *pair, enum image_late late, uint32_t max, uint32_t frame_bytes);
void pair_close(struct pair *pair);
/* pair_bridge makes the bridge of a node anew, as after it was killed. */
void pair_bridge(struct pair *pair, uint32_t node);
struct bridge *pair_bridge_of(struct rig *rig, uint32_t node, uint64_t boot, uint32_t frame_bytes);
/* pair_round sends one round from a node to the other: how many frames; bit i of `lost`: frame i is
 * lost on the way. */
uint32_t pair_round(struct pair *pair, uint32_t from, uint64_t lost);
/* pair_slot runs the segments of both nodes in a slot. */
void pair_slot(struct pair *pair, uint64_t slot);
struct pair_seen pair_seen(const struct rig *rig);
/* The items of a message: its length, its bytes. */
uint32_t pair_length(uint64_t index, uint32_t max);
void pair_fill(uint64_t index, uint8_t *bytes, uint32_t n);

#endif
