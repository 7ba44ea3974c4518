/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two nodes with keys run a waveform over UDP while strangers, and one who has stolen the key of a
 * node, send what they like to every port: a wrong key, a wrong secret, unknown commands, a message
 * again, a gigabyte, datagrams from elsewhere and datagrams that were recorded. Each is dropped,
 * counted, and said in the node's log; the waveform goes on meanwhile, and its bits are those of
 * one lane, without a message missing.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/bus/bus.h"
#include "core/bus/stamp.h"
#include "tests/common/aloe.h"

enum { A, B, STRANGER, ALL, TOO_LONG = 1 << 20, RECORDED = 64, FRAME = 70000 };

#define PATIENCE_NS 30000000000ull

struct rig {
	int port; /* of a's frontend; then its bridge, b's frontend, b's bridge */
	struct keys_own own[ALL];
	char folder[ALL][256];
	struct diag diag;
};

/* ---- the nodes ---- */

static void keys_make(struct rig *rig)
{
	static const char *const names[] = {"a", "b", "c"};

	for (int i = 0; i < ALL; i++) {
		snprintf(rig->folder[i], sizeof(rig->folder[i]), "%s/keys", aloe_path(names[i]));
		assert_int_equal(keys_new(rig->folder[i], names[i], false, &rig->diag), 0);
		assert_int_equal(keys_own_load(rig->folder[i], &rig->diag, &rig->own[i]), 0);
	}
	assert_int_equal(keys_allow(rig->folder[A], "b", rig->own[B].key, &rig->diag), 0);
	assert_int_equal(keys_allow(rig->folder[B], "a", rig->own[A].key, &rig->diag), 0);
}

static void files_make(struct rig *rig)
{
	static const char waveform[] =
	    "name = \"two\"; slot_ns = 20000000; instances: {\n"
	    "source: { component = \"random_source\"; length = 8; seed = 7;%s };\n"
	    "mod: { component = \"bpsk_mod\";%s };\n"
	    "demod: { component = \"bpsk_demod\";%s };\n"
	    "sink: { component = \"file_sink\"; path = \"%s\";%s }; };\n"
	    "links = ( \"source -> mod -> demod -> sink\" );\n";
	char text[2048];
	int len;

	rig->port = 26000 + getpid() % 1000 * 4;
	len = snprintf(text, sizeof(text),
	    "name = \"pair\"; nodes: { a: { mmac_per_s = 1000.0; address = \"127.0.0.1:%d\"; "
	    "manager = true; shared = true; lanes = [0]; key = \"%s\"; }; b: { mmac_per_s = "
	    "1000.0; address = \"127.0.0.1:%d\"; shared = true; lanes = [0]; key = \"%s\"; }; }; "
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 1000.0; delay = 2; transport = "
	    "\"udp\"; } );\n",
	    rig->port, rig->own[A].key, rig->port + 2, rig->own[B].key);
	file_make(aloe_path("pair.conf"), text, (size_t)len);
	len = snprintf(text, sizeof(text), waveform, " node = \"a\";", " node = \"b\";",
	    " node = \"b\";", aloe_path("two.bin"), " node = \"a\";");
	file_make(aloe_path("two.conf"), text, (size_t)len);
	len = snprintf(text, sizeof(text), waveform, "", "", "", aloe_path("one.bin"), "");
	file_make(aloe_path("one.conf"), text, (size_t)len);
}

static void both_join(void)
{
	const uint64_t until = clock_ns() + PATIENCE_NS;
	bool joined = false;

	while (!joined && clock_ns() < until) {
		struct ran *ran = aloe("list nodes --dir %s", aloe_path("run-a"));
		const char *first = strstr(ran->out, " joined ");

		joined = first && strstr(first + 1, " joined ");
		ran_free(ran);
		poll(NULL, 0, 50);
	}
	assert_true(joined);
}

static int rig_open(void **state)
{
	static const char *const names[] = {"a", "b"};
	struct rig *rig;

	if (aloe_init(state) != 0)
		return -1;
	rig = calloc(1, sizeof(*rig));
	assert_non_null(rig);
	*state = rig;
	diag_init(&rig->diag);
	keys_make(rig);
	files_make(rig);
	for (int i = A; i <= B; i++) {
		char dir[16];

		snprintf(dir, sizeof(dir), "run-%s", names[i]);
		ran_free(aloe_ok("up --platform %s --node %s --dir %s --state %s",
		    aloe_path("pair.conf"), names[i], aloe_path(dir), aloe_path(names[i])));
	}
	both_join();
	ran_free(
	    aloe_ok("load %s --clock virtual --dir %s", aloe_path("two.conf"), aloe_path("run-a")));
	ran_free(aloe_ok("start two --dir %s", aloe_path("run-a")));
	return 0;
}

static int rig_close(void **state)
{
	struct rig *rig = *state;

	ran_free(aloe("down --dir %s", aloe_path("run-b")));
	ran_free(aloe("down --dir %s", aloe_path("run-a")));
	diag_fini(&rig->diag);
	free(rig);
	return aloe_fini(state);
}

/* ---- what is seen of it ---- */

static double index_now(void)
{
	struct ran *ran = aloe_ok("status two --json --dir %s", aloe_path("run-a"));
	const double index = ran_number(ran, "index");

	ran_free(ran);
	return index;
}

/* Lines of a daemon in the log of a node that have the words. */
static int told(const char *node, const char *daemon, const char *words)
{
	char path[300], *text, *rest, *line;
	int n = 0;

	snprintf(path, sizeof(path), "%s/node.log", aloe_path(node));
	rest = text = file_take(path, NULL);
	while ((line = strsep(&rest, "\n")) != NULL)
		n += strstr(line, daemon) != NULL && strstr(line, words) != NULL;
	free(text);
	return n;
}

/* The log says so, and the waveform goes on. */
static void dropped(const char *node, const char *daemon, const char *words, int before)
{
	const uint64_t until = clock_ns() + PATIENCE_NS;
	const double index = index_now();

	while (told(node, daemon, words) <= before && clock_ns() < until)
		poll(NULL, 0, 50);
	if (told(node, daemon, words) <= before)
		fail_msg("%s of node %s does not say \"%s\"", daemon, node, words);
	while (index_now() <= index && clock_ns() < until)
		poll(NULL, 0, 50);
	assert_true(index_now() > index);
}

/* ---- who attacks ---- */

static const struct port {
	int at; /* after that of a's frontend */
	const char *node, *daemon;
} ports[] = {{0, "a", "aloe-frontend"}, {1, "a", "aloe-bridge"}, {3, "b", "aloe-bridge"}};

enum { PORTS = sizeof(ports) / sizeof(ports[0]) };

static const struct keys_own *owner_of(const struct rig *rig, const struct port *port)
{
	return &rig->own[port->node[0] - 'a'];
}

static struct bus *bus_to(struct rig *rig, const struct port *port, const struct keys_own *as)
{
	char address[32];
	struct bus_tcp tcp = {
	    .address = address, .own = as, .server_key = owner_of(rig, port)->key};
	struct bus *bus;

	snprintf(address, sizeof(address), "127.0.0.1:%d", rig->port + port->at);
	bus = bus_join(&tcp, WIRE_CLIENT, &rig->diag);
	assert_non_null(bus);
	return bus;
}

/* Whoever has the key of b may connect to a, and the other way round. */
static const struct keys_own *thief_of(const struct rig *rig, const struct port *port)
{
	return &rig->own[port->node[0] == 'a' ? B : A];
}

static void bus_say(struct bus *bus, enum wire_type type, const char *name)
{
	struct wire_msg msg;

	wire_init(&msg, type, WIRE_CLIENT, WIRE_FRONTEND, bus_seq(bus));
	wire_put_text(&msg, WIRE_TAG_NAME, name);
	assert_int_equal(bus_send(bus, &msg), 0);
}

/* As for a while nothing is known of the connection at this end. */
static void bus_serve(struct bus *bus, int ms)
{
	const uint64_t until = clock_ns() + (uint64_t)ms * 1000000;
	struct wire_view view;

	while (clock_ns() < until) {
		(void)bus_recv(bus, &view, NULL);
		poll(NULL, 0, 5);
	}
}

static void attack_bus(struct rig *rig, const struct keys_own *as, enum wire_type type,
    const char *name, const char *words, bool thief)
{
	for (int i = 0; i < PORTS; i++) {
		const int before = told(ports[i].node, ports[i].daemon, words);
		struct bus *bus = bus_to(rig, &ports[i], thief ? thief_of(rig, &ports[i]) : as);

		bus_say(bus, type, name);
		bus_serve(bus, 300);
		dropped(ports[i].node, ports[i].daemon, words, before);
		bus_close(bus);
	}
}

static void wrong_key(void **state)
{
	struct rig *rig = *state;

	attack_bus(
	    rig, &rig->own[STRANGER], WIRE_PING, "b", "with a key that is not allowed", false);
}

static void wrong_secret(void **state)
{
	struct rig *rig = *state;
	struct keys_own liar = rig->own[STRANGER];

	memcpy(liar.key, rig->own[B].key, sizeof(liar.key));
	attack_bus(rig, &liar, WIRE_PING, "b", "whose handshake failed", false);
}

static void unknown_commands(void **state)
{
	attack_bus(*state, NULL, (enum wire_type)4711, "b", "of a type that is not allowed", true);
	attack_bus(*state, NULL, WIRE_DOWN, "b", "of a type that is not allowed", true);
}

/* With the right key: the frontend wants JOIN first, a bridge a name that the key has. */
static void known_commands(void **state)
{
	struct rig *rig = *state;
	struct bus *frontend = bus_to(rig, &ports[0], &rig->own[B]),
	           *bridge = bus_to(rig, &ports[1], &rig->own[B]);

	bus_say(frontend, WIRE_STOP, "two");
	bus_serve(frontend, 300);
	dropped("a", "aloe-frontend", "messages of a node that has not joined were dropped", 0);
	bus_say(bridge, WIRE_FRAME, "a");
	bus_serve(bridge, 300);
	dropped("a", "aloe-bridge", "messages with the name of no other node", 0);
	bus_close(frontend);
	bus_close(bridge);
}

/* ---- without the bus ---- */

static void raw_send(void *socket, uint64_t number, const void *body, size_t len)
{
	const uint64_t stamp[] = {htole64(7), htole64(number)};

	zmq_send(socket, stamp, sizeof(stamp), ZMQ_SNDMORE);
	zmq_send(socket, body, len, 0);
}

/* Messages of one who has the key of a node: the same once more, rubbish, and one that is longer
 * than any. */
static void raw_attack(struct rig *rig, const struct port *port, const void *body, size_t len,
    int times, const char *words)
{
	const int before = told(port->node, port->daemon, words), none = 0;
	const struct keys_own *as = thief_of(rig, port);
	void *ctx = zmq_ctx_new(), *socket = zmq_socket(ctx, ZMQ_DEALER);
	char endpoint[64];

	zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof(none));
	zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, owner_of(rig, port)->key, 40);
	zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, as->key, 40);
	zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, as->secret, 40);
	snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%d", rig->port + port->at);
	assert_int_equal(zmq_connect(socket, endpoint), 0);
	for (int i = 0; i < times; i++)
		raw_send(socket, 1, body, len);
	dropped(port->node, port->daemon, words, before);
	zmq_close(socket);
	zmq_ctx_term(ctx);
}

static void sent_again(void **state)
{
	struct wire_msg msg;
	const uint8_t *bytes;
	size_t len;

	wire_init(&msg, WIRE_FRAME, WIRE_BRIDGE, WIRE_BRIDGE, 1);
	wire_put_text(&msg, WIRE_TAG_NAME, "nobody");
	bytes = wire_bytes(&msg, &len);
	for (int i = 0; i < PORTS; i++)
		raw_attack(*state, &ports[i], bytes, len, 3, i == 0 ? "of a type" : "sent again");
	wire_fini(&msg);
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_FRONTEND, 1);
	bytes = wire_bytes(&msg, &len);
	raw_attack(*state, &ports[0], bytes, len, 3, "sent again");
	wire_fini(&msg);
}

static void rubbish(void **state)
{
	for (int i = 0; i < PORTS; i++)
		raw_attack(*state, &ports[i], "rubbish", 7, 1, "not well formed");
}

static void too_long(void **state)
{
	uint8_t *body = calloc(1, TOO_LONG);

	for (int i = 1; i < PORTS; i++) /* a frontend takes 64 MB */
		raw_attack(*state, &ports[i], body, TOO_LONG, 1, "its bytes were too long");
	free(body);
}

static struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	    .sin_port = htons((uint16_t)port)};
}

static void one_gigabyte(void **state)
{
	/* the greeting of ZMTP 3.0 with CURVE, as a client; a long frame */
	static const uint8_t greeting[64] = {0xff, [9] = 0x7f, 3, 0, 'C', 'U', 'R', 'V', 'E'},
	                     gigabyte[] = {2, 0, 0, 0, 0, 0x40, 0, 0, 0};
	const struct rig *rig = *state;

	for (int i = 0; i < PORTS; i++) {
		const char *words = "its bytes were too long";
		const int before = told(ports[i].node, ports[i].daemon, words),
		          fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		const struct sockaddr_in to = loopback(rig->port + ports[i].at);

		assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
		send(fd, greeting, sizeof(greeting), MSG_NOSIGNAL);
		send(fd, gigabyte, sizeof(gigabyte), MSG_NOSIGNAL);
		dropped(ports[i].node, ports[i].daemon, words, before);
		close(fd);
	}
}

/* ---- datagrams ---- */

static const char datagrams[] = "datagrams that no other node has sealed, or that came before";

/* As the log has it: 1, 2, 4, 8 ... are said. */
static void datagrams_of_strangers(void **state)
{
	const struct rig *rig = *state;

	for (int i = 1; i < PORTS; i++) {
		const int before = told(ports[i].node, ports[i].daemon, datagrams),
		          fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		const struct sockaddr_in to = loopback(rig->port + ports[i].at);
		static const uint8_t bytes[1400] = {'A', 'S'};

		for (int n = 0; n < 1000; n++)
			sendto(fd, bytes, (size_t)n % sizeof(bytes), 0,
			    (const struct sockaddr *)&to, sizeof(to));
		dropped(ports[i].node, ports[i].daemon, datagrams, before);
		close(fd);
	}
}

enum { ETHERNET = 14, IP = 20, CHECKSUM = 6 }; /* bytes of heads; where UDP's has its checksum */

/* One of UDP, in one piece, to that port. */
static bool is_datagram_to(const uint8_t *bytes, ssize_t len, int port)
{
	const struct virtio_net_hdr *head = (const void *)bytes;
	const uint8_t *frame = bytes + sizeof(*head), *udp = frame + ETHERNET + IP;

	return len > (ssize_t)sizeof(*head) + ETHERNET + IP + 8 &&
	    head->gso_type == VIRTIO_NET_HDR_GSO_NONE && frame[12] == 8 && frame[13] == 0 &&
	    frame[ETHERNET + 9] == IPPROTO_UDP && (udp[2] << 8 | udp[3]) == port;
}

/* What goes over the loopback, once more, with the address of its sender. */
static unsigned datagrams_repeat(int in, int out, int port)
{
	const struct sockaddr_in to = loopback(0);
	const uint64_t until = clock_ns() + PATIENCE_NS;
	uint8_t *bytes = malloc(FRAME);
	unsigned n = 0;

	while (n < RECORDED && clock_ns() < until) {
		const ssize_t len = recv(in, bytes, FRAME, 0);
		uint8_t *packet = bytes + sizeof(struct virtio_net_hdr) + ETHERNET;

		if (!is_datagram_to(bytes, len, port))
			continue;
		memset(packet + IP + CHECKSUM, 0, 2); /* none, which UDP allows */
		n += sendto(out, packet, (size_t)(bytes + len - packet), 0,
		         (const struct sockaddr *)&to, sizeof(to)) > 0;
	}
	free(bytes);
	return n;
}

static void recorded_datagrams(void **state)
{
	const int in = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL)),
	          out = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW), yes = 1;
	const struct sockaddr_ll at = {.sll_family = AF_PACKET,
	    .sll_protocol = htons(ETH_P_ALL),
	    .sll_ifindex = (int)if_nametoindex("lo")};
	const struct rig *rig = *state;

	if (in < 0 || out < 0) {
		print_message("skip: recording datagrams needs CAP_NET_RAW\n");
		skip();
	}
	assert_int_equal(setsockopt(in, SOL_PACKET, PACKET_VNET_HDR, &yes, sizeof(yes)), 0);
	assert_int_equal(bind(in, (const struct sockaddr *)&at, sizeof(at)), 0);
	for (int i = 1; i < PORTS; i++) {
		const struct port *port = &ports[i];
		const int before = told(port->node, port->daemon, datagrams);

		for (int n = 0; n < 100 && told(port->node, port->daemon, datagrams) <= before; n++)
			assert_int_equal(datagrams_repeat(in, out, rig->port + port->at), RECORDED);
		dropped(port->node, port->daemon, datagrams, before);
	}
	close(in);
	close(out);
}

/* ---- and the waveform ---- */

static void nothing_is_lost(void **state)
{
	static const char *const counts[] = {"messages.absent", "messages.late",
	    "messages.overwritten", "messages.lost", "slots.skipped", "slots.missed"};
	size_t len, whole;
	struct ran *ran;
	char *two, *one;

	(void)state;
	ran_free(aloe_ok("stop two --dir %s", aloe_path("run-a")));
	ran = aloe_ok("status two --json --dir %s", aloe_path("run-a"));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		assert_true(ran_number(ran, counts[i]) == 0);
	two = file_take(aloe_path("two.bin"), &len);
	print_message("%.0f indices, %zu bytes\n", ran_number(ran, "index"), len);
	assert_true(len > 0 && len % 8 == 0);
	ran_free(aloe_ok("run %s --clock virtual --slots %zu -q", aloe_path("one.conf"), len / 8));
	one = file_take(aloe_path("one.bin"), &whole);
	assert_true(whole == len && memcmp(one, two, len) == 0);
	free(one);
	free(two);
	ran_free(ran);
	ran_free(aloe_ok("unload two --dir %s", aloe_path("run-a")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(wrong_key),
	    cmocka_unit_test(wrong_secret),
	    cmocka_unit_test(unknown_commands),
	    cmocka_unit_test(known_commands),
	    cmocka_unit_test(sent_again),
	    cmocka_unit_test(rubbish),
	    cmocka_unit_test(too_long),
	    cmocka_unit_test(one_gigabyte),
	    cmocka_unit_test(recorded_datagrams),
	    cmocka_unit_test(datagrams_of_strangers),
	    cmocka_unit_test(nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, rig_open, rig_close);
}
