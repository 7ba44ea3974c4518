/* SPDX-License-Identifier: BSD-3-Clause
 * A run ends when the last message has gone through: what a source has sent comes out whole,
 * whatever holds it on the way (radio frames of a TTI, declared delays of links), with the same
 * bits on every mapping and clock. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { BLOCK = 120, BLOCKS = 2, INTERRUPTED = 130 };

static const char *const hows[] = {
    "--clock virtual --lanes 0",
    "--clock virtual --lanes 0,1 --pipelined",
    "--clock virtual --lanes 0,1 --pipelined --isolation component",
    "--clock virtual --lanes 0,1",
};
static const char on_timer[] = "--clock timer --lanes 0";
enum { HOWS = sizeof(hows) / sizeof(hows[0]), FEW = 2 };

static uint8_t bits[BLOCKS * BLOCK];

static int files_make(void **state)
{
	if (aloe_init(state) != 0)
		return -1;
	for (int i = 0; i < BLOCKS * BLOCK; i++)
		bits[i] = (uint8_t)((uint32_t)i * 2654435761u >> 17 & 1);
	file_make(aloe_path("bits"), bits, sizeof(bits));
	return 0;
}

/* A waveform of these instances and links, between a source that reads the bits and a sink. */
static void conf_make(const char *source, const char *instances, const char *links)
{
	char text[4096], sink[512], file[512];

	snprintf(sink, sizeof(sink), "%s", aloe_path("tails.bin"));
	snprintf(file, sizeof(file), "%s", aloe_path("bits"));
	snprintf(text, sizeof(text),
	    "name = \"tails\"; slot_ns = 1000000;\ninstances: {\n"
	    "\tsource: { component = \"file_source\"; path = \"%s\"; type = \"bit\"; length = %d; "
	    "%s };\n"
	    "%s\tsink: { component = \"file_sink\"; path = \"%s\"; };\n};\nlinks = ( %s );\n",
	    file, BLOCK, source, instances, sink, links);
	file_make(aloe_path("tails.conf"), text, strlen(text));
}

/* Runs it: what came out, and that nothing was counted as missing. `slots` are what the report
 * counts; 0: any. */
static void *run_slots(const char *how, size_t bytes, int slots)
{
	struct ran *ran = aloe_ok("run '%s' %s --json -q", aloe_path("tails.conf"), how);
	size_t len;
	void *out = file_take(aloe_path("tails.bin"), &len);

	if (len != bytes)
		fail_msg("%s: %zu bytes came out, not %zu", how, len, bytes);
	assert_int_equal((int)ran_number(ran, "messages.absent"), 0);
	if (slots > 0) {
		assert_int_equal((int)ran_number(ran, "slots_wanted"), slots);
		assert_int_equal((int)ran_number(ran, "slots.run"), slots);
		assert_int_equal((int)ran_number(ran, "index"), slots);
	}
	ran_free(ran);
	return out;
}

static void *run(const char *how, size_t bytes)
{
	return run_slots(how, bytes, 0);
}

static const char frames[] = "\tinterleave: { component = \"utran_interleave1\"; tti_ms = 40; };\n"
                             "\tsegment: { component = \"utran_segment\"; tti_ms = 40; };\n";

/* Two TTIs of 40 ms: the source ends at index 4, the last radio frame leaves at index 7. */
static void radio_frames_make(void)
{
	conf_make("period = 4;", frames, "\"source -> interleave -> segment -> sink\"");
}

static void test_radio_frames(void **state)
{
	enum { SLOTS = 3 };
	static const char *const slots[SLOTS] = {"--slots 5", "--slots 6", "--slots 100"};
	uint8_t *truth = NULL;

	(void)state;
	radio_frames_make();
	for (int h = 0; h < HOWS + SLOTS; h++) {
		char how[128];
		uint8_t *out;

		snprintf(how, sizeof(how), "%s %s", h < HOWS ? hows[h] : hows[0],
		    h < HOWS ? "" : slots[h - HOWS]);
		out = run(how, sizeof(bits));
		if (truth != NULL)
			assert_memory_equal(out, truth, sizeof(bits));
		free(truth);
		truth = out;
	}
	free(truth);
}

/* And back: the TTIs that come out are those that went in, after a link that holds three messages
 * more. */
static void there_and_back_make(void)
{
	conf_make("period = 4;",
	    "\tinterleave: { component = \"utran_interleave1\"; tti_ms = 40; };\n"
	    "\tsegment: { component = \"utran_segment\"; tti_ms = 40; };\n"
	    "\tmod: { component = \"bpsk_mod\"; };\n"
	    "\tsoft: { component = \"bpsk_soft_demod\"; };\n"
	    "\tdesegment: { component = \"utran_desegment\"; tti_ms = 40; tti_phase = 3; };\n"
	    "\tdeinterleave: { component = \"utran_deinterleave1\"; tti_ms = 40; };\n",
	    "\"source -> interleave -> segment -> mod -> soft\", { path = \"soft -> desegment\"; "
	    "delay = 3; },\n"
	    "\"desegment -> deinterleave -> sink\"");
}

static void there_and_back(const char *how)
{
	int16_t *soft = run(how, sizeof(bits) * sizeof(*soft));

	for (int i = 0; i < BLOCKS * BLOCK; i++)
		if ((soft[i] < 0) != bits[i] || soft[i] == 0)
			fail_msg("%s: bit %d is %d, and came as %d", how, i, bits[i], soft[i]);
	free(soft);
}

static void test_there_and_back(void **state)
{
	(void)state;
	there_and_back_make();
	for (int h = 0; h < HOWS; h++)
		there_and_back(hows[h]);
}

/* Messages that a link holds, one link behind another. */
static void links_with_delay_make(void)
{
	conf_make("", "\tfirst: { component = \"copy\"; };\n\tsecond: { component = \"copy\"; };\n",
	    "{ path = \"source -> first\"; delay = 3; }, \"first -> second\", { path = \"second -> "
	    "sink\"; delay = 2; }");
}

static void links_with_delay(const char *how)
{
	uint8_t *out = run(how, sizeof(bits));

	assert_memory_equal(out, bits, sizeof(bits));
	free(out);
}

static void test_links_with_delay(void **state)
{
	(void)state;
	links_with_delay_make();
	for (int h = 0; h < FEW; h++)
		links_with_delay(hows[h]);
}

/* A source of another period goes on until the last TTI is over: the radio frames that both share
 * are whole. */
static void shared_frames_make(void)
{
	conf_make("period = 4;",
	    "\tinterleave: { component = \"utran_interleave1\"; tti_ms = 40; };\n"
	    "\tsegment: { component = \"utran_segment\"; tti_ms = 40; };\n"
	    "\tother: { component = \"random_source\"; length = 50; seed = 3; };\n"
	    "\tmux: { component = \"utran_mux\"; };\n",
	    "\"source -> interleave -> segment -> mux.in0\", \"other -> mux.in1\", \"mux -> "
	    "sink\"");
}

static void test_shared_frames(void **state)
{
	uint8_t *truth = NULL;

	(void)state;
	shared_frames_make();
	for (int h = 0; h < FEW; h++) {
		uint8_t *out = run(hows[h], sizeof(bits) + 8 * 50);

		if (truth != NULL)
			assert_memory_equal(out, truth, sizeof(bits) + 8 * 50);
		free(truth);
		truth = out;
	}
	free(truth);
}

enum { FRAME = 100 };

/* Transport channels of three TTIs in the radio frames of 100 bits. */
static void channels_make(void)
{
	conf_make("period = 1000000;",
	    "\tlong: { component = \"random_source\"; length = 120; seed = 1; period = 4; };\n"
	    "\tlong_segment: { component = \"utran_segment\"; tti_ms = 40; };\n"
	    "\tmiddle: { component = \"random_source\"; length = 40; seed = 2; period = 2; };\n"
	    "\tmiddle_segment: { component = \"utran_segment\"; tti_ms = 20; };\n"
	    "\tframe: { component = \"random_source\"; length = 50; seed = 3; };\n"
	    "\tonce_sink: { component = \"null_sink\"; };\n"
	    "\tmux: { component = \"utran_mux\"; };\n",
	    "\"long -> long_segment -> mux.in0\", \"middle -> middle_segment -> mux.in1\",\n"
	    "\"frame -> mux.in2\", \"source -> once_sink\", \"mux -> sink\"");
}

/* Whatever the slots that were asked for, a TTI that was begun arrives whole, and the slots asked
 * for are those counted. */
static void test_begun_frames(void **state)
{
	enum { LONGEST = 12 };
	uint8_t *truth = NULL;

	(void)state;
	channels_make();
	for (int n = LONGEST; n > 0; n -= n > 9 ? LONGEST - 9 : 1) {
		for (int h = 0; h < 2; h++) {
			const int whole = (n + 3) / 4 * 4;
			char how[128];
			uint8_t *out;

			snprintf(how, sizeof(how), "%s --slots %d", hows[h], n);
			out = run_slots(how, (size_t)whole * FRAME, n);
			if (truth != NULL)
				assert_memory_equal(out, truth, (size_t)whole * FRAME);
			if (truth == NULL)
				truth = out;
			else
				free(out);
		}
	}
	free(truth);
}

/* `aloe run` in the background; what it says is in the file `said`. */
static pid_t run_begin(void)
{
	const char *const program = aloe_program("aloe"), *const said = aloe_path("said");
	const char *const argv[] = {
	    program, "run", aloe_path("tails.conf"), "--clock", "virtual", NULL};
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid != 0)
		return pid;
	signal(SIGINT, SIG_DFL);
	if (freopen(said, "w", stdout))
		execv(program, (char **)(uintptr_t)argv);
	_exit(127);
}

/* Interrupted `nap_ms` after the sink has written something. False: it had not heard yet that it
 * runs, and ended at once. */
static bool is_stopped(int nap_ms)
{
	struct stat sink = {0};
	bool stopped;
	int status;
	char *said;
	pid_t pid;

	remove(aloe_path("tails.bin"));
	pid = run_begin();
	while (stat(aloe_path("tails.bin"), &sink) != 0 || sink.st_size == 0) {
		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
		poll(NULL, 0, 1);
	}
	poll(NULL, 0, nap_ms);
	kill(pid, SIGINT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == INTERRUPTED);
	said = file_take(aloe_path("said"), NULL);
	stopped = strstr(said, "stopping; press Ctrl-C again to end at once") != NULL;
	free(said);
	return stopped;
}

/* A run that is stopped goes on to the end of the TTI that it is in. */
static void test_stopped(void **state)
{
	enum { TIMES = 4, STEP_MS = 17 };

	(void)state;
	channels_make();
	for (int i = 0; i < TIMES; i++) {
		size_t len;

		for (int nap_ms = i * STEP_MS; !is_stopped(nap_ms); nap_ms += STEP_MS)
			assert_true(nap_ms < 10000);
		free(file_take(aloe_path("tails.bin"), &len));
		if (len == 0 || len % (4 * FRAME) != 0)
			fail_msg("%zu bits came out, %zu radio frames", len, len / FRAME);
	}
}

/* What fills up where nothing is sent does not do so behind the end. */
static void fillers_end_make(void)
{
	conf_make("period = 4;",
	    "\tinterleave: { component = \"utran_interleave1\"; tti_ms = 40; };\n"
	    "\tsegment: { component = \"utran_segment\"; tti_ms = 40; };\n"
	    "\tdtx: { component = \"utran_dtx\"; output = 50; };\n",
	    "\"source -> interleave -> segment -> dtx -> sink\"");
}

static void test_fillers_end(void **state)
{
	(void)state;
	fillers_end_make();
	for (int h = 0; h < FEW; h++)
		free(run(hows[h], 4 * BLOCKS * 50));
}

/* The same bits as without a clock. */
static void as_without(size_t bytes)
{
	void *virtual = run(hows[0], bytes), *timer = run(on_timer, bytes);

	assert_memory_equal(virtual, timer, bytes);
	free(virtual);
	free(timer);
}

static void test_on_the_timer(void **state)
{
	(void)state;
	radio_frames_make();
	as_without(sizeof(bits));
	there_and_back_make();
	there_and_back(on_timer);
	links_with_delay_make();
	links_with_delay(on_timer);
	shared_frames_make();
	as_without(sizeof(bits) + 8 * 50);
	fillers_end_make();
	free(run(on_timer, 4 * BLOCKS * 50));
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(test_on_the_timer),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(test_radio_frames),
	    cmocka_unit_test(test_there_and_back),
	    cmocka_unit_test(test_links_with_delay),
	    cmocka_unit_test(test_shared_frames),
	    cmocka_unit_test(test_begun_frames),
	    cmocka_unit_test(test_stopped),
	    cmocka_unit_test(test_fillers_end),
	};
	int failed = ALOE_PART("lanes", lanes, files_make, aloe_fini);

	return failed + ALOE_PART("rest", rest, files_make, aloe_fini);
}
