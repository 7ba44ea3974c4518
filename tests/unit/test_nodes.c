/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which nodes may join the manager of a platform, and why another may not; requests of a node that
 * has not joined go nowhere. The manager's end is the frontend's own (daemons/frontend/nodes.c);
 * the node's end is written here. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "daemons/frontend/nodes.h"

enum { TRIES = 500, TRY_MS = 10 };

struct rig {
	char dir[64], file[128];
	struct log log;
	struct loop loop;
	struct machines machines;
	struct nodes nodes;
	struct bus *bus; /* of the node */
	unsigned messages, came, went;
};

static void message(
    void *self, const struct wire_view *view, const struct bus_peer *from, uint32_t node)
{
	struct rig *rig = self;

	(void)view;
	(void)from;
	assert_int_equal(node, 1);
	rig->messages++;
}

static void word(void *self, uint64_t asked_ns)
{
	(void)self;
	(void)asked_ns;
}

static void changed(void *self, uint32_t node, bool there)
{
	struct rig *rig = self;

	assert_int_equal(node, 1);
	rig->came += there;
	rig->went += !there;
}

static struct bus *node_bus(const struct rig *rig)
{
	char address[MACHINES_ADDRESS];
	struct bus_tcp tcp;
	struct diag diag;
	struct bus *bus;

	diag_init(&diag);
	machines_tcp(&rig->machines, 0, MACHINES_FRONTEND, address, &tcp);
	bus = bus_join(&tcp, WIRE_FRONTEND, &diag);
	assert_non_null(bus);
	diag_fini(&diag);
	return bus;
}

static void rig_open(struct rig *rig)
{
	const struct nodes_owner owner = {message, changed, word, rig};
	struct daemon_args args = {.node = "a"};
	char text[512];

	*rig = (struct rig){.dir = "/tmp/aloe-join-XXXXXX"};
	assert_non_null(mkdtemp(rig->dir));
	snprintf(rig->file, sizeof(rig->file), "%s/pair.conf", rig->dir);
	snprintf(text, sizeof(text),
	    "name = \"pair\"; secure = false; nodes: { a: { mmac_per_s = 1.0; address = "
	    "\"127.0.0.1:%d\"; manager = true; lanes = [0]; }; b: { mmac_per_s = 1.0; address = "
	    "\"127.0.0.1:%d\"; lanes = [1]; }; };",
	    2000 + getpid() % 400 * 4, 2002 + getpid() % 400 * 4);
	assert_int_equal(file_write(rig->file, text, strlen(text)), 0);
	args.platform = rig->file;
	args.state = args.dir = rig->dir;
	log_init(&rig->log, "test");
	loop_init(&rig->loop);
	assert_int_equal(machines_open(&rig->machines, &args, &rig->log), 0);
	assert_int_equal(nodes_init(&rig->nodes, &rig->machines, &rig->log, &rig->loop, rig->dir,
	                     rig->dir, &owner),
	    0);
	rig->bus = node_bus(rig);
}

static void rig_close(struct rig *rig)
{
	bus_close(rig->bus);
	nodes_fini(&rig->nodes);
	machines_close(&rig->machines);
	loop_fini(&rig->loop);
	unlink(rig->file);
	rmdir(rig->dir);
}

/* What a node says of itself: right in all but what is given. */
struct facts {
	const char *version, *platform, *seat;
	int tai_more;
};

static char *facts_text(const struct rig *rig, const struct facts *facts)
{
	struct timex timex = {.modes = 0};
	char print[32], *text;
	json_t *json;

	adjtimex(&timex);
	snprintf(print, sizeof(print), "%016llx", (unsigned long long)rig->machines.print);
	json = json_pack("{s:s, s:s, s:s, s:i}", "version",
	    facts->version ? facts->version : ALOE_VERSION, "platform",
	    facts->platform ? facts->platform : print, "seat", facts->seat ? facts->seat : "here",
	    "tai_offset_s", timex.tai + facts->tai_more);
	text = json_dumps(json, 0);
	json_decref(json);
	return text;
}

/* The manager's answer to a message; NULL: there is none. "": it is OK. */
static char *answer(struct rig *rig, struct bus *bus, struct wire_msg *msg, int tries)
{
	struct wire_view view;

	assert_int_equal(bus_send(bus, msg), 0);
	for (int i = 0; i < tries; i++) {
		loop_step(&rig->loop, TRY_MS);
		if (bus_recv(bus, &view, NULL) == 0)
			return view.type == WIRE_OK ? strdup("")
			                            : wire_get_text(&view, WIRE_TAG_TEXT, 0);
	}
	return NULL;
}

static char *join_text(struct rig *rig, struct bus *bus, const char *name, const char *json)
{
	struct wire_msg msg;

	wire_init(&msg, WIRE_JOIN, WIRE_FRONTEND, WIRE_FRONTEND, 7);
	wire_put_text(&msg, WIRE_TAG_NAME, name);
	wire_put_text(&msg, WIRE_TAG_JSON, json);
	return answer(rig, bus, &msg, TRIES);
}

static char *join(struct rig *rig, struct bus *bus, const char *name, const struct facts *facts)
{
	char *json = facts_text(rig, facts), *text = join_text(rig, bus, name, json);

	free(json);
	return text;
}

static void refused(
    struct rig *rig, struct bus *bus, const char *name, const struct facts *facts, const char *why)
{
	char *text = join(rig, bus, name, facts);

	assert_non_null(text);
	if (!strstr(text, why))
		fail_msg("\"%s\" does not say \"%s\"", text, why);
	free(text);
	assert_int_equal(rig->came, 0);
}

static void test_refused(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig);
	refused(&rig, rig.bus, "c", &(struct facts){0}, "the platform pair has no node \"c\"");
	refused(&rig, rig.bus, "a", &(struct facts){0}, "the name \"a\" is taken");
	refused(&rig, rig.bus, "b", &(struct facts){.version = "0.0.1"}, "has version 0.0.1");
	refused(&rig, rig.bus, "b", &(struct facts){.platform = "0"}, "another platform file");
	refused(&rig, rig.bus, "b", &(struct facts){.tai_more = 37}, "between UTC and TAI");
	rig_close(&rig);
}

static void test_no_facts(void **state)
{
	static const char *const texts[] = {"", "[]", "{", "{}", "7", "{\"version\": 7}"};
	struct rig rig;

	(void)state;
	rig_open(&rig);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *text = join_text(&rig, rig.bus, "b", texts[i]);

		assert_non_null(text);
		assert_true(text[0] != 0);
		free(text);
	}
	assert_int_equal(rig.came, 0);
	rig_close(&rig);
}

static void joins(struct rig *rig, struct bus *bus, const char *seat)
{
	char *text = join(rig, bus, "b", &(struct facts){.seat = seat});

	assert_non_null(text);
	assert_string_equal(text, "");
	free(text);
}

/* The same node after its frontend was killed is let in, and what the first one was asked is lost;
 * another one of that name is not. */
static void test_taken(void **state)
{
	struct bus *second;
	struct rig rig;
	char *text;

	(void)state;
	rig_open(&rig);
	joins(&rig, rig.bus, "here");
	joins(&rig, rig.bus, "here");
	assert_int_equal(rig.came, 1);
	second = node_bus(&rig);
	text = join(&rig, second, "b", &(struct facts){.seat = "there"});
	assert_non_null(text);
	assert_non_null(strstr(text, "is taken by a node in another place (here)"));
	free(text);
	joins(&rig, second, "here");
	assert_int_equal(rig.came, 2);
	assert_int_equal(rig.went, 1);
	bus_close(second);
	rig_close(&rig);
}

static void ask(struct wire_msg *msg, enum wire_type type)
{
	wire_init(msg, type, WIRE_CLIENT, WIRE_SWMAN, 9);
}

/* Messages go through once it has joined, and only those that one node may ask of another. */
static void test_messages(void **state)
{
	struct rig rig;
	struct wire_msg msg;

	(void)state;
	rig_open(&rig);
	ask(&msg, WIRE_LIST);
	assert_null(answer(&rig, rig.bus, &msg, 30));
	assert_int_equal(rig.messages, 0);
	joins(&rig, rig.bus, "here");
	ask(&msg, WIRE_LIST);
	assert_null(answer(&rig, rig.bus, &msg, 30));
	assert_int_equal(rig.messages, 1);
	ask(&msg, WIRE_DOWN);
	assert_null(answer(&rig, rig.bus, &msg, 30));
	ask(&msg, WIRE_PREPARE);
	assert_null(answer(&rig, rig.bus, &msg, 30));
	assert_int_equal(rig.messages, 1);
	assert_int_equal(bus_counts(rig.nodes.bus).unknown, 2);
	rig_close(&rig);
}

/* A node that says nothing any more is not there. */
static void test_silence(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig);
	joins(&rig, rig.bus, "here");
	for (int i = 0; i < TRIES && rig.went == 0; i++)
		loop_step(&rig.loop, TRY_MS);
	assert_int_equal(rig.went, 1);
	assert_int_equal(nodes_send(&rig.nodes, 1, "x", 1), -EHOSTUNREACH);
	joins(&rig, rig.bus, "here");
	assert_int_equal(rig.came, 2);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_no_facts),
	    cmocka_unit_test(test_taken),
	    cmocka_unit_test(test_messages),
	    cmocka_unit_test(test_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
