/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/dpdk/dpdk.h - the transport of a port that the kernel does not see, by DPDK: a 10 GbE
 * card, or a virtual device (net_memif, net_af_packet, net_af_xdp, net_pcap, net_ring). UDP, IPv4
 * and Ethernet headers are written and checked here; ARP and echo requests for our address are
 * answered, and who is to get a packet is asked for by ARP.
 *
 * Built as a library of its own, lib/aloe-transports/dpdk.so with the symbol transport_dpdk, where
 * libdpdk is installed: only who asks for it maps DPDK. DPDK's environment is one for a process
 * and stays until its end. Its options, after those of the caller:
 *
 * 	--in-memory             where there are free huge pages of 2 MB for all buffers,
 * 	--no-huge -m MB         otherwise: no right is needed, and the note says so
 * 	--no-pci                with virtual devices alone; -a ADDRESS for each card
 *
 * Its memory, and all that the process maps from then on, is locked where that is allowed
 * (CAP_IPC_LOCK, RLIMIT_MEMLOCK), unless options->unlocked.
 *
 * The thread that opens a transport is the one that uses it; its CPUs stay as they were. Rights are
 * those of the device: none for memif, CAP_NET_RAW for af_packet and pcap, CAP_NET_ADMIN and
 * CAP_BPF too for af_xdp.
 */
#ifndef PLATFORMS_DPDK_DPDK_H
#define PLATFORMS_DPDK_DPDK_H

#include "core/platform/transport.h"

extern const struct transport_kind transport_dpdk __attribute__((visibility("default")));

/* dpdk_start starts the environment of this process, once, for all options->ports: packet_bytes and
 * packets say how much memory each of them wants. For the transport alone. */
int dpdk_start(const struct transport_options *options, char *ret_note, char *ret_why);

#endif
