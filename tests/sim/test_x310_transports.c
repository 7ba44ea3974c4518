/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Both streams of a radio through each kind of transport, against x310sim in a process of its own:
 * what is received is what was sent, and every packet that is not is in somebody's count. */
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "platforms/udp/udp.h"
#include "tests/common/aloe.h"
#include "tests/common/x310_rig.h"

enum { TONE = 16, PACKETS = 600, NO_DATA = 150 /* RESYNC, acknowledgements: at most */ };
#define PATIENCE_NS 3000000000ull

static void need(const struct x310_rig_wire *wire)
{
	const char *why = x310_rig_missing(wire);

	if (why == NULL)
		return;
	print_message("skip: %s\n", why);
	skip();
}

/* The tone that x310sim plays to its receivers: sample n of it, by the time of its tick. */
static void tone_init(uint8_t *tone)
{
	static const uint16_t quarter[] = {8192, 7568, 5793, 3135, 0}; /* 8192 cos(k pi / 8) */

	for (int i = 0; i < TONE; i++) {
		const int at[2] = {i, (i + 12) % TONE};

		for (int part = 0; part < 2; part++) {
			const int k = at[part] % 8, fold = k <= 4 ? k : 8 - k;
			const int sign = (at[part] % TONE > 4 && at[part] % TONE < 12) ? -1 : 1;
			const uint16_t value = (uint16_t)(sign * quarter[fold]);

			tone[4 * i + 2 * part] = (uint8_t)value;
			tone[4 * i + 2 * part + 1] = (uint8_t)(value >> 8);
		}
	}
}

static bool is_tone(const uint8_t *tone, const uint8_t *iq, uint32_t n, uint64_t sample)
{
	for (uint32_t i = 0; i < n; i++)
		if (memcmp(iq + 4 * i, tone + 4 * ((sample + i) % TONE), 4) != 0)
			return false;
	return true;
}

/* ---- from antenna to antenna ---- */

struct passed {
	uint32_t packets, samples, wrong;
	uint64_t next; /* ticks */
	uint64_t jumps;
};

/* Sends each packet back, `later` ticks after it was heard, PACKETS of them. */
static void pass(
    struct x310_rig *rig, uint32_t ticks_per_sample, uint64_t later, struct passed *passed)
{
	struct x310_packet in[TRANSPORT_BURST];
	struct packet out[TRANSPORT_BURST];
	uint8_t tone[4 * TONE];

	tone_init(tone);
	*passed = (struct passed){.packets = 0};
	x310_start(&rig->radio, 0);
	while (passed->packets < PACKETS) {
		const unsigned n = x310_receive(&rig->radio, clock_ns(), in, TRANSPORT_BURST);

		for (unsigned i = 0; i < n && passed->packets < PACKETS; i++) {
			if (x310_get(&rig->radio, in[i].n, out, 1) == 0)
				break; /* not heard of, and counted at the end */
			passed->wrong +=
			    !is_tone(tone, in[i].iq, in[i].n, in[i].ticks / ticks_per_sample);
			passed->jumps += passed->packets > 0 && in[i].ticks != passed->next;
			passed->next = in[i].ticks + (uint64_t)in[i].n * ticks_per_sample;
			memcpy(x310_iq(&out[0]), in[i].iq, RADIO_IQ * in[i].n);
			passed->packets++;
			passed->samples += in[i].n;
			x310_send(&rig->radio, &out[0], in[i].n, in[i].ticks + later,
			    passed->packets == PACKETS);
		}
		x310_release(&rig->radio, in, n);
		x310_flush(&rig->radio);
		assert_null(x310_failed(&rig->radio));
	}
}

/* Until the device has done what it was told, and has played the end of what it was sent; that is
 * given up after PATIENCE_NS, for it says nothing of an end that came too late. */
static void settle(struct x310_rig *rig)
{
	const uint64_t end = clock_ns() + PATIENCE_NS;
	struct x310_packet in[TRANSPORT_BURST];

	while (!x310_ready(&rig->radio) ||
	    (rig->radio.options.tx && clock_ns() < end &&
	        rig->radio.control.events[RADIO_TX_BURST_END] == 0)) {
		x310_release(
		    &rig->radio, in, x310_receive(&rig->radio, clock_ns(), in, TRANSPORT_BURST));
		if (x310_failed(&rig->radio))
			x310_rig_fail(rig, x310_failed(&rig->radio));
	}
}

/* Where nothing was lost or late, the recording is the tone without a seam. */
static void check_record(const char *path, uint32_t samples)
{
	uint8_t tone[4 * TONE];
	size_t len;
	uint8_t *iq = file_take(path, &len);
	uint64_t first = 0;

	tone_init(tone);
	assert_int_equal(len, 4 * (size_t)samples);
	while (first < TONE && !is_tone(tone, iq, TONE, first))
		first++;
	assert_true(is_tone(tone, iq, samples, first));
	free(iq);
}

static void antenna_to_antenna(struct x310_rig *rig, const char *const *more)
{
	const struct x310_rig_wire *wire = rig->wire;
	const uint32_t divide = 200; /* 1 MSa/s */
	const struct x310_rig_options options = {.record = aloe_path("record"),
	    .more = more,
	    .spp = RIG_SPP,
	    .ticks_per_sample = divide,
	    .rx = true,
	    .tx = true};
	struct passed passed;
	uint64_t lost;

	need(wire);
	x310_rig_start(rig, wire, &options);
	pass(rig, divide, 100000 * RIG_TICKS_PER_US, &passed);
	x310_stop(&rig->radio);
	settle(rig);
	x310_rig_stop(rig);
	lost = rig->radio.tx.counts.packets - x310_rig_channel(rig, "tx_packets") -
	    x310_rig_channel(rig, "tx_late");
	print_message("%s: %u packets passed on, %llu lost, %llu late\n", wire->name,
	    passed.packets, (unsigned long long)lost,
	    (unsigned long long)x310_rig_channel(rig, "tx_late"));
	assert_int_equal(passed.wrong, 0);
	assert_true(passed.jumps == 0 || rig->radio.rx.counts.lost > 0 ||
	    x310_rig_channel(rig, "rx_overruns") > 0);
	assert_true(lost == 0 || x310_rig_channel(rig, "tx_sequence_errors") > 0);
	assert_int_equal(x310_rig_channel(rig, "tx_overflowed"), 0);
	if (lost == 0 && passed.jumps == 0 && x310_rig_channel(rig, "tx_late") == 0 &&
	    x310_rig_channel(rig, "tx_underruns") == 0)
		check_record(options.record, passed.samples);
	assert_in_range(
	    rig->radio.control.events[RADIO_TX_LATE], 0, x310_rig_channel(rig, "tx_late"));
	assert_int_equal(rig->radio.counts.malformed + rig->transport->counts.malformed, 0);
}

static void from_antenna_to_antenna(void **state)
{
	antenna_to_antenna(*state, NULL);
}

/* The other FPGA images, wired as somebody might have wired them. */
static void by_the_registers_of_4_10(void **state)
{
	static const char *const more[] = {"--fpga", "4.10", "--layout-seed", "2", NULL};

	antenna_to_antenna(*state, more);
}

static void by_the_packets_of_4_11(void **state)
{
	static const char *const more[] = {"--fpga", "4.11", "--layout-seed", "3", NULL};

	antenna_to_antenna(*state, more);
}

/* ---- every packet is counted ---- */

static void receive_for(struct x310_rig *rig, unsigned ms, uint64_t *ret_packets)
{
	const uint64_t end = clock_ns() + ms * 1000000ull;
	struct x310_packet in[TRANSPORT_BURST];

	while (clock_ns() < end) {
		const unsigned n = x310_receive(&rig->radio, clock_ns(), in, TRANSPORT_BURST);

		*ret_packets += n;
		x310_release(&rig->radio, in, n);
	}
}

/* A host that stands still with a window larger than its queue: packets are lost. The gaps in the
 * sequence, what wire and socket say they dropped, and what the device says it sent are the same
 * numbers, but for what is no data. */
static void what_is_lost_is_counted(void **state)
{
	struct x310_rig *rig = *state;
	const struct x310_rig_wire *wire = rig->wire;
	const struct x310_rig_options options = {.queue_bytes = 256 << 10,
	    .window = {16 << 20, 0xffffff},
	    .spp = RIG_SPP,
	    .ticks_per_sample = 10, /* 20 MSa/s */
	    .rx = true};
	uint64_t packets = 0, sent, received, missing, known, last;

	need(wire);
	x310_rig_start(rig, wire, &options);
	x310_start(&rig->radio, 0);
	receive_for(rig, 50, &packets);
	/* the device may stand still as well */
	for (int i = 0; i < 50 && rig->radio.rx.counts.lost == 0; i++) {
		usleep(80000);
		receive_for(rig, 50, &packets);
	}
	x310_stop(&rig->radio);
	settle(rig);
	x310_rig_stop(rig);
	sent = x310_rig_port(rig, "sent") + x310_rig_said(rig, "wire_full");
	received = rig->transport->counts.received;
	missing = x310_rig_channel(rig, "rx_packets") - rig->radio.rx.counts.packets;
	known = rig->transport->counts.dropped + x310_rig_said(rig, "wire_full");
	print_message("%s: %llu sent by the device, %llu received, %llu dropped by our end, %llu "
	              "found no room on the wire; %llu data packets missing\n",
	    wire->name, (unsigned long long)sent, (unsigned long long)received,
	    (unsigned long long)rig->transport->counts.dropped,
	    (unsigned long long)x310_rig_said(rig, "wire_full"), (unsigned long long)missing);
	assert_true(missing > 0 && rig->radio.rx.counts.old == 0);
	/* nothing came after them */
	last = (uint16_t)(x310_rig_channel(rig, "rx_packets") - rig->radio.rx.next_seq);
	assert_int_equal(rig->radio.rx.counts.lost + last, missing);
	assert_in_range(sent - received, missing, missing + NO_DATA);
	if (!wire->silent)
		assert_int_equal(sent - received, known);
}

/* ---- transports that cannot be opened ---- */

static void a_transport_that_is_taken(void **state)
{
	struct transport_options options = {
	    .own = {0x7f000001, 0}, .packets = 4, .packet_bytes = 1500};
	char why[TRANSPORT_WHY] = "";
	struct transport *transport, *second;

	(void)state;
	assert_int_equal(transport_open(&transport_udp, &options, why, &transport), 0);
	assert_true(transport->own.port != 0);
	options.own.port = transport->own.port;
	assert_true(transport_open(&transport_udp, &options, why, &second) < 0);
	assert_non_null(strstr(why, "127.0.0.1"));
	assert_non_null(strstr(why, "Address already in use"));
	transport_close(transport);
	transport_close(NULL);
}

static unsigned send_to(struct transport *transport, uint32_t ip, uint16_t port, uint32_t size)
{
	struct packet packet;

	assert_int_equal(transport_get(transport, &packet, 1), 1);
	assert_int_equal((uintptr_t)packet.bytes % 64, 0);
	memset(packet.bytes, (int)size, size <= 1400 ? size : 0);
	packet.size = size;
	packet.peer = (struct transport_address){ip, port};
	if (transport_send(transport, &packet, 1) == 1)
		return 1;
	transport_put(transport, &packet, 1);
	return 0;
}

/* Both look until one has got a packet. */
static struct packet await(struct transport *transport, struct transport *other)
{
	const uint64_t end = clock_ns() + 20000000000ull;
	struct packet packet = {0};

	while (clock_ns() < end) {
		struct packet not_yet;

		if (transport_receive(transport, &packet, 1) == 1)
			return packet;
		if (transport_receive(other, &not_yet, 1) == 1)
			transport_put(other, &not_yet, 1);
	}
	fail_msg("nothing comes");
	return packet;
}

/* Two hear what is sent to their group; the one that listens nothing else, the other what is for
 * it. */
static void a_group(void **state)
{
	struct transport_options options = {.own = {0x7f000001, 0},
	    .group = {0xefff0a02, 50124},
	    .packets = 4,
	    .packet_bytes = 1500};
	struct transport *transports[3], *from;
	char why[TRANSPORT_WHY] = "";
	struct packet packet;

	(void)state;
	assert_int_equal(transport_open(&transport_udp, &options, why, &transports[0]), 0);
	options.listen = true;
	assert_int_equal(transport_open(&transport_udp, &options, why, &transports[1]), 0);
	options.group.ip++; /* of the same port */
	assert_int_equal(transport_open(&transport_udp, &options, why, &transports[2]), 0);
	options =
	    (struct transport_options){.own = {0x7f000001, 0}, .packets = 4, .packet_bytes = 1500};
	assert_int_equal(transport_open(&transport_udp, &options, why, &from), 0);
	assert_int_equal(send_to(from, 0xefff0a02, 50124, 77), 1);
	assert_int_equal(send_to(from, 0x7f000001, 50124, 78), 1);
	for (uint32_t i = 0; i < 2; i++) {
		packet = await(transports[0], transports[2]);
		assert_true(packet.size == 77 + i && packet.peer.port == from->own.port);
	}
	packet = await(transports[1], transports[2]);
	assert_int_equal(packet.size, 77);
	assert_int_equal(transport_receive(transports[1], &packet, 1) +
	        transport_receive(transports[2], &packet, 1),
	    0);
	for (int i = 0; i < 3; i++)
		transport_close(transports[i]);
	transport_close(from);
	options.own.ip = 0xc6336401; /* 198.51.100.1, nobody's */
	options.group = (struct transport_address){0xefff0a02, 50124};
	assert_int_equal(transport_open(&transport_udp, &options, why, &from), -ENODEV);
	assert_non_null(
	    strstr(why, "UDP 239.255.10.2:50124: No such device (own_address must belong"));
}

/* Buffers are lent, not given; a datagram longer than one is refused; send returns what it did not
 * take. */
static void a_transport_and_its_buffers(void **state)
{
	const struct transport_options options = {
	    .own = {0x7f000001, 0}, .packets = 4, .packet_bytes = 1024};
	struct packet packets[8];
	char why[TRANSPORT_WHY] = "";
	struct transport *a, *b;

	(void)state;
	assert_int_equal(transport_open(&transport_udp, &options, why, &a), 0);
	assert_int_equal(transport_open(&transport_udp, &options, why, &b), 0);
	assert_int_equal(transport_get(a, packets, 8), 4);
	assert_int_equal(transport_get(a, packets + 4, 1), 0);
	for (uint32_t i = 0; i < 4; i++) {
		packets[i].size = i < 3 ? 100 + i % 2 : 1024;
		packets[i].peer = b->own;
		memset(packets[i].bytes, (int)i, packets[i].size);
	}
	assert_int_equal(transport_send(a, packets, 4), 4);
	assert_int_equal(a->counts.sent_bytes, 100 + 101 + 100 + 1024);
	assert_int_equal(transport_receive(b, packets, 8), 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(packets[i].size, i < 3 ? 100 + i % 2 : 1024);
		assert_int_equal(packets[i].bytes[packets[i].size - 1], i);
		assert_int_equal(packets[i].peer.port, a->own.port);
	}
	assert_int_equal(transport_receive(b, packets + 4, 1), 0); /* no buffer is left */
	packets[0].size = 10;
	assert_int_equal(
	    transport_send(b, packets, 1), 1); /* what was received goes back as it is */
	transport_put(b, packets + 1, 3);
	assert_int_equal(transport_receive(a, packets, 8), 1);
	assert_int_equal(packets[0].size, 10);
	transport_put(a, packets, 1);
	assert_int_equal(transport_get(a, packets, 8), 4);
	packets[0].size = 65000 < 1024 ? 1 : 1024;
	packets[0].peer = (struct transport_address){0xf0000001, 9}; /* no such route */
	assert_int_equal(transport_send(a, packets, 1), 1);
	assert_int_equal(a->counts.refused, 1);
	transport_close(a);
	transport_close(b);
}

enum { PORT_A = 50000, PORT_B = 50001, IP_A = 0x0a000001, IP_B = 0x0a000002, GROUP = 0xefff0a02 };

/* Two ports in one process, joined by shared memory. */
static struct transport *open_port(const char *role, uint32_t ip, uint16_t number)
{
	char port[512], why[TRANSPORT_WHY] = "";
	const struct transport_options options = {.own = {ip, number},
	    .group = {GROUP, PORT_A},
	    .packets = 256,
	    .packet_bytes = 1400,
	    .port = port};
	struct transport *transport;

	snprintf(port, sizeof(port), "net_memif_%s,role=%s,socket=%s,socket-abstract=no", role,
	    role, aloe_path("pair"));
	if (transport_open(x310_rig_kind(&x310_rig_wires[1]), &options, why, &transport) < 0)
		fail_msg("%s", why);
	return transport;
}

/* The first packet to an unknown address is lost and asks who has it; its answer lets the others
 * pass. */
static void make_known(struct transport *from, struct transport *to)
{
	struct packet packet;

	while (from->counts.sent == 0) {
		send_to(from, to->own.ip, to->own.port, 100);
		for (int i = 0; i < 100; i++)
			if (transport_receive(to, &packet, 1) +
			        transport_receive(from, &packet, 1) >
			    0)
				i = 100;
		usleep(1000);
	}
	assert_true(from->counts.unknown > 0);
	assert_true(to->counts.answered > 0);
}

static void a_port_and_its_neighbours(void **state)
{
	struct packet packet, all[256];
	struct transport *a, *b;
	uint64_t unknown;
	unsigned n;

	need(*state);
	a = open_port("server", IP_A, PORT_A);
	b = open_port("client", IP_B, PORT_B);
	make_known(b, a);
	while (transport_receive(a, &packet, 1) == 1)
		transport_put(a, &packet, 1);

	assert_int_equal(send_to(b, IP_A, PORT_A, 77), 1);
	packet = await(a, b);
	assert_true(packet.size == 77 && packet.bytes[0] == 77 && packet.bytes[76] == 77);
	assert_true(packet.peer.ip == IP_B && packet.peer.port == PORT_B);
	/* as it is; whom it came from is known since it asked */
	assert_int_equal(transport_send(a, &packet, 1), 1);
	packet = await(b, a);
	assert_true(packet.size == 77 && packet.bytes[76] == 77 && packet.peer.ip == IP_A);
	transport_put(b, &packet, 1);

	assert_int_equal(send_to(b, IP_A, PORT_A, 1401), 1); /* longer than it may be */
	assert_int_equal(b->counts.refused, 1);
	assert_int_equal(send_to(b, IP_A, 9, 50), 1); /* a port that is none of ours */
	assert_int_equal(send_to(b, IP_A, PORT_A, 1400), 1);
	packet = await(a, b);
	assert_int_equal(packet.size, 1400);
	assert_int_equal(a->counts.foreign, 1);
	unknown = b->counts.unknown;
	transport_put(a, &packet, 1);

	assert_int_equal(send_to(b, GROUP, PORT_A, 79), 1); /* whom nobody has to be asked about */
	packet = await(a, b);
	assert_true(packet.size == 79 && packet.peer.ip == IP_B && b->counts.unknown == unknown);
	transport_put(a, &packet, 1);
	assert_int_equal(send_to(b, 0xefff0a03, PORT_A, 50), 1); /* none of ours */
	assert_int_equal(send_to(b, GROUP, PORT_A, 80), 1);
	packet = await(a, b);
	assert_true(packet.size == 80 && a->counts.foreign == 2);
	transport_put(a, &packet, 1);

	for (int round = 0; round < 40; round++) { /* nothing is kept */
		n = transport_get(a, all, 256);
		assert_int_equal(n, 256);
		transport_put(a, all, n);
	}
	assert_int_equal(a->counts.malformed + b->counts.malformed, 0);
	transport_close(b);
	transport_close(a);
	unlink(aloe_path("pair"));
}

/* What DPDK does not know is said with its name. */
static void a_port_that_is_none(void **state)
{
	const struct transport_options options = {.own = {IP_A, PORT_A},
	    .packets = 16,
	    .packet_bytes = 1400,
	    .port = "net_nothing0,how=so"};
	char why[TRANSPORT_WHY] = "";
	struct transport *transport;

	need(*state);
	assert_true(
	    transport_open(x310_rig_kind(&x310_rig_wires[1]), &options, why, &transport) < 0);
	assert_non_null(strstr(why, "net_nothing0"));
}

/* Also where it failed: the next one finds nothing of it. */
static int close_rig(void **state)
{
	x310_rig_close(*state);
	return 0;
}

int main(void)
{
	enum { FIRST = 7 };
	struct x310_rig other = {.wire = &x310_rig_wires[0]};
	struct CMUnitTest tests[FIRST + 2 * RIG_WIRES] = {
	    cmocka_unit_test(a_transport_that_is_taken),
	    cmocka_unit_test(a_transport_and_its_buffers),
	    cmocka_unit_test(a_group),
	    cmocka_unit_test_prestate(
	        a_port_and_its_neighbours, (void *)(uintptr_t)&x310_rig_wires[1]),
	    cmocka_unit_test_prestate(a_port_that_is_none, (void *)(uintptr_t)&x310_rig_wires[1]),
	    cmocka_unit_test_prestate_setup_teardown(
	        by_the_registers_of_4_10, NULL, close_rig, &other),
	    cmocka_unit_test_prestate_setup_teardown(
	        by_the_packets_of_4_11, NULL, close_rig, &other),
	};
	char names[2 * RIG_WIRES][64];
	struct x310_rig rigs[RIG_WIRES];

	for (int i = 0; i < RIG_WIRES; i++) {
		struct CMUnitTest *two = &tests[FIRST + 2 * i];

		snprintf(names[2 * i], sizeof(names[0]), "from_antenna_to_antenna_%s",
		    x310_rig_wires[i].name);
		snprintf(names[2 * i + 1], sizeof(names[0]), "what_is_lost_is_counted_%s",
		    x310_rig_wires[i].name);
		rigs[i] = (struct x310_rig){.wire = &x310_rig_wires[i]};
		two[0] = (struct CMUnitTest)cmocka_unit_test_prestate_setup_teardown(
		    from_antenna_to_antenna, NULL, close_rig, &rigs[i]);
		two[1] = (struct CMUnitTest)cmocka_unit_test_prestate_setup_teardown(
		    what_is_lost_is_counted, NULL, close_rig, &rigs[i]);
		two[0].name = names[2 * i];
		two[1].name = names[2 * i + 1];
	}
	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
