/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Frames over UDP between two bridges: they come as they were, with the key that both have; without
 * a key, with another one, sent again, or from elsewhere they do not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "daemons/bridge/datagrams.h"
#include "platforms/transports/transports.h"
#include "platforms/udp/udp.h"

enum { STEPS = 20, STEP_MS = 5 };

struct end {
	struct machines machines;
	struct datagrams datagrams;
	uint8_t bytes[DATAGRAMS_FRAME_BYTES];
	size_t len;
	unsigned frames;
};

struct rig {
	char dir[64], file[128];
	int port;
	struct log log;
	struct loop loop;
	struct end a, b;
};

static void frame(void *self, uint32_t node, const void *bytes, size_t len)
{
	struct end *end = self;

	assert_int_equal(node, end->machines.self == 0 ? 1 : 0);
	assert_true(len <= sizeof(end->bytes));
	memcpy(end->bytes, bytes, len);
	end->len = len;
	end->frames++;
}

static void end_open(struct rig *rig, struct end *end, const char *name)
{
	const struct daemon_args args = {
	    .node = name, .platform = rig->file, .state = rig->dir, .dir = rig->dir};

	assert_int_equal(machines_open(&end->machines, &args, &rig->log), 0);
	assert_int_equal(
	    datagrams_open(&end->datagrams, &end->machines, &rig->log, &rig->loop, frame, end), 0);
}

static void rig_open_at(struct rig *rig, const char *transport, const char *a, const char *b)
{
	char text[512];

	memset(rig, 0, sizeof(*rig));
	snprintf(rig->dir, sizeof(rig->dir), "/tmp/aloe-udp-XXXXXX");
	assert_non_null(mkdtemp(rig->dir));
	rig->port = 20000 + getpid() % 3000 * 4;
	snprintf(rig->file, sizeof(rig->file), "%s/pair.conf", rig->dir);
	snprintf(text, sizeof(text),
	    "name = \"pair\"; secure = false; nodes: { a: { mmac_per_s = 1.0; address = "
	    "\"%s:%d\"; port = \"p\"; manager = true; lanes = [0]; }; b: { mmac_per_s = 1.0; "
	    "address = \"%s:%d\"; port = \"p\"; lanes = [1]; }; }; links = ( { "
	    "nodes = [\"a\", \"b\"]; mbit_per_s = "
	    "1.0; transport = \"%s\"; } );",
	    a, rig->port, b, rig->port + 2, transport);
	assert_int_equal(file_write(rig->file, text, strlen(text)), 0);
	log_init(&rig->log, "test");
	loop_init(&rig->loop);
}

static void rig_open(struct rig *rig, const char *transport)
{
	rig_open_at(rig, transport, "127.0.0.1", "127.0.0.1");
	end_open(rig, &rig->a, "a");
	end_open(rig, &rig->b, "b");
}

static void rig_close(struct rig *rig)
{
	datagrams_close(&rig->a.datagrams);
	datagrams_close(&rig->b.datagrams);
	machines_close(&rig->a.machines);
	machines_close(&rig->b.machines);
	loop_fini(&rig->loop);
	unlink(rig->file);
	rmdir(rig->dir);
}

static void keys_give(struct rig *rig, uint8_t of_a, uint8_t of_b)
{
	uint8_t key[SEAL_KEY_BYTES];

	memset(key, of_a, sizeof(key));
	assert_int_equal(datagrams_key(&rig->a.datagrams, 1, key), 0);
	memset(key, of_b, sizeof(key));
	assert_int_equal(datagrams_key(&rig->b.datagrams, 0, key), 0);
}

static void wait(struct rig *rig)
{
	datagrams_flush(&rig->a.datagrams);
	datagrams_flush(&rig->b.datagrams);
	for (int i = 0; i < STEPS; i++)
		loop_step(&rig->loop, STEP_MS);
}

static void test_they_come(void **state)
{
	uint8_t bytes[DATAGRAMS_FRAME_BYTES];
	struct rig rig;

	(void)state;
	rig_open(&rig, "udp");
	assert_true(datagrams_reach(&rig.a.datagrams, 1));
	assert_false(datagrams_reach(&rig.a.datagrams, 0));
	keys_give(&rig, 7, 7);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31);
	datagrams_send(&rig.a.datagrams, 1, bytes, sizeof(bytes));
	datagrams_send(&rig.b.datagrams, 0, bytes, 1);
	wait(&rig);
	assert_int_equal(rig.b.frames, 1);
	assert_int_equal(rig.b.len, sizeof(bytes));
	assert_memory_equal(rig.b.bytes, bytes, sizeof(bytes));
	assert_int_equal(rig.a.frames, 1);
	assert_int_equal(rig.a.len, 1);
	rig_close(&rig);
}

static void test_ipv6(void **state)
{
	const uint8_t bytes[] = {1, 2, 3};
	struct rig rig;

	(void)state;
	if (access("/proc/net/if_inet6", R_OK) < 0) {
		print_message("skip: this machine has no IPv6\n");
		skip();
	}
	rig_open_at(&rig, "udp", "[::1]", "[0:0::1]");
	end_open(&rig, &rig.a, "a");
	end_open(&rig, &rig.b, "b");
	keys_give(&rig, 7, 7);
	datagrams_send(&rig.a.datagrams, 1, bytes, sizeof(bytes));
	for (int i = 0; i < 3; i++)
		datagrams_send(&rig.b.datagrams, 0, bytes, sizeof(bytes));
	wait(&rig);
	assert_int_equal(rig.b.frames, 1);
	assert_memory_equal(rig.b.bytes, bytes, sizeof(bytes));
	assert_int_equal(rig.a.frames, 3);
	assert_int_equal(rig.a.datagrams.dropped + rig.b.datagrams.dropped, 0);
	keys_give(&rig, 7, 8);
	datagrams_send(&rig.a.datagrams, 1, bytes, sizeof(bytes));
	wait(&rig);
	assert_int_equal(rig.b.datagrams.dropped, 1);
	rig_close(&rig);
}

/* No datagram of one kind comes to a socket of the other. */
static void test_mixed(void **state)
{
	struct rig rig;
	struct daemon_args args = {.node = "a", .platform = rig.file};

	(void)state;
	rig_open_at(&rig, "udp", "[::1]", "127.0.0.1");
	args.state = args.dir = rig.dir;
	assert_int_equal(machines_open(&rig.a.machines, &args, &rig.log), -EINVAL);
	rig_close(&rig);
}

/* What machines_open says of three nodes with ports that have these links. */
static int links_open_as(const char *port, const char *links)
{
	char text[1024];
	struct rig rig;
	struct daemon_args args = {.node = "a", .platform = rig.file};
	int rc;

	rig_open_at(&rig, "tcp", "127.0.0.1", "127.0.0.1");
	args.state = args.dir = rig.dir;
	snprintf(text, sizeof(text),
	    "name = \"three\"; secure = false; nodes: { a: { mmac_per_s = 1.0; address = "
	    "\"127.0.0.1:%d\"; port = \"%s\"; manager = true; lanes = [0]; }; b: { mmac_per_s = "
	    "1.0; address = \"127.0.0.1:%d\"; port = \"%s\"; lanes = [1]; }; c: { mmac_per_s = "
	    "1.0; address = \"127.0.0.1:%d\"; port = \"%s\"; lanes = [2]; }; };\nlinks = ( %s );",
	    rig.port, port, rig.port + 2, port, rig.port + 4, port, links);
	assert_int_equal(file_write(rig.file, text, strlen(text)), 0);
	rc = machines_open(&rig.a.machines, &args, &rig.log);
	rig_close(&rig);
	return rc;
}

#define LINK(nodes, transport)                                                                     \
	"{ nodes = [" nodes "]; mbit_per_s = 1.0; transport = \"" transport "\"; }"

static void test_neighbours(void **state)
{
	const char *two = LINK("\"a\", \"b\"", "dpdk") ", " LINK("\"c\", \"a\"", "dpdk");

	(void)state;
	assert_int_equal(links_open_as("net_memif0,id=1", two), -EINVAL);
	assert_int_equal(links_open_as("0000:01:00.0", two), 0);
	assert_int_equal(links_open_as("net_memif0",
	                     LINK("\"a\", \"b\"", "dpdk") ", " LINK("\"c\", \"a\"", "udp")),
	    0);
}

static void test_two_transports(void **state)
{
	(void)state;
	assert_int_equal(links_open_as("net_memif0",
	                     LINK("\"a\", \"b\"", "dpdk") ", " LINK("\"b\", \"a\"", "udp")),
	    -EINVAL);
	assert_int_equal(links_open_as("net_memif0",
	                     LINK("\"a\", \"b\"", "udp") ", " LINK("\"b\", \"a\"", "udp")),
	    0);
}

/* Frames wait for others to leave with them, but not for more than a burst. */
static void test_together(void **state)
{
	const struct transport_counts *counts;
	struct rig rig;

	(void)state;
	rig_open(&rig, "udp");
	keys_give(&rig, 7, 7);
	counts = &rig.a.datagrams.ports[DATAGRAMS_UDP].transport->counts;
	for (int i = 0; i < 3; i++)
		datagrams_send(&rig.a.datagrams, 1, "abc", 3);
	assert_int_equal(counts->sent, 0);
	datagrams_flush(&rig.a.datagrams);
	assert_int_equal(counts->sent, 3);
	datagrams_flush(&rig.a.datagrams);
	assert_int_equal(counts->sent, 3);
	for (int i = 0; i < TRANSPORT_BURST; i++)
		datagrams_send(&rig.a.datagrams, 1, "abc", 3);
	assert_int_equal(counts->sent, 3 + TRANSPORT_BURST);
	wait(&rig);
	assert_int_equal(rig.b.frames, 3 + TRANSPORT_BURST);
	rig_close(&rig);
}

static void test_keys(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, "udp");
	datagrams_send(&rig.a.datagrams, 1, "x", 1); /* there is no key yet */
	keys_give(&rig, 7, 8);
	datagrams_send(&rig.a.datagrams, 1, "x", 1);
	wait(&rig);
	assert_int_equal(rig.b.frames, 0);
	assert_int_equal(rig.b.datagrams.dropped, 1);
	rig_close(&rig);
}

/* Of `from` too little or nothing is there: a plain socket stands in for a, or for a stranger. */
static void raw_send(struct rig *rig, int port, const struct packet *what, unsigned times)
{
	const struct transport_options options = {
	    .own = {0x7f000001, (uint16_t)port}, .packets = 8, .packet_bytes = 2048};
	char why[TRANSPORT_WHY];
	struct transport *transport;

	assert_int_equal(transport_open(&transport_udp, &options, why, &transport), 0);
	for (unsigned i = 0; i < times; i++) {
		struct packet packet;

		assert_int_equal(transport_get(transport, &packet, 1), 1);
		memcpy(packet.bytes, what->bytes, what->size);
		packet.size = what->size;
		packet.peer = (struct transport_address){0x7f000001, (uint16_t)(rig->port + 3)};
		assert_int_equal(transport_send(transport, &packet, 1), 1);
	}
	wait(rig);
	transport_close(transport);
}

static void test_strangers(void **state)
{
	const struct seal_use use = {.key = {7, 7, 7}, .node = 0};
	uint8_t sealed[256], bytes[64] = "a frame";
	struct packet packet = {.bytes = sealed};
	struct seal *seal;
	struct rig rig;
	size_t len;

	(void)state;
	rig_open(&rig, "udp");
	assert_int_equal(datagrams_key(&rig.b.datagrams, 0, use.key), 0);
	assert_int_equal(seal_new(&use, &seal), 0);
	assert_int_equal(seal_put(seal, 1, bytes, sizeof(bytes), sealed, sizeof(sealed), &len), 0);
	packet.size = (uint32_t)len;
	raw_send(&rig, 0, &packet, 1); /* the right key, from another place */
	assert_int_equal(rig.b.frames, 0);
	assert_int_equal(rig.b.datagrams.dropped, 1);
	datagrams_close(&rig.a.datagrams);
	raw_send(&rig, rig.port + 1, &packet, 3); /* from there, three times */
	assert_int_equal(rig.b.frames, 1);
	assert_int_equal(rig.b.datagrams.dropped, 3);
	sealed[SEAL_HEAD_BYTES] ^= 1;
	raw_send(&rig, rig.port + 1, &packet, 1);
	packet.size = 3;
	raw_send(&rig, rig.port + 1, &packet, 1);
	assert_int_equal(rig.b.frames, 1);
	assert_int_equal(rig.b.datagrams.dropped, 5);
	seal_free(seal);
	rig_close(&rig);
}

/* ---- a port without a descriptor ---- */

static unsigned looks; /* of all such ports */

static int blind_open(
    const struct transport_options *options, char *ret_why, struct transport **ret)
{
	ret_why[0] = 0;
	assert_true(options->unlocked);
	*ret = calloc(1, sizeof(**ret));
	assert_non_null(*ret);
	(*ret)->kind = transports_find("dpdk", NULL, 0);
	return 0;
}

static void blind_close(struct transport *transport)
{
	free(transport);
}

static unsigned blind_receive(struct transport *transport, struct packet *ret, unsigned n)
{
	(void)transport, (void)ret, (void)n;
	looks++;
	return 0;
}

static void blind_put(struct transport *transport, const struct packet *packets, unsigned n)
{
	(void)transport, (void)packets, (void)n;
}

static unsigned blind_get(struct transport *transport, struct packet *ret, unsigned n)
{
	static uint8_t bytes[2048]; /* NOLINT: it goes nowhere */

	(void)transport;
	for (unsigned i = 0; i < n; i++)
		ret[i] = (struct packet){.bytes = bytes};
	return n;
}

static unsigned blind_send(struct transport *transport, const struct packet *packets, unsigned n)
{
	(void)transport, (void)packets;
	return n;
}

static int blind_fd(const struct transport *transport)
{
	(void)transport;
	return -1;
}

/* In place of the library's. */
const struct transport_kind *transports_find(const char *name, char *ret_why, size_t size)
{
	static const struct transport_kind blind = {.name = "dpdk",
	    .open = blind_open,
	    .close = blind_close,
	    .receive = blind_receive,
	    .put = blind_put,
	    .get = blind_get,
	    .send = blind_send,
	    .fd = blind_fd};

	if (size > 0)
		ret_why[0] = 0;
	return strcmp(name, "udp") == 0 ? &transport_udp : &blind;
}

/* However long it takes. */
static void pause_comes(struct rig *rig, const struct datagrams_port *port, uint64_t ns)
{
	while (port->pause_ns != ns)
		loop_step(&rig->loop, STEP_MS);
}

/* From its first look on, each pause is twice the one before: there is no time in it at which the
 * bridge spins. With a load it stays short. */
static void test_pauses(void **state)
{
	struct datagrams_port *port;
	struct rig rig;

	(void)state;
	rig_open(&rig, "dpdk");
	datagrams_close(&rig.b.datagrams);
	port = &rig.a.datagrams.ports[DATAGRAMS_DPDK];
	assert_int_equal(port->pause_ns, DATAGRAMS_LOOK_NS);
	looks = 0;
	pause_comes(&rig, port, DATAGRAMS_LOOK_IDLE_NS);
	assert_int_equal(looks, 10); /* 50 us * 2^10 is more than 40 ms */
	datagrams_busy(&rig.a.datagrams, true);
	assert_int_equal(port->pause_ns, DATAGRAMS_LOOK_NS);
	assert_false(datagrams_asleep(&rig.a.datagrams, 1));
	pause_comes(&rig, port, DATAGRAMS_LOOK_MOST_NS);
	looks = 0;
	while (looks < 4)
		loop_step(&rig.loop, STEP_MS);
	assert_int_equal(port->pause_ns, DATAGRAMS_LOOK_MOST_NS);
	rig_close(&rig);
}

/* Without a load a node may be asleep, and is told; whoever sends is awake for the answer. */
static void test_asleep(void **state)
{
	const struct datagrams_port *port;
	struct rig rig;

	(void)state;
	rig_open(&rig, "dpdk");
	keys_give(&rig, 7, 7);
	port = &rig.a.datagrams.ports[DATAGRAMS_DPDK];
	pause_comes(&rig, port, DATAGRAMS_LOOK_IDLE_NS);
	assert_true(datagrams_asleep(&rig.a.datagrams, 1));
	datagrams_wake(&rig.a.datagrams, 1);
	assert_int_equal(port->pause_ns, DATAGRAMS_LOOK_MOST_NS);
	pause_comes(&rig, port, DATAGRAMS_LOOK_IDLE_NS);
	datagrams_send(&rig.a.datagrams, 1, "abc", 3);
	assert_true(rig.a.datagrams.peers[1].active_ns > 0);
	assert_int_equal(port->pause_ns, DATAGRAMS_LOOK_NS);
	rig_close(&rig);
}

/* Nobody is reached so: there is no socket. */
static void test_tcp(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, "tcp");
	assert_false(datagrams_reach(&rig.a.datagrams, 1));
	assert_null(rig.a.datagrams.ports[DATAGRAMS_UDP].transport);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_they_come),
	    cmocka_unit_test(test_ipv6),
	    cmocka_unit_test(test_mixed),
	    cmocka_unit_test(test_neighbours),
	    cmocka_unit_test(test_two_transports),
	    cmocka_unit_test(test_together),
	    cmocka_unit_test(test_keys),
	    cmocka_unit_test(test_strangers),
	    cmocka_unit_test(test_tcp),
	    cmocka_unit_test(test_pauses),
	    cmocka_unit_test(test_asleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
