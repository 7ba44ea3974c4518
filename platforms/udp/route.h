/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/udp/route.h - by which interface of this machine the kernel sends to an address, and
 * what that interface carries.
 */
#ifndef PLATFORMS_UDP_ROUTE_H
#define PLATFORMS_UDP_ROUTE_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct udp_interface {
	char name[IF_NAMESIZE];
	uint32_t mtu;       /* bytes of the largest IPv4 packet */
	uint32_t broadcast; /* address that all on its network hear, host order; 0: none */
	bool carrier;   /* it is switched on, and there is somebody at the other end of the cable */
	int mbit_per_s; /* negative: it does not say (lo, virtual ones) */
};

/* udp_interface_find gives the interface that has an address of this machine: 0, -ENODEV where none
 * has, or -errno. */
int udp_interface_find(uint32_t ip, struct udp_interface *ret);

struct udp_route {
	struct udp_interface interface;
	uint32_t own; /* address from which is sent, host order */
	uint32_t mtu; /* of the route: it may be less than that of the interface */
};

/* udp_route_find: from `own` (0: any) to `to`. 0, or -errno: -ENETUNREACH where the kernel has no
 * route, -EADDRNOTAVAIL where `own` is no address of this machine. */
int udp_route_find(uint32_t to, uint32_t own, struct udp_route *ret);

#endif
