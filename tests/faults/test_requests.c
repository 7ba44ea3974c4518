/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests as no program of ours sends them: every type to every daemon of a node, in every state
 * of a waveform, with fields that are missing, name nothing, are out of range or have the wrong
 * length. Each gets an answer in words, no daemon ends by it, and the waveform loads and runs
 * afterwards. Then the sentences, one by one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/bus/bus.h"
#include "tests/faults/node.h"

enum { ANSWER_MS = 40000, FIELDS = 10 };

static const char text[] = "name = \"w\"; slot_ns = 1000000;\n"
                           "instances: {\n"
                           "  source: { component = \"random_source\"; length = 8; };\n"
                           "  mod:    { component = \"bpsk_mod\"; output = \"cf32\"; };\n"
                           "  gain:   { component = \"gain\"; tap = 16; };\n"
                           "  taps:   { component = \"fir\"; taps = [1.0, 0.5]; };\n"
                           "  sink:   { component = \"null_sink\"; };\n"
                           "};\nlinks = ( \"source -> mod -> gain -> taps -> sink\" );\n";

struct field {
	enum wire_tag tag;
	const char *text; /* NULL: the number */
	uint64_t number;
};

static void fields_put(struct wire_msg *msg, const struct field *fields)
{
	for (; fields->tag != 0; fields++)
		if (fields->text != NULL)
			wire_put_text(msg, fields->tag, fields->text);
		else
			wire_put_u64(msg, fields->tag, fields->number);
}

static struct bus *node_bus(const char *dir)
{
	struct bus *bus = bus_connect(aloe_path(dir), WIRE_CLIENT);

	assert_non_null(bus);
	return bus;
}

/* 0 with the answer, or the error of bus_call. */
static int ask(struct bus *bus, enum wire_type type, enum wire_peer to, const struct field *fields,
    struct wire_view *ret)
{
	struct wire_msg msg;

	wire_init(&msg, type, WIRE_CLIENT, to, bus_seq(bus));
	fields_put(&msg, fields);
	return bus_call(bus, &msg, ANSWER_MS, ret);
}

static void tell(
    struct bus *bus, enum wire_type type, enum wire_peer to, const struct field *fields)
{
	struct wire_msg msg;

	wire_init(&msg, type, WIRE_CLIENT, to, bus_seq(bus));
	fields_put(&msg, fields);
	assert_int_equal(bus_send(bus, &msg), 0);
}

/* ---- whatever comes -------------------------------------------------------------------- */

static const struct field nothing[] = {{0}};
static const struct field nobody[] = {{WIRE_TAG_WAVEFORM, "nobody", 0}, {0}};
static const struct field alone[] = {{WIRE_TAG_WAVEFORM, "w", 0}, {0}};
static const struct field wrong[] = {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "nothing", 0},
    {WIRE_TAG_VALUE, "x", 0}, {WIRE_TAG_COUNT, NULL, 0}, {WIRE_TAG_STATE, "?", 0},
    {WIRE_TAG_FILE, "/nowhere", 0}, {WIRE_TAG_TEXT, "rubbish", 0}, {WIRE_TAG_LANES, "7,x", 0},
    {WIRE_TAG_PROGRAM, "abc", 0}, {WIRE_TAG_RECORD, "/nowhere", 0}, {WIRE_TAG_BUILD, "x", 0},
    {WIRE_TAG_BYTES, "abc", 0}, {WIRE_TAG_JSON, "{", 0}, {0}};
static const struct field far[] = {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "gain.gain", 0},
    {WIRE_TAG_VALUE, "1e9", 0}, {WIRE_TAG_COUNT, NULL, UINT64_MAX}, {WIRE_TAG_SLOT, NULL, 1},
    {WIRE_TAG_INDEX, NULL, UINT64_MAX}, {WIRE_TAG_CURSOR, NULL, UINT64_MAX},
    {WIRE_TAG_SLOTS, NULL, UINT64_MAX}, {WIRE_TAG_PART, NULL, 1}, {0}};
/* numbers that have not eight bytes, and a text with another field's meaning */
static const struct field mistyped[] = {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "gain.out", 0},
    {WIRE_TAG_VALUE, "", 0}, {WIRE_TAG_COUNT, "abc", 0}, {WIRE_TAG_SLOT, "", 0},
    {WIRE_TAG_INDEX, "12345", 0}, {WIRE_TAG_CURSOR, "1", 0}, {WIRE_TAG_LOAD_ID, "1", 0},
    {WIRE_TAG_SLOTS, "1", 0}, {WIRE_TAG_CODE, "1", 0}, {0}};
static const struct field elsewhere[] = {
    {WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NODE, "elsewhere", 0}, {0}};
static const struct field over_there[] = {
    {WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NODE, "b", 0}, {WIRE_TAG_NAME, "sink", 0}, {0}};
static const struct field *const kinds[] = {
    nothing, nobody, wrong, mistyped, far, alone, elsewhere, over_there};
enum { NOBODYS = 2 }; /* kinds that name no waveform that there is */

/* In this order: what ends the waveform comes last. */
static const enum wire_type asked[] = {WIRE_PING, WIRE_LIST, WIRE_STATUS, WIRE_SAMPLES, WIRE_MISSES,
    WIRE_TRACE, WIRE_RECORD, WIRE_GET, WIRE_SET, WIRE_LOG, WIRE_TAP, WIRE_RING, WIRE_GO_ON,
    WIRE_BUILDS, WIRE_BUILD, WIRE_JOIN, WIRE_NODES, WIRE_REMAP, WIRE_UPGRADE, WIRE_PREPARE,
    WIRE_LOAD, 9, 1000};
/* ... and these are asked of nobody's waveform only. */
static const enum wire_type orders[] = {WIRE_START, WIRE_PAUSE, WIRE_STEP, WIRE_STOP, WIRE_UNLOAD};
static const enum wire_type told[] = {
    WIRE_OK, WIRE_FAIL, WIRE_EVENT, WIRE_DAEMON, WIRE_LEASE, WIRE_OFFSETS, WIRE_COUNTS, WIRE_FRAME};

static uint64_t pid_of(struct bus *bus, enum wire_peer peer, const char *node)
{
	const struct field fields[] = {{WIRE_TAG_NODE, node, 0}, {0}};
	struct wire_view view;
	uint64_t pid = 0;

	assert_int_equal(ask(bus, WIRE_PING, peer, node != NULL ? fields : nothing, &view), 0);
	assert_int_equal(view.type, WIRE_OK);
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_PID, &pid), 0);
	return pid;
}

static void lives(struct bus *bus, enum wire_peer peer, const char *node, uint64_t before)
{
	if (before != 0 && pid_of(bus, peer, node) != before)
		fail_msg("aloe-%s has ended", wire_peer_name(peer));
}

static void answered(
    struct bus *bus, enum wire_type type, enum wire_peer to, const struct field *fields, int kind)
{
	struct wire_view view;
	const int rc = ask(bus, type, to, fields, &view);
	char *said = rc == 0 ? wire_get_text(&view, WIRE_TAG_TEXT, 0) : NULL;

	if (rc != 0)
		fail_msg("%s (%d) to aloe-%s, fields %d: no answer: %s", wire_type_name(type), type,
		    wire_peer_name(to), kind, strerror(-rc));
	if (view.type != WIRE_OK && (said == NULL || said[0] == 0))
		fail_msg("%s (%d) to aloe-%s, fields %d: refused without a word",
		    wire_type_name(type), type, wire_peer_name(to), kind);
	free(said);
}

static void daemon_asked(struct bus *bus, enum wire_peer to)
{
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
			tell(bus, told[i], to, kinds[kind]);
		for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
			if (asked[i] != WIRE_JOIN || kinds[kind] != over_there) /* for no other */
				answered(bus, asked[i], to, kinds[kind], (int)kind);
		for (size_t i = 0; kind < NOBODYS && i < sizeof(orders) / sizeof(orders[0]); i++)
			answered(bus, orders[i], to, kinds[kind], (int)kind);
	}
}

/* Of this node, and of node "b" where there is one. */
static void all_asked(struct bus *bus, const char *node)
{
	uint64_t here[WIRE_PEERS] = {0}, there[WIRE_PEERS] = {0};

	for (enum wire_peer to = WIRE_FRONTEND; to < WIRE_PEERS; to++) {
		here[to] = to != WIRE_BRIDGE || node != NULL ? pid_of(bus, to, NULL) : 0;
		there[to] = node != NULL && to <= WIRE_STATS ? pid_of(bus, to, node) : 0;
	}
	for (enum wire_peer to = WIRE_FRONTEND; to < WIRE_PEERS; to++)
		if (here[to] != 0) /* one that is not there would be waited for */
			daemon_asked(bus, to);
	for (enum wire_peer to = WIRE_FRONTEND; to < WIRE_PEERS; to++) {
		lives(bus, to, NULL, here[to]);
		lives(bus, to, node, there[to]);
	}
}

static void test_every_request(void **state)
{
	static const char *const before[] = {NULL, "start w", "pause w", "stop w"};
	struct bus *bus = node_bus("run/aloe");

	(void)state;
	conf_write("w", text);
	wave_ready("w", "--clock virtual");
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		if (before[i] != NULL)
			ran_free(aloe_ok("%s", before[i]));
		all_asked(bus, NULL);
	}
	ran_free(aloe_ok("unload w"));
	wave_begin("w", "--clock virtual");
	wave_end("w");
	bus_close(bus);
}

/* ---- sentence by sentence -------------------------------------------------------------- */

struct refusal {
	enum wire_peer to;
	enum wire_type type;
	struct field fields[FIELDS];
	const char *words;
};

static const struct refusal refusals[] = {
    {WIRE_EXEC, WIRE_REMAP, {{WIRE_TAG_WAVEFORM, "w", 0}}, "REMAP without a program"},
    {WIRE_EXEC, WIRE_UPGRADE, {{WIRE_TAG_WAVEFORM, "w", 0}},
        "UPGRADE needs an instance and a program"},
    {WIRE_EXEC, WIRE_PREPARE, {{WIRE_TAG_WAVEFORM, "v", 0}}, "PREPARE without a program"},
    {WIRE_EXEC, WIRE_RING, {{WIRE_TAG_WAVEFORM, "w", 0}}, "RING needs the name of an output"},
    {WIRE_EXEC, WIRE_LOAD, {{0}}, "aloe-exec does not know the message LOAD"},
    {WIRE_EXEC, WIRE_SET, {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "gain.gain", 0}},
        "set needs a value for each instance.parameter"},
    {WIRE_EXEC, WIRE_SET,
        {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "gain.none", 0}, {WIRE_TAG_VALUE, "1", 0}},
        "has no parameter \"gain.none\""},
    {WIRE_EXEC, WIRE_SET,
        {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "source.length", 0},
            {WIRE_TAG_VALUE, "1", 0}},
        "source.length"},
    {WIRE_EXEC, WIRE_SET,
        {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "gain.gain", 0}, {WIRE_TAG_VALUE, "1", 0},
            {WIRE_TAG_NAME, "taps.taps", 0}, {WIRE_TAG_VALUE, "[1.0]", 0}},
        "taps.taps is an array; set the array alone"},
    {WIRE_STATS, WIRE_LOG,
        {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "sink", 0}, {WIRE_TAG_COUNT, NULL, 0}},
        "a row is for 1 index or more, not for 0"},
    {WIRE_STATS, WIRE_LOG, {{WIRE_TAG_WAVEFORM, "w", 0}}, "log needs a waveform and a name"},
    {WIRE_STATS, WIRE_LOG, {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "gain.gain", 0}},
        "gain.gain is a parameter, but only variables can be logged"},
    {WIRE_STATS, WIRE_SET, {{WIRE_TAG_WAVEFORM, "w", 0}},
        "set needs a waveform, instance.parameter and a value"},
    {WIRE_STATS, WIRE_GET, {{0}}, "needs the name of a waveform"},
    {WIRE_STATS, WIRE_LOAD, {{0}}, "aloe-stats does not know message"},
    {WIRE_STATSMAN, WIRE_LOAD, {{0}}, "aloe-statsman does not know LOAD"},
    {WIRE_SWMAN, WIRE_GET, {{0}}, "aloe-swman does not know GET"},
    {WIRE_SWMAN, WIRE_REMAP, {{0}}, "the name of a waveform is needed"},
    {WIRE_SWMAN, WIRE_STATUS, {{0}}, "the name of a waveform is needed"},
    {WIRE_SWMAN, WIRE_UPGRADE, {{WIRE_TAG_WAVEFORM, "w", 0}},
        "the names of a waveform and an instance are needed"},
    {WIRE_SWMAN, WIRE_UPGRADE, {{WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "gain", 0}},
        "--component NAME or --component PATH is needed"},
    {WIRE_SWMAN, WIRE_UPGRADE, {{WIRE_TAG_WAVEFORM, "v", 0}, {WIRE_TAG_NAME, "gain", 0}},
        "no waveform \"v\" is loaded"},
    {WIRE_FRONTEND, WIRE_BUILD, {{WIRE_TAG_NAME, "gain", 0}}, "takes no builds"},
    {WIRE_FRONTEND, WIRE_JOIN, {{0}}, ""},
    {WIRE_FRONTEND, WIRE_GET, {{0}}, "aloe-frontend does not know"},
};

static void test_sentences(void **state)
{
	struct bus *bus = node_bus("run/aloe");
	unsigned missing = 0;

	(void)state;
	conf_write("w", text);
	wave_ready("w", "--clock virtual");
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *it = &refusals[i];
		struct wire_view view;
		char *said;

		assert_int_equal(ask(bus, it->type, it->to, it->fields, &view), 0);
		said = wire_get_text(&view, WIRE_TAG_TEXT, 0);
		if (view.type != WIRE_FAIL || said == NULL || strstr(said, it->words) == NULL) {
			print_error("refusal %zu: not `%s`: %s\n", i, it->words,
			    said != NULL ? said : "no text");
			missing++;
		}
		free(said);
	}
	assert_int_equal(missing, 0);
	ran_free(aloe_ok("unload w"));
	bus_close(bus);
}

/* More logs than aloe-stats keeps, more parameters than go at one index. */
static void test_too_many(void **state)
{
	enum { MANY = 300 };
	struct bus *bus = node_bus("run/aloe");
	struct wire_view view;
	struct wire_msg msg;
	bool refused = false;
	char *said;

	(void)state;
	conf_write("w", text);
	wave_ready("w", "--clock virtual");
	for (int i = 0; i < MANY && !refused; i++) {
		const struct field fields[] = {
		    {WIRE_TAG_WAVEFORM, "w", 0}, {WIRE_TAG_NAME, "sink", 0}, {0}};

		assert_int_equal(ask(bus, WIRE_LOG, WIRE_STATS, fields, &view), 0);
		refused = view.type == WIRE_FAIL;
	}
	said = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_true(refused);
	assert_non_null(strstr(said, "logs are open already"));
	free(said);
	wire_init(&msg, WIRE_SET, WIRE_CLIENT, WIRE_EXEC, bus_seq(bus));
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, "w");
	for (int i = 0; i < MANY; i++) {
		wire_put_text(&msg, WIRE_TAG_NAME, "gain.gain");
		wire_put_text(&msg, WIRE_TAG_VALUE, "1");
	}
	assert_int_equal(bus_call(bus, &msg, ANSWER_MS, &view), 0);
	said = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_int_equal(view.type, WIRE_FAIL);
	assert_non_null(strstr(said, "parameters can be set at one index"));
	free(said);
	ran_free(aloe_ok("unload w"));
	bus_close(bus);
}

/* ---- two nodes ------------------------------------------------------------------------- */

static void pair_make(void)
{
	char conf[2048];
	const int port = 30000 + getpid() % 500 * 4;
	int len = snprintf(conf, sizeof(conf),
	    "name = \"pair\"; secure = false; nodes: {\n"
	    " a: { mmac_per_s = 1000.0; address = \"127.0.0.1:%d\"; shared = true;"
	    " lanes = [0]; manager = true; };\n"
	    " b: { mmac_per_s = 1000.0; address = \"127.0.0.1:%d\"; shared = true;"
	    " lanes = [0]; }; };\n"
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 1000.0; delay = 2; } );\n",
	    port, port + 2);

	file_make(aloe_path("pair.conf"), conf, (size_t)len);
	len = snprintf(conf, sizeof(conf),
	    "name = \"w\"; slot_ns = 20000000;\n"
	    "instances: {\n"
	    "  source: { component = \"random_source\"; length = 8; node = \"a\"; };\n"
	    "  mod:    { component = \"bpsk_mod\"; output = \"cf32\"; node = \"b\"; };\n"
	    "  gain:   { component = \"gain\"; tap = 16; node = \"b\"; };\n"
	    "  sink:   { component = \"null_sink\"; node = \"a\"; };\n"
	    "};\nlinks = ( \"source -> mod -> gain -> sink\" );\n");
	file_make(aloe_path("w.conf"), conf, (size_t)len);
}

static void pair_joined(void)
{
	const uint64_t until = clock_ns() + PATIENCE_NS;
	bool joined = false;

	while (!joined && clock_ns() < until) {
		struct ran *ran = aloe("list nodes --dir %s", aloe_path("run-a"));
		const char *first = strstr(ran->out, " joined ");

		joined = first != NULL && strstr(first + 1, " joined ") != NULL;
		ran_free(ran);
	}
	assert_true(joined);
}

static int pair_up(void **state)
{
	static const char *const names[] = {"a", "b"};

	if (faults_init(state) != 0)
		return -1;
	pair_make();
	for (int i = 0; i < 2; i++) {
		char dir[16];

		snprintf(dir, sizeof(dir), "run-%s", names[i]);
		ran_free(aloe_ok("up --platform %s --node %s --dir %s --state %s",
		    aloe_path("pair.conf"), names[i], aloe_path(dir), aloe_path(names[i])));
	}
	pair_joined();
	return 0;
}

static int pair_down(void **state)
{
	ran_free(aloe("down --dir %s", aloe_path("run-b")));
	ran_free(aloe("down --dir %s", aloe_path("run-a")));
	return faults_fini(state);
}

static void test_every_request_of_two(void **state)
{
	static const char *const before[] = {NULL, "start w", "stop w"};
	struct bus *bus = node_bus("run-a");

	(void)state;
	ran_free(
	    aloe_ok("load %s --clock virtual --dir %s", aloe_path("w.conf"), aloe_path("run-a")));
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		if (before[i] != NULL)
			ran_free(aloe_ok("%s --dir %s", before[i], aloe_path("run-a")));
		all_asked(bus, "b");
	}
	ran_free(aloe_ok("unload w --dir %s", aloe_path("run-a")));
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_request),
	    cmocka_unit_test(test_sentences),
	    cmocka_unit_test(test_too_many),
	};
	const struct CMUnitTest two[] = {cmocka_unit_test(test_every_request_of_two)};
	int failed;

	cmocka_set_test_filter(getenv("ONLY"));
	failed = cmocka_run_group_tests(tests, node_up, node_down);
	return failed + cmocka_run_group_tests(two, pair_up, pair_down);
}
