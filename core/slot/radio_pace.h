/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/radio_pace.h - the pace `radio`: a slot is a span of the radio's own time, which the
 * time stamps of the packets give.
 *
 * 	ticks    tick0         + per_slot      + 2 per_slot
 * 	slot     | n            | n + 1         | n + 2 ...    slot = n + (ticks - tick0) / per_slot
 * 	packets  [   ][   ][   ][   ]      [   ][   ]
 *                                   ^ a lost packet: its samples are missing in slot n + 1; the
 *                                     number of the next slot does not change
 *
 * A slot begins when its last sample, or a later sample, has arrived on every channel. Samples that
 * are missing then will not arrive. Slots whose samples have arrived begin at once, so the slots
 * catch up after a stall. If nothing arrives for `patience` after the expected time, slots begin
 * without samples at the nominal rate (the lane flywheels). Packets that arrive after their slot
 * are counted and dropped, and from then on the pace waits longer by as much as they were late. The
 * pace follows a jump of the radio's time by more than HORIZON, or any jump after the radio was set
 * up anew: after a jump forward the slots between are left out; after a jump backward (the radio's
 * time was set) the slot numbers go on from the present slot.
 *
 * A packet that later packets have overtaken is put in its place if its slot has not run yet.
 *
 * The edge of a slot is the time at which its last sample arrived. A lane that looks without pause
 * sees this time. For packets that arrived between two looks the nominal edge is used: it advances
 * by the length of a slot, follows earlier packets at once and later packets slowly. So a stall of
 * this machine makes slots late, and a stall of the radio does not: it leaves a record of its own,
 * if the samples came more than a slot late (came_late_ns).
 */
#ifndef ALOE_SLOT_RADIO_PACE_H
#define ALOE_SLOT_RADIO_PACE_H

#include <aloe/component.h>

#include "core/image/radio.h"
#include "core/platform/radio.h"

#define RADIO_PACE_HORIZON_NS 1000000000ull

struct radio_queue { /* packets of one channel that are still needed, a ring */
	struct radio_packet *packets;
	uint32_t head, tail; /* free running */
	uint32_t at;         /* first packet that may hold the next samples asked for */
	uint64_t covered;    /* first tick after the last packet */
};

struct radio_tx { /* of the slot that runs */
	uint8_t *place;
	uint32_t sent;
};

struct radio_pace {
	struct aloe_radio radio; /* first: what components get */
	struct radio *device;
	struct image_radio_state *state; /* where tools read the counts; NULL */
	/* slot that runs or is waited for, and its first tick */
	uint64_t slot, slot_ticks;
	uint64_t per_slot;             /* ticks */
	uint64_t horizon, renewed;     /* ticks; renewed: how near new channels begin */
	uint64_t patience_ns, late_ns; /* late_ns: lateness from which the radio is reported */
	double slot_ns, edge_ns;       /* of slot `slot`, nominal */
	uint64_t looked_ns;            /* time of the last look for packets */
	uint64_t since_ns, got_ns;     /* the last packets arrived between these times */
	/* the samples of the slot that runs came so much later than usual, or had not come by then;
	 * 0: less than a slot late */
	uint64_t came_late_ns, usual_late_ns;
	uint32_t mask; /* of the queues */
	bool started, begun;
	bool missed;   /* a component asked for samples that are missing */
	bool unsent;   /* packets have been passed to `send` and not flushed */
	bool timed;    /* packets of this slot were sent with a time */
	uint32_t ends; /* slots, or looks for a slot, since the counts were shown */
	uint64_t caught_up, flywheeled, partial;
	uint64_t flown; /* after the last slot that was counted as flywheeled */
	struct radio_queue queue[RADIO_CHANNELS_MAX];
	struct radio_tx tx[RADIO_CHANNELS_MAX];
	struct aloe_radio_counts counts[RADIO_CHANNELS_MAX];
	uint64_t packets[RADIO_CHANNELS_MAX], behind[RADIO_CHANNELS_MAX], sent[RADIO_CHANNELS_MAX];
	uint64_t reordered[RADIO_CHANNELS_MAX], restarts[RADIO_CHANNELS_MAX];
	uint64_t failed[RADIO_CHANNELS_MAX], unsized[RADIO_CHANNELS_MAX];
	uint32_t trouble[RADIO_CHANNELS_MAX];
};

/* radio_pace_init returns 0 or -ENOMEM. The device belongs to the caller. [control] */
int radio_pace_init(
    struct radio_pace *pace, struct radio *device, double rate_hz, uint32_t slot_samples);
void radio_pace_fini(struct radio_pace *pace);

/* The lane's thread calls these functions. [slot]
 * radio_pace_wait waits until slot `slot` or a later slot has begun, and returns the number of this
 * slot, its edge and the time now; or IMAGE_FOREVER after a millisecond: call it again.
 * radio_pace_end is called after a slot has run, at now_ns of CLOCK_MONOTONIC.
 * radio_pace_rest is called instead if the step had to wait: the slot begins once more.
 * radio_pace_idle is called while no slots are run; it drops all packets that have arrived. */
uint64_t radio_pace_wait(
    struct radio_pace *pace, uint64_t slot, uint64_t *ret_edge_ns, uint64_t *ret_now_ns);
void radio_pace_end(struct radio_pace *pace, uint64_t now_ns);
void radio_pace_rest(struct radio_pace *pace);
void radio_pace_idle(struct radio_pace *pace);

/* radio_pace_show copies the counts to the image, where tools read them. radio_pace_end and
 * radio_pace_rest call it from time to time. */
void radio_pace_show(struct radio_pace *pace);

#endif
