/* SPDX-License-Identifier: BSD-3-Clause
 *
 * srsran-channel.conf between two ends made here of libzmq, which speak the protocol of srsRAN's
 * ZeroMQ radio: requests of one byte, answers of cf32, each end four subframes ahead of what it has
 * received, as a base station and a UE are. Both directions, sample by sample. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { SUBFRAME = 11520, SUBFRAMES = 100, AHEAD = 4 };

struct end {
	char tx[160], rx[160];
	float sign;      /* what distinguishes the directions */
	uint64_t taken;  /* samples received */
	uint64_t wrong;  /* of these */
	int asked_wrong; /* requests that are not of one byte */
	pthread_t thread;
};

static float value_at(uint64_t number, float sign)
{
	return sign * (float)(number % 1009) / 1009.0f;
}

static void subframe_send(void *socket, uint64_t k, float sign)
{
	static _Thread_local float iq[2 * SUBFRAME];

	for (uint64_t i = 0; i < SUBFRAME; i++) {
		iq[2 * i] = value_at(k * SUBFRAME + i, sign);
		iq[2 * i + 1] = -iq[2 * i];
	}
	zmq_send(socket, iq, sizeof(iq), 0);
}

/* The other end's samples, through one tap of 1. */
static void samples_check(struct end *end, const float *iq, size_t samples)
{
	for (size_t i = 0; i < samples; i++, end->taken++) {
		const float expected = value_at(end->taken, -end->sign);

		end->wrong += !(
		    fabsf(iq[2 * i] - expected) < 1e-5f && fabsf(iq[2 * i + 1] + expected) < 1e-5f);
	}
}

static void *end_run(void *arg)
{
	static _Thread_local float iq[4 * SUBFRAME];
	struct end *end = arg;
	void *ctx = zmq_ctx_new(), *tx = zmq_socket(ctx, ZMQ_REP), *rx = zmq_socket(ctx, ZMQ_REQ);
	const int linger = 0;
	uint64_t sent = 0;

	zmq_setsockopt(tx, ZMQ_LINGER, &linger, sizeof(linger));
	zmq_setsockopt(rx, ZMQ_LINGER, &linger, sizeof(linger));
	zmq_bind(tx, end->tx);
	zmq_connect(rx, end->rx);
	zmq_send(rx, "\xff", 1, 0);
	while (end->taken < (uint64_t)SUBFRAMES * SUBFRAME) {
		const bool may_send = sent < end->taken / SUBFRAME + AHEAD;
		zmq_pollitem_t items[2] = {{rx, 0, ZMQ_POLLIN, 0}, {tx, 0, ZMQ_POLLIN, 0}};
		char request[8];

		if (zmq_poll(items, may_send ? 2 : 1, 30000) <= 0)
			break;
		if (items[0].revents) {
			const int len = zmq_recv(rx, iq, sizeof(iq), 0);
			samples_check(end, iq, len > 0 ? (size_t)len / 8 : 0);
			zmq_send(rx, "\xff", 1, 0);
		}
		if (may_send && items[1].revents) {
			end->asked_wrong += zmq_recv(tx, request, sizeof(request), 0) != 1;
			subframe_send(tx, sent++, end->sign);
		}
	}
	zmq_close(tx);
	zmq_close(rx);
	zmq_ctx_term(ctx);
	return NULL;
}

static void test_both_directions(void **state)
{
	struct end enb = {.sign = 1}, ue = {.sign = -1};
	struct ran *ran;

	(void)state;
	snprintf(enb.tx, sizeof(enb.tx), "ipc://%s", aloe_path("enb-tx"));
	snprintf(enb.rx, sizeof(enb.rx), "ipc://%s", aloe_path("enb-rx"));
	snprintf(ue.tx, sizeof(ue.tx), "ipc://%s", aloe_path("ue-tx"));
	snprintf(ue.rx, sizeof(ue.rx), "ipc://%s", aloe_path("ue-rx"));
	assert_int_equal(pthread_create(&enb.thread, NULL, end_run, &enb), 0);
	assert_int_equal(pthread_create(&ue.thread, NULL, end_run, &ue), 0);
	ran =
	    aloe_ok("run waveforms/srsran-channel.conf --clock virtual --slots %d --json -q --set "
	            "enb_tx.address='%s' --set enb_rx.address='%s' --set ue_tx.address='%s' --set "
	            "ue_rx.address='%s'",
	        SUBFRAMES, enb.tx, enb.rx, ue.tx, ue.rx);
	pthread_join(enb.thread, NULL);
	pthread_join(ue.thread, NULL);
	assert_int_equal(enb.taken, (uint64_t)SUBFRAMES * SUBFRAME);
	assert_int_equal(ue.taken, (uint64_t)SUBFRAMES * SUBFRAME);
	assert_int_equal(enb.wrong + ue.wrong, 0);
	assert_int_equal(enb.asked_wrong + ue.asked_wrong, 0);
	assert_true(ran_variable(ran, "ue_rx.requests") == SUBFRAMES);
	assert_true(ran_variable(ran, "enb_rx.requests") == SUBFRAMES);
	assert_true(ran_variable(ran, "ue_rx.dropped") == 0);
	assert_true(ran_variable(ran, "enb_tx.refused") == 0);
	ran_free(ran);
	unlink(enb.tx + 6);
	unlink(ue.tx + 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_both_directions),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
