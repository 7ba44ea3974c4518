/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/udp/route.h"

#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANY_PORT = 9 }; /* nothing is sent */

static struct sockaddr_in name_of(uint32_t ip, uint16_t port)
{
	return (struct sockaddr_in){
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(ip), .sin_port = htons(port)};
}

/* A socket that is connected knows its own address and the route's MTU. */
static int ask_kernel(uint32_t to, uint32_t own, struct udp_route *ret)
{
	struct sockaddr_in from = name_of(own, 0), peer = name_of(to, ANY_PORT);
	socklen_t size = sizeof(from), mtu_size = sizeof(int);
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int mtu = 0, rc = 0;

	if (fd < 0 || bind(fd, (const struct sockaddr *)&from, sizeof(from)) < 0 ||
	    connect(fd, (const struct sockaddr *)&peer, sizeof(peer)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&from, &size) < 0 ||
	    getsockopt(fd, IPPROTO_IP, IP_MTU, &mtu, &mtu_size) < 0)
		rc = -errno;
	ret->own = ntohl(from.sin_addr.s_addr);
	ret->mtu = (uint32_t)mtu;
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Asks one thing of an interface by its name. */
static bool request(const char *interface, unsigned long what, struct ifreq *ret)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool told;

	snprintf(ret->ifr_name, sizeof(ret->ifr_name), "%s", interface);
	told = fd >= 0 && ioctl(fd, what, ret) == 0;
	if (fd >= 0)
		close(fd);
	return told;
}

static int speed_of(const char *interface)
{
	struct ethtool_cmd cmd = {.cmd = ETHTOOL_GSET};
	struct ifreq ifreq = {.ifr_data = (void *)&cmd};
	const bool told = request(interface, SIOCETHTOOL, &ifreq);
	const uint32_t mbit = told ? ethtool_cmd_speed(&cmd) : 0;

	return mbit > 0 && mbit <= INT_MAX ? (int)mbit : -1;
}

static uint32_t mtu_of(const char *interface)
{
	struct ifreq ifreq = {.ifr_mtu = 0};

	return request(interface, SIOCGIFMTU, &ifreq) ? (uint32_t)ifreq.ifr_mtu : 0;
}

static uint32_t ip_of(const struct sockaddr *address)
{
	struct sockaddr_in name;

	if (address == NULL || address->sa_family != AF_INET)
		return 0;
	memcpy(&name, address, sizeof(name));
	return ntohl(name.sin_addr.s_addr);
}

/* All of 127.0.0.0/8 is on lo, which has no address to broadcast to and yet hears one. */
static bool has(const struct ifaddrs *at, uint32_t ip)
{
	return ip_of(at->ifa_addr) == ip ||
	    (ip >> 24 == IN_LOOPBACKNET && ip_of(at->ifa_addr) != 0 &&
	        (at->ifa_flags & IFF_LOOPBACK));
}

static void describe(const struct ifaddrs *at, struct udp_interface *ret)
{
	*ret = (struct udp_interface){.carrier = at->ifa_flags & IFF_RUNNING,
	    .mtu = mtu_of(at->ifa_name),
	    .mbit_per_s = speed_of(at->ifa_name)};
	snprintf(ret->name, sizeof(ret->name), "%s", at->ifa_name);
	if (at->ifa_flags & IFF_LOOPBACK)
		ret->broadcast = INADDR_LOOPBACK | 0xffffff;
	else if (at->ifa_flags & IFF_BROADCAST)
		ret->broadcast = ip_of(at->ifa_broadaddr);
}

int udp_interface_find(uint32_t ip, struct udp_interface *ret)
{
	struct ifaddrs *all, *at;

	if (getifaddrs(&all) < 0)
		return -errno;
	at = all;
	while (at != NULL && !has(at, ip))
		at = at->ifa_next;
	if (at != NULL)
		describe(at, ret);
	freeifaddrs(all);
	return at != NULL ? 0 : -ENODEV;
}

int udp_route_find(uint32_t to, uint32_t own, struct udp_route *ret)
{
	struct udp_route route = {.own = 0};
	int rc = ask_kernel(to, own, &route);

	if (rc == 0)
		rc = udp_interface_find(route.own, &route.interface);
	if (rc == 0)
		*ret = route;
	return rc;
}
