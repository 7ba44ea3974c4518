/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/costs.h - what each instance costs in a slot, and how sure that is.
 *
 * Measured: the profile's. The budget is given by the file, or max(p99, 1.25 x p50) + 1 us: beyond
 * it a call is an overrun. The need is what mapping and admission count: the budget where it was
 * given, else 1.25 x p50, for tails are not there all at once, on most machines they are the
 * machine's and not the component's, and a plan must not turn with them; the largest of a lane is
 * told as its reserve. With admit = "strict" the need is the budget. The typical cost (p50) is what
 * loads are balanced by. Guessed: the component's own figure; it shapes the plan, but nothing is
 * refused for a guess.
 */
#ifndef ALOE_MAP_COSTS_H
#define ALOE_MAP_COSTS_H

#include "core/map/plan.h"

enum cost_source { COST_GUESSED, COST_MEASURED, COST_GIVEN };

struct cost {
	enum cost_source source;
	double kmac;        /* typical */
	double kmac_budget; /* max(p99, 1.25 x p50); as kmac when guessed */
	double given_ns;    /* "budget_us" of the file; 0: none */
	bool strict;        /* the need is the budget */
	bool timed;         /* kmac is measured: false with a given budget alone */
};

struct cost cost_of(
    const struct wf_instance *instance, const struct profile *profile, enum wf_admit admit);

/* Times on a core of this rate (MMAC/s, not 0). */
double cost_typical_ns(const struct cost *cost, double mmac_per_s);
double cost_need_ns(const struct cost *cost, double mmac_per_s);
double cost_budget_ns(const struct cost *cost, double mmac_per_s);

#endif
