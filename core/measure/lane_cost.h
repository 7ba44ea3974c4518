/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/measure/lane_cost.h - what a lane costs beside its instances, measured on this machine
 * with the lane itself.
 *
 * What the engine does for an instance is in the instance's own time already, which goes from the
 * end of the one before to its own end; so is what it does for a link. What is left is a slot's
 * own: to look at the clock, the table and the baton, to stamp and to count; and to hand on to
 * another host.
 */
#ifndef ALOE_MEASURE_LANE_COST_H
#define ALOE_MEASURE_LANE_COST_H

struct lane_cost {
	double base_ns; /* of a slot, whatever runs in it */
	/* from one host's thread to the next one's on the same core: wake, sleep, switch */
	double handover_ns;
};

/* lane_cost_measure runs lanes of empty segments on the CPU of the caller, at ordinary priority,
 * for about 20 ms; CPU time is counted, so that what others take of the machine meanwhile is not.
 * 0, -ENOMEM, -EAGAIN (no threads), or -ETIMEDOUT: the CPU was never ours. [control] */
int lane_cost_measure(struct lane_cost *ret);

#endif
