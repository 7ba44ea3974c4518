/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/lease.h - waveforms that may be loaded anew without this node (on_node_loss =
 * "restart"): with no word from the manager for their lease they are held, because the manager may
 * have given the node up, and then another node runs them.
 *
 *   exec     --- LEASE {LEASE_MS} -->  frontend      the shortest lease of the node's waveforms
 *            <-- LEASE {WORD_NS} ----                the manager has answered what was asked then
 *   swman    --- GO_ON {LOAD_ID} --->  exec          this load is still the one that runs
 *
 * A waveform that is held begins no step: its sinks get nothing and its radio sends nothing. Word
 * alone does not let it go on.
 */
#ifndef DAEMONS_EXEC_LEASE_H
#define DAEMONS_EXEC_LEASE_H

#include "daemons/exec/exec.h"

void lease_word(struct exec *exec, const struct wire_view *event);
void lease_forget(struct exec *exec); /* the frontend was killed: the next one is told */
/* lease_restore finds what an earlier exec held. */
void lease_restore(struct exec_wave *wave);
/* lease_look holds what is due, and tells the frontend what has changed: when it is due next. */
uint64_t lease_look(struct exec *exec, uint64_t now);
void wave_go_on(struct exec_wave *wave, const struct wire_view *request);

#endif
