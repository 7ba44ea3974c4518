/* SPDX-License-Identifier: BSD-3-Clause
 * core/map/class and core/map/profile: mixes as text, times from one machine to another by the
 * formula, rates and profiles as JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "core/map/profile.h"

#define NEAR(a, b) assert_true(fabs((double)(a) - (double)(b)) <= 1e-9 * fabs((double)(b)))

static struct class_rates rates_of(const char *cpu, double scale)
{
	struct class_rates rates = {
	    .simd = "plain", .governor = "", .version = "1", .mmac_per_s = 1000 / scale};

	snprintf(rates.cpu, sizeof(rates.cpu), "%s", cpu);
	for (int which = 0; which < CALIBRATE_CLASSES; which++)
		rates.ns[which] = scale * (1 + which);
	return rates;
}

static void test_mix(void **state)
{
	static const char *const bad[] = {"copy", "copy ", "copy 0", "copy -1", "copy 1,bits 1",
	    "copy 1, ", "nothing 1", "copy one", "copy 1 bits", "call 1", "copy nan", "copy 1e9",
	    " copy 1", "copy 1,", ", copy 1", "copy\t1"};
	double mix[CALIBRATE_CLASSES];

	(void)state;
	assert_int_equal(class_mix("gather8 1, register 2, weave 3.5", mix), 0);
	for (int which = 0; which < CALIBRATE_CLASSES; which++)
		assert_true(mix[which] ==
		    (which == CALIBRATE_GATHER8           ? 1
		            : which == CALIBRATE_REGISTER ? 2
		            : which == CALIBRATE_WEAVE    ? 3.5
		                                          : 0));
	assert_int_equal(class_mix(NULL, mix), 0);
	assert_true(mix[CALIBRATE_SCALAR] == 1 && mix[CALIBRATE_WEAVE] == 0);
	assert_int_equal(class_mix("", mix), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (class_mix(bad[i], mix) == 0)
			fail_msg("`%s` was taken", bad[i]);
	assert_true(mix[CALIBRATE_SCALAR] == 1); /* untouched */
}

static void test_convert(void **state)
{
	const struct class_rates from = rates_of("a", 1);
	struct class_rates to = from;
	double mix[CALIBRATE_CLASSES];

	(void)state;
	/* Nothing else than the class counts; a call costs 1 here and 4 there; 99 ns are 99 / 6
	 * items of bits and copy. */
	to.ns[CALIBRATE_CALL] = 4;
	to.ns[CALIBRATE_BITS] = 1;
	to.ns[CALIBRATE_TRELLIS] = 1e6;
	assert_int_equal(class_mix("bits 1, copy 2", mix), 0);
	NEAR(class_convert(&from, &to, mix, 100), 4 + 99. / (5 + 2 * 4) * (1 + 2 * 4));
	NEAR(class_convert(&to, &from, mix, class_convert(&from, &to, mix, 100)), 100);
	NEAR(class_convert(&from, &from, mix, 0.5), 0.5); /* less than a call */
	NEAR(class_convert(&from, &to, mix, 0.5), 2);
	/* Without a mix: the single metric, but for the call. */
	to = rates_of("b", 3);
	assert_int_equal(class_mix(NULL, mix), 0);
	NEAR(class_convert(&from, &to, mix, 100), 300);
}

static void test_rates(void **state)
{
	const struct class_rates rates = rates_of("some CPU", 0.25);
	struct class_rates again = {0}, other = rates;
	json_t *json = class_rates_json(&rates);
	struct diag diag;

	(void)state;
	diag_init(&diag);
	assert_int_equal(class_rates_read(json, "here", &diag, &again), 0);
	assert_true(class_rates_same(&rates, &again) && class_rates_known(&again));
	for (int which = 0; which < CALIBRATE_CLASSES; which++)
		NEAR(again.ns[which], rates.ns[which]);
	strcpy(other.version, "2");
	assert_false(class_rates_same(&rates, &other));
	assert_true(class_rates_fingerprint(&rates) == class_rates_fingerprint(&other));
	strcpy(other.simd, "neon");
	assert_true(class_rates_fingerprint(&rates) != class_rates_fingerprint(&other));
	json_object_set_new(json_object_get(json, "classes_ns"), "copy", json_real(0));
	assert_int_equal(class_rates_read(json, "here", &diag, &again), -EINVAL);
	assert_non_null(strstr(diag.lines[0], "here: copy = 0; a number above 0"));
	json_object_del(json, "classes_ns");
	assert_int_equal(class_rates_read(json, "here", &diag, &again), -EINVAL);
	assert_true(again.ns[CALIBRATE_COPY] == rates.ns[CALIBRATE_COPY]);
	json_decref(json);
	diag_fini(&diag);
}

static void test_profile_platform(void **state)
{
	struct component_type type = {.name = (char *)"t", .mix = (char *)"trellis 1"};
	struct wf_instance instances[] = {{.name = (char *)"a", .type = &type}};
	const struct waveform waveform = {
	    .name = (char *)"w", .instances = instances, .n_instances = 1};
	struct class_rates to = rates_of("b", 2);
	struct profile profile = {.platform = rates_of("a", 1)}, again;
	struct diag diag;
	char *text;

	(void)state;
	diag_init(&diag);
	assert_int_equal(plan_profile_set(&profile, "a", &(struct length_point){0, 10, 20}), 0);
	assert_int_equal(plan_profile_set(&profile, "gone", &(struct length_point){0, 10, 20}), 0);
	text = plan_profile_save(&profile);
	assert_int_equal(plan_profile_load("p.json", text, strlen(text), &diag, &again), 0);
	assert_true(class_rates_same(&profile.platform, &again.platform));
	/* Twice as slow in everything is as many kMAC; then trellis alone is faster there. */
	plan_profile_convert(&again, &waveform, &to);
	assert_true(again.converted);
	NEAR(plan_profile_find(&again, "a")->points[0].kmac_p50, 10);
	plan_profile_fini(&again);
	assert_int_equal(plan_profile_load("p.json", text, strlen(text), &diag, &again), 0);
	to.ns[CALIBRATE_TRELLIS] /= 4;
	plan_profile_convert(&again, &waveform, &to);
	NEAR(
	    plan_profile_find(&again, "a")->points[0].kmac_p99, (2 + (20000 - 1) * 0.5) / 2 / 1000);
	NEAR(plan_profile_find(&again, "gone")->points[0].kmac_p99, 20);
	plan_profile_fini(&again);
	/* The same kind of machine: as measured. */
	to = rates_of("a", 5);
	assert_int_equal(plan_profile_load("p.json", text, strlen(text), &diag, &again), 0);
	plan_profile_convert(&again, &waveform, &to);
	assert_false(again.converted);
	NEAR(plan_profile_find(&again, "a")->points[0].kmac_p50, 10);
	plan_profile_fini(&again);
	free(text);
	plan_profile_fini(&profile);
	diag_fini(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mix),
	    cmocka_unit_test(test_convert),
	    cmocka_unit_test(test_rates),
	    cmocka_unit_test(test_profile_platform),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
