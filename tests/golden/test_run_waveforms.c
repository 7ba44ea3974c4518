/* SPDX-License-Identifier: BSD-3-Clause
 * Every waveform of the project gives what the file beside it promises, and has the latency that
 * its plan states. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

static void test_bpsk(void **state)
{
	struct ran *ran = aloe_ok("run waveforms/bpsk.conf --clock virtual --slots 3000 --json -q");

	(void)state;
	assert_true(ran_clean(ran));
	assert_true(ran_variable(ran, "check.blocks") == 3000);
	assert_true(ran_variable(ran, "check.bits") == 3000 * 1000);
	assert_true(ran_variable(ran, "check.bit_errors") == 0);
	assert_true(ran_variable(ran, "check.block_errors") == 0);
	assert_true(ran_variable(ran, "check.unmatched") == 0);
	ran_free(ran);
}

/* The same bits are counted wrong when something is wrong: turned on purpose. */
static void test_bpsk_can_fail(void **state)
{
	const char *path = conf_derive("waveforms/bpsk.conf", "noisy.conf",
	    (const char *const[][2]){{"demod:  {",
	                                 "noise: { component = \"awgn\"; esn0_db = 3.0; };\n"
	                                 "demod:  {"},
	        {"mod -> demod", "mod -> noise -> demod"}, {NULL, NULL}});
	struct ran *ran = aloe_ok("run '%s' --clock virtual --slots 1000 --json -q", path);
	const double theory = 0.5 * erfc(sqrt(pow(10, 0.3)));

	(void)state;
	assert_true(fabs(ran_variable(ran, "check.ber") / theory - 1) < 0.03);
	assert_true(ran_variable(ran, "check.block_errors") == 1000);
	ran_free(ran);
}

static double ber_theory(double ebn0_db)
{
	return 0.5 * erfc(sqrt(pow(10, ebn0_db / 10)));
}

static void check_rf(double ebn0_db, int slots)
{
	struct ran *ran = aloe_ok("run waveforms/bpsk-rf.conf --clock virtual --slots %d --json -q "
	                          "--set noise.ebn0_db=%g",
	    slots, ebn0_db);
	const double ber = ran_variable(ran, "check.ber");

	print_message("%g dB: BER %.3g in %.0f bits, theory %.3g\n", ebn0_db, ber,
	    ran_variable(ran, "check.bits"), ber_theory(ebn0_db));
	assert_true(ran_clean(ran));
	assert_true(ran_variable(ran, "check.bits") > (slots - 10) * 1000.0);
	assert_true(ran_variable(ran, "check.locks") == 1);
	assert_true(ran_variable(ran, "check.locked") == 1);
	assert_true(ran_variable(ran, "sync.dropped") == 0);
	assert_true(ran_variable(ran, "clock.dropped") == 0);
	assert_true(ber < ber_theory(ebn0_db - 0.5));
	assert_true(ber > ber_theory(ebn0_db + 0.5));
	ran_free(ran);
}

static void test_bpsk_rf(void **state)
{
	(void)state;
	check_rf(4, 200);
	check_rf(6, 400);
	check_rf(8, 2000);
}

static void test_passthrough(void **state)
{
	struct ran *ran =
	    aloe_ok("run waveforms/passthrough.conf --clock virtual --json -q --set sink.path='%s'",
	        aloe_path("through"));

	(void)state;
	files_equal("waveforms/speech.wav", aloe_path("through"));
	assert_true(ran_variable(ran, "sink.messages") == 587);
	assert_true(ran_variable(ran, "sink.items") == 586742);
	assert_true(ran_clean(ran));
	ran_free(ran);
}

/* Lengths around the message, of whatever bytes. */
static void test_passthrough_lengths(void **state)
{
	static const size_t lengths[] = {1, 999, 1000, 1001, 77777};
	uint8_t *bytes = malloc(77777);

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < 77777; i++)
		bytes[i] = (uint8_t)(i * i >> 3);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct ran *ran;

		file_make(aloe_path("any"), bytes, lengths[i]);
		ran = aloe_ok("run waveforms/passthrough.conf --clock virtual --lanes 0,1 -q --set "
		              "source.path='%s' --set sink.path='%s'",
		    aloe_path("any"), aloe_path("through"));
		files_equal(aloe_path("any"), aloe_path("through"));
		ran_free(ran);
	}
	free(bytes);
}

/* From any folder, with nothing in the environment: a relative path is relative to the folder of
 * the command. */
static void test_any_folder(void **state)
{
	char root[4096], command[20000];

	(void)state;
	assert_non_null(getcwd(root, sizeof(root)));
	snprintf(command, sizeof(command),
	    "cd '%s' && env -i '%s' run '%s/waveforms/passthrough.conf' --clock virtual -q --state "
	    "here --set source.path=data && cmp data passthrough.out && test -d here/runs",
	    aloe_path("run"), aloe_program("aloe"), root);
	file_make(aloe_path("run/data"), command, strlen(command));
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "cd '%s' && rm -r data passthrough.out here",
	    aloe_path("run"));
	assert_int_equal(system(command), 0);
}

/* ---- latency ------------------------------------------------------------------------ */

enum { LATENCY_SLOTS = ALOE_SLOWER(120, 50) };

/* The waveform with all its files in the working folder. */
static const char *arguments(const char *name)
{
	static const char *const files[][2] = {{"utran384", "sink.path"},
	    {"utran384-rf", "sink.path"}, {"utran384-tx", "frames.path"},
	    {"utran384-tx", "lengths.path"}, {"utran384-rx", "frames.path"},
	    {"utran384-rx", "lengths.path"}, {"utran384-rx", "sink.path"},
	    {"passthrough", "sink.path"}};
	char text[4096];
	size_t at = (size_t)snprintf(text, sizeof(text),
	    "waveforms/%s.conf --clock virtual --slots %d --json -q", name, LATENCY_SLOTS);

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(files[i][0], name))
			at += (size_t)snprintf(text + at, sizeof(text) - at, " --set %s='%s'",
			    files[i][1], aloe_path(files[i][1]));
	file_make(aloe_path("arguments"), text, at);
	return file_take(aloe_path("arguments"), NULL);
}

static double check_latency(const char *args, const char *how)
{
	struct ran *ran = aloe_ok("run %s %s", args, how);
	const double slots = ran_number(ran, "latency.slots");

	if (ran_number(ran, "latency.measured_slots_min") != slots ||
	    ran_number(ran, "latency.measured_slots_max") != slots)
		fail_msg("%s, %s: stated %g slots, measured %g to %g", ran_text(ran, "waveform"),
		    how, slots, ran_number(ran, "latency.measured_slots_min"),
		    ran_number(ran, "latency.measured_slots_max"));
	assert_true(
	    fabs(ran_number(ran, "latency.us") - slots * ran_number(ran, "slot_ns") / 1e3) < 1e-3);
	assert_true(ran_clean(ran));
	ran_free(ran);
	return slots;
}

static void test_latency(void **state)
{
	/* ... pipelined: one slot for each link on the longest way to a sink, and one. */
	static const struct {
		const char *name;
		int pipelined;
	} waveforms[] = {{"bpsk", 4}, {"bpsk-rf", 11}, {"utran384", 21}, {"utran384-rf", 33},
	    {"utran384-tx", 10}, {"utran384-rx", 12}, {"passthrough", 3}, {"utran144", 19},
	    {"utran64", 19}, {"utran12k2", 19}, {"utran384-dtch-dcch", 19},
	    {"utran384-uplink", 21}};

	(void)state;
	for (size_t i = 0; i < sizeof(waveforms) / sizeof(waveforms[0]); i++) {
		const char *args = arguments(waveforms[i].name);

		assert_true(check_latency(args, "--lanes 0") == 1);
		/* under a sanitizer one component may be worth a lane and all others nothing */
		assert_in_range((int)check_latency(args, "--lanes 0,1"), ALOE_SLOWER(2, 1), 4);
		assert_int_equal(
		    (int)check_latency(args, "--lanes 0,1 --pipelined"), waveforms[i].pipelined);
		assert_int_equal(
		    (int)check_latency(args, "--lanes 0 --pipelined"), waveforms[i].pipelined);
		free((char *)args);
	}
}

/* Where the plan says what the run then does: `aloe plan` and the report state the same latency. */
static void test_latency_planned(void **state)
{
	const char *args = arguments("utran384");
	struct ran *ran = aloe_ok("run %s --lanes 0,1", args),
	           *plan = aloe_ok("plan waveforms/utran384.conf --lanes 0,1");
	char want[64];

	(void)state;
	snprintf(want, sizeof(want), "%g slot", ran_number(ran, "latency.slots"));
	if (!strstr(plan->out, want))
		fail_msg("not `%s` in:\n%s", want, plan->out);
	ran_free(ran);
	ran_free(plan);
	free((char *)args);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bpsk),
	    cmocka_unit_test(test_bpsk_can_fail),
	    cmocka_unit_test(test_bpsk_rf),
	    cmocka_unit_test(test_passthrough),
	    cmocka_unit_test(test_passthrough_lengths),
	    cmocka_unit_test(test_any_folder),
	    cmocka_unit_test(test_latency),
	    cmocka_unit_test(test_latency_planned),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
