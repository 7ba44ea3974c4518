/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's two streams, step by step, with the device's answers written by hand; requests are
 * held against those of an unmodified UHD (tests/vectors/x310/chdr.txt). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "platforms/x310/stream.h"
#include "tests/common/x310_vectors.h"

enum { HOST = 3, DEVICE = 2, PORT = 3, DATA_BYTES = 2064, ENDPOINT = 0x4107, CROSSBAR = 0x309 };

static const struct endpoint endpoint = {HOST, 0, DEVICE, PORT, false, 0x0100};

/* Sequence numbers of management are the caller's own. */
static void same_request(const uint8_t *bytes, size_t size, const char *name)
{
	uint8_t want[STREAM_PACKET_MAX];

	assert_int_equal(x310_vector(name, want), size);
	memcpy(want + 4, bytes + 4, 2);
	assert_memory_equal(bytes, want, size);
}

/* What the device answers to a management request: nothing read, or one register, or the INFO of a
 * node. */
static struct chdr_packet reply(const uint8_t *request, enum chdr_mgmt_op op, uint64_t payload)
{
	static uint8_t bytes[64];
	struct chdr_mgmt answer = {.version = 0x0100};
	struct chdr_packet packet, asked;
	struct chdr_mgmt mgmt;

	assert_int_equal(chdr_parse(request, STREAM_PACKET_MAX, &asked), 0);
	assert_int_equal(chdr_mgmt_parse(&asked, &mgmt), 0);
	assert_int_equal(chdr_mgmt_add(&answer, CHDR_NOP, 0, op == CHDR_NOP), 0);
	if (op != CHDR_NOP)
		assert_int_equal(chdr_mgmt_add(&answer, op, payload, true), 0);
	assert_int_equal(
	    chdr_parse(bytes, chdr_mgmt_write(bytes, mgmt.src, asked.header.seq, &answer), &packet),
	    0);
	return packet;
}

static uint64_t info(unsigned type, unsigned extended)
{
	return 1 | (uint64_t)type << 16 | (uint64_t)extended << 30;
}

/* Each of these holds until its next call. */
static struct chdr_packet strc(enum chdr_op op, uint64_t bytes, uint64_t pkts)
{
	static uint8_t at[CHDR_STRC_BYTES];
	const struct chdr_strc command = {
	    .src = DEVICE, .op = (uint8_t)op, .bytes = bytes, .pkts = pkts};
	struct chdr_packet packet;

	assert_int_equal(chdr_parse(at, chdr_strc_write(at, HOST, 0, &command), &packet), 0);
	return packet;
}

static struct chdr_packet strs(
    enum chdr_status status, uint64_t capacity, uint64_t bytes, uint64_t pkts)
{
	static uint8_t at[CHDR_STRS_BYTES];
	const struct chdr_strs report = {.src = DEVICE,
	    .status = (uint8_t)status,
	    .capacity_bytes = capacity,
	    .capacity_pkts = 0xffffff,
	    .xfer_bytes = bytes,
	    .xfer_pkts = pkts};
	struct chdr_packet packet;

	assert_int_equal(chdr_parse(at, chdr_strs_write(at, HOST, 0, &report), &packet), 0);
	return packet;
}

/* ---- Rx ------------------------------------------------------------------------ */

static const struct rx_options rx_options = {
    {HOST, 0, DEVICE, PORT, false, 0x0100}, {4194304, 0xffffff}, {131072, 0xffffff}, true};

static void rx_step(struct rx_stream *rx, enum stream_phase phase, const char *name,
    enum chdr_mgmt_op op, uint64_t payload)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct chdr_packet packet;
	size_t size;

	assert_int_equal(rx->phase, phase);
	size = rx_poll(rx, 1, bytes);
	assert_true(size > 0);
	if (name)
		same_request(bytes, size, name);
	assert_int_equal(rx_poll(rx, 1, bytes + size), 0);
	packet = reply(bytes, op, payload);
	rx_control(rx, 1, &packet);
}

static void rx_configured(struct rx_stream *rx)
{
	rx_open(rx, &rx_options, 1);
	rx_step(rx, STREAM_ADVERTISE, NULL, CHDR_NOP, 0);
	rx_step(rx, STREAM_OWN, "mgmt_xbar_route_epid3_to_port0", CHDR_NOP, 0);
	rx_step(
	    rx, STREAM_DEVICE, "mgmt_route_to_epid2_and_info", CHDR_INFO_RESP, info(2, ENDPOINT));
	rx_step(rx, STREAM_CONFIGURE, "mgmt_rx_stream_start", CHDR_NOP, 0);
}

static void rx_answer_init(struct rx_stream *rx)
{
	const struct chdr_packet init = strc(CHDR_INIT, 131072, 0xffffff);
	uint8_t bytes[STREAM_PACKET_MAX];
	size_t size;

	rx_control(rx, 1, &init);
	size = rx_poll(rx, 1, bytes);
	same_request(bytes, size, "strs_rx_init_from_host");
}

static void rx_ready(struct rx_stream *rx)
{
	rx_configured(rx);
	assert_int_equal(rx->phase, STREAM_INIT);
	rx_answer_init(rx);
	rx_step(
	    rx, STREAM_CHECK, NULL, CHDR_CFG_RD_RESP, chdr_mgmt_register(SEP_OUT_CTRL, 0xa000000a));
	assert_int_equal(rx->phase, STREAM_CHECK); /* still pending */
	rx->request.next_ns = 1;
	rx_step(
	    rx, STREAM_CHECK, NULL, CHDR_CFG_RD_RESP, chdr_mgmt_register(SEP_OUT_CTRL, 0x8000000a));
	assert_int_equal(rx->phase, STREAM_READY);
}

static void rx_opens(void **state)
{
	struct rx_stream rx;

	(void)state;
	rx_ready(&rx);
	assert_int_equal(rx.counts.reports, 1);
}

/* INIT comes before the answer to the configuration. */
static void rx_init_comes_early(void **state)
{
	struct chdr_packet packet, init = strc(CHDR_INIT, 131072, 0xffffff);
	uint8_t bytes[STREAM_PACKET_MAX], answer[STREAM_PACKET_MAX];
	struct rx_stream rx;

	(void)state;
	rx_open(&rx, &rx_options, 1);
	rx_step(&rx, STREAM_ADVERTISE, NULL, CHDR_NOP, 0);
	rx_step(&rx, STREAM_OWN, NULL, CHDR_NOP, 0);
	rx_step(&rx, STREAM_DEVICE, NULL, CHDR_INFO_RESP, info(2, ENDPOINT));
	assert_true(rx_poll(&rx, 1, bytes) > 0);
	rx_control(&rx, 1, &init);
	same_request(answer, rx_poll(&rx, 1, answer), "strs_rx_init_from_host");
	packet = reply(bytes, CHDR_NOP, 0);
	rx_control(&rx, 1, &packet);
	assert_int_equal(rx.phase, STREAM_CHECK);
}

static void rx_refusals(void **state)
{
	static const struct {
		uint32_t status;
		const char *why;
	} cases[] = {
	    {0xc000000a, "refused the configuration"},
	    {0x0000000a, "another flow control"},
	};
	struct rx_stream rx;

	(void)state;
	rx_open(&rx, &rx_options, 1);
	rx_step(&rx, STREAM_ADVERTISE, NULL, CHDR_NOP, 0);
	rx_step(&rx, STREAM_OWN, NULL, CHDR_NOP, 0);
	rx_step(&rx, STREAM_DEVICE, NULL, CHDR_INFO_RESP, info(1, CROSSBAR));
	assert_int_equal(rx.phase, STREAM_FAILED);
	assert_non_null(strstr(rx.why, "no stream endpoint"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rx_configured(&rx);
		rx_answer_init(&rx);
		rx_step(&rx, STREAM_CHECK, NULL, CHDR_CFG_RD_RESP,
		    chdr_mgmt_register(SEP_OUT_CTRL, cases[i].status));
		assert_int_equal(rx.phase, STREAM_FAILED);
		assert_non_null(strstr(rx.why, cases[i].why));
	}
}

static void a_device_that_is_silent(void **state)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct rx_stream rx;
	unsigned sent = 0;

	(void)state;
	rx_open(&rx, &rx_options, 0);
	for (uint64_t now = 0; rx.phase != STREAM_FAILED; now += REQUEST_RETRY_NS / 2)
		sent += rx_poll(&rx, now, bytes) > 0;
	assert_int_equal(sent, REQUEST_TRIES);
	assert_non_null(strstr(rx.why, "does not answer"));
}

/* Configures again and again: how often, until the stream has failed. `init` comes each time or
 * never. */
static unsigned rx_configured_until_failed(struct rx_stream *rx, bool init)
{
	unsigned configured = 1;
	uint64_t now = 1;

	rx_configured(rx);
	for (; rx->phase != STREAM_FAILED; now += REQUEST_RETRY_NS / 4) {
		const struct chdr_packet say = strc(CHDR_INIT, 131072, 0xffffff);
		uint8_t bytes[STREAM_PACKET_MAX];
		struct chdr_packet packet;

		assert_true(now < 100 * REQUEST_RETRY_NS);
		if (init && rx->phase == STREAM_INIT)
			rx_control(rx, now, &say);
		while (rx_poll(rx, now, bytes) > 0) {
			const bool check = rx->phase == STREAM_CHECK;

			if (bytes[6] >> 5 != CHDR_MGMT)
				continue; /* our STRS, which is lost */
			configured += rx->phase == STREAM_CONFIGURE;
			packet = reply(bytes, check ? CHDR_CFG_RD_RESP : CHDR_NOP,
			    check ? chdr_mgmt_register(SEP_OUT_CTRL, 0xa000000a) : 0);
			rx_control(rx, now, &packet);
		}
	}
	return configured;
}

static void rx_init_is_lost(void **state)
{
	struct rx_stream rx;

	(void)state;
	assert_int_equal(rx_configured_until_failed(&rx, false), REQUEST_TRIES);
	assert_non_null(strstr(rx.why, "does not send INIT"));
}

static void rx_answer_to_init_is_lost(void **state)
{
	struct rx_stream rx;

	(void)state;
	assert_int_equal(rx_configured_until_failed(&rx, true), REQUEST_TRIES);
	assert_non_null(strstr(rx.why, "does not accept the answer"));
}

static enum rx_verdict rx_seq(struct rx_stream *rx, uint16_t seq)
{
	const struct chdr_header header = {
	    .type = CHDR_DATA_TS, .seq = seq, .length = DATA_BYTES, .dst = HOST};

	return rx_data(rx, &header);
}

static void rx_counts_what_is_missing(void **state)
{
	struct rx_stream rx;

	(void)state;
	rx_open(&rx, &rx_options, 1);
	assert_int_equal(rx_seq(&rx, 0), RX_EARLY);
	rx_ready(&rx);
	assert_int_equal(rx_seq(&rx, 0), RX_NEXT);
	assert_int_equal(rx_seq(&rx, 1), RX_NEXT);
	assert_int_equal(rx_seq(&rx, 5), RX_GAP);
	assert_int_equal(rx.gap, 3);
	assert_int_equal(rx_seq(&rx, 4), RX_LATE); /* overtaken, and not lost */
	assert_int_equal(rx_seq(&rx, 4), RX_OLD);
	assert_int_equal(rx_seq(&rx, 5), RX_OLD);
	assert_int_equal(rx_seq(&rx, 6), RX_NEXT);
	assert_int_equal(rx_seq(&rx, 2), RX_LATE);
	assert_int_equal(rx.counts.lost, 1);
	assert_int_equal(rx.counts.reordered, 2);
	assert_int_equal(rx.counts.old, 2);
	rx.next_seq = 65535;
	assert_int_equal(rx_seq(&rx, 65535), RX_NEXT);
	assert_int_equal(rx_seq(&rx, 0), RX_NEXT);
	assert_int_equal(rx_seq(&rx, 0x7fff), RX_GAP);
	assert_int_equal(rx.gap, 0x7ffe);
	/* more than half of all numbers: 84 ms of 256 samples at 100 MSa/s */
	assert_int_equal(rx_seq(&rx, (uint16_t)(0x8000 - RX_FAR)), RX_GAP);
	assert_int_equal(rx.gap, 0x10000 - RX_FAR);
	assert_int_equal(rx_seq(&rx, (uint16_t)(0x8000 - RX_FAR + 1)), RX_NEXT);
	assert_int_equal(rx_seq(&rx, (uint16_t)(0x8000 - 2 * RX_FAR + 3)), RX_LATE);
}

/* Whatever comes first is the beginning; what comes again is old, but for a stream that begins
 * anew. */
static void rx_listens(void **state)
{
	const struct rx_options options = {.listen = true};
	uint8_t bytes[STREAM_PACKET_MAX];
	struct rx_stream rx;

	(void)state;
	rx_open(&rx, &options, 1);
	assert_int_equal(rx.phase, STREAM_READY);
	assert_int_equal(rx_seq(&rx, 60000), RX_NEXT);
	assert_int_equal(rx_seq(&rx, 60001), RX_NEXT);
	assert_int_equal(rx_seq(&rx, 60004), RX_GAP);
	assert_int_equal(rx_seq(&rx, 60002), RX_LATE);
	assert_int_equal(rx_seq(&rx, 60002), RX_OLD);
	assert_int_equal(rx_seq(&rx, 60006 - RX_FAR), RX_OLD);
	assert_int_equal(rx.counts.restarts, 0);
	assert_int_equal(rx_seq(&rx, 60005 - RX_FAR), RX_NEXT);
	assert_true(rx.counts.restarts == 1 && rx.counts.lost == 1 && rx.counts.old == 2);
	/* ahead of what is due by more than is likely to be lost */
	assert_int_equal(rx_seq(&rx, 40), RX_NEXT);
	assert_int_equal(rx.counts.restarts, 2);
	assert_int_equal(rx_seq(&rx, 5000), RX_GAP);
	assert_int_equal(rx.counts.lost, 1 + 5000 - 41);
	assert_int_equal(rx_poll(&rx, 1000000000, bytes), 0); /* nothing is said */
}

/* A report each time that as much as was asked for has been given back. */
static void rx_reports(void **state)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct chdr_packet packet;
	struct rx_stream rx;
	struct chdr_strs report;

	(void)state;
	rx_ready(&rx);
	for (uint16_t i = 0; i < 200; i++) {
		const bool due = rx.released.bytes + 2064 - rx.reported.bytes >= 131072;

		assert_int_equal(rx_seq(&rx, i), RX_NEXT);
		assert_int_equal(rx_poll(&rx, 1, bytes), 0); /* not before its buffer is free */
		rx_release(&rx, DATA_BYTES);
		assert_int_equal(rx_poll(&rx, 1, bytes), due ? CHDR_STRS_BYTES : 0);
		if (!due)
			continue;
		assert_int_equal(chdr_parse(bytes, CHDR_STRS_BYTES, &packet), 0);
		assert_int_equal(chdr_strs_parse(&packet, &report), 0);
		assert_int_equal(report.xfer_bytes, (i + 1) * 2064);
		assert_int_equal(report.xfer_pkts, i + 1);
		assert_int_equal(report.src, HOST);
		assert_int_equal(packet.header.dst, DEVICE);
	}
	assert_int_equal(rx.counts.reports, 1 + 200 * 2064 / 131072);
}

/* Three packets are lost; the device's RESYNC gives their room back, and counts itself. */
static void rx_resync(void **state)
{
	struct chdr_packet command;
	struct rx_stream rx;

	(void)state;
	rx_ready(&rx);
	command = strc(CHDR_RESYNC, 10 * 2064, 10);
	for (uint16_t i = 0; i < 10; i++) {
		if (i >= 4 && i < 7)
			continue;
		rx_seq(&rx, i);
		rx_release(&rx, DATA_BYTES);
	}
	rx_control(&rx, 1, &command);
	assert_int_equal(rx.counts.lost, 3);
	assert_int_equal(rx.counts.resync_bytes, 3 * 2064);
	assert_int_equal(rx.released.bytes, 10 * 2064 + 24);
	assert_int_equal(rx.released.pkts, 11);
	assert_int_equal(rx.received.bytes, 10 * 2064 + 24);
}

/* ---- Tx ------------------------------------------------------------------------ */

enum { CAPACITY = 524287 };

static void tx_step(struct tx_stream *tx, enum stream_phase phase, const char *name,
    enum chdr_mgmt_op op, uint64_t payload)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct chdr_packet packet;
	size_t size;

	assert_int_equal(tx->phase, phase);
	size = tx_poll(tx, 1, bytes);
	assert_true(size > 0);
	if (name)
		same_request(bytes, size, name);
	packet = reply(bytes, op, payload);
	tx_control(tx, 1, &packet);
}

static void tx_init(struct tx_stream *tx, const char *name, uint64_t now)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct chdr_packet packet = strs(CHDR_OKAY, CAPACITY, 0, 0);

	assert_int_equal(tx->phase, STREAM_INIT);
	assert_int_equal(tx_room(tx), 0);
	same_request(bytes, tx_poll(tx, now, bytes), name);
	assert_int_equal(tx_poll(tx, now, bytes), 0); /* silence */
	tx_control(tx, now, &packet);
}

static void tx_ready(struct tx_stream *tx, const struct tx_options *options)
{
	tx_open(tx, options, 1);
	tx_step(tx, STREAM_ADVERTISE, NULL, CHDR_NOP, 0);
	tx_step(tx, STREAM_OWN, "mgmt_xbar_route_epid3_to_port0", CHDR_NOP, 0);
	tx_step(
	    tx, STREAM_DEVICE, "mgmt_route_to_epid2_and_info", CHDR_INFO_RESP, info(2, ENDPOINT));
	tx_step(tx, STREAM_CONFIGURE, "mgmt_tx_stream_cfg", CHDR_NOP, 0);
	if (!options->capacity_bytes)
		tx_init(tx, "strc_tx_init_zero", 1);
	tx_init(tx,
	    options->stop_on_seqerr ? "strc_tx_init_stop_on_seq_error" : "strc_tx_init_freq", 1);
	assert_int_equal(tx->phase, STREAM_READY);
	assert_int_equal(tx_room(tx), CAPACITY - TX_COMMAND_ROOM);
}

static void tx_opens(void **state)
{
	struct tx_stream tx;

	(void)state;
	tx_ready(&tx, &(struct tx_options){.endpoint = endpoint});
	assert_int_equal(tx.counts.inits, 2);
	tx_ready(&tx, &(struct tx_options){.endpoint = endpoint, .capacity_bytes = CAPACITY});
	assert_int_equal(tx.counts.inits, 1);
	tx_ready(&tx,
	    &(struct tx_options){
	        .endpoint = endpoint, .capacity_bytes = CAPACITY, .stop_on_seqerr = true});
}

static uint16_t tx_send(struct tx_stream *tx, uint32_t length)
{
	struct chdr_header header = {.type = CHDR_DATA_TS};

	assert_true(tx_room(tx) >= chdr_counted(length));
	tx_data(tx, length, &header);
	assert_int_equal(header.dst, DEVICE);
	return header.seq;
}

static void tx_window(void **state)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct chdr_packet packet;
	struct tx_stream tx;
	uint64_t sent = 0;

	(void)state;
	tx_ready(&tx, &(struct tx_options){.endpoint = endpoint});
	for (uint16_t i = 0; tx_room(&tx) >= 7996; i++, sent += 8000)
		assert_int_equal(tx_send(&tx, 7996), i);
	assert_int_equal(sent, CAPACITY / 8000 * 8000);
	assert_int_equal(tx_poll(&tx, 2, bytes), 0);

	packet = strs(CHDR_OKAY, CAPACITY, 80000, 10);
	tx_control(&tx, 3, &packet);
	assert_int_equal(tx_room(&tx), CAPACITY - TX_COMMAND_ROOM - sent + 80000);
	packet = strs(CHDR_OKAY, CAPACITY, 40000, 5); /* an old one */
	tx_control(&tx, 4, &packet);
	assert_int_equal(tx_room(&tx), CAPACITY - TX_COMMAND_ROOM - sent + 80000);
	packet = strs(CHDR_OKAY, CAPACITY, sent + 8, 80); /* more than there was */
	tx_control(&tx, 5, &packet);
	assert_int_equal(tx_room(&tx), CAPACITY - TX_COMMAND_ROOM - sent + 80000);
}

/* Every `capacity` bytes the device is told what was sent. */
static void tx_resync(void **state)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct chdr_packet packet;
	struct chdr_strc command;
	struct tx_stream tx;

	(void)state;
	tx_ready(&tx, &(struct tx_options){.endpoint = endpoint});
	for (unsigned i = 0; i < 66; i++) {
		assert_int_equal(tx_poll(&tx, 2, bytes), 0);
		tx_send(&tx, 8000);
		packet = strs(CHDR_OKAY, CAPACITY, tx.sent.bytes, tx.sent.pkts);
		tx_control(&tx, 2, &packet);
	}
	assert_int_equal(tx_poll(&tx, 2, bytes), CHDR_STRC_BYTES);
	assert_int_equal(chdr_parse(bytes, CHDR_STRC_BYTES, &packet), 0);
	assert_int_equal(chdr_strc_parse(&packet, &command), 0);
	assert_true(command.op == CHDR_RESYNC && command.bytes == 66 * 8000 && command.pkts == 66);
	assert_int_equal(packet.header.seq, 0);
	assert_int_equal(tx.sent.bytes, 66 * 8000 + 24);
	assert_int_equal(tx_poll(&tx, 2, bytes), 0);
}

static void tx_pings_when_shut(void **state)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct tx_stream tx;
	unsigned pings = 0;

	(void)state;
	tx_ready(&tx, &(struct tx_options){.endpoint = endpoint});
	while (tx_room(&tx) >= 8000)
		tx_send(&tx, 8000);
	for (uint64_t now = 1; now < 10 * TX_PING_NS; now += TX_PING_NS / 10)
		pings += tx_poll(&tx, now, bytes) == CHDR_STRC_BYTES;
	assert_in_range(pings, 8, 10);
	assert_int_equal(tx.counts.pings, pings);
}

/* A device that says nothing any more: the window is never exceeded, and after a while it is begun
 * anew. */
static void tx_begins_anew_when_nobody_answers(void **state)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct tx_stream tx;
	uint64_t now = 1;

	(void)state;
	tx_ready(&tx, &(struct tx_options){.endpoint = endpoint});
	while (tx_room(&tx) >= 8000)
		tx_send(&tx, 8000);
	while (tx_room(&tx) >= 8)
		tx_send(&tx, 8);
	for (; tx.phase == STREAM_READY; now += TX_PING_NS / 10) {
		assert_true(now < 2 * TX_SILENCE_NS);
		tx_poll(&tx, now, bytes);
		assert_true(tx.sent.bytes - tx.acked.bytes <= CAPACITY);
	}
	assert_in_range(now, TX_SILENCE_NS, TX_SILENCE_NS + TX_PING_NS);
	assert_int_equal(tx.counts.pings, TX_COMMAND_ROOM / CHDR_STRC_BYTES);
	assert_int_equal(tx.counts.stalls, 1);
	assert_int_equal(tx.counts.inits, 3);
}

static void tx_sequence_errors(void **state)
{
	static const struct {
		enum tx_policy policy;
		unsigned inits;
	} cases[] = {{TX_GO_ON, 0}, {TX_REINIT, 1}, {TX_REINIT_TWICE, 2}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct tx_options options = {.endpoint = endpoint, .policy = cases[i].policy};
		struct chdr_packet packet;
		struct tx_stream tx;

		tx_ready(&tx, &options);
		assert_int_equal(tx_send(&tx, 8000), 0);
		assert_int_equal(tx_send(&tx, 8000), 1);
		packet = strs(CHDR_SEQERR, CAPACITY, 8000, 1);
		tx_control(&tx, 5, &packet);
		assert_int_equal(tx.counts.seqerr, 1);
		assert_int_equal(tx.phase, cases[i].inits ? STREAM_INIT : STREAM_READY);
		if (cases[i].inits == 2)
			tx_init(&tx, "strc_tx_init_zero", 5);
		if (cases[i].inits)
			tx_init(&tx, "strc_tx_init_freq", 5);
		assert_int_equal(tx.phase, STREAM_READY);
		assert_int_equal(tx_send(&tx, 8000), cases[i].inits ? 0 : 2);
	}
}

/* A report that was on its way while INIT was sent is not its answer. */
static void tx_late_reports_during_init(void **state)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct chdr_packet packet;
	struct tx_stream tx;
	unsigned sent = 0;

	(void)state;
	tx_ready(&tx, &(struct tx_options){.endpoint = endpoint});
	tx_send(&tx, 8000);
	packet = strs(CHDR_OKAY, CAPACITY, 8000, 1);
	tx_restart(&tx, 10);
	assert_int_equal(tx_poll(&tx, 10, bytes), CHDR_STRC_BYTES);
	tx_control(&tx, 11, &packet);
	assert_int_equal(tx.phase, STREAM_INIT);
	for (uint64_t now = 11; tx.phase == STREAM_INIT; now += TX_INIT_RETRY_NS / 4)
		sent += tx_poll(&tx, now, bytes) == CHDR_STRC_BYTES;
	assert_int_equal(sent, TX_INIT_TRIES - 1);
	assert_int_equal(tx.phase, STREAM_CONFIGURE);
}

static bool writes(const struct request *request, uint16_t address, uint32_t data)
{
	bool found = false;

	for (size_t i = 0; i < request->message.n_steps; i++)
		found |= request->message.steps[i].op == CHDR_CFG_WR &&
		    request->message.steps[i].payload == chdr_mgmt_register(address, data);
	return found;
}

/* One that does not answer INIT is reset, its input alone, and asked once more. */
static void tx_resets_a_silent_endpoint(void **state)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct tx_stream tx;
	unsigned inits = 0, resets = 0;

	(void)state;
	tx_ready(&tx, &(struct tx_options){.endpoint = endpoint});
	tx_restart(&tx, 10);
	for (uint64_t now = 10; tx.phase != STREAM_FAILED; now += TX_INIT_RETRY_NS) {
		const size_t size = tx_poll(&tx, now, bytes);
		struct chdr_packet packet;

		inits += size == CHDR_STRC_BYTES;
		if (tx.phase != STREAM_CONFIGURE || size == 0)
			continue;
		assert_true(writes(&tx.request, SEP_RESET, SEP_RESET_IN));
		resets++;
		assert_int_equal(
		    chdr_parse(bytes, size, &packet), 0); /* the answer has its number */
		packet.header.dst = tx.options.endpoint.own;
		tx_control(&tx, now, &packet);
	}
	assert_int_equal(inits, 2 * TX_INIT_TRIES);
	assert_int_equal(resets, TX_RESETS);
}

/* So is one that does not send INIT, its output alone, from the third attempt on. */
static void rx_resets_a_silent_endpoint(void **state)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	unsigned asked = 0, resets = 0;
	struct rx_stream rx;

	(void)state;
	rx_configured(&rx);
	for (uint64_t now = 1; rx.phase != STREAM_FAILED; now += REQUEST_RETRY_NS) {
		struct chdr_packet packet;

		if (rx_poll(&rx, now, bytes) == 0)
			continue;
		asked++;
		resets += writes(&rx.request, SEP_RESET, SEP_RESET_OUT);
		assert_int_equal(writes(&rx.request, SEP_RESET, SEP_RESET_OUT),
		    rx.tries > RX_TRIES_BEFORE_RESET);
		packet = reply(bytes, CHDR_NOP, 0);
		rx_control(&rx, now, &packet);
	}
	assert_int_equal(asked, REQUEST_TRIES - 1); /* one before */
	assert_int_equal(resets, REQUEST_TRIES - RX_TRIES_BEFORE_RESET);
	assert_string_equal(rx.why, "the endpoint does not send INIT");
}

static void an_endpoint_without_buffer(void **state)
{
	struct chdr_packet packet = strs(CHDR_OKAY, 0, 0, 0);
	uint8_t bytes[STREAM_PACKET_MAX];
	struct tx_stream tx;

	(void)state;
	tx_open(&tx, &(struct tx_options){.endpoint = endpoint}, 1);
	tx.request.open = false;
	tx.phase = STREAM_INIT;
	tx.next_ns = 0;
	assert_true(tx_poll(&tx, 1, bytes) > 0);
	tx_control(&tx, 1, &packet);
	assert_int_equal(tx.phase, STREAM_FAILED);
}

/* ---- the radio's messages ---- */

static void radio_messages(void **state)
{
	static const struct {
		const char *name;
		enum radio_event event;
		unsigned channel;
		uint64_t time;
	} cases[] = {
	    {"ctrl1_async_rx_overrun_ch0", RADIO_RX_OVERRUN, 0, 31706857},
	    {"ctrl1_async_rx_late_ch1", RADIO_RX_LATE, 1, 31706858},
	    {"ctrl1_async_tx_underrun_ch0", RADIO_TX_UNDERRUN, 0, 1151895},
	    {"ctrl1_async_tx_late_ch0", RADIO_TX_LATE, 0, 1151896},
	    {"ctrl1_async_tx_burst_ack_ch0", RADIO_TX_BURST_END, 0, 1151897},
	    {"ctrl1_write_req_rx_stop", RADIO_OTHER, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[STREAM_PACKET_MAX];
		struct chdr_packet packet;
		struct radio_message message;
		struct chdr_ctrl ctrl;

		assert_int_equal(chdr_parse(bytes, x310_vector(cases[i].name, bytes), &packet), 0);
		assert_int_equal(chdr_ctrl_parse(&packet, CHDR_V1, &ctrl), 0);
		message = radio_message_parse(&ctrl);
		assert_int_equal(message.event, cases[i].event);
		if (cases[i].event == RADIO_OTHER)
			continue;
		assert_int_equal(message.channel, cases[i].channel);
		assert_int_equal(message.time, cases[i].time);
	}
}

static void radio_message_acks(void **state)
{
	static const struct {
		const char *name, *ack;
		enum chdr_dialect dialect;
	} cases[] = {{"ctrl1_async_rx_overrun_ch0", "ctrl1_async_ack_from_host", CHDR_V1},
	    {"ctrl2_async_rx_overrun_ch0", "ctrl2_async_ack_from_host", CHDR_V2}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint8_t bytes[STREAM_PACKET_MAX], want[STREAM_PACKET_MAX];
		const size_t size = x310_vector(cases[i].ack, want);
		struct chdr_packet packet;
		struct chdr_ctrl ctrl;

		assert_int_equal(chdr_parse(bytes, x310_vector(cases[i].name, bytes), &packet), 0);
		assert_int_equal(chdr_ctrl_parse(&packet, cases[i].dialect, &ctrl), 0);
		radio_message_ack(&ctrl, 1, cases[i].dialect);
		assert_int_equal(chdr_ctrl_write(bytes, DEVICE, 11, cases[i].dialect, &ctrl), size);
		assert_memory_equal(bytes, want, size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rx_opens),
	    cmocka_unit_test(rx_init_comes_early),
	    cmocka_unit_test(rx_refusals),
	    cmocka_unit_test(a_device_that_is_silent),
	    cmocka_unit_test(rx_init_is_lost),
	    cmocka_unit_test(rx_answer_to_init_is_lost),
	    cmocka_unit_test(rx_counts_what_is_missing),
	    cmocka_unit_test(rx_listens),
	    cmocka_unit_test(rx_reports),
	    cmocka_unit_test(rx_resync),
	    cmocka_unit_test(tx_opens),
	    cmocka_unit_test(tx_window),
	    cmocka_unit_test(tx_resync),
	    cmocka_unit_test(tx_pings_when_shut),
	    cmocka_unit_test(tx_begins_anew_when_nobody_answers),
	    cmocka_unit_test(tx_sequence_errors),
	    cmocka_unit_test(tx_late_reports_during_init),
	    cmocka_unit_test(tx_resets_a_silent_endpoint),
	    cmocka_unit_test(rx_resets_a_silent_endpoint),
	    cmocka_unit_test(an_endpoint_without_buffer),
	    cmocka_unit_test(radio_messages),
	    cmocka_unit_test(radio_message_acks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
