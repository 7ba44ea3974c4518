/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/builds.h - builds of components for the nodes that have none of that content.
 */
#ifndef DAEMONS_SWMAN_BUILDS_H
#define DAEMONS_SWMAN_BUILDS_H

#include "daemons/swman/gather.h"

/* builds_send sends the builds that gather->program names to the nodes that have them not, then
 * calls `then`; failed: the answer of a node that did not take one, NULL: all have what they
 * need. */
void builds_send(struct swman *swman, struct gather *gather,
    void (*then)(struct swman *swman, struct gather *gather, const struct gather_answer *failed));

#endif
