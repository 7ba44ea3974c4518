/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/rig.h - a hand-made program and image on the real engine (core/image, core/slot),
 * without waveform, plan or host: the test says which component runs in which segment with which
 * lag, and drives segments or single instances.
 *
 * 	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
 * 	int a = rig_add(rig, &source, 0, 0), b = rig_add(rig, &sink, 1, 1);
 * 	// component, segment, lag
 * 	rig_link(rig, a, 0, b, 0, 0); // ports, declared delay
 * 	rig->nodes[b].period = 4; // whatever else is needed
 * 	rig_open(rig); // gates, image, instances
 * 	segment_slot(&rig->segments[0], ...);
 * 	rig_close(rig);
 *
 * Node n is instance n, named "n0", "n1", ... Each output has a ring of its own of `depth` messages
 * of `max` items.
 */
#ifndef TESTS_COMMON_RIG_H
#define TESTS_COMMON_RIG_H

#include "core/slot/segment.h"

enum {
	RIG_NODES_MAX = 64,
	RIG_PORTS_MAX = 4,
	RIG_PARAMS_MAX = 8,
	RIG_SEGMENTS_MAX = 16,
	RIG_GATES_MAX = 128,
	RIG_MACHINES_MAX = 4
};

struct rig_value { /* of a parameter; the descriptor's default unless `set` */
	bool set;
	double number;
	const char *text;
	const float *reals;
	uint32_t n_reals;
};

struct rig_input {
	int from, port; /* -1: not connected */
	uint32_t delay;
};

struct rig_node {
	const struct aloe_component *component;
	uint32_t segment, lag, period, phase, run_on;
	uint32_t max, depth; /* of its outputs; depth 0: not connected */
	uint32_t tap;        /* messages that their rings keep for taps */
	uint64_t budget_ns;
	int source; /* of a sink: the node whose index it ends, or -1 */
	struct rig_input in[RIG_PORTS_MAX];
	struct rig_value values[RIG_PARAMS_MAX];
};

struct rig {
	enum image_clock clock;
	enum image_late late;
	uint64_t slot_ns, slots; /* 1 ms; IMAGE_FOREVER */
	uint32_t copies;         /* 0 or 1: none */
	uint32_t n_nodes, n_segments, n_gates;
	struct rig_node nodes[RIG_NODES_MAX];
	uint32_t segment_lane[RIG_SEGMENTS_MAX], segment_host[RIG_SEGMENTS_MAX];
	uint32_t segment_node[RIG_SEGMENTS_MAX]; /* of its lane and its host */
	struct {
		uint32_t segment;
		struct image_gate gate;
	} gates[RIG_GATES_MAX];
	/* after rig_open */
	struct image_files files;
	struct image_view view;
	struct node_control control;
	struct arena arena;
	struct instance instances[RIG_NODES_MAX];
	struct segment segments[RIG_SEGMENTS_MAX];
};

struct rig *rig_new(enum image_clock clock, enum image_late late);
int rig_add(
    struct rig *rig, const struct aloe_component *component, uint32_t segment, uint32_t lag);
void rig_link(struct rig *rig, int from, int from_port, int to, int to_port, uint32_t delay);
void rig_gate(struct rig *rig, uint32_t segment, uint32_t other, int32_t offset);
/* rig_gates adds both gates of every link between segments. */
void rig_gates(struct rig *rig);

/* rig_program gives the program alone, with its image laid out; the caller frees it. */
void *rig_program(const struct rig *rig, size_t *ret_len);
/* rig_image makes and maps the image; rig_open also opens all instances and segments. The control
 * block lets all run. */
void rig_image(struct rig *rig);
void rig_open(struct rig *rig);
void rig_close(struct rig *rig);

/* rig_step runs the next step of a segment in slot `slot`, as its lane would, at time `now`. */
enum segment_status rig_slot(struct rig *rig, uint32_t segment, uint64_t slot);
struct image_segment_state *rig_state(const struct rig *rig, uint32_t segment);
/* The message of index k in the ring of a node's output; NULL if another is there. *ret_data: its
 * items. */
const struct image_message *rig_message(
    const struct rig *rig, int node, int port, uint64_t k, const void **ret_data);

#endif
