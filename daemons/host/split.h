/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/host/split.h - one door for several radios: each gets the packets for its own endpoints. For a port of which there
 * is one, whoever uses it; with a kernel each radio has a socket.
 */
#ifndef ALOE_HOST_SPLIT_H
#define ALOE_HOST_SPLIT_H

#include "core/platform/door.h"

enum { SPLIT_ENDS_MAX = 4 };

struct split;

/* split_new takes the door over: closed with the last end. Ends are doors for endpoints [first, first + n);
 * what is for none of them is given back and counted as foreign. NULL: no memory. */
struct split *split_new(struct door *door);
struct door *split_end(struct split *split, uint16_t first, uint16_t n);

#endif
