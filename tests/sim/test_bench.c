/* SPDX-License-Identifier: BSD-3-Clause
 * `aloe bench` as a user runs it: tables, JSON, CSV and plots that agree with each other, exit
 * statuses, Ctrl-C. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "tests/common/aloe.h"

enum { OK, FAILED, USAGE, STRICT };

static double cell(const struct ran *ran, const char *table, int row, const char *key)
{
	char path[80];

	snprintf(path, sizeof(path), "tables.%s.%d.%s", table, row, key);
	return ran_number(ran, path);
}

static const char *word(const struct ran *ran, const char *table, int row, const char *key)
{
	char path[80];

	snprintf(path, sizeof(path), "tables.%s.%d.%s", table, row, key);
	return ran_text(ran, path);
}

static size_t rows(const struct ran *ran, const char *table)
{
	return json_array_size(json_object_get(json_object_get(ran->report, "tables"), table));
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no `%s` in:\n%s", part, text);
}

/* ---- bler ------------------------------------------------------------------------ */

static const char bler[] =
    "bench bler --iterations 1,2 --scaling 1 --ebn0 1.7:2.7:0.5 --errors 20 --blocks 400 -q";

static void check_point(const struct ran *ran, int row)
{
	const double blocks = cell(ran, "curve", row, "blocks"),
	             wrong = cell(ran, "curve", row, "block_errors");
	const double rate = cell(ran, "curve", row, "bler");

	assert_true(blocks == 400);
	assert_true(fabs(rate - wrong / blocks) < 1e-9);
	assert_true(cell(ran, "curve", row, "bler_low") <= rate &&
	    rate <= cell(ran, "curve", row, "bler_high"));
	assert_true(cell(ran, "curve", row, "bits") == blocks * 3856);
	assert_true(cell(ran, "curve", row, "bit_errors") >= wrong);
	assert_true(fabs(cell(ran, "curve", row, "ebn0_db") - cell(ran, "curve", row, "esn0_db") -
	                10 * log10(9120. / 3856)) < 1e-6);
	if (row % 3) /* less noise, fewer errors */
		assert_true(wrong <= cell(ran, "curve", row - 1, "block_errors"));
	if (row >= 3) /* a second iteration helps */
		assert_true(wrong < cell(ran, "curve", row - 3, "block_errors"));
}

static void test_bler(void **state)
{
	struct ran *ran = aloe_ok("%s --json --csv '%s'", bler, aloe_path("bler.csv"));
	struct ran *again = aloe_ok("%s --csv -", bler);
	char *csv = file_take(aloe_path("bler.csv"), NULL);

	(void)state;
	assert_string_equal(ran->err, "");
	assert_string_equal(ran_text(ran, "bench"), "bler");
	has(ran_text(ran, "command"),
	    "aloe-bench bler --iterations 1,2 --scaling 1 --ebn0 1.7:2.7:0.5");
	assert_true(ran_number(ran, "schema") == 1);
	assert_true(ran_number(ran, "machine.cpus") >= 1);
	assert_int_equal(rows(ran, "curve"), 6);
	for (int row = 0; row < 6; row++)
		check_point(ran, row);

	/* Two iterations cross 0.1 between the points, near where they should; with 400 blocks 0.01
	 * is not a matter. */
	assert_int_equal(rows(ran, "crossings"), 4);
	assert_true(cell(ran, "crossings", 2, "bler") == 0.1);
	assert_true(cell(ran, "crossings", 2, "reference_db") == 2.12);
	assert_true(fabs(cell(ran, "crossings", 2, "ebn0_db") - 2.12) < 0.15);
	assert_true(cell(ran, "crossings", 2, "low_db") < cell(ran, "crossings", 2, "ebn0_db"));
	assert_true(cell(ran, "crossings", 2, "high_db") > cell(ran, "crossings", 2, "ebn0_db"));

	/* The same counts on every run; CSV is the first table. */
	assert_string_equal(again->out, csv);
	assert_int_equal(ran_lines(csv), 7);
	assert_int_equal(
	    strncmp(csv, "simd,iterations,scaling,ebn0_db,esn0_db,blocks,block_errors,", 60), 0);
	free(csv);
	ran_free(again);
	ran_free(ran);
}

/* Levels see the same noise; the text says what the JSON says. */
static void test_levels(void **state)
{
	struct ran *ran = aloe_ok(
	               "bench bler --iterations 1 --ebn0 3 --blocks 60 --simd plain --seed 7 -q"),
	           *other;

	(void)state;
	has(ran->out, "aloe-bench bler --iterations 1 --ebn0 3");
	has(ran->out, "where the block error rate crosses");
	has(ran->out, "not reached by the points");
	other = aloe_ok(
	    "bench bler --iterations 1 --ebn0 3 --blocks 60 --simd plain --seed 8 -q --csv -");
	assert_int_equal(ran_lines(other->out), 2);
	assert_null(strstr(other->out, "crosses"));
	ran_free(ran);
	ran_free(other);
	ran = aloe_ends(STRICT, "bench bler --iterations 1 --ebn0 3 --blocks 60 -q --strict");
	has(ran->err, "--strict: a reference figure was not reached");
	ran_free(ran);
}

static void test_other_waveform(void **state)
{
	const char *path = conf_derive("waveforms/bpsk.conf", "noisy.conf",
	    (const char *const[][2]){
	        {"mod:    { component = \"bpsk_mod\"; };",
	            "mod: { component = \"bpsk_mod\"; output = \"cf32\"; }; noise: { component = "
	            "\"awgn\"; ebn0_db = 3.0; bits_per_item = 1.0; };"},
	        {"mod -> demod", "mod -> noise -> demod"}, {NULL, NULL}});
	struct ran *ran =
	    aloe_ok("bench bler --waveform '%s' --ebn0 4:6:2 --blocks 500 --json -q", path);
	const double expected = 0.5 * erfc(sqrt(pow(10, 0.4)));

	(void)state;
	assert_int_equal(rows(ran, "curve"), 2);
	assert_true(fabs(cell(ran, "curve", 0, "ber") / expected - 1) < 0.05);
	ran_free(ran);
	ran = aloe_ends(USAGE, "bench bler --waveform '%s'", path);
	has(ran->err, "--ebn0 FROM:TO:STEP is needed: no reference is known");
	ran_free(ran);
	ran = aloe_ends(USAGE, "bench bler --waveform '%s' --iterations 2 --ebn0 3", path);
	has(ran->err, "--iterations: ");
	ran_free(ran);
}

/* ---- plots ------------------------------------------------------------------------ */

static void check_file(const char *name, const char *begins, const char *holds)
{
	size_t len;
	char *text = file_take(aloe_path(name), &len);

	if (len < strlen(begins) || memcmp(text, begins, strlen(begins)) != 0)
		fail_msg("%s does not begin with %s", name, begins);
	if (holds)
		has(text, holds);
	free(text);
}

/* A result that --json has printed is drawn as it was drawn at once. */
static void test_drawn_again(void)
{
	struct ran *ran =
	    aloe_ok("bench map --seeds 2 --units 0 -q --json --plot '%s'", aloe_path("at-once.gp"));
	char *at_once = file_take(aloe_path("at-once.gp"), NULL), *again;

	assert_int_equal(file_write(aloe_path("r.json"), ran->out, strlen(ran->out)), 0);
	ran_free(ran);
	ran = aloe_ok("bench draw '%s' --plot '%s'", aloe_path("r.json"), aloe_path("again.gp"));
	assert_string_equal(ran->out, "");
	ran_free(ran);
	again = file_take(aloe_path("again.gp"), NULL);
	assert_string_equal(again, at_once);
	free(again);
	free(at_once);
}

static void test_plots(void **state)
{
	static const char *const files[][3] = {
	    {"b.gp", "set title 'Share of the feasible mapping problems that a mapper solves'",
	        "set xlabel 'solved [%]'"},
	    {"b.svg", "<?xml", "solved [%]"}, {"b.png", "\x89PNG", NULL}};

	(void)state;
	for (int i = 0; i < 3; i++) {
		ran_free(aloe_ok(
		    "bench map --seeds 2 --units 0 -q --plot '%s'", aloe_path(files[i][0])));
		check_file(files[i][0], files[i][1], files[i][2]);
	}
	ran_free(aloe_ends(FAILED, "bench map --seeds 2 --units 0 -q --plot /nowhere/at/all.gp"));
	test_drawn_again();
	ran_free(aloe_ends(FAILED, "bench map --seeds 2 --units 0 -q --csv /nowhere/at/all.csv"));
}

/* ---- utran ------------------------------------------------------------------------ */

static double sum_of(const struct ran *ran, const char *part, const char *key)
{
	double sum = 0;

	for (int i = 0; i < (int)rows(ran, "components"); i++) {
		char path[80];
		snprintf(path, sizeof(path), "tables.components.%d.part", i);
		if (!strcmp(ran_text(ran, path), part))
			sum += cell(ran, "components", i, key);
	}
	return sum;
}

static void test_utran(void **state)
{
	struct ran *ran =
	    aloe_ok("bench utran --clock virtual --rounds 2 --seconds 0.5 --simd plain --json -q");
	static const char *const parts[] = {"tx", "rx", "decoder"};
	static const double instances[] = {7, 6, 1, 14, 16};
	double whole = 0;

	(void)state;
	assert_int_equal(rows(ran, "components"), 20);
	assert_int_equal(rows(ran, "sums"), 5);
	for (int i = 0; i < 20; i++) {
		assert_true(cell(ran, "components", i, "calls") == 100);
		assert_true(cell(ran, "components", i, "mean_us") > 0);
		assert_true(cell(ran, "components", i, "max_us") >=
		    cell(ran, "components", i, "p50_us") * 0.96);
	}
	for (int i = 0; i < 5; i++)
		assert_true(cell(ran, "sums", i, "instances") == instances[i]);
	for (int i = 0; i < 3; i++) {
		const double sum = sum_of(ran, parts[i], "mean_us");
		assert_true(fabs(cell(ran, "sums", i, "mean_us") - sum) < 1e-6 * sum);
		whole += sum;
	}
	assert_true(fabs(cell(ran, "sums", 3, "mean_us") - whole) < 1e-6 * whole);
	assert_true(cell(ran, "sums", 3, "published_us") == 3250);
	ran_free(ran);
}

/* ---- copies ------------------------------------------------------------------------ */

/* On the virtual clock nothing is missed: the largest is what --max allows, found in as few runs as
 * it takes, side by side and one after the other. */
static void test_copies(void **state)
{
	struct ran *ran =
	    aloe_ok("bench copies --clock virtual --max 5 --seconds 0.5 --lanes 1 --json -q");
	static const double tried[] = {1, 2, 4, 5};

	(void)state;
	assert_int_equal(rows(ran, "trials"), 8);
	for (int i = 0; i < 8; i++) {
		assert_string_equal(word(ran, "trials", i, "side"), i < 4 ? "yes" : "off");
		assert_true(cell(ran, "trials", i, "copies") == tried[i % 4]);
		assert_true(cell(ran, "trials", i, "slots") == 50);
		assert_true(cell(ran, "trials", i, "missed") == 0);
		assert_true(cell(ran, "trials", i, "copy_us") > 0);
	}
	assert_int_equal(rows(ran, "largest"), 4);
	for (int i = 0; i < 4; i++) {
		assert_string_equal(word(ran, "largest", i, "side"), i < 2 ? "yes" : "off");
		assert_true(cell(ran, "largest", i, "copies") == 5);
		assert_true(cell(ran, "largest", i, "seconds") == 0.5);
	}
	has(ran->out, "\"not_held\": null");
	ran_free(ran);
	ran = aloe_ok("bench copies --clock virtual --max 2 --seconds 0.5 --lanes 1 --json -q "
	              "--set side_by_side=2");
	assert_int_equal(rows(ran, "trials"), 2); /* said: only so */
	assert_string_equal(word(ran, "trials", 1, "side"), "-");
	ran_free(ran);
}

/* A slot that is too short for one copy holds none, by whatever counting, and says which component
 * is to blame. */
static void test_copies_none(void **state)
{
	const char *path = conf_derive("waveforms/bpsk.conf", "slow.conf",
	    (const char *const[][2]){
	        {"mod:    {", "slow: { component = \"spin\"; mean_us = 1500.0; };\n\tmod:    {"},
	        {"source -> mod", "source -> slow -> mod"}, {NULL, NULL}});
	struct ran *ran = aloe_ok("bench copies '%s' --max 4 --seconds 0.2 --lanes 1 -q", path);

	(void)state;
	has(ran->out, "every miss");
	has(ran->out, "slow ");
	has(ran->out, "  no\n");
	ran_free(ran);
}

/* ---- map ------------------------------------------------------------------------ */

/* The same seeds are the same problems; exact solves all that are feasible, the portfolio is never
 * dearer than any other. */
static void test_map(void **state)
{
	struct ran *ran =
	    aloe_ok("bench map --seeds 3:32 --load 80,93 --units 60 --cores 8 --json -q");
	struct ran *again = aloe_ok("bench map --seeds 3:32 --load 80,93 --units 0 --json -q");

	(void)state;
	assert_int_equal(rows(ran, "mappers"), 24);
	assert_int_equal(rows(ran, "large"), 12);
	assert_int_equal(rows(again, "large"), 0);
	for (int load = 0; load < 2; load++) {
		const double feasible = cell(ran, "problems", load, "feasible");

		assert_true(cell(ran, "problems", load, "problems") == 30);
		assert_true(feasible + cell(ran, "problems", load, "infeasible") +
		        cell(ran, "problems", load, "open") ==
		    30);
		assert_true(feasible > 10);
		for (int row = 12 * load; row < 12 * load + 12; row++) {
			assert_true(cell(ran, "mappers", row, "feasible") == feasible);
			assert_true(cell(ran, "mappers", row, "solved") ==
			    cell(again, "mappers", row, "solved"));
			assert_true(cell(ran, "mappers", row, "solved") <= feasible);
			assert_true(cell(ran, "mappers", row, "cost_mean") >= 1 - 1e-9);
		}
		assert_true(cell(ran, "mappers", 12 * load + 10, "solved") == feasible);
		assert_true(cell(ran, "mappers", 12 * load + 10, "cost_worst") == 1);
		assert_true(cell(ran, "mappers", 12 * load + 11, "cost_mean") <=
		    cell(ran, "mappers", 12 * load + 9, "cost_mean"));
	}
	has(ran->out, "\"reach\": \"met\"");
	ran_free(again);
	ran_free(ran);
}

/* ---- predict ------------------------------------------------------------------------ */

static bool has_error(const struct ran *ran, int row)
{
	const json_t *table = json_object_get(json_object_get(ran->report, "tables"), "components");

	return json_is_number(json_object_get(json_array_get(table, (size_t)row), "class_error"));
}

static void check_predictions(const struct ran *all, const struct ran *withheld, const char *kind)
{
	static const char *const keys[] = {"clock_us", "mac_us", "class_us"};
	int n = 0, errors = 0;

	for (int row = 0, other = 0; row < (int)rows(all, "components"); row++) {
		char path[80];

		snprintf(path, sizeof(path), "tables.components.%d.source", row);
		if (!strcmp(ran_text(all, path), kind))
			continue; /* nothing is known of it as a source any more */
		for (int k = 0; k < 3; k++)
			assert_true(cell(all, "components", row, keys[k]) ==
			    cell(withheld, "components", other, keys[k]));
		snprintf(path, sizeof(path), "tables.components.%d.target", other);
		if (!strcmp(ran_text(withheld, path), kind)) {
			assert_true(cell(withheld, "components", other, "class_us") > 0);
			assert_false(has_error(withheld, other));
			n++;
		} else {
			errors += has_error(withheld, other);
		}
		other++;
	}
	assert_true(n >= 14 && n % 14 == 0);
	assert_true(errors % 14 == 0);
}

/* What is predicted for a kind does not change when what was measured of components there is taken
 * away. */
static void test_predict(void **state)
{
	struct ran *ran = aloe_ok(
	    "bench predict --rounds 1 --seconds 1 --keep '%s' --json -q", aloe_path("kinds"));
	struct ran *again = aloe_ok("bench predict --from '%s' --json -q", aloe_path("kinds")),
	           *withheld;
	char path[400];

	(void)state;
	if (rows(ran, "pairs") == 0) { /* a machine of one level, without the slow build */
		ran_free(ran);
		ran_free(again);
		skip();
	}
	has(ran->out, "emulated"); /* its rows, or why there are none */
	assert_true(rows(ran, "components") % 14 == 0);
	for (int row = 0; row < (int)rows(ran, "components"); row++) {
		const double predicted = cell(ran, "components", row, "class_us");

		assert_true(cell(ran, "components", row, "clock_us") ==
		    cell(ran, "components", row, "source_us"));
		assert_true(fabs(predicted - cell(again, "components", row, "class_us")) <
		    1e-6 * predicted);
		assert_true(
		    fabs(cell(ran, "components", row, "class_error") -
		        100 * fabs(predicted / cell(ran, "components", row, "target_us") - 1)) <
		    1e-4);
	}
	snprintf(path, sizeof(path), "%s/plain.profile.json", aloe_path("kinds"));
	assert_int_equal(unlink(path), 0);
	withheld = aloe_ok("bench predict --from '%s' --json -q", aloe_path("kinds"));
	check_predictions(again, withheld, "plain");
	ran_free(withheld);
	ran_free(again);
	ran_free(ran);

	/* What is not one of those files is told by name. */
	assert_int_equal(file_write(path, "{\"schema\": 1, \"profile\": 7}",
	                     strlen("{\"schema\": 1, \"profile\": 7}")),
	    0);
	ran = aloe_ends(USAGE, "bench predict --from '%s'", aloe_path("kinds"));
	has(ran->err, "plain.profile.json: \"profile\" must be an object");
	ran_free(ran);
}

/* ---- bridge ------------------------------------------------------------------------ */

static const char *cell_text(const struct ran *ran, int row, const char *key)
{
	char path[80];

	snprintf(path, sizeof(path), "tables.bridge.%d.%s", row, key);
	return ran_text(ran, path);
}

static bool cell_is(const struct ran *ran, int row, const char *key)
{
	const json_t *table = json_object_get(json_object_get(ran->report, "tables"), "bridge");

	return json_is_number(json_object_get(json_array_get(table, (size_t)row), key));
}

static int way_row(const struct ran *ran, const char *way, double bytes)
{
	for (int row = 0; row < (int)rows(ran, "bridge"); row++)
		if (!strcmp(cell_text(ran, row, "way"), way) &&
		    cell(ran, "bridge", row, "bytes") == bytes)
			return row;
	fail_msg("no row of %s", way);
	return -1;
}

static void near(double a, double b)
{
	if (fabs(a - b) > 1e-6 * fabs(b))
		fail_msg("%.9g is not %.9g", a, b);
}

/* Messages come by every way, and each share is that of two rows of the same length. */
static void test_bridge(void **state)
{
	struct ran *ran =
	    aloe_ok("bench bridge --bytes 30000,100 --rounds 1 --seconds 0.02 --json -q");

	(void)state;
	assert_int_equal(rows(ran, "bridge"), 2 * 8);
	for (int row = 0; row < 16; row++) {
		const double rate = cell(ran, "bridge", row, "messages_per_s"),
		             bytes = cell(ran, "bridge", row, "bytes");
		const bool ours = !strncmp(cell_text(ran, row, "way"), "bridge", 6);

		assert_true(bytes == (row < 8 ? 30000 : 100));
		assert_true(rate > 0);
		near(cell(ran, "bridge", row, "message_us"), 1e6 / rate);
		near(cell(ran, "bridge", row, "gbit_per_s"), rate * bytes * 8e-9);
		assert_true(cell_is(ran, row, "share") == ours);
		assert_true(cell_is(ran, row, "reach") == (ours && bytes == 30000));
		if (ours)
			near(cell(ran, "bridge", row, "share"),
			    rate /
			        cell(ran, "bridge",
			            way_row(ran, cell_text(ran, row, "against"), bytes),
			            "messages_per_s"));
	}
	has(ran->out, "wrong numbers: 0\"");
	ran_free(ran);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void test_usage(void **state)
{
	static const char *const wrong[][2] = {
	    {"", "usage: aloe-bench COMMAND"},
	    {"blre", "aloe-bench: there is no command `blre`; did you mean `bler`?"},
	    {"bler --iterations 0", "--iterations 0: different whole numbers 1 .. 32"},
	    {"bler --iterations 1.5", "--iterations 1.5: "},
	    {"bler --iterations 2,2", "--iterations 2,2: "},
	    {"bler --scaling 2", "--scaling 2: different numbers 0.01 .. 1"},
	    {"bler --ebn0 3:2:1", "--ebn0 3:2:1: FROM:TO:STEP in dB"},
	    {"bler --ebn0 1e9", "--ebn0 1e9 is outside of -60 .. 200 dB"},
	    {"bler --errors 0", "--errors 0: a whole number 1 .. 1000000"},
	    {"bler --blocks many", "--blocks many: "},
	    {"bler --seed 8192", "--seed 8192: "},
	    {"bler --simd mmx", "--simd mmx: levels that this machine has"},
	    {"bler --simd plain,plain", "--simd plain,plain: "},
	    {"bler --plot a.pdf", "--plot a.pdf: a file name that ends in .svg, .png or .gp"},
	    {"draw r.json", "--plot FILE.svg, FILE.png or FILE.gp is needed"},
	    {"draw r.json --json --plot a.gp", "--json: only --plot goes with this command"},
	    {"draw none.json --plot a.gp", "none.json: cannot be read"},
	    {"bler --json --csv -", "--json and --csv - cannot both"},
	    {"bler --waveform none.conf", "none.conf: cannot be read"},
	    {"bler --waveform waveforms/bpsk.conf", "a parameter ebn0_db (awgn)"},
	    {"bler --set noise.ebn0=1", "unknown parameter \"ebn0\""},
	    {"bler extra", "takes no argument"},
	    {"utran --rounds 0", "--rounds 0: "},
	    {"utran --clock step", "--clock step: the value must be one of: timer virtual"},
	    {"utran --waveform waveforms/bpsk.conf", "a parameter ebn0_db"},
	    {"copies --lanes 0", "--lanes 0: different numbers of lanes"},
	    {"copies --seconds x", "--seconds x: "},
	    {"predict --rounds 0", "--rounds 0: "},
	    {"predict --from a --keep b", "--from and --keep exclude each other"},
	    {"predict --waveform none.conf", "none.conf: cannot be read"},
	    {"map --seeds 0", "--seeds 0: N or FROM:TO"},
	    {"map --seeds 5:4", "--seeds 5:4: "},
	    {"map --seeds 1:2:3", "--seeds 1:2:3: "},
	    {"map --load 0", "--load 0: at most 8 different numbers 1 .. 100"},
	    {"map --q 2", "--q 2: "},
	    {"map --units 1", "--units 1: the number must be 0 (no large problem) or 2"},
	    {"bridge --bytes 7", "--bytes 7: different whole numbers 8 .. "},
	    {"bridge --depth 48", "--depth 48: a power of two"},
	    {"bridge --ways tcp,x", "--ways tcp,x: names separated by commas"},
	    {"growth --instances 3.5", "--instances 3.5: at most 16 different whole numbers"},
	    {"growth --waveforms 1,2.5", "--waveforms 1,2.5: at most 16 different whole numbers"},
	    {"growth --slots 10,20", "--slots 10,20: a whole number from 1 to 1000000 is needed"},
	    {"growth --slots 2.5", "--slots 2.5: a whole number"},
	    {"copies none.conf", "none.conf: cannot be read"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ran *ran = aloe_ends(USAGE, "bench %s", wrong[i][0]);
		has(ran->err, wrong[i][1]);
		assert_string_equal(ran->out, "");
		ran_free(ran);
	}
}

/* An ALOE_SIMD that is none is refused in words; gnuplot that is not there, too. */
static void test_environment(void **state)
{
	char *const path = strdup(getenv("PATH"));
	struct ran *ran;

	(void)state;
	setenv("ALOE_SIMD", "mmx", 1);
	ran = aloe_ends(USAGE, "bench bler -q");
	has(ran->err, "mmx");
	ran_free(ran);
	unsetenv("ALOE_SIMD");
	setenv("PATH", "/nonexistent", 1);
	ran = aloe_ends(USAGE, "bench bler --plot a.svg");
	setenv("PATH", path, 1);
	has(ran->err, "apt-get install gnuplot-nox");
	ran_free(ran);
	free(path);
}

/* ---- Ctrl-C ------------------------------------------------------------------------ */

/* Runs the command for so long, then interrupts it: its exit status; what it said is in the file
 * `out`. */
static int interrupted_after(useconds_t us, char *const argv[])
{
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		if (freopen(aloe_path("out"), "w", stdout))
			execv(argv[0], argv);
		_exit(127);
	}
	usleep(us);
	kill(pid, SIGINT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void test_interrupted(void **state)
{
	char *const argv[] = {(char *)aloe_program("aloe"), (char *)"bench", (char *)"bler",
	    (char *)"--ebn0", (char *)"3:9:1", (char *)"--blocks", (char *)"1000000", (char *)"-q",
	    NULL};
	char *text;

	(void)state;
	for (useconds_t us = 0; us <= 3000000; us = us ? 6 * us : 30000) /* at any stage */
		assert_int_equal(interrupted_after(us, argv), 130);
	text = file_take(aloe_path("out"), NULL);
	for (useconds_t us = 2000000; !strstr(text, "  9.000 ") && us <= 64000000;
	     us *= 2) { /* a busy machine starts slowly */
		free(text);
		assert_int_equal(interrupted_after(us, argv), 130);
		text = file_take(aloe_path("out"), NULL);
	}
	has(text, "interrupted: results so far");
	has(text, "3856 bits a block");
	has(text, "  9.000 ");
	free(text);
}

/* Every component of four groups, each at its own three lengths; the line is that of the row. */
static void test_lengths(void **state)
{
	struct ran *ran = aloe_ok("bench lengths --rounds 1 --json -q");
	const size_t n = rows(ran, "lengths");
	double first, slope, bytes;
	glob_t files;

	(void)state;
	assert_int_equal(
	    glob("components/{utran,umts,modem,channel}/*.c", GLOB_BRACE, NULL, &files), 0);
	assert_int_equal(n, files.gl_pathc);
	for (int row = 0; row < (int)n; row++) {
		char path[80], name[64], *at = NULL;

		snprintf(path, sizeof(path), "tables.lengths.%d.component", row);
		snprintf(name, sizeof(name), "/%s.c", ran_text(ran, path));
		for (size_t f = 0; f < files.gl_pathc && !at; f++)
			at = strstr(files.gl_pathv[f], name);
		assert_non_null(at);
		bytes = cell(ran, "lengths", row, "bytes");
		assert_true(cell(ran, "lengths", row, "short_bytes") < bytes);
		assert_true(bytes < cell(ran, "lengths", row, "long_bytes"));
		assert_true(cell(ran, "lengths", row, "measured_us") > 0);
		first = cell(ran, "lengths", row, "first_us");
		slope = cell(ran, "lengths", row, "kib_us") / 1024;
		assert_true(first >= 0 && slope >= 0);
		assert_true(
		    fabs((first + slope * bytes) / cell(ran, "lengths", row, "predicted_us") - 1) <
		    1e-7);
		assert_true(fabs(cell(ran, "lengths", row, "predicted_us") /
		                    cell(ran, "lengths", row, "measured_us") /
		                    cell(ran, "lengths", row, "ratio") -
		                1) < 1e-7);
	}
	globfree(&files);
	ran_free(ran);
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(test_copies_none),
	    cmocka_unit_test(test_predict), /* at real-time priority on the first CPU */
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(test_bler),
	    cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_other_waveform),
	    cmocka_unit_test(test_plots),
	    cmocka_unit_test(test_utran),
	    cmocka_unit_test(test_copies),
	    cmocka_unit_test(test_map),
	    cmocka_unit_test(test_lengths),
	    cmocka_unit_test(test_bridge),
	    cmocka_unit_test(test_usage),
	    cmocka_unit_test(test_environment),
	    cmocka_unit_test(test_interrupted),
	};
	int failed = ALOE_PART("lanes", lanes, aloe_init, aloe_fini);

	return failed + ALOE_PART("rest", rest, aloe_init, aloe_fini);
}
