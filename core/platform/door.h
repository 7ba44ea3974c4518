/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/door.h - how bursts of packets move: UDP datagrams between one address of this machine and its peers.
 * platforms/udp answers with a socket of the kernel, platforms/dpdk with a port that the kernel does not see.
 *
 *	               receive --> [packets] --> put          their memory is the door's again
 *	                               |
 *	                               v
 *	     get --> [packets] ------> send                   the first so many are gone, the others are still the caller's
 *
 * A packet's bytes lie in the door's own memory (for a port without the kernel, where the port put them), so nothing is
 * copied on the way to whoever converts the samples. What was received may be sent on as it is. A door belongs to one
 * thread; nothing waits.
 */
#ifndef ALOE_PLATFORM_DOOR_H
#define ALOE_PLATFORM_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DOOR_BURST = 64, DOOR_WHY = 256 };

struct door_address {
	uint32_t ip; /* host order: 192.168.40.2 = 0xc0a82802 */
	uint16_t port;
};

struct packet {
	uint8_t *bytes; /* of the datagram; aligned to 64 where they came from `get` */
	uint32_t size;
	struct door_address peer; /* who sent it, who is to get it */
	void *own;                /* the door's */
};

/* Every packet that came to the machine is in one of received, dropped, foreign, malformed; the door says so truly or the
 * port does not know. */
struct door_counts {
	uint64_t received, received_bytes;
	uint64_t sent, sent_bytes;
	uint64_t dropped; /* came and found no room: a full socket buffer or ring */
	uint64_t
	    held_back; /* `send` did not take it: the way out was full. It may have been sent later */
	uint64_t
	    refused; /* the way out took it and did not send it: no route, no right, not the port's size */
	uint64_t foreign;   /* for another address or port, or no UDP */
	uint64_t malformed; /* longer than the door's buffers, or headers that do not add up */
	uint64_t answered;  /* ARP and echo requests, where no kernel answers them */
	uint64_t unknown;   /* not sent: nobody has said yet which Ethernet address the peer has */
};

struct door_options {
	struct door_address own; /* udp: port 0 takes any free one */
	struct door_address
	    group;   /* multicast that is heard too; ip 0: none. udp: its port is then the door's */
	bool listen; /* nothing but that group */
	uint32_t packets;      /* that may be with the caller at a time: received, got */
	uint32_t packet_bytes; /* largest datagram */
	uint32_t queue_bytes;  /* udp: of the socket, each way; 0: 8 MB */
	const char *
	    port; /* dpdk: a virtual device with its arguments ("net_memif0,role=client"), or a PCI address */
	const char *eal; /* dpdk: options for its environment, before ours; NULL */
	uint32_t
	    ports; /* dpdk: like this one that the process opens in all, which the memory is to suffice for; 0: one */
};

struct door {
	const struct door_kind *kind;
	struct door_counts counts;
	struct door_address own;
	char note[DOOR_WHY]; /* what could not be had, and what that costs; "" */
};

/* The answers. Functions as below. */
struct door_kind {
	const char *name;
	int (*open)(const struct door_options *options, char *ret_why, struct door **ret);
	void (*close)(struct door *door);
	unsigned (*receive)(struct door *door, struct packet *ret, unsigned n);
	void (*put)(struct door *door, const struct packet *packets, unsigned n);
	unsigned (*get)(struct door *door, struct packet *ret, unsigned n);
	unsigned (*send)(struct door *door, const struct packet *packets, unsigned n);
	void (*count)(struct door *door);
	int (*fd)(const struct door *door);
	bool (*up)(const struct door *door);
};

/* door_open: 0, or -errno with the reason in ret_why (DOOR_WHY bytes). */
static inline int door_open(const struct door_kind *kind, const struct door_options *options,
    char *ret_why, struct door **ret)
{
	return kind->open(options, ret_why, ret);
}

/* door_close takes NULL. What the caller still has is gone with it. */
static inline void door_close(struct door *door)
{
	if (door != NULL)
		door->kind->close(door);
}

/* door_receive gives what has come, at most n (DOOR_BURST at most); 0: nothing. Each is to be put back or sent. */
static inline unsigned door_receive(struct door *door, struct packet *ret, unsigned n)
{
	return door->kind->receive(door, ret, n);
}

static inline void door_put(struct door *door, const struct packet *packets, unsigned n)
{
	door->kind->put(door, packets, n);
}

/* door_get gives empty packets of packet_bytes, at most n: the caller writes bytes, size and peer. */
static inline unsigned door_get(struct door *door, struct packet *ret, unsigned n)
{
	return door->kind->get(door, ret, n);
}

/* door_send sends the first packets, in order, and says how many it took; at most DOOR_BURST in one call. */
static inline unsigned door_send(struct door *door, const struct packet *packets, unsigned n)
{
	return door->kind->send(door, packets, n);
}

/* door_count brings door->counts up to date with what kernel or port have dropped. Not for every slot. */
static inline void door_count(struct door *door)
{
	door->kind->count(door);
}

/* door_fd gives a descriptor that is readable when something has come; -1: one has to look. */
static inline int door_fd(const struct door *door)
{
	return door->kind->fd(door);
}

/* door_up tells whether there is somebody at the other end of the wire: a card's link, a virtual device's peer. What is sent
 * before that is held back or lost. */
static inline bool door_up(const struct door *door)
{
	return door->kind->up(door);
}

#endif
