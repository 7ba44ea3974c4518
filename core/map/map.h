/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/map.h - steps inside plan_make, for core/map alone.
 */
#ifndef ALOE_MAP_MAP_H
#define ALOE_MAP_MAP_H

#include "core/map/plan.h"

/* map_lanes chooses the lane of each instance: pins; else a contiguous cut of the topological order that makes the
 * largest lane load smallest, then has the fewest links between lanes, then the fewest lanes. kmac: cost by instance;
 * capacity_kmac: of a lane in a slot, 0 unknown. 0, or -EINVAL with the reason in diag. */
int map_lanes(const struct waveform *waveform, size_t n_lanes, const double *kmac, double capacity_kmac,
	      struct diag *diag, uint32_t *ret_lanes);

/* order_lanes writes each instance's place in the execution order of its lane (0, 1, ...): writers first where the
 * distance is 0; among those that may go next one of the host before it, else the first of the file. */
int order_lanes(const struct waveform *waveform, const struct plan_instance *instances, const struct plan_link *links,
		const uint32_t *hosts, uint32_t *ret_order);

/* cycles_zero_delay refuses a cycle without any declared delay: no instance of it could go first. */
int cycles_zero_delay(const struct waveform *waveform, struct diag *diag);

#endif
