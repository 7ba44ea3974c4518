/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/transport.h - how bursts of packets move: UDP datagrams between one address of this
 * machine and its peers. platforms/udp uses a socket of the kernel, platforms/dpdk a port that the
 * kernel does not see.
 *
 * 	receive --> [packets] --> put       the memory belongs to the transport again
 * 	                |
 * 	                v
 * 	get ------> [packets] --> send      the first packets are gone; the packets that were not
 * 	                                    sent still belong to the caller
 *
 * The bytes of a packet lie in the transport's own memory (with DPDK, where the port has written
 * them), so nothing is copied before the samples are converted. A received packet may be sent on
 * unchanged. A transport belongs to one thread. No function waits.
 */
#ifndef ALOE_PLATFORM_TRANSPORT_H
#define ALOE_PLATFORM_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TRANSPORT_BURST = 64,
	TRANSPORT_WHY = 256,
	TRANSPORT_HEADERS = 28 /* bytes of IPv4 and UDP before a datagram; an MTU counts them */
};

struct transport_address {
	uint32_t ip; /* host order: 192.168.40.2 = 0xc0a82802; see transport_options.v6 */
	uint16_t port;
};

enum { TRANSPORT_V6 = 16 }; /* bytes of an IPv6 address, as they are sent */

struct packet {
	uint8_t *bytes; /* the datagram; aligned to 64 bytes if the packet is from `get` */
	uint32_t size;
	struct transport_address peer; /* sender of a received packet, receiver of a sent packet */
	void *own;                     /* for the transport only */
};

/* Every packet that arrives at the machine is counted once: as received, dropped, foreign or
 * malformed. With DPDK the counts are only as good as the counters of the port. */
struct transport_counts {
	uint64_t received, received_bytes;
	uint64_t sent, sent_bytes;
	uint64_t dropped; /* arrived, but a socket buffer or ring was full */
	/* `send` did not take the packet, because the output was full; the caller may have sent the
	 * packet later */
	uint64_t held_back;
	/* taken by the output and not sent: no route, no permission, or a size that the port does
	 * not take */
	uint64_t refused;
	uint64_t foreign;   /* for another address or port, or not UDP */
	uint64_t malformed; /* longer than the transport's buffers, or with wrong headers */
	uint64_t answered;  /* ARP and echo requests, if no kernel answers them */
	uint64_t unknown; /* not sent, because the Ethernet address of the peer is not known yet */
};

struct transport_options {
	struct transport_address own; /* udp: port 0 takes any free port */
	/* multicast group to receive too; ip 0: none. udp: the transport has the group's port */
	struct transport_address group;
	/* udp: IPv6 addresses. If they are given, the `ip` of an address is a place in this list,
	 * and n_v6 if it is none of them. NULL: IPv4 */
	const uint8_t (*v6)[TRANSPORT_V6];
	uint32_t n_v6;
	bool listen;      /* receive from the group only */
	uint32_t packets; /* most packets that the caller has at a time, from receive and get */
	uint32_t packet_bytes; /* largest datagram */
	uint32_t queue_bytes;  /* udp: of the socket, each way; 0: 8 MB */
	/* dpdk: a virtual device with its arguments ("net_memif0,role=client"), or a PCI address */
	const char *port;
	const char *eal; /* dpdk: options for its environment, before ours; NULL */
	bool unlocked;   /* dpdk: nobody minds a page fault, so pages are not locked in memory */
	/* dpdk: all that the process opens, which its environment is started with once, and which
	 * its memory is to suffice for; ended by NULL. NULL: `port` alone */
	const char *const *ports;
};

struct transport {
	const struct transport_kind *kind;
	struct transport_counts counts;
	struct transport_address own;
	char note[TRANSPORT_WHY]; /* what the machine did not allow and what that costs; "" */
};

/* The functions that a transport implements, as described below. */
struct transport_kind {
	const char *name;
	int (*open)(const struct transport_options *options, char *ret_why, struct transport **ret);
	void (*close)(struct transport *transport);
	unsigned (*receive)(struct transport *transport, struct packet *ret, unsigned n);
	void (*put)(struct transport *transport, const struct packet *packets, unsigned n);
	unsigned (*get)(struct transport *transport, struct packet *ret, unsigned n);
	void (*warm)(struct transport *transport, const struct packet *packet); /* or NULL */
	unsigned (*send)(struct transport *transport, const struct packet *packets, unsigned n);
	void (*count)(struct transport *transport);
	int (*fd)(const struct transport *transport);
	bool (*up)(const struct transport *transport);
	int (*most)(const struct transport *transport, uint32_t ip); /* NULL: not known */
};

/* transport_open returns 0, or -errno with the reason in ret_why (TRANSPORT_WHY bytes). */
static inline int transport_open(const struct transport_kind *kind,
    const struct transport_options *options, char *ret_why, struct transport **ret)
{
	return kind->open(options, ret_why, ret);
}

/* transport_close takes NULL. Packets that the caller still has are gone, too. */
static inline void transport_close(struct transport *transport)
{
	if (transport != NULL)
		transport->kind->close(transport);
}

/* transport_receive returns packets that have arrived, at most n (TRANSPORT_BURST at most); 0:
 * none. The caller puts each packet back or sends it. */
static inline unsigned transport_receive(
    struct transport *transport, struct packet *ret, unsigned n)
{
	return transport->kind->receive(transport, ret, n);
}

static inline void transport_put(
    struct transport *transport, const struct packet *packets, unsigned n)
{
	transport->kind->put(transport, packets, n);
}

/* transport_get returns empty packets of packet_bytes, at most n. The caller writes bytes, size and
 * peer. */
static inline unsigned transport_get(struct transport *transport, struct packet *ret, unsigned n)
{
	return transport->kind->get(transport, ret, n);
}

/* transport_warm looks at what the next transport_send will need, so that it lies in this core's
 * cache then: to be called a little before it, with a packet of transport_get, which stays the
 * caller's. */
static inline void transport_warm(struct transport *transport, const struct packet *packet)
{
	if (transport->kind->warm != NULL)
		transport->kind->warm(transport, packet);
}

/* transport_send sends packets in order, at most TRANSPORT_BURST in one call, and returns how many
 * it has taken. */
static inline unsigned transport_send(
    struct transport *transport, const struct packet *packets, unsigned n)
{
	return transport->kind->send(transport, packets, n);
}

/* transport_count updates transport->counts with the packets that the kernel or the port has
 * dropped. It is too slow for every slot. */
static inline void transport_count(struct transport *transport)
{
	transport->kind->count(transport);
}

/* transport_fd returns a descriptor that is readable when a packet has arrived; -1: none, so the
 * caller has to call transport_receive. */
static inline int transport_fd(const struct transport *transport)
{
	return transport->kind->fd(transport);
}

/* transport_up tells whether the other end of the wire is connected: the link of a card, the peer
 * of a virtual device. Packets that are sent before that are held back or lost. */
static inline bool transport_up(const struct transport *transport)
{
	return transport->kind->up(transport);
}

/* transport_most gives the bytes of the largest datagram that goes out to this address, by the MTU
 * of the way out: nothing is ever sent in fragments. 0: not known; -errno: no way leads there. */
static inline int transport_most(const struct transport *transport, uint32_t ip)
{
	return transport->kind->most != NULL ? transport->kind->most(transport, ip) : 0;
}

#endif
