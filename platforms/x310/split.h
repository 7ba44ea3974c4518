/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/split.h - one transport for several radios: each gets the packets for its own
 * endpoints. For a port of which there is one, whoever uses it; with a kernel each radio has a
 * socket.
 */
#ifndef PLATFORMS_X310_SPLIT_H
#define PLATFORMS_X310_SPLIT_H

#include "core/platform/transport.h"

enum { SPLIT_ENDS_MAX = 4 };

struct split;

/* split_new takes the transport over: closed with the last end. Ends are transports for endpoints
 * [first, first + n); what is for none of them is given back and counted as foreign. NULL: no
 * memory. */
struct split *split_new(struct transport *transport);
struct transport *split_end(struct split *split, uint16_t first, uint16_t n);

#endif
