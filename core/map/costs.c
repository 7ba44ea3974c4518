/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/costs.h"
#include "core/base/calibrate.h"
#include "core/map/profile.h"

#include <assert.h>
#include <math.h>

struct cost cost_of(
    const struct wf_instance *instance, const struct profile *profile, enum wf_admit admit)
{
	const struct profile_entry *entry =
	    plan_profile_find(profile, instance->original ? instance->original : instance->name);
	struct cost cost = {.kmac = instance->type->kmac,
	    .kmac_budget = instance->type->kmac,
	    .strict = admit == WF_ADMIT_STRICT};

	if (entry) {
		cost.source = COST_MEASURED;
		cost.kmac = entry->kmac_p50;
		cost.kmac_budget = fmax(entry->kmac_p99, 1.25 * entry->kmac_p50);
		cost.timed = true;
	}
	if (instance->budget_us > 0) {
		cost.source = COST_GIVEN;
		cost.given_ns = instance->budget_us * 1e3;
	}
	return cost;
}

double cost_typical_ns(const struct cost *cost, double mmac_per_s)
{
	return cost->source == COST_GIVEN && !cost->timed ? cost->given_ns
	                                                  : calibrate_ns(cost->kmac, mmac_per_s);
}

double cost_need_ns(const struct cost *cost, double mmac_per_s)
{
	assert(mmac_per_s >= 0);
	if (cost->source == COST_MEASURED && !cost->strict)
		return calibrate_ns(1.25 * cost->kmac, mmac_per_s);
	return cost_budget_ns(cost, mmac_per_s);
}

double cost_budget_ns(const struct cost *cost, double mmac_per_s)
{
	assert(mmac_per_s >= 0);
	if (cost->source == COST_GIVEN)
		return cost->given_ns;
	return calibrate_ns(cost->kmac_budget, mmac_per_s) +
	    (cost->source == COST_MEASURED ? 1000 : 0);
}
