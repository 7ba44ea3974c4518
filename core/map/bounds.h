/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/bounds.h - how short the period of a chain can be on cores of two kinds (stages.h): what
 * no mapping beats, with and without replicas of stateless instances. A plan has only those
 * replicas that the file asks for.
 */
#ifndef ALOE_MAP_BOUNDS_H
#define ALOE_MAP_BOUNDS_H

#include "core/map/stages.h"
#include "core/waveform/platform.h"
#include "core/waveform/waveform.h"

struct plan_bound {
	double period_ns;
	uint32_t used[STAGES_KINDS]; /* the fewest cores of the first kind with that period */
	uint32_t slots;              /* latency */
};

struct plan_bounds {
	/* one node, all of whose cores have a kind, one or two, and a chain of instances that state
	 * their times for them; else nothing below holds */
	bool known;
	const char *kinds[STAGES_KINDS]; /* of the platform; the second may be NULL */
	uint32_t cores[STAGES_KINDS];
	struct plan_bound alone, replicas;
};

/* plan_bounds: 0, or -ENOMEM. */
int plan_bounds(const struct waveform *waveform, const struct platform_model *platform,
    struct plan_bounds *ret);

#endif
