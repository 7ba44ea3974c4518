/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/carries.h"

#include <inttypes.h>
#include <stdio.h>

#include "platforms/udp/route.h"
#include "platforms/udp/udp.h"

/* Bytes of CHDR: UHD's largest packets on 10 and on 1 Gbit/s (x300_defaults.hpp, UHD 4.3). */
enum { LARGEST = 8000, LARGEST_1G = 1472 };
enum { IP_UDP = 28, HEADER = CHDR_HEADER + CHDR_TIMESTAMP, IQ = 4 };

void carries_note(const struct unit_options *options, unsigned sfp, char ret[CARRIES_NOTE])
{
	const uint32_t ip = sfp == 0          ? options->ip
	    : options->sfp1 == &transport_udp ? options->sfp1_options.own.ip
	                                      : 0,
	               most = options->is_hg && sfp == 0 ? LARGEST_1G : LARGEST,
	               said = options->frame_bytes[sfp], needed = said < most ? said : most;
	struct udp_interface interface;
	uint32_t spp;

	ret[0] = 0;
	if (ip == 0 || udp_interface_find(ip, &interface) != 0 || interface.mtu < IP_UDP + HEADER ||
	    interface.mtu - IP_UDP >= needed)
		return;
	spp = (interface.mtu - IP_UDP - HEADER) / IQ;
	snprintf(ret, CARRIES_NOTE,
	    "SFP%u: %s has an MTU of %" PRIu32 ", so packets with spp over %" PRIu32
	    " do not pass; the device allows spp %" PRIu32 ". Let the host use spp = %" PRIu32
	    ", or give the device an interface with an MTU of %" PRIu32,
	    sfp, interface.name, interface.mtu, spp, (needed - HEADER) / IQ, spp, needed + IP_UDP);
}
