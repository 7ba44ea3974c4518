/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/transports/transports.h - the transports by name. That of DPDK is a library of its own,
 * so that only who asks for it maps DPDK. */
#ifndef PLATFORMS_TRANSPORTS_H
#define PLATFORMS_TRANSPORTS_H

#include "core/platform/transport.h"

/* transports_find gives "udp" or "dpdk"; NULL after writing why not: the library is not installed,
 * or cannot be loaded. What is loaded stays until the process ends. */
const struct transport_kind *transports_find(const char *name, char *ret_why, size_t size);

#endif
