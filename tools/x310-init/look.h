/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310-init/look.h - what a device says of itself to anybody who asks, without UHD: the
 * protocol of its FPGA image (firmware register RFNOC_INFO), and then all of survey.h.
 *
 * UHD makes a device ready only if both are of the same kind: it compares the protocol's major
 * number (host/lib/rfnoc/link_stream_manager.cpp) and the radio's (uhd::assert_fpga_compat in
 * host/lib/rfnoc/radio_control_impl.cpp), v4.3.0.0 to UHD-4.11.
 */
#ifndef TOOLS_X310_INIT_LOOK_H
#define TOOLS_X310_INIT_LOOK_H

#include "core/platform/transport.h"
#include "platforms/x310/survey.h"

enum { LOOK_OWN = 0x1f0 }; /* our endpoint: those of ALOE's channels end before it */

struct x310_look {
	bool answers; /* its firmware does, and told the protocol */
	uint16_t protocol;
	bool found; /* its FPGA does, and told everything */
	struct survey survey;
};

/* look_at asks the device at `ip` (host order) by the kernel, from the address `own` (0: any).
 * 0, or -errno with the reason in ret_why (TRANSPORT_WHY bytes): no socket could be had. */
int look_at(uint32_t ip, uint32_t own, struct x310_look *ret, char *ret_why);

/* look_number gives the endpoints of the channels in use (ports of the crossbar, bit by bit) their
 * numbers, and takes those of all others: so a channel that nobody has set up is told from one that
 * x310-init has. False: the device did not answer. */
bool look_number(uint32_t ip, uint32_t own, const struct x310_look *look, uint64_t ports);

/* look_refuses tells whether UHD of this version ("4.3.0.0-3") or ALOE cannot have the device, and
 * writes why. False: nothing speaks against it. */
bool look_refuses(
    const struct x310_look *look, const char *address, const char *uhd, char *ret_why, size_t size);

#endif
