/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_curve.c - whom libzmq lets in, by what a socket's options are and whether a ZAP
 * handler is there: several of these rows let a stranger in, and core/bus/guard.c has the one that
 * never does. Then the handler itself, asked what nobody should ask. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/bus/guard.h"
#include "tests/common/nodes.h"

enum { ENFORCE = 93, WAIT_MS = 10000, QUIET_MS = 100 };
enum handler { NONE, DIED, RUNNING };

struct rig {
	struct nodes nodes;
	struct bus_counts counts;
	struct guard guard;
	void *ctx, *server, *monitor, *client;
};

static int rig_open(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	nodes_open(&rig->nodes);
	*state = rig;
	return 0;
}

static int rig_close(void **state)
{
	struct rig *rig = *state;

	nodes_close(&rig->nodes);
	free(rig);
	return 0;
}

static void number_set(void *socket, int option, int value)
{
	assert_int_equal(zmq_setsockopt(socket, option, &value, sizeof(value)), 0);
}

static void sockets_open(struct rig *rig)
{
	rig->ctx = zmq_ctx_new();
	rig->server = zmq_socket(rig->ctx, ZMQ_ROUTER);
	rig->client = zmq_socket(rig->ctx, ZMQ_DEALER);
	number_set(rig->client, ZMQ_LINGER, 0);
	assert_int_equal(
	    zmq_socket_monitor(rig->server, "inproc://m", ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL), 0);
	rig->monitor = zmq_socket(rig->ctx, ZMQ_PAIR);
	assert_int_equal(zmq_connect(rig->monitor, "inproc://m"), 0);
	rig->counts = (struct bus_counts){.bad = 0};
	rig->guard = (struct guard){.zap = NULL};
}

static void sockets_close(struct rig *rig)
{
	zmq_close(rig->client);
	zmq_close(rig->server);
	zmq_close(rig->monitor);
	guard_close(&rig->guard);
	zmq_ctx_term(rig->ctx);
}

static void handler_open(struct rig *rig, enum handler handler)
{
	if (handler == NONE)
		return;
	assert_int_equal(
	    guard_open(&rig->guard, rig->ctx, rig->nodes.folder[NODE_A], &rig->counts), 0);
	if (handler == DIED)
		guard_close(&rig->guard);
}

static void connect_to_server(struct rig *rig)
{
	char endpoint[64];
	size_t size = sizeof(endpoint);

	assert_int_equal(zmq_bind(rig->server, "tcp://127.0.0.1:0"), 0);
	zmq_getsockopt(rig->server, ZMQ_LAST_ENDPOINT, endpoint, &size);
	assert_int_equal(zmq_connect(rig->client, endpoint), 0);
	assert_int_equal(zmq_send(rig->client, "x", 1, 0), 1);
}

/* Whether what the client sends arrives; if it was refused, not after some more time either. */
static bool let_in(struct rig *rig)
{
	const uint64_t until_ns = clock_ns() + WAIT_MS * 1000000ull;
	uint64_t refused_ns = 0;
	char bytes[256];

	while (clock_ns() < until_ns) {
		if (rig->guard.zap)
			guard_serve(&rig->guard);
		if (zmq_recv(rig->server, bytes, sizeof(bytes), ZMQ_DONTWAIT) >= 0)
			return true;
		if (!refused_ns &&
		    (rig->counts.strangers ||
		        zmq_recv(rig->monitor, bytes, sizeof(bytes), ZMQ_DONTWAIT) >= 0))
			refused_ns = clock_ns();
		if (refused_ns && clock_ns() - refused_ns > QUIET_MS * 1000000ull)
			return false;
		poll(NULL, 0, 1);
	}
	fail_msg("neither refused nor let in");
	return false;
}

struct row {
	bool curve;
	enum handler handler;
	const char *domain;
	int enforce;
	bool in, asked; /* the stranger; the handler */
};

static void row_check(struct rig *rig, const struct row *row)
{
	const struct keys_own *own = rig->nodes.own;

	sockets_open(rig);
	handler_open(rig, row->handler);
	if (row->curve) {
		number_set(rig->server, ZMQ_CURVE_SERVER, 1);
		zmq_setsockopt(rig->server, ZMQ_CURVE_SECRETKEY, own[NODE_A].secret, 40);
		assert_int_equal(guard_client(rig->client, &own[NODE_C], own[NODE_A].key), 0);
	}
	if (row->domain)
		zmq_setsockopt(rig->server, ZMQ_ZAP_DOMAIN, row->domain, strlen(row->domain));
	number_set(rig->server, ENFORCE, row->enforce);
	connect_to_server(rig);
	assert_int_equal(let_in(rig), row->in);
	assert_int_equal(rig->counts.strangers > 0, row->asked);
	sockets_close(rig);
}

/* A version of libzmq that does otherwise should be looked at before it is used. */
static void test_rows(void **state)
{
	static const struct row rows[] = {
	    {true, NONE, NULL, 0, true, false},
	    {true, NONE, "aloe", 0, true, false},
	    {true, DIED, "aloe", 0, true, false},
	    {true, NONE, "aloe", 1, false, false},
	    {true, DIED, "aloe", 1, false, false},
	    {true, RUNNING, "aloe", 0, false, true},
	    {true, RUNNING, NULL, 0, false, true},
	    {true, RUNNING, NULL, 1, true, false},
	    {true, RUNNING, "aloe", 1, false, true},
	    {false, RUNNING, NULL, 0, true, false},
	    {false, RUNNING, "aloe", 0, false, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("row %zu\n", i);
		row_check(*state, &rows[i]);
	}
}

/* The guard's own options, with its handler running, never opened, and dead. */
static void test_guarded(void **state)
{
	struct rig *rig = *state;
	const struct keys_own *own = rig->nodes.own;

	for (int handler = NONE; handler <= RUNNING; handler++)
		for (int who = NODE_B; who <= NODE_C; who++) {
			print_message("handler %d, node %d\n", handler, who);
			sockets_open(rig);
			handler_open(rig, (enum handler)handler);
			assert_int_equal(guard_server(rig->server, &own[NODE_A]), 0);
			assert_int_equal(guard_client(rig->client, &own[who], own[NODE_A].key), 0);
			connect_to_server(rig);
			assert_int_equal(let_in(rig), handler == RUNNING && who == NODE_B);
			sockets_close(rig);
		}
}

/* ---- the handler ---- */

enum { REQUEST_PARTS = 9 };

struct request {
	const char *parts[REQUEST_PARTS];
	size_t len[REQUEST_PARTS];
	int n;
};

static struct request request_of(const struct rig *rig, int who, uint8_t key[32])
{
	zmq_z85_decode(key, rig->nodes.own[who].key);
	return (struct request){
	    .parts = {"1.0", "17", "aloe", "127.0.0.1", "", "CURVE", (const char *)key, "", ""},
	    .len = {3, 2, 4, 9, 0, 5, 32, 0, 0},
	    .n = 7};
}

/* The status of the answer, and who it says that is. */
static int ask(struct rig *rig, const struct request *request, char user[64])
{
	void *asker = zmq_socket(rig->ctx, ZMQ_REQ);
	char parts[6][256] = {""};
	int len[6], more = 0;
	size_t size = sizeof(more);

	number_set(asker, ZMQ_LINGER, 0);
	number_set(asker, ZMQ_RCVTIMEO, WAIT_MS);
	assert_int_equal(zmq_connect(asker, "inproc://zeromq.zap.01"), 0);
	for (int i = 0; i < request->n; i++)
		zmq_send(asker, request->parts[i], request->len[i],
		    i + 1 < request->n ? ZMQ_SNDMORE : 0);
	guard_serve(&rig->guard);
	for (int i = 0; i < 6; i++) {
		len[i] = zmq_recv(asker, parts[i], sizeof(parts[i]) - 1, 0);
		assert_true(len[i] >= 0);
		zmq_getsockopt(asker, ZMQ_RCVMORE, &more, &size);
		assert_int_equal(more, i < 5); /* six parts, no more, no fewer */
	}
	assert_string_equal(parts[0], "1.0");
	assert_memory_equal(parts[1], request->parts[1], request->n > 1 ? request->len[1] : 0);
	snprintf(user, 64, "%.63s", parts[4]);
	zmq_close(asker);
	return atoi(parts[2]);
}

static void test_handler(void **state)
{
	struct rig *rig = *state;
	static const struct {
		int part;
		const char *text;
	} wrong[] = {{0, "2.0"}, {2, ""}, {2, "aloe2"}, {5, "NULL"}, {5, "PLAIN"}, {6, "short"}};
	struct request request;
	char user[64], longer[400];
	uint8_t key[32];

	sockets_open(rig);
	handler_open(rig, RUNNING);
	request = request_of(rig, NODE_B, key);
	assert_int_equal(ask(rig, &request, user), 200);
	assert_string_equal(user, "b");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		request = request_of(rig, NODE_B, key);
		request.parts[wrong[i].part] = wrong[i].text;
		request.len[wrong[i].part] = strlen(wrong[i].text);
		assert_int_equal(ask(rig, &request, user), 400);
		assert_string_equal(user, "");
	}
	for (int n = 1; n <= REQUEST_PARTS; n++) { /* parts too few, too many */
		request = request_of(rig, NODE_B, key);
		request.n = n;
		assert_int_equal(ask(rig, &request, user), n == 7 ? 200 : 400);
	}
	memset(longer, 'x', sizeof(longer));
	for (int part = 0; part < 7; part++) {
		request = request_of(rig, NODE_B, key);
		if (part == 1)
			continue; /* it comes back, and is libzmq's own */
		request.parts[part] = longer;
		request.len[part] = sizeof(longer);
		assert_int_equal(ask(rig, &request, user), 400);
	}
	request = request_of(rig, NODE_C, key);
	assert_int_equal(ask(rig, &request, user), 400);
	assert_int_equal(rig->counts.strangers, 6 + 8 + 6 + 1);
	sockets_close(rig);
}

/* A second handler in the context is refused, and said so. */
static void test_handler_twice(void **state)
{
	struct rig *rig = *state;
	struct guard second;

	sockets_open(rig);
	handler_open(rig, RUNNING);
	assert_int_equal(
	    guard_open(&second, rig->ctx, rig->nodes.folder[NODE_A], &rig->counts), -EADDRINUSE);
	sockets_close(rig);
}

#define WITH_RIG(test) cmocka_unit_test_setup_teardown(test, rig_open, rig_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_RIG(test_rows),
	    WITH_RIG(test_guarded),
	    WITH_RIG(test_handler),
	    WITH_RIG(test_handler_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
