/* SPDX-License-Identifier: BSD-3-Clause
 * overrun = "conceal": what an instance that runs beyond its budget publishes. What exec does of it
 * on a node: tests/faults/test_conceal.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/slot/steps.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

enum { SLOTS = 300 }; /* with sampled steps among them */

static void spin(struct probe *probe, struct aloe_slot *slot)
{
	const uint64_t until = clock_ns() + (slot->index % 2 ? 300000 : 0);

	(void)probe;
	while (clock_ns() < until)
		cpu_relax();
}

static uint64_t concealed_of(const struct rig *rig, uint32_t node)
{
	return atomic_load(&image_instance_state(&rig->view, node)->concealed);
}

/* source (segment 0) -> pass (segment 1, lag 1) -> sink. The pass is slow at odd indices. */
static struct rig *chain_new(enum image_late late, uint64_t budget_ns)
{
	struct rig *rig = rig_new(IMAGE_STEP, late);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_pass, 1, 1);
	rig_add(rig, &probe_sink, 1, 1);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 1, 0, 2, 0, 0);
	rig->nodes[1].budget_ns = budget_ns;
	rig_open(rig);
	((struct probe *)rig->instances[1].state)->hook = spin;
	return rig;
}

static void run_concealing(enum image_late late)
{
	struct rig *rig = chain_new(late, 200000);
	const struct probe *sink = rig->instances[2].state;
	uint64_t absent = 0, odd = 0;

	for (uint64_t slot = 0; slot < SLOTS; slot++) {
		atomic_store(&rig->control.conceal, slot > SLOTS / 2 ? 1 : 0);
		rig_slot(rig, 0, slot);
		rig_slot(rig, 1, slot);
	}
	for (uint64_t k = 0; k < sink->calls; k++) {
		const bool slow = k % 2 == 1 && k + 1 > SLOTS / 2;

		odd += slow;
		absent += sink->log[k].state == ALOE_ABSENT;
		if (slow)
			assert_int_equal(sink->log[k].state, ALOE_ABSENT);
		else if (k + 1 <= SLOTS / 2) /* a stall may make any call too long, from then on */
			assert_int_equal(sink->log[k].state, ALOE_VALID);
	}
	assert_true(odd > 0);
	assert_int_equal(concealed_of(rig, 1), absent);
	assert_int_equal(concealed_of(rig, 2), 0);
	rig_close(rig);
}

static void test_conceals(void **state)
{
	(void)state;
	run_concealing(IMAGE_SLIP);
	run_concealing(IMAGE_SKIP);
}

static void test_no_budget(void **state)
{
	struct rig *rig = chain_new(IMAGE_SLIP, 0);
	const struct probe *sink = rig->instances[2].state;

	(void)state;
	atomic_store(&rig->control.conceal, 1);
	for (uint64_t slot = 0; slot < 20; slot++) {
		rig_slot(rig, 0, slot);
		rig_slot(rig, 1, slot);
	}
	assert_true(sink->calls > 0);
	for (uint64_t k = 0; k < sink->calls; k++)
		assert_int_equal(sink->log[k].state, ALOE_VALID);
	assert_int_equal(concealed_of(rig, 1), 0);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_conceals),
	    cmocka_unit_test(test_no_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
