/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/cycles.h - which instances must, or may, part: the first half of the mapping.
 *
 * A knot is a strongly connected component: instances that all lie on cycles with each other. A
 * knot whose declared delays cover every link of each of its cycles may be spread freely; any other
 * is kept together on one lane. If pins tear such a knot apart, its other members are placed so
 * that the plan is legal, if any placement is.
 */
#ifndef ALOE_MAP_CYCLES_H
#define ALOE_MAP_CYCLES_H

#include "core/map/plan.h"

struct knots {
	uint32_t *of;   /* knot of each instance: the number of its first member */
	bool *together; /* by that number: must stay on one lane */
	int *pins;      /* lane of each instance, or -1: pins, completed inside torn knots */
};

/* knots_new finds the knots of a waveform, where a link between two lanes takes up to `crossing`
 * slots. 0 or -ENOMEM. */
int knots_new(const struct waveform *waveform, uint32_t crossing, struct knots **ret);
void knots_free(struct knots *knots);
/* knots_find writes only the knot of each instance. 0 or -ENOMEM. */
int knots_find(const struct waveform *waveform, uint32_t *ret_of);

#endif
