/* SPDX-License-Identifier: BSD-3-Clause
 * SIGKILL at random points of the slot, to hosts and daemons, while two waveforms run: the other
 * one keeps every slot, and what was killed comes back or says why it does not. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "tests/faults/node.h"

enum {
	VIRTUAL_KILLS = 16,
	TIMER_KILLS = 10,
	PAIRS = 10,
	TOGETHER = 4,
	STOPS = 4,
	TWO_HOSTS = 4,
	APART_NS = 2000000
};

/* Without a clock nothing spins: what computes there all the time takes a CPU from other tests. */
#define ON_VIRTUAL "--clock virtual --set work.spin_us=0 --set work.nap_us=2000"
#define ON_TIMER "--clock timer --lanes 0"

/* It shares the lane of `steady`. */
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
	slot_random_point(STEADY_SLOT_NS, seed);
	kill(host, SIGKILL);
	ran = wave_await("victim", "ABNSTOP");
	if (strstr(options, "timer") != NULL)
		assert_true(is_death(ran_text(ran, "reason"), "was killed by signal 9"));
	else
		assert_non_null(strstr(ran_text(ran, "reason"), "was killed by signal 9"));
	ran_free(ran);
	ran_free(aloe_ok("unload victim"));
}

static void daemon_kill(const char *program, unsigned *seed)
{
	const pid_t pid = process_one(program);
	struct ran *ran;

	slot_random_point(STEADY_SLOT_NS, seed);
	kill(pid, SIGKILL);
	process_other(program, pid);
	ran = wave_await("steady", "RUN");
	ran_free(ran);
}

static void kills(const char *options, int n, unsigned seed)
{
	static const char *const daemons[] = {
	    "aloe-exec", "aloe-frontend", "aloe-stats", "aloe-swman", "aloe-statsman"};

	for (int i = 0; i < n; i++) {
		if (i % 2 == 0)
			host_kill(options, &seed);
		else
			daemon_kill(daemons[i / 2 % 5], &seed);
	}
}

/* ---- two at once ------------------------------------------------------------------------ */

/* Any two of these, so many pairs of them. */
static const char *const mortal[] = {
    "aloe-exec", "aloe-frontend", "aloe-stats", "aloe-swman", "aloe-host"};
enum {
	MORTALS = sizeof(mortal) / sizeof(mortal[0]),
	HOST = MORTALS - 1,
	ALL_PAIRS = MORTALS * (MORTALS - 1) / 2
};

static void pair_of(unsigned number, unsigned *ret_first, unsigned *ret_second)
{
	unsigned first = 0, second = number % ALL_PAIRS + 1;

	while (second >= MORTALS) {
		first++;
		second = second - MORTALS + first + 1;
	}
	*ret_first = first;
	*ret_second = second;
}

/* The second dies at the same moment, or up to 2 ms later, in either order. */
static void pair_kill(const char *options, unsigned number, unsigned *seed)
{
	const pid_t host = wave_begin("victim", options);
	unsigned first, second;
	pid_t pids[2];

	pair_of(number, &first, &second);
	if (rand_r(seed) % 2 == 0) {
		const unsigned other = first;

		first = second;
		second = other;
	}
	pids[0] = first == HOST ? host : process_one(mortal[first]);
	pids[1] = second == HOST ? host : process_one(mortal[second]);
	slot_random_point(STEADY_SLOT_NS, seed);
	kill(pids[0], SIGKILL);
	if (rand_r(seed) % 2 == 0)
		clock_sleep_until(clock_ns() + (uint64_t)rand_r(seed) % APART_NS);
	kill(pids[1], SIGKILL);
	if (first != HOST)
		process_other(mortal[first], pids[0]);
	if (second != HOST)
		process_other(mortal[second], pids[1]);
	ran_free(wave_await("steady", "RUN"));
	ran_free(wave_await("victim", first == HOST || second == HOST ? "ABNSTOP" : "RUN"));
	ran_free(aloe_ok("unload victim"));
}

static void pairs(const char *options, int n, unsigned seed)
{
	const pid_t steady_host = process_one("aloe-host");

	for (int i = 0; i < n; i++) {
		pair_kill(options, (unsigned)i, &seed);
		assert_int_equal(process_one("aloe-host"), steady_host);
	}
}

/* Exec and the frontend, up to 2 ms apart, in either order. */
static void both_kill(int n, unsigned seed)
{
	static const char *const daemons[] = {"aloe-exec", "aloe-frontend"};

	for (int i = 0; i < n; i++) {
		const pid_t pids[] = {process_one(daemons[0]), process_one(daemons[1])};

		slot_random_point(STEADY_SLOT_NS, &seed);
		kill(pids[i % 2], SIGKILL);
		if (i % 4 > 1)
			clock_sleep_until(clock_ns() + (uint64_t)rand_r(&seed) % APART_NS);
		kill(pids[1 - i % 2], SIGKILL);
		for (int d = 0; d < 2; d++)
			process_other(daemons[d], pids[d]);
		ran_free(wave_await("steady", "RUN"));
		ran_free(wave_await("victim", "RUN"));
	}
}

/* Both waveforms run on in the same hosts, and neither loses an index. */
static void lose_nothing(const char *options, const char *late, struct stalls *stalls)
{
	pid_t steady, other, hosts[3];
	char all[128];

	conf_write("victim", victim);
	snprintf(all, sizeof(all), "--clock %s %s", stalls != NULL ? "timer --lanes 0" : "virtual",
	    late);
	steady = steady_begin(all);
	snprintf(all, sizeof(all), "%s %s", options, late);
	other = wave_begin("victim", all);
	both_kill(TOGETHER, 7);
	assert_int_equal(processes("aloe-host", hosts, 3), 2);
	assert_true(hosts[0] == steady || hosts[1] == steady);
	assert_true(hosts[0] == other || hosts[1] == other);
	wave_end("victim");
	assert_true(
	    records_check(aloe_path("victim.out"), STEADY_SLOT_NS, stalls).count > TOGETHER);
	assert_true(steady_end(0, stalls).count > TOGETHER);
}

/* A host that stands still; each other time exec is killed with it. */
static void stop_still(const char *options, int n, unsigned seed)
{
	for (int i = 0; i < n; i++) {
		const pid_t host = wave_begin("victim", options), exec = process_one("aloe-exec");
		struct ran *ran;

		slot_random_point(STEADY_SLOT_NS, &seed);
		kill(host, SIGSTOP);
		if (i % 2 == 1) {
			kill(exec, SIGKILL);
			process_other("aloe-exec", exec);
		}
		ran = wave_await("victim", "ABNSTOP");
		assert_non_null(strstr(ran_text(ran, "reason"), "hangs: it held lane 0"));
		ran_free(ran);
		ran_free(aloe_ok("unload victim"));
		ran_free(wave_await("steady", "RUN"));
	}
}

/* Two hosts on the lane, of two waveforms, up to 2 ms apart. */
static void two_hosts_kill(const char *options, int n, unsigned seed)
{
	char text[1024];

	snprintf(text, sizeof(text), "name = \"second\";%s", strchr(victim, ';') + 1);
	conf_write("second", text);
	for (int i = 0; i < n; i++) {
		const pid_t first = wave_begin("victim", options),
		            second = wave_begin("second", options);

		slot_random_point(STEADY_SLOT_NS, &seed);
		kill(i % 2 == 0 ? first : second, SIGKILL);
		if (i % 4 > 1)
			clock_sleep_until(clock_ns() + (uint64_t)rand_r(&seed) % APART_NS);
		kill(i % 2 == 0 ? second : first, SIGKILL);
		ran_free(wave_await("victim", "ABNSTOP"));
		ran_free(wave_await("second", "ABNSTOP"));
		ran_free(aloe_ok("unload victim"));
		ran_free(aloe_ok("unload second"));
		ran_free(wave_await("steady", "RUN"));
	}
}

/* gaps: so many at most, on the timer, of an exec that was killed with a host. */
static void harm(void (*do_harm)(const char *options, int n, unsigned seed), int n, unsigned seed,
    bool timer, unsigned gaps)
{
	struct stalls *stalls = timer ? stalls_watch(0) : NULL;
	struct records records;

	conf_write("victim", victim);
	assert_true(steady_begin(timer ? ON_TIMER : "--clock virtual --late slip") > 0);
	do_harm(timer ? ON_TIMER : ON_VIRTUAL, n, seed);
	records = steady_end(gaps > 0 ? STEADY_BOUND_NS : 0, stalls);
	assert_true(records.bounded <= gaps);
	assert_true(records.count > (uint64_t)n);
	print_message("%d times, %zu stalls\n", n, stalls != NULL ? stalls_count(stalls) : 0);
	if (stalls != NULL)
		stalls_end(stalls);
}

static void kills_on_the_virtual_clock(void **state)
{
	(void)state;
	harm(kills, VIRTUAL_KILLS, 1, false, 0);
}

static void kills_on_the_timer(void **state)
{
	(void)state;
	harm(kills, TIMER_KILLS, 2, true, 0);
}

static void pairs_on_the_virtual_clock(void **state)
{
	(void)state;
	harm(pairs, (int)number_of("ALOE_PAIRS", PAIRS), 5, false, 0);
}

/* A host and exec at once: its lane-mates find out for themselves. */
static void pairs_on_the_timer(void **state)
{
	const unsigned n = number_of("ALOE_PAIRS", PAIRS);

	(void)state;
	harm(pairs, (int)n, 6, true, (n + ALL_PAIRS - 1) / ALL_PAIRS);
}

static void exec_and_frontend_lose_nothing(void **state)
{
	(void)state;
	lose_nothing(ON_VIRTUAL, "--late slip", NULL);
}

static void exec_and_frontend_on_the_timer(void **state)
{
	struct stalls *stalls = stalls_watch(0);

	(void)state;
	lose_nothing(ON_TIMER, "--late skip", stalls);
	stalls_end(stalls);
}

static void two_hosts_at_once(void **state)
{
	(void)state;
	harm(two_hosts_kill, TWO_HOSTS, 9, false, 0);
}

static void two_hosts_on_the_timer(void **state)
{
	(void)state;
	harm(two_hosts_kill, TWO_HOSTS, 10, true, TWO_HOSTS);
}

/* So it is with one that does not die. */
static void hosts_that_stand_still(void **state)
{
	(void)state;
	harm(stop_still, STOPS, 8, true, STOPS);
}

/* Linux tells everybody with a pidfd how a process has ended from 6.15 on; before, its parent
 * alone. */
static bool kernel_tells(void)
{
	struct utsname name;
	unsigned major = 0, minor = 0;

	assert_int_equal(uname(&name), 0);
	assert_int_equal(sscanf(name.release, "%u.%u", &major, &minor), 2);
	return major > 6 || (major == 6 && minor >= 15);
}

static void host_of_another(bool frontend_too, int signo, const char *text)
{
	const pid_t host = wave_begin("victim", ON_VIRTUAL), exec = process_one("aloe-exec");
	char pid[32], reason[512];
	struct ran *ran;

	snprintf(pid, sizeof(pid), "(pid %d)", host);
	if (frontend_too) {
		const pid_t frontend = process_one("aloe-frontend");

		kill(frontend, SIGKILL);
		process_other("aloe-frontend", frontend);
	}
	kill(exec, SIGKILL);
	process_other("aloe-exec", exec);
	ran_free(wave_await("victim", "RUN"));
	kill(host, signo);
	ran = wave_await("victim", "ABNSTOP");
	snprintf(reason, sizeof(reason), "%s", ran_text(ran, "reason"));
	print_message("%s\n", reason);
	assert_non_null(strstr(reason, pid));
	assert_true(strstr(reason, "the host of instance \"") ||
	    strstr(reason, "the host of \"source\", \"work\" and \"sink\""));
	if (!strstr(reason, text))
		assert_true(!kernel_tells() && strstr(reason, "for an unknown reason"));
	ran_free(ran);
	ran_free(aloe_ok("unload victim"));
}

/* Who hears of a host's end is not its parent: still it is said which, and how. */
static void a_host_ends_under_another_exec(void **state)
{
	(void)state;
	conf_write("victim", victim);
	host_of_another(false, SIGKILL, "was killed by signal 9 (SIGKILL)");
	host_of_another(true, SIGKILL, "was killed by signal 9 (SIGKILL)");
	host_of_another(false, SIGSYS, "was killed by signal 31 (SIGSYS)");
}

static bool is_dead(pid_t pid)
{
	char path[64], stat[512];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file == NULL)
		return true;
	stat[fread(stat, 1, sizeof(stat) - 1, file)] = 0;
	fclose(file);
	return strstr(stat, ") Z") != NULL;
}

/* The CPU that `exec` has given back; somebody else's node may have it in the meantime. */
static int cpu_take(pid_t exec)
{
	const uint64_t until = clock_ns() + 60000000000;
	struct platform_holder holder = {0};
	int fd;

	while ((fd = platform_lock_cpu(0, &holder)) < 0) {
		assert_int_equal(fd, -EADDRINUSE);
		assert_int_not_equal(holder.pid, exec);
		if (clock_ns() > until)
			fail_msg("pid %d has held CPU 0 for 60 s", holder.pid);
		clock_sleep_until(clock_ns() + 100000000);
	}
	return fd;
}

/* Nobody else gets the CPU of a lane while its exec is dead, and when it is back it is the holder;
 * one that is told to give its lanes up lets go at once. */
static void the_cpu_stays_taken(void **state)
{
	const pid_t frontend = process_one("aloe-frontend");
	pid_t exec = process_one("aloe-exec");
	struct platform_holder holder;

	(void)state;
	conf_write("victim", victim);
	assert_true(wave_begin("victim", ON_TIMER) > 0);
	kill(frontend, SIGSTOP);
	kill(exec, SIGKILL);
	for (int i = 0; i < 1000 && !is_dead(exec); i++)
		clock_sleep_until(clock_ns() + 1000000);
	assert_true(is_dead(exec));
	assert_int_equal(platform_lock_cpu(0, &holder), -EADDRINUSE);
	assert_int_equal(holder.pid, exec);
	kill(frontend, SIGCONT);
	exec = process_other("aloe-exec", exec);
	ran_free(wave_await("victim", "RUN"));
	assert_int_equal(platform_lock_cpu(0, &holder), -EADDRINUSE);
	assert_int_equal(holder.pid, exec);
	wave_end("victim");
	close(cpu_take(exec));
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(kills_on_the_timer),
	    cmocka_unit_test(pairs_on_the_timer),
	    cmocka_unit_test(exec_and_frontend_on_the_timer),
	    cmocka_unit_test(two_hosts_on_the_timer),
	    cmocka_unit_test(hosts_that_stand_still),
	    cmocka_unit_test(the_cpu_stays_taken),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(kills_on_the_virtual_clock),
	    cmocka_unit_test(pairs_on_the_virtual_clock),
	    cmocka_unit_test(exec_and_frontend_lose_nothing),
	    cmocka_unit_test(two_hosts_at_once),
	    cmocka_unit_test(a_host_ends_under_another_exec),
	};
	int failed;

	cmocka_set_test_filter(getenv("ONLY"));
	failed = ALOE_PART("lanes", lanes, node_up, node_down);
	return failed + ALOE_PART("rest", rest, node_up, node_down);
}
