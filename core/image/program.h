/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/program.h - the program of a waveform: its compiled tables. They are written once,
 * checked and sealed; offsets into the waveform image count from the start of that image.
 *
 * A program is the same on all nodes. A lane and a host carry their node; a segment is on the node
 * of its lane, which is that of its host (image_node_of). A node runs its own segments; those of
 * other nodes are rows that nobody runs there.
 */
#ifndef ALOE_IMAGE_PROGRAM_H
#define ALOE_IMAGE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
	IMAGE_VERSION = 15,
	IMAGE_NONE = 0xffffffff,
	IMAGE_VARS_MAX = 16,
	IMAGE_PARAMS_MAX = 32,
	IMAGE_INSTANCES_MAX = 1 << 17,
	IMAGE_EVENTS_MAX = 1 << 22,
	IMAGE_PAGE = 4096,   /* the smallest that there is */
	NODE_LANES_MAX = 64, /* on a node */
	IMAGE_NODES_MAX = 256,
	IMAGE_LANES_MAX = 1024, /* in a program, on all nodes */
};

#define IMAGE_MAGIC 0x31474d49454f4c41ull /* "ALOEIMG1" */
#define IMAGE_FOREVER UINT64_MAX

enum image_clock { IMAGE_TIMER, IMAGE_VIRTUAL, IMAGE_STEP, IMAGE_RADIO };
enum image_late { IMAGE_SLIP, IMAGE_SKIP };

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
	/* of a radio that is the clock, 0; text: the radio file, for its driver; the directory of
	 * paths in it, "" */
	uint32_t slot_samples, radio_file, radio_text, radio_cwd;
	double rate_hz;
	/* run indices 0..slots-1, and what sources have begun until then; IMAGE_FOREVER */
	uint64_t slots;
	uint32_t name, isolation, overrun; /* text offsets: name, isolation word, overrun word */
	/* of the waveform's instances: instance i is copy i / (count / copies), of i % (count /
	 * copies) */
	uint32_t copies;
	struct image_table nodes, lanes, hosts, segments, order, gates, instances, inputs, outputs,
	    buffers, params, vars, reals, radios, holds, text;
	uint64_t run; /* offset of struct image_run */
};

struct image_node {
	uint32_t name, reserved; /* text: as in the platform file; "": this machine */
};

struct image_lane {
	int32_t cpu;
	/* the last segment on it in the order of a slot, IMAGE_NONE: none is */
	uint32_t last;
	uint64_t state;      /* offset of struct image_lane_state */
	uint64_t typical_ns; /* of a usual slot, as planned; 0: some of it is a guess */
	uint32_t node, reserved;
};

/* What the instances of a host write, and no other host: whole pages, behind the part that is
 * everybody's. A wall, a line of canaries, lies at its beginning and before its links: what is
 * written there in error is noticed. */
enum { IMAGE_WALL = 64 };
struct image_host {
	uint64_t offset, bytes;
	uint64_t links; /* offset of the first of its rings; the wall lies before it */
	/* shared: it is the host of its node that waveforms share (isolation "none") */
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
	/* its last step is so many beyond the waveform's last index: the largest lag + run_on */
	uint32_t end, reserved;
	uint64_t state;  /* offset of struct image_segment_state */
	uint64_t events; /* offset of struct image_event[n_events]: event n lies at n % n_events */
};

struct image_instance {
	uint32_t name, component, path, file_line; /* text; file_line: line in the waveform file */
	/* text: its name in the file, of which `name` is a copy's */
	uint32_t original;
	/* of every slot: what the plan counted on; 0: a guess */
	uint32_t admitted_ns;
	uint64_t digest;
	uint32_t segment, lag, period, phase;
	uint64_t budget_ns;
	uint32_t inputs, n_inputs, outputs, n_outputs;
	uint32_t params, n_params, vars, n_vars;
	uint32_t kmac, io; /* io: bit 0 fills, bit 1 drains, bit 2 its budget is the user's */
	/* run_on: indices beyond the waveform's last that it is called for; 0: a source. build:
	 * text, SHA-256 of the component's file */
	uint32_t run_on, build;
	/* source: has no connected input; sink: the source instance whose index it ends + 1; 0 */
	uint32_t source, sink;
	uint64_t state; /* offset of struct image_instance_state */
	/* offset of struct hist_head: its calls; the cells are in image_instance_state */
	uint64_t time;
	uint64_t latency; /* offset of struct image_latency, sinks; 0 otherwise */
};

/* Sources that are called at `phase` of every `period` indices: the parts of a message meet those
 * of other sources for `holds` indices (core/map/tails.h). One row for all sources alike; none
 * where a message meets others in its own index only. */
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
	uint32_t depth; /* a power of two; 1: read in the step in which it is written */
	/* 1 + an earlier buffer, alike, whose items' place it has too: never both in use; 0: its
	 * own */
	uint32_t shares;
	/* bytes from message to message: items, canary, padding, canary of the next; times 64 */
	uint64_t stride;
	/* offset of the canary behind the items, see image_canary; the one before lies at -8 */
	uint64_t canary;
	uint64_t messages; /* offset of struct image_message[depth] */
	uint64_t data;     /* offset of the items */
};

struct image_param {
	uint32_t name, kind, flags, n_reals;
	double number, min, max;
	uint32_t names, n_names;  /* ENUM: n_names texts, one behind the other */
	uint64_t text;            /* offset, TEXT and PATH; 0 otherwise */
	uint64_t reals;           /* offset of floats, REALS: as loaded */
	uint32_t items_max, unit; /* unit: text */
	/* offset of struct image_array, REALS that are live; 0 otherwise */
	uint64_t array;
};

struct image_var {
	uint32_t name, real;       /* real: double, else uint64_t */
	uint32_t offset, reserved; /* in the component's state */
};

/* image_last gives the last index of a waveform that is to end at index `last`: the first one at
 * which no message that a source sent until `last` holds the run. IMAGE_FOREVER stays. */
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

/* image_timed: slots begin when the clock says so, whoever is ready, and threads of hosts run them
 * by lanes in real time. */
static inline bool image_timed(uint32_t clock)
{
	return clock == IMAGE_TIMER || clock == IMAGE_RADIO;
}

/* image_canary says at which byte of a message the canary lies: right behind the last item. */
static inline uint64_t image_canary(uint32_t item_bytes, uint32_t max)
{
	return (uint64_t)item_bytes * max;
}

#endif
