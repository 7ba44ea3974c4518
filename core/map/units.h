/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/units.h - a waveform as a mapping problem: what moves as one, what it takes on each
 * lane, what joins it.
 *
 * Together stay: knots whose declared delays do not cover their cycles (core/map/cycles.h), and
 * whole copies, unless the file pins parts of them. What may not run on a lane (core/map/where.h)
 * takes INFINITY there. Units are numbered in topological order, ties by file order, and where
 * instances are in several places first all first places, so that neighbours in number are
 * neighbours in the graph. A link takes its largest message in every slot: items x bytes of an
 * item, in kbit.
 */
#ifndef ALOE_MAP_UNITS_H
#define ALOE_MAP_UNITS_H

#include "core/map/costs.h"
#include "core/map/mapping.h"
#include "core/map/resources.h"
#include "core/map/tails.h"

struct units {
	const struct waveform *waveform;
	const struct resources *resources;
	const struct cost *costs; /* by instance */
	size_t n;
	uint32_t *of; /* unit of each instance */
	int *pins;    /* by unit: lane, or -1 */
	/* n rows of n_lanes: ns of a slot, INFINITY where it may not be */
	double *typical;
	double *need; /* the same, of needs */
	/* between different units, each pair and direction once, by rising `from` */
	struct mapping_link *links;
	uint32_t *counts; /* by such a link: how many links of the waveform */
	size_t n_links;
	double kbit;        /* all of them */
	struct tail *tails; /* of each instance; NULL: one node */
};

/* units_init: 0, -ENOMEM, or -ELOOP (a cycle without delay: refused before). End with units_fini in
 * any case. */
int units_init(struct units *units, const struct waveform *waveform,
    const struct resources *resources, const struct cost *costs);
void units_fini(struct units *units);

/* units_placeable refuses units that may be on no lane, their instances being built for, or being
 * on, different nodes. 0 or -EINVAL. */
int units_placeable(const struct units *units, struct diag *diag);

/* units_restrict keeps all units off the lanes that are not `allowed`. */
void units_restrict(struct units *units, const bool *allowed);

/* units_problem makes the problem at a share of what the lanes and links have; end it with
 * units_problem_fini. A lane's capacity is `scale` x its room, less what is taken. */
struct units_problem {
	struct mapping_problem problem;
	double *capacity, *bandwidth;
};
int units_problem_init(struct units_problem *made, const struct units *units, const double *demand,
    double scale, double q);
void units_problem_fini(struct units_problem *made);

/* kbit of a link of the waveform in a slot. */
double units_link_kbit(const struct waveform *waveform, const struct wf_link *link);

#endif
