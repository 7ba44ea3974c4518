/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/zmq against a peer made here of libzmq: every pattern, bind and connect, tag headers,
 * messages that are refused, a queue that is full, a peer that is started again, and the requests
 * of srsRAN. (Debian's GNU Radio at the other end: tests/others/gnuradio.sh.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <zmq.h>
#include <cmocka.h>

#include "core/gnuradio/tags.h"
#include "tests/mock/mock.h"

enum { LENGTH = 100, GUARD = 5000 };

static char address[128];

struct peer {
	void *ctx, *socket;
};

/* Another address for each peer: a socket of ZeroMQ frees its own late. */
static void address_new(void)
{
	static unsigned n;

	snprintf(address, sizeof(address), "ipc://%s/aloe-zmq-%d-%u",
	    getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid(), n++);
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static struct peer peer_open(int type, bool bind)
{
	const int linger = 0, wait_ms = 10000;
	struct peer peer = {.ctx = zmq_ctx_new()};

	peer.socket = zmq_socket(peer.ctx, type);
	zmq_setsockopt(peer.socket, ZMQ_LINGER, &linger, sizeof(linger));
	zmq_setsockopt(peer.socket, ZMQ_RCVTIMEO, &wait_ms, sizeof(wait_ms));
	zmq_setsockopt(peer.socket, ZMQ_SNDTIMEO, &wait_ms, sizeof(wait_ms));
	if (type == ZMQ_SUB)
		zmq_setsockopt(peer.socket, ZMQ_SUBSCRIBE, "", 0);
	assert_int_equal(
	    bind ? zmq_bind(peer.socket, address) : zmq_connect(peer.socket, address), 0);
	return peer;
}

static void peer_close(struct peer *peer)
{
	zmq_close(peer->socket);
	zmq_ctx_term(peer->ctx);
	if (!strncmp(address, "ipc://", 6))
		unlink(address + 6);
}

static float item_at(uint32_t i)
{
	return (float)i;
}

static void floats_make(float *items, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		items[i] = item_at(first + i);
}

/* ---- sources --------------------------------------------------------------------------------- */

static void source_open(struct mock *m, const char *pattern, bool bind, bool tagged)
{
	mock_open(m, "zmq_source");
	mock_set(m, "address", address);
	mock_set(m, "pattern", pattern);
	mock_set(m, "bind", bind ? "true" : "false");
	mock_set(m, "tagged", tagged ? "true" : "false");
	mock_set(m, "type", "f32");
	mock_set(m, "length", "100");
}

/* Like mock_work, asked again as long as the answer is "later"; what the last call returned. The
 * record keeps what came. */
static int work_again(struct mock *m, uint64_t index)
{
	int rc = ALOE_IO_LATER;

	for (int n = 0; rc == ALOE_IO_LATER && n < GUARD; n++) {
		rc = mock_work(m, index);
		if (rc == ALOE_IO_LATER)
			nap();
	}
	return rc;
}

static void messages_are(struct mock *m, uint32_t first, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		assert_int_equal(work_again(m, k), 0);
		assert_int_equal(m->out[0].len, LENGTH);
		for (uint32_t i = 0; i < LENGTH; i++)
			assert_true(
			    ((float *)m->out[0].data)[i] == item_at(first + k * LENGTH + i));
	}
}

/* Pieces of other lengths than the messages, some longer and some shorter; 600 items in all. */
static void pieces_send(const struct peer *peer, const char *key, bool tagged)
{
	static const uint32_t pieces[] = {1, 99, 150, 250, 50, 0, 7, 43};
	uint8_t message[GR_HEAD_BYTES + GR_TAG_BYTES_MAX + 1000];
	uint32_t at = 0;

	for (unsigned p = 0; p < 8; p++) {
		const size_t head =
		    tagged ? gr_head_put(message, at, p == 3 ? "rx_rate" : NULL, 2000000) : 0;

		for (uint32_t i = 0; i < pieces[p]; i++) {
			const float item = item_at(at + i);
			memcpy(message + head + 4 * i, &item, 4);
		}
		at += pieces[p];
		if (key)
			assert_true(zmq_send(peer->socket, key, strlen(key), ZMQ_SNDMORE) >= 0);
		assert_true(zmq_send(peer->socket, message, head + 4 * pieces[p], 0) >= 0);
	}
	assert_int_equal(at, 600);
}

static void pull_case(bool bind, bool tagged)
{
	struct peer peer;
	struct mock m;

	address_new();
	if (!bind)
		peer = peer_open(ZMQ_PUSH, true);
	source_open(&m, "pull", bind, tagged);
	if (mock_start(&m) < 0)
		fail_msg("%s", m.setup.error);
	if (bind)
		peer = peer_open(ZMQ_PUSH, false);
	assert_int_equal(mock_fill(&m, 0), ALOE_IO_LATER);
	pieces_send(&peer, NULL, tagged);
	messages_are(&m, 0, 6);
	assert_true(mock_var(&m, "messages") == 8);
	assert_true(mock_var(&m, "refused") == 0);
	assert_true(mock_var(&m, "tags") == (tagged ? 1 : 0));
	assert_true(mock_var(&m, "rx_rate") == (tagged ? 2e6 : 0));
	assert_int_equal(mock_fill(&m, 6), ALOE_IO_LATER);
	mock_close(&m);
	peer_close(&peer);
}

static void pull_reads_pieces_of_any_length(void **state)
{
	(void)state;
	pull_case(false, false);
	pull_case(true, false);
	pull_case(false, true);
}

/* A subscriber that comes late loses the beginning: the peer sends until it is heard. */
static void sub_takes_its_key_only(void **state)
{
	struct peer peer;
	struct mock m;
	int rc = ALOE_IO_LATER;

	(void)state;
	address_new();
	peer = peer_open(ZMQ_PUB, true);
	source_open(&m, "sub", false, false);
	mock_set(&m, "key", "mine");
	assert_int_equal(mock_start(&m), 0);
	for (int n = 0; rc == ALOE_IO_LATER && n < GUARD; n++) {
		float items[LENGTH];

		floats_make(items, 0, LENGTH);
		zmq_send(peer.socket, "other", 5, ZMQ_SNDMORE);
		zmq_send(peer.socket, "wrong bytes", 11, 0);
		zmq_send(peer.socket, "mine", 4, ZMQ_SNDMORE);
		zmq_send(peer.socket, items, sizeof(items), 0);
		nap();
		rc = mock_work(&m, 0);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(m.out[0].len, LENGTH);
	assert_true(((float *)m.out[0].data)[7] == 7);
	assert_true(mock_var(&m, "refused") == 0);
	mock_close(&m);
	peer_close(&peer);
}

/* Lengths that are no multiple of an item, frames too many, headers that are none. */
static void what_was_not_agreed_is_refused(void **state)
{
	struct peer peer;
	struct mock m;

	(void)state;
	for (unsigned tagged = 0; tagged < 2; tagged++) {
		address_new();
		peer = peer_open(ZMQ_PUSH, true);
		source_open(&m, "pull", false, tagged);
		assert_int_equal(mock_start(&m), 0);
		zmq_send(peer.socket, "123456789", 9, 0);
		zmq_send(peer.socket, "key", 3, ZMQ_SNDMORE);
		zmq_send(peer.socket, "1234", 4, 0);
		if (tagged)
			zmq_send(peer.socket, "\xf0\x5f\x01 and no more", 15, 0);
		pieces_send(&peer, NULL, tagged);
		messages_are(&m, 0, 6);
		assert_true(mock_var(&m, "refused") == 2 + tagged);
		mock_close(&m);
		peer_close(&peer);
	}
}

static void offsets_tell_what_was_lost(void **state)
{
	uint8_t message[GR_HEAD_BYTES + 4 * LENGTH] = {0};
	struct peer peer;
	struct mock m;

	(void)state;
	address_new();
	peer = peer_open(ZMQ_PUSH, true);
	source_open(&m, "pull", false, true);
	assert_int_equal(mock_start(&m), 0);
	for (unsigned k = 0; k < 3; k++) {
		gr_head_put(message, 5000 + 130 * k, NULL, 0);
		zmq_send(peer.socket, message, sizeof(message), 0);
	}
	for (unsigned k = 0; k < 3; k++)
		assert_int_equal(work_again(&m, k), 0);
	assert_true(mock_var(&m, "lost") == 60);
	mock_close(&m);
	peer_close(&peer);
}

static void idle_ends_the_run(void **state)
{
	struct peer peer;
	struct mock m;

	(void)state;
	address_new();
	peer = peer_open(ZMQ_PUSH, true);
	source_open(&m, "pull", false, false);
	mock_set(&m, "idle_ms", "300");
	assert_int_equal(mock_start(&m), 0);
	zmq_send(peer.socket, "12345678", 8, 0);
	assert_int_equal(work_again(&m, 0), 0);
	assert_int_equal(m.out[0].len, 2); /* the last one is short */
	assert_int_equal(work_again(&m, 1), ALOE_FILL_END);
	mock_close(&m);
	peer_close(&peer);
}

/* The peer answers at most what was asked for; `byte`: of srsRAN. */
static uint32_t request_answer(const struct peer *peer, uint32_t at, bool byte)
{
	uint8_t request[8];
	float items[64];
	uint32_t n = 64;
	const int len = zmq_recv(peer->socket, request, sizeof(request), 0);

	assert_int_equal(len, byte ? 1 : 4);
	if (!byte && request[1] + request[2] + request[3] == 0 && request[0] < n)
		n = request[0];
	floats_make(items, at, n);
	assert_int_equal(zmq_send(peer->socket, items, n * 4, 0), n * 4);
	return at + n;
}

/* It is asked again when it was started again, in the middle of an answer. */
static void req_asks_and_asks_again(void **state)
{
	struct peer peer;
	struct mock m;
	uint32_t at = 0;
	uint8_t request[8];
	int rc = ALOE_IO_LATER;

	(void)state;
	address_new();
	peer = peer_open(ZMQ_REP, true);
	source_open(&m, "req", false, false);
	assert_int_equal(mock_start(&m), 0);
	for (int n = 0; rc == ALOE_IO_LATER && n < GUARD; n++) {
		rc = mock_fill(&m, 0);
		nap();
		if (rc == ALOE_IO_LATER && at < 100) {
			struct zmq_pollitem_t item = {peer.socket, 0, ZMQ_POLLIN, 0};
			if (zmq_poll(&item, 1, 10) == 1)
				at = request_answer(&peer, at, false);
		}
	}
	assert_int_equal(rc, 0);
	assert_in_range(at, 100, 164); /* 64 and then 36; one answer more if it was asked twice */
	assert_int_equal(mock_fill(&m, 1), ALOE_IO_LATER);
	assert_int_equal(zmq_recv(peer.socket, request, sizeof(request), 0), 4); /* and dies */
	peer_close(&peer);
	peer = peer_open(ZMQ_REP, true);
	rc = ALOE_IO_LATER;
	for (int n = 0; rc == ALOE_IO_LATER && n < GUARD; n++) {
		struct zmq_pollitem_t item = {peer.socket, 0, ZMQ_POLLIN, 0};
		rc = mock_fill(&m, 1);
		if (rc == ALOE_IO_LATER && zmq_poll(&item, 1, 5) == 1)
			at = request_answer(&peer, at, false);
	}
	assert_int_equal(rc, 0);
	assert_true(((float *)m.record.data)[99] == 199);
	mock_close(&m);
	peer_close(&peer);
}

/* ---- sinks ----------------------------------------------------------------------------------- */

static void sink_open(struct mock *m, const char *pattern, bool bind, bool tagged)
{
	mock_open(m, "zmq_sink");
	mock_set(m, "address", address);
	mock_set(m, "pattern", pattern);
	mock_set(m, "bind", bind ? "true" : "false");
	mock_set(m, "tagged", tagged ? "true" : "false");
	mock_set(m, "queue", "4");
	mock_input(m, 0, ALOE_F32, LENGTH);
}

static int sink_put(struct mock *m, uint32_t first)
{
	float items[LENGTH];
	int rc;

	floats_make(items, first, LENGTH);
	mock_give(m, 0, items, LENGTH);
	rc = mock_work(m, first / LENGTH);
	for (int n = 0; rc == ALOE_IO_LATER && n < 100; n++) {
		nap();
		rc = m->component->drain(m->state, &m->record, &m->setup);
	}
	return rc;
}

static void floats_are(const struct peer *peer, uint32_t first, uint32_t n, size_t head)
{
	uint8_t bytes[200 + 4 * LENGTH];
	const int len = zmq_recv(peer->socket, bytes, sizeof(bytes), 0);

	assert_int_equal(len, head + 4 * n);
	for (uint32_t i = 0; i < n; i++) {
		float item;
		memcpy(&item, bytes + head + 4 * i, 4);
		assert_true(item == item_at(first + i));
	}
}

static void push_sends_every_item(void **state)
{
	struct peer peer;
	struct mock m;

	(void)state;
	for (unsigned bind = 0; bind < 2; bind++) {
		address_new();
		if (!bind)
			peer = peer_open(ZMQ_PULL, true);
		sink_open(&m, "push", bind, false);
		assert_int_equal(mock_start(&m), 0);
		if (bind)
			peer = peer_open(ZMQ_PULL, false);
		for (uint32_t k = 0; k < 50; k++) {
			int rc = ALOE_IO_LATER;
			for (int n = 0; rc == ALOE_IO_LATER && n < 100; n++)
				rc = sink_put(&m, LENGTH * k);
			assert_int_equal(rc, 0);
			floats_are(&peer, LENGTH * k, LENGTH, 0);
		}
		assert_true(mock_var(&m, "dropped") == 0);
		mock_close(&m);
		peer_close(&peer);
	}
}

/* Nobody takes: it waits, or drops and counts, and never holds more than its queue. */
static void what_nobody_takes(void **state)
{
	struct mock m;

	(void)state;
	address_new();
	sink_open(&m, "push", true, false);
	assert_int_equal(mock_start(&m), 0);
	assert_int_equal(sink_put(&m, 0), ALOE_IO_LATER);
	m.component->close(m.state, &m.setup);
	assert_true(mock_var(&m, "dropped") == 1);
	assert_non_null(strstr(m.setup.note, "nobody took"));
	mock_close(&m);
	address_new();
	sink_open(&m, "push", true, false);
	mock_set(&m, "full", "drop");
	assert_int_equal(mock_start(&m), 0);
	for (uint32_t k = 0; k < 10; k++)
		assert_int_equal(sink_put(&m, LENGTH * k), 0);
	m.component->close(m.state, &m.setup);
	assert_true(mock_var(&m, "dropped") == 10);
	assert_true(mock_var(&m, "items") == 0);
	mock_close(&m);
}

static void gap_see(void *arg, const struct gr_tag *tag)
{
	double *lost = arg;

	assert_int_equal(tag->key_len, strlen("aloe_lost"));
	assert_memory_equal(tag->key, "aloe_lost", tag->key_len);
	assert_true(gr_number(tag->value, tag->value_len, lost));
}

static void a_gap_is_in_the_header(void **state)
{
	uint8_t bytes[200 + 4 * LENGTH];
	struct gr_head head;
	struct peer peer;
	struct mock m;
	double lost = 0;
	int len, rc = ALOE_IO_LATER;

	(void)state;
	address_new();
	peer = peer_open(ZMQ_PULL, true);
	sink_open(&m, "push", false, true);
	assert_int_equal(mock_start(&m), 0);
	mock_give_state(&m, 0, ALOE_ABSENT); /* the pipeline fills: no gap */
	assert_int_equal(mock_work(&m, 0), 0);
	for (int n = 0; rc == ALOE_IO_LATER && n < 100; n++)
		rc = sink_put(&m, 0);
	assert_int_equal(rc, 0);
	floats_are(&peer, 0, LENGTH, GR_HEAD_BYTES);
	for (unsigned k = 0; k < 2; k++) {
		mock_give_state(&m, 0, ALOE_ABSENT);
		assert_int_equal(mock_work(&m, k), 0);
	}
	assert_int_equal(sink_put(&m, 300), 0);
	len = zmq_recv(peer.socket, bytes, sizeof(bytes), 0);
	assert_int_equal(gr_head_get(bytes, (size_t)len, gap_see, &lost, &head), 0);
	assert_int_equal(head.offset, 300);
	assert_int_equal(head.n_tags, 1);
	assert_true(lost == 200);
	assert_int_equal((size_t)len - head.bytes, 4 * LENGTH);
	assert_true(mock_var(&m, "absent") == 2);
	mock_close(&m);
	peer_close(&peer);
}

/* ---- requests ---------------------------------------------------------------------------- */

static void rep_gives_what_is_asked_for(void **state)
{
	struct peer peer;
	struct mock m;

	(void)state;
	address_new();
	sink_open(&m, "rep", true, false);
	assert_int_equal(mock_start(&m), 0);
	peer = peer_open(ZMQ_REQ, false);
	zmq_send(peer.socket, "what?", 5, 0);
	assert_int_equal(sink_put(&m, 0), ALOE_IO_LATER); /* no request: answered by nothing */
	floats_are(&peer, 0, 0, 0);
	zmq_send(peer.socket, "\x1e\0\0\0", 4, 0);
	for (int n = 0; n < 100; n++) {
		assert_int_equal(m.component->drain(m.state, &m.record, &m.setup), ALOE_IO_LATER);
		nap();
	}
	floats_are(&peer, 0, 30, 0);
	zmq_send(peer.socket, "\0\0\x01\0", 4, 0);
	for (int n = 0; m.component->drain(m.state, &m.record, &m.setup) && n < GUARD; n++)
		nap();
	floats_are(&peer, 30, 70, 0);
	m.component->close(m.state, &m.setup);
	assert_true(mock_var(&m, "requests") == 2);
	assert_true(mock_var(&m, "dropped") == 0);
	mock_close(&m);
	peer_close(&peer);
}

static void srsran_both_ways(void **state)
{
	struct peer peer;
	struct mock m;
	cf32 items[LENGTH];
	uint32_t at = 0;
	int rc = ALOE_IO_LATER;

	(void)state;
	address_new();
	peer = peer_open(ZMQ_REP, true);
	mock_open(&m, "srsran_source");
	mock_set(&m, "address", address);
	mock_set(&m, "length", "100");
	assert_int_equal(mock_start(&m), 0);
	for (int n = 0; rc == ALOE_IO_LATER && n < GUARD; n++) {
		struct zmq_pollitem_t item = {peer.socket, 0, ZMQ_POLLIN, 0};
		rc = mock_work(&m, 0);
		if (rc == ALOE_IO_LATER && zmq_poll(&item, 1, 5) == 1)
			at = request_answer(&peer, at, true); /* 32 samples */
	}
	assert_int_equal(rc, 0);
	assert_int_equal(at, 256);
	assert_int_equal(m.out[0].len, LENGTH);
	assert_true(crealf(((cf32 *)m.out[0].data)[99]) == 198);
	mock_close(&m);
	peer_close(&peer);

	address_new();
	mock_open(&m, "srsran_sink");
	mock_set(&m, "address", address);
	mock_input(&m, 0, ALOE_CF32, LENGTH);
	assert_int_equal(mock_start(&m), 0);
	peer = peer_open(ZMQ_REQ, false);
	for (uint32_t k = 0; k < 3; k++) {
		floats_make((float *)(void *)items, 0, 2 * LENGTH);
		if (k == 1)
			mock_give_state(&m, 0, ALOE_ABSENT);
		else
			mock_give(&m, 0, items, LENGTH);
		zmq_send(peer.socket, "\xff", 1, 0);
		rc = mock_work(&m, k);
		for (int n = 0; rc == ALOE_IO_LATER && n < GUARD; n++) {
			nap();
			rc = m.component->drain(m.state, &m.record, &m.setup);
		}
		assert_int_equal(rc, 0);
		assert_int_equal(zmq_recv(peer.socket, items, sizeof(items), 0), sizeof(items));
		assert_true(cimagf(items[50]) == (k == 1 ? 0 : 101));
	}
	assert_true(mock_var(&m, "silent") == 1);
	mock_close(&m);
	peer_close(&peer);
}

static void addresses_are_checked(void **state)
{
	static const char *const bad[] = {"5555", "tcp://127.0.0.1", "tcp://:5", "tcp://x:0",
	    "tcp://x:70000", "tcp://x:5a", "udp://x:5", "ipc://"};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mock m;

		snprintf(address, sizeof(address), "%s", bad[i]);
		source_open(&m, "pull", false, false);
		assert_int_equal(mock_start(&m), -1);
		assert_non_null(strstr(m.setup.error, "address = "));
		mock_close(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pull_reads_pieces_of_any_length),
	    cmocka_unit_test(sub_takes_its_key_only),
	    cmocka_unit_test(what_was_not_agreed_is_refused),
	    cmocka_unit_test(offsets_tell_what_was_lost),
	    cmocka_unit_test(idle_ends_the_run),
	    cmocka_unit_test(req_asks_and_asks_again),
	    cmocka_unit_test(push_sends_every_item),
	    cmocka_unit_test(what_nobody_takes),
	    cmocka_unit_test(a_gap_is_in_the_header),
	    cmocka_unit_test(rep_gives_what_is_asked_for),
	    cmocka_unit_test(srsran_both_ways),
	    cmocka_unit_test(addresses_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
