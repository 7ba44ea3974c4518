/* SPDX-License-Identifier: BSD-3-Clause
 * What `aloe bench map --published` says when a chain cannot be solved, and what is left then.
 * Apart from test_bench_stages.c, which sanitizers leave out: here they look for leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { FAILED = 1, USAGE };

static void has(const char *all, const char *part)
{
	if (!strstr(all, part))
		fail_msg("no `%s` in:\n%s", part, all);
}

/* In a folder with a receiver of its own, of a chain of tasks that cost so much. */
static struct ran *large_chain(const char *name, const double *us, size_t n)
{
	const char *dir = aloe_path(name);
	char path[4096], home[4096], *conf = NULL;
	size_t len;
	FILE *out = open_memstream(&conf, &len);
	struct ran *ran;

	assert_non_null(out);
	fprintf(out, "name = \"large\"; slot_ns = 10000000;\ninstances: {\n");
	for (size_t i = 0; i < n; i++)
		fprintf(out,
		    "t%zu: { component = \"stand_in\"; length = 400000; m1_big_us = %.1f;\n"
		    "m1_little_us = %.1f; u9_big_us = %.1f; u9_little_us = %.1f; };\n",
		    i, us[i], us[i], us[i], us[i]);
	fprintf(out, "};\nlinks = (\"t0");
	for (size_t i = 1; i < n; i++)
		fprintf(out, " -> t%zu", i);
	fprintf(out, "\");\n");
	assert_int_equal(fclose(out), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/waveforms", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/waveforms/dvbs2-costs.conf", dir);
	file_make(path, conf, len);
	free(conf);
	assert_non_null(getcwd(home, sizeof(home)));
	assert_int_equal(chdir(dir), 0);
	ran = aloe("bench map --published --seeds 1 --units 0 -q");
	assert_int_equal(chdir(home), 0);
	return ran;
}

/* Costs that are too large for the solver; and, on two nodes, costs that are so only with the time
 * of the message, after schedules of one node were found. */
static void test_too_large(void **state)
{
	static const char allowed[] =
	    "at most 4096 tasks, which cost less than 6.87195e+10 together, and 1 to 4096 cores";
	static const double us[8] = {1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 8719474, 1};
	static const double more[8] = {1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1};
	struct ran *ran = large_chain("two", us, 8);

	(void)state;
	assert_int_equal(ran->status, USAGE);
	has(ran->err, "dvbs2-costs.conf on two nodes: ");
	has(ran->err, allowed);
	ran_free(ran);
	ran = large_chain("one", more, 8);
	assert_int_equal(ran->status, USAGE);
	has(ran->err, "dvbs2-costs.conf: ");
	has(ran->err, allowed);
	ran_free(ran);
}

/* The memory of the recurrence for the long chains is refused: what was computed is printed. */
static void test_no_memory_for_chains(void **state)
{
	struct rlimit before, little;
	struct ran *ran;

	(void)state;
	if (ALOE_SLOWER(false, true)) /* a sanitizer takes more addresses than that by itself */
		skip();
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	little = before;
	little.rlim_cur = 60u << 20; /* the recurrence takes 65 MB */
	assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
	ran = aloe("bench map --published --seeds 1 --units 200 --cores 200 -q");
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(ran->status, FAILED);
	has(ran->err, "long chains: Cannot allocate memory");
	assert_null(strstr(ran->err, "row is missing"));
	has(ran->out, "a DVB-S2 receiver of 23 tasks");
	has(ran->out, "plain recurrence");
	has(ran->out, "a problem was not solved: these are the results until then");
	ran_free(ran);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_too_large),
	    cmocka_unit_test(test_no_memory_for_chains),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
