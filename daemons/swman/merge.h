/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/merge.h - what several execs say of one waveform, as one.
 */
#ifndef DAEMONS_SWMAN_MERGE_H
#define DAEMONS_SWMAN_MERGE_H

#include "core/json/json.h"

/* merge_report makes one report of those of n nodes (at least one): of each instance and lane what
 * its own node says. merge_list adds to `list` what `one` (exec's list) has: a waveform that is
 * there already gets the lanes of this node too. Both name the node in each lane. */
json_t *merge_report(json_t *const *reports, const char *const *nodes, size_t n);
void merge_list(json_t *list, const json_t *one, const char *node);

#endif
