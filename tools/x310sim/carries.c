/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/carries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/udp/route.h"
#include "platforms/udp/udp.h"

/* Bytes of CHDR: UHD's largest packets on 10 and on 1 Gbit/s (x300_defaults.hpp, UHD 4.3). */
enum { LARGEST = 8000, LARGEST_1G = 1472 };
enum { IP_UDP = 28, ETHERNET = 14, HEADER = CHDR_HEADER + CHDR_TIMESTAMP, IQ = 4 };
enum { MEMIF_BYTES = 2048 /* of a buffer of memif where bsize is not said */ };

/* Bytes of CHDR that the kernel's interface carries; 0: not known. */
static uint32_t kernel_limit(uint32_t ip, char *ret_name, size_t size)
{
	struct udp_interface interface;

	if (udp_interface_find(ip, &interface) != 0)
		return 0;
	snprintf(ret_name, size, "%s has an MTU of %" PRIu32, interface.name, interface.mtu);
	return interface.mtu > IP_UDP ? interface.mtu - IP_UDP : 0;
}

/* Of a DPDK port only memif says it beforehand. */
static uint32_t memif_limit(const char *port, char *ret_name, size_t size)
{
	const char *bsize = strstr(port, ",bsize=");
	const unsigned long bytes =
	    bsize != NULL ? strtoul(bsize + strlen(",bsize="), NULL, 10) : MEMIF_BYTES;

	if (strncmp(port, "net_memif", strlen("net_memif")) != 0 || bytes <= ETHERNET + IP_UDP)
		return 0;
	snprintf(ret_name, size, "memif has a bsize of %lu", bytes);
	return (uint32_t)bytes - ETHERNET - IP_UDP;
}

void carries_note(const struct unit_options *options, unsigned sfp, char ret[CARRIES_NOTE])
{
	const bool kernel = sfp == 0 || options->sfp1 == &transport_udp;
	const uint32_t said = kernel ? 0 : options->sfp1_options.packet_bytes,
	               most = options->is_hg && sfp == 0 ? LARGEST_1G : LARGEST,
	               needed = said != 0 && said < most ? said : most;
	char name[96] = "";
	uint32_t limit;

	ret[0] = 0;
	if (sfp != 0 && options->sfp1 == NULL)
		return;
	limit = kernel ? kernel_limit(sfp == 0 ? options->ip : options->sfp1_options.own.ip, name,
	                     sizeof(name))
	               : memif_limit(options->sfp1_options.port, name, sizeof(name));
	if (limit == 0 || limit >= needed)
		return;
	snprintf(ret, CARRIES_NOTE,
	    "SFP%u: %s, so packets with spp over %" PRIu32
	    " do not pass; the device allows spp %" PRIu32 ". Let the host use spp = %" PRIu32
	    ", or give the device %s",
	    sfp, name, limit > HEADER ? (limit - HEADER) / IQ : 0, (needed - HEADER) / IQ,
	    limit > HEADER ? (limit - HEADER) / IQ : 0,
	    kernel ? "an interface with an MTU of 8028 or more" : "bsize=8192 at both ends");
}
