/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/udp/udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ALIGN = 64, QUEUE_BYTES = 8 << 20, SEGMENTS = 32, DATAGRAM_MAX = 65000 };

struct udp {
	struct transport transport;
	int fd;
	bool segments;    /* the kernel knows UDP_SEGMENT */
	uint32_t room;    /* bytes of a buffer */
	uint8_t *memory;  /* of all buffers */
	uint8_t **unused; /* a stack of them */
	uint32_t n_unused, n;
	unsigned n_came; /* datagrams, last time */
	struct mmsghdr in[TRANSPORT_BURST];
	struct iovec in_parts[TRANSPORT_BURST];
	struct sockaddr_in in_names[TRANSPORT_BURST];
	struct mmsghdr messages[TRANSPORT_BURST]; /* out */
	struct iovec parts[TRANSPORT_BURST];
	struct sockaddr_in names[TRANSPORT_BURST];
	union {
		struct cmsghdr head;
		uint8_t bytes[CMSG_SPACE(sizeof(uint16_t))];
	} segment_bytes[TRANSPORT_BURST];
};

static struct udp *udp_of(struct transport *transport)
{
	return (struct udp *)(void *)transport;
}

/* ---- in ------------------------------------------------------------------------ */

/* Those that a datagram came into last time, and those whose buffer is another now. */
static void prepare_receive(struct udp *udp, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint8_t *buffer = udp->unused[udp->n_unused - 1 - i];

		if (i >= udp->n_came && udp->in_parts[i].iov_base == buffer)
			continue;
		udp->in_parts[i] = (struct iovec){buffer, udp->room};
		udp->in[i].msg_hdr = (struct msghdr){.msg_name = &udp->in_names[i],
		    .msg_namelen = sizeof(udp->in_names[i]),
		    .msg_iov = &udp->in_parts[i],
		    .msg_iovlen = 1};
	}
}

static unsigned udp_receive(struct transport *transport, struct packet *ret, unsigned n)
{
	struct udp *udp = udp_of(transport);
	unsigned good = 0;
	int got;

	n = n < TRANSPORT_BURST ? n : TRANSPORT_BURST;
	n = n < udp->n_unused ? n : udp->n_unused;
	prepare_receive(udp, n);
	got = n ? recvmmsg(udp->fd, udp->in, n, MSG_DONTWAIT, NULL) : 0;
	udp->n_came = got > 0 ? (unsigned)got : 0;
	if (got <= 0)
		return 0;
	udp->n_unused -= (uint32_t)got;
	for (int i = 0; i < got; i++) {
		const struct sockaddr_in *from = &udp->in_names[i];

		if (udp->in[i].msg_hdr.msg_flags & MSG_TRUNC) {
			transport->counts.malformed++;
			/* below those that are out */
			udp->unused[udp->n_unused++] = udp->in_parts[i].iov_base;
			continue;
		}
		ret[good++] = (struct packet){.bytes = udp->in_parts[i].iov_base,
		    .size = udp->in[i].msg_len,
		    .peer = {ntohl(from->sin_addr.s_addr), ntohs(from->sin_port)},
		    .own = udp->in_parts[i].iov_base};
		transport->counts.received_bytes += udp->in[i].msg_len;
	}
	transport->counts.received += good;
	return good;
}

static void udp_put(struct transport *transport, const struct packet *packets, unsigned n)
{
	struct udp *udp = udp_of(transport);

	for (unsigned i = 0; i < n; i++)
		udp->unused[udp->n_unused++] = packets[i].own;
}

static unsigned udp_get(struct transport *transport, struct packet *ret, unsigned n)
{
	struct udp *udp = udp_of(transport);

	n = n < udp->n_unused ? n : udp->n_unused;
	for (unsigned i = 0; i < n; i++) {
		uint8_t *bytes = udp->unused[--udp->n_unused];

		ret[i] = (struct packet){.bytes = bytes, .own = bytes};
	}
	return n;
}

/* ---- out ------------------------------------------------------------------------ */

/* How many packets from the first on may leave as one: the same peer and size, but for the last,
 * which may be shorter. */
static unsigned run_length(const struct udp *udp, const struct packet *packets, unsigned n)
{
	const struct packet *first = packets;
	unsigned length = 1;
	uint32_t bytes = first->size;

	while (udp->segments && length < n && length < SEGMENTS &&
	    packets[length - 1].size == first->size && packets[length].size <= first->size &&
	    packets[length].peer.ip == first->peer.ip &&
	    packets[length].peer.port == first->peer.port &&
	    bytes + packets[length].size <= DATAGRAM_MAX)
		bytes += packets[length++].size;
	return length;
}

static void prepare_message(struct udp *udp, unsigned message, const struct packet *packets,
    unsigned n, struct iovec *parts)
{
	struct msghdr *head = &udp->messages[message].msg_hdr;
	struct cmsghdr *control = &udp->segment_bytes[message].head;
	const uint16_t size = (uint16_t)packets->size;

	for (unsigned i = 0; i < n; i++)
		parts[i] = (struct iovec){packets[i].bytes, packets[i].size};
	udp->names[message] = (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(packets->peer.ip),
	    .sin_port = htons(packets->peer.port)};
	*head = (struct msghdr){.msg_name = &udp->names[message],
	    .msg_namelen = sizeof(udp->names[message]),
	    .msg_iov = parts,
	    .msg_iovlen = n};
	if (n == 1)
		return;
	head->msg_control = control;
	head->msg_controllen = sizeof(udp->segment_bytes[message]);
	*control = (struct cmsghdr){
	    .cmsg_level = SOL_UDP, .cmsg_type = UDP_SEGMENT, .cmsg_len = CMSG_LEN(sizeof(size))};
	memcpy(CMSG_DATA(control), &size, sizeof(size));
}

/* Gives the packets in the first messages. */
static unsigned in_messages(const struct udp *udp, unsigned messages)
{
	unsigned n = 0;

	for (unsigned i = 0; i < messages; i++)
		n += (unsigned)udp->messages[i].msg_hdr.msg_iovlen;
	return n;
}

static bool buffer_full(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == ENOMEM;
}

static unsigned udp_send(struct transport *transport, const struct packet *packets, unsigned n)
{
	struct udp *udp = udp_of(transport);
	unsigned messages = 0, taken;
	int sent;

	n = n < TRANSPORT_BURST ? n : TRANSPORT_BURST;
	for (unsigned at = 0; at < n; messages++) {
		const unsigned run = run_length(udp, packets + at, n - at);

		prepare_message(udp, messages, packets + at, run, udp->parts + at);
		at += run;
	}
	sent = messages ? sendmmsg(udp->fd, udp->messages, messages, MSG_DONTWAIT) : 0;
	if (sent < 0 && !buffer_full(errno)) { /* the first one cannot be sent, now or later */
		taken = in_messages(udp, 1);
		transport->counts.refused += taken;
	} else {
		taken = in_messages(udp, sent > 0 ? (unsigned)sent : 0);
		transport->counts.sent += taken;
		for (unsigned i = 0; i < taken; i++)
			transport->counts.sent_bytes += packets[i].size;
		transport->counts.held_back += n - taken;
	}
	udp_put(transport, packets, taken);
	return taken;
}

/* ---- the rest ------------------------------------------------------------------------ */

static void udp_count(struct transport *transport)
{
	uint32_t info[SK_MEMINFO_VARS] = {0};
	socklen_t size = sizeof(info);

	if (getsockopt(udp_of(transport)->fd, SOL_SOCKET, SO_MEMINFO, info, &size) == 0)
		transport->counts.dropped +=
		    (uint32_t)(info[SK_MEMINFO_DROPS] - (uint32_t)transport->counts.dropped);
}

static int udp_fd(const struct transport *transport)
{
	return ((const struct udp *)(const void *)transport)->fd;
}

static bool udp_up(const struct transport *transport)
{
	(void)transport;
	return true;
}

/* By a socket that is led there and sends nothing. */
static int udp_most(const struct transport *transport, uint32_t ip)
{
	const uint32_t from = IN_MULTICAST(transport->own.ip) ? 0 : transport->own.ip;
	const struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(from)},
	                         peer = {.sin_family = AF_INET,
	                             .sin_addr.s_addr = htonl(ip),
	                             .sin_port = htons(transport->own.port)};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(int);
	int most = 0;

	if (fd < 0)
		return 0;
	if (bind(fd, (const struct sockaddr *)&own, sizeof(own)) < 0 ||
	    connect(fd, (const struct sockaddr *)&peer, sizeof(peer)) < 0)
		most = -errno;
	else if (getsockopt(fd, IPPROTO_IP, IP_MTU, &most, &size) == 0)
		most -= TRANSPORT_HEADERS;
	close(fd);
	return most;
}

static void udp_close(struct transport *transport)
{
	struct udp *udp = udp_of(transport);

	if (udp->fd >= 0)
		close(udp->fd);
	free(udp->memory);
	free(udp->unused);
	free(udp);
}

static int packets_allocate(struct udp *udp, const struct transport_options *options)
{
	udp->n = options->packets;
	udp->room = (options->packet_bytes + ALIGN - 1) / ALIGN * ALIGN;
	udp->memory = aligned_alloc(ALIGN, (size_t)udp->n * udp->room);
	udp->unused = calloc(udp->n, sizeof(*udp->unused));
	if (udp->memory == NULL || udp->unused == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < udp->n; i++)
		udp->unused[udp->n_unused++] = udp->memory + (size_t)i * udp->room;
	return 0;
}

/* The kernel counts its own overhead in a socket's buffer and so doubles what it is asked for. */
static void buffer_widen(
    struct udp *udp, int force, int option, const char *way, const char *limit, int bytes)
{
	const size_t said = strlen(udp->transport.note);
	socklen_t size = sizeof(int);
	int got = 0;

	if (setsockopt(udp->fd, SOL_SOCKET, force, &bytes, sizeof(bytes)) == 0)
		return;
	setsockopt(udp->fd, SOL_SOCKET, option, &bytes, sizeof(bytes));
	if (getsockopt(udp->fd, SOL_SOCKET, option, &got, &size) == 0 && got / 2 < bytes)
		snprintf(udp->transport.note + said, sizeof(udp->transport.note) - said,
		    "%s%s buffer %d of %d bytes (%s)", said ? ", " : "", way, got / 2, bytes,
		    limit);
}

/* A socket with an address of its own hears no group: it has any, or, to hear nothing else, the
 * group's. */
static struct sockaddr_in address_of(const struct transport_options *options)
{
	const struct transport_address *group = &options->group;
	const struct transport_address own = group->ip == 0
	    ? options->own
	    : (struct transport_address){options->listen ? group->ip : 0, group->port};

	return (struct sockaddr_in){
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(own.ip), .sin_port = htons(own.port)};
}

/* Several on this machine may; what others have joined is not for us. */
static int group_join(int fd, const struct transport_options *options)
{
	const struct ip_mreq group = {{htonl(options->group.ip)}, {htonl(options->own.ip)}};
	const int no = 0;

	if (options->group.ip == 0)
		return 0;
	if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &no, sizeof(no)) < 0)
		return -1;
	return setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof(group));
}

static int open_socket(struct udp *udp, const struct transport_options *options)
{
	struct sockaddr_in own = address_of(options);
	const int bytes = (int)(options->queue_bytes ? options->queue_bytes : QUEUE_BYTES),
	          zero = 0, share = options->group.ip != 0, whole = IP_PMTUDISC_DO;
	socklen_t size = sizeof(own);

	udp->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (udp->fd < 0 ||
	    setsockopt(udp->fd, SOL_SOCKET, SO_REUSEADDR, &share, sizeof(share)) < 0 ||
	    setsockopt(udp->fd, IPPROTO_IP, IP_MTU_DISCOVER, &whole, sizeof(whole)) < 0 ||
	    bind(udp->fd, (const struct sockaddr *)&own, sizeof(own)) < 0 ||
	    group_join(udp->fd, options) < 0 ||
	    getsockname(udp->fd, (struct sockaddr *)&own, &size) < 0)
		return -errno;
	buffer_widen(udp, SO_RCVBUFFORCE, SO_RCVBUF, "receive", "net.core.rmem_max", bytes);
	buffer_widen(udp, SO_SNDBUFFORCE, SO_SNDBUF, "send", "net.core.wmem_max", bytes);
	udp->segments = setsockopt(udp->fd, SOL_UDP, UDP_SEGMENT, &zero, sizeof(zero)) == 0;
	udp->transport.own =
	    (struct transport_address){ntohl(own.sin_addr.s_addr), ntohs(own.sin_port)};
	return 0;
}

static int udp_open(const struct transport_options *options, char *ret_why, struct transport **ret)
{
	struct udp *udp = calloc(1, sizeof(*udp));
	int rc;

	if (udp == NULL)
		return -ENOMEM;
	udp->transport.kind = &transport_udp;
	udp->fd = -1;
	rc = packets_allocate(udp, options);
	if (rc == 0)
		rc = open_socket(udp, options);
	if (rc < 0) {
		const bool group = options->group.ip != 0;
		const struct transport_address *transport = group ? &options->group : &options->own;
		const struct in_addr ip = {htonl(transport->ip)};
		char text[INET_ADDRSTRLEN] = "";

		inet_ntop(AF_INET, &ip, text, sizeof(text));
		snprintf(ret_why, TRANSPORT_WHY, "UDP %s:%u: %s%s", text, transport->port,
		    strerror(-rc),
		    group && rc == -ENODEV
		        ? " (own_address must belong to an interface, or a route must lead to "
		          "the group)"
		        : "");
		udp_close(&udp->transport);
		return rc;
	}
	*ret = &udp->transport;
	return 0;
}

const struct transport_kind transport_udp = {
    .name = "udp",
    .open = udp_open,
    .close = udp_close,
    .receive = udp_receive,
    .put = udp_put,
    .get = udp_get,
    .send = udp_send,
    .count = udp_count,
    .fd = udp_fd,
    .up = udp_up,
    .most = udp_most,
};
