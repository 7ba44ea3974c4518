/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/items.h - items of a message in words.
 */
#ifndef TOOLS_ALOE_ITEMS_H
#define TOOLS_ALOE_ITEMS_H

#include "tools/aloe/digests.h"

/* items_print prints the first item that differs in the message `index` of output number `output`,
 * if both runs have recorded the messages themselves; else nothing. */
void items_print(const struct digests run[2], size_t output, uint64_t index, FILE *out);

#endif
