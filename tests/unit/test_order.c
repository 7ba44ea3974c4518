/* SPDX-License-Identifier: BSD-3-Clause
 * The order of a graph, and what is on a cycle, beside the plain definitions that look at every
 * link for every instance; and a file of 10 000 instances, whose names are found. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/waveform/parse.h"
#include "tests/common/types.h"

enum { GRAPHS = 2000, SMALL = 12, LARGE = 10000 };

static uint32_t number_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void graph_make(
    struct waveform *graph, size_t n, size_t n_links, uint64_t *seed, bool acyclic)
{
	const uint32_t turn = number_next(seed) % (uint32_t)n;

	*graph = (struct waveform){.n_instances = n, .n_links = n_links};
	graph->instances = calloc(n, sizeof(*graph->instances));
	graph->links = calloc(n_links + 1, sizeof(*graph->links));
	for (size_t k = 0; k < n_links; k++) {
		struct wf_link *link = &graph->links[k];
		/* acyclic: from a low place to a high one, in an order of its own */
		uint32_t from = number_next(seed) % n, to = number_next(seed) % n;

		if (acyclic && from > to) {
			const uint32_t low = to;

			to = from;
			from = low;
		}
		link->from = (int)((from * 7919u + turn) % n);
		link->to = (int)((to * 7919u + turn) % n);
		if (acyclic && from == to)
			link->from = -1; /* a hole */
		link->delay = !acyclic && number_next(seed) % 4 == 0;
		link->doubtful = number_next(seed) % 16 == 0;
	}
}

static void graph_fini(struct waveform *graph)
{
	free(graph->instances);
	free(graph->links);
}

static bool counts(const struct wf_link *link)
{
	return link->from >= 0 && link->to >= 0 && wf_link_has_no_delay(link);
}

/* Whether nothing before it is open. */
static bool is_ready(const struct waveform *graph, const bool *placed, int i)
{
	for (size_t k = 0; k < graph->n_links; k++)
		if (counts(&graph->links[k]) && graph->links[k].to == i &&
		    !placed[graph->links[k].from])
			return false;
	return true;
}

/* The definition: again and again the first instance of the file that is ready. */
static size_t order_plain(const struct waveform *graph, int *ret_order)
{
	bool *placed = calloc(graph->n_instances, sizeof(*placed));
	size_t len = 0, i = 0;

	while (i < graph->n_instances) {
		if (placed[i] || !is_ready(graph, placed, (int)i)) {
			i++;
			continue;
		}
		placed[i] = true;
		ret_order[len++] = (int)i;
		i = 0;
	}
	free(placed);
	return len;
}

static void cycle_check(const struct waveform *graph, size_t placed)
{
	int links[SMALL + 1];
	const ssize_t n = wf_cycle(graph, wf_link_has_no_delay, links);

	assert_int_equal(n > 0, placed < graph->n_instances);
	for (ssize_t i = 0; i < n; i++) {
		assert_true(counts(&graph->links[links[i]]));
		assert_int_equal(graph->links[links[i]].from, graph->links[links[(i + 1) % n]].to);
	}
}

static void test_small_graphs(void **state)
{
	int order[SMALL], plain[SMALL];
	uint64_t seed = 1;
	size_t cyclic = 0;

	(void)state;
	for (int g = 0; g < GRAPHS; g++) {
		const size_t n = 1 + number_next(&seed) % SMALL;
		struct waveform graph;

		graph_make(&graph, n, number_next(&seed) % (2 * n), &seed, g % 2 == 0);
		const size_t len = order_plain(&graph, plain);
		assert_int_equal(wf_order(&graph, wf_link_has_no_delay, order), len);
		assert_memory_equal(order, plain, len * sizeof(*order));
		cycle_check(&graph, len);
		cyclic += len < n;
		graph_fini(&graph);
	}
	assert_in_range(cyclic, GRAPHS / 20, GRAPHS);
}

/* The algorithm that was there before: all links for each instance. */
static size_t order_before(const struct waveform *graph, int *ret_order)
{
	const size_t n = graph->n_instances;
	uint32_t *waits = calloc(n, sizeof(*waits));
	bool *placed = calloc(n, sizeof(*placed));
	size_t len = 0, i = 0;

	for (size_t k = 0; k < graph->n_links; k++)
		if (counts(&graph->links[k]))
			waits[graph->links[k].to]++;
	while (i < n) {
		size_t next = i + 1;

		if (!placed[i] && waits[i] == 0) {
			placed[i] = true;
			ret_order[len++] = (int)i;
			for (size_t k = 0; k < graph->n_links; k++) {
				const struct wf_link *link = &graph->links[k];

				if (counts(link) && link->from == (int)i &&
				    --waits[link->to] == 0 && (size_t)link->to < next)
					next = (size_t)link->to;
			}
		}
		i = next;
	}
	free(waits);
	free(placed);
	return len;
}

static void test_large_graphs(void **state)
{
	int *order = calloc(LARGE, sizeof(*order)), *before = calloc(LARGE, sizeof(*before));
	uint64_t seed = 2;

	(void)state;
	for (int g = 0; g < 2; g++) {
		struct waveform graph;

		graph_make(&graph, LARGE, 3 * LARGE / 2, &seed, g == 0);
		const size_t len = order_before(&graph, before);
		assert_int_equal(wf_order(&graph, wf_link_has_no_delay, order), len);
		assert_memory_equal(order, before, len * sizeof(*order));
		assert_int_equal(len == LARGE, g == 0);
		graph_fini(&graph);
	}
	free(order);
	free(before);
}

/* ---- names ---- */

/* Instance i reads instance i + 1, so the file's order is against the data; `last` names what the
 * last link begins at. */
static char *chain_print(const char *last, size_t *ret_len)
{
	char *text;
	FILE *out = open_memstream(&text, ret_len);

	fprintf(out, "name = \"chain\"; slot_ns = 1000000;\ninstances: {\n");
	for (int i = 0; i < LARGE; i++)
		fprintf(out, "i%d: { component = \"%s\"; %s};\n", i,
		    i == 0              ? "sink"
		        : i < LARGE - 1 ? "copy"
		                        : "source",
		    i == LARGE - 1 ? "length = 1; " : "");
	fprintf(out, "};\nlinks = (\n");
	for (int i = 0; i < LARGE - 2; i++)
		fprintf(out, "\"i%d -> i%d\",\n", i + 1, i);
	fprintf(out, "\"%s -> i%d\" );\n", last, LARGE - 2);
	fclose(out);
	return text;
}

static void test_names_of_a_large_file(void **state)
{
	const struct wf_overrides overrides = {.cwd = "/there", .pipelined = -1};
	struct registry *types = test_registry_open();
	struct waveform *waveform = NULL;
	char *text;
	size_t len;
	struct diag diag;

	(void)state;
	assert_non_null(types);
	diag_init(&diag);
	text = chain_print("i9999", &len);
	assert_int_equal(
	    waveform_parse("large.conf", text, len, types, &overrides, &diag, &waveform), 0);
	free(text);
	assert_int_equal(waveform->n_instances, LARGE);
	assert_int_equal(waveform->n_links, LARGE - 1);
	for (int i = 0; i < LARGE; i++) {
		char name[16];

		snprintf(name, sizeof(name), "i%d", i);
		assert_string_equal(waveform->instances[i].name, name);
		assert_int_equal(waveform->instances[i].line, i + 3);
		assert_int_equal(wf_find_instance(waveform, name, strlen(name)), i);
		if (i < LARGE - 1) {
			assert_int_equal(waveform->links[i].from, i + 1);
			assert_int_equal(waveform->links[i].to, i);
		}
	}
	waveform_free(waveform);
	diag_fini(&diag);
	registry_close(types);
}

/* Errors name the lines of the file, also behind the first part of a group that was cut; a name
 * that is there twice is found in another part. */
static void test_errors_of_a_large_file(void **state)
{
	const struct wf_overrides overrides = {.cwd = "/there", .pipelined = -1};
	struct registry *types = test_registry_open();
	struct waveform *waveform = NULL;
	char *text, *twice;
	size_t len;
	struct diag diag;

	(void)state;
	assert_non_null(types);
	diag_init(&diag);
	text = chain_print("i99999", &len);
	twice = strstr(text, "\ni9000:");
	assert_non_null(twice);
	twice[2] = '1';
	assert_int_equal(
	    waveform_parse("large.conf", text, len, types, &overrides, &diag, &waveform), -EINVAL);
	assert_true(diag.len >= 2);
	assert_string_equal(diag.lines[0],
	    "large.conf:9003: \"i1000\" appears twice, first on line 1003; names must differ");
	free(text);
	diag_fini(&diag);
	registry_close(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_small_graphs),
	    cmocka_unit_test(test_large_graphs),
	    cmocka_unit_test(test_names_of_a_large_file),
	    cmocka_unit_test(test_errors_of_a_large_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
