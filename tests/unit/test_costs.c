/* SPDX-License-Identifier: BSD-3-Clause
 * Which cost of an instance counts on a lane where there are several: a budget of the file, a time
 * that is stated for the kind of core, a profile, the component's own figure. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/map/costs.h"
#include "core/map/profile.h"

enum { GUESS = 7, P50 = 400, P99 = 600 };

/* 1000 MMAC/s: 1 kMAC takes 1 us */
static const struct lane_resource big = {.kind = "big", .mmac_per_s = 1000};
static const struct lane_resource little = {.kind = "little", .mmac_per_s = 1000};
static const struct lane_resource plain = {.mmac_per_s = 1000};

struct one {
	char name[2];
	struct aloe_param param;
	struct component_type type;
	struct wf_value value;
	struct wf_instance instance;
};

struct want { /* us */
	double typical, need, budget;
	bool stated, known;
};

static void expect(const struct cost *cost, const struct lane_resource *lane, struct want want)
{
	assert_true(fabs(cost_typical_ns(cost, lane) / 1e3 - want.typical) < 1e-6);
	assert_true(fabs(cost_need_ns(cost, lane) / 1e3 - want.need) < 1e-6);
	assert_true(fabs(cost_budget_ns(cost, lane) / 1e3 - want.budget) < 1e-6);
	assert_int_equal(cost_stated(cost, lane), want.stated);
	assert_int_equal(cost_known(cost, lane), want.known);
}

/* An instance with a budget (0: none), a stated time (below 0: none) and a profile (NULL: none). */
static struct cost make(
    struct one *one, double budget_us, double stated_us, const struct profile *profile)
{
	*one = (struct one){.name = "a",
	    .param = {.name = "big_us", .kind = ALOE_KIND_REAL},
	    .type = {.params = &one->param, .n_params = 1, .kmac = GUESS},
	    .value = {.number = fmax(0, stated_us), .set = stated_us >= 0},
	    .instance = {.name = one->name,
	        .type = &one->type,
	        .values = &one->value,
	        .budget_us = budget_us}};
	const struct waveform wf = {.admit = WF_ADMIT_FITS};

	return cost_of(&wf, &one->instance, profile);
}

static void the_first_counts(void **state)
{
	const struct want guessed = {GUESS, GUESS, GUESS, false, false};
	const struct want measured = {P50, 1.25 * P50, P99 + 1, false, true};
	const struct want stated = {300, 300, 300, true, true};
	struct profile profile = {0};
	struct cost cost;
	struct one one;

	(void)state;
	assert_int_equal(plan_profile_set(&profile, "a", &(struct length_point){0, P50, P99}), 0);
	cost = make(&one, 0, -1, NULL);
	expect(&cost, &big, guessed);
	cost = make(&one, 0, -1, &profile);
	expect(&cost, &big, measured);
	/* stated before measured, and for that kind alone */
	cost = make(&one, 0, 300, &profile);
	expect(&cost, &big, stated);
	expect(&cost, &little, measured);
	expect(&cost, &plain, measured);
	/* a budget before all, on every core; what is stated or measured stays the typical time */
	cost = make(&one, 500, 300, &profile);
	expect(&cost, &big, (struct want){300, 500, 500, true, true});
	expect(&cost, &little, (struct want){P50, 500, 500, false, true});
	cost = make(&one, 500, -1, NULL);
	expect(&cost, &big, (struct want){500, 500, 500, false, true});
	plan_profile_fini(&profile);
}

/* The default of a parameter is 0, and states nothing; a 0 that was written is a statement. */
static void a_default_states_nothing(void **state)
{
	struct one one;
	struct cost cost = make(&one, 0, -1, NULL);

	(void)state;
	expect(&cost, &big, (struct want){GUESS, GUESS, GUESS, false, false});
	cost = make(&one, 0, 0, NULL);
	expect(&cost, &big, (struct want){0, 0, 0, true, true});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_first_counts),
	    cmocka_unit_test(a_default_states_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
