/* SPDX-License-Identifier: BSD-3-Clause
 * `aloe bench map --published` as a user runs it: the published optima, random chains, long chains
 * and two nodes; and what it says of files of recorded schedules that are wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "core/base/text.h"
#include "tests/common/aloe.h"

enum { OK, FAILED, USAGE, STRICT, PLATFORMS = 4, ROWS = 7 };

static json_t *row_of(const struct ran *ran, const char *table, size_t row)
{
	json_t *found =
	    json_array_get(json_object_get(json_object_get(ran->report, "tables"), table), row);

	assert_non_null(found);
	return found;
}

static size_t rows(const struct ran *ran, const char *table)
{
	return json_array_size(json_object_get(json_object_get(ran->report, "tables"), table));
}

static double number(json_t *row, const char *key)
{
	json_t *value = json_object_get(row, key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

static const char *text(json_t *row, const char *key)
{
	const char *value = json_string_value(json_object_get(row, key));

	assert_non_null(value);
	return value;
}

static void has(const char *all, const char *part)
{
	if (!strstr(all, part))
		fail_msg("no `%s` in:\n%s", part, all);
}

/* ---- all tables ------------------------------------------------------------------------- */

static void dvbs2_check(const struct ran *ran)
{
	static const double periods[PLATFORMS][2] = {
	    {950.59, 3339.86}, {1128.745, 3339.86}, {1341.90, 6209}, {2722.06, 6209}};
	static const int used[PLATFORMS][2] = {{9, 4}, {8, 2}, {5, 8}, {3, 4}};

	assert_int_equal(rows(ran, "dvbs2"), PLATFORMS * ROWS);
	for (size_t i = 0; i < PLATFORMS; i++) {
		json_t *ours = row_of(ran, "dvbs2", ROWS * i);
		json_t *alone = row_of(ran, "dvbs2", ROWS * i + 1);
		json_t *theirs = row_of(ran, "dvbs2", ROWS * i + 2);

		assert_string_equal(text(ours, "scheduler"), "aloe");
		assert_string_equal(text(theirs, "scheduler"), "HeRAD");
		assert_true(fabs(number(ours, "period_us") - periods[i][0]) < 0.006);
		assert_true(fabs(number(alone, "period_us") - periods[i][1]) < 0.006);
		assert_int_equal(number(ours, "big_used"), used[i][0]);
		assert_int_equal(number(ours, "little_used"), used[i][1]);
		assert_int_equal(number(theirs, "big_used"), used[i][0]);
		assert_true(number(ours, "slots") > number(alone, "slots"));
		assert_string_equal(text(ours, "reach"), "met");
		assert_string_equal(text(alone, "reach"), "met");
	}
}

static void chains_check(const struct ran *ran, double cases)
{
	assert_int_equal(rows(ran, "chains"), 18);
	for (size_t i = 0; i < 18; i++) {
		json_t *row = row_of(ran, "chains", i);

		assert_true(number(row, "cases") == cases);
		assert_true(number(row, "optimal") == cases);
		assert_true(number(row, "fewer_big") == 0);
		assert_true(number(row, "more_big") == 0);
		if (i % 2 == 0)
			assert_string_equal(text(row, "reach"), "met");
	}
}

static void pairs_check(const struct ran *ran)
{
	assert_int_equal(rows(ran, "pairs"), 16);
	for (size_t i = 0; i < 16; i++) {
		json_t *row = row_of(ran, "pairs", i);
		const double period = number(row, "period_us"), bound = number(row, "bound_us");
		const bool optimal = strcmp(text(row, "answer"), "optimal") == 0;

		assert_true(period >= bound - 1e-9);
		assert_true(optimal == (period == bound));
		assert_true(
		    period <= number(row_of(ran, "dvbs2", ROWS * (i / 4) + i % 2), "period_us"));
		assert_true(
		    fabs(number(row, "latency_us") / (period * number(row, "slots")) - 1) < 1e-6);
	}
	for (size_t i = 0; i < 9; i++) {
		json_t *row = row_of(ran, "random_pairs", i);

		assert_true(number(row, "ratio_mean") >= 1);
		assert_true(number(row, "ratio_worst") >= number(row, "ratio_mean"));
		assert_true(number(row, "gain_mean") >= 1);
		assert_true(number(row, "optimal") <= number(row, "cases"));
	}
	/* Two nodes with ten times the rate do better than one, and worse than no link at all. */
	assert_true(number(row_of(ran, "pairs", 14), "period_us") <
	    0.8 * number(row_of(ran, "pairs", 12), "period_us"));
}

static void test_tables(void **state)
{
	struct ran *ran =
	    aloe_ok("bench map --published --seeds 11:30 --units 60 --cores 40 --json -q --strict");

	(void)state;
	assert_string_equal(ran->err, "");
	dvbs2_check(ran);
	chains_check(ran, 20);
	assert_int_equal(rows(ran, "large"), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(text(row_of(ran, "large", i), "reach"), "met");
		assert_true(number(row_of(ran, "large", i), "tasks") == 60);
		assert_true(json_is_null(json_object_get(row_of(ran, "large", i), "herad_s")));
	}
	pairs_check(ran);
	ran_free(ran);
}

/* ---- recorded schedules ------------------------------------------------------------------ */

static const char scenarios[] =
    "RNG seed,number of tasks,stateless ratio,min task time,max task time,min slowdown,max "
    "slowdown,loads in big resources,loads in small resources,task states\n"
    "0,3,0.5,1,100,1,5,2|6|3,3|8|9,SF|SL|SF\n"
    "1,2,0.5,1,100,1,5,10|10,20|30,SF|SF\n";
static const char results[] =
    "RNG seed,algorithm,number of tasks,big resources,little resources,time max,stateless "
    "ratio,period,big used,little used,number of stages\n"
    "1,best,2,2,1,100,0.5,10,2,0,2\n"
    "0,best,3,1,3,100,0.5,4,1,3,3\n"
    "0,poor,3,1,3,100,0.5,5,1,2,3\n"
    "1,poor,2,2,1,100,0.5,15,1,1,2\n";

static const char *folder(const char *name, const char *first, const char *second)
{
	const char *dir = aloe_path(name);
	char path[4096];

	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/simulation_scenarios.csv", dir);
	file_make(path, first, strlen(first));
	snprintf(path, sizeof(path), "%s/simulation_results.csv", dir);
	file_make(path, second, strlen(second));
	return dir;
}

static void test_recorded(void **state)
{
	struct ran *ran = aloe_ok("bench map --published --seeds 1 --units 0 --cases '%s' --json "
	                          "-q --strict",
	    folder("good", scenarios, results));

	(void)state;
	assert_int_equal(rows(ran, "chains"), 8);
	for (size_t i = 0; i < 8; i++) {
		json_t *row = row_of(ran, "chains", i);
		const bool poor = strcmp(text(row, "scheduler"), "poor") == 0;

		assert_true(number(row, "cases") == 1);
		assert_true(number(row, "optimal") == !poor);
		if (poor)
			assert_true(
			    number(row, "ratio_worst") == (number(row, "big") == 1 ? 1.25 : 1.5));
	}
	ran_free(ran);
}

/* A record that is better than the optimum is seen, and so is one with fewer big cores. */
static void test_planted(void **state)
{
	static const char fewer[] = "0,good,3,1,3,100,0.5,4,0,3,3\n";
	char planted[1024];
	struct ran *ran;

	(void)state;
	snprintf(planted, sizeof(planted), "%s%s", results, fewer);
	ran = aloe_ends(STRICT,
	    "bench map --published --seeds 1 --units 0 --cases '%s' --json -q --strict",
	    folder("planted", scenarios, planted));
	assert_string_equal(text(row_of(ran, "chains", 0), "reach"), "missed");
	ran_free(ran);
}

static void test_wrong_files(void **state)
{
	static const struct {
		const char *first, *second, *said;
	} wrong[] = {
	    {"a,b\n", results, "simulation_scenarios.csv:1: this is another file"},
	    {"RNG seed,number of tasks,stateless ratio,\n0,1\n", results,
	        ":2: the line is too short; a line of 10 fields is needed"},
	    {"RNG seed,number of tasks,stateless ratio,\n0,999,.5,,,,,1,1,SF\n", results,
	        ":2: the number of tasks is not understood; a whole number 1 .. 200 is needed"},
	    {"RNG seed,number of tasks,stateless ratio,\n0,2,.5,,,,,1|x,1|1,SF|SF\n", results,
	        ":2: the costs of the tasks are not understood"},
	    {"RNG seed,number of tasks,stateless ratio,\n0,2,.5,,,,,1|1,1,SF|SF\n", results,
	        ":2: the costs of the tasks are not understood"},
	    {"RNG seed,number of tasks,stateless ratio,\n0,2,.5,,,,,1|1,1|1,SF|S", results,
	        ":2: the states of the tasks are not understood"},
	    {"RNG seed,number of tasks,stateless ratio,\n0,2.5,.5,,,,,1|1,1|1,SF|SF\n", results,
	        ":2: the number of tasks is not understood; a whole number 1 .. 200 is needed"},
	    {"RNG seed,number of tasks,stateless ratio,\n0,2,.5,,,,,0|0,0|0,SF|SF\n", results,
	        ":2: the chain costs nothing; a task that costs more than 0 on big and on little "
	        "cores is needed"},
	    {"RNG seed,number of tasks,stateless ratio,\n0,2,.5,,,,,0|1,1|0,SF|SF\n", results,
	        ":2: the chain costs nothing"},
	    {"RNG seed,number of tasks,stateless ratio,\n", results, "there is no scenario"},
	    {scenarios, "", "simulation_results.csv: this is another file"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n7,x,3,1,3,100,0.5,4,1,3,3\n",
	        ":2: there is no scenario of this seed and share"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n0,x,3,1,3,100,0.5,nan,1,3,3\n",
	        ":2: the period is not understood"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n0,,3,1,3,100,0.5,4,1,3,3\n",
	        ":2: the scheduler is not understood"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n0,x,3,0,0,100,0.5,4,0,0,3\n",
	        ":2: there is no core, big or little; at least one is needed"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n0,x,3,201,3,100,0.5,4,1,3,3\n",
	        ":2: the big cores are not understood; a whole number 0 .. 200 is needed"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n0,x,3,1,201,100,0.5,4,1,3,3\n",
	        ":2: the little cores are not understood; a whole number 0 .. 200 is needed"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n0,x,3,1,2.5,100,0.5,4,1,1,3\n",
	        ":2: the little cores are not understood"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n0,x,3,1,3,100,0.5,0,1,3,3\n",
	        ":2: the period is not understood; a number 1e-06 .. 1e+12 is needed"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n0,x,3,1,3,100,0.5,4,2,3,3\n",
	        ":2: the used big cores are not understood; a whole number 0 .. 1 is needed"},
	    {scenarios, "RNG seed,algorithm,number of tasks,\n0,x,3,1,3,100,0.5,4,0,0,3\n",
	        ":2: there is no core, big or little"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char name[16];
		struct ran *ran;

		snprintf(name, sizeof(name), "wrong%zu", i);
		ran = aloe_ends(USAGE, "bench map --published --seeds 1 --units 0 --cases '%s' -q",
		    folder(name, wrong[i].first, wrong[i].second));
		has(ran->err, wrong[i].said);
		ran_free(ran);
	}
}

static void test_wrong_options(void **state)
{
	static const char *const wrong[][2] = {
	    {"--cases x", "--cases is of --published"},
	    {"--published --cases /nowhere", "/nowhere/simulation_scenarios.csv: "},
	    {"--published --load 80", "--load is of no use with --published"},
	    {"--published --q 0.5", "--q is of no use with --published"},
	    {"--published --units 201", "--published: at most 200 --units and 200 --cores"},
	    {"--published --seeds 0", "--seeds 0: N or FROM:TO"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ran *ran = aloe_ends(USAGE, "bench map %s -q", wrong[i][0]);

		has(ran->err, wrong[i][1]);
		ran_free(ran);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tables),
	    cmocka_unit_test(test_recorded),
	    cmocka_unit_test(test_planted),
	    cmocka_unit_test(test_wrong_files),
	    cmocka_unit_test(test_wrong_options),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
