/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/map.h - steps inside plan_make, for core/map alone.
 *
 * Which lane for which instance: the mappers of core/map/mapper.h propose, rank_better disposes.
 *
 * The platform's lanes ("tiers"): the first of 50, 80 and 100 % of what the lanes have at which
 * some mapper fits; among the mappings found there the least latency, then the fewest links between
 * lanes, then the least cost. What one lane carries at that share is not spread at all. A latency
 * of more than 2 x the lanes used is taken only where nothing fits otherwise.
 *
 * Lanes that the user named ("spread"): as even as can be without a path that comes back to a lane
 * it has left: the smallest largest load (within 5 %), then the least latency, the fewest links
 * between lanes, the least cost. Lanes whose capacity is not known, and none named: those that pins
 * name, or lane 0.
 *
 * Where nothing fits, the smallest largest load; admission then says what is missing.
 */
#ifndef ALOE_MAP_MAP_H
#define ALOE_MAP_MAP_H

#include "core/map/mapper.h"
#include "core/map/paths.h"
#include "core/map/plan.h"
#include "core/map/tails.h"
#include "core/map/units.h"

/* map_lanes chooses the lane of each instance and tells how in *ret. 0; -EINVAL with the reason in
 * diag (no mapping joins the nodes that it needs, ...); -ENOMEM. */
int map_lanes(struct units *units, const struct plan_options *options, struct diag *diag,
    uint32_t *ret_lanes, struct plan_choice *ret);

/* pins_check refuses pins to lanes that there are not. */
int pins_check(const struct waveform *waveform, size_t n_lanes, struct diag *diag);

struct lag_lanes {
	const uint32_t *of;    /* lane of each instance */
	const uint32_t *delay; /* n x n: slots between lanes; NULL: 1 */
	size_t n;
	const struct tail *tails; /* of each instance; NULL: one node, nobody waits for sources */
};

/* lags_values gives the least lags (n_instances) that make every link legal; `arcs` is room for
 * n_links. 0, -ELOOP (a cycle is not covered, in *ret_cycle unless NULL), -ENOMEM. lags_make is the
 * same with the reason in diag and -EINVAL. */
int lags_values(const struct waveform *waveform, const struct lag_lanes *lanes, struct arc *arcs,
    int64_t *ret_values, struct arc_cycle *ret_cycle);
int lags_make(const struct waveform *waveform, const struct lag_lanes *lanes, uint32_t *ret_lags,
    struct diag *diag);

/* order_lanes writes each instance's place in the execution order of its lane (0, 1, ...): writers
 * first where the distance is 0; among those that may go next one of the host before it, else the
 * first of the file. Copies that run side by side (core/map/side.h) follow one another; ret_side is
 * 1 + the position among them, 0 for all others. */
int order_lanes(const struct waveform *waveform, const struct plan_instance *instances,
    const struct plan_link *links, const uint32_t *hosts, uint32_t *ret_order, uint32_t *ret_side);

/* cycles_zero_delay refuses a cycle without any declared delay: no instance of it could go
 * first. */
int cycles_zero_delay(const struct waveform *waveform, struct diag *diag);

#endif
