/* SPDX-License-Identifier: BSD-3-Clause
 * SIGKILL at random points of the slot, to hosts and daemons, while two waveforms run: the other one keeps every slot, and
 * what was killed comes back or says why it does not. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/faults/node.h"

enum { VIRTUAL_KILLS = ALOE_SLOWER(40, 24), TIMER_KILLS = 8, SLOT_NS = 10000000 };

/* `steady` is watched; `victim` shares its lane. Where every slot counts, skip would show a lost one as a gap. */
static const char steady[] = "name = \"steady\"; slot_ns = 10000000; late = \"%s\";\n"
                             "instances: {\n"
                             "  source: { component = \"counter\"; };\n"
                             "  work: { component = \"faulty\"; spin_us = 300.0; };\n"
                             "  sink: { component = \"file_sink\"; path = \"%%s\"; };\n"
                             "};\nlinks = ( \"source -> work -> sink\" );\n";
static const char victim[] = "name = \"victim\"; slot_ns = 10000000;\n"
                             "instances: {\n"
                             "  source: { component = \"counter\"; };\n"
                             "  work: { component = \"faulty\"; spin_us = 2000.0; };\n"
                             "  sink: { component = \"file_sink\"; path = \"%s\"; };\n"
                             "};\nlinks = ( \"source -> work -> sink\" );\n";

static void host_kill(const char *options, unsigned *seed)
{
	const pid_t host = wave_begin("victim", options);
	struct ran *ran;

	assert_true(host > 0);
	slot_random_point(SLOT_NS, seed);
	kill(host, SIGKILL);
	ran = wave_await("victim", "ABNSTOP");
	assert_non_null(strstr(ran_text(ran, "reason"), "was killed by signal 9"));
	ran_free(ran);
	ran_free(aloe_ok("unload victim"));
}

static void daemon_kill(const char *program, unsigned *seed)
{
	const pid_t pid = process_one(program);
	struct ran *ran;

	slot_random_point(SLOT_NS, seed);
	kill(pid, SIGKILL);
	process_other(program, pid);
	ran = wave_await("steady", "RUN");
	ran_free(ran);
}

static void kills(const char *options, int n, unsigned seed)
{
	static const char *const daemons[] = {
	    "aloe-exec", "aloe-frontend", "aloe-stats", "aloe-swman"};

	for (int i = 0; i < n; i++) {
		if (i % 2 == 0)
			host_kill(options, &seed);
		else
			daemon_kill(daemons[i / 2 % 4], &seed);
	}
}

static void report_clean(const struct ran *ran)
{
	assert_int_equal(ran_number(ran, "messages.absent"), 0);
	assert_int_equal(ran_number(ran, "messages.lost"), 0);
	assert_string_equal(ran_text(ran, "reason"), "");
}

static void begin(const char *late, const char *options)
{
	char text[1024];

	snprintf(text, sizeof(text), steady, late);
	conf_write("steady", text);
	conf_write("victim", victim);
	assert_true(wave_begin("steady", options) > 0);
}

static struct ran *finish(void)
{
	struct ran *ran;

	ran_free(aloe_ok("stop steady"));
	ran = wave_await("steady", "STOP");
	report_clean(ran);
	ran_free(aloe_ok("unload steady"));
	return ran;
}

static void kills_on_the_virtual_clock(void **state)
{
	struct records records;

	(void)state;
	begin("slip", "--clock virtual");
	kills("--clock virtual", VIRTUAL_KILLS, 1);
	ran_free(finish());
	records = records_check(aloe_path("steady.out"), SLOT_NS, NULL);
	assert_int_equal(records.excused, 0);
	assert_true(records.count > VIRTUAL_KILLS);
	print_message(
	    "%d kills, %llu indices, no gap\n", VIRTUAL_KILLS, (unsigned long long)records.count);
}

static void kills_on_the_timer(void **state)
{
	struct stalls *stalls = stalls_watch(0);
	struct records records;
	struct ran *ran;

	(void)state;
	begin("skip", "--clock timer --lanes 0");
	kills("--clock timer --lanes 0", TIMER_KILLS, 2);
	ran = finish();
	records = records_check(aloe_path("steady.out"), SLOT_NS, stalls);
	assert_true(records.count > TIMER_KILLS);
	assert_true(ran_number(ran, "slots.skipped") == 0 || records.excused > 0);
	print_message(
	    "%d kills, %llu indices, latest start %.3f ms after its edge, %llu gaps excused by %zu stalls\n",
	    TIMER_KILLS, (unsigned long long)records.count, (double)records.late_ns_max / 1e6,
	    (unsigned long long)records.excused, stalls_count(stalls));
	ran_free(ran);
	stalls_end(stalls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kills_on_the_virtual_clock),
	    cmocka_unit_test(kills_on_the_timer),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, node_up, node_down);
}
