/* SPDX-License-Identifier: BSD-3-Clause
 * core/graph: the path that gives the latency, the text of Graphviz and the lines of a terminal,
 * of reports with what went wrong, of malformed ones, and of names that mean something to
 * Graphviz. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/graph.h"

/* a -> b -> c on lanes 0, 1, 1; a -> d is the way with fewer slots; c -> b is a delay of 2. */
static const char report_text[] =
    "{\"waveform\": \"w\", \"state\": \"RUN\", \"index\": 7, \"slot_ns\": 1000000, \"copies\": 1,"
    "\"latency\": {\"slots\": 2, \"us\": 2000.0,"
    "\"measured_us\": {\"count\": 5, \"mean\": 1234.5}},"
    "\"lanes\": [{\"lane\": 0, \"cpu\": 3, \"load_mean\": 0.125, \"load_p99\": 0.5},"
    " {\"lane\": 4, \"cpu\": 5, \"node\": \"x\", \"missed\": 9}],"
    "\"instances\": ["
    "{\"name\": \"a\", \"component\": \"src\", \"lane\": 0, \"order\": 1, \"lag\": 0, \"calls\": 9,"
    " \"mean_us\": 1.5, \"max_us\": 22.0, \"share\": 0.1},"
    "{\"name\": \"b\", \"component\": \"mid\", \"lane\": 4, \"order\": 1, \"lag\": 1,"
    "\"absent_in\": 3},"
    "{\"name\": \"c\", \"component\": \"end\", \"lane\": 4, \"order\": 2, \"lag\": 1},"
    "{\"name\": \"d\", \"component\": \"see\", \"lane\": 0, \"order\": 2, \"lag\": 0,"
    "\"overruns\": 1, \"calls\": 3, \"timed\": 0}],"
    "\"links\": ["
    "{\"from\": \"a\", \"from_port\": \"out\", \"to\": \"b\", \"to_port\": \"in\", \"delay\": 0,"
    " \"distance\": 1, \"type\": \"cf32\", \"items\": 100},"
    "{\"from\": \"b\", \"from_port\": \"out\", \"to\": \"c\", \"to_port\": \"in\", \"delay\": 0,"
    " \"distance\": 0, \"type\": \"bit\", \"items\": 10},"
    "{\"from\": \"a\", \"from_port\": \"out\", \"to\": \"d\", \"to_port\": \"seen\", \"delay\": 0,"
    " \"distance\": 0, \"type\": \"cf32\", \"items\": 100},"
    "{\"from\": \"c\", \"from_port\": \"back\", \"to\": \"b\", \"to_port\": \"loop\", \"delay\": 2,"
    " \"distance\": 2, \"type\": \"f32\", \"items\": 1}]}";

struct made { /* a graph and what it was made of */
	json_t *report;
	struct graph *graph;
};

static struct made make(const char *text)
{
	struct made made = {.report = json_loads(text, 0, NULL)};

	assert_non_null(made.report);
	assert_int_equal(graph_of_report(made.report, &made.graph), 0);
	return made;
}

static void drop(struct made *made)
{
	graph_free(made->graph);
	json_decref(made->report);
}

static char *drawn(const struct graph *graph, bool dot)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	if (dot)
		graph_dot(graph, out);
	else
		assert_int_equal(graph_text(graph, false, out), 0);
	fclose(out);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void test_path(void **state)
{
	struct made made = make(report_text);
	const struct graph *graph = made.graph;

	(void)state;
	/* d has no readers and c has, but the path to c has the slot */
	assert_int_equal(graph->path_steps, 2);
	assert_true(graph->instances[0].on_path && graph->instances[3].on_path);
	drop(&made);
}

/* Without the loop c has no reader, and is where the latency is counted. */
static void test_path_takes_slots(void **state)
{
	char *text = strdup(report_text);
	struct made made;

	(void)state;
	strcpy(strstr(text, ",{\"from\": \"c\""), "]}");
	made = make(text);
	assert_int_equal(made.graph->path_steps, 3);
	assert_true(made.graph->links[0].on_path && made.graph->links[1].on_path);
	assert_false(made.graph->links[2].on_path || made.graph->instances[3].on_path);
	assert_int_equal(made.graph->instances[2].step, 2);
	drop(&made);
	free(text);
}

static void test_dot_tells_all(void **state)
{
	static const char *const parts[] = {"<B>w</B></FONT>: RUN at index 7, slots of 1000 us",
	    "latency 2 slots = 2000 us, measured 1234 us",
	    "BGCOLOR=\"#cfe3f7\">lane 0 (CPU 3): load 12.5 %, 1 % of slots above 50.0 %",
	    "BGCOLOR=\"#ffe0b8\">lane 4 (x CPU 5)", "<B>; 9 missed</B>",
	    "n0 [fillcolor=\"#cfe3f7\", penwidth=2.2, label=<<B>a</B>", "lane 4, place 2, lag 1",
	    "1.50 us, most 22.0 us, 10.00 %", "<B>3 ABSENT</B>", "<B>1 over budget</B>",
	    "n0 -> n1 [penwidth=0.8", "100 cf32", "<B>distance 1</B>", "out to seen",
	    "n2 -> n1 [penwidth=0.8, color=\"#57606a\", style=dashed, constraint=false",
	    "back to loop<BR/>delay 2"};
	struct made made = make(report_text);
	char *text = drawn(made.graph, true), *again = drawn(made.graph, true);

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		assert_has(text, parts[i]);
	assert_string_equal(text, again);
	free(text);
	free(again);
	drop(&made);
}

static void test_lines(void **state)
{
	static const char lines[] =
	    "w: RUN at index 7, slots of 1000 us\n"
	    "latency 2 slots = 2000 us, measured 1234 us\n"
	    "lane 0 (CPU 3): load 12.5 %, 1 % of slots above 50.0 %\n"
	    "lane 4 (x CPU 5): load 0.0 %, 1 % of slots above 0.0 %; 9 missed\n"
	    "\n"
	    "      a  src  lane 0, place 1  1.50 us, most 22.0 us, 10.00 %\n"
	    "+---- out: 100 cf32, to b.in distance 1, to d.seen\n"
	    "+---> b  mid  lane 4, place 1, lag 1  3 ABSENT\n"
	    "| +-- out: 10 bit\n"
	    "| `-> c  end  lane 4, place 2, lag 1\n"
	    "|     back: 1 f32, to b.loop delay 2 distance 2\n"
	    "`---> d  see  lane 0, place 2  1 over budget\n";
	struct made made = make(report_text);
	char *text = drawn(made.graph, false);

	(void)state;
	assert_string_equal(text, lines);
	free(text);
	drop(&made);
}

/* What means something to Graphviz stands there as itself, and no label breaks. */
static void test_names_are_escaped(void **state)
{
	struct made made =
	    make("{\"waveform\": \"<b>&\\\"\\\\\", \"lanes\": [],"
	         " \"instances\": [{\"name\": \"a>\\n];\", "
	         "\"component\": \"\\u00e4\\\\N\"}, {\"name\": \"\"}], \"links\": []}");
	char *text = drawn(made.graph, true);

	(void)state;
	assert_has(text, "<B>&lt;b&gt;&amp;&quot;&#92;</B>");
	assert_has(text, "label=<<B>a&gt;?];</B>");
	assert_has(text, ">??&#92;N</FONT>");
	assert_has(text, "label=<<B>?</B>");
	free(text);
	drop(&made);
}

/* A chain of 12 goes to the right, back to the left and to the right again. */
static void test_long_chain_is_folded(void **state)
{
	json_t *instances = json_array(), *links = json_array(), *report;
	struct graph *graph = NULL;
	char name[2][16], *text;

	(void)state;
	for (int i = 0; i < 12; i++) {
		snprintf(name[i % 2], sizeof(name[0]), "i%d", i);
		json_array_append_new(
		    instances, json_pack("{s:s, s:i}", "name", name[i % 2], "lane", 0));
		if (i > 0)
			json_array_append_new(links,
			    json_pack("{s:s, s:s, s:s, s:s}", "from", name[(i + 1) % 2],
			        "from_port", "out", "to", name[i % 2], "to_port", "in"));
	}
	report = json_pack(
	    "{s:o, s:o, s:[{s:i}]}", "instances", instances, "links", links, "lanes", "lane", 0);
	assert_int_equal(graph_of_report(report, &graph), 0);
	text = drawn(graph, true);
	assert_has(text, "{ rank=same; n0; n1; n2; n3; }");
	assert_has(text, "n0 -> n1 [penwidth");
	assert_has(text, "n3 -> n4 [penwidth");
	assert_has(text, "n5 -> n4 [dir=back");
	assert_has(text, "n8 -> n9 [penwidth");
	free(text);
	graph_free(graph);
	json_decref(report);
}

static void test_what_is_no_picture(void **state)
{
	json_t *none = json_pack("{s:[], s:[]}", "instances", "lanes"), *many = json_array(),
	       *large;
	struct graph *graph = NULL;

	(void)state;
	assert_int_equal(graph_of_report(none, &graph), -ENODATA);
	for (int i = 0; i <= GRAPH_INSTANCES_MAX; i++)
		json_array_append_new(many, json_object());
	large = json_pack("{s:o, s:[]}", "instances", many, "links");
	assert_int_equal(graph_of_report(large, &graph), -E2BIG);
	assert_null(graph);
	json_decref(none);
	json_decref(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_path),
	    cmocka_unit_test(test_path_takes_slots),
	    cmocka_unit_test(test_dot_tells_all),
	    cmocka_unit_test(test_lines),
	    cmocka_unit_test(test_names_are_escaped),
	    cmocka_unit_test(test_long_chain_is_folded),
	    cmocka_unit_test(test_what_is_no_picture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
