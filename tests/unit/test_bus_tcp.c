/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_bus_tcp.c - messages between nodes over TCP: who is let in, and that all else is
 * dropped and counted, by a real socket of 127.0.0.1 that is attacked. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/bus/stamp.h"
#include "tests/common/nodes.h"

enum { QUIET_MS = 300 };

struct rig {
	struct nodes nodes;
	char address[32];
	struct bus *a;
};

static const enum wire_type ping_only[] = {WIRE_PING};

static int rig_open(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	nodes_open(&rig->nodes);
	rig->a = nodes_listen(&rig->nodes, ping_only, 1, rig->address);
	*state = rig;
	return 0;
}

static int rig_close(void **state)
{
	struct rig *rig = *state;

	bus_close(rig->a);
	nodes_close(&rig->nodes);
	free(rig);
	return 0;
}

static void send_type(struct bus *bus, enum wire_type type)
{
	struct wire_msg msg;

	wire_init(&msg, type, WIRE_CLIENT, WIRE_FRONTEND, bus_seq(bus));
	assert_int_equal(bus_send(bus, &msg), 0);
}

/* A ping of `bus` goes there and back. */
static void ping(struct bus *a, struct bus *bus, const char *node)
{
	struct wire_view view;
	struct wire_msg reply;
	struct bus_peer from;
	const uint8_t *bytes;
	size_t len;

	send_type(bus, WIRE_PING);
	assert_int_equal(nodes_recv(a, bus, &view, &from), 0);
	assert_int_equal(view.type, WIRE_PING);
	assert_string_equal(from.node, node);
	bus_reply(a, &view, WIRE_OK, &reply);
	bytes = wire_bytes(&reply, &len);
	assert_int_equal(bus_send_to(a, &from, bytes, len), 0);
	wire_fini(&reply);
	assert_int_equal(nodes_recv(bus, a, &view, NULL), 0);
	assert_int_equal(view.type, WIRE_OK);
}

static void test_there_and_back(void **state)
{
	struct rig *rig = *state;
	struct bus *b = nodes_join(&rig->nodes, NODE_B, rig->address);

	for (int i = 0; i < 3; i++)
		ping(rig->a, b, "b");
	bus_close(b);
	assert_int_equal(bus_counts(rig->a).joined, 1);
	assert_int_equal(bus_counts(rig->a).strangers, 0);
	assert_int_equal(bus_counts(rig->a).handshake, 0);
	assert_int_equal(bus_counts(rig->a).replayed, 0);
}

/* ---- who is refused ---- */

struct wanted { /* until a count is reached */
	struct bus *bus;
	size_t at;
	uint64_t n;
};

static uint64_t count_of(const struct wanted *wanted)
{
	const struct bus_counts counts = bus_counts(wanted->bus);

	return *(const uint64_t *)((const char *)&counts + wanted->at);
}

static bool reached(void *context)
{
	return count_of(context) >= ((const struct wanted *)context)->n;
}

#define COUNTED(a, other, field, number)                                                           \
	do {                                                                                       \
		struct wanted wanted_ = {a, offsetof(struct bus_counts, field), number};           \
		assert_int_equal(nodes_pump(a, other, reached, &wanted_), 0);                      \
	} while (0)

static void test_stranger(void **state)
{
	struct rig *rig = *state;
	struct bus *b = nodes_join(&rig->nodes, NODE_B, rig->address);
	struct bus *c = nodes_join(&rig->nodes, NODE_C, rig->address);
	char text[400], print[KEYS_PRINT];
	struct wire_view view;

	send_type(c, WIRE_PING);
	COUNTED(rig->a, NULL, strangers, 1);
	assert_int_equal(nodes_recv(c, rig->a, &view, NULL), -EACCES);
	ping(rig->a, b, "b");
	assert_int_equal(bus_counts(rig->a).strangers, 1); /* it does not try on and on */
	assert_int_equal(bus_counts(rig->a).joined, 1);
	assert_int_equal(bus_counts(rig->a).ended, 0);
	keys_print(rig->nodes.own[NODE_C].key, print);
	assert_true(bus_news(rig->a, clock_ns(), text, sizeof(text)));
	assert_non_null(strstr(text,
	    "dropped: 1 connection with a key that is not allowed; the "
	    "last was 127.0.0.1 with the key "));
	assert_non_null(strstr(text, print));
	bus_close(b);
	bus_close(c);
}

/* It is told at once, also when it asks again. */
static void test_stranger_is_told(void **state)
{
	struct rig *rig = *state;
	struct bus *c = nodes_join(&rig->nodes, NODE_C, rig->address);
	struct wire_view view;
	struct wire_msg msg;

	COUNTED(rig->a, NULL, strangers, 1);
	assert_int_equal(nodes_recv(c, rig->a, &view, NULL), -EACCES);
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_FRONTEND, bus_seq(c));
	assert_int_equal(bus_call(c, &msg, 5000, &view), -EACCES);
	bus_close(c);
}

static void test_wrong_secret(void **state)
{
	struct rig *rig = *state;
	struct nodes thief = rig->nodes;
	struct bus *c;

	/* c says that it is b, whose secret key it has not */
	memcpy(thief.own[NODE_C].key, thief.own[NODE_B].key, KEYS_TEXT);
	c = nodes_join(&thief, NODE_C, rig->address);
	send_type(c, WIRE_PING);
	COUNTED(rig->a, c, handshake, 1);
	assert_int_equal(bus_counts(rig->a).joined, 0);
	assert_int_equal(bus_counts(rig->a).strangers, 0); /* the list was not even asked */
	bus_close(c);
}

/* Nobody else can play the node that listens. */
static void test_wrong_server(void **state)
{
	struct rig *rig = *state;
	struct nodes other = rig->nodes;
	struct bus *b;

	memcpy(other.own[NODE_A].key, other.own[NODE_C].key, KEYS_TEXT);
	b = nodes_join(&other, NODE_B, rig->address);
	send_type(b, WIRE_PING);
	COUNTED(rig->a, b, handshake, 1);
	assert_int_equal(bus_counts(rig->a).joined + bus_counts(b).joined, 0);
	bus_close(b);
}

static struct bus *open_to_all(struct nodes *nodes, bool listens, const char *address)
{
	const struct bus_tcp tcp = {.node = "a", .address = address, .insecure = true};
	struct bus *bus =
	    listens ? bus_listen(&tcp, &nodes->diag) : bus_join(&tcp, WIRE_CLIENT, &nodes->diag);

	assert_non_null(bus);
	return bus;
}

/* Which of the two sees it first differs; the other one sees its handshake end. */
static bool mechanism_seen(void *context)
{
	const struct bus_counts counts = bus_counts(context);

	return counts.mechanism + counts.handshake > 0;
}

static void mismatch(struct bus *listener, struct bus *client)
{
	struct wire_view view;
	int result;

	send_type(client, WIRE_PING);
	assert_int_equal(nodes_pump(listener, NULL, mechanism_seen, listener), 0);
	result = nodes_recv(client, listener, &view, NULL);
	assert_true(result == -EPROTO || result == -ECONNRESET);
	assert_true(mechanism_seen(client));
	assert_true(bus_counts(listener).mechanism + bus_counts(client).mechanism > 0);
	assert_int_equal(bus_counts(listener).joined + bus_counts(client).joined, 0);
	assert_int_equal(bus_counts(listener).ended, 0);
	bus_close(client);
}

static void test_mechanisms_differ(void **state)
{
	struct rig *rig = *state;
	struct bus *server = open_to_all(&rig->nodes, true, "127.0.0.1:0");
	char address[32];

	mismatch(rig->a, open_to_all(&rig->nodes, false, rig->address));
	snprintf(address, sizeof(address), "127.0.0.1:%u", bus_port(server));
	mismatch(server, nodes_join(&rig->nodes, NODE_B, address));
	bus_close(server);
}

static void test_open_to_all(void **state)
{
	struct rig *rig = *state;
	struct bus *server = open_to_all(&rig->nodes, true, "127.0.0.1:0"), *client;
	char address[32];

	snprintf(address, sizeof(address), "127.0.0.1:%u", bus_port(server));
	client = open_to_all(&rig->nodes, false, address);
	ping(server, client, "");
	ping(server, client, "");
	bus_close(client);
	bus_close(server);
}

/* Where nobody serves the handler, nobody gets in. */
static void test_handler_asleep(void **state)
{
	struct rig *rig = *state;
	struct bus *b = nodes_join(&rig->nodes, NODE_B, rig->address);
	struct pollfd fd = {.fd = bus_fd(b), .events = POLLIN};

	send_type(b, WIRE_PING);
	poll(&fd, 1, QUIET_MS);
	assert_int_equal(bus_counts(rig->a).joined, 0);
	ping(rig->a, b, "b"); /* both pings come now, the first is taken */
	bus_close(b);
}

/* ---- the list changes while the node runs ---- */

static void test_revoked(void **state)
{
	struct rig *rig = *state;
	struct bus *b = nodes_join(&rig->nodes, NODE_B, rig->address);
	struct wire_view view;

	ping(rig->a, b, "b");
	assert_int_equal(keys_revoke(rig->nodes.folder[NODE_A], "b", &rig->nodes.diag), 0);
	for (int i = 0; i < 100 && bus_counts(rig->a).revoked == 0; i++) {
		send_type(b, WIRE_PING);
		poll(NULL, 0, 20);
		(void)bus_recv(rig->a, &view, NULL);
	}
	assert_true(bus_counts(rig->a).revoked > 0);
	send_type(b, WIRE_PING);
	assert_int_equal(nodes_recv(rig->a, NULL, &view, NULL), -EBADMSG);
	bus_close(b);
	b = nodes_join(&rig->nodes, NODE_B, rig->address);
	COUNTED(rig->a, b, strangers, 1);
	bus_close(b);
}

static bool long_enough(void *context)
{
	return clock_ns() >= *(uint64_t *)context;
}

static void test_allowed_later(void **state)
{
	struct rig *rig = *state;
	struct bus *c = nodes_join(&rig->nodes, NODE_C, rig->address);
	uint64_t until_ns;

	COUNTED(rig->a, c, strangers, 1);
	assert_int_equal(keys_allow(rig->nodes.folder[NODE_A], "c", rig->nodes.own[NODE_C].key,
	                     &rig->nodes.diag),
	    0);
	until_ns = clock_ns() + 1200000000; /* until it tries again */
	assert_int_equal(nodes_pump(rig->a, c, long_enough, &until_ns), 0);
	ping(rig->a, c, "c");
	bus_close(c);
}

static void test_list_unreadable(void **state)
{
	struct rig *rig = *state;
	char path[128];
	struct bus *b;

	snprintf(path, sizeof(path), "%s/allowed", rig->nodes.folder[NODE_A]);
	assert_int_equal(chmod(path, 0644), 0);
	b = nodes_join(&rig->nodes, NODE_B, rig->address);
	COUNTED(rig->a, b, strangers, 1);
	assert_int_equal(bus_counts(rig->a).joined, 0);
	bus_close(b);
}

/* ---- what is dropped of a node that is let in ---- */

/* Its socket without the bus: it may send what it likes. */
struct raw {
	void *ctx, *socket;
};

static struct raw raw_open(const struct rig *rig, const char *address)
{
	const struct keys_own *own = &rig->nodes.own[NODE_B];
	struct raw raw = {.ctx = zmq_ctx_new()};
	const int none = 0;
	char endpoint[64];

	raw.socket = zmq_socket(raw.ctx, ZMQ_DEALER);
	zmq_setsockopt(raw.socket, ZMQ_LINGER, &none, sizeof(none));
	zmq_setsockopt(raw.socket, ZMQ_CURVE_SERVERKEY, rig->nodes.own[NODE_A].key, 40);
	zmq_setsockopt(raw.socket, ZMQ_CURVE_PUBLICKEY, own->key, 40);
	zmq_setsockopt(raw.socket, ZMQ_CURVE_SECRETKEY, own->secret, 40);
	snprintf(endpoint, sizeof(endpoint), "tcp://%s", address);
	assert_int_equal(zmq_connect(raw.socket, endpoint), 0);
	return raw;
}

static void raw_close(struct raw *raw)
{
	zmq_close(raw->socket);
	zmq_ctx_term(raw->ctx);
}

static void raw_send(struct raw *raw, uint64_t life, uint64_t number, const void *body, size_t len)
{
	const uint64_t stamp[2] = {htole64(life), htole64(number)};

	assert_int_equal(zmq_send(raw->socket, stamp, STAMP_BYTES, ZMQ_SNDMORE), STAMP_BYTES);
	assert_int_equal(zmq_send(raw->socket, body, len, 0), len);
}

static void raw_ping(struct raw *raw, uint64_t life, uint64_t number)
{
	struct wire_msg msg;
	const uint8_t *bytes;
	size_t len;

	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_FRONTEND, (uint32_t)number);
	bytes = wire_bytes(&msg, &len);
	raw_send(raw, life, number, bytes, len);
	wire_fini(&msg);
}

static void test_unknown_command(void **state)
{
	struct rig *rig = *state;
	struct bus *b = nodes_join(&rig->nodes, NODE_B, rig->address);
	struct wire_view view;

	send_type(b, WIRE_DOWN);
	assert_int_equal(nodes_recv(rig->a, b, &view, NULL), -EBADMSG);
	send_type(b, (enum wire_type)4711);
	assert_int_equal(nodes_recv(rig->a, b, &view, NULL), -EBADMSG);
	assert_int_equal(bus_counts(rig->a).unknown, 2);
	ping(rig->a, b, "b");
	bus_close(b);
}

static void test_replayed(void **state)
{
	struct rig *rig = *state;
	struct raw raw = raw_open(rig, rig->address);
	struct wire_view view;

	raw_ping(&raw, 7, 1);
	assert_int_equal(nodes_recv(rig->a, NULL, &view, NULL), 0);
	raw_ping(&raw, 7, 1);
	assert_int_equal(nodes_recv(rig->a, NULL, &view, NULL), -EBADMSG);
	raw_ping(&raw, 7, 9);
	assert_int_equal(nodes_recv(rig->a, NULL, &view, NULL), 0);
	raw_ping(&raw, 8, 1);
	assert_int_equal(nodes_recv(rig->a, NULL, &view, NULL), 0);
	raw_close(&raw);
	raw = raw_open(rig, rig->address); /* again, after connecting anew */
	raw_ping(&raw, 7, 9);
	assert_int_equal(nodes_recv(rig->a, NULL, &view, NULL), -EBADMSG);
	assert_int_equal(bus_counts(rig->a).replayed, 2);
	raw_ping(&raw, 7, 10);
	assert_int_equal(nodes_recv(rig->a, NULL, &view, NULL), 0);
	raw_close(&raw);
}

static void test_not_well_formed(void **state)
{
	struct rig *rig = *state;
	struct raw raw = raw_open(rig, rig->address);
	struct wire_view view;

	raw_send(&raw, 7, 1, "rubbish", 7);
	zmq_send(raw.socket, "no stamp", 8, 0);
	zmq_send(raw.socket, "0123456789abcdef", STAMP_BYTES, 0); /* and no body */
	zmq_send(raw.socket, "0123456789abcdef", STAMP_BYTES, ZMQ_SNDMORE);
	zmq_send(raw.socket, "two", 3, ZMQ_SNDMORE);
	zmq_send(raw.socket, "bodies", 6, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(nodes_recv(rig->a, NULL, &view, NULL), -EBADMSG);
	assert_int_equal(bus_counts(rig->a).bad, 4);
	raw_ping(&raw, 7, 2);
	assert_int_equal(nodes_recv(rig->a, NULL, &view, NULL), 0);
	raw_close(&raw);
}

static void test_too_long(void **state)
{
	struct rig *rig = *state;
	struct bus *b = nodes_join(&rig->nodes, NODE_B, rig->address);
	struct raw raw = raw_open(rig, rig->address);
	uint8_t *body = calloc(1, BUS_TCP_BYTES_MAX + 1);
	struct wire_view view;
	struct wire_msg msg;

	raw_ping(&raw, 7, 1);
	assert_int_equal(nodes_recv(rig->a, b, &view, NULL), 0);
	raw_send(&raw, 7, 2, body, BUS_TCP_BYTES_MAX + 1);
	COUNTED(rig->a, b, ended, 1);
	ping(rig->a, b, "b");
	raw_close(&raw);
	/* who sends by the bus is told, and nothing half is sent */
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_FRONTEND, 1);
	wire_put_bytes(&msg, WIRE_TAG_BYTES, body, BUS_TCP_BYTES_MAX);
	assert_int_equal(bus_send(b, &msg), -EMSGSIZE);
	ping(rig->a, b, "b");
	bus_close(b);
	free(body);
}

/* ---- bytes on the wire ---- */

static int wire_open(const char *address)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_port = htons((uint16_t)atoi(strchr(address, ':') + 1));
	assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/* Stands between a node and the one that listens, and keeps what the node has sent. */
struct relay {
	int accepting, node, listener;
	char address[32];
	uint8_t sent[4096];
	size_t len;
};

static void relay_open(struct relay *relay, const char *to)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);

	*relay = (struct relay){.node = -1};
	relay->accepting = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(relay->accepting, (const struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(relay->accepting, 1), 0);
	getsockname(relay->accepting, (struct sockaddr *)&at, &size);
	snprintf(relay->address, sizeof(relay->address), "127.0.0.1:%u", ntohs(at.sin_port));
	relay->listener = wire_open(to);
	fcntl(relay->listener, F_SETFL, O_NONBLOCK);
}

static void relay_step(struct relay *relay)
{
	uint8_t bytes[4096];
	ssize_t len;

	if (relay->node < 0)
		relay->node = accept4(relay->accepting, NULL, NULL, SOCK_NONBLOCK);
	len = relay->node < 0 ? -1 : recv(relay->node, bytes, sizeof(bytes), 0);
	if (len > 0 && relay->len + (size_t)len <= sizeof(relay->sent)) {
		memcpy(relay->sent + relay->len, bytes, (size_t)len);
		relay->len += (size_t)len;
		assert_int_equal(send(relay->listener, bytes, (size_t)len, MSG_NOSIGNAL), len);
	}
	len = relay->node < 0 ? -1 : recv(relay->listener, bytes, sizeof(bytes), 0);
	if (len > 0)
		assert_int_equal(send(relay->node, bytes, (size_t)len, MSG_NOSIGNAL), len);
}

static void relay_close(struct relay *relay)
{
	close(relay->accepting);
	close(relay->listener);
	if (relay->node >= 0)
		close(relay->node);
}

/* One ping of b through the relay. */
static void relay_ping(struct rig *rig, struct relay *relay, struct bus *b)
{
	struct wire_view view;
	int result;

	send_type(b, WIRE_PING);
	while ((result = bus_recv(rig->a, &view, NULL)) == -EAGAIN) {
		relay_step(relay);
		poll(NULL, 0, 1);
	}
	assert_int_equal(result, 0);
}

/* All that a node has sent, handshake and message, once more from a new connection. */
static void test_recorded_bytes(void **state)
{
	struct rig *rig = *state;
	struct relay relay;
	struct bus *b;
	int fd;

	relay_open(&relay, rig->address);
	b = nodes_join(&rig->nodes, NODE_B, relay.address);
	relay_ping(rig, &relay, b);
	fd = wire_open(rig->address);
	assert_int_equal(send(fd, relay.sent, relay.len, MSG_NOSIGNAL), relay.len);
	COUNTED(rig->a, NULL, handshake, 1);
	assert_int_equal(bus_counts(rig->a).joined, 1);
	close(fd);
	bus_close(b);
	relay_close(&relay);
}

static const uint8_t one_gigabyte[] = {2, 0, 0, 0, 0, 0x40, 0, 0, 0}; /* ZMTP 3.0: long frame */

static void test_gigabyte_of_a_node(void **state)
{
	struct rig *rig = *state;
	struct relay relay;
	struct bus *b;

	relay_open(&relay, rig->address);
	b = nodes_join(&rig->nodes, NODE_B, relay.address);
	relay_ping(rig, &relay, b);
	send(relay.listener, one_gigabyte, sizeof(one_gigabyte), MSG_NOSIGNAL);
	COUNTED(rig->a, NULL, ended, 1);
	bus_close(b);
	relay_close(&relay);
}

static void test_gigabyte_and_rubbish_of_a_stranger(void **state)
{
	/* the greeting of ZMTP 3.0 with CURVE, as a client */
	static const uint8_t greeting[64] = {0xff, [9] = 0x7f, 3, 0, 'C', 'U', 'R', 'V', 'E'};
	struct rig *rig = *state;
	struct bus *b = nodes_join(&rig->nodes, NODE_B, rig->address);
	int fd = wire_open(rig->address);
	send(fd, greeting, sizeof(greeting), MSG_NOSIGNAL);
	send(fd, one_gigabyte, sizeof(one_gigabyte), MSG_NOSIGNAL);
	COUNTED(rig->a, NULL, ended, 1);
	assert_int_equal(bus_counts(rig->a).joined, 0);
	close(fd);
	for (uint64_t i = 0; i < 50; i++) {
		fd = wire_open(rig->address);
		send(fd,
		    "GET / HTTP/1.1\r\nHost: aloe\r\nAccept: text/html, text/plain, */*\r\n\r\n",
		    64, MSG_NOSIGNAL);
		close(fd);
		COUNTED(rig->a, b, ended, i + 2);
	}
	ping(rig->a, b, "b");
	assert_int_equal(bus_counts(rig->a).joined, 1);
	bus_close(b);
}

/* ---- what is said ---- */

static void test_news_once_a_second(void **state)
{
	struct rig *rig = *state;
	struct bus *b = nodes_join(&rig->nodes, NODE_B, rig->address);
	struct wire_view view;
	char text[400];

	assert_false(bus_news(rig->a, 5000000000, text, sizeof(text)));
	for (int i = 0; i < 3; i++) {
		send_type(b, WIRE_DOWN);
		assert_int_equal(nodes_recv(rig->a, b, &view, NULL), -EBADMSG);
		assert_int_equal(
		    bus_news(rig->a, 5000000000 + (uint64_t)i, text, sizeof(text)), i == 0);
	}
	assert_string_equal(text, "dropped: 1 message of a type that is not allowed here");
	assert_false(bus_news(rig->a, 5999999999, text, sizeof(text)));
	assert_true(bus_news(rig->a, 6000000000, text, sizeof(text)));
	assert_string_equal(text, "dropped: 2 messages of a type that is not allowed here");
	assert_false(bus_news(rig->a, 9000000000, text, sizeof(text)));
	assert_false(bus_news(b, 9000000000, text, sizeof(text)));
	bus_close(b);
}

static void refused(const struct bus_tcp *tcp, bool listens, const char *words)
{
	struct diag diag;

	diag_init(&diag);
	errno = 0;
	assert_null(listens ? bus_listen(tcp, &diag) : bus_join(tcp, WIRE_CLIENT, &diag));
	assert_int_equal(errno, EINVAL);
	assert_true(diag.len > 0);
	if (!strstr(diag.lines[0], words))
		fail_msg("%s", diag.lines[0]);
	diag_fini(&diag);
}

static void test_not_opened(void **state)
{
	struct rig *rig = *state;
	const struct keys_own *own = &rig->nodes.own[NODE_A];

	refused(&(struct bus_tcp){.node = "a", .address = "10.0.0.1:7000"}, true,
	    "node \"a\" has no key, so everybody who reaches 10.0.0.1:7000 could control it; "
	    "nothing was opened. `aloe keys new a` makes a key, and `aloe keys allow` lets");
	refused(&(struct bus_tcp){.node = "a", .address = "127.0.0.1:0"}, true,
	    "127.0.0.1:0 (each user and program of this machine) could control it");
	refused(&(struct bus_tcp){.node = "a", .address = "10.0.0.1:7000"}, false,
	    "node \"a\" has no key to connect to 10.0.0.1:7000 with; `aloe keys new a` makes one");
	refused(
	    &(struct bus_tcp){
	        .node = "a", .address = "127.0.0.1:0", .own = own, .folder = "/", .insecure = true},
	    true, "node \"a\" has a key, but the platform file says secure = false");
	refused(&(struct bus_tcp){.node = "b", .address = "127.0.0.1:0", .own = own}, true,
	    "the key in this folder belongs to node \"a\", but this is node \"b\"");
	refused(&(struct bus_tcp){.address = "10.0.0.1:7000", .own = own}, false,
	    "the key of the node at 10.0.0.1:7000 is not known");
	refused(&(struct bus_tcp){.address = "0.0.0.0:7000", .insecure = true}, false,
	    "nobody can connect to 0.0.0.0:7000");
	refused(&(struct bus_tcp){.address = "manager:7000", .insecure = true}, true,
	    "the address \"manager:7000\" is not understood; IP:PORT is needed");
}

static void test_port_taken(void **state)
{
	struct rig *rig = *state;
	const struct bus_tcp tcp = {.node = "a",
	    .address = rig->address,
	    .own = &rig->nodes.own[NODE_A],
	    .folder = rig->nodes.folder[NODE_A]};
	char words[128];
	struct diag diag;

	diag_init(&diag);
	assert_null(bus_listen(&tcp, &diag));
	assert_int_equal(errno, EADDRINUSE);
	snprintf(
	    words, sizeof(words), "%s cannot be listened at: Address already in use", rig->address);
	assert_string_equal(diag.lines[0], words);
	diag_fini(&diag);
}

#define WITH_RIG(test) cmocka_unit_test_setup_teardown(test, rig_open, rig_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_RIG(test_there_and_back),
	    WITH_RIG(test_stranger),
	    WITH_RIG(test_stranger_is_told),
	    WITH_RIG(test_wrong_secret),
	    WITH_RIG(test_wrong_server),
	    WITH_RIG(test_mechanisms_differ),
	    WITH_RIG(test_open_to_all),
	    WITH_RIG(test_handler_asleep),
	    WITH_RIG(test_revoked),
	    WITH_RIG(test_allowed_later),
	    WITH_RIG(test_list_unreadable),
	    WITH_RIG(test_unknown_command),
	    WITH_RIG(test_replayed),
	    WITH_RIG(test_not_well_formed),
	    WITH_RIG(test_too_long),
	    WITH_RIG(test_recorded_bytes),
	    WITH_RIG(test_gigabyte_of_a_node),
	    WITH_RIG(test_gigabyte_and_rubbish_of_a_stranger),
	    WITH_RIG(test_news_once_a_second),
	    WITH_RIG(test_not_opened),
	    WITH_RIG(test_port_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
