/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/segment: changes of parameters while running. Each applies before the call of its
 * index, several at one call in the order of their indices and then as they were sent, `next` at
 * the next call; more than a segment can remember wait in the control block; what does not fit is
 * left. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/common/probe.h"
#include "tests/common/rig.h"

enum { GAIN = 0, FIXED = 1 };

static struct probe *probe_of(struct rig *rig, int node)
{
	return rig->instances[node].state;
}

static struct image_instance_state *stats(const struct rig *rig, uint32_t node)
{
	return image_instance_state(&rig->view, node);
}

static bool ring_has_space(struct rig *rig)
{
	for (uint32_t s = 0; s < rig->n_segments; s++)
		if (atomic_load(&rig->control.changes) - atomic_load(&rig_state(rig, s)->changes) >=
		    NODE_CHANGES)
			return false;
	return true;
}

static uint64_t change(
    struct rig *rig, uint64_t index, uint32_t instance, uint32_t param, double number)
{
	const uint64_t n = atomic_load(&rig->control.changes);

	assert_true(ring_has_space(rig));
	rig->control.change[n % NODE_CHANGES] =
	    (struct node_change){index, n + 1, instance, param, number};
	atomic_store(&rig->control.changes, n + 1);
	return n + 1;
}

/* The index that a change took in the segment of its node (they have the same numbers here);
 * UINT64_MAX: none yet. */
static uint64_t taken(const struct rig *rig, uint32_t node, uint64_t sequence)
{
	uint64_t index = UINT64_MAX;

	return image_taken_index(&rig->view, node, sequence, &index) ? index : UINT64_MAX;
}

static double shown(struct rig *rig, uint32_t node, uint32_t param)
{
	const uint64_t bits = atomic_load(&stats(rig, node)->params[param]);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

static struct rig *pair_new(enum image_late late)
{
	struct rig *rig = rig_new(IMAGE_STEP, late);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_sink, 1, 3);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig->nodes[0].depth = 8;
	return rig;
}

static void run(struct rig *rig, uint64_t from, uint64_t to)
{
	for (uint64_t slot = from; slot < to; slot++)
		for (uint32_t s = 0; s < rig->n_segments; s++)
			assert_int_equal(rig_slot(rig, s, slot), SEGMENT_RAN);
}

/* In index, not in slot: instances with lags 0 and 3 take the same change at the same index. */
static void test_exact(void **state)
{
	struct rig *rig = pair_new(IMAGE_SLIP);

	(void)state;
	rig_open(rig);
	assert_true(shown(rig, 0, GAIN) == 1 && shown(rig, 0, FIXED) == 2);
	change(rig, 10, 0, GAIN, 5);
	change(rig, 10, 1, GAIN, 6);
	change(rig, 20, 1, GAIN, 7);
	run(rig, 0, 12);
	assert_true(shown(rig, 0, GAIN) == 5 && shown(rig, 1, GAIN) == 1);
	run(rig, 12, 30);
	for (uint64_t k = 0; k < 27; k++) {
		assert_true(probe_of(rig, 0)->log[k].gain == (k < 10 ? 1 : 5));
		assert_true(probe_of(rig, 1)->log[k].gain == (k < 10 ? 1 : k < 20 ? 6 : 7));
	}
	assert_true(shown(rig, 1, GAIN) == 7);
	assert_int_equal(taken(rig, 0, 1), 10);
	assert_int_equal(taken(rig, 1, 2), 10);
	assert_int_equal(taken(rig, 1, 3), 20);
	rig_close(rig);
}

static void test_next(void **state)
{
	struct rig *rig = pair_new(IMAGE_SLIP);

	(void)state;
	rig_open(rig);
	run(rig, 0, 9);
	change(rig, IMAGE_FOREVER, 1, GAIN, 4);
	assert_int_equal(taken(rig, 1, 1), UINT64_MAX);
	run(rig, 9, 12);
	for (uint64_t k = 0; k < 9; k++)
		assert_true(probe_of(rig, 1)->log[k].gain == (k < 6 ? 1 : 4));
	assert_int_equal(taken(rig, 1, 1), 6);
	rig_close(rig);
}

/* One that is too late (its index has passed) applies at once. */
static void test_late(void **state)
{
	struct rig *rig = pair_new(IMAGE_SLIP);

	(void)state;
	rig_open(rig);
	run(rig, 0, 9);
	change(rig, 2, 0, GAIN, 4);
	run(rig, 9, 10);
	assert_true(probe_of(rig, 0)->log[8].gain == 1 && probe_of(rig, 0)->log[9].gain == 4);
	assert_int_equal(taken(rig, 0, 1), 9);
	rig_close(rig);
}

static void test_refused(void **state)
{
	struct rig *rig = pair_new(IMAGE_SLIP);

	(void)state;
	rig_open(rig);
	change(rig, IMAGE_FOREVER, 0, FIXED, 9);
	change(rig, IMAGE_FOREVER, 0, 2, 9);
	change(rig, IMAGE_FOREVER, 0, UINT32_MAX, 9);
	change(rig, IMAGE_FOREVER, UINT32_MAX, GAIN, 9);
	change(rig, IMAGE_FOREVER, 1, GAIN, 3);
	run(rig, 0, 6);
	assert_true(probe_of(rig, 0)->fixed == 2 && probe_of(rig, 0)->gain == 1 &&
	    shown(rig, 0, FIXED) == 2);
	assert_true(probe_of(rig, 1)->gain == 3);
	rig_close(rig);
}

/* 64 that wait for a far index fill a segment; 64 more wait in the control block, then nothing
 * fits; all come true. */
static void test_full(void **state)
{
	struct rig *rig = pair_new(IMAGE_SLIP);

	(void)state;
	rig_open(rig);
	for (uint32_t i = 0; i < NODE_CHANGES; i++)
		change(rig, 20 + i, 0, GAIN, 100 + i);
	assert_false(ring_has_space(rig));
	run(rig, 0, 1);
	assert_true(ring_has_space(rig));
	for (uint32_t i = 0; i < NODE_CHANGES; i++)
		change(rig, 20 + NODE_CHANGES + i, 0, GAIN, 100 + NODE_CHANGES + i);
	run(rig, 1, 10);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->changes), NODE_CHANGES);
	/* none is its own */
	assert_int_equal(atomic_load(&rig_state(rig, 1)->changes), 2 * NODE_CHANGES);
	assert_false(ring_has_space(rig));
	run(rig, 10, 22);
	assert_true(ring_has_space(rig));
	run(rig, 22, 22 + 2 * NODE_CHANGES);
	for (uint64_t k = 0; k < 20 + 2 * NODE_CHANGES; k++)
		assert_true(probe_of(rig, 0)->log[k].gain == (k < 20 ? 1 : 80 + (double)k));
	rig_close(rig);
}

/* ---- against a model ------------------------------------------------------------------------ */

enum { SLOTS = 200, CHANGES_MAX = 500 };

struct sent {
	uint64_t slot, index, sequence; /* slot: the first that can see it */
	uint32_t instance;
	double number;
};

static uint64_t random_below(uint64_t *state, uint64_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state % n;
}

/* The gain of an instance at its call for index k, in slot k + lag: of all that it had seen by
 * then, the last one. */
static double gain_at(const struct sent *all, uint32_t n, uint32_t instance, uint64_t k,
    uint32_t lag, uint32_t period)
{
	uint64_t best_index = 0, best_sequence = 0;
	double gain = 1;

	for (uint32_t i = 0; i < n; i++) {
		/* When it is taken: at the first call that sees it and has reached its index. */
		uint64_t first = all[i].slot > lag ? all[i].slot - lag : 0, index = all[i].index;

		first = (first + period - 1) / period * period;
		if (index == IMAGE_FOREVER || index < first)
			index = index == IMAGE_FOREVER ? first : index;
		while (first < index)
			first += period;
		if (all[i].instance != instance || first > k)
			continue;
		/* Taken at an earlier call loses to one taken later; at one call, by index, then by
		 * sequence. */
		if (first * 100000 + index > best_index ||
		    (first * 100000 + index == best_index && all[i].sequence > best_sequence)) {
			best_index = first * 100000 + index;
			best_sequence = all[i].sequence;
			gain = all[i].number;
		}
	}
	return gain;
}

static void model_run(uint64_t seed)
{
	static const uint32_t lags[] = {0, 3}, periods[] = {1, 4, 7};
	const uint32_t period = periods[seed % 3];
	struct rig *rig = pair_new(IMAGE_SLIP);
	struct sent all[CHANGES_MAX];
	uint64_t random = seed * 88172645463325252ull + 1;
	uint32_t n = 0;

	rig->nodes[0].period = period;
	rig->nodes[1].period = period;
	rig_open(rig);
	for (uint64_t slot = 0; slot < SLOTS; slot++) {
		for (uint64_t i = random_below(&random, 5);
		     i > 0 && n < CHANGES_MAX && n < slot * 2 + 20; i--) {
			struct sent *it = &all[n++];

			*it = (struct sent){slot, slot + random_below(&random, 24), n,
			    (uint32_t)random_below(&random, 2), (double)(n + 1)};
			if (random_below(&random, 4) == 0)
				it->index = IMAGE_FOREVER;
			change(rig, it->index, it->instance, GAIN, it->number);
		}
		run(rig, slot, slot + 1);
	}
	for (uint32_t node = 0; node < 2; node++) {
		const struct probe *probe = probe_of(rig, (int)node);

		for (uint64_t c = 0; c < probe->calls; c++) {
			const double wanted =
			    gain_at(all, n, node, probe->log[c].index, lags[node], period);

			if (probe->log[c].gain != wanted)
				fail_msg("seed %d: n%u has gain %g at index %d instead of %g",
				    (int)seed, node, probe->log[c].gain, (int)probe->log[c].index,
				    wanted);
		}
		assert_true(probe->calls > SLOTS / 8);
	}
	rig_close(rig);
}

static void test_model(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		model_run(seed);
}

/* Under skip an index may never be called: what was due there is due at the next that is. */
static void test_skip(void **state)
{
	struct rig *rig = pair_new(IMAGE_SKIP);

	(void)state;
	rig_open(rig);
	change(rig, 5, 0, GAIN, 50);
	change(rig, 4, 0, GAIN, 40);
	rig_slot(rig, 0, 0);
	rig_slot(rig, 0, 3);
	rig_slot(rig, 0, 8);
	assert_true(probe_of(rig, 0)->log[1].gain == 1);
	assert_true(probe_of(rig, 0)->log[2].gain == 50);
	assert_int_equal(probe_of(rig, 0)->log[2].index, 8);
	rig_close(rig);
}

/* An index is told whole, whatever its size. */
static void test_large(void **state)
{
	const uint64_t late = (1ull << 40) + 123;
	struct rig *rig = pair_new(IMAGE_SKIP);

	(void)state;
	rig_open(rig);
	rig_slot(rig, 0, 0);
	change(rig, IMAGE_FOREVER, 0, GAIN, 4);
	rig_slot(rig, 0, late);
	assert_int_equal(taken(rig, 0, 1), late);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exact),
	    cmocka_unit_test(test_next),
	    cmocka_unit_test(test_late),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_full),
	    cmocka_unit_test(test_model),
	    cmocka_unit_test(test_skip),
	    cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
