/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters set while a waveform runs, through the real processes: one of every kind at the index
 * that was named, and what is no value of it refused. Arrays: each at exactly the index that was
 * named or told, whole, with what the component made of it; from the command line and from files;
 * refused in words; as large as 65536 numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <poll.h>

#include "tests/common/aloe.h"

enum {
	FAILED = 1,
	USAGE = 2,
	ITEMS = 4,
	SLOTS = 1000,
	SETS_MAX = 64,
	SETS = 12, /* while it runs */
	LARGE = 65536,
	POLL_MS = 20,
	TRIES = 3000
};

struct set {
	uint64_t index;
	float first, len;
};

#define ok(...) ran_free(aloe_ok(__VA_ARGS__))

__attribute__((format(printf, 3, 4))) static void refused(
    int status, const char *words, const char *format, ...)
{
	char command[256];
	va_list args;
	struct ran *ran;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	ran = aloe("%s", command);
	if (ran->status != status || !strstr(ran->err, words))
		fail_msg("aloe %s: exit %d, not %d with `%s`: %s%s", command, ran->status, status,
		    words, ran->out, ran->err);
	assert_int_equal(ran_lines(ran->err), 1);
	ran_free(ran);
}

static void ended(void)
{
	for (int i = 0; i < TRIES; i++) {
		struct ran *ran = aloe_ok("status live --json");
		const bool is = json_is_true(json_object_get(ran->report, "drained"));

		assert_string_not_equal(ran_text(ran, "state"), "ABNSTOP");
		ran_free(ran);
		if (is)
			return;
		poll(NULL, 0, POLL_MS);
	}
	fail_msg("it does not end");
}

/* What is to be set while it runs is set before it is stopped, however long that takes. */
static void stopped(void)
{
	ok("stop live");
	ended();
}

/* Without --slots in `how` it runs until it is stopped, and `naps` keep the virtual clock from
 * running ahead. */
static void load(double nap_us, const char *how)
{
	char text[2048];

	snprintf(text, sizeof(text),
	    "name = \"live\";\nslot_ns = 1000000;\ninstances: {\n"
	    "\tarrays: { component = \"arrays\"; values = [1, 2, 3]; };\n"
	    "\tnaps: { component = \"faulty\"; nap_us = %g; };\n"
	    "\tsink: { component = \"file_sink\"; path = \"%s\"; };\n};\n"
	    "links = ( \"arrays -> naps -> sink\" );\n",
	    nap_us, aloe_path("live.f32"));
	file_make(aloe_path("live.conf"), text, strlen(text));
	ok("load '%s' %s", aloe_path("live.conf"), how);
}

/* Every message shows the newest array at or before it; all numbers of one are alike but for the
 * first array. How many messages there are, and how many of the sets came before the last. */
static uint64_t check(const struct set *sets, int n, const char *how, int *ret_seen)
{
	struct set want = {0, 1, 3};
	float version = 1, mean;
	size_t len;
	const float *got = file_take(aloe_path("live.f32"), &len);

	assert_int_equal(len % (ITEMS * sizeof(float)), 0);
	*ret_seen = 0;
	for (uint64_t k = 0; k < len / (ITEMS * sizeof(float)); k++) {
		for (int s = 0; s < n; s++)
			if (sets[s].index == k) {
				want = sets[s];
				(*ret_seen)++;
			}
		mean = want.len == 3 ? 2 : want.first;
		if (got[k * ITEMS] != want.first || got[k * ITEMS + 1] != want.len ||
		    got[k * ITEMS + 2] != mean || got[k * ITEMS + 3] < version)
			fail_msg("%s: index %d: %g of %g, mean %g, version %g; not %g of %g", how,
			    (int)k, (double)got[k * ITEMS], (double)got[k * ITEMS + 1],
			    (double)got[k * ITEMS + 2], (double)got[k * ITEMS + 3],
			    (double)want.first, (double)want.len);
		version = got[k * ITEMS + 3];
	}
	free((void *)got);
	return len / (ITEMS * sizeof(float));
}

/* A file of `len` times `value`, raw or as text. */
static const char *values_file(float value, uint32_t len, bool raw)
{
	const char *path = aloe_path(raw ? "values.f32" : "values.txt");
	float *values = malloc(len * sizeof(*values));
	char *text = malloc(len * 16 + 64);
	size_t at = (size_t)sprintf(text, "# %u values\n", len);

	for (uint32_t i = 0; i < len; i++) {
		values[i] = value;
		at += (size_t)sprintf(text + at, i % 3 ? ", %g" : "\n%g", (double)value);
	}
	if (raw)
		file_make(path, values, len * sizeof(*values));
	else
		file_make(path, text, at);
	free(values);
	free(text);
	return path;
}

/* From where it holds. */
static struct set set_values(float value, uint32_t len, int way, const char *options)
{
	struct set set = {0, value, (float)len};
	unsigned long long index = 0;
	struct ran *ran;

	if (way == 0 && len < 20) {
		char list[512] = "";

		for (uint32_t i = 0; i < len; i++)
			sprintf(list + strlen(list), "%s%g", i ? "," : "", (double)value);
		ran = aloe_ok("set live arrays.values=%s %s", list, options);
	} else {
		ran = aloe_ok(
		    "set live arrays.values=@%s %s", values_file(value, len, way == 1), options);
	}
	if (!strstr(ran->out, " from index ") ||
	    sscanf(strstr(ran->out, " from index "), " from index %llu", &index) != 1)
		fail_msg("%s", ran->out);
	ran_free(ran);
	set.index = index;
	return set;
}

static void set_at(struct set *sets, int *n, float value, uint32_t len, int way, uint64_t index)
{
	char options[64];

	snprintf(options, sizeof(options), "--at %llu", (unsigned long long)index);
	sets[*n] = set_values(value, len, way, options);
	assert_int_equal(sets[(*n)++].index, index);
}

static void shows(const char *begin, size_t len)
{
	struct ran *ran = aloe_ok("get live arrays.values");

	if (strncmp(ran->out, begin, strlen(begin)) != 0 || strlen(ran->out) < len)
		fail_msg("get says %.60s..., not %s", ran->out, begin);
	ran_free(ran);
}

static const char *const hows[] = {"--clock timer --lanes 0", "--clock virtual --lanes 0,1",
    "--clock virtual --lanes 0,1 --pipelined --isolation component"};
enum { TIMER, VIRTUAL, HOWS = sizeof(hows) / sizeof(hows[0]) };

/* Named beforehand, in any order; several at one index: the last that was sent. */
static void at(const char *how)
{
	struct set sets[SETS_MAX];
	char options[128];
	int n = 0, seen;

	snprintf(options, sizeof(options), "--slots %d %s", SLOTS, how);
	load(0, options);
	set_at(sets, &n, 5, 7, 0, 500);
	set_at(sets, &n, 6, LARGE, 1, 701);
	set_at(sets, &n, 7, 5000, 2, 700);
	set_at(sets, &n, 8, 1, 0, 0);
	set_at(sets, &n, 9, 2, 0, 900);
	set_at(sets, &n, 10, 4, 0, 900);
	shows("arrays.values [1.0,2.0,3.0]\n", 1);
	ok("step live --count 100");
	shows("arrays.values [8.0]\n", 1);
	refused(FAILED, "index 90 is too late, newest is", "set live arrays.values=4 --at 90");
	set_at(sets, &n, 11, LARGE, 1, SLOTS - 1);
	ok("start live");
	ended();
	ok("unload live");
	assert_int_equal(check(sets, n, how, &seen), SLOTS);
	assert_int_equal(seen, n);
}

static void test_at(void **state)
{
	(void)state;
	for (int h = VIRTUAL; h < HOWS; h++)
		at(hows[h]);
}

static void test_at_on_the_timer(void **state)
{
	(void)state;
	at(hows[TIMER]);
}

/* While it runs, without a name: the index that is told is the one, and then it is what `get`
 * shows. */
static void running(const char *how)
{
	struct set sets[SETS];
	int seen;

	load(600, how);
	ok("start live");
	for (int i = 0; i < SETS; i++) {
		char begin[64];

		sets[i] = set_values((float)(10 + i), i % 3 ? 10 : LARGE, i % 3, "");
		snprintf(begin, sizeof(begin), "arrays.values [%d.0,%d.0", 10 + i, 10 + i);
		shows(begin, i % 3 ? 10 : LARGE);
	}
	stopped();
	ok("unload live");
	assert_true(check(sets, SETS, how, &seen) > sets[SETS - 1].index);
	assert_int_equal(seen, SETS);
}

static void test_running(void **state)
{
	(void)state;
	for (int h = VIRTUAL; h < HOWS; h++)
		running(hows[h]);
}

static void test_running_on_the_timer(void **state)
{
	(void)state;
	running(hows[TIMER]);
}

static void test_refused(void **state)
{
	struct set none[1] = {{0, 1, 3}};
	int seen;

	(void)state;
	load(0, hows[TIMER]);
	ok("start live");
	refused(
	    USAGE, "arrays.values: values may not begin with -1", "set live arrays.values=-1,5");
	refused(USAGE, "arrays.values[1] = 1001 is outside [-1000, 1000]",
	    "set live arrays.values=1,1001");
	refused(
	    USAGE, "arrays.values[1] = \"x\"; a number is needed", "set live arrays.values=1,x");
	refused(USAGE, "arrays.values has 0 items", "set live arrays.values=");
	refused(USAGE, "No such file", "set live arrays.values=@/nowhere");
	refused(USAGE, "read at init only", "set live arrays.other=1");
	refused(FAILED, "is too late, newest is", "set live arrays.values=1 --at 0");
	refused(USAGE, "arrays.values has 65537 items; 1 .. 65536 are allowed",
	    "set live arrays.values=@%s", values_file(3, LARGE + 1, true));
	shows("arrays.values [1.0,2.0,3.0]\n", 1);
	stopped();
	ok("unload live");
	check(none, 1, "refused", &seen);
}

/* One parameter of each live kind: what is set, what `get` shows then, its place in the message and
 * the number there. */
static const struct {
	const char *set, *shown;
	int place;
	float number;
} kinds[] = {
    {"real=-0.25", "kinds.real -0.25\n", 0, -0.25f},
    {"whole=-5", "kinds.whole -5\n", 1, -5},
    {"wide=9007199254740992", "kinds.wide 9007199254740992\n", 2, 0x1p53f},
    {"flag=true", "kinds.flag true\n", 3, 1},
    {"flag=0", "kinds.flag false\n", 3, 0},
    {"flag=1", "kinds.flag true\n", 3, 1},
    {"word=two", "kinds.word two\n", 4, 2},
    {"word=one", "kinds.word one\n", 4, 1},
    {"list=1,0.5", "kinds.list [1.0,0.5]\n", 5, 1},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), KIND_ITEMS = 6 };

static const char *const no_values[][2] = {
    {"real=1.5", "kinds.real = 1.5 is outside [-1, 1] dB"},
    {"real=loud", "kinds.real = \"loud\"; a number is needed"},
    {"real=nan", "kinds.real = nan is outside [-1, 1] dB"},
    {"real=", "kinds.real = \"\"; a number is needed"},
    {"whole=6", "kinds.whole = 6 is outside [-5, 5]"},
    {"whole=1.5", "kinds.whole = 1.5; a whole number is needed"},
    {"whole='1 '", "kinds.whole = \"1 \"; a whole number is needed"},
    {"wide=-1", "kinds.wide = -1 is outside [0, 9007199254740992]"},
    {"flag=7", "kinds.flag = 7; true or false is needed"},
    {"flag=yes", "kinds.flag = \"yes\"; true or false is needed"},
    {"word=three", "kinds.word = \"three\" is unknown; allowed: zero, one, two"},
    {"word=1", "kinds.word = \"1\" is unknown; allowed: zero, one, two"},
    {"list=2", "kinds.list[0] = 2 is outside [-1, 1]"},
    {"real=0 kinds.flag=7", "kinds.flag = 7; true or false is needed"},
    {"real=0 kinds.word=1", "kinds.word = \"1\" is unknown; allowed: zero, one, two"},
};

static void kinds_load(void)
{
	char text[1024];

	snprintf(text, sizeof(text),
	    "name = \"live\";\nslot_ns = 1000000;\ninstances: {\n"
	    "\tkinds: { component = \"kinds\"; list = [0]; };\n"
	    "\tsink: { component = \"file_sink\"; path = \"%s\"; };\n};\n"
	    "links = ( \"kinds -> sink\" );\n",
	    aloe_path("kinds.f32"));
	file_make(aloe_path("kinds.conf"), text, strlen(text));
	ok("load '%s' --clock virtual --lanes 0 --slots 100", aloe_path("kinds.conf"));
}

/* The value n was set at index n + 1, so it is there from that message on and not before. */
static void kinds_check(void)
{
	float want[KIND_ITEMS] = {0.5f};
	size_t len;
	float *got = file_take(aloe_path("kinds.f32"), &len);

	assert_int_equal(len, 100 * sizeof(want));
	for (int k = 0; k < 100; k++) {
		if (k > 0 && k <= KINDS)
			want[kinds[k - 1].place] = kinds[k - 1].number;
		if (k == KINDS + 1)
			want[0] = 0, want[4] = 2; /* two at once */
		for (int i = 0; i < KIND_ITEMS; i++)
			if (got[k * KIND_ITEMS + i] != want[i])
				fail_msg("message %d, place %d: %g, not %g", k, i,
				    (double)got[k * KIND_ITEMS + i], (double)want[i]);
	}
	free(got);
}

static void test_kinds(void **state)
{
	struct ran *ran;
	char name[64];

	(void)state;
	kinds_load();
	for (size_t i = 0; i < sizeof(no_values) / sizeof(no_values[0]); i++)
		refused(USAGE, no_values[i][1], "set live kinds.%s", no_values[i][0]);
	ok("step live");
	for (int i = 0; i < KINDS; i++) {
		snprintf(name, sizeof(name), "kinds.%.*s", (int)strcspn(kinds[i].set, "="),
		    kinds[i].set);
		ok("set live kinds.%s --at %d", kinds[i].set, i + 1);
		ok("step live");
		ran = aloe_ok("get live %s", name);
		assert_string_equal(ran->out, kinds[i].shown);
		ran_free(ran);
	}
	ok("set live kinds.real=0 kinds.word=two --at %d", KINDS + 1);
	ok("start live");
	ended();
	ok("unload live");
	kinds_check();
}

/* A prepare that crashes is the waveform's end, in words; nobody waits for an answer. */
static void test_crash(void **state)
{
	struct ran *ran;

	(void)state;
	load(0, hows[TIMER]);
	ok("start live");
	ran = aloe("set live arrays.values=-2");
	assert_int_equal(ran->status, FAILED);
	ran_free(ran);
	ran = aloe_ok("status live --json");
	assert_string_equal(ran_text(ran, "state"), "ABNSTOP");
	ran_free(ran);
	ok("unload live");
}

/* At load, too: in the file, and with --set. */
static void test_loaded(void **state)
{
	static const char text[] =
	    "name = \"live\"; slot_ns = 1000000; clock = \"virtual\";instances: { arrays: { "
	    "component = \"arrays\"; values = \"@%s\"; }; sink: { component = \"file_sink\"; path "
	    "= \"%s\"; }; };links = ( \"arrays -> sink\" );";
	char file[2048], sink[512];
	float *got;
	size_t len;

	(void)state;
	snprintf(sink, sizeof(sink), "%s", aloe_path("loaded.f32"));
	snprintf(file, sizeof(file), text, values_file(4, 20000, false), sink);
	file_make(aloe_path("loaded.conf"), file, strlen(file));
	ran_free(aloe_ok("run '%s' --slots 2 -q", aloe_path("loaded.conf")));
	got = file_take(sink, &len);
	assert_true(len == 32 && got[0] == 4 && got[1] == 20000 && got[3] == 1);
	free(got);
	ran_free(aloe_ok("run '%s' --slots 2 -q --set arrays.values=@%s", aloe_path("loaded.conf"),
	    values_file(5, LARGE, true)));
	got = file_take(sink, &len);
	assert_true(len == 32 && got[0] == 5 && got[1] == LARGE);
	free(got);
	file_make(aloe_path("values.f32"), "123", 3);
	ran_free(aloe_ends(USAGE, "run '%s' --set arrays.values=@%s", aloe_path("loaded.conf"),
	    aloe_path("values.f32")));
}

/* The test's own component is found before the build's. */
static int node_up(void **state)
{
	char build[4096] = "", dirs[9000];

	assert_int_equal(aloe_init(state), 0);
	assert_true(readlink("/proc/self/exe", build, sizeof(build) - 1) > 0);
	for (int up = 0; up < 3 && strrchr(build, '/'); up++)
		*strrchr(build, '/') = 0;
	snprintf(dirs, sizeof(dirs), "%s/tests/components:%s/lib/aloe", build, build);
	setenv("ALOE_COMPONENTS", dirs, 1);
	ok("up");
	return 0;
}

static int node_down(void **state)
{
	ok("down");
	return aloe_fini(state);
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(test_at_on_the_timer),
	    cmocka_unit_test(test_running_on_the_timer),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_crash),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(test_kinds),
	    cmocka_unit_test(test_at),
	    cmocka_unit_test(test_running),
	    cmocka_unit_test(test_loaded),
	};
	int failed = ALOE_PART("lanes", lanes, node_up, node_down);

	return failed + ALOE_PART("rest", rest, node_up, node_down);
}
