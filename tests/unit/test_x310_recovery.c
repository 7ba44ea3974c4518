/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What one Tx packet that goes wrong costs, in simulated time: round trips and packets as `aloe
 * bench x310-recovery` tells them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/bench/x310_world.h"

enum {
	SAMPLES = 256,
	DIVIDE = 2,
	PACKET = SAMPLES * DIVIDE,
	WIRE = 400,
	ADVANCE = 4000,
	FLUSH = 17476
};

static struct x310_outcome try_with(const struct x310_trial *trial)
{
	struct x310_outcome outcome;

	assert_int_equal(x310_trial_run(trial, &outcome), 0);
	return outcome;
}

static struct x310_outcome try_one(
    enum x310_fault fault, enum tx_policy policy, bool stop, bool zeros)
{
	const struct x310_trial trial = {.fault = fault,
	    .policy = policy,
	    .stop_on_seqerr = stop,
	    .zeros = zeros,
	    .samples = SAMPLES,
	    .divide = DIVIDE,
	    .wire_ticks = WIRE,
	    .advance_ticks = ADVANCE};

	return try_with(&trial);
}

static void without_a_cure_the_time_slips_for_ever(void **state)
{
	struct x310_outcome outcome = try_one(X310_LOST, TX_GO_ON, false, false);

	(void)state;
	assert_int_equal(outcome.slip, SAMPLES);
	assert_int_equal(outcome.restored_ticks, UINT64_MAX);
	assert_int_equal(
	    outcome.silent + outcome.discarded + outcome.left_out + outcome.round_trips, 0);
	outcome = try_one(X310_TWICE, TX_GO_ON, false, false);
	assert_int_equal(outcome.slip, -SAMPLES);
	outcome = try_one(X310_SWAPPED, TX_GO_ON, false, false);
	assert_int_equal(outcome.slip, 0);
	assert_int_equal(outcome.reports, 3);
	assert_int_equal(outcome.misplaced, 2 * SAMPLES);
}

/* The burst is ended: what follows is in its place again. Nothing is flushed; what was misplaced is
 * what was on its way and in the device's buffer, and one packet is silent, or, where there was one
 * too many, is dropped for being late. */
static void realigned_in_one_round_trip(void **state)
{
	struct x310_outcome outcome = try_one(X310_LOST, TX_REALIGN, false, false);

	(void)state;
	assert_int_equal(outcome.round_trips, 1);
	assert_int_equal(outcome.silent, SAMPLES);
	assert_int_equal(
	    outcome.discarded + outcome.left_out + outcome.inits + (uint64_t)outcome.slip, 0);
	assert_in_range(outcome.misplaced, SAMPLES, ADVANCE / DIVIDE + 2 * WIRE / DIVIDE + SAMPLES);
	outcome = try_one(X310_TWICE, TX_REALIGN, false, false);
	assert_int_equal(outcome.round_trips, 1);
	assert_int_equal(outcome.discarded, 1);
	assert_int_equal(
	    outcome.silent + outcome.left_out + outcome.inits + (uint64_t)outcome.slip, 0);
	outcome = try_one(X310_SWAPPED, TX_REALIGN, false, false);
	assert_int_equal(outcome.misplaced, 2 * SAMPLES);
	assert_int_equal(outcome.restored_ticks, 2 * PACKET);
	assert_int_equal(outcome.discarded + (uint64_t)outcome.slip, 0);
}

/* Packets that the device discards: those on their way when it stopped, and as many as come before
 * INIT does; that the host leaves out: what falls into the flushes. */
static void init_once_and_twice(void **state)
{
	const uint64_t on_their_way = ADVANCE / PACKET + 1;

	(void)state;
	for (int fault = 0; fault < X310_FAULTS; fault++)
		for (int stop = 0; stop < 2; stop++) {
			const struct x310_outcome once =
			    try_one((enum x310_fault)fault, TX_REINIT, stop, false);
			const struct x310_outcome twice =
			    try_one((enum x310_fault)fault, TX_REINIT_TWICE, stop, false);

			if (fault == X310_LATE || fault == X310_UNSENT)
				continue;
			assert_int_equal(once.round_trips, 2);
			assert_int_equal(twice.round_trips, 3);
			assert_int_equal(once.inits, 1);
			assert_int_equal(twice.inits, 2);
			assert_int_equal(once.slip + twice.slip, 0);
			assert_int_equal(twice.discarded, once.discarded);
			assert_in_range(once.discarded, stop ? on_their_way - 1 : 0,
			    stop ? on_their_way + 2 : 0);
			assert_in_range(
			    once.left_out, FLUSH / PACKET, (FLUSH + ADVANCE) / PACKET + 2);
			assert_in_range(twice.left_out - once.left_out, (FLUSH + 2 * WIRE) / PACKET,
			    (FLUSH + 2 * WIRE) / PACKET + 1);
			assert_in_range(once.silent, (once.left_out + once.discarded - 1) * SAMPLES,
			    (once.left_out + once.discarded + 1) * SAMPLES);
		}
}

/* The radio drops what comes too late and goes on in time: nobody has to do anything, and nobody
 * does. */
static void late_packets_mend_themselves(void **state)
{
	(void)state;
	for (int policy = TX_GO_ON; policy <= TX_REINIT_TWICE; policy++) {
		const struct x310_outcome outcome =
		    try_one(X310_LATE, (enum tx_policy)policy, false, false);

		assert_int_equal(
		    outcome.reports + outcome.inits + outcome.round_trips + outcome.left_out, 0);
		assert_int_equal(outcome.late, outcome.discarded);
		assert_int_equal(outcome.silent, outcome.late * SAMPLES);
		assert_int_equal(outcome.misplaced, 0);
		assert_in_range(outcome.late, 1, 2);
	}
}

/* What the host leaves out is silent, and nothing else: the burst before it is ended, so the time
 * of what follows counts. */
static void a_packet_that_was_not_sent(void **state)
{
	(void)state;
	for (int policy = TX_GO_ON; policy <= TX_REINIT_TWICE; policy++)
		for (int stop = 0; stop < 2; stop++) {
			const struct x310_outcome outcome =
			    try_one(X310_UNSENT, (enum tx_policy)policy, stop, false);

			assert_int_equal(outcome.silent, SAMPLES);
			assert_int_equal(outcome.restored_ticks, PACKET);
			assert_int_equal(outcome.misplaced + outcome.reports + outcome.underruns +
			        outcome.discarded,
			    0);
			assert_int_equal(outcome.left_out, 1);
		}
}

static void zeros_in_place_cost_one_packet(void **state)
{
	const struct x310_outcome outcome = try_one(X310_LOST, TX_GO_ON, false, true);

	(void)state;
	assert_int_equal(outcome.silent, SAMPLES);
	assert_int_equal(outcome.restored_ticks, PACKET);
	assert_int_equal(
	    outcome.misplaced + outcome.discarded + outcome.left_out + outcome.round_trips, 0);
}

/* A longer wire says how often the recovery goes over it: by the time it takes, and nothing that
 * was counted. Packets are sent earlier by the same, so what is on its way costs one more way. */
static void round_trips_are_times_over_the_wire(void **state)
{
	static const enum tx_policy policies[] = {TX_REALIGN, TX_REINIT, TX_REINIT_TWICE};
	enum { LONGER = 8 * PACKET };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct x310_trial trial = {.fault = X310_LOST,
		    .policy = policies[i],
		    .samples = SAMPLES,
		    .divide = DIVIDE,
		    .wire_ticks = WIRE,
		    .advance_ticks = ADVANCE};
		const struct x310_outcome near = try_with(&trial);
		struct x310_outcome far;

		trial.wire_ticks += LONGER;
		trial.advance_ticks += LONGER;
		far = try_with(&trial);
		assert_int_equal(far.round_trips, near.round_trips);
		assert_in_range(far.restored_ticks - near.restored_ticks,
		    2 * LONGER * near.round_trips - PACKET, 2 * LONGER * near.round_trips + PACKET);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(without_a_cure_the_time_slips_for_ever),
	    cmocka_unit_test(realigned_in_one_round_trip),
	    cmocka_unit_test(init_once_and_twice),
	    cmocka_unit_test(late_packets_mend_themselves),
	    cmocka_unit_test(a_packet_that_was_not_sent),
	    cmocka_unit_test(zeros_in_place_cost_one_packet),
	    cmocka_unit_test(round_trips_are_times_over_the_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
