/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/length.h - what a call costs at a length of messages: pure functions.
 *
 * The length of an instance is what one call may read and write at most: the bytes of the largest
 * messages of all its connected ports together. Messages get their sizes from the components
 * (waveform_shape), so the length changes with parameters and, where a component makes it so, with
 * the length of the slot. The cost of a call is
 *
 * 	first + length x marginal
 *
 * (Eisenklam et al., RTSS 2024), a line of least squares in relative errors through what was
 * measured at two or more lengths. Neither part is below 0: a line that falls is flat, and a line
 * that begins below 0 begins at 0. The first of these counts:
 *
 * 	MEASURED	measured at this length, or there is no message: as measured
 * 	FITTED		measured at two or more other lengths: the line
 * 	SCALED		measured at one other length: in proportion to it
 * 	UNKNOWN		measured at a length that nobody knows: as measured
 *
 * No cost is above LENGTH_KMAC_MAX.
 */
#ifndef ALOE_MAP_LENGTH_H
#define ALOE_MAP_LENGTH_H

#include "core/waveform/waveform.h"

enum { LENGTH_POINTS_MAX = 4 }; /* lengths of an instance that are kept, the newest */
#define LENGTH_KMAC_MAX 1e12

enum length_source { /* LENGTH_NONE: the cost was not measured */
	LENGTH_NONE,
	LENGTH_MEASURED,
	LENGTH_FITTED,
	LENGTH_SCALED,
	LENGTH_UNKNOWN
};

struct length_point {
	uint64_t bytes; /* 0: not known, or no message */
	double kmac_p50, kmac_p99;
	uint64_t missed; /* slots that the run missed or skipped */
};

struct length_cost {
	enum length_source source;
	double kmac_p50, kmac_p99;
	/* share of kmac_p50 that does not grow with the length, 0 .. 1; NAN: no line */
	double fixed;
};

/* length_of gives the length of an instance in bytes; 0 until the waveform is shaped. */
uint64_t length_of(const struct wf_instance *instance);

/* length_cost gives the cost of a call at so many bytes. n points, 1 .. LENGTH_POINTS_MAX, the
 * newest first; no length twice. */
struct length_cost length_cost(const struct length_point *points, size_t n, uint64_t bytes);

/* length_source_name: "measured", "fitted", "scaled", "unknown"; NULL of LENGTH_NONE. */
const char *length_source_name(enum length_source source);

#endif
