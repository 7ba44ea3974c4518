/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/peers.h - what the bridge of this node has counted of the other nodes that a
 * waveform is on. The bridge tells it once a second, so the counts are at most a second old.
 */
#ifndef DAEMONS_EXEC_PEERS_H
#define DAEMONS_EXEC_PEERS_H

#include "core/json/json.h"
#include "daemons/exec/exec.h"

/* peer_get reads place n of a message of the bridge: the name of a node, and `size` bytes about the
 * node. False if they are not there, or have another size. */
bool peer_get(const struct wire_view *view, unsigned n, char *ret_name, size_t name_size, void *ret,
    size_t size);

/* peers_take takes COUNTS, which replace what was told before. */
void peers_take(struct exec *exec, const struct wire_view *view);

/* peers_report gives the field `peers` of a report. */
json_t *peers_report(const struct exec_wave *wave);

#endif
