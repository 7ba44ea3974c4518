/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/base/clock_fast.h"
#include "core/base/file.h"

enum { WRONG_MAX_NS = 500, WRONG_PART = 10000, ASKED = 200, BREAK_NS = 1000000 };

/* Between two looks at clock_ns, however far apart they are on a busy machine. */
static void ask(const struct clock_fast *clock)
{
	const uint64_t before = clock_ns(), now = clock_fast_ns(clock), after = clock_ns();
	const uint64_t wrong = WRONG_MAX_NS + (after - clock->ns) / WRONG_PART;

	assert_true(now + wrong >= before);
	assert_true(now <= after + wrong);
}

/* From the first on, through windows of 1, 4, 16 and 64 ms and their ends. */
static void test_agrees(void **state)
{
	struct clock_fast clock;
	uint64_t next, began;

	(void)state;
	clock_fast_init(&clock);
	began = next = clock_ns();
	for (int i = 0; i < ASKED; i++) {
		ask(&clock);
		clock_sleep_until(next += BREAK_NS);
		ask(&clock);
		clock_fast_tend(&clock, clock_ns());
	}
	assert_true(clock_ns() - began >= (uint64_t)ASKED * BREAK_NS);
	assert_true(clock.window_ns == 0 || clock.window_ns > BREAK_NS);
}

/* Within a window it never goes back, and what it counts is what clock_ns counts. */
static void test_goes_on(void **state)
{
	struct clock_fast clock;
	uint64_t last, now, from, till;

	(void)state;
	clock_fast_init(&clock);
	clock_sleep_until(clock_ns() + BREAK_NS);
	clock_fast_tend(&clock, clock_ns());
	from = clock_ns();
	last = clock_fast_ns(&clock);
	till = last;
	for (int i = 0; i < 100000; i++, till = now) {
		now = clock_fast_ns(&clock);
		assert_true(now >= till);
	}
	now = clock_ns() - from;
	assert_true(till - last <= now + 2 * WRONG_MAX_NS + now / WRONG_PART);
}

/* Where the kernel does not keep time by the counter, and without init, it is clock_ns itself. */
static void test_without(void **state)
{
	struct clock_fast clock = {.ns = clock_ns()};
	char *text = NULL;
	size_t len = 0;

	(void)state;
	clock_fast_tend(&clock, clock_ns());
	assert_int_equal(clock.scale, 0);
	ask(&clock);
	clock_fast_init(&clock);
	if (file_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", 64, &text,
	        &len) != 0 ||
	    strcmp(text, "tsc\n") != 0)
		assert_int_equal(clock.window_ns, 0);
	free(text);
}

/* A look that was disturbed is not believed: clock_ns until there is a good one. */
static void test_disturbed(void **state)
{
	struct clock_fast clock;

	(void)state;
	clock_fast_init(&clock);
	if (clock.window_ns == 0) /* clock_ns, then (test_without) */
		return;
	clock.look = 0;
	clock.scale = 1;
	clock_fast_learn(&clock);
	assert_true(clock_fast_learns(&clock));
	clock.look = UINT32_MAX;
	clock_sleep_until(clock_ns() + BREAK_NS);
	clock_fast_tend(&clock, clock_ns());
	assert_false(clock_fast_learns(&clock));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_agrees),
	    cmocka_unit_test(test_goes_on),
	    cmocka_unit_test(test_without),
	    cmocka_unit_test(test_disturbed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
