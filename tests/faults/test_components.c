/* SPDX-License-Identifier: BSD-3-Clause
 * Components that crash, hang, fail, write past their length or are given NaN: their waveform stops
 * with the reason, the other one on the same lane keeps every slot, and `aloe run` ends with status
 * 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/faults/node.h"

static const char victim[] = "name = \"victim\"; slot_ns = 10000000;\n"
                             "instances: {\n"
                             "  source: { component = \"counter\"; };\n"
                             "  before: { component = \"faulty\"; };\n"
                             "  bad: { component = \"faulty\"; at = 20; };\n"
                             "  sink: { component = \"file_sink\"; path = \"%s\"; };\n"
                             "};\nlinks = ( \"source -> before -> bad -> sink\" );\n";

/* Of all that it runs with in one host, and where it has a host of its own: only that proves who
 * did it. */
static const struct {
	const char *how, *reason, *alone;
} faults[] = {
    {"crash", "\"bad\" was killed by signal 11 (SIGSEGV) while the instance was in work (pid ",
        "\"bad\" was killed by signal 11 (SIGSEGV) while the instance was in work (pid "},
    {"abort", "\"bad\" was killed by signal", "\"bad\" was killed by signal"},
    {"error", "\"bad\" (faulty) failed at index 20: the receiver is on fire",
        "\"bad\" (faulty) failed at index 20: the receiver is on fire (EIO)"},
    {"minus_one", "\"bad\" (faulty) failed at index 20: work returned -1 and gave no reason",
        "\"bad\" (faulty) failed at index 20: work returned -1 and gave no reason"},
    {"bare_errno",
        "\"bad\" (faulty) failed at index 20: work returned -22 (EINVAL) and gave no reason",
        "\"bad\" (faulty) failed at index 20: work returned -22 (EINVAL) and gave no reason"},
    {"overrun",
        "memory behind the items of output \"bad.out\" (message of index 20) was overwritten "
        "during the call of \"bad\"",
        "\"bad\" (faulty) failed at index 20: wrote past the end of its output \"out\""},
    {"overrun_one",
        "that instance is likely, but others of the same host ran meanwhile: \"sink\"; load the "
        "waveform with --isolation",
        "\"bad\" (faulty) failed at index 20: wrote past the end of its output \"out\""},
    {"underrun",
        "memory before the items of output \"bad.out\" (message of index 20) was overwritten "
        "during the call of \"bad\"",
        "\"bad\" (faulty) failed at index 20: wrote before the beginning of its output \"out\""},
    {"underrun_far",
        "any instance of the same host can have done it: \"source\", \"before\", \"bad\", "
        "\"sink\"; load the waveform with",
        "\"bad\""},
    {"claim", "\"bad\" (faulty) failed at index 20: an output message claims more items than fit",
        "\"bad\" (faulty) failed at index 20: an output message claims more items than fit"},
};

/* Exec looks at the memory of all hosts from time to time: where others want the CPU it may find
 * what was overwritten before the host itself has come to say so. */
static bool is_reason(const char *how, const char *reason, const char *wanted)
{
	static const char *const said_by_exec[] = {
	    "the memory of the waveform was overwritten: memory ",
	    "has overwritten memory that the instance may not write: memory "};

	if (strstr(reason, wanted) != NULL)
		return true;
	for (size_t i = 0; i < sizeof(said_by_exec) / sizeof(said_by_exec[0]); i++)
		if (strstr(reason, said_by_exec[i]) != NULL)
			return strstr(how, "run") != NULL && strstr(reason, "\"bad\"") != NULL;
	return false;
}

static void victim_run(const char *how, const char *options, const char *reason)
{
	char all[256];
	struct ran *ran;

	snprintf(all, sizeof(all), "--set bad.how=%s %s", how, options);
	wave_begin("victim", all);
	ran = wave_await("victim", "ABNSTOP");
	if (!is_reason(how, ran_text(ran, "reason"), reason))
		fail_msg("%s: `%s` is not in: %s", how, reason, ran_text(ran, "reason"));
	ran_free(ran);
	ran_free(aloe_ok("unload victim"));
}

static void both_begin(const char *options)
{
	conf_write("victim", victim);
	steady_begin(options);
}

static void faults_on_the_timer(void **state)
{
	struct stalls *stalls = stalls_watch(0);

	(void)state;
	both_begin("--lanes 0");
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		victim_run(faults[i].how, "--lanes 0", faults[i].reason);
	steady_end(0, stalls);
	stalls_end(stalls);
}

/* First on the lane, then behind the other. */
static void hangs_on_the_timer(void **state)
{
	struct stalls *stalls = stalls_watch(0);

	(void)state;
	both_begin("--lanes 0");
	victim_run("hang", "--lanes 0", "\"bad\" hangs: it held lane 0");
	victim_run("sleep", "--lanes 0", "\"bad\" hangs: it held lane 0");
	steady_end(0, stalls);

	conf_write("victim", victim);
	wave_begin("victim", "--lanes 0 --set bad.how=hang --set bad.at=100");
	steady_begin("--lanes 0");
	ran_free(wave_await("victim", "ABNSTOP"));
	ran_free(aloe_ok("unload victim"));
	steady_end(0, stalls);
	stalls_end(stalls);
}

/* What n hangs cost `steady` at most, in ns. The victim is before or behind it on the lane: entries
 * that are free again are used again. */
static uint64_t hangs_cost(unsigned n, bool before, uint64_t bound_ns)
{
	struct stalls *stalls = stalls_watch(0);
	struct records records;

	conf_write("victim", victim);
	if (before)
		wave_begin("victim", "--lanes 0 --set bad.how=hang --set bad.at=100");
	steady_begin("--lanes 0");
	if (before) {
		ran_free(wave_await("victim", "ABNSTOP"));
		ran_free(aloe_ok("unload victim"));
	}
	for (unsigned i = before; i < n; i++)
		victim_run("hang", "--lanes 0", "\"bad\" hangs: it held lane 0");
	records = steady_end(bound_ns, stalls);
	assert_true(records.count > n);
	stalls_end(stalls);
	return records.gap_ns_max > records.late_ns_max ? records.gap_ns_max : records.late_ns_max;
}

/* HANGS=100 is `make hangs`, which holds them to the bound; in `make check` time does not count. */
static void what_hangs_cost_others(void **state)
{
	const unsigned n = number_of("HANGS", 4);
	const uint64_t bound_ns = getenv("HANGS") != NULL ? STEADY_BOUND_NS : PATIENCE_NS;
	const uint64_t before = hangs_cost(n - n / 2, true, bound_ns),
	               behind = hangs_cost(n / 2, false, bound_ns);

	(void)state;
	print_message("%u hangs cost the lane-mate at most %.3f ms (before it) and %.3f ms (behind "
	              "it); slot + guard + 0.2 ms are %.1f ms\n",
	    n, (double)before / 1e6, (double)behind / 1e6, (double)STEADY_BOUND_NS / 1e6);
	assert_true(before <= bound_ns && behind <= bound_ns);
}

/* For how long an instance held its lane, by the reason, in ms. */
static double held_ms(const char *how, const char *options)
{
	struct ran *ran;
	const char *at;
	char all[256];
	double ms = 0;

	snprintf(all, sizeof(all), "--set bad.how=%s %s", how, options);
	wave_begin("victim", all);
	ran = wave_await("victim", "ABNSTOP");
	at = strstr(ran_text(ran, "reason"), " for ");
	if (at == NULL || sscanf(at, " for %lf ms", &ms) != 1)
		fail_msg("no time is in: %s", ran_text(ran, "reason"));
	ran_free(ran);
	ran_free(aloe_ok("unload victim"));
	return ms;
}

/* The watchdog of a lane that one waveform has is put off by the lane's thread: a hang is found
 * when it would have been found by one that looks all the time, after 0.1 s. HANGS holds it to
 * that; in `make check` time does not count, but that it is found sooner than by the look of the
 * second. */
static void a_hang_alone_on_its_lane(void **state)
{
	static const char *const hows[] = {"hang", "sleep"};
	const unsigned n = number_of("HANGS", 4);
	double least = 1e9;

	(void)state;
	conf_write("victim", victim);
	for (unsigned i = 0; i < n; i++) {
		const double ms = held_ms(
		    hows[i % 2], i % 4 < 2 ? "--lanes 0" : "--lanes 0 --isolation component");

		print_message("alone on its lane, %s: held for %.1f ms\n", hows[i % 2], ms);
		assert_true(ms >= 100 && (getenv("HANGS") == NULL || ms < 101));
		least = ms < least ? ms : least;
	}
	assert_true(least < 500);
}

/* One host per instance: the others are told, and end. */
static void faults_with_many_hosts(void **state)
{
	struct stalls *stalls = stalls_watch(0);

	(void)state;
	both_begin("--lanes 0");
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		victim_run(faults[i].how, "--lanes 0 --isolation component", faults[i].alone);
	victim_run("hang", "--lanes 0 --isolation component", "\"bad\" hangs: it held lane 0");
	steady_end(0, stalls);
	stalls_end(stalls);
}

static void faults_on_the_virtual_clock(void **state)
{
	(void)state;
	both_begin("--clock virtual --late slip");
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		victim_run(faults[i].how, "--clock virtual", faults[i].reason);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		victim_run(faults[i].how, "--clock virtual --isolation component", faults[i].alone);
	victim_run(
	    "hang", "--clock virtual", "\"bad\" (faulty) hangs: it has been in work for 10 s");
	steady_end(0, NULL);
}

static const char side_by_side[] =
    "name = \"victim\"; slot_ns = 10000000; side_by_side = 3;\n"
    "instances: { source: { component = \"counter\"; };\n"
    "  bad: { component = \"faulty\"; at = 20; }; sink: { component = \"null_sink\"; }; "
    "};\nlinks = ( \"source -> bad -> sink\" );\n";

/* One call serves all copies: none of them is named alone. */
static void faults_side_by_side(void **state)
{
	static const char whose[] =
	    "one of the instances \"bad_1\", \"bad_2\" and \"bad_3\", which "
	    "one call serves (side_by_side = \"off\" tells which),";
	char reason[256];

	(void)state;
	conf_write("victim", side_by_side);
	snprintf(reason, sizeof(reason), "the host of %s was killed by signal 11", whose);
	victim_run("crash", "--lanes 0 --copies 3", reason);
	snprintf(reason, sizeof(reason), "%s hangs: it held lane 0", whose);
	victim_run("hang", "--lanes 0 --copies 3", reason);
	victim_run("overrun", "--lanes 0 --copies 3",
	    "during the call of \"bad_1\"; that instance is likely, but others of the same host "
	    "ran meanwhile: \"bad_2\", \"bad_3\"");
	victim_run("crash", "--lanes 0 --copies 3 --set side_by_side=off",
	    "the host of instance \"bad_1\" was killed by signal 11");
}

static void a_hang_side_by_side_on_the_virtual_clock(void **state)
{
	(void)state;
	conf_write("victim", side_by_side);
	victim_run("hang", "--clock virtual --copies 3",
	    "\"bad_2\" and \"bad_3\" (faulty), which one call serves (side_by_side = \"off\" "
	    "tells which), hangs: it has been in work for 10 s");
}

/* A shared host is the bargain: what crashes in it takes the others of isolation "none" along, and
 * nobody else. */
static void a_crash_in_the_shared_host(void **state)
{
	struct stalls *stalls = stalls_watch(0);
	struct ran *ran;

	(void)state;
	both_begin("--lanes 0");
	conf_write("friend",
	    "name = \"friend\"; slot_ns = 10000000; isolation = \"none\";\n"
	    "instances: { source: { component = \"counter\"; };\n"
	    "  sink: { component = \"file_sink\"; path = \"%s\"; }; };\nlinks = ( \"source -> "
	    "sink\" );\n");
	wave_begin("friend", "--lanes 0");
	victim_run("crash", "--lanes 0 --isolation none", "\"bad\" was killed by signal 11");
	ran = wave_await("friend", "ABNSTOP");
	assert_non_null(strstr(ran_text(ran, "reason"), "was killed by signal 11"));
	ran_free(ran);
	ran_free(aloe_ok("unload friend"));
	wave_begin("friend", "--lanes 0");
	victim_run("hang", "--lanes 0 --isolation none", "\"bad\" hangs");
	ran = wave_await("friend", "ABNSTOP");
	assert_non_null(strstr(ran_text(ran, "reason"), "another waveform hung in the same host"));
	ran_free(ran);
	ran_free(aloe_ok("unload friend"));
	wave_begin("friend", "--lanes 0");
	ran_free(wave_await("friend", "RUN"));
	wave_end("friend");
	steady_end(0, stalls);
	stalls_end(stalls);
}

static void faults_before_the_start(void **state)
{
	static const char *const faults_of_init[][2] = {
	    {"crash_init", "the host of instance \"bad\" was killed by signal 11"},
	    {"crash_shape", "bad"},
	    {"error_init", "no coefficients on a Sunday"},
	};

	(void)state;
	both_begin("--clock virtual --late slip");
	for (int i = 0; i < 3; i++) {
		struct ran *ran = aloe("load '%s' --clock virtual --set bad.how=%s",
		    aloe_path("victim.conf"), faults_of_init[i][0]);

		assert_true(ran->status == 1 || ran->status == 2);
		if (strstr(ran->err, faults_of_init[i][1]) == NULL)
			fail_msg("%s: %s", faults_of_init[i][0], ran->err);
		ran_free(ran);
		ran_free(aloe_ok("list"));
		assert_int_equal(processes("aloe-host", (pid_t[4]){0}, 4), 1);
	}
	steady_end(0, NULL);
}

static void samples_that_are_no_numbers(void **state)
{
	struct ran *ran;

	(void)state;
	conf_write("nan",
	    "name = \"nan\"; slot_ns = 1000000;\n"
	    "instances: {\n"
	    "  source: { component = \"nan_source\"; length = 256; };\n"
	    "  agc: { component = \"agc\"; };\n"
	    "  nco: { component = \"nco\"; };\n"
	    "  loop: { component = \"carrier_loop\"; };\n"
	    "  demod: { component = \"modem_demod\"; scheme = \"qpsk\"; };\n"
	    "  soft: { component = \"bpsk_soft_demod\"; };\n"
	    "  noise: { component = \"awgn\"; esn0_db = 10.0; };\n"
	    "  sink: { component = \"file_sink\"; path = \"%s\"; };\n"
	    "  end: { component = \"null_sink\"; };\n"
	    "};\nlinks = ( \"source -> agc -> nco -> loop -> demod -> sink\", \"source -> noise -> "
	    "soft -> end\" );\n");
	ran =
	    aloe_ok("run '%s' --clock virtual --slots 2000 --json --quiet", aloe_path("nan.conf"));
	assert_int_equal(ran_number(ran, "slots.run"), 2000);
	ran_free(ran);
}

static void status_of_a_run(void **state)
{
	(void)state;
	conf_write("victim", victim);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct ran *ran =
		    aloe("run '%s' --clock virtual --slots 1000 --quiet --set bad.how=%s",
		        aloe_path("victim.conf"), faults[i].how);

		assert_int_equal(ran->status, 1);
		if (!is_reason(faults[i].how, ran->err, faults[i].reason))
			fail_msg("%s: %s", faults[i].how, ran->err);
		ran_free(ran);
	}
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(faults_on_the_timer),
	    cmocka_unit_test(hangs_on_the_timer),
	    cmocka_unit_test(what_hangs_cost_others),
	    cmocka_unit_test(a_hang_alone_on_its_lane),
	    cmocka_unit_test(faults_with_many_hosts),
	    cmocka_unit_test(faults_side_by_side),
	    cmocka_unit_test(a_crash_in_the_shared_host),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(faults_on_the_virtual_clock),
	    cmocka_unit_test(a_hang_side_by_side_on_the_virtual_clock),
	    cmocka_unit_test(faults_before_the_start),
	    cmocka_unit_test(samples_that_are_no_numbers),
	    cmocka_unit_test(status_of_a_run),
	};
	int failed;

	cmocka_set_test_filter(getenv("ONLY"));
	failed = ALOE_PART("lanes", lanes, node_up, node_down);
	return failed + ALOE_PART("rest", rest, node_up, node_down);
}
