/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/peers.h - what the bridge of this node has counted of the other nodes that a
 * waveform is on. The bridge tells it once a second, so the counts are at most a second old.
 */
#ifndef DAEMONS_EXEC_PEERS_H
#define DAEMONS_EXEC_PEERS_H

#include "core/json/json.h"
#include "daemons/exec/exec.h"

/* peers_take takes COUNTS, which replace what was told before. */
void peers_take(struct exec *exec, const struct wire_view *view);

/* peers_report gives the field `peers` of a report. */
json_t *peers_report(const struct exec_wave *wave);

#endif
