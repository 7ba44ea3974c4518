/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/bench/copies.h - the judgements of `aloe bench copies`, for its tests. */
#ifndef TOOLS_ALOE_BENCH_COPIES_H
#define TOOLS_ALOE_BENCH_COPIES_H

#include "core/json/json.h"
#include "tools/aloe/bench/gaps.h"

enum copies_counting { COPIES_EVERY, COPIES_OUTSIDE, COPIES_COUNTINGS };

/* copies_in_gaps counts the misses of a report that fall into a gap, or follow at once one that does. */
size_t copies_in_gaps(const json_t *report, const struct gaps *gaps);

#endif
