/* SPDX-License-Identifier: BSD-3-Clause
 * What aloe bench response keeps in a file comes back as it was, and a file that is not its own, or
 * of another CPU, or damaged, is no figure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "tools/bench/response.h"

#define LATE "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]" /* in a file */

struct kept_test {
	char file[64];
	struct response_kept kept;
};

static void kept_init(struct kept_test *test)
{
	snprintf(test->file, sizeof(test->file), "/tmp/aloe-test-kept.%d", (int)getpid());
	unlink(test->file);
}

static void file_put(const struct kept_test *test, const char *text)
{
	assert_int_equal(file_write(test->file, text, strlen(text)), 0);
}

static struct response_result part_make(void)
{
	struct response_result part = {
	    .subframes = 100, .failed = 3, .loops_ns = 2e9, .all_ns = 1e10};

	response_judged_add(&part,
	    &(struct response_stall){97, 1000000, 3400000, 1400000, 40000, 1960000, 30000, 1700000,
	        30000, 20000, 15000, 500000, 1050000},
	    true);
	response_judged_add(&part,
	    &(struct response_stall){98, 100000, 2550000, 1600000, 850000, 100000, 2000, 1600000,
	        800000, 5000, 100000, 800000, 1050000},
	    false);

	for (uint64_t i = 0; i < 98; i++)
		hist_add(&part.ns, 1000000 + 10000 * i);
	return part;
}

static void test_comes_back(void **state)
{
	struct response_result part = part_make(), back, sum = {0};
	struct kept_test test;

	(void)state;
	kept_init(&test);
	assert_null(response_kept_open(&test.kept, test.file, "a CPU"));
	assert_true(test.kept.core.rounds > 0);
	assert_false(response_kept_get(&test.kept, "cell", 100, &back));
	assert_int_equal(response_kept_put(&test.kept, "cell", &part), 0);
	response_kept_close(&test.kept);
	assert_null(response_kept_open(&test.kept, test.file, "a CPU"));
	assert_true(response_kept_get(&test.kept, "cell", 100, &back));
	assert_false(response_kept_get(&test.kept, "cell", 99, &back)); /* of another length */
	assert_true(response_kept_get(&test.kept, "cell", 100, &back));
	for (int i = 0; i < 2; i++)
		response_add(&sum, &back);
	assert_int_equal(sum.subframes, 200);
	assert_int_equal(sum.failed, 6);
	assert_int_equal(sum.judged, 4);
	assert_int_equal(sum.proven, 2);
	assert_int_equal(sum.stalls.n, 2);
	assert_memory_equal(&sum.stalls.late[0], &part.stalls.late[0], sizeof(sum.stalls.late[0]));
	assert_int_equal(sum.stalls.late[1].subframe, 197);
	assert_int_equal(sum.stalls.late[1].stood_ns, 1960000);
	assert_int_equal(sum.unproven.n, 2);
	assert_memory_equal(
	    &sum.unproven.late[0], &part.unproven.late[0], sizeof(sum.unproven.late[0]));
	assert_int_equal(sum.unproven.late[1].subframe, 198);
	assert_int_equal(sum.unproven.late[1].slack_ns, 1050000);
	assert_true(sum.loops_ns == 4e9 && sum.all_ns == 2e10);
	assert_int_equal(hist_count(&sum.ns), 196);
	assert_int_equal(
	    hist_cell(hist_quantile(&sum.ns, 0.5)), hist_cell(hist_quantile(&part.ns, 0.5)));
	response_kept_close(&test.kept);
	assert_non_null(response_kept_open(&test.kept, test.file, "another CPU"));
	response_kept_close(&test.kept);
	unlink(test.file);
}

static bool verdict_reads(struct kept_test *test, const char *verdict, struct response_result *ret)
{
	char text[512];
	bool reads;

	snprintf(text, sizeof(text),
	    "{\"cpu\": \"a CPU\", \"rounds_per_ms\": 9, \"slowed\": 0, "
	    "\"parts\": {\"cell\": {\"subframes\": 10, \"failed\": 2, "
	    "\"loops_ns\": 1.0, \"all_ns\": 1.0, \"cells\": []%s}}}",
	    verdict);
	file_put(test, text);
	assert_null(response_kept_open(&test->kept, test->file, "a CPU"));
	reads = response_kept_get(&test->kept, "cell", 10, ret);
	response_kept_close(&test->kept);
	return reads;
}

/* What is kept of stalls makes sense or is no figure; a file of an earlier version has none, and
 * nothing of it is judged. */
static void test_verdicts(void **state)
{
	static const char *const wrong[] = {
	    ", \"judged\": 3, \"proven\": 0, \"stalls\": []",
	    ", \"judged\": -1, \"proven\": -1, \"stalls\": []",
	    ", \"judged\": 1, \"proven\": 2, \"stalls\": []",
	    ", \"stalls\": []",
	    ", \"judged\": 1, \"proven\": 0, \"stalls\": [[1, 2, 3, 4, 5, 6, 7]]",
	    ", \"judged\": 1, \"proven\": 1, \"stalls\": [[10, 2, 3, 4, 5, 6, 7]]",
	    ", \"judged\": 1, \"proven\": 1, \"stalls\": [[1, 2, 3, 4, 5, 6, 7, 8]]",
	    ", \"judged\": 1, \"proven\": 1, \"stalls\": [[1, 2, 3, 4, 5, 6]]",
	    ", \"judged\": 1, \"proven\": 1, \"stalls\": [[1, -2, 3, 4, 5, 6, 7]]",
	    ", \"judged\": 1, \"proven\": 1, \"stalls\": [7]",
	    ", \"judged\": 1, \"proven\": 1, \"stalls\": [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
	    "12, 13, -14]]",
	    ", \"judged\": 1, \"proven\": 1, \"stalls\": [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
	    "12, 13]]",
	    ", \"judged\": 1, \"proven\": 1, \"stalls\": [], \"unproven\": [" LATE "]",
	    ", \"judged\": 2, \"proven\": 1, \"stalls\": [], \"unproven\": [" LATE ", " LATE "]",
	    ", \"judged\": 1, \"proven\": 0, \"stalls\": [], \"unproven\": [7]",
	    ", \"judged\": 1, \"proven\": 0, \"stalls\": [], \"unproven\": [[10, 2, 3, 4, 5, 6, "
	    "7, 8, 9, 10, 11, 12, 13, 14]]",
	};
	struct response_result back;
	struct kept_test test;

	(void)state;
	kept_init(&test);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(verdict_reads(&test, wrong[i], &back));
	assert_true(verdict_reads(&test, "", &back));
	assert_int_equal(back.judged, 0);
	assert_true(verdict_reads(
	    &test, ", \"judged\": 2, \"proven\": 1, \"stalls\": [[9, 2, 3, 4, 5, 6, 7]]", &back));
	assert_int_equal(back.proven, 1);
	assert_int_equal(back.stalls.late[0].subframe, 9);
	assert_int_equal(back.stalls.late[0].before_ns, 7);
	assert_int_equal(back.stalls.late[0].chain_ns, 0);
	assert_int_equal(back.unproven.n, 0);
	assert_true(verdict_reads(&test,
	    ", \"judged\": 2, \"proven\": 1, \"stalls\": [], \"unproven\": [" LATE "]", &back));
	assert_int_equal(back.stalls.n, 0);
	assert_int_equal(back.unproven.n, 1);
	assert_int_equal(back.unproven.late[0].subframe, 1);
	assert_int_equal(back.unproven.late[0].slack_ns, 13);
	unlink(test.file);
}

static void test_is_no_figure(void **state)
{
	static const char *const files[] = {"", "{", "[]", "{}", "{\"cpu\": \"a CPU\"}",
	    "{\"cpu\": \"a CPU\", \"rounds_per_ms\": 0, \"slowed\": 0.25, \"parts\": {}}",
	    "{\"cpu\": \"a CPU\", \"rounds_per_ms\": 9, \"parts\": {}}",
	    "{\"cpu\": \"a CPU\", \"rounds_per_ms\": 9, \"slowed\": \"0\", \"parts\": {}}",
	    "{\"cpu\": \"a CPU\", \"rounds_per_ms\": 9, \"slowed\": -0.1, \"parts\": {}}",
	    "{\"cpu\": \"a CPU\", \"rounds_per_ms\": 9, \"slowed\": 0.6, \"parts\": {}}",
	    "{\"cpu\": 1, \"rounds_per_ms\": 9, \"slowed\": 0.25, \"parts\": {}}",
	    "{\"cpu\": \"a CPU\", \"rounds_per_ms\": 9, \"slowed\": 0.25, \"parts\": []}"};
	static const char *const parts[] = {"1", "[]", "{}",
	    "{\"subframes\": 10, \"failed\": 11, \"loops_ns\": 1, \"all_ns\": 1, \"cells\": []}",
	    "{\"subframes\": 10, \"failed\": -1, \"loops_ns\": 1, \"all_ns\": 1, \"cells\": []}",
	    "{\"subframes\": 10, \"failed\": 1, \"loops_ns\": 1, \"all_ns\": 1}",
	    "{\"subframes\": 10, \"failed\": 1, \"loops_ns\": 1, \"all_ns\": 1, "
	    "\"cells\": [[100000, 1]]}",
	    "{\"subframes\": 10, \"failed\": 1, \"loops_ns\": 1, \"all_ns\": 1, "
	    "\"cells\": [[-1, 1]]}",
	    "{\"subframes\": 10, \"failed\": 1, \"loops_ns\": 1, \"all_ns\": 1, "
	    "\"cells\": [[5, 6], [6, 5]]}"};
	struct response_result back;
	struct kept_test test;
	char text[512];

	(void)state;
	kept_init(&test);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		file_put(&test, files[i]);
		assert_non_null(response_kept_open(&test.kept, test.file, "a CPU"));
		response_kept_close(&test.kept);
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		snprintf(text, sizeof(text),
		    "{\"cpu\": \"a CPU\", \"rounds_per_ms\": 9, \"slowed\": 0.25, "
		    "\"parts\": {\"cell\": %s}}",
		    parts[i]);
		file_put(&test, text);
		assert_null(response_kept_open(&test.kept, test.file, "a CPU"));
		assert_int_equal(test.kept.core.rounds, 9);
		assert_true(test.kept.core.slowed == 0.25);
		assert_false(response_kept_get(&test.kept, "cell", 10, &back));
		response_kept_close(&test.kept);
	}
	unlink(test.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_comes_back),
	    cmocka_unit_test(test_verdicts),
	    cmocka_unit_test(test_is_no_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
