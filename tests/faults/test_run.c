/* SPDX-License-Identifier: BSD-3-Clause
 * Kills while `aloe run` runs: of daemons (it goes on), of a host and itself (it ends, with the
 * reason, and leaves nothing behind); of the frontend and the keeper of a node that stays; of the
 * frontend while any of them ends; daemons that hang. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "tests/faults/node.h"

extern char **environ;

enum { ENDLESS = 1000000000, INTERRUPTED = 130, ORPHANED = 4 };

static const char counted[] = "name = \"counted\"; slot_ns = 1000000;\n"
                              "instances: {\n"
                              "  source: { component = \"counter\"; };\n"
                              "  work: { component = \"faulty\"; spin_us = 700.0; };\n"
                              "  sink: { component = \"file_sink\"; path = \"%s\"; };\n"
                              "};\nlinks = ( \"source -> work -> sink\" );\n";

/* `aloe run` in the background. Without a clock its work sleeps and does not compute, which would
 * take a CPU from all other tests. */
static pid_t run_start(const char *name, const char *clock, int slots)
{
	const bool timer = strcmp(clock, "timer") == 0;
	char file[64], number[16];
	const char *argv[] = {"aloe", "run", NULL, "--clock", clock, "--slots", number, "--quiet",
	    "--json", "--force", timer ? NULL : "--set", "work.spin_us=0", "--set",
	    "work.nap_us=700", NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;

	snprintf(file, sizeof(file), "%s.conf", name);
	snprintf(number, sizeof(number), "%d", slots);
	argv[2] = aloe_path(file);
	/* another node may have the CPU */
	for (int i = 0; i < 2400 && timer && !platform_cpu_free(0); i++)
		clock_sleep_until(clock_ns() + 50000000);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(
	    &actions, 1, aloe_path("run.out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_addopen(
	    &actions, 2, aloe_path("run.err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(
	    posix_spawn(&pid, aloe_program("aloe"), &actions, NULL, (char **)argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static int run_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run_print(void)
{
	char *err = file_take(aloe_path("run.err"), NULL);

	print_error("%s", err);
	free(err);
}

static bool wrote(const char *path)
{
	FILE *file = fopen(path, "rb");
	const int c = file != NULL ? fgetc(file) : EOF;

	if (file != NULL)
		fclose(file);
	return c != EOF;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_pid == pid;
}

static bool said_quietly(const char *text)
{
	char *err = file_take(aloe_path("run.err"), NULL);
	const bool found = strstr(err, text) != NULL;

	free(err);
	return found;
}

/* Until its sink has written something: it runs. */
static void await_written(const char *path)
{
	while (!wrote(path))
		clock_sleep_until(clock_ns() + 10000000);
}

/* An `aloe run` that runs until it is told to stop; again if another node took the CPU. */
static pid_t run_begin(const char *path, const char *clock)
{
	for (;;) {
		pid_t run;

		unlink(path);
		run = run_start("counted", clock, ENDLESS);
		while (!wrote(path) && !has_ended(run))
			clock_sleep_until(clock_ns() + 10000000);
		if (!has_ended(run))
			return run;
		run_wait(run);
		if (!said_quietly("taken by the lane of another")) {
			run_print();
			fail_msg("aloe run has ended before it ran");
		}
	}
}

/* It ends with this status. */
static void run_ends(pid_t run, int status)
{
	const int got = run_wait(run);

	if (got != status)
		run_print();
	assert_int_equal(got, status);
}

static bool said(const char *text)
{
	const bool found = said_quietly(text);

	if (!found) {
		print_error("`%s` is not in:\n", text);
		run_print();
	}
	return found;
}

/* Somebody else stops the waveform: the run ends as it does by itself. */
static void run_stop(pid_t run)
{
	glob_t dirs;

	assert_int_equal(glob(aloe_path("run/aloe-run-*"), 0, NULL, &dirs), 0);
	assert_int_equal(dirs.gl_pathc, 1);
	ran_free(aloe_ok("stop counted --dir '%s'", dirs.gl_pathv[0]));
	globfree(&dirs);
	run_ends(run, 0);
}

static void nothing_left(void)
{
	static const char *const programs[] = {"aloe-host", "aloe-exec", "aloe-stats",
	    "aloe-statsman", "aloe-swman", "aloe-frontend", "aloe"};
	struct dirent *entry;
	DIR *dir;
	int n = 0;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		processes_gone(programs[i]);
	dir = opendir(aloe_path("run"));
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.') {
			print_error("left behind: %s\n", entry->d_name);
			n++;
		}
	closedir(dir);
	assert_int_equal(n, 0);
}

static void frontend_kill_if_there(void)
{
	pid_t pids[2];

	if (processes("aloe-frontend", pids, 2) > 0)
		kill(pids[0], SIGKILL);
}

/* `also`: another one, at the same moment; NULL: none. */
static void killed_while_it_runs(const char *clock, const char *program, const char *also)
{
	enum { TIMES = 2 };
	const char *path = conf_write("counted", counted);
	const pid_t run = run_begin(path, clock);
	pid_t pid = -1, second = -1;
	unsigned seed = 3;

	for (int i = 0; i < TIMES; i++) {
		pid = process_other(program, pid);
		second = also != NULL ? process_other(also, second) : -1;
		slot_random_point(50000000, &seed);
		kill(pid, SIGKILL);
		if (also != NULL)
			kill(second, SIGKILL);
	}
	process_other(program, pid);
	if (also != NULL)
		process_other(also, second);
	run_stop(run);
	assert_true(records_check(path, 1000000, NULL).count > TIMES);
	nothing_left();
}

static void daemons_die_and_the_run_goes_on(void **state)
{
	(void)state;
	killed_while_it_runs("virtual", "aloe-exec", NULL);
	killed_while_it_runs("virtual", "aloe-swman", NULL);
	killed_while_it_runs("virtual", "aloe-frontend", NULL);
	killed_while_it_runs("virtual", "aloe-exec", "aloe-frontend");
}

static void daemons_die_on_the_timer(void **state)
{
	(void)state;
	killed_while_it_runs("timer", "aloe-stats", NULL);
	killed_while_it_runs("timer", "aloe-exec", NULL);
	killed_while_it_runs("timer", "aloe-frontend", NULL);
	killed_while_it_runs("timer", "aloe-frontend", "aloe-exec");
}

/* The daemons of a dead frontend are children of `aloe run`, which reaps them. */
static void nobody_stays_a_zombie(void **state)
{
	const char *path = conf_write("counted", counted);
	const pid_t run = run_begin(path, "virtual");
	pid_t pid;

	(void)state;
	pid = process_one("aloe-frontend");
	kill(pid, SIGKILL);
	process_other("aloe-frontend", pid);
	for (int i = 0; i < 2; i++) {
		static const char *const programs[] = {"aloe-exec", "aloe-stats"};

		pid = process_one(programs[i]);
		kill(pid, SIGKILL);
		process_other(programs[i], pid);
	}
	zombies_gone(run);
	kill(run, SIGINT);
	run_ends(run, INTERRUPTED);
	nothing_left();
}

/* At any moment from the first on: while the daemons start, over LOAD, over START. The run is as
 * any other. */
static void the_frontend_dies_while_it_begins(void **state)
{
	enum { TIMES = ALOE_SLOWER(5, 4), FEW = 200 };
	const char *path = conf_write("counted", counted);
	unsigned seed = 7;

	(void)state;
	for (int i = 0; i < TIMES; i++) {
		const pid_t run = run_start("counted", "virtual", FEW);
		char *out;
		json_t *report;

		slot_random_point(i < TIMES / 2 ? 60000000 : 250000000, &seed);
		frontend_kill_if_there();
		run_ends(run, 0);
		assert_int_equal(records_check(path, 1000000, NULL).count, FEW);
		out = file_take(aloe_path("run.out"), NULL);
		report = json_loads(out, 0, NULL);
		assert_non_null(report);
		json_decref(report);
		free(out);
		unlink(path);
		nothing_left();
	}
}

/* A daemon dies over LOAD, or a little before or after: LOAD is sent again, and the run is as any
 * other. TRIALS=70 of them. */
static void daemons_die_while_it_loads(void **state)
{
	enum { TIMES = ALOE_SLOWER(6, 3), FEW = 50, BEGIN_NS = 400000000 };
	static const char *const programs[] = {"aloe-swman", "aloe-exec", "aloe-frontend"};
	const char *path = conf_write("counted", counted), *trials = getenv("TRIALS");
	const int times = trials != NULL ? atoi(trials) : TIMES;
	unsigned seed = 13;

	(void)state;
	for (int i = 0; i < times; i++) {
		const pid_t run = run_start("counted", "virtual", FEW);
		pid_t pids[2];

		clock_sleep_until(clock_ns() + (uint64_t)rand_r(&seed) % BEGIN_NS);
		if (processes(programs[i % 3], pids, 2) > 0)
			kill(pids[0], SIGKILL);
		run_ends(run, 0);
		assert_int_equal(records_check(path, 1000000, NULL).count, FEW);
		unlink(path);
		nothing_left();
	}
}

/* It lives and does nothing: found out, killed, started again; who waits for it is told so. */
static void a_daemon_hangs(const char *program)
{
	const char *path = conf_write("counted", counted);
	const pid_t run = run_begin(path, "virtual"), pid = process_one(program);

	kill(pid, SIGSTOP);
	while (kill(pid, 0) == 0)
		clock_sleep_until(clock_ns() + 10000000);
	process_other(program, pid);
	run_stop(run);
	assert_true(said("aloe: waiting for aloe-swman to answer STATUS, 2 s so far"));
	assert_true(records_check(path, 1000000, NULL).count > 0);
	nothing_left();
}

static void daemons_hang(void **state)
{
	(void)state;
	a_daemon_hangs("aloe-exec");
	a_daemon_hangs("aloe-swman");
}

/* `orphaned`: the frontend is killed as well, a moment later each time. */
static void ends_when_killed(
    const char *program, int signo, int status, const char *text, bool orphaned)
{
	const char *path = conf_write("counted", counted);

	for (int i = 0; i < (orphaned ? ORPHANED : 1); i++) {
		const pid_t run = run_begin(path, "timer");

		kill(program != NULL ? process_one(program) : run, signo);
		if (orphaned) {
			clock_sleep_until(clock_ns() + (uint64_t)i * 700000);
			frontend_kill_if_there();
		}
		run_ends(run, status);
		if (text != NULL)
			assert_true(said(text));
		nothing_left();
		records_check(path, 1000000, NULL); /* what arrived is whole */
	}
}

static void a_host_dies(void **state)
{
	(void)state;
	ends_when_killed("aloe-host", SIGKILL, 1, "was killed by signal 9", false);
	ends_when_killed("aloe-host", SIGKILL, 1, "was killed by signal 9", true);
}

static void the_command_dies(void **state)
{
	(void)state;
	ends_when_killed(NULL, SIGKILL, 128 + SIGKILL, NULL, false);
	ends_when_killed(NULL, SIGKILL, 128 + SIGKILL, NULL, true);
}

static void the_user_ends_it(void **state)
{
	(void)state;
	ends_when_killed(NULL, SIGINT, INTERRUPTED, NULL, false);
	ends_when_killed(NULL, SIGTERM, INTERRUPTED, NULL, false);
	ends_when_killed(NULL, SIGINT, INTERRUPTED, NULL, true);
	ends_when_killed(NULL, SIGTERM, INTERRUPTED, NULL, true);
}

/* Nothing that runs notices; whoever asks meanwhile is answered by the next one. */
static void the_frontend_of_a_node_dies(void **state)
{
	const char *path = conf_write("counted", counted);
	unsigned seed = 11;
	pid_t host, exec;
	char *log;

	(void)state;
	unlink(path);
	ran_free(aloe_ok("up"));
	host = wave_begin("counted", "--clock virtual --set work.nap_us=700");
	await_written(path);
	exec = process_one("aloe-exec");
	for (int i = 0; i < 4; i++) {
		const pid_t pid = process_one("aloe-frontend");

		slot_random_point(20000000, &seed);
		kill(pid, SIGKILL);
		ran_free(aloe_ok("list")); /* at once */
		assert_int_equal(process_other("aloe-frontend", pid) != pid, 1);
		ran_free(aloe_ok("set counted work.spin_us=%d", 600 + i));
		ran_free(aloe_ok("get counted work.spin_us"));
		ran_free(aloe_ok("watch counted work --interval 10 --count 2"));
		ran_free(wave_await("counted", "RUN"));
	}
	assert_int_equal(process_one("aloe-host"), host);
	assert_int_equal(process_one("aloe-exec"), exec);
	log = file_take(aloe_path("state/aloe/node.log"), NULL);
	assert_non_null(strstr(log, "aloe-frontend died"));
	free(log);
	wave_end("counted");
	assert_true(records_check(path, 1000000, NULL).count > 0);
	wave_begin("counted", "--clock timer");
	wave_end("counted");
	ran_free(aloe_ok("down"));
	nothing_left();
}

/* The keeper of a node that stays: all go with it. DOWN: the same. Also where the frontend is
 * killed over it. */
static void ends_of_a_node(bool down, bool orphaned)
{
	const char *path = conf_write("counted", counted);

	for (int i = 0; i < (orphaned ? ORPHANED : 1); i++) {
		pid_t downer = -1;

		unlink(path);
		ran_free(aloe_ok("up"));
		wave_begin("counted", "--clock timer");
		await_written(path);
		if (down && (downer = fork()) == 0) {
			ran_free(aloe_ok("down"));
			_exit(0);
		} else if (!down) {
			kill(process_one("aloe"), SIGKILL);
		}
		if (orphaned) {
			clock_sleep_until(clock_ns() + (uint64_t)i * (down ? 4000000 : 700000));
			frontend_kill_if_there();
		}
		if (down)
			assert_int_equal(run_wait(downer), 0);
		nothing_left();
	}
}

static void the_keeper_of_a_node_dies(void **state)
{
	(void)state;
	ends_of_a_node(false, false);
	ends_of_a_node(false, true);
}

static void a_node_goes_down(void **state)
{
	(void)state;
	ends_of_a_node(true, true);
}

/* A LOAD that came before exec, or waited for the next one, has succeeded. */
static void unload_if_loaded(const char *name)
{
	for (;;) {
		struct ran *ran = aloe("list --json");
		const bool known = ran->status == 0,
		           loaded = known &&
		    json_array_size(json_object_get(ran->report, "waveforms")) > 0;

		ran_free(ran);
		if (loaded)
			ran_free(aloe("unload %s", name));
		else if (known)
			return;
	}
}

/* exec dies in the middle of LOAD, and of UNLOAD: what is half done is undone, nothing stays. */
static void exec_dies_in_the_middle_of_changes(void **state)
{
	unsigned seed = 5;

	(void)state;
	conf_write("counted", counted);
	ran_free(aloe_ok("up"));
	for (int i = 0; i < 4; i++) {
		const pid_t pid = process_one("aloe-exec");
		const bool unload = i % 2 == 1;
		pid_t loader;

		if (unload)
			wave_begin("counted", "--clock timer");
		loader = fork();
		assert_true(loader >= 0);
		if (loader == 0) {
			ran_free(unload ? aloe("unload counted")
			                : aloe("load '%s' --clock timer --isolation component",
			                      aloe_path("counted.conf")));
			_exit(0);
		}
		slot_random_point(60000000, &seed);
		kill(pid, SIGKILL);
		run_wait(loader);
		process_other("aloe-exec", pid);
		unload_if_loaded("counted");
		processes_gone("aloe-host");
	}
	wave_begin("counted", "--clock timer");
	ran_free(wave_await("counted", "RUN"));
	wave_end("counted");
	ran_free(aloe_ok("down"));
	nothing_left();
}

/* While exec is starting the hosts of a waveform: those that are there already are told to end by
 * the next exec. */
static void exec_dies_between_hosts(void **state)
{
	enum { WORKERS = 24 };
	char text[4096];
	int len = sprintf(text,
	    "name = \"many\"; slot_ns = 1000000; isolation = \"component\";\ninstances: {\n"
	    "  source: { component = \"counter\"; };\n");

	(void)state;
	for (int i = 0; i < WORKERS; i++)
		len += sprintf(text + len, "  w%d: { component = \"faulty\"; };\n", i);
	len += sprintf(text + len,
	    "  sink: { component = \"file_sink\"; path = \"%%s\"; };\n};\nlinks = ( \"source");
	for (int i = 0; i < WORKERS; i++)
		len += sprintf(text + len, " -> w%d", i);
	sprintf(text + len, " -> sink\" );\n");
	conf_write("many", text);
	ran_free(aloe_ok("up"));
	for (int i = 0; i < 4; i++) {
		const pid_t pid = process_one("aloe-exec"), loader = fork();
		pid_t hosts[64];

		assert_true(loader >= 0);
		if (loader == 0) {
			ran_free(aloe("load '%s' --clock virtual", aloe_path("many.conf")));
			_exit(0);
		}
		while (processes("aloe-host", hosts, 64) < 2)
			;
		kill(pid, SIGKILL);
		run_wait(loader);
		process_other("aloe-exec", pid);
		unload_if_loaded("many");
		processes_gone("aloe-host");
	}
	wave_begin("many", "--clock virtual --slots 10");
	ran_free(wave_await("many", "STOP"));
	ran_free(aloe_ok("unload many"));
	ran_free(aloe_ok("down"));
	nothing_left();
}

/* A thread of the shared host stays on a lane that none of its waveforms uses any more: the next
 * exec must not give its seat to another host. */
static void seats_are_known_to_the_next_exec(void **state)
{
	pid_t pid;

	(void)state;
	conf_write("counted", counted);
	conf_write("other",
	    "name = \"other\"; slot_ns = 1000000;\n"
	    "instances: { source: { component = \"counter\"; };\n"
	    "  sink: { component = \"file_sink\"; path = \"%s\"; }; };\nlinks = ( \"source -> "
	    "sink\" );\n");
	ran_free(aloe_ok("up"));
	wave_begin("counted", "--lanes 0 --isolation none");
	wave_begin("other", "--clock virtual --isolation none");
	wave_end("counted");
	pid = process_one("aloe-exec");
	kill(pid, SIGKILL);
	process_other("aloe-exec", pid);
	ran_free(wave_await("other", "RUN"));
	wave_begin("counted", "--lanes 0 --slots 100");
	ran_free(wave_await("counted", "STOP"));
	ran_free(aloe_ok("unload counted"));
	wave_end("other");
	ran_free(aloe_ok("down"));
	nothing_left();
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(daemons_die_on_the_timer),
	    cmocka_unit_test(a_host_dies),
	    cmocka_unit_test(the_command_dies),
	    cmocka_unit_test(the_user_ends_it),
	    cmocka_unit_test(the_frontend_of_a_node_dies),
	    cmocka_unit_test(the_keeper_of_a_node_dies),
	    cmocka_unit_test(a_node_goes_down),
	    cmocka_unit_test(exec_dies_in_the_middle_of_changes),
	    cmocka_unit_test(seats_are_known_to_the_next_exec),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(daemons_die_and_the_run_goes_on),
	    cmocka_unit_test(nobody_stays_a_zombie),
	    cmocka_unit_test(the_frontend_dies_while_it_begins),
	    cmocka_unit_test(daemons_die_while_it_loads),
	    cmocka_unit_test(daemons_hang),
	    cmocka_unit_test(exec_dies_between_hosts),
	};
	int failed;

	cmocka_set_test_filter(getenv("ONLY"));
	failed = ALOE_PART("lanes", lanes, faults_init, faults_fini);
	return failed + ALOE_PART("rest", rest, faults_init, faults_fini);
}
