/* SPDX-License-Identifier: BSD-3-Clause
 * Changes to a running node, drawn at random, through the real daemons: numbers set on two lanes at
 * one index, arrays, waveforms remapped, paused, loaded and unloaded. Sinks carry the index and
 * what was set at it:
 *
 *         steady   is never touched: it loses no index; on the timer, under skip, no slot either
 *                  (stalls of the machine excepted)
 *         marks    shows each change at exactly the index that was told for it, on all lanes, and
 *                  no index is missing
 *         noisy    has state and randomness in it: its bits are those of a run that nobody
 *                  disturbed
 *
 * ALOE_CHANGES=N makes N changes on the virtual clock, not 600 (make changes: 10 000); on the
 * timer it is 100. Ten thousand remaps, and what happens when a part of one is left out:
 * test_remap. */
#include <math.h>
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
#include "core/base/file.h"
#include "tests/faults/node.h"
#include "tools/aloe/client.h"

enum {
	FAILED = 1,
	USAGE = 2,
	VIRTUAL_CHANGES = ALOE_SLOWER(600, 300),
	KILLS = 6,
	TIMER_CHANGES = ALOE_SLOWER(100, 30),
	SLOT_NS = ALOE_SLOWER(5000000, 20000000),
	SETS_MAX = 65536,
	ITEMS_MAX = 40,
	TRIES = 30000,
	AHEAD = 1000, /* indices */
};

static const char steady[] = "name = \"%s\"; slot_ns = " ALOE_SLOWER(
    "5000000", "20000000") "; late = \"%s\";\n"
                           "instances: {\n"
                           "  source: { component = \"counter\"; };\n"
                           "  work: { component = \"faulty\"; %s = 100.0; };\n"
                           "  sink: { component = \"file_sink\"; path = \"%%s\"; };\n"
                           "};\nlinks = ( \"source -> work -> sink\" );\n";
static const char marks[] = "name = \"%s\"; slot_ns = " ALOE_SLOWER(
    "5000000", "20000000") "; late = \"%s\";\n"
                           "instances: {\n"
                           "  source: { component = \"counter\"; };\n"
                           "  a: { component = \"mark\"; values = [1, 1]; };\n"
                           "  slow: { component = \"faulty\"; %s = 60.0; };\n"
                           "  b: { component = \"mark\"; values = [1, 1]; };\n"
                           "  sink: { component = \"file_sink\"; path = \"%%s\"; };\n"
                           "};\nlinks = ( \"source -> a -> slow -> b -> sink\" );\n";
static const char noisy[] = "name = \"%s\"; slot_ns = " ALOE_SLOWER(
    "5000000", "20000000") "; late = \"%s\";\n"
                           "instances: {\n"
                           "  source: { component = \"random_source\"; length = 16; };\n"
                           "  mod: { component = \"bpsk_mod\"; };\n"
                           "  noise: { component = \"awgn\"; esn0_db = 1.0; };\n"
                           "  slow: { component = \"faulty\"; %s = 60.0; };\n"
                           "  demod: { component = \"bpsk_demod\"; };\n"
                           "  sink: { component = \"file_sink\"; path = \"%%s\"; };\n"
                           "};\nlinks = ( \"source -> mod -> noise -> slow -> demod -> sink\" );\n";

struct set {
	uint64_t index;
	uint32_t who; /* 0: a, 1: b */
	bool array;
	float value; /* all items of an array */
};

struct world {
	struct client client;
	const char *options;
	unsigned seed;
	struct set *sets;
	size_t n_sets;
	uint64_t newest, nearest; /* indices */
	bool extra;               /* the waveform that comes and goes is there */
	/* what waits for its index waits on: there may be no room for more */
	bool stands;
	uint64_t remaps, refused, extras;
	uint64_t stood_most, stood_sum;
};

static uint32_t draw(struct world *w, uint32_t n)
{
	return (uint32_t)(rand_r(&w->seed) / (RAND_MAX + 1.0) * n);
}

/* ---- talking ------------------------------------------------------------------------ */

/* Sends what `fill` puts; again while the node asks for it. The answer; a refusal fails the test,
 * but for want of room in a waveform that stands, and for an index that was named and has gone by:
 * then w->nearest is the first that has not. */
static struct wire_view ask(struct world *w, enum wire_type type, enum wire_peer to,
    const char *waveform, void (*fill)(const void *what, struct wire_msg *msg), const void *what)
{
	struct wire_view view;

	for (int i = 0; i < TRIES; i++) {
		struct wire_msg msg;
		char *why;

		client_request(&w->client, type, to, &msg);
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
		if (fill)
			fill(what, &msg);
		assert_int_equal(client_ask(&w->client, &msg, CLIENT_CALL_MS, &view), 0);
		if (view.type == WIRE_OK)
			return view;
		why = wire_get_text(&view, WIRE_TAG_TEXT, 0);
		if (why && strstr(why, "; name index ")) {
			w->nearest = strtoull(strstr(why, "; name index ") + 13, NULL, 10);
			free(why);
			return view;
		}
		if (why && w->stands && strstr(why, "wait for their index")) {
			free(why);
			return view;
		}
		/* two changes of this test are never under way at once */
		if (!why || !strstr(why, "try again") || strstr(why, "under way"))
			fail_msg("%s of %s: %s", wire_type_name(type), waveform, why);
		free(why);
		w->refused++;
		clock_sleep_until(clock_ns() + 1000000);
	}
	fail_msg("%s of %s: refused again and again", wire_type_name(type), waveform);
	return view;
}

static void tell(struct world *w, enum wire_type type, const char *waveform)
{
	(void)ask(w, type, WIRE_SWMAN, waveform, NULL, NULL);
}

/* ---- changes ------------------------------------------------------------------------ */

struct setting {
	struct set set[2];
	uint32_t n, len; /* len: items of an array */
	uint64_t at;     /* UINT64_MAX: as soon as possible */
};

static void setting_put(const void *what, struct wire_msg *msg)
{
	const struct setting *s = what;

	for (uint32_t i = 0; i < s->n; i++) {
		char text[ITEMS_MAX * 16] = "";

		wire_put_text(msg, WIRE_TAG_NAME,
		    s->set[i].array     ? s->set[i].who ? "b.values" : "a.values"
		        : s->set[i].who ? "b.level"
		                        : "a.level");
		for (uint32_t k = 0; k < s->len; k++)
			sprintf(text + strlen(text), "%s%g", k ? "," : "", (double)s->set[i].value);
		wire_put_text(msg, WIRE_TAG_VALUE, text);
	}
	if (s->at != UINT64_MAX)
		wire_put_u64(msg, WIRE_TAG_INDEX, s->at);
}

static void set_some(struct world *w, uint32_t n, bool array, bool at)
{
	struct setting s = {.n = n,
	    .len = array ? 1 + draw(w, ITEMS_MAX) : 1,
	    .at = at ? w->newest + AHEAD : UINT64_MAX};
	struct wire_view view;
	uint64_t index = 0;

	for (uint32_t i = 0; i < n; i++)
		s.set[i] = (struct set){.who = n == 2 ? i : draw(w, 2),
		    .array = array,
		    .value = (float)draw(w, 1000000)};
	view = ask(w, WIRE_SET, WIRE_STATS, "marks", setting_put, &s);
	while (at && view.type != WIRE_OK) {
		s.at = w->nearest + AHEAD;
		view = ask(w, WIRE_SET, WIRE_STATS, "marks", setting_put, &s);
	}
	if (view.type != WIRE_OK) {
		assert_true(w->stands);
		return;
	}
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_INDEX, &index), 0);
	assert_true(!at || index == s.at);
	w->newest = !at && index > w->newest ? index : w->newest;
	for (uint32_t i = 0; i < n; i++) {
		assert_true(w->n_sets < SETS_MAX);
		s.set[i].index = index;
		w->sets[w->n_sets++] = s.set[i];
	}
}

struct pins {
	const char *const *names;
	uint32_t n, bits;
};

static void pins_put(const void *what, struct wire_msg *msg)
{
	const struct pins *pins = what;

	for (uint32_t i = 0; i < pins->n; i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s.pin=%u", pins->names[i], pins->bits >> i & 1);
		wire_put_text(msg, WIRE_TAG_SET, text);
	}
}

static void remap(struct world *w)
{
	static const char *const names[2][6] = {{"source", "a", "slow", "b", "sink"},
	    {"source", "mod", "noise", "slow", "demod", "sink"}};
	const uint32_t which = draw(w, 2);
	const struct pins pins = {names[which], 5 + which, draw(w, 64)};
	struct wire_view view = ask(w, WIRE_REMAP, WIRE_SWMAN, which ? "noisy" : "marks",
	    draw(w, 8) ? pins_put : NULL, &pins);
	uint64_t stood = 0;

	wire_get_u64(&view, WIRE_TAG_COUNT, &stood);
	w->stood_sum += stood;
	w->stood_most = stood > w->stood_most ? stood : w->stood_most;
	w->remaps++;
}

/* Comes, runs and goes; it has no gap either. */
static void extra(struct world *w)
{
	char command[256];

	if (w->extra) {
		ran_free(aloe_ok("unload extras"));
		(void)records_check(aloe_path("extras.out"), SLOT_NS, NULL);
	} else {
		snprintf(
		    command, sizeof(command), "load '%s' %s", aloe_path("extras.conf"), w->options);
		ran_free(aloe_ok("%s", command));
		tell(w, WIRE_START, "extras");
	}
	w->extra = !w->extra;
	w->extras++;
}

/* Kinds from `least` on: the later ones take longer. */
static void change(struct world *w, uint32_t least)
{
	const char *which = draw(w, 2) ? "marks" : "noisy";
	const uint32_t kind = least + draw(w, 100 - least);

	if (kind < 68) {
		set_some(w, 2, false, false);
	} else if (kind < 76) {
		set_some(w, 1, false, false);
	} else if (kind < 84) {
		set_some(w, 2, false, true);
	} else if (kind < 89) {
		set_some(w, 1, true, false);
	} else if (kind < 95) {
		remap(w);
	} else if (kind < 99) {
		tell(w, WIRE_PAUSE, which);
		w->stands = true;
		if (draw(w, 3) == 0 && which[0] == 'm')
			set_some(w, 1 + draw(w, 2), false, false);
		w->stands = false;
		tell(w, WIRE_START, which);
	} else {
		extra(w);
	}
}

/* ---- what came of it ------------------------------------------------------------------------ */

struct record {
	uint64_t index, ns;
	float seen[2][3]; /* of a, b: level, first of the array, its mean */
};

static void apply(const struct set *set, struct record *want)
{
	float *seen = want->seen[set->who];

	if (set->array)
		seen[1] = seen[2] = set->value;
	else
		seen[0] = set->value;
}

/* By index; at one index in the order in which they were sent. They are nearly sorted as they
 * are. */
static void sort(struct set *sets, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct set one = sets[i];
		size_t at = i;

		for (; at > 0 && sets[at - 1].index > one.index; at--)
			sets[at] = sets[at - 1];
		sets[at] = one;
	}
}

/* Every index from 0 on, each with what was in force at it; how many changes were seen. */
static size_t marks_check(struct world *w)
{
	struct record want = {.seen = {{0, 1, 1}, {0, 1, 1}}};
	size_t len, next = 0;
	struct record *all = file_take(aloe_path("marks.out"), &len);

	sort(w->sets, w->n_sets);
	assert_int_equal(len % sizeof(*all), 0);
	for (size_t k = 0; k < len / sizeof(*all); k++) {
		for (; next < w->n_sets && w->sets[next].index == k; next++)
			apply(&w->sets[next], &want);
		if (all[k].index != k)
			fail_msg("marks: index %llu is where %zu should be",
			    (unsigned long long)all[k].index, k);
		for (int i = 0; i < 6; i++)
			if (fabsf(all[k].seen[i / 3][i % 3] - want.seen[i / 3][i % 3]) >
			    1e-6f * want.seen[i / 3][i % 3])
				fail_msg("marks: index %zu: %c shows %g as value %d, not %g", k,
				    i / 3 ? 'b' : 'a', (double)all[k].seen[i / 3][i % 3], i % 3,
				    (double)want.seen[i / 3][i % 3]);
	}
	free(all);
	return next;
}

static uint64_t noisy_check(void)
{
	enum { BITS = 16 };
	const size_t bytes = (size_t)BITS;
	size_t len;

	free(file_take(aloe_path("noisy.out"), &len));
	assert_true(len > 0 && len % bytes == 0);
	ran_free(aloe_ok("run '%s' --clock virtual --lanes 0 --slots %zu -q --set 'sink.path=%s' "
	                 "--set slow.nap_us=0 --set slow.spin_us=0",
	    aloe_path("noisy.conf"), len / bytes, aloe_path("noisy.want")));
	files_equal(aloe_path("noisy.want"), aloe_path("noisy.out"));
	return len / bytes;
}

/* ---- the whole ------------------------------------------------------------------------ */

/* `format` has the name, the lateness, what takes the time of every call, and the sink's path. */
static void conf_make(const char *name, const char *format, const char *late, const char *slows)
{
	char text[1024];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	assert_true(snprintf(text, sizeof(text), format, name, late, slows) < (int)sizeof(text));
#pragma GCC diagnostic pop
	conf_write(name, text);
}

static void begin(struct world *w, const char *late, const char *slows, const char *options)
{
	*w = (struct world){.client = CLIENT_NONE, .options = options, .seed = 1};
	w->sets = calloc(SETS_MAX, sizeof(*w->sets));
	assert_non_null(w->sets);
	assert_true(dir_runtime(w->client.dir, sizeof(w->client.dir)) == 0);
	assert_int_equal(client_connect(&w->client), 0);
	conf_make("steady", steady, late, slows);
	conf_make("extras", steady, "slip", slows);
	conf_make("marks", marks, "slip", slows);
	conf_make("noisy", noisy, "slip", slows);
	wave_begin("steady", options);
	wave_begin("marks", options);
	wave_begin("noisy", options);
}

/* An --at beyond the end is no fault: those are far away only for a moment, so let it come by. */
/* stalls: of the lanes' CPUs, on the timer; NULL: nothing excuses a message that is absent. */
static void finish_beside(struct world *w, struct stalls *const stalls[2])
{
	static const char *const names[] = {"marks", "noisy", "steady"};

	if (w->extra)
		extra(w);
	for (int i = 0; i < 3; i++) {
		struct ran *ran;

		ran_free(aloe_ok("stop %s", names[i]));
		ran = wave_await(names[i], "STOP");
		assert_string_equal(ran_text(ran, "reason"), "");
		if (ran_number(ran, "messages.absent") != 0 &&
		    (stalls == NULL || stalls_count(stalls[0]) + stalls_count(stalls[1]) == 0))
			fail_msg("%s: %g messages were absent, and the machine did not stall",
			    names[i], ran_number(ran, "messages.absent"));
		assert_int_equal(ran_number(ran, "messages.overwritten"), 0);
		ran_free(ran);
		ran_free(aloe_ok("unload %s", names[i]));
	}
	client_close(&w->client);
}

static void finish(struct world *w)
{
	finish_beside(w, NULL);
}

static void changes_on_the_virtual_clock(void **state)
{
	const char *env = getenv("ALOE_CHANGES");
	const int n = env ? atoi(env) : VIRTUAL_CHANGES;
	const uint64_t began = clock_ns();
	struct records records;
	struct world w;
	size_t seen;
	uint64_t bits;

	(void)state;
	begin(&w, "slip", "nap_us", "--clock virtual --lanes 0,1");
	for (int i = 0; i < n; i++)
		change(&w, 0);
	finish(&w);
	records = records_check(aloe_path("steady.out"), SLOT_NS, NULL);
	seen = marks_check(&w);
	bits = noisy_check();
	print_message(
	    "%d changes in %.1f s: %zu values set, %zu of them seen, %llu remaps, %llu loads and "
	    "unloads; %llu asked again; steady %llu, noisy %llu indices, no gap\n",
	    n, (double)(clock_ns() - began) / 1e9, w.n_sets, seen, (unsigned long long)w.remaps,
	    (unsigned long long)w.extras, (unsigned long long)w.refused,
	    (unsigned long long)records.count, (unsigned long long)bits);
	assert_true(seen > w.n_sets / 2 && w.remaps > (uint64_t)n / 30);
	free(w.sets);
}

static void changes_on_the_timer(void **state)
{
	struct stalls *stalls[2] = {stalls_watch(0), stalls_watch(1)};
	struct records records;
	struct world w;
	size_t seen;

	(void)state;
	begin(&w, "skip", "spin_us", "--clock timer --lanes 0,1");
	for (int i = 0; i < TIMER_CHANGES; i++)
		change(&w, 60);
	finish_beside(&w, stalls);
	records = records_check(aloe_path("steady.out"), SLOT_NS, stalls[0]);
	seen = marks_check(&w);
	noisy_check();
	print_message(
	    "%d changes: %zu values set, %zu of them seen, %llu remaps, which stood still for %.1f "
	    "slots (mean), %llu at most; steady %llu indices, %llu gaps excused by stalls\n",
	    TIMER_CHANGES, w.n_sets, seen, (unsigned long long)w.remaps,
	    w.remaps ? (double)w.stood_sum / (double)w.remaps : 0, (unsigned long long)w.stood_most,
	    (unsigned long long)records.count, (unsigned long long)records.excused);
	assert_true(seen > w.n_sets / ALOE_SLOWER(2, 8) && w.remaps > 0);
	free(w.sets);
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
	struct world w;
	pid_t child;
	size_t seen;

	(void)state;
	begin(&w, "slip", "spin_us", "--clock virtual --lanes 0,1");
	ran_free(aloe_ok("set marks slow.spin_us=0"));
	child = exec_off_begin();
	for (int i = 0; i < SETS; i++)
		set_some(&w, 2, false, draw(&w, 2) != 0);
	exec_off_end(child);
	finish(&w);
	seen = marks_check(&w);
	print_message("%zu values set, %zu of them seen\n", w.n_sets, seen);
	assert_true(seen > w.n_sets / 2);
	free(w.sets);
}

/* ---- killed in the middle of it ---- */

/* A remap from the command line, in the background, while aloe-exec is killed at some moment of it:
 * what was lost with it is asked for again. How many were done. */
static uint64_t remap_killed(struct world *w, const char *waveform, const char *instance)
{
	const pid_t exec = process_one("aloe-exec"), child = fork();
	struct ran *ran;
	uint64_t done;
	int status = -1;

	if (child == 0) {
		ran = aloe("remap %s --pin %s=%u", waveform, instance, draw(w, 2));
		if (ran->status != 0)
			print_message("%s", ran->err);
		_exit(ran->status);
	}
	draw(w, 2);
	assert_true(child > 0);
	clock_sleep_until(clock_ns() + 5000000 + draw(w, 40) * 1000000ull);
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
	struct world w;

	(void)state;
	begin(&w, "slip", "nap_us", "--clock virtual --lanes 0,1");
	for (int i = 0; i < KILLS; i++) {
		set_some(&w, 2, false, false);
		if (i % 2)
			done[1] = remap_killed(&w, "marks", i % 3 ? "b" : "source");
		else
			done[0] = remap_killed(&w, "noisy", i % 3 ? "noise" : "demod");
	}
	finish(&w);
	records = records_check(aloe_path("steady.out"), SLOT_NS, NULL);
	marks_check(&w);
	noisy_check();
	w.remaps = done[0] + done[1];
	print_message(
	    "%d times killed, %llu remaps done all the same; steady %llu indices, no gap\n", KILLS,
	    (unsigned long long)w.remaps, (unsigned long long)records.count);
	assert_true(w.remaps > 0);
	free(w.sets);
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

		conf_make("noisy", noisy, "slip", "spin_us");
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
		noisy_check();
	}
}

/* Where it stands already it stays so, and goes on by its new tables. */
static void in_every_state(void **state)
{
	(void)state;
	conf_make("noisy", noisy, "slip", "nap_us");
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
	assert_true(noisy_check() > 10);
}

/* Without a clock threads run by `limit` alone: what stands at a step stays there, whichever step
 * the next tables begin with. */
static void again_and_again_while_paused(void **state)
{
	enum { ROUNDS = ALOE_SLOWER(5, 3) };

	(void)state;
	conf_make("noisy", noisy, "slip", "nap_us");
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
	assert_true(noisy_check() > 10);
}

static void refusals(void **state)
{
	char command[512];

	(void)state;
	refused(USAGE, "no waveform \"noisy\" is loaded", "remap noisy");
	conf_make("noisy", noisy, "slip", "nap_us");
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
	noisy_check();
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
	conf_make("marks", marks, "slip", "spin_us");
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
	int failed = 0;

	cmocka_set_test_filter(getenv("ONLY"));
	if (aloe_part("lanes"))
		failed += cmocka_run_group_tests(lanes, node_up, node_down);
	if (aloe_part("rest"))
		failed += cmocka_run_group_tests(rest, node_up, node_down);
	return failed;
}
