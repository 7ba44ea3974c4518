/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/loss.h - a node of the platform is lost, or comes back.
 *
 *   hold      its waveforms wait at their gates; nothing is done
 *   stop      STOP with the reason to the nodes that are left, whose hosts finish
 *   restart   LIST -> plan on what is left (if there is none: stop, with that reason) -> STATUS for
 *             the report -> UNLOAD -> LIST -> LOAD with a new load id -> START if it ran
 *
 * What is decided, and when, says core/cluster/loss.h. A node that comes back has a load that was
 * given up: it is unloaded there by force, and what it held is told to go on only if its load is
 * the one that swman knows.
 */
#ifndef DAEMONS_SWMAN_LOSS_H
#define DAEMONS_SWMAN_LOSS_H

#include "core/image/image.h"
#include "daemons/swman/gather.h"

/* loss_node: a node has come, or nothing was heard of it since heard_ns. */
void loss_node(struct swman *swman, const char *name, bool there, uint64_t heard_ns);
/* loss_learned takes the lists of all nodes; `current`: nothing was loaded since they were
 * asked. */
void loss_learned(struct swman *swman, const struct gather *gather, bool current);
/* loss_place takes down where a program runs, and what is wanted when a node is lost. */
int loss_place(
    struct swman_run *run, const struct image_view *view, const uint32_t *nodes, uint32_t n_nodes);
/* loss_settled: all nodes have their part from now on. */
void loss_settled(struct swman_run *run);

#endif
