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
	    " a: { cores = 2; mmac_per_s = [200.0, 400]; arch = \"armhf\"; base_us = 211.7; module_us = 24.97;"
	    " noise_us = 1.5; handover_us = 2; memory_mb = 64; };\n"
	    " b: { mmac_per_s = 600; arch = \"x86_64\"; };\n c: { mmac_per_s = 1; };\n};\n"
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 100; },\n"
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
	platform_free(p);
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
	    "p.conf:1: name is missing, name = \"...\" is needed\n"
	    "p.conf:1: margin = 1.5 is outside [0, 0.9]\n"
	    "p.conf:2: unknown key \"colour\" of a platform; allowed: name, margin, assume_builds, nodes, links, "
	    "radio\n"
	    "p.conf:4: a.mmac_per_s has 1 items, the node has 2 cores\n"
	    "p.conf:5: \"a\" is there twice, first on line 4; names must differ\n"
	    "p.conf:6: unknown key \"archh\" of a node, did you mean \"arch\"?\n"
	    "p.conf:6: b.mmac_per_s = -1 is outside [0.001, 1000000000] MMAC/s\n"
	    "p.conf:7: c.base_us = \"much\", a number is needed\n"
	    "p.conf:7: c.arch = \"vax\" is unknown; allowed: x86_64, aarch64, armhf\n"
	    "p.conf:7: node \"c\" has no mmac_per_s, mmac_per_s = R is needed (million MACs a second of a core)\n"
	    "p.conf:9: unknown node \"d\"; allowed: a, b, c\n"
	    "p.conf:10: a \"full\" link has 3 nodes, nodes = [\"A\", \"B\"] with 2 (a \"bus\" has more) is needed\n"
	    "p.conf:11: kind = \"simplex\" is unknown; allowed: full, half, bus\n"
	    "p.conf:11: delay = 0 is outside [1, 100] slots\n"
	    "p.conf:11: the link has no mbit_per_s, mbit_per_s = B is needed\n"
	    "p.conf:11: node \"a\" is there twice in a link\n");
}

static void test_no_nodes(void **state)
{
	(void)state;
	refused("name = \"x\";",
	    "p.conf:1: nodes: missing, nodes: { NAME: { mmac_per_s = ...; }; }; with 1 .. 256 is "
	    "needed\n");
	refused("name = \"x\";\nnodes: { };",
	    "p.conf:2: nodes: none there, nodes: { NAME: { mmac_per_s = ...; }; }; "
	    "with 1 .. 256 is needed\n");
	refused("name = \"x\";\nnodes: { a: { mmac_per_s = 1.0; cores = 2000; }; };",
	    "p.conf:2: a.cores = 2000 is outside [1, 1024]\n");
	refused("nodes = ",
	    "p.conf:1: syntax error in or before \"nodes = \"; key = value; or key: { ... }; is needed\n");
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
	    cmocka_unit_test(test_everything_wrong_at_once),
	    cmocka_unit_test(test_no_nodes),
	    cmocka_unit_test(test_shipped_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
