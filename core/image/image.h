/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/image.h - the memory that processes share: what lies where, and checked access to it.
 *
 *   waveform image   one per waveform: its compiled program (tables, written once), then link rings, statistics, variables
 *                    and event rings. Writable by the waveform's own hosts, read-only to exec, stats and tools.
 *   node image       written by exec, read-only to all others: time bases, lane tables, one control block per waveform.
 *   lane image       the baton of one lane: writable by the hosts on that lane.
 *
 * Each is a sealed memfd. Offsets, never pointers. A reader that did not write an image checks it with image_check before
 * the first access and keeps its own copy of what it must not trust later (struct image_view does both).
 */
#ifndef ALOE_IMAGE_H
#define ALOE_IMAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hist.h"

enum {
	IMAGE_VERSION = 7,
	IMAGE_NONE = 0xffffffff,
	IMAGE_VARS_MAX = 16,
	IMAGE_PARAMS_MAX = 32,
	IMAGE_MISSES = 64,
	IMAGE_STEPS = 256, /* steps whose start is remembered */
	IMAGE_INSTANCES_MAX = 1 << 17,
	IMAGE_EVENTS_MAX = 1 << 22,
	NODE_LANES_MAX = 64,
	NODE_ENTRIES_MAX = 64, /* segments on one lane */
	NODE_WAVEFORMS_MAX = 64,
	NODE_TIMEBASES_MAX = 16,
	NODE_CHANGES = 64,
	IMAGE_RADIOS_MAX = 2,
	IMAGE_RADIO_CHANNELS_MAX = 4, /* of all radios together */
	IMAGE_RADIO_LATES = 64,
};

#define IMAGE_MAGIC 0x31474d49454f4c41ull  /* "ALOEIMG1" */
#define IMAGE_CANARY 0x5aa5c33c0ff0a55aull /* behind every message */
#define IMAGE_FOREVER UINT64_MAX

enum image_clock { IMAGE_TIMER, IMAGE_VIRTUAL, IMAGE_STEP, IMAGE_RADIO };
enum image_late { IMAGE_SLIP, IMAGE_SKIP };

/* ---- the program: tables, written once by program_build ------------------------------------------------------------ */

struct image_table {
	uint64_t offset;
	uint64_t count;
};

struct image_head {
	uint64_t magic;
	uint32_t version, late;
	uint64_t static_bytes; /* the program: head, tables, text */
	uint64_t total_bytes;  /* the image */
	uint32_t clock, n_hosts, latency_slots, shared_host;
	uint64_t slot_ns;
	uint32_t slot_samples, reserved; /* of a radio that is the clock; 0 */
	double rate_hz;
	uint64_t slots;                    /* run indices 0..slots-1; IMAGE_FOREVER */
	uint32_t name, isolation, overrun; /* text offsets: name, isolation word, overrun word */
	uint32_t
	    copies; /* of the waveform's instances: instance i is copy i / (count / copies), of i % (count / copies) */
	struct image_table lanes, segments, order, gates, instances, inputs, outputs, buffers,
	    params, vars, reals, radios, text;
	uint64_t run; /* offset of struct image_run */
};

struct image_lane {
	int32_t cpu;
	uint32_t last;  /* the last segment on it in the order of a slot, IMAGE_NONE: none is */
	uint64_t state; /* offset of struct image_lane_state */
	uint64_t typical_ns; /* of a usual slot, as planned; 0: some of it is a guess */
};

/* A segment may run step s when segment `segment` has done at least s + offset steps. */
struct image_gate {
	uint32_t segment;
	int32_t offset;
};

struct image_segment {
	uint32_t lane, host;
	uint32_t order,
	    n_instances; /* first position in the order table (uint32_t instance numbers) */
	uint32_t gates, n_gates;
	uint32_t lag_max, n_events;
	uint64_t state;  /* offset of struct image_segment_state */
	uint64_t events; /* offset of struct image_event[n_events]: event n lies at n % n_events */
};

struct image_instance {
	uint32_t name, component, path, file_line; /* text; file_line: line in the waveform file */
	uint32_t original;    /* text: its name in the file, of which `name` is a copy's */
	uint32_t admitted_ns; /* of every slot: what the plan counted on; 0: a guess */
	uint64_t digest;
	uint32_t segment, lag, period, phase;
	uint64_t budget_ns;
	uint32_t inputs, n_inputs, outputs, n_outputs;
	uint32_t params, n_params, vars, n_vars;
	uint32_t kmac, io; /* io: bit 0 fills, bit 1 drains */
	uint32_t source,
	    sink; /* source: has no connected input; sink: the source instance whose index it ends + 1, or 0 */
	uint64_t state; /* offset of struct image_instance_state */
	uint64_t
	    time; /* offset of struct hist_head: its calls; the cells are in image_instance_state */
	uint64_t latency; /* offset of struct image_latency, sinks; 0 otherwise */
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
	uint32_t
	    shares; /* 1 + an earlier buffer, alike, whose items' place it has too: never both in use; 0: its own */
	uint64_t stride; /* bytes from message to message: items, canary, padding to 64 */
	uint64_t
	    canary; /* offset of the canary in a message: max items, rounded up to 8 bytes, see image_canary */
	uint64_t messages; /* offset of struct image_message[depth] */
	uint64_t data;     /* offset of the items */
};

struct image_param {
	uint32_t name, kind, flags, n_reals;
	double number, min, max;
	uint32_t names, n_names; /* ENUM: n_names texts, one behind the other */
	uint64_t text;           /* offset, TEXT and PATH; 0 otherwise */
	uint64_t reals;          /* offset of floats, REALS: as loaded */
	uint32_t items_max, reserved;
	uint64_t array; /* offset of struct image_array, REALS that are live; 0 otherwise */
};

struct image_var {
	uint32_t name, real;       /* real: double, else uint64_t */
	uint32_t offset, reserved; /* in the component's state */
};

struct image_radio_channel { /* as it was set by who initialised the device; NaN: nobody has said */
	double rx_frequency, rx_gain, tx_frequency, tx_gain;
};

struct image_radio {                   /* a device, see core/waveform/radio.h */
	uint32_t transport;            /* enum wf_transport */
	uint32_t address, own_address; /* IPv4, host order */
	uint32_t sfp, n_channels, spp, initialised;
	uint32_t channels[2]; /* twice the daughterboard's number, and its own */
	uint32_t port, eal, clock_source, time_source; /* text */
	uint32_t ticks_per_sample, flow_control;
	uint32_t group, group_port, listen, reserved; /* multicast, IPv4 in host order; 0: none */
	uint64_t patience_ns;
	double clock_rate;
	int64_t tx_advance; /* samples; negative: untimed */
	struct image_radio_channel settings[2];
};

/* ---- what moves ------------------------------------------------------------------------------------------------------ */

struct image_message {
	_Atomic uint64_t stamp; /* index + 1 when complete; 0 while being written */
	_Atomic uint32_t len,
	    state; /* under skip a reader may come upon them while they are written */
};

struct image_miss {
	uint64_t slot, step;
	uint64_t at_ns;             /* CLOCK_MONOTONIC of the slot's edge */
	uint64_t late_ns;           /* beyond the slot's end */
	uint64_t start_late_ns;     /* how late the segment began */
	uint64_t longest_ns;        /* the instance that took longest */
	uint32_t instance, follows; /* follows: the slot before was missed, too */
};

/* A live array as it is in force, for tools: written by the host's control thread when the slot has taken it over. */
struct image_array {
	_Alignas(
	    64) _Atomic uint64_t edits; /* odd while it is written; 0: never, it is as loaded */
	_Atomic uint64_t sequence; /* of the latest change that was in force and is seen to here */
	_Atomic uint32_t len;
	_Atomic uint32_t items[]; /* bits of floats, items_max of them */
};

/* Changes that were taken, by sequence % NODE_CHANGES. */
struct image_taken {
	_Atomic uint64_t sequence, index;
};

/* Of the radio that is the clock: written by the host's lane, now and then. */
enum image_radio_count {
	RADIO_COUNT_PACKETS,   /* received in time */
	RADIO_COUNT_LOST,      /* missing by their numbers */
	RADIO_COUNT_BEHIND,    /* came when their slot had run already */
	RADIO_COUNT_OVERRUNS,  /* the device stopped receiving, and was started again */
	RADIO_COUNT_SENT,      /* packets */
	RADIO_COUNT_NO_ROOM,   /* not sent: the way out was full */
	RADIO_COUNT_TX_LATE,   /* came to the device after their time */
	RADIO_COUNT_UNDERRUNS, /* the device had nothing to send */
	RADIO_COUNT_SEQUENCE,  /* the device missed some, or got them out of order */
	RADIO_COUNT_RESTARTS,  /* the device was silent, and set up anew */
	RADIO_COUNTS
};

struct image_radio_late {
	_Atomic uint64_t slot, late_ns; /* slot + 1 */
};

struct image_radio_state {
	_Atomic uint64_t channel[IMAGE_RADIO_CHANNELS_MAX][RADIO_COUNTS];
	_Atomic uint64_t n_channels;
	_Atomic uint64_t caught_up; /* slots that ran at once, as their samples had been waiting */
	_Atomic uint64_t
	    flywheeled; /* slots that ran because time had passed, without all of their samples */
	_Atomic uint64_t partial; /* slots in which samples were missing */
	/* by slot: its samples had not come so long after they should have, by more than a quarter of a slot */
	struct image_radio_late late[IMAGE_RADIO_LATES];
};

struct image_run {
	_Atomic uint64_t last; /* last index, set by aloe_end; the smallest wins */
	_Atomic uint32_t
	    fault; /* instance + 1 of the first fault; then `code` and `why` are valid */
	int32_t code;
	uint64_t index; /* that it failed at */
	char why[240];
	_Atomic uint64_t
	    remaps; /* how often it has gone to other lanes; then what its segments had counted before: */
	_Atomic uint64_t slots, slipped, skipped, missed;
	struct image_radio_state radio;
};

struct image_segment_state {
	_Alignas(64) _Atomic uint64_t done; /* steps completed; its low half is a futex word */
	_Atomic uint32_t waiters;           /* who sleeps on it */
	_Atomic uint32_t ended; /* has run its last step: nobody waits for it any more */
	/* From here on nothing is read by the neighbours, who look at the line above from their own cores. */
	_Alignas(64) _Atomic uint32_t current; /* instance that runs now + 1; 0: none */
	_Atomic uint64_t slots;
	_Atomic uint64_t busy_ns; /* sum over steps */
	_Atomic uint64_t events;  /* written so far */
	_Atomic uint64_t changes; /* of the control block, taken so far */
	_Atomic uint64_t applied; /* those of them that were for its instances and are in force */
	_Atomic uint64_t misses;  /* written so far */
	_Atomic uint64_t slipped, skipped, missed, caught_up;
	_Atomic uint64_t start_ns[IMAGE_STEPS]; /* of step s at s % IMAGE_STEPS */
	_Atomic uint64_t slot[IMAGE_STEPS];
	struct image_miss miss[IMAGE_MISSES];
	struct image_taken taken[NODE_CHANGES];
	struct hist late; /* ns from slot edge to start */
	struct hist
	    overhead; /* ns of the step outside of work; of sampled steps, the sampling's clock reads included */
};

/* What a lane's segments take of a slot, together: each adds its part, the last one in the slot's order counts the sum. */
enum { IMAGE_LANE_SLOTS = 64 };
struct image_lane_state {
	_Alignas(64) _Atomic uint64_t ns[IMAGE_LANE_SLOTS]; /* of slot n at n % IMAGE_LANE_SLOTS */
	struct hist load;
};

/* Of a sink: measured from the step's start at its source, as marker, to the end of work. */
struct image_latency {
	_Alignas(64) _Atomic uint64_t slots_min, slots_max;
	struct hist ns;
};

/* What every call writes are variables and `time`, the times of each call of work, whose heads lie one behind the other in
 * the order of execution. */
struct image_instance_state {
	_Alignas(64) _Atomic uint64_t vars[IMAGE_VARS_MAX];
	struct hist_cells time_cells;
	_Atomic uint64_t idle, absent, late, overwritten, overruns, io_waits, io_lost;
	_Atomic uint64_t
	    params[IMAGE_PARAMS_MAX]; /* numbers as they are in force, bits of a double */
	_Atomic uint64_t port_ns[32],
	    port_count; /* inputs 0..15, outputs 16..31: sampled binding times, summed */
	_Atomic uint64_t
	    first; /* step before which it rests, see core/image/follow.h; 0: its lag */
};

struct image_event {
	uint64_t start_ns, step;
	uint32_t ns;
	uint32_t instance;
};

/* ---- node image ------------------------------------------------------------------------------------------------------ */

struct node_timebase {
	_Atomic uint32_t used; /* how many lanes */
	uint32_t pace;         /* enum image_clock: TIMER, STEP or RADIO */
	uint64_t slot_ns;
	uint64_t start_ns;        /* CLOCK_MONOTONIC of slot 0 */
	_Atomic uint64_t allowed; /* STEP: slots below this may begin */
};

struct node_entry { /* a segment on a lane, in order */
	_Atomic uint32_t live;
	uint32_t waveform; /* control block */
	uint32_t segment;
	_Atomic uint32_t
	    seat; /* thread of a host on this lane; read by all of them while an entry is used again */
};

struct node_lane {
	int32_t cpu;
	_Atomic uint32_t timebase; /* IMAGE_NONE: the lane is free */
	_Atomic uint32_t
	    entries; /* how many of the array were ever used; freed ones are used again */
	struct node_entry entry[NODE_ENTRIES_MAX];
};

struct node_change {
	uint64_t index; /* the instance's index before which it applies; IMAGE_FOREVER: the next */
	uint64_t sequence; /* 1, 2, 3, ... */
	uint32_t instance, param;
	double number;
};

struct node_control { /* one per waveform */
	_Atomic uint32_t used;
	uint32_t state; /* of exec, for its own restart */
	char name[64];
	_Atomic uint64_t
	    limit; /* steps below this may run: PAUSE, STEP, RUN; its low half is a futex word */
	_Atomic uint64_t base;    /* slot of step 0 */
	_Atomic uint64_t last;    /* last index by order (STOP, --slots) */
	_Atomic uint64_t changes; /* written so far */
	struct node_change change[NODE_CHANGES];
};

struct node_image {
	uint64_t magic;
	uint32_t version, n_lanes;
	double mmac_per_s;
	_Atomic uint32_t quit;
	struct node_timebase timebase[NODE_TIMEBASES_MAX];
	struct node_lane lane[NODE_LANES_MAX];
	struct node_control control[NODE_WAVEFORMS_MAX];
};

/* ---- lane image ------------------------------------------------------------------------------------------------------ */

/* baton = slot << 16 | fresh << 15 | entry. fresh: the slot has not begun, whoever has the entry waits for the pace. */
#define BATON_FRESH 0x8000u
#define BATON_NOBODY 0x7fffu
struct lane_image {
	_Alignas(64) _Atomic uint64_t baton;
	_Atomic uint64_t
	    since_ns; /* when the segment that has the baton began; 0 while it waits for the pace */
	_Atomic uint64_t slots, skipped; /* of the lane */
	_Atomic uint64_t
	    guard_ns; /* so long before a slot's edge its first thread wants to be awake; 0: not known yet */
	_Atomic uint64_t tid[NODE_ENTRIES_MAX];             /* thread of each seat */
	_Alignas(64) _Atomic uint32_t go[NODE_ENTRIES_MAX]; /* futex word of each seat */
};

static inline uint64_t baton_make(uint64_t slot, uint32_t fresh, uint32_t entry)
{
	return slot << 16 | fresh | entry;
}

static inline uint64_t baton_slot(uint64_t baton)
{
	return baton >> 16;
}

static inline uint32_t baton_entry(uint64_t baton)
{
	return baton & 0x7fff;
}

/* image_timed: slots begin when the clock says so, whoever is ready, and threads of hosts run them by lanes in real time. */
static inline bool image_timed(uint32_t clock)
{
	return clock == IMAGE_TIMER || clock == IMAGE_RADIO;
}

/* ---- access ---------------------------------------------------------------------------------------------------------- */

/* image_canary says at which byte of a message the canary lies: right behind the last item. */
static inline uint64_t image_canary(uint32_t item_bytes, uint32_t max)
{
	return (uint64_t)item_bytes * max;
}

/* A mapped waveform image and this process's own, checked copy of its program. */
struct image_view {
	uint8_t *base; /* the mapping */
	size_t bytes;
	const struct image_head *head; /* in the private copy, as are all tables below */
	const struct image_lane *lanes;
	const struct image_segment *segments;
	const uint32_t *order;
	const struct image_gate *gates;
	const struct image_instance *instances;
	const struct image_input *inputs;
	const struct image_output *outputs;
	const struct image_buffer *buffers;
	const struct image_param *params;
	const struct image_var *vars;
	const struct image_radio *radios;
	void *copy;
};

/* image_check tells whether `bytes` (len of them) hold a sound program: every table, offset, number and text inside its
 * limits. 0, or -EBADMSG with what is wrong in *ret_why (a constant string). */
int image_check(const void *bytes, size_t len, const char **ret_why);

/* image_create makes a sealed memfd of total_bytes, allocated in full, with the program in it: the fd, or -errno
 * (-ENOMEM / -ENOSPC: too little memory). */
int image_create(const void *program, size_t len);
/* image_memfd makes an empty one of `bytes`, allocated in full. */
int image_memfd(const char *name, size_t bytes);

/* image_open maps fd (writable or not), checks it and copies its program. 0 or -errno; -EBADMSG: not sound, or not sealed
 * against shrinking. */
int image_open(int fd, bool writable, struct image_view *ret);
/* image_bind gives the tables of a program that lies in no image: checked, the caller's. Nothing to close. */
void image_bind(void *program, struct image_view *ret);
void image_close(struct image_view *view);
void *image_map(
    int fd, size_t bytes, bool writable); /* NULL on failure or when the file is shorter */

const char *image_text(
    const struct image_view *view, uint64_t offset); /* always terminated; "" if out of range */
struct image_run *image_run(const struct image_view *view);
struct image_segment_state *image_segment_state(const struct image_view *view, uint32_t segment);
struct image_instance_state *image_instance_state(const struct image_view *view, uint32_t instance);
struct hist_head *image_time(const struct image_view *view, uint32_t instance);
/* image_time_merge adds what the instance's calls took to `into`, image_time_quantile is hist_quantile of them alone. */
void image_time_merge(const struct image_view *view, uint32_t instance, struct hist *into);
uint64_t image_time_quantile(const struct image_view *view, uint32_t instance, double q);
struct image_latency *image_latency(
    const struct image_view *view, uint32_t instance); /* NULL: no sink */
struct image_lane_state *image_lane_state(const struct image_view *view, uint32_t lane);
struct image_message *image_messages(const struct image_view *view, uint32_t buffer);
uint8_t *image_data(const struct image_view *view, uint32_t buffer);
struct image_event *image_events(const struct image_view *view, uint32_t segment);
const float *image_reals(const struct image_view *view, const struct image_param *param);
/* image_array_show puts an array where tools see it, image_array_seen says up to which change that is so (one writer: the
 * host). image_array_read copies what is in force, as loaded or as set since, into ret (room for items_max): how many.
 * image_array_sequence: the latest change seen, 0: none. `param` is one that has such a place. */
void image_array_show(const struct image_view *view, const struct image_param *param,
    const float *data, uint32_t len);
void image_array_seen(
    const struct image_view *view, const struct image_param *param, uint64_t sequence);
uint32_t image_array_read(
    const struct image_view *view, const struct image_param *param, float *ret);
uint64_t image_array_sequence(const struct image_view *view, const struct image_param *param);
/* image_taken_index: index that the change took in segment; false: not taken yet. */
bool image_taken_index(
    const struct image_view *view, uint32_t segment, uint64_t sequence, uint64_t *ret_index);
/* image_find_instance: number of the instance of that name, or IMAGE_NONE. */
uint32_t image_find_instance(const struct image_view *view, const char *name, size_t len);

/* image_layout places everything that moves behind the program and writes the offsets into the tables: called by
 * program_build, and again by image_fit when it has changed them. */
void image_layout(void *program);

#endif
