/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/cut.h - the contiguous cut: a sequence of units over lanes in ascending order, by dynamic programming.
 *
 * Each lane gets one run of the sequence (or none). First the largest lane load is made as small as it can be; among
 * the cuts that reach this the one with the fewest links between lanes wins, then the one that uses the fewest lanes.
 * Time n_lanes x n_units x (n_units + n_links).
 */
#ifndef ALOE_MAP_CUT_H
#define ALOE_MAP_CUT_H

#include <stddef.h>
#include <stdint.h>

struct cut_link {
	uint32_t a, b; /* units by position in the sequence; b CUT_FIXED: the other end lies on lane `lane` */
	uint32_t lane; /* position among the lanes, CUT_FIXED: a lane that is not among them */
};

enum { CUT_FIXED = 0xffffffff };

struct cut {
	size_t n_units;
	const double *loads; /* by unit */
	size_t n_lanes;
	const double *fixed; /* by lane: load that is there already */
	const struct cut_link *links;
	size_t n_links;
};

/* cut_make writes the lane of each unit. 0 or -ENOMEM. */
int cut_make(const struct cut *cut, uint32_t *ret_lanes);

#endif
