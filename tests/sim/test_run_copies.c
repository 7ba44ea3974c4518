/* SPDX-License-Identifier: BSD-3-Clause
 * `aloe run --copies N`: each copy gives what the waveform gives alone, on one lane and on two; the
 * report is of the file's instances, with sums, the worst copy and a line for each; 100 copies of a
 * bearer run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { COPIES = 7, SLOTS = 300, MANY = ALOE_SLOWER(100, 10), FEW = ALOE_SLOWER(10, 2) };

/* Noisy enough for errors, of which each copy has its own. */
static const char *noisy(void)
{
	return conf_derive("waveforms/bpsk.conf", "copies.conf",
	    (const char *const[][2]){
	        {"demod:  {",
	            "noise:  { component = \"awgn\"; esn0_db = 4.0; seed = 9; };\n"
	            "\tsink: { component = \"file_sink\"; path = \"bits\"; };\n\tdemod:  {"},
	        {"mod -> demod", "mod -> noise -> demod"},
	        {"{ path = \"source -> check.sent\"; }",
	            "{ path = \"source -> check.sent\"; }, \"demod -> sink\""},
	        {NULL},
	    });
}

/* One after another by themselves, with the seeds that the copies have. */
static double alone(uint32_t copy)
{
	char name[64];
	struct ran *ran;
	double errors;

	snprintf(name, sizeof(name), "alone-%u", copy);
	ran = aloe_ok("run '%s' --clock virtual --slots %d --json -q --set sink.path='%s' --set "
	              "source.seed=%u --set noise.seed=%u",
	    aloe_path("copies.conf"), SLOTS, aloe_path(name), copy, 8 + copy);
	errors = ran_variable(ran, "check.bit_errors");
	assert_int_equal(ran_number(ran, "copies"), 1);
	assert_null(json_object_get(ran->report, "per_copy"));
	ran_free(ran);
	return errors;
}

static void check_report(const struct ran *ran, const double *errors)
{
	const json_t *per_copy = json_object_get(ran->report, "per_copy");
	double sum = 0, most = 0;
	char path[64];

	assert_int_equal(json_array_size(per_copy), COPIES);
	assert_int_equal(json_array_size(json_object_get(ran->report, "instances")), 6);
	for (int c = 0; c < COPIES; c++) {
		sum += errors[c];
		most = errors[c] > most ? errors[c] : most;
		snprintf(path, sizeof(path), "per_copy.%d.bit_errors", c);
		assert_true(ran_number(ran, path) == errors[c]);
		snprintf(path, sizeof(path), "per_copy.%d.copy", c);
		assert_int_equal(ran_number(ran, path), c + 1);
		snprintf(path, sizeof(path), "per_copy.%d.blocks", c);
		assert_int_equal(ran_number(ran, path), SLOTS);
	}
	assert_true(ran_variable(ran, "check.bit_errors") == sum);
	assert_int_equal(ran_variable(ran, "check.blocks"), SLOTS * COPIES);
	assert_int_equal(ran_number(ran, "copies"), COPIES);
	for (int i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), "instances.%d.calls", i);
		assert_int_equal(ran_number(ran, path), SLOTS * COPIES);
		snprintf(path, sizeof(path), "instances.%d.name", i);
		if (strcmp(ran_text(ran, path), "check") != 0)
			continue;
		snprintf(path, sizeof(path), "instances.%d.worst.bit_errors", i);
		assert_true(ran_number(ran, path) > 0 && ran_number(ran, path) <= most);
	}
}

static void test_each_as_alone(void **state)
{
	static const char *const hows[] = {"--clock virtual --lanes 0",
	    "--clock virtual --lanes 0,1 --pipelined",
	    "--clock timer --lanes 0,1 --isolation component"};
	double errors[COPIES];
	char one[64], copy[64];

	(void)state;
	noisy();
	for (uint32_t c = 0; c < COPIES; c++)
		errors[c] = alone(c + 1);
	assert_true(errors[0] > 0 && errors[0] != errors[1]);
	for (size_t h = 0; h < sizeof(hows) / sizeof(hows[0]); h++) {
		struct ran *ran = aloe_ok(
		    "run '%s' --force --slots %d --json -q --copies %d --set sink.path='%s' %s",
		    aloe_path("copies.conf"), SLOTS, COPIES, aloe_path("copy-{copy}"), hows[h]);

		check_report(ran, errors);
		ran_free(ran);
		for (uint32_t c = 0; c < COPIES; c++) {
			snprintf(one, sizeof(one), "alone-%u", c + 1);
			snprintf(copy, sizeof(copy), "copy-%u", c + 1);
			files_equal(aloe_path(one), aloe_path(copy));
		}
	}
}

/* For people: a line for each instance of the file, not for each copy. */
static void test_text(void **state)
{
	struct ran *ran;

	(void)state;
	noisy();
	ran = aloe_ok("run '%s' --clock virtual --slots 50 --copies 20 --set sink.path=/dev/null",
	    aloe_path("copies.conf"));
	assert_non_null(strstr(ran->out, ", 20 copies, "));
	assert_non_null(strstr(ran->out, "check: 1000 blocks, "));
	assert_non_null(strstr(ran->out, "; the worst copy is "));
	assert_null(strstr(ran->out, "check_1"));
	assert_in_range(ran_lines(ran->out), 10, 40);
	ran_free(ran);
	ran = aloe_ok("plan '%s' --copies 20 --lanes 0,1 --set sink.path=/dev/null",
	    aloe_path("copies.conf"));
	assert_non_null(strstr(ran->out, "and the same for each copy on this lane (10)"));
	assert_in_range(ran_lines(ran->out), 10, 60);
	ran_free(ran);
}

static void test_refused(void **state)
{
	struct ran *ran;

	(void)state;
	noisy();
	ran =
	    aloe_ends(2, "run '%s' --clock virtual --slots 5 --copies 2", aloe_path("copies.conf"));
	assert_non_null(strstr(ran->err, "sink_1.path and sink_2.path use the same file"));
	ran_free(ran);
	ran_free(aloe_ends(2, "run '%s' --copies 0", aloe_path("copies.conf")));
	ran = aloe_ends(
	    2, "check '%s' --copies 100000 --set sink.path=/dev/null", aloe_path("copies.conf"));
	assert_non_null(strstr(ran->err, "at most 65536 instances"));
	ran_free(ran);
}

/* A bearer a hundred times: everything arrives, whole. */
static void test_many(void **state)
{
	struct ran *ran = aloe_ok("run waveforms/utran384.conf --clock virtual --slots %d --copies "
	                          "%d --json -q --set sink.path=/dev/null",
	    FEW, MANY);

	(void)state;
	assert_int_equal(ran_variable(ran, "check.blocks"), FEW * MANY);
	assert_int_equal(ran_variable(ran, "check.block_errors"), 0);
	assert_int_equal(ran_variable(ran, "compare.bit_errors"), 0);
	assert_int_equal(json_array_size(json_object_get(ran->report, "per_copy")), MANY);
	assert_int_equal(json_array_size(json_object_get(ran->report, "instances")), 22);
	ran_free(ran);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_as_alone),
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
