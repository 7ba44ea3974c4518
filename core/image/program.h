/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/program.h - the program of a waveform: its compiled tables. The tables are written
 * once, checked and sealed. Offsets into the waveform image count from the start of that image.
 *
 * A program is the same on all nodes. A lane and a host carry their node; a segment is on the node
 * of its lane, which is also the node of its host (image_node_of). A node runs only its own
 * segments.
 */
#ifndef ALOE_IMAGE_PROGRAM_H
#define ALOE_IMAGE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
	IMAGE_VERSION = 28,
	IMAGE_NONE = 0xffffffff,
	IMAGE_VARS_MAX = 16,
	IMAGE_PARAMS_MAX = 32,
	IMAGE_INSTANCES_MAX = 1 << 17,
	IMAGE_EVENTS_MAX = 1 << 22,
	IMAGE_PAGE = 4096,   /* the smallest size of a page */
	NODE_LANES_MAX = 64, /* on a node */
	IMAGE_NODES_MAX = 256,
	IMAGE_LANES_MAX = 1024, /* in a program, on all nodes */
};

#define IMAGE_MAGIC 0x31474d49454f4c41ull /* "ALOEIMG1" */
#define IMAGE_FOREVER UINT64_MAX

enum image_clock { IMAGE_TIMER, IMAGE_VIRTUAL, IMAGE_STEP, IMAGE_RADIO };
enum image_late { IMAGE_SLIP, IMAGE_SKIP };
/* What happens when a node of the program is lost (core/cluster/loss.h). */
enum image_node_loss { IMAGE_LOSS_HOLD, IMAGE_LOSS_STOP, IMAGE_LOSS_RESTART };

struct image_table {
	uint64_t offset;
	uint64_t count;
};

struct image_head {
	uint64_t magic;
	uint32_t version, late;
	uint64_t static_bytes; /* the program: head, tables, text */
	uint64_t total_bytes;  /* the waveform image */
	uint32_t clock, n_hosts, latency_slots, radio_fast;
	uint64_t slot_ns;
	/* for a radio that is the clock (slot_samples 0: none). Text offsets: name and text of the
	 * radio file, and the directory of the paths in it */
	uint32_t slot_samples, radio_file, radio_text, radio_cwd;
	double rate_hz;
	/* indices 0..slots-1 run, and the messages that sources have begun by then; IMAGE_FOREVER:
	 * no limit */
	uint64_t slots;
	uint32_t name, isolation, overrun; /* text offsets: name, isolation word, overrun word */
	/* of n instances, instance i belongs to copy i / (n / copies) and is the instance i % (n /
	 * copies) of the file */
	uint32_t copies;
	struct image_table nodes, lanes, hosts, segments, order, gates, instances, inputs, outputs,
	    buffers, params, vars, reals, radios, holds, text;
	uint64_t run;     /* offset of struct image_run */
	uint64_t load_id; /* of the load: the same on all nodes, of no other load */
	/* enum image_node_loss; IMAGE_LOSS_RESTART: a node without word from the manager for
	 * lease_ms holds its part */
	uint32_t on_node_loss, lease_ms;
	/* text: folder where lapses are written, and from where they are repeated; "": none */
	uint32_t record, replay;
	/* 1: threads of lanes are SCHED_RR, 0: SCHED_FIFO */
	uint32_t round_robin, reserved;
};

struct image_node {
	uint32_t name, reserved; /* text: name in the platform file; "": this machine */
};

struct image_lane {
	int32_t cpu;
	/* the last segment of the lane in the order of a slot; IMAGE_NONE: no segment */
	uint32_t last;
	uint64_t state;      /* offset of struct image_lane_state */
	uint64_t typical_ns; /* planned time of a usual slot; 0: a part of it is a guess */
	uint32_t node, reserved;
};

/* The pages that only the instances of this host write; they follow the part for all hosts. A wall,
 * which is a line of canaries, lies at their beginning and before the links, so that stray writes
 * are noticed. */
enum { IMAGE_WALL = 64 };
struct image_host {
	uint64_t offset, bytes;
	uint64_t links; /* offset of the first ring; a wall lies before it */
	/* shared: the waveforms of the node share this host (isolation "none") */
	uint32_t node, shared;
};

/* A segment may run step s when segment `segment` has done at least s + offset steps. */
struct image_gate {
	uint32_t segment;
	int32_t offset;
};

struct image_segment {
	uint32_t lane, host;
	/* first position in the order table (uint32_t instance numbers) */
	uint32_t order, n_instances;
	uint32_t gates, n_gates;
	uint32_t lag_max, n_events;
	/* steps after the last index of the waveform: the largest lag + run_on */
	/* stride: 1; of an instance in r places r, for it works on each rth index only, and has r
	 * slots for it: its steps s have s % r = turn, and after one of them it has done r */
	uint32_t end, stride, turn, reserved;
	uint64_t state;  /* offset of struct image_segment_state */
	uint64_t events; /* offset of struct image_event[n_events]: event n lies at n % n_events */
};

/* What is known of an instance, as bits: budget given: by the user. */
enum image_io { IMAGE_FILLS = 1, IMAGE_DRAINS = 2, IMAGE_BUDGET_GIVEN = 4 };
#define IMAGE_IO (IMAGE_FILLS | IMAGE_DRAINS)

struct image_instance {
	uint32_t name, component, path, file_line; /* text; file_line: line in the waveform file */
	/* text: the name in the file; `name` is the name of the copy */
	uint32_t original;
	/* time in every slot that the plan counted; 0: a guess */
	uint32_t admitted_ns;
	uint64_t digest;
	uint32_t segment, lag, period, phase;
	uint64_t budget_ns;
	uint32_t inputs, n_inputs, outputs, n_outputs;
	uint32_t params, n_params, vars, n_vars;
	uint32_t kmac, io; /* io: enum image_io */
	/* run_on: calls for indices after the last index of the waveform; 0 for a source. build:
	 * text, SHA-256 of the component's file */
	uint32_t run_on, build;
	/* source: 1 if no input is connected. sink: number of the source whose latency it measures
	 * + 1; 0: no sink */
	uint32_t source, sink;
	/* place: of an instance in `places` places, the one that works on the indices k with
	 * k % places = place. Each has a row: `named` is the first, which tools name; `rest` the
	 * second, behind which the others follow; 0 if there is one place */
	uint32_t places, place, named, rest;
	uint64_t state; /* offset of struct image_instance_state */
	/* offset of struct hist_head of the calls; the cells are in image_instance_state */
	uint64_t time;
	uint64_t latency; /* sinks: offset of struct image_latency; 0 otherwise */
	/* number of the upgrade that brought this build (core/image/follow.h); 0: as loaded. given:
	 * bit p: parameter p was set with the upgrade, so what the old build had does not matter */
	uint32_t upgrade, given;
	/* instances side by side, which one call of work_many serves: they are neighbours in the
	 * order of their segment, and alike; 1 + position among them. 0: on its own */
	uint32_t side, reserved;
};

/* Sources that are called at `phase` of every `period` indices, and the parts of whose messages
 * meet those of other sources for `holds` indices (core/map/tails.h). Equal sources share one row.
 * There is no row if messages meet others in their own index only. */
struct image_hold {
	uint32_t period, phase, holds, reserved;
};

struct image_input {
	uint32_t name, buffer; /* IMAGE_NONE: not connected */
	uint32_t type, max;
	uint32_t delay, crosses; /* crosses: written by another segment */
};

struct image_output {
	uint32_t name, buffer;
	uint32_t type, max;
};

struct image_buffer {
	uint32_t instance, port;
	uint32_t type, max;
	uint32_t depth; /* a power of two; 1: messages are read in the step that writes them */
	/* 1 + an earlier equal buffer whose memory for items this buffer uses, too; both are never
	 * in use at the same time; 0: the buffer has its own memory */
	uint32_t shares;
	/* messages that the ring keeps for taps (core/tap/tap.h), fewer than depth; 0: no tap */
	uint32_t tap, reserved;
	/* bytes from message to message, a multiple of 64: items, canary, padding, canary of the
	 * next message */
	uint64_t stride;
	/* offset of the canary after the items, see image_canary; the one before them is at -8 */
	uint64_t canary;
	uint64_t messages; /* offset of struct image_message[depth] */
	uint64_t data;     /* offset of the items */
};

struct image_param {
	uint32_t name, kind, flags, n_reals;
	double number, min, max;
	uint32_t names, n_names;  /* ENUM: n_names texts, one after another */
	uint64_t text;            /* TEXT and PATH: offset; 0 otherwise */
	uint64_t reals;           /* REALS: offset of the floats as loaded */
	uint32_t items_max, unit; /* unit: text */
	/* live REALS: offset of struct image_array; 0 otherwise */
	uint64_t array;
	/* overrun = "mode": the number while it holds; NaN: the parameter stays as it is */
	double mode;
};

struct image_var {
	uint32_t name, real;       /* real: double, else uint64_t */
	uint32_t offset, reserved; /* in the component's state */
};

/* image_last returns the last index of a waveform that should end at index `last`: the first index
 * at which no message that a source sent until `last` holds the run. IMAGE_FOREVER stays. */
static inline uint64_t image_last(const struct image_hold *holds, uint64_t n, uint64_t last)
{
	uint64_t end = last;

	for (uint64_t i = 0; i < n && last != IMAGE_FOREVER; i++)
		if (last >= holds[i].phase) {
			const uint64_t begun = last - (last - holds[i].phase) % holds[i].period,
			               over = begun + holds[i].holds - 1;

			end = over > end ? over : end;
		}
	return end;
}

/* image_tap_keep returns how many messages the ring of a tapped output keeps if nobody says: those
 * of 100 ms, at least 16. image_tap_depth returns the depth of a ring that keeps `keep` messages
 * beside the message that is being written. */
enum { IMAGE_TAP_NS = 100000000, IMAGE_TAP_MIN = 16, IMAGE_TAP_MAX = 1 << 19 };

static inline uint32_t image_tap_keep(uint64_t slot_ns)
{
	const uint64_t keep = slot_ns == 0 ? 0 : (IMAGE_TAP_NS + slot_ns - 1) / slot_ns;

	return keep < IMAGE_TAP_MIN ? IMAGE_TAP_MIN
	    : keep > IMAGE_TAP_MAX  ? IMAGE_TAP_MAX
	                            : (uint32_t)keep;
}

static inline uint32_t image_tap_depth(uint32_t keep)
{
	uint32_t depth = 2;

	while (depth <= keep && depth <= IMAGE_TAP_MAX)
		depth *= 2;
	return depth;
}

/* image_timed tells whether slots begin at given times, even if segments are not ready, and threads
 * of hosts run them on lanes in real time. */
static inline bool image_timed(uint32_t clock)
{
	return clock == IMAGE_TIMER || clock == IMAGE_RADIO;
}

/* image_canary returns the offset of the canary in a message: the byte after the last item. */
static inline uint64_t image_canary(uint32_t item_bytes, uint32_t max)
{
	return (uint64_t)item_bytes * max;
}

#endif
