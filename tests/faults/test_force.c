/* SPDX-License-Identifier: BSD-3-Clause
 * What does not end by itself: hosts that are stopped, hang, do not listen or have no socket any
 * more. Nothing stays that cannot be removed by force, and nobody else notices. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
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
#include "core/bus/bus.h"
#include "tests/faults/node.h"

/* Without force a host has this time (daemons/exec/change.h): what is done before it was done by
 * force. */
#define SOON_NS 10000000000ull
enum { SLOT_NS = 1000000, NAP_NS = 100000000 };

static void conf(const char *name, const char *how)
{
	char text[1024];

	snprintf(text, sizeof(text),
	    "name = \"%s\"; slot_ns = 1000000; late = \"slip\";\n"
	    "instances: {\n"
	    "  source: { component = \"counter\"; };\n"
	    "  paces: { component = \"faulty\"; nap_us = 300.0; };\n"
	    "  work: { component = \"stubborn\"; how = \"%s\"; values = [0.0]; };\n"
	    "  sink: { component = \"file_sink\"; path = \"%%s\"; };\n"
	    "};\nlinks = ( \"source -> paces -> work -> sink\" );\n",
	    name, how);
	conf_write(name, text);
}

/* ---- what runs beside it ---- */

static int beside_begin(void **state)
{
	if (node_up(state) != 0)
		return -1;
	conf("beside", "nothing");
	wave_begin("beside", "--clock virtual");
	return 0;
}

static int beside_end(void **state)
{
	wave_end("beside");
	records_check(aloe_path("beside.out"), SLOT_NS, NULL);
	return node_down(state);
}

static bool is_loaded(const char *name)
{
	struct ran *ran = aloe_ok("list --names");
	bool found = false;

	for (char *save = NULL, *line = strtok_r(ran->out, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		found = found || strcmp(line, name) == 0;
	ran_free(ran);
	return found;
}

/* ---- in the background ---- */

/* A command of its own, whose errors are read when it has ended. */
static pid_t later(const char *command, const char *name)
{
	const pid_t pid = fork();
	char line[8192];
	int status;

	assert_true(pid >= 0);
	if (pid != 0)
		return pid;
	snprintf(line, sizeof(line), "'%s' %s '%s' >/dev/null 2>'%s'", aloe_program("aloe"),
	    command, name, aloe_path("later.err"));
	status = system(line);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static int ended(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void later_fails(pid_t pid, const char *text)
{
	char *err;

	assert_int_not_equal(ended(pid), 0);
	err = file_take(aloe_path("later.err"), NULL);
	if (strstr(err, text) == NULL)
		fail_msg("`%s` is not in: `%s`", text, err);
	free(err);
}

/* It fails and says `text`. False: the waveform was gone before it came. */
static bool later_is_overruled(pid_t pid, const char *text)
{
	bool late;
	char *err;

	assert_int_not_equal(ended(pid), 0);
	err = file_take(aloe_path("later.err"), NULL);
	late = strstr(err, "no waveform") != NULL;
	if (!late && strstr(err, text) == NULL)
		fail_msg("`%s` is not in: `%s`", text, err);
	free(err);
	return !late;
}

static void await_state(const char *name, const char *state)
{
	ran_free(wave_await(name, state));
}

/* ---- by force ------------------------------------------------------------------------ */

static bool dead(pid_t host)
{
	return kill(host, 0) != 0;
}

/* It is gone, sooner than without force; what is left can be loaded again. */
static void unload_by_force(const char *name, pid_t host)
{
	const uint64_t from = clock_ns();

	ran_free(aloe_ok("unload %s --force", name));
	assert_true(clock_ns() - from < SOON_NS);
	while (host > 0 && !dead(host))
		clock_sleep_until(clock_ns() + 1000000);
	assert_false(is_loaded(name));
	await_state("beside", "RUN");
}

static pid_t stuck_begin(const char *how, const char *options)
{
	conf("stuck", how);
	return wave_begin("stuck", options);
}

/* What waits for a host that stands still is told by whom it is overruled. False: the order came
 * only when the waveform was gone. */
static bool order_is_overruled(const char *order, uint64_t nap_ns)
{
	const pid_t host = stuck_begin("nothing", "--clock virtual");
	const bool fails = strcmp(order, "pause") == 0 || strncmp(order, "remap", 5) == 0;
	pid_t waits;

	kill(host, SIGSTOP);
	waits = later(order, "stuck");
	clock_sleep_until(clock_ns() + nap_ns);
	unload_by_force("stuck", host);
	if (!fails) {
		ended(waits);
		return true;
	}
	return later_is_overruled(waits, "force");
}

static void a_host_that_is_stopped(void **state)
{
	static const char *const orders[] = {"stop", "unload", "pause", "remap --lanes 0"};
	pid_t host = stuck_begin("nothing", "--clock virtual");

	(void)state;
	kill(host, SIGSTOP);
	unload_by_force("stuck", host);
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		for (uint64_t nap_ns = NAP_NS; !order_is_overruled(orders[i], nap_ns); nap_ns *= 2)
			assert_true(nap_ns < SOON_NS);
}

/* Not started yet; paused; over. */
static void in_every_state(void **state)
{
	pid_t host;

	(void)state;
	conf("stuck", "nothing");
	ran_free(aloe_ok("load '%s' --clock virtual", aloe_path("stuck.conf")));
	unload_by_force("stuck", -1);
	host = stuck_begin("nothing", "--clock virtual");
	ran_free(aloe_ok("pause stuck"));
	unload_by_force("stuck", host);
	host = stuck_begin("nothing", "--clock virtual --slots 5");
	await_state("stuck", "STOP");
	unload_by_force("stuck", host);
	host = stuck_begin("nothing", "--clock timer --lanes 0");
	unload_by_force("stuck", host);
	host = stuck_begin("nothing", "--clock step --lanes 0");
	unload_by_force("stuck", host);
	ran_free(aloe_ends(2, "unload stuck --force"));
}

/* As order_is_overruled. */
static bool set_is_overruled(uint64_t nap_ns)
{
	const pid_t host = stuck_begin("prepare_hangs", "--clock virtual"),
	            waits = later("set stuck work.values=-1 --dir", aloe_path("run/aloe"));

	clock_sleep_until(clock_ns() + nap_ns);
	unload_by_force("stuck", host);
	return later_is_overruled(waits, "ended by force");
}

/* The order to stop gets what it wanted. As order_is_overruled. */
static bool stop_is_done(uint64_t nap_ns)
{
	const pid_t host = stuck_begin("close_hangs", "--clock virtual"),
	            waits = later("stop", "stuck");
	bool late;
	char *err;

	clock_sleep_until(clock_ns() + nap_ns);
	unload_by_force("stuck", host);
	late = ended(waits) != 0;
	err = file_take(aloe_path("later.err"), NULL);
	if (late && strstr(err, "no waveform") == NULL)
		fail_msg("%s", err);
	free(err);
	return !late;
}

static void a_component_that_hangs(void **state)
{
	static const char *const hows[] = {"init_hangs", "init_exits"};
	pid_t waits;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		conf("stuck", hows[i]);
		waits = later("load --clock virtual", aloe_path("stuck.conf"));
		await_state("stuck", "LOADED");
		unload_by_force("stuck", -1);
		later_fails(waits, "ended by force");
	}
	for (uint64_t nap_ns = NAP_NS; !set_is_overruled(nap_ns); nap_ns *= 2)
		assert_true(nap_ns < SOON_NS);
	for (uint64_t nap_ns = NAP_NS; !stop_is_done(nap_ns); nap_ns *= 2)
		assert_true(nap_ns < SOON_NS);
}

/* The waveform stays, with its report. */
static void a_stop_by_force(void **state)
{
	const pid_t host = stuck_begin("nothing", "--clock virtual");
	struct ran *ran;

	(void)state;
	kill(host, SIGSTOP);
	ran_free(aloe_ok("stop stuck --force"));
	assert_true(dead(host));
	ran = wave_await("stuck", "ABNSTOP");
	assert_non_null(strstr(ran_text(ran, "reason"), "ended by force"));
	ran_free(ran);
	ran_free(aloe_ok("stop stuck --force"));
	ran_free(aloe_ok("unload stuck"));
}

static void friends_end_with_it(void **state)
{
	struct ran *ran;

	(void)state;
	conf("friend", "nothing");
	wave_begin("friend", "--clock virtual --isolation none");
	stuck_begin("nothing", "--clock virtual --isolation none");
	unload_by_force("stuck", -1);
	ran = wave_await("friend", "ABNSTOP");
	assert_non_null(strstr(
	    ran_text(ran, "reason"), "another waveform in the same host was ended by force"));
	ran_free(ran);
	ran_free(aloe_ok("unload friend"));
}

/* The manager hangs, is passed by, and forgets the waveform when it hears of it, or when the next
 * one asks. */
static void the_manager_hangs(void **state)
{
	const pid_t manager = process_one("aloe-swman"),
	            host = stuck_begin("nothing", "--clock virtual");

	(void)state;
	kill(manager, SIGSTOP);
	ran_free(aloe_ok("unload stuck --force"));
	assert_true(dead(host));
	kill(manager, SIGCONT);
	stuck_begin("nothing", "--clock virtual");
	ran_free(aloe_ok("unload stuck"));
}

/* What exec has lost behind the manager's back. */
static void the_tables_disagree(void **state)
{
	const pid_t manager = process_one("aloe-swman");
	struct bus *bus = bus_connect(aloe_path("run/aloe"), WIRE_CLIENT);
	struct wire_view view;
	struct wire_msg msg;

	(void)state;
	for (int i = 0; i < 2; i++) {
		stuck_begin("nothing", "--clock virtual");
		kill(manager, SIGSTOP);
		wire_init(&msg, WIRE_UNLOAD, WIRE_CLIENT, WIRE_EXEC, bus_seq(bus));
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, "stuck");
		wire_put_u64(&msg, WIRE_TAG_FORCE, 1);
		assert_int_equal(bus_call(bus, &msg, 5000, &view), 0);
		assert_int_equal(view.type, WIRE_OK);
		kill(manager, SIGCONT);
	}
	bus_close(bus);
}

/* ---- without ------------------------------------------------------------------------ */

/* It closes the socket to exec, and lives on: found at once. */
static void a_host_without_a_socket(void **state)
{
	static const char *const options[] = {"--clock virtual", "--clock timer --lanes 0"};
	const char *const text = "had closed its socket to aloe-exec";
	uint64_t from = clock_ns();
	struct ran *ran;

	(void)state;
	conf("stuck", "init_closes");
	ran = aloe_ends(1, "load '%s' --clock virtual", aloe_path("stuck.conf"));
	assert_non_null(strstr(ran->err, text));
	assert_true(clock_ns() - from < SOON_NS);
	ran_free(ran);
	for (size_t i = 0; i < 2; i++) {
		const pid_t host = stuck_begin("prepare_closes", options[i]);

		from = clock_ns();
		ran = aloe("set stuck work.values=-1");
		assert_int_not_equal(ran->status, 0);
		ran_free(ran);
		ran = wave_await("stuck", "ABNSTOP");
		assert_true(clock_ns() - from < SOON_NS);
		if (strstr(ran_text(ran, "reason"), text) == NULL)
			fail_msg("%s", ran_text(ran, "reason"));
		assert_true(dead(host));
		ran_free(ran);
		ran_free(aloe_ok("unload stuck"));
	}
}

/* A STOP of which nothing comes: the host is told to finish, does not, and is killed. */
static void a_stop_that_is_overdue(void **state)
{
	const pid_t host = stuck_begin("nothing", "--clock virtual");
	struct ran *ran;

	(void)state;
	kill(host, SIGSTOP);
	ran_free(aloe_ok("stop stuck"));
	assert_true(dead(host));
	ran = wave_await("stuck", "ABNSTOP");
	assert_non_null(
	    strstr(ran_text(ran, "reason"), "the waveform had to stop and made no step for 5 s"));
	ran_free(ran);
	ran_free(aloe_ok("unload stuck"));
	assert_false(is_loaded("stuck"));
}

static void log_has(const char *part)
{
	char *log = file_take(aloe_path("state/aloe/node.log"), NULL);

	if (strstr(log, part) == NULL)
		fail_msg("`%s` is not in the node's log:\n%s", part, log);
	free(log);
}

/* An UNLOAD without force, in three states at once: who asked gets what it wanted, and exec's log
 * says why it took so long. */
static void an_unload_that_is_overdue(void **state)
{
	static const char *const names[] = {"running", "paused", "ready"};
	pid_t hosts[3], waits[3];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		conf(names[i], "nothing");
		hosts[i] = i < 2 ? wave_begin(names[i], "--clock virtual")
		                 : wave_ready(names[i], "--clock virtual");
	}
	ran_free(aloe_ok("pause paused"));
	for (size_t i = 0; i < 3; i++)
		kill(hosts[i], SIGSTOP);
	for (size_t i = 0; i < 3; i++)
		waits[i] = later("unload", names[i]);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(ended(waits[i]), 0);
		assert_true(dead(hosts[i]));
		assert_false(is_loaded(names[i]));
	}
	log_has("running: stopped: the waveform had to stop and made no step for 5 s");
	log_has("paused: stopped: a host did not finish within 10 s and was killed");
	log_has("ready: stopped: a host did not finish within 10 s and was killed");
	await_state("beside", "RUN");
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(in_every_state),
	    cmocka_unit_test(a_host_without_a_socket),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(a_host_that_is_stopped),
	    cmocka_unit_test(a_component_that_hangs),
	    cmocka_unit_test(a_stop_by_force),
	    cmocka_unit_test(friends_end_with_it),
	    cmocka_unit_test(the_manager_hangs),
	    cmocka_unit_test(the_tables_disagree),
	    cmocka_unit_test(a_stop_that_is_overdue),
	    cmocka_unit_test(an_unload_that_is_overdue),
	};
	int failed;

	cmocka_set_test_filter(getenv("ONLY"));
	failed = ALOE_PART("lanes", lanes, beside_begin, beside_end);
	return failed + ALOE_PART("rest", rest, beside_begin, beside_end);
}
