/* SPDX-License-Identifier: BSD-3-Clause
 * What scripts rely on: the exit status of `aloe run`, and its report as one JSON object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { DONE, FAILED, USAGE, STRICT };

static const char bpsk[] = "run waveforms/bpsk.conf --clock virtual --slots 100";

/* ---- JSON ------------------------------------------------------------------------ */

/* Exactly one object on standard output; what else there is to say goes to standard error. */
static void test_json(void **state)
{
	static const char *const numbers[] = {"schema", "slot_ns", "index", "slots_wanted",
	    "slots.run", "slots.skipped", "slots.missed", "slots.slipped", "messages.absent",
	    "messages.late", "messages.lost", "latency.slots", "latency.us", "lanes.0.lane",
	    "lanes.0.cpu", "lanes.0.missed", "lanes.0.load_p99", "instances.0.calls",
	    "instances.0.p50_us", "instances.0.mean_us", "instances.3.max_us",
	    "instances.3.variables.blocks"};
	struct ran *ran = aloe_ok("%s --json", bpsk);

	(void)state;
	assert_true(json_is_object(ran->report));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		ran_number(ran, numbers[i]);
	/* null: the run was over before the speed of the core was known */
	assert_int_equal(ran_is_null(ran, "instances.3.kmac"), ran_is_null(ran, "capacity_mmac"));
	assert_true(ran_is_null(ran, "capacity_mmac") || ran_number(ran, "instances.3.kmac") >= 0);
	assert_true(ran_number(ran, "schema") == 1);
	assert_true(ran_number(ran, "slot_ns") == 1000000);
	assert_true(ran_number(ran, "instances.0.calls") == 100);
	assert_true(ran_number(ran, "slots_wanted") == 100);
	assert_string_equal(ran_text(ran, "waveform"), "bpsk");
	assert_string_equal(ran_text(ran, "state"), "STOP");
	assert_string_equal(ran_text(ran, "clock"), "virtual");
	assert_string_equal(ran_text(ran, "instances.3.name"), "check");
	ran_free(ran);
}

/* Every option that changes the report; always JSON. */
static void test_json_options(void **state)
{
	static const char *const options[] = {"--clock virtual --pipelined",
	    "--clock virtual --lanes 0,1", "--clock virtual --isolation component",
	    "--clock virtual --isolation none", "--clock timer --slot-us 200", "--clock step",
	    "--clock timer --slot-us 500 --late skip"};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct ran *ran =
		    aloe_ok("run waveforms/bpsk.conf --slots 50 --json -q %s", options[i]);

		assert_true(json_is_object(ran->report));
		assert_true(ran_number(ran, "schema") == 1);
		assert_true(ran_variable(ran, "check.bit_errors") == 0);
		assert_string_equal(ran->err, "");
		ran_free(ran);
	}
}

/* A report of a run that failed is one, too. */
static const char *bad_bits(void)
{
	enum { LEN = 100000 };
	char *bits = calloc(1, LEN);

	assert_non_null(bits);
	bits[LEN - 7] = 2;
	file_make(aloe_path("bad.bits"), bits, LEN);
	free(bits);
	return conf_derive("waveforms/passthrough.conf", "bits.conf",
	    (const char *const[][2]){{"type = \"byte\"", "type = \"bit\""},
	        {"length = 1000", "length = 100; buffer_ms = 10"}, {NULL, NULL}});
}

static void test_failed(void **state)
{
	struct ran *ran =
	    aloe("run '%s' --clock virtual --json --set source.path='%s' --set sink.path='%s'",
	        bad_bits(), aloe_path("bad.bits"), aloe_path("good.bits"));

	(void)state;
	assert_string_equal(ran_text(ran, "state"), "ABNSTOP");
	assert_non_null(strstr(ran_text(ran, "reason"), "is no bit"));
	assert_non_null(strstr(ran->err, aloe_path("bad.bits")));
	assert_non_null(strstr(ran->err, "at offset 99993"));
	ran_free(ran);
}

/* ---- exit status ------------------------------------------------------------------------ */

static void expect(int status, const char *words, const char *arguments)
{
	struct ran *ran = aloe("%s", arguments);

	if (ran->status != status || !strstr(ran->err, words))
		fail_msg("aloe %s: exit %d, not %d with `%s`:\n%s", arguments, ran->status, status,
		    words, ran->err);
	if (status == USAGE)
		assert_string_equal(ran->out, "");
	ran_free(ran);
}

static void test_usage(void **state)
{
	static const char *const wrong[][2] = {
	    {"run", "aloe run: "},
	    {"run waveforms/bpsk.conf --slots many", "many"},
	    {"run waveforms/bpsk.conf --slots -1", "-1"},
	    {"run waveforms/bpsk.conf --clock sundial", "sundial"},
	    {"run waveforms/bpsk.conf --late never", "never"},
	    {"run waveforms/bpsk.conf --isolation total", "total"},
	    {"run waveforms/bpsk.conf --slot-us 0", "slot-us"},
	    {"run waveforms/bpsk.conf --lanes 0,x", "lanes"},
	    {"run waveforms/bpsk.conf --nothing", "nothing"},
	    {"run waveforms/bpsk.conf waveforms/bpsk.conf", "aloe run: "},
	    {"run waveforms/none.conf", "waveforms/none.conf"},
	    {"run waveforms", "waveforms"},
	    {"run waveforms/bpsk.conf --set source.length=0", "source.length = 0 is outside [1, "},
	    {"run waveforms/bpsk.conf --set source.lenght=9", "did you mean \"length\""},
	    {"run waveforms/bpsk.conf --set sauce.length=9", "sauce"},
	    {"run waveforms/bpsk.conf --set source.length", "source.length"},
	    {"run waveforms/utran384.conf --set noise.ebn0_db=loud", "ebn0_db"},
	    {"run waveforms/passthrough.conf --set sink.path=/nowhere/at/all", "/nowhere/at/all"},
	    {"dance", "dance"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		expect(USAGE, wrong[i][1], wrong[i][0]);
}

/* A stage of one and a half slots: every slot is missed. Without --strict that is no failure. */
static void test_strict(void **state)
{
	const char *path = conf_derive("waveforms/bpsk.conf", "slow.conf",
	    (const char *const[][2]){
	        {"demod:  {", "slow: { component = \"spin\"; mean_us = 1500.0; };\n\tdemod:  {"},
	        {"mod -> demod", "mod -> slow -> demod"}, {NULL, NULL}});
	struct ran *ran =
	    aloe_ends(STRICT, "run '%s' --clock timer --slots 20 --json -q --strict", path);

	(void)state;
	assert_true(ran_number(ran, "slots.missed") > 0);
	assert_true(ran_variable(ran, "check.bit_errors") == 0);
	assert_true(ran_variable(ran, "check.blocks") == 20);
	ran_free(ran);
	ran_free(aloe_ends(DONE, "run '%s' --clock timer --slots 20 --json -q", path));
	ran = aloe_ends(
	    STRICT, "run '%s' --clock timer --late skip --slots 20 --json -q --strict", path);
	assert_true(ran_number(ran, "slots.missed") + ran_number(ran, "slots.skipped") > 0);
	ran_free(ran);
	ran = aloe_ends(DONE, "%s -q --strict", bpsk);
	assert_string_equal(ran->out, "");
	assert_string_equal(ran->err, "");
	ran_free(ran);
}

/* Run folders hold what was printed: report.json is the same report. */
static void test_saved(void **state)
{
	struct ran *ran = aloe_ok("%s", bpsk);
	const char *line = strstr(ran->out, "\nsaved ");
	char folder[4096], path[4200];
	json_t *saved;
	json_error_t error;

	(void)state;
	assert_non_null(line);
	assert_int_equal(sscanf(line, "\nsaved %4095s", folder), 1);
	snprintf(path, sizeof(path), "%s/report.json", folder);
	saved = json_load_file(path, 0, &error);
	assert_non_null(saved);
	assert_int_equal(json_integer_value(json_object_get(saved, "schema")), 1);
	json_decref(saved);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"report.txt", "plan.txt", "waveform.conf"};

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		free(file_take(path, NULL));
	}
	ran_free(ran);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_json),
	    cmocka_unit_test(test_json_options),
	    cmocka_unit_test(test_failed),
	    cmocka_unit_test(test_usage),
	    cmocka_unit_test(test_strict),
	    cmocka_unit_test(test_saved),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
