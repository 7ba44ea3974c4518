/* SPDX-License-Identifier: BSD-3-Clause
 * core/waveform/platform: files of machines, and everything that can be wrong with one, at once. */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/waveform/platform.h"

static struct platform_model *parsed(const char *text)
{
	struct platform_model *platform = NULL;
	struct diag diag;

	diag_init(&diag);
	if (platform_parse("p.conf", text, strlen(text), &diag, &platform) != 0)
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	assert_int_equal(diag.len, 0);
	diag_fini(&diag);
	return platform;
}

static void refused(const char *text, const char *lines)
{
	struct platform_model *platform = NULL;
	char said[8192] = "";
	struct diag diag;
	size_t at = 0;

	diag_init(&diag);
	assert_int_equal(platform_parse("p.conf", text, strlen(text), &diag, &platform), -EINVAL);
	assert_null(platform);
	for (size_t i = 0; i < diag.len && at < sizeof(said); i++)
		at += (size_t)snprintf(said + at, sizeof(said) - at, "%s\n", diag.lines[i]);
	assert_string_equal(said, lines);
	diag_fini(&diag);
}

static void test_defaults(void **state)
{
	struct platform_model *p =
	    parsed("name = \"one\"; nodes: { a: { mmac_per_s = 600.0; }; };");

	(void)state;
	assert_string_equal(p->name, "one");
	assert_int_equal(p->n_nodes, 1);
	assert_int_equal(p->n_lanes, 1);
	assert_int_equal(p->n_links, 0);
	assert_true(p->margin == 0 && p->cores[0].mmac_per_s == 600 && p->cores[0].taken_ns == 0);
	assert_true(
	    p->nodes[0].base_ns == 0 && p->nodes[0].module_ns == 0 && p->nodes[0].noise_ns == 0);
	assert_true(p->nodes[0].handover_ns == 0 && p->nodes[0].memory_bytes == 0);
	assert_null(p->nodes[0].arch);
	assert_false(p->assume_builds);
	platform_free(p);
	platform_free(NULL);
}

static void test_all_keys(void **state)
{
	struct platform_model *p = parsed(
	    "name = \"all\";\nmargin = 0.25;\nassume_builds = true;\nnodes: {\n"
	    " a: { cores = 2; mmac_per_s = [200.0, 400]; arch = \"armhf\"; base_us = 211.7; "
	    "module_us = 24.97; noise_us = 1.5; handover_us = 2; memory_mb = 64; };\n"
	    " b: { mmac_per_s = 600; arch = \"x86_64\"; };\n c: { mmac_per_s = 1; };\n};\n"
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 100; message_us = 2.5; "
	    "byte_ns = 0.5; },\n"
	    " { nodes = (\"a\", \"b\", \"c\"); mbit_per_s = 10; kind = \"bus\"; delay = 3; } );\n");

	(void)state;
	assert_true(p->margin == 0.25 && p->assume_builds);
	assert_int_equal(p->n_lanes, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(p->cpus[i], i);
	assert_true(p->cores[0].mmac_per_s == 200 && p->cores[1].mmac_per_s == 400);
	assert_int_equal(p->cores[1].node, 0);
	assert_int_equal(p->cores[2].node, 1);
	assert_string_equal(p->nodes[0].name, "a");
	assert_string_equal(p->nodes[0].arch, "armhf");
	assert_true(p->nodes[0].base_ns == 211700 && p->nodes[0].module_ns == 24970 &&
	    p->nodes[0].noise_ns == 1500);
	assert_true(p->nodes[0].handover_ns == 2000 && p->nodes[0].memory_bytes == 64e6);
	assert_int_equal(p->links[0].kind, PLATFORM_FULL);
	assert_int_equal(p->links[0].delay, 2);
	assert_int_equal(p->links[1].kind, PLATFORM_BUS);
	assert_int_equal(p->links[1].n_nodes, 3);
	assert_int_equal(p->links[1].nodes[2], 2);
	assert_int_equal(p->links[1].delay, 3);
	assert_true(p->links[0].message_ns == 2500 && p->links[0].byte_ns == 0.5);
	assert_true(p->links[1].message_ns == 0 && p->links[1].byte_ns == 0);
	platform_free(p);
}

static void test_kinds(void **state)
{
	struct platform_model *p = parsed(
	    "name = \"kinds\";\nnodes: {\n"
	    " a: { mmac_per_s = [1.0, 2.0, 3.0]; kinds: { big = 1; little = 2; }; };\n"
	    " b: { mmac_per_s = 4.0; };\n c: { mmac_per_s = 5.0; cores = 1; kinds: { big = 1; }; "
	    "};\n};\n");
	static const char *const kinds[] = {"big", "little", "little", NULL, "big"};

	(void)state;
	assert_int_equal(p->n_lanes, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_true(p->cores[i].mmac_per_s == (double)i + 1);
		if (kinds[i])
			assert_string_equal(p->cores[i].kind, kinds[i]);
		else
			assert_null(p->cores[i].kind);
	}
	assert_int_equal(p->nodes[0].n_kinds, 2);
	assert_int_equal(p->nodes[0].kinds[1].n, 2);
	platform_free(p);
	refused("name = \"x\";\nnodes: {\n"
	        " a: { mmac_per_s = 1.0; kinds = 3; };\n"
	        " b: { mmac_per_s = 1.0; kinds: { }; };\n"
	        " c: { mmac_per_s = 1.0; cores = 2;\n   kinds: { big = 1; }; };\n"
	        " d: { mmac_per_s = 1.0; kinds: { big = 0; b-g = 1; }; };\n"
	        " e: { mmac_per_s = 1.0; kinds: { big = -1; }; };\n"
	        " f: { mmac_per_s = 1.0; kinds: { big = 1.5; }; };\n"
	        " g: { mmac_per_s = [1.0]; kinds: { big = 2; }; };\n};\n",
	    "p.conf:3: a.kinds is not understood; kinds: { NAME = CORES; ... }; is needed\n"
	    "p.conf:4: b.kinds is not understood; kinds: { NAME = CORES; ... }; is needed\n"
	    "p.conf:6: node \"c\" has 2 cores, but its kinds have 1; each core is of one kind\n"
	    "p.conf:7: d.kinds.big = 0 is outside [1, 1024]\n"
	    "p.conf:7: d.kinds.b-g: the name is not allowed; a name is a letter, then letters, "
	    "digits and _, at most 63 characters\n"
	    "p.conf:8: e.kinds.big = -1 is outside [1, 1024]\n"
	    "p.conf:9: f.kinds.big = 1.5; a whole number is needed\n"
	    "p.conf:10: g.mmac_per_s has 1 item, but the node has 2 cores\n");
	refused("name = \"x\";\nnodes: { a: { mmac_per_s = 1.0; kinds: { x = 1000; y = 1000; }; "
	        "}; };\n",
	    "p.conf:2: the platform has more than 1024 cores\n");
}

static void test_everything_wrong_at_once(void **state)
{
	(void)state;
	refused("margin = 1.5;\n"
	        "colour = 3;\n"
	        "nodes: {\n"
	        " a: { cores = 2; mmac_per_s = [200.0]; };\n"
	        " a: { mmac_per_s = 1.0; };\n"
	        " b: { mmac_per_s = -1.0; archh = \"x86_64\"; };\n"
	        " c: { arch = \"vax\"; base_us = \"much\"; };\n"
	        "};\n"
	        "links = ( { nodes = [\"a\", \"d\"]; mbit_per_s = 100.0; },\n"
	        " { nodes = [\"a\", \"b\", \"c\"]; mbit_per_s = 1.0; },\n"
	        " { nodes = [\"a\", \"a\"]; delay = 0; kind = \"simplex\"; } );\n",
	    "p.conf:1: name is missing; name = \"...\" is needed\n"
	    "p.conf:1: margin = 1.5 is outside [0, 0.9]\n"
	    "p.conf:2: unknown key \"colour\" of a platform; allowed: name, margin, assume_builds, "
	    "nodes, links, radio, secure\n"
	    "p.conf:4: a.mmac_per_s has 1 item, but the node has 2 cores\n"
	    "p.conf:5: \"a\" appears twice, first on line 4; names must differ\n"
	    "p.conf:6: unknown key \"archh\" of a node, did you mean \"arch\"?\n"
	    "p.conf:6: b.mmac_per_s = -1 is outside [0.001, 1000000000] MMAC/s\n"
	    "p.conf:7: c.base_us = \"much\"; a number is needed\n"
	    "p.conf:7: c.arch = \"vax\" is unknown; allowed: x86_64, aarch64, armhf\n"
	    "p.conf:7: node \"c\" has no mmac_per_s; mmac_per_s = R is needed (million MACs per "
	    "second of a core)\n"
	    "p.conf:9: unknown node \"d\"; allowed: a, b, c\n"
	    "p.conf:10: a \"full\" link has 3 nodes; nodes = [\"A\", \"B\"] with 2 (a \"bus\" has "
	    "more) is needed\n"
	    "p.conf:11: kind = \"simplex\" is unknown; allowed: full, half, bus\n"
	    "p.conf:11: delay = 0 is outside [1, 100] slots\n"
	    "p.conf:11: the link has no mbit_per_s; mbit_per_s = B is needed\n"
	    "p.conf:11: a link names node \"a\" twice\n");
}

#define KEY_A "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf8"
#define KEY_B "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf9"

static void test_nodes_that_run(void **state)
{
	struct platform_model *p = parsed(
	    "name = \"run\";\nsecure = true;\nnodes: {\n"
	    " a: { mmac_per_s = 1.0; address = \"10.0.0.1:7000\"; manager = true; lanes = [2, 3];\n"
	    "      housekeeping = [0]; shared = true; key = \"" KEY_A "\"; };\n"
	    " b: { mmac_per_s = 1.0; address = \"[fd00::1]:7000\"; key = \"" KEY_B "\";\n"
	    "      clock = \"network\"; };\n};\n"
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 1.0; transport = \"udp\"; } );\n");

	(void)state;
	assert_string_equal(p->nodes[0].address, "10.0.0.1:7000");
	assert_string_equal(p->nodes[0].key, KEY_A);
	assert_true(p->nodes[0].manager && !p->nodes[1].manager);
	assert_true(p->nodes[0].shared && !p->nodes[1].shared);
	assert_true(!p->nodes[0].network && p->nodes[1].network);
	assert_int_equal(p->nodes[0].lanes.n, 2);
	assert_int_equal(p->nodes[0].lanes.items[1], 3);
	assert_int_equal(p->nodes[0].housekeeping.n, 1);
	assert_int_equal(p->nodes[1].lanes.n, 0);
	assert_int_equal(p->n_lanes, 3); /* two of a, for its lanes, and one of b */
	assert_int_equal(p->links[0].transport, PLATFORM_UDP);
	assert_false(p->insecure);
	platform_free(p);
	p = parsed("name = \"open\"; secure = false; nodes: { a: { mmac_per_s = 1.0; address = "
	           "\"127.0.0.1:1\"; manager = true; cores = 1; lanes = [5]; }; };");
	assert_true(p->insecure);
	platform_free(p);
}

static void test_contradictions(void **state)
{
	(void)state;
	refused("name = \"x\";\nsecure = false;\nnodes: {\n"
	        " a: { mmac_per_s = 1.0; address = \"10.0.0.1:7000\"; manager = true;\n"
	        "   key = \"" KEY_A "\"; };\n"
	        " b: { mmac_per_s = 1.0; manager = true;\n"
	        "   address = \"[::ffff:10.0.0.1]:7000\"; };\n"
	        " c: { mmac_per_s = 1.0; cores = 3; lanes = [1, 2, 2];\n"
	        "   housekeeping = [0, 1]; };\n"
	        " d: { mmac_per_s = 1.0; cores = 2; address = \"d:7000\"; lanes = [4]; };\n"
	        " e: { mmac_per_s = 1.0; address = \"0.0.0.0:7000\"; key = \"short\"; };\n"
	        "};\n"
	        "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 1.0; transport = \"ip\"; } );\n",
	    "p.conf:5: node \"a\" has a key, but secure = false; remove one of the two\n"
	    "p.conf:6: nodes \"a\" and \"b\" are both the manager; one is needed\n"
	    "p.conf:7: nodes \"a\" and \"b\" have the same address [::ffff:10.0.0.1]:7000; each "
	    "needs its own\n"
	    "p.conf:8: c.lanes names CPU 2 twice\n"
	    "p.conf:8: node \"c\" has no address, but node \"a\" has; all nodes or none have one\n"
	    "p.conf:9: CPU 1 of node \"c\" is in lanes and in housekeeping; a lane has its CPU "
	    "alone\n"
	    "p.conf:10: d.address = \"d:7000\" is not understood; IP:PORT is needed, such as "
	    "10.0.0.1:7000 or [fd00::1]:7000\n"
	    "p.conf:10: node \"d\" has 1 lane, but cores = 2; one core for each lane is needed\n"
	    "p.conf:11: e.address = \"0.0.0.0:7000\" is no place to connect to; the address of one "
	    "machine and its port are needed\n"
	    "p.conf:11: e.key is no public key; 40 characters of Z85 are needed, as `aloe keys "
	    "list` prints them on that node\n"
	    "p.conf:11: node \"e\" has a key, but secure = false; remove one of the two\n"
	    "p.conf:13: transport = \"ip\" is unknown; allowed: tcp, udp, dpdk\n");
	refused("name = \"x\";\nnodes: {\n a: { mmac_per_s = 1.0; address = \"10.0.0.1:7000\"; };\n"
	        " b: { mmac_per_s = 1.0; address = \"10.0.0.1:7001\"; };\n};\n",
	    "p.conf:2: no node is the manager; manager = true of one node is needed where nodes "
	    "have addresses\n");
	refused("name = \"x\";\nnodes: { a: { mmac_per_s = 1.0; manager = true; }; };\n",
	    "p.conf:2: node \"a\" is the manager and has no address; address = \"IP:PORT\" is "
	    "needed\n");
	refused("name = \"x\";\nnodes: {\n"
	        " a: { mmac_per_s = 1.0; key = \"" KEY_A "\"; lanes = 3; };\n"
	        " b: { mmac_per_s = 1.0; key = \"" KEY_A "\"; lanes = [1024]; };\n};\n",
	    "p.conf:3: a.lanes = 3; a list of numbers [ ] is needed\n"
	    "p.conf:4: b.lanes[0] = 1024 is outside [0, 1023]\n"
	    "p.conf:4: nodes \"a\" and \"b\" have the same key; each needs its own\n");
}

static void test_clocks(void **state)
{
	(void)state;
	refused("name = \"x\";\nnodes: {\n"
	        " a: { mmac_per_s = 1.0; address = \"10.0.0.1:7000\"; manager = true;\n"
	        "   clock = \"network\"; };\n"
	        " b: { mmac_per_s = 1.0; address = \"10.0.0.2:7000\"; clock = \"gps\"; };\n};\n",
	    "p.conf:4: node \"a\" is the manager, whose clock the others with clock = \"network\" "
	    "follow; its own is \"tai\"\n"
	    "p.conf:5: b.clock = \"gps\" is unknown; allowed: tai, network\n");
}

static void test_no_nodes(void **state)
{
	(void)state;
	refused("name = \"x\";",
	    "p.conf:1: nodes is missing; nodes: { NAME: { mmac_per_s = ...; }; }; with 1 .. 256 "
	    "nodes is needed\n");
	refused("name = \"x\";\nnodes: { };",
	    "p.conf:2: nodes has no node; nodes: { NAME: { mmac_per_s = ...; }; }; with 1 .. 256 "
	    "nodes is needed\n");
	refused("name = \"x\";\nnodes: { a: { mmac_per_s = 1.0; cores = 2000; }; };",
	    "p.conf:2: a.cores = 2000 is outside [1, 1024]\n");
	refused("nodes = ",
	    "p.conf:1: syntax error in or before \"nodes = \"; key = value; or key: { ... }; is "
	    "needed\n");
}

/* A waveform that is given for a platform: its own words are in the messages. */
static void test_a_waveform(void **state)
{
	char text[4096];
	size_t len = (size_t)snprintf(text, sizeof(text), "%s",
	    "name = \"x\"; nodes: { a: { mmac_per_s = 1.0; }; };\ninstances: {\n");

	(void)state;
	for (int i = 0; i < 65; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "i%d: { };\n", i);
	snprintf(text + len, sizeof(text) - len, "};\n");
	refused(text,
	    "p.conf:2: unknown key \"instances\" of a platform; allowed: "
	    "name, margin, assume_builds, nodes, links, radio, secure\n");
}

static void test_shipped_files(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob("platforms/nodes/*.conf", 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 4);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *text;
		size_t len;

		assert_int_equal(file_read(found.gl_pathv[i], 1 << 20, &text, &len), 0);
		struct platform_model *platform = parsed(text);
		assert_non_null(strstr(found.gl_pathv[i], platform->name));
		platform_free(platform);
		free(text);
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_all_keys),
	    cmocka_unit_test(test_kinds),
	    cmocka_unit_test(test_everything_wrong_at_once),
	    cmocka_unit_test(test_nodes_that_run),
	    cmocka_unit_test(test_contradictions),
	    cmocka_unit_test(test_clocks),
	    cmocka_unit_test(test_no_nodes),
	    cmocka_unit_test(test_a_waveform),
	    cmocka_unit_test(test_shipped_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
