/* SPDX-License-Identifier: BSD-3-Clause
 * Changes to a running node, drawn at random, through the real daemons; what they are, and what is
 * held against them, is in tests/faults/changes.h.
 *
 * ALOE_CHANGES=N makes N changes on the virtual clock, not 600 (make changes: 10 000); on the
 * timer it is 100. Ten thousand remaps, and what happens when a part of one is left out:
 * test_remap. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "tests/faults/changes.h"

enum {
	FAILED = 1,
	USAGE = 2,
	VIRTUAL_CHANGES = ALOE_SLOWER(600, 300),
	KILLS = 6,
	TIMER_CHANGES = ALOE_SLOWER(100, 30),
};

static void changes_on_the_virtual_clock(void **state)
{
	const char *env = getenv("ALOE_CHANGES");
	const int n = env ? atoi(env) : VIRTUAL_CHANGES;
	const uint64_t began = clock_ns();
	struct records records;
	struct changes w;
	size_t seen;
	uint64_t bits;

	(void)state;
	changes_begin(&w, "slip", "nap_us", "--clock virtual --lanes 0,1");
	for (int i = 0; i < n; i++)
		changes_draw(&w, 0);
	changes_finish(&w, NULL);
	records = records_check(aloe_path("steady.out"), CHANGES_SLOT_NS, NULL);
	seen = changes_marks_check(&w);
	bits = changes_noisy_check();
	print_message(
	    "%d changes in %.1f s: %zu values set, %zu of them seen, %llu remaps, %llu loads and "
	    "unloads; %llu asked again; steady %llu, noisy %llu indices, no gap\n",
	    n, (double)(clock_ns() - began) / 1e9, w.n_sets, seen, (unsigned long long)w.remaps,
	    (unsigned long long)w.extras, (unsigned long long)w.refused,
	    (unsigned long long)records.count, (unsigned long long)bits);
	assert_true(seen > w.n_sets / 2 && w.remaps > (uint64_t)n / 30);
	changes_fini(&w);
}

static void changes_on_the_timer(void **state)
{
	struct stalls *stalls[2] = {stalls_watch(0), stalls_watch(1)};
	struct records records;
	struct changes w;
	size_t seen;

	(void)state;
	changes_begin(&w, "skip", "spin_us", "--clock timer --lanes 0,1");
	for (int i = 0; i < TIMER_CHANGES; i++)
		changes_draw(&w, 60);
	changes_finish(&w, stalls);
	records = records_check(aloe_path("steady.out"), CHANGES_SLOT_NS, stalls[0]);
	seen = changes_marks_check(&w);
	changes_noisy_check();
	print_message(
	    "%d changes: %zu values set, %zu of them seen, %llu remaps, which stood still for %.1f "
	    "slots (mean), %llu at most; steady %llu indices, %llu gaps excused by stalls\n",
	    TIMER_CHANGES, w.n_sets, seen, (unsigned long long)w.remaps,
	    w.remaps ? (double)w.stood_sum / (double)w.remaps : 0, (unsigned long long)w.stood_most,
	    (unsigned long long)records.count, (unsigned long long)records.excused);
	assert_true(seen > w.n_sets / ALOE_SLOWER(2, 8) && w.remaps > 0);
	changes_fini(&w);
	stalls_end(stalls[0]);
	stalls_end(stalls[1]);
}

/* ---- while aloe-exec is off its CPU ---- */

/* Stops aloe-exec again and again, for as long as it likes, until it is killed. */
static pid_t exec_off_begin(void)
{
	const pid_t exec = process_one("aloe-exec"), child = fork();
	unsigned seed = 1;

	if (child != 0)
		return child;
	for (;;) {
		kill(exec, SIGSTOP);
		clock_sleep_until(clock_ns() + 1000 * (uint64_t)(rand_r(&seed) % 10000));
		kill(exec, SIGCONT);
		clock_sleep_until(clock_ns() + 1000 * (uint64_t)(rand_r(&seed) % 300));
	}
}

static void exec_off_end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	kill(process_one("aloe-exec"), SIGCONT);
}

/* Steps that nothing paces go on as fast as they can, and still each set holds from the index that
 * is told, or is refused because it is too late. */
static void sets_while_exec_is_off(void **state)
{
	enum { SETS = ALOE_SLOWER(75, 50) };
	struct changes w;
	pid_t child;
	size_t seen;

	(void)state;
	changes_begin(&w, "slip", "spin_us", "--clock virtual --lanes 0,1");
	ran_free(aloe_ok("set marks slow.spin_us=0"));
	child = exec_off_begin();
	for (int i = 0; i < SETS; i++)
		changes_set(&w, 2, false, changes_below(&w, 2) != 0);
	exec_off_end(child);
	changes_finish(&w, NULL);
	seen = changes_marks_check(&w);
	print_message("%zu values set, %zu of them seen\n", w.n_sets, seen);
	assert_true(seen > w.n_sets / 2);
	changes_fini(&w);
}

/* ---- killed in the middle of it ---- */

/* A remap from the command line, in the background, while aloe-exec is killed at some moment of it:
 * what was lost with it is asked for again. How many were done. */
static uint64_t remap_killed(struct changes *w, const char *waveform, const char *instance)
{
	const pid_t exec = process_one("aloe-exec"), child = fork();
	struct ran *ran;
	uint64_t done;
	int status = -1;

	if (child == 0) {
		ran = aloe("remap %s --pin %s=%u", waveform, instance, changes_below(w, 2));
		if (ran->status != 0)
			print_message("%s", ran->err);
		_exit(ran->status);
	}
	changes_below(w, 2);
	assert_true(child > 0);
	clock_sleep_until(clock_ns() + 5000000 + changes_below(w, 40) * 1000000ull);
	kill(exec, SIGKILL);
	process_other("aloe-exec", exec);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	ran = wave_await(waveform, "RUN");
	done = (uint64_t)ran_number(ran, "remaps");
	ran_free(ran);
	return done;
}

/* Whatever was under way is done to the end or has not been: no index is lost, no bit. */
static void exec_killed_while_remapping(void **state)
{
	struct records records;
	uint64_t done[2] = {0};
	struct changes w;

	(void)state;
	changes_begin(&w, "slip", "nap_us", "--clock virtual --lanes 0,1");
	for (int i = 0; i < KILLS; i++) {
		changes_set(&w, 2, false, false);
		if (i % 2)
			done[1] = remap_killed(&w, "marks", i % 3 ? "b" : "source");
		else
			done[0] = remap_killed(&w, "noisy", i % 3 ? "noise" : "demod");
	}
	changes_finish(&w, NULL);
	records = records_check(aloe_path("steady.out"), CHANGES_SLOT_NS, NULL);
	changes_marks_check(&w);
	changes_noisy_check();
	w.remaps = done[0] + done[1];
	print_message(
	    "%d times killed, %llu remaps done all the same; steady %llu indices, no gap\n", KILLS,
	    (unsigned long long)w.remaps, (unsigned long long)records.count);
	assert_true(w.remaps > 0);
	changes_fini(&w);
}

/* ---- by hand ------------------------------------------------------------------------ */

static void refused(int status, const char *words, const char *command)
{
	struct ran *ran = aloe("%s", command);

	if (ran->status != status || !strstr(ran->err, words))
		fail_msg("aloe %s: exit %d, not %d with `%s`: %s%s", command, ran->status, status,
		    words, ran->out, ran->err);
	assert_int_equal(ran_lines(ran->err), 1);
	ran_free(ran);
}

static void says(const char *words, const char *command)
{
	struct ran *ran = aloe_ok("%s", command);

	if (!strstr(ran->out, words))
		fail_msg("aloe %s: no `%s`: %s", command, words, ran->out);
	ran_free(ran);
}

/* In any process: the bits are the same. */
static void every_isolation(void **state)
{
	static const char *const hows[] = {"component", "none"};

	(void)state;
	for (int h = 0; h < 2; h++) {
		char options[100];

		changes_conf("noisy", "slip", "spin_us");
		snprintf(
		    options, sizeof(options), "--clock timer --lanes 0,1 --isolation %s", hows[h]);
		wave_begin("noisy", options);
		says("noisy has run on its new lanes", "remap noisy --pin noise=1");
		says("lane 1 (CPU 1): demod\n",
		    "remap noisy --pin source=0 --pin mod=0 --pin noise=0 --pin slow=0 --pin "
		    "demod=1 --pin sink=0");
		says("; the waveform stood still for ", "remap noisy --lanes 1");
		says("lane 0 (CPU 0): source mod noise slow demod sink\n", "remap noisy --lanes 0");
		says("remapped   4 times", "status noisy");
		wave_end("noisy");
		changes_noisy_check();
	}
}

/* Where it stands already it stays so, and goes on by its new tables. */
static void in_every_state(void **state)
{
	(void)state;
	changes_conf("noisy", "slip", "nap_us");
	ran_free(aloe_ok("load '%s' --clock step --lanes 0,1", aloe_path("noisy.conf")));
	says("noisy is on its new lanes in state INIT\n",
	    "remap noisy --pin demod=1 --pin source=0");
	ran_free(aloe_ok("step noisy --count 5"));
	says("latency 2 slots, before 2", "remap noisy --pin demod=0 --pin source=1 --pin sink=0");
	ran_free(aloe_ok("step noisy --count 5"));
	says("latency 1 slot, before 2", "remap noisy --lanes 1");
	says("latency 3 slots, before 1",
	    "remap noisy --pin source=0 --pin demod=1 --pin sink=0 --lanes 0,1");
	ran_free(aloe_ok("step noisy --count 7"));
	wave_end("noisy");
	assert_true(changes_noisy_check() > 10);
}

/* Without a clock threads run by `limit` alone: what stands at a step stays there, whichever step
 * the next tables begin with. */
static void again_and_again_while_paused(void **state)
{
	enum { ROUNDS = ALOE_SLOWER(5, 3) };

	(void)state;
	changes_conf("noisy", "slip", "nap_us");
	wave_begin("noisy", "--clock virtual --lanes 0,1");
	for (int i = 0; i < ROUNDS; i++) {
		ran_free(aloe_ok("pause noisy"));
		says("in state PAUSE\n", "remap noisy --pin source=0 --pin slow=1 --pin demod=0");
		says("latency 1 slot, before 3", "remap noisy --lanes 1");
		says("latency 6 slots, before 1",
		    "remap noisy --lanes 0,1 --pin source=0 --pin mod=1 --pin noise=0 --pin "
		    "slow=1 --pin demod=0 --pin sink=1");
		ran_free(aloe_ok("start noisy"));
	}
	wave_end("noisy");
	assert_true(changes_noisy_check() > 10);
}

static void refusals(void **state)
{
	char command[512];

	(void)state;
	refused(USAGE, "no waveform \"noisy\" is loaded", "remap noisy");
	changes_conf("noisy", "slip", "nap_us");
	wave_begin("noisy", "--clock timer --lanes 0,1");
	refused(USAGE, "INSTANCE=LANE is needed", "remap noisy --pin noise");
	refused(USAGE, "INSTANCE=LANE is needed", "remap noisy --pin noise=x");
	refused(
	    USAGE, "unknown instance \"nose\", did you mean \"noise\"", "remap noisy --pin nose=1");
	refused(USAGE, "noise.pin = 2 is outside [0, 1] (the lanes of the waveform)",
	    "remap noisy --pin noise=2");
	refused(USAGE, "CPU 63 does not exist, or this node may not use the CPU",
	    "remap noisy --lanes 63");
	refused(USAGE, "`x` is not a CPU number", "remap noisy --lanes 0,x");
	ran_free(aloe_ok("stop noisy"));
	refused(USAGE, "is in state STOP and cannot be remapped from there", "remap noisy");
	ran_free(aloe_ok("unload noisy"));
	changes_noisy_check();
	snprintf(command, sizeof(command),
	    "load waveforms/utran384.conf --copies 2 --lanes 0 --clock step --set 'sink.path=%s'",
	    aloe_path("{copy}.wav"));
	ran_free(aloe_ok("%s", command));
	refused(USAGE, "share working memory and cannot go to different lanes",
	    "remap utran384 --lanes 0,1");
	says("in state INIT", "remap utran384 --lanes 1");
	ran_free(aloe_ok("unload utran384"));
}

/* Several at one index: all of them or none. */
static void several_sets(void **state)
{
	struct ran *ran;

	(void)state;
	changes_conf("marks", "slip", "spin_us");
	wave_begin("marks", "--clock timer --lanes 0,1");
	refused(
	    USAGE, "b.values is an array; set the array alone", "set marks a.level=1 b.values=1,2");
	refused(USAGE, "b.level = -5 is outside [0, 1000000]", "set marks a.level=1 b.level=-5");
	refused(USAGE, "\"c\"", "set marks a.level=1 c.level=5");
	refused(FAILED, "index 1 is too late", "set marks a.level=1 b.level=5 --at 1");
	says("a.level 0.0\n", "get marks a.level");
	ran = aloe_ok("set marks a.level=3 b.level=4 a.level=5");
	assert_int_equal(ran_lines(ran->out), 3);
	ran_free(ran);
	wave_end("marks");
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(several_sets),
	    cmocka_unit_test(every_isolation),
	    cmocka_unit_test(refusals),
	    cmocka_unit_test(changes_on_the_timer),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(in_every_state),
	    cmocka_unit_test(again_and_again_while_paused),
	    cmocka_unit_test(exec_killed_while_remapping),
	    cmocka_unit_test(changes_on_the_virtual_clock),
	    cmocka_unit_test(sets_while_exec_is_off),
	};
	int failed;

	cmocka_set_test_filter(getenv("ONLY"));
	failed = ALOE_PART("lanes", lanes, node_up, node_down);
	return failed + ALOE_PART("rest", rest, node_up, node_down);
}
