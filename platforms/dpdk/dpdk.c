/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/dpdk/dpdk.h"

#include <rte_alarm.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "platforms/dpdk/gate.h"
#include "platforms/x310/frame.h"

enum { NEIGHBOURS = 64, DESCRIPTORS = 1024, CACHE = 256, NAME = 64, ASK_NS = 10000000 };

static const char MEMIF[] = "net_memif";

struct neighbour {
	uint32_t ip;
	bool known;
	uint64_t asked_ns;
	uint8_t mac[6];
};

/* Headers of the frame before: most frames have the same. */
struct headers {
	uint8_t bytes[FRAME_UDP];
	struct frame frame;            /* in: what they say */
	struct transport_address peer; /* out: who gets it, */
	uint32_t size;                 /* its payload; 0: none yet */
};

struct dpdk {
	struct transport transport;
	uint16_t port;
	bool started;
	_Atomic bool removed;
	struct gate gate; /* of a port that shares memory with its peer */
	bool is_shared;
	char name[NAME];
	uint32_t packet_bytes;
	int most;        /* bytes of a datagram that its MTU allows; 0: it knows no such limit */
	uint64_t errors; /* that the port has told of, counted as refused */
	struct rte_mempool *pool;
	struct frame_address own;
	struct transport_address group; /* heard too; ip 0: none */
	struct headers in, out;
	struct neighbour neighbours[NEIGHBOURS];
	unsigned n_neighbours, last; /* last one asked for */
};

static struct dpdk *dpdk_of(struct transport *transport)
{
	return (struct dpdk *)(void *)transport;
}

/* ---- bursts ------------------------------------------------------------------------ */

static uint16_t burst_in(struct dpdk *dpdk, struct rte_mbuf **ret, uint16_t n)
{
	uint16_t got;

	if (!dpdk->is_shared)
		return rte_eth_rx_burst(dpdk->port, 0, ret, n);
	if (!gate_enter(&dpdk->gate))
		return 0;
	got = rte_eth_rx_burst(dpdk->port, 0, ret, n);
	gate_leave(&dpdk->gate, got);
	return got;
}

static uint16_t burst_out(struct dpdk *dpdk, struct rte_mbuf **mbufs, uint16_t n)
{
	uint16_t sent;

	if (!dpdk->is_shared)
		return rte_eth_tx_burst(dpdk->port, 0, mbufs, n);
	if (!gate_enter(&dpdk->gate))
		return 0;
	sent = rte_eth_tx_burst(dpdk->port, 0, mbufs, n);
	gate_leave(&dpdk->gate, sent);
	return sent;
}

/* ---- neighbours ------------------------------------------------------------------------ */

/* A group's Ethernet address is made of its own (RFC 1112, 6.4). */
static struct neighbour neighbour_new(uint32_t ip)
{
	return (struct neighbour){
	    .ip = ip,
	    .known = ip >> 28 == 0xe,
	    .mac = {0x01, 0x00, 0x5e, (uint8_t)(ip >> 16 & 0x7f), (uint8_t)(ip >> 8), (uint8_t)ip},
	};
}

/* The entry of an address; a new one, in the place of the oldest if there are too many. */
static struct neighbour *neighbour_of(struct dpdk *dpdk, uint32_t ip)
{
	if (dpdk->last < dpdk->n_neighbours && dpdk->neighbours[dpdk->last].ip == ip)
		return &dpdk->neighbours[dpdk->last];
	for (dpdk->last = 0; dpdk->last < dpdk->n_neighbours; dpdk->last++)
		if (dpdk->neighbours[dpdk->last].ip == ip)
			return &dpdk->neighbours[dpdk->last];
	if (dpdk->n_neighbours == NEIGHBOURS)
		memmove(dpdk->neighbours, dpdk->neighbours + 1,
		    --dpdk->n_neighbours * sizeof(dpdk->neighbours[0]));
	dpdk->last = dpdk->n_neighbours++;
	dpdk->neighbours[dpdk->last] = neighbour_new(ip);
	return &dpdk->neighbours[dpdk->last];
}

static void neighbour_learn(struct dpdk *dpdk, const struct frame_address *from)
{
	struct neighbour *neighbour = neighbour_of(dpdk, from->ip);

	memcpy(neighbour->mac, from->mac, sizeof(neighbour->mac));
	neighbour->known = true;
	dpdk->out.size = 0;
}

/* A frame of our own making. False: it was not sent, as the ring is full or away (gate.h). */
static bool send_frame(struct dpdk *dpdk, struct rte_mbuf *mbuf, size_t size)
{
	mbuf->data_len = (uint16_t)size;
	mbuf->pkt_len = (uint32_t)size;
	if (burst_out(dpdk, &mbuf, 1) == 1)
		return true;
	rte_pktmbuf_free(mbuf);
	return false;
}

static void neighbour_ask(struct dpdk *dpdk, struct neighbour *neighbour)
{
	const uint64_t now = clock_ns();
	struct rte_mbuf *mbuf;

	if (neighbour->asked_ns && now - neighbour->asked_ns < ASK_NS)
		return;
	mbuf = rte_pktmbuf_alloc(dpdk->pool);
	if (mbuf == NULL)
		return;
	/* a question that was not sent is asked again with the next packet */
	if (send_frame(dpdk, mbuf,
	        frame_arp_request(rte_pktmbuf_mtod(mbuf, uint8_t *), &dpdk->own, neighbour->ip)))
		neighbour->asked_ns = now;
}

/* ---- in ------------------------------------------------------------------------ */

static void arp_answer(struct dpdk *dpdk, const struct frame *frame)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(dpdk->pool);
	size_t size;

	if (mbuf == NULL)
		return;
	size = frame_answer(
	    frame, &dpdk->own, rte_pktmbuf_mtod(mbuf, uint8_t *), rte_pktmbuf_tailroom(mbuf));
	if (size == 0) {
		dpdk->transport.counts.foreign++;
		rte_pktmbuf_free(mbuf);
		return;
	}
	if (send_frame(dpdk, mbuf, size))
		dpdk->transport.counts.answered++;
}

static void not_ours(struct dpdk *dpdk, const struct frame *frame)
{
	const bool arp = frame->kind == FRAME_IS_ARP_REQUEST || frame->kind == FRAME_IS_ARP_REPLY;

	if (arp && frame->to.ip == dpdk->own.ip)
		neighbour_learn(dpdk, &frame->from);
	if (frame->kind == FRAME_IS_ARP_REQUEST || frame->kind == FRAME_IS_ECHO_REQUEST)
		arp_answer(dpdk, frame);
	else if (!arp)
		dpdk->transport.counts.foreign++;
}

/* Headers say how long a datagram is, so those that were good are so again for a frame as long. */
static int datagram_parse(struct dpdk *dpdk, const struct rte_mbuf *mbuf, struct frame *ret)
{
	const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
	struct headers *in = &dpdk->in;
	int rc;

	if (in->size && mbuf->data_len >= in->size && memcmp(bytes, in->bytes, FRAME_UDP) == 0) {
		*ret = in->frame;
		ret->payload = bytes + FRAME_UDP;
		return 0;
	}
	rc = frame_parse(bytes, mbuf->data_len, ret);
	if (rc == 0 && ret->kind == FRAME_IS_UDP) {
		memcpy(in->bytes, bytes, FRAME_UDP);
		in->frame = *ret;
		in->size = FRAME_UDP + (uint32_t)ret->payload_bytes;
	}
	return rc;
}

static bool is_ours(const struct dpdk *dpdk, const struct frame_address *to)
{
	return (to->ip == dpdk->own.ip && to->port == dpdk->own.port) ||
	    (to->ip == dpdk->group.ip && to->port == dpdk->group.port && dpdk->group.ip != 0);
}

/* True: it is a datagram for us. */
static bool frame_take(struct dpdk *dpdk, struct rte_mbuf *mbuf, struct packet *ret)
{
	struct transport_counts *counts = &dpdk->transport.counts;
	struct frame frame;

	if ((mbuf->nb_segs > 1 && rte_pktmbuf_linearize(mbuf) < 0) ||
	    datagram_parse(dpdk, mbuf, &frame) < 0) {
		counts->malformed++;
		return false;
	}
	if (frame.kind != FRAME_IS_UDP || !is_ours(dpdk, &frame.to)) {
		not_ours(dpdk, &frame);
		return false;
	}
	*ret = (struct packet){.bytes = rte_pktmbuf_mtod_offset(mbuf, uint8_t *, FRAME_UDP),
	    .size = (uint32_t)frame.payload_bytes,
	    .peer = {frame.from.ip, frame.from.port},
	    .own = mbuf};
	counts->received++;
	counts->received_bytes += ret->size;
	return true;
}

static unsigned dpdk_receive(struct transport *transport, struct packet *ret, unsigned n)
{
	struct dpdk *dpdk = dpdk_of(transport);
	struct rte_mbuf *mbufs[TRANSPORT_BURST];
	const uint16_t got =
	    burst_in(dpdk, mbufs, (uint16_t)(n < TRANSPORT_BURST ? n : TRANSPORT_BURST));
	unsigned good = 0;

	for (uint16_t i = 0; i < got; i++)
		rte_prefetch0(rte_pktmbuf_mtod(mbufs[i], void *));
	for (uint16_t i = 0; i < got; i++) {
		if (frame_take(dpdk, mbufs[i], &ret[good]))
			good++;
		else
			rte_pktmbuf_free(mbufs[i]);
	}
	return good;
}

static void dpdk_put(struct transport *transport, const struct packet *packets, unsigned n)
{
	(void)transport;
	for (unsigned i = 0; i < n; i++)
		rte_pktmbuf_free(packets[i].own);
}

/* ---- out ------------------------------------------------------------------------ */

static unsigned dpdk_get(struct transport *transport, struct packet *ret, unsigned n)
{
	struct dpdk *dpdk = dpdk_of(transport);
	unsigned i;

	for (i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = rte_pktmbuf_alloc(dpdk->pool);

		if (mbuf == NULL)
			break;
		ret[i] = (struct packet){.bytes = rte_pktmbuf_mtod(mbuf, uint8_t *), .own = mbuf};
	}
	return i;
}

/* A burst of none: the port looks at its ring, which its other end has written to since. A driver
 * may look at the first of a burst even so. */
static void dpdk_warm(struct transport *transport, const struct packet *packet)
{
	struct rte_mbuf *mbuf = packet->own;

	(void)burst_out(dpdk_of(transport), &mbuf, 0);
}

/* The headers go before the bytes, wherever in the buffer those lie. */
static void frame_it(
    struct dpdk *dpdk, const struct packet *packet, const struct neighbour *neighbour)
{
	struct rte_mbuf *mbuf = packet->own;
	struct headers *out = &dpdk->out;
	uint8_t *frame = packet->bytes - FRAME_UDP;

	if (out->size != packet->size || out->peer.ip != packet->peer.ip ||
	    out->peer.port != packet->peer.port) {
		struct frame_address to = {.port = packet->peer.port, .ip = packet->peer.ip};

		memcpy(to.mac, neighbour->mac, sizeof(to.mac));
		frame_udp_write(out->bytes, &dpdk->own, &to, FRAME_TTL, packet->size);
		out->peer = packet->peer;
		out->size = packet->size;
	}
	memcpy(frame, out->bytes, FRAME_UDP);
	mbuf->data_off = (uint16_t)(frame - (uint8_t *)mbuf->buf_addr);
	mbuf->data_len = (uint16_t)(packet->size + FRAME_UDP);
	mbuf->pkt_len = mbuf->data_len;
}

static unsigned burst_make(
    struct dpdk *dpdk, const struct packet *packets, struct rte_mbuf **mbufs, unsigned n)
{
	const unsigned sent = n ? burst_out(dpdk, mbufs, (uint16_t)n) : 0;

	dpdk->transport.counts.sent += sent;
	for (unsigned i = 0; i < sent; i++)
		dpdk->transport.counts.sent_bytes += packets[i].size;
	return sent;
}

/* Those whose neighbour is not known, or that are too long, are not sent; `fault` is what they
 * count as, once they are let go. */
static bool packet_sendable(
    struct dpdk *dpdk, const struct packet *packet, struct neighbour **ret, uint64_t **fault)
{
	*ret = neighbour_of(dpdk, packet->peer.ip);
	*fault = packet->size > dpdk->packet_bytes ? &dpdk->transport.counts.refused
	                                           : &dpdk->transport.counts.unknown;
	return packet->size <= dpdk->packet_bytes && (*ret)->known;
}

static void let_go(
    struct dpdk *dpdk, const struct packet *packet, struct neighbour *neighbour, uint64_t *fault)
{
	(*fault)++;
	if (!neighbour->known)
		neighbour_ask(dpdk, neighbour);
	rte_pktmbuf_free(packet->own);
}

static unsigned dpdk_send(struct transport *transport, const struct packet *packets, unsigned n)
{
	struct dpdk *dpdk = dpdk_of(transport);
	struct rte_mbuf *mbufs[TRANSPORT_BURST];
	unsigned taken = 0;

	n = n < TRANSPORT_BURST ? n : TRANSPORT_BURST;
	while (taken < n) {
		struct neighbour *neighbour;
		unsigned run = 0, sent;
		uint64_t *fault;

		while (taken + run < n &&
		    packet_sendable(dpdk, &packets[taken + run], &neighbour, &fault)) {
			frame_it(dpdk, &packets[taken + run], neighbour);
			mbufs[run] = packets[taken + run].own;
			run++;
		}
		sent = burst_make(dpdk, packets + taken, mbufs, run);
		taken += sent;
		if (sent < run)
			break;
		if (taken < n)
			let_go(dpdk, &packets[taken++], neighbour, fault);
	}
	transport->counts.held_back += n - taken;
	return taken;
}

/* ---- the rest ------------------------------------------------------------------------ */

static void dpdk_count(struct transport *transport)
{
	struct dpdk *dpdk = dpdk_of(transport);
	struct rte_eth_stats stats;

	if (rte_eth_stats_get(dpdk->port, &stats) < 0)
		return;
	transport->counts.dropped = stats.imissed + stats.rx_nombuf;
	transport->counts.refused += stats.oerrors - dpdk->errors;
	dpdk->errors = stats.oerrors;
}

static int dpdk_fd(const struct transport *transport)
{
	(void)transport;
	return -1;
}

static bool dpdk_up(const struct transport *transport)
{
	struct rte_eth_link link;

	return rte_eth_link_get_nowait(
	           ((const struct dpdk *)(const void *)transport)->port, &link) == 0 &&
	    link.link_status == RTE_ETH_LINK_UP;
}

static int dpdk_most(const struct transport *transport, uint32_t ip)
{
	(void)ip;
	return ((const struct dpdk *)(const void *)transport)->most;
}

/* Events of a virtual device (its peer has gone) are handled in the environment's own thread, with
 * no regard to what we do meanwhile: so the device is taken away there, too. */
static void remove_there(void *self)
{
	struct dpdk *dpdk = self;

	if (dpdk->started)
		rte_eth_dev_stop(dpdk->port);
	if (strncmp(dpdk->name, "net_", 4) == 0)
		rte_eal_hotplug_remove("vdev", dpdk->name);
	atomic_store(&dpdk->removed, true);
}

static void dpdk_close(struct transport *transport)
{
	struct dpdk *dpdk = dpdk_of(transport);

	if (dpdk->is_shared)
		gate_close(&dpdk->gate);
	if (dpdk->name[0] && rte_eal_alarm_set(1, remove_there, dpdk) == 0)
		while (!atomic_load(&dpdk->removed))
			usleep(100);
	rte_mempool_free(dpdk->pool);
	free(dpdk);
}

/* The driver takes a memif port without a role for a client. */
static bool memif_serves(const char *port)
{
	return strstr(port, "role=server") || strstr(port, "role=master");
}

static int port_fail(char *ret_why, const char *what, const char *of, int rc)
{
	snprintf(ret_why, TRANSPORT_WHY, "DPDK %s: %s: %s", of, what, strerror(-rc));
	return rc < 0 ? rc : -EIO;
}

/* The socket of a server that was killed: the driver would not listen there again. */
static void remove_stale(const char *port)
{
	const char *path = strstr(port, ",socket=");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (path == NULL || strncmp(port, MEMIF, strlen(MEMIF)) != 0 || !memif_serves(port) ||
	    strstr(port, "socket-abstract=no") == NULL)
		return;
	path += strlen(",socket=");
	snprintf(address.sun_path, sizeof(address.sun_path), "%.*s", (int)strcspn(path, ","), path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 &&
	    errno == ECONNREFUSED)
		(void)unlink(address.sun_path);
	close(fd);
}

/* "net_memif0,role=client" is the device net_memif0 with the arguments role=client. */
static int port_attach(struct dpdk *dpdk, const char *port, char *ret_why)
{
	const size_t name = strcspn(port, ",");
	int rc = 0;

	if (name >= sizeof(dpdk->name))
		return port_fail(ret_why, "the device's name is too long", port, -ENAMETOOLONG);
	if (strncmp(port, "net_", 4) == 0) {
		char device[NAME];

		snprintf(device, sizeof(device), "%.*s", (int)name, port);
		remove_stale(port);
		rc = rte_eal_hotplug_add("vdev", device, port[name] ? port + name + 1 : "");
	}
	if (rc < 0)
		return port_fail(ret_why, "the device cannot be opened", port, rc);
	snprintf(dpdk->name, sizeof(dpdk->name), "%.*s", (int)name, port);
	rc = rte_eth_dev_get_port_by_name(dpdk->name, &dpdk->port);
	if (rc < 0 && strncmp(port, "net_", 4) != 0 && rte_dev_probe(port) == 0)
		rc = rte_eth_dev_get_port_by_name(dpdk->name, &dpdk->port);
	return rc < 0 ? port_fail(ret_why, "there is no such port", port, rc) : 0;
}

/* The largest MTU that a port takes, as rte_eth_dev_set_mtu will judge it. */
static unsigned mtu_most(const struct rte_eth_dev_info *info)
{
	const bool said = info->max_mtu != UINT16_MAX && info->max_rx_pktlen > info->max_mtu;
	const unsigned around =
	    said ? info->max_rx_pktlen - info->max_mtu : RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
	const unsigned most = info->max_rx_pktlen > around ? info->max_rx_pktlen - around : 0;

	return most < info->max_mtu ? most : info->max_mtu;
}

/* Frames longer than usual have to be allowed. What a card cannot take at all is no error here: who
 * opens the port compares. memif carries any frame, in several buffers, whatever it says. */
static int allow_long(struct dpdk *dpdk, const char *port, char *ret_why)
{
	unsigned mtu = dpdk->packet_bytes + TRANSPORT_HEADERS;
	struct rte_eth_dev_info info;
	int rc;

	if (strncmp(port, MEMIF, strlen(MEMIF)) == 0)
		return 0;
	rc = rte_eth_dev_info_get(dpdk->port, &info);
	if (rc < 0)
		return port_fail(ret_why, "the device does not say which MTU it takes", port, rc);
	mtu = mtu < mtu_most(&info) ? mtu : mtu_most(&info);
	rc = mtu > RTE_ETHER_MTU ? rte_eth_dev_set_mtu(dpdk->port, (uint16_t)mtu) : 0;
	if (rc == -ENOTSUP) /* it knows no such limit */
		return 0;
	dpdk->most = (int)(mtu > RTE_ETHER_MTU ? mtu : RTE_ETHER_MTU) - TRANSPORT_HEADERS;
	return rc < 0 ? port_fail(ret_why, "the MTU that the packets need cannot be set", port, rc)
	              : 0;
}

static int set_up(struct dpdk *dpdk, const struct transport_options *options, char *ret_why)
{
	const struct rte_eth_conf none = {.rxmode = {.mq_mode = RTE_ETH_MQ_RX_NONE}};
	uint16_t rx = DESCRIPTORS, tx = DESCRIPTORS;
	const int socket = rte_eth_dev_socket_id(dpdk->port);
	int rc = rte_eth_dev_configure(dpdk->port, 1, 1, &none);

	if (rc < 0)
		return port_fail(ret_why, "the device cannot be configured", options->port, rc);
	rc = allow_long(dpdk, options->port, ret_why);
	if (rc < 0)
		return rc;
	rc = rte_eth_dev_adjust_nb_rx_tx_desc(dpdk->port, &rx, &tx);
	if (rc == 0)
		rc = rte_eth_rx_queue_setup(dpdk->port, 0, rx, (unsigned)socket, NULL, dpdk->pool);
	if (rc == 0)
		rc = rte_eth_tx_queue_setup(dpdk->port, 0, tx, (unsigned)socket, NULL);
	if (rc < 0)
		return port_fail(
		    ret_why, "the queues of the device cannot be set up", options->port, rc);
	rc = rte_eth_dev_start(dpdk->port);
	if (rc < 0)
		return port_fail(ret_why, "the device does not start", options->port, rc);
	dpdk->started = true;
	rc = options->group.ip != 0 ? rte_eth_allmulticast_enable(dpdk->port) : 0;
	if (rc < 0 && rc != -ENOTSUP) /* a virtual one hears all anyway */
		return port_fail(ret_why, "the device cannot receive multicast", options->port, rc);
	return 0;
}

static int make_pool(struct dpdk *dpdk, const struct transport_options *options, char *ret_why)
{
	const size_t room = RTE_PKTMBUF_HEADROOM + FRAME_UDP + options->packet_bytes;

	/* those with the caller, in the queues and in the cache */
	dpdk->pool = rte_pktmbuf_pool_create(dpdk->name, options->packets + 2 * DESCRIPTORS + CACHE,
	    CACHE, 0, (uint16_t)((room + 63) / 64 * 64), SOCKET_ID_ANY);
	return dpdk->pool
	    ? 0
	    : port_fail(ret_why, "there is no memory for the buffers", options->port, -rte_errno);
}

/* Only the rings of memif are unmapped by an event. */
static int port_guard(struct dpdk *dpdk, const char *port, char *ret_why)
{
	int rc;

	if (strncmp(port, MEMIF, strlen(MEMIF)) != 0)
		return 0;
	rc = gate_open(&dpdk->gate, dpdk->port, !memif_serves(port));
	dpdk->is_shared = rc == 0;
	return rc < 0 ? port_fail(ret_why, "the events of the device cannot be watched", port, rc)
	              : 0;
}

static int dpdk_open(const struct transport_options *options, char *ret_why, struct transport **ret)
{
	struct dpdk *dpdk = calloc(1, sizeof(*dpdk));
	struct rte_ether_addr mac;
	int rc;

	if (dpdk == NULL)
		return -ENOMEM;
	dpdk->transport.kind = &transport_dpdk;
	dpdk->transport.own = options->own;
	dpdk->packet_bytes = options->packet_bytes;
	rc = dpdk_start(options, dpdk->transport.note, ret_why);
	if (rc == 0)
		rc = port_attach(dpdk, options->port, ret_why);
	if (rc == 0)
		rc = make_pool(dpdk, options, ret_why);
	if (rc == 0)
		rc = set_up(dpdk, options, ret_why);
	if (rc == 0)
		rc = port_guard(dpdk, options->port, ret_why);
	if (rc < 0) {
		dpdk_close(&dpdk->transport);
		return rc;
	}
	rte_eth_macaddr_get(dpdk->port, &mac);
	dpdk->own = (struct frame_address){.port = options->own.port, .ip = options->own.ip};
	dpdk->group = options->group;
	memcpy(dpdk->own.mac, mac.addr_bytes, sizeof(dpdk->own.mac));
	*ret = &dpdk->transport;
	return 0;
}

const struct transport_kind transport_dpdk = {
    .name = "dpdk",
    .open = dpdk_open,
    .close = dpdk_close,
    .receive = dpdk_receive,
    .put = dpdk_put,
    .get = dpdk_get,
    .warm = dpdk_warm,
    .send = dpdk_send,
    .count = dpdk_count,
    .fd = dpdk_fd,
    .up = dpdk_up,
    .most = dpdk_most,
};
