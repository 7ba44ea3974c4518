/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/stock.h - what the manager asks and sends of builds of components
 * (daemons/common/builds.h).
 */
#ifndef ALOE_FRONTEND_STOCK_H
#define ALOE_FRONTEND_STOCK_H

#include "core/bus/bus.h"

/* stock_answer makes the answer to BUILDS or BUILD; the caller sends it. */
void stock_answer(
    struct bus *bus, const char *folder, const struct wire_view *view, struct wire_msg *ret_msg);

#endif
