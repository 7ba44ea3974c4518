/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/inside.h - what a bus is, for open.c (opening and closing) and bus.c (messages). The
 * bus's own. */
#ifndef ALOE_BUS_INSIDE_H
#define ALOE_BUS_INSIDE_H

#include <zmq.h>

#include "core/bus/bus.h"
#include "core/bus/guard.h"
#include "core/bus/place.h"
#include "core/bus/stamp.h"
#include "core/bus/tcp.h"

struct kept { /* a request that arrived while bus_call waited for an answer */
	struct kept *next;
	size_t len;
	uint8_t bytes[];
};

struct bus_remote { /* what a bus over TCP has beside */
	bool guarded;
	struct guard guard; /* bus_listen with keys */
	struct stamp stamp;
	char key[KEYS_TEXT]; /* bus_join: of the node that listens */
	char endpoint[TCP_ENDPOINT];
	uint16_t port;
	size_t bytes_max;
	enum wire_type *types;
	size_t n_types;
	uint64_t refused_ns; /* bus_join: since when libzmq does not try any more; 0: it does */
	unsigned refused;    /* bus_listen: strangers that have not gone yet */
	bool failed;         /* the last event was a handshake that failed */
	struct tcp_news news;
};

struct bus {
	void *ctx, *socket;
	void *monitor; /* connected end, and TCP: tells of connections */
	int lost;      /* connected end: -errno of a connection, of which nobody has been told */
	struct bus_remote *remote; /* TCP; NULL: of this machine */
	enum wire_peer self;
	bool bound;
	uint32_t seq;
	int poll_fd; /* epoll over ZMQ_FD and event_fd */
	/* set while there is something that ZMQ_FD, edge-triggered, does not show any more */
	int event_fd;
	bool event_set;
	struct place place; /* bound end: the directory and its lock */
	zmq_msg_t held;     /* what the last view points into */
	struct kept *lent;  /* the same, for one of the kept */
	struct kept *first, **last;
	unsigned n_kept;
	struct bus_counts counts;
};

#endif
