/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/udp/udp.h - the transport of the kernel: one UDP socket, bursts by recvmmsg and
 * sendmmsg. Runs of packets of one size to one peer leave as one (UDP_SEGMENT) where the kernel
 * can.
 *
 * Rights: none. With CAP_NET_ADMIN the socket's buffers may be larger than net.core.rmem_max and
 * wmem_max; without it the note says how large they became. What the kernel dropped because the
 * buffer was full is read from SO_MEMINFO: the same figure as SO_RXQ_OVFL brings with the next
 * datagram, but also when none comes any more.
 */
#ifndef PLATFORMS_UDP_UDP_H
#define PLATFORMS_UDP_UDP_H

#include "core/platform/transport.h"

extern const struct transport_kind transport_udp;

#endif
