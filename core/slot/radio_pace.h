/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/radio_pace.h - the pace `radio`: slots are spans of the radio's own time, told from the
 * packets' time stamps.
 *
 * 	ticks    tick0         + per_slot      + 2 per_slot
 * 	slot     | n            | n + 1         | n + 2 ...    slot = n + (ticks - tick0) / per_slot
 * 	packets  [   ][   ][   ][   ]      [   ][   ]
 *                                       ^ lost: its samples are missing in n + 1, and n + 2 is n +
 *                                       2 all the same
 *
 * A slot begins when its last sample has come on every channel, or one behind it: then what is
 * missing will not come any more. What has come already begins at once, so that after a stall the
 * slots catch up. When nothing comes for `patience` beyond the time at which it should have, slots
 * begin without (the lane flywheels at the nominal rate); packets that come behind their slot are
 * counted and left, and from then on it is waited for so much longer. A jump in the radio's time of
 * more than HORIZON is followed: forward by leaving out the slots between, backward (the radio was
 * set anew) by counting on from here.
 *
 * A packet that others have overtaken takes its place among them, if its slot has not run yet.
 *
 * A slot's edge is the time at which its last sample came. While the lane looks without pause it
 * sees that time; of what came while it did not look the edge is the nominal one, which goes on by
 * a slot's length from slot to slot and follows packets that come earlier at once, those that come
 * later slowly. So a stall of this machine shows as lateness of its slots, one of the radio does
 * not.
 */
#ifndef ALOE_SLOT_RADIO_PACE_H
#define ALOE_SLOT_RADIO_PACE_H

#include <aloe/component.h>

#include "core/image/radio.h"
#include "core/platform/radio.h"

#define RADIO_PACE_HORIZON_NS 1000000000ull

struct radio_queue { /* packets of one channel that are not done with, a ring */
	struct radio_packet *packets;
	uint32_t head, tail; /* free running */
	uint32_t at;         /* the first that may hold what is asked for next */
	uint64_t covered;    /* tick behind the last one */
};

struct radio_tx { /* of the slot that runs */
	uint8_t *place;
	uint32_t sent;
};

struct radio_pace {
	struct aloe_radio radio; /* first: what components get */
	struct radio *device;
	struct image_radio_state *state; /* where counts are shown; NULL */
	/* the one that runs or is waited for, and its first tick */
	uint64_t slot, slot_ticks;
	uint64_t per_slot;             /* ticks */
	uint64_t horizon;              /* ticks */
	uint64_t patience_ns, late_ns; /* late_ns: of a radio whose lateness is said */
	double slot_ns, edge_ns;       /* of slot `slot`, nominal */
	uint64_t looked_ns;            /* when it was looked for packets last */
	uint64_t since_ns, got_ns;     /* those that came last came between these */
	uint32_t mask;                 /* of the queues */
	bool started, begun;
	bool missed;   /* somebody asked for samples that are missing */
	bool unsent;   /* packets in line that have not been flushed */
	uint32_t ends; /* of slots, or of looks for one, since counts were shown */
	uint64_t caught_up, flywheeled, partial;
	struct radio_queue queue[RADIO_CHANNELS_MAX];
	struct radio_tx tx[RADIO_CHANNELS_MAX];
	struct aloe_radio_counts counts[RADIO_CHANNELS_MAX];
	uint64_t packets[RADIO_CHANNELS_MAX], behind[RADIO_CHANNELS_MAX], sent[RADIO_CHANNELS_MAX];
	uint64_t reordered[RADIO_CHANNELS_MAX], restarts[RADIO_CHANNELS_MAX];
	uint64_t failed[RADIO_CHANNELS_MAX];
	uint32_t trouble[RADIO_CHANNELS_MAX];
};

/* radio_pace_init: 0 or -ENOMEM. The device is the caller's. [control] */
int radio_pace_init(
    struct radio_pace *pace, struct radio *device, double rate_hz, uint32_t slot_samples);
void radio_pace_fini(struct radio_pace *pace);

/* For the lane's thread. wait: slot `slot` or a later one has begun, at its edge, and it is
 * *ret_now_ns; or IMAGE_FOREVER after a millisecond: to be asked again. end: the slot has run.
 * idle: nobody runs slots, what comes is thrown away. [slot] */
uint64_t radio_pace_wait(
    struct radio_pace *pace, uint64_t slot, uint64_t *ret_edge_ns, uint64_t *ret_now_ns);
void radio_pace_end(struct radio_pace *pace);
void radio_pace_idle(struct radio_pace *pace);

/* radio_pace_show writes the counts to where tools see them; end does so now and then. */
void radio_pace_show(struct radio_pace *pace);

#endif
