/* SPDX-License-Identifier: BSD-3-Clause
 * The CPU of a lane: who does not get it is not blamed for that; the threads that run lanes have
 * real-time priority, those of a remap, too, and their processes have no right to it;
 * SCHED_RR on request; a node whose every CPU has a lane says once what nobody sees there. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "tests/faults/node.h"

enum { BURSTS = 8, CPUS_MAX = 16, NICE_BIT = 23 }; /* CAP_SYS_NICE */

#define BURST_NS 60000000ull /* beyond the bound of a lane with slots of 10 ms */
#define PAUSE_NS 97000000ull

static const char victim[] = "name = \"victim\"; slot_ns = 10000000;\n"
                             "instances: {\n"
                             "  source: { component = \"counter\"; };\n"
                             "  sink: { component = \"file_sink\"; path = \"%s\"; };\n"
                             "};\nlinks = ( \"source -> sink\" );\n";

/* ---- who does not get to run ---- */

/* A thread of nobody's: with the priority of the lane's threads it keeps the CPU from whichever of
 * them would have to begin, and the watchdog has the CPU all the same. */
static void *cpu_take(void *priority)
{
	platform_pin(0);
	if (platform_realtime(0, *(const int *)priority) != 0)
		return NULL;
	for (int i = 0; i < BURSTS; i++) {
		const uint64_t until = clock_ns() + BURST_NS;

		while (clock_ns() < until)
			;
		clock_sleep_until(until + PAUSE_NS);
	}
	return priority;
}

static void is_unharmed(const char *name)
{
	struct ran *ran = wave_await(name, "RUN");

	assert_string_equal(ran_text(ran, "reason"), "");
	ran_free(ran);
}

static void who_does_not_get_to_run(void **state)
{
	static const int priority = PLATFORM_PRIORITY_LANE;
	pid_t steady, other, hosts[8];
	void *took = NULL;
	pthread_t thread;

	(void)state;
	conf_write("victim", victim);
	steady = steady_begin("--clock timer --lanes 0");
	other = wave_begin("victim", "--clock timer --lanes 0 --late skip");
	assert_int_equal(pthread_create(&thread, NULL, cpu_take, (void *)&priority), 0);
	pthread_join(thread, &took);
	is_unharmed("steady");
	is_unharmed("victim");
	assert_int_equal(processes("aloe-host", hosts, 8), 2);
	assert_true(
	    (hosts[0] == steady && hosts[1] == other) || (hosts[1] == steady && hosts[0] == other));
	if (took != NULL) { /* it had the CPU: slots were skipped, and nobody's fault */
		struct ran *ran = wave_await("steady", "RUN");

		assert_true(ran_number(ran, "slots.skipped") >= BURSTS);
		ran_free(ran);
	}
	wave_end("victim");
	wave_end("steady");
	if (took == NULL)
		skip(); /* who runs this may not have real-time priority */
}

/* ---- priority ---- */

static unsigned long long status_hex(pid_t pid, const char *key)
{
	char path[64], text[4096];
	const char *at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	at = strstr(text, key);
	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 16);
}

static void has_no_right(pid_t host)
{
	struct rlimit limit;

	if (status_hex(host, "\nCapEff:") >> NICE_BIT & 1)
		fail_msg("host %d has CAP_SYS_NICE", host);
	if (status_hex(host, "\nCapPrm:") >> NICE_BIT & 1)
		fail_msg("host %d may have CAP_SYS_NICE again", host);
	assert_int_equal(prlimit(host, RLIMIT_RTPRIO, NULL, &limit), 0);
	if (limit.rlim_cur != 0 || limit.rlim_max != 0)
		fail_msg("RLIMIT_RTPRIO of host %d is %llu, %llu", host,
		    (unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max);
}

/* The thread of the host that has real-time priority (SCHED_FIFO or SCHED_RR) and may run on `cpu`
 * only; 0: there is none. */
static pid_t lane_thread(pid_t host, int policy, int cpu)
{
	struct dirent *entry;
	char path[64];
	pid_t found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", host);
	dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		const pid_t tid = (pid_t)atoi(entry->d_name);
		struct sched_param param;
		cpu_set_t set;

		if (tid <= 0 || sched_getscheduler(tid) != (policy | SCHED_RESET_ON_FORK) ||
		    sched_getaffinity(tid, sizeof(set), &set) != 0 || CPU_COUNT(&set) != 1 ||
		    !CPU_ISSET(cpu, &set))
			continue;
		assert_int_equal(sched_getparam(tid, &param), 0);
		assert_int_equal(param.sched_priority, PLATFORM_PRIORITY_LANE);
		found = tid;
	}
	closedir(dir);
	return found;
}

static bool may_realtime(void)
{
	const bool may = platform_realtime(0, 1) == 0;
	const struct sched_param none = {0};

	sched_setscheduler(0, SCHED_OTHER, &none);
	return may;
}

/* A node whose processes are allowed real-time priority by a limit: what a host has not, it has
 * given up or was forbidden. Who may not raise the limit has a node without. */
static int node_up_allowed(void **state)
{
	const struct rlimit limit = {PLATFORM_PRIORITY_LANE, PLATFORM_PRIORITY_LANE};

	setrlimit(RLIMIT_RTPRIO, &limit);
	return node_up(state);
}

static void hosts_have_no_right_to_priority(void **state)
{
	const bool realtime = may_realtime();
	int cpus[2];
	pid_t host;

	(void)state;
	conf_write("victim", victim);
	host = wave_begin("victim", "--clock timer --lanes 0");
	has_no_right(host);
	if (realtime)
		assert_true(lane_thread(host, SCHED_FIFO, 0) > 0);
	if (platform_cpus(cpus, 2) > 1) {
		ran_free(aloe_ok("remap victim --lanes 1"));
		assert_int_equal(process_one("aloe-host"), host);
		has_no_right(host);
		if (realtime)
			assert_true(lane_thread(host, SCHED_FIFO, 1) > 0);
	}
	wave_end("victim");
	if (!realtime)
		skip();
}

/* On request: SCHED_RR, and it stays so when exec is killed. */
static void lanes_are_round_robin(void **state)
{
	const bool realtime = may_realtime();
	const pid_t exec = process_one("aloe-exec");
	struct ran *ran;
	pid_t host;

	(void)state;
	conf_write("victim", victim);
	host = wave_begin("victim", "--clock timer --lanes 0 --rr");
	if (realtime) {
		assert_true(lane_thread(host, SCHED_RR, 0) > 0);
		assert_int_equal(lane_thread(host, SCHED_FIFO, 0), 0);
		kill(exec, SIGKILL);
		process_other("aloe-exec", exec);
		ran = wave_await("victim", "RUN");
		assert_string_equal(ran_text(ran, "lanes.0.realtime"), "RR 50");
		ran_free(ran);
		assert_true(lane_thread(host, SCHED_RR, 0) > 0);
	}
	wave_end("victim");
	if (!realtime)
		skip();
}

/* ---- a node without a CPU to spare ---- */

static int lines_said(void)
{
	static const char line[] = "every CPU of this node has a lane";
	char *text = file_take(aloe_path("state/aloe/node.log"), NULL);
	int n = 0;

	for (const char *at = text; (at = strstr(at, line)) != NULL; at++)
		n++;
	free(text);
	return n;
}

/* Said when the last CPU gets a lane, and once in the node's life. */
static void every_cpu_has_a_lane(void **state)
{
	int cpus[CPUS_MAX + 1];
	const size_t n = platform_cpus(cpus, CPUS_MAX + 1);
	const pid_t exec = process_one("aloe-exec");
	char name[32], text[512], options[64];

	(void)state;
	if (n > CPUS_MAX)
		skip();
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "on%zu", i);
		snprintf(text, sizeof(text), "name = \"%s\";%s", name, strchr(victim, ';') + 1);
		conf_write(name, text);
		snprintf(options, sizeof(options), "--clock timer --lanes %d", cpus[i]);
		assert_int_equal(lines_said(), 0);
		wave_begin(name, options);
	}
	assert_int_equal(lines_said(), 1);
	wave_end(name);
	wave_begin(name, options);
	assert_int_equal(lines_said(), 1);
	kill(exec, SIGKILL);
	process_other("aloe-exec", exec);
	ran_free(wave_await(name, "RUN"));
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "on%zu", i);
		wave_end(name);
	}
	assert_int_equal(lines_said(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(who_does_not_get_to_run, node_up, node_down),
	    cmocka_unit_test_setup_teardown(
	        hosts_have_no_right_to_priority, node_up_allowed, node_down),
	    cmocka_unit_test_setup_teardown(lanes_are_round_robin, node_up, node_down),
	    cmocka_unit_test_setup_teardown(every_cpu_has_a_lane, node_up, node_down),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
