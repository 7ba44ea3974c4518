/* SPDX-License-Identifier: BSD-3-Clause
 * core/waveform: what a file says is what the waveform holds, and everything that is wrong with one
 * is said, word for word. The bad files of tests/waveforms-bad carry what is expected of them in
 * lines `# expect LINE: MESSAGE`. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/waveform/waveform.h"
#include "tests/common/types.h"

struct fixture {
	struct registry *types; /* tests/common/types.h */
	struct registry *built; /* the components of this build */
};

static int fixture_open(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	char self[4096] = {0}, dir[5000];
	struct diag diag;

	if (!fixture || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		*strrchr(self, '/') = 0;
	snprintf(dir, sizeof(dir), "%s/lib/aloe", self);
	diag_init(&diag);
	fixture->types = test_registry_open();
	fixture->built = registry_open(dir, &diag);
	diag_print(&diag, stderr);
	*state = fixture;
	return fixture->types && fixture->built && diag.errors == 0 ? 0 : -1;
}

static int fixture_close(void **state)
{
	struct fixture *fixture = *state;

	registry_close(fixture->types);
	registry_close(fixture->built);
	free(fixture);
	return 0;
}

static const struct wf_overrides no_overrides = {.cwd = "/there", .pipelined = -1};

/* Parses a text that must be right. */
static struct waveform *parsed_with(
    void **state, const char *text, const struct wf_overrides *overrides)
{
	const struct fixture *fixture = *state;
	struct waveform *waveform = NULL;
	struct diag diag;

	diag_init(&diag);
	if (waveform_parse(
	        "x.conf", text, strlen(text), fixture->types, overrides, &diag, &waveform) != 0)
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	assert_int_equal(diag.len, 0);
	diag_fini(&diag);
	return waveform;
}

static struct waveform *parsed(void **state, const char *text)
{
	return parsed_with(state, text, &no_overrides);
}

/* Parses what must be refused with exactly these lines. */
static void refused_len(void **state, const char *text, size_t len,
    const struct wf_overrides *overrides, const char *lines)
{
	const struct fixture *fixture = *state;
	struct waveform *waveform = NULL;
	char said[8192] = "";
	struct diag diag;
	size_t at = 0;

	diag_init(&diag);
	assert_int_equal(
	    waveform_parse("x.conf", text, len, fixture->types, overrides, &diag, &waveform),
	    -EINVAL);
	assert_null(waveform);
	for (size_t i = 0; i < diag.len && at < sizeof(said); i++)
		at += (size_t)snprintf(said + at, sizeof(said) - at, "%s\n", diag.lines[i]);
	assert_string_equal(said, lines);
	diag_fini(&diag);
}

static void refused(void **state, const char *text, const char *lines)
{
	refused_len(state, text, strlen(text), &no_overrides, lines);
}

#define HEAD "name = \"x\"; slot_ns = 1000000;\n"
#define SOURCE "source: { component = \"source\"; length = 10; };\n"
#define SINK "sink: { component = \"sink\"; };\n"

/* ---- what is right ------------------------------------------------------------------------ */

static void test_defaults(void **state)
{
	struct waveform *wf =
	    parsed(state, HEAD "instances: { " SOURCE SINK " }; links = ( \"source -> sink\" );");

	assert_string_equal(wf->file, "x.conf");
	assert_string_equal(wf->name, "x");
	assert_int_equal(wf->slot_ns, 1000000);
	assert_int_equal(wf->clock, WF_CLOCK_TIMER);
	assert_int_equal(wf->late, WF_LATE_SLIP);
	assert_int_equal(wf->isolation, WF_ISOLATION_WAVEFORM);
	assert_int_equal(wf->overrun, WF_OVERRUN_COUNT);
	assert_false(wf->pipelined);
	assert_true(wf->margin == 0);
	assert_int_equal(wf->n_lanes, 0);
	assert_int_equal(wf->n_instances, 2);
	const struct wf_instance *source = &wf->instances[0], *sink = &wf->instances[1];
	assert_string_equal(source->name, "source");
	assert_int_equal(source->line, 2);
	assert_int_equal(source->pin, -1);
	assert_int_equal(source->period, 1);
	assert_int_equal(source->phase, 0);
	assert_true(source->budget_us == 0);
	assert_true(
	    source->values[0].set && source->values[0].number == 10 && source->values[0].line == 2);
	assert_true(
	    !source->values[1].set && source->values[1].number == 1 && source->values[1].line == 0);
	assert_string_equal(sink->values[0].text, "/there/out.bin");
	assert_int_equal(wf->n_links, 1);
	assert_true(wf->links[0].from == 0 && wf->links[0].to == 1 && wf->links[0].delay == 0);
	assert_int_equal(wf->links[0].line, 4);
	assert_true(source->out[0].link == 0 && sink->in[0].link == 0);
	assert_true(source->out[0].type == ALOE_BIT && sink->in[0].type == ALOE_BIT);
	waveform_free(wf);
}

static void test_all_keys(void **state)
{
	struct waveform *wf = parsed(state,
	    "name = \"a-1_B\"; slot_ns = 10000000000; clock = \"timer\"; late = \"skip\";\n"
	    "isolation = \"none\"; pipelined = true; overrun = \"flag\"; margin = 0.25;\n"
	    "lanes = [4, 2, 7];\n"
	    "instances: { a: { component = \"all\"; pin = 2; isolation = \"component\"; period = "
	    "5;\n"
	    "phase = 4; budget_us = 12.5; }; b: { component = \"all\"; }; };");
	const struct wf_instance *a = &wf->instances[0];

	assert_string_equal(wf->name, "a-1_B");
	assert_int_equal(wf->slot_ns, 10000000000);
	assert_int_equal(wf->late, WF_LATE_SKIP);
	assert_int_equal(wf->isolation, WF_ISOLATION_NONE);
	assert_int_equal(wf->overrun, WF_OVERRUN_FLAG);
	assert_true(wf->pipelined && wf->margin == 0.25);
	assert_true(
	    wf->n_lanes == 3 && wf->lanes[0] == 4 && wf->lanes[1] == 2 && wf->lanes[2] == 7);
	assert_true(a->pin == 2 && a->isolation == WF_ISOLATION_COMPONENT && a->period == 5 &&
	    a->phase == 4);
	assert_true(a->budget_us == 12.5);
	assert_int_equal(wf->instances[1].isolation, WF_ISOLATION_NONE);
	waveform_free(wf);
}

static void test_values_of_each_kind(void **state)
{
	struct waveform *wf = parsed(state,
	    HEAD
	    "instances: { a: { component = \"all\"; narrow = -1; wide = 2.5e299; whole = 1e1;\n"
	    "truth = false; mode = \"fast\"; text = \"a\\\"b\"; path = \"/x\"; taps = [1, -0.5]; "
	    "};\n"
	    "b: { component = \"all\"; whole = -0x5; taps = (0.25); path = \"c/d\"; }; };");
	const struct wf_value *a = wf->instances[0].values, *b = wf->instances[1].values;

	assert_true(
	    a[0].number == -1 && a[1].number == 2.5e299 && a[2].number == 10 && a[3].number == 0);
	assert_true(a[4].number == 2);
	assert_string_equal(a[5].text, "a\"b");
	assert_string_equal(a[6].text, "/x");
	assert_true(a[7].n_reals == 2 && a[7].reals[0] == 1.0F && a[7].reals[1] == -0.5F);
	assert_true(
	    b[0].number == 0.5 && isnan(b[1].number) && b[3].number == 1 && b[4].number == 1);
	assert_string_equal(b[5].text, "hello");
	assert_string_equal(b[6].text, "/there/c/d");
	assert_true(b[7].n_reals == 1 && b[7].reals[0] == 0.25F);
	waveform_free(wf);
}

/* A chain names an instance where one port is meant, the only one or the only one that is
 * needed. */
static void test_chains(void **state)
{
	struct waveform *wf = parsed(state,
	    HEAD "instances: { " SOURCE
	         "mux: { component = \"mux\"; }; other: { component = \"mux\"; };\n"
	         "pair: { component = \"pair\"; }; " SINK " };\n"
	         "links = ( \"source -> mux -> other.in1\", \"source->other\",\n"
	         " \" other->pair.sent \", { path = \"mux.out -> pair.received\"; delay = 3; items "
	         "= 9; },\n"
	         " \"mux.side -> sink\" );");
	static const int expected[][5] = {/* from, output, to, input, line */
	    {0, 0, 1, 0, 6}, {1, 0, 2, 1, 6}, {0, 0, 2, 0, 6}, {2, 0, 3, 0, 7}, {1, 0, 3, 1, 7},
	    {1, 1, 4, 0, 8}};

	assert_int_equal(wf->n_links, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct wf_link *link = &wf->links[i];

		assert_int_equal(link->from, expected[i][0]);
		assert_int_equal(link->from_port, expected[i][1]);
		assert_int_equal(link->to, expected[i][2]);
		assert_int_equal(link->to_port, expected[i][3]);
		assert_int_equal(link->line, expected[i][4]);
		assert_int_equal(link->delay, i == 4 ? 3 : 0);
		assert_int_equal(link->items, i == 4 ? 9 : 0);
	}
	assert_int_equal(wf->instances[0].out[0].link, 0); /* the first of its links */
	assert_int_equal(wf->instances[1].in[1].link, -1);
	assert_int_equal(wf->instances[1].in[1].type, ALOE_BIT);
	assert_int_equal(wf->instances[4].in[0].type, ALOE_I16);
	waveform_free(wf);
}

static void test_named_in_the_middle(void **state)
{
	struct waveform *wf = parsed(state,
	    HEAD "instances: { " SOURCE "mux: { component = \"mux\"; };\n"
	         "next: { component = \"mux\"; }; pair: { component = \"pair\"; }; " SINK " };\n"
	         "links = ( \"source -> mux.in0 -> next.side -> sink\", \"next -> pair.sent\",\n"
	         "\"mux.out -> pair.received\" );");

	assert_true(wf->links[0].to_port == 0 && wf->links[1].from_port == 0);
	assert_true(wf->links[1].to_port == 0 && wf->links[2].from_port == 1);
	waveform_free(wf);
}

/* Types go along links, both ways, through components that take any. */
static void test_types_spread(void **state)
{
	struct waveform *wf = parsed(state,
	    HEAD
	    "instances: { last: { component = \"sink\"; }; b: { component = \"copy\"; };\n"
	    "a: { component = \"copy\"; }; mod: { component = \"mod\"; output = \"ci16\"; "
	    "};\n" SOURCE "early: { component = \"copy\"; }; };\n"
	    "links = ( \"b -> last\", \"a -> b\", \"mod -> a\", \"source -> early -> mod\" );");

	for (int i = 1; i <= 2; i++)
		assert_true(wf->instances[i].in[0].type == ALOE_CI16 &&
		    wf->instances[i].out[0].type == ALOE_CI16);
	assert_int_equal(wf->instances[0].in[0].type, ALOE_CI16);
	assert_int_equal(wf->instances[5].in[0].type, ALOE_BIT);
	waveform_free(wf);
}

/* From the reader back to the writer. */
static void test_types_spread_back(void **state)
{
	struct waveform *wf = parsed(state,
	    HEAD "instances: { a: { component = \"copy\"; }; b: { component = \"copy\"; };\n"
	         "pair: { component = \"pair\"; }; };\n"
	         "links = ( { path = \"a -> a\"; delay = 1; items = 4; }, \"a -> pair.sent\",\n"
	         "{ path = \"b -> b\"; delay = 1; items = 4; }, \"b -> pair.received\" );");

	assert_true(
	    wf->instances[0].in[0].type == ALOE_BIT && wf->instances[1].out[0].type == ALOE_BIT);
	waveform_free(wf);
}

static void test_layout_of_the_text(void **state)
{
	struct waveform *wf = parsed(state,
	    "\xef\xbb\xbf# comment { ( [\r\n/* \" */ name = \"x\" // more }\r\n"
	    "slot_ns : 0xF4240\r\ninstances={a:{component = \"all\",text = \"#\" \"//\"}}");

	assert_int_equal(wf->slot_ns, 1000000);
	assert_string_equal(wf->instances[0].values[5].text, "#//");
	assert_int_equal(wf->instances[0].line, 4);
	waveform_free(wf);
}

/* ---- overrides ------------------------------------------------------------------------ */

#define PLAIN                                                                                      \
	HEAD "instances: { " SOURCE                                                                \
	     "mod: { component = \"mod\"; }; all: { component = \"all\"; }; " SINK " };\n"         \
	     "links = ( \"source -> mod -> sink\" );"

static struct wf_overrides with_sets(const char *const *sets, size_t n)
{
	return (struct wf_overrides){.sets = sets, .n_sets = n, .cwd = "/there", .pipelined = -1};
}

static void test_sets(void **state)
{
	static const char *const sets[] = {"source.length=1e2", "mod.output=i16",
	    "all.taps=0.5,-1,0", "all.text=a=b.c", "all.truth=false", "sink.path=d/e",
	    "all.whole=-0", "all.narrow=.5", "mod.pin=1", "mod.isolation=none", "source.length=20",
	    "name=other", "lanes=3,4", "late=skip", "isolation=component", "margin=0.5",
	    "slot_ns=2000000", "pipelined=true", "all.wide=-1e300"};
	const struct wf_overrides overrides = with_sets(sets, sizeof(sets) / sizeof(sets[0]));
	struct waveform *wf = parsed_with(state, PLAIN, &overrides);
	const struct wf_value *all = wf->instances[2].values;

	assert_true(wf->instances[0].values[0].number == 20 && wf->instances[0].values[0].set);
	assert_int_equal(wf->instances[0].values[0].line, 0);
	assert_int_equal(wf->instances[1].out[0].type, ALOE_I16);
	assert_true(all[7].n_reals == 3 && all[7].reals[1] == -1.0F);
	assert_string_equal(all[5].text, "a=b.c");
	assert_true(all[3].number == 0 && all[2].number == 0 && all[0].number == 0.5 &&
	    all[1].number == -1e300);
	assert_string_equal(wf->instances[3].values[0].text, "/there/d/e");
	assert_true(wf->instances[1].pin == 1 && wf->instances[1].isolation == WF_ISOLATION_NONE);
	assert_int_equal(wf->instances[0].isolation, WF_ISOLATION_COMPONENT);
	assert_string_equal(wf->name, "other");
	assert_true(wf->n_lanes == 2 && wf->lanes[0] == 3 && wf->lanes[1] == 4);
	assert_true(wf->late == WF_LATE_SKIP && wf->margin == 0.5 && wf->slot_ns == 2000000 &&
	    wf->pipelined);
	waveform_free(wf);
}

static void test_set_can_supply_what_is_required(void **state)
{
	static const char *const sets[] = {"source.length=7"};
	const struct wf_overrides overrides = with_sets(sets, 1);
	struct waveform *wf = parsed_with(state,
	    HEAD "instances: { source: { component = \"source\"; }; " SINK
	         " }; links = ( \"source -> sink\" );",
	    &overrides);

	assert_true(wf->instances[0].values[0].number == 7);
	waveform_free(wf);
}

static void test_options(void **state)
{
	static const int lanes[] = {5, 5};
	const struct wf_overrides overrides = {.cwd = "/",
	    .clock = "virtual",
	    .isolation = "none",
	    .late = "skip",
	    .pipelined = 1,
	    .slot_ns = 5000,
	    .lanes = lanes,
	    .n_lanes = 2};
	struct waveform *wf = parsed_with(state, PLAIN, &overrides);

	assert_int_equal(wf->clock, WF_CLOCK_VIRTUAL);
	assert_int_equal(wf->late, WF_LATE_SLIP); /* always, on this clock */
	assert_int_equal(wf->instances[0].isolation, WF_ISOLATION_NONE);
	assert_true(wf->pipelined && wf->slot_ns == 5000 && wf->n_lanes == 2 && wf->lanes[1] == 5);
	assert_string_equal(wf->instances[3].values[0].text, "/out.bin");
	waveform_free(wf);
}

static void test_bad_sets(void **state)
{
	static const char *const sets[] = {"source.lenght=1", "nois.x=1", "source.length=0",
	    "source.length=abc", "mod.output=cf23", "all.truth=yes", "late=never", "lat=skip",
	    "links=5", "source.component=x", "novalue", "=1", "all.taps=1,,2", "all.text=12345678",
	    "all.path=", "all.taps=1,2,3,4,5", "slot_samples=5", "all.narrow=nan", "all.wide=inf",
	    "source.length= 1"};
	const struct wf_overrides overrides = with_sets(sets, sizeof(sets) / sizeof(sets[0]));

	refused_len(state, PLAIN, strlen(PLAIN), &overrides,
	    "--set late=never: late = \"never\" is unknown; allowed: slip, skip\n"
	    "--set lat=skip: unknown key \"lat\" of a waveform, did you mean \"late\"?\n"
	    "--set links=5: --set cannot change links; change the waveform file\n"
	    "--set novalue: INSTANCE.PARAMETER=VALUE or KEY=VALUE is needed\n"
	    "--set =1: INSTANCE.PARAMETER=VALUE or KEY=VALUE is needed\n"
	    "--set slot_samples=5: slot_samples = 5 is outside [16, 100000000] samples\n"
	    "--set source.lenght=1: unknown parameter \"lenght\" of source, did you mean "
	    "\"length\"?\n"
	    "--set nois.x=1: unknown instance \"nois\"; allowed: source, mod, all, sink\n"
	    "--set source.length=0: source.length = 0 is outside [1, 1000] items\n"
	    "--set source.length=abc: source.length = \"abc\"; a whole number is needed\n"
	    "--set mod.output=cf23: mod.output = \"cf23\" is unknown, did you mean \"cf32\"?\n"
	    "--set all.truth=yes: all.truth = \"yes\"; true or false is needed\n"
	    "--set source.component=x: --set cannot change a component; change the component in "
	    "the waveform file\n"
	    "--set all.taps=1,,2: all.taps[1] = \"\"; a number is needed\n"
	    "--set all.text=12345678: all.text has 8 bytes; at most 7 are allowed\n"
	    "--set all.path=: all.path = \"\"; the path of a file is needed\n"
	    "--set all.taps=1,2,3,4,5: all.taps has 5 items; 1 .. 4 are allowed\n"
	    "--set all.narrow=nan: all.narrow = nan is outside [-1, 1] V\n"
	    "--set all.wide=inf: all.wide = inf is outside [-1e+300, 1e+300]\n"
	    "--set source.length= 1: source.length = \" 1\"; a whole number is needed\n");
}

static void test_taps(void **state)
{
	static const char *const all[] = {"source.tap=true"}, *const one[] = {"source.out.tap=33"},
	                         *const none[] = {"source.tap=40", "source.tap=false"};
	struct wf_overrides overrides = with_sets(all, 1);
	struct waveform *wf = parsed_with(state, PLAIN, &overrides);

	assert_int_equal(wf->instances[0].out[0].tap, WF_TAP_USUAL);
	assert_int_equal(wf->instances[1].out[0].tap, 0);
	waveform_free(wf);
	overrides = with_sets(one, 1);
	wf = parsed_with(state, PLAIN, &overrides);
	assert_int_equal(wf->instances[0].out[0].tap, 33);
	waveform_free(wf);
	overrides = with_sets(none, 2);
	wf = parsed_with(state, PLAIN, &overrides);
	assert_int_equal(wf->instances[0].out[0].tap, 0);
	waveform_free(wf);
}

static void test_bad_taps(void **state)
{
	static const char *const sets[] = {"source.oud.tap=true", "source.tap=0",
	    "source.out.tap=yes", "sink.in.tap=true", "sink.tap=true", "nois.out.tap=true"};
	const struct wf_overrides overrides = with_sets(sets, sizeof(sets) / sizeof(sets[0]));

	refused_len(state, PLAIN, strlen(PLAIN), &overrides,
	    "--tap source.oud: source has no output \"oud\", did you mean \"out\"?\n"
	    "--set source.tap=0: source.tap = 0 is outside [1, 524288] messages\n"
	    "--tap source.out: source.out.tap = \"yes\"; true or false is needed\n"
	    "--tap sink.in: sink has no output \"in\"; the instance has no outputs\n"
	    "--tap nois.out: unknown instance \"nois\"; allowed: source, mod, all, sink\n"
	    "x.conf:3: sink.tap is set, but no output of the instance has a link; only an output "
	    "with a link can be tapped\n");
}

static void test_bad_options(void **state)
{
	const struct wf_overrides overrides = {
	    .cwd = "/", .clock = "metronome", .isolation = "all", .late = "slipp", .pipelined = -1};

	refused_len(state, PLAIN, strlen(PLAIN), &overrides,
	    "--clock: clock = \"metronome\" is unknown; allowed: timer, virtual, step, radio\n"
	    "--isolation: isolation = \"all\" is unknown; allowed: waveform, component, none\n"
	    "--late: late = \"slipp\" is unknown, did you mean \"slip\"?\n");
}

/* ---- what is wrong ------------------------------------------------------------------------ */

static void test_the_example_of_the_promise(void **state)
{
	refused(state,
	    "name = \"bad\";\nslot_ns = 1000000;\ninstances: {\n"
	    "  source: { component = \"source\"; length = 0; };\n"
	    "  mod:    { component = \"modd\"; };\n"
	    "  sink:   { component = \"sink\"; pth = \"x\"; };\n};\n"
	    "links = ( \"source -> mod -> snk\" );\n",
	    "x.conf:4: source.length = 0 is outside [1, 1000] items\n"
	    "x.conf:5: unknown component \"modd\", did you mean \"mod\"? ALOE_COMPONENTS=FOLDER "
	    "adds a folder of your own components\n"
	    "x.conf:6: unknown parameter \"pth\" of sink, did you mean \"path\"?\n"
	    "x.conf:8: unknown instance \"snk\", did you mean \"sink\"?\n");
}

static void test_bytes(void **state)
{
	static const char zero[] = "name = \"x\";\n\0";
	char *large = malloc((8 << 20) + 1);

	refused_len(state, zero, sizeof(zero) - 1, &no_overrides,
	    "x.conf:2: byte 0x00 is a control character; only UTF-8 text is allowed\n");
	refused(state, "\n\nname = \"\xff\";",
	    "x.conf:3: byte 0xff is not UTF-8; only UTF-8 text is allowed\n");
	refused(state, "# \xc3", "x.conf:1: byte 0xc3 is not UTF-8; only UTF-8 text is allowed\n");
	refused(state, "# \xed\xa0\x80",
	    "x.conf:1: byte 0xed is not UTF-8; only UTF-8 text is allowed\n");
	refused(state, "\x1b",
	    "x.conf:1: byte 0x1b is a control character; only UTF-8 text is allowed\n");
	memset(large, ' ', (8 << 20) + 1);
	refused_len(state, large, (8 << 20) + 1, &no_overrides,
	    "x.conf:1: the file has 8388609 bytes; at most 8388608 are allowed\n");
	memset(large, '(', 1 << 20);
	refused_len(state, large, 1 << 20, &no_overrides,
	    "x.conf:1: brackets are nested deeper than 16 levels\n");
	free(large);
	refused(state, "",
	    "x.conf:1: instances is missing; instances: { ... }; is needed\n"
	    "x.conf:1: name is missing; name = \"...\" is needed\n"
	    "x.conf:1: slot_ns is missing; slot_ns = N (nanoseconds) is needed, or slot_samples = "
	    "N and rate = R\n");
}

/* So many errors that the rest is not worth looking at; and not for ever. */
static void test_too_many_errors(void **state)
{
	const struct fixture *fixture = *state;
	struct waveform *waveform = NULL;
	char text[20000];
	size_t len = 0;
	struct diag diag;

	for (int i = 0; i < 1500; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "key%d = 1;\n", i);
	diag_init(&diag);
	assert_int_equal(
	    waveform_parse("x.conf", text, len, fixture->types, NULL, &diag, &waveform), -EINVAL);
	assert_int_equal(diag.errors, 101);
	assert_string_equal(
	    diag.lines[100], "x.conf: 100 errors; the rest of the file was not checked");
	diag_fini(&diag);
}

/* A message shows the file's own line, also where the scan has cut the group. */
static void test_syntax_in_a_later_part(void **state)
{
	static char text[1 << 14];
	size_t len = (size_t)snprintf(text, sizeof(text), "%s", HEAD "instances: {\n");

	for (int i = 0; i < 64; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
		    "i%d: { component = \"source\"; length = 10; };\n", i);
	len += (size_t)snprintf(text + len, sizeof(text) - len, "%s",
	    " i64 { component = \"source\"; /* it is */ };\n"
	    "i65: { component = \"sink\"; };\n};\n");
	refused(state, text,
	    "x.conf:67: syntax error in or before \"i64 { component = \"source\"; /* it is */ "
	    "};\"; key = value; or key: { ... }; is needed\n");
}

static void test_settings_without_end(void **state)
{
	char *text = malloc(800000), *at = text;

	for (int i = 0; i < 32769; i++)
		at += sprintf(at, "k%d = 1;\n", i);
	refused(state, text, "x.conf:32769: one group has more than 32768 settings\n");
	free(text);
}

/* Of the same error many times over ten are said and the others are counted; one of another kind is
 * said as it is. */
static void test_equal_errors(void **state)
{
	enum { SAME = 90 };
	char *text = malloc(16384), *lines = malloc(8192), *at = text, *line = lines;

	at += sprintf(at, HEAD "instances: {\n");
	for (int i = 0; i < SAME; i++)
		at += sprintf(at, "a%d: { component = \"cpoy\"; };\n", i);
	sprintf(at, "b: { component = \"suorce\"; };\n};");
	for (int i = 0; i < 10; i++)
		line += sprintf(line,
		    "x.conf:%d: unknown component \"cpoy\", did you mean \"copy\"? "
		    "ALOE_COMPONENTS=FOLDER adds a folder of your own components\n",
		    3 + i);
	line += sprintf(
	    line, "  ... and %d more like these; the last is on line %d\n", SAME - 10, 2 + SAME);
	sprintf(line,
	    "x.conf:%d: unknown component \"suorce\", did you mean \"source\"? "
	    "ALOE_COMPONENTS=FOLDER adds a folder of your own components\n",
	    3 + SAME);
	refused(state, text, lines);
	free(text);
	free(lines);
}

/* A waveform as large as it may be, in the order that is hardest to sort, parses. */
static void test_large(void **state)
{
	char *text = malloc(1 << 18), *at = text;

	at += sprintf(at, HEAD "instances: { a0: { component = \"source\"; length = 1; };\n");
	for (int i = 1; i < 1999; i++)
		at += sprintf(at, "a%d: { component = \"copy\"; };\n", i);
	at += sprintf(at, SINK "};\nlinks = (\n\"a1998 -> sink\"");
	for (int i = 1998; i > 0; i--)
		at += sprintf(at, ",\n\"a%d -> a%d\"", i - 1, i);
	sprintf(at, ");");
	struct waveform *wf = parsed(state, text);
	assert_int_equal(wf->n_instances, 2000);
	assert_int_equal(wf->n_links, 1999);
	assert_int_equal(wf->instances[1998].out[0].type, ALOE_BIT);
	waveform_free(wf);
	free(text);
}

/* `# expect LINE: MESSAGE` of a bad file, as diag has it. */
static void expected_lines(const char *path, const char *text, char *ret_lines, size_t size)
{
	size_t len = 0;

	ret_lines[0] = 0;
	for (const char *at = text; (at = strstr(at, "\n# expect ")); at++)
		len += (size_t)snprintf(ret_lines + len, size - len, "%s:%.*s\n", path,
		    (int)strcspn(at + strlen("\n# expect "), "\n"), at + strlen("\n# expect "));
	assert_true(len > 0 && len < size);
}

static void check_bad_file(const struct fixture *fixture, const char *path)
{
	char text[16384] = "", expected[16384], said[16384] = "";
	struct waveform *waveform = NULL;
	FILE *file = fopen(path, "r");
	struct diag diag;
	size_t at = 0;

	assert_non_null(file);
	const size_t len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	expected_lines(path, text, expected, sizeof(expected));
	diag_init(&diag);
	assert_int_equal(
	    waveform_parse(path, text, len, fixture->built, &no_overrides, &diag, &waveform),
	    -EINVAL);
	for (size_t i = 0; i < diag.len && at < sizeof(said); i++)
		at += (size_t)snprintf(said + at, sizeof(said) - at, "%s\n", diag.lines[i]);
	assert_string_equal(said, expected);
	diag_fini(&diag);
}

static void test_bad_files(void **state)
{
	struct dirent **files;
	const int n = scandir("tests/waveforms-bad", &files, NULL, alphasort);
	int checked = 0;

	assert_true(n > 0);
	for (int i = 0; i < n; i++) {
		char path[400];

		snprintf(path, sizeof(path), "tests/waveforms-bad/%s", files[i]->d_name);
		if (strstr(path, ".conf")) {
			check_bad_file(*state, path);
			checked++;
		}
		free(files[i]);
	}
	free(files);
	assert_true(checked >= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_all_keys),
	    cmocka_unit_test(test_values_of_each_kind),
	    cmocka_unit_test(test_chains),
	    cmocka_unit_test(test_named_in_the_middle),
	    cmocka_unit_test(test_types_spread),
	    cmocka_unit_test(test_types_spread_back),
	    cmocka_unit_test(test_layout_of_the_text),
	    cmocka_unit_test(test_sets),
	    cmocka_unit_test(test_set_can_supply_what_is_required),
	    cmocka_unit_test(test_options),
	    cmocka_unit_test(test_bad_sets),
	    cmocka_unit_test(test_taps),
	    cmocka_unit_test(test_bad_taps),
	    cmocka_unit_test(test_bad_options),
	    cmocka_unit_test(test_the_example_of_the_promise),
	    cmocka_unit_test(test_bytes),
	    cmocka_unit_test(test_too_many_errors),
	    cmocka_unit_test(test_syntax_in_a_later_part),
	    cmocka_unit_test(test_settings_without_end),
	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_equal_errors),
	    cmocka_unit_test(test_bad_files),
	};

	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
