/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/merge.h - what several execs say of one waveform, as one.
 */
#ifndef DAEMONS_SWMAN_MERGE_H
#define DAEMONS_SWMAN_MERGE_H

#include <stdbool.h>

#include "core/json/json.h"

/* merge_report makes one report of those of n nodes (at least one): of each instance and lane what
 * its own node says. merge_list adds to `list` what `one` (exec's list) has: a waveform that is
 * there already gets the lanes of this node too. Both name the node in each lane. */
json_t *merge_report(json_t *const *reports, const char *const *nodes, size_t n);
void merge_list(json_t *list, const json_t *one, const char *node);
/* merge_misses adds what one node says of late slots to what others say, and returns both (`all`
 * NULL: there is nothing yet). Lists of records become one list; of a slot, the record of the first
 * node that was late has those of the others in `others`. If none was late, a node without a record
 * of the slot is named, because it may have been. Each record names its node. merge_is_late: it is
 * the record of a slot that was late, and no list. */
json_t *merge_misses(json_t *all, json_t *one, const char *node);
bool merge_is_late(const json_t *all);

#endif
