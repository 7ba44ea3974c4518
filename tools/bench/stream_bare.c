/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stream_bare.c - what a bridge is measured against: a TCP socket, UDP datagrams in bursts
 * (platforms/udp), ZeroMQ; the last two also with what protects them. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include "core/base/clock.h"
#include "core/seal/seal.h"
#include "platforms/udp/udp.h"
#include "tools/bench/stream.h"

/* ---- TCP ------------------------------------------------------------------------ */

struct bare_tcp {
	int listener, socket;
	uint64_t sent;
};

static int tcp_open(struct stream *stream)
{
	const struct sockaddr_in any = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct bare_tcp *tcp = calloc(1, sizeof(*tcp));

	stream->own = tcp;
	if (!tcp)
		return -ENOMEM;
	tcp->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	tcp->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return tcp->socket < 0 || tcp->listener < 0 ||
	        bind(tcp->listener, (const struct sockaddr *)&any, sizeof(any)) < 0 ||
	        listen(tcp->listener, 1) < 0
	    ? -errno
	    : 0;
}

static void tcp_receive(struct stream *stream)
{
	const struct bare_tcp *tcp = stream->own;
	const int fd = accept(tcp->listener, NULL, NULL);

	for (uint64_t number = 0;; number++) {
		uint8_t *bytes = stream_place(stream, number);

		for (size_t at = 0; at < stream->bytes;) {
			const ssize_t got = recv(fd, bytes + at, stream->bytes - at, 0);

			if (got <= 0)
				return;
			at += (size_t)got;
		}
		stream_got(stream, number, bytes);
	}
}

static int tcp_connect(struct stream *stream)
{
	const struct bare_tcp *tcp = stream->own;
	struct sockaddr_in at;
	socklen_t size = sizeof(at);

	return getsockname(tcp->listener, (struct sockaddr *)&at, &size) < 0 ||
	        connect(tcp->socket, (const struct sockaddr *)&at, sizeof(at)) < 0
	    ? -errno
	    : 0;
}

static int tcp_send(struct stream *stream, uint64_t until_ns)
{
	struct bare_tcp *tcp = stream->own;

	while (clock_ns() < until_ns) {
		const uint8_t *bytes = stream_place(stream, tcp->sent);

		stream_put(stream, tcp->sent++);
		for (size_t at = 0; at < stream->bytes;) {
			const ssize_t put =
			    send(tcp->socket, bytes + at, stream->bytes - at, MSG_NOSIGNAL);

			if (put < 0)
				return -errno;
			at += (size_t)put;
		}
	}
	return 0;
}

static void tcp_close(struct stream *stream)
{
	const struct bare_tcp *tcp = stream->own;

	if (!tcp)
		return;
	close(tcp->listener);
	close(tcp->socket);
	free(stream->own);
}

const struct stream_way stream_tcp = {
    "tcp", "TCP", tcp_open, tcp_receive, tcp_connect, tcp_send, tcp_close};

/* ---- UDP ------------------------------------------------------------------------ */

enum { DATAGRAM = 1472, UDP_HEAD = 16, PACKETS = 256, LOST_NS = 20000000 };

/* What lies before the bytes of each datagram. */
struct bare_head {
	uint64_t number;
	uint32_t at, bytes;
};

struct bare_udp {
	struct transport *from, *to;
	struct seal *seal; /* of either end; NULL: the datagrams are not sealed */
	struct packet packets[TRANSPORT_BURST];
	unsigned n_packets;
	uint64_t sent, window; /* messages */
	/* of the receiver: the message that comes */
	uint64_t number, came;
};

static int seal_open(struct bare_udp *udp, uint16_t node)
{
	const struct seal_use use = {.key = {1, 2, 3}, .node = node};

	return seal_new(&use, &udp->seal);
}

/* As many messages are on their way as the buffer of the socket has room for, four times over. */
static uint64_t window_of(const struct stream *stream, const struct transport *to)
{
	socklen_t size = sizeof(int);
	uint64_t window;
	int room = 0;

	getsockopt(transport_fd(to), SOL_SOCKET, SO_RCVBUF, &room, &size);
	window = (uint64_t)room / 4 / (stream->bytes + UDP_HEAD);
	return window < 1 ? 1 : window < stream->depth ? window : stream->depth;
}

static int udp_open(struct stream *stream)
{
	const struct transport_options options = {
	    .own = {INADDR_LOOPBACK, 0}, .packets = PACKETS, .packet_bytes = DATAGRAM};
	struct bare_udp *udp = calloc(1, sizeof(*udp));
	int rc = udp ? 0 : -ENOMEM;

	stream->own = udp;
	rc = rc ? rc : transport_open(&transport_udp, &options, stream->why, &udp->from);
	rc = rc ? rc : transport_open(&transport_udp, &options, stream->why, &udp->to);
	if (rc == 0)
		udp->window = window_of(stream, udp->to);
	return rc;
}

static void datagram_take(
    struct stream *stream, struct bare_udp *udp, const uint8_t *bytes, size_t len)
{
	struct bare_head head;

	if (len < UDP_HEAD)
		return;
	memcpy(&head, bytes, sizeof(head));
	if (head.bytes != len - UDP_HEAD || (uint64_t)head.at + head.bytes > stream->bytes)
		return;
	if (head.number != udp->number) {
		udp->number = head.number;
		udp->came = 0;
		atomic_store_explicit(&stream->count->newest, head.number, memory_order_relaxed);
	}
	memcpy(stream_place(stream, head.number) + head.at, bytes + UDP_HEAD, head.bytes);
	udp->came += head.bytes;
	if (udp->came == stream->bytes)
		stream_got(stream, head.number, stream_place(stream, head.number));
}

static void sealed_take(struct stream *stream, struct bare_udp *udp, const struct packet *packet)
{
	uint8_t bytes[DATAGRAM];
	uint16_t from;
	size_t len;

	if (!udp->seal)
		datagram_take(stream, udp, packet->bytes, packet->size);
	else if (seal_take(udp->seal, packet->bytes, packet->size, bytes, sizeof(bytes), &len,
	             &from) == 0)
		datagram_take(stream, udp, bytes, len);
}

static void udp_receive(struct stream *stream)
{
	struct bare_udp *udp = stream->own;

	for (;;) {
		struct packet packets[TRANSPORT_BURST];
		struct pollfd fd = {transport_fd(udp->to), POLLIN, 0};
		const unsigned n = transport_receive(udp->to, packets, TRANSPORT_BURST);

		for (unsigned i = 0; i < n; i++)
			sealed_take(stream, udp, &packets[i]);
		transport_put(udp->to, packets, n);
		if (n == 0)
			poll(&fd, 1, -1);
	}
}

static void udp_sealed_receive(struct stream *stream)
{
	if (seal_open(stream->own, 1) == 0)
		udp_receive(stream);
}

static int udp_connect(struct stream *stream)
{
	(void)stream;
	return 0;
}

static int udp_sealed_connect(struct stream *stream)
{
	return seal_open(stream->own, 0);
}

static int burst_send(struct bare_udp *udp)
{
	unsigned sent = 0;

	while (sent < udp->n_packets) {
		const unsigned n =
		    transport_send(udp->from, udp->packets + sent, udp->n_packets - sent);

		sent += n;
		if (n == 0)
			sched_yield();
	}
	udp->n_packets = 0;
	return udp->from->counts.refused > 0 ? -EIO : 0;
}

/* Its length. */
static uint32_t datagram_put(
    struct stream *stream, struct bare_udp *udp, size_t at, size_t most, uint8_t *ret_bytes)
{
	const size_t left = stream->bytes - at, n = left < most ? left : most;
	const struct bare_head head = {udp->sent, (uint32_t)at, (uint32_t)n};
	uint8_t bytes[DATAGRAM], *to = udp->seal ? bytes : ret_bytes;
	size_t len = UDP_HEAD + n;

	memcpy(to, &head, sizeof(head));
	memcpy(to + UDP_HEAD, stream_place(stream, udp->sent) + at, n);
	if (udp->seal && seal_put(udp->seal, 1, to, len, ret_bytes, DATAGRAM, &len) < 0)
		return 0;
	return (uint32_t)len;
}

static int message_send(struct stream *stream, struct bare_udp *udp)
{
	const size_t most = DATAGRAM - UDP_HEAD - (udp->seal ? SEAL_MORE_BYTES : 0);
	int rc = 0;

	stream_put(stream, udp->sent);
	for (size_t at = 0; at < stream->bytes && rc == 0; at += most) {
		struct packet *packet = &udp->packets[udp->n_packets];

		if (transport_get(udp->from, packet, 1) != 1)
			return -ENOBUFS;
		packet->peer = udp->to->own;
		packet->size = datagram_put(stream, udp, at, most, packet->bytes);
		if (++udp->n_packets == TRANSPORT_BURST)
			rc = burst_send(udp);
	}
	udp->sent++;
	return rc;
}

/* The window is open, or what would open it is lost. */
static bool window_open(const struct stream *stream, const struct bare_udp *udp, uint64_t until_ns)
{
	const uint64_t began = clock_ns();

	while (udp->sent >= atomic_load(&stream->count->newest) + udp->window) {
		const uint64_t now = clock_ns();

		if (now > until_ns || now - began > LOST_NS)
			return now <= until_ns;
		sched_yield();
	}
	return true;
}

static int udp_send(struct stream *stream, uint64_t until_ns)
{
	struct bare_udp *udp = stream->own;
	int rc = 0;

	while (rc == 0 && clock_ns() < until_ns) {
		if (udp->sent >= atomic_load(&stream->count->newest) + udp->window) {
			rc = burst_send(udp);
			if (!window_open(stream, udp, until_ns))
				break;
		}
		if (rc == 0)
			rc = message_send(stream, udp);
	}
	return rc ? rc : burst_send(udp);
}

static void udp_close(struct stream *stream)
{
	struct bare_udp *udp = stream->own;

	if (!udp)
		return;
	seal_free(udp->seal);
	transport_close(udp->from);
	transport_close(udp->to);
	free(udp);
}

const struct stream_way stream_udp = {
    "udp", "UDP", udp_open, udp_receive, udp_connect, udp_send, udp_close};
const struct stream_way stream_udp_sealed = {"udp_sealed", "UDP, sealed", udp_open,
    udp_sealed_receive, udp_sealed_connect, udp_send, udp_close};

/* ---- ZeroMQ ------------------------------------------------------------------------ */

enum { KEY = 41, ENDPOINT = 64 };

struct bare_zeromq {
	bool curve;
	char endpoint[ENDPOINT];
	char own[2][KEY], secret[2][KEY]; /* of the receiver and of the sender */
	int port_pipe[2];                 /* by which the receiver says where it listens */
	void *ctx, *socket;
	uint64_t sent;
};

static int zeromq_new(struct stream *stream, bool curve)
{
	struct bare_zeromq *zeromq = calloc(1, sizeof(*zeromq));

	stream->own = zeromq;
	if (!zeromq)
		return -ENOMEM;
	zeromq->curve = curve;
	for (int i = 0; i < 2 && curve; i++)
		if (zmq_curve_keypair(zeromq->own[i], zeromq->secret[i]) < 0)
			return -errno;
	return pipe2(zeromq->port_pipe, O_CLOEXEC) < 0 ? -errno : 0;
}

static int zeromq_open(struct stream *stream)
{
	return zeromq_new(stream, false);
}

static int zeromq_curve_open(struct stream *stream)
{
	return zeromq_new(stream, true);
}

static int keys_set(const struct bare_zeromq *zeromq, int end)
{
	const int server = 1;

	if (!zeromq->curve)
		return 0;
	if (zmq_setsockopt(zeromq->socket, ZMQ_CURVE_SECRETKEY, zeromq->secret[end], KEY) < 0 ||
	    zmq_setsockopt(zeromq->socket, ZMQ_CURVE_PUBLICKEY, zeromq->own[end], KEY) < 0)
		return -errno;
	return (end == 0 ? zmq_setsockopt(zeromq->socket, ZMQ_CURVE_SERVER, &server, sizeof(server))
	                 : zmq_setsockopt(
	                       zeromq->socket, ZMQ_CURVE_SERVERKEY, zeromq->own[0], KEY)) < 0
	    ? -errno
	    : 0;
}

static int socket_new(struct bare_zeromq *zeromq, int type, int end)
{
	zeromq->ctx = zmq_ctx_new();
	zeromq->socket = zeromq->ctx ? zmq_socket(zeromq->ctx, type) : NULL;
	return zeromq->socket ? keys_set(zeromq, end) : -errno;
}

static void zeromq_receive(struct stream *stream)
{
	struct bare_zeromq *zeromq = stream->own;
	size_t size = ENDPOINT;

	if (socket_new(zeromq, ZMQ_PULL, 0) < 0 ||
	    zmq_bind(zeromq->socket, "tcp://127.0.0.1:*") < 0 ||
	    zmq_getsockopt(zeromq->socket, ZMQ_LAST_ENDPOINT, zeromq->endpoint, &size) < 0 ||
	    write(zeromq->port_pipe[1], zeromq->endpoint, ENDPOINT) != ENDPOINT)
		return;
	for (uint64_t number = 0;; number++) {
		uint8_t *bytes = stream_place(stream, number);

		if (zmq_recv(zeromq->socket, bytes, stream->bytes, 0) != (int)stream->bytes)
			return;
		stream_got(stream, number, bytes);
	}
}

static int zeromq_connect(struct stream *stream)
{
	const int now = 0, soon_ms = 10;
	struct bare_zeromq *zeromq = stream->own;
	int rc = socket_new(zeromq, ZMQ_PUSH, 1);

	close(zeromq->port_pipe[1]);
	zeromq->port_pipe[1] = -1;
	if (rc == 0 && read(zeromq->port_pipe[0], zeromq->endpoint, ENDPOINT) != ENDPOINT)
		return -EPIPE;
	if (rc == 0 &&
	    (zmq_setsockopt(zeromq->socket, ZMQ_LINGER, &now, sizeof(now)) < 0 ||
	        zmq_setsockopt(zeromq->socket, ZMQ_SNDTIMEO, &soon_ms, sizeof(soon_ms)) < 0 ||
	        zmq_connect(zeromq->socket, zeromq->endpoint) < 0))
		return -errno;
	return rc;
}

static int zeromq_send(struct stream *stream, uint64_t until_ns)
{
	struct bare_zeromq *zeromq = stream->own;

	while (clock_ns() < until_ns) {
		stream_put(stream, zeromq->sent);
		if (zmq_send(
		        zeromq->socket, stream_place(stream, zeromq->sent), stream->bytes, 0) >= 0)
			zeromq->sent++;
		else if (errno != EAGAIN)
			return -errno;
	}
	return 0;
}

static void zeromq_close(struct stream *stream)
{
	struct bare_zeromq *zeromq = stream->own;

	if (!zeromq)
		return;
	if (zeromq->socket)
		zmq_close(zeromq->socket);
	if (zeromq->ctx)
		zmq_ctx_term(zeromq->ctx);
	for (int i = 0; i < 2; i++)
		if (zeromq->port_pipe[i] > 0)
			close(zeromq->port_pipe[i]);
	free(zeromq);
}

const struct stream_way stream_zeromq = {
    "zeromq", "ZeroMQ", zeromq_open, zeromq_receive, zeromq_connect, zeromq_send, zeromq_close};
const struct stream_way stream_zeromq_curve = {"zeromq_curve", "ZeroMQ, CURVE", zeromq_curve_open,
    zeromq_receive, zeromq_connect, zeromq_send, zeromq_close};
