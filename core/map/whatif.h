/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/whatif.h - how far a plan is from what would not fit, or from what would.
 */
#ifndef ALOE_MAP_WHATIF_H
#define ALOE_MAP_WHATIF_H

#include "core/map/plan.h"

enum { WHATIF_CORES_MAX = 256 };

struct plan_whatif {
	bool known;     /* the capacity of every lane; else nothing below holds but `guessed` */
	size_t guessed; /* instances whose costs were never measured */
	double slot_ns; /* the shortest slot that this mapping holds, with the messages of now */
	/* all messages, budgets and links could be so many times as large; INFINITY: nothing
	 * grows */
	double scale;
	bool over;       /* a lane does not hold its instances */
	uint32_t first;  /* the instance to make faster first: the largest on the fullest lane */
	double first_ns; /* its budget */
	double
	    /* does not fit: what it may take so that its lane does; fits: so that its lane is
	     * not the fullest. Below 0: not even nothing would do */
	    enough_ns;
	double then_ns; /* the shortest slot if it took that (0 where enough_ns is below) */
	/* so many like that of the first lane are enough; 0: no number up to WHATIF_CORES_MAX */
	size_t cores;
};

/* plan_whatif looks at a plan that was made from this input (with options.admit, so that there is
 * one). 0 or -ENOMEM. */
int plan_whatif(const struct waveform *waveform, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, const struct plan *plan,
    struct plan_whatif *ret);

/* plan_whatif_note tells a user whose waveform was refused what is nearest. */
void plan_whatif_note(
    const struct waveform *waveform, const struct plan_whatif *whatif, struct diag *diag);

#endif
