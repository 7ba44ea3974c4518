/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/copies.h - the judgements of `aloe bench copies`, also for others that look for a
 * limit, and for tests. */
#ifndef TOOLS_BENCH_COPIES_H
#define TOOLS_BENCH_COPIES_H

#include "core/json/json.h"
#include "tools/bench/gaps.h"

enum copies_counting { COPIES_EVERY, COPIES_OUTSIDE, COPIES_COUNTINGS };

/* copies_in_gaps counts the misses of a report that fall into a gap, or follow at once one that
 * does; *ret_outside (NULL before) becomes the first that does neither. in_gap is gaps_between, or
 * a test's. NULL for gaps: none were seen. */
typedef bool copies_in_gap(const struct gaps *gaps, uint64_t from_ns, uint64_t to_ns);
size_t copies_in_gaps(const json_t *report, copies_in_gap *in_gap, const struct gaps *gaps,
    const json_t **ret_outside);

/* copies_judge says of a run with so many misses in gaps whether it holds: without any loss; with
 * misses in gaps alone. */
void copies_judge(const json_t *report, size_t in_gaps, bool ret_holds[COPIES_COUNTINGS]);
const char *copies_counting_name(enum copies_counting counting);
const char *copies_holds_word(const bool holds[COPIES_COUNTINGS], bool refused);

#endif
