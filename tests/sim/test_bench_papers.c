/* SPDX-License-Identifier: BSD-3-Clause
 * The papers' tables and figures as `aloe bench` prints them: that every figure follows from those
 * beside it, that ratios to published figures are those of isolation `component`, and that nothing
 * is left behind. On the virtual clock. */
#include <dirent.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { OK, FAILED, USAGE };

static const json_t *row_at(const struct ran *ran, const char *table, size_t row)
{
	return json_array_get(json_object_get(json_object_get(ran->report, "tables"), table), row);
}

static size_t rows(const struct ran *ran, const char *table)
{
	return json_array_size(json_object_get(json_object_get(ran->report, "tables"), table));
}

static double number(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);

	if (!json_is_number(value))
		fail_msg("no number `%s`", key);
	return json_number_value(value);
}

static const char *text(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);

	if (!json_is_string(value))
		fail_msg("no text `%s`", key);
	return json_string_value(value);
}

static bool none(const json_t *row, const char *key)
{
	return json_is_null(json_object_get(row, key));
}

/* The row of that isolation and component. */
static const json_t *row_of(
    const struct ran *ran, const char *table, const char *isolation, const char *component)
{
	for (size_t i = 0; i < rows(ran, table); i++) {
		const json_t *row = row_at(ran, table, i);
		if (!strcmp(text(row, "isolation"), isolation) &&
		    (!component || !strcmp(text(row, "component"), component)))
			return row;
	}
	fail_msg("%s: no row of %s, %s", table, isolation, component ? component : "any");
	return NULL;
}

static void same(double a, double b)
{
	if (fabs(a - b) > 1e-6 * fabs(b))
		fail_msg("%.9g is not %.9g", a, b);
}

static void has(const char *all, const char *part)
{
	if (!strstr(all, part))
		fail_msg("no `%s` in:\n%s", part, all);
}

/* ---- table1 ------------------------------------------------------------------------ */

/* A series of the plot shows what its title says: `key` of the rows of the table from `first`. */
static void bars_are(const char *script, int series, const char *title, const struct ran *ran,
    size_t first, const char *key)
{
	const char *at;
	char part[160];

	snprintf(part, sizeof(part), "title '%s'", title);
	at = strstr(script, "\nplot ");
	assert_non_null(at);
	for (int i = 0; i <= series; i++)
		at = strstr(at + 1, "title ");
	assert_int_equal(strncmp(at, part, strlen(part)), 0);
	snprintf(part, sizeof(part), "$data%d << END\n", series);
	has(script, part);
	at = strstr(script, part) + strlen(part);
	for (size_t i = 0; i < 14; i++) {
		const json_t *row = row_at(ran, "components", first + i);
		char *end;

		snprintf(part, sizeof(part), "'%s' %zu", text(row, "component"), i);
		has(script, part); /* the label of the row */
		assert_true(strtod(at, &end) == (double)i);
		same(strtod(end, &end), number(row, key));
		at = end + strlen(" \n");
	}
	assert_int_equal(strncmp(at, "END\n", 4), 0);
}

/* Means were published for two rows only, so the plot sets maxima beside maxima, and says so. */
static void check_plot(const char *script, const struct ran *ran)
{
	has(script, "set title 'Longest execution time of each component of the UTRAN chain'");
	has(script, "set xlabel 'time [us]'");
	has(script, "set ylabel 'component'");
	bars_are(script, 0, "isolation waveform: maximum", ran, 0, "max_us");
	bars_are(script, 1, "isolation component: maximum", ran, 16, "max_us");
	bars_are(script, 2, "published, x86: maximum", ran, 16, "published_max_us");
	assert_null(strstr(script, "$data3"));
}

static void test_table1_headings(void **state)
{
	struct ran *ran =
	    aloe_ok("bench table1 -n 2 --isolation waveform --clock virtual --markdown -q");

	(void)state;
	has(ran->out,
	    "| mean us | max us | kMAC | max kMAC | published mean us | published max us |");
	ran_free(ran);
}

static void test_table1(void **state)
{
	struct ran *ran = aloe_ok("bench table1 -n 5 --isolation component,waveform --clock "
	                          "virtual --json --plot '%s' -q",
	    aloe_path("table1.gp"));
	char *script = file_take(aloe_path("table1.gp"), NULL);
	const json_t *chain = row_of(ran, "components", "component", "chain"), *decoder, *longer;
	double mean = 0, most = 0, published = 0;

	(void)state;
	assert_int_equal(rows(ran, "components"), 2 * 16);
	for (size_t i = 16; i < 16 + 14; i++) {
		const json_t *row = row_at(ran, "components", i);
		const json_t *inside =
		    row_of(ran, "components", "waveform", text(row, "component"));
		assert_string_equal(text(row, "isolation"), "component");
		assert_true(number(row, "calls") == 5);
		assert_true(
		    number(row, "mean_us") > 0 && number(row, "max_us") >= number(row, "mean_us"));
		same(number(row, "published_max_us"), number(row, "published_kmac") / 0.6);
		same(number(row, "times"), number(row, "published_max_us") / number(row, "max_us"));
		same(number(row, "in_process_max_us"), number(inside, "max_us"));
		assert_true(none(inside, "times") && none(inside, "in_process_max_us"));
		mean += number(row, "mean_us");
		most += number(row, "max_us");
		published += number(row, "published_kmac");
	}
	same(number(chain, "mean_us"), mean);
	same(number(chain, "max_us"), most);
	same(number(chain, "published_kmac"), published);
	same(published, 2071.8);
	same(number(chain, "published_arm_kmac"), 3260);
	decoder = row_of(ran, "components", "waveform", "turbo decoder");
	same(number(decoder, "published_mean_us"), 1827.8);
	same(number(decoder, "published_max_us"), 1907);
	longer = row_of(ran, "components", "waveform", "1st interleaver, 20 ms");
	assert_true(number(longer, "calls") == 5 && none(longer, "published_kmac"));
	check_plot(script, ran);
	free(script);
	ran_free(ran);
}

static void test_markdown(void **state)
{
	struct ran *ran = aloe_ok("bench map --seeds 2 --units 0 --markdown -q");

	(void)state;
	assert_int_equal(
	    strncmp(ran->out, "`aloe-bench map --seeds 2 --units 0 --markdown", 46), 0);
	has(ran->out, "\n\n**the problems**\n\n| load % | problems | feasible |");
	has(ran->out, " |\n|---:|---:|---:|---:|---:|\n| 80 | 2 | ");
	has(ran->out, "\n\n* random problems, seeds 1 to 2");
	ran_free(ran);
}

/* --table shows one of them, and writes it as CSV; of a name that is not there it says which
 * are. */
static void test_one_table(void **state)
{
	struct ran *ran = aloe_ok("bench map --seeds 2 --units 0 --table problems --csv '%s' -q",
	    aloe_path("problems.csv"));
	char *csv = file_take(aloe_path("problems.csv"), NULL);

	(void)state;
	has(ran->out, "the problems\n");
	assert_null(strstr(ran->out, "a mapper solves"));
	assert_int_equal(strncmp(csv, "load_percent,problems,", 22), 0);
	assert_int_equal(ran_lines(csv), 4);
	free(csv);
	ran_free(ran);
	ran = aloe_ok("bench map --seeds 2 --units 0 --table problem -q");
	has(ran->err, "--table: no table has that name; the tables are: mappers problems\n");
	has(ran->out, "a mapper solves");
	ran_free(ran);
}

/* ---- hist ------------------------------------------------------------------------ */

static void check_summary(const struct ran *ran, const json_t *summary)
{
	double counted = 0, share = 0, last = 0;

	for (size_t i = 0; i < rows(ran, "cells"); i++) {
		const json_t *cell = row_at(ran, "cells", i);
		if (strcmp(text(cell, "component"), text(summary, "component")) != 0)
			continue;
		assert_true(number(cell, "from_us") >= last &&
		    number(cell, "to_us") > number(cell, "from_us"));
		last = number(cell, "to_us");
		counted += number(cell, "count");
		share += number(cell, "share");
	}
	assert_true(counted == 40 && number(summary, "samples") == 40);
	same(share, 1);
	assert_true(number(summary, "max_us") <= last);
	assert_true(number(summary, "p50_us") <= number(summary, "p99_us"));
	assert_true(number(summary, "p99_us") <= number(summary, "max_us"));
	same(
	    number(summary, "max_to_mean"), number(summary, "max_us") / number(summary, "mean_us"));
}

static void test_hist(void **state)
{
	struct ran *ran =
	    aloe_ok("bench hist -n 40 --clock virtual --json --csv '%s' -q", aloe_path("hist.csv"));
	char *csv = file_take(aloe_path("hist.csv"), NULL);

	(void)state;
	assert_int_equal(rows(ran, "summary"), 3);
	for (size_t i = 0; i < 3; i++)
		check_summary(ran, row_at(ran, "summary", i));
	assert_string_equal(text(row_at(ran, "summary", 1), "component"), "turbo decoder");
	same(number(row_at(ran, "summary", 1), "published_max_to_mean"), 1907 / 1827.8);
	assert_true(none(row_at(ran, "summary", 0), "published_mean_us"));
	assert_int_equal(ran_lines(csv), 1 + (int)rows(ran, "cells"));
	assert_int_equal(strncmp(csv, "isolation,component,from_us,to_us,count,share\n", 46), 0);
	free(csv);
	ran_free(ran);
}

/* ---- link ------------------------------------------------------------------------ */

static void test_link(void **state)
{
	struct ran *ran = aloe_ok("bench link -n 60 --bits 100000 --isolation waveform,component "
	                          "--clock virtual --json --strict -q");
	const json_t *inside = row_of(ran, "links", "waveform", NULL),
	             *apart = row_of(ran, "links", "component", NULL);

	(void)state;
	assert_int_equal(rows(ran, "links"), 2);
	for (size_t i = 0; i < 2; i++) {
		const json_t *row = row_at(ran, "links", i);
		assert_true(number(row, "samples") == 60 && number(row, "bits") == 1e5);
		/* the clock is read in whole ns, and its mean over the calls is of each for
		 * itself */
		assert_true(number(row, "mean_us") >=
		    number(row, "send_us") + number(row, "receive_us") - 0.01);
		same(number(row, "gbit_per_s"), 1e5 / number(row, "mean_us") / 1e3);
		same(number(row, "max_to_mean"), number(row, "max_us") / number(row, "mean_us"));
		assert_true(number(row, "p50_us") <= number(row, "p99_us") &&
		    number(row, "p99_us") <= number(row, "p99999_us") &&
		    number(row, "p99999_us") <= number(row, "max_us"));
		assert_true(number(row, "zero_copy_us") > 0);
	}
	assert_true(
	    none(inside, "published_max_to_mean") && none(inside, "in_process_max_to_mean"));
	assert_true(number(apart, "published_max_to_mean") == 8);
	same(number(apart, "in_process_max_to_mean"), number(inside, "max_to_mean"));
	has(ran->out, "wrong numbers: 0");
	ran_free(ran);
}

/* ---- overhead ------------------------------------------------------------------------ */

static void check_lines(const struct ran *ran)
{
	for (size_t i = 0; i < 2; i++) {
		const json_t *row = row_at(ran, "lines", i);
		assert_true(number(row, "samples") == 2 * 100);
		assert_true(number(row, "module_low_us") <= number(row, "module_us") &&
		    number(row, "module_us") <= number(row, "module_high_us"));
		assert_true(number(row, "base_low_us") <= number(row, "base_us") &&
		    number(row, "base_us") <= number(row, "base_high_us"));
		assert_true(
		    number(row, "module_direct_us") > 0 && number(row, "direct_samples") > 0);
		same(number(row, "published_module_us"), 5.94);
		same(number(row, "published_base_us"), 186.7);
		same(number(row, "times"), 5.94 / number(row, "module_us"));
		assert_true(none(row, "in_process_module_us"));
	}
}

static void test_overhead(void **state)
{
	struct ran *ran = aloe_ok("bench overhead --components 3,10 -n 100 -r 2 --slot-us 1000 "
	                          "--isolation component --clock virtual --json -q");
	const json_t *line, *taps, *digests, *relative = row_at(ran, "relative", 0);

	(void)state;
	assert_int_equal(rows(ran, "chains"), 2);
	for (size_t i = 0; i < 2; i++) {
		const json_t *row = row_at(ran, "chains", i);
		assert_true(number(row, "samples") == 100);
		assert_true(number(row, "components") == (i ? 10 : 3));
		same(number(row, "each_us"), number(row, "mean_us") / number(row, "components"));
	}
	assert_int_equal(rows(ran, "lines"), 2);
	check_lines(ran);
	assert_int_equal(rows(ran, "taps"), 1);
	assert_int_equal(rows(ran, "evidence"), 1);
	assert_true(number(row_at(ran, "evidence", 0), "samples") == 100);
	assert_true(number(row_at(ran, "evidence", 0), "on_us") > 0);
	assert_true(number(row_at(ran, "evidence", 0), "off_us") > 0);
	taps = row_at(ran, "taps", 0);
	assert_true(number(taps, "samples") == 100);
	same(number(taps, "taps_us"), number(taps, "tapped_us") - number(taps, "untapped_us"));
	same(number(taps, "taps_ratio"), number(taps, "tapped_us") / number(taps, "untapped_us"));
	assert_int_equal(rows(ran, "digests"), 2);
	digests = row_at(ran, "digests", 1);
	assert_true(number(digests, "bytes") == 8192);
	assert_true(number(digests, "without_us") > 0);
	assert_true(number(digests, "with_us") > number(digests, "without_us"));
	assert_int_equal(rows(ran, "relative"), 1);
	line = row_at(ran, "lines", 0);
	same(number(relative, "share"), number(relative, "overhead_us") / 1000);
	same(number(relative, "fitted_share"),
	    (number(line, "base_us") + 10 * number(line, "module_us")) / 1000);
	same(number(relative, "published_share"), (186.7 + 59.4) / 1000);
	same(number(relative, "times"),
	    number(relative, "published_share") / number(relative, "share"));
	ran_free(ran);
}

/* ---- memory ------------------------------------------------------------------------ */

static size_t processes(const struct ran *ran, const char *isolation, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < rows(ran, "processes"); i++)
		n += !strcmp(text(row_at(ran, "processes", i), "isolation"), isolation) &&
		    !strcmp(text(row_at(ran, "processes", i), "process"), name);
	return n;
}

static void check_process(const json_t *row)
{
	const bool apart = !strcmp(text(row, "isolation"), "component");

	assert_true(number(row, "private_kb") > 50 && number(row, "shared_kb") > 50);
	if (!strcmp(text(row, "process"), "aloe-exec") ||
	    !strcmp(text(row, "process"), "aloe-host"))
		assert_true(number(row, "image_kb") > 0);
	assert_true(none(row, "published_ti_kb") || !json_object_get(row, "published_ti_kb"));
	if (!apart || !strcmp(text(row, "process"), "aloe"))
		assert_true(none(row, "times"));
	else
		same(number(row, "times"), number(row, "published_kb") / number(row, "private_kb"));
}

static void test_memory(void **state)
{
	struct ran *ran = aloe_ok("bench memory waveforms/bpsk.conf --isolation waveform,component "
	                          "--clock virtual --json -q");
	static const char *const daemons[] = {
	    "aloe", "aloe-frontend", "aloe-exec", "aloe-stats", "aloe-swman"};
	const json_t *instance = row_at(ran, "instances", 0);
	double all = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(daemons) / sizeof(daemons[0]); i++)
		assert_int_equal(processes(ran, "waveform", daemons[i]), 1);
	assert_int_equal(processes(ran, "waveform", "aloe-host"), 1);
	assert_int_equal(processes(ran, "component", "aloe-host"), 4);
	for (size_t i = 0; i < rows(ran, "processes"); i++) {
		const json_t *row = row_at(ran, "processes", i);
		check_process(row);
		if (!strcmp(text(row, "isolation"), "waveform") &&
		    !strcmp(text(row, "process"), "aloe-host"))
			all = number(row, "private_kb");
		if (!strcmp(text(row, "isolation"), "component") &&
		    !strcmp(text(row, "process"), "aloe-host"))
			same(number(row, "in_process_kb"), all / 4);
	}
	assert_int_equal(rows(ran, "instances"), 1);
	same(number(instance, "sum_kb"),
	    number(instance, "private_kb") + number(instance, "image_kb"));
	assert_true(number(instance, "sum_kb") > 4 && number(instance, "sum_kb") < 260);
	ran_free(ran);
}

/* ---- bpsk ------------------------------------------------------------------------ */

/* On the virtual clock everything is stable: the largest is the last of the scale of 32 to the
 * octave. */
static void test_bpsk(void **state)
{
	struct ran *ran = aloe_ok("bench bpsk --clock virtual --max 68 --slots 20 --runs 2 "
	                          "--slot-us 100 --lanes 1 --json --plot '%s' -q",
	    aloe_path("bpsk.gp"));
	char *script = file_take(aloe_path("bpsk.gp"), NULL);

	(void)state;
	assert_int_equal(rows(ran, "largest"), 2);
	for (size_t i = 0; i < 2; i++) {
		const json_t *row = row_at(ran, "largest", i);
		assert_true(number(row, "bits") == round(64 * exp2(2. / 32)));
		same(number(row, "mbit_per_s"), number(row, "bits") / 100);
		assert_true(number(row, "samples") == 2 * 20 && number(row, "missed") == 0);
		assert_string_equal(text(row, "mapping"), "source mod demod sink");
		assert_string_equal(text(row, "limit"), "--max");
	}
	/* known, it is not run again for the second counting */
	assert_int_equal(rows(ran, "trials"), 1);
	assert_string_equal(text(row_at(ran, "trials", 0), "holds"), "yes");
	has(script, "set xlabel 'slot length [us]'");
	has(script, "set ylabel 'throughput [Mbit/s]'");
	has(script, "set logscale x");
	free(script);
	ran_free(ran);
}

/* Slot after slot, on one lane and on two: the time of one is that of the other so many times. */
static void test_bpsk_lanes(void **state)
{
	char limit[40];
	static const char *const replicas[] = {"-", "mod, demod 2", "all 2"};
	struct ran *ran;

	(void)state;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	ran = aloe_ok("bench bpsk --clock virtual --max 64 --slots 20 --runs 1 --slot-us 100 "
	              "--lanes 1,2 --pairs 1 --json -q");
	assert_int_equal(rows(ran, "lanes"), 3);
	for (size_t i = 0; i < 3; i++) {
		const json_t *row = row_at(ran, "lanes", i);

		assert_string_equal(text(row, "replicas"), replicas[i]);
		assert_true(number(row, "bits") == 64 && number(row, "pairs") == 1);
		same(number(row, "times"), number(row, "one_us") / number(row, "two_us"));
		same(number(row, "limit_share"),
		    100 * number(row, "times") / number(row, "bare_times"));
		snprintf(limit, sizeof(limit), "no; the limit is %.2f", number(row, "bare_times"));
		assert_string_equal(text(row, "reached"),
		    number(row, "times") >= 1.8            ? "yes"
		        : number(row, "bare_times") >= 1.8 ? "no"
		                                           : limit);
	}
	ran_free(ran);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void test_usage(void **state)
{
	static const char *const wrong[][2] = {
	    {"table1 --isolation process",
	        "--isolation process: none, waveform, component are allowed"},
	    {"table1 --isolation none,", "--isolation none,: "},
	    {"table1 --samples 0", "--samples 0: "},
	    {"table1 --json --markdown", "--json and --markdown cannot both"},
	    {"table1 --simd plain,avx2,none", "--simd plain,avx2,none: "},
	    {"hist --clock step", "--clock step: the value must be one of: timer virtual"},
	    {"bpsk --lanes 0", "--lanes 0: different numbers of lanes"},
	    {"bpsk --slot-us 0", "--slot-us 0: different slot lengths"},
	    {"bpsk --max 63", "--max 63: "},
	    {"link --bits 65", "--bits 65: different multiples of 8 bit"},
	    {"link --bits 8", "--bits 8: "},
	    {"overhead --components 1", "--components 1: different whole numbers 2 .. 10000"},
	    {"overhead --components 3.5", "--components 3.5: "},
	    {"memory none.conf -q", "none.conf: cannot be read"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ran *ran = aloe_ends(USAGE, "bench %s", wrong[i][0]);
		has(ran->err, wrong[i][1]);
		ran_free(ran);
	}
}

/* ---- kill -9 ------------------------------------------------------------------------ */

static size_t entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

/* Killed in the middle of a run, it leaves nothing: what it has started ends, and then its folder
 * goes. */
static void test_killed(void **state)
{
	char *const argv[] = {(char *)aloe_program("aloe"), (char *)"bench", (char *)"hist",
	    (char *)"--clock", (char *)"virtual", (char *)"--quiet", NULL};
	const char *folder = aloe_path("tmp");
	pid_t pid;

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	setenv("TMPDIR", folder, 1);
	pid = fork();
	if (pid == 0) {
		if (freopen("/dev/null", "w", stdout))
			execv(argv[0], argv);
		_exit(127);
	}
	assert_true(pid > 0);
	/* its folder, and that of a node */
	while (entries(folder) == 0 || entries(aloe_path("run")) == 0)
		poll(NULL, 0, 10);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	while (entries(folder) > 0 || entries(aloe_path("run")) > 0)
		poll(NULL, 0, 10);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table1),
	    cmocka_unit_test(test_table1_headings),
	    cmocka_unit_test(test_markdown),
	    cmocka_unit_test(test_one_table),
	    cmocka_unit_test(test_hist),
	    cmocka_unit_test(test_link),
	    cmocka_unit_test(test_overhead),
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_bpsk),
	    cmocka_unit_test(test_bpsk_lanes),
	    cmocka_unit_test(test_usage),
	    cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
