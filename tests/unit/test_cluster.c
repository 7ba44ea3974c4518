/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is done when a node is lost, and that no node goes on with a load that the manager has given
 * up: for all clocks and losses of words, by counting through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/cluster/loss.h"

#define MS CLUSTER_MS
#define LEASE (1000 * MS)

static const struct cluster_node runs = {CLUSTER_RUNS, 0}, empty = {CLUSTER_EMPTY, 0};

static struct cluster_node silent(uint64_t heard_ns)
{
	return (struct cluster_node){CLUSTER_SILENT, heard_ns};
}

static void decided(enum image_node_loss policy, struct cluster_node a, struct cluster_node b,
    uint64_t now, enum cluster_act act, uint64_t due)
{
	const struct cluster_node nodes[] = {a, b};
	uint64_t at = 1;

	assert_int_equal(cluster_decide(policy, LEASE, nodes, 2, now, &at), act);
	assert_int_equal(at, due);
}

static void test_hold_waits_for_ever(void **state)
{
	(void)state;
	decided(IMAGE_LOSS_HOLD, runs, silent(0), CLUSTER_NEVER, CLUSTER_GO_ON, 0);
	decided(IMAGE_LOSS_HOLD, runs, empty, 5, CLUSTER_GO_ON, 0);
}

static void test_nobody_is_lost(void **state)
{
	(void)state;
	decided(IMAGE_LOSS_STOP, runs, runs, 1, CLUSTER_GO_ON, 0);
	decided(IMAGE_LOSS_RESTART, runs, runs, CLUSTER_NEVER - 1, CLUSTER_GO_ON, 0);
}

static void test_silence_has_a_bound(void **state)
{
	(void)state;
	decided(IMAGE_LOSS_STOP, runs, silent(7), 8, CLUSTER_WAIT, 7 + 3000 * MS);
	decided(IMAGE_LOSS_STOP, runs, silent(7), 6 + 3000 * MS, CLUSTER_WAIT, 7 + 3000 * MS);
	decided(IMAGE_LOSS_STOP, runs, silent(7), 7 + 3000 * MS, CLUSTER_STOP_REST, 0);
	decided(IMAGE_LOSS_RESTART, runs, silent(7), 6 + 1100 * MS, CLUSTER_WAIT, 7 + 1100 * MS);
	decided(IMAGE_LOSS_RESTART, runs, silent(7), 7 + 1100 * MS, CLUSTER_LOAD_ANEW, 0);
	decided(IMAGE_LOSS_RESTART, runs, silent(CLUSTER_NEVER - 1), CLUSTER_NEVER - 1,
	    CLUSTER_GO_ON, 0);
}

static void test_a_node_that_was_started_again(void **state)
{
	(void)state;
	decided(IMAGE_LOSS_STOP, runs, empty, 1, CLUSTER_STOP_REST, 0);
	decided(IMAGE_LOSS_RESTART, empty, runs, 1, CLUSTER_LOAD_ANEW, 0);
}

/* A node that may still run its part is waited for, whatever is known of the others. */
static void test_two_losses(void **state)
{
	(void)state;
	decided(IMAGE_LOSS_RESTART, empty, silent(5), 6, CLUSTER_WAIT, 5 + 1100 * MS);
	decided(
	    IMAGE_LOSS_RESTART, silent(3), silent(5), 3 + 1100 * MS, CLUSTER_WAIT, 5 + 1100 * MS);
	decided(IMAGE_LOSS_RESTART, silent(3), silent(5), 5 + 1100 * MS, CLUSTER_LOAD_ANEW, 0);
	decided(IMAGE_LOSS_STOP, silent(5), empty, 6, CLUSTER_WAIT, 5 + 3000 * MS);
}

static void test_who_is_lost(void **state)
{
	const struct cluster_node gone = silent(10);

	(void)state;
	assert_false(cluster_lost(&runs, LEASE, CLUSTER_NEVER - 1));
	assert_true(cluster_lost(&empty, LEASE, 0));
	assert_false(cluster_lost(&gone, LEASE, 9 + 1100 * MS));
	assert_true(cluster_lost(&gone, LEASE, 10 + 1100 * MS));
	assert_true(cluster_lost(&gone, 0, 10 + 3000 * MS));
}

static void test_how_often(void **state)
{
	(void)state;
	assert_int_equal(cluster_join_ns(0), 500 * MS);
	assert_int_equal(cluster_join_ns(LEASE), 250 * MS);
	assert_int_equal(cluster_join_ns(60 * LEASE), 500 * MS);
	assert_int_equal(cluster_lease_end(5, LEASE), 5 + LEASE);
	assert_int_equal(cluster_lease_end(CLUSTER_NEVER, LEASE), CLUSTER_NEVER);
}

static void test_soon(void **state)
{
	(void)state;
	assert_int_equal(cluster_soon_ns(1 * MS), 50 * MS);
	assert_int_equal(cluster_soon_ns(5 * MS), 50 * MS);
	assert_int_equal(cluster_soon_ns(20 * MS), 200 * MS);
	assert_true(cluster_soon_ns(CLUSTER_NEVER) == CLUSTER_NEVER);
	assert_int_equal(cluster_soon_slot(7, 20 * MS, 50 * MS), 18);
	assert_int_equal(cluster_soon_slot(7, 1 * MS, 50 * MS), 58);
	assert_int_equal(cluster_soon_slot(7, 20 * MS, 1000 * MS), 58);
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A node and the manager whose clocks have nothing to do with each other: words and answers are
 * lost, and late. Whenever the manager loads anew, the node has held its part before. */
static void run_seed(uint64_t seed)
{
	const uint64_t ahead = random_next(&seed) % (1000 * LEASE), lease = 400 * MS,
	               loss = random_next(&seed) % 100;
	uint64_t word = ahead, heard = 0, now = 0, held_at = CLUSTER_NEVER;
	uint64_t answer_at = CLUSTER_NEVER, asked = 0;

	for (uint64_t step = 0; step < 400; step++) {
		const struct cluster_node nodes[] = {silent(heard)};
		uint64_t due;

		now += random_next(&seed) % (20 * MS);
		if (held_at == CLUSTER_NEVER && cluster_lease_end(word, lease) <= now + ahead)
			held_at = cluster_lease_end(word, lease) - ahead;
		if (answer_at <= now && held_at == CLUSTER_NEVER) {
			word = asked;
			answer_at = CLUSTER_NEVER;
		}
		if (random_next(&seed) % 100 >= loss && answer_at == CLUSTER_NEVER) {
			asked = now + ahead;
			heard = now + random_next(&seed) % MS; /* by then it has come */
			answer_at = random_next(&seed) % 100 >= loss
			    ? heard + random_next(&seed) % (30 * MS)
			    : CLUSTER_NEVER;
		}
		if (cluster_decide(IMAGE_LOSS_RESTART, lease, nodes, 1, now, &due) ==
		    CLUSTER_LOAD_ANEW) {
			assert_true(held_at < now);
			return;
		}
		assert_true(due > now);
	}
}

static void test_never_two_loads(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++)
		run_seed(seed * 0x9e3779b97f4a7c15u);
}

static void test_which_load(void **state)
{
	(void)state;
	assert_int_equal(cluster_load_is(true, true, false), CLUSTER_OWN);
	assert_int_equal(cluster_load_is(true, true, true), CLUSTER_HELD);
	assert_int_equal(cluster_load_is(true, false, true), CLUSTER_STALE);
	assert_int_equal(cluster_load_is(false, true, false), CLUSTER_STALE);
	assert_int_equal(cluster_load_is(false, true, true), CLUSTER_STALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hold_waits_for_ever),
	    cmocka_unit_test(test_nobody_is_lost),
	    cmocka_unit_test(test_silence_has_a_bound),
	    cmocka_unit_test(test_a_node_that_was_started_again),
	    cmocka_unit_test(test_two_losses),
	    cmocka_unit_test(test_who_is_lost),
	    cmocka_unit_test(test_how_often),
	    cmocka_unit_test(test_soon),
	    cmocka_unit_test(test_never_two_loads),
	    cmocka_unit_test(test_which_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
