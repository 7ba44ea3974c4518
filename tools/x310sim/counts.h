/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/counts.h - all that the simulator counted, for people and as JSON: nothing is counted that is not shown.
 */
#ifndef TOOLS_X310SIM_COUNTS_H
#define TOOLS_X310SIM_COUNTS_H

#include "tools/x310sim/server.h"

void counts_text(const struct server *server, FILE *out); /* what is 0 is left out */
void counts_json(const struct server *server, FILE *out); /* one line */

#endif
