/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/whatif.h - how far a plan is from what would not fit, or from what would.
 */
#ifndef ALOE_MAP_WHATIF_H
#define ALOE_MAP_WHATIF_H

#include "core/map/bounds.h"
#include "core/map/plan.h"

enum { WHATIF_CORES_MAX = 256 };

struct plan_whatif {
	bool known;     /* the capacity of every lane; else nothing below holds but `guessed` */
	size_t guessed; /* instances whose costs were never measured */
	double slot_ns; /* the shortest slot that this mapping holds, with the messages of now */
	/* the same of a stream, whose messages shrink and grow with the slot; 0: what of the costs
	 * stays is not known of all instances, or no slot is long enough, as where a link between
	 * nodes carries too little */
	double stream_ns;
	/* all messages, budgets and links could be so many times as large; of costs whose line is
	 * known only the marginal part grows; INFINITY: nothing grows */
	double scale;
	bool over;       /* a lane does not hold its instances */
	uint32_t first;  /* the instance to make faster first: the largest on the fullest lane */
	double first_ns; /* its budget */
	/* largest time of the instance at which its lane fits or, if all lanes fit, is not the
	 * fullest lane; below 0: even a time of 0 does not suffice */
	double enough_ns;
	double then_ns; /* shortest slot at that time; 0 if enough_ns is below 0 */
	/* cores like the core of the first lane that suffice; 0: more than WHATIF_CORES_MAX */
	size_t cores;
	struct plan_bounds bounds;
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
