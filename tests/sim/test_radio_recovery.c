/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waveforms on the clock `radio` whose device or host does not go on as it should, through the real
 * processes: what is lost is said, and what can be mended is mended. */
#include <glob.h>
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

#include "tests/common/radio_node.h"

/* ---- what the radio says of itself ---- */

/* Until the node says this of a channel of its radio; it is asked where it has its directory. */
static void await_trouble(pid_t node, size_t channel, const char *words)
{
	enum { LOOKS = 6000, LOOK_US = 20000 }; /* two minutes */
	bool is = false;
	glob_t dirs;

	assert_int_equal(glob(aloe_path("run/aloe-run-*"), 0, NULL, &dirs), 0);
	assert_int_equal(dirs.gl_pathc, 1);
	for (int look = 0; !is; look++) {
		struct ran *ran = aloe("status pass --dir '%s' --json", dirs.gl_pathv[0]);
		const json_t *channels =
		    json_object_get(json_object_get(ran->report, "radio"), "channels");
		const char *said = json_string_value(
		    json_object_get(json_array_get(channels, channel), "trouble"));

		is = said != NULL && strstr(said, words) != NULL;
		ran_free(ran);
		assert_true(node_is_alive(node));
		if (look == LOOKS)
			fail_msg("channel %zu never says \"%s\"", channel, words);
		usleep(LOOK_US);
	}
	globfree(&dirs);
}

/* Until the device has been sent something. */
static void await_samples(const struct sim *sim, pid_t node, const char *record)
{
	size_t len = 0;

	while (len == 0) {
		assert_true(node_is_alive(sim->pid) && node_is_alive(node));
		usleep(10000);
		free(file_take(aloe_path(record), &len));
	}
}

static const char *const near_radio =
    "radio: { type = \"x310\"; transport = \"udp\"; patience_ms = 100000.0; flow_control = true; "
    "address = \"127.0.0.7\"; tx_advance = 300; };\n";

static const char *const late_radio = /* before the end of a slot of 256 */
    "radio: { type = \"x310\"; transport = \"udp\"; patience_ms = 100000.0; flow_control = true; "
    "address = \"127.0.0.7\"; tx_advance = 100; };\n";

/* The last packet is missing: the device notices 60 ms after the last slot, and is heard. */
static void test_heard_after_the_end(void **state)
{
	struct sim sim;
	struct ran *ran;

	(void)state;
	pass_conf(1, 256);
	radio_conf("radio: { " RADIO "address = \"127.0.0.7\"; };\n");
	sim_start(&sim, (const char *const[]){"--lead", "6000", "--fault-tx", "loss=@1499", NULL});
	ran = aloe_ok("run '%s' --radio '%s' --slots %d --json -q", aloe_path("pass.conf"),
	    aloe_path("radio.conf"), SLOTS);
	sim_stop(&sim);
	assert_true(sim_said(&sim, 0, "tx_sequence_errors") == 1);
	assert_true(ran_number(ran, "radio.sequence") == 1);
	json_decref(sim.said);
	ran_free(ran);
}

/* A host that is killed has left a message unacknowledged, behind which the radio says nothing
 * more: the next host hears of what is late all the same. */
static void test_host_was_killed(void **state)
{
	const char *const argv[] = {aloe_program("aloe"), "run", pass_conf(1, 256), "--radio",
	    radio_conf(near_radio), "--json", "-q", NULL};
	struct sim sim;
	struct ran *ran;
	pid_t pid;

	(void)state;
	sim_start(
	    &sim, (const char *const[]){"--lead", "6000", "--record", aloe_path("any"), NULL});
	pid = node_run(argv, "ran", "node");
	await_samples(&sim, pid, "any");
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	node_child(pid, 0);
	radio_conf(late_radio);
	ran = aloe_ok("run '%s' --radio '%s' --slots %d --json -q", aloe_path("pass.conf"),
	    aloe_path("radio.conf"), SLOTS);
	sim_stop(&sim);
	assert_true(ran_number(ran, "radio.late") > 0);
	json_decref(sim.said);
	ran_free(ran);
}

/* A stream endpoint that takes and answers nothing any more is reset, and the stream goes on. */
static void test_wedged_endpoint(void **state)
{
	const char *const argv[] = {aloe_program("aloe"), "run", pass_conf(1, 256), "--radio",
	    radio_conf("radio: { " RADIO "address = \"127.0.0.7\"; };\n"), "--json", "-q", NULL};
	struct ran ran = {0};
	struct sim sim;
	size_t len = 0;
	pid_t pid;

	(void)state;
	sim_start(&sim,
	    (const char *const[]){
	        "--lead", "6000", "--wedge-tx", "500", "--record", aloe_path("any"), NULL});
	pid = node_run(argv, "ran", "node");
	while (len < (size_t)4 * 256 * 600) { /* what was played before and after */
		assert_true(node_is_alive(sim.pid) && node_is_alive(pid));
		usleep(10000);
		free(file_take(aloe_path("any"), &len));
	}
	kill(pid, SIGINT);
	ran.report = node_end(pid, INTERRUPTED, "ran");
	sim_stop(&sim);
	assert_true(ran_number(&ran, "radio.no_room") > 0);
	json_decref(sim.said);
	json_decref(ran.report);
}

/* Control goes, samples do not: the run says so, counts what it tries, and does not end well. */
static void test_no_samples(void **state)
{
	static const char text[] =
	    "127.0.0.7 port 49153, channel 0: control answers, stream set up, no data packets";
	const char *const argv[] = {aloe_program("aloe"), "run", pass_conf(1, 256), "--radio",
	    radio_conf("radio: { " RADIO "address = \"127.0.0.7\"; };\n"), "--json", "-q", NULL};
	struct ran ran = {0};
	struct sim sim;
	pid_t pid;

	(void)state;
	sim_start(&sim, (const char *const[]){"--lead", "6000", "--fault-rx", "loss=1", NULL});
	pid = node_run(argv, "ran", "node");
	await_trouble(pid, 0, text);
	kill(pid, SIGINT);
	ran.report = node_end(pid, 1, "ran");
	sim_stop(&sim);
	assert_true(ran_number(&ran, "slots.run") == 0 && ran_number(&ran, "radio.failed") > 0);
	assert_non_null(strstr(ran_text(&ran, "radio.channels.0.trouble"), text));
	json_decref(sim.said);
	json_decref(ran.report);
}

/* ---- a device that is started again ---- */

static void device_start(struct sim *sim, const char *record)
{
	sim_start(
	    sim, (const char *const[]){"--lead", "6000", "--record", aloe_path(record), NULL});
}

/* It knows nothing of us then, its time is another, and what it is sent is as old as before. */
static void test_device_starts_again(void **state)
{
	const char *const argv[] = {aloe_program("aloe"), "run", pass_conf(1, 256), "--radio",
	    radio_conf("radio: { " RADIO "address = \"127.0.0.7\"; };\n"), "--json", "-q", NULL};
	struct ran ran = {0};
	struct sim sim;
	pid_t pid;

	(void)state;
	device_start(&sim, "first");
	pid = node_run(argv, "ran", "node");
	await_samples(&sim, pid, "first");
	sim_stop(&sim);
	json_decref(sim.said);
	device_start(&sim, "second");
	await_samples(&sim, pid, "second");
	kill(pid, SIGINT);
	ran.report = node_end(pid, INTERRUPTED, "ran");
	sim_stop(&sim);
	assert_true(
	    ran_number(&ran, "radio.restarts") == 1 && ran_number(&ran, "radio.flywheeled") == 0);
	assert_true(sim_said(&sim, 0, "tx_samples") > 0 && sim_said(&sim, 0, "tx_late") == 0);
	assert_true(sim_said(&sim, 0, "min") == ADVANCE * 1000.0 &&
	    sim_said(&sim, 0, "max") == ADVANCE * 1000.0);
	json_decref(sim.said);
	json_decref(ran.report);
}

/* ---- a device whose time is set back ---- */

/* Until so many bytes of samples have been played. A device whose time has gone on without the host
 * may have a channel behind the other, and then plays a slot in a second: that run is not gone on
 * with. */
enum { PLAY_LOOKS = 2000 }; /* of 10 ms */

static void await_played(const struct sim *sim, pid_t node, const char *record, size_t bytes)
{
	size_t len = 0;

	for (int look = 0; len < bytes && look < PLAY_LOOKS; look++) {
		assert_true(node_is_alive(sim->pid) && node_is_alive(node));
		usleep(10000);
		free(file_take(aloe_path(record), &len));
	}
}

/* The share of packets that were played as old as they have to be. */
static double in_time(const struct sim *sim, size_t channel)
{
	const json_t *channels = json_object_get(sim->said, "channels");
	const json_t *latency = json_object_get(json_array_get(channels, channel), "latency");
	double all = 0, good = 0;
	const json_t *cell;
	size_t n;

	json_array_foreach(json_object_get(latency, "cells"), n, cell)
	{
		const double low = json_number_value(json_array_get(cell, 0)),
		             high = json_number_value(json_array_get(cell, 1)),
		             count = json_number_value(json_array_get(cell, 2));

		all += count;
		good += low <= ADVANCE * 1000.0 && ADVANCE * 1000.0 <= high ? count : 0;
	}
	assert_true(all > 0);
	return good / all;
}

enum { PLAYED_BEFORE = 10000000, PLAYED_AFTER = 16000000 };

static bool is_whole(const struct ran *ran, const struct sim *sim, unsigned channels)
{
	bool whole = ran_number(ran, "radio.restarts") == channels &&
	    ran_number(ran, "slots.skipped") == 0 && ran_number(ran, "radio.failed") == 0;

	for (unsigned c = 0; c < channels; c++) {
		const double steps = sim_said(sim, 2 * c, "steps");

		/* but for what the device had to play when its time was set */
		whole = whole && sim_said(sim, 2 * c, "tx_late") == 0 &&
		    in_time(sim, 2 * c) > 0.97 && (steps == 0 || steps == 2);
	}
	return whole;
}

/* What waits in the device would be played at a time that does not come: it is set up anew on all
 * channels, nothing is sent before the new time is known, and then samples are as old as before. On
 * a machine that did nothing for a second the device's time went on without the host: once more. */
static void time_set_back(unsigned channels, const char *radio)
{
	const char *const argv[] = {aloe_program("aloe"), "run", pass_conf(channels, 256),
	    "--radio", radio_conf(radio), "--json", "-q", NULL};
	bool whole = false;

	for (int i = 0; i < 5 && !whole; i++) {
		struct ran ran = {0};
		struct sim sim;
		double excused;
		pid_t pid;

		sim_start(&sim,
		    (const char *const[]){"--lead", "6000", "--record", aloe_path("any"), NULL});
		pid = node_run(argv, "ran", "node");
		await_played(&sim, pid, "any", PLAYED_BEFORE);
		sim_set_time(0, 1000);
		await_played(&sim, pid, "any", PLAYED_AFTER);
		kill(pid, SIGINT);
		ran.report = node_end(pid, INTERRUPTED, "ran");
		sim_stop(&sim);
		whole = is_whole(&ran, &sim, channels);
		excused = json_number_value(json_object_get(sim.said, "clock_excused"));
		print_message("%s; time went on without the host %g times\n",
		    whole ? "as it should be" : "not as it should be", excused);
		json_decref(sim.said);
		json_decref(ran.report);
		assert_true(whole || excused > 0);
	}
	assert_true(whole);
}

static void test_time_set_back(void **state)
{
	(void)state;
	time_set_back(1, "radio: { " RADIO "address = \"127.0.0.7\"; };\n");
}

static void test_time_of_two_channels_set_back(void **state)
{
	(void)state;
	time_set_back(2, "radio: { " RADIO "address = \"127.0.0.7\"; channel = [0, 2]; };\n");
}

/* One of two devices gets another time: its samples are not used, it is named, and slots do not
 * leap to that time. */
static void test_other_time(void **state)
{
	static const char text[] = "127.0.0.8 port 49153, channel 0: samples come, but their time "
	                           "is not that of the first device";
	const char *const argv[] = {aloe_program("aloe"), "run", pass_conf(2, 256), "--radio",
	    radio_conf("radio = ( { " RADIO "address = \"127.0.0.7\"; }, { " RADIO
	               "address = \"127.0.0.8\"; } );\n"),
	    "--json", "-q", NULL};
	struct ran ran = {0};
	struct sim sim;
	pid_t pid;

	(void)state;
	sim_start(&sim,
	    (const char *const[]){
	        "--lead", "6000", "--devices", "2", "--record", aloe_path("any"), NULL});
	pid = node_run(argv, "ran", "node");
	await_samples(&sim, pid, "any");
	sim_set_time(1, 1000000000000);
	await_trouble(pid, 1, text);
	kill(pid, SIGINT);
	ran.report = node_end(pid, 1, "ran");
	sim_stop(&sim);
	assert_non_null(strstr(ran_text(&ran, "radio.channels.1.trouble"), text));
	assert_true(ran_number(&ran, "slots.skipped") == 0);
	json_decref(sim.said);
	json_decref(ran.report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_device_starts_again, node_end_all),
	    cmocka_unit_test_teardown(test_time_set_back, node_end_all),
	    cmocka_unit_test_teardown(test_time_of_two_channels_set_back, node_end_all),
	    cmocka_unit_test_teardown(test_other_time, node_end_all),
	    cmocka_unit_test_teardown(test_heard_after_the_end, node_end_all),
	    cmocka_unit_test_teardown(test_host_was_killed, node_end_all),
	    cmocka_unit_test_teardown(test_wedged_endpoint, node_end_all),
	    cmocka_unit_test_teardown(test_no_samples, node_end_all),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
