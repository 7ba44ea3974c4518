/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's streams (platforms/x310) against the device (tools/x310sim), joined by a wire with a
 * delay that can lose packets, all in the device's ticks of 5 ns: no clock, no thread, the same
 * every time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "platforms/x310/stream.h"
#include "tools/x310sim/device.h"

enum {
	CONTROL = 1,
	DEVICE = 2,
	TX = 0x100,
	RX = 0x101,
	SPP = 256,
	DIVIDE = 2,
	PACKET_TICKS = SPP * DIVIDE,
	PACKET_BYTES = 16 + 4 * SPP,
	WIRE_TICKS = 400, /* one way: 2 us */
	STEP = 64,        /* how often the host looks */
	FLIGHTS = 4096,
	PLAYED = 1 << 20
};

struct flight {
	uint64_t tick;
	bool to_host;
	size_t size;
	uint8_t bytes[2048];
};

struct world {
	struct device device;
	struct tx_stream tx;
	struct rx_stream rx;
	uint64_t tick;
	struct flight *flights; /* a ring in order of arrival: one delay for all */
	unsigned head, tail;
	/* impairments, by data sequence number; -1 none */
	int lose_tx, lose_rx, lose_rx_until;
	bool lose_reports;
	unsigned lose_init, lose_answer; /* STRC to the host, STRS from it: so many */
	/* what the host sends: packet i is full of samples i + 1, i + 1 */
	uint32_t to_send, next;
	uint64_t first_time; /* 0: no timestamps */
	int ahead;           /* packets ahead of the radio that the host sends at most */
	bool sending;
	/* what was played: value of each sample by tick */
	int16_t *played;
	uint64_t play_base;
	/* what was received */
	uint64_t rx_packets, rx_gaps, rx_wrong;
	unsigned events[6];
	uint16_t ctrl_seq;
};

static uint64_t ns(const struct world *w)
{
	return w->tick * 5;
}

static void fly(struct world *w, bool to_host, const uint8_t *bytes, size_t size)
{
	struct flight *flight = &w->flights[w->head++ % FLIGHTS];

	assert_true(w->head - w->tail < FLIGHTS && size <= sizeof(flight->bytes));
	*flight = (struct flight){.tick = w->tick + WIRE_TICKS, .to_host = to_host, .size = size};
	memcpy(flight->bytes, bytes, size);
}

/* ---- the device's side ---- */

static bool lost_to_host(struct world *w, const uint8_t *bytes)
{
	struct chdr_packet packet;

	assert_int_equal(chdr_parse(bytes, 2048, &packet), 0);
	if (packet.header.type == CHDR_STRC && w->lose_init) {
		w->lose_init--;
		return true;
	}
	if (packet.header.type != CHDR_DATA_TS)
		return false;
	return w->lose_rx >= 0 && packet.header.seq >= w->lose_rx &&
	    packet.header.seq < w->lose_rx_until;
}

static void send_to_host(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct world *w = self;

	assert_int_equal(address, 77);
	if (!lost_to_host(w, bytes))
		fly(w, true, bytes, size);
}

static void transmit(void *self, unsigned channel, uint64_t tick, const uint8_t *iq, uint32_t n)
{
	struct world *w = self;

	assert_int_equal(channel, 0);
	if (w->play_base == 0)
		w->play_base = tick;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t at = (tick - w->play_base) / DIVIDE + i;
		assert_true(at < PLAYED);
		w->played[at] = (int16_t)get_le16(iq + 4 * i);
	}
}

static void receive(void *self, unsigned channel, uint64_t tick, uint8_t *ret_iq, uint32_t n)
{
	(void)self;
	assert_int_equal(channel, 0);
	for (uint32_t i = 0; i < n; i++) {
		put_le16(ret_iq + 4 * i, (uint16_t)(tick / DIVIDE + i));
		put_le16(ret_iq + 4 * i + 2, (uint16_t)(tick >> 16));
	}
}

/* ---- the host's side ------------------------------------------------------------------------ */

static void write_register(struct world *w, uint16_t port, uint32_t address, uint32_t value)
{
	const struct chdr_ctrl ctrl = {.dst_port = port,
	    .src_port = port,
	    .src = CONTROL,
	    .n_data = 1,
	    .op = CHDR_CTRL_WRITE,
	    .byte_enable = 15,
	    .address = address,
	    .data = {value}};
	uint8_t bytes[CHDR_CTRL_BYTES_MAX];
	size_t size;

	size = chdr_ctrl_write(bytes, DEVICE, w->ctrl_seq++, CHDR_V1, &ctrl);
	fly(w, false, bytes, size);
}

static void host_ctrl(struct world *w, const struct chdr_packet *packet)
{
	uint8_t bytes[CHDR_CTRL_BYTES_MAX];
	size_t size;
	struct chdr_ctrl ctrl;

	assert_int_equal(chdr_ctrl_parse(packet, CHDR_V1, &ctrl), 0);
	if (ctrl.ack) {
		assert_int_equal(ctrl.status, CHDR_CTRL_OKAY);
		return;
	}
	w->events[radio_message_parse(&ctrl).event]++;
	radio_message_ack(&ctrl, CONTROL, CHDR_V1);
	size = chdr_ctrl_write(bytes, DEVICE, w->ctrl_seq++, CHDR_V1, &ctrl);
	fly(w, false, bytes, size);
}

static void host_data(struct world *w, const struct chdr_packet *packet)
{
	const enum rx_verdict verdict = rx_data(&w->rx, &packet->header);

	w->rx_gaps += verdict == RX_GAP ? w->rx.gap : 0;
	if (verdict == RX_NEXT || verdict == RX_GAP) {
		w->rx_packets++;
		w->rx_wrong += get_le16(packet->payload) != (uint16_t)(packet->timestamp / DIVIDE);
	}
	rx_release(&w->rx, packet->header.length);
}

static void host_take(struct world *w, const struct flight *flight)
{
	struct chdr_packet packet;

	assert_int_equal(chdr_parse(flight->bytes, flight->size, &packet), 0);
	if (packet.header.type >= CHDR_DATA)
		host_data(w, &packet);
	else if (packet.header.type == CHDR_CTRL)
		host_ctrl(w, &packet);
	else if (packet.header.dst == TX)
		tx_control(&w->tx, ns(w), &packet);
	else if (packet.header.dst == RX)
		rx_control(&w->rx, ns(w), &packet);
}

static void host_send(struct world *w)
{
	const uint64_t time = w->first_time + (uint64_t)w->next * PACKET_TICKS;
	struct chdr_packet packet = {.header = {.type = CHDR_DATA_TS}, .timestamp = time};
	uint8_t bytes[PACKET_BYTES];
	size_t at;

	packet.header.eob = w->next + 1 == w->to_send;
	tx_data(&w->tx, PACKET_BYTES, &packet.header);
	at = chdr_write(bytes, &packet, 4 * SPP);
	for (int i = 0; i < SPP; i++) {
		put_le16(bytes + at + 4 * i, (uint16_t)(w->next + 1));
		put_le16(bytes + at + 4 * i + 2, (uint16_t)(w->next + 1));
	}
	if (packet.header.seq != w->lose_tx)
		fly(w, false, bytes, sizeof(bytes));
	else
		w->lose_tx = -1;
	w->next++;
}

static void host_step(struct world *w)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	size_t size;

	while ((size = tx_poll(&w->tx, ns(w), bytes)) > 0)
		fly(w, false, bytes, size);
	while ((size = rx_poll(&w->rx, ns(w), bytes)) > 0) {
		struct chdr_packet packet;
		const bool strs =
		    chdr_parse(bytes, size, &packet) == 0 && packet.header.type == CHDR_STRS;

		if (strs && w->lose_answer)
			w->lose_answer--;
		else if (!strs || !w->lose_reports)
			fly(w, false, bytes, size);
	}
	while (w->sending && w->next < w->to_send && tx_room(&w->tx) >= PACKET_BYTES &&
	    w->first_time + (uint64_t)w->next * PACKET_TICKS <
	        w->tick + (uint64_t)w->ahead * PACKET_TICKS)
		host_send(w);
}

/* ---- time ------------------------------------------------------------------------ */

static void run(struct world *w, uint64_t ticks)
{
	const uint64_t end = w->tick + ticks;

	while (w->tick < end) {
		w->tick += STEP;
		while (w->tail != w->head && w->flights[w->tail % FLIGHTS].tick <= w->tick) {
			const struct flight *flight = &w->flights[w->tail++ % FLIGHTS];

			device_run(&w->device, flight->tick);
			if (flight->to_host)
				host_take(w, flight);
			else
				device_take(&w->device, 77, flight->bytes, flight->size);
		}
		device_run(&w->device, w->tick);
		host_step(w);
	}
}

/* The control endpoint of the host, as a UHD that initialises the device would have it. */
static void advertise_control(struct world *w)
{
	const struct endpoint own = {CONTROL, 0, DEVICE, DEVICE_FIRST_PORT, true, 0x0100};
	uint8_t bytes[CHDR_MGMT_BYTES_MAX];
	struct request request;
	size_t size;

	request_advertise(&request, &own);
	size = chdr_mgmt_write(bytes, 0, 0, &request.message);
	fly(w, false, bytes, size);
	request_claim(&request, &own);
	size = chdr_mgmt_write(bytes, 0, 1, &request.message);
	fly(w, false, bytes, size);
}

static void write_radio(struct world *w)
{
	static const uint32_t values[] = {1, 4, CONTROL};

	write_register(w, 4, 0x1028, SPP);
	for (uint32_t i = 0; i < 3; i++) {
		write_register(w, 4, 0x102c + 4 * i, values[i]);
		write_register(w, 4, 0x1048 + 4 * i, values[i]);
	}
	write_register(w, 4, 0x1038, 0x1000);
	write_register(w, 4, 0x1054, 0x0000);
}

static void world_init(
    struct world *w, const struct device_options *device, const struct tx_options *tx, bool lossy)
{
	const struct device_io io = {send_to_host, transmit, receive, w};
	const struct rx_options rx = {{RX, 0, DEVICE, DEVICE_FIRST_PORT, false, 0x0100},
	    {64 * 1024, 0xffffff}, {2 * 1024, 0xffffff}, lossy};

	*w = (struct world){.lose_tx = -1, .lose_rx = -1, .ahead = 40, .tick = 1000};
	w->flights = calloc(FLIGHTS, sizeof(*w->flights));
	w->played = calloc(PLAYED, sizeof(*w->played));
	assert_true(w->flights && w->played);
	device_init(&w->device, device, &io);
	advertise_control(w);
	run(w, 4 * WIRE_TICKS);
	write_radio(w);
	tx_open(&w->tx, tx, ns(w));
	rx_open(&w->rx, &rx, ns(w));
	run(w, 200000);
	assert_int_equal(w->tx.phase, STREAM_READY);
	assert_int_equal(w->rx.phase, STREAM_READY);
	assert_int_equal(w->device.no_address + w->device.malformed + w->device.unroutable, 0);
}

static void world_fini(struct world *w)
{
	device_fini(&w->device);
	free(w->flights);
	free(w->played);
}

static const struct device_options stock = {.capacity = DEVICE_CAPACITY, .divide = DIVIDE};
static const struct device_options stopping = {
    .capacity = DEVICE_CAPACITY, .divide = DIVIDE, .stop_supported = true};
static const struct device_options wished = {
    .capacity = DEVICE_CAPACITY, .divide = DIVIDE, .zeros = true};

static struct tx_options tx_options(enum tx_policy policy, bool stop)
{
	return (struct tx_options){.endpoint = {TX, 0, DEVICE, DEVICE_FIRST_PORT, false, 0x0100},
	    .policy = policy,
	    .stop_on_seqerr = stop};
}

static void start_sending(struct world *w, uint32_t packets)
{
	w->sending = true;
	w->to_send = packets;
	w->next = 0;
	w->first_time = w->tick + 60 * PACKET_TICKS;
	w->play_base = w->first_time;
}

static void rx_again(struct world *w)
{
	const struct rx_options options = w->rx.options;

	rx_open(&w->rx, &options, ns(w));
}

static void start_receiving(struct world *w)
{
	write_register(w, 4, 0x1014, 2);
}

/* Which packet's samples lie in the place of packet n: its number + 1, 0 silence, -1 several. */
static int played_at(const struct world *w, uint32_t n)
{
	for (uint32_t i = 1; i < SPP; i++)
		if (w->played[n * SPP + i] != w->played[n * SPP])
			return -1;
	return w->played[n * SPP];
}

/* ---- Tx ------------------------------------------------------------------------ */

static void a_burst_is_played_as_it_was_sent(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);
	struct world w;

	(void)state;
	world_init(&w, &stock, &tx, true);
	start_sending(&w, 2000);
	run(&w, 2100 * PACKET_TICKS);
	for (uint32_t n = 0; n < 2000; n++)
		assert_int_equal(played_at(&w, n), n + 1);
	assert_int_equal(played_at(&w, 2000), 0);
	assert_int_equal(w.events[RADIO_TX_BURST_END], 1);
	assert_int_equal(w.events[RADIO_TX_UNDERRUN] + w.events[RADIO_TX_LATE], 0);
	assert_int_equal(w.tx.counts.seqerr, 0);
	assert_true(w.tx.counts.resyncs >= 2000 * PACKET_BYTES / DEVICE_CAPACITY - 1);
	assert_int_equal(w.device.endpoints[0].input.overflowed, 0);
	world_fini(&w);
}

/* The window alone holds the host back: it would send all at once. */
static void the_window_is_never_exceeded(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);
	struct world w;

	(void)state;
	world_init(&w, &stock, &tx, true);
	w.ahead = 1000000;
	start_sending(&w, 3000);
	run(&w, 3100 * PACKET_TICKS);
	assert_int_equal(w.device.endpoints[0].input.overflowed, 0);
	for (uint32_t n = 0; n < 3000; n++)
		assert_int_equal(played_at(&w, n), n + 1);
	world_fini(&w);
}

/* A lost packet in the default mode: nothing is discarded, what comes after plays early by one
 * packet, the burst ends a packet short. */
static void a_lost_packet_slips_the_time(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);
	struct world w;

	(void)state;
	world_init(&w, &stock, &tx, true);
	w.lose_tx = 500;
	start_sending(&w, 1000);
	run(&w, 1100 * PACKET_TICKS);
	assert_int_equal(w.tx.counts.seqerr, 1);
	assert_int_equal(w.tx.counts.inits, 2); /* those of the beginning */
	assert_int_equal(w.device.endpoints[0].input.discarded, 0);
	assert_int_equal(played_at(&w, 499), 500);
	assert_int_equal(played_at(&w, 500), 502);
	assert_int_equal(played_at(&w, 998), 1000);
	assert_int_equal(played_at(&w, 999), 0);
	world_fini(&w);
}

/* The device that the paper wishes for: zeros in its place, nothing else. */
static void a_lost_packet_becomes_zeros(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);
	struct world w;

	(void)state;
	world_init(&w, &wished, &tx, true);
	w.lose_tx = 500;
	start_sending(&w, 1000);
	run(&w, 1100 * PACKET_TICKS);
	for (uint32_t n = 0; n < 1000; n++)
		assert_int_equal(played_at(&w, n), n == 500 ? 0 : n + 1);
	world_fini(&w);
}

/* Stop on error: all is discarded until INIT, and INIT takes what is on its way with it. Then the
 * host goes on at the radio's time. `twice` is one round trip and one flush more. */
static uint64_t silence_after_loss(enum tx_policy policy, unsigned inits, uint64_t *ret_discarded)
{
	const struct tx_options tx = tx_options(policy, true);
	uint32_t silent = 0;
	struct world w;

	world_init(&w, &stopping, &tx, true);
	w.lose_tx = 500;
	start_sending(&w, 2000);
	while (w.tx.phase == STREAM_READY)
		run(&w, STEP);
	w.sending = false;
	while (w.tx.phase != STREAM_READY)
		run(&w, STEP);
	w.sending = true;
	/* the first place that can still be reached */
	w.next = (uint32_t)((w.tick - w.first_time) / PACKET_TICKS) + 4;
	run(&w, (uint64_t)2100 * PACKET_TICKS);
	assert_int_equal(w.tx.counts.inits, 2 + inits);
	assert_int_equal(played_at(&w, 499), 500);
	for (uint32_t n = 500; played_at(&w, n) != (int)n + 1; n++) {
		assert_true(n < 1999 && played_at(&w, n) == 0);
		silent++;
	}
	for (uint32_t n = 500 + silent; n < 2000; n++)
		assert_int_equal(played_at(&w, n), n + 1);
	*ret_discarded = w.device.endpoints[0].input.discarded;
	world_fini(&w);
	return silent;
}

static void recovery_by_init(void **state)
{
	uint64_t discarded[2], silent[2];

	(void)state;
	silent[0] = silence_after_loss(TX_REINIT, 1, &discarded[0]);
	silent[1] = silence_after_loss(TX_REINIT_TWICE, 2, &discarded[1]);
	/* a round trip, the flush, the way of the first packet and the four packets of margin, at
	 * least */
	assert_in_range(silent[0], (DEVICE_FLUSH_TICKS + 2 * WIRE_TICKS) / PACKET_TICKS,
	    (DEVICE_FLUSH_TICKS + 6 * WIRE_TICKS) / PACKET_TICKS + 50);
	assert_in_range(silent[1] - silent[0],
	    (DEVICE_FLUSH_TICKS + 2 * WIRE_TICKS) / PACKET_TICKS - 2,
	    (DEVICE_FLUSH_TICKS + 4 * WIRE_TICKS) / PACKET_TICKS + 2);
	assert_true(discarded[0] > 0);
	assert_int_equal(discarded[1], discarded[0]); /* the host is silent from the error on */
}

/* A host that stood still: packets that come too late are dropped one by one, each said, until one
 * is in time. */
static void late_packets_are_dropped(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);
	struct world w;

	(void)state;
	world_init(&w, &stock, &tx, true);
	w.ahead = 4;
	start_sending(&w, 600);
	while (w.next < 300)
		run(&w, STEP);
	w.sending = false;
	run(&w, 30 * PACKET_TICKS);
	w.sending = true;
	w.ahead = 40;
	run(&w, 700 * PACKET_TICKS);
	assert_int_equal(w.events[RADIO_TX_UNDERRUN], 1);
	assert_in_range(w.events[RADIO_TX_LATE], 26, 32);
	for (uint32_t n = 0; n < 600; n++)
		assert_int_equal(
		    played_at(&w, n), n >= 300 && n < 300 + w.events[RADIO_TX_LATE] ? 0 : n + 1);
	world_fini(&w);
}

/* Many late packets at once fill the queue of messages; that the receiver has stopped is said all
 * the same, for it waits until that is acknowledged. */
static void an_overrun_among_late_packets(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);
	enum { LATE = 6000 };
	struct world w;

	(void)state;
	world_init(&w, &stock, &tx, false);
	run(&w, (LATE + 100) * PACKET_TICKS);
	w.lose_reports = true;
	start_receiving(&w);
	run(&w, 62 * PACKET_TICKS); /* the window is almost shut */
	w.first_time = 1;           /* all of them are late */
	w.to_send = LATE;
	w.sending = true;
	run(&w, 200 * PACKET_TICKS);
	assert_true(w.device.endpoints[0].radio.lost_messages > 0);
	assert_int_equal(w.device.endpoints[0].radio.tx.late, LATE);
	assert_int_equal(w.events[RADIO_TX_LATE] + w.device.endpoints[0].radio.lost_messages, LATE);
	assert_int_equal(w.events[RADIO_RX_OVERRUN], 1);
	assert_false(w.device.endpoints[0].radio.rx.blocked);
	world_fini(&w);
}

/* ---- Rx ------------------------------------------------------------------------ */

static void all_samples_are_received(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);
	struct world w;

	(void)state;
	world_init(&w, &stock, &tx, true);
	start_receiving(&w);
	run(&w, 2000 * PACKET_TICKS);
	write_register(&w, 4, 0x1014, 0);
	run(&w, 10 * PACKET_TICKS);
	assert_in_range(w.rx_packets, 1990, 2001);
	assert_int_equal(w.rx_gaps + w.rx_wrong + w.rx.counts.lost + w.rx.counts.old, 0);
	assert_int_equal(w.events[RADIO_RX_OVERRUN], 0);
	assert_true(w.rx.counts.resyncs > 20);
	assert_int_equal(w.rx.counts.resync_bytes, 0);
	world_fini(&w);
}

static void lost_packets_are_known_and_mended(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);
	struct world w;

	(void)state;
	world_init(&w, &stock, &tx, true);
	w.lose_rx = 100;
	w.lose_rx_until = 120;
	start_receiving(&w);
	run(&w, 2000 * PACKET_TICKS);
	assert_int_equal(w.rx_gaps, 20);
	assert_int_equal(w.rx.counts.lost, 20);
	assert_int_equal(w.rx.counts.resync_bytes, 20 * PACKET_BYTES);
	assert_int_equal(w.events[RADIO_RX_OVERRUN], 0);
	assert_true(w.rx_packets > 1970);
	world_fini(&w);
}

/* Reports that are lost shut the window: the radio stops, says so, and streams again when told; a
 * window that was lost whole opens again only by setting the stream up anew. */
static void an_overrun_and_a_window_lost_whole(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);
	uint64_t before;
	struct world w;

	(void)state;
	world_init(&w, &stock, &tx, false);
	w.lose_reports = true;
	start_receiving(&w);
	run(&w, 200 * PACKET_TICKS);
	assert_int_equal(w.events[RADIO_RX_OVERRUN], 1);
	assert_in_range(w.rx_packets, 64, 66); /* what the window held */
	w.lose_reports = false;
	before = w.rx_packets;
	start_receiving(&w);
	run(&w, 200 * PACKET_TICKS);
	assert_int_equal(w.rx_packets, before); /* nothing moves by itself */
	rx_again(&w);
	run(&w, 100000);
	assert_int_equal(w.rx.phase, STREAM_READY);
	start_receiving(&w);
	run(&w, 200 * PACKET_TICKS);
	assert_true(w.rx_packets > before + 150);
	assert_int_equal(w.rx_wrong, 0);
	world_fini(&w);
}

/* What sets the stream up is lost on its way, once or more: it is set up again, and streams. */
static void a_handshake_that_is_lost(void **state)
{
	const struct tx_options tx = tx_options(TX_GO_ON, false);

	(void)state;
	for (unsigned lost = 1; lost < 8; lost++) {
		struct world w;

		world_init(&w, &stock, &tx, true);
		w.lose_init = lost % 4;
		w.lose_answer = lost / 4;
		rx_again(&w);
		run(&w, REQUEST_TRIES * REQUEST_RETRY_NS / DEVICE_TICK_NS);
		assert_int_equal(w.rx.phase, STREAM_READY);
		start_receiving(&w);
		run(&w, 200 * PACKET_TICKS);
		assert_in_range(w.rx_packets, 190, 201);
		assert_int_equal(w.rx_wrong + w.rx_gaps, 0);
		world_fini(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_burst_is_played_as_it_was_sent),
	    cmocka_unit_test(the_window_is_never_exceeded),
	    cmocka_unit_test(a_lost_packet_slips_the_time),
	    cmocka_unit_test(a_lost_packet_becomes_zeros),
	    cmocka_unit_test(recovery_by_init),
	    cmocka_unit_test(late_packets_are_dropped),
	    cmocka_unit_test(an_overrun_among_late_packets),
	    cmocka_unit_test(all_samples_are_received),
	    cmocka_unit_test(lost_packets_are_known_and_mended),
	    cmocka_unit_test(an_overrun_and_a_window_lost_whole),
	    cmocka_unit_test(a_handshake_that_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
