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

union name {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

struct udp {
	struct transport transport;
	int fd;
	uint8_t (*v6)[TRANSPORT_V6]; /* NULL: IPv4 */
	uint32_t n_v6;
	bool segments;    /* the kernel knows UDP_SEGMENT */
	uint32_t room;    /* bytes of a buffer */
	uint8_t *memory;  /* of all buffers */
	uint8_t **unused; /* a stack of them */
	uint32_t n_unused, n;
	unsigned n_came; /* datagrams, last time */
	struct mmsghdr in[TRANSPORT_BURST];
	struct iovec in_parts[TRANSPORT_BURST];
	union name in_names[TRANSPORT_BURST];
	struct mmsghdr messages[TRANSPORT_BURST]; /* out */
	struct iovec parts[TRANSPORT_BURST];
	union name names[TRANSPORT_BURST];
	union {
		struct cmsghdr head;
		uint8_t bytes[CMSG_SPACE(sizeof(uint16_t))];
	} segment_bytes[TRANSPORT_BURST];
};

static struct udp *udp_of(struct transport *transport)
{
	return (struct udp *)(void *)transport;
}

/* ---- names ------------------------------------------------------------------------ */

static socklen_t name_write(
    const struct udp *udp, const struct transport_address *address, union name *ret)
{
	if (udp->v6 == NULL) {
		ret->v4 = (struct sockaddr_in){.sin_family = AF_INET,
		    .sin_addr.s_addr = htonl(address->ip),
		    .sin_port = htons(address->port)};
		return sizeof(ret->v4);
	}
	ret->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(address->port)};
	if (address->ip < udp->n_v6)
		memcpy(&ret->v6.sin6_addr, udp->v6[address->ip], TRANSPORT_V6);
	return sizeof(ret->v6);
}

static struct transport_address name_read(const struct udp *udp, const union name *name)
{
	uint32_t place = 0;

	if (udp->v6 == NULL)
		return (struct transport_address){
		    ntohl(name->v4.sin_addr.s_addr), ntohs(name->v4.sin_port)};
	while (place < udp->n_v6 && memcmp(udp->v6[place], &name->v6.sin6_addr, TRANSPORT_V6) != 0)
		place++;
	return (struct transport_address){place, ntohs(name->v6.sin6_port)};
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
		if (udp->in[i].msg_hdr.msg_flags & MSG_TRUNC) {
			transport->counts.malformed++;
			/* below those that are out */
			udp->unused[udp->n_unused++] = udp->in_parts[i].iov_base;
			continue;
		}
		ret[good++] = (struct packet){.bytes = udp->in_parts[i].iov_base,
		    .size = udp->in[i].msg_len,
		    .peer = name_read(udp, &udp->in_names[i]),
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
	*head = (struct msghdr){.msg_name = &udp->names[message],
	    .msg_namelen = name_write(udp, &packets->peer, &udp->names[message]),
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

	if (fd < 0 || ((const struct udp *)(const void *)transport)->v6 != NULL) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
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
	free(udp->v6);
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
static struct transport_address address_of(const struct transport_options *options)
{
	const struct transport_address *group = &options->group;

	return group->ip == 0
	    ? options->own
	    : (struct transport_address){options->listen ? group->ip : 0, group->port};
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

/* Nothing is sent in fragments; the IPv4 of this machine is not heard by a socket of IPv6. */
static int family_set(const struct udp *udp)
{
	const int whole = IP_PMTUDISC_DO, whole_6 = IPV6_PMTUDISC_DO, only = 1;

	if (udp->v6 == NULL)
		return setsockopt(udp->fd, IPPROTO_IP, IP_MTU_DISCOVER, &whole, sizeof(whole));
	if (setsockopt(udp->fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only)) < 0)
		return -1;
	return setsockopt(udp->fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &whole_6, sizeof(whole_6));
}

static int open_socket(struct udp *udp, const struct transport_options *options)
{
	const struct transport_address address = address_of(options);
	union name own;
	const int bytes = (int)(options->queue_bytes ? options->queue_bytes : QUEUE_BYTES),
	          zero = 0, share = options->group.ip != 0;
	socklen_t size = name_write(udp, &address, &own);

	udp->fd =
	    socket(udp->v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (udp->fd < 0 ||
	    setsockopt(udp->fd, SOL_SOCKET, SO_REUSEADDR, &share, sizeof(share)) < 0 ||
	    family_set(udp) < 0 || bind(udp->fd, &own.any, size) < 0 ||
	    group_join(udp->fd, options) < 0 || getsockname(udp->fd, &own.any, &size) < 0)
		return -errno;
	buffer_widen(udp, SO_RCVBUFFORCE, SO_RCVBUF, "receive", "net.core.rmem_max", bytes);
	buffer_widen(udp, SO_SNDBUFFORCE, SO_SNDBUF, "send", "net.core.wmem_max", bytes);
	udp->segments = setsockopt(udp->fd, SOL_UDP, UDP_SEGMENT, &zero, sizeof(zero)) == 0;
	udp->transport.own = name_read(udp, &own);
	return 0;
}

static int addresses_copy(struct udp *udp, const struct transport_options *options)
{
	if (options->v6 == NULL)
		return 0;
	udp->n_v6 = options->n_v6;
	udp->v6 = calloc(options->n_v6 + 1, sizeof(*udp->v6));
	if (udp->v6 == NULL)
		return -ENOMEM;
	memcpy(udp->v6, options->v6, options->n_v6 * sizeof(*udp->v6));
	return 0;
}

/* IP:PORT, as the user writes it. */
static void name_print(
    const struct udp *udp, const struct transport_address *address, char *ret, size_t size)
{
	char text[INET6_ADDRSTRLEN] = "";
	union name name;

	name_write(udp, address, &name);
	if (udp->v6 != NULL)
		inet_ntop(AF_INET6, &name.v6.sin6_addr, text, sizeof(text));
	else
		inet_ntop(AF_INET, &name.v4.sin_addr, text, sizeof(text));
	snprintf(ret, size, udp->v6 ? "[%s]:%u" : "%s:%u", text, address->port);
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
		rc = addresses_copy(udp, options);
	if (rc == 0)
		rc = open_socket(udp, options);
	if (rc < 0) {
		const bool group = options->group.ip != 0;
		char text[INET6_ADDRSTRLEN + 16];

		name_print(udp, group ? &options->group : &options->own, text, sizeof(text));
		snprintf(ret_why, TRANSPORT_WHY, "UDP %s: %s%s", text, strerror(-rc),
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
