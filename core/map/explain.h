/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/explain.h - why a plan is as it is: which mapper won, what the others found, what would
 * change if.
 */
#ifndef ALOE_MAP_EXPLAIN_H
#define ALOE_MAP_EXPLAIN_H

#include "core/map/whatif.h"

/* One lane that an instance could be on, everything else staying where it is. What must stay
 * together moves along. */
struct plan_place {
	uint32_t lane;
	bool here;
	double load; /* of the lane's room, budgets */
	double cost; /* of core/map/mapping.h, at 100 % of the lanes; INFINITY: does not fit */
	uint32_t latency_slots, crossings;
	char breaks[128]; /* what could not be so; "": nothing */
};

struct plan_why {
	const char *instance;
	char **along; /* names of the instances that move along */
	size_t n_along;
	struct plan_place *places; /* by lane */
	size_t n_places;
};

/* plan_why looks at every lane for an instance. 0; -ENOENT (no such instance), -ENOMEM. End with
 * plan_why_free. */
int plan_why(const struct waveform *waveform, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, const struct plan *plan,
    const char *instance, struct plan_why **ret);
void plan_why_free(struct plan_why *why);

/* The plan with all of this, for people and as JSON; `why` may be NULL. The caller frees them. */
char *plan_explain_print(const struct waveform *waveform, const struct plan *plan,
    const struct plan_whatif *whatif, const struct plan_why *why);
char *plan_explain_json(const struct waveform *waveform, const struct plan *plan,
    const struct plan_whatif *whatif, const struct plan_why *why);

#endif
