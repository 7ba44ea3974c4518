/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/transport.h - how bursts of packets move: UDP datagrams between one address of this
 * machine and its peers. platforms/udp answers with a socket of the kernel, platforms/dpdk with a
 * port that the kernel does not see.
 *
 * 	               receive --> [packets] --> put          their memory is the transport's again
 * 	                               |
 * 	                               v
 *           get --> [packets] ------> send                   the first so many are gone, the others
 *                                                            are still the caller's
 *
 * A packet's bytes lie in the transport's own memory (for a port without the kernel, where the
 * port put them), so nothing is copied on the way to whoever converts the samples. What was
 * received may be sent on as it is. A transport belongs to one thread; nothing waits.
 */
#ifndef ALOE_PLATFORM_TRANSPORT_H
#define ALOE_PLATFORM_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRANSPORT_BURST = 64, TRANSPORT_WHY = 256 };

struct transport_address {
	uint32_t ip; /* host order: 192.168.40.2 = 0xc0a82802 */
	uint16_t port;
};

struct packet {
	uint8_t *bytes; /* of the datagram; aligned to 64 where they came from `get` */
	uint32_t size;
	struct transport_address peer; /* who sent it, who is to get it */
	void *own;                     /* the transport's */
};

/* Every packet that came to the machine is in one of received, dropped, foreign, malformed; the
 * transport says so truly or the port does not know. */
struct transport_counts {
	uint64_t received, received_bytes;
	uint64_t sent, sent_bytes;
	uint64_t dropped; /* came and found no room: a full socket buffer or ring */
	/* `send` did not take it: the way out was full. It may have been sent later */
	uint64_t held_back;
	/* the way out took it and did not send it: no route, no right, not the port's size */
	uint64_t refused;
	uint64_t foreign;   /* for another address or port, or no UDP */
	uint64_t malformed; /* longer than the transport's buffers, or headers that do not add up */
	uint64_t answered;  /* ARP and echo requests, where no kernel answers them */
	uint64_t unknown;   /* not sent: nobody has said yet which Ethernet address the peer has */
};

struct transport_options {
	struct transport_address own; /* udp: port 0 takes any free one */
	/* multicast that is heard too; ip 0: none. udp: its port is then the transport's */
	struct transport_address group;
	bool listen;           /* nothing but that group */
	uint32_t packets;      /* that may be with the caller at a time: received, got */
	uint32_t packet_bytes; /* largest datagram */
	uint32_t queue_bytes;  /* udp: of the socket, each way; 0: 8 MB */
	/* dpdk: a virtual device with its arguments ("net_memif0,role=client"), or a PCI address */
	const char *port;
	const char *eal; /* dpdk: options for its environment, before ours; NULL */
	uint32_t
	    /* dpdk: like this one that the process opens in all, which the memory is to suffice
	     * for; 0: one */
	    ports;
};

struct transport {
	const struct transport_kind *kind;
	struct transport_counts counts;
	struct transport_address own;
	char note[TRANSPORT_WHY]; /* what could not be had, and what that costs; "" */
};

/* The answers. Functions as below. */
struct transport_kind {
	const char *name;
	int (*open)(const struct transport_options *options, char *ret_why, struct transport **ret);
	void (*close)(struct transport *transport);
	unsigned (*receive)(struct transport *transport, struct packet *ret, unsigned n);
	void (*put)(struct transport *transport, const struct packet *packets, unsigned n);
	unsigned (*get)(struct transport *transport, struct packet *ret, unsigned n);
	unsigned (*send)(struct transport *transport, const struct packet *packets, unsigned n);
	void (*count)(struct transport *transport);
	int (*fd)(const struct transport *transport);
	bool (*up)(const struct transport *transport);
};

/* transport_open: 0, or -errno with the reason in ret_why (TRANSPORT_WHY bytes). */
static inline int transport_open(const struct transport_kind *kind,
    const struct transport_options *options, char *ret_why, struct transport **ret)
{
	return kind->open(options, ret_why, ret);
}

/* transport_close takes NULL. What the caller still has is gone with it. */
static inline void transport_close(struct transport *transport)
{
	if (transport != NULL)
		transport->kind->close(transport);
}

/* transport_receive gives what has come, at most n (TRANSPORT_BURST at most); 0: nothing. Each is
 * to be put back or sent. */
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

/* transport_get gives empty packets of packet_bytes, at most n: the caller writes bytes, size and
 * peer. */
static inline unsigned transport_get(struct transport *transport, struct packet *ret, unsigned n)
{
	return transport->kind->get(transport, ret, n);
}

/* transport_send sends the first packets, in order, and says how many it took; at most
 * TRANSPORT_BURST in one call. */
static inline unsigned transport_send(
    struct transport *transport, const struct packet *packets, unsigned n)
{
	return transport->kind->send(transport, packets, n);
}

/* transport_count brings transport->counts up to date with what kernel or port have dropped. Not
 * for every slot. */
static inline void transport_count(struct transport *transport)
{
	transport->kind->count(transport);
}

/* transport_fd gives a descriptor that is readable when something has come; -1: one has to look. */
static inline int transport_fd(const struct transport *transport)
{
	return transport->kind->fd(transport);
}

/* transport_up tells whether there is somebody at the other end of the wire: a card's link, a
 * virtual device's peer. What is sent before that is held back or lost. */
static inline bool transport_up(const struct transport *transport)
{
	return transport->kind->up(transport);
}

#endif
