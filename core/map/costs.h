/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/costs.h - what each instance costs in a slot, and how sure that is.
 *
 * Measured: the profile's, at the length of the instance (core/map/length.h). The budget is given
 * by the file, or max(p99, 1.25 x p50) + 1 us: beyond it a call is an overrun. The need is what
 * mapping and admission count: the budget where it was given, else 1.25 x p50, for tails are not
 * there all at once, on most machines they are the machine's and not the component's, and a plan
 * must not turn with them; the largest of a lane is told as its reserve. With admit = "strict" the
 * need is the budget. The typical cost (p50) is what loads are balanced by. Stated: on a core of a
 * kind that the platform names, what the instance states for that kind (core/map/stages_read.h) is
 * budget, need and typical cost. Guessed: the component's own figure; it shapes the plan, but
 * nothing is refused for a guess.
 *
 * Where there are several, the first of these counts:
 *	budget and need   given, stated, measured, guessed
 *	typical cost      stated, measured, given, guessed
 * A budget in the file is a promise for every core. A stated time is said for this kind of core; a
 * profile was measured on some core and is scaled to this one.
 */
#ifndef ALOE_MAP_COSTS_H
#define ALOE_MAP_COSTS_H

#include "core/map/length.h"
#include "core/map/plan.h"
#include "core/map/resources.h"

enum cost_source { COST_GUESSED, COST_MEASURED, COST_GIVEN };

struct cost {
	enum cost_source source;
	double kmac;               /* typical */
	double kmac_budget;        /* max(p99, 1.25 x p50); as kmac when guessed */
	double given_ns;           /* "budget_us" of the file; 0: none */
	enum length_source length; /* of what is measured */
	double fixed;              /* share of kmac that does not grow with it; NAN: not known */
	const struct wf_instance *instance;
	bool strict; /* the need is the budget */
	bool timed;  /* kmac is measured: false with a given budget alone */
	bool paced;  /* slots begin at given times */
};

struct cost cost_of(const struct waveform *waveform, const struct wf_instance *instance,
    const struct profile *profile);

/* Times on a lane. */
double cost_typical_ns(const struct cost *cost, const struct lane_resource *lane);
double cost_need_ns(const struct cost *cost, const struct lane_resource *lane);
double cost_budget_ns(const struct cost *cost, const struct lane_resource *lane);
/* cost_fixed_ns is what of the need stays however small the messages become; 0: nothing is known to
 * stay. cost_lined tells whether that is known. */
double cost_fixed_ns(const struct cost *cost, const struct lane_resource *lane);
bool cost_lined(const struct cost *cost, const struct lane_resource *lane);
/* cost_slot_ns returns what a call of `ns` takes of each slot of the lane. Of an instance in r
 * places each place has one call in r slots: a call that is longer than a slot takes the whole lane
 * and up to r slots; without a clock only the mean counts. */
double cost_slot_ns(const struct cost *cost, const struct lane_resource *lane, double ns);
/* cost_stated tells whether the instance states them for the lane's kind of core. */
bool cost_stated(const struct cost *cost, const struct lane_resource *lane);
/* cost_known tells whether they are measured, given or stated, and no guess. */
bool cost_known(const struct cost *cost, const struct lane_resource *lane);

#endif
