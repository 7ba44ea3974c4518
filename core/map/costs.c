/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/costs.h"
#include "core/base/calibrate.h"
#include "core/map/profile.h"
#include "core/map/stages_read.h"

#include <math.h>

struct cost cost_of(const struct waveform *waveform, const struct wf_instance *instance,
    const struct profile *profile)
{
	const struct profile_entry *entry =
	    plan_profile_find(profile, instance->original ? instance->original : instance->name);
	struct cost cost = {.instance = instance,
	    .kmac = instance->type->kmac,
	    .kmac_budget = instance->type->kmac,
	    .fixed = NAN,
	    .strict = waveform->admit == WF_ADMIT_STRICT,
	    .paced = waveform_timed(waveform)};

	if (entry) {
		cost.source = COST_MEASURED;
		const struct length_cost at =
		    length_cost(entry->points, entry->n_points, length_of(instance));

		cost.kmac = at.kmac_p50;
		cost.kmac_budget = fmax(at.kmac_p99, 1.25 * at.kmac_p50);
		cost.length = at.source;
		cost.fixed = at.fixed;
		cost.timed = true;
	}
	if (instance->budget_us > 0) {
		cost.source = COST_GIVEN;
		cost.given_ns = instance->budget_us * 1e3;
	}
	return cost;
}

/* What the instance states for the lane's kind of core; NAN: nothing. */
static double stated_ns(const struct cost *cost, const struct lane_resource *lane)
{
	return lane->kind ? stages_kind_ns(cost->instance, lane->kind) : NAN;
}

double cost_typical_ns(const struct cost *cost, const struct lane_resource *lane)
{
	const double stated = stated_ns(cost, lane);

	if (!isnan(stated))
		return stated;
	return cost->source == COST_GIVEN && !cost->timed
	    ? cost->given_ns
	    : calibrate_ns(cost->kmac, resources_rate(lane));
}

double cost_need_ns(const struct cost *cost, const struct lane_resource *lane)
{
	if (!cost_stated(cost, lane) && cost->source == COST_MEASURED && !cost->strict)
		return calibrate_ns(1.25 * cost->kmac, resources_rate(lane));
	return cost_budget_ns(cost, lane);
}

double cost_budget_ns(const struct cost *cost, const struct lane_resource *lane)
{
	const double stated = stated_ns(cost, lane);

	if (cost->source == COST_GIVEN)
		return cost->given_ns;
	if (!isnan(stated))
		return stated;
	return calibrate_ns(cost->kmac_budget, resources_rate(lane)) +
	    (cost->source == COST_MEASURED ? 1000 : 0);
}

bool cost_lined(const struct cost *cost, const struct lane_resource *lane)
{
	return cost->source == COST_MEASURED && !cost_stated(cost, lane) && !isnan(cost->fixed);
}

double cost_fixed_ns(const struct cost *cost, const struct lane_resource *lane)
{
	return cost_lined(cost, lane) ? cost->fixed * cost_need_ns(cost, lane) : 0;
}

double cost_slot_ns(const struct cost *cost, const struct lane_resource *lane, double ns)
{
	const uint32_t places = waveform_places(cost->instance);

	if (places == 1 || (cost->paced && ns <= lane->room_ns))
		return ns;
	return cost->paced ? fmax(lane->room_ns, ns / places) : ns / places;
}

bool cost_stated(const struct cost *cost, const struct lane_resource *lane)
{
	return !isnan(stated_ns(cost, lane));
}

bool cost_known(const struct cost *cost, const struct lane_resource *lane)
{
	return cost_stated(cost, lane) || cost->source == COST_GIVEN ||
	    (cost->source == COST_MEASURED && lane->mmac_per_s > 0);
}
