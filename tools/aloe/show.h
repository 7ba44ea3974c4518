/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/show.h - what --json prints where there may be several. */
#ifndef TOOLS_ALOE_SHOW_H
#define TOOLS_ALOE_SHOW_H

#include "core/json/json.h"

/* show_list prints {"schema": 1, KEY: list}; the list is the caller's. The exit status. */
int show_list(const char *key, json_t *list);

#endif
