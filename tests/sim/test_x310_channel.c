/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The waveforms for a radio between the antennas of x310sim, over kernel UDP: what is sent is what
 * was heard, through the response set, to the sample, also while responses take each other's place;
 * two channels of one device and of two; a bearer there and back. The device's time waits for us,
 * so nothing here depends on how fast this machine is. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <poll.h>

#include "tests/common/aloe.h"

enum { TAPS = 512, ADVANCE = 10240, PATIENCE_MS = 120000 };

#define RESPONSE "waveforms/channel-emulator-response.f32"

/* Ten slots of 256 and some pass before a waveform's first one: so much is heard before the first
 * answer. */
#define WAITS "--clock", "virtual", "--lead", "8192"
#define SOUND WAITS, "--sound", "16384"

/* ---- the device ------------------------------------------------------------------------ */

struct air {       /* a test's state */
	pid_t pid; /* 0: it does not run */
	json_t *said;
};

static bool says_ready(void)
{
	char *text = file_take(aloe_path("sim.err"), NULL);
	const bool ready = strstr(text, "ready on") != NULL;

	free(text);
	return ready;
}

static void exec_sim(const char *const *options)
{
	const char *argv[32] = {aloe_program("x310sim"), "--json", "--address", "127.0.8.2"};

	for (int n = 4; *options; options++)
		argv[n++] = *options;
	aloe_off_lane();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!freopen(aloe_path("sim.out"), "w", stdout) ||
	    !freopen(aloe_path("sim.err"), "w", stderr))
		_exit(3);
	execv(argv[0], (char **)(uintptr_t)argv);
	_exit(4);
}

static void air_stop(struct air *air, int signal)
{
	const pid_t pid = air->pid;
	int status;

	air->pid = 0;
	kill(pid, signal);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (signal == SIGTERM)
		assert_int_equal(status, 0);
}

/* air_open starts x310sim with these options, ended by NULL, on 127.0.8.2. */
static void air_open(struct air *air, const char *const *options)
{
	json_decref(air->said);
	air->said = NULL;
	file_make(aloe_path("sim.err"), "", 0);
	air->pid = fork();
	assert_true(air->pid >= 0);
	if (air->pid == 0)
		exec_sim(options);
	for (int i = 0; !says_ready(); i++) {
		if (i == PATIENCE_MS / 10 || waitpid(air->pid, NULL, WNOHANG) != 0)
			fail_msg("x310sim does not begin");
		poll(NULL, 0, 10);
	}
}

/* air_end ends it: then what it has counted is there. */
static void air_end(struct air *air)
{
	char *text;

	air_stop(air, SIGTERM);
	text = file_take(aloe_path("sim.out"), NULL);
	air->said = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(air->said);
	free(text);
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct air));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct air *air = *state;

	if (air->pid > 0)
		air_stop(air, SIGKILL);
	json_decref(air->said);
	free(air);
	return 0;
}

static int teardown_node(void **state)
{
	ran_free(aloe_once("down"));
	return teardown(state);
}

static double number_of(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_number(value))
		fail_msg("x310sim says nothing of %s", name);
	return json_number_value(value);
}

static const json_t *channel_of(const struct air *air, unsigned channel)
{
	return json_array_get(json_object_get(air->said, "channels"), channel);
}

/* Every packet sent was played, at its time and in its turn, from the first to the last. */
static void check_played(const struct air *air, unsigned channel, double slots)
{
	static const char *const none[] = {"tx_underruns", "tx_late", "tx_overflowed",
	    "tx_sequence_errors", "tx_routing_errors", "rx_overruns"};
	const json_t *counts = channel_of(air, channel);

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (number_of(counts, none[i]) != 0)
			fail_msg("channel %u: %s is %g; time went on without us %g times", channel,
			    none[i], number_of(counts, none[i]),
			    number_of(air->said, "clock_excused"));
	assert_true(number_of(counts, "tx_bursts") == 1);
	if (slots > 0)
		/* and one that ends the burst */
		assert_true(number_of(counts, "tx_packets") == slots + 1);
}

/* What was sounded is a response of those expected, at one delay. */
static const json_t *check_sounded(const struct air *air, unsigned channel)
{
	const json_t *sounding = json_object_get(channel_of(air, channel), "sounding");

	print_message("channel %u: %g of %g periods within -50 dB, median %.1f dB, worst of those "
	              "%.1f dB, delay %g, %g responses, %g changes\n",
	    channel, number_of(sounding, "within"), number_of(sounding, "kept"),
	    number_of(sounding, "median_db"), number_of(sounding, "worst_within_db"),
	    number_of(sounding, "delay"), number_of(sounding, "responses"),
	    number_of(sounding, "changes"));
	assert_true(number_of(sounding, "within") > 0);
	assert_true(number_of(sounding, "delay") == ADVANCE);
	assert_true(number_of(sounding, "delays") == 1);
	assert_true(number_of(sounding, "seams") == 0);
	return sounding;
}

/* ---- the host ------------------------------------------------------------------------ */

/* A file with the group `radio`: one device, or two. */
static const char *radio_file(const char *more, int advance, bool two)
{
	const char *const one = "{ type = \"x310\"; transport = \"udp\"; address = \"127.0.8.%d\"; "
	                        "tx_advance = %d; patience_ms = 100000; %s }";
	char text[1024], devices[2][400];

	for (int i = 0; i < 2; i++)
		snprintf(devices[i], sizeof(devices[i]), one, 2 + i, advance, more);
	if (two)
		snprintf(text, sizeof(text), "radio = ( %s, %s );\n", devices[0], devices[1]);
	else
		snprintf(text, sizeof(text), "radio: %s;\n", devices[0]);
	file_make(aloe_path("radio.conf"), text, strlen(text));
	return aloe_path("radio.conf");
}

static void check_run(const struct ran *ran, double slots)
{
	assert_true(ran_number(ran, "slots.run") == slots);
	assert_true(ran_number(ran, "slots.skipped") == 0);
	assert_true(ran_number(ran, "messages.absent") == 0);
	assert_true(ran_number(ran, "messages.late") == 0);
}

/* ---- pass-through ------------------------------------------------------------------------ */

static void check_passthrough(struct air *air, const char *more, double slots)
{
	static const char *const options[] = {WAITS, "--source", "ticks", NULL};
	struct ran *ran;
	const json_t *latency;

	air_open(air, options);
	ran = aloe_ok("run waveforms/x310-passthrough.conf --radio '%s' --set rate=1e6 --slots "
	              "%.0f --force --json -q %s",
	    radio_file("", ADVANCE, false), slots, more);
	air_end(air);
	check_run(ran, slots);
	check_played(air, 0, slots);
	latency = json_object_get(channel_of(air, 0), "latency");
	assert_true(number_of(latency, "count") == slots);
	assert_true(number_of(latency, "steps") == 0);
	assert_true(number_of(latency, "unmarked") == 1); /* the end of the burst */
	assert_true(number_of(latency, "min") == ADVANCE * 1000.0);
	assert_true(number_of(latency, "max") == ADVANCE * 1000.0);
	assert_true(ran_variable(ran, "tx.advance") == ADVANCE);
	assert_true(ran_variable(ran, "tx.values_limited") == 0);
	ran_free(ran);
}

static void test_passthrough(void **state)
{
	check_passthrough(*state, "", 1500);
	check_passthrough(*state, "--set slot_samples=512 --set rx.type=ci16", 750);
}

/* What the wire loses costs the slots that it was for: those behind it keep their numbers, and what
 * they make its time. */
static void test_lost_packets(void **state)
{
	struct air *air = *state;
	static const char *const options[] = {WAITS, "--source", "ticks", "--fault-rx",
	    "loss=@700+900", "--fault-tx", "loss=@1100", NULL};
	struct ran *ran;
	const json_t *counts, *latency;

	air_open(air, options);
	ran = aloe_ok("run waveforms/x310-passthrough.conf --radio '%s' --set rate=1e6 --slots "
	              "2000 --force --json -q",
	    radio_file("", ADVANCE, false));
	air_end(air);
	check_run(ran, 2000);
	assert_true(ran_variable(ran, "rx.packets_lost") == 2);
	assert_true(ran_variable(ran, "rx.slots_short") == 2);
	assert_true(ran_variable(ran, "rx.samples_missing") == 2 * 256);
	assert_true(ran_variable(ran, "tx.slots_absent") == 2);
	assert_true(ran_variable(ran, "tx.sequence_errors") == 1);
	counts = channel_of(air, 0);
	assert_true(number_of(counts, "tx_late") == 0);
	assert_true(number_of(counts, "tx_bursts") == 2);
	assert_true(number_of(counts, "tx_packets") == 2000);
	latency = json_object_get(counts, "latency");
	assert_true(number_of(latency, "count") == 2000 - 3);
	/* early until we know of it, then at its time again */
	assert_true(number_of(latency, "steps") == 2);
	assert_true(number_of(latency, "min") == (ADVANCE - 256) * 1000.0);
	assert_true(number_of(latency, "p50") == ADVANCE * 1000.0);
	assert_true(number_of(latency, "max") == ADVANCE * 1000.0);
	ran_free(ran);
}

/* ---- channel ------------------------------------------------------------------------ */

static void test_channel_at_rest(void **state)
{
	struct air *air = *state;
	static const char *const options[] = {SOUND, "--expect", RESPONSE, NULL};
	struct ran *ran;
	const json_t *sounding;

	air_open(air, options);
	ran = aloe_ok("run waveforms/x310-channel.conf --radio '%s' --set rate=1e6 --slots 1500 "
	              "--force --json -q",
	    radio_file("", ADVANCE, false));
	air_end(air);
	check_run(ran, 1500);
	check_played(air, 0, 1500);
	sounding = check_sounded(air, 0);
	assert_true(number_of(sounding, "within") == number_of(sounding, "kept"));
	assert_true(number_of(sounding, "worst_db") < -80);
	assert_true(ran_variable(ran, "channel.forward_transforms") == 1500);
	assert_true(ran_variable(ran, "channel.inverse_transforms") == 1500);
	ran_free(ran);
}

/* The response of the file, and the same backwards with its signs turned; in `both` one after the
 * other. */
static void make_responses(void)
{
	float *taps = file_take(RESPONSE, NULL), both[4 * TAPS];

	memcpy(both, taps, 2 * TAPS * sizeof(float));
	for (int i = 0; i < 2 * TAPS; i++)
		both[2 * TAPS + i] = -taps[2 * TAPS - 1 - i];
	file_make(aloe_path("both.f32"), both, sizeof(both));
	file_make(aloe_path("0.f32"), both, 2 * TAPS * sizeof(float));
	file_make(aloe_path("1.f32"), both + 2 * TAPS, 2 * TAPS * sizeof(float));
	free(taps);
}

static void set_response(int which, const char *at)
{
	ran_free(aloe_ok(
	    "set x310-channel channel.response=@%s %s", aloe_path(which ? "1.f32" : "0.f32"), at));
}

static void wait_for_index(double index)
{
	double reached = 0;

	for (int i = 0; i < PATIENCE_MS / 10 && reached < index; i++) {
		struct ran *ran = aloe_ok("status x310-channel --json");

		reached = ran_number(ran, "index");
		ran_free(ran);
		poll(NULL, 0, 10);
	}
	assert_true(reached >= index);
}

/* At 100 MSa/s: at first 1002 a second, each for 390 slots, six periods of the sounding; then as
 * many as we can tell it while it runs. */
static void test_channel_replaced(void **state)
{
	struct air *air = *state;
	enum { BEFORE = ALOE_SLOWER(60, 8), EACH = 390, LIVE = ALOE_SLOWER(30, 10) };
	const char *const options[] = {SOUND, "--sound-keep", "4000", "--expect",
	    aloe_path("both.f32"), "--expect-taps", "512", NULL};
	const json_t *sounding;

	make_responses();
	air_open(air, options);
	ran_free(aloe_ok("up"));
	ran_free(aloe_ok("load waveforms/x310-channel.conf --radio '%s' --force",
	    radio_file("", ADVANCE, false)));
	for (int i = 1; i <= BEFORE; i++) {
		char at[32];

		snprintf(at, sizeof(at), "--at %d", i * EACH);
		set_response(i % 2, at);
	}
	ran_free(aloe_ok("start x310-channel"));
	wait_for_index((BEFORE + 1) * EACH);
	for (int i = 0; i < LIVE; i++)
		set_response(1 - i % 2, "");
	ran_free(aloe_ok("stop x310-channel"));
	ran_free(aloe_ok("unload x310-channel"));
	ran_free(aloe_ok("down"));
	air_end(air);
	check_played(air, 0, 0);
	sounding = check_sounded(air, 0);
	assert_true(number_of(sounding, "responses") == 2);
	assert_true(number_of(sounding, "changes") >= BEFORE);
	assert_true(number_of(sounding, "within") >= 4 * BEFORE);
	/* a change costs the period that it falls into, and the next one where its tail reaches
	 * that */
	assert_true(number_of(sounding, "kept") - number_of(sounding, "within") <=
	    2 * number_of(sounding, "changes"));
	assert_true(number_of(sounding, "worst_within_db") < -80);
}

/* ---- two receivers, two transmitters ---- */

static void check_mimo(
    struct air *air, const char *const *options, const char *radio, unsigned second)
{
	struct ran *ran;
	const unsigned channels[] = {0, second};

	air_open(air, options);
	ran = aloe_ok("run waveforms/x310-mimo2x2.conf --radio '%s' --set rate=1e6 --slots 1500 "
	              "--force --json -q",
	    radio);
	air_end(air);
	check_run(ran, 1500);
	for (int i = 0; i < 2; i++) {
		const json_t *sounding;

		check_played(air, channels[i], 1500);
		sounding = check_sounded(air, channels[i]);
		assert_true(number_of(sounding, "within") == number_of(sounding, "kept"));
	}
	ran_free(ran);
}

static void test_mimo(void **state)
{
	static const char *const one[] = {SOUND, "--expect", "waveforms/x310-mimo2x2-response.f32",
	    "--expect-channels", "0,2", NULL};
	static const char *const two[] = {SOUND, "--expect", "waveforms/x310-mimo2x2-response.f32",
	    "--expect-channels", "0,4", "--devices", "2", NULL};

	check_mimo(*state, one, radio_file("channel = [0, 2];", ADVANCE, false), 2);
	check_mimo(*state, two, radio_file("", ADVANCE, true), 4);
}

/* ---- a bearer there and back ---- */

static void test_utran(void **state)
{
	struct air *air = *state;
	static const char *const options[] = {
	    "--clock", "virtual", "--lead", "62500", "--source", "loop", NULL};
	enum { FRAMES = 40 };
	struct ran *ran;

	air_open(air, options);
	ran = aloe_ok("run waveforms/utran384-over-x310.conf --radio '%s' --slots %d --set "
	              "sink.path='%s' --force --json -q",
	    radio_file("", 93750, false), FRAMES, aloe_path("received.wav"));
	air_end(air);
	check_run(ran, FRAMES);
	check_played(air, 0, 0);
	assert_true(ran_variable(ran, "sync.locks") == 1);
	assert_true(ran_variable(ran, "compare.blocks") == FRAMES - 2);
	assert_true(ran_variable(ran, "compare.block_errors") == 0);
	assert_true(ran_variable(ran, "check.block_errors") == 0);
	ran_free(ran);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_passthrough, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_lost_packets, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_channel_at_rest, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_channel_replaced, setup, teardown_node),
	    cmocka_unit_test_setup_teardown(test_mimo, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_utran, setup, teardown),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
