/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/transports/transports.h"

#include <stdio.h>
#include <string.h>

#include "core/registry/registry.h"
#include "platforms/udp/udp.h"

const struct transport_kind *transports_find(const char *name, char *ret_why, size_t size)
{
	const void *symbol;
	struct diag diag;

	if (strcmp(name, "udp") == 0)
		return &transport_udp;
	diag_init(&diag);
	symbol = library_find("dpdk", "transport_dpdk", &diag);
	if (symbol == NULL)
		snprintf(ret_why, size,
		    "transport \"dpdk\": %s; this transport is built where libdpdk-dev is "
		    "installed",
		    diag.len > 0 ? diag.lines[0] : "the library cannot be loaded");
	diag_fini(&diag);
	return symbol;
}
