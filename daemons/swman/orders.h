/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/orders.h - what orders over several nodes have in common (several.c, loss.c).
 */
#ifndef DAEMONS_SWMAN_ORDERS_H
#define DAEMONS_SWMAN_ORDERS_H

#include "daemons/swman/gather.h"

/* gather_all: a question to all nodes of the platform; NULL after answering the request. */
struct gather *gather_all(struct swman *swman, const struct wire_view *request);
/* order_make begins a message to exec; waveform "": of none. */
void order_make(struct wire_msg *msg, enum wire_type type, const char *waveform);
/* reports_merge: of the nodes that have answered; NULL: none has. */
json_t *reports_merge(const struct swman *swman, const struct gather *gather);
/* order_unload keeps the report of those, and orders all nodes to unload the waveform. */
void order_unload(struct swman *swman, struct gather *gather, bool force,
    void (*done)(struct swman *swman, struct gather *gather));

#endif
