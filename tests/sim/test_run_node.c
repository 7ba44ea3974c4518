/* SPDX-License-Identifier: BSD-3-Clause
 * A node that stays: two waveforms at once on shared and on separate lanes, the states of a life,
 * steps that are counted, parameters set at exactly one index; what the sinks get is what `aloe
 * run` gives. */
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { FAILED = 1, USAGE = 2, POLL_MS = 20, TRIES = 3000 };

/* ---- a node ------------------------------------------------------------------------ */

static int node_up(void **state)
{
	(void)state;
	ran_free(aloe_ok("up"));
	return 0;
}

static int node_down(void **state)
{
	struct ran *ran = aloe("down");
	const int status = ran->status;

	(void)state;
	if (status)
		print_error("aloe down: %s\n%s\n", ran->err,
		    (char *)file_take(aloe_path("state/aloe/node.log"), NULL));
	ran_free(ran);
	return status;
}

static void ok(const char *command)
{
	ran_free(aloe_ok("%s", command));
}

/* refused fails the test unless the command exits so and says this. */
static void refused(int status, const char *words, const char *command)
{
	struct ran *ran = aloe("%s", command);

	if (ran->status != status || !strstr(ran->err, words))
		fail_msg("aloe %s: exit %d, not %d with `%s`: %s%s", command, ran->status, status,
		    words, ran->out, ran->err);
	assert_int_equal(ran_lines(ran->err), 1);
	ran_free(ran);
}

static struct ran *status(const char *waveform)
{
	return aloe_ok("status %s --json", waveform);
}

static void state_is(const char *waveform, const char *state)
{
	struct ran *ran = status(waveform);

	if (strcmp(ran_text(ran, "state"), state) != 0)
		fail_msg("%s is in state %s, not %s: %s", waveform, ran_text(ran, "state"), state,
		    ran_text(ran, "reason"));
	ran_free(ran);
}

static double index_of(const char *waveform)
{
	struct ran *ran = status(waveform);
	const double index = ran_number(ran, "index");

	ran_free(ran);
	return index;
}

/* The final report: the waveform has come to its end by itself. */
static struct ran *ended(const char *waveform)
{
	for (int i = 0; i < TRIES; i++) {
		struct ran *ran = status(waveform);

		if (!strcmp(ran_text(ran, "state"), "ABNSTOP"))
			fail_msg("%s: %s", waveform, ran_text(ran, "reason"));
		if (json_is_true(json_object_get(ran->report, "drained")))
			return ran;
		ran_free(ran);
		poll(NULL, 0, POLL_MS);
	}
	fail_msg("%s does not end", waveform);
	return NULL;
}

/* ---- two at once ------------------------------------------------------------------------ */

enum { BLOCKS = 300 };

/* bpsk with noise and a sink, and the first 300 blocks of speech, on their own: what two at once
 * have to give. */
static const char *bpsk_sink(void)
{
	return conf_derive("waveforms/bpsk.conf", "bpsk.conf",
	    (const char *const[][2]){
	        {"demod:  {",
	            "noise:  { component = \"awgn\"; esn0_db = 6.0; };\n"
	            "\tsink: { component = \"file_sink\"; path = \"bits\"; };\n\tdemod:  {"},
	        {"mod -> demod", "mod -> noise -> demod"},
	        {"{ path = \"source -> check.sent\"; }",
	            "{ path = \"source -> check.sent\"; }, \"demod -> sink\""},
	        {NULL, NULL}});
}

static const char *command(
    const char *verb, const char *file, const char *sink, const char *options)
{
	static char text[4096];

	snprintf(text, sizeof(text), "%s '%s' --slots %d --set sink.path='%s' %s", verb, file,
	    BLOCKS, aloe_path(sink), options);
	return text;
}

static const char speech_options[] = "--set noise.ebn0_db=2.2 --set source.length=240";

/* Made once. */
static void references(const char *bpsk)
{
	char options[256];

	if (access(aloe_path("utran384.want"), R_OK) == 0)
		return;
	ok(command("run -q --clock virtual", bpsk, "bpsk.want", ""));
	snprintf(options, sizeof(options), "%s", speech_options);
	ok(command("run -q --clock virtual", "waveforms/utran384.conf", "utran384.want", options));
}

static void check_two(const char *bpsk_how, const char *speech_how)
{
	const char *bpsk = bpsk_sink();
	char options[512];
	struct ran *ran;

	references(bpsk);
	ok(command("load --force", bpsk, "bpsk.got", bpsk_how));
	snprintf(options, sizeof(options), "%s %s", speech_options, speech_how);
	ok(command("load --force", "waveforms/utran384.conf", "utran384.got", options));
	ran = aloe_ok("list --names");
	assert_non_null(strstr(ran->out, "bpsk\n"));
	assert_non_null(strstr(ran->out, "utran384\n"));
	assert_int_equal(ran_lines(ran->out), 2);
	ran_free(ran);
	state_is("bpsk", "INIT");
	ok("start bpsk");
	ok("start utran384");
	for (int i = 0; i < 2; i++) {
		ran = ended(i ? "utran384" : "bpsk");
		assert_string_equal(ran_text(ran, "state"), "STOP");
		assert_true(ran_number(ran, "index") == BLOCKS);
		assert_true(ran_number(ran, "messages.absent") == 0);
		ran_free(ran);
	}
	files_equal(aloe_path("bpsk.want"), aloe_path("bpsk.got"));
	files_equal(aloe_path("utran384.want"), aloe_path("utran384.got"));
	ok("unload bpsk");
	ok("unload utran384");
	ran = aloe_ok("list --names");
	assert_string_equal(ran->out, "");
	ran_free(ran);
}

/* Who holds a shared lane for longer than a slot is taken for hung. */
#define SHARED_US ALOE_SLOWER("5000", "25000")

/* Two that have no end: each goes on while the other does, until both are stopped. */
static void test_two_in_run_at_once(void **state)
{
	const char *const names[] = {"bpsk", "utran384-random"};
	double before[2] = {-1, -1};

	(void)state;
	ok("load waveforms/bpsk.conf --lanes 0,1 --slot-us " SHARED_US);
	ok("load waveforms/utran384-random.conf --lanes 0,1 --slot-us " SHARED_US);
	ok("start bpsk");
	ok("start utran384-random");
	for (int look = 0; look < 3; look++)
		for (int i = 0; i < 2; i++) {
			double now = index_of(names[i]);

			for (int try = 0; try < TRIES && now <= before[i]; try++) {
				poll(NULL, 0, POLL_MS);
				now = index_of(names[i]);
			}
			assert_true(now > before[i]);
			before[i] = now;
			state_is(names[i], "RUN");
		}
	for (int i = 0; i < 2; i++) {
		ran_free(aloe_ok("stop %s", names[i]));
		ran_free(ended(names[i]));
		state_is(names[i], "STOP");
	}
}

static void test_two_on_shared_lanes(void **state)
{
	(void)state;
	check_two("--lanes 0,1 --slot-us " SHARED_US, "--lanes 0,1 --slot-us " SHARED_US);
}

static void test_two_on_their_own_lanes(void **state)
{
	(void)state;
	check_two("--lanes 0 --slot-us 1000", "--lanes 1 --slot-us 3000");
}

static void test_two_virtual(void **state)
{
	(void)state;
	check_two(
	    "--lanes 0,1 --clock virtual", "--lanes 0,1 --clock virtual --isolation component");
}

static void test_two_trusted(void **state)
{
	(void)state;
	check_two("--lanes 0,1 --isolation none --slot-us " SHARED_US,
	    "--lanes 0,1 --isolation none --slot-us " SHARED_US);
}

/* Two slot lengths on one lane cannot be; the second is told so and nothing of it stays. */
static void test_two_slot_lengths_on_a_lane(void **state)
{
	(void)state;
	ok("load waveforms/bpsk.conf --lanes 0");
	refused(USAGE, "lane 0 (CPU 0) runs slots of 1000.0 us already",
	    "load waveforms/bpsk-rf.conf --lanes 0 --slot-us 2000");
	refused(USAGE, "\"bpsk\" is loaded already", "load waveforms/bpsk.conf --lanes 0");
	ok("load waveforms/bpsk-rf.conf --lanes 0");
	ok("unload bpsk-rf");
	ok("unload bpsk");
	ok("load waveforms/bpsk-rf.conf --lanes 0 --slot-us 2000");
	ok("unload bpsk-rf");
}

/* ---- a life ------------------------------------------------------------------------ */

static void test_states(void **state)
{
	(void)state;
	refused(USAGE, "no waveform \"bpsk\" is loaded", "start bpsk");
	ok("load waveforms/bpsk.conf --lanes 0,1 --slot-us 2000");
	state_is("bpsk", "INIT");
	refused(USAGE, "cannot pause", "pause bpsk");
	ok("start bpsk");
	state_is("bpsk", "RUN");
	refused(USAGE, "cannot run", "start bpsk");
	ok("pause bpsk");
	state_is("bpsk", "PAUSE");
	refused(USAGE, "cannot pause", "pause bpsk");
	ok("start bpsk");
	state_is("bpsk", "RUN");
	ok("stop bpsk");
	state_is("bpsk", "STOP");
	refused(USAGE, "cannot run", "start bpsk");
	refused(USAGE, "cannot pause", "pause bpsk");
	refused(USAGE, "cannot step", "step bpsk");
	ok("stop bpsk"); /* nothing to do */
	ok("unload bpsk");
	refused(USAGE, "no waveform \"bpsk\" is loaded", "status bpsk");
	refused(USAGE, "no waveform \"bpsk\" is loaded", "unload bpsk");
	ok("load waveforms/bpsk.conf"); /* ... and never started */
	ok("unload bpsk");
	ok("load waveforms/bpsk.conf");
	ok("start bpsk");
	ok("unload bpsk"); /* while it runs: stopped first */
}

/* A pause holds everything at one index; steps are so many and no more. */
static void check_steps(const char *how)
{
	struct ran *ran;
	double index;

	ran_free(aloe_ok("load waveforms/bpsk.conf %s", how));
	ok("step bpsk");
	assert_true(index_of("bpsk") <= 1);
	ok("step bpsk --count 40");
	index = index_of("bpsk");
	assert_in_range((int)index, 38, 41); /* 41 steps, less what is in the pipeline */
	ok("start bpsk");
	ok("pause bpsk");
	index = index_of("bpsk");
	poll(NULL, 0, 50);
	assert_true(index_of("bpsk") == index);
	ok("step bpsk");
	assert_true(index_of("bpsk") == index + 1);
	ok("step bpsk --count 25");
	assert_true(index_of("bpsk") == index + 26);
	state_is("bpsk", "PAUSE");
	ok("stop bpsk");
	ran = ended("bpsk");
	assert_true(ran_variable(ran, "check.blocks") == ran_number(ran, "instances.0.calls"));
	assert_true(ran_variable(ran, "check.blocks") >= index + 26);
	assert_true(ran_variable(ran, "check.bit_errors") == 0);
	ran_free(ran);
	ok("unload bpsk");
}

static void test_steps_on_the_timer(void **state)
{
	(void)state;
	check_steps("--clock timer --lanes 0");
}

static void test_steps_on_two_lanes(void **state)
{
	(void)state;
	check_steps("--clock timer --lanes 0,1");
}

static void test_steps(void **state)
{
	(void)state;
	check_steps("--clock virtual --lanes 0,1");
	check_steps("--clock virtual --lanes 0,1 --pipelined --isolation component");
}

/* Held and let go at random, on two lanes: not a bit changes. */
static void test_pauses_change_nothing(void **state)
{
	const char *bpsk = bpsk_sink();
	struct ran *ran;

	(void)state;
	references(bpsk);
	ok(command("load", bpsk, "bpsk.got", "--lanes 0,1 --slot-us 1000"));
	ok("step bpsk --count 3");
	for (int i = 0; i < 8; i++) {
		ran_free(aloe("start bpsk")); /* it may be at its end by now */
		poll(NULL, 0, 13 * i % 30);
		ran_free(aloe("pause bpsk"));
		ran_free(aloe("step bpsk --count %d", 1 + i % 3));
	}
	ran_free(aloe("start bpsk"));
	ran = ended("bpsk");
	assert_true(ran_number(ran, "messages.absent") == 0);
	ran_free(ran);
	files_equal(aloe_path("bpsk.want"), aloe_path("bpsk.got"));
	ok("unload bpsk");
}

/* ---- set, get, watch ------------------------------------------------------------------------ */

enum { LENGTH = 4, SLOTS = 1000, SETS_MAX = 80, SETS = 12 };

/* Ones through a gain into a file: the file shows which gain was in force at which index. `loads`
 * keeps the virtual clock from running ahead. */
static void gain_conf(double nap_us)
{
	char text[2048];
	float ones[2 * LENGTH];

	for (int i = 0; i < 2 * LENGTH; i++)
		ones[i] = i % 2 ? 0.0f : 1.0f;
	file_make(aloe_path("ones.cf32"), ones, sizeof(ones));
	snprintf(text, sizeof(text),
	    "name = \"gain\";\nslot_ns = 1000000;\ninstances: {\n"
	    "\tsource: { component = \"file_source\"; path = \"%s\"; type = \"cf32\"; length = %d; "
	    "loop = true; pin = 0; };\n"
	    "\tloads: { component = \"faulty\"; nap_us = %g; };\n"
	    "\tgain: { component = \"gain\"; };\n"
	    "\tsink: { component = \"file_sink\"; path = \"%s\"; };\n};\n"
	    "links = ( \"source -> loads -> gain -> sink\" );\n",
	    aloe_path("ones.cf32"), LENGTH, nap_us, aloe_path("gain.cf32"));
	file_make(aloe_path("gain.conf"), text, strlen(text));
}

struct set {
	uint64_t index;
	float gain;
};

/* Every item of every index shows the gain of the newest set at or before it. How many indices
 * there are. */
static uint64_t check_gains(const struct set *sets, int n, const char *how)
{
	size_t len;
	const float *got = file_take(aloe_path("gain.cf32"), &len);
	const uint64_t slots = len / (LENGTH * 2 * sizeof(float));
	float want = 1;

	assert_int_equal(len % (LENGTH * 2 * sizeof(float)), 0);
	for (uint64_t k = 0; k < slots; k++) {
		for (int s = 0; s < n; s++)
			if (sets[s].index == k)
				want = sets[s].gain;
		for (int i = 0; i < LENGTH; i++)
			if (got[2 * (k * LENGTH + (uint64_t)i)] != want)
				fail_msg("%s: index %d, item %d: gain %g, not %g", how, (int)k, i,
				    (double)got[2 * (k * LENGTH + (uint64_t)i)], (double)want);
	}
	free((void *)got);
	return slots;
}

/* set_gain sets it as told and gives the index that it is told to hold from. */
static struct set set_gain(float gain, const char *options)
{
	struct ran *ran = aloe_ok("set gain gain.gain=%g %s", (double)gain, options);
	struct set set = {0, gain};
	double told;
	unsigned long long index;

	assert_int_equal(sscanf(ran->out, "gain.gain = %lf from index %llu", &told, &index), 2);
	assert_true(told == (double)gain);
	set.index = index;
	ran_free(ran);
	return set;
}

static struct set set_gain_at(float gain, uint64_t index)
{
	char options[64];
	struct set set;

	snprintf(options, sizeof(options), "--at %llu", (unsigned long long)index);
	set = set_gain(gain, options);
	assert_int_equal(set.index, index);
	return set;
}

/* At an index that is to come, `ahead` of the newest: more, where the machine is slow to carry the
 * command. */
static struct set set_gain_ahead(float gain, double ahead)
{
	struct set set = {0, gain};
	unsigned long long index;
	double told;

	for (;; ahead *= 2) {
		struct ran *ran =
		    aloe("set gain gain.gain=%g --at %.0f", (double)gain, index_of("gain") + ahead);
		const bool late = ran->status != 0 && strstr(ran->err, "is too late") != NULL;

		if (ran->status != 0 && !late)
			fail_msg("%s", ran->err);
		if (!late)
			assert_int_equal(
			    sscanf(ran->out, "gain.gain = %lf from index %llu", &told, &index), 2);
		ran_free(ran);
		if (!late)
			break;
	}
	set.index = index;
	return set;
}

static const char on_timer[] = "--clock timer --lanes 0",
                  on_two_lanes[] = "--clock timer --lanes 0,1";
static const char *const set_hows[] = {"--clock virtual --lanes 0", "--clock virtual --lanes 0,1",
    "--clock virtual --lanes 0,1 --pipelined --isolation component"};
enum { SET_HOWS = sizeof(set_hows) / sizeof(set_hows[0]) };

/* Without --slots it runs until it is stopped: what is set while it runs is set before. */
static void load_gain(const char *how)
{
	ran_free(aloe_ok("load '%s' %s", aloe_path("gain.conf"), how));
}

static void load_gain_slots(const char *how)
{
	char options[256];

	snprintf(options, sizeof(options), "--slots %d %s", SLOTS, how);
	load_gain(options);
}

/* Named beforehand, in any order, while the clock stands: before the start and in a pause. */
static void set_at(const char *how)
{
	struct set sets[12];
	int n = 0;

	load_gain_slots(how);
	sets[n++] = set_gain_at(2, 500);
	sets[n++] = set_gain_at(3, 701);
	sets[n++] = set_gain_at(4, 700);
	sets[n++] = set_gain_at(5, 0);
	ok("step gain --count 100");
	refused(FAILED, "index 90 is too late", "set gain gain.gain=9 --at 90");
	sets[n++] = set_gain_at(6, SLOTS - 1);
	sets[n++] = set_gain_at(7, 200);
	sets[n++] = set_gain_at(8, 201);
	sets[n] = set_gain(9, ""); /* at once: the next index */
	assert_in_range(sets[n].index, 95, 100);
	n++;
	ok("start gain");
	ran_free(ended("gain"));
	ok("unload gain");
	assert_int_equal(check_gains(sets, n, how), SLOTS);
}

static void test_set_at(void **state)
{
	(void)state;
	gain_conf(0);
	for (int h = 0; h < SET_HOWS; h++)
		set_at(set_hows[h]);
}

static void test_set_at_on_the_timer(void **state)
{
	(void)state;
	gain_conf(0);
	set_at(on_timer);
}

static void test_set_at_on_two_lanes(void **state)
{
	(void)state;
	gain_conf(0);
	set_at(on_two_lanes);
}

/* While it runs: the index that is told is the index that it was, and an index named ahead is met.
 * It is stopped when the last of them has come. */
static void set_running(const char *how)
{
	struct set sets[2 * SETS];
	uint64_t last = 0;
	int n = 0;

	load_gain(how);
	ok("start gain");
	for (int i = 0; i < SETS; i++) {
		sets[n] = set_gain((float)(2 + n), "");
		n++;
		sets[n] = set_gain_ahead((float)(2 + n), 300);
		last = sets[n].index > last ? sets[n].index : last;
		n++;
	}
	while (index_of("gain") <= (double)last)
		poll(NULL, 0, POLL_MS);
	ok("stop gain");
	ran_free(ended("gain"));
	ok("unload gain");
	assert_true(check_gains(sets, n, how) > last);
}

static void test_set_running(void **state)
{
	(void)state;
	gain_conf(600);
	for (int h = 0; h < SET_HOWS; h++)
		set_running(set_hows[h]);
}

static void test_set_running_on_the_timer(void **state)
{
	(void)state;
	gain_conf(600);
	set_running(on_timer);
}

static void test_set_running_on_two_lanes(void **state)
{
	(void)state;
	gain_conf(600);
	set_running(on_two_lanes);
}

/* More than can wait are refused, none is lost. */
static void test_set_many(void **state)
{
	struct set sets[SETS_MAX];
	int n = 0;

	(void)state;
	gain_conf(0);
	load_gain_slots("--clock virtual --lanes 0,1");
	ok("step gain --count 10");
	for (int i = 0; i < SETS_MAX; i++) {
		struct ran *ran = aloe("set gain gain.gain=%d --at %d", 2 + i, 300 + 7 * i);

		if (ran->status == 0)
			sets[n++] = (struct set){300 + 7 * (uint64_t)i, (float)(2 + i)};
		else
			assert_non_null(strstr(ran->err, "wait for their index"));
		ran_free(ran);
	}
	assert_in_range(n, 16, SETS_MAX - 1);
	ok("start gain");
	ran_free(ended("gain"));
	ok("unload gain");
	assert_int_equal(check_gains(sets, n, "many"), SLOTS);
}

static void test_set_refused(void **state)
{
	(void)state;
	gain_conf(0);
	load_gain("--clock timer --lanes 0");
	ok("start gain");
	refused(USAGE, "outside [0, 1000]", "set gain gain.gain=1001");
	refused(USAGE, "is needed", "set gain gain.gain=loud");
	refused(USAGE, "did you mean \"gain\"", "set gain gain.gian=2");
	refused(USAGE, "no instance", "set gain amplifier.gain=2");
	refused(USAGE, "read at init only", "set gain source.length=2");
	refused(USAGE, "is a variable", "set gain sink.items=2");
	refused(USAGE, "INSTANCE.PARAMETER=VALUE", "set gain gain.gain");
	refused(FAILED, "is too late", "set gain gain.gain=2 --at 0");
	refused(USAGE, "no waveform", "set loss gain.gain=2");
	ok("stop gain");
	refused(FAILED, "is not running", "set gain gain.gain=2");
	ok("unload gain");
}

static void test_get_and_watch(void **state)
{
	double before, after;
	struct ran *ran;
	int n = 0;
	double last = -1, items;

	(void)state;
	gain_conf(0);
	load_gain("--clock timer --lanes 0");
	ok("start gain");
	ran = aloe_ok("get gain gain.gain");
	assert_string_equal(ran->out, "gain.gain 1.0\n");
	ran_free(ran);
	set_gain(2.5, "");
	ran = aloe_ok("get gain gain.gain");
	assert_string_equal(ran->out, "gain.gain 2.5\n");
	ran_free(ran);
	before = index_of("gain");
	ran = aloe_ok("get gain --json");
	assert_true(json_is_object(ran->report));
	items = json_number_value(
	    json_object_get(json_object_get(ran->report, "values"), "sink.items"));
	after = index_of("gain");
	assert_true(items >= LENGTH * before && items <= LENGTH * (after + 2));
	ran_free(ran);
	ran = aloe_ok("watch gain sink.messages --count 4 --interval 50");
	for (const char *line = ran->out; *line; line = strchr(line, '\n') + 1, n++) {
		double value;

		assert_int_equal(sscanf(line, "sink.messages %lf\n", &value), 1);
		assert_true(value > last);
		last = value;
	}
	assert_int_equal(n, 4);
	ran_free(ran);
	refused(USAGE, "gian", "get gain gian");
	refused(USAGE, "did you mean \"items\"", "get gain sink.itmes");
	ok("unload gain");
}

/* ---- the node itself ------------------------------------------------------------------------ */

static void test_no_node(void **state)
{
	static const char *const commands[] = {
	    "list", "status bpsk", "start bpsk", "load waveforms/bpsk.conf", "down"};

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct ran *ran = aloe("%s", commands[i]);

		assert_int_not_equal(ran->status, 0);
		if (!strstr(ran->err, "aloe up"))
			fail_msg("aloe %s: %s", commands[i], ran->err);
		ran_free(ran);
	}
}

/* Down ends what runs, and up again begins with nothing. */
static void test_down_while_running(void **state)
{
	struct ran *ran;

	(void)state;
	ok("up");
	ok("up"); /* is up already */
	ok("load waveforms/bpsk.conf");
	ok("start bpsk");
	ok("down");
	ok("up");
	ran = aloe_ok("list --names");
	assert_string_equal(ran->out, "");
	ran_free(ran);
	ok("down");
}

/* The component that sleeps is one of the tests'. */
static int components(void **state)
{
	char dirs[9000], build[4096];

	if (aloe_init(state) != 0)
		return -1;
	snprintf(build, sizeof(build), "%s", aloe_program("aloe"));
	*strrchr(build, '/') = 0;
	*strrchr(build, '/') = 0;
	snprintf(dirs, sizeof(dirs), "%s/lib/aloe:%s/tests/components", build, build);
	setenv("ALOE_COMPONENTS", dirs, 1);
	return 0;
}

#define NODE_TEST(test) cmocka_unit_test_setup_teardown(test, node_up, node_down)

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    NODE_TEST(test_two_slot_lengths_on_a_lane),
	    NODE_TEST(test_steps_on_the_timer),
	    NODE_TEST(test_set_at_on_the_timer),
	    NODE_TEST(test_set_running_on_the_timer),
	    NODE_TEST(test_set_refused),
	    NODE_TEST(test_get_and_watch),
	    cmocka_unit_test(test_down_while_running),
	};
	const struct CMUnitTest two_lanes[] = {
	    NODE_TEST(test_two_in_run_at_once),
	    NODE_TEST(test_two_on_shared_lanes),
	    NODE_TEST(test_two_on_their_own_lanes),
	    NODE_TEST(test_two_trusted),
	    NODE_TEST(test_states),
	    NODE_TEST(test_steps_on_two_lanes),
	    NODE_TEST(test_pauses_change_nothing),
	    NODE_TEST(test_set_at_on_two_lanes),
	    NODE_TEST(test_set_running_on_two_lanes),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(test_no_node),
	    NODE_TEST(test_two_virtual),
	    NODE_TEST(test_steps),
	    NODE_TEST(test_set_at),
	    NODE_TEST(test_set_running),
	    NODE_TEST(test_set_many),
	};
	int failed = ALOE_PART("lanes", lanes, components, aloe_fini);

	failed += ALOE_PART("two", two_lanes, components, aloe_fini);
	return failed + ALOE_PART("rest", rest, components, aloe_fini);
}
